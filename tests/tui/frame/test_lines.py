"""The frame's lines, drawn without an app."""

from dataclasses import replace
from typing import Any

import pytest

from core.jobs.job_progress import JobProgress, State
from core.views.lens import Lens
from core.vocabulary import Strategy
from tests.core.views.making import lens_of
from tui.app.tab_table import TABS
from tui.frame.job_line import job_line
from tui.frame.key_line import key_line
from tui.frame.status_line import clip_before_keys, database_line
from tui.frame.top_bar import LensWords, bar_line, change_line, lens_parts
from tui.keys import KEYS, Key, cap
from tui.text.line import Line
from tui.theme.look import look_named

LOOK = look_named("dark")
LENS = lens_of(model="gemma3-27b", a="llm:gemini-2.5-pro", b="gpt-5")
JOB = JobProgress(
    "answering", "gemma3-12b", "answers", State.RUNNING, 12_480, 38_700, 0, 4.1, 6420.0
)


def works(*places: str) -> list[tuple[Key, str]]:
    return [(key, key.keys.split(",")[0]) for key in KEYS if set(places) & set(key.places)]


def bar(tab: str, width: int, lens: Lens = LENS, **given: Any) -> Line:
    return bar_line(tab, lens, width, LOOK, **given)


def test_tabs_say_where_one_is() -> None:
    line = bar("task", 120)
    assert line.text == (
        " F1Facts F2 Task  F3Profiles F4Confusion F5Review F6Jobs F7Figures F8Latent F9Bench"
        "    gemma3-27b off+on you›A .50 pair "
    )
    assert {span.role for span in line.spans if "Task" in span.text} == {"accent bold @chip"}
    assert line.part_at(2) == "visit('facts')"
    assert " F6 Jobs ! F7 Figures" in bar("facts", 140, marked=("jobs",)).text


def test_the_bar_is_shorter_where_there_is_less_room_and_keeps_its_keys() -> None:
    assert bar("profiles", 200).text.startswith("  Lostkeys   F1 Facts F2 Task F3 Profiles  F4 Co")
    assert bar("profiles", 200).text.endswith(
        "  model gemma3-27b   thinking off+on   grader human › gemini-2.5-pro   tau .50   pair "
    )
    assert bar("profiles", 160).text == (
        " F1 Facts F2 Task F3 Profiles  F4 Confusion F5 Review F6 Jobs F7 Figures F8 Latent"
        " F9 Bench            gemma3-27b  thinking off+on  grader you›A  tau .50  pair "
    )
    assert bar("profiles", 100).text == (
        " F1Facts F2Task F3 Profiles  F4Conf F5Rev F6Jobs F7Fig F8Lat F9Ben"
        " gemma3-27b off+on you›A .50 pair "
    )
    assert bar("profiles", 80).text == (
        " F1Facts F2Task F3 Profiles  F4Conf F5Rev F6Jobs F7Fig F8Lat F9Ben gemma…7b .50 "
    )
    assert bar("profiles", 60).text == (
        " F1 F2 F3 Profiles  F4 F5 F6 F7 F8 F9        gemma3-27b .50 "
    )
    assert bar("profiles", 40).text == " F1 F2 F3 F4 F5 F6 F7 F8 F9 gemm…7b .50 "


def test_a_screen_may_say_what_it_goes_by_instead_of_the_lens() -> None:
    own = ("n 50", "zero-prompt")
    line = bar("latent", 120, own=own)
    assert line.text.endswith(" F8 Latent  F9 Bench gemma3-27b n 50 zero-prompt ")
    assert bar("latent", 80, own=own).text.endswith(" F8 Latent  F9Ben    gemma3-27b ")


def test_a_step_of_the_lens_says_what_it_changed_and_how_it_goes_back() -> None:
    def said(now: Lens) -> str:
        return change_line(LENS, now, LOOK).text

    assert said(LENS.with_policy(tau=0.75)) == "threshold .75, was .50   u takes it back"
    fact = LENS.with_policy(strategy=Strategy.FACT)
    assert said(fact) == "fact, was pair   u takes it back"
    both = fact.with_policy(tau=0.25)
    assert said(both) == "threshold .25, was .50, fact, was pair   u takes it back"
    assert said(LENS.next_thinking()).startswith("thinking ")


MODELS = (
    "gemma3-27b",
    "Qwen/Qwen3-30B-A3B-Instruct-2507",
    "模型名字很长的模型-長い名前",
    "a" * 300,
)


@pytest.mark.parametrize("width", [40, 60, 80, 100, 120, 160, 200])
@pytest.mark.parametrize("model", MODELS)
def test_nine_tabs_say_their_keys_and_the_threshold_stays(width: int, model: str) -> None:
    for one in TABS:
        line = bar(one.tab, width, replace(LENS, model=model), marked=("jobs",))
        assert line.width == width
        at = [line.text.index(f" F{digit}") for digit in range(1, 10)]
        assert at == sorted(at)
        for place in TABS:
            assert line.part_at(line.text.index(cap(place.key))) == f"visit('{place.tab}')"
            name = place.name if place is one else place.short
            assert name in line.text or width < 80
        assert " .50 " in line.text
        assert f" {model[:2]}" in line.text
        assert "off+on" in line.text or width <= 100
        if width >= 100 and model is not MODELS[0]:
            assert line.text.count("…") <= 1
            shown = line.text[: line.text.index(" .50")].removesuffix(" τ").split()
            assert any(part.endswith(model[-1:]) for part in shown)


