"""Triples as units of building: what is asked of one stands at once, whoever wrote it."""

import sqlite3
from collections.abc import Iterator, Mapping

import db.build_steps
import db.candidates
import db.facts
import db.prepared_triples
from core.pipeline import fact_assembly
from core.pipeline.build_scope import FACTS
from core.pipeline.missing_tasks import BLOCK, IncompleteFacts
from core.pipeline.redo import set_unit_aside
from core.pipeline.stage import KeptUnit, Stage, UnitKind
from core.pipeline.stage_table import BY_NAME
from core.pipeline.stages.triple_questions import QUESTION
from core.pipeline.step_writer import Steps
from core.pipeline.unit_progress import UnitProgress, read_progress
from core.vocabulary import Task
from db.connection import write_transaction

TEMPLATE = "template"
"""The version of a question that comes of a template for all triples of a relation."""


def ask_triple(
    connection: sqlite3.Connection, steps: Steps, found: UnitProgress, version: str
) -> None:
    """Write the question that was kept for a triple; what asks it needs no other stage.

    Inside a transaction.
    """
    steps.note(BY_NAME[FACTS], found, fact_assembly.write(connection, found), version)
    (found.fact,) = db.facts.read_facts(connection, [found.unit.key])
    found.triple = db.prepared_triples.read_triple(connection, found.unit.fact or 0)


def is_asked(connection: sqlite3.Connection, stage: Stage, found: UnitProgress) -> bool:
    """Whether a triple has a question that no stage has written."""
    if found.fact is None or Task.DIRECT not in found.fact.questions:
        return False
    return not db.build_steps.values(connection, stage.name, found.unit.id)


def ask_by_templates(connection: sqlite3.Connection, questions: Mapping[int, str]) -> Iterator[int]:
    """Give triples (ids of facts) without a question theirs, as the stage would, block by block.

    Gives how many, after each block.
    """
    for _ in IncompleteFacts(connection, None).prepare():
        continue
    steps, facts = Steps(connection, None), list(questions)
    for start in range(0, len(facts), BLOCK):
        block = facts[start : start + BLOCK]
        with write_transaction(connection):
            units = db.candidates.units_of(connection, block)
            for fact, unit in units.items():
                found = read_progress(connection, UnitKind.CANDIDATE, unit)
                if QUESTION.name in found.steps:
                    set_unit_aside(connection, QUESTION, unit)
                    found = read_progress(connection, UnitKind.CANDIDATE, unit)
                steps.store(QUESTION, found, KeptUnit({"question": questions[fact]}), TEMPLATE)
                ask_triple(connection, steps, found, TEMPLATE)
        yield len(units)
