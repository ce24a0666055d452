"""Facts that were imported without all of their tasks: only those are made.

With a model they go through the stages that make them; without one, what can be made by rule is.
"""

import sqlite3
from collections.abc import Iterator

import db.candidates
import db.facts
from core.pipeline import fact_assembly
from core.pipeline.build_scope import FACTS
from core.pipeline.rule_tasks import FactSide, Pool, contextual
from core.pipeline.stage import KeptUnit, UnitKind
from core.pipeline.stage_table import BY_NAME, STAGES
from core.pipeline.step_writer import Steps
from core.pipeline.unit_progress import UnitProgress, is_given, read_progress
from core.vocabulary import Side, Task
from db.build_steps import UNCHECKED
from db.connection import write_transaction
from db.facts import Fact

FALLBACK = "fallback"
"""The version of what was made by rule."""

BLOCK = 200
"""Facts in one transaction."""


class IncompleteFacts:
    """The imported facts of a project as units. For the thread that owns the connection."""

    def __init__(self, connection: sqlite3.Connection, job: int | None) -> None:
        self._connection, self._steps = connection, Steps(connection, job)

    def prepare(self) -> Iterator[int]:
        """Make facts that lack tasks units, block by block; gives how many, after each block."""
        lacking = db.candidates.lacking_facts(self._connection)
        for start in range(0, len(lacking), BLOCK):
            block = lacking[start : start + BLOCK]
            with write_transaction(self._connection):
                for fact in block:
                    self._prepare(db.candidates.insert_lacking(self._connection, fact))
            yield len(block)

    def _prepare(self, unit: int) -> None:
        found = read_progress(self._connection, UnitKind.CANDIDATE, unit)
        for stage in STAGES:
            if stage.of is UnitKind.CANDIDATE and is_given(stage, found):
                self._steps.give(stage, found)

    def fall_back(self) -> Iterator[int]:
        """Make by rule what can be, block by block; gives how many tasks, after each block.

        Choices come from the facts that are there, so that the same facts give the same choices.
        """
        units = db.candidates.find_imported(self._connection)
        pools: dict[Side, Pool] = {}
        for start in range(0, len(units), BLOCK):
            made = 0
            with write_transaction(self._connection):
                for unit in units[start : start + BLOCK]:
                    found = read_progress(self._connection, UnitKind.CANDIDATE, unit)
                    if any(name not in found.steps for name in RULED):
                        pools = pools or self._pools()
                        made += self._fall_back(found, pools)
            yield made

    def _pools(self) -> dict[Side, Pool]:
        stored = list(db.facts.read_facts(self._connection))
        return {side: Pool(_answers(stored, side)) for side in Side}

    def _fall_back(self, found: UnitProgress, pools: dict[Side, Pool]) -> int:
        """What can be made for one fact by rule; gives how many tasks."""
        assert found.fact is not None
        before = len(found.fact.questions)
        for name in RULED:
            value = None if name in found.steps else _value(name, found.fact, pools)
            if value is not None:
                stage = BY_NAME[name]
                self._steps.store(stage, found, value, FALLBACK)
                for one in STAGES:
                    if one.task == stage.task and one.name not in found.steps:
                        self._steps.give(one, found, UNCHECKED)
        made = len(fact_assembly.questions_of(found)) - before
        if made > 0:
            self._steps.note(
                BY_NAME[FACTS], found, fact_assembly.write(self._connection, found), FALLBACK
            )
        return max(0, made)


RULED = {"contextual": Side.OBJECT, "choices-direct": Side.OBJECT, "choices-reverse": Side.SUBJECT}
"""The stages for which there is a rule, and the side of the answer."""

ASKED = {Side.OBJECT: Task.DIRECT, Side.SUBJECT: Task.REVERSE}


def _value(stage: str, fact: Fact, pools: dict[Side, Pool]) -> KeptUnit | None:
    side = RULED[stage]
    gold, question = fact.golds.get(side), fact.questions.get(ASKED[side])
    if gold is None or question is None:
        return None
    if stage == "contextual":
        context = fact.questions.get(Task.COMPLETION)
        made = context and contextual(context.text, question.text, gold.texts)
        return KeptUnit({"question": made}) if made else None
    choices = pools[side].choices(_answer(fact, side))
    return None if choices is None else KeptUnit({"choices": choices})


def _answers(stored: list[Fact], side: Side) -> Iterator[FactSide]:
    for fact in stored:
        if side in fact.golds and ASKED[side] in fact.questions:
            yield _answer(fact, side)


def _answer(fact: Fact, side: Side) -> FactSide:
    kind = fact.object_type if side is Side.OBJECT else fact.subject_type
    gold, question = fact.golds[side], fact.questions[ASKED[side]]
    return FactSide(gold.text, kind, fact.category, question.text, gold.aliases)
