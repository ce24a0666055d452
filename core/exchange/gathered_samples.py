"""Samples of a log on their way into columns, and what their scores say."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from core.exchange.log_columns import OF_ANSWERS, OF_ROWS, LogColumns
from core.exchange.log_samples import (
    BadSample,
    LogAnswer,
    LogSample,
    LogScore,
    PersonScore,
    Place,
    SampleColumns,
)
from core.exchange.score_labels import (
    LESS_IS_BETTER,
    ScoreLabel,
    ScoreReader,
    is_less_better,
    name_grader,
)
from core.exchange.score_tally import ScoreTally, What
from core.providers import reasoning_marks
from db.question_rows import dump_texts

LONGEST_PROMPT = 8_000
"""Characters of a prompt that are kept: half of them from its start, half from its end."""

ROW_WEIGHT = 1_536
"""Bytes of a row besides its texts: as objects, and again while they are written."""

MEANINGS_KEPT = 10_000
"""Values of scores whose meaning is known at a time: a share may have as many as there are rows."""

Meaning = tuple[What, int | None]
"""What a score says, and the place of its mark."""


class GatheredSamples:
    """Rows of samples until they are taken away. Written for millions.

    `marks` are graders and labels in the order of their coming; `names_models` says whether some
    sample names its model, `weight` about how many bytes wait. `reasoned`: some answer came with
    reasoning; of `split` answers it stood in the text.
    """

    def __init__(self, reader: ScoreReader, directions: Mapping[str, bool]) -> None:
        """`directions` says of graders whether more is better, where the log does."""
        self._reader, self._asks_names = reader, reader.asks_names
        self._directions = directions
        self._less: dict[str, bool] = {}
        self._meanings: dict[tuple[str, Any, str], Meaning] = {}
        self._scorers: Sequence[tuple[str, str]] = ()
        self._of_scorers: dict[tuple[Any, ...], tuple[list[What], list[int]]] = {}
        self._places: dict[What, int] = {}
        self.tally = ScoreTally()
        self.marks: list[What] = []
        self.names_models = self.reasoned = False
        self.split = 0
        self._begin()

    def _begin(self) -> None:
        self.weight = 0
        self._found = LogColumns()
        self._rows: list[tuple[Any, ...]] = []
        self._answers: list[tuple[int, str, int]] = []
        self._said: list[What] = []

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

    def summarize(self) -> dict[str, Any]:
        """What is known of all rows that were taken away, as JSON can hold it."""
        return {
            "marks": self.marks,
            "counts": [[*what, count] for what, count in self.tally.counts.items()],
            "outside": sorted(self.tally.outside),
            "bounded": sorted(self.tally.bounded),
            "names_models": self.names_models,
            "reasoned": self.reasoned,
            "split": self.split,
        }

    def add_summary(self, other: Mapping[str, Any]) -> list[int]:
        """Take in what somebody else knows of further rows; gives the places of their marks."""
        self.tally.outside.update(other["outside"])
        self.tally.bounded.update(other["bounded"])
        for grader, said, letter, count in other["counts"]:
            self.tally.counts[grader, said, letter] += count
        self.names_models = self.names_models or other["names_models"]
        self.reasoned = self.reasoned or other["reasoned"]
        self.split += other["split"]
        return [self._mark((grader, label, letter)) for grader, label, letter in other["marks"]]

    def join(self, samples: SampleColumns) -> LogColumns:
        """The rows of samples that are alike; those that wait come before, and are to be taken."""
        size = len(samples.texts)
        nothing: list[None] = [None] * size
        marks, grades = self._read_rows(samples.scorers, samples.values)
        texts, reasonings = samples.texts, dict[int, str]()
        if reasoning_marks.may_hold_marks("\n".join(texts)):
            texts = [self._split(place, one, reasonings) for place, one in enumerate(texts)]
        return LogColumns(
            places=list(samples.places),
            fact_ids=samples.fact_ids,
            questions=samples.questions,
            golds=[texts[0] for texts in samples.golds],
            aliases=[dump_texts(texts[1:]) for texts in samples.golds],
            choices=[*nothing],
            shown=[True] * size,
            ours=[*nothing],
            models=[*nothing],
            sample_ids=samples.sample_ids,
            epochs=[*nothing],
            uuids=[*nothing],
            prompts=list(map(_shorten_prompt, samples.prompts, samples.questions)),
            answers=[1] * size,
            samples=[0] * size,
            texts=texts,
            grades=grades,
            marks=marks,
            reasonings=reasonings,
        )

    def _split(
        self, place: int, text: str, reasonings: dict[int, str], apart: str | None = None
    ) -> str:
        """An answer's text without the reasoning between marks, which is kept by its place."""
        thought, rest = reasoning_marks.split(text)
        if thought is not None:
            self.split += bool(thought.strip())
        said = [one for one in (apart, thought) if one and one.strip()]
        if said:
            self.reasoned = True
            reasonings[place] = "\n\n".join(said)
        return rest

    def _read_rows(
        self, scorers: Sequence[tuple[str, str]], rows: Sequence[tuple[Any, ...]]
    ) -> tuple[list[int], list[int]]:
        """The marks of rows of scores, and how many there are of each row."""
        if self._asks_names:  # 1 and true may be two words
            read = [self._read_row(scorers, row) for row in rows]
            self._said += chain.from_iterable(said for said, _ in read)
            marks = [marks for _, marks in read]
        else:
            marks = self._recall_rows(scorers, rows)
        return list(chain.from_iterable(marks)), list(map(len, marks))

    def _recall_rows(
        self, scorers: Sequence[tuple[str, str]], rows: Sequence[tuple[Any, ...]]
    ) -> list[list[int]]:
        """The marks of each row, without reading the same scores twice."""
        if scorers != self._scorers or len(self._of_scorers) >= MEANINGS_KEPT:
            self._scorers, self._of_scorers = scorers, {}
        known, counts = self._of_scorers, self.tally.counts
        for row, count in Counter(rows).items():  # in the order of their coming
            if row not in known:
                known[row] = self._read_row(scorers, row)
            for what in known[row][0]:
                counts[what] += count
        return [known[row][1] for row in rows]

    def _read_row(
        self, scorers: Sequence[tuple[str, str]], row: Sequence[Any]
    ) -> tuple[list[What], list[int]]:
        """What scorers say of an answer, and the marks of it."""
        named = zip(scorers, row, strict=True)
        read = self._read_scores([LogScore(grader, key, one) for (key, grader), one in named])
        return [what for what, _, _ in read], [mark for _, mark, _ in read if mark is not None]

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
        prompt = _shorten_prompt(prompt, question)
        for answer in answers:
            self._add_answer(answer)
        self._rows.append(
            (
                *(sample.row, sample.fact_id, question, asked.golds[0]),
                *(dump_texts(asked.golds[1:]), asked.choices, sample.shown, sample.ours),
                *(sample.model, sample.sample_id, sample.epoch, sample.uuid),
                *(prompt, len(answers)),
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
        reasonings = self._found.reasonings
        text = self._split(len(self._answers), answer.text, reasonings, answer.reasoning)
        self._answers.append((answer.sample, text, len(marks) - first))
        self.weight += len(answer.text) + len(answer.reasoning or "")

    def _add_scores(self, scores: Sequence[LogScore]) -> None:
        marks = self._found.marks
        for what, mark, score in self._read_scores(scores):
            self._said.append(what)
            if mark is None:
                continue
            if score.rationale or score.kept is not None:
                self._add_beside(score)
            marks.append(mark)

    def _read_scores(self, scores: Sequence[LogScore]) -> list[tuple[What, int | None, LogScore]]:
        """What scores say, each with its mark: None where it has no label or its grader has one."""
        graders: set[str] = set()
        found = []
        for score in scores:
            if self._asks_names and not self._reader.wants(score.names):
                continue
            what, mark = self._meaning(score)
            if score.grader in graders:
                mark = None
            elif mark is not None:
                graders.add(score.grader)
            found.append((what, mark, score))
        return found

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
        key = (score.grader, score.value, score.void)
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
        reading = self._reader.read_score(score.value, names, self._is_less_better(score))
        if reading.outside:
            self.tally.outside.add(score.grader)
        elif score.void:
            return (score.grader, score.void, ""), None
        elif reading.label and reading.reason == LESS_IS_BETTER:
            self.tally.bounded.add(score.grader)
        what = (score.grader, reading.label or reading.reason, reading.letter)
        return what, None if reading.label is None else self._mark(what)

    def _is_less_better(self, score: LogScore) -> bool:
        """Whether less is better in a scorer: as the log says, else by its name."""
        found = self._less.get(score.grader)
        if found is None:
            more = self._directions.get(score.grader)
            found = is_less_better(score.names[1]) if more is None else not more
            self._less[score.grader] = found
        return found

    def _mark(self, what: What) -> int:
        if what not in self._places:
            self._places[what] = len(self.marks)
            self.marks.append(what)
        return self._places[what]

    def _add_people(self, said: Sequence[PersonScore]) -> None:
        """Add the newest label of each person."""
        newest: dict[str, tuple[ScoreLabel, PersonScore]] = {}
        for one in said:
            grader = name_grader("human", one.author)
            reading = self._reader.read_score(one.value, (grader, one.author, *one.edited))
            self._said.append((grader, reading.label or reading.reason, reading.letter))
            if one.edited:
                self.tally.edited.setdefault(grader, set()).add(one.edited[0])
            if reading.label is None:
                continue
            if grader not in newest or (one.at or 0) >= (newest[grader][1].at or 0):
                newest[grader] = reading, one
        found = self._found
        for grader, (reading, one) in newest.items():
            found.times[len(found.marks)] = one.at or 0
            if one.reason:
                found.rationales[len(found.marks)] = one.reason
                self.weight += len(one.reason)
            what = (grader, reading.label or "", reading.letter)
            found.marks.append(self._mark(what))


def _fault(question: str, golds: Sequence[str], answers: Sequence[LogAnswer]) -> str | None:
    """Why a sample is no row; None where it is one."""
    if not question or question.isspace():
        return "has no question"
    if not golds:
        return "has no gold answer"
    return None if answers else "holds no answer text"


def _shorten_prompt(prompt: str | None, question: str) -> str | None:
    """A prompt as it is kept: None where it is the question itself."""
    if prompt is None or prompt == question or not prompt.strip():
        return None
    if len(prompt) <= LONGEST_PROMPT:
        return prompt
    half = LONGEST_PROMPT // 2
    return f"{prompt[:half]}\n[... {len(prompt) - 2 * half:,} characters ...]\n{prompt[-half:]}"
