"""The empty state in the app: three offers, by arrow keys and enter."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot

import tui.app.app
import tui.app.screen_controller
from core.demo import demo_setup as demo
from core.demo.demo_setup import read_facts
from core.jobs.job_service import Jobs
from core.project import OpenProject
from core.providers.base import Provider
from core.settings import paths, recent_files
from core.settings.preferences import Settings
from core.specs.answer_specs import DemoSpec
from core.specs.file_specs import ImportingSpec
from tests import patience
from tests.core.jobs.making import Gate, asking
from tests.core.making import new_project
from tests.core.sampling.scripted import Scripted, say
from tests.patience import PATIENCE
from tests.tui.screens.start.hosting import PLACE, StartScreen
from tests.tui.seeing import text
from tui.app.app import LostkeysApp
from tui.app.job_controller import JobChanged
from tui.dialogs.import_dialog import FileEntries, FileVerdict, ImportFile
from tui.dialogs.quit_dialog import Quit
from tui.screens.start.offers_pane import DEMO, IMPORT, RECENT
from tui.widgets.offers import Offers

FACT = {
    "fact_id": "1",
    "subject": "France",
    "object": "Paris",
    "direct": "What is the capital of France?",
}


@pytest.fixture(autouse=True)
def _only_this_screen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (tui.app.app, tui.app.screen_controller):
        monkeypatch.setattr(module, "TABS", (PLACE,))
    monkeypatch.setenv(paths.STATE_VARIABLE, str(tmp_path / "state"))
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")


def app_on(path: Path) -> LostkeysApp:
    return LostkeysApp(path, Settings(theme="dark"))


async def until(pilot: Pilot[None], holds: Callable[[], bool]) -> None:
    """Let the app work until something holds."""
    await pilot.pause()
    await patience.until(holds, lambda: text(pilot.app), lambda: pilot.pause(0.02))


def doing(app: LostkeysApp) -> str | None:
    """What the status line says is done, by whomever."""
    return None if app.jobs.progress is None else app.jobs.progress.doing


def facts_shown(app: LostkeysApp) -> int:
    return 0 if app.snapshot is None else len(app.snapshot.index)


def answered_by(app: LostkeysApp, provider: Provider) -> None:
    """Let the app's jobs ask this provider, whatever model they name."""
    jobs = Jobs(app.path, lambda: app.post_message(JobChanged()), means=asking(provider))
    app.jobs.serve(app.path, jobs)


