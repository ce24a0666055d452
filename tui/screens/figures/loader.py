"""Reading for the Figures screen: the chosen figure, made again where something is written."""

from collections.abc import Callable
from time import monotonic
from typing import TYPE_CHECKING

from textual.timer import Timer

from core.errors import LostkeysError
from core.figures.figure import Figure
from core.figures.figure_table import BY_NAME
from core.views import figure_reader
from core.views.figure_reader import FigureFound, FigureRequest
from tui.app.loader import Loader
from tui.screens.figures.figure_facts import FactsBehind
from tui.screens.figures.sentences import NO_FACTS
from tui.screens.figures.state import FiguresState
from tui.screens.figures.widgets import FigurePanes

if TYPE_CHECKING:
    from core.dataset.fact_filters import Filters
    from core.views.lens import Lens
    from core.views.snapshot import Snapshot

EVERY = 2.0
"""Seconds after which a figure is made again where answers or labels come."""


class FigureLoader:
    """Has the figure made that a state asks for; what was shown stays until it is there."""

    def __init__(self, state: FiguresState, panes: FigurePanes) -> None:
        self._state, self._panes = state, panes
        self._loader = Loader(panes, lambda: panes.figure_pane)
        self._of: Snapshot | None = None
        """The snapshot that the figure was asked for with last."""
        self._last = 0.0
        self._later: Timer | None = None

    @property
    def busy(self) -> bool:
        """Whether a figure is being made."""
        return self._loader.busy

    @property
    def failed(self) -> bool:
        """Whether there is nothing newer, which the pane says."""
        return self._loader.error is not None

    def follow(self, snapshot: "Snapshot") -> None:
        """Make the figure again where another lens, or what was written, changes it."""
        before = self._of
        if before is None or self._build_request(snapshot) != self._build_request(before):
            self.request_figure()
        elif snapshot.lens == before.lens or not _same_data(snapshot, before):
            self._request_later()
        else:  # another model or setting is looked at, which figures do not go by
            self._of = snapshot

    def stop(self) -> None:
        """Nothing is waited for: another database is opened."""
        self._of = None
        self._loader.stop()

    def request_figure(self) -> None:
        """Have the chosen figure made."""
        services = self._panes.base.lostkeys
        snapshot = services.snapshot
        if snapshot is None:
            return
        self._of, self._last = snapshot, monotonic()
        if self._later is not None:
            self._later.stop()
            self._later = None
        if services.load_error is not None:
            self._last = 0.0
            self._loader.fail(services.load_error)
        elif not len(snapshot.index):
            self._loader.stop()
            self._take(FigureFound(Figure("", self._state.name, "", missing=NO_FACTS)))
        else:
            asked, again = self._build_request(snapshot), self._loader.error is not None
            self._loader.load(
                "figure",
                lambda session: figure_reader.figure(session, asked, again),
                self._take,
                self._miss,
                aside=True,
            )

    def find_facts(self, one: FactsBehind, lens: "Lens", then: "Callable[[Filters], None]") -> None:
        """Have the facts found that stand behind a number."""
        self._panes.base.lostkeys.ask(
            "figure facts",
            lambda session: figure_reader.facts(
                session, one.where, one.model, lens.policy, one.words
            ),
            then,
        )

    def _build_request(self, snapshot: "Snapshot") -> FigureRequest:
        now = self._state
        set_name = now.set_name if BY_NAME[now.name].is_of_set else None
        return FigureRequest.from_lens(now.name, snapshot.lens, now.models, now.intervals, set_name)

    def _request_later(self) -> None:
        """Make the figure again, as something was written: not at every answer of a job."""
        rest = self._last + EVERY - monotonic()
        if rest <= 0:
            self.request_when_idle()
        elif self._later is None:
            self._later = self._panes.set_timer(rest, self.request_when_idle)

    def request_when_idle(self) -> None:
        """Make the figure again; what takes long is not begun anew before it is there."""
        if self._loader.busy:
            self._later = self._panes.set_timer(EVERY, self.request_when_idle)
        else:
            self.request_figure()

    def _take(self, found: FigureFound) -> None:
        self._state.take(found)
        self._panes.base.paint()

    def _miss(self, error: LostkeysError) -> None:
        self._last = 0.0  # it is tried again as soon as there is something new
        shown = self._state.figure
        if shown is None or shown.name != self._state.name:  # another one is not to be seen for it
            self._state.figure = Figure("", self._state.name, "", missing=str(error))
            self._panes.base.paint()


def _same_data(one: "Snapshot", other: "Snapshot") -> bool:
    """Whether nothing was written between two snapshots."""
    return one.tally is other.tally and one.index is other.index
