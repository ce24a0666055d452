"""Saved views: what is kept in the file, what is wrong with it, and that nothing in it is lost."""

import tomllib
from pathlib import Path

import pytest

from core.errors import UsageError
from core.scoring.policy import Policy
from core.views import saved_views
from core.views.lens import Lens, Thinking
from core.views.saved_views import READY_MADE, LensParts, ReadViews, SavedView
from core.vocabulary import Strategy

LOST = SavedView(
    "rare and lost",
    where="profile:recall_failure tier:bottom",
    sort="views-",
    columns=("title", "object", "g.direct"),
    lens=LensParts(model="m", tau=0.75, graders=("human:*", "lexical")),
)


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the views of this test are."""
    monkeypatch.setenv("LOSTKEYS_CONFIG", str(tmp_path))
    return tmp_path / "views.toml"


def names() -> list[str]:
    return [view.name for view in saved_views.load().views]


def test_a_view_is_read_as_it_was_saved(file: Path) -> None:
    assert saved_views.load().views == ()
    saved_views.save(LOST)
    saved_views.save(SavedView("all"))
    assert saved_views.load().views == (LOST, SavedView("all"))
    assert saved_views.find("rare and lost") == LOST
    assert saved_views.find(READY_MADE[0].name) == READY_MADE[0]
    assert tomllib.loads(file.read_text())["view"][0]["where"] == LOST.where


def test_views_are_replaced_renamed_ordered_and_removed(file: Path) -> None:
    for name in "abc":
        saved_views.save(SavedView(name))
    saved_views.save(SavedView("b", where="flagged"))
    assert names() == ["a", "b", "c"]
    assert saved_views.find("b").where == "flagged"
    saved_views.shift(SavedView("c"), -1)
    saved_views.shift(SavedView("a"), -1)
    assert names() == ["a", "c", "b"]
    saved_views.shift(SavedView("a"), 1)
    saved_views.rename(SavedView("b"), "d")
    assert names() == ["c", "a", "d"]
    with pytest.raises(UsageError, match="another view"):
        saved_views.rename(SavedView("d"), "a")
    saved_views.remove(SavedView("a"))
    saved_views.remove(SavedView("never there"))
    assert names() == ["c", "d"]


@pytest.mark.parametrize("left", ["", "view = []\n", "# mine\n[[view]]\nname = 'last'\n# end\n"])
def test_views_can_be_saved_after_the_last_was_removed(file: Path, left: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(left)
    saved_views.save(SavedView("last"))
    saved_views.remove(SavedView("last"))
    assert saved_views.load() == ReadViews()
    assert ("# mine" in file.read_text()) == ("# mine" in left)
    saved_views.save(LOST)
    assert names() == [LOST.name]


def test_a_folder_that_cannot_be_made_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("LOSTKEYS_CONFIG", str(tmp_path / "file" / "config"))
    with pytest.raises(UsageError, match=r"nothing is saved: .*LOSTKEYS_CONFIG"):
        saved_views.save(LOST)


def test_saving_again_and_again_adds_nothing(file: Path) -> None:
    saved_views.save(LOST)
    saved_views.save(SavedView("b"))
    before = file.read_text()
    for _ in range(5):
        saved_views.save(LOST)
        saved_views.shift(LOST, 1)
        saved_views.shift(LOST, -1)
    assert len(file.read_text().split()) == len(before.split())
    assert len(file.read_text()) < len(before) + 20


HOSTILE = """# mine
[[view]]
name = "good"      # kept
where = "flagged"

[[view]]
name = "columns"
columns = ["title", "em"]

[[view]]
name = "a column twice"
columns = ["title", "title"]

[[view]]
name = "no columns"
columns = 5

[[view]]
name = "good"

[[view]]
name = "words"
where = "views:many"

[[view]]
name = "words that steer"
where = "views:\\u001b[2J\\nnext"

[[view]]
name = 5

[[view]]
where = "flagged"

[[view]]
name = "\\u001b[31mred"

[[view]]
name = "turned \\u202e round"

[[view]]
name = "\\u3164"

[[view]]
name = "lens"
tau = 7

[[view]]
name = "odd lens"
thinking = "sometimes"

