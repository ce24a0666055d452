"""Figures of zero-prompt knowledge: what stands in their panels, and that all are drawn."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from core.errors import UsageError
from core.figures.figure import (
    Figure,
    FigureRow,
    Panel,
    PanelKind,
    Point,
    Series,
    coefficient,
    short_number,
)
from core.figures.figure_table import CATALOGUE, LATENT, find_missing, make
from core.figures.latent_figures import (
    MAKERS,
    NO_SCORES,
    ONE,
    heat_map,
    kinds,
    make_latent,
    order_models,
    positions,
    share_axis,
)
from core.figures.plotting.figure_file import draw_figure, save
from core.project import OpenProject
from core.report import report_file
from core.report.figure_tables import tables_of
from core.scoring.policy import Policy
from core.transfer.imports import import_file
from core.zero_prompt.analyses import LATENT_ANALYSES
from core.zero_prompt.fact_scores import fact_scores
from core.zero_prompt.latent_evidence import LatentEvidence, ScoreChoice
from core.zero_prompt.score_matrix import LatentModel, Setup
from core.zero_prompt.stored_relations import choose_relations
from tests.core.making import new_project
from tui.cli.main import cli
from tui.screens.figures.render_figure import FigureRoom
from tui.screens.figures.render_figure import draw_figure as draw_page
from tui.theme.look import look_named

SETUP = Setup(n=2, options=2)
TWIN: dict[str, object] = {"subject": "S", "relation": "a", "object": "O"}
MODELS = {"alpha": "1101", "beta": "0111", "<b>$x$": "0001"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Three models on four facts of two relations, at n = 1 and 2, with a long input."""
    path = tmp_path / "scores.db"
    triples = [
        {"id": f"f{at}", "subject": f"S{at}", "relation": "ab"[at // 2], "object": f"O{at}"}
        for at in range(4)
    ]
    scores = [
        {
            "id": f"f{at}",
            "model": model,
            "n": n,
            "options": [f"O{at}", "other"],
            "logprobs": [-0.5 if right == "1" else -3.0, -1.0],
            "response": f"O{at}",
        }
        for model, rights in MODELS.items()
        for at, right in enumerate(rights)
        for n in (1, 2)
    ]
    kinds = ["clean", "unknown", "clean", "clean"]
    places = [
        {"subject": "s", "object": "o", "kind": kind, "logprob": -float(at)}
        for at, kind in enumerate(kinds)
    ]
    long = {"relation": "a", "model": "alpha", "n": 4, "inject": "unknown:1:block"}
    with new_project(path) as project:
        for name, rows in (
            ("triples", triples),
            ("zp-scores", scores),
            ("zp-models", [{"model": "beta", "family": "greek", "base": "alpha"}]),
            ("zp-positions", [{**long, "positions": places}]),
        ):
            file = tmp_path / f"{name}.jsonl"
            file.write_text("".join(json.dumps(row) + "\n" for row in rows))
            assert import_file(project, file, name).bad == 0
    return path


def put_rows(path: Path, file: Path, kind: str, row: dict[str, object]) -> None:
    file.write_text(json.dumps(row))
    with OpenProject(path, "write") as project:
        assert import_file(project, file, kind).problems == []


def figure(path: Path, name: str, setup: Setup = SETUP) -> Figure:
    with OpenProject(path, "read") as project:
        return make_latent(LatentEvidence(project, ScoreChoice(setup)), name)


def test_of_relations_of_one_name_those_with_scores_count(path: Path, tmp_path: Path) -> None:
    before = figure(path, "accuracy")
    put_rows(path, tmp_path / "other.jsonl", "triples", {"id": "x", **TWIN})
    assert figure(path, "accuracy").panels == before.panels
    scored = {"id": "x", "model": "alpha", "n": 2, "options": ["O", "other"], "logprobs": [-1, -2]}
    put_rows(path, tmp_path / "more.jsonl", "zp-scores", scored)
    with pytest.raises(UsageError, match="relation a is in the sets"):
        figure(path, "accuracy")


def test_a_figure_is_of_the_first_set_or_of_the_one_that_is_named(
    path: Path, tmp_path: Path
) -> None:
    """Alpha knows 2 of 2 facts of a in the set `triples`, and none of 1 in the set `more`."""
    put_rows(path, tmp_path / "more.jsonl", "triples", {"id": "x", **TWIN})
    scored = {"id": "x", "model": "alpha", "n": 50, "logprobs": [-9.0] + [-5.0] * 99}
    objects = ["O", *(f"P{at}" for at in range(99))]
    put_rows(path, tmp_path / "s.jsonl", "zp-scores", {**scored, "options": objects})
    right = {**scored, "id": "f0", "options": ["O0", *objects[1:]]}
    put_rows(path, tmp_path / "r.jsonl", "zp-scores", {**right, "logprobs": [-1.0] + [-9.0] * 99})

    def known(set_name: str | None) -> tuple[str, list[tuple[str, float | None]]]:
        with OpenProject(path, "read") as project:
            found = make(project, "zp-accuracy", Policy(), set_name=set_name)
        (panel,) = found.panels
        rows = [(row.name, row.points[0].value) for row in panel.rows]
        return found.caption[0].partition(";")[0], rows

    assert known(None) == known("more") == ("set more", [("a", 0.0)])
    assert known("triples") == ("set triples", [("a", 1.0)])
    for named, said in ((None, "set more"), ("triples", "set triples")):
        with OpenProject(path, "read") as project:
            report_file.write(project, tmp_path / "r.md", Policy(), set_name=named)
        assert f"\n{said}; form zero" in (tmp_path / "r.md").read_text()
    with (
        OpenProject(path, "read") as project,
        pytest.raises(UsageError, match="no set named c: sets"),
    ):
        report_file.write(project, tmp_path / "r.md", Policy(), set_name="c")


def test_lists_have_the_relations_of_all_sets(path: Path, tmp_path: Path) -> None:
    put_rows(path, tmp_path / "more.jsonl", "triples", {"id": "x", **TWIN})
    scored = {"id": "x", "model": "alpha", "n": 2, "options": ["O", "P"], "logprobs": [-1, -2]}
    put_rows(path, tmp_path / "s.jsonl", "zp-scores", scored)
    with OpenProject(path, "read") as project:
        chosen = [(one.name, one.set_name) for one in choose_relations(project, twins=True)]
        evidence = LatentEvidence(project, ScoreChoice(SETUP, ["alpha"], twins=True))
        assert [one.id for one in fact_scores(evidence)] == ["x", "f0", "f1", "f2", "f3"]
    assert chosen == [("a", "more"), ("a", "triples"), ("b", "triples")]
    for command in (["relations"], ["facts", "--examples", "2", "--options", "2"]):
        result = CliRunner().invoke(cli, ["--db", str(path), "zp-lke", *command, "--json"])
        assert result.exit_code == 0, result.output


def test_panels_of_one_kind_have_one_axis(path: Path) -> None:
    """The third model has less than half the right answers of the first, on the same axis."""
    found = figure(path, "forms")
    ends = {panel.kind: panel.high for panel in found.panels}
    assert {(panel.kind, panel.high) for panel in found.panels} == set(ends.items())
    low = [FigureRow("m", [Point(0.1)])]
    kinds = (PanelKind.DOTS, PanelKind.LINES, PanelKind.DOTS)
    panels = [
        Panel("", kind, (), low, high=high)
        for kind, high in zip(kinds, (0.2, 0.9, 0.4), strict=True)
    ]
    assert [panel.high for panel in share_axis(panels)] == [0.4, 0.9, 0.4]


def test_models_stand_beside_each_other_as_one_map(path: Path) -> None:
    """Alpha knows 2 of 2 of a and 1 of 2 of b, beta 1 and 2, the third 0 and 1.

    Means of relations: a 1/2, b 2/3. Alpha and beta are even and go by name; beta has a family.
    """
    found = figure(path, "accuracy")
    (panel,) = found.panels
    assert panel.is_heat
    assert [series.name for series in panel.series] == ["alpha", "beta", "<b>$x$"]
    assert [row.name for row in panel.rows] == ["b", "a"]
    assert [[point.value for point in row.points] for row in panel.rows] == [
        [0.5, 1.0, 0.5], [1.0, 0.5, 0.0],
    ]  # fmt: skip
    assert found.caption[0] == "form zero-prompt; 2 examples; seed 0; 2 options"


def test_families_go_by_their_model_nearest_to_seven_billion() -> None:
    """Of x the 6.9B has .5, of y the 8B has .6, so y comes first though x has the best model."""
    known = {
        "x-70": LatentModel("x", 70_000_000_000), "x-7": LatentModel("x", 6_900_000_000),
        "y-8": LatentModel("y", 8_000_000_000), "y-1": LatentModel("y", 1_000_000_000),
    }  # fmt: skip
    accuracies = {"x-70": 0.9, "x-7": 0.5, "y-8": 0.6, "y-1": 0.7, "alone": 0.55}
    values = {("a", model): value for model, value in accuracies.items()}
    assert order_models(accuracies, values, known) == ["y-1", "y-8", "alone", "x-70", "x-7"]


def test_a_map_of_fifty_by_fifty_is_drawn_whole() -> None:
    """Each of its 2,500 numbers stands in the picture and in the terminal, at the best once."""
    rows = [
        {"model": f"model-{m:02}", "relation": f"relation {r}", "n": 9, "accuracy": (m + r) / 98}
        for m in range(50)
        for r in range(50)
    ]
    panels = heat_map(rows, Setup(), {})
    drawn = draw_figure(Figure("7", "accuracy", "Map", panels), "svg").decode()
    assert [f"relation {r}<" in drawn and f"model-{r:02}<" in drawn for r in range(50)] == [
        True
    ] * 50
    assert drawn.count(">100</text>") == 1
    assert drawn.count("</text>") >= 2_600
    page = draw_page(
        Figure("7", "accuracy", "Map", panels), FigureRoom(100, 30), look_named("dark")
    )
    at = [place for line in page for place in line.places]
    assert sorted((one.row, one.point) for one in at) == [
        (r, m) for r in range(50) for m in range(50)
    ]
    assert sum(line.line.text.split().count("100") for line in page if line.places) == 1


def test_what_has_no_room_on_a_page_goes_on_to_the_next(tmp_path: Path) -> None:
    rows = [FigureRow("m", [Point(0.5)])]
    panels = [Panel(f"panel {at}.", PanelKind.DOTS, ONE, rows) for at in range(50)]
    file = tmp_path / "many.svg"
    written = save(Figure("5", "forms", "Many", panels), file)
    assert [one.name for one in written] == ["many.svg", "many-2.svg", "many-3.svg"]
    text = "".join(one.read_text(encoding="utf-8") for one in written)
    assert [text.count(f">panel {at}.<") for at in range(50)] == [1] * 50
    assert "Many (2 of 3)" in written[1].read_text(encoding="utf-8")


def test_a_base_stands_beside_what_was_tuned_from_it(path: Path) -> None:
    """Of relation a alpha knows 2 of 2 and beta 1, of b 1 and 2: means of 3/4 each."""
    (panel,) = figure(path, "pairs").panels
    (row,) = panel.rows
    assert (row.name, [point.value for point in row.points]) == ("alpha → beta", [0.75, 0.75])
    with OpenProject(path, "read") as project:
        alone = LatentEvidence(project, ScoreChoice(SETUP, ["alpha"]))
        assert "says bases, families and parameters" in make_latent(alone, "pairs").missing


def test_a_sweep_goes_over_numbers_of_examples(path: Path) -> None:
    first = figure(path, "sweep").panels[0]
    assert (first.kind, list(first.steps)) == (PanelKind.LINES, ["1", "2"])
    assert list(first.numbers) == [1, 2]
    assert [row.dashed for row in first.rows] == [1, 1, 1, None]
    assert [row.name for row in first.rows][-1] == "chance"


def test_kinds_of_prompts_lead_to_none() -> None:
    shared = {"model": "m", "response_accuracy": None}
    rows = [
        {**shared, "kind": "zero-prompt", "n": 50, "accuracy": 0.7},
        {**shared, "kind": "mmp", "n": 0, "accuracy": 0.2},
        {**shared, "kind": "hgp", "n": 0, "accuracy": 0.4},
    ]
    response, choice = kinds(rows)
    assert not response.rows
    assert list(choice.steps) == ["hgp, n 0", "mmp, n 0", "zero-prompt, n 50"]
    assert [point.value for point in choice.rows[0].points] == [0.4, 0.2, 0.7]


def test_numbers_of_a_map_are_short() -> None:
    said = [short_number(0.874, False), short_number(0.87, True), short_number(-0.5, True)]
    assert said == ["87", ".87", "−.50"]
    assert [short_number(one, True) for one in (1.0, 0.996, -1.0, 0.0)] == ["1", "1", "−1", ".00"]


def test_a_map_too_broad_for_half_of_the_paper_stands_alone() -> None:
    pytest.importorskip("matplotlib", reason="pages are laid out for matplotlib")
    from core.figures.plotting.figure_page import strips

    def heat(columns: int) -> Panel:
        series = [Series(str(at), str(at), "series-1", "●") for at in range(columns)]
        rows = [FigureRow(one.name, [Point(0.5)] * columns) for one in series]
        return Panel("r", PanelKind.MATRIX, series, rows, plain=True)

    assert [len(strip) for strip in strips([heat(9), heat(12)])] == [2]
    assert [len(strip) for strip in strips([heat(9), heat(13)])] == [1, 1]


def test_kinds_of_places_are_lines_of_their_own(path: Path) -> None:
    (panel,) = figure(path, "positions").panels
    lines = {row.name: [point.value is not None for point in row.points] for row in panel.rows}
    assert lines == {
        "alpha": [True, False, False, True],
        "after": [False, False, True, False],
        "unknown": [False, True, False, False],
    }


def test_with_several_models_each_line_names_its_own_and_the_clean_input_stands_first() -> None:
    shared = {"relation": "a", "logprob": -1.0, "p": 0.4}
    rows = [
        {**shared, "model": model, "inject": inject, "position": 1, "kind": kind}
        for model in ("alpha", "beta")
        for inject, kind in (("unknown:1:block", "unknown"), (None, "clean"))
    ]
    clean, altered = positions(rows, Setup())
    assert (clean.title, altered.title) == ("a", "a, unknown:1:block")
    assert [row.name for row in clean.rows] == ["alpha", "beta"]
    assert [row.name for row in altered.rows] == ["unknown, alpha", "unknown, beta"]


def test_correlations_are_no_percents(path: Path, tmp_path: Path) -> None:
    panel = figure(path, "correlation").panels[-1]
    assert panel.plain
    table = tables_of(figure(path, "correlation"))[-1]
    numbers = {number for row in table.rows for number in row[1:]}
    assert "1.00" in numbers
    assert not any("%" in number for number in numbers)
    assert coefficient(-0.001) == "0.00"


def test_two_models_are_crossed(path: Path) -> None:
    (panel,) = figure(path, "agreement").panels
    names = [row.name for row in panel.rows]
    assert names == [series.name for series in panel.series] == sorted(MODELS)
    values = [[point.value for point in row.points] for row in panel.rows]
    assert values == [list(column) for column in zip(*values, strict=True)]
    assert [values[at][at] for at in range(3)] == [1.0, 1.0, 1.0]


def test_without_scores_it_says_how_to_get_some(path: Path) -> None:
    assert figure(path, "accuracy", Setup()).missing == NO_SCORES
    with pytest.raises(UsageError, match="extremes has no figure"):
        figure(path, "extremes")


def test_every_analysis_but_the_lists_has_a_figure() -> None:
    assert LATENT_ANALYSES.keys() - MAKERS.keys() == {"extremes"}


def test_the_catalogue_has_them_too(tmp_path: Path) -> None:
    path = tmp_path / "default.db"
    objects = [f"O{at}" for at in range(100)]
    with new_project(path) as project:
        for name, row in (
            ("triples", {"id": "f", "subject": "S", "relation": "a", "object": "O0"}),
            (
                "zp-scores",
                {"id": "f", "model": "m", "n": 50, "options": objects, "logprobs": [-5.0] * 100},
            ),
        ):
            file = tmp_path / f"{name}.jsonl"
            file.write_text(json.dumps(row))
            assert import_file(project, file, name).bad == 0
        assert find_missing(project).keys() == {
            entry.name for entry in CATALOGUE if entry.theme != LATENT
        }
        drawn = make(project, "zp-accuracy", Policy(), ["m", "another"])
        assert (drawn.number, [one.name for one in drawn.panels[0].series]) == ("Z7", ["m"])
        assert make(project, "zp-accuracy", Policy(), ["another"]).missing == NO_SCORES


@pytest.mark.slow
@pytest.mark.parametrize("name", MAKERS)
def test_every_figure_is_drawn(path: Path, tmp_path: Path, name: str) -> None:
    file = tmp_path / "figure.svg"
    words = ["--db", str(path), "zp-lke", "analyze", name, "--options", "2", "--plot", str(file)]
    examples = [] if name == "positions" else ["--examples", "2"]
    result = CliRunner().invoke(cli, [*words, *examples], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    drawn = file.read_text(encoding="utf-8")
    assert "<svg" in drawn
    assert "<b>" not in drawn
