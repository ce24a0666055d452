"""The document of `profiles --json`, whether it is provisional, and saved profiles."""

import json
from collections.abc import Sequence
from random import Random

import numpy as np
import pytest

import db.model_rows
import db.sampling_runs
from core.errors import UsageError
from core.project import OpenProject
from core.results import profile_summary
from core.scoring.policy import Policy
from core.vocabulary import KNOWLEDGE, PROFILES, TASKS, Outcome, Strategy, Task
from db.connection import write_transaction
from tests.core import reference
from tests.core.making import Row, a_fact, cell, put_facts, put_rows
from tests.core.reference import Rule
from tests.db.making import start_run

GOOD, BAD, NONE = [Outcome.CORRECT] * 2, [Outcome.INCORRECT] * 2, [Outcome.OTHER] * 2
SUMMARY_KEYS = {
    "model",
    "thinking",
    "total",
    "incomplete",
    "excluded_nan",
    "direct_inference",
    "included",
    "counts",
    "shares",
    "not_gradable_share",
    "direct_inference_share",
    "excluded_share",
    "encodes",
    "knows",
    "knows_thinking",
}


def profiled(fact_id: str, model: str, e: bool, k0: bool, kt: bool | None) -> list[Row]:
    """Responses to all questions that decide a fact's profile; kt None: thinking not asked."""
    rows = []
    for task in TASKS[:2]:
        rows += cell(fact_id, task, model, False, GOOD if e else BAD)
    for task in KNOWLEDGE:
        rows += cell(fact_id, task, model, False, GOOD if k0 else BAD)
        if kt is not None:
            rows += cell(fact_id, task, model, True, GOOD if kt else BAD)
    return rows


@pytest.fixture
def filled(project: OpenProject) -> OpenProject:
    """Four facts of two categories; one model with thinking, one without."""
    facts = [
        a_fact("f0", category="Arts", views=1),
        a_fact("f1", category="Arts", views=2),
        a_fact("f2", category="Sports", views=3),
        a_fact("f3", category="Sports"),
    ]
    put_facts(project, facts)
    rows = [
        *profiled("f0", "thinker", True, True, True),
        *profiled("f1", "thinker", True, False, False),
        *profiled("f2", "thinker", False, True, True),
        *profiled("f0", "plain", True, False, None),
        *profiled("f3", "plain", False, True, None),
    ]
    put_rows(project, rows)
    return project


def test_the_document_has_every_key_of_the_contract(filled: OpenProject) -> None:
    document = profile_summary.profiles(filled, Policy()).as_json()
    assert document | {"models": None} == {
        "policy": None,
        "tau": 0.5,
        "strategy": "pair",
        "weight": None,
        "graders": ["human:*", "lexical"],
        "provisional": False,
        "models": None,
    }
    models = document["models"]
    assert isinstance(models, list)
    assert [one["model"] for one in models] == ["thinker", "plain"]
    assert all(set(one) == SUMMARY_KEYS for one in models)
    thinker, plain = models
    assert set(thinker["counts"]) == set(thinker["shares"]) == set(map(str, PROFILES))
    assert thinker["counts"]["direct_recall"] == thinker["counts"]["recall_failure"] == 1
    assert (thinker["total"], thinker["incomplete"], thinker["direct_inference"]) == (4, 1, 1)
    assert (thinker["included"], thinker["excluded_share"]) == (2, 1 / 3)
    assert (thinker["encodes"], thinker["knows"], thinker["knows_thinking"]) == (1, 1, 1)
    assert plain["thinking"] is False
    nothing = ("direct_inference", "included", "counts", "shares", "excluded_share")
    assert {plain[name] for name in (*nothing, "knows_thinking")} == {None}
    assert (plain["total"], plain["incomplete"]) == (4, 2)
    assert (plain["encodes"], plain["knows"]) == (0.5, 0.5)
    assert json.loads(json.dumps(document, allow_nan=False)) == document


@pytest.mark.parametrize("by", ["category", "object_type", "popularity"])
def test_groups_have_the_same_keys_and_add_up(filled: OpenProject, by: str) -> None:
    document = profile_summary.profiles(filled, Policy(), by=by).as_json()
    models = document["models"]
    assert isinstance(models, list)
    for whole in models:
        groups = whole.pop("groups")
        assert groups
        for one in groups.values():
            assert set(one) == set(whole)
        for name in ("total", "incomplete", "excluded_nan"):
            assert sum(one[name] for one in groups.values()) == whole[name]


def test_a_group_is_a_filter(filled: OpenProject) -> None:
    grouped = profile_summary.profiles(filled, Policy(), by="category")
    for category in ("Arts", "Sports"):
        alone = profile_summary.profiles(filled, Policy(), where=f"category:{category}")
        for model in ("thinker", "plain"):
            assert grouped.groups[model][category] == alone.models[model]
    assert set(grouped.groups["plain"]) == {"Arts", "Sports"}


