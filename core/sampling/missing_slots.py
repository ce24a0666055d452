"""What of a fact is missing, cell by cell. A cell is a question in a setting."""

import sqlite3
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import db.facts
import db.failures
import db.plan_ranges
import db.question_rows
import db.responses
from core.sampling.sample_plan import Plan
from db.plan_ranges import OpenPlan, PlannedCell
from db.question_rows import StoredQuestion
from db.slot_ids import slot


@dataclass(frozen=True, slots=True)
class Cell:
    """One question in one setting, and its samples that have no response, in order.

    `out` has others that have none, as plans claim them that are in files.
    """

    question: StoredQuestion
    setting: int
    thinking: bool
    missing: tuple[int, ...]
    out: tuple[tuple[OpenPlan, tuple[int, ...]], ...] = ()

    @property
    def key(self) -> int:
        """The slot of its first sample."""
        return slot(self.question.id, self.setting, 0)


@dataclass(frozen=True, slots=True)
class FactSlots:
    """A fact (its id) with its cells of a plan; `about` says in a word what it is about."""

    id: int
    about: str
    cells: tuple[Cell, ...]


def read_facts(
    connection: sqlite3.Connection,
    plan: Plan,
    settings: Mapping[bool, int],
    facts: Sequence[int],
    rejected: Collection[int],
) -> list[FactSlots]:
    """These facts as they are now; without those that were rejected, but for those expected to be.

    A few queries for all of them.
    """
    about = {
        fact: words
        for fact, (words, is_rejected) in db.facts.read_subjects(connection, facts).items()
        if not is_rejected or fact in rejected
    }
    tasks = {thinking: frozenset(plan.tasks_of(thinking)) for thinking in settings}
    asked = [
        (slot(question.id, setting, 0), question, thinking)
        for question in db.question_rows.questions(connection, list(about))
        for thinking, setting in settings.items()
        if question.task in tasks[thinking]
    ]
    keys = [key for key, _, _ in asked]
    filled = db.responses.find_filled(connection, keys, plan.samples)
    every = set(range(plan.samples))
    failed = db.failures.find_failed_in(connection, keys, plan.samples) if plan.only_failed else {}
    cells: dict[int, list[Cell]] = {fact: [] for fact in facts if fact in about}
    for key, question, thinking in asked:
        wanted = failed.get(key, set()) if plan.only_failed else every
        missing = tuple(sorted(wanted - filled.get(key, set())))
        cells[question.fact].append(Cell(question, settings[thinking], thinking, missing))
    for claim in db.plan_ranges.open_plans(connection):
        cells = {fact: _remove_planned(connection, some, claim) for fact, some in cells.items()}
    return [FactSlots(fact, about[fact], tuple(some)) for fact, some in cells.items()]


def _remove_planned(
    connection: sqlite3.Connection, cells: Sequence[Cell], plan: OpenPlan
) -> list[Cell]:
    """Cells without what a plan claims of them."""
    names = {
        cell.key: PlannedCell(cell.question.id, cell.setting, cell.question.task)
        for cell in cells
        if cell.missing
    }
    found = db.plan_ranges.find_claimed(connection, plan.job, list(names.values()))
    return [
        _set_aside_planned(cell, plan, found[names[cell.key]])
        if names.get(cell.key) in found
        else cell
        for cell in cells
    ]


def _set_aside_planned(cell: Cell, plan: OpenPlan, samples: int) -> Cell:
    out = tuple(one for one in cell.missing if one < samples)
    if not out:
        return cell
    return replace(cell, missing=cell.missing[len(out) :], out=(*cell.out, (plan, out)))
