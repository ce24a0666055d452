"""Figures in lines, tables and text: what stands where, at any width, whatever the names."""

import re
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.figures.figure import Figure, FigureRow, Panel, PanelKind, Point
from core.figures.recall_figures import FAILED, GAP, TIERS
from core.figures.series import BY_LABEL, BY_PROFILE, KNOWN
from tests.tui.hostile import fault, texts, unique
from tui.screens.figures import render_marks
from tui.screens.figures.figure_facts import facts_behind
from tui.screens.figures.render_detail import detail
from tui.screens.figures.render_figure import FigureLine, FigureRoom, draw_figure
from tui.screens.figures.render_marks import Axis
from tui.screens.figures.render_table import draw_table, format_copy
from tui.text.line import Line
from tui.theme.look import look_named

LOOK = look_named("dark")
WIDTHS = (38, 78, 85, 150)


def pairs(*rows: tuple[str, float | None, float | None], title: str = "stored") -> Panel:
    return Panel(
        title,
        PanelKind.DUMBBELL,
        TIERS,
        [
            FigureRow(name, [Point(a, n=40), Point(b, n=40)], name, excluded=3,
                of_series={"bottom": "number:1", "top": "number:2-3"})
            for name, a, b in rows
        ],
        gap=GAP,
    )  # fmt: skip


def stacked(name: str, *shares: float | None) -> Panel:
    row = FigureRow(name, [Point(share, n=200) for share in shares], name)
    return Panel("profiles", PanelKind.STACK, BY_PROFILE, [row], sums=KNOWN, sum_words="known")


def lines_panel(steps: Sequence[str], *rows: tuple[str, Sequence[float | None]]) -> Panel:
    drawn_rows = [FigureRow(name, [Point(value, n=9) for value in values]) for name, values in rows]
    return Panel("passed", PanelKind.LINES, BY_PROFILE, drawn_rows, steps)


def figure(*panels: Panel) -> Figure:
    return Figure("5", "popularity", "A title", panels, ("a caption",), ("a note",))


def shown(one: Figure, width: int = 85, height: int = 6) -> list[str]:
    return [line.line.text.rstrip() for line in draw_figure(one, FigureRoom(width, height), LOOK)]


