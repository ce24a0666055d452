"""Where a person is on the Confusion screen, as it is kept and come back to."""

from dataclasses import dataclass, field

from core.views.disagreements.disagreement_filter import DisagreementFilter
from core.views.disagreements.disagreement_queue import DisagreementQueue
from core.views.list_words import ListWords
from core.views.write_target import AnswerKey
from tui.screens.confusion.audit_state import AuditPosition
from tui.screens.confusion.queue_kinds import DecisionQueue


@dataclass(frozen=True, slots=True)
class ConfusionPosition:
    """Where a person is on the Confusion screen.

    `pane` is the id of the view with the focus. The answer under the cursor stands `height` lines
    below the top of the queue; `scroll` is how far its card is scrolled. `cell` is where the
    bracket of the matrix stands, `row` the task or model under the cursor of the agreement,
    `beside` that of the pane beside it.
    """

    among: DisagreementFilter = field(default_factory=DisagreementFilter)
    by: str = "task"
    blind: bool = False
    pane: str = "queue-view"
    fact: str | None = None
    answer: AnswerKey | None = None
    height: int = 0
    scroll: int = 0
    cell: tuple[int, int] = (0, 0)
    row: str | None = None
    viewed: ListWords | None = None
    """The saved view that the queue comes from, as it was then."""
    kind: DecisionQueue = DecisionQueue.DISAGREEMENTS
    """Which queue is seen."""
    audit: AuditPosition = field(default_factory=AuditPosition)
    """Where the person is in audits."""
    beside: str | None = None

    def place_in(self, queue: DisagreementQueue) -> int | None:
        """Where the answer stands in a queue."""
        return queue.place_called(self.fact, self.answer)
