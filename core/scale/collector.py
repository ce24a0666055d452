"""Taking in what engines answered: each slot once, whatever is lost, doubled or out of order.

A line is known by its name. It is taken if the name is one of the plan, or asks again some of the
samples of one; if its check is that of what would be asked now; and if slots of it are free.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
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
from core.scale.output_lines import EngineAnswer, EngineLine, read_answer, read_lines
from core.scale.plan_index import FAILED, PlanIndex
from core.scale.plan_questions import PlanQuestions
from core.scale.request_line import URLS, RequestName, check_of, parse_name
from core.scale.request_planner import Writing
from db.facts import StoredQuestion
from db.slots import SAMPLE_BITS, SETTING_BITS

QUESTIONS_KEPT = 5_000
"""Questions that are known to be those of the plan."""

LINES = 2_048
"""Lines that are looked at together and taken in by one transaction."""


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


@dataclass(slots=True)
class _Known:
    """A line with its name, the place of its request, and its slots in the order of its answers.

    `whole`: the name is one of the plan to the letter. `free`: some of its slots are.
    """

    line: EngineLine
    name: RequestName
    place: int
    slots: range
    whole: bool
    free: bool = False


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
        lines = (line for file in files for line in read_lines(file))
        while block := list(islice(lines, LINES)):
            self._take(block)
            tell(self.counts.lines)
        return self.counts

    def _take(self, block: Sequence[EngineLine | None]) -> None:
        self.counts.lines += len(block)
        self.counts.malformed += sum(line is None for line in block)
        found = self._known([line for line in block if line is not None])
        if not found:
            return
        slots = np.array([key for one in found for key in one.slots], np.int64)
        ends = np.cumsum([len(one.slots) for one in found])
        here = self._sink.is_here(slots)
        free = np.add.reduceat(~here, np.concatenate([[0], ends[:-1]]))
        for one, left in zip(found, free.tolist(), strict=True):
            one.free = left > 0
        self._land([one for one in found if one.free], set(slots[here].tolist()))
        self.counts.duplicate += sum(not one.free for one in found)

    def _known(self, lines: Sequence[EngineLine]) -> list[_Known]:
        """Those lines that are of the plan; all others are counted as what they are."""
        named = [(line, parse_name(line.name)) for line in lines]
        names = [name for _, name in named if name is not None]
        self.counts.unknown += len(named) - len(names)
        written = [line.name for line, name in named if name is not None]
        places = iter(self._index.find(names, written).tolist())
        found = []
        for line, name in named:
            if name is None:
                continue
            exact = next(places)
            place = self._place_of(name, exact)
            if place is not None:
                slots = self._questions.slots(name)
                found.append(_Known(line, name, place, slots, exact >= 0))
        return found

    def _place_of(self, name: RequestName, place: int) -> int | None:
        """The place of a name's request; None, and counted, where it is not of the plan."""
        if place >= 0 and self._questions.has(name):
            return place
        whole = self._index.cover(name) if place < 0 else None
        if whole is None or not self._questions.has(name):
            self.counts.unknown += 1
            return None
        if whole.part(name.first, name.count)[0].check != name.check:
            self.counts.stale += 1
            return None
        (found,) = self._index.find([whole.name]).tolist()
        return int(found)

    def _land(self, found: Sequence[_Known], full: set[int]) -> None:
        """Take in what fills a slot, and note refusals and failures; `full` slots are here."""
        asks = self._asks(found)
        answered: list[tuple[SampleRequest, Sequence[Draw]]] = []
        refused: list[tuple[SampleRequest, str]] = []
        for one in found:
            ask, answer = asks[id(one)], self._answer(one)
            if ask is None:
                self.counts.stale += 1
            elif answer.draws:
                draws = answer.draws[: one.name.count]
                if full.issuperset(one.slots[: len(draws)]):
                    self.counts.duplicate += 1
                    continue
                self.counts.extra += max(0, len(answer.draws) - one.name.count)
                answered.append(_without(ask, draws, full))
                full.update(one.slots[: len(draws)])
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

    def _answer(self, one: _Known) -> EngineAnswer:
        native = self._written.recipe.thinking == NATIVE
        return read_answer(one.line.row, one.name.thinking and native)

    def _asks(self, found: Sequence[_Known]) -> dict[int, SampleRequest | None]:
        """The requests of lines as they would be made now; None where they ask something else."""
        keys = {one.slots[0] >> (SAMPLE_BITS + SETTING_BITS) for one in found}
        questions = db.facts.current(self._connection, keys)
        made: dict[int, SampleRequest | None] = {}
        for one in found:
            question = questions.get(one.slots[0] >> (SAMPLE_BITS + SETTING_BITS))
            if question is None:
                made[id(one)] = None
                continue
            on = one.name.thinking
            cell = Cell(question, self._questions.settings[on], on, ())
            if one.whole and self._checked.get(question.id) == question:
                made[id(one)] = self._written.known_request(cell, one.name.samples)
                continue
            made[id(one)] = make_request(self._written, cell, one.name)
            if one.whole and made[id(one)] is not None:
                self._checked[question.id] = question
        while len(self._checked) > QUESTIONS_KEPT:
            del self._checked[next(iter(self._checked))]
        return made


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
