"""Working through disagreements, or what is unsure: what keys of the screen do there."""

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from textual.widget import Widget

from core.views.disagreements.disagreement_filter import DisagreementFilter
from core.vocabulary import LABELS, Task
from tui.screens.confusion import sentences
from tui.screens.confusion.decision_writer import DecisionWriter
from tui.screens.confusion.loader import DisagreementLoader
from tui.screens.confusion.matrix_view import AgreementView
from tui.screens.confusion.queue_filter_dialog import QueueFilterChoice
from tui.screens.confusion.state import ConfusionState
from tui.screens.confusion.widgets import ConfusionPanes

if TYPE_CHECKING:
    from core.views.filter_choices import Choices
    from tui.app.app import LostkeysApp


# Filtering the queue: from the matrix, from the agreement by task or model, from a list.


class QueueFilter:
    """What is crossed and queued, as it is chosen in the panes."""

    def __init__(
        self, state: ConfusionState, panes: ConfusionPanes, loader: DisagreementLoader
    ) -> None:
        self._state, self._panes, self._loader = state, panes, loader

    def cross_cell(self) -> None:
        """The disagreements of the cell; those of all cells from the diagonal."""
        place = self._panes.matrix_view.bracket
        cell = None if place.a == place.b else (LABELS[place.a], LABELS[place.b])
        self.take(replace(self._state.among, cell=cell))
        self._panes.go(self._panes.queue_view)

    def leave_cell(self) -> None:
        """From one cell back to all."""
        self.take(replace(self._state.among, cell=None))

    def cross_row(self, view: AgreementView) -> None:
        """Only this task or model; once more, all of them."""
        row, now = view.chosen, self._state.among
        if row is None:
            return
        if view.by == "task":
            task = Task(row.name)
            self.take(replace(now, task=None if now.task is task else task))
        else:
            self.take(replace(now, model=None if now.model == row.name else row.name))

    def ask(self) -> None:
        """Choose from a list."""
        app = self._panes.base.lostkeys
        app.ask_dialog("choices", lambda session: session.choices(), self._offer)

    def _offer(self, choices: "Choices") -> None:
        app = self._panes.base.lostkeys
        if app.snapshot is not None:
            dialog = QueueFilterChoice(self._state.among, app.snapshot, choices.topics)
            app.push_screen(dialog, self.take)

    def clear(self) -> None:
        """Everything, as no view."""
        self._state.viewed = None
        self.take(self._state.among.cleared)

    def take(self, among: DisagreementFilter | None) -> None:
        """Cross and queue these; None changes nothing."""
        if among is not None:
            self._loader.filter_queue(among)


