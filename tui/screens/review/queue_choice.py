"""Which questions are reviewed: the kind of queue, and the size of a sample."""

from functools import partial

from core.views.review.review_queue import QueueRequest
from core.vocabulary import QueueKind
from tui.dialogs.choice_dialog import Choose, Option
from tui.dialogs.input_dialog import AskNumber
from tui.screens.review import loader
from tui.screens.review.loader import ReviewLoader
from tui.screens.review.state import ReviewState, next_kind, parts
from tui.screens.review.widgets import ReviewPanes
from tui.text.typed_number import parse_count

FIRST_SAMPLE = 200
"""Questions that are offered for a first sample."""

MOST_SAMPLED = 100_000


class QueueChoice:
    """The queue that is wanted, as it is chosen in the panes and dialogs."""

    def __init__(self, state: ReviewState, panes: ReviewPanes, loader: ReviewLoader) -> None:
        self._state, self._panes, self._loader = state, panes, loader

    def step(self) -> None:
        """The next kind of queue."""
        self._take(next_kind(self._state.wanted))

    def open_kind(self, kind: QueueKind) -> None:
        """A kind of queue."""
        self._state.want_kind(kind)
        self._loader.open_queue()

    def ask(self) -> None:
        """Choose among all queues."""
        options = [Option(wanted, words) for wanted, words in parts()]
        dialog = Choose("questions to review", options, self._state.wanted)
        self._panes.base.lostkeys.push_screen(dialog, self._take)

    def _take(self, wanted: QueueRequest | None) -> None:
        if self._state.want(wanted):
            self._loader.open_queue()

    def ask_sample(self) -> None:
        """Draw a sample, or let it grow."""
        shown = self._state.shown
        had = len(shown.queue) if shown is not None else 0
        question = f"How many in all? {had:,} now" if had else "How many questions?"
        size = str(max(FIRST_SAMPLE, 2 * had))
        dialog = AskNumber("sample", question, size, wrong_number, does="draws it")
        self._panes.base.lostkeys.push_screen(dialog, self._draw)

    def _draw(self, text: str | None) -> None:
        if text is not None:
            work = partial(loader.draw_sample, parse_count(text), self._state.wanted)
            self._panes.base.lostkeys.write(work, self._loader.take_opened)


def wrong_number(text: str) -> str | None:
    """What is wrong with a typed number of questions, if anything is."""
    try:
        fits = 1 <= parse_count(text) <= MOST_SAMPLED
    except ValueError:
        fits = False
    return None if fits else f"a number from 1 to {MOST_SAMPLED:,}"
