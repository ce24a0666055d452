"""Taking in what engines answered: each slot once, whatever is lost, doubled or out of order.

A line is known by its name. It is taken if the name is one of the plan, or asks again some of the
samples of one; if its check is that of what would be asked now; and if slots of it are free.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np

import db.facts
from core.dataset.choice_options import OPTIONS
from core.errors import LostkeysError
from core.project import Project
from core.providers.endpoints import Endpoint
from core.sampling.missing_slots import Cell
from core.sampling.recipe import NATIVE
from core.sampling.requests import SampleRequest, shown_number
from core.sampling.response_store import read_draws
from core.scale.answer_sink import AnswerSink
from core.scale.output_lines import LineBlock, read_answer, read_blocks
from core.scale.plan_index import FAILED, Places, PlanIndex
from core.scale.plan_questions import PlanQuestions, UnchangedQuestions
from core.scale.request_line import URLS, RequestName, check_of, parse_name
from core.scale.request_planner import Writing
from db.connection import reading
from db.facts import StoredQuestion
from db.responses import NewResponse
from db.slots import MAX_SAMPLE, MAX_SETTING, QUESTION_SHIFT, SAMPLE_BITS

QUESTIONS_KEPT = 5_000
"""Questions that are known to be those of the plan."""


@dataclass(slots=True)
class LineCounts:
    """What came of the lines of all files. `extra` counts answers, as does `taken`."""

    lines: int = 0
    taken: int = 0
    extra: int = 0
    duplicate: int = 0
    stale: int = 0
    unknown: int = 0
    malformed: int = 0


class _OpenLine(NamedTuple):
    """A line that has a free slot: its place in the block, and that of its request in the plan.

    `slots` are in the order of its answers. `name` stands where it asks for a part of a request
    again; the name of any other is one of the plan to the letter.
    """

    line: int
    place: int
    slots: range
    name: RequestName | None = None


class Collector:
    """Takes the lines of one plan in. In the thread that owns the project's connection."""

    def __init__(
        self,
        project: Project,
        index: PlanIndex,
        questions: PlanQuestions,
        sink: AnswerSink,
        written: Writing,
        unchanged: UnchangedQuestions,
    ) -> None:
        self._connection, self._index, self._questions = project.connection, index, questions
        self._sink, self._written, self._unchanged = sink, written, unchanged
        self.counts = LineCounts()
        self._checked: dict[int, StoredQuestion] = {}
        """Questions that ask what the plan does, by one of their requests: so do all of them."""

    def take(
        self, files: Iterable[Path], tell: Callable[[int], object] = lambda lines: None
    ) -> LineCounts:
        """Take in all lines; `tell` hears how many are through."""
        for file in files:
            for block in read_blocks(file):
                self._take(block)
                tell(self.counts.lines)
        return self.counts

    def _take(self, block: LineBlock) -> None:
        self.counts.lines += len(block.names) + block.malformed
        self.counts.malformed += block.malformed
        places = self._index.find(block.names)
        whole, parts = self._whole_lines(places), self._part_lines(block, places)
        if whole or parts:
            self._land(block, sorted([*whole, *parts]) if parts else whole)

    def _whole_lines(self, places: Places) -> list[_OpenLine]:
        """Open lines with names of the plan; of all others their names alone are looked at."""
        lines = np.flatnonzero(places >= 0)
        runs = self._questions.runs(self._index, places[lines])
        there = runs.firsts >= 0
        self.counts.unknown += int((~there).sum())
        lines, runs = lines[there], runs.some(there)
        free = runs.count(~self._sink.is_here(runs.slots())) > 0
        self.counts.duplicate += int((~free).sum())
        lines, runs = lines[free], runs.some(free)
        ends = runs.firsts + runs.steps * runs.counts
        slots = map(range, runs.firsts.tolist(), ends.tolist(), runs.steps.tolist())
        return list(map(_OpenLine, lines.tolist(), places[lines].tolist(), slots))

    def _part_lines(self, block: LineBlock, places: Places) -> list[_OpenLine]:
        """Open lines that ask some samples of a request again; all others are counted."""
        found = []
        for line in np.flatnonzero(places < 0).tolist():
            name = parse_name(block.names[line])
            place = None if name is None else self._place_of(name)
            if name is None:
                self.counts.unknown += 1
            elif place is not None:
                found.append(_OpenLine(line, place, self._questions.slots(name), name))
        full = self._full(found)
        left = [one for one in found if not full.issuperset(one.slots)]
        self.counts.duplicate += len(found) - len(left)
        return left

    def _place_of(self, name: RequestName) -> int | None:
        """The place of the request of which a name asks a part; None, and counted, without one."""
        whole = self._index.cover(name)
        if whole is None or not self._questions.has(name):
            self.counts.unknown += 1
            return None
        if whole.part(name.first, name.count)[0].check != name.check:
            self.counts.stale += 1
            return None
        return int(self._index.find([str(whole.name)])[0])

    def _full(self, found: Sequence[_OpenLine]) -> set[int]:
        """Slots of lines that have an answer."""
        slots = np.fromiter(chain.from_iterable([one.slots for one in found]), np.int64)
        return set(slots[self._sink.is_here(slots)].tolist())

    def _land(self, block: LineBlock, found: Sequence[_OpenLine]) -> None:
        """Take in what fills a slot, and note refusals and failures."""
        full = self._full(found)
        rows: list[NewResponse] = []
        refused: list[tuple[Sequence[int], str]] = []
        on = self._questions.settings.get(True) if self._written.recipe.thinking == NATIVE else None
        for one, orders in self._asked(block, found):
            thinking = one.slots.start >> SAMPLE_BITS & MAX_SETTING == on
            answer = read_answer(block.row(one.line), thinking)
            if answer.draws:
                mine = one.slots[: len(answer.draws)]
                if full.issuperset(mine):
                    self.counts.duplicate += 1
                    continue
                self.counts.extra += max(0, len(answer.draws) - len(one.slots))
                shown = orders[(mine.start & MAX_SAMPLE) % OPTIONS] if orders else None
                fresh = read_draws(mine, shown, answer.draws)
                if not full.isdisjoint(mine):
                    fresh = [row for row in fresh if row.slot not in full]
                rows += fresh
                full.update(mine)
            elif answer.refused:
                refused.append((one.slots, answer.reason))
            else:
                self._index.marks[one.place] |= FAILED
        if rows:
            self.counts.taken += self._sink.store(rows)
        if refused:
            self._sink.refuse(self._new_refusals(refused))

    def _new_refusals(
        self, refused: Sequence[tuple[Sequence[int], str]]
    ) -> list[tuple[Sequence[int], str]]:
        """Those that are not known yet."""
        known = self._sink.refusals([key for slots, _ in refused for key in slots])
        return [(slots, reason) for slots, reason in refused if not known.keys() >= set(slots)]

    def _asked(
        self, block: LineBlock, found: Sequence[_OpenLine]
    ) -> Iterator[tuple[_OpenLine, Sequence[int | None]]]:
        """Lines whose questions ask what the plan does; all others are counted.

        With each come the numbers of the orders that its options are shown in, turn by turn.
        """
        keys = [one.slots.start >> QUESTION_SHIFT for one in found]
        with reading(self._connection):
            known = self._unchanged.find(np.array(keys, np.int64)).tolist()
            needed = {
                key
                for key, one, is_known in zip(keys, found, known, strict=True)
                if one.slots.step > 1 or not is_known
            }
            current = db.facts.current(self._connection, needed)
        orders: dict[int, Sequence[int | None]] = {}
        for key, one, is_known in zip(keys, found, known, strict=True):
            question = current.get(key)
            if not (is_known or self._is_asked(block, one, question)):
                self.counts.stale += 1
                continue
            if question is not None and question.choices and key not in orders:
                orders[key] = [shown_number(question, turn) for turn in range(OPTIONS)]
            yield one, orders.get(key, ())
        while len(self._checked) > QUESTIONS_KEPT:
            del self._checked[next(iter(self._checked))]

    def _is_asked(self, block: LineBlock, one: _OpenLine, question: StoredQuestion | None) -> bool:
        """Whether a question, as it is now, asks what a line answers."""
        if question is None:
            return False
        if one.name is None and self._checked.get(question.id) == question:
            return True
        name = one.name or parse_name(block.names[one.line])
        if name is None:
            return False
        cell = Cell(question, self._questions.settings[name.thinking], name.thinking, ())
        asked = make_request(self._written, cell, name) is not None
        if one.name is None and asked:
            self._checked[question.id] = question
        return asked


def make_request(written: Writing, cell: Cell, name: RequestName) -> SampleRequest | None:
    """The request of a name as it would be made now; None where its check says otherwise."""
    try:
        asks = written.requests(cell, name.samples)
    except LostkeysError:
        return None
    if len(asks) != 1:
        return None
    endpoint: Endpoint = "chat" if asks[0].request.messages is not None else "raw"
    check = check_of(URLS[endpoint], written.body(asks[0]))
    return asks[0] if check == name.check else None
