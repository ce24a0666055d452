"""What Bench has read and written: arms, groups, questions; a set that is prepared."""

from typing import TYPE_CHECKING

from core.errors import LostkeysError
from core.views.bench.bench_service import BenchLists
from tui.app.loader import Loader
from tui.dialogs.confirm_dialog import Confirm
from tui.screens.bench import sentences
from tui.screens.bench.state import BenchState

if TYPE_CHECKING:
    from core.fact_bench.set_preparation import PreparedSet
    from core.views.session import Session
    from core.views.snapshot import Snapshot
    from tui.screens.bench.widgets import BenchPanes


class BenchLoader:
    """Has the lists read that a state asks for; what was shown stays until they are."""

    def __init__(self, state: BenchState, panes: "BenchPanes") -> None:
        self._state, self._panes = state, panes
        self.lists = Loader(panes, lambda: panes.reading_pane)

    def stop(self) -> None:
        """Nothing is waited for: another database is opened."""
        self.lists.stop()

    def read_lists(self) -> None:
        """Have the lists read."""
        wanted = self._state.wanted

        def take(found: BenchLists | None) -> None:
            self._state.take_lists(found)
            self._panes.base.paint()
            self._panes.hold()

        self.lists.load("bench lists", lambda session: session.bench.lists(wanted), take)

    def prepare(self, name: str, question: str, again: bool = False) -> None:
        """Prepare a set if that is meant; once more where triples with answers change split."""
        app = self._panes.base.lostkeys

        def write_splits(session: "Session") -> "tuple[PreparedSet, Snapshot]":
            from core.fact_bench.stored_sets import prepare_again

            return session.write(lambda project: prepare_again(project, name, again))

        def show(done: "tuple[PreparedSet, Snapshot]") -> None:
            app.snapshot_changed(done[1])
            app.say(done[0].summary)
            self.read_lists()

        def explain(error: LostkeysError) -> None:
            from core.fact_bench.stored_sets import SplitsChangeError

            if isinstance(error, SplitsChangeError):
                self.prepare(name, sentences.ask_again(str(error)), again=True)
            else:
                app.report(error)

        def write_if_yes(yes: bool | None) -> None:
            if yes:
                app.write(write_splits, show, explain)

        dialog = Confirm("prepare", question, "prepares it", "leaves it")
        app.push_screen(dialog, write_if_yes)
