"""What DuckDB counts of a lake is what the database says that it was written from."""

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, TypeVar

import pytest

import core.results.agreement as agreement
from core.analyses import ANALYSES
from core.analyses.analysis import analyse
from core.project import OpenProject
from core.results import profile_summary
from core.scale.lake_counts import LakeCounts
from core.scale.lake_results import compare_graders, read_profiles
from core.scoring.policy import Policy
from core.transfer.exports import export
from core.vocabulary import Strategy
from tests.core.scale.random_projects import make_project
from tests.marks import slow

T = TypeVar("T")

LISTS = (
    ("lexical",),
    ("llm:openai:g/2", "lexical"),
    ("human:*", "lexical"),
    ("human:bob", "choice", "llm:openai:g/2", "lexical"),
)


def some_policy(random: Random, there: set[str]) -> Policy:
    """A policy of chance; its graders are among those that are there."""
    lists = [names for names in LISTS if set(names) - {"human:*"} <= there]
    return Policy(
        tau=random.choice([0.0, 0.25, 0.5, 0.9]),
        strategy=random.choice([*Strategy]),
        graders=random.choice(lists),
    )


def plain(document: object) -> Any:
    return json.loads(json.dumps(document))


def by_model(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows in the order of the models' names; those of one model as they came."""
    return sorted(rows, key=lambda row: str(row.get("model", "")))


def count_once(counts: LakeCounts) -> None:
    """Have DuckDB count a cell once, however often the same is asked of it."""
    queries = counts.queries
    for name in ("count_labels", "count_drawn", "count_rows"):
        setattr(queries, name, remembered(getattr(queries, name)))


def remembered(count: Callable[..., T]) -> Callable[..., T]:
    """A count of files that is made once of the same files."""
    found: dict[object, T] = {}

    def counted(*asked: Any) -> T:
        key = plain_key(asked)
        if key not in found:
            found[key] = count(*asked)
        return found[key]

    return counted


def plain_key(asked: Any) -> Any:
    """What is asked, with lists as tuples."""
    return tuple(map(plain_key, asked)) if isinstance(asked, list | tuple) else asked


@pytest.mark.parametrize("seed", [7, *map(slow, [*range(7), *range(8, 80)])])
def test_every_number_is_that_of_the_database(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    with make_project(tmp_path / "p.db", seed) as project:
        there = {one.name for one in project.graders()}
        export(project, "lake", tmp_path / "lake")
        with LakeCounts(tmp_path / "lake") as counts:
            count_once(counts)
            assert counts.index.fact_ids == project.index.fact_ids
            policy = some_policy(random, there)
            check_profiles(project, counts, policy, random)
            for name in random.sample([*ANALYSES], 1):
                check_analysis(project, counts, policy, name)
            if "llm:openai:g/2" in there and seed % 3 == 0:
                check_confusion(project, counts, random)


def check_profiles(
    project: OpenProject, counts: LakeCounts, policy: Policy, random: Random
) -> None:
    by = random.choice([None, "category", "object_type", "popularity"])
    where = random.choice(
        [None, "category:Arts", "views:>0", "profile:RF", "subject_1", "tier:top"]
    )
    found = profile_summary.profiles(project, policy, None, where, by, intervals=True)
    expected = plain(found.as_json())
    facts = [
        one.as_json(True) for one in profile_summary.list_fact_profiles(project, found, again=True)
    ]
    document, listed = read_profiles(counts, policy, None, where, by, True, True)
    mine = plain(document)
    for one in (expected, mine):
        one["models"] = by_model(one["models"])
    assert mine == expected
    assert by_model(plain([one.as_json(True) for one in listed])) == by_model(plain(facts))


def check_analysis(project: OpenProject, counts: LakeCounts, policy: Policy, name: str) -> None:
    intervals = bool(ANALYSES[name].measured)
    expected = plain(analyse(project, name, policy, intervals=intervals).as_json())
    mine = plain(analyse(counts, name, policy, intervals=intervals).as_json())
    for one in (expected, mine):
        for key, value in one.items():
            if isinstance(value, list) and value and isinstance(value[0], dict):
                one[key] = by_model(value)
    assert mine == expected


def check_confusion(project: OpenProject, counts: LakeCounts, random: Random) -> None:
    policy = Policy(strategy=random.choice([*Strategy]))
    models = project.choose_models(None)
    facts = project.facts("", models, policy)
    a, b = random.sample(["lexical", "llm:openai:g/2"], 2)
    expected = plain(agreement.compare(project, a, b, policy, models, facts).as_json())
    assert plain(compare_graders(counts, a, b, policy).as_json()) == expected
