"""The Jobs screen by keys."""

import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from textual.pilot import Pilot
from textual.screen import Screen

from core.errors import LostkeysError
from core.jobs.job_list import ErrorGroup
from core.jobs.job_progress import State
from core.jobs.job_view import JobStage, JobView, LogLine
from core.providers.model_names import EMBEDDED
from core.settings.preferences import Settings
from core.specs.answer_specs import AnsweringSpec, GradingSpec
from core.views.job_reader import JobReader
from core.vocabulary import Task
from tests.tui.screens.facts.making import until
from tests.tui.screens.jobs.conftest import File
from tests.tui.screens.jobs.making import (
    DONE,
    NOW,
    OFF,
    ON,
    PAUSED,
    PROFILE,
    VIEWS,
    ShowingApp,
    log_lines,
)
from tests.tui.seeing import settled, text
from tui.app.job_controller import JobChanged
from tui.dialogs.confirm_dialog import Confirm
from tui.dialogs.quit_dialog import Quit
from tui.dialogs.start.form_fields import THINKING, Do
from tui.dialogs.start.start_dialog import Start
from tui.frame.status_line import StatusLine
from tui.screens.facts.screen import FactsScreen
from tui.screens.jobs.log_view import LogView
from tui.screens.jobs.screen import JobsScreen
from tui.screens.jobs.stage_items import Items
from tui.screens.jobs.widgets import JobCardView
from tui.screens.task.screen import TaskScreen


@asynccontextmanager
async def showing(
    path: Path, views: Sequence[JobView] = VIEWS, size: tuple[int, int] = (120, 40)
) -> AsyncIterator[tuple[Pilot[None], ShowingApp, JobsScreen]]:
    app = ShowingApp(path, views)
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: app.facts is not None)
        await pilot.press("f6")
        screen = app.tab_screen("jobs")
        assert isinstance(screen, JobsScreen)
        await until(pilot, lambda: screen.jobs.complete)
        await settled(pilot)
        yield pilot, app, screen


async def press(pilot: Pilot[None], *keys: str) -> None:
    for key in keys:
        await pilot.press(key)
        await settled(pilot)


def drawn(view: object) -> str:
    """All lines of a view, also those out of sight."""
    assert isinstance(view, LogView | JobCardView)
    rows = range(view.row_count())
    return "\n".join(view.draw(row, 0, view.size.width).text for row in rows)


def front(app: ShowingApp) -> Screen[Any]:
    """The screen or dialog in front."""
    return app.screen


# What is shown


async def test_everything_there_is_in_its_place(sample: Path, file: File) -> None:
    async with showing(sample) as (_, app, screen):
        shown = text(app)
        for words in ("6 run gemma3-12b", "answer, thinking off", "then it is graded"):
            assert words in shown
        assert "1 of 6" in shown
        assert "following" in shown
        assert "since 13:46" in shown
        assert "all answers so far are saved" in shown
        assert screen.focused is screen.stages_view


@pytest.mark.slow
@pytest.mark.parametrize("size", [(120, 40), (80, 24)], ids=str)
async def test_the_focus_goes_round(sample: Path, file: File, size: tuple[int, int]) -> None:
    async with showing(sample, size=size) as (pilot, _, screen):
        seen = []
        for _ in range(3):
            seen.append(screen.focused)
            await press(pilot, "tab")
        assert seen == [screen.stages_view, screen.jobs_view, screen.log_view]
        assert screen.focused is screen.stages_view


@pytest.mark.slow
async def test_another_job_brings_its_card_its_stages_and_its_log(sample: Path, file: File) -> None:
    async with showing(sample) as (pilot, app, screen):
        assert "12,480 of 38,700" in drawn(screen.log_view)
        await press(pilot, "tab", "j", "j", "j", "j")
        assert screen.chosen is not None
        assert screen.chosen.name == "questions"
        row = screen.stages_view.chosen
        assert row is not None
        assert row.key == (2, "pages")
        assert screen.log_view.empty
        await press(pilot, "shift+tab", *["j"] * 5)
        assert "several right answers" in text(app)
        await press(pilot, "home")
        assert screen.chosen.id == 6
        assert "12,480 of 38,700" in drawn(screen.log_view)


