"""The screens as they stand, at three sizes and in three themes, cell by cell.

After a wanted change run `uv run pytest -m "slow or not slow" FILE --snapshot-update`, and look at
the difference before it is committed.
"""

from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from core.settings.preferences import Settings
from core.views.job_reader import JobReader
from tests.marks import slow
from tests.patience import until
from tests.tui.sample import one_model_project, sample_project
from tests.tui.screens.jobs.making import NOW, VIEWS, ShowingApp, log_lines
from tests.tui.seeing import picture, settled, text
from tui.app.app import LostkeysApp
from tui.screens.jobs import widgets

SIZES = (slow((80, 24)), (120, 40), slow((200, 60)))
TASK = ("4", "enter", "enter")


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sample_project(tmp_path_factory.mktemp("sample") / "sample.db")


async def seen(path: Path, size: tuple[int, int], theme: str, *keys: str) -> str:
    return await seen_in(LostkeysApp(path, Settings(name="mira", theme=theme)), size, *keys)


async def seen_in(app: LostkeysApp, size: tuple[int, int], *keys: str) -> str:
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        for key in keys:
            await pilot.press(key)
            await settled(pilot)
        return picture(app)


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize(
    "keys",
    [
        slow(()),
        ("j", "j", "enter"),
        TASK,
        slow(("question_mark",)),
        slow(("f",)),
        slow(("slash", *"river")),
        slow(("question_mark", *"K0")),
        slow(("g",)),
        slow(("V",)),
        slow(("|",)),
        slow(("f4", "f3", "ctrl+o")),
        slow(("ctrl+p",)),
        slow(("W",)),
    ],
    ids=[
        *("list", "fact", "task", "help", "filter", "search", "word", "graders", "views"),
        *("columns", "map", "palette", "file"),
    ],
)
async def test_screens(
    database: Path, size: tuple[int, int], keys: tuple[str, ...], snapshot: SnapshotAssertion
) -> None:
    assert await seen(database, size, "dark", *keys) == snapshot


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", "ansi"])
@pytest.mark.parametrize("keys", [(), TASK], ids=["facts", "task"])
async def test_themes(
    database: Path, theme: str, keys: tuple[str, ...], snapshot: SnapshotAssertion
) -> None:
    assert await seen(database, SIZES[1], theme, *keys) == snapshot


CONFUSION = ("f4", "enter")


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize(
    "keys",
    [
        slow(("f4",)),
        CONFUSION,
        slow(("f4", "tab", "tab", "l")),
        slow(("f4", "B", "enter")),
    ],
    ids=["queue", "card", "matrix", "blind"],
)
async def test_confusion(
    database: Path, size: tuple[int, int], keys: tuple[str, ...], snapshot: SnapshotAssertion
) -> None:
    assert await seen(database, size, "dark", *keys) == snapshot


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", "ansi"])
async def test_confusion_in_other_themes(
    database: Path, theme: str, snapshot: SnapshotAssertion
) -> None:
    assert await seen(database, SIZES[1], theme, *CONFUSION) == snapshot


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize(
    "keys",
    [
        slow(("f3",)),
        ("f3", "right_square_bracket", "l"),
        slow(("f3", "v")),
        slow(("f3", "left_square_bracket", "number_sign")),
    ],
    ids=["start", "moved", "topics", "typing"],
)
async def test_profiles(
    database: Path, size: tuple[int, int], keys: tuple[str, ...], snapshot: SnapshotAssertion
) -> None:
    assert await seen(database, size, "dark", *keys) == snapshot


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", "ansi"])
async def test_profiles_in_other_themes(
    database: Path, theme: str, snapshot: SnapshotAssertion
) -> None:
    assert await seen(database, SIZES[1], theme, "f3", "right_square_bracket") == snapshot


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_profiles_of_one_model(
    tmp_path: Path, size: tuple[int, int], snapshot: SnapshotAssertion
) -> None:
    app = LostkeysApp(one_model_project(tmp_path / "one.db"), Settings(name="mira"))
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        await pilot.press("f3")
        await until(lambda: "on one answer" in text(app), lambda: text(app), pilot.pause)
        await pilot.press("j", "k")
        await settled(pilot)
        assert picture(app) == snapshot


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_nothing_yet(
    tmp_path: Path, size: tuple[int, int], snapshot: SnapshotAssertion
) -> None:
    assert await seen(tmp_path / "none.db", size, "dark") == snapshot


@pytest.fixture
def jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Made-up jobs in the file, at a time that stands still."""
    stored = [one for one in VIEWS if not one.here]
    monkeypatch.setattr(JobReader, "list_jobs", lambda filed: stored)
    monkeypatch.setattr(
        JobReader,
        "log",
        lambda filed, job, after: [one for one in log_lines() if one.job == job and one.id > after],
    )
    monkeypatch.setattr(widgets, "_now", lambda: NOW)


@pytest.mark.usefixtures("jobs")
@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize(
    "keys",
    [
        ("f6", "j", "j"),
        slow(("f6", "tab", "j", "enter")),
        slow(("f6", "X")),
        slow(("f6", "enter")),
    ],
    ids=["jobs", "job", "cancel", "items"],
)
async def test_jobs(
    database: Path, size: tuple[int, int], keys: tuple[str, ...], snapshot: SnapshotAssertion
) -> None:
    app = ShowingApp(database, settings=Settings(name="mira", theme="dark"))
    assert await seen_in(app, size, *keys) == snapshot


@pytest.mark.usefixtures("jobs")
@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", "ansi"])
async def test_jobs_in_other_themes(
    database: Path, theme: str, snapshot: SnapshotAssertion
) -> None:
    app = ShowingApp(database, settings=Settings(name="mira", theme=theme))
    assert await seen_in(app, SIZES[1], "f6", "j", "j") == snapshot
