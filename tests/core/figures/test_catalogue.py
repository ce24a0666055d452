"""Every figure of a project: its numbers, its caption, and what is missing."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.analyses.analysis import analyse
from core.errors import LostkeysError, UsageError
from core.figures import figure_needs, recall_figures
from core.figures.figure import Figure, PanelKind
from core.figures.figure_table import (
    BENCH,
    BY_NAME,
    CATALOGUE,
    LATENT,
    NO_FACTS,
    NO_ROWS,
    THEMES,
    find_missing,
    make,
)
from core.project import OpenProject
from core.results.saved_policies import save
from core.scoring.policy import Policy
from core.vocabulary import Outcome, Task
from tests.core.making import a_fact, cell, new_project, put_facts, put_rows
from tests.tui.sample import A, B, sample_project

POLICY = Policy(graders=(A,))


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sample_project(tmp_path_factory.mktemp("figures") / "sample.db")


@pytest.fixture
def project(path: Path) -> Iterator[OpenProject]:
    with OpenProject(path) as project:
        yield project


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[OpenProject]:
    with new_project(tmp_path / "empty.db") as project:
        put_facts(project, [a_fact("one"), a_fact("two")])
        yield project


def test_every_figure_of_the_issue_is_there_once() -> None:
    numbers = [entry.number for entry in CATALOGUE] + [entry.also for entry in CATALOGUE]
    assert {*map(str, [4, 5, 6, 7, 8, *range(12, 19)])} <= {*numbers}
    assert len(BY_NAME) == len(CATALOGUE)
    assert tuple(dict.fromkeys(entry.theme for entry in CATALOGUE)) == THEMES


ANSWERED = [entry.name for entry in CATALOGUE if not entry.scored]
UNSCORED = {
    entry.name: figure_needs.NO_SCORES if entry.theme == LATENT else figure_needs.NO_ARMS
    for entry in CATALOGUE
    if entry.theme in (LATENT, BENCH)
} | {"dataset": figure_needs.UNDESCRIBED}


@pytest.mark.slow
@pytest.mark.parametrize("name", ANSWERED)
@pytest.mark.parametrize("intervals", [False, True])
def test_every_figure_of_labels_can_be_made(
    project: OpenProject, name: str, intervals: bool
) -> None:
    figure = make(project, name, POLICY, intervals=intervals)
    assert (figure.name, figure.missing) == (name, "")
    assert figure.panels
    for panel in figure.panels:
        wanted = len(panel.steps) or len(panel.series)
        for row in panel.rows:
            assert len(row.points) == wanted
            for point in row.points:
                if point.value is not None:
                    assert panel.low <= point.value <= panel.high
                if point.low is not None:
                    assert intervals
                    assert point.high is not None
                    assert point.low <= (point.value or 0) <= point.high
            if panel.kind is PanelKind.STACK and row.points[0].value is not None:
                assert sum(point.value or 0 for point in row.points) == pytest.approx(1)


def test_numbers_are_those_of_the_analysis(project: OpenProject) -> None:
    rows = analyse(project, "popularity", POLICY).rows
    figure = make(project, "popularity", POLICY)
    at = {(getattr(row, "model", ""), getattr(row, "tier", "")): row for row in rows}
    for panel, key in zip(figure.panels, ("encode_rate", "recall_rate"), strict=True):
        for row in panel.rows:
            for series, point in zip(panel.series, row.points, strict=True):
                assert point.value == getattr(at[row.name, series.name], key)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["popularity", "direction", "errors", "thinking", "recovery"])
def test_a_filter_selects_as_many_facts_as_its_number_counts(
    project: OpenProject, name: str
) -> None:
    checked = 0
    for panel in make(project, name, POLICY).panels:
        for row in panel.rows:
            for series, point in zip(panel.series, row.points, strict=True):
                where = row.of_series[series.name]
                hits = round((point.value or 0) * (point.n or 0))
                found = int(project.facts(where, [row.model or ""], POLICY).sum()) if where else 0
                assert found == hits
                checked += 1
    assert checked


def test_the_caption_says_policy_graders_numbers_and_date(project: OpenProject) -> None:
    figure = make(project, "profiles", Policy(0.25, graders=(A,)), ["gemma3-4b"], "tier:middle")
    policy, facts, date = figure.caption
    assert policy == f"threshold 0.25, strategy pair; graders {A}"
    assert facts.startswith("8 facts (tier:middle), 1 model; n ")
    assert len(date) == len("2026-01-01")


def test_the_caption_says_how_intervals_were_made_where_there_are_any(project: OpenProject) -> None:
    words = "95% intervals over facts, as graded"
    assert words in make(project, "popularity", POLICY, intervals=True).caption
    assert words not in make(project, "popularity", POLICY).caption
    assert words not in make(project, "phrasing", POLICY, intervals=True).caption


def test_the_caption_names_a_saved_policy(tmp_path: Path) -> None:
    path = sample_project(tmp_path / "named.db")
    with OpenProject(path, "write") as project:
        save(project, "strict", Policy(0.75, graders=(A,)))
        assert (
            make(project, "errors", Policy(0.75, graders=(A,)))
            .caption[0]
            .startswith("policy strict: threshold 0.75")
        )
        assert make(project, "errors", POLICY).caption[0].startswith("threshold 0.5")


def test_a_subset_of_models_is_shown_in_their_order(project: OpenProject) -> None:
    figure = make(project, "recovery", POLICY, ["gemma3-4b"])
    assert [row.name for row in figure.panels[0].rows] == ["gemma3-4b"]


def test_confusion_crosses_the_graders_asked_for(project: OpenProject) -> None:
    assert make(project, "confusion", POLICY).panels[0].title == f"{A} down, {B} across"
    other = make(project, "confusion", POLICY, graders=(B, A))
    assert other.panels[0].title == f"{B} down, {A} across"


def test_thinking_shows_gaps_without_and_with_it(project: OpenProject) -> None:
    titles = [panel.title for panel in make(project, "thinking", POLICY).panels]
    assert titles == [
        "stored facts that are known",
        "by popularity, thinking off",
        "by popularity, off or on",
        "by direction, thinking off",
        "by direction, off or on",
    ]


class TestMissing:
    def test_nothing_answered(self, empty: OpenProject) -> None:
        wanted = dict.fromkeys(ANSWERED, figure_needs.NO_ANSWERS) | UNSCORED
        assert find_missing(empty) == wanted
        for name, words in wanted.items():
            assert make(empty, name, Policy()).missing == words

    def test_nothing_graded(self, empty: OpenProject) -> None:
        put_rows(empty, cell("one", Task.DIRECT, "m", False, [None]))
        assert find_missing(empty) == dict.fromkeys(ANSWERED, figure_needs.NO_LABELS) | UNSCORED
        assert make(empty, "errors", Policy()).missing == figure_needs.NO_LABELS

    def test_no_thinking_no_views_one_grader(self, empty: OpenProject) -> None:
        put_rows(empty, cell("one", Task.DIRECT, "m", False, [Outcome.CORRECT]))
        none = dict.fromkeys(
            ("profiles", "trends", "threshold", "thinking", "recovery"), figure_needs.NO_THINKING
        )
        assert find_missing(empty) == {
            **none,
            **UNSCORED,
            "popularity": figure_needs.NO_VIEWS,
            "confusion": figure_needs.ONE_GRADER,
        }
        assert make(empty, "phrasing", Policy()).missing == recall_figures.NO_PAIRS
        for entry in CATALOGUE:
            figure = make(empty, entry.name, Policy(), intervals=True)
            assert bool(figure.missing) is not bool(figure.panels)

    def test_thinking_of_facts_without_views_leaves_popularity_out(
        self, empty: OpenProject
    ) -> None:
        rows = [
            row
            for on in (False, True)
            for task in Task
            if not (on and task in (Task.COMPLETION, Task.CONTEXTUAL))
            for row in cell("one", task, "m", on, [Outcome.CORRECT])
        ]
        put_rows(empty, rows)
        figure = make(empty, "thinking", Policy())
        assert len(figure.panels) == 3
        assert "no page views here: not shown by popularity" in figure.notes

    def test_of_the_models_chosen_none_thinks(self, tmp_path: Path) -> None:
        with OpenProject(sample_project(tmp_path / "more.db"), "write") as project:
            fact = project.index.fact_ids[0]
            put_rows(project, cell(fact, Task.DIRECT, "quiet", False, [Outcome.CORRECT], A))
            for name in ("trends", "threshold", "thinking", "recovery"):
                figure: Figure = make(project, name, POLICY, ["quiet"])
                assert figure.missing
                assert not figure.panels
            assert make(project, "recovery", POLICY, ["quiet"]).missing == NO_ROWS

    def test_no_fact_passes_the_filter(self, project: OpenProject) -> None:
        for name in ANSWERED:
            assert make(project, name, POLICY, where="views:>99m").missing == NO_FACTS

    def test_models_unfit_for_a_figure_are_said_to_be(
        self, project: OpenProject, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def unfit(*_: object) -> None:
            raise LostkeysError("no bootstrap of m: sampling was curtailed")

        monkeypatch.setattr("core.figures.figure_scope.analyse", unfit)
        figure = make(project, "bootstrap", POLICY)
        assert figure.missing == "no bootstrap of m: sampling was curtailed"
        assert not figure.panels

    def test_unknown_names_are_refused(self, project: OpenProject) -> None:
        with pytest.raises(UsageError, match="no figure named pie: choose one of profiles"):
            make(project, "pie", POLICY)
        with pytest.raises(UsageError, match="no responses of a model named nobody"):
            make(project, "errors", POLICY, ["nobody"])
        with pytest.raises(UsageError, match="no labels by a grader named nobody"):
            make(project, "errors", Policy(graders=("nobody",)))
