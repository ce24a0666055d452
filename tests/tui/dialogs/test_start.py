"""The Start dialog in the app: opened, filled in, checked, estimated, started."""

import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual import events
from textual.pilot import Pilot

import db.model_rows
from core.estimates.estimate import Estimate
from core.project import OpenProject
from core.sampling.recipe import recipe_for
from core.settings.preferences import Settings
from core.specs.answer_specs import AnsweringSpec, GradingSpec
from core.specs.file_specs import ExportingSpec, ImportingSpec
from core.specs.job_kinds import Spec
from core.vocabulary import ENCODING, KNOWLEDGE, Outcome, Task
from db.connection import write_transaction
from tests.core.grading import obedient
from tests.core.making import Row, a_fact, new_project, put_facts, put_rows
from tests.fakes import openai_changes
from tests.fakes.openai_changes import misbehave
from tests.fakes.openai_server import serving
from tests.patience import PATIENCE
from tests.tui.screens.facts.making import until
from tests.tui.seeing import settled, text
from tui.app.app import LostkeysApp
from tui.dialogs.confirm_dialog import Confirm
from tui.dialogs.start import form_controller
from tui.dialogs.start.form_fields import NAMED, Do, Field
from tui.dialogs.start.form_spec import spec
from tui.dialogs.start.form_view import FormView
from tui.dialogs.start.model_check import ModelCheck
from tui.dialogs.start.pickers import PickModel, PickTarget, PickTasks
from tui.dialogs.start.start_dialog import Start

Begun = list[tuple[Spec, float | None]]
LOOKS = [
    ((80, 24), "dark"),
    ((120, 40), "light"),
    ((200, 60), "ansi"),
    ((80, 24), "ansi"),
    ((44, 12), "dark"),
]
NEXT = "tab"


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(form_controller, "PAUSE", 0.0)
    for name in ("OPENAI_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "one.db"
    with new_project(file) as project:
        put_facts(project, [a_fact(f"f{number}", category="Arts") for number in range(3)])
        put_facts(project, [a_fact(f"g{number}", category="Sports") for number in range(4)])
    return file


@asynccontextmanager
async def running(
    path: Path, size: tuple[int, int] = (120, 40), theme: str = "dark"
) -> AsyncIterator[tuple[Pilot[None], LostkeysApp, Begun]]:
    """The app; what it is told to start is noted, and not begun."""
    app = LostkeysApp(path, Settings(theme=theme))
    begun: Begun = []

    def note(spec: Spec, max_cost: float | None = None) -> None:
        begun.append((spec, max_cost))

    app.jobs.start = note  # type: ignore[method-assign]
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: app.facts is not None)
        yield pilot, app, begun


async def opened(pilot: Pilot[None], app: LostkeysApp) -> Start:
    await pilot.press("r")
    await until(pilot, lambda: isinstance(app.screen, Start))
    screen = app.screen
    assert isinstance(screen, Start)
    return screen


async def paste(pilot: Pilot[None], words: str) -> None:
    """Have the terminal put text into the field that is written in."""
    pilot.app.post_message(events.Paste(words))
    await pilot.pause()


async def pick(pilot: Pilot[None], app: LostkeysApp, start: Start, model: str) -> None:
    """Choose a model by its name."""
    while start.view.field is not Field.MODEL:
        await pilot.press(NEXT)
    await pilot.press("enter")
    await until(pilot, lambda: isinstance(app.screen, PickModel))
    await paste(pilot, model)
    await pilot.press("enter")
    await until(pilot, lambda: app.screen is start)
    assert start.form.model == model


NAMES = {":": "colon", "/": "slash", "@": "at", ".": "full_stop", "-": "minus"}


def checked(start: Start) -> Callable[[], bool]:
    return lambda: start.seen.checked.words not in ("", "checking…")


