"""Figures of FACT-BENCH: what stands in their panels, and that all are drawn."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from core.errors import UsageError
from core.fact_bench.bench_evidence import BenchChoice, BenchEvidence
from core.fact_bench.tables import BENCH_TABLES
from core.figures.bench_figures import (
    MAKERS,
    MOST_GROUPS,
    NO_MODE,
    NO_PAIR,
    make_bench,
    panels_by_group,
    panels_by_shots,
)
from core.figures.figure import Figure, PanelKind
from core.figures.figure_needs import NO_ARMS
from core.figures.figure_table import BENCH, CATALOGUE, find_missing, make
from core.project import OpenProject
from core.report import report_file
from core.scoring.policy import Policy
from tests.core.fact_bench.arms_making import answers, new_set
from tests.core.making import new_project
from tests.tui.screens.bench.making import ARMS, bench_project
from tui.cli.main import cli

NAMES = [entry.name for entry in CATALOGUE if entry.theme == BENCH]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return bench_project(tmp_path_factory.mktemp("figures") / "bench.db")


@pytest.fixture
def project(path: Path) -> Iterator[OpenProject]:
    with OpenProject(path, "read") as project:
        yield project


def figure(project: OpenProject, name: str, **choice: object) -> Figure:
    return make_bench(BenchEvidence(project, BenchChoice(**choice)), name)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["popularity", "answer-type"])
def test_an_arm_has_a_dot_a_group(project: OpenProject, name: str) -> None:
    (panel,) = figure(project, name).panels
    rows = BENCH_TABLES[name].compute(BenchEvidence(project, BenchChoice()))
    assert [row.name for row in panel.rows] == list(ARMS)
    found = {
        (row.name, series.name): (point.value, point.low, point.high, point.n)
        for row in panel.rows
        for series, point in zip(panel.series, row.points, strict=True)
    }
    table = {
        (row["model"], row["group"]): tuple(row[key] for key in ("em", "em_low", "em_high", "n"))
        for row in rows
        if row["n"]
    }
    assert found == table


def test_groups_stand_best_first_and_only_the_largest_of_many(project: OpenProject) -> None:
    found = figure(project, "property", models=("gemma3-4b",))
    (panel,) = found.panels
    values = [row.points[0].value or 0.0 for row in panel.rows]
    assert values == sorted(values, reverse=True)
    assert len(values) == 3
    rows = [
        {"model": "m", "mode": "10-shot", "group": str(at), "n": at, "em": 1 / (at + 1)}
        | {"em_low": 0.0, "em_high": 1.0}
        for at in range(50)
    ]
    (panel,) = panels_by_group(rows)
    assert {row.name for row in panel.rows} == {str(at) for at in range(50 - MOST_GROUPS, 50)}
    assert panel.title == "m, the 40 largest of 49"


def test_what_counterfactual_exemplars_take_is_the_gap(project: OpenProject) -> None:
    (panel,) = figure(project, "regular").panels
    rows = BENCH_TABLES["regular"].compute(BenchEvidence(project, BenchChoice()))
    assert (panel.kind, panel.title) == (PanelKind.DUMBBELL, "10 exemplars")
    assert [row.name for row in panel.rows] == ["gemini-2.5-pro", "gemma3-27b"]
    assert [row.gap for row in panel.rows] == pytest.approx([row["drop"] for row in rows])
    shared = {"model": "m", "metric": "em", "plain": 0.5, "shuffle": 0.25}
    panels = panels_by_shots([{**shared, "k": k, "n": n} for k, n in ((5, 4), (10, 4), (20, 0))])
    assert [panel.title for panel in panels] == ["5 exemplars", "10 exemplars"]


def test_conditions_have_a_panel_each(project: OpenProject) -> None:
    (panel,) = figure(project, "shuffle").panels
    assert panel.title == "regular, 10 exemplars"
    assert [row.name for row in panel.rows] == ["gemini-2.5-pro", "gemma3-27b"]


def test_another_mode_is_named_with_its_models(project: OpenProject) -> None:
    (panel,) = figure(project, "popularity", modes=("zero-shot",)).panels
    models = ("gemini-2.5-pro", "gemma3-27b")
    assert [row.name for row in panel.rows] == [f"{model}, zero-shot" for model in models]


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    with new_set(tmp_path / "one.db", answers("m#zero-shot", {"a": "Riga"})) as project:
        assert figure(project, "domain").missing == NO_MODE
        assert figure(project, "regular").missing == NO_PAIR
        with pytest.raises(UsageError, match="benchmark has no figure: tables that have one are"):
            figure(project, "benchmark")
    with new_project(tmp_path / "none.db") as project:
        assert {find_missing(project)[name] for name in NAMES} == {NO_ARMS}


@pytest.mark.parametrize("name", NAMES)
def test_the_catalogue_has_them(project: OpenProject, name: str) -> None:
    made = make(project, name, Policy())
    assert (made.missing, made.name) == ("", name)
    assert made.number == f"B{MAKERS[name.removeprefix('fb-')][0]}"
    assert made.caption[0] == "set laureates; eval; seed 0"
    one = make(project, name, Policy(), ["gemma3-27b", "no such model"])
    names = {row.name.partition(",")[0] for panel in one.panels for row in panel.rows}
    if name not in ("fb-property", "fb-domain"):
        assert names == {"gemma3-27b"}
    assert make(project, name, Policy(), ["no such model"]).missing


@pytest.mark.slow
@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("kind", ["svg", "pdf"])
def test_every_figure_is_drawn(path: Path, tmp_path: Path, name: str, kind: str) -> None:
    file = tmp_path / f"figure.{kind}"
    words = ["--db", str(path), "fact-bench", "table", name, "--plot", str(file)]
    result = CliRunner().invoke(cli, words, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    assert (b"<svg" if kind == "svg" else b"%PDF") in file.read_bytes()


def test_a_table_without_a_figure_draws_nothing(path: Path, tmp_path: Path) -> None:
    file = tmp_path / "figure.svg"
    words = ["--db", str(path), "fact-bench", "table", "benchmark", "--plot", str(file)]
    result = CliRunner().invoke(cli, words)
    assert result.exit_code != 0
    assert not file.exists()


@pytest.mark.slow
def test_the_report_has_them(project: OpenProject, tmp_path: Path) -> None:
    file = tmp_path / "report.md"
    report_file.write(project, file, Policy())
    text = file.read_text(encoding="utf-8")
    for number, title, _, _ in MAKERS.values():
        assert title in text, number
