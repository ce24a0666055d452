"""The open disagreement, and the keys that decide it, from the list beside it too."""

from typing import ClassVar

from textual.binding import BindingType
from textual.message import Message

from core.vocabulary import Label
from tui import keys
from tui.widgets.document_view import DocumentView
from tui.widgets.line_view import LineView

DECISIONS = frozenset(one.id for one in keys.KEYS if "decision" in one.places)
"""Keys, by their ids, that act on the card."""


class DecisionKeys(LineView):
    """Keys that decide the card in sight, in the card and in the list beside it."""

    class LabelDecided(Message):
        """A label is to be set, or one of the graders is right (`a`, `b`); None withdraws."""

        def __init__(self, what: Label | str | None) -> None:
            super().__init__()
            self.what = what

    class FlagWanted(Message):
        """The fact is to be flagged, or its flag to be taken away."""

    hides = False
    """Whether the graders' labels are hidden, so that nobody can side with one."""

    @property
    def sees_card(self) -> bool:
        """Whether the card is in sight."""
        return self.screen.query_one("#card-view").size.height > 0

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Nobody is sided with unseen, and nothing is decided where the card is not seen."""
        if action in ("side_with", "label", "withdraw", "skip", "note", "flag"):
            return self.sees_card and not (self.hides and action == "side_with")
        return True

    def decides(self, key: str | None) -> bool:
        """Whether a key labels what is shown, or sides with a grader."""
        bound = self.screen.active_bindings.get(key or "")
        if bound is None or bound.node is not self:
            return False
        return bound.binding.action.startswith(("side_with", "label"))

    def acts_on_card(self, key: str | None) -> bool:
        """Whether a key is one of those that are meant for the card."""
        bound = self.screen.active_bindings.get(key or "")
        return bound is not None and bound.binding.id in DECISIONS

    def action_flag(self) -> None:
        """Flag the fact."""
        self.post_message(self.FlagWanted())

    def action_side_with(self, grader: str) -> None:
        """Grader A or B is right."""
        self.post_message(self.LabelDecided(grader))

    def action_label(self, label: str) -> None:
        """Your own label."""
        self.post_message(self.LabelDecided(Label(label)))

    def action_withdraw(self) -> None:
        """Take your label away."""
        self.post_message(self.LabelDecided(None))

    def action_skip(self) -> None:
        """To the next undecided one, with nothing written."""
        self.post_message(DocumentView.StepWanted(1, skipping=True))

    def action_note(self) -> None:
        """Write a note."""
        self.post_message(DocumentView.NoteWanted())


class DisagreementCardView(DecisionKeys, DocumentView):
    """The open disagreement."""

    BINDINGS: ClassVar[list[BindingType]] = [*keys.bindings("decision"), *keys.bindings("list")]

    def __init__(self) -> None:
        super().__init__(id="card-view")
