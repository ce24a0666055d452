"""From the command to the first list: what is loaded when, and what is painted first.

1. The command line loads click, then Textual and the app, and collects no garbage meanwhile. It
   does without the library that `import lostkeys` offers.
2. `on_load` of the app has the db worker open the database and count labels, which loads what that
   takes. While the list shows the lens's model alone, only labels of that are read and counted. The
   first screen is loaded and composed at the same time: its widgets are styled as they are mounted,
   and laid out once for the size of the terminal.
3. Nothing is painted until the list of facts is there, or `LONGEST` has passed: a frame without
   facts would only be painted over. Where reading takes longer, panes stand there without a word
   on what is in the file.
4. The other models are counted once the list is painted. Keys wait for that, and clicks are
   dropped. The fact under the cursor is read then, and what reads it is loaded. The search index,
   jobs of other programs, the list of recent databases and garbage follow when all of that is seen.

So the modules of Facts load nothing that only steps 3 and 4, other screens or writing need, and
what only holds values in them is a named tuple: that class is made in an eighth of the time that a
dataclass takes. `tests/test_architecture.py` names what is late, and counts dataclasses.
"""

import gc
from collections.abc import Callable
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tui.app.app import LostkeysApp
    from tui.app.db_requests import ResultArrived

LONGEST = 0.2
"""Seconds for which the first frame waits for the list."""

SETTLED = 1.0
"""Seconds after which nothing of the start is garbage any more, nor of reading the list."""

LIST = "listing"
"""Under this key the list of facts is asked for."""


class Startup:
    """Holds the first frame back until the list of facts is there."""

    def __init__(self, app: "LostkeysApp") -> None:
        self._app = app
        self._held = ExitStack()
        self._listed = False
        self._works = list[Callable[[], None]]()
        """What is done once the list is painted."""
        self.paints = False
        """Whether anything is painted: keys wait for that, as they are meant for the list."""

    def begin(self) -> None:
        """Paint nothing for a moment; collect garbage later."""
        self._held.callback(self._paint)
        self._held.enter_context(self._app.batch_update())
        self._app.set_timer(LONGEST, self._held.close)
        self._app.set_timer(SETTLED, collect_garbage)

    def take(self, message: "ResultArrived") -> None:
        """Paint from now on, if this is the list, or if something could not be read."""
        if message.answer.ask.key == LIST or message.answer.error is not None:
            self._held.close()
            if not self._listed:
                self._listed = True
                self._app.set_timer(SETTLED, give_back_memory)

    def run_painted(self, work: Callable[[], None]) -> None:
        """Do something once the list is painted, or whatever is due later on."""
        if self.paints:
            self._app.screen.call_after_refresh(work)
        else:
            self._works.append(work)

    def _paint(self) -> None:
        self.paints = True
        self._app.screen.refresh()
        for work in self._works:
            self._app.screen.call_after_refresh(work)
        self._works.clear()


def collect_garbage() -> None:
    """From now on, and never again in what the start has left: that would take long."""
    gc.freeze()
    gc.enable()


def give_back_memory() -> None:
    """Let the system have what reading a large file has left free, where that is held back.

    With a hundred thousand facts glibc holds 30 MB; giving them back takes a millisecond.
    """
    import ctypes

    with suppress(AttributeError, OSError):  # another system's library
        ctypes.CDLL(None).malloc_trim(0)
