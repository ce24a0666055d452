"""The commands against plain loops over the files they imported, line by line.

Whatever stands between (reading, storing, choosing labels, filtering, counting) takes part.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from math import comb
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from core.project import OpenProject
from core.vocabulary import NoProfile
from tests.core import reference
from tests.core.analyses import loops, raw
from tests.core.analyses.cases import Case
from tests.core.reference import Rule
from tui.cli.main import cli

pytestmark = pytest.mark.slow

EXACT = (
    "popularity", "direction", "thinking", "recovery", "errors",
    "phrasing", "threshold", "availability", "quality",
)  # fmt: skip
AGAIN = (
    (Rule("0.5", "pair"), ("grader-a",)),
    (Rule("0.25", "fact"), ("grader-b", "grader-a")),
    (Rule("0.5", "partial"), ("human:ada", "grader-a")),
    (Rule("0.75", "partial", "0.3"), ("choice", "grader-b")),
    (Rule("0", "pair"), ("human:ada",)),
)
FILTERS: Mapping[str, Callable[[raw.Line], bool]] = {
    "category:arts": lambda fact: fact.get("category") == "Arts",
    "type:DATE views:>=7": lambda fact: fact["object_type"] == "DATE" and fact.get("gbc", -1) >= 7,
    "views:0": lambda fact: fact.get("gbc") == 0,
}


def run(database: Path, *words: str) -> Any:
    result = CliRunner().invoke(cli, ["--db", str(database), *words], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def imported(data: raw.Files, folder: Path) -> Path:
    database = folder / "some.db"
    words = ["--db", str(database), "import", *map(str, data.write(folder))]
    result = CliRunner().invoke(cli, words, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return database


def policy(rule: Rule, graders: Sequence[str]) -> list[str]:
    words = ["--tau", rule.tau, "--strategy", rule.strategy, "--weight", rule.weight]
    return [*words, "--grader", ",".join(graders)]


def nearly(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [
        {
            key: pytest.approx(one, abs=1e-9) if isinstance(one, float) else one
            for key, one in row.items()
        }
        for row in rows
    ]


def check(database: Path, case: Case, *words: str) -> None:
    """Every analysis that is not random, and the profiles."""
    for name in EXACT:
        found = run(database, "analyze", name, "--json", *words)["rows"]
        assert found == nearly(getattr(loops, name)(case)), name
    models = {
        row.pop("model"): row for row in run(database, "profiles", "--json", *words)["models"]
    }
    assert list(models) == list(case.models)
    for model, thinks in case.models.items():
        verdicts = [loops.verdict(case, model, fact, case.rule) for fact in loops.facts(case)]
        expected = reference.summary(verdicts, thinks)
        assert {key: models[model][key] for key in expected} == expected


@pytest.mark.parametrize("seed", range(12))
def test_every_number_is_that_of_plain_loops_over_the_files(seed: int, tmp_path: Path) -> None:
    data = raw.files(seed, (25, 6, 40, 1)[seed % 4])
    there = {grader for line in data.responses for grader in line["grades"]}
    database = imported(data, tmp_path)
    rule, graders = AGAIN[seed % len(AGAIN)]
    if not set(graders) <= there:
        rule, graders = AGAIN[0]
    words = policy(rule, graders)
    check(database, raw.case(data, rule, graders), *words)
    some = list(data.models)[::2]
    check(database, raw.case(data, rule, graders, some), *words, "--model", ",".join(some))
    where, fits = list(FILTERS.items())[seed % len(FILTERS)]
    check(database, raw.case(data, rule, graders, fits=fits), *words, "--where", where)


def test_facts_of_a_profile_and_of_a_tier_are_those_of_the_loops(tmp_path: Path) -> None:
    data = raw.files(4, 40)
    database = imported(data, tmp_path)
    rule, graders = AGAIN[0]
    model = next(iter(data.models))
    whole = raw.case(data, rule, graders, [model])
    names = [
        loops.verdict(whole, model, fact, rule).name or "none" for fact in range(len(data.facts))
    ]
    assert len(set(names)) > 2
    for name in {*names} - {"none"}:
        part = [one == name for one in names]
        ids = [fact["fact_id"] for fact, fine in zip(data.facts, part, strict=True) if fine]
        case = raw.case(data, rule, graders, [model], lambda fact: fact["fact_id"] in ids)  # noqa: B023
        where = ["--where", f"profile:{name}", "--model", model]
        check(database, case, *policy(rule, graders), *where)
    assert {*names} & {one.value for one in NoProfile}


def test_rejected_facts_are_nowhere(tmp_path: Path) -> None:
    data = raw.files(3, 25)
    database = imported(data, tmp_path)
    rule, graders = AGAIN[0]
    gone = [fact["fact_id"] for fact in data.facts[::4]]
    with OpenProject(database, "write") as project:
        marks = ",".join("?" * len(gone))
        project.connection.execute(f"UPDATE fact SET rejected = 1 WHERE fact_id IN ({marks})", gone)
    case = raw.rejecting(raw.case(data, rule, graders), gone)
    check(database, case, *policy(rule, graders))


def test_the_mean_of_the_bootstrap_is_the_exact_expectation(tmp_path: Path) -> None:
    for seed, (rule, graders) in enumerate(AGAIN[:3], start=1):
        folder = tmp_path / str(seed)
        folder.mkdir()
        data = raw.files(seed, 20)
        database = imported(data, folder)
        case = raw.case(data, rule, graders)
        words = ("analyze", "bootstrap", "--json", *policy(rule, graders))
        for row in run(database, *words)["rows"]:
            kinds = _gradable(case, row["model"], row["task"])
            if not kinds:
                assert row["mean"] is None
                continue
            chances = [_chance(one, row["k"], rule) for one in kinds]
            assert row["mean"] == pytest.approx(sum(chances) / len(chances), abs=0.02)
            assert row["width"] == pytest.approx(row["p95"] - row["p5"], abs=1e-9)
            for key, share in (("p5", 0.05), ("p95", 0.95)):
                below, up_to = _ways_to_pass(chances, row[key])
                assert below - 0.035 <= share <= up_to + 0.035


def _ways_to_pass(chances: Sequence[float], share: float) -> tuple[float, float]:
    """How likely less than a share of some questions pass, and at most that, one by one."""
    likely = [1.0]
    for p in chances:
        likely = [
            (likely[n] if n < len(likely) else 0) * (1 - p) + (likely[n - 1] if n else 0) * p
            for n in range(len(likely) + 1)
        ]
    wanted = share * len(chances)
    below = sum(one for n, one in enumerate(likely) if n < wanted - 1e-9)
    # A percentile between two numbers of questions is one of both.
    return below, sum(one for n, one in enumerate(likely) if n < wanted + 1 - 1e-9)


def _gradable(case: Case, model: str, task: str) -> list[reference.Counts]:
    found = []
    for fact in loops.facts(case):
        one = case.counts.get((model, fact, task, False))
        if one is not None and reference.grade(one, case.rule) is not None:
            found.append(one)
    return found


def _chance(counts: reference.Counts, k: int, rule: Rule) -> float:
    """The chance that k labels drawn with replacement pass: every split of k, one by one."""
    total, chance = sum(counts), 0.0
    shares = [one / total for one in counts]
    for c in range(k + 1):
        for i in range(k - c + 1):
            for p in range(k - c - i + 1):
                drawn = (c, i, p, k - c - i - p)
                g = reference.grade(drawn, rule)
                if g is not None and reference.state(drawn, rule) == "pass":
                    ways = comb(k, c) * comb(k - c, i) * comb(k - c - i, p)
                    weights = [share**one for share, one in zip(shares, drawn, strict=True)]
                    chance += ways * weights[0] * weights[1] * weights[2] * weights[3]
    return chance
