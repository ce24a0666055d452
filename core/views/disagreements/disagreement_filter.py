"""Which answers of two graders are looked at."""

from dataclasses import dataclass, replace
from enum import StrEnum

from core.views.lens import Lens, Thinking
from core.vocabulary import Label, Task


class Direction(StrEnum):
    """Which way a task asks; `completion` and `contextual` ask neither."""

    DIRECT = "direct"
    REVERSE = "reverse"

    def asks(self, task: Task) -> bool:
        """Whether a task asks this way."""
        return task.asks.value.startswith(self.value)


@dataclass(frozen=True, slots=True)
class DisagreementFilter:
    """A filter of answers: None asks for nothing.

    `cell` is a cell of the matrix, A's label first, and `by_others` keeps what other people have
    decided: these filter queues, not crossings. `unsure` queues the answers that a grader left
    unsure in place of disagreements.
    """

    model: str | None = None
    thinking: Thinking = Thinking.BOTH
    task: Task | None = None
    direction: Direction | None = None
    category: str | None = None
    cell: tuple[Label, Label] | None = None
    by_others: bool = False
    unsure: bool = False

    def takes(self, task: Task) -> bool:
        """Whether answers to a task are looked at."""
        fits = self.direction is None or self.direction.asks(task)
        return fits and (self.task is None or self.task is task)

    @property
    def cleared(self) -> "DisagreementFilter":
        """Without filters; thinking is the lens's."""
        return DisagreementFilter(thinking=self.thinking)

    @property
    def is_set(self) -> bool:
        """Whether anything is filtered."""
        return self != self.cleared

    def with_lens(self, lens: Lens) -> "DisagreementFilter":
        """The same filter, with thinking as a lens has it."""
        return replace(self, thinking=lens.thinking)