@pytest.mark.parametrize("width", [40, 80, 100, 120, 160, 200])
def test_a_long_name_of_a_model_is_cut_in_its_middle_and_nothing_else(width: int) -> None:
    line = bar("task", width, replace(LENS, model="a-model-with-a-name-" * 12 + "it"))
    assert line.width == width
    assert line.text.count("…") == 1
    assert line.text.endswith("pair " if width >= 100 else "it .50 ")


def test_of_all_models_the_number_stays_where_there_is_no_room() -> None:
    lens = replace(LENS, model="all 3 models")
    assert "all 3 models" in bar("review", 120, lens).text
    short = bar("review", 80, lens).text
    assert short.rstrip().endswith(" all 3 .50")
    assert "…" not in short


def test_what_is_not_as_at_the_start_stands_out() -> None:
    line = lens_parts(LENS.with_policy(tau=0.75), LensWords.CLOSE, LOOK, LENS)
    assert [span.text for span in line.spans if span.role == "ink bold"] == [".75"]
    same = lens_parts(LENS, LensWords.CLOSE, LOOK, LENS)
    assert "ink bold" not in {span.role for span in same.spans}


def test_the_lens_in_other_states() -> None:
    assert bar("task", 120, Lens()).text.endswith(" no model yet ")
    partial = LENS.with_policy(strategy=Strategy.PARTIAL, tau=0.25)
    assert bar("task", 120, partial).text.split()[-4:] == ["τ", ".25", "partial", ".51"]
    plain = lens_parts(LENS, LensWords.SPACED, look_named("dark", ascii_glyphs=True))
    assert "tau .50" in plain.text


def test_what_runs_is_told_in_full_and_in_short() -> None:
    line = job_line(JOB, 120, LOOK)
    assert line.text == (
        "▶ answering gemma3-12b  12,480 of 38,700  ━━━━━───────────  4.1/s  1 h 47 left "
    )
    short = job_line(JOB, 80, LOOK)
    assert short.text == "▶ answering 32% ━━──────  1 h 47 left "


def test_a_failed_job_says_why() -> None:
    failed = JobProgress("importing", "x.csv", "rows", State.FAILED, reason="no such\x1b file")
    assert job_line(failed, 120, LOOK).text == "! importing no such␛ file "


def test_a_job_that_pauses_or_stops_says_so() -> None:
    paused = replace(JOB, state=State.PAUSED, rate=None, left=None)
    assert job_line(paused, 120, LOOK).text.startswith("⏸ answering gemma3-12b  12,480 of 38,700")
    assert "paused" in job_line(paused, 80, LOOK).text
    stopped = replace(JOB, state=State.STOPPED, reason="no answer from the server")
    assert job_line(stopped, 120, LOOK).text == "⏸ answering no answer from the server "


@pytest.mark.parametrize("state", State)
def test_every_state_has_a_line(state: State) -> None:
    line = job_line(replace(JOB, state=state), 80, LOOK)
    assert "answering" in line.text
    assert line.width <= 60


def test_the_database_with_ones_own_labels() -> None:
    assert database_line("a.db", 2150, 0, "mira").text == "a.db  2,150 facts"
    assert database_line("a.db", 1, 38, "mira").text == "a.db  1 fact  38 labels by human:mira"
    assert database_line("a.db", None, 0, "").text == "a.db  …"


@pytest.mark.parametrize("width", [40, 60, 80, 100, 120, 160, 200])
def test_help_stays_at_every_width(width: int) -> None:
    line = key_line(works("list", "facts", "everywhere"), width)
    assert line.width == width
    assert "? help" in line.text
    assert line.text.startswith(" j/k move ")


def test_the_key_line_names_what_is_used_most() -> None:
    line = key_line(works("list", "facts", "everywhere"), 120)
    assert line.text == (
        " j/k move  1-0 task  space unfold  enter open  / search  f filter  s sort  r start"
        "  esc back        ? help  ^p commands "
    )
    assert key_line(works("answer", "list", "task", "everywhere"), 80).text.startswith(
        " c i p o label  e edit  j/k move  n note  u/U undo  v view  esc back "
    )
    assert line.part_at(2) == "j"
    assert line.part_at(line.text.index("? help")) == "?"


def test_where_a_fact_alone_is_in_sight_the_way_back_is_named() -> None:
    line = key_line(works("list", "facts", "everywhere"), 80, reading=True)
    assert line.text.startswith(
        " j/k move  1-0 task  space unfold  enter open  t thinking  esc back "
    )


def test_words_of_a_message_are_cut_before_the_keys_behind_them() -> None:
    line = Line(" undone: on 6 of Mohawk (reverse natural, gemma3-27b), CORRECT withdrawn", "ink")
    line.add("   ").add("U", "accent bold").add(" redoes it", "ink-2")
    cut = clip_before_keys(line, 80)
    assert cut.width <= 80
    assert cut.text.endswith("…  U redoes it")
    assert cut.text.startswith(" undone: on 6 of Mohawk (reverse natural")


def test_a_message_that_begins_with_keys_is_cut_at_its_end() -> None:
    line = Line("ctrl+r", "accent bold").add(" clears  3 not written: p.db is locked", "label-i")
    assert clip_before_keys(line, 30).text == "ctrl+r clears  3 not written:…"


def test_nine_tabs_keep_their_names_beside_a_lens_at_120_columns() -> None:
    text = bar("facts", 120, replace(LENS, model="gemini-3-pro")).text
    assert "F3Profiles F4Confusion F5Review F6Jobs F7Figures F8Latent F9Bench" in text
    assert text.endswith(" gemini-3-pro off+on you›A .50 pair ")