class DisagreementController:
    """The queues *disagreements* and *unsure*."""

    def __init__(self, state: ConfusionState) -> None:
        self.state = state
        self.panes = ConfusionPanes(state)
        self.loader = DisagreementLoader(state, self.panes)
        self.filter = QueueFilter(state, self.panes, self.loader)
        self.decisions = DecisionWriter(state, self.panes, self.loader)

    @property
    def _app(self) -> "LostkeysApp":
        return self.panes.base.lostkeys

    @property
    def _focused(self) -> Widget | None:
        return self.panes.screen.focused

    # What the screen asks

    @property
    def model_words(self) -> str | None:
        """All models are crossed, unless one is filtered for."""
        return self.state.among.model or "all models"

    @property
    def facts_in_sight(self) -> frozenset[int]:
        """Those of the rows in sight, of the card, and of the decision made just before."""
        return self.state.facts_among(self.panes.queue_view.places_near)

    @property
    def takes_keys(self) -> bool:
        """Whether the card under the cursor has been painted, or there is none to be had."""
        slot, now, view = self.panes.slot, self.state, self.panes.queue_view
        listed = self.panes.can_decide and view.acts_on_card(self._app.key_queue.next_key)
        if slot is None or not (self.panes.inside or listed):
            return True
        painted = self.panes.card_view.has_painted(slot)
        return not now.returning and (slot in now.unreadable or painted)

    @property
    def summary(self) -> str:
        """How much of the queue is decided."""
        rates = self.state.rates
        return f"{rates.decided:,} of {rates.total:,} decided" if rates else ""

    def allows(self, action: str) -> bool:
        """Whether a key does something now."""
        now = self.state
        if action == "same":
            return now.offer is not None
        if action == "unfilter":
            return now.among.is_set
        if action == "because":
            return now.rejecting
        if action in ("reject", "edit", "also"):
            return self.panes.can_decide and now.card is not None
        if action in ("open", "filter", "blind"):
            return now.crossing is not None
        return True

    def reload(self) -> None:
        """Cross and queue anew, with what has been labelled since."""
        self.loader.open_queue()

    def forget(self) -> None:
        """Nothing is crossed."""
        self.state.clear()
        self.loader.end_waiting()

    # Going about

    def open(self) -> None:
        """From the queue the card, from there the task; a cell or a row becomes the queue."""
        focused, card = self._focused, self.state.card
        if focused is self.panes.matrix_view:
            self.filter.cross_cell()
        elif isinstance(focused, AgreementView):
            self.filter.cross_row(focused)
        elif card is not None and focused is self.panes.card_view:
            answer = card.thinking, card.sample
            self._app.places.jump("task", card.fact, card.task, answer, model=card.model)
        elif card is not None:
            self.panes.go(self.panes.card_view)

    @property
    def outermost(self) -> bool:
        """In the queue, with all cells in it."""
        now = self.state
        inside = self._focused is not self.panes.queue_view
        return not inside and now.among.cell is None and not now.rejecting

    def step_out(self) -> None:
        """To the queue; there, from one cell back to all."""
        if self.state.rejecting:
            self.turn_rejecting()
        elif self._focused is not self.panes.queue_view:
            self.panes.go(self.panes.queue_view)
        else:
            self.filter.leave_cell()

    def go_aside(self, step: int) -> None:
        """The bracket sideways; elsewhere into the card, or back."""
        self.panes.go_aside(step)

    def step(self, by: int, skipping: bool) -> None:
        """The next disagreement, or the next undecided one."""
        view, queue = self.panes.queue_view, self.state.queue
        self.state.last = None
        if not skipping or queue is None or view.place is None:
            view.move_by(by)
            return
        place = queue.find_undecided(view.place)
        if place is None or place == view.place:
            self._app.say("no other disagreement is undecided")
        else:
            view.go_to(place)

    def take_cursor(self) -> None:
        """The cursor is on another row."""
        self.state.rejecting = False
        self.state.sought = None
        self.loader.read_card()
        self.panes.paint_position()

    def ask(self) -> None:
        """Choose what is crossed and queued."""
        self.filter.ask()

    def turn_blind(self) -> None:
        """Hide the graders' labels until one has decided, or show them."""
        self.state.blind = not self.state.blind
        self.panes.paint_queue()
        self.panes.card_view.begin_anew()
        self.panes.paint_card()
        self._app.say(sentences.describe_blind(self.state.blind))

    # Deciding

    def undo(self, redoing: bool = False) -> None:
        """Undo what was done last to what is in sight, or redo it."""
        self.decisions.undo(redoing)

    def ask_note(self) -> None:
        """Ask for a note on the decision made just before, else on the open card."""
        self.decisions.ask_note()

    def ask_tags(self) -> None:
        """Ask for a tag of the answer on the open card."""
        self.decisions.ask_tags()

    def label_same(self) -> None:
        """Label the answers that are the same, too."""
        offer = self.state.offer
        if offer is not None:
            self._app.with_name(partial(self.decisions.label_same, offer))

    def turn_rejecting(self) -> None:
        """Choose why the question is rejected, or leave that."""
        self.state.rejecting = not self.state.rejecting
        self.panes.paint_card()
        self.panes.base.refresh_bindings()
