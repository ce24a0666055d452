"""The Figures screen by keys."""

import errno
import shutil
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from core.errors import LostkeysError
from core.figures import figure_needs, figure_scope, figure_table
from core.figures.figure import Figure
from core.figures.figure_table import BENCH, CATALOGUE, FACTS, LATENT
from core.project import OpenProject
from core.report import report_file
from core.settings.preferences import Settings
from core.vocabulary import Outcome, Task
from tests.core.making import Row, a_fact, new_project, put_facts, put_rows
from tests.tui.hostile import fault, texts, unique
from tests.tui.hostile_project import hostile_project
from tests.tui.sample import sample_project
from tests.tui.screens.facts.making import until
from tests.tui.seeing import rows, send, settled, text
from tui.app.app import LostkeysApp
from tui.screens.facts.screen import FactsScreen
from tui.screens.figures import save_dialog
from tui.screens.figures.screen import FiguresScreen


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sample_project(tmp_path_factory.mktemp("figures") / "sample.db")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("figures") / "hostile.db"
    hostile_project(path, unique(texts(seed=5, count=500))[:400], 8)
    return path


@asynccontextmanager
async def showing(
    path: Path, size: tuple[int, int] = (120, 40), theme: str = "dark"
) -> AsyncIterator[tuple[Pilot[None], LostkeysApp, FiguresScreen]]:
    app = LostkeysApp(path, Settings(name="mira", theme=theme))
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: app.snapshot is not None)
        await pilot.press("f7")
        screen = app.tab_screen("figures")
        assert isinstance(screen, FiguresScreen)
        await until(pilot, lambda: screen.state.figure is not None)
        await settled(pilot)
        yield pilot, app, screen


async def press(pilot: Pilot[None], *keys: str) -> str:
    found = ""
    for key in keys:
        await pilot.press(key)
        found = await settled(pilot)
    return found


def down_to(name: str) -> Sequence[str]:
    """Keys from the first figure to another."""
    return ["j"] * [entry.name for entry in CATALOGUE].index(name)


async def go_to(pilot: Pilot[None], screen: FiguresScreen, name: str) -> str:
    await pilot.press(*down_to(name))
    await until(pilot, lambda: screen.state.figure is not None and screen.state.figure.name == name)
    return await settled(pilot)


@pytest.mark.slow
async def test_every_figure_is_shown_as_the_cursor_comes_to_it(database: Path) -> None:
    async with showing(database) as (pilot, _app, screen):
        missing, seen = screen.state.missing, ""
        for entry in sorted(CATALOGUE, key=lambda one: one.name in missing):
            if screen.panes.list_view.on_fold:  # below all figures with data
                count = f"{len(missing)} without data"
                assert seen.count("no data") == 0
                assert count in seen
                seen = await press(pilot, "enter", "j")
                assert seen.count("no data") > 5
            await until(
                pilot,
                lambda name=entry.name: (
                    screen.state.figure is not None and screen.state.figure.name == name
                ),
            )
            seen = await settled(pilot)
            lacking = {LATENT: figure_needs.NO_SCORES[:33], BENCH: figure_needs.NO_ARMS[:23]}
            assert lacking.get(entry.theme, entry.title) in seen
            assert f"─ {entry.number} {entry.name} ─".rstrip("─ ") in seen
            await pilot.press("j")


