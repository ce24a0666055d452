"""Queues of disagreements and of questions in words: what views keep, and what `--where` asks for.

Disagreements: `model:M`, `task:direct`, `direction:reverse`, `category:Arts`,
`cell:CORRECT/INCORRECT` (A's label, then B's), `by:others`,
`queue:unsure`. Questions: `queue:suspicious`,
`queue:random`, `queue:stratified by:tier`, `queue:stage stage:minimize-direct`, `queue:edited`.
"""

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from typing import TypeVar

from core.dataset.fact_filters import format_words, split_words
from core.errors import UsageError, suggest_nearest
from core.views.disagreements.disagreement_filter import Direction, DisagreementFilter
from core.views.review.question_samples import Strata
from core.views.review.review_queue import QueueRequest
from core.views.review.stage_changes import CHANGERS
from core.vocabulary import LABELS, Label, QueueKind, Task

E = TypeVar("E", bound=Enum)

OF_DISAGREEMENTS = ("model", "task", "direction", "category", "cell", "by", "queue")
OF_QUESTIONS = ("queue", "by", "stage")
KINDS: Mapping[str, QueueKind] = {kind.name.lower(): kind for kind in QueueKind}


def format_disagreements(among: DisagreementFilter) -> str:
    """Which disagreements are looked at, whatever the setting: thinking is the lens's."""
    cell = None if among.cell is None else "/".join(among.cell)
    by, queue = "others" if among.by_others else None, "unsure" if among.unsure else None
    values = among.model, among.task, among.direction, among.category, cell, by, queue
    return join_words(zip(OF_DISAGREEMENTS, values, strict=True))


def parse_disagreements(where: str) -> DisagreementFilter:
    """The filter that words ask for. Raises `UsageError` for a word that cannot be."""
    found = parse_words(where, OF_DISAGREEMENTS)
    if found.get("by", "others") != "others":
        raise UsageError(f"by:{found['by']}: disagreements are looked at by:others or by anybody")
    check_choice("queue", found.get("queue", "unsure"), ("unsure",))
    return DisagreementFilter(
        model=found.get("model"),
        task=_member(Task, "task", found),
        direction=_member(Direction, "direction", found),
        category=found.get("category"),
        cell=_cell(found["cell"]) if "cell" in found else None,
        by_others="by" in found,
        unsure="queue" in found,
    )


def _cell(value: str) -> tuple[Label, Label]:
    a, slash, b = value.partition("/")
    if not slash or a not in LABELS or b not in LABELS or a == b:
        raise UsageError(
            f"no cell {value}: it is A's label, then B's, as in cell:CORRECT/INCORRECT; labels "
            f"are {', '.join(LABELS)}"
        )
    return Label(a), Label(b)


def format_questions(wanted: QueueRequest) -> str:
    """Which questions are looked over; of strata and stages what counts for the queue."""
    by = str(wanted.by) if wanted.kind is QueueKind.STRATIFIED else None
    stage = wanted.stage if wanted.kind is QueueKind.STAGE else None
    return join_words(zip(OF_QUESTIONS, (wanted.kind.name.lower(), by, stage), strict=True))


def parse_questions(where: str) -> QueueRequest:
    """The queue that words ask for, by default of suspicious questions.

    Raises `UsageError` for a word that cannot be.
    """
    found = parse_words(where, OF_QUESTIONS)
    kind = KINDS[check_choice("queue", found.get("queue", "suspicious"), tuple(KINDS))]
    for word, of in (("by", QueueKind.STRATIFIED), ("stage", QueueKind.STAGE)):
        if word in found and kind is not of:
            raise UsageError(f"{word}:{found[word]} goes with queue:{of.name.lower()}")
    if kind is not QueueKind.STAGE:
        return QueueRequest(kind, _member(Strata, "by", found) or Strata.CATEGORY)
    stages = tuple(one.stage for one in CHANGERS)
    return QueueRequest(kind, stage=check_choice("stage", found.get("stage", stages[0]), stages))


def join_words(words: Iterable[tuple[str, str | None]]) -> str:
    """Names with their values as words; those without a value are left out."""
    return format_words(f"{name}:{value}" for name, value in words if value)


def parse_words(where: str, names: Sequence[str], of: str = "a queue") -> dict[str, str]:
    """The value of each word; one of a kind at most. Raises `UsageError` for another word."""
    found: dict[str, str] = {}
    for word in split_words(where):
        name, _, value = word.partition(":")
        if name not in names or not value:
            known = ", ".join(f"{one}:" for one in names)
            near = suggest_nearest(name, names)
            raise UsageError(f"no word {word} for {of}: {near}words begin with {known}")
        if name in found:
            raise UsageError(f"{name}: stands twice: {of} goes by one at most")
        found[name] = value
    return found


def _member(kind: type[E], name: str, found: Mapping[str, str]) -> E | None:
    if name not in found:
        return None
    return kind(check_choice(name, found[name], tuple(str(one.value) for one in kind)))


def check_choice(what: str, value: str, known: Sequence[str]) -> str:
    """The value, which must be one of these; raises `UsageError` else."""
    if value not in known:
        near = suggest_nearest(value, known)
        raise UsageError(f"no {what} {value}: {near}choose one of {', '.join(known)}")
    return value