[[view]]
name = "where"
where = 5

[[view]]
name = "[bold]good[/]"
list = "questions"
where = "queue:random"

[[view]]
name = "good"
list = "disagreements"

[[view]]
name = "queue of what"
list = "questions"
where = "queue:all"

[[view]]
name = "a queue with columns"
list = "disagreements"
columns = ["title"]

[[view]]
name = "of another list"
list = "figures"
more = "this program does not know"
"""


def test_what_is_wrong_costs_one_view_and_one_line_and_stays_in_the_file(file: Path) -> None:
    file.write_text(HOSTILE)
    read = saved_views.load()
    assert [view.name for view in read.list_views("facts")] == ["good"]
    assert [view.name for view in read.list_views("questions")] == ["[bold]good[/]"]
    assert [view.name for view in read.list_views("disagreements")] == ["good"]
    assert len(read.faults) == HOSTILE.count("[[view]]") - 3
    assert all(str(file) in fault and fault.isprintable() for fault in read.faults)
    for word in (
        *("column em", "named twice", "`columns` must", "two views", "views:many", "must be text"),
        *("thinking", "tau", "no list figures: lists are facts,", "no queue all", "one order"),
    ):
        assert any(word in fault for fault in read.faults), word
    saved_views.save(LOST)
    saved_views.remove(SavedView("columns"))
    left = tomllib.loads(file.read_text())["view"]
    assert len(left) == HOSTILE.count("[[view]]")
    assert "# mine" in file.read_text()
    assert "# kept" in file.read_text()


@pytest.mark.parametrize("text", ["[[view", "view = 5", "\ud800".encode(errors="surrogatepass")])
def test_a_file_that_cannot_be_read_is_left_as_it_is(file: Path, text: str | bytes) -> None:
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    read = saved_views.load()
    assert read.views == ()
    assert len(read.faults) == 1
    assert "\n" not in read.faults[0]
    with pytest.raises(UsageError, match="mend it"):
        saved_views.save(LOST)
    assert file.read_bytes() == (text if isinstance(text, bytes) else text.encode())


def test_a_folder_in_its_place_is_told_of(file: Path) -> None:
    file.mkdir()
    assert "cannot be read" in saved_views.load().faults[0]
    with pytest.raises(UsageError, match="cannot be read"):
        saved_views.save(LOST)


@pytest.mark.parametrize("name", ["", "  ", " a", "a\nb", "x" * 41, "\x1b[2J", "\u202ea", "\ufe0f"])
def test_a_name_that_cannot_be_is_refused(file: Path, name: str) -> None:
    with pytest.raises(UsageError) as error:
        saved_views.save(SavedView(name))
    assert str(error.value).isprintable()
    assert not file.exists()


def test_a_view_that_is_not_there_is_told_of_with_those_that_are(file: Path) -> None:
    saved_views.save(LOST)
    with pytest.raises(UsageError, match="rare and lost, lost keys"):
        saved_views.find("rare")
    with pytest.raises(UsageError, match=r"no view of questions .*: there are suspicious"):
        saved_views.find("rare and lost", "questions")


def test_parts_of_the_lens_change_it_and_leave_the_rest() -> None:
    lens = Lens("m", policy=Policy(tau=0.9)).with_graders(["human:*", "a"], ["a", "b"])
    assert LensParts().change(lens) == lens
    found = LensParts(thinking=Thinking.ON, strategy=Strategy.FACT).change(lens)
    assert (found.thinking, found.policy.strategy, found.policy.tau) == (
        *(Thinking.ON, Strategy.FACT),
        0.9,
    )
    assert LensParts(graders=("b",), compared=("b", "a")).change(lens).ranked == ("b",)
    assert LensParts(tau=0.25).change_policy(Policy()).tau == 0.25


def test_ready_made_views_can_be_shown(file: Path) -> None:
    from tui.screens.facts.state import FactsState

    for view in READY_MADE:
        saved_views.check_view(view)
    for view in saved_views.list_ready_made("facts"):
        state = FactsState.of_view(view)
        assert state.view_words == view.name
        assert state.reverse_order().view_words == f"{view.name}*"
