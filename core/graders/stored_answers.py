"""Grading stored responses with a grader that needs no model."""

import sqlite3
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import islice

import db.alias_changes
import db.grades
import db.label_grids
import db.model_rows
import db.question_rows
import db.responses
from core.graders.answer_text import answer_in
from core.graders.grader_record import GraderRecord
from core.graders.grader_table import BUILTIN, builtin, weigher
from core.modes import find_arm
from core.project import OpenProject
from core.vocabulary import Label, Outcome
from db.connection import write_transaction
from db.question_rows import StoredQuestion
from db.question_versions import GoldVersion
from db.responses import ToGrade
from db.slot_ids import Slots, slots_of_question

BATCH = 2_000
"""Grades written in one transaction: a few tens of milliseconds."""


def grade(
    project: OpenProject,
    name: str,
    facts: Sequence[int] | None = None,
    on_graded: Callable[[int], None] = lambda answers: None,
    settings: Collection[int] | None = None,
    sure: float | None = None,
    slots: Slots | None = None,
) -> int:
    """Grade every response that this grader has not graded; gives how many were.

    `facts`, `settings` (ids) and `slots` narrow it. `on_graded` is told, question by
    question, how many answers were read.
    Where a grader that says how sure it is is less sure than `sure`, the answer is `unsure`, which
    is no label; what was left so is looked at again.
    Identical answers to a question are read once; what a person edits meanwhile waits for the next
    time. Multiple-choice answers imported without the
    order shown cannot be read and stay as they are.
    """
    grader = builtin(name)
    read = grader.label if sure is None else _sure_reader(grader, sure)
    connection = project.connection
    with write_transaction(connection):
        version = db.grades.ensure_grader(connection, name, grader.version)
    answer = _answer_reader(connection, grader)

    def label_answers() -> Iterator[tuple[StoredQuestion, int, int]]:
        for question in db.question_rows.questions(connection, facts):
            wanted: list[ToGrade] = []
            if question.task.is_choice == grader.reads_choice:
                found = db.responses.find_ungraded(connection, question.id, version, Outcome.UNSURE)
                wanted = [one for one in found if settings is None or one.setting in settings]
                if slots is not None:
                    chosen = slots_of_question(slots, question.id)
                    wanted = [one for one in wanted if one.slot in chosen]
                for key, outcome in _grade_question(read, question, wanted, answer):
                    yield question, key, outcome
            on_graded(len(wanted))

    total = 0
    labels = label_answers()
    while batch := list(islice(labels, BATCH)):
        with write_transaction(connection):
            rows = [(key, outcome, None) for key, outcome in _valid(connection, batch)]
            total += db.grades.settle(connection, version, rows)
    db.label_grids.fold_if_due(connection)
    return total


def label_again(
    connection: sqlite3.Connection,
    old: GoldVersion,
    new: GoldVersion,
    questions: Sequence[int],
    known: Collection[tuple[int, int]],
) -> None:
    """Make the labels of local graders again that other aliases of the gold may alter.

    Only those of the version that grades today, and none that is `known` by response and grader
    version. Inside the transaction in which `new` comes into use.
    """
    for plane, grader in find_local(connection).items():
        answer = _answer_reader(connection, grader)
        for key in questions:
            found = db.alias_changes.find_affected(connection, old, new, key, plane)
            said = {slot: one for slot, one in found.items() if (slot, plane) not in known}
            if not said:
                continue
            question = db.question_rows.read_version(connection, key)
            answers = [
                one
                for one, _, _ in db.responses.read_with_outcomes(connection, key, plane)
                if one.slot in said
            ]
            for slot, outcome in _grade_question(grader.label, question, answers, answer):
                if outcome != said[slot]:
                    db.alias_changes.replace_label(connection, slot, plane, old.id, outcome)


def find_local(connection: sqlite3.Connection) -> dict[int, GraderRecord]:
    """The graders that read answers in words here, by the ids of the versions they have now."""
    return {
        key: BUILTIN[name]
        for key, name, version in db.grades.graders(connection)
        if name in BUILTIN and BUILTIN[name].version == version and not BUILTIN[name].reads_choice
    }


def _answer_reader(
    connection: sqlite3.Connection, grader: GraderRecord
) -> Callable[[ToGrade], str]:
    """How the answer in a response is found for a grader."""
    recipes = db.model_rows.recipes(connection)
    models = db.model_rows.settings(connection)
    arms = {key: find_arm(label) for key, (label, _) in models.items()}

    def answer(response: ToGrade) -> str:
        arm = arms[response.setting]
        if arm is not None and grader.answer_of_arm is not None:
            return grader.answer_of_arm(response.text, arm.mode)
        _, thinking = models[response.setting]
        return answer_in(response, thinking, recipes.get(response.setting))

    return answer


def _valid(
    connection: sqlite3.Connection, graded: Sequence[tuple[StoredQuestion, int, int]]
) -> list[tuple[int, int]]:
    """The labels that were made for question and gold as they are now."""
    now = db.question_rows.read_current(connection, {question.id for question, _, _ in graded})
    return [(key, outcome) for question, key, outcome in graded if now.get(question.id) == question]


def _grade_question(
    read: Callable[[StoredQuestion, str, ToGrade], Label | Outcome | None],
    question: StoredQuestion,
    responses: Sequence[ToGrade],
    answer_in_response: Callable[[ToGrade], str],
) -> Iterator[tuple[int, int]]:
    seen: dict[tuple[str, int | None], Label | Outcome | None] = {}
    for response in responses:
        answer = answer_in_response(response)
        key = (answer, response.shown)
        if key not in seen:
            seen[key] = read(question, answer, response)
        label = seen[key]
        if label is not None:
            yield (
                response.slot,
                int(label if isinstance(label, Outcome) else Outcome.from_label(label)),
            )


def _sure_reader(
    grader: GraderRecord, sure: float
) -> Callable[[StoredQuestion, str, ToGrade], Label | Outcome | None]:
    """Label an answer, or leave it unsure. Raises `UsageError` for a grader that cannot say."""
    weigh = weigher(grader.name)

    def read_if_sure(question: StoredQuestion, answer: str, _: ToGrade) -> Label | Outcome:
        found = weigh(question.text, question.gold.texts, answer)
        return Outcome.UNSURE if found.surety < sure else found.label

    return read_if_sure
