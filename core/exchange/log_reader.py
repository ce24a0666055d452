"""Logs of all tools behind one interface, and their samples as rows that can land.

A log is read once, from its start to its end, into plain rows (`LogRow`): so a broken one lands
nothing, and what only the end of a log tells (whether a scorer counts something, whether the model
was thinking) is known before the first row lands.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, TypedDict

from core.errors import LostkeysError
from core.exchange.log_samples import (
    BadSample,
    LogAnswer,
    LogHead,
    LogSample,
    LogScore,
    PersonScore,
)
from core.exchange.score_labels import OUTSIDE, SEVERAL, ScoreReader, name_grader
from core.settings.compression import plain_path
from core.vocabulary import LABELS

LONGEST_PROMPT = 8_000
"""Characters of a prompt that are kept: half of them from its start, half from its end."""

_LABELS = tuple(map(str, LABELS))

PersonLabels = dict[str, tuple[str, str | None, int | None]]
"""Label, reason and time by the grader that a person is."""

CUT_OFF = "mend the file, or write it again if it was cut off"


class LogReader(ABC):
    """One log. `unit` says what numbers its rows; `head` is whole after `samples`."""

    unit: ClassVar[str] = "row"

    def __init__(self, path: Path, prefix: str | None = None) -> None:
        """`prefix` stands before the `/` of a fact's id, in place of the task's name.

        `plain` is the path without the ending of a compressed file.
        """
        self.path = path
        self.plain = plain_path(path)
        self.prefix = prefix
        self.head = LogHead()

    @abstractmethod
    def samples(self) -> Iterator[LogSample | BadSample]:
        """The samples in their order. Raises `LostkeysError` where the log is broken."""

    def broken(self, what: str, where: str = "", remedy: str = CUT_OFF) -> LostkeysError:
        """The error for a log that cannot be read to its end; `where` as in `line 3`."""
        place = f"{self.path}, {where}" if where else str(self.path)
        return LostkeysError(f"{place}: {what}: {remedy}")


class LoggedAnswer(TypedDict):
    """One answer as it lands: labels and rationales by grader, people's with their times.

    `scores` are values as they stand in the log, by grader: the score's name, its part, JSON.
    """

    sample: int
    text: str
    reasoning: str | None
    grades: dict[str, str]
    rationales: dict[str, str]
    people: PersonLabels
    scores: dict[str, tuple[str, str | None, Any]]


class LogRow(TypedDict):
    """A sample as it lands. `choices`: the four options of multiple choice."""

    row: int | str
    fact_id: str
    ours: tuple[str, str] | None
    model: str | None
    question: str
    golds: tuple[str, ...]
    choices: tuple[str, ...] | None
    shown: bool
    answers: list[LoggedAnswer]
    sample_id: Any
    epoch: int | None
    uuid: str | None
    prompt: str | None


@dataclass(slots=True)
class ScoreTally:
    """What scores of a log say, by grader and label or reason; `outside` are no graders at all."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    outside: set[str] = field(default_factory=set)

    def unlabelled(self) -> list[tuple[str, str, int]]:
        """Grader, reason and count of values that are no labels, by grader."""
        counted: Counter[tuple[str, str]] = Counter()
        for (grader, what), count in self.counts.items():
            if grader in self.outside or what not in _LABELS:
                counted[grader, OUTSIDE if grader in self.outside else what] += count
        return sorted((grader, reason, count) for (grader, reason), count in counted.items())

    def labels(self) -> list[tuple[str, str, int]]:
        """Grader, label and count of values that are labels, by grader."""
        return [
            (grader, label, self.counts[grader, label])
            for grader in sorted({one for one, _ in self.counts} - self.outside)
            for label in _LABELS
            if (grader, label) in self.counts
        ]


class RowMaker:
    """Makes rows of samples, and counts what is no label."""

    def __init__(self, reader: ScoreReader) -> None:
        self._reader = reader
        self.tally = ScoreTally()

    def make(self, sample: LogSample) -> LogRow | BadSample:
        """The row of a sample."""
        asked = sample.asked
        if not asked.question.strip():
            return BadSample(sample.row, "has no question")
        if not asked.golds:
            return BadSample(sample.row, "has no gold answer")
        if not sample.answers:
            return BadSample(sample.row, "holds no answer text")
        answers = [self._answer(one) for one in sample.answers]
        prompt = _shortened(sample.prompt, asked.question)
        return {
            "row": sample.row,
            "fact_id": sample.fact_id,
            "ours": sample.ours,
            "model": sample.model,
            "question": asked.question,
            "golds": asked.golds,
            "choices": asked.choices,
            "shown": sample.shown,
            "answers": answers,
            "sample_id": sample.sample_id,
            "epoch": sample.epoch,
            "uuid": sample.uuid,
            "prompt": prompt,
        }

    def _answer(self, answer: LogAnswer) -> LoggedAnswer:
        row: LoggedAnswer = {
            "sample": answer.sample,
            "text": answer.text,
            "reasoning": answer.reasoning,
            "grades": {},
            "rationales": {},
            "people": {},
            "scores": {},
        }
        for score in answer.scores:
            self._take(score, row)
        if answer.people:
            self._take_people(answer.people, row["people"])
        return row

    def _take_people(self, said: Sequence[PersonScore], people: PersonLabels) -> None:
        newest: dict[str, int] = {}
        for one in said:
            grader = name_grader("human", one.author)
            reading = self._reader.read(one.value, (grader, one.author))
            if reading.label is None:
                self.tally.counts[grader, reading.reason] += 1
                continue
            self.tally.counts[grader, reading.label] += 1
            if grader not in people or (one.at or 0) >= newest[grader]:
                people[grader] = (reading.label, one.reason or None, one.at)
                newest[grader] = one.at or 0

    def _take(self, score: LogScore, row: LoggedAnswer) -> None:
        grader, names = score.grader, score.names if self._reader.asks_names else ()
        if not self._reader.wants(names):
            return
        reading = self._reader.read(score.value, names)
        what = reading.label or reading.reason
        if reading.outside:
            self.tally.outside.add(grader)
        elif score.several:
            what = SEVERAL
        self.tally.counts[grader, what] += 1
        if what is reading.label and grader not in row["grades"]:
            row["grades"][grader] = reading.label
            if score.rationale and score.rationale.strip():
                row["rationales"][grader] = score.rationale
            if score.kept is not None:
                row["scores"][grader] = (score.score, score.part, score.kept)


def _shortened(prompt: str | None, question: str) -> str | None:
    """A prompt as it is kept: None where it is the question itself."""
    if prompt is None or prompt == question or not prompt.strip():
        return None
    if len(prompt) <= LONGEST_PROMPT:
        return prompt
    half = LONGEST_PROMPT // 2
    return f"{prompt[:half]}\n[... {len(prompt) - 2 * half:,} characters ...]\n{prompt[-half:]}"


def text_of(value: Any) -> str | None:
    """A text out of a log; None where it is another value."""
    return value if isinstance(value, str) else None


def mapping_of(value: Any) -> Mapping[str, Any]:
    """An object out of a log; empty where it is another value."""
    return value if isinstance(value, dict) else {}