@pytest.mark.slow
async def test_the_embedded_model_can_be_started_at_once(path: Path) -> None:
    async with running(path) as (pilot, app, begun):
        start = await opened(pilot, app)
        await until(pilot, lambda: start.seen.estimate is not None and checked(start)())
        shown = await settled(pilot)
        assert "embedded:smollm2-135m   SmolLM2-135M-Instruct.Q4_1 on this machine" in shown
        assert "completion raw, questions chat" in shown
        assert "questions   126" in shown
        assert "answers     1,008" in shown
        assert "answers and grading are local" in shown
        await pilot.press("ctrl+s")
        await until(pilot, lambda: bool(begun))
        name = "embedded:smollm2-135m"
        assert begun == [(AnsweringSpec(name, name, graders=("lexical",)), None)]
        assert not isinstance(app.screen, Start)


async def test_escape_starts_nothing(path: Path) -> None:
    async with running(path) as (pilot, app, begun):
        start = await opened(pilot, app)
        await pilot.press("l", "escape")
        await until(pilot, lambda: app.screen is not start)
        assert begun == []


@pytest.mark.slow
@pytest.mark.parametrize("late", ["model", "estimate"])
async def test_what_is_found_out_too_late_is_not_taken_in(
    path: Path, monkeypatch: pytest.MonkeyPatch, late: str
) -> None:
    """The dialog is closed while the db worker is busy with what it asked."""
    may_go_on = threading.Event()
    checks: list[str] = []

    def wait_first(*_: object) -> None:
        assert may_go_on.wait(PATIENCE)

    async def check(model: str, *_: object) -> ModelCheck:
        checks.append(model)
        return ModelCheck("answers")

    monkeypatch.setattr(form_controller, "check", check)
    if late == "model":
        monkeypatch.setattr(form_controller, "find_capabilities", wait_first)
    else:
        monkeypatch.setattr(Start, "_estimate_spec", wait_first)
    async with running(path) as (pilot, app, _):
        start = await opened(pilot, app)
        if late == "estimate":
            await until(pilot, checked(start))
        await pilot.press("escape")
        await until(pilot, lambda: not start.query(FormView))
        told = len(checks)
        may_go_on.set()
        answered: list[bool] = []
        app.ask("behind it", lambda _: True, answered.append)
        await until(pilot, lambda: bool(answered) or not app.is_running)
        assert app.is_running
        await settled(pilot)
        assert len(checks) == told


async def test_the_estimate_follows_every_change(path: Path) -> None:
    async with running(path) as (pilot, app, begun):
        start = await opened(pilot, app)
        await pilot.press("j", "j", "l")
        await until(pilot, lambda: "questions   70" in text(app))
        await pilot.press("j", "2")
        await until(pilot, lambda: start.form.random == "2")
        await until(pilot, lambda: "questions   20" in text(app))
        await pilot.press("j", "l", "j", "backspace", "3")
        await until(pilot, lambda: "answers     36" in text(app))
        await pilot.press("l", "ctrl+s")
        await until(pilot, lambda: bool(begun))
        (spec, _), *_ = begun
        assert isinstance(spec, AnsweringSpec)
        assert (spec.thinking, spec.where, spec.samples) == ((False,), "random:2", 3)
        assert spec.tasks == (*ENCODING, *KNOWLEDGE)
        assert spec.curtailed is not None
        assert spec.curtailed.graders == ("lexical",)
        assert start.form.curtailed


@pytest.mark.slow
async def test_numbers_are_typed_in_short_and_pasted(path: Path) -> None:
    async with running(path) as (pilot, app, _):
        start = await opened(pilot, app)
        await pilot.press("j", "j", "l", "j", "2", "k")
        await until(pilot, lambda: "random 2k" in text(app))
        assert start.form.count(Field.FACTS) == 2_000
        await pilot.press("k")
        assert start.view.field is not Field.FACTS
        await pilot.press("j")
        await paste(pilot, "9" * 1_000_000)
        await paste(pilot, "\x1b[31m7")
        await paste(pilot, " 1,234\n")
        await until(pilot, lambda: "random 1,234" in text(app))
        await pilot.press("j", "j", "9", "k")
        await until(pilot, lambda: "draw 1 to 1,024" in text(app))


