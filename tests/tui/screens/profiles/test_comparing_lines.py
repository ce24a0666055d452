"""The lines of a comparison: cells, brackets, tests in words, hostile names."""

from dataclasses import replace
from itertools import product
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from core.results.model_comparison import FLOWS, Comparison, ShareChange
from core.stats import paired_tests
from core.views.profiles.profile_comparison import ComparisonTarget, CrossedProfiles
from core.vocabulary import CODES
from tests.tui.hostile import fault, texts
from tui.screens.profiles import render_comparison, render_flow, sentences
from tui.screens.profiles.render_flow import ORDER, SIZE, FlowCell
from tui.theme.look import look_named

LOOK = look_named("dark")
TABLE = np.arange(SIZE * SIZE).reshape(SIZE, SIZE)
CHANGE = ShareChange(
    "recall_failure", 0.40, 0.45, 0.05, (0.02, 0.08), 10, 40, paired_tests.PairedTest(0.001, 0.004)
)
WIDTHS = [34, 78, 98, 118, 198]


def crossed(a: str = "m", b: str = "n", policy: str | None = None) -> CrossedProfiles:
    side = SimpleNamespace(model=a, thinking=False)
    found = SimpleNamespace(
        a=side, b=side, compared=np.ones(3, bool), facts=np.ones(4, bool),
        other=np.zeros(4, bool), thinking=True, provisional=True,
    )  # fmt: skip
    return CrossedProfiles(a, b, ComparisonTarget(b, policy), cast(Comparison, found))


def test_rows_and_columns_stand_from_known_to_unknown() -> None:
    for place, code in enumerate(ORDER[:-1]):
        assert CODES[FLOWS[render_flow.PLACES[place]]] == code
    table = render_flow.arrange_table(TABLE)
    for a, b in product(range(SIZE), repeat=2):
        assert table[a, b] == TABLE[FlowCell(a, b).flows]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("lines", [1, 2])
def test_every_count_stands_in_its_cell(width: int, lines: int) -> None:
    made = render_flow.lines_of(TABLE, FlowCell(2, 3), width, lines)
    assert len(made) == 2 + SIZE * lines
    cells, head = render_flow.column(width), render_flow.HEAD
    for a, b in product(range(SIZE), repeat=2):
        text = made[1 + lines * a].text[head + b * cells : head + (b + 1) * cells]
        assert text.strip("[] ").split()[0] == f"{TABLE[a, b]:,}"
        assert (text[0] == "[") is ((a, b) == (2, 3))
        y, x = 1 + lines * a, head + b * cells
        assert render_flow.place_at(y, x, width, lines) == FlowCell(a, b)
    assert len({line.width for line in made}) == 1


@pytest.mark.parametrize("width", [60, 78, 200])
def test_totals_of_the_flow_are_all_in_full_or_all_in_thousands(width: int) -> None:
    table = np.diag([4_000_000, 470_000, 900, 20, 0, 0])
    lines = [line.text.split() for line in render_flow.lines_of(table, None, width, 1)]
    assert [line[-1] for line in lines[1:7]] == ["4,000k", "470k", "1k", "<1k", "0", "0"]
    assert lines[7][2:] == ["4,000k", "470k", "1k", "<1k", "0", "0", "4,471k"]


def test_the_bracket_begins_where_most_has_moved_and_stops_at_the_edges() -> None:
    table = np.diag([50] * SIZE)
    assert render_flow.find_fullest(table) == FlowCell(0, 0)
    table[3, 1], table[5, 2] = 4, 90  # those without a profile have not moved
    assert render_flow.find_fullest(table) == FlowCell(3, 1)
    assert FlowCell(0, 5).cell_beside(-1, 1) == FlowCell(0, 5)
    assert FlowCell(0, 5).cell_beside(1, -1) == FlowCell(1, 4)


def test_nothing_is_divided_by_nothing() -> None:
    empty = np.zeros((SIZE, SIZE), int)
    assert "%" not in "".join(line.text for line in render_flow.lines_of(empty, None, 80, 2))
    assert "–%" in render_flow.segment(empty, FlowCell(0, 0), crossed(), LOOK, False).text


@pytest.mark.parametrize(
    ("p", "words_"), [(1, "p 1"), (0.031, "p .031"), (0.00042, "p .0004"), (1e-9, "p <.0001")]
)
def test_chances_as_they_are_read(p: float, words_: str) -> None:
    assert render_comparison.p_words(p) == words_


def test_what_the_test_says() -> None:
    assert render_comparison.describe_test(CHANGE, False).text == "more than chance, p .004"
    assert render_comparison.describe_test(CHANGE, True).text == "uneven, p .004"
    chance = replace(CHANGE, tested=paired_tests.PairedTest(0.2, 0.6))
    assert render_comparison.describe_test(chance, False).text == "may be chance, p .6"
    assert render_comparison.describe_test(replace(CHANGE, tested=None), False).text == "…"
    assert (
        render_comparison.describe_test(replace(CHANGE, only_a=0, only_b=0), False).text
        == "no fact differs"
    )
    nothing = ShareChange("knows", None, None, None, None, 0, 0, None)
    assert render_comparison.describe_test(nothing, False).text == "–"


@pytest.mark.parametrize("width", WIDTHS)
def test_a_number_fits_its_heading(width: int) -> None:
    line = render_comparison.line_of(CHANGE, crossed(), True, width).text
    heading = render_comparison.heading(width).text
    assert max(len(line), len(heading)) <= width
    if width >= 78:
        shown = line.replace("recall failure", "").split()
        assert shown[1:7] == ["40.0", "45.0", "+5.0", "+2.0", "to", "+8.0"]
        assert line.index("40.0") + 4 == heading.index("A") + 1


@pytest.mark.parametrize("name", texts(seed=11, count=60))
def test_hostile_names_stay_on_their_line(name: str) -> None:
    found = crossed(name, name)
    shown = [
        render_flow.title(found, 76, LOOK),
        sentences.explain_alone(name),
        *sentences.explain_no_flow(found, found.against, name),
        *sentences.explain_no_flow(None, ComparisonTarget(name), "other"),
        *sentences.explain_no_flow(None, ComparisonTarget(None, name), "other"),
        *sentences.explain_no_flow(None, ComparisonTarget(name), name),
    ]
    for line in shown:
        text = line.copy_clipped(118).text
        assert fault(text.ljust(118 - line.copy_clipped(118).width + len(text)), 118) is None
