"""Taking in what engines answered: each slot once, whatever is lost, doubled or out of order.

A line is known by its name. It is taken if the name is one of the plan, or asks again some of the
samples of one; if its check is that of what would be asked now; and if slots of it are free.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from pathlib import Path

import numpy as np

import db.project_values
import db.question_rows
from core.dataset.choice_options import OPTIONS
from core.errors import LostkeysError
from core.project import OpenProject
from core.providers.endpoints import Endpoint
from core.sampling.missing_slots import Cell
from core.sampling.response_store import ReadQuestions
from core.sampling.sample_requests import SampleRequest, shown_numbers
from core.scale.answer_sink import AnswerSink, Flags, Slots
from core.scale.engine_output import LineAnswers, LineBlock, Row, read_answers, read_blocks
from core.scale.plan_columns import UNKNOWN_ORDER
from core.scale.plan_index import FAILED, Places, PlanIndex
from core.scale.plan_questions import PlanQuestions, SlotRuns, UnchangedQuestions
from core.scale.request_line import URLS, RequestName, check_of, parse_name
from core.scale.request_planner import RequestFormat
from db.connection import read_transaction
from db.drawn_responses import DrawnColumns
from db.question_rows import StoredQuestion
from db.slot_ids import MAX_SAMPLE, MAX_SETTING, QUESTION_SHIFT, SAMPLE_BITS

QUESTIONS_KEPT = 5_000
"""Questions that are known to be those of the plan."""


@dataclass(slots=True)
class LineCounts:
    """What came of the lines of all files. `extra` counts answers, as does `taken`.

    `elsewhere`: of the plan, but about questions that are not in this database.
    """

    lines: int = 0
    taken: int = 0
    extra: int = 0
    duplicate: int = 0
    stale: int = 0
    unknown: int = 0
    elsewhere: int = 0
    malformed: int = 0


@dataclass(frozen=True, slots=True)
class _OpenLines:
    """Lines that have a free slot, in the order in which they stand; arrays of shape (lines,).

    `places` are those of their requests in the plan; the runs have their slots, in the order of
    their answers. `parts` has those names, taken apart, that ask for a part of a request again;
    any other is one of the plan.
    """

    names: Sequence[str]
    contents: Sequence[bytes | Row]
    places: Places
    runs: SlotRuns
    parts: Mapping[str, RequestName]

    def select(self, chosen: Flags) -> "_OpenLines":
        """Chosen ones."""
        names, contents = compress(self.names, chosen), compress(self.contents, chosen)
        places, runs = self.places[chosen], self.runs.select(chosen)
        return _OpenLines(list(names), list(contents), places, runs, self.parts)

    @property
    def questions(self) -> Slots:
        """The ids of the questions that they answer."""
        return self.runs.firsts >> QUESTION_SHIFT

    @property
    def settings(self) -> Slots:
        """The ids of the settings in which they answer them."""
        return self.runs.firsts >> SAMPLE_BITS & MAX_SETTING


class Collector:
    """Takes the lines of one plan in. In the thread that owns the project's connection."""

    def __init__(
        self,
        project: OpenProject,
        index: PlanIndex,
        questions: PlanQuestions,
        sink: AnswerSink,
        written: RequestFormat,
        unchanged: UnchangedQuestions,
    ) -> None:
        self._connection, self._index, self._questions = project.connection, index, questions
        self._sink, self._written, self._unchanged = sink, written, unchanged
        self.counts = LineCounts()
        self._all_open = True
        """Whether of all lines of the last block answers were wanted, as of the next, probably."""
        self._checked: dict[int, StoredQuestion] = {}
        """Questions that ask what the plan does, by one of their requests: so do all of them."""

    def take(
        self, files: Iterable[Path], tell: Callable[[int], object] = lambda lines: None
    ) -> LineCounts:
        """Take in all lines; `tell` hears how many are through."""
        for file in files:
            for block in read_blocks(file, lambda: self._all_open):
                self._take(block)
                tell(self.counts.lines)
        return self.counts

    def _take(self, block: LineBlock) -> None:
        self.counts.lines += len(block.names) + block.malformed
        self.counts.malformed += block.malformed
        found = self._find_open(block)
        if found.names:
            found, shown, read = self._find_asked(found)
            self._all_open = len(found.names) == len(block.names)
            known = block.answers if self._all_open else None
            self._land(found, self._read_lines(found) if known is None else known, shown, read)
        else:
            self._all_open = False

    def _find_open(self, block: LineBlock) -> _OpenLines:
        """Lines with free slots; of all others their names alone are looked at."""
        places, parts = self._index.find(block.names), dict[str, RequestName]()
        for line in np.flatnonzero(places < 0).tolist():
            name = parse_name(block.names[line])
            if name is None:
                self.counts.unknown += 1
            elif (place := self._find_place(name)) is not None:
                places[line] = place
                parts[block.names[line]] = name
        lines = np.flatnonzero(places >= 0)
        runs = self._questions.runs(self._index, places[lines])
        for at, line in enumerate(lines.tolist() if parts else ()):
            if (part := parts.get(block.names[line])) is not None:
                runs.cut(at, part.samples)
        there = runs.firsts >= 0
        free = there & (runs.count(~self._sink.is_here(runs.slots())) > 0)
        self.counts.elsewhere += int((~there).sum())
        self.counts.duplicate += int((there & ~free).sum())
        lines = lines[free]
        names = [block.names[line] for line in lines.tolist()]
        contents = [block.contents[line] for line in lines.tolist()]
        return _OpenLines(names, contents, places[lines], runs.select(free), parts)

    def _find_place(self, name: RequestName) -> int | None:
        """The place of the request of which a name asks a part; None, and counted, without one."""
        whole = self._index.cover(name)
        if whole is None:
            self.counts.unknown += 1
            return None
        if not self._questions.has(name):
            self.counts.elsewhere += 1
            return None
        if whole.part(name.first, name.count)[0].check != name.check:
            self.counts.stale += 1
            return None
        return int(self._index.find([str(whole.name)])[0])

    def _read_lines(self, found: _OpenLines) -> LineAnswers:
        """What the lines say; refusals and failures are noted."""
        answers = read_answers(found.contents)
        refused: list[tuple[Sequence[int], str]] = []
        for place, answer in answers.without.items():
            if answer.refused:
                refused.append((found.runs.range(place), answer.reason))
            else:
                self._index.marks[found.places[place]] |= FAILED
        if refused:
            self._sink.refuse(self._new_refusals(refused))
        return answers

    def _land(
        self, found: _OpenLines, answers: LineAnswers, orders: Slots, read: ReadQuestions
    ) -> None:
        """Keep what fills a slot: of several answers the first. `orders` are those of the lines."""
        came = replace(found.runs, counts=np.array(answers.counts, np.int64))
        every, surplus = came.slots(), np.maximum(came.counts - found.runs.counts, 0)
        asked = np.flatnonzero(came.places() < np.repeat(found.runs.counts, came.counts))
        slots, firsts = np.unique(every[asked], return_index=True)
        chosen = asked[firsts[~self._sink.is_here(slots)]]
        fills = np.zeros(every.size, np.bool_)
        fills[chosen] = True
        takes = came.count(fills) > 0
        self.counts.duplicate += int(((came.counts > 0) & ~takes).sum())
        self.counts.extra += int(surplus[takes].sum())
        if not chosen.size:
            return
        shown = np.repeat(orders, came.counts)
        reasoned = answers.reasoned.items()
        drawn = DrawnColumns(
            every,
            answers.texts,
            [None if number < 0 else number for number in shown.tolist()],
            answers.finishes,
            answers.served,
            {int(every[place]): thought for place, thought in reasoned if fills[place]},
        )
        self.counts.taken += self._sink.store(drawn.select(chosen), read)

    def _find_orders(
        self, found: _OpenLines, unchanged: Flags, choices: Mapping[int, StoredQuestion]
    ) -> Slots:
        """The numbers of the orders in which lines had options shown; -1 for those without any.

        Those of `unchanged` questions are as the plan was written, where that is known.
        """
        kept = np.where(unchanged, self._index.shown_at(found.places), UNKNOWN_ORDER)
        orders = np.where(kept == UNKNOWN_ORDER, -1, kept.astype(np.int64))
        places = np.flatnonzero((found.runs.steps > 1) & (kept == UNKNOWN_ORDER))
        asked = found.questions[places].tolist()
        turns = (found.runs.firsts[places] & MAX_SAMPLE) % OPTIONS
        numbers = {key: shown_numbers(choices[key]) for key in dict.fromkeys(asked)}
        orders[places] = [
            -1 if (number := numbers[key][turn]) is None else number
            for key, turn in zip(asked, turns.tolist(), strict=True)
        ]
        return orders

    def _new_refusals(
        self, refused: Sequence[tuple[Sequence[int], str]]
    ) -> list[tuple[Sequence[int], str]]:
        """Those that are not known yet."""
        known = self._sink.refusals([key for slots, _ in refused for key in slots])
        return [(slots, reason) for slots, reason in refused if not known.keys() >= set(slots)]

    def _find_asked(self, found: _OpenLines) -> tuple[_OpenLines, Slots, ReadQuestions]:
        """Lines whose questions ask what the plan does, and these; all others are counted.

        With the lines go the orders in which they had options shown.
        """
        keys = found.questions
        with read_transaction(self._connection):
            unchanged = self._unchanged.find(keys)
            asked = unchanged.copy()
            edits = db.project_values.edit_count(self._connection)
            needed = np.unique(keys[(found.runs.steps > 1) | ~asked])
            current = db.question_rows.read_current(self._connection, needed.tolist())
        for place in np.flatnonzero(~asked).tolist():
            question = current.get(int(keys[place]))
            asked[place] = self._is_asked(found, place, question)
        self.counts.stale += int((~asked).sum())
        while len(self._checked) > QUESTIONS_KEPT:
            del self._checked[next(iter(self._checked))]
        found = found.select(asked)
        orders = self._find_orders(found, unchanged[asked], current)
        return found, orders, ReadQuestions(edits, current)

    def _is_asked(self, found: _OpenLines, place: int, question: StoredQuestion | None) -> bool:
        """Whether a question, as it is now, asks what a line answers."""
        if question is None:
            return False
        part = found.parts.get(found.names[place])
        if part is None and self._checked.get(question.id) == question:
            return True
        name = part or parse_name(found.names[place])
        if name is None:
            return False
        cell = Cell(question, self._questions.settings[name.thinking], name.thinking, ())
        asked = make_request(self._written, cell, name) is not None
        if asked and part is None:
            self._checked[question.id] = question
        return asked


def make_request(written: RequestFormat, cell: Cell, name: RequestName) -> SampleRequest | None:
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