@pytest.mark.slow
async def test_only_lines_that_changed_are_painted(sample: Path, file: File) -> None:
    async with showing(sample) as (pilot, app, screen):
        painted: list[int] = []
        view = screen.stages_view
        view._refresh_lines = lambda seen, lines: painted.extend(lines)  # type: ignore[method-assign]
        first, *others = PROFILE.stages
        app.service.put(
            replace(PROFILE, stages=(replace(first, waiting=8_981, done=12_481), *others))
        )
        app.post_message(JobChanged())
        await settled(pilot)
        assert set(painted) == {1}
        assert "12,481" in text(app)


@pytest.mark.slow
async def test_what_comes_does_not_move_the_cursor(sample: Path, file: File) -> None:
    async with showing(sample) as (pilot, app, screen):
        await press(pilot, "j", "j")
        before = screen.stages_view.chosen
        assert before is not None
        newer = replace(PAUSED, id=9, name="new", state=State.RUNNING)
        file.jobs.insert(0, newer)
        screen.loader.request_jobs()
        await until(pilot, lambda: len(screen.jobs.views) == 7)
        await settled(pilot)
        after = screen.stages_view.chosen
        assert after is not None
        assert after.key == before.key
        assert [view.id for view in screen.jobs.views] == [9, 6, 5, 7, 3, 2, 1]
        app.service.put(replace(PROFILE, state=State.FINISHED, ended=NOW))
        app.post_message(JobChanged())
        await settled(pilot)
        assert [view.id for view in screen.jobs.views] == [9, 6, 5, 7, 3, 2, 1]
        await press(pilot, "ctrl+r")
        assert [view.id for view in screen.jobs.views] == [9, 5, 7, 6, 3, 2, 1]
        assert screen.chosen is not None
        assert screen.chosen.id == 6


@pytest.mark.slow
async def test_nothing_yet_says_what_would_come(sample: Path, file: File) -> None:
    file.jobs = []
    async with showing(sample, ()) as (pilot, app, screen):
        assert "Nothing has run here yet" in text(app)
        assert "A job asks a model" in text(app)
        assert not re.search("Stages|Log|Trouble", text(app))
        for key in ("space", "X", "R", "D", "f", "tab", "k"):
            await press(pilot, key)
        assert front(app) is screen
        assert app.service.asked == []
        await press(pilot, "j")
        await press(pilot, "j")
        await press(pilot, "enter")
        form = app.screen
        assert isinstance(form, Start)
        assert form.form.do is Do.GRADE
        await press(pilot, "escape")
        file.jobs = [DONE]
        screen.reload()
        await until(pilot, lambda: "Stages" in text(app))
        assert screen.focused is screen.stages_view
        assert "Nothing has run" not in text(app)


@pytest.mark.slow
async def test_who_hears_it_is_told_of_states_and_not_of_counts(sample: Path, file: File) -> None:
    begun = replace(PROFILE, stages=(JobStage("answer", 90, 0, 10),))
    on = replace(begun, stages=(JobStage("answer", 80, 0, 20),))
    over = replace(on, state=State.FINISHED)
    app = ShowingApp(sample, (begun,), Settings(name="mira", reader=True))
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: app.facts is not None)
        await press(pilot, "f6")
        screen = app.tab_screen("jobs")
        assert isinstance(screen, JobsScreen)
        await until(pilot, lambda: "10" in text(app))

        async def tell(view: JobView) -> str:
            app.service.shown = [view]
            screen.show_progress()
            await settled(pilot)
            return text(app)

        heard = text(app)
        assert await tell(on) == heard
        await press(pilot, "ctrl+r")
        fresh = text(app)
        assert fresh != heard
        assert "20" in fresh
        assert await tell(over) != fresh