@pytest.mark.slow
async def test_what_keys_make_of_a_figure(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with showing(database) as (pilot, app, screen):
        # Copying gives every number.
        kept: list[str] = []
        monkeypatch.setattr(app, "copy_to_clipboard", kept.append)
        assert "copied the numbers of profiles" in await press(pilot, "y")
        assert len(kept[0].splitlines()) == 1 + 2 * 5

        # Intervals are made only when they are asked for.
        words = "95% intervals over facts, as graded"
        assert words not in await settled(pilot)
        await press(pilot, "I")
        await until(pilot, lambda: words in text(app))
        await press(pilot, "I")
        await until(pilot, lambda: words not in text(app))

        # The lens's keys make it again.
        assert "threshold 0.5" in await settled(pilot)
        await press(pilot, "]")
        await until(pilot, lambda: "threshold 0.75" in text(app))
        await press(pilot, ".")
        await until(pilot, lambda: "strategy fact" in text(app))

        # A number that counts no facts says so.
        await go_to(pilot, screen, "confusion")
        assert "no facts stand behind this number" in await press(pilot, "enter", "enter")
        assert app.tab == "figures"


@pytest.mark.slow
async def test_sideways_marks_another_number_and_enter_opens_its_facts(database: Path) -> None:
    async with showing(database) as (pilot, app, screen):
        await go_to(pilot, screen, "popularity")
        figure = screen.state.figure
        assert figure is not None
        row = figure.panels[0].rows[0]
        assert row.points[0].value == 1.0  # both facts of the bottom tier
        await press(pilot, "enter", "enter")
        await until(pilot, lambda: app.tab == "facts")
        facts = app.tab_screen("facts")
        assert isinstance(facts, FactsScreen)
        seen = await settled(pilot)
        assert "1 of 2, of 12" in seen
        assert "Lusiads" in seen
        assert app.snapshot is not None
        assert app.snapshot.lens.model == row.model
        await press(pilot, "f7", "l", "enter")
        await until(pilot, lambda: app.tab == "facts")
        assert row.points[1].value == 0.5
        assert "1 of 1, of 12" in await settled(pilot)
        await press(pilot, "escape")
        await until(pilot, lambda: app.tab == "figures")
        assert screen.panes.figure_view.point == 1
        await press(pilot, "f1")
        assert "of 12" in await settled(pilot)  # as the list was before anything was opened
        assert not facts.list.asking.filters.count


async def test_as_a_table_and_back(database: Path) -> None:
    async with showing(database) as (pilot, _app, screen):
        await go_to(pilot, screen, "errors")
        table = await press(pilot, "v")
        assert "only direct" in table
        assert " all facts not known ───" in table
        figure = await press(pilot, "v")
        assert " all facts not known ───" not in figure


@pytest.mark.slow
async def test_some_models_only(database: Path) -> None:
    async with showing(database) as (pilot, app, screen):
        assert "all models" in text(app)
        await press(pilot, "m", *"gemma3-4b", "enter")
        await until(pilot, lambda: screen.state.models == ("gemma3-27b",))
        seen = await settled(pilot)
        assert "gemma3-4b" not in seen
        await press(pilot, "m", *"all", "enter")
        await until(pilot, lambda: "gemma3-4b" in text(app))
        assert screen.state.models is None


@pytest.mark.slow
async def test_saving_asks_for_a_name_and_writes_the_file(
    database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib", reason="figures are saved by matplotlib")
    monkeypatch.chdir(tmp_path)
    async with showing(database) as (pilot, app, _screen):
        assert "profiles.svg" in await press(pilot, "w")
        await pilot.press("enter")
        await until(pilot, (tmp_path / "profiles.svg").exists)
        await until(pilot, lambda: "saved profiles.svg" in text(app))
        assert "profiles.svg is there already" in await press(pilot, "w", "enter")


@pytest.mark.slow
async def test_the_palette_writes_the_report_of_the_present_lens(
    database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with showing(database) as (pilot, app, _screen):
        await press(pilot, "right_square_bracket", "ctrl+p", *"report")
        seen = await press(pilot, "enter")
        assert f"{database.stem}.html" in seen
        await press(pilot, *"mine.md", "enter")
        await until(pilot, lambda: "saved mine.md" in text(app))
        assert app.lens is not None
        policy = app.lens.policy
    assert policy.tau == 0.75
    with OpenProject(database, "read") as project:
        report_file.write(project, tmp_path / "other.md", policy)
    assert (tmp_path / "mine.md").read_text() == (tmp_path / "other.md").read_text()


def test_names_of_files_that_cannot_be_written_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib", reason="figures are saved by matplotlib")
    monkeypatch.chdir(tmp_path)
    assert save_dialog.wrong_figure_file("a.svg") is None
    assert "must end in .svg, .png, .pdf" in (save_dialog.wrong_figure_file("a.txt") or "")
    assert "is not a folder" in (save_dialog.wrong_figure_file("nowhere/a.svg") or "")
    assert save_dialog.wrong_figure_file("a\0.svg")
    assert save_dialog.wrong_figure_file("x" * 5000 + ".svg")
    assert save_dialog.wrong_figure_file("x" * 240 + ".svg") == save_dialog.NO_NAME


def test_names_of_reports_that_cannot_be_written_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there.md").touch()
    assert save_dialog.wrong_report_file("a.html") is None
    assert "must end in .html or .md" in (save_dialog.wrong_report_file("a.svg") or "")
    assert "is not a folder" in (save_dialog.wrong_report_file("nowhere/a.md") or "")
    assert "is there already" in (save_dialog.wrong_report_file("there.md") or "")


def test_without_matplotlib_a_line_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from core.figures.plotting import figure_file as plotting

    monkeypatch.setattr(plotting, "is_there", lambda: False)
    assert "matplotlib is not installed" in (
        save_dialog.wrong_figure_file(str(tmp_path / "a.svg")) or ""
    )


@pytest.mark.slow
async def test_narrow_the_list_is_hidden_until_tab(database: Path) -> None:
    async with showing(database, (80, 24)) as (pilot, _app, _screen):
        assert "why recall fails" not in await settled(pilot)
        assert "why recall fails" in await press(pilot, "tab")
        await press(pilot, "j", "j", "j")
        seen = await press(pilot, "enter")
        assert "Stored and recalled facts" in seen
        assert "why recall fails" not in seen
        assert "why recall fails" in await press(pilot, "escape")


@pytest.mark.slow
async def test_the_place_survives_another_size_and_screen(database: Path) -> None:
    async with showing(database) as (pilot, _app, screen):
        await go_to(pilot, screen, "recovery")
        await press(pilot, "tab", "j")
        chosen = screen.panes.figure_view.chosen
        assert chosen is not None
        for size in ((80, 24), (200, 60), (120, 40)):
            await pilot.resize_terminal(*size)
            await settled(pilot)
        await press(pilot, "f1", "f7")
        again = screen.panes.figure_view.chosen
        assert again is not None
        assert (again.name, screen.state.name) == (chosen.name, "recovery")


@pytest.mark.slow
async def test_below_the_last_row_the_caption_is_reached(database: Path) -> None:
    async with showing(database, (80, 24)) as (pilot, app, screen):
        await press(pilot, "tab", *down_to("availability"), "enter", "end")
        view = screen.panes.figure_view
        assert view.row_count() > view.size.height
        widths = [view.draw(row, 0, 0).width for row in range(view.row_count())]
        assert max(widths) <= view.line_width
        assert figure_scope.today() not in text(app)
        await press(pilot, *["j"] * 6)
        assert figure_scope.today() in text(app)


@pytest.mark.slow
async def test_nothing_answered_yet(tmp_path: Path) -> None:
    path = tmp_path / "bare.db"
    with new_project(path) as project:
        put_facts(project, [a_fact("one", category="Geography")])
    async with showing(path, (120, 60)) as (pilot, _app, screen):
        await until(pilot, lambda: screen.state.name == "dataset")  # the first with data
        seen = await press(pilot, "end", "enter", "j")
        facts = [entry.name for entry in CATALOGUE if entry.theme == FACTS]
        assert f"{len(CATALOGUE) - len(facts)} without data" in seen
        assert figure_needs.NO_ANSWERS[:40] in seen
        assert figure_needs.NO_ANSWERS[:40] in (await press(pilot, "enter")).splitlines()[-2]


@pytest.mark.slow
async def test_no_database_yet(tmp_path: Path) -> None:
    async with showing(tmp_path / "none.db") as (pilot, _app, _screen):
        assert "No facts here yet" in await settled(pilot)


@pytest.mark.slow
async def test_what_cannot_be_read_says_why_in_its_own_place(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with showing(database) as (pilot, app, _screen):

        def broken(*_: object, **__: object) -> None:
            raise LostkeysError("the disk has gone")

        monkeypatch.setattr("core.figures.figure_table.make", broken)
        seen = await press(pilot, "j")
        assert "the disk has gone; ctrl+r tries again" in seen
        assert "Knowledge profiles of each model" not in seen
        assert seen.count("the disk has gone") == 2
        assert "save" not in await press(pilot, "w")
        monkeypatch.undo()
        await press(pilot, "ctrl+r")
        await until(pilot, lambda: "models sorted by known facts" in text(app))


@pytest.mark.slow
async def test_narrow_enter_leads_to_why_a_figure_cannot_be_made(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise LostkeysError("the disk has gone")

    async with showing(database, (80, 24)) as (pilot, _app, _screen):
        monkeypatch.setattr("core.figures.figure_table.make", broken)
        await press(pilot, "tab", "j")
        assert "the disk has gone; ctrl+r tries again" in await press(pilot, "enter")


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)], ids=str)
async def test_hostile_names_leave_the_screen_whole(hostile: Path, size: tuple[int, int]) -> None:
    async with showing(hostile, size) as (pilot, app, screen):
        screen.go(screen.panes.list_view)
        for _ in CATALOGUE:
            await settled(pilot)
            screen.go(screen.panes.figure_view)
            await settled(pilot)
            for row in rows(app):
                assert fault("".join(segment.text for segment in row), size[0]) is None
            screen.go(screen.panes.list_view)
            await press(pilot, "j")


@dataclass
class Makers:
    """Figures made, by name; those that are to wait do so until they may go on."""

    made: list[str] = field(default_factory=list)
    held: str = ""
    go_on: threading.Event = field(default_factory=threading.Event)

    @classmethod
    def watching(cls, monkeypatch: pytest.MonkeyPatch) -> "Makers":
        found, make = cls(), figure_table.make

        def watched(project: OpenProject, name: str, *others: Any, **named: Any) -> Figure:
            found.made.append(name)
            if name == found.held:
                assert found.go_on.wait(30)
            return make(project, name, *others, **named)

        monkeypatch.setattr(figure_table, "make", watched)
        return found


@pytest.mark.slow
async def test_while_a_long_figure_is_made_all_else_goes_on(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    makers = Makers.watching(monkeypatch)
    async with showing(database) as (pilot, app, screen):
        makers.held = "trends"
        try:
            await pilot.press("j")
            await until(pilot, lambda: "reading…" in text(app))
            assert "Knowledge profiles of each model" in text(app)
            await pilot.press("]")
            await until(
                pilot, lambda: app.snapshot is not None and app.snapshot.lens.policy.tau == 0.75
            )
            await press(pilot, "j", "f1", "j")
            await until(pilot, lambda: "2 of 12" in text(app))
            assert ".75 pair" in text(app)
        finally:
            makers.go_on.set()
        await press(pilot, "f7")
        await until(pilot, lambda: "Profiles under other thresholds" in text(app))
        assert screen.state.name == "threshold"
        assert makers.made[-1] == "threshold"


@pytest.mark.slow
async def test_a_key_for_a_figure_waits_until_that_is_made(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    makers = Makers.watching(monkeypatch)
    makers.held = "profiles"
    app = LostkeysApp(database, Settings(name="mira"))
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: app.snapshot is not None)
        try:
            send(app, "f7", "w")
            await until(pilot, lambda: makers.made == ["profiles"])
            assert app.key_queue.next_key == "w"
            makers.held = ""
        finally:
            makers.go_on.set()
        await until(pilot, lambda: "profiles.svg" in text(app))
        await press(pilot, "escape")
        makers.held, makers.go_on = "threshold", threading.Event()
        try:
            send(app, "j", "j", "w")
            await until(pilot, lambda: "threshold" in makers.made)
            assert app.key_queue.next_key == "w"
        finally:
            makers.go_on.set()
        await until(pilot, lambda: "threshold.svg" in text(app))


@pytest.mark.slow
async def test_another_model_of_the_lens_does_not_make_the_figure_again(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    makers = Makers.watching(monkeypatch)
    async with showing(database) as (pilot, app, _screen):
        assert makers.made == ["profiles"]
        app.look_at("gemma3-4b")
        await until(
            pilot, lambda: app.snapshot is not None and app.snapshot.lens.model == "gemma3-4b"
        )
        await settled(pilot)
        assert makers.made == ["profiles"]


@pytest.mark.slow
async def test_what_a_job_writes_is_taken_in_now_and_then(
    database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = Path(shutil.copy(database, tmp_path / "copy.db"))
    makers = Makers.watching(monkeypatch)
    monkeypatch.setattr("tui.screens.figures.screen.EVERY", 3600.0)
    async with showing(path) as (pilot, app, screen):
        before = app.snapshot
        with OpenProject(path, "write") as project:
            grade = {"gemini-2.5-pro": Outcome.CORRECT}
            put_rows(project, [Row(_a_fact_of(project), Task.DIRECT, "another", False, 0, grade)])
        await until(pilot, lambda: app.snapshot is not before)
        await settled(pilot)
        assert makers.made == ["profiles"]
        screen.loader.request_when_idle()
        await until(pilot, lambda: "another" in text(app))
        assert makers.made == ["profiles", "profiles"]


@pytest.mark.slow
async def test_a_database_that_comes_back_is_shown_again(database: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(database, tmp_path / "copy.db"))
    async with showing(path) as (pilot, app, _screen):
        path.rename(tmp_path / "away.db")
        await pilot.press("j")
        await until(pilot, lambda: "copy.db is gone" in text(app))
        await until(pilot, lambda: app.load_error is not None)
        (tmp_path / "away.db").rename(path)
        await pilot.press("ctrl+r")
        await until(pilot, lambda: "Profiles, models sorted by known facts" in text(app))
        assert "is gone" not in await settled(pilot)


@pytest.mark.slow
async def test_a_file_that_cannot_be_written_says_so(
    database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib", reason="figures are saved by matplotlib")
    monkeypatch.chdir(tmp_path)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    async with showing(database) as (pilot, app, _screen):
        await press(pilot, "w")
        monkeypatch.setattr(Path, "write_bytes", full)
        await pilot.press("enter")
        await until(pilot, lambda: "cannot be written (No space left on device)" in text(app))
        assert list(tmp_path.glob("*.svg")) == []


def _a_fact_of(project: OpenProject) -> str:
    return str(project.index.fact_ids[0])
