"""Taking in what engines answered: each slot once, whatever is lost, doubled or out of order.

A line is known by its name. It is taken if the name is one of the plan, or asks again some of the
samples of one; if its check is that of what would be asked now; and if slots of it are free.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import db.facts
from core.errors import LostkeysError
from core.project import Project
from core.providers.base import Draw
from core.providers.endpoints import Endpoint
from core.sampling.missing_slots import Cell
from core.sampling.recipe import NATIVE
from core.sampling.requests import SampleRequest
from core.scale.answer_sink import AnswerSink
from core.scale.output_lines import EngineAnswer, LineBlock, read_answer, read_blocks
from core.scale.plan_index import FAILED, Places, PlanIndex
from core.scale.plan_questions import PlanQuestions
from core.scale.request_line import URLS, RequestName, check_of, parse_name
from core.scale.request_planner import Writing
from db.facts import StoredQuestion
from db.slots import SAMPLE_BITS, SETTING_BITS

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


@dataclass(frozen=True, slots=True)
class _OpenLine:
    """A line that has a free slot: its place in the block, its name, the place of its request.

    `slots` are in the order of its answers. `whole`: the name is one of the plan to the letter.
    """

    line: int
    name: RequestName
    place: int
    slots: range
    whole: bool


class Collector:
    """Takes the lines of one plan in. In the thread that owns the project's connection."""

    def __init__(
        self,
        project: Project,
        index: PlanIndex,
        questions: PlanQuestions,
        sink: AnswerSink,
        written: Writing,
    ) -> None:
        self._connection, self._index, self._questions = project.connection, index, questions
        self._sink, self._written = sink, written
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
        whole, parts = self._whole_lines(block, places), self._part_lines(block, places)
        if whole or parts:
            self._land(block, sorted([*whole, *parts], key=lambda one: one.line))

    def _whole_lines(self, block: LineBlock, places: Places) -> list[_OpenLine]:
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
        columns = [lines, places[lines], runs.firsts, ends, runs.steps]
        found = []
        for line, place, *mine in zip(*(one.tolist() for one in columns), strict=True):
            name = self._index.name_at(place, block.names[line])
            found.append(_OpenLine(line, name, place, range(*mine), True))
        return found

    def _part_lines(self, block: LineBlock, places: Places) -> list[_OpenLine]:
        """Open lines that ask some samples of a request again; all others are counted."""
        found = []
        for line in np.flatnonzero(places < 0).tolist():
            name = parse_name(block.names[line])
            place = None if name is None else self._place_of(name)
            if name is None:
                self.counts.unknown += 1
            elif place is not None:
                found.append(_OpenLine(line, name, place, self._questions.slots(name), False))
        slots = np.array([key for one in found for key in one.slots], np.int64)
        free = set(slots[~self._sink.is_here(slots)].tolist())
        left = [one for one in found if not free.isdisjoint(one.slots)]
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

    def _land(self, block: LineBlock, found: Sequence[_OpenLine]) -> None:
        """Take in what fills a slot, and note refusals and failures."""
        slots = np.array([key for one in found for key in one.slots], np.int64)
        full = set(slots[self._sink.is_here(slots)].tolist())
        answered: list[tuple[SampleRequest, Sequence[Draw]]] = []
        refused: list[tuple[SampleRequest, str]] = []
        for one, ask in zip(found, self._asks(found), strict=True):
            if ask is None:
                self.counts.stale += 1
                continue
            answer = self._answer(block, one)
            if answer.draws:
                draws = answer.draws[: one.name.count]
                mine = one.slots[: len(draws)]
                if full.issuperset(mine):
                    self.counts.duplicate += 1
                    continue
                self.counts.extra += max(0, len(answer.draws) - one.name.count)
                answered.append(_without(ask, draws, full))
                full.update(mine)
            elif answer.refused:
                refused.append((ask, answer.reason))
            else:
                self._index.marks[one.place] |= FAILED
        if answered:
            self.counts.taken += self._sink.store(answered)
        if refused:
            self._sink.refuse(self._new_refusals(refused))

    def _new_refusals(
        self, refused: Sequence[tuple[SampleRequest, str]]
    ) -> list[tuple[SampleRequest, str]]:
        """Those that are not known yet."""
        known = self._sink.refusals([key for ask, _ in refused for key in ask.slots])
        return [(ask, reason) for ask, reason in refused if not known.keys() >= set(ask.slots)]

    def _answer(self, block: LineBlock, one: _OpenLine) -> EngineAnswer:
        native = self._written.recipe.thinking == NATIVE
        return read_answer(block.row(one.line), one.name.thinking and native)

    def _asks(self, found: Sequence[_OpenLine]) -> list[SampleRequest | None]:
        """The requests of lines as they would be made now; None where they ask something else."""
        keys = [one.slots[0] >> (SAMPLE_BITS + SETTING_BITS) for one in found]
        current = db.facts.current(self._connection, set(keys))
        made = list[SampleRequest | None]()
        for one, key in zip(found, keys, strict=True):
            question = current.get(key)
            made.append(None if question is None else self._ask(one, question))
        while len(self._checked) > QUESTIONS_KEPT:
            del self._checked[next(iter(self._checked))]
        return made

    def _ask(self, one: _OpenLine, question: StoredQuestion) -> SampleRequest | None:
        """The request of a line about a question; None where it asks something else."""
        on = one.name.thinking
        cell = Cell(question, self._questions.settings[on], on, ())
        if one.whole and self._checked.get(question.id) == question:
            return self._written.known_request(cell, one.name.samples)
        ask = make_request(self._written, cell, one.name)
        if one.whole and ask is not None:
            self._checked[question.id] = question
        return ask


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


def _without(
    ask: SampleRequest, draws: Sequence[Draw], full: set[int]
) -> tuple[SampleRequest, Sequence[Draw]]:
    """A request with its answers, but for samples that a line before has brought."""
    if full.isdisjoint(ask.slots):
        return ask, draws
    pairs = [
        (sample, draw)
        for sample, key, draw in zip(ask.samples, ask.slots, draws, strict=False)
        if key not in full
    ]
    return replace(ask, samples=tuple(one for one, _ in pairs)), [draw for _, draw in pairs]