@pytest.fixture
def two_facts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A demo of two facts."""
    facts = read_facts()[:2]
    monkeypatch.setattr(demo, "read_facts", lambda: facts)


@pytest.mark.slow
@pytest.mark.parametrize("size", [(120, 40), (80, 24), (200, 60), (40, 10)])
async def test_offers_are_in_sight_and_nothing_is_written(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    path = tmp_path / "new.db"
    app = app_on(path)
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: app.snapshot is not None)
        offers = app.screen.query_one(Offers)
        assert offers.has_focus
        for kind in (DEMO, IMPORT):
            assert offers.chosen is not None
            assert offers.chosen.kind == kind
            assert offers.cursor in offers.in_sight
            await pilot.press("down")
    assert not path.exists()
    assert recent_files.recents() == []


@pytest.mark.slow
@pytest.mark.usefixtures("two_facts")
async def test_the_demo_runs_and_its_facts_appear(tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    app = app_on(path)
    answered_by(app, Scripted(say("Paris")))
    async with app.run_test() as pilot:
        await until(pilot, lambda: app.snapshot is not None)
        await pilot.press("enter")
        await until(pilot, lambda: facts_shown(app) == 2)
        await until(pilot, lambda: not app.jobs.service.running and app.status.said is not None)
        assert app.status.said is not None
        assert "demo smollm2-135m is over: 288 answers" in app.status.said.text
    with OpenProject(path, "read") as project:
        assert project.grids.count(0) == 288
    assert [(one.path, one.facts) for one in recent_files.recents()] == [(path, 2)]


async def test_a_recent_database_is_opened(tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    with new_project(other) as project:
        demo.prepare(project, 3)
    recent_files.remember(other, 3, 0)
    app = app_on(tmp_path / "new.db")
    async with app.run_test() as pilot:
        await until(pilot, lambda: app.snapshot is not None)
        await pilot.press("end")
        chosen = app.screen.query_one(Offers).chosen
        assert chosen is not None
        assert (chosen.kind, chosen.path) == (RECENT, other)
        await pilot.press("enter")
        await until(pilot, lambda: facts_shown(app) == 3)
        assert app.path == other


@pytest.mark.slow
async def test_facts_that_another_program_brings_appear_by_themselves(tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    app = app_on(path)
    async with app.run_test() as pilot:
        await until(pilot, lambda: app.snapshot is not None)
        with new_project(path) as project:
            demo.prepare(project, 3)
        await until(pilot, lambda: facts_shown(app) == 3)
        screen = app.screen
        assert isinstance(screen, StartScreen)
        assert len(screen.snapshots[-1].index) == 3


@pytest.mark.slow
async def test_another_program_at_work_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    with new_project(path) as project:
        demo.prepare(project, 2)
    app = app_on(path)
    async with app.run_test() as pilot:
        await until(pilot, lambda: facts_shown(app) == 2)
        assert not app.jobs.service.running
        others = Jobs(path, means=asking(Scripted(say("Paris"))))
        job = others.start(DemoSpec(facts=2, samples=1))
        await until(pilot, lambda: others.wait(job, 0))
        await until(pilot, lambda: doing(app) == "another program answers")
        assert app.jobs.progress is not None
        assert app.jobs.progress.name == demo.MODEL


@pytest.mark.slow
async def test_a_job_of_another_program_is_shown_before_it_has_brought_anything(
    tmp_path: Path,
) -> None:
    path = tmp_path / "new.db"
    with OpenProject(path, "create") as project:
        demo.prepare(project, 2)
    app = app_on(path)
    async with app.run_test() as pilot:
        await until(pilot, lambda: facts_shown(app) == 2)
        others = Jobs(path, means=asking(Gate(answers=0)))
        others.start(DemoSpec(facts=2, samples=1))
        await until(pilot, lambda: doing(app) == "another program: answering")
        assert "another program: answering" in text(app)
        others.close(PATIENCE)
        await until(pilot, lambda: app.jobs.progress is None)
        assert "nothing runs" in text(app)


async def test_a_file_is_picked_looked_at_and_imported(tmp_path: Path) -> None:
    rows = [FACT, {**FACT, "fact_id": "2"}, {**FACT, "fact_id": ""}]
    (tmp_path / "here" / "facts.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    (tmp_path / "here" / "notes.txt").write_text("nothing to import")
    app = app_on(tmp_path / "new.db")
    async with app.run_test() as pilot:
        await until(pilot, lambda: app.snapshot is not None)
        await pilot.press("down", "enter")
        dialog = picker(app)
        await until(pilot, lambda: "enter imports it" in said(dialog))
        assert "facts" in said(dialog)
        assert "2 facts would be added, 1 bad (line 3: missing: fact_id)" in said(dialog)
        assert not app.path.exists()
        assert dialog.target == Path("facts.jsonl")
        await pilot.press("enter")
        await until(pilot, lambda: facts_shown(app) == 2)
        await until(pilot, lambda: app.status.said is not None)
        assert app.status.said is not None
        assert "import facts.jsonl is over: 2 facts added, 1 bad" in app.status.said.text


def picker(app: LostkeysApp) -> ImportFile:
    dialog = app.screen
    assert isinstance(dialog, ImportFile)
    return dialog


def said(dialog: ImportFile) -> str:
    return "".join(line.text for line in dialog.query_one(FileVerdict).paragraphs)


@pytest.mark.slow
async def test_folders_are_entered_and_a_bad_file_is_not_taken(tmp_path: Path) -> None:
    folder = tmp_path / "here" / "data"
    folder.mkdir()
    (folder / "broken.jsonl").write_text("{")
    app = app_on(tmp_path / "new.db")
    async with app.run_test() as pilot:
        await until(pilot, lambda: app.snapshot is not None)
        await pilot.press("down", "enter")
        dialog = picker(app)
        await until(pilot, lambda: dialog.query_one(FileEntries).chosen is not None)
        await pilot.press("enter")
        assert dialog.field.value == "data/"
        await until(pilot, lambda: "not valid JSON" in said(dialog))
        await pilot.press("enter")
        assert app.screen is dialog
        await pilot.press(*"zz")
        await until(pilot, lambda: "nothing here ends in" in said(dialog))
        dialog.field.value = "nowhere/"
        await until(pilot, lambda: "No such file" in said(dialog))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is not dialog)
        assert not app.jobs.service.running
        assert not app.path.exists()


@pytest.mark.slow
async def test_a_job_that_fails_says_why_until_it_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    app = app_on(path)
    async with app.run_test() as pilot:
        await until(pilot, lambda: app.snapshot is not None)
        app.jobs.start(ImportingSpec(str(tmp_path / "gone.jsonl")))
        await until(pilot, lambda: app.jobs.failed)
        assert app.jobs.progress is not None
        assert "gone.jsonl" in app.jobs.progress.reason
        app.jobs.mark_seen()
        assert app.jobs.progress is None


@pytest.mark.slow
@pytest.mark.usefixtures("two_facts")
async def test_quitting_asks_and_stops_the_job_first(tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    app = app_on(path)
    answered_by(app, Gate(0))
    async with app.run_test() as pilot:
        await until(pilot, lambda: app.snapshot is not None)
        app.jobs.start(DemoSpec())
        await until(pilot, lambda: facts_shown(app) == 2)
        await pilot.press("q")
        await until(pilot, lambda: isinstance(app.screen, Quit))
        await pilot.press("q")
        await until(pilot, lambda: not app.is_running)
    assert not app.jobs.service.running
    assert app.return_code == 0
