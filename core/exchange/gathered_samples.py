"""Samples of a log on their way into columns, and what their scores say."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from core.exchange.log_columns import OF_ANSWERS, OF_ROWS, LogColumns
from core.exchange.log_samples import (
    BadSample,
    LogAnswer,
    LogSample,
    LogScore,
    PersonScore,
    Place,
)
from core.exchange.score_labels import OUTSIDE, SEVERAL, ScoreReader, name_grader
from core.vocabulary import LABELS

LONGEST_PROMPT = 8_000
"""Characters of a prompt that are kept: half of them from its start, half from its end."""

ROW_WEIGHT = 1_536
"""Bytes of a row besides its texts: as objects, and again while they are written."""

MEANINGS_KEPT = 10_000
"""Values of scores whose meaning is known at a time: a share may have as many as there are rows."""

_LABELS = tuple(map(str, LABELS))

Meaning = tuple[tuple[str, str], int | None]
"""A grader with a label, or with the reason why there is none; the place of its mark."""


@dataclass(slots=True)
class ScoreTally:
    """What scores of a log say, by grader and label or reason; `outside` are no graders at all."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    outside: set[str] = field(default_factory=set)

    def list_unlabelled(self) -> list[tuple[str, str, int]]:
        """Grader, reason and count of values that are no labels, by grader."""
        counted: Counter[tuple[str, str]] = Counter()
        for (grader, what), count in self.counts.items():
            if grader in self.outside or what not in _LABELS:
                counted[grader, OUTSIDE if grader in self.outside else what] += count
        return sorted((grader, reason, count) for (grader, reason), count in counted.items())

    def list_labels(self) -> list[tuple[str, str, int]]:
        """Grader, label and count of values that are labels, by grader."""
        return [
            (grader, label, self.counts[grader, label])
            for grader in sorted({one for one, _ in self.counts} - self.outside)
            for label in _LABELS
            if (grader, label) in self.counts
        ]


