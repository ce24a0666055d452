"""Imported facts that lack tasks: only these are made, by stages or by rule."""

from pathlib import Path

import pytest

import db.facts
from core.project import OpenProject
from core.providers.base import Request
from core.vocabulary import TASKS, Side, Task
from db.connection import write_transaction
from db.facts import Fact
from db.question_rows import Gold, Question
from tests.core.making import new_project
from tests.core.pipeline.making import Builder, built, facts_of, said, template

RIVERS = ("Anti", "Bovra", "Celmo", "Dusta", "Erwen", "Folda")
CITIES = ("Tartu", "Narva", "Viljandi", "Haapsalu", "Rakvere", "Valga")
GIVEN = (Task.COMPLETION, Task.DIRECT, Task.DIRECT_NATURAL, Task.REVERSE, Task.REVERSE_NATURAL)


def a_fact(number: int, tasks: tuple[Task, ...] = GIVEN) -> Fact:
    city, river = CITIES[number], RIVERS[number]
    texts = {
        Task.COMPLETION: f"{river} is long and it is slow. It has many bends and few bridges, and "
        "its banks are known for old mills that stand there since the days of the first settlers. "
        "The town that lies where it meets the sea is ",
        Task.CONTEXTUAL: f"{river} is long and it is slow. Which town lies at its mouth?",
        Task.DIRECT: f"Which town lies where {river} meets the sea?",
        Task.DIRECT_NATURAL: f"What is the town at the mouth of {river} called?",
        Task.REVERSE: f"Which river meets the sea at {city}?",
        Task.REVERSE_NATURAL: f"What river flows into the sea at {city}?",
    }
    return Fact(
        f"f{number}",
        page_title=river,
        category="Geography",
        subject=river,
        object=city,
        object_type="LOCATION",
        subject_type="LOCATION",
        golds={Side.OBJECT: Gold(city), Side.SUBJECT: Gold(river)},
        questions={task: Question(texts[task]) for task in tasks},
    )


def database(path: Path, facts: list[Fact]) -> Path:
    with new_project(path) as project, write_transaction(project.connection):
        db.facts.insert(project.connection, facts)
    return path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return database(tmp_path / "facts.db", [a_fact(number) for number in range(len(CITIES))])


def test_only_what_is_missing_is_made(path: Path) -> None:
    before, builder = facts_of(path), Builder()
    built(path, builder)
    assert set(builder.prompts) == {"contextual", "choices", "filter", "grounded-local"}
    after = facts_of(path)
    assert after.keys() == before.keys()
    for name, fact in after.items():
        assert list(fact[-1]) == list(TASKS)
        assert {task: fact[-1][task] for task in GIVEN} == before[name][-1]
        assert fact[-1][Task.MC_REVERSE][0] == fact[-1][Task.REVERSE][0]
    again = Builder()
    built(path, again)
    assert again.seen == []


def test_by_rule_without_a_model(path: Path) -> None:
    result, _ = built(path, model=None)
    facts = facts_of(path)
    for _, _, _, subject, object_, *_, questions in facts.values():
        assert list(questions) == list(TASKS)
        assert questions[Task.CONTEXTUAL][0].endswith(questions[Task.DIRECT][0])
        assert "The town that" not in questions[Task.CONTEXTUAL][0]
        choices = questions[Task.MC_DIRECT][1]
        assert choices[0] == object_
        assert set(choices) <= set(CITIES)
        assert len(set(choices)) == 4
        assert questions[Task.MC_REVERSE][1][0] == subject
    assert result.said == f"{5 * len(facts)} missing tasks made for {len(facts)} facts"
    with OpenProject(path) as project:
        versions = project.connection.execute(
            "SELECT DISTINCT version FROM step WHERE stage = 'contextual'"
        ).fetchall()
    assert versions == [("fallback",)]
    built(path, model=None)
    assert facts_of(path) == facts
    builder = Builder()
    built(path, builder)
    assert builder.seen == []
    assert facts_of(path) == facts


def test_a_model_replaces_the_rule_only_when_asked_to(path: Path) -> None:
    built(path, model=None)
    by_rule, builder = facts_of(path), Builder()
    built(path, builder, redo="contextual")
    assert set(builder.prompts) == {"contextual", "filter", "grounded-local"}
    for name, fact in facts_of(path).items():
        assert fact[-1][Task.DIRECT] == by_rule[name][-1][Task.DIRECT]
        assert fact[-1][Task.MC_DIRECT] == by_rule[name][-1][Task.MC_DIRECT]
        assert Task.CONTEXTUAL in fact[-1]


def test_a_drop_means_that_the_task_is_not_made(path: Path) -> None:
    def rejects(request: Request, key: str) -> str:
        return "NOT\nit has two answers" if template(request) == "filter" else said(request, key)

    built(path, Builder(rejects))
    with OpenProject(path) as project:
        rejected = project.connection.execute("SELECT sum(rejected) FROM fact").fetchone()
    assert rejected == (0,)
    for fact in facts_of(path).values():
        assert set(fact[-1]) == set(TASKS) - {Task.CONTEXTUAL}


def test_natural_forms_are_made_and_share_the_options(tmp_path: Path) -> None:
    tasks = (Task.COMPLETION, Task.DIRECT, Task.REVERSE)
    path = database(tmp_path / "few.db", [a_fact(number, tasks) for number in range(3)])
    built(path)
    for fact in facts_of(path).values():
        assert list(fact[-1]) == list(TASKS)
        assert fact[-1][Task.MC_DIRECT_NATURAL][0] == fact[-1][Task.DIRECT_NATURAL][0]
        assert fact[-1][Task.MC_DIRECT_NATURAL][1] == fact[-1][Task.MC_DIRECT][1]


def test_without_a_left_context_what_needs_it_is_not_made(tmp_path: Path) -> None:
    tasks = (Task.DIRECT, Task.REVERSE)
    path = database(tmp_path / "few.db", [a_fact(number, tasks) for number in range(2)])
    result, _ = built(path)
    assert result.failed == 0
    for fact in facts_of(path).values():
        assert set(fact[-1]) == set(TASKS) - {Task.COMPLETION, Task.CONTEXTUAL}


def test_direct_and_reverse_are_made_of_the_left_context(tmp_path: Path) -> None:
    path = database(tmp_path / "one.db", [a_fact(n, (Task.COMPLETION,)) for n in range(4)])
    builder = Builder()
    built(path, builder)
    assert {"direct", "specify", "minimize", "reverse", "verify-pair"} <= set(builder.prompts)
    assert "verify-with-gold" not in builder.prompts
    assert any(list(fact[-1]) == list(TASKS) for fact in facts_of(path).values())
    assert all(Task.COMPLETION in fact[-1] for fact in facts_of(path).values())