class TestMarks:
    def test_an_axis_has_its_ends_in_its_first_and_last_cell(self) -> None:
        axis = Axis(0, 1, 21)
        assert [axis.find_cell(share) for share in (0, 0.25, 0.5, 1)] == [0, 5, 10, 20]
        assert axis.find_cell(1.7) == 20
        assert axis.find_cell(-1) == 0

    def test_a_stack_of_few_facts_is_hollow_and_says_how_many(self) -> None:
        def drawn(facts: int, width: int = 40) -> Line:
            shares = (1 / 3, 0.0, 0.0, 2 / 3, 0.0)
            row = FigureRow("m", [Point(share, n=facts) for share in shares], "m")
            panel = Panel("profiles", PanelKind.STACK, BY_PROFILE, [row], sums=KNOWN)
            return render_marks.stack(panel, row, width, LOOK)

        few, many = drawn(3), drawn(20)
        assert few.text == "├DR 33.3────├RF 66.7──────────────── n 3"
        assert not any("@" in span.role for span in few.spans)
        assert " n " not in many.text
        assert all("@" in span.role for span in many.spans if span.text.strip())
        assert all(drawn(3, width).width == width for width in range(5, 60))

    def test_dots_stand_at_their_shares_with_a_bar_between(self) -> None:
        panel = pairs(("m", 0.25, 0.75))
        assert render_marks.dots(panel, panel.rows[0], Axis(0, 1, 21), LOOK).text == (
            "│    o━━━━━━━━━●    │"
        )

    def test_two_dots_in_one_cell_stand_beside_each_other(self) -> None:
        for share, wanted in ((0.0, "o●"), (0.5, "o●"), (1.0, "o●")):
            panel = pairs(("m", share, share))
            text = render_marks.dots(panel, panel.rows[0], Axis(0, 1, 21), LOOK).text
            assert wanted in text
            assert len(text) == 21

    def test_of_two_dots_in_one_cell_the_lower_is_at_the_left(self) -> None:
        panel = pairs(("m", 0.51, 0.49))
        assert "●o" in render_marks.dots(panel, panel.rows[0], Axis(0, 1, 21), LOOK).text

    def test_a_dot_without_a_value_is_left_out(self) -> None:
        panel = pairs(("m", None, 0.5))
        text = render_marks.dots(panel, panel.rows[0], Axis(0, 1, 21), LOOK).text
        assert "o" not in text
        assert text[10] == "●"

    def test_an_interval_is_a_thin_line_around_its_dot(self) -> None:
        row = FigureRow("m", [Point(0.5, 0.25, 0.75, 9)])
        panel = Panel("t", PanelKind.DOTS, TIERS[:1], [row])
        assert render_marks.dots(panel, row, Axis(0, 1, 21), LOOK).text == "│    ─────o─────    │"

    def test_a_stack_fills_its_bar_and_says_what_has_room(self) -> None:
        panel = stacked("m", 0.5, 0.25, 0.0, 0.05, 0.2)
        line = render_marks.stack(panel, panel.rows[0], 40, LOOK)
        assert line.text == " DR 50.0             RT 25.0  RF 20.0   "
        assert [span.role.split()[-1] for span in line.spans if span.text] == [
            "@fill-dr", "@fill-rt", "@fill-rf", "@fill-ef"
        ]  # fmt: skip

    @given(st.lists(st.floats(0, 1), min_size=1, max_size=6), st.integers(1, 120))
    @settings(deadline=None)
    def test_widths_of_parts_sum_to_the_whole(self, shares: list[float], cells: int) -> None:
        found = render_marks._widths(shares, cells)
        assert sum(found) == (cells if sum(shares) else 0)
        assert all(abs(one - share / (sum(shares) or 1) * cells) < 1 + 1e-6
                   for one, share in zip(found, shares, strict=True))  # fmt: skip

    def test_differences_have_a_true_minus(self) -> None:
        assert [render_marks.format_gap(gap) for gap in (0.214, -0.03, -0.0001, None)] == [
            "21.4", "−3.0", "0.0", "–"
        ]  # fmt: skip


@pytest.mark.parametrize("width", [60, 78, 118, 198])
def test_no_count_is_cut_in_a_drawing_or_table(width: int) -> None:
    def points(*values: float) -> list[Point]:
        return [Point(value, value / 2, 1.0, n=1_234_567 + at) for at, value in enumerate(values)]

    steps = lines_panel(tuple("1234567890"), *((one.words, [1.0] * 10) for one in BY_PROFILE))
    rows = [FigureRow(one.words, points(*[0.5] * len(BY_LABEL))) for one in BY_LABEL]
    matrix = Panel("labels", PanelKind.MATRIX, BY_LABEL, rows)
    gap = Panel(
        "stored", PanelKind.DUMBBELL, TIERS, [FigureRow("m" * 60, points(1.0, 0.5))], gap=GAP
    )
    shares = Panel("profiles", PanelKind.STACK, BY_PROFILE, [FigureRow("m", points(*[0.2] * 5))])
    for panel in (steps, matrix, gap, shares):
        drawing = draw_figure(figure(panel), FigureRoom(width), LOOK)
        table = draw_table(figure(panel), width)
        for line in (*drawing, *table):
            assert line.line.width <= width
            words = re.sub("(bottom|top) 2.*", "", line.line.text)
            assert not re.search(r"[0-9][0-9.,]*…", words), words
        places = {place for line in table for place in line.places}
        assert len(places) == sum(len(row.points) for row in panel.rows)


