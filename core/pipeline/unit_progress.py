"""How far a unit is: its steps, what a stage sees of it, which stages it waits for."""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import db.build_steps
import db.candidates
import db.facts
import db.prepared_triples
from core.pipeline.build_scope import FACTS, before
from core.pipeline.stage import Stage, UnitKind, Value, View
from core.pipeline.stage_table import STAGES
from core.vocabulary import Side, Task
from db.build_steps import GIVEN, OF_TRIPLES, Step
from db.candidates import Unit
from db.facts import Fact
from db.prepared_triples import SetTriple

ANSWER_TYPE = "answer-type"

_CONTEXT: dict[str, tuple[Task, ...]] = dict.fromkeys(
    (Task.DIRECT, Task.CONTEXTUAL), (Task.COMPLETION,)
)
"""Tasks that are made of the left context, which an imported fact may lack."""


@dataclass
class UnitProgress:
    """A unit with its steps in use.

    `above` are those of its passage, `fact` what was imported, `triple` the triple that it is.
    """

    unit: Unit
    steps: dict[str, Step]
    above: Mapping[str, Step] = field(default_factory=dict)
    fact: Fact | None = None
    triple: SetTriple | None = None

    @property
    def of(self) -> UnitKind:
        """Whether it is a passage or a candidate."""
        return UnitKind.PASSAGE if self.unit.candidate is None else UnitKind.CANDIDATE

    @property
    def is_imported(self) -> bool:
        """Whether it is a fact that came without all of its tasks."""
        return self.unit.passage is None

    def waits_for(self, stage: Stage) -> bool:
        """Whether a stage is to take it now (`db.build_steps.find_waiting` says the same)."""
        if stage.of is not self.of or stage.name in self.steps:
            return False
        if stage.name in OF_TRIPLES and self.triple is None:
            return False
        if not self.is_imported and any(one.verdict == "dropped" for one in self.steps.values()):
            return False
        return all(map(self._is_through, before(stage.name)))

    def _is_through(self, stage: str) -> bool:
        if stage in db.build_steps.OF_PASSAGES and self.of is UnitKind.CANDIDATE:
            return self.is_imported or _is_kept(self.above.get(stage))
        if stage in OF_TRIPLES and self.triple is None:
            return True
        step = self.steps.get(stage)
        return step is not None if self.is_imported else _is_kept(step)

    def lacks(self, stage: Stage) -> str | None:
        """The task without which a stage cannot work on an imported fact; None without any."""
        if not self.is_imported or stage.name in OF_TRIPLES:
            return None
        if not self.unit.object:
            return "object"
        there = set(self.questions)
        needs = (*_CONTEXT.get(str(stage.task), ()), *stage.needs_tasks)
        return next((str(task) for task in needs if task not in there), None)

    @property
    def questions(self) -> dict[Task, str]:
        """Its questions as they are now: of an imported fact, and what stages have made."""
        found = {} if self.fact is None else {t: q.text for t, q in self.fact.questions.items()}
        if self.unit.candidate is not None and (self.fact is None or Task.COMPLETION in found):
            found[Task.COMPLETION] = self.unit.text[: self.unit.start]
        for task, step in self._find_makers():
            if "question" in step.value:
                found[task] = str(step.value["question"])
        return found

    def _find_makers(self) -> list[tuple[Task, Step]]:
        """The steps that made or changed a question, in the order of the stages.

        A task that a later stage has not kept was not made.
        """
        lost = {
            stage.task
            for stage in STAGES
            if stage.task and stage.name in self.steps and not _is_kept(self.steps[stage.name])
        }
        return [
            (Task(stage.makes), step)
            for stage in STAGES
            if stage.makes
            and _is_kept(step := self.steps.get(stage.name))
            and step is not None
            and step.version != GIVEN
            and not (self.is_imported and stage.task in lost)
        ]

    @property
    def view(self) -> View:
        """The unit as a stage sees it."""
        unit = self.unit
        kept = {**self.above, **self.steps}
        values: dict[str, Value] = {n: one.value for n, one in kept.items() if _is_kept(one)}
        if self.fact is not None:
            values = {**given_values(self.fact), **{n: v for n, v in values.items() if v}}
        golds = {} if self.fact is None else self.fact.golds
        return View(
            unit=unit.id,
            title=unit.title,
            text=unit.text,
            object=unit.object,
            object_type=unit.object_type,
            start=unit.start,
            values=values,
            aliases={side: gold.aliases for side, gold in golds.items()},
            triple=self.triple,
            is_own=unit.is_own,
        )


def _is_kept(step: Step | None) -> bool:
    return step is not None and step.verdict == "kept"


def read_progress(connection: sqlite3.Connection, of: UnitKind, unit: int) -> UnitProgress:
    """How far a unit (its id) is."""
    if of is UnitKind.PASSAGE:
        return UnitProgress(
            db.candidates.passage(connection, unit), db.build_steps.steps(connection, unit, True)
        )
    found = db.candidates.candidate(connection, unit)
    steps = db.build_steps.steps(connection, unit, False)
    if found.passage is None:
        (fact,) = db.facts.read_facts(connection, [found.key])
        triple = db.prepared_triples.read_triple(connection, found.fact or 0)
        return UnitProgress(found, steps, fact=fact, triple=triple)
    return UnitProgress(found, steps, db.build_steps.steps(connection, found.passage, True))


def given_values(fact: Fact) -> dict[str, Value]:
    """What an imported fact has, as if stages had made it."""
    values: dict[str, Value] = {"classify": {"category": fact.category}}
    subject = fact.golds[Side.SUBJECT].text if Side.SUBJECT in fact.golds else fact.subject
    for stage in STAGES:
        if stage.makes is None:
            continue
        question = fact.questions.get(Task(stage.makes))
        if question is None:
            continue
        value: dict[str, Any] = {"question": question.text}
        if stage.makes == Task.REVERSE:
            value["subject"] = subject
        if question.choices is not None:
            value = {"choices": list(question.choices)}
        values[stage.name] = value
    if fact.subject_type:
        values[ANSWER_TYPE] = {"type": fact.subject_type}
    return values


def is_given(stage: Stage, found: UnitProgress) -> bool:
    """Whether an imported fact needs nothing of a stage; of a triple's question one is all."""
    fact = found.fact
    assert fact is not None
    if stage.name == FACTS:
        return False
    if stage.name not in OF_TRIPLES and found.triple is not None and stage.task == Task.DIRECT:
        return True
    if stage.name == ANSWER_TYPE and fact.subject_type:
        return True
    return stage.task is None or Task(stage.task) in fact.questions
