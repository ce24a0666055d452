"""The lines of the Jobs screen, drawn without an app."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from core.engine.engine import over_budget
from core.engine.run_counters import LateRequest, RecentAnswer, RunCounters
from core.engine.served_names import ServedNames, difference
from core.jobs.job_progress import State
from core.jobs.job_view import JobSpend, JobStage, JobView, LogLine
from core.pricing import Budget
from core.providers.base import Draw, Reply, ServedModel
from core.specs.file_specs import FilesSpec
from tests.tui.screens.jobs.making import (
    BUILT,
    DONE,
    FAILED,
    GRADE,
    NOW,
    OFF,
    ON,
    PAUSED,
    PROFILE,
    VIEWS,
    WAITING,
    log_lines,
)
from tui.screens.jobs import (
    job_dialogs,
    log_view,
    render_card,
    render_list,
    render_stages,
    sentences,
    stage_items,
)
from tui.text import time_text
from tui.text.line import Line
from tui.theme.look import look_named

LOOK = look_named("dark")
ROOM = render_card.CardRoom(42, 27)


def texts(lines: Sequence[Line]) -> list[str]:
    return [line.text.rstrip() for line in lines]


def shown(view: object, room: render_card.CardRoom = ROOM, stage: JobStage | None = None) -> str:
    return "\n".join(texts(render_card.lines(view, stage, room, NOW, LOOK)))  # type: ignore[arg-type]


# Stages


def test_stages_stand_under_their_job_as_in_the_design() -> None:
    rows = render_stages.list_rows([PROFILE, BUILT], airy=True)
    drawn = texts([render_stages.draw(row, 74, False, LOOK) for row in rows])
    assert texts([render_stages.heading(74)]) == [
        "   stage                        wait      run     done  dropped   failed"
    ]
    assert drawn[:6] == [
        " 6 run gemma3-12b " + "─" * 55,
        " ▶ answer, thinking off        8,982       38   12,480        ·        ·",
        " · answer, thinking on        17,200        ·        ·        ·        ·",
        " ▶ grade gemini-2.5-pro        1,201       16   11,260        ·        3",
        " · grade gpt-5                12,480        ·        ·        ·        ·",
        "",
    ]
    assert drawn[12] == " ✓ filtered by search              ·        ·    2,199      907        ·"


def test_a_growing_number_moves_nothing() -> None:
    for count in (0, 9, 999, 99_999, 999_999, 25_000_000):
        view = replace(PROFILE, stages=(JobStage(OFF, count, count, count, count, count),))
        line = render_stages.draw(render_stages.list_rows([view], False)[1], 74, True, LOOK)
        assert line.width == 72
        assert not line.text.endswith(" ")


@pytest.mark.parametrize("width", range(40, 201, 7))
def test_stages_keep_to_their_width(width: int) -> None:
    for row in render_stages.list_rows(VIEWS, airy=True):
        if width >= 74:
            assert render_stages.draw(row, width, False, LOOK).width <= width


@pytest.mark.parametrize(
    ("job", "stage", "mark"),
    [
        (PROFILE, JobStage(OFF, 5, 2, 3), "running"),
        (PROFILE, JobStage(OFF, 5, 2, 3, late=1), "failed"),
        (PAUSED, JobStage(OFF, 5, 2, 3, late=1), "paused"),
        (PROFILE, JobStage(OFF, 5), "waiting"),
        (PROFILE, JobStage(OFF, 0, 0, 5), "done"),
        (PROFILE, JobStage(OFF, 0, 0, 0, 0, 5), "failed"),
        (PAUSED, JobStage(OFF, 5, 0, 3), "paused"),
        (replace(PAUSED, state=State.CANCELLED), JobStage(OFF, 5, 0, 3), "undrawn"),
        (FAILED, JobStage(OFF, 5, 0, 3), "failed"),
    ],
)
def test_the_mark_of_a_stage(job: object, stage: JobStage, mark: str) -> None:
    assert render_stages.mark_of(stage, job)[0] == mark  # type: ignore[arg-type]


def test_requests_that_are_out_for_long_stand_on_the_card() -> None:
    late = replace(PROFILE, stages=(JobStage(OFF, 5, 2, 3, late=2), JobStage(ON, 5, late=1)))
    assert " late     3 requests, 10 x the median" in shown(late)
    assert " late" not in shown(PROFILE)


def test_a_late_request_has_its_age_and_deadline_on_the_card() -> None:
    slow = tuple(
        LateRequest(stage, NOW - timedelta(seconds=age), 300.0)
        for stage, age in ((OFF, 250), (GRADE, 70), (OFF, 40))
    )
    late = replace(PROFILE, stages=(JobStage(OFF, 5, 2, 3, late=3),), late=slow)
    text = shown(late, render_card.CardRoom(60, 24))
    assert "          4 min, deadline 5 min  answer, thinking off" in text
    assert "          1 min, deadline 5 min  grade gemini-2.5-pro" in text
    assert "          40 s, deadline 5 min  answer, thinking off" in text
    low = shown(late, render_card.CardRoom(40, 10))
    assert "          4 min, deadline 5 min  answe…" in low
    assert "          and 1 more" in low
    assert "deadline" not in shown(replace(late, state=State.PAUSED))


def noted(served: Sequence[str], width: int, view: JobView = PROFILE) -> list[str]:
    """What the card says of served models."""
    found = texts(render_card.lines(view, None, render_card.CardRoom(width, 20), NOW, LOOK, served))
    start = next((at for at, one in enumerate(found) if one.startswith(" served")), len(found))
    rest = found[start:]
    end = next((at for at, one in enumerate(rest) if at and not one.startswith(" " * 10)), None)
    return rest[:end]


def test_what_is_served_stands_on_the_card_of_any_job() -> None:
    told = ServedNames()
    names = [
        message
        for served in (
            ServedModel("gemma3-1b-it", "fp_1"), ServedModel("gemma3-1b-it", "fp_2")
        )
        for _, message in told.look("openai:gemma3-12b", Reply((Draw("x", served=served),)))
    ]  # fmt: skip
    for view in (PROFILE, PAUSED, DONE, replace(PROFILE, here=False)):
        assert noted(names, 78, view) == [
            " served   asked for gemma3-12b, served by gemma3-1b-it",
        ]
        assert noted(names[1:], 78, view) == [" served   fingerprint changed from fp_1 to fp_2"]
        assert noted([], 78, view) == []


def test_long_served_names_lose_their_folders_and_then_their_middle() -> None:
    line = difference(
        "openai:Qwen/Qwen2.5-72B-Instruct@http://h/v1",
        "/srv/models/qwen2.5-7b-instruct-q4_k_m.gguf",
    )
    assert line is not None
    assert noted([line[1]], 42) == [
        " served   asked for Qwen2.5-72B-I…truct,",
        "          served by qwen2.5-7b-in…m.gguf",
    ]


def test_nothing_runs_in_a_job_that_does_not_run() -> None:
    lost = replace(PROFILE, state=State.STOPPED, lost=True, here=False)
    line = render_stages.draw(render_stages.list_rows([lost], False)[1], 74, False, LOOK)
    assert line.text.split()[-5:] == ["9,020", "·", "12,480", "·", "·"]


def test_a_job_without_stages_says_where_it_is() -> None:
    rows = render_stages.list_rows([FAILED], airy=False)
    assert [row.key for row in rows] == [None, (1, "")]
    assert "not valid JSON" in render_stages.draw(rows[1], 74, False, LOOK).text


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("grade llm:openai:gpt-5", "grade gpt-5"),
        ("grade llm:openai:gemma:12b@http://localhost:11434/v1", "grade gemma:12b"),
        ("grade lexical", "grade lexical"),
        ("answer, thinking off", "answer, thinking off"),
    ],
)
def test_graders_are_named_by_their_model(name: str, short: str) -> None:
    assert render_stages.shorten_name(name) == short


# Jobs


def test_each_job_has_its_mark_and_how_far_it_is() -> None:
    assert texts([render_list.draw(view, 42, False, LOOK) for view in VIEWS]) == [
        " ▶ 6 run gemma3-12b                   32%",
        " ⏸ 5 run gemma3-4b                 paused",
        " · 7 grade gpt-5                  waiting",
        " ✓ 3 run gemma3-27b                2 h 04",
        " ✓ 2 build questions               6 h 41",
        " ! 1 import inspect.eval           failed",
    ]


def test_labels_are_told_once_all_answers_are_drawn() -> None:
    drawn = (JobStage(OFF, done=800), JobStage("grade llm:openai:m", 600, 0, 200))
    view = replace(PROFILE, stages=drawn)
    assert (view.share, view.labels, view.is_last) == (1.0, (200, 800), True)
    later = replace(view, stages=(*drawn, JobStage("grade judge:openai:n", 800)))
    assert render_list.draw(later, 42, False, LOOK).text.endswith(" labels 12%")


def test_in_a_wide_list_a_job_is_told_in_one_line() -> None:
    assert render_list.draw(PROFILE, 80, False, LOOK).text == (
        " ▶ 6 run gemma3-12b     ━━━━──────────  32%  4.1/s  1 h 47  $3.10 of $12.00"
    )


def test_the_line_of_a_job_says_how_late_requests_are() -> None:
    """At 80 columns there is no card beside the stages."""
    slow = tuple(LateRequest(OFF, NOW - timedelta(seconds=age), 60.0) for age in (12, 29))
    stages = (JobStage(OFF, 5, 2, 3, late=2),)
    late = replace(PROFILE, stages=stages, late=slow, max_cost=None)
    line = render_list.draw(late, 80, False, LOOK, NOW).text
    assert line.endswith("  2 late, 29 s of 1 min  $3.10")
    paused = replace(late, state=State.PAUSED)
    assert "late" not in render_list.draw(paused, 80, False, LOOK, NOW).text


def test_jobs_stay_where_they_were_and_new_ones_come_first() -> None:
    assert [view.id for view in render_list.order_jobs(list(reversed(VIEWS)))] == [6, 5, 7, 3, 2, 1]
    over = replace(PROFILE, state=State.FINISHED)
    kept = render_list.order_jobs([over, WAITING, PAUSED], before=[6, 5])
    assert [view.id for view in kept] == [7, 6, 5]


def test_what_runs_here_is_shown_as_this_program_knows_it() -> None:
    stale = replace(PROFILE, stages=(), here=False)
    found = render_list.merge_jobs([stale, DONE], [PROFILE])
    assert [view.id for view in found] == [6, 3]
    assert found[0] is PROFILE
    unstored = replace(PROFILE, id=-1)
    assert render_list.merge_jobs([DONE], [unstored]) == [unstored, DONE]


# Card


def test_the_card_of_what_runs() -> None:
    text = shown(PROFILE)
    for line in (
        " rate     4.1/s    ▃▄▆▇▇███▁▄▇█████",
        " left     1 h 47   then it is graded",
        " tokens   2.3 M in, 1.2 M out",
        " at end   more than $3.44   grading only",
        " ● Comerica Park     Detroit Tigers",
        " · Otto Hahn         J. J. Thomson",
    ):
        assert line in text, line
    assert " budget   $3.10 of $12.00  ━━━" in text
    assert text.splitlines()[0].endswith(" 32%")
    assert text.splitlines()[1] == " 12,480 of 38,700 answers, 11,260 labels"
    alone = replace(PROFILE, stages=PROFILE.stages[:2])
    assert " left     1 h 47   ends about 16:09" in shown(alone)


def levels_of(rates: tuple[float, ...]) -> str:
    return render_card.levels(rates, LOOK)


def test_rates_are_bars_up_to_the_highest() -> None:
    assert levels_of((0.0, 1.0, 2.0, 4.0, 8.0)) == "▁▂▃▅█"
    assert levels_of(()) == ""
    assert levels_of((0.0, 0.0)) == ""
    assert render_card.levels((1.0, 8.0), look_named("dark", ascii_glyphs=True)) == ".#"


def test_time_left_is_said_only_once_it_is_known() -> None:
    assert "known once 50 are done" in shown(replace(PROFILE, left=None))
    assert "known once" not in shown(replace(PROFILE, kind="build", left=None))


def test_what_a_build_has_done_are_steps() -> None:
    assert sentences.describe_kept(replace(PROFILE, kind="build")).endswith("steps are kept")


@pytest.mark.parametrize(
    ("left", "said"),
    [(60, "14:23"), (12 * 3600, "02:22 tomorrow"), (3 * 86_400, "23 Jul")],
)
def test_when_it_ends(left: float, said: str) -> None:
    assert time_text.format_end(left, NOW) == f"ends about {said}"


def test_stopped_by_the_budget() -> None:
    view = replace(
        PROFILE,
        state=State.STOPPED,
        reason=str(over_budget(Budget(12.0, 11.98), RunCounters())),
        stages=(JobStage(OFF, 7_680, 0, 31_020),),
    )
    said = "Stopped at {}. 31,020 of 38,700 answers, all kept. r continues."
    assert render_card.draw_state_sentence(view).text == said.format("$3.10 of $12.00")
    spent = replace(view, spends=(JobSpend(OFF, "m", 1, 1, 1, 1, 12.0),))
    assert render_card.draw_state_sentence(spent).text == said.format("$12.00")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"state": State.PAUSED}, "Paused. 12,480 of 38,700 answers, all kept. space goes on."),
        (
            {"state": State.STOPPED, "lost": True},
            "Its program is gone. 12,480 of 38,700 answers, all kept. space goes on.",
        ),
        (
            {"state": State.STOPPED, "reason": "no answer from localhost"},
            "No answer from localhost. 12,480 of 38,700 answers, all kept. space goes on.",
        ),
        (
            {"state": State.FAILED, "reason": "no such model"},
            "no such model. 12,480 answers are kept. space tries again.",
        ),
        ({"state": State.CANCELLED}, "Cancelled. 12,480 answers are kept. r begins it again."),
        ({"state": State.CANCELLED, "spec": None}, "Cancelled. 12,480 answers are kept."),
        ({"state": State.WAITING}, "Begins when the job before it is through."),
    ],
)
def test_where_a_job_is_that_does_not_run(changes: dict[str, object], said: str) -> None:
    assert render_card.draw_state_sentence(replace(PROFILE, **changes)).text == said  # type: ignore[arg-type]


def test_why_things_were_dropped_is_told_of_the_stage_under_the_cursor() -> None:
    stage = BUILT.stages[5]
    assert texts(list(render_card.reasons(stage, 42, LOOK)))[1:] == [
        " several right answers    512 ━━━━━━━━━━━",
        " needs a clarification    201 ━━━━",
        " answer in question       118 ━━━",
        " not found by search       76 ━━",
    ]
    assert "why 907 were dropped" in shown(BUILT, stage=stage)


def test_reasons_from_servers_are_inert_and_few() -> None:
    reasons = {f"\x1b[31m{number}\n": number for number in range(1, 21)}
    lines = texts(list(render_card.reasons(JobStage(OFF, failed=210, reasons=reasons), 42, LOOK)))
    assert len(lines) == 1 + render_card.REASONS + 1
    assert not any("\x1b" in line for line in lines)
    assert lines[-1] == " 12 other reasons  78"


def test_what_it_costs() -> None:
    free = replace(PROFILE, max_cost=None, spends=PROFILE.spends[:1])
    assert "cost     nothing" in shown(free)
    unknown = JobSpend(GRADE, "new", 1, 1, 1, 1, None)
    assert "cost     price not known" in shown(replace(free, spends=(unknown,)))
    spent = replace(PROFILE, max_cost=None)
    assert "cost     $3.10" in shown(spent)
    assert "budget" not in shown(spent)


def test_an_import_has_no_tokens_and_no_cost() -> None:
    text = shown(FAILED)
    assert "tokens" not in text
    assert "cost" not in text


@pytest.mark.parametrize("width", [30, 42, 60, 100])
@pytest.mark.parametrize("height", [6, 17, 27, 50])
def test_the_card_keeps_to_its_width(width: int, height: int) -> None:
    for view in VIEWS:
        for stage in (None, *view.stages):
            for line in render_card.lines(
                view, stage, render_card.CardRoom(width, height), NOW, LOOK
            ):
                assert line.width <= max(width, 45)


# Log


def test_the_log_as_in_the_design() -> None:
    lines = log_lines()
    assert log_view.draw_line(lines[0], 74)[0].text == (
        " 13:46:02 job    profile gemma3-12b: 38,700 questions, 8 answers each"
    )
    assert {span.role for span in log_view.draw_line(lines[13], 74)[0].spans} == {
        "ink", "ink-3", "label-i"
    }  # fmt: skip


def test_the_log_can_be_filtered_by_kind() -> None:
    lines = log_lines()
    found = {choice.name: len(log_view.choose_lines(lines, choice)) for choice in log_view.CHOICES}
    assert found == {"": 16, "trouble": 3, "answers": 7, "grades": 4, "job": 2}


def test_a_long_line_of_the_log_is_broken_and_ends() -> None:
    text = "word " * 1_000 + "\x1b]0;title\x07"
    lines = log_view.draw_line(LogLine(1, 1, NOW, "fail", text), 60)
    assert len(lines) == log_view.MOST
    assert all(line.width <= 60 for line in lines)
    assert lines[1].text.startswith(" " * log_view.TEXT + "word")
    assert lines[-1].text.endswith("…")


# What is behind the numbers


def test_what_is_behind_a_stage() -> None:
    from core.jobs.job_list import ErrorGroup

    stage = replace(PROFILE.stages[0], failed=12, reasons={"timeout": 12})
    group = ErrorGroup("timeout", 12, "gemma3-12b", "Q42, direct, thinking off, answer 3",
                       "Q42", "direct")  # fmt: skip
    found = stage_items.items(PROFILE, stage, [group])
    targets = [one.target for one in found if one.target]
    assert targets == [stage_items.ItemTarget(), stage_items.ItemTarget("Q42", "direct")]
    text = "\n".join(texts([one.line for one in found]))
    assert "8,982  waiting   the facts that are not complete" in text
    assert "Q42, direct, thinking off, answer 3" in text
    assert text.count("timeout") == 1


def test_behind_a_stage_that_asks_no_model_nothing_opens() -> None:
    found = stage_items.items(BUILT, BUILT.stages[5], [])
    assert not any(one.target for one in found)
    assert "several right answers" in "\n".join(texts([one.line for one in found]))


# Hostile texts

HOSTILE = "\x1b[31m\u202eevil\r\n[bold]" * 40 + "あ" * 300


@pytest.mark.parametrize("width", [20, 42, 80, 200])
def test_no_text_gets_through_as_it_is(width: int) -> None:
    stage = JobStage(HOSTILE, 1, 1, 1, 1, 1, {HOSTILE: 1})
    view = replace(
        PROFILE,
        name=HOSTILE,
        reason=HOSTILE,
        stages=(stage,),
        recent=(RecentAnswer(1, HOSTILE, HOSTILE),),
    )
    lines = [render_list.draw(view, width, True, LOOK)]
    lines += [
        render_stages.draw(row, width, True, LOOK) for row in render_stages.list_rows([view], True)
    ]
    lines += [one.line for one in stage_items.items(view, stage, [])]
    for state in State:
        room = render_card.CardRoom(width, 30)
        lines += render_card.lines(
            replace(view, state=state), stage, room, NOW, LOOK, [HOSTILE] * 9
        )
    lines += log_view.draw_line(LogLine(1, 1, NOW, HOSTILE, HOSTILE), width)
    for line in lines:
        assert line.text.isprintable()
        LOOK.strip(line, width)


def test_a_plan_that_is_out_says_how_it_stands_and_how_it_is_answered() -> None:
    view = JobView(
        id=3,
        kind="files",
        name="base",
        state=State.OUT,
        spec=FilesSpec("/data/[red]reqs", "file:base", "file:base"),
        stages=(
            JobStage("write", done=5),
            JobStage(OFF, waiting=312, done=80, dropped=8),
        ),
    )
    said = " ".join(shown(view).split())
    assert "Out in /data/[red]reqs. 312 out, 80 here, 8 missing, none refused." in said
    assert "enter shows the commands" in said
    assert sentences.describe_progress(view) == "out, 80 here"
    assert isinstance(view.spec, FilesSpec)
    lines = [one.line.text.strip() for one in job_dialogs.write_items(view, view.spec, 72)]
    assert "lostkeys jobs cancel 3" in lines