class TestDrawing:
    def test_counts_of_a_column_are_all_in_full_or_all_in_thousands(self) -> None:
        rows = [FigureRow(str(n), [Point(0.2, n=n)] * 5) for n in (5, 900, 4_470_000)]
        panel = Panel("profiles", PanelKind.STACK, BY_PROFILE, rows)
        for width in WIDTHS:
            counts = [line.split()[-1] for line in shown(figure(panel), width) if "20.0" in line]
            assert counts == ["<1k", "1k", "4,470k"]

    def test_panels_of_the_same_rows_stand_beside_each_other(self) -> None:
        rows = ("small", 0.1, 0.3), ("large", 0.6, 0.9)
        text = shown(figure(pairs(*rows), pairs(*rows, title="recalled")))
        assert text[0] == " A title"
        assert text[1] == " o bottom 20% by page views   ● top 20%   Δ gap in points"
        assert "stored" in text[3]
        assert "recalled" in text[3]
        assert text[4].startswith(" small ")
        assert text[4].count("20.0") == 2
        assert [word for word in text[6].split() if word == "100"] == ["100", "100"]
        assert text[-2:] == [" a note", " a caption"]

    def test_in_narrow_panes_they_stand_below_each_other(self) -> None:
        rows = (("small", 0.1, 0.3),)
        text = shown(figure(pairs(*rows), pairs(*rows, title="recalled")), 38)
        assert sum(line.startswith(" small") for line in text) == 2

    def test_rows_have_blank_lines_between_them_where_all_are_in_sight_then(self) -> None:
        one = figure(pairs(("a", 0.1, 0.2), ("b", 0.1, 0.2)))
        assert len(shown(one, 85, 40)) == len(shown(one, 85, 6)) + 1

    def test_steps_with_short_names_stand_side_by_side(self) -> None:
        panel = lines_panel(["k 1", "k 2"], ("m", [0.5, None]), ("n", [1.0, 0.125]))
        text = shown(figure(panel))
        at = next(place for place, line in enumerate(text) if "k 1" in line)
        assert text[at + 1].split() == ["m", "▅", "50.0", "–"]
        assert text[at + 2].split() == ["n", "█", "100.0", "▂", "12.5"]

    def test_steps_with_long_names_are_rows(self) -> None:
        names = ["gemma3-270m-something", "gemma3-27b-something"]
        panel = lines_panel(names, ("knows", [0.1, 0.6]), ("recall failure", [0.5, 0.25]))
        page = draw_figure(figure(panel), FigureRoom(85, 20), LOOK)
        rows = [one for one in page if one.places]
        assert [one.name for one in rows] == names
        assert "10.0" in rows[0].line.text
        assert "50.0" in rows[0].line.text
        assert [(place.row, place.point) for place in rows[1].places] == [(0, 1), (1, 1)]

    @pytest.mark.parametrize("width", [46, 60, 78, 85, 150])
    def test_lines_over_steps_stand_in_banks_so_that_bars_have_room(self, width: int) -> None:
        names = ["gemma3-270m-something", "gemma3-27b-something"]
        lines = [(series.words, [0.125, 0.5]) for series in BY_PROFILE]
        panel = lines_panel(names, ("knows", [0.25, 1.0]), *lines)
        rows = [one for one in draw_figure(figure(panel), FigureRoom(width, 9), LOOK) if one.places]
        assert sorted(
            (place.row, place.point) for one in rows for place in one.places
        ) == [(row, point) for row in range(6) for point in range(2)]  # fmt: skip
        for one in rows:
            assert one.line.width <= width
            bars = one.line.text.replace(LOOK.glyph("track"), LOOK.glyph("bar"))
            assert bars.count(LOOK.glyph("bar")) >= 8 * len(one.places)

    def test_a_matrix_shows_counts_and_shares(self) -> None:
        rows = [FigureRow(one.words, [Point(0.25, n=1250)] * 4) for one in BY_LABEL]
        text = shown(figure(Panel("a, b", PanelKind.MATRIX, BY_LABEL, rows)))
        (line,) = [line for line in text if line.startswith(" correct ")]
        assert line.split() == ["correct", *["1,250", "25.00%"] * 4]

    def test_a_row_without_numbers_says_why(self) -> None:
        row = FigureRow("m", [Point(None)] * 5, "m", note="thinking not measured")
        panel = Panel("profiles", PanelKind.STACK, BY_PROFILE, [row], sums=KNOWN, sum_words="known")
        (line,) = [line for line in shown(figure(panel)) if line.startswith(" m ")]
        assert "thinking not measured" in line
        assert line.endswith("–")

    def test_without_colour_letters_and_shapes_tell_parts_apart(self) -> None:
        look = look_named("ansi", ascii_glyphs=True)
        panel = pairs(("m", 0.2, 0.8))
        text = render_marks.dots(panel, panel.rows[0], Axis(0, 1, 21), look).text
        assert text.isascii()
        assert "o" in text
        assert "+" in text
        row = FigureRow("m", [Point(0.5), Point(0.5), Point(0.0)])
        split = Panel("t", PanelKind.STACK, FAILED, [row])
        assert render_marks.stack(split, row, 40, look).text.split() == ["D", "50.0", "|R", "50.0"]


