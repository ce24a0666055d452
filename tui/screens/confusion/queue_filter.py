"""Filtering the queue: from the matrix, from the agreement by task or model, from a list."""

from dataclasses import replace
from typing import TYPE_CHECKING

from core.views.disagreements.disagreement_filter import DisagreementFilter
from core.vocabulary import LABELS, Task
from tui.screens.confusion.loader import DisagreementLoader
from tui.screens.confusion.matrix_view import AgreementView
from tui.screens.confusion.queue_filter_dialog import QueueFilterChoice
from tui.screens.confusion.state import ConfusionState
from tui.screens.confusion.widgets import ConfusionPanes

if TYPE_CHECKING:
    from core.views.filter_choices import Choices


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