def test_weight_is_null_unless_it_weighs(filled: OpenProject) -> None:
    for strategy, weight in ((Strategy.PAIR, None), (Strategy.FACT, None), (Strategy.PARTIAL, 0.3)):
        head = profile_summary.profiles(filled, Policy(0.25, strategy, 0.3)).as_json()
        assert (head["tau"], head["strategy"], head["weight"]) == (0.25, strategy, weight)


def test_graders_are_named_as_resolved(filled: OpenProject) -> None:
    document = profile_summary.profiles(filled, Policy(graders=("lexical#1", "lexical"))).as_json()
    assert document["graders"] == ["lexical#1", "lexical"]


@pytest.mark.parametrize(
    ("models", "where", "by", "message"),
    [
        (["nobody"], None, None, "thinker, plain"),
        (None, "views:x", None, "views"),
        (None, None, "size", "category"),
    ],
)
def test_what_is_not_there_is_refused(
    filled: OpenProject, models: list[str] | None, where: str | None, by: str | None, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        profile_summary.profiles(filled, Policy(), models, where, by)


def test_an_empty_project_has_no_models(project: OpenProject) -> None:
    found = profile_summary.profiles(project, Policy())
    assert found.as_json()["models"] == []
    assert not found.provisional
    assert profile_summary.list_fact_profiles(project, found) == []


def some_rows(random: Random, facts: Sequence[str]) -> list[Row]:
    rows = []
    for fact_id in facts:
        for task in TASKS:
            for model, on in (("thinker", False), ("thinker", True), ("plain", False)):
                if random.random() < 0.99:
                    label = random.choice([*Outcome][:4])
                    labels = random.choices([label, *[*Outcome][:4], None], [9, 1, 1, 1, 1, 1], k=3)
                    rows += cell(fact_id, task, model, on, labels)
    return rows


@pytest.mark.slow
@pytest.mark.parametrize("strategy", list(Strategy))
def test_per_fact_against_plain_loops(project: OpenProject, strategy: Strategy) -> None:
    random = Random(str(strategy))
    facts = [f"f{number}" for number in range(20)]
    tasks = {
        one: [task for task in TASKS if number % 3 or random.random() < 0.8]
        for number, one in enumerate(facts)
    }
    put_facts(project, [a_fact(one, mine) for one, mine in tasks.items()])
    rows = [row for row in some_rows(random, facts) if row.task in tasks[row.fact_id]]
    put_rows(project, rows)
    found = profile_summary.profiles(project, Policy(0.5, strategy))
    rule = Rule("0.5", strategy.value)
    entries = profile_summary.list_fact_profiles(project, found)
    assert [(one.model, one.fact_id) for one in entries] == [
        (model, fact_id) for model in found.models for fact_id in facts
    ]
    kinds = set()
    for one in entries:
        counts: dict[reference.Cell, list[int]] = {}
        for row in rows:
            if (row.model, row.fact_id) == (one.model, one.fact_id) and row.grades:
                counts.setdefault((row.task, row.thinking), [0] * 4)[row.grades["lexical"] - 1] += 1
        exact = {place: (c[0], c[1], c[2], c[3]) for place, c in counts.items()}
        expected = reference.verdict(tasks[one.fact_id], exact, one.model == "thinker", rule)
        assert (one.profile, one.e, one.k0, one.kt) == (
            expected.name,
            expected.e,
            expected.k0,
            expected.kt,
        )
        grades = {
            f"{task}/{'on' if on else 'off'}": reference.grade(c, rule)
            for (task, on), c in exact.items()
        }
        assert {name: None if g is None else float(g) for name, g in grades.items()} == (
            pytest.approx(dict(one.grades))
        )
        assert set(one.as_json()) == {"fact_id", "model", "profile", "e", "k0", "kt", "grades"}
        kinds.add(one.profile)
    assert {"incomplete", "excluded_nan", None} < kinds


def provisional(project: OpenProject, where: str | None = None) -> bool:
    return profile_summary.profiles(
        project, Policy(graders=("lexical",)), ["thinker"], where
    ).provisional


def test_a_response_without_a_label_makes_figures_provisional(filled: OpenProject) -> None:
    assert not provisional(filled)
    put_rows(filled, [Row("f0", Task.DIRECT, "thinker", True, 2)])
    assert provisional(filled)
    assert provisional(filled, "category:Arts")
    assert not provisional(filled, "category:Sports")
    assert not profile_summary.profiles(filled, Policy(), ["plain"]).provisional


@pytest.mark.parametrize(
    ("task", "thinking"),
    [(Task.MC_DIRECT, False), (Task.MC_REVERSE, True), (Task.COMPLETION, True)],
)
def test_only_cells_make_figures_provisional(
    filled: OpenProject, task: Task, thinking: bool
) -> None:
    put_rows(filled, [Row("f0", task, "thinker", thinking, 0)])
    assert not provisional(filled)


def test_rejected_facts_make_nothing_provisional(filled: OpenProject) -> None:
    put_rows(filled, [Row("f0", Task.DIRECT, "thinker", True, 2)])
    with write_transaction(filled.connection):
        filled.connection.execute("UPDATE fact SET rejected = 1 WHERE fact_id = 'f0'")
    with OpenProject(filled.path) as again:
        assert not provisional(again)


def open_run(
    project: OpenProject, thinking: bool, tasks: Sequence[Task], facts: Sequence[int] | None, n: int
) -> int:
    with write_transaction(project.connection):
        setting = db.model_rows.ensure_setting(project.connection, "thinker", thinking)
        return start_run(project.connection, setting, tasks, facts, n)


def test_an_unfinished_run_makes_figures_provisional(filled: OpenProject) -> None:
    f0 = int(filled.index.ids[0])
    run = open_run(filled, True, [Task.DIRECT], [f0], 3)
    assert provisional(filled)
    assert provisional(filled, "fact:f0")
    assert not provisional(filled, "fact:f1")
    assert not profile_summary.profiles(filled, Policy(), ["plain"]).provisional
    put_rows(filled, cell("f0", Task.DIRECT, "thinker", True, [Outcome.CORRECT] * 3)[2:])
    assert not provisional(filled)
    other = open_run(filled, False, [Task.REVERSE], None, 3)
    assert provisional(filled)
    with write_transaction(filled.connection):
        db.sampling_runs.finish(filled.connection, other)
        db.sampling_runs.finish(filled.connection, run)
    assert not provisional(filled)


def test_a_run_of_no_facts_draws_nothing(filled: OpenProject) -> None:
    run = open_run(filled, False, [Task.DIRECT], [], 9)
    assert not provisional(filled)
    assert open_run(filled, False, [Task.DIRECT], [], 9) == run
    assert open_run(filled, False, [Task.DIRECT], None, 9) != run
    assert provisional(filled)


def test_a_run_of_other_tasks_draws_no_cell(filled: OpenProject) -> None:
    open_run(filled, False, [Task.MC_DIRECT], None, 9)
    open_run(filled, True, [Task.COMPLETION], None, 9)
    assert not provisional(filled)


def test_saved_profiles_are_kept_with_their_policy(filled: OpenProject) -> None:
    found = profile_summary.profiles(filled, Policy(0.25, Strategy.PARTIAL, 0.4))
    profile_summary.save(filled, found, "first")
    profile_summary.save(filled, found, "other")
    profile_summary.save(filled, profile_summary.profiles(filled, Policy(), ["plain"]), "first")
    rows = filled.connection.execute(
        "SELECT fact_id, label, profile, e, k0, kt FROM saved_profile "
        "JOIN fact ON fact.id = fact JOIN model ON model.id = model WHERE policy = ? "
        "ORDER BY label DESC, fact_id",
        ("other",),
    ).fetchall()
    assert rows == [
        ("f0", "thinker", "direct_recall", 1, 1, 1),
        ("f1", "thinker", "recall_failure", 1, 0, 0),
        ("f2", "thinker", "direct_inference", 0, 1, 1),
        ("f3", "thinker", "incomplete", None, None, None),
        ("f0", "plain", None, 1, 0, None),
        ("f1", "plain", "incomplete", None, None, None),
        ("f2", "plain", "incomplete", None, None, None),
        ("f3", "plain", None, 0, 1, None),
    ]
    saved = dict(filled.connection.execute("SELECT name, policy FROM saved_policy").fetchall())
    assert json.loads(saved["other"]) == {
        "tau": 0.25,
        "strategy": "partial",
        "weight": 0.4,
        "graders": ["human:*", "lexical"],
        "provisional": False,
    }
    assert json.loads(saved["first"])["tau"] == 0.5
    (count,) = filled.connection.execute(
        "SELECT count(*) FROM saved_profile WHERE policy = 'first'"
    ).fetchone()
    assert count == 4


def test_figures_follow_what_another_program_writes(filled: OpenProject) -> None:
    with OpenProject(filled.path, "write") as other:
        assert filled.index.fact_ids[-1] == "f3"
        assert not filled.refresh()
        put_facts(other, [a_fact("f9", category="New")])
        assert filled.refresh()
        assert filled.index.fact_ids[-1] == "f9"
        put_rows(other, profiled("f9", "thinker", True, False, True))
        assert filled.refresh()
        found = profile_summary.profiles(filled, Policy(), ["thinker"], "fact:f9")
        assert found.models["thinker"].counts == {
            name: int(name == "recall_with_thinking") for name in PROFILES
        }
        assert not filled.refresh()
    assert np.array_equal(filled.index.ids, [1, 2, 3, 4, 5])
