"""The panes of a screen: which of them has the focus, and is seen where there is room for one."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from textual.containers import Container
from textual.widget import Widget

from tui.screens.base_screen import BaseScreen
from tui.widgets.line_view import LineView


class ScreenPanes(Container):
    """The panes of a screen, which reach it under its own type."""

    @property
    def base(self) -> BaseScreen:
        """The screen they are on."""
        screen = self.screen
        assert isinstance(screen, BaseScreen)
        return screen


class OrderedPanes(ScreenPanes):
    """Panes that the focus goes through in an order."""

    @property
    def order(self) -> Sequence[Widget]:
        """The panes in the order of the focus, as far as there is room for them."""
        raise NotImplementedError

    def reveal(self, view: Widget | None) -> None:
        """Have a pane seen where there is room for one."""
        raise NotImplementedError

    def go(self, view: Widget) -> None:
        """Focus a pane; where there is room for one, it is seen instead of the others."""
        self.reveal(view)
        self.screen.set_focus(view)

    def go_by(self, step: int) -> Widget:
        """Focus the next pane, or the one before."""
        order, focused = self.order, self.screen.focused
        here = order.index(focused) if focused in order else 0
        view = order[(here + step) % len(order)]
        self.go(view)
        return view


class NamedPanes(ScreenPanes):
    """Panes with names, by which a screen is left and shown again."""

    first_pane: ClassVar[str]
    """The name of the pane that has the focus where none has it yet."""

    @property
    def views(self) -> Mapping[str, LineView]:
        """What can have the focus, by the name of the pane."""
        raise NotImplementedError

    @property
    def pane(self) -> str:
        """The name of the pane with the focus."""
        focused = self.screen.focused
        found = (name for name, view in self.views.items() if view is focused)
        return next(found, self.first_pane)

    def go(self, pane: str) -> None:
        """Focus a pane; where there is room for one, it is seen instead of the others."""
        for name in self.views:
            self.screen.set_class(name == pane, f"-at-{name}")
        self.screen.set_focus(self.views[pane])
