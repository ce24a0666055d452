"""A file with one model: its profiles as rows with intervals, its topics below."""

import re
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from core.curation.question_reviews import reject
from core.project import OpenProject
from core.results.one_answer_facts import (
    OneAnswerCount,
    OneAnswerFacts,
    find_one_answer_facts,
)
from core.scoring.policy import Policy
from core.settings.preferences import Settings
from core.stats.intervals import wilson
from core.views.fact_query import FactQuery
from core.views.lens import Lens
from core.views.profiles.profile_rows import RowKind
from core.views.profiles.profile_scores import ModelCounts
from core.views.profiles.task_grades import FailedQuestions, TaskGrade
from core.views.session import Session
from core.views.snapshot import AGREE
from core.vocabulary import ENCODING, TASKS, Outcome, Task
from tests.core.making import a_fact, cell, put_facts, put_rows
from tests.tui.sample import one_model_project, sample_project
from tests.tui.screens.profiles.driver import Driver
from tests.tui.screens.profiles.test_profiles_lines import counted, row, unmeasured
from tests.tui.seeing import send, settled, text
from tui.app.app import LostkeysApp
from tui.screens.profiles import loader
from tui.screens.profiles.one_model_panes import share_lines
from tui.screens.profiles.render_bars import segments
from tui.screens.profiles.render_segment import draw_one_answer
from tui.screens.profiles.render_tasks import NextSteps, failed_lines, next_line, task_lines
from tui.screens.profiles.state import ProfilesState
from tui.theme.look import look_named

LOOK = look_named("dark")
NOW, START = counted(12, 5, 1, 11, 11), counted(11, 6, 1, 10, 12)


def shown(width: int, chosen: str | None = "RF") -> list[str]:
    return [line.text.rstrip() for line in share_lines(row("m", NOW, START), chosen, width, LOOK)]


def test_each_profile_has_facts_share_change_and_interval() -> None:
    found = shown(116)
    assert found[0].split() == ["profile", "facts", "0", "50", "100", "share", "change", "95", "%"]
    low, high = wilson(11, 40) or (0.0, 0.0)
    recall = found[4]
    assert recall.split()[:4] == ["RF", "recall", "failure", "11"]
    assert recall.endswith(f"27.5     +2.5    {100 * low:.1f} to {100 * high:.1f}")
    assert [line.split()[0] for line in found[1:]] == ["DR", "RT", "IE", "RF", "EF"]


def test_the_knob_stands_at_the_share_and_the_interval_around_it() -> None:
    lines = shown(116)
    axis = slice(lines[0].index("0 "), lines[0].index("100") + 3)
    for line, count in zip(lines[1:], (12, 5, 1, 11, 11), strict=True):
        track = line[axis]
        assert track.index("●") == round(count / 40 * (len(track) - 1))
        assert "━●" in track or "●━" in track


def test_words_stand_where_there_is_room_and_the_axis_goes_first() -> None:
    assert "found after a search" in shown(190)[2]
    assert "found after a search" not in shown(116)[2]
    assert "●" not in shown(90)[1]
    lines = share_lines(row("m", NOW, START), None, 60, LOOK)
    assert all(line.width <= 60 for line in lines)


def test_without_thinking_the_parts_are_rows_and_without_facts_there_are_none() -> None:
    lines = share_lines(row("m", unmeasured(3, 1, 0, 2), unmeasured(3, 1, 0, 2)), None, 116, LOOK)
    assert len(lines) == 5
    nothing = counted(0, 0, 0, 0, 0)
    assert share_lines(row("m", nothing, nothing), None, 116, LOOK) == []


GRADES = [TaskGrade(task, 0.31, None if task in ENCODING else 0.505) for task in TASKS]


