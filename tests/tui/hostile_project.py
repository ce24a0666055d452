"""A project in which every text is hostile."""

from collections.abc import Sequence
from itertools import count
from pathlib import Path

import db.grades
import db.model_rows
import db.responses
import db.sampling_runs
from core.project import OpenProject
from core.vocabulary import TASKS, Outcome, Side, Task
from db.connection import write_transaction
from db.drawn_responses import DrawnColumns, NewResponse, insert_drawn
from db.facts import Fact
from db.question_rows import Gold, Question
from db.slot_ids import slot
from tests.core.making import a_recipe, new_project, put_facts, put_grades
from tests.db.making import start_run

A, B = "a [bold]\x1b]0;owned\x07\u202e", "b\x9b31m[/]👩\u200d👧\x00"
PERSON = "mira"
SAMPLES = 8
MODELS = 3
"""Models with answers; the first one has those that are looked at."""

PLACES = (
    *("title", "category", "subject", "object", "type", "completion"),
    *("contextual", "direct", "reverse", "gold", "alias", "choice"),
)
"""Where a fact shows text; each begins at another one, so that no fact shows one text twice."""


def hostile_project(
    path: Path, texts: Sequence[str], facts: int, answered: int | None = None
) -> None:
    """Make the project with so many facts; answers to all of them, or to the first few."""
    with new_project(path) as project:
        put_facts(project, [_fact(number, texts) for number in range(facts)])
        _answer(project, facts if answered is None else answered, texts)


def text_of(texts: Sequence[str], place: str, fact: int) -> str:
    """The text that a fact shows at a place."""
    return texts[(fact + PLACES.index(place) * (len(texts) // len(PLACES))) % len(texts)]


def answers_of(texts: Sequence[str], fact: int, thinking: bool) -> list[str]:
    """The answers to a fact's direct question in one setting, by sample."""
    first = (2 * fact + thinking) * SAMPLES
    return [texts[(first + sample) % len(texts)] for sample in range(SAMPLES)]


def _fact(number: int, texts: Sequence[str]) -> Fact:
    said = {place: text_of(texts, place, number) for place in PLACES}
    gold, alias = said["gold"], said["alias"]
    asked = {
        Task.COMPLETION: said["completion"],
        Task.CONTEXTUAL: said["contextual"],
        Task.REVERSE: said["reverse"],
    }
    questions = {
        task: Question(
            asked.get(task, said["direct"]),
            (gold, said["choice"], alias, "other") if task.is_choice else None,
        )
        for task in TASKS
    }
    return Fact(
        f"{number} {said['alias']}",
        page_title=said["title"],
        category=said["category"],
        subject=said["subject"],
        object=said["object"],
        object_type=said["type"],
        views=number,
        golds={Side.OBJECT: Gold(gold, (alias, said["title"])), Side.SUBJECT: Gold(alias, (gold,))},
        questions=questions,
    )


def _answer(project: OpenProject, facts: int, texts: Sequence[str]) -> None:
    """Answers to the direct question of facts, labelled by all; a few to the others."""
    connection = project.connection
    with write_transaction(connection):
        models = [f"{number} {texts[number]}" for number in range(MODELS)]
        settings = {
            (model, thinking): db.model_rows.ensure_setting(connection, model, thinking)
            for model in models
            for thinking in (False, True)
        }
        db.model_rows.set_recipe(
            connection, models[0], a_recipe(**{"model": texts[5], texts[6]: {texts[7]: 1}})
        )
        keys = _question_keys(project)
        run = start_run(connection, 1, TASKS, None, SAMPLES)
        turn = count()
        for number in range(facts):
            for thinking in (False, True):
                setting = settings[models[0], thinking]
                for sample, answer in enumerate(answers_of(texts, number, thinking)):
                    key = slot(keys[number, Task.DIRECT], setting, sample)
                    reasoning = texts[next(turn) % len(texts)] if thinking else None
                    drawn = NewResponse(
                        key, answer, None, texts[next(turn) % len(texts)], reasoning, 7
                    )
                    insert_drawn(connection, DrawnColumns.from_rows([drawn]), {setting: run})
                    _judge(project, key, sample, texts, next(turn))
            shown = slot(keys[number, Task.MC_DIRECT], settings[models[0], False], 0)
            db.responses.insert(connection, [(shown, texts[number], 5)])
            put_grades(project, shown, {"choice": Outcome.OTHER})
        for model in models[1:]:
            key = slot(keys[0, Task.DIRECT], settings[model, False], 0)
            db.responses.insert(connection, [(key, model, None)])
    project.refresh()


def _judge(project: OpenProject, key: int, sample: int, texts: Sequence[str], turn: int) -> None:
    """Two graders that differ on every other answer, with reasons; a person on every fourth."""
    first = Outcome(1 + sample % 4)
    grades = {A: first, B: Outcome.CORRECT if sample % 2 else first}
    if sample % 4 == 3:
        grades[f"human:{PERSON}"] = Outcome.OTHER
    for grader, outcome in grades.items():
        plane = db.grades.ensure_grader(project.connection, grader, "1 [/]\x1b[31m")
        db.grades.insert_graded(project.connection, [(key, plane, int(outcome), turn)])
        reason = texts[(turn + plane) % len(texts)]
        db.grades.insert_rationales(project.connection, plane, [(key, reason)])


def _question_keys(project: OpenProject) -> dict[tuple[int, Task], int]:
    rows = project.connection.execute("SELECT fact, task, id FROM question")
    return {(fact - 1, Task(task)): key for fact, task, key in rows}