@pytest.mark.slow
async def test_an_estimate_that_comes_while_a_number_is_typed_is_left(path: Path) -> None:
    async with running(path) as (pilot, app, _):
        start = await opened(pilot, app)
        await pilot.press("j", "j", "j", "j", "j", "5")
        wanted = spec(start.form, start.seen.given)
        take = start._build_taker(wanted)
        await pilot.press("backspace")
        assert start.form.samples == ""
        take(None)
        assert "draw 1 to 1,024" in text(app)


@pytest.mark.slow
async def test_a_model_is_checked_while_one_goes_on(path: Path) -> None:
    async with serving() as server, running(path) as (pilot, app, begun):
        start = await opened(pilot, app)
        await pick(pilot, app, start, f"openai:m@{server.base_url}")
        await until(pilot, checked(start))
        assert start.seen.checked.words == "answers, n = 8"
        assert start.seen.ready
        await pilot.press("ctrl+s")
        await until(pilot, lambda: bool(begun))


@pytest.mark.slow
async def test_without_a_key_start_is_grey(path: Path) -> None:
    async with running(path) as (pilot, app, begun):
        start = await opened(pilot, app)
        await pick(pilot, app, start, "openai:gpt-5-mini")
        await until(pilot, checked(start))
        await until(pilot, lambda: "needs a key; set OPENAI_API_KEY" in text(app))
        await pilot.press("ctrl+s")
        assert app.screen is start
        assert begun == []


@pytest.mark.slow
async def test_a_server_that_is_not_there_is_said(path: Path) -> None:
    async with serving() as server:
        gone = f"openai:m@{server.base_url}"
    async with running(path) as (pilot, app, begun):
        start = await opened(pilot, app)
        await pick(pilot, app, start, gone)
        await until(pilot, checked(start))
        assert start.seen.checked.fault
        assert not start.seen.checked.passable
        assert not start.seen.ready
        await pilot.press("ctrl+s")
        assert begun == []


@pytest.mark.slow
async def test_a_failed_check_can_be_passed_over_on_purpose(path: Path) -> None:
    async with serving() as server, running(path) as (pilot, app, begun):
        misbehave(server, *[openai_changes.no_usage] * 40)
        start = await opened(pilot, app)
        await pick(pilot, app, start, f"openai:m@{server.base_url}")
        await until(pilot, checked(start))
        assert "cost cannot be counted" in start.seen.checked.words
        assert not start.seen.ready
        await pilot.press(NEXT)
        assert start.view.field is Field.CHECK
        await pilot.press("l")
        await until(pilot, lambda: start.seen.ready)
        await pilot.press("ctrl+s")
        await until(pilot, lambda: bool(begun))
        spec = begun[0][0]
        assert isinstance(spec, AnsweringSpec)
        assert spec.unchecked


def put_model(path: Path, model: str, label: str) -> None:
    """One response of a label that stands for a model, as a run leaves it."""
    with OpenProject(path, "write") as project:
        put_rows(project, [Row("f0", Task.DIRECT, label, False, 0)])
        with write_transaction(project.connection):
            db.model_rows.set_recipe(project.connection, label, recipe_for(model).as_json())


@pytest.mark.slow
async def test_an_address_out_of_the_file_is_asked_about_once(path: Path) -> None:
    async with serving() as server:
        put_model(path, f"openai:m@{server.base_url}", "mine")
        async with running(path) as (pilot, app, begun):
            start = await opened(pilot, app)
            assert start.form.offer is not None
            assert start.form.offer.label == "mine"
            await until(pilot, lambda: "its address came out of this file" in text(app))
            await until(pilot, lambda: bool(start.seen.checked.endpoints))
            assert "completion chat, questions chat" in await settled(pilot), "its recipe says so"
            await pilot.press("ctrl+s")
            await until(pilot, lambda: isinstance(app.screen, Confirm))
            await pilot.press("n")
            await until(pilot, lambda: app.screen is start)
            assert (begun, server.calls) == ([], [])
            await pilot.press("ctrl+s")
            await until(pilot, lambda: isinstance(app.screen, Confirm))
            await pilot.press("y")
            await until(pilot, lambda: bool(begun))
            again = await opened(pilot, app)
            await until(pilot, checked(again))
            assert server.calls
            assert again.seen.ready


