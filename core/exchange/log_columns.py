"""Rows of a log as columns: how they wait on disk until they land."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import accumulate, pairwise
from typing import Any, TypeVar

import orjson

from core.exchange.log_samples import Place

_Value = TypeVar("_Value")

KeptScore = tuple[str, str | None, Any]
"""A score as it stands in its log: its name, its part, its value."""


@dataclass(slots=True)
class LogColumns:
    """Rows one after another, their answers, and the grades of these, in the same order.

    Row i has `answers[i]` answers, and beside its gold the aliases as they are stored. Answer j has
    `grades[j]` of the `marks`, which are places among the graders and labels of the log. What few
    answers or grades have stands by their place:
    `reasonings` of answers, `times` of labels by people (0: not known), `rationales` and `scores`
    of grades. `bad` are rows that cannot be used, and why.
    """

    places: list[Place] = field(default_factory=list)
    fact_ids: list[str] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)
    golds: list[str] = field(default_factory=list)
    aliases: list[str] = field(default_factory=list)
    choices: list[Sequence[str] | None] = field(default_factory=list)
    shown: list[bool] = field(default_factory=list)
    ours: list[Sequence[str] | None] = field(default_factory=list)
    models: list[str | None] = field(default_factory=list)
    sample_ids: list[Any] = field(default_factory=list)
    epochs: list[int | None] = field(default_factory=list)
    uuids: list[str | None] = field(default_factory=list)
    prompts: list[str | None] = field(default_factory=list)
    answers: list[int] = field(default_factory=list)
    samples: list[int] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    grades: list[int] = field(default_factory=list)
    marks: list[int] = field(default_factory=list)
    reasonings: dict[int, str] = field(default_factory=dict)
    times: dict[int, int] = field(default_factory=dict)
    rationales: dict[int, str] = field(default_factory=dict)
    scores: dict[int, KeptScore] = field(default_factory=dict)
    bad: list[tuple[Place, str]] = field(default_factory=list)

    def add(self, other: "LogColumns") -> None:
        """Take in further rows."""
        answers, grades = len(self.texts), len(self.marks)
        for name in _LISTS:
            getattr(self, name).extend(getattr(other, name))
        self.reasonings.update((answers + key, one) for key, one in other.reasonings.items())
        for name in ("times", "rationales", "scores"):
            few = getattr(other, name).items()
            getattr(self, name).update((grades + key, one) for key, one in few)

    def select_rows(self, rows: Sequence[int]) -> "LogColumns":
        """Some of the rows (by place), and none that is bad."""
        of_row = list(pairwise(accumulate(self.answers, initial=0)))
        of_answer = list(pairwise(accumulate(self.grades, initial=0)))
        answers = [place for row in rows for place in range(*of_row[row])]
        grades = [place for answer in answers for place in range(*of_answer[answer])]
        places = dict.fromkeys(OF_ROWS, rows) | dict.fromkeys(OF_ANSWERS, answers)
        places |= dict.fromkeys(_OF_GRADES, grades)
        return LogColumns(
            **{name: [getattr(self, name)[one] for one in some] for name, some in places.items()},
            reasonings=select_few(self.reasonings, answers),
            times=select_few(self.times, grades),
            rationales=select_few(self.rationales, grades),
            scores=select_few(self.scores, grades),
        )

    def drop_marks(self, unwanted: Collection[int]) -> "LogColumns":
        """The same rows without grades of some marks."""
        if not unwanted or not self.marks or not any(map(unwanted.__contains__, self.marks)):
            return self
        left, counts, place = [], [], 0
        for count in self.grades:
            mine = [one for one in range(place, place + count) if self.marks[one] not in unwanted]
            left += mine
            counts.append(len(mine))
            place += count
        found = {one.name: getattr(self, one.name) for one in fields(self)}
        return LogColumns(
            **found
            | {
                "grades": counts,
                "marks": [self.marks[one] for one in left],
                "times": select_few(self.times, left),
                "rationales": select_few(self.rationales, left),
                "scores": select_few(self.scores, left),
            }
        )

    def renumber(self, lines: int, marks: Sequence[int]) -> None:
        """Name rows by lines that stand so many further down, and marks by other places."""
        self.places = [int(line) + lines for line in self.places]
        self.bad = [(int(line) + lines, reason) for line, reason in self.bad]
        self.marks = [marks[place] for place in self.marks]

    def to_json(self) -> bytes:
        """A line of JSON. Raises `TypeError` where a row holds what JSON cannot."""
        columns = [_leave_out(getattr(self, name)) for name in _LISTS]
        few = [list(getattr(self, name).items()) for name in _FEW]
        return orjson.dumps([columns, few], option=orjson.OPT_APPEND_NEWLINE)


OF_ROWS = (
    *("places", "fact_ids", "questions", "golds", "aliases", "choices", "shown", "ours"),
    *("models", "sample_ids", "epochs", "uuids", "prompts", "answers"),
)
OF_ANSWERS = ("samples", "texts", "grades")
_OF_GRADES = ("marks",)
_LISTS = (*OF_ROWS, *OF_ANSWERS, *_OF_GRADES, "bad")
_FEW = ("reasonings", "times", "rationales", "scores")


ROWS_IN_BLOCK = 1_000
BYTES_IN_BLOCK = 2**20
"""What is taken apart together stays in the cache of a processor."""


def join_lines(lines: Iterable[bytes]) -> Iterator[tuple[int, LogColumns]]:
    """The rows of lines that `to_json` wrote, many at a time, with the bytes of their lines."""
    found, size = LogColumns(), 0
    for line in lines:
        found.add(parse_line(line))
        size += len(line)
        if len(found.places) >= ROWS_IN_BLOCK or size >= BYTES_IN_BLOCK:
            yield size, found
            found, size = LogColumns(), 0
    if size:
        yield size, found


def parse_line(line: bytes) -> LogColumns:
    """The rows of a line that `to_json` wrote."""
    columns, few = orjson.loads(line)
    nothing = [None] * len(columns[0])
    found: dict[str, Any] = {
        name: nothing[:] if column is None else column
        for name, column in zip(_LISTS, columns, strict=True)
    }
    found.update((name, dict(pairs)) for name, pairs in zip(_FEW, few, strict=True))
    return LogColumns(**found)


def _leave_out(column: list[Any]) -> list[Any] | None:
    """A column as it is written: of one in which no row has anything, nothing."""
    return None if column and column.count(None) == len(column) else column


def select_few(few: Mapping[int, _Value], places: Sequence[int]) -> dict[int, _Value]:
    """What few things have, by place, of those things (by place) that are left."""
    if not few:
        return {}
    return {new: few[old] for new, old in enumerate(places) if old in few}
