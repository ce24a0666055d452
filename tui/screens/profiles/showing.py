"""What the Profiles screen reads: the material, whenever the file says something else."""

from collections.abc import Mapping
from functools import partial

from textual.timer import Timer

from core.errors import LostkeysError
from core.scoring.label_counts import numbers
from core.views.lens import Lens
from core.views.profiles import doubts, profile_counts
from core.views.profiles.profile_counts import ProfileCounts
from core.views.profiles.profile_rows import RowGrouping, Sure, sure_of
from core.views.snapshot import Snapshot
from tui.screens.profiles.painting import BarsPainting
from tui.screens.profiles.state import ProfilesState
from tui.text.line import Line
from tui.widgets.pane import Pane

SLOW = 0.2
"""Seconds after which the bars' pane says that it is still reading."""

SURE_AFTER = 0.3
"""Seconds without another lens after which intervals are worked out."""

REST = 20.0
"""Seconds between two looks for what makes models doubtful."""


class BarsScreen(BarsPainting):
    """Bars that follow the file, and intervals once keys have come to rest."""

    def __init__(self) -> None:
        super().__init__()
        self._slow: Timer | None = None
        self._sure: Timer | None = None
        self._resting: Timer | None = None
        self._doubted_at = -1

    @property
    def is_reading(self) -> bool:
        """Whether other counts are on their way."""
        return self._slow is not None

    @property
    def telling(self) -> Pane:
        """The pane whose edge says what is being read, and what could not be."""
        return self.query_one("#profiles", Pane)

    # What the app asks for

    def show_board(self, board: Snapshot) -> None:
        """Take in a board: read again where it counts other labels or facts."""
        start = self.lostkeys.first_lens
        if start is None or not board.models:
            self.reading.material = self.reading.shown = None
            self.paint()
        elif self.reading.fits(board, start):
            self.paint()
        else:
            self.read(board.lens)

    def foresee(self, lens: Lens) -> bool:
        """Paint a lens at once, unless other labels count under it."""
        found = self.reading.material
        if found is None or found.now.graders != lens.ranked:
            return False
        self.paint_all()
        return True

    def forget(self) -> None:
        """Nothing is read."""
        self.reading, self._doubted_at = ProfilesState(), -1
        self._read_done()
        self.paint()

    def renew(self) -> None:
        """Read everything again."""
        board = self.lostkeys.board
        if board is not None and board.models:
            self._doubted_at = -1
            self.read(board.lens)

    def repaint(self) -> None:
        """Paint everything anew (another theme)."""
        self.paint()
        for pane in self.query(Pane):
            pane.repaint()
        super().repaint()

    def status(self) -> Line | None:
        """How many answers all this is from."""
        found = self.reading.material
        if found is None:
            return None
        line = Line(self.lostkeys.path.name, "ink-2")
        return line.add(f"  from {found.answers:,} answers", "ink-3")

    # Reading

    def read(self, lens: Lens | None = None) -> None:
        """Have all counts read; what is shown stays until they are there."""
        lens, start = lens or self.lostkeys.lens, self.lostkeys.first_lens
        if lens is None or start is None:
            return
        if self._slow is None:
            self._slow = self.set_timer(SLOW, self._say_reading)
        wanted, policy = self.reading.wanted, self.reading.policy
        self.lostkeys.ask(
            "profiles",
            lambda session: profile_counts.read(session, lens, start, wanted, policy),
            self._have_read,
            self._failed,
        )

    def _have_read(self, found: ProfileCounts) -> None:
        self._read_done()
        if self.reading.material is None or self.reading.material.wanted != found.wanted:
            self.reading.standing.clear()
        self.reading.material = found
        self.paint()
        self._ask_doubts()

    def _ask_doubts(self) -> None:
        """Have doubts read where there are other answers; not too often, as that takes long."""
        found = self.reading.material
        if found is None or self._doubted_at == found.answers or self._resting is not None:
            return
        self._doubted_at = found.answers
        self._resting = self.set_timer(REST, self._rested)
        self.lostkeys.ask("doubts", doubts.read, self._have_doubts, _nothing, patient=True)

    def _rested(self) -> None:
        self._resting = None
        self._ask_doubts()

    def _have_doubts(self, found: Mapping[str, str]) -> None:
        self.reading.doubts = found
        self.paint()

    def _say_reading(self) -> None:
        self.telling.edge(Line("reading…", "ink-3"))

    def _read_done(self) -> None:
        if self._slow is not None:
            self._slow.stop()
            self._slow = None

    def _failed(self, error: LostkeysError) -> None:
        self._read_done()
        self.telling.edge(self.telling.trouble(error))

    # Intervals

    def want_sure(self, lens: Lens) -> None:
        """Have intervals worked out once keys have come to rest."""
        now = self.reading
        key = (numbers(lens.policy), lens.model, now.by, self.high, id(now.material))
        if not now.intervals or key == now.sure_of:
            return
        now.sure_of, now.sure = key, {}
        if self._sure is not None:
            self._sure.stop()
        self._sure = self.set_timer(SURE_AFTER, self._work_out_sure)

    def _work_out_sure(self) -> None:
        found, shown, lens = self.reading.material, self.reading.shown, self.lostkeys.lens
        if found is None or shown is None or lens is None:
            return
        asked = [(self.upper, self._rows(shown, self.upper))]
        if self.high and self.below is not None:
            asked.append((self.below, shown.groups))

        def work(_: object) -> dict[RowGrouping, Sure]:
            return {by: sure_of(found, lens.policy, some, by) for by, some in asked}

        key = self.reading.sure_of
        self.lostkeys.ask("sure", work, partial(self._are_sure, key), self._failed, patient=True)

    def _are_sure(self, key: object, found: dict[RowGrouping, Sure]) -> None:
        if key == self.reading.sure_of:
            self.reading.sure = found
            self.paint()


def _nothing(error: LostkeysError) -> None:
    """Doubts are read again when there are more answers."""
