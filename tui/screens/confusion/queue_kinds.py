"""The queues of the Confusion screen, and which of them is seen."""

from dataclasses import dataclass
from enum import StrEnum

from tui.text.line import Line
from tui.widgets.line_widget import LineWidget


class DecisionQueue(StrEnum):
    """What is decided: where graders differ, an audit, what is left unsure, a reference set."""

    DISAGREEMENTS = "disagreements"
    AUDIT = "audit"
    UNSURE = "unsure"
    ALIGN = "align"

    @property
    def following(self) -> "DecisionQueue":
        """The queue that `v` leads to."""
        order = list(DecisionQueue)
        return order[(order.index(self) + 1) % len(order)]


@dataclass(frozen=True, slots=True)
class QueueSizes:
    """How many rows the queues have, as far as they have been counted."""

    disagreements: int | None = None
    unsure: int | None = None


def choice_line(now: DecisionQueue, sizes: QueueSizes, width: int) -> Line:
    """`disagreements 70  audit  unsure 412   v which`."""
    counts = {DecisionQueue.DISAGREEMENTS: sizes.disagreements, DecisionQueue.UNSURE: sizes.unsure}
    line = Line(" ")
    for kind in DecisionQueue:
        count = counts.get(kind)
        words = kind.value if count is None else f"{kind.value} {count:,}"
        line.add(f" {words} ", "accent bold @chip" if kind is now else "ink-2", f"queue:{kind}")
    key = Line("v", "accent").add(" which ", "ink-3")
    return line.right(key, width) if line.width + key.width < width else line.clip(width)


class QueueChoiceLine(LineWidget):
    """The queues in one line; a click is as good as the key."""

    def __init__(self) -> None:
        super().__init__(classes="queue-choice")
        self.kind, self.sizes = DecisionQueue.DISAGREEMENTS, QueueSizes()

    def put(self, kind: DecisionQueue, sizes: QueueSizes) -> None:
        """Show which queue it is."""
        self.kind, self.sizes = kind, sizes
        self.refresh_changed()

    def draw(self, width: int) -> Line:
        """The line."""
        return choice_line(self.kind, self.sizes, width)

    def press_part(self, part: str) -> None:
        """Go to the queue that was clicked."""
        self.app.call_next(self.app.run_action, f"screen.choose_queue('{part.partition(':')[2]}')")
