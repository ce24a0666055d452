"""Figures come out whole, the same each time, with every text as it stands."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import LostkeysError, UsageError
from core.figures.figure import FigureRow, Panel, PanelKind, Point
from core.figures.plotting import figure_file
from core.figures.plotting.colours import HATCH_CYCLE, HATCHES, colour
from core.figures.plotting.figure_file import (
    DOTS_PER_INCH,
    FORMATS,
    MOST_DOTS,
    draw_figure,
    resolution,
    save,
)
from core.figures.plotting.panel_parts import Box, draw_legend
from core.figures.plotting.paper_sheet import PaperSheet, dashes, strokes
from core.settings.escapes import make_visible
from tests.core.figures.plotting.drawing import (
    ONE,
    PAIR,
    PROFILES,
    figure,
    heights,
    panel,
    size,
    tags,
    texts,
)

BEGINNINGS = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}
HOSTILE = (
    "<script>alert(1)</script>",
    "</style></svg><img src=x onerror=alert(1)>",
    "]]><!-- & \"quoted\" 'too'",
    "$\\frac{1}{2}$ costs $5",
    "$unclosed \\alpha_{",
    "bell\x07 nul\x00 esc\x1b[31m",
    "\u202eright to left\u2066 \u200bunseen \ufeff",
    "half \ud800 pair \ufffe",
    "日本語 العربية 😀",
)


@pytest.mark.slow
@pytest.mark.parametrize("kind", list(PanelKind))
@pytest.mark.parametrize("extension", list(FORMATS))
def test_every_kind_can_be_saved_as_everything(
    kind: PanelKind, extension: str, tmp_path: Path
) -> None:
    path = tmp_path / f"figure.{extension.upper()}"
    save(figure(panel(kind)), path)
    content = path.read_bytes()
    assert content.startswith(BEGINNINGS[extension])
    assert content != draw_figure(figure(panel(kind, ["another"]), title="Another"), extension)


@pytest.mark.slow
@pytest.mark.parametrize("extension", list(FORMATS))
def test_the_same_figure_gives_the_same_bytes(extension: str) -> None:
    one = figure(*(panel(kind) for kind in PanelKind))
    assert draw_figure(one, extension) == draw_figure(one, extension)


@pytest.mark.slow
def test_texts_stay_texts() -> None:
    said = texts(draw_figure(figure(panel(PanelKind.STACK)), "svg"))
    assert {"DR 70.4", "RT 15.4", "RF 11.9", "IE 0.6  EF 1.7", "2,122"} <= {*said}
    assert {"5", "Rare against popular", "model-a", "DR direct recall", "2026-11-20"} <= {*said}
    pdf = draw_figure(figure(panel(PanelKind.STACK)), "pdf")
    assert b"/FontFile2" in pdf  # a font with its characters, not outlines drawn
    assert b"/ToUnicode" in pdf


def test_values_gaps_and_counts_are_written_beside_dots() -> None:
    said = texts(draw_figure(figure(panel(PanelKind.DUMBBELL)), "svg"))
    assert {"43.0", "61.0", "+18.0", "120", "119", "Δ"} <= {*said}
    said = texts(draw_figure(figure(panel(PanelKind.LINES)), "svg"))
    assert {"model-a 50.0", "model-b 50.0", "k 1", "k 4"} <= {*said}
    said = texts(draw_figure(figure(panel(PanelKind.MATRIX)), "svg"))
    assert {"1,234", "75.00%", "5.00%", "0.00%"} <= {*said}


def test_a_difference_that_rounds_to_nothing_has_no_sign() -> None:
    row = FigureRow("m", [Point(0.5001), Point(0.5)])
    said = texts(draw_figure(figure(Panel("", PanelKind.DUMBBELL, PAIR, [row], gap="gap")), "svg"))
    assert "0.0" in said
    assert not {"+0.0", "−0.0", "-0.0"} & {*said}


@pytest.mark.slow
@pytest.mark.parametrize("kind", list(PanelKind))
def test_names_are_neither_markup_nor_mathematics(kind: PanelKind) -> None:
    plain = tags(draw_figure(figure(panel(kind, ["model-a"])), "svg"))
    for name in HOSTILE:
        hostile = figure(panel(kind, [name]), title=name, caption=(name,), notes=(name,))
        svg = draw_figure(hostile, "svg")
        assert tags(svg) == plain
        assert make_visible(name) in texts(svg)


@pytest.mark.slow
@pytest.mark.parametrize("extension", ["png", "pdf"])
@pytest.mark.parametrize("name", HOSTILE)
def test_names_stop_no_other_format(name: str, extension: str) -> None:
    panels = [panel(kind, [name]) for kind in PanelKind]
    hostile = figure(*panels, title=name, caption=(name,), notes=(name,))
    assert draw_figure(hostile, extension).startswith(BEGINNINGS[extension])


@pytest.mark.slow
@pytest.mark.parametrize("kind", list(PanelKind))
def test_endless_names_do_not_make_endless_paper(kind: PanelKind) -> None:
    name = "x" * 10_000
    # Names that differ at their end only, so that nothing is left out as said already.
    endless = figure(
        panel(kind, [name, name + "y"]), title=name, caption=(name,), notes=(name, name + "y")
    )
    width, height = size(draw_figure(endless, "svg"))
    plain_width, plain_height = size(draw_figure(figure(panel(kind)), "svg"))
    assert width == plain_width
    assert height < plain_height + 20 * 72 * 0.17
    assert all(len(text) < 400 for text in texts(draw_figure(endless, "svg")))


@pytest.mark.parametrize(
    "kind", [PanelKind.STACK, PanelKind.DUMBBELL, PanelKind.DOTS, PanelKind.LINES]
)
def test_long_names_that_differ_at_either_end_are_told_apart(kind: PanelKind) -> None:
    long = "openai:some-model-with-a-name@http://a-host-far-away.example:8000/v1"
    names = [f"{long} off", f"{long} on", f"x{long} on"]
    said = [one for one in texts(draw_figure(figure(panel(kind, names)), "svg")) if "…" in one]
    assert len({*said}) == len(said) == len(names)


def test_hatches_are_strokes_not_patterns() -> None:
    """Chromium prints each use of a pattern as a picture, which made reports of 16 MB."""
    svg = draw_figure(figure(panel(PanelKind.STACK)), "svg")
    assert "pattern" not in tags(svg)


@given(
    st.sampled_from([*HATCHES.values(), *HATCH_CYCLE]),
    *(st.floats(0, 9) for _ in range(2)),
    *(st.floats(0, 5) for _ in range(2)),
)
def test_strokes_stay_within_their_box(
    hatch: str, x: float, y: float, width: float, height: float
) -> None:
    for left, top, right, bottom in strokes(hatch, x, y, width, height):
        assert x - 1e-4 <= min(left, right) <= max(left, right) <= x + width + 1e-4
        assert y - 1e-4 <= min(top, bottom) <= max(top, bottom) <= y + height + 1e-4


def test_every_hatch_has_strokes_of_its_own() -> None:
    hatches = [one for one in HATCH_CYCLE if one]
    drawings = [(str(strokes(one, 0.0, 0.0, 1.0, 0.2)), dashes(one)) for one in hatches]
    assert len({*drawings}) == len(hatches)
    assert all(strokes(one, 0.0, 0.0, 1.0, 0.2) for one in hatches)


def test_rows_of_panels_side_by_side_stand_at_one_height() -> None:
    """The right one has no names: its rows are those of the left one, however long its legend."""
    one = replace(panel(PanelKind.DUMBBELL, ["model-a"]), gap="")
    wordy = tuple(replace(series, words="words " * 8) for series in PAIR)
    svg = draw_figure(figure(one, replace(one, series=wordy)), "svg")
    assert len({y for text, y in heights(svg) if text == "43.0"}) == 1
    assert [text for text, _ in heights(svg)].count("43.0") == 2


@pytest.mark.parametrize("words", ["gap", "words " * 4, "words " * 12])
def test_the_words_of_a_legend_end_before_the_paper_does(words: str) -> None:
    wordy = replace(panel(PanelKind.DUMBBELL), series=[replace(one, words=words) for one in PAIR])
    for width in (3.0, 5.0, 8.8):
        sheet = PaperSheet(9.4, 5.0)
        draw_legend(sheet, Box(0.3, 1.0, width, 0.0), wordy, stacked=False)
        ends = [one.get_window_extent().x1 / sheet.canvas.dpi for one in sheet.canvas.texts]
        assert max(ends) <= 0.3 + width + 0.05


@pytest.mark.slow
def test_thousands_of_rows_are_cut_and_counted() -> None:
    names = [f"model-{number}" for number in range(3_000)]
    svg = draw_figure(figure(panel(PanelKind.DOTS, names)), "svg")
    assert "250 of 3,000 rows are drawn" in texts(svg)
    assert "model-249" in texts(svg)
    assert "model-250" not in texts(svg)


def test_endless_figures_are_drawn_coarsely() -> None:
    assert resolution(5) == resolution(100) == DOTS_PER_INCH
    assert resolution(1_500) * 1_500 == MOST_DOTS


def test_rates_above_one_stay_on_the_paper() -> None:
    row = FigureRow("m", [Point(2.5, 0.5, 3.0, 2)])
    svg = draw_figure(figure(Panel("", PanelKind.DOTS, ONE, [row])), "svg")
    assert {"250.0", "300"} <= {*texts(svg)}


def test_a_bar_of_few_facts_is_an_outline_with_its_n() -> None:
    def drawn(facts: int) -> bytes:
        row = FigureRow("m", [Point(0.2, n=facts)] * 5)
        return draw_figure(figure(Panel("", PanelKind.STACK, PROFILES, [row])), "svg")

    few, many = drawn(19), drawn(20)
    assert any(text.startswith("n 19") for text in texts(few))
    assert not any(text.startswith("n 20") for text in texts(many))
    ground = colour("fill-dr", 0).lower()
    filled = [svg.decode().lower().count(f"fill: {ground}") for svg in (many, few)]
    assert filled[0] > filled[1] == 1, "the legend's alone"
    assert f"stroke: {ground}" in few.decode().lower()


def test_rows_without_values_say_why() -> None:
    row = FigureRow("m", [Point(None)] * 5, note="thinking not measured")
    said = texts(draw_figure(figure(Panel("", PanelKind.STACK, PROFILES, [row])), "svg"))
    assert said.count("thinking not measured") == 1


def test_what_is_said_of_rows_is_said_once() -> None:
    notes = ("p 1.000", "p 0.012", "p 1.000")
    rows = [
        FigureRow(name, [Point(0.5), Point(0.6)], note=note)
        for name, note in zip("abc", notes, strict=True)
    ]
    first = Panel("first", PanelKind.DUMBBELL, PAIR, rows)
    second = Panel("second", PanelKind.DUMBBELL, PAIR, rows[::2])
    said = texts(draw_figure(figure(first, second), "svg"))
    assert {"first, a, c: p 1.000", "first, b: p 0.012", "second, all rows: p 1.000"} <= {*said}


shares = st.none() | st.floats(0, 1)
points = st.builds(Point, shares, n=st.none() | st.integers(0, 10**7))


@pytest.mark.slow
@given(data=st.data(), kind=st.sampled_from(list(PanelKind)), rows=st.integers(0, 4))
@settings(max_examples=40, deadline=None)
def test_whatever_the_values_it_can_be_drawn(
    data: st.DataObject, kind: PanelKind, rows: int
) -> None:
    series = PROFILES if kind is PanelKind.STACK else PAIR
    wide = 3 if kind is PanelKind.LINES else len(series)
    made = [
        FigureRow(f"row {number}", data.draw(st.lists(points, min_size=wide, max_size=wide)))
        for number in range(rows)
    ]
    steps = ("1", "2", "3") if kind is PanelKind.LINES else ()
    svg = draw_figure(figure(Panel("any", kind, series, made, steps, gap="gap")), "svg")
    assert "any" in texts(svg)
    assert "nan" not in " ".join(texts(svg))


def test_an_unknown_extension_is_refused(tmp_path: Path) -> None:
    for name in ("figure.gif", "figure", "figure.svgz"):
        with pytest.raises(UsageError, match=r"must end in \.svg, \.png, \.pdf"):
            save(figure(panel(PanelKind.DOTS)), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(LostkeysError, match="is not a folder: make it first"):
        save(figure(panel(PanelKind.DOTS)), tmp_path / "not there" / "figure.svg")


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "figure.svg"
    path.write_text("before")
    with pytest.raises(LostkeysError, match="no figure popularity: grade first"):
        save(figure(missing="grade first"), path)
    assert path.read_text() == "before"
    save(figure(panel(PanelKind.DOTS)), path)
    assert path.read_bytes() == draw_figure(figure(panel(PanelKind.DOTS)), "svg")
    assert [one.name for one in tmp_path.iterdir()] == ["figure.svg"]


def test_a_file_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "figure.svg").mkdir()
    with pytest.raises(LostkeysError, match="cannot be written"):
        save(figure(panel(PanelKind.DOTS)), tmp_path / "figure.svg")
    assert [one.name for one in tmp_path.iterdir()] == ["figure.svg"]


def test_without_matplotlib_one_line_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(figure_file, "find_spec", lambda name: None)
    with pytest.raises(LostkeysError, match=r"matplotlib is not installed, .*lostkeys\[figures\]"):
        save(figure(panel(PanelKind.DOTS)), tmp_path / "figure.svg")


def test_a_broken_matplotlib_is_as_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(name: str) -> None:
        raise ImportError("built for another numpy")

    monkeypatch.setattr(figure_file, "import_module", fails)
    with pytest.raises(LostkeysError, match="cannot be loaded"):
        draw_figure(figure(panel(PanelKind.DOTS)), "svg")


def test_nothing_of_a_person_s_own_settings_counts_or_is_changed() -> None:
    import matplotlib as mpl

    one = figure(panel(PanelKind.STACK))
    before = draw_figure(one, "svg")
    with mpl.rc_context({"font.size": 30, "svg.fonttype": "path", "text.usetex": False}):
        own = dict(mpl.rcParams)
        assert draw_figure(one, "svg") == before
        assert dict(mpl.rcParams) == own


@pytest.mark.slow
def test_drawing_needs_no_pyplot() -> None:
    code = (
        "import sys\n"
        "from core.figures.figure import PanelKind\n"
        "from tests.core.figures.plotting.drawing import figure, panel\n"
        "from core.figures.plotting.figure_file import draw_figure\n"
        "assert 'matplotlib' not in sys.modules\n"
        "for kind in PanelKind: draw_figure(figure(panel(kind)), 'png')\n"
        "assert 'matplotlib' in sys.modules\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    root = Path(__file__).parents[4]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_threads_do_not_disturb_each_other() -> None:
    figures = [figure(panel(kind, [f"model-{kind}"])) for kind in PanelKind] * 2
    alone = [draw_figure(one, "svg") for one in figures]
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(lambda one: draw_figure(one, "svg"), figures)) == alone