class GatheredSamples:
    """Rows of samples until they are taken away. Written for millions.

    `marks` are graders and labels in the order of their coming; `names_models` says whether some
    sample names its model, `weight` about how many bytes wait.
    """

    def __init__(self, reader: ScoreReader) -> None:
        self._reader, self._asks_names = reader, reader.asks_names
        self._meanings: dict[tuple[str, Any, bool], Meaning] = {}
        self._places: dict[tuple[str, str], int] = {}
        self.tally = ScoreTally()
        self.marks: list[tuple[str, str]] = []
        self.names_models = False
        self._begin()

    def _begin(self) -> None:
        self.weight = 0
        self._found = LogColumns()
        self._rows: list[tuple[Any, ...]] = []
        self._answers: list[tuple[int, str, int]] = []
        self._said: list[tuple[str, str]] = []

    def take(self) -> LogColumns:
        """The rows that wait; from now on none do."""
        found = self._found
        if self._rows:
            for name, column in zip(OF_ROWS, zip(*self._rows, strict=True), strict=True):
                setattr(found, name, list(column))
            for name, column in zip(OF_ANSWERS, zip(*self._answers, strict=True), strict=True):
                setattr(found, name, list(column))
        self.tally.counts.update(self._said)
        self.names_models = self.names_models or any(found.models)
        self._begin()
        return found

    def add(self, sample: LogSample | BadSample) -> None:
        """Add the row of a sample."""
        if isinstance(sample, BadSample):
            self._refuse(sample.row, sample.reason)
            return
        asked, answers, prompt = sample.asked, sample.answers, sample.prompt
        question = asked.question
        if reason := _fault(question, asked.golds, answers):
            self._refuse(sample.row, reason)
            return
        if prompt is not None:
            prompt = _shorten_prompt(prompt, question)
        for answer in answers:
            self._add_answer(answer)
        self._rows.append(
            (
                *(sample.row, sample.fact_id, question, asked.golds, asked.choices),
                *(sample.shown, sample.ours, sample.model, sample.sample_id, sample.epoch),
                *(sample.uuid, prompt, len(answers)),
            )
        )
        self.weight += ROW_WEIGHT + len(question) + (len(prompt) if prompt else 0)

    def _refuse(self, place: Place, reason: str) -> None:
        self._found.bad.append((place, reason))
        self.weight += ROW_WEIGHT

    def _add_answer(self, answer: LogAnswer) -> None:
        marks = self._found.marks
        first = len(marks)
        if answer.scores:
            self._add_scores(answer.scores)
        if answer.people:
            self._add_people(answer.people)
        if answer.reasoning:
            self._found.reasonings[len(self._answers)] = answer.reasoning
            self.weight += len(answer.reasoning)
        self._answers.append((answer.sample, answer.text, len(marks) - first))
        self.weight += len(answer.text)

    def _add_scores(self, scores: Sequence[LogScore]) -> None:
        marks = self._found.marks
        graders: set[str] = set()
        for score in scores:
            if self._asks_names and not self._reader.wants(score.names):
                continue
            what, mark = self._meaning(score)
            self._said.append(what)
            if mark is None or score.grader in graders:
                continue
            graders.add(score.grader)
            if score.rationale or score.kept is not None:
                self._add_beside(score)
            marks.append(mark)

    def _add_beside(self, score: LogScore) -> None:
        """What stands beside the label that comes next."""
        found = self._found
        if score.rationale and score.rationale.strip():
            found.rationales[len(found.marks)] = score.rationale
            self.weight += len(score.rationale)
        if score.kept is not None:
            found.scores[len(found.marks)] = (score.score, score.part, score.kept)

    def _meaning(self, score: LogScore) -> Meaning:
        """What `_read_score` says, without reading the same value twice."""
        key = (score.grader, score.value, score.several)
        try:
            return self._meanings[key]
        except KeyError:
            found = self._read_score(score)
        except TypeError:  # a list or an object, which is no key
            return self._read_score(score)
        if len(self._meanings) >= MEANINGS_KEPT:
            self._meanings.clear()
        if not self._asks_names:  # else 1 and true may be two words
            self._meanings[key] = found
        return found

    def _read_score(self, score: LogScore) -> Meaning:
        """What a score says of its grader."""
        names = score.names if self._asks_names else ()
        reading = self._reader.read_score(score.value, names)
        if reading.outside:
            self.tally.outside.add(score.grader)
        elif score.several:
            return (score.grader, SEVERAL), None
        what = (score.grader, reading.label or reading.reason)
        return what, None if reading.label is None else self._mark(what)

    def _mark(self, what: tuple[str, str]) -> int:
        if what not in self._places:
            self._places[what] = len(self.marks)
            self.marks.append(what)
        return self._places[what]

    def _add_people(self, said: Sequence[PersonScore]) -> None:
        """Add the newest label of each person."""
        newest: dict[str, tuple[str, PersonScore]] = {}
        for one in said:
            grader = name_grader("human", one.author)
            reading = self._reader.read_score(one.value, (grader, one.author))
            self._said.append((grader, reading.label or reading.reason))
            if reading.label is None:
                continue
            if grader not in newest or (one.at or 0) >= (newest[grader][1].at or 0):
                newest[grader] = reading.label, one
        found = self._found
        for grader, (label, one) in newest.items():
            found.times[len(found.marks)] = one.at or 0
            if one.reason:
                found.rationales[len(found.marks)] = one.reason
                self.weight += len(one.reason)
            found.marks.append(self._mark((grader, label)))


def _fault(question: str, golds: Sequence[str], answers: Sequence[LogAnswer]) -> str | None:
    """Why a sample is no row; None where it is one."""
    if not question or question.isspace():
        return "has no question"
    if not golds:
        return "has no gold answer"
    return None if answers else "holds no answer text"


def _shorten_prompt(prompt: str, question: str) -> str | None:
    """A prompt as it is kept: None where it is the question itself."""
    if prompt == question or not prompt.strip():
        return None
    if len(prompt) <= LONGEST_PROMPT:
        return prompt
    half = LONGEST_PROMPT // 2
    return f"{prompt[:half]}\n[... {len(prompt) - 2 * half:,} characters ...]\n{prompt[-half:]}"