@pytest.mark.slow
async def test_escape_leads_out_where_nothing_has_run(sample: Path, file: File) -> None:
    file.jobs = []
    async with showing(sample, ()) as (pilot, app, _):
        await press(pilot, "escape")
        await until(pilot, lambda: app.tab == "facts")


@pytest.mark.slow
async def test_a_file_that_cannot_be_read_says_so_in_its_edge(
    sample: Path, file: File, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with showing(sample) as (pilot, app, screen):

        def fails(filed: JobReader) -> list[JobView]:
            raise LostkeysError("jobs.db is gone")

        monkeypatch.setattr(JobReader, "list_jobs", fails)
        screen.loader.request_jobs()
        await until(pilot, lambda: "jobs.db is gone; ctrl+r tries again" in text(app))
        assert "answer, thinking off" in text(app)


# Steering


@pytest.mark.slow
async def test_what_is_read_takes_no_step_back(sample: Path, file: File) -> None:
    async with showing(sample) as (pilot, _, screen):
        await press(pilot, "tab")
        screen.jobs_view.action_down()  # the message of it is on the way
        screen.panes.paint()
        await settled(pilot)
        assert screen.chosen is not None
        assert screen.chosen.id == VIEWS[1].id
        await press(pilot, "shift+tab")
        screen.stages_view.action_last()
        screen.panes.paint()
        await settled(pilot)
        last = screen.stages_view.chosen
        assert last is not None
        assert last.job is not None
        assert screen.chosen.id == last.job.id != VIEWS[1].id


@pytest.mark.slow
async def test_space_pauses_and_goes_on(sample: Path, file: File) -> None:
    async with showing(sample) as (pilot, app, _):
        await press(pilot, "tab")
        for down, asked in (
            (0, [("pause", 6)]),
            (1, [("resume", 5)]),
            (1, []),
            (1, []),
            (2, [("resume", 1)]),
        ):
            app.service.asked.clear()
            app.clear_said()
            await press(pilot, *["j"] * down, "space")
            await until(pilot, lambda asked=asked: app.service.asked == asked)
            if not asked:
                assert app.status.said is not None


@pytest.mark.slow
async def test_an_address_out_of_the_file_is_asked_about_once(sample: Path, file: File) -> None:
    stopped = replace(PAUSED, state=State.STOPPED, reason="no answer")
    file.jobs = [stopped]
    async with showing(sample, (stopped,)) as (pilot, app, screen):
        await press(pilot, "space")
        assert "localhost:11434/v1 came out of this file. Ask it?" in text(app)
        await press(pilot, "n")
        assert app.service.asked == []
        await press(pilot, "space", "y")
        await until(pilot, lambda: app.service.asked == [("resume", 5)])
        await press(pilot, "space")
        assert front(app) is screen


@pytest.mark.slow
async def test_a_job_that_runs_is_not_discarded_and_cancelling_asks_once(
    sample: Path, file: File
) -> None:
    async with showing(sample) as (pilot, app, screen):
        await press(pilot, "D")
        assert front(app) is screen
        assert app.status.said is not None
        assert "X cancels it first" in app.status.said.text
        for no in ("n", "escape", "enter"):
            await press(pilot, "X")
            assert isinstance(front(app), Confirm)
            assert "Cancel run gemma3-12b? 12,480 answers are kept." in text(app)
            await press(pilot, no)
            assert front(app) is screen
        assert app.service.asked == []
        await press(pilot, "X", "y")
        await until(pilot, lambda: app.service.asked == [("cancel", 6)])


async def test_what_is_over_is_not_cancelled(sample: Path, file: File) -> None:
    async with showing(sample) as (pilot, app, screen):
        await press(pilot, "tab", "j", "j", "j", "X")
        assert front(app) is screen
        assert app.status.said is not None
        assert "is over already" in app.status.said.text


@pytest.mark.slow
async def test_failed_ones_are_asked_again(sample: Path, file: File) -> None:
    async with showing(sample) as (pilot, app, _):
        await press(pilot, "R")
        await until(pilot, lambda: app.service.asked == [("retry", 6)])
        await press(pilot, "tab", "j", "R")
        assert app.status.said is not None
        assert "nothing of run gemma3-4b has failed" in app.status.said.text


@pytest.mark.slow
async def test_an_error_in_steering_is_said(
    sample: Path, file: File, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with showing(sample) as (pilot, app, _):

        def fails(job: int) -> None:
            raise LostkeysError(f"job {job} is not running: there is nothing to pause")

        monkeypatch.setattr(app.service, "pause", fails)
        await press(pilot, "space")
        await until(pilot, lambda: "nothing to pause" in text(app))


@pytest.mark.slow
async def test_answers_of_a_job_that_is_over_are_set_aside(sample: Path, tmp_path: Path) -> None:
    path = tmp_path / "mine.db"
    path.write_bytes(sample.read_bytes())
    spec = AnsweringSpec("gemma3-4b", "gemma3-4b", thinking=(True,))
    job = JobView(1, "run", "gemma3-4b", State.CANCELLED, here=True, spec=spec,
                  stages=(JobStage(ON, done=576),), ended=NOW)  # fmt: skip
    async with showing(path, (job,)) as (pilot, app, screen):
        await press(pilot, "D")
        await until(pilot, lambda: isinstance(front(app), Confirm))
        asked = re.search(r"Set aside ([1-9]\d*) answers of gemma3-4b, thinking on", text(app))
        assert asked
        await press(pilot, "n", "D")
        await until(pilot, lambda: isinstance(front(app), Confirm))
        await press(pilot, "y")
        said = f"{asked[1]} answers are set aside"
        await until(pilot, lambda: app.status.said is not None and said in app.status.said.text)
        await press(pilot, "D")
        await until(pilot, lambda: "there are no answers of gemma3-4b" in text(app))
        assert front(app) is screen


async def test_answers_are_not_set_aside_while_another_job_draws_them(
    sample: Path, file: File
) -> None:
    over = replace(PROFILE, id=4, state=State.CANCELLED, stages=(JobStage(OFF, done=1),))
    file.jobs = [PROFILE, over]
    async with showing(sample, (PROFILE,)) as (pilot, app, screen):
        await press(pilot, "tab", "j", "D")
        assert screen.chosen is not None
        assert screen.chosen.id == over.id
        assert app.status.said is not None
        assert "run gemma3-12b is not over: X cancels it first" in app.status.said.text


@pytest.mark.slow
async def test_what_was_cancelled_is_offered_as_it_was(
    file: File, tmp_path: Path, sample: Path
) -> None:
    spec = AnsweringSpec(EMBEDDED, EMBEDDED, samples=3, thinking=(False,), graders=("form",))
    over = replace(PROFILE, state=State.CANCELLED, here=False, spec=spec)
    file.jobs = [over]
    async with showing(sample, ()) as (pilot, app, _):
        await press(pilot, "r")
        await until(pilot, lambda: isinstance(front(app), Start))
        form = cast("Start", front(app)).form
        assert (form.samples, form.grader, form.thinking) == ("3", "form", THINKING.index((False,)))


async def test_what_runs_is_told_in_short_beside_what_was_just_said(
    sample: Path, file: File
) -> None:
    file.jobs = [PROFILE]
    async with showing(sample, (PROFILE,)) as (_, app, screen):
        status = screen.query_one(StatusLine)
        assert "answering gemma3-12b  12,480 of 38,700" in status.draw(120).text
        app.say("said " * 15)
        assert status.draw(120).text.rstrip().endswith("▶ answering 32% ━━──────  1 h 47 left")
        app.say("said " * 20)
        assert "answering" not in status.draw(120).text


# What is behind the numbers


@pytest.mark.slow
async def test_from_what_is_missing_to_the_facts(sample: Path, file: File) -> None:
    view = replace(PROFILE, spec=replace(PROFILE.spec, label="gemma3-4b"))  # type: ignore[type-var]
    async with showing(sample, (view,)) as (pilot, app, _):
        await press(pilot, "enter")
        assert isinstance(front(app), Items)
        await press(pilot, "enter")
        facts = front(app)
        assert isinstance(facts, FactsScreen)
        assert facts.list.asking.filters.verdicts == {"··"}
        assert app.lens is not None
        assert app.lens.model == "gemma3-4b"


@pytest.mark.slow
async def test_from_what_has_failed_to_an_example(
    sample: Path, file: File, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, *others = PROFILE.stages
    failed = replace(first, failed=2, reasons={"timeout after 60 s": 2})
    view = replace(PROFILE, stages=(failed, *others))
    with_errors: list[ErrorGroup] = []
    monkeypatch.setattr(JobReader, "errors", lambda filed, job: with_errors)
    async with showing(sample, (view,)) as (pilot, app, _):
        assert app.snapshot is not None
        fact = app.snapshot.index.fact_ids[3]
        with_errors.append(ErrorGroup("timeout after 60 s", 2, "m", f"{fact}, direct", fact,
                                      Task.DIRECT.value))  # fmt: skip
        await press(pilot, "enter")
        assert "timeout after 60 s" in text(app)
        await press(pilot, "j", "enter")
        await until(pilot, lambda: isinstance(front(app), TaskScreen))
        await settled(pilot)
        task = front(app)
        assert isinstance(task, TaskScreen)
        assert task.state.fact == int(app.snapshot.index.ids[3])
        assert task.state.task is Task.DIRECT


# The log


def more(count: int, start: int = 100) -> list[LogLine]:
    return [LogLine(start + at, 6, NOW, "answer", f"line {at}") for at in range(count)]


@pytest.mark.slow
async def test_the_log_follows_until_it_is_scrolled(sample: Path, file: File) -> None:
    async with showing(sample) as (pilot, app, screen):
        file.lines += more(40)
        screen.loader.request_jobs()
        await until(pilot, lambda: "line 39" in text(app))
        await press(pilot, "tab", "tab", "k")
        assert not screen.log_view.following
        assert "end follows again" in text(app)
        top = screen.log_view.scroll_offset.y
        file.lines += more(3, 200)
        screen.loader.request_jobs()
        await until(pilot, lambda: "3 new, end follows again" in text(app))
        assert screen.log_view.scroll_offset.y == top
        await press(pilot, "end")
        assert "following" in text(app)
        file.lines += more(1, 300)
        screen.loader.request_jobs()
        await until(pilot, lambda: screen.log_view.newest == 300)
        assert screen.log_view.scroll_offset.y == screen.log_view.max_scroll_y


@pytest.mark.slow
async def test_kinds_of_the_log_by_key(sample: Path, file: File) -> None:
    async with showing(sample) as (pilot, app, screen):
        await press(pilot, "f")
        assert "Log trouble only" in text(app)
        assert screen.log_view.row_count() == 3
        await press(pilot, *["f"] * 4)
        assert screen.log_view.row_count() == 16


@pytest.mark.slow
async def test_log_lines_are_inert(sample: Path, file: File) -> None:
    file.lines = [LogLine(1, 6, NOW, "fail", "\x1b[2J[red]\u202e ¶")]
    async with showing(sample) as (_, app, _):
        assert "\x1b" not in text(app)
        assert "␛[2J[red]\\u202e" in text(app)


@pytest.mark.slow
@pytest.mark.parametrize("job", [6, 5])
async def test_what_is_served_stands_on_the_card_at_80_columns(
    sample: Path, file: File, job: int
) -> None:
    said = "asked for gemma3-12b, served by gemma3-1b: check which model the server runs"
    file.lines = log_lines([("14:00:00", "served", said)], job) * 2
    async with showing(sample, size=(80, 24)) as (pilot, app, screen):
        await press(pilot, "tab", "enter", *["j"] * (6 - job))
        assert screen.chosen is not None
        assert (screen.chosen.id, screen.chosen.here) == (job, job == 6)
        await until(pilot, lambda: "served by" in text(app))
        assert text(app).count("served   asked for gemma3-12b, served by gemma3-1b") == 1
        await press(pilot, "j")
        await until(pilot, lambda: screen.log_view.empty)
        assert "served by" not in text(app)


# Sizes


@pytest.mark.slow
async def test_in_a_small_terminal_the_card_is_one_key_away(sample: Path, file: File) -> None:
    async with showing(sample, size=(80, 24)) as (pilot, app, screen):
        assert "just answered" not in text(app)
        await press(pilot, "tab", "enter")
        assert "just answered" in text(app)
        await press(pilot, "j")
        assert "Paused." in text(app)
        await press(pilot, "escape")
        assert not screen.inside
        await press(pilot, "escape")
        assert screen.focused is screen.stages_view


@pytest.mark.slow
async def test_another_size_keeps_the_place(sample: Path, file: File) -> None:
    async with showing(sample) as (pilot, _, screen):
        await press(pilot, *["j"] * 9)
        before = screen.stages_view.chosen
        for size in ((80, 24), (200, 60), (40, 10), (120, 40)):
            await pilot.resize_terminal(*size)
            await settled(pilot)
            row = screen.stages_view.chosen
            assert row is not None
            assert before is not None
            assert row.key == before.key


# The frame


@pytest.mark.slow
async def test_a_failed_job_marks_the_tab_until_it_is_seen(sample: Path, file: File) -> None:
    async with showing(sample) as (pilot, app, _):
        await press(pilot, "f1")
        app.service.put(replace(PROFILE, state=State.FAILED, reason="no such model", ended=NOW))
        app.post_message(JobChanged())
        await until(pilot, lambda: "Jobs !" in text(app))
        assert "no such model" in text(app)
        await press(pilot, "f6")
        assert "Jobs !" not in text(app)
        assert "no such model" in text(app)


# Quitting


@pytest.mark.slow
async def test_quitting_asks_what_becomes_of_the_job(sample: Path, file: File) -> None:
    async with showing(sample) as (pilot, app, screen):
        await press(pilot, "q")
        assert isinstance(front(app), Quit)
        shown = " ".join(text(app).replace("│", " ").split())
        assert "Answering gemma3-12b is running, 1 more waits. b goes on in the background" in shown
        assert "all answers" in shown
        await press(pilot, "escape")
        assert front(app) is screen
        await press(pilot, "q", "b")
        await until(pilot, lambda: not app.is_running)
    assert app.service.asked == [("leave", None), ("stop", None)]


@pytest.mark.slow
async def test_quitting_stops_the_job_when_that_is_meant(sample: Path, file: File) -> None:
    async with showing(sample) as (pilot, app, _):
        await press(pilot, "q")
        await pilot.press("q")
        await until(pilot, lambda: ("stop", None) in app.service.asked)
        app.service.shown = []
        app.post_message(JobChanged())
        await until(pilot, lambda: not app.is_running)
    assert ("leave", None) not in app.service.asked


@pytest.mark.slow
async def test_where_nothing_runs_nothing_is_asked(sample: Path, file: File) -> None:
    async with showing(sample, [one for one in VIEWS if not one.here]) as (pilot, app, _):
        await pilot.press("q")
        await until(pilot, lambda: not app.is_running)
    assert app.return_code == 0


@pytest.mark.slow
async def test_a_job_that_is_started_here_is_the_one_that_keys_act_on(
    sample: Path, file: File
) -> None:
    async with showing(sample) as (pilot, app, screen):
        await press(pilot, "j", "j")
        app.jobs.start(GradingSpec(("lexical",)))
        await settled(pilot)
        assert screen.chosen is not None
        assert (screen.chosen.id, screen.chosen.name) == (-1, "lexical")
        app.service.stored(907)
        app.post_message(JobChanged())
        await settled(pilot)
        assert screen.chosen is not None
        assert screen.chosen.id == 907
        await press(pilot, "X", "y")
        await until(pilot, lambda: app.service.asked[-1] == ("cancel", 907))
