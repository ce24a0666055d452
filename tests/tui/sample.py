"""A project of bundled facts with made-up answers and labels, the same every time."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import db.grades
import db.project_values
from core.dataset.choice_options import decode
from core.demo.demo_setup import read_facts
from core.project import OpenProject
from core.vocabulary import ENCODING, TASKS, Outcome, Task
from db.connection import write_transaction
from db.facts import Fact
from tests.core.making import Row, put_facts, put_rows

FACTS = 12
SAMPLES = 8
MODELS = {"gemma3-27b": 0.75, "gemma3-4b": 0.3}
"""Models, and how often the better known half of the facts is answered rightly."""

A, B = "gemini-2.5-pro", "gpt-5"
LABELS = (Outcome.INCORRECT, Outcome.PARTIALLY, Outcome.OTHER)


def sample_project(path: Path) -> Path:
    """Make it: 12 facts, 2 models with thinking off and on, 2 graders that differ now and then."""
    path.write_bytes(_sample())
    return path


def one_model_project(path: Path) -> Path:
    """The same with the first of its models alone."""
    path.write_bytes(_sample(tuple(MODELS)[:1]))
    return path


@cache
def _sample(models: tuple[str, ...] = tuple(MODELS)) -> bytes:
    facts = read_facts()[:FACTS]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "sample.db"
        with OpenProject(path, "create") as project:
            put_facts(project, facts)
            put_rows(project, [row for row in rows_of(facts) if row.model in models])
            with write_transaction(project.connection):
                db.project_values.set_value(project.connection, "primary_grader", A)
        assert [path] == list(path.parent.iterdir())
        return path.read_bytes()


def rows_of(facts: list[Fact]) -> Iterator[Row]:
    random = np.random.default_rng(7)
    for number, fact in enumerate(facts):
        for task in TASKS:
            for model, skill in MODELS.items():
                for thinking in (False, True):
                    if thinking and task in ENCODING:
                        continue
                    chance = skill if number % 2 == 0 else skill / 3
                    for sample in range(SAMPLES):
                        yield _row(random, fact, task, model, thinking, sample, chance)


def _row(
    random: np.random.Generator,
    fact: Fact,
    task: Task,
    model: str,
    thinking: bool,
    sample: int,
    chance: float,
) -> Row:
    right = random.random() < chance
    a = Outcome.CORRECT if right else LABELS[int(random.choice(3, p=[0.8, 0.1, 0.1]))]
    differs = random.random() < 0.04
    b = (Outcome.INCORRECT if right else Outcome.CORRECT) if differs else a
    choices = fact.questions[task].choices
    shown = int(random.integers(24)) if choices else None
    gold = fact.golds[task.side].text
    text = gold if right else str(random.choice(["Paris", "I am not sure.", "1492", "a river"]))
    if choices and shown is not None:
        options = decode(shown, choices)
        text = "ABCD"[options.index(gold)] if right else "ABCD"[(options.index(gold) + 1) % 4]
    grades = {"choice": a} if choices else {A: a, B: b}
    return Row(fact.fact_id, task, model, thinking, sample, grades, text, shown)
