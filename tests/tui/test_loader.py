"""What a pane has read for it: hints, errors, answers that nobody waits for any more."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

from textual.widget import Widget

from core.errors import LostkeysError
from tui.app.loader import Loader
from tui.text.line import Line
from tui.widgets.pane import Pane


class Clock:
    """A timer that runs out when the test says so."""

    def __init__(self, callback: Callable[[], None]) -> None:
        self.callback, self.stopped = callback, False

    def stop(self) -> None:
        self.stopped = True


class Edge:
    """A pane's edge."""

    def __init__(self) -> None:
        self.text = ""

    def tell(self, line: Line) -> None:
        self.text = line.text

    def error_line(self, error: object) -> Line:
        return Line(f"{error}; again")


class Owner:
    """A screen whose requests are answered when the test says so."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, Callable[[Any], None], Callable[[LostkeysError], None]]] = []
        self.clocks: list[Clock] = []
        self.pane = Edge()
        self.app = SimpleNamespace(ask=self._ask, ask_background=self._ask_aside)
        self.found: list[object] = []
        self.loader = Loader(cast("Widget", self), lambda: cast("Pane", self.pane))

    def _ask(self, key: str, work: object, then: Any, failed: Any) -> None:
        self.asked.append((key, then, failed))

    def _ask_aside(self, key: str, work: object, then: Any, failed: Any) -> None:
        self.asked.append((f"aside {key}", then, failed))

    def set_timer(self, delay: float, callback: Callable[[], None]) -> Clock:
        self.clocks.append(Clock(callback))
        return self.clocks[-1]

    def load(self, **how: Any) -> None:
        self.loader.load("fact", lambda _: None, self.found.append, **how)

    def is_busy(self) -> bool:
        return self.loader.busy

    def is_slow(self) -> bool:
        return self.loader.slow

    def answer(self, value: object, request: int = -1) -> None:
        self.asked[request][1](value)

    def fail(self, why: str, request: int = -1) -> None:
        self.asked[request][2](LostkeysError(why))


def test_what_is_read_quickly_says_nothing() -> None:
    owner = Owner()
    owner.load()
    assert owner.is_busy()
    owner.answer("a fact")
    assert owner.found == ["a fact"]
    assert not owner.is_busy()
    assert owner.clocks[0].stopped
    assert owner.pane.text == ""


def test_what_takes_long_is_said_once_and_until_it_is_there() -> None:
    owner = Owner()
    owner.load()
    owner.load()
    assert len(owner.clocks) == 1  # the first one runs on
    owner.clocks[0].callback()
    assert owner.pane.text == "reading…"
    assert owner.is_slow()
    owner.load()
    assert len(owner.clocks) == 2  # the pane may have written something else meanwhile
    owner.answer("a fact")
    assert not owner.is_slow()
    assert owner.loader.edge() is None


def test_a_timer_that_is_heard_after_its_end_says_nothing() -> None:
    owner = Owner()
    owner.load()
    owner.answer("a fact")
    owner.clocks[0].callback()
    assert owner.pane.text == ""


def test_why_something_cannot_be_read_stands_until_it_can() -> None:
    owner = Owner()
    heard: list[str] = []
    owner.load(failed=lambda error: heard.append(f"{error}, {owner.pane.text!r}"))
    owner.fail("no such file")
    assert heard == ["no such file, ''"]  # before the pane tells of it
    assert owner.pane.text == "no such file; again"
    owner.load()
    assert owner.loader.error is not None
    owner.answer("a fact")
    assert owner.loader.error is None


def test_nobody_waits_for_what_was_given_up() -> None:
    owner = Owner()
    owner.load()
    owner.loader.stop()
    owner.load()
    owner.answer("old", 0)
    owner.fail("old trouble", 0)
    assert owner.found == []
    assert owner.pane.text == ""
    assert owner.is_busy()
    owner.answer("new")
    assert owner.found == ["new"]


def test_what_is_not_waited_for_gives_no_hint() -> None:
    owner = Owner()
    owner.load(hint=False)
    assert not owner.is_busy()
    assert owner.clocks == []
    owner.load(aside=True)
    assert [key for key, *_ in owner.asked] == ["fact", "aside fact"]