HOSTILE = unique(texts(seed=11, count=120))[:100]


@pytest.mark.parametrize("width", WIDTHS)
def test_hostile_names_stay_in_their_cells(width: int) -> None:
    for place in range(0, len(HOSTILE), 4):
        a, b, c, d = HOSTILE[place : place + 4]
        one = Figure(
            "5",
            "popularity",
            a,
            (
                pairs((a, 0.2, 0.4), (b, None, 0.1), title=c),
                stacked(d, 0.2, 0.2, 0.2, 0.2, 0.2),
                lines_panel([a, b], (c, [0.1, 0.2])),
                lines_panel(["k 1"], (d, [0.1])),
                Panel(b, PanelKind.MATRIX, BY_LABEL, [FigureRow(a, [Point(0.1, n=3)] * 4, note=c)]),
            ),
            (b,),
            (c,),
        )
        pages: list[FigureLine] = [
            *draw_figure(one, FigureRoom(width, 30), LOOK),
            *draw_table(one, width),
        ]
        lines = [row.line for row in pages]
        lines += [detail(one, row, 0, width) for row in pages if row.places]
        for line in lines:
            assert line.width <= width
            assert fault(f"|{line.text}", line.width + 1) is None
        assert all(len(line.split("\t")) == 9 for line in format_copy(one).splitlines())


class TestTable:
    def test_every_number_stands_under_its_name(self) -> None:
        text = [one.line.text for one in draw_table(figure(pairs(("m", 0.25, 0.5))), 85)]
        assert text[2].startswith(" stored ─")
        assert text[4].split() == ["m", "25.0", "50.0", "25.0", "40"]

    @pytest.mark.parametrize("width", [60, 85, 200])
    def test_intervals_are_whole_beside_their_numbers_or_below_them(self, width: int) -> None:
        points = [Point(0.2, 0.151, 0.249, 90)] * 5
        panel = Panel("t", PanelKind.STACK, BY_PROFILE, [FigureRow("a model", points)])
        text = [one.line.text for one in draw_table(figure(panel), width)]
        assert "\n".join(text).count("20.0") == "\n".join(text).count("[15, 25]") == 5
        assert ("20.0 [15, 25]" in text[4]) is (width == 200)
        assert "RT" in text[3] or "with thinking" in text[3]

    def test_copied_numbers_are_whole_and_one_a_line(self) -> None:
        panel = pairs(("m", 1 / 3, None))
        row = FigureRow("n", [Point(0.5, 0.25, 0.75, 8)], note="a\tb")
        text = format_copy(figure(panel, Panel("q", PanelKind.DOTS, TIERS[:1], [row])))
        assert text.splitlines() == [
            "panel\trow\tseries\tvalue\tlow\thigh\tn\texcluded\tnote",
            "stored\tm\tbottom 20% by page views\t0.3333333333333333\t\t\t40\t3\t",
            "stored\tm\ttop 20%\t\t\t\t40\t3\t",
            "q\tn\tbottom 20% by page views\t0.5\t0.25\t0.75\t8\t\ta␉b",
        ]