@pytest.mark.slow
async def test_a_label_of_another_recipe_can_be_changed(path: Path) -> None:
    put_model(path, "openai:other@http://127.0.0.1:9/v1", "embedded:smollm2-135m")
    async with running(path) as (pilot, app, begun):
        start = await opened(pilot, app)
        await pilot.press("j", "enter")
        await until(pilot, lambda: isinstance(app.screen, PickModel))
        await pilot.press("down", "enter")
        await until(pilot, lambda: bool(start.seen.clash))
        assert not start.seen.ready
        shown = await settled(pilot)
        assert "responses of another recipe" in shown
        assert "--as" not in shown
        await pilot.press(NEXT)
        assert start.view.field is Field.LABEL
        await pilot.press("enter", "end", *"2", "enter")
        await until(pilot, lambda: start.seen.ready)
        await pilot.press("ctrl+s")
        await until(pilot, lambda: bool(begun))
        spec = begun[0][0]
        assert isinstance(spec, AnsweringSpec)
        assert spec.label == "embedded:smollm2-135m2"


@pytest.mark.slow
async def test_the_list_that_was_seen_can_be_asked_about(path: Path) -> None:
    async with running(path) as (pilot, app, begun):
        await pilot.press("slash", *"arts", "enter")
        await until(pilot, lambda: "of 7" in text(app) and "1 of 3" in text(app))
        start = await opened(pilot, app)
        await until(pilot, lambda: "this list, 3" in text(app))
        await pilot.press("j", "j", "j", "l")
        await until(pilot, lambda: "questions   54" in text(app))
        await pilot.press("ctrl+s")
        await until(pilot, lambda: bool(begun))
        spec = begun[0][0]
        assert isinstance(spec, AnsweringSpec)
        with OpenProject(path) as project:
            chosen = project.facts(spec.where, [], start.seen.given.policy)
            found = [project.index.fact_ids[place] for place in chosen.nonzero()[0]]
        assert sorted(found) == ["f0", "f1", "f2"]


@pytest.mark.slow
async def test_a_budget_that_cannot_be_kept_is_refused(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "nobody's")

    async def fine(*_: object) -> ModelCheck:
        return ModelCheck("answers")

    monkeypatch.setattr(form_controller, "check", fine)
    async with running(path) as (pilot, app, begun):
        start = await opened(pilot, app)
        await pick(pilot, app, start, "openai:gpt-5-mini")
        while start.view.field is not Field.BUDGET:
            await pilot.press(NEXT)
        await pilot.press(".", "0", "0", "0", "0", "1")
        await until(pilot, lambda: bool(start.seen.broke) and not start.seen.ready)
        assert "does not pay for the first request" in text(app)
        await pilot.press(*["backspace"] * 3, "1")
        await until(pilot, lambda: bool(start.seen.warning) and start.seen.ready)
        assert "it will stop there" in text(app)
        await pilot.press("ctrl+s")
        await until(pilot, lambda: bool(begun))
        assert begun[0][1] == 0.001


@pytest.mark.slow
async def test_tasks_are_ticked(path: Path) -> None:
    async with running(path) as (pilot, app, _):
        start = await opened(pilot, app)
        while start.view.field is not Field.TASKS:
            await pilot.press(NEXT)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, PickTasks))
        await pilot.press("space", "down", "down", "space", "enter")
        await until(pilot, lambda: app.screen is start)
        assert start.form.chosen == {Task.COMPLETION, Task.DIRECT}
        await until(pilot, lambda: "questions   21" in text(app))


