"""Choosing one from a list, found by typing."""

from collections.abc import Iterator, Sequence
from typing import Generic, NamedTuple, TypeVar

from textual import on
from textual.widgets import Input

from tui.dialogs.search_dialog import Searching, matches
from tui.text.line import Line
from tui.widgets.line_view import LineView

Value = TypeVar("Value")


class Option(NamedTuple, Generic[Value]):
    """One to choose: what is handed back, what is searched and shown, and what stands beside it."""

    value: Value
    words: str
    beside: Line | None = None


class Options(LineView, Generic[Value]):
    """The options that a search has left."""

    def __init__(self, options: Sequence[Option[Value]], now: Value | None) -> None:
        super().__init__()
        self.options = list(options)
        self.now = now
        values = [option.value for option in options]
        self.cursor = values.index(now) if now in values else (0 if options else None)

    def show(self, options: Sequence[Option[Value]]) -> None:
        """Other options; the cursor goes to the first."""
        self.options = list(options)
        self.cursor = 0 if options else None
        self.refresh_changed()

    def add(self, options: Sequence[Option[Value]]) -> None:
        """More options below; the cursor stays."""
        self.options += options
        if self.cursor is None and self.options:
            self.cursor = 0
        self.refresh_changed()

    @property
    def leads(self) -> bool:
        """Always: the search above has the focus, `enter` acts here."""
        return True

    def row_count(self) -> int:
        """Options, or the line that says there are none."""
        return max(1, len(self.options))

    def choosable(self, row: int) -> bool:
        """Whether there is an option on the row."""
        return row < len(self.options)

    def draw(self, row: int, line: int, width: int) -> Line:
        """An option; the present one bold."""
        if not self.options:
            return Line("  nothing matches", "ink-3")
        option = self.options[row]
        drawn = Line("  ").add(option.words, "ink bold" if option.value == self.now else "ink-2")
        return drawn.right(option.beside, width - 1) if option.beside else drawn


class Choose(Searching[Value], Generic[Value]):
    """A list with a search; `enter` or a click chooses, `escape` chooses nothing."""

    hint = "↑ ↓ choose, type to narrow · enter takes it · esc closes"

    def __init__(
        self, heading: str, options: Sequence[Option[Value]], now: Value | None = None
    ) -> None:
        super().__init__()
        self.heading = heading
        self.options = options
        self.now = now

    def found(self) -> LineView:
        """The options."""
        return Options(self.options, self.now)

    def narrow_to(self, text: str) -> None:
        """Keep the options in whose words everything typed is found."""
        view = self.query_one(Options)
        view.show([option for option in self.options if matches(text, option.words)])

    @on(Input.Submitted)
    def chosen(self) -> None:
        """Hand back the option under the cursor."""
        view = self.query_one(Options)
        if view.cursor is not None:
            self.dismiss(view.options[view.cursor].value)

    @on(LineView.Clicked)
    def clicked(self, event: LineView.Clicked) -> None:
        """Hand back the option that was clicked."""
        event.stop()
        if event.view.choosable(event.row):
            self.chosen()


class SubsetChoice(Choose[tuple[str, ...]]):
    """Every choice of some names that differs from the present one in one of them."""

    def __init__(self, noun: str, there: Sequence[str], shown: Sequence[str]) -> None:
        """`noun` is what the names are of, in the plural: `models`."""
        options = list(_options(noun, tuple(there), tuple(shown)))
        super().__init__(noun, options)


def _options(
    noun: str, there: tuple[str, ...], shown: tuple[str, ...]
) -> Iterator[Option[tuple[str, ...]]]:
    yield Option(there, f"all {noun}", _beside(shown == there))
    for name in there:
        others = tuple(one for one in shown if one != name)
        if name not in shown:
            chosen = tuple(one for one in there if one in (*shown, name))
            yield Option(chosen, name, _beside(False))
        elif others:
            yield Option(others, name, _beside(True))
    if len(there) > 2:
        for name in there:
            yield Option((name,), f"only {name}", _beside(shown == (name,)))


def _beside(shown: bool) -> Line | None:
    return Line("shown", "accent") if shown else None