class TestDetail:
    def test_the_numbers_of_a_row_the_chosen_one_marked(self) -> None:
        one = figure(pairs(("m", 0.25, 0.5)), pairs(("m", 0.1, 0.2), title="recalled"))
        (row,) = [line for line in draw_figure(one, FigureRoom(85, 20), LOOK) if line.places]
        line = detail(one, row, 1, 85)
        assert line.text == " m   stored 25.0 to 50.0   recalled 10.0 to 20.0   n 40   3 excluded"
        assert [span.text for span in line.spans if span.role == "accent bold"] == [" 50.0"]

    def test_intervals_stand_with_their_numbers(self) -> None:
        row = FigureRow("m", [Point(0.5, 0.25, 0.75, 8)])
        one = figure(Panel("q", PanelKind.DOTS, TIERS[:1], [row]))
        page = [line for line in draw_figure(one, FigureRoom(85, 20), LOOK) if line.places]
        assert "50.0 [25, 75]" in detail(one, page[0], 0, 85).text

    def test_the_name_of_a_panel_goes_before_what_is_left_out(self) -> None:
        panels = (pairs(("model", 0.25, 0.5), title=title) for title in ("facts with it", "q"))
        one = figure(*panels)
        row = next(line for line in draw_figure(one, FigureRoom(85, 20), LOOK) if line.places)
        whole = " model   facts with it 25.0 to 50.0   n 40   3 excluded"
        assert detail(one, row, 0, len(whole)).text == whole
        assert detail(one, row, 0, len(whole) - 1).text == whole.replace("facts with it", "")

    def test_the_facts_behind_a_number(self) -> None:
        one = figure(pairs(("m", 0.25, 0.5)))
        (row,) = [line for line in draw_figure(one, FigureRoom(85, 20), LOOK) if line.places]
        found = facts_behind(one, row, 1, ["m"])
        assert (found.where, found.model, found.words) == ("number:2-3", "m", "popularity top")

    def test_of_a_line_over_models_the_model_is_the_step(self) -> None:
        names = ["gemma3-270m-something", "gemma3-27b-something"]
        panel = Panel(
            "models",
            PanelKind.LINES,
            BY_PROFILE,
            [FigureRow("recall failure", [Point(0.1), Point(0.2)], facts="profile:recall_failure")],
            names,
        )
        page = [
            line for line in draw_figure(figure(panel), FigureRoom(85, 20), LOOK) if line.places
        ]
        found = facts_behind(figure(panel), page[1], 0, names)
        assert (found.where, found.model) == ("profile:recall_failure", names[1])


def test_a_line_is_no_wider_than_it_may_be() -> None:
    one = figure(pairs(("a name that is longer than any name may be here", 0.25, 0.5)))
    for width in range(24, 100):
        assert all(isinstance(row.line, Line) and row.line.width <= width
                   for row in draw_figure(one, FigureRoom(width, 20), LOOK))  # fmt: skip


class TestRoom:
    def test_a_panel_without_any_number_is_named_below(self) -> None:
        bare = Panel("asked", PanelKind.DOTS, TIERS[:1], [FigureRow("m", [Point(None, n=0)], "m")])
        seen = shown(figure(bare, pairs(("m", 0.2, 0.4))))
        assert " no numbers: asked" in seen
        assert not any(line.strip().startswith("asked") for line in seen)
        drawn = draw_figure(figure(bare, pairs(("m", 0.2, 0.4))), FigureRoom(85), LOOK)
        places = [place for one in drawn for place in one.places]
        assert {place.panel for place in places} == {1}

    @pytest.mark.parametrize("width", [28, 40, 60, 120])
    def test_the_chosen_number_keeps_its_n_where_others_have_no_room(self, width: int) -> None:
        one = figure(pairs(("m", 0.2, 0.4)), pairs(("m", 0.6, 0.8), title="recalled, if stored"))
        row = next(line for line in draw_figure(one, FigureRoom(120), LOOK) if line.places)
        told = detail(one, row, 3, width).text
        assert "80.0   n 40" in told
        assert ("stored 20.0" in told) is (width == 120)