@pytest.mark.slow
async def test_a_file_is_imported_where_there_is_no_database(tmp_path: Path) -> None:
    file = tmp_path / "f.jsonl"
    file.write_text('{"fact_id": "a", "object": "Tartu", "direct": "Where?"}\n')
    async with running(tmp_path / "none.db") as (pilot, app, begun):
        start = await opened(pilot, app)
        assert start.form.do is Do.IMPORT
        await pilot.press("ctrl+s")
        assert app.screen is start
        await pilot.press("j", "enter")
        await until(pilot, lambda: app.screen is not start)
        await paste(pilot, str(file))
        await until(pilot, lambda: "enter takes it" in text(app))
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is start and start.seen.usable)
        await pilot.press("ctrl+s")
        await until(pilot, lambda: bool(begun))
        assert begun == [(ImportingSpec(str(file)), None)]


@pytest.mark.slow
async def test_a_file_to_export_to_is_named(path: Path, tmp_path: Path) -> None:
    async with running(path) as (pilot, app, begun):
        start = await opened(pilot, app)
        await pilot.press(*"l" * 7, "j", "h", "j", "j", "enter")
        await until(pilot, lambda: isinstance(app.screen, PickTarget))
        await paste(pilot, f"{tmp_path}/out.txt")
        await pilot.press("enter")
        await until(pilot, lambda: "must end in one of" in text(app))
        assert app.screen is not start
        (tmp_path / "out.csv").write_text("mine")
        await pilot.press(*["backspace"] * 3, *"csv", "enter")
        await until(pilot, lambda: app.screen is start)
        for key in ("n", "y"):
            await pilot.press("ctrl+s")
            await until(pilot, lambda: "out.csv is there already: write over it?" in text(app))
            assert begun == []
            await pilot.press(key)
            await until(pilot, lambda: not isinstance(app.screen, Confirm))
        await until(pilot, lambda: bool(begun))
        assert begun == [(ExportingSpec("facts", str(tmp_path / "out.csv")), None)]


@pytest.mark.slow
@pytest.mark.parametrize(("size", "theme"), LOOKS)
async def test_it_fits_everywhere(path: Path, size: tuple[int, int], theme: str) -> None:
    async with running(path, size, theme) as (pilot, app, _):
        start = await opened(pilot, app)
        await settled(pilot)
        for do in Do:
            lines = (await settled(pilot)).splitlines()
            assert start.form.do is do
            assert any("Start" in line and "Cancel" in line for line in lines)
            for which in [one for group in start.seen.groups for one in group]:
                assert start.view.field is which
                await until(pilot, lambda sign=f"▌{which} ": sign in text(app))
                await pilot.press("down")
            await pilot.press("home", "l")


@pytest.mark.slow
async def test_a_click_chooses_and_starts(path: Path) -> None:
    async with running(path) as (pilot, app, begun):
        await opened(pilot, app)
        shown = (await settled(pilot)).splitlines()
        row = next(at for at, line in enumerate(shown) if "sample  grade" in line)
        await pilot.click(offset=(shown[row].index("sample"), row))
        await until(pilot, lambda: "sample: draw answers" in text(app))
        row = next(at for at, line in enumerate(shown) if "ctrl+s" in line)
        await until(pilot, lambda: "Start" in text(app).splitlines()[row])
        await pilot.click(offset=(shown[row].index("Start") + 1, row))
        await until(pilot, lambda: bool(begun))
        spec = begun[0][0]
        assert isinstance(spec, AnsweringSpec)
        assert spec.graders == ()