def test_tasks_have_mean_grades_on_tracks_and_those_that_pass_are_green() -> None:
    lines = task_lines(GRADES, Policy(), 57, LOOK)
    assert lines[0].text.split() == ["task", "off", "on"]
    first, last = lines[1], lines[10]
    assert first.text.split() == ["1", "completion", ".31", "━━●──────", "–"]
    assert last.text.startswith(" 0 mc reverse natural")
    passes = {span.text.strip(): span.role for span in last.spans}
    assert (passes[".31"], passes[".51"]) == ("ink", "label-c")
    columns = {line.text.rindex(".5") for line in lines[3:]}
    assert columns == {lines[0].text.index("on") - 1}
    assert all(line.width <= 57 for line in lines)


def test_grades_are_seen_where_tracks_have_no_room() -> None:
    lines = task_lines(GRADES, Policy(), 24, LOOK)
    assert lines[10].text.split() == ["0", "mc", "rn", ".31", ".51"]
    assert all(line.width <= 24 for line in lines)


def test_failing_questions_are_counted_with_bars() -> None:
    lines = [line.text for line in failed_lines(FailedQuestions(2, 8, 4, 1), 57, LOOK)]
    assert lines[0].startswith(" which questions fail where it is stored ──")
    assert [line.split()[-2] for line in lines[1:]] == ["2", "8", "4", "1"]
    bars = [line.count("━") for line in lines[1:]]
    assert bars[1] == 4 * bars[0] == 2 * bars[2]
    assert failed_lines(FailedQuestions(0, 0, 0, None), 57, LOOK) == []
    assert len(failed_lines(FailedQuestions(1, 0, 0, None), 57, LOOK)) == 4


LACKING = counted(30, 10, 2, 38, 20, aside=(3, 1, 4))


def test_next_steps_follow_from_what_is_chosen_and_what_is_missing() -> None:
    def steps(now: ModelCounts, code: str | None, differing: int | None, width: int = 116) -> str:
        return next_line(NextSteps(row("m", now, now), code, differing), width).text

    assert steps(NOW, "RF", 6) == (
        " enter the 11 facts of recall failure    F4 6 facts on which graders differ"
        "    r another model, to compare"
    )
    for others, said in ((["n"], "compare with n"), (["n", "o"], "compare with another model")):
        line = next_line(NextSteps(row("m", NOW, NOW), "RF", 6, others=others), 116).text
        assert line == (
            f" enter the 11 facts of recall failure    C {said}"
            "    F4 6 facts on which graders differ"
        )
    assert "r a second grader" in steps(NOW, None, None)
    assert "F4" not in steps(NOW, "RF", 0)
    assert "r the same questions with thinking" in steps(unmeasured(3, 1, 0, 2), None, 1)
    assert "r what 4 incomplete facts lack" in steps(LACKING, None, 1)
    short = steps(NOW, "IE", 6, 50)
    assert short == " enter the 1 fact of inference without encoding"


def test_rejected_facts_are_not_among_those_on_which_graders_differ(tmp_path: Path) -> None:
    def count_differing(session: Session) -> int:
        lens, state = session.open().lens, ProfilesState()
        state.take_counts(loader.read_counts(lens, lens, FactQuery(), None, session))
        return state.count_differing(session.snapshot) or 0

    path = one_model_project(tmp_path / "one.db")
    with closing(Session(path)) as session:
        before = count_differing(session)
        places = np.flatnonzero(session.snapshot.differs != AGREE)[:2].tolist()
    with OpenProject(path, "write") as project:
        for place in places:
            reject(project, "ann", int(project.index.questions[place].max()), "not unique")
    with closing(Session(path)) as session:
        assert count_differing(session) == before - 2
        assert not session.snapshot.differs[places].any()


def test_no_run_is_offered_for_facts_without_questions() -> None:
    one = row("m", LACKING, LACKING)
    shown = next_line(NextSteps(one, None, None, unasked=3), 116).text
    assert "r what 1 incomplete fact lacks" in shown
    shown = next_line(NextSteps(one, None, None, unasked=4), 116).text
    assert "lack" not in shown
    assert "r another model, to compare" in shown


def count(facts: int, *others: str) -> OneAnswerCount:
    return OneAnswerCount(facts, others)


