"""Writing down what stages came to. All of it inside the caller's transaction."""

import json
import sqlite3
from collections.abc import Sequence
from typing import Any

import db.build_steps
import db.candidates
from core.pipeline.build_scope import OBJECTS
from core.pipeline.stage import DroppedUnit, End, KeptUnit, Stage
from core.pipeline.stage_table import STAGES
from core.pipeline.unit_progress import UnitProgress
from core.providers.base import CitedSource
from db.build_steps import GIVEN, Step


class Steps:
    """The steps that one job (its id) writes; units are told of theirs at once."""

    def __init__(self, connection: sqlite3.Connection, job: int | None) -> None:
        self._connection, self._job = connection, job

    def store(
        self,
        stage: Stage,
        found: UnitProgress,
        end: End,
        version: str,
        raw: str | None = None,
        sources: Sequence[CitedSource] = (),
    ) -> list[int]:
        """What a stage came to for a unit; gives the candidates (ids) that came of it.

        A drop takes the fact that there is already out of all totals; of an imported fact only
        the task is not made.
        """
        step = Step(
            stage.name,
            found.unit.id,
            version,
            "kept" if isinstance(end, KeptUnit) else "dropped",
            value=_value(end),
            reason=end.reason if isinstance(end, DroppedUnit) else "",
            raw=None if raw is None else storable(raw),
            sources=tuple(
                {"title": storable(one.title), "uri": storable(one.uri)} for one in sources
            ),
            job=self._job,
        )
        self._insert(step, found)
        if isinstance(end, DroppedUnit):
            self._lose(stage, found, end.reason)
        elif stage.name == OBJECTS:
            objects = [(one["text"], one["type"], one["start"]) for one in step.value["objects"]]
            return db.candidates.insert_candidates(self._connection, found.unit.id, objects)
        return []

    def fail(
        self, stage: Stage, found: UnitProgress, version: str, reason: str, raw: str | None
    ) -> None:
        """A stage could not come to anything, and why."""
        raw = None if raw is None else storable(raw)
        step = Step(
            stage.name, found.unit.id, version, "failed", storable(reason), {}, raw, job=self._job
        )
        self._insert(step, found)
        if found.is_imported:
            self._lose(stage, found, reason)

    def give(self, stage: Stage, found: UnitProgress, version: str = GIVEN) -> None:
        """An imported fact needs nothing of a stage."""
        self._insert(Step(stage.name, found.unit.id, version, "kept", job=self._job), found)

    def note(self, stage: Stage, found: UnitProgress, end: KeptUnit, version: str) -> None:
        """What a stage has done for now, to be done again when there is more: set aside at once."""
        unit = found.unit.id
        step = Step(stage.name, unit, version, "kept", value=_value(end), job=self._job)
        if db.build_steps.insert_step(self._connection, step):
            db.build_steps.set_aside(self._connection, stage.name, unit)

    def close(self, stage: Stage, found: UnitProgress, reason: str) -> None:
        """A stage can never work on an imported fact, which goes on without what it makes."""
        step = Step(stage.name, found.unit.id, GIVEN, "dropped", reason, job=self._job)
        self._insert(step, found)
        self._lose(stage, found, reason)

    def _lose(self, stage: Stage, found: UnitProgress, reason: str) -> None:
        if not found.is_imported:
            if found.unit.candidate is not None and found.unit.fact is not None:
                db.candidates.leave_out(self._connection, found.unit.fact)
            return
        for one in STAGES:  # what else makes the task has nothing to do
            if stage.task is not None and one.task == stage.task and one.name not in found.steps:
                unit = found.unit.id
                step = Step(one.name, unit, GIVEN, "dropped", storable(reason), job=self._job)
                self._insert(step, found)

    def _insert(self, step: Step, found: UnitProgress) -> None:
        if db.build_steps.insert_step(self._connection, step):
            found.steps[step.stage] = step


def _value(end: End) -> Any:
    value = end.value if isinstance(end, KeptUnit) else {"detail": end.detail} if end.detail else {}
    return json.loads(storable(json.dumps(value, ensure_ascii=False)))


def storable(text: str) -> str:
    """The text with half surrogates, which no UTF-8 file can hold, made visible."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