async def by_a_model(pilot: Pilot[None], app: LostkeysApp, start: Start, model: str) -> None:
    """Choose a model as the grader by typing its name."""
    while start.view.field is not Field.GRADER:
        await pilot.press(NEXT)
    while start.form.grader != NAMED:
        await pilot.press("l")
    await pilot.press("enter")
    await until(pilot, lambda: isinstance(app.screen, PickModel))
    await pilot.press(*(NAMES.get(char, char) for char in model), "enter")
    await until(pilot, lambda: app.screen is start)
    assert start.form.graders == (f"llm:{model}",)


def tried(start: Start) -> Callable[[], bool]:
    return lambda: start.seen.tried.words not in ("", "checking…")


@pytest.mark.slow
async def test_a_model_can_grade(path: Path) -> None:
    async with serving() as server, running(path) as (pilot, app, begun):
        server.says = lambda prompt, number: obedient.said(prompt)
        start = await opened(pilot, app)
        model = f"openai:m@{server.base_url}"
        await by_a_model(pilot, app, start, model)
        await until(pilot, tried(start))
        assert start.seen.tried == ModelCheck("grades, replies as text")
        await until(pilot, lambda: start.seen.estimate is not None)
        assert isinstance(start.seen.estimate, Estimate)
        assert start.seen.estimate.unpriced == ()
        await pilot.press("ctrl+s")
        await until(pilot, lambda: bool(begun))
        spec = begun[0][0]
        assert isinstance(spec, AnsweringSpec)
        assert (spec.graders, spec.curtailed) == ((f"llm:{model}",), None)


@pytest.mark.slow
async def test_a_grader_that_says_anything_is_told_of(path: Path) -> None:
    async with serving() as server, running(path) as (pilot, app, _):
        server.says = lambda prompt, number: "I would rather not."
        start = await opened(pilot, app)
        await by_a_model(pilot, app, start, f"openai:m@{server.base_url}")
        await until(pilot, tried(start))
        assert "could not be read as labels" in start.seen.tried.words
        assert start.seen.ready


@pytest.mark.slow
async def test_without_the_graders_key_start_is_grey(path: Path) -> None:
    put_model(path, "embedded:smollm2-135m", "mine")
    async with running(path) as (pilot, app, begun):
        start = await opened(pilot, app)
        await pilot.press("l", "l")
        await by_a_model(pilot, app, start, "openai:gpt-5-mini")
        await until(pilot, tried(start))
        await until(pilot, lambda: "needs a key; set OPENAI_API_KEY" in text(app))
        await pilot.press(NEXT, NEXT)  # past the effort of the grader
        assert start.view.field is Field.BUDGET
        await pilot.press("5")
        await until(pilot, lambda: "grading costs" in text(app))
        await pilot.press("ctrl+s")
        assert app.screen is start
        assert begun == []
        await pilot.press("shift+tab", "shift+tab", "h")
        await until(pilot, lambda: start.form.grader == "choice")
        assert start.seen.ready


@pytest.mark.slow
async def test_a_graders_address_out_of_the_file_is_asked_about(path: Path) -> None:
    async with serving() as server:
        server.says = lambda prompt, number: obedient.said(prompt)
        model = f"openai:m@{server.base_url}"
        with OpenProject(path, "write") as project:
            graded = {f"llm:{model}#1": Outcome.CORRECT}
            put_rows(project, [Row("f0", Task.DIRECT, "a", False, 0, graded)])
        async with running(path) as (pilot, app, begun):
            start = await opened(pilot, app)
            await pilot.press("l", "l")
            await by_a_model(pilot, app, start, model)
            await until(pilot, lambda: "its address came out of this file" in text(app))
            await pilot.press("ctrl+s")
            await until(pilot, lambda: isinstance(app.screen, Confirm))
            await pilot.press("n")
            await until(pilot, lambda: app.screen is start)
            assert (begun, server.calls) == ([], [])
            await pilot.press("ctrl+s")
            await until(pilot, lambda: isinstance(app.screen, Confirm))
            await pilot.press("y")
            await until(pilot, lambda: bool(begun))
            assert begun == [(GradingSpec((f"llm:{model}",)), None)]
