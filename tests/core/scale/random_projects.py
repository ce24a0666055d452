"""Projects of chance with all that lakes have to carry, as plain values."""

from collections.abc import Sequence
from pathlib import Path
from random import Random

from core.dataset import choice_options
from core.project import OpenProject
from core.vocabulary import TASKS, Outcome, Task
from tests.core.making import OPTIONS, Row, a_fact, new_project, put_facts, put_rows

MODELS = ("openai:m/1", "a b%c=d", "x@http://host:8/v1", "émile\t%2F", "plain")
OPEN = tuple(task for task in TASKS if not task.is_choice)
GRADERS = ("lexical#1", "lexical#2", "llm:openai:g/2", "human:ann", "human:bob", "choice")


def make_project(path: Path, seed: int) -> OpenProject:
    """A small project of chance, the same for the same seed."""
    random = Random(seed)
    project = new_project(path)
    # Half of the projects ask a few tasks alone: each more is a dozen files of a lake.
    asked = random.sample(OPEN, random.choice([len(OPEN), random.randint(1, 3)]))
    whole = random.choice([0.94, 1.0])
    facts = range(random.randint(1, 12))
    tasks = {f"{random.randint(0, 99)}__{n}": _tasks(random, asked, whole) for n in facts}
    put_facts(
        project,
        [
            a_fact(
                fact_id,
                there,
                views=random.choice([None, 0, 5, 5, 90]),
                category=random.choice(["", "Arts", "Law"]),
                object_type=random.choice(["", "DATE"]),
                subject=f"Subject_{fact_id}",
            )
            for fact_id, there in tasks.items()
        ],
    )
    rows: list[Row] = []
    graders = ["lexical#1", *(one for one in GRADERS[1:] if random.random() < 0.6)]
    for model in random.sample(MODELS, random.choice([1, 1, 1, 2, 3])):
        for on in (False, True) if random.random() < 0.8 else (False,):
            leaning = random.choice([Outcome.CORRECT, Outcome.INCORRECT, Outcome.OTHER])
            for fact_id, there in tasks.items():
                for task in there:
                    if random.random() < whole:
                        rows += _cell(random, fact_id, task, model, on, leaning, graders)
    put_rows(project, rows)
    return project


def _tasks(random: Random, some: Sequence[Task], whole: float) -> list[Task]:
    """Tasks as a file can have them: multiple choice where the question and choices are."""
    asked = [task for task in some if random.random() < whole]
    asked = asked or [*some[:1]]
    sides = {task.side for task in asked if random.random() < 0.8}
    there = {task for task in TASKS if task.asks in asked and task.side in sides}
    return [task for task in TASKS if task in asked or task in there]


def _cell(
    random: Random,
    fact_id: str,
    task: Task,
    model: str,
    on: bool,
    leaning: Outcome,
    graders: Sequence[str],
) -> list[Row]:
    rows = []
    for sample in range(random.choice([1, 2, 4, 4, 4])):
        if random.random() < 0.05:
            continue
        grades, at = {}, {}
        for grader in graders:
            often = {"choice": float(task.is_choice), "human:ann": 0.2, "human:bob": 0.2}
            if random.random() < often.get(grader, 0.9):
                sure = random.random() < 0.6
                grades[grader] = leaning if sure else random.choice([*Outcome])
                if grader.startswith("human:"):
                    grades[grader] = random.choice([*Outcome][:4])
                    at[grader] = random.randint(1, 10**6)
        shown = None
        if task.is_choice:
            options = OPTIONS[task.side]
            shown = choice_options.encode(options[::-1], options)
        text = random.choice(["yes", "", "a\nb", "ü \u202e[/red]", "x" * 50])
        rows.append(Row(fact_id, task, model, on, sample, grades, text, shown, at))
    return rows
