"""The end of building: a candidate that is through becomes a fact with its ten questions.

What a person has edited is never overwritten; what is redone becomes a new version of a question.
"""

import sqlite3
from collections.abc import Mapping, Sequence

import db.build_steps
import db.candidates
import db.facts
import db.project_values
import db.question_rows
import db.question_versions
from core.pipeline.build_scope import FACTS
from core.pipeline.stage import KeptUnit, Value
from core.pipeline.stage_table import STAGES
from core.pipeline.stages.objects import MOST
from core.pipeline.unit_progress import UnitProgress
from core.vocabulary import Side, Task
from db.candidates import Unit
from db.facts import Fact
from db.question_rows import Gold, Question

QUESTIONS, GOLD = "questions", "gold"
"""Under these names the last step keeps what it wrote: ids of questions by task, the subject's."""

CHOICES = {
    Task.MC_DIRECT: (Task.MC_DIRECT, Task.MC_DIRECT_NATURAL),
    Task.MC_REVERSE: (Task.MC_REVERSE, Task.MC_REVERSE_NATURAL),
}
"""The tasks that share the options of one."""


def write(connection: sqlite3.Connection, found: UnitProgress) -> KeptUnit:
    """Write what a candidate came to; gives what was written. Inside a transaction."""
    questions, fact = questions_of(found), found.unit.fact
    if fact is None:
        fact = _insert(connection, found, questions)
        made = {one.task: one.id for one in db.question_versions.questions(connection, fact)}
        return _keep_fact(made, _subject_gold(connection, fact))
    earlier = db.build_steps.values(connection, FACTS, found.unit.id)
    made = _renew(connection, fact, questions, earlier)
    gold = None
    if not found.is_imported:
        gold = _renew_subject(connection, fact, _subject(found), earlier)
        db.candidates.take_back(connection, fact)
    db.project_values.count_edit(connection)
    return _keep_fact(made, gold)


def _keep_fact(made: Mapping[Task, int], gold: int | None) -> KeptUnit:
    return KeptUnit({QUESTIONS: {str(task): key for task, key in made.items()}, GOLD: gold})


def questions_of(found: UnitProgress) -> dict[Task, Question]:
    """The questions that stages made of a candidate, multiple choice with its options."""
    texts, options = found.questions, _options(found)
    made = {task: Question(text) for task, text in texts.items() if not task.is_choice}
    for shared, tasks in CHOICES.items():
        for task in tasks:
            if shared in options and task.asks in texts:
                made[task] = Question(texts[task.asks], options[shared])
    return made


def _options(found: UnitProgress) -> dict[Task, tuple[str, str, str, str]]:
    values = found.view.values
    return {
        Task(stage.makes): tuple(values[stage.name]["choices"])
        for stage in STAGES
        if stage.makes and "choices" in values.get(stage.name, {})
    }


def _insert(
    connection: sqlite3.Connection, found: UnitProgress, questions: Mapping[Task, Question]
) -> int:
    unit, subject = found.unit, _subject(found)
    views, item, created = db.candidates.page(connection, unit.id)
    values = found.view.values
    fact = Fact(
        fact_id=_name(connection, unit),
        page_title=unit.title,
        item_id=item,
        views=views,
        category=str(values.get("classify", {}).get("category", "")),
        subject=subject,
        object=unit.object,
        subject_type=str(values.get("answer-type", {}).get("type", "")),
        object_type=unit.object_type,
        page_created=created,
        golds={Side.OBJECT: Gold(unit.object), Side.SUBJECT: Gold(subject)},
        questions=questions,
    )
    db.facts.insert(connection, [fact])
    return db.candidates.set_fact(connection, unit.id, fact.fact_id)


def _name(connection: sqlite3.Connection, unit: Unit) -> str:
    """A fact's own id: the document's with the candidate's number in it, whenever it is through."""
    name = f"{unit.key}__{unit.place * MOST + unit.rank + 1}"
    number, found = 1, name
    while db.candidates.is_taken(connection, found):
        number += 1
        found = f"{name}-{number}"
    return found


def _subject(found: UnitProgress) -> str:
    named = [
        str(step.value["subject"])
        for stage in STAGES
        if (step := found.steps.get(stage.name)) is not None and "subject" in step.value
    ]
    return named[-1] if named else ""


def _renew(
    connection: sqlite3.Connection,
    fact: int,
    questions: Mapping[Task, Question],
    earlier: Sequence[Value],
) -> dict[Task, int]:
    """Add questions that are missing, and new versions of those that building wrote earlier."""
    ours = {key for value in earlier for key in value.get(QUESTIONS, {}).values()}
    there = {
        one.task: one for one in db.question_versions.questions(connection, fact) if one.current
    }
    made = {}
    for task, question in questions.items():
        old = there.get(task)
        if old is None:
            made[task] = db.question_rows.add_question(connection, fact, task, question)
        elif old.id in ours:
            same = (old.text, old.choices) == (question.text, question.choices)
            made[task] = old.id
            if not same:
                made[task] = db.question_versions.renew_question(
                    connection, old, question.text, question.choices
                )
    return made


def _subject_gold(connection: sqlite3.Connection, fact: int) -> int | None:
    golds = db.question_versions.golds(connection, fact)
    return next((one.id for one in golds if one.current and one.side is Side.SUBJECT), None)


def _renew_subject(
    connection: sqlite3.Connection, fact: int, subject: str, earlier: Sequence[Value]
) -> int | None:
    """Another subject becomes a new version of the gold, unless a person has edited that."""
    current = _subject_gold(connection, fact)
    old = None if current is None else db.question_versions.gold(connection, current)
    if old is None or old.id not in {value.get(GOLD) for value in earlier}:
        return None
    if old.text == subject:
        return old.id
    questions = db.question_versions.questions(connection, fact)
    asked = [one.id for one in questions if one.task.side is Side.SUBJECT]
    db.question_versions.set_stale(connection, old.id, asked)
    db.candidates.set_subject(connection, fact, subject)
    return db.question_versions.renew_gold(connection, old, subject, ())