def test_facts_that_stand_on_one_answer_are_counted_with_what_they_might_be() -> None:
    def said(found: OneAnswerCount, total: int, room: int = 115) -> str:
        return draw_one_answer(found, total, room).text

    whole = "4 of these 11 stand on one answer: another label would make them RT or DR"
    assert said(count(4, "RT", "DR"), 11) == whole
    assert said(count(1, "EF"), 11).endswith("stands on one answer: another label would make it EF")
    assert said(count(0), 11) == "none of these 11 stands on one answer"
    assert said(count(4, "RT", "DR", "··"), 11).endswith("make them RT, DR or ··")
    assert said(count(4, "RT", "DR"), 11, len(whole)) == whole
    assert said(count(4, "RT", "DR"), 11, len(whole) - 1) == "4 of 11 stand on one answer: RT, DR"
    assert said(count(4_000, "RT", "DR"), 11_000, 34) == "4,000/11,000 on one answer: RT, DR"
    roles = {span.text: span.role for span in draw_one_answer(count(4, "RT"), 11, 115).spans}
    assert (roles["4"], roles["RT"]) == ("ink bold", "profile-rt bold")


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with closing(Session(one_model_project(tmp_path / "one.db"))) as opened:
        opened.open()
        yield opened


def test_what_stands_on_one_answer_is_of_the_numbers_that_are_shown(session: Session) -> None:
    lens, state = session.open().lens, ProfilesState()
    state.take_counts(loader.read_counts(lens, lens, FactQuery(), None, session))
    found = state.material
    assert found is not None

    def follow(now: Lens) -> object:
        state.follow(now, lens, high=True, countable=True)
        return state.one_answer_of

    def work_out(now: Lens) -> OneAnswerFacts:
        return loader.work_out_one_answer(found, now.policy, session)

    key, other = follow(lens), lens.with_policy(tau=0.75)
    assert state.shown is not None
    row = state.shown.models[0]
    assert key is not None
    assert state.count_one_answer(row, "EF", RowKind.MODELS) is None
    assert state.take_one_answer(key, work_out(lens))
    counts = [state.count_one_answer(row, code, RowKind.MODELS) for code in ("DR", "RF", "EF")]
    assert all(one is not None for one in counts)
    assert any(one and one.facts for one in counts)
    assert follow(lens) == key
    assert state.count_one_answer(row, "EF", RowKind.MODELS) is not None, "the same numbers keep it"
    assert follow(other) != key
    assert state.count_one_answer(row, "EF", RowKind.MODELS) is None
    assert not state.take_one_answer(key, work_out(lens)), "it has come too late"
    assert state.count_one_answer(row, "EF", RowKind.MODELS) is None
    groups = state.shown.groups
    assert state.take_one_answer(follow(other), work_out(other))
    for code in ("RF", "EF"):
        whole = state.count_one_answer(row, code, RowKind.MODELS)
        parts = [state.count_one_answer(one, code, RowKind.TOPICS) for one in groups]
        assert whole is not None
        assert sum(one.facts for one in parts if one is not None) == whole.facts


def test_of_several_models_nothing_is_worked_out(tmp_path: Path) -> None:
    with closing(Session(sample_project(tmp_path / "two.db"))) as session:
        lens, state = session.open().lens, ProfilesState()
        state.take_counts(loader.read_counts(lens, lens, FactQuery(), None, session))
        state.follow(lens, lens, high=True, countable=True)
        assert state.one_answer_of is None


@pytest.fixture
async def at(tmp_path: Path) -> AsyncIterator[Driver]:
    path = one_model_project(tmp_path / "one.db")
    app = LostkeysApp(path, Settings(name="mira", remember=False))
    async with app.run_test(size=(120, 40)) as pilot:
        driver = Driver(app, pilot)
        await driver.open()
        yield driver


def row_under_the_cursor(at: Driver) -> str | None:
    """The code of the row that has the cursor, below the bar."""
    lines = at.seen().splitlines()
    found = [line for line in lines if re.match(r"│▌ [A-Z]{2}  [a-z]", line)]
    return found[0][3:5] if found else None


