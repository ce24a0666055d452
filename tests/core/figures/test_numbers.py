"""Every number of every figure is one that plain loops find in the files that were imported."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from core.analyses.analysis import analyse
from core.figures.figure import Figure
from core.figures.figure_table import make
from core.figures.series import BY_PROFILE
from core.project import OpenProject
from core.scoring.policy import Policy
from core.transfer.imports import import_file
from core.vocabulary import Strategy
from tests.core import reference
from tests.core.analyses import loops, raw
from tests.core.analyses.cases import Case
from tests.core.making import new_project
from tests.core.reference import Rule

pytestmark = pytest.mark.slow

RULE, GRADERS = Rule("0.5", "partial"), ("grader-a",)
POLICY = Policy(0.5, Strategy.PARTIAL, graders=GRADERS)
Found = dict[tuple[str, str, str], tuple[float | None, int | None]]
"""Value and n by the titles of panel, row, and series or step."""

PAIRS = {
    "direct": "direct",
    "reverse": "reverse",
    "mc_direct": "direct, multiple choice",
    "mc_reverse": "reverse, multiple choice",
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[OpenProject, Case]]:
    folder = tmp_path_factory.mktemp("numbers")
    data = raw.files(4, 40)
    with new_project(folder / "some.db") as project:
        for file in data.write(folder):
            assert import_file(project, file).bad == 0
    with OpenProject(folder / "some.db") as project:
        case = raw.case(data, RULE, GRADERS)
        assert 1 < sum(case.models.values()) < len(case.models)
        yield project, case


def shown(figure: Figure) -> Found:
    """All points of a figure."""
    found: Found = {}
    for panel in figure.panels:
        names = list(panel.steps) or [series.name for series in panel.series]
        for row in panel.rows:
            for name, point in zip(names, row.points, strict=True):
                found[panel.title, row.name, name] = (point.value, point.n)
    return found


def nearly(expected: Found) -> dict[Any, Any]:
    return {
        key: (pytest.approx(value, abs=1e-9) if value is not None else None, n)
        for key, (value, n) in expected.items()
    }


def stored_facts(row: dict[str, Any]) -> int:
    """Stored facts of a tier, over which its recall is: by its row of the loops."""
    stored: int = round((row["encode_rate"] or 0) * row["n"])
    return stored


def popularity(case: Case) -> Found:
    found: Found = {}
    for row in loops.popularity(case):
        if row["tier"] in ("bottom", "top"):
            found["stored", row["model"], row["tier"]] = (row["encode_rate"], row["n"])
            recalled = (row["recall_rate"], stored_facts(row))
            found["recalled, if stored", row["model"], row["tier"]] = recalled
    return found


def direction(case: Case) -> Found:
    titles = {"verification": "multiple choice", "generation": "answered openly"}
    return {
        (titles[row["kind"]], row["model"], row["direction"]): (row["rate"], row["n"])
        for row in loops.direction(case)
        if not row["thinking"] and row["given"] == "encoded"
    }


def errors(case: Case) -> Found:
    titles = {"all": "all facts not known", "encoded": "stored, but not known"}
    return {
        (titles[row["given"]], row["model"], key): (row[key], row["n"])
        for row in loops.errors(case)
        for key in ("only_direct", "only_reverse", "both")
    }


def phrasing(case: Case) -> Found:
    found: Found = {}
    for row in loops.phrasing(case):
        name, n = f"{row['model']} {'on' if row['thinking'] else 'off'}", row["n"]
        for key in ("verbatim", "natural"):
            share = row[f"only_{key}"] / n if n else None
            found[PAIRS[row["pair"]], name, key] = (share, n)
    return found


def recovery(case: Case) -> Found:
    return {
        ("recovered by thinking", row["model"], "stored" if row["encoded"] else "not"): (
            row["recovered"],
            row["n"],
        )
        for row in loops.recovery(case)
    }


def threshold(case: Case) -> Found:
    rows = loops.threshold(case)
    totals: dict[tuple[str, float], int] = {}
    for row in rows:
        at = row["model"], row["tau"]
        totals[at] = totals.get(at, 0) + row["count"]
    return {
        (row["model"], f"τ {row['tau']:g}", row["profile"]): (
            row["share"],
            totals[row["model"], row["tau"]],
        )
        for row in rows
    }


def profiles(case: Case) -> Found:
    found: Found = {}
    for model, thinks in case.models.items():
        verdicts = [loops.verdict(case, model, fact, RULE) for fact in loops.facts(case)]
        summary: Any = reference.summary(verdicts, thinks)
        for profile in reference.PROFILES:
            value = (summary["shares"][profile], summary["included"]) if thinks else (None, None)
            found["facts with a profile", model, profile] = value
    return found


def availability(case: Case) -> Found:
    found: Found = {}
    most: dict[str, int] = {}
    for row in loops.availability(case):
        task = str(row["task"]).replace("_", " ")
        name = f"{row['model']} {'on' if row['thinking'] else 'off'}"
        found[f"{task}: at least k right", name, f"k {row['k']}"] = row["share"], row["n_questions"]
        most[task] = max(most.get(task, 0), row["k"])
    return found


def thinking(case: Case) -> Found:
    """The first panel, and those by popularity; those by direction have a test of their own."""
    found: Found = {}
    for row in loops.thinking(case):
        for key in ("base", "total"):
            found["stored facts that are known", row["model"], key] = (row[key], row["n"])
    titles = {"recall_rate": "thinking off", "recall_total": "off or on"}
    for row in loops.popularity(case):
        if row["tier"] in ("bottom", "top") and case.models[row["model"]]:
            for key, words in titles.items():
                name = f"by popularity, {words}"
                found[name, row["model"], row["tier"]] = row[key], stored_facts(row)
    return found


def trends(case: Case) -> Found:
    known = ("direct_recall", "recall_with_thinking", "inference_without_encoding")
    words = {series.name: series.words for series in BY_PROFILE}
    title = "models from least to most known with a profile"
    found: Found = {}
    for (_, model, profile), (share, n) in profiles(case).items():
        if case.models[model]:
            before, _ = found.get((title, "known with a profile", model), (0.0, None))
            more = share if profile in known else 0.0
            found[title, "known with a profile", model] = ((before or 0.0) + (more or 0.0), n)
            found[title, words[profile], model] = (share, n)
    return found


LOOPS = (
    *(popularity, direction, errors, phrasing, recovery),
    *(threshold, profiles, availability, thinking, trends),
)


@pytest.mark.parametrize("loop", LOOPS, ids=lambda loop: loop.__name__)
def test_every_number_is_one_of_the_loops(
    loop: Callable[[Case], Found], made: tuple[OpenProject, Case]
) -> None:
    project, case = made
    found = shown(make(project, loop.__name__, POLICY))
    expected = loop(case)
    assert len(expected) > 5
    rest = {key for key in found.keys() - expected.keys() if found[key] != (None, None)}
    assert all(title.startswith("by direction, ") for title, _, _ in rest)
    assert {key: found.get(key) for key in expected} == nearly(expected)


def test_widths_are_those_of_the_bootstrap(made: tuple[OpenProject, Case]) -> None:
    project, _ = made
    rows = [row.as_json() for row in analyse(project, "bootstrap", POLICY).rows]
    found = shown(make(project, "bootstrap", POLICY))
    assert {key: value for key, (value, _) in found.items()} == {
        (f"{row['task']}: width in points", row["model"], f"k {row['k']}"): row["width"]
        for row in rows
    }


def test_failed_questions_are_counted_over_those_with_labels(
    made: tuple[OpenProject, Case],
) -> None:
    project, case = made
    failed = loops.quality(case)
    expected: Found = {}
    for task in loops.ALL_TASKS:
        hits = sum(task in row["tasks"] for row in failed)
        n = sum(
            any((model, fact, task, on) in case.counts for model, on in loops.settings(case))
            for fact in loops.facts(case)
        )
        expected["questions", task.replace("_", " "), "failed"] = (hits / n, n)
    assert failed
    assert shown(make(project, "quality", POLICY)) == nearly(expected)
