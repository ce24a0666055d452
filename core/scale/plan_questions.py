"""The questions of a plan as they are now in a database, by the places of their facts."""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import islice

import numpy as np
import numpy.typing as npt

import db.facts
import db.plan_ranges
import db.project_values
import db.question_versions
from core.errors import LostkeysError
from core.scale.plan_index import PlanIndex
from core.scale.plan_manifest import PlanFolder
from core.scale.request_line import RequestName
from core.vocabulary import TASK_INDEX, TASKS, Task
from db.slot_ids import MAX_SAMPLE, SAMPLE_BITS, SETTING_BITS, slot
from db.stored_values import read_member

NAMES_AT_ONCE = 20_000

Ids = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class SlotRuns:
    """The slots of some requests, each a run; shape of all (requests,).

    Request i fills `counts[i]` slots from `firsts[i]` on, `steps[i]` apart. A first of -1: what it
    asks about is not here.
    """

    firsts: Ids
    steps: Ids
    counts: Ids

    def select(self, chosen: npt.NDArray[np.bool_]) -> "SlotRuns":
        """The runs of chosen requests."""
        return SlotRuns(self.firsts[chosen], self.steps[chosen], self.counts[chosen])

    def cut(self, place: int, samples: range) -> None:
        """Leave one request some of its samples alone."""
        if self.firsts[place] >= 0:
            self.firsts[place] += samples.start - (self.firsts[place] & MAX_SAMPLE)
        self.counts[place] = len(samples)

    def range(self, place: int) -> range:
        """The slots of one request, in the order of its answers."""
        first, step = int(self.firsts[place]), int(self.steps[place])
        return range(first, first + step * int(self.counts[place]), step)

    def places(self) -> Ids:
        """The place of each slot in its request, request by request."""
        starts = np.cumsum(self.counts) - self.counts
        found: Ids = np.arange(self.counts.sum()) - np.repeat(starts, self.counts)
        return found

    def slots(self) -> Ids:
        """All slots, request by request."""
        steps = np.repeat(self.steps, self.counts) * self.places()
        found: Ids = np.repeat(self.firsts, self.counts) + steps
        return found

    def count(self, flags: npt.NDArray[np.bool_]) -> Ids:
        """How many slots of each request have a flag; `flags` are in the order of `slots`."""
        before = np.concatenate([[0], np.cumsum(flags)])
        ends = np.cumsum(self.counts)
        found: Ids = before[ends] - before[ends - self.counts]
        return found


class PlanQuestions:
    """Ids of current questions, shape (facts, tasks), 0 for none; and of the plan's settings."""

    def __init__(
        self, connection: sqlite3.Connection, plan: PlanFolder, settings: Mapping[bool, int]
    ) -> None:
        """Raises `LostkeysError` where none of the facts is here."""
        self.settings = settings
        facts = _find_facts(connection, plan)
        order = np.argsort(facts, kind="stable")
        inside = facts[order]
        self.ids: Ids = np.zeros((facts.size, len(TASKS)), np.int64)
        rows = db.question_versions.read_in_use(connection)
        while inside.size and (some := list(islice(rows, NAMES_AT_ONCE))):
            keys = np.array([fact for fact, _, _ in some], np.int64)
            tasks = np.array([_place_of(task) for _, task, _ in some], np.int64)
            questions = np.array([key for _, _, key in some], np.int64)
            places = np.searchsorted(inside, keys)
            places[places == inside.size] = 0
            mine = inside[places] == keys
            self.ids[order[places[mine]], tasks[mine]] = questions[mine]

    def has(self, name: RequestName) -> bool:
        """Whether what a name asks about is here, in a setting of the plan."""
        return (
            name.fact < len(self.ids)
            and name.thinking in self.settings
            and bool(self.ids[name.fact, TASK_INDEX[name.task]])
        )

    def slots(self, name: RequestName) -> range:
        """The slots of a name, in the order of its answers."""
        question = int(self.ids[name.fact, TASK_INDEX[name.task]])
        first = slot(question, self.settings[name.thinking], 0)
        samples = name.samples
        return range(first + samples.start, first + samples.stop, samples.step)

    def runs(self, index: PlanIndex, places: Ids) -> SlotRuns:
        """The slots of requests of the plan, by their places."""
        kinds = index.kinds
        asked = index.kinds_at(places)
        tasks = np.array([TASK_INDEX[one.task] for one in kinds], np.int64)[asked]
        settings = np.array([self.settings.get(one.thinking, 0) for one in kinds], np.int64)[asked]
        samples = np.array(
            [(one.samples.start, one.samples.step, one.count) for one in kinds], np.int64
        ).reshape(-1, 3)[asked]
        questions = self.ids[index.facts_at(places), tasks]
        firsts = questions << (SAMPLE_BITS + SETTING_BITS) | settings << SAMPLE_BITS
        firsts = np.where((questions > 0) & (settings > 0), firsts | samples[:, 0], -1)
        return SlotRuns(firsts, samples[:, 1], samples[:, 2])


class UnchangedQuestions:
    """Which questions ask what they did when a job of this database wrote its plan.

    A version never changes, so a question that the job claims is the one that was written; and
    where its fact has no other version of anything, so are its golds.
    """

    def __init__(self, connection: sqlite3.Connection, job: int | None) -> None:
        """Without a job nothing is known of any question."""
        self._connection = connection
        ranges = [] if job is None else db.plan_ranges.question_ranges(connection, job)
        # A range without questions, so that each question has one that begins before it.
        self._firsts, self._lasts = np.array([(0, -1), *ranges], np.int64).T
        self._seen = -1
        self._edited: Ids = np.zeros(0, np.int64)

    def find(self, questions: Ids) -> npt.NDArray[np.bool_]:
        """Flags by question (id); what was edited since the last call is seen."""
        edits = db.project_values.edit_count(self._connection)
        if edits != self._seen:
            self._seen = edits
            self._edited = np.array(db.question_versions.find_edited(self._connection), np.int64)
        place = np.searchsorted(self._firsts, questions, side="right") - 1
        found: npt.NDArray[np.bool_] = (questions <= self._lasts[place]) & ~np.isin(
            questions, self._edited
        )
        return found


@cache
def _place_of(task: str) -> int:
    return TASK_INDEX[read_member(Task, task, "task")]


def _find_facts(connection: sqlite3.Connection, plan: PlanFolder) -> Ids:
    """Ids of the plan's facts by their places, 0 where a fact is not here."""
    found = np.zeros(plan.manifest.facts, np.int64)
    names = plan.fact_ids()
    place = 0
    while some := list(islice(names, NAMES_AT_ONCE)):
        ids = db.facts.find_ids(connection, some)
        if place + len(some) > found.size:
            break
        found[place : place + len(some)] = [ids.get(name, 0) for name in some]
        place += len(some)
    if place != found.size or next(names, None) is not None:
        raise LostkeysError(
            f"{plan.path}: facts.jsonl has not the {found.size:,} facts of the plan: put it back"
        )
    if found.size and not found.any():
        raise LostkeysError(
            f"no fact of the plan in {plan.path} is in this database: name the one that wrote it "
            "with --db, or import its facts"
        )
    return found
