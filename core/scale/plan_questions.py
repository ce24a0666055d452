"""The questions of a plan as they are now in a database, by the places of their facts."""

import sqlite3
from collections.abc import Mapping
from itertools import islice

import numpy as np
import numpy.typing as npt

import db.facts
import db.versions
from core.errors import LostkeysError
from core.scale.manifest import PlanFolder
from core.scale.request_line import RequestName
from core.vocabulary import TASK_INDEX, TASKS, Task
from db.slots import slot
from db.values import read_member

NAMES_AT_ONCE = 20_000

Ids = npt.NDArray[np.int64]


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
        rows = db.versions.in_use(connection)
        while some := list(islice(rows, NAMES_AT_ONCE)):
            keys = np.array([fact for fact, _, _ in some], np.int64)
            places = np.searchsorted(inside, keys)
            places[places == inside.size] = 0
            for (fact, task, key), place in zip(some, places.tolist(), strict=True):
                if inside.size and inside[place] == fact:
                    self.ids[order[place], TASK_INDEX[read_member(Task, task, "task")]] = key

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
