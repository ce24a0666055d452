"""Reading for the Task screen: the open question, and what labels on its answers would do."""

from functools import partial

from core.errors import LostkeysError
from core.views.question_context import QuestionContext
from core.views.task_view import TaskView
from tui.app.loader import Loader
from tui.screens.task import loader, sentences
from tui.screens.task.state import Effects, ReadQuestion, TaskState
from tui.screens.task.widgets import TaskPanes


class QuestionReader:
    """Has read what a state lacks, and shows it in the panes; what was shown stays until then."""

    def __init__(self, state: TaskState, panes: TaskPanes) -> None:
        self._state, self._panes = state, panes
        self._loader = Loader(panes, lambda: panes.answers_pane)

    def read(self) -> None:
        """Have the question read, with what labels on the answer under the cursor would do."""
        now = self._state
        if now.fact is not None:
            now.failed = False
            work = partial(loader.read_question, now.fact, now.task, now.begun)
            self._loader.load("task", work, self._take, self._miss)

    def stop(self) -> None:
        """Nothing is waited for."""
        self._loader.stop()

    def _take(self, read: ReadQuestion) -> None:
        lacking = self._state.take_read(read)
        if lacking is not None:
            self._panes.audit.lostkeys.say(sentences.no_question(lacking))
        self._panes.audit.paint()
        self.read_context()

    def read_context(self) -> None:
        """Have read what stands around the question, where there is a column for it."""
        view = self._state.view
        if self._panes.audit.wide and view is not None and self._state.lacks_context:
            work, take = partial(loader.read_context, view), partial(self._take_context, view)
            self._panes.audit.lostkeys.ask("context", work, take, _skip, patient=True)

    def _take_context(self, view: TaskView, context: QuestionContext | None) -> None:
        self._state.around = view, context
        self._panes.paint()

    def _miss(self, error: LostkeysError) -> None:
        self._state.failed = True

    def weigh(self) -> None:
        """Have it worked out what labels on the answer under the cursor would do."""
        slot = self._state.slot
        if slot is not None and slot not in self._state.effects:
            work = partial(loader.read_effects, slot)
            self._panes.audit.lostkeys.ask("effects", work, partial(self._take_effects, slot))

    def _take_effects(self, slot: int, effects: Effects) -> None:
        if self._state.take_effects(slot, effects):
            self._panes.paint_open()


def _skip(error: LostkeysError) -> None:
    """What stands around a question is left out where it cannot be read."""
