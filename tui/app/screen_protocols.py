"""What the frame and other screens may ask of a screen of the program."""

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from core.views.fact_query import Listing
    from core.views.snapshot import Snapshot
    from core.vocabulary import Task
    from tui.text.line import Line


class TabScreen(Protocol):
    """A screen of the program, for the frame around it."""

    @property
    def narrow(self) -> bool:
        """Whether there is room for one pane at a time only."""

    @property
    def model_words(self) -> str | None:
        """What the top bar says instead of the lens's model; None for that model."""

    @property
    def lens_words(self) -> "tuple[str, ...] | None":
        """What the top bar says instead of the lens but for its model; None for that."""

    @property
    def facts_in_sight(self) -> frozenset[int]:
        """Facts (ids) that are shown so that what was done to them may be undone at once."""

    @property
    def back_words(self) -> str:
        """What `escape` does: the screen that it leads to, or a step out of a pane."""

    def status(self) -> "Line | None":
        """What the status line says where nothing has just happened; None for the usual."""

    def has_class(self, *class_names: str) -> bool:
        """Whether it has all these CSS classes."""

    @property
    def position(self) -> Any:
        """Where a person is on it."""

    @property
    def asked(self) -> Any:
        """Search and filters, where it has any."""

    def take_restored(self) -> None:
        """Go to where the person was when the database was open last, if that is known."""

    def apply_unseen(self, snapshot: "Snapshot") -> None:
        """Show a snapshot though this screen is not seen: another one goes by it."""


class FactSteps(Protocol):
    """The list of facts and the fact in sight of the Facts screen, for who goes by them."""

    @property
    def listing(self) -> "Listing | None":
        """The list as it is seen, or was seen last."""

    @property
    def listed_fact(self) -> int | None:
        """The fact (id) under the list's cursor."""

    @property
    def list_position(self) -> "Line":
        """Where in the list the cursor is."""

    @property
    def open_question(self) -> "tuple[int, Task] | None":
        """The fact (id) in the fact pane and the task chosen there."""

    def step_fact(self, step: int) -> None:
        """Move the list's cursor."""
