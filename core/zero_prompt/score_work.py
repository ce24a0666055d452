"""The work of a run that scores facts: part by part, so that what is cached of a relation serves.

What is there is asked of the database, so stopping at any moment loses nothing, and two programs
never ask for the same fact: each claims what it asks for.
"""

from collections import deque
from collections.abc import Sequence

import db.long_inputs
import db.model_rows
import db.option_scores
from core.engine.lease_holder import LeaseHolder
from core.engine.run_counters import RunCounters
from core.engine.work_source import ItemResult
from core.errors import LostkeysError
from core.project import OpenProject
from core.providers.base import Reply
from core.providers.capabilities import Capabilities
from core.zero_prompt.fact_work import FactWork
from core.zero_prompt.place_work import PlaceWork
from core.zero_prompt.score_items import ScoreItem, ScorePartWork
from core.zero_prompt.score_plan import POSITIONS, RESPONSE, ScorePart, ScorePlan
from core.zero_prompt.stored_scores import choice_key, response_keys
from db import option_score_arrays
from db.connection import write_transaction

BLOCK = 16
"""Facts that are claimed in one transaction."""

AGAIN = 500
"""The same of those that others were busy with, most of which are done."""

FOLD_EVERY = 200
"""Calls for more after which the arrays of scores are folded if it is time to."""


class ScoreWork:
    """A `WorkSource` of one plan. All of it runs in the thread that owns the connection.

    `refused` are keys of what can never be answered as it was asked, by the part's number.
    """

    def __init__(
        self,
        project: OpenProject,
        plan: ScorePlan,
        known: Capabilities,
        lease_holder: LeaseHolder,
        counters: RunCounters,
    ) -> None:
        """Make the plan's series, and declare its stages. Outside of any transaction."""
        self._project, self._counters, self._lease_holder = project, counters, lease_holder
        with write_transaction(project.connection):
            self._parts: list[ScorePartWork] = [
                open_part(project, part, plan.label, known) for part in plan.parts
            ]
        self._stages = [part.test for part in plan.parts]
        for test in plan.tests:
            counters.expect(test, *plan.count(test))
        self._waiting = deque(
            (number, list(part.keys)) for number, part in enumerate(self._parts) if part.keys
        )
        self._again: dict[tuple[int, int], None] = {}
        self.refused: dict[int, list[int]] = {}
        self._calls = 0

    def next(self, most: int) -> Sequence[ScoreItem] | None:
        """Up to about `most` items, claimed; empty while others hold the rest; None at the end."""
        self._calls += 1
        if not self._calls % FOLD_EVERY:
            option_score_arrays.fold_if_due(self._project.connection)
        items: list[ScoreItem] = []
        while len(items) < most and self._waiting:
            number, keys = self._waiting[0]
            items += self._visit(number, keys[:BLOCK])
            del keys[:BLOCK]
            if not keys:
                self._waiting.popleft()
        if not items and self._again:
            items = self._look_again(most)
        return items or ([] if self._again else None)

    def _look_again(self, most: int) -> list[ScoreItem]:
        """Ask for what others were busy with and have left undone."""
        by_part: dict[int, list[int]] = {}
        for number, key in self._again:
            by_part.setdefault(number, []).append(key)
        items: list[ScoreItem] = []
        for number, keys in by_part.items():
            for start in range(0, len(keys), AGAIN):
                if len(items) < most:
                    items += self._visit(number, keys[start : start + AGAIN])
        return items

    def _visit(self, number: int, keys: Sequence[int]) -> list[ScoreItem]:
        """Claim those of these keys that nobody else is busy with, and make their requests."""
        part = self._parts[number]
        with write_transaction(self._project.connection):
            got = self._lease_holder.claim(part.claimed, keys)
            left = part.find_left(got)
            self._lease_holder.release(part.claimed, [key for key in got if key not in left])
        for key in keys:
            self._again.pop((number, key), None)
        self._again |= dict.fromkeys((number, key) for key in keys if key not in got)
        stage = self._stages[number]
        self._counters.begin(stage, len(got) - len(left))
        self._counters.finish(stage, len(got) - len(left))
        items = []
        for key in left:
            try:
                items.append(part.item(number, key))
            except LostkeysError as error:
                self._counters.begin(stage, 1)
                self._counters.fail(stage, 1, str(error))
        return items

    def take_all(self, replies: Sequence[tuple[ScoreItem, Reply]]) -> list[ItemResult[ScoreItem]]:
        """Write down what came. Inside a transaction, and again where that was undone."""
        by_part: dict[int, list[tuple[ScoreItem, Reply]]] = {}
        for item, reply in replies:
            by_part.setdefault(item.part, []).append((item, reply))
        found: dict[tuple[int, int], ItemResult[ScoreItem]] = {}
        for number, mine in by_part.items():
            part = self._parts[number]
            for (item, _), result in zip(mine, part.store(mine), strict=True):
                found[number, item.key] = result
            self._lease_holder.release(part.claimed, [item.key for item, _ in mine])
        return [found[item.part, item.key] for item, _ in replies]

    def fail(self, item: ScoreItem, reason: str, refused: bool) -> ItemResult[ScoreItem]:
        """Nothing is written: the next run asks again. Inside a transaction."""
        if refused:
            self.refused.setdefault(item.part, []).append(item.key)
        self._lease_holder.release(self._parts[item.part].claimed, [item.key])
        return ItemResult(failed=1, reason=reason)


def open_part(
    project: OpenProject, part: ScorePart, label: str, known: Capabilities
) -> ScorePartWork:
    """The work of a part; its series is made where it is new. Inside a transaction."""
    if part.test == POSITIONS:
        return PlaceWork(project, part, label)
    answers = part.test == RESPONSE
    key = response_keys(label, part.setup)[0] if answers else choice_key(label, part.setup)
    owner = db.model_rows.ensure_model(project.connection, label)
    series = db.option_scores.ensure_series(project.connection, key, owner)
    return FactWork(project, part, known, series)
