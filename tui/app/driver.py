"""Textual's terminal driver, made to live through a terminal that goes away."""

import os
import selectors
import signal
import sys
import termios
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from string import digits
from typing import IO, TYPE_CHECKING, Any, cast

from textual import events
from textual._time import get_time
from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver

if TYPE_CHECKING:
    from textual.app import App


ESCAPE = "\x1b"

LEADS = frozenset("[]OPX^_\\")
"""Characters that begin, after escape, a longer sequence of terminals."""

READ = 4096
"""Bytes of input that are read at once."""

PATIENCE = 0.1
"""Seconds between two looks at whether the program ends."""

END_SECONDS = 4
"""Seconds in which a program that was told to end does so by itself."""

WITH_ALT = {digit: f"alt+{digit}" for digit in digits} | {"b": "alt+left", "f": "alt+right"}
"""Keys that terminals send with `alt` as escape and a character; those of a Mac send arrows so."""


class KeyParser(XTermParser):
    """Reads escape and what came with it as what a person has pressed.

    With a character that no `alt` key is sent as it is `escape`, then that key: both come at
    once through a slow line or into a busy program. Textual takes them for `alt` with the key,
    and escape and a digit for what the keyboard of a Mac writes then, `¡` for `1`.
    """

    @property
    def patience(self) -> float:
        """Seconds until it is to be asked again: a lone escape is the key when they are over."""
        until = self._timeout_time
        return PATIENCE if until is None else min(PATIENCE, max(0.001, until - get_time()))

    def _sequence_to_key_events(self, sequence: str, alt: bool = False) -> Iterable[events.Key]:
        escape, character = sequence[:1], sequence[1:]
        if escape != ESCAPE or len(character) != 1 or character in LEADS:
            yield from super()._sequence_to_key_events(sequence, alt)
        elif character in WITH_ALT:
            yield events.Key(WITH_ALT[character], None)
        elif character.isprintable():
            yield events.Key("escape", ESCAPE)
            yield from super()._sequence_to_key_events(character)
        else:
            yield from super()._sequence_to_key_events(sequence, alt)


class Outlet:
    """A file that swallows what can no longer be written.

    Textual writes in a thread of its own, which an error would end; the program would then wait
    for it for ever.
    """

    def __init__(self, file: IO[str]) -> None:
        self._file = file

    def write(self, text: str) -> None:
        """Write text, if anybody is there to see it."""
        with suppress(OSError):
            self._file.write(text)

    def flush(self) -> None:
        """Hand on what has been written."""
        with suppress(OSError):
            self._file.flush()

    def fileno(self) -> int:
        """The number of the file below."""
        return self._file.fileno()


class LastingDriver(LinuxDriver):
    """Ends in order when the terminal is closed, and leaves stderr to errors."""

    def __init__(self, app: "App[Any]", **how: Any) -> None:
        super().__init__(app, **how)
        self._file = cast("Any", Outlet(cast("IO[str]", sys.__stdout__)))

    def start_application_mode(self) -> None:
        """Take the terminal, and end as by a key where the system asks for it.

        For a screen reader the terminal's own cursor is seen.
        """
        super().start_application_mode()  # type: ignore[no-untyped-call]
        for number in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is not signal.SIG_IGN:  # as `nohup` leaves it
                self._loop.add_signal_handler(number, self._end)
        signal.signal(signal.SIGALRM, self._leave)
        self._read_sizes_in_turn()
        if self._app.has_class("-reader"):
            self.write("\x1b[?25h")
            self.flush()

    def _end(self) -> None:
        """End in order; what takes longer is left, as a terminal that takes in nothing."""
        signal.alarm(END_SECONDS)
        self._app.exit()

    def _leave(self, *_: object) -> None:
        """End at once, with the terminal as its owner had set it."""
        if self.attrs_before is not None:
            with suppress(OSError, termios.error):
                termios.tcsetattr(self.fileno, termios.TCSANOW, self.attrs_before)
        os._exit(130)

    def run_input_thread(self) -> None:
        """Hand over what is pressed until the program ends.

        Textual looks ten times a second whether an escape is the key, whatever delay is set. Its
        decoder ends the program at bytes that are no text, as which an old terminal sends keys
        with `alt`, and of which a paste may hold any: here they become the sign for that.
        """
        parser, decode = KeyParser(self._debug), getincrementaldecoder("utf-8")("replace").decode
        with selectors.SelectSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                ready = selector.select(parser.patience)
                if ready and (text := decode(os.read(self.fileno, READ))):
                    for event in parser.feed(text):
                        self.process_message(event)
                for event in parser.tick():
                    self.process_message(event)
            if selector.select(PATIENCE):  # what the terminal answers last is not for the shell
                os.read(self.fileno, READ)

    def _read_sizes_in_turn(self) -> None:
        """Have the size of the terminal read by the loop, one signal after another.

        Textual reads it in the signal's handler, which another signal may interrupt: the older
        size would be told last, and would stay.
        """
        read = cast("Callable[[int, None], None]", signal.getsignal(signal.SIGWINCH))
        self._loop.add_signal_handler(signal.SIGWINCH, read, signal.SIGWINCH, None)

    def _sigcont_application(self, *_: object) -> None:
        # The system continues whoever loses its terminal. Resuming what has not been suspended
        # would begin everything a second time.
        if self._must_signal_resume:
            super()._sigcont_application()
            # Of the same size nothing would be painted before a key changes something.
            self._loop.call_soon_threadsafe(partial(self._app.call_later, self._paint_all))

    def _paint_all(self) -> None:
        """Paint all of the screen, as the terminal has it no more."""
        self._app.refresh(layout=True)
