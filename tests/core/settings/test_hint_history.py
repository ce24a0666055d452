"""What was used and offered is kept, and nothing in its file can do harm."""

from pathlib import Path

import pytest

from core.settings.hint_history import (
    FILE,
    LARGEST,
    OFTEN,
    HintHistory,
    keep_hints,
    load_hints,
)
from core.settings.paths import STATE_VARIABLE


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(STATE_VARIABLE, str(tmp_path / "state"))
    return tmp_path / "state"


def test_what_is_kept_comes_back(state: Path) -> None:
    assert load_hints() == HintHistory()
    history = HintHistory().with_use("undo").with_offer("flag").with_offer("flag")
    assert keep_hints(history) == history
    assert load_hints() == history
    assert [path.name for path in state.iterdir()] == [FILE]


def test_a_key_is_offered_three_times_at_most_and_never_once_used() -> None:
    history = HintHistory()
    for _ in range(OFTEN):
        assert history.may_offer("flag")
        history = history.with_offer("flag")
    assert not history.may_offer("flag")
    assert not HintHistory().with_use("flag").may_offer("flag")


def test_two_programs_lose_nothing() -> None:
    keep_hints(HintHistory(frozenset({"a"}), {"x": 2, "y": 1}))
    keep_hints(HintHistory(frozenset({"b"}), {"x": 1, "z": 3}))
    assert load_hints() == HintHistory(frozenset({"a", "b"}), {"x": 2, "y": 1, "z": 3})


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b'{"used": [1',
        b"[]",
        b'{"used": 3, "offered": {}}',
        b'{"used": [], "offered": []}',
        b'{"used": [], "offered": {"a": "many"}}',
        b'{"used": [], "offered": {"a": 1e400}}',
        b"\xff\xfe",
        b'{"used": []' + b" " * LARGEST + b', "offered": {}}',
    ],
)
def test_a_file_that_cannot_be_read_counts_as_empty(state: Path, content: bytes) -> None:
    state.mkdir()
    (state / FILE).write_bytes(content)
    assert load_hints() == HintHistory()
    keep_hints(HintHistory(frozenset({"a"})))
    assert load_hints() == HintHistory(frozenset({"a"}))


def test_where_nothing_can_be_written_nothing_fails(state: Path) -> None:
    state.write_text("a file where the folder should be")
    history = HintHistory(frozenset({"a"}))
    assert keep_hints(history) == history
