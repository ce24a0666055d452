"""The list of disagreements and the open one, with the keys that decide it in both."""

from typing import ClassVar

from textual.binding import BindingType
from textual.message import Message

from core.views.disagreements.disagreement_queue import DisagreementQueue, DisagreementRow
from core.vocabulary import Label
from tui import keys
from tui.screens.confusion import render_queue
from tui.screens.confusion.render_queue import QueueLayout
from tui.text.line import Line
from tui.widgets.document_view import DocumentView
from tui.widgets.line_view import LineView
from tui.widgets.line_widget import LineWidget
from tui.widgets.queue_view import QueueView

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


class DisagreementQueueView(DecisionKeys, QueueView):
    """The disagreements; rows are made when they are seen."""

    BINDINGS = keys.bindings("decision", silent=True)

    def __init__(self) -> None:
        super().__init__(id="queue-view")
        self.queue: DisagreementQueue | None = None
        self.blind = False
        self.layout_: QueueLayout | None = None

    def row_count(self) -> int:
        """Rows and titles, or words where there is nothing."""
        return self.layout_.rows if self.layout_ is not None else len(self.words)

    def place_at(self, row: int) -> int | None:
        """The place of a disagreement; titles have none."""
        return None if self.layout_ is None else self.layout_.place(row)

    def draw(self, row: int, line: int, width: int) -> Line:
        """A title or a row."""
        if self.queue is None or self.layout_ is None:
            return Line(" ").join(self.words[row])
        place = self.layout_.place(row)
        if place is None:
            group = self.layout_.title(row)
            unsure = self.queue.among.unsure
            return render_queue.draw_title(*group, width, unsure) if group else Line()
        found = self.queue.row(place)
        text = self.texts.get(found.slot)
        under = row == self.cursor
        return render_queue.draw(found, text, width, self.look, under, self.blind)

    def sentence(self, row: int) -> Line | None:
        """What the graders say, and what would follow; a title has its columns."""
        place = self.place_at(row)
        if place is None or self.queue is None:
            return None
        found = self.queue.row(place)
        return render_queue.sentence(found, self.texts.get(found.slot), self.blind)

    @property
    def row(self) -> DisagreementRow | None:
        """The disagreement under the cursor."""
        place = self.place
        return None if place is None or self.queue is None else self.queue.row(place)

    def put(self, queue: DisagreementQueue, place: int | None) -> None:
        """Show a queue, with the cursor at a place; the same one with other decisions too."""
        again = self.queue is not None and queue.columns is self.queue.columns
        self.queue, self.words = queue, []
        if not again or self.layout_ is None:
            self.layout_ = QueueLayout(queue)
            self.cursor = None
        if place is not None and place != self.place:
            self._measure()
            self.go_to(place)
        self.refresh_changed()

    def say(self, words: list[Line]) -> None:
        """Say why there is nothing."""
        self.queue = self.layout_ = self.cursor = None
        self.words = words
        self.refresh_changed()

    def go_to(self, place: int, tell: bool = True) -> None:
        """The cursor to a place; the title above the first row of a group comes into sight too."""
        if self.layout_ is None:
            return
        row = self.layout_.row(place)
        self.move_to(row, tell=tell)
        if row and not self.is_choosable(row - 1):
            self.show_row(row - 1)


class QueueHeading(LineWidget):
    """What the columns of the disagreements are; blank where there are none."""

    def draw(self, width: int) -> Line:
        """The names of the columns, over them."""
        view = self.screen.query_one(DisagreementQueueView)
        return render_queue.heading(view.line_width) if view.layout_ is not None else Line()