@pytest.mark.slow
async def test_the_segment_says_what_stands_on_one_answer_once_keys_rest(at: Driver) -> None:
    await at.until(lambda: "on one answer" in at.seen())
    for key in ("right_square_bracket", "right_square_bracket", "comma"):
        await at.press(key)
        assert "on one answer" not in at.seen(), "those of other numbers are gone at once"
        await at.until(lambda: "on one answer" in at.seen())
        lens, found, view = at.app.lens, at.material, at.screen.panes.main
        assert lens is not None
        assert view.chosen is not None
        expected = find_one_answer_facts(found.now.tally, found.now.cells, lens.policy, 0)
        facts = expected.count(found.facts, view.chosen).facts
        assert re.search(rf"│ {facts or 'none'} of these \d+ stands? on one answer", at.seen())


@pytest.mark.slow
async def test_keys_and_clicks_choose_a_row(at: Driver) -> None:
    await at.press("home")
    first = at.screen.panes.main.chosen
    assert first == row_under_the_cursor(at) == "DR"
    await at.press("j")
    assert at.screen.panes.main.chosen == row_under_the_cursor(at) != "DR"
    send(at.app, *"kkkkkkk", "j", "j")
    await at.until(lambda: row_under_the_cursor(at) not in ("DR", None))
    await settled(at.pilot)
    codes = [part.code for part in segments(at.screen.panes.main.rows[0].now) if part.count]
    assert row_under_the_cursor(at) == codes[2]
    await at.pilot.click("#shares", offset=(8, 1))
    await settled(at.pilot)
    assert at.screen.panes.main.chosen == row_under_the_cursor(at) == "DR"


@pytest.mark.slow
async def test_one_model_without_a_profile_says_so_in_its_row(tmp_path: Path) -> None:
    path = tmp_path / "own.db"
    with OpenProject(path, "create") as project:
        put_facts(project, [a_fact("f", [Task.DIRECT])])
        put_rows(project, cell("f", Task.DIRECT, "mine", False, [Outcome.CORRECT]))
    app = LostkeysApp(path, Settings(name="mira", remember=False))
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await pilot.press("f3")
        await settled(pilot)
        (row,) = [line for line in text(app).splitlines() if "mine  " in line and "–" in line]
        assert "1 incomplete" in row
        assert "1 fact lacks encoding or reverse questions: no run gives it a profile" in text(app)


@pytest.mark.slow
async def test_one_model_fills_the_screen_and_rows_follow_the_threshold(tmp_path: Path) -> None:
    path = one_model_project(tmp_path / "one.db")
    app = LostkeysApp(path, Settings(name="mira", remember=False))
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await pilot.press("f3")
        await settled(pilot)
        assert "the only model" in text(app)
        assert "gemma3-27b by topic" in text(app)
        before = [line for line in text(app).splitlines() if "●" in line and " to " in line]
        assert len(before) == 5
        assert "which questions fail where it is stored" in text(app)
        assert re.search(r"0 mc reverse natural +\.\d\d ━", text(app))
        assert re.search(r"enter the \d facts of [a-z ]+ {4}F4 \d+ facts? on which", text(app))
        steps = app.screen.query_one("#steps")
        await pilot.click(steps, offset=(50, 0))  # on the step of F4
        await settled(pilot)
        assert app.tab == "confusion"
        await pilot.press("f3")
        await settled(pilot)
        await pilot.press("]", "]")
        await settled(pilot)
        after = [line for line in text(app).splitlines() if "●" in line and " to " in line]
        assert after != before
        await pilot.resize_terminal(80, 24)
        await settled(pilot)
        assert "the only model" not in text(app)
        small = [line for line in text(app).splitlines() if re.search(r"\d to +\d+\.\d$", line)]
        assert len(small) == 5, "the rows of the profiles stand below the bar"
        await pilot.resize_terminal(80, 18)
        await settled(pilot)
        assert "change" not in text(app)
