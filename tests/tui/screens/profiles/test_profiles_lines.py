"""The lines of the Profiles screen: whole cells, numbers, brackets, words, hostile names."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.dataset.fact_filters import Filters
from core.results.share_intervals import Sureness
from core.scoring.verdicts import ProfileSummary
from core.views.fact_query import FactQuery
from core.views.profiles.profile_rows import ProfileRow, RowKind, RowOrder
from core.views.profiles.profile_scores import ModelCounts
from core.vocabulary import CODE_ORDER, CODES, PROFILES, Strategy
from tests.core.views.making import lens_of
from tests.tui.hostile import fault, texts
from tui.dialogs.filter_dialog import FilterEntry, FilterGroup
from tui.screens.profiles import (
    render_bars,
    render_lens,
    render_rows,
    render_segment,
    subset_dialog,
)
from tui.screens.profiles.render_numbers import cells, half_width, percent, points
from tui.text.line import Line
from tui.theme.look import Look, look_named
from tui.theme.roles import PROFILE_CODES

LOOK = look_named("dark")


def counted(*shares: int, aside: tuple[int, int, int] = (0, 0, 0)) -> ModelCounts:
    """Facts with the codes DR RT IE RF EF, and NA DI and incomplete."""
    by_code = dict(
        zip(("DR", "RT", "IE", "RF", "EF", "NA", "DI", "··"), (*shares, *aside), strict=True)
    )
    verdicts = [by_code[CODES[profile]] for profile in PROFILES]
    summary = ProfileSummary(
        True, (*verdicts, aside[1], aside[0], aside[2], 0), sum(shares) // 2, shares[0]
    )
    return ModelCounts(summary, tuple(by_code.get(code, 0) for code in CODE_ORDER))


def unmeasured(*shares: int) -> ModelCounts:
    """Facts with the codes EK E- -K --, of a model without thinking."""
    codes = dict(zip(render_bars.UNMEASURED, shares, strict=True))
    summary = ProfileSummary(
        False, (0,) * 8 + (sum(shares),), shares[0] + shares[1], shares[0] + shares[2]
    )
    return ModelCounts(summary, tuple(codes.get(code, 0) for code in CODE_ORDER))


NOW, START = counted(30, 10, 2, 38, 20, aside=(3, 1, 4)), counted(40, 10, 0, 40, 10)


def row(
    name: str = "m", now: ModelCounts = NOW, start: ModelCounts = START, provisional: bool = False
) -> ProfileRow:
    return ProfileRow(name, 0, now, start, 5, provisional)


def drawing(
    width: int = 118, lines: int = 2, names: Sequence[str] = ("m",), marks: int = 0
) -> render_rows.RowContext:
    some = [row(name) for name in names]
    setting = render_rows.layout(width, some, RowKind.MODELS, marks, width < 100, lines, True)
    return render_rows.RowContext(setting, LOOK, True, None, (), RowKind.MODELS)


def test_a_count_of_facts_is_whole_however_great() -> None:
    for facts in (999, 12_345, 999_999, 123_456_789):
        great = row(now=counted(facts, 0, 0, 0, 0))
        for width in (60, 80, 118):
            setting = render_rows.layout(
                width, [great, row()], RowKind.MODELS, 0, width < 70, 1, True
            )
            drawn = render_rows.RowContext(setting, LOOK, True, None, (), RowKind.MODELS)
            shown = render_rows.row_line(great, None, False, drawn)
            assert shown.width <= width
            assert "…" not in shown.text
            if render_rows.FACTS in setting.columns:
                assert shown.text.endswith(f" {facts:,}")
                head = render_rows.column_line(RowOrder.FACTS, setting, LOOK)
                assert head.width == shown.width
                assert head.text.endswith(" facts")


def test_what_is_null_is_a_dash() -> None:
    nobody = row(now=unmeasured(0, 0, 0, 0), start=unmeasured(0, 0, 0, 0))
    shown = render_rows.row_line(nobody, None, False, drawing(lines=1))
    assert shown.text.split()[-6:] == ["–", "–", "–", "–", "–", "0"]
    beside = render_rows.start_line(nobody, drawing())
    assert beside.text.split()[-3:] == ["–", "–", "–"]


# Numbers


@given(st.lists(st.integers(0, 10**7), max_size=8), st.integers(0, 300))
def test_a_bar_is_always_full_and_no_part_is_off_by_a_cell(counts: list[int], width: int) -> None:
    found = cells(counts, width)
    total = sum(counts)
    assert len(found) == len(counts)
    assert sum(found) == (width if total else 0)
    for count, room in zip(counts, found, strict=True):
        assert not total or abs(room - count * width / total) < 1


def test_numbers() -> None:
    assert percent(0.7035) == "70.4"  # halves go up
    assert percent(1.0) == "100.0"
    assert percent(None) == "–"
    assert points(0.5, 0.514) == "−1.4"
    assert points(0.514, 0.5) == "+1.4"
    assert points(0.50001, 0.5) == "0.0"
    assert points(None, 0.5) == points(0.5, None) == "–"
    assert half_width((0.1, 0.136)) == "±1.8"
    assert half_width(None) == "–"


@pytest.mark.parametrize(
    ("room", "chosen", "shown"),
    [
        (8, False, " DR 70.4"),
        (7, False, " 70.4  "),
        (5, False, " 70.4"),
        (4, False, "    "),
        (9, True, "[DR 70.4]"),
        (8, True, "[70.4  ]"),
        (5, True, "[   ]"),
        (1, True, "["),
        (0, True, ""),
    ],
)
def test_labels(room: int, chosen: bool, shown: str) -> None:
    assert render_bars.label("DR", "70.4", room, chosen) == shown


# Bars


@pytest.mark.parametrize("width", range(0, 80, 7))
@pytest.mark.parametrize("chosen", [None, "DR", "IE", "EF", "NA"])
@pytest.mark.parametrize("one", [NOW, counted(0, 0, 0, 0, 0), unmeasured(3, 4, 0, 5)])
def test_bars_have_their_width(one: ModelCounts, chosen: str | None, width: int) -> None:
    assert render_bars.bar(one, width, chosen, LOOK).width == width
    assert render_bars.draw_thin_line(one, width, LOOK).width == width


@pytest.mark.parametrize("width", [5, 20, 30, 60])
def test_where_grounds_may_look_the_same_a_line_begins_each_part(width: int) -> None:
    look = look_named("ansi")
    bar, thin = (draw(NOW, width, look) for draw in (_bar, render_bars.draw_thin_line))
    parts = [one for one in render_bars.segments(NOW) if one.count]
    assert bar.width == thin.width == width
    assert _bar(NOW, width, LOOK).text.count("│") == 0
    if width >= 60:
        assert bar.text.count("│") == len(parts) - 1
        assert len(thin.text.split()) == len(parts) - 1  # IE has one cell, which stays


def _bar(one: ModelCounts, width: int, look: Look) -> Line:
    return render_bars.bar(one, width, None, look)


def test_a_bar_says_why_it_is_empty() -> None:
    found = render_bars.bar(counted(0, 0, 0, 0, 0, aside=(3, 1, 4)), 60, None, LOOK).text
    assert found.split("  ")[0] == "4 incomplete, 3 not gradable, 1 direct inference"
    assert render_bars.bar(counted(0, 0, 0, 0, 0), 20, None, LOOK).text.strip() == "no facts"


def test_without_thinking_the_bar_is_hatched_and_says_so() -> None:
    one = unmeasured(30, 40, 10, 20)
    bar = render_bars.bar(one, 60, "E-", LOOK)
    assert "EK 30.0" in bar.text
    assert "[E- 40.0" in bar.text
    assert "░" in bar.text
    assert bar.part_at(20) == "E-"
    assert render_bars.draw_thin_line(one, 60, LOOK).text.strip() == "thinking not measured"


def test_segments_are_chosen_one_after_the_other() -> None:
    codes = [code := "DR"]
    for _ in range(9):
        code = render_bars.next_code(NOW, code, 1) or ""
        codes.append(code)
    assert codes == ["DR", "RT", "IE", "RF", "EF", "NA", "DI", "··", "··", "··"]
    assert render_bars.next_code(NOW, "DR", -1) == "DR"
    assert (
        render_bars.next_code(START, "IE", 1) == "DR"
    )  # there is none, and DR is the first of the largest
    assert render_bars.find_nearest(unmeasured(1, 5, 2, 3), "RF") == "E-"
    assert render_bars.next_code(counted(0, 0, 0, 0, 0), "DR", 1) is None


# Rows


def test_a_row_in_full() -> None:
    line = render_rows.row_line(row("gemma3-27b"), "RF", True, drawing(names=["gemma3-27b"]))
    assert line.text.startswith(" gemma3-27b  DR 30.0")
    assert "[RF 38.0" in line.text
    assert line.text.split()[-7:] == ["50.0", "30.0", "43.0", "2.9", "1.0", "3.8", "100"]
    below = render_rows.start_line(row("gemma3-27b"), drawing(names=["gemma3-27b"]))
    assert below.text.split()[-3:] == ["0.0", "−10.0", "−7.0"]


def test_marks_after_the_name() -> None:
    setting = drawing(names=["gpt"], marks=4)
    doubted = render_rows.RowContext(setting.layout, LOOK, True, None, ("gpt",), RowKind.MODELS)
    line = render_rows.row_line(row("gpt", provisional=True), None, False, doubted)
    assert line.text.startswith(" gpt … !  DR 30.0")


@pytest.mark.parametrize("width", [20, 38, 60, 80, 118, 198])
@pytest.mark.parametrize("lines", [1, 2])
def test_rows_fit_whatever_the_names_are(width: int, lines: int) -> None:
    for name in texts(seed=3, count=60):
        setting = drawing(width, lines, names=[name], marks=4)
        for by in RowKind:
            one = render_rows.RowContext(setting.layout, LOOK, True, {}, (name,), by)
            for line in (
                render_rows.row_line(row(name, provisional=True), "RF", True, one),
                render_rows.start_line(row(name), one),
                render_rows.column_line(RowOrder.NAME, one.layout, LOOK),
            ):
                assert line.width <= width
                assert fault(LOOK.strip(line, width).text, width) is None


def test_intervals_stand_where_differences_stood() -> None:
    rates = {"encodes": (0.4, 0.6), "knows": None, "knows_thinking": None, "excluded_share": None}
    setting = drawing()
    one = render_rows.RowContext(
        setting.layout, LOOK, True, {"m": Sureness(None, rates)}, (), RowKind.MODELS
    )
    assert render_rows.start_line(row(), one).text.split()[-3:] == ["±10.0", "–", "–"]


def test_names_of_groups() -> None:
    assert render_rows.shown_name("WORK_OF_ART", RowKind.TYPES) == "work of art"
    assert render_rows.shown_name("top", RowKind.TIERS) == "top 20% of views"
    assert render_rows.shown_name("People", RowKind.TOPICS) == "People"


# The lens


def test_the_slider_has_knob_and_notch() -> None:
    line = render_lens.slider(0.75, 0.5, 25, LOOK)
    assert line.text == "━" * 12 + "┼" + "━" * 5 + "●" + "─" * 6
    assert render_lens.slider(0.5, 0.5, 25, LOOK).text.count("┼") == 0
    assert line.part_at(0) == "tau:0.00"
    assert render_lens.slider(0.99, 0.0, 25, LOOK).text[-1] == "●"


def test_the_lens_in_two_lines() -> None:
    start = lens_of("m", a="gemini-2.5-pro")
    lens = start.with_policy(tau=0.75)
    first = render_lens.draw_policy(lens, start, False, LOOK).text
    assert "τ .75 was .50" in first
    assert first.endswith("weight –")
    weighed = render_lens.draw_policy(
        lens.with_policy(strategy=Strategy.PARTIAL), start, False, LOOK
    )
    assert weighed.text.endswith("weight .51")
    second = render_lens.draw_graders(lens, "all 2,150", RowKind.MODELS).text
    assert "human:* then gemini-2.5-pro" in second
    assert "facts all 2,150" in second
    chosen = FactQuery("river", Filters(topics=frozenset({"Arts"})))
    assert render_lens.chips(chosen).text == "  Arts   `river` "
    assert not render_lens.chips(FactQuery()).text


def test_hostile_graders_and_topics_stay_in_their_place() -> None:
    for name in texts(seed=4, count=60):
        wanted = FactQuery(name, Filters(topics=frozenset({name})))
        line = render_lens.draw_graders(lens_of("m", a=name), "1 of 2", RowKind.TOPICS)
        assert line.text[70:75] == "rows " or not line.text.isascii()
        assert fault(LOOK.strip(line, 118).text, 118) is None
        assert fault(LOOK.strip(render_lens.chips(wanted), 118).text, 118) is None


def test_what_the_start_is_called() -> None:
    start = lens_of("m", a="x")
    assert render_lens.describe_start(start, start, LOOK) is None
    assert render_lens.describe_start(start.with_policy(tau=0.9), start, LOOK) == "τ .50"
    partial = start.with_policy(strategy=Strategy.PARTIAL)
    assert render_lens.describe_start(start, partial, LOOK) == "partial .51"
    assert render_lens.describe_start(lens_of("m", a="y"), start, LOOK) == "human:* then x"


# The segment


def test_a_segment_is_counted() -> None:
    line = render_segment.segment(row(), "RF", RowKind.MODELS, "τ .50", None, False)
    assert line.text == (
        "m    RF  recall failure   38 facts   38.0% of 100   −2.0 points since τ .50"
        "   excluded 4: 3 not gradable, 1 direct inference; incomplete 4"
    )
    short = render_segment.segment(row(), "RF", RowKind.MODELS, "τ .50", None, True)
    assert short.text == (
        "m   RF  recall failure  38 facts  38.0%  −2.0  5 moved  excl 4 (NA 3, DI 1), incomplete 4"
    )


SPLIT = ("excluded 4: 3 not gradable, 1 direct inference;", "excl 4 (NA 3, DI 1),")


@pytest.mark.parametrize("room", range(60, 140))
def test_what_is_in_no_bar_is_counted_in_any_room(room: int) -> None:
    one = row(provisional=True)
    line = render_segment.segment(one, "IE", RowKind.MODELS, "τ .50", None, False, room)
    assert any(words in line.text for words in SPLIT)
    assert "incomplete 4" in line.text
    if line.width > room:
        assert not any(words in line.text for words in ("complete   ", "since"))
    short = render_segment.segment(one, "IE", RowKind.MODELS, "τ .50", None, True, room)
    assert short.width <= room
    assert "104 of 108 complete" in short.text
    assert ("recall failure" not in short.text) or "excl 4" in short.text


@pytest.mark.parametrize("room", [79, 115, 195])
def test_of_a_segment_the_name_is_cut_first_and_no_count(room: int) -> None:
    now = counted(70_000, 10_000, 2_000, 38_000, 20_000, aside=(3_000, 1_000, 4_000))
    one = row("meta-llama/Llama-4-Maverick-17B-128E-Instruct-FP8", now)
    narrow = room < 100
    line = render_segment.segment(one, "EF", RowKind.MODELS, "τ .50", None, narrow, room)
    assert line.width <= room
    assert line.text.startswith("meta-" if narrow else "meta-llama/Lla")
    for part in (" EF ", "20,000 facts", "14.3%", "+4.3", "4,000", "incomplete 4,000"):
        assert part in line.text


@pytest.mark.parametrize("width", [66, 78, 90, 118, 198])
@pytest.mark.parametrize("start", [1, 20, 45])
def test_the_legend_loses_words_before_codes(width: int, start: int) -> None:
    for short in (False, True):
        line = render_bars.legend(width, start, LOOK, short)
        assert line.width <= width
        assert all(f" {code} " in line.text for code in PROFILE_CODES)
    assert " DR  direct recall  " in render_bars.legend(198, start, LOOK, False).text
    assert render_bars.legend(30, start, LOOK, True).text.split() == list(PROFILE_CODES)


@pytest.mark.parametrize("width", [78, 118, 198])
@pytest.mark.parametrize("lines", [1, 2])
def test_differences_and_shares_stand_apart(width: int, lines: int) -> None:
    lost = row("m" * 60, counted(0, 0, 0, 0, 9), counted(9, 0, 0, 0, 0))
    setting = render_rows.layout(width, [lost], RowKind.MODELS, 0, width < 100, lines, True)
    one = render_rows.RowContext(setting, LOOK, True, None, (), RowKind.MODELS)
    text = render_rows.row_line(lost, "EF", True, one).text
    below = render_rows.start_line(lost, one).text
    assert "−100.0" in (text if lines == 1 or width < 100 else below).split()
    assert "EF 100.0" in text
    if width > 100 and lines == 2:
        assert below.split()[-2:] == ["−100.0"] * 2


def test_what_is_set_aside_has_no_share() -> None:
    line = render_segment.segment(row(provisional=True), "··", RowKind.MODELS, None, None, False)
    assert "4 facts" in line.text
    assert "%" not in line.text
    assert "104 of 108 complete" in line.text


def test_an_interval_is_that_of_the_segment() -> None:
    shares = {
        str(profile): (place / 10, place / 10 + 0.05) for place, profile in enumerate(PROFILES)
    }
    sure = {"m": Sureness(shares, {})}
    for code in render_bars.MEASURED:
        place = [CODES[profile] for profile in PROFILES].index(code)
        line = render_segment.segment(row(), code, RowKind.MODELS, None, sure, False)
        assert f"95% {10 * place}.0 to {10 * place + 5}.0" in line.text


def test_more_recall_failure_is_bad_news_and_more_recall_is_good() -> None:
    more = row(now=counted(50, 0, 0, 50, 0), start=counted(40, 20, 0, 40, 0))
    roles = {
        code: render_segment.segment(more, code, RowKind.MODELS, "x", None, True).spans
        for code in ("DR", "RF")
    }
    assert any(span == ("+10.0", "label-c", None) for span in roles["DR"])
    assert any(span == ("+10.0", "label-i", None) for span in roles["RF"])


# Subsets


def test_the_form_has_nothing_that_depends_on_a_model() -> None:
    entries: list[FilterGroup | FilterEntry] = [
        FilterGroup("profile"),
        FilterEntry("verdicts", "DR", "DR", 1),
        FilterGroup("topic"),
        FilterEntry("topics", "Arts", "Arts", 1),
        FilterGroup("graders"),
        FilterEntry("differs", "any", "differ", 1),
        FilterGroup("review"),
        FilterEntry("reviews", "flagged", "flagged", 1),
        FilterEntry("rejected", "rejected", "rejected", 1),
    ]
    assert subset_dialog.keep_entries(entries) == [entries[2], entries[3], entries[6], entries[7]]


@pytest.mark.parametrize("width", range(6, 120))
def test_without_thinking_no_share_stands_without_its_code(width: int) -> None:
    line = render_bars.bar(unmeasured(27, 296, 25, 652), width, None, LOOK)
    assert line.width == width
    words = line.text.replace("░", " ").replace("▒", " ").replace("─", " ").split()
    assert all(word in render_bars.UNMEASURED for word in words[0::2]), words
