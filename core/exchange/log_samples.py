"""What a log holds, whatever tool wrote it: samples with answers, scores and people's edits."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from core.exchange.gold_texts import GoldQuestion
from core.exchange.notices import Notices

LOG_PROBABILITIES = "holds log probabilities"
"""Why a row is bad that scores a text and has no answer."""

Place = int | str
"""How a log calls a row: a line, a place in a list (both from 1), or `ID/EPOCH`."""


@dataclass(frozen=True, slots=True)
class BadSample:
    """A row that cannot be used, and why."""

    row: Place
    reason: str


@dataclass(slots=True)
class LogScore:
    """What a scorer said of an answer.

    `grader` is its name here, `score` the one in the log, `part` the key of a dict. `void` is why
    it is no label whatever its value, `""` where it may be one. `kept` is the value as it now
    stands in the log, where edits go back into it.
    """

    grader: str
    score: str
    value: Any
    rationale: str | None = None
    part: str | None = None
    void: str = ""
    kept: Any = None

    @property
    def names(self) -> tuple[str, ...]:
        """What the scorer may be called: whole, as in the log, and of a dict the dict."""
        told = self.grader.partition(":")[2]
        return (self.grader, told, self.score)


@dataclass(slots=True)
class PersonScore:
    """What a person said of an answer in another tool; `at` is in milliseconds.

    `edited` are the names of the scorer whose score it replaces, its grader first.
    """

    author: str
    value: Any
    reason: str | None = None
    at: int | None = None
    edited: tuple[str, ...] = ()


@dataclass(slots=True)
class LogAnswer:
    """One answer of a sample, with what was said of it. `sample` counts from 0."""

    sample: int
    text: str
    scores: Sequence[LogScore] = ()
    people: Sequence[PersonScore] = ()
    reasoning: str | None = None


@dataclass(slots=True)
class LogSample:
    """A question of a log, asked once or more.

    `fact_id` is the log's own; `ours` a fact and task of a project that the sample says it asks.
    `model` is None where it is the log's. `shown`: the order of the options is the one that the
    model saw. `prompt` is what was sent, where that is not the question.
    """

    row: Place
    fact_id: str
    asked: GoldQuestion
    answers: Sequence[LogAnswer]
    model: str | None = None
    ours: tuple[str, str] | None = None
    shown: bool = True
    sample_id: Any = None
    epoch: int | None = None
    uuid: str | None = None
    prompt: str | None = None


@dataclass(slots=True)
class SampleColumns:
    """Samples that are alike, as columns: of each one answer, and no options, people or reasons.

    Row i has the score `values[i][j]` by scorer j, whose name in the log and grader are
    `scorers[j]`. No value is a list or an object. Every row has a question and a gold.
    """

    places: Sequence[Place]
    fact_ids: list[str]
    questions: list[str]
    golds: list[tuple[str, ...]]
    sample_ids: list[int | str]
    prompts: list[str | None]
    texts: list[str]
    scorers: Sequence[tuple[str, str]]
    values: list[tuple[Any, ...]]


@dataclass(slots=True)
class LogHead:
    """What holds of a whole log, known once it is read to its end.

    `directions` says of graders whether more is better, where the log does.
    """

    model: str | None = None
    eval_id: str = ""
    thinking: bool = False
    directions: dict[str, bool] = field(default_factory=dict)
    notices: Notices = field(default_factory=Notices)
