"""Doing stages anew: what they came to, and all that follows from it, is set aside, never lost."""

import sqlite3
from collections.abc import Iterator, Sequence

import db.build_steps
import db.candidates
from core.errors import UsageError
from core.pipeline.build_scope import FACTS, OBJECTS, by_model, followers
from core.pipeline.stage import Stage, UnitKind
from core.pipeline.stage_requests import Asker
from db.connection import write_transaction

BLOCK = 200
"""Units in one transaction."""


def redo(
    connection: sqlite3.Connection, stage: Stage, asker: Asker | None, job: int | None
) -> Iterator[int]:
    """Set a stage aside where its prompt, model or grounding is another now, block by block.

    A stage without a model is set aside where another job did it. So the same job can go on at
    any time. Gives how many units, after each block. Raises `UsageError` where the stage needs a
    model and none is there.
    """
    if by_model(stage) and asker is None:
        raise UsageError(f"{stage.name} asks a model: name it with --model to do it again")
    if asker is not None and by_model(stage):
        units = db.build_steps.find_units_in_use(
            connection, stage.name, not_version=asker.version(stage)
        )
    else:
        units = db.build_steps.find_units_in_use(connection, stage.name, not_job=job)
    yield from _set_blocks_aside(connection, stage, units)


def redo_failed(
    connection: sqlite3.Connection, stages: Sequence[Stage], job: int | None
) -> Iterator[int]:
    """Set aside where these stages have failed in other jobs, block by block, as `redo`."""
    for stage in stages:
        units = db.build_steps.find_units_in_use(
            connection, stage.name, verdict="failed", not_job=job
        )
        yield from _set_blocks_aside(connection, stage, units)


def _set_blocks_aside(
    connection: sqlite3.Connection, stage: Stage, units: Sequence[int]
) -> Iterator[int]:
    for start in range(0, len(units), BLOCK):
        block = units[start : start + BLOCK]
        with write_transaction(connection):
            for unit in block:
                set_unit_aside(connection, stage, unit)
        yield len(block)


def set_unit_aside(connection: sqlite3.Connection, stage: Stage, unit: int) -> None:
    """Set a step aside with all that follow. Inside a transaction."""
    later = followers(stage)
    if stage.of is UnitKind.CANDIDATE:
        if db.candidates.candidate(connection, unit).passage is None:
            later = _pick_stages(stage, later)
        _set_stages_aside(connection, [stage, *later], unit)
        return
    _set_stages_aside(
        connection, [one for one in (stage, *later) if one.of is UnitKind.PASSAGE], unit
    )
    for candidate in db.candidates.candidates_of(connection, unit):
        _set_stages_aside(
            connection, [one for one in later if one.of is UnitKind.CANDIDATE], candidate
        )
    if OBJECTS in {one.name for one in (stage, *later)}:
        db.candidates.set_candidates_aside(connection, unit)


def _pick_stages(stage: Stage, later: Sequence[Stage]) -> list[Stage]:
    """Those that make, or need, what a stage makes of an imported fact."""
    tasks, found = {stage.task}, []
    for one in later:
        if one.task in tasks or not tasks.isdisjoint(one.needs_tasks) or one.name == FACTS:
            tasks.add(one.task)
            found.append(one)
    return found


def _set_stages_aside(connection: sqlite3.Connection, stages: Sequence[Stage], unit: int) -> None:
    for stage in stages:
        db.build_steps.set_aside(connection, stage.name, unit)
