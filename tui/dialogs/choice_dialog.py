"""Choosing one from a list, found by typing."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Generic, NamedTuple, TypeVar

from textual import on
from textual.widgets import Input

from tui import keys
from tui.dialogs.dialog import CLOSES, Hint
from tui.dialogs.search_dialog import SearchDialog, matches
from tui.text.line import Line
from tui.widgets.line_view import LineView

Value = TypeVar("Value")


class Option(NamedTuple, Generic[Value]):
    """One to choose: what is handed back, what is searched and shown, and what stands beside it.

    Options of a `group` stand under its name, as long as nothing is searched.
    """

    value: Value
    words: str
    beside: Line | None = None
    group: str = ""


class Options(LineView, Generic[Value]):
    """The options that a search has left, under the names of their groups if `grouped`."""

    def __init__(self, options: Sequence[Option[Value]], now: Value | None) -> None:
        super().__init__()
        self.now = now
        self.rows: list[Option[Value] | str] = []
        """Options, and names of groups."""
        self._put(options, grouped=True)
        values = [isinstance(row, Option) and row.value for row in self.rows]
        self.cursor = values.index(now) if now in values else self._next_choosable(0, 1)

    def _put(self, options: Sequence[Option[Value]], grouped: bool) -> None:
        self.rows = []
        for group, some in groupby(options, lambda one: one.group):
            self.rows += [group] * (grouped and bool(group))
            self.rows += some

    @property
    def options(self) -> list[Option[Value]]:
        """The options, as they stand."""
        return [row for row in self.rows if isinstance(row, Option)]

    @property
    def chosen(self) -> Option[Value] | None:
        """The option under the cursor."""
        row = None if self.cursor is None else self.rows[self.cursor]
        return row if isinstance(row, Option) else None

    def show(self, options: Sequence[Option[Value]], grouped: bool = False) -> None:
        """Other options; the cursor goes to the first."""
        self._put(options, grouped)
        self.cursor = self._next_choosable(0, 1)
        self.refresh_changed()

    def add(self, options: Sequence[Option[Value]]) -> None:
        """More options below; the cursor stays."""
        self.rows += options
        if self.cursor is None:
            self.cursor = self._next_choosable(0, 1)
        self.refresh_changed()

    @property
    def leads(self) -> bool:
        """Always: the search above has the focus, `enter` acts here."""
        return True

    def row_count(self) -> int:
        """Options and names of groups, or the line that says there are none."""
        return max(1, len(self.rows))

    def is_choosable(self, row: int) -> bool:
        """Whether there is an option on the row."""
        return row < len(self.rows) and isinstance(self.rows[row], Option)

    def draw(self, row: int, line: int, width: int) -> Line:
        """The name of a group, or an option; the present one bold."""
        if not self.rows:
            return Line("  nothing matches", "ink-3")
        option = self.rows[row]
        if isinstance(option, str):
            return Line(f" {option} ", "ink-3").rule(width - 1)
        drawn = Line("  ").add(option.words, "ink bold" if option.value == self.now else "ink-2")
        return drawn.right(option.beside, width - 1) if option.beside else drawn


class Choose(SearchDialog[Value], Generic[Value]):
    """A list with a search; `enter` or a click chooses, `escape` chooses nothing."""

    BINDINGS = keys.bindings("choices")

    hint: Hint = (("↑ ↓", "choose, type to narrow"), ("enter", "takes it"), CLOSES)

    def __init__(
        self,
        heading: str,
        options: Sequence[Option[Value]],
        now: Value | None = None,
        remove: Callable[[Value], None] | None = None,
    ) -> None:
        """`remove` offers to remove what an option stands for, where a key can do that."""
        super().__init__()
        self.heading = heading
        self.options = options
        self.now = now
        self._remove = remove
        if remove is not None:
            self.hint = (*self.hint[:-1], ("delete", "removes it"), CLOSES)

    def make_list(self) -> LineView:
        """The options."""
        return Options(self.options, self.now)

    def narrow_to(self, text: str) -> None:
        """Keep the options in whose words everything typed is found, first what begins so."""
        found = [option for option in self.options if matches(text, option.words)]
        typed = text.strip().casefold()
        found.sort(key=lambda one: bool(typed) and not one.words.casefold().startswith(typed))
        self.query_one(Options).show(found, grouped=not typed)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys that do something here."""
        return action != "remove" or self._remove is not None

    def action_remove(self) -> None:
        """Offer to remove the option under the cursor, in place of choosing one."""
        option = self.query_one(Options).chosen
        if option is not None and self._remove is not None:
            self.dismiss(None)
            self._remove(option.value)

    @on(Input.Submitted)
    def choose_option(self) -> None:
        """Hand back the option under the cursor."""
        option = self.query_one(Options).chosen
        if option is not None:
            self.dismiss(option.value)

    @on(LineView.RowClicked)
    def choose_clicked(self, event: LineView.RowClicked) -> None:
        """Hand back the option that was clicked."""
        event.stop()
        if event.view.is_choosable(event.row):
            self.choose_option()


class SubsetChoice(Choose[tuple[str, ...]]):
    """Every choice of some names that differs from the present one in one of them."""

    def __init__(
        self,
        noun: str,
        there: Sequence[str],
        shown: Sequence[str],
        notes: Mapping[str, Line] | None = None,
    ) -> None:
        """`noun` is what the names are of, in the plural: `models`. `notes` stand beside names."""
        options = list(_options(noun, tuple(there), tuple(shown), notes or {}))
        super().__init__(noun, options)


def _options(
    noun: str, there: tuple[str, ...], shown: tuple[str, ...], notes: Mapping[str, Line]
) -> Iterator[Option[tuple[str, ...]]]:
    yield Option(there, f"all {noun}", _draw_shown(shown == there))
    for name in there:
        others = tuple(one for one in shown if one != name)
        if name not in shown:
            chosen = tuple(one for one in there if one in (*shown, name))
            yield Option(chosen, name, _draw_shown(False, notes.get(name)))
        elif others:
            yield Option(others, name, _draw_shown(True, notes.get(name)))
    if len(there) > 2:
        for name in there:
            yield Option((name,), f"only {name}", _draw_shown(shown == (name,)))


def _draw_shown(shown: bool, note: Line | None = None) -> Line | None:
    line = Line().join(note) if note is not None else Line()
    if shown:
        line.add("  " if line.width else "").add("shown", "accent")
    return line if line.width else None
