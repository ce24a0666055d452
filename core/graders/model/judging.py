"""What a work of sheets has in common: replies are read, and counted by what they came to."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence

from core.engine.work import Came
from core.graders.model.sheets import Judged, Sheet, doubtful, given_up, judged
from core.names import Outcome
from core.precedence import LAST_LABEL
from core.providers.base import Reply

REASONS = {
    Outcome.UNPARSED: "the reply could not be read",
    Outcome.REFUSED: "the grader refused",
    Outcome.ERROR: "the request failed",
}
"""Why an answer got no label, for people."""


class Judging(ABC):
    """A `Work` of sheets but for where they come from and where labels go."""

    def __init__(self) -> None:
        self.outcomes: Counter[Outcome] = Counter()
        """What responses came to, all that was counted so far."""
        self._came: dict[Sheet, tuple[Judged, str]] = {}

    @abstractmethod
    def next(self, most: int) -> Sequence[Sheet] | None:
        """As `Work.next`."""

    @abstractmethod
    def write(self, sheet: Sheet, found: Judged) -> Judged:
        """Write down labels and states; gives what it really came to, `found` as a rule."""

    def take(self, item: Sheet, reply: Reply) -> Sequence[Sheet]:
        """Write down the labels in a reply; gives the sheet to be asked next."""
        return self._settle(item, judged(item, reply))

    def refuse(self, item: Sheet, reason: str) -> Sequence[Sheet]:
        """The sheet cannot be graded: once more in parts, then its answers are `refused`."""
        return self._settle(item, doubtful(item, Outcome.REFUSED), reason)

    def fail(self, item: Sheet, reason: str) -> Sequence[Sheet]:
        """The request failed for good: its answers get the state `error`."""
        return self._settle(item, given_up(item, Outcome.ERROR), reason)

    def came(self, item: Sheet) -> Came:
        """What the last reply to a sheet came to. For the engine, once it is committed."""
        found, reason = self._came.pop(item)
        failed = 0
        for one in found.graded:
            count = len(one.answer.places)
            self.outcomes[one.outcome] += count
            if one.outcome > LAST_LABEL:
                failed += count
                reason = reason or REASONS[one.outcome]
        return Came(item.things - failed - found.again, failed, reason)

    def _settle(self, sheet: Sheet, found: Judged, reason: str = "") -> Sequence[Sheet]:
        found = self.write(sheet, found)
        self._came[sheet] = found, reason
        return [] if found.next is None else [found.next]
