"""What a work of sheets has in common: replies are read, and counted by what they came to."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from core.engine.work_source import ItemResult
from core.grading.answer_batches import (
    AnswerBatch,
    BatchLabels,
    apply_no_label,
    apply_reply,
    give_up,
)
from core.providers.base import Reply
from core.scoring.precedence import LAST_LABEL
from core.vocabulary import Outcome

REASONS = {
    Outcome.UNPARSED: "the reply could not be read",
    Outcome.REFUSED: "the grader refused",
    Outcome.ERROR: "the request failed",
}
"""Why an answer got no label, for people."""


class LabelWork(ABC):
    """A `Work` of sheets but for where they come from and where labels go."""

    def __init__(self, warn: Callable[[str], object] = lambda line: None) -> None:
        """`warn` hears, once, that a schema was refused on the way."""
        self._warn: Callable[[str], object] | None = warn
        self._counted: Counter[Outcome] = Counter()
        self._settled: dict[AnswerBatch, BatchLabels] = {}

    @property
    def outcomes(self) -> Counter[Outcome]:
        """What responses came to, all that was settled so far."""
        return self._counted + _outcomes(self._settled.values())

    def next(self, most: int) -> Sequence[AnswerBatch] | None:
        """As `Work.next`. What was settled is committed, now that this is called."""
        self._counted += _outcomes(self._settled.values())
        self._settled.clear()
        return self.more(most)

    @abstractmethod
    def more(self, most: int) -> Sequence[AnswerBatch] | None:
        """As `Work.next`."""

    @abstractmethod
    def write(self, sheet: AnswerBatch, found: BatchLabels) -> BatchLabels:
        """Write down labels and states; gives what it really came to, `found` as a rule."""

    def take_all(
        self, replies: Sequence[tuple[AnswerBatch, Reply]]
    ) -> list[ItemResult[AnswerBatch]]:
        """Write down the labels in replies."""
        return [self._settle(sheet, apply_reply(sheet, reply)) for sheet, reply in replies]

    def fail(self, item: AnswerBatch, reason: str, refused: bool) -> ItemResult[AnswerBatch]:
        """The request failed for good: its answers get the state `error`.

        A sheet that was refused is asked for as text, where it had a schema, and else once more in
        parts; then its answers are `refused`.
        """
        plain = item.make_text() if refused else None
        if plain is not None:
            if self._warn is not None:
                self._warn(f"{item.grader.name} refused a schema and was asked as text: {reason}")
                self._warn = None
            return self._settle(item, BatchLabels((), plain, item.things))
        state = apply_no_label(item, Outcome.REFUSED) if refused else give_up(item, Outcome.ERROR)
        return self._settle(item, state, reason)

    def _settle(
        self, sheet: AnswerBatch, found: BatchLabels, reason: str = ""
    ) -> ItemResult[AnswerBatch]:
        found = self.write(sheet, found)
        self._settled[sheet] = found  # once, where the transaction is undone and made again
        states = {state: n for state, n in _outcomes([found]).items() if state > LAST_LABEL}
        failed = sum(states.values())
        for state in states:
            reason = reason or REASONS[state]
        further = [] if found.next is None else [found.next]
        return ItemResult(further, sheet.things - failed - found.again, failed, reason)


def _outcomes(judged: Iterable[BatchLabels]) -> Counter[Outcome]:
    """How many responses came to what."""
    found: Counter[Outcome] = Counter()
    for sheet in judged:
        for one in sheet.graded:
            found[one.outcome] += len(one.answer.places)
    return found
