"""What screens and dialogs have in common: how they are laid out, and when they are painted."""

from typing import Generic, TypeVar

from textual.screen import Screen

from tui.widgets.pane_compositor import PaneCompositor
from tui.widgets.pane_layout import size_classes

Result = TypeVar("Result")


class PaneScreen(Screen[Result], Generic[Result]):
    """A screen of panes, put together by a compositor of ours."""

    def __init__(self) -> None:
        super().__init__()
        self._compositor: PaneCompositor = PaneCompositor()

    def take_size(self) -> None:
        """Have the CSS classes of the size before anything is laid out.

        Textual sets them only after a first layout.
        """
        app = self.app
        classes = size_classes(app.size, app.HORIZONTAL_BREAKPOINTS, app.VERTICAL_BREAKPOINTS)
        self.add_class(*classes, update=False)

    def _compositor_refresh(self) -> None:
        """Paint what has changed; behind a dialog it is the dialog's to paint, and once.

        Textual takes what is behind for unpainted ever after: whatever is told to it then has
        the dialog painted anew as a whole.
        """
        if self is self.app.screen or self not in self.app._background_screens:
            super()._compositor_refresh()
            return
        changed = self._compositor.take_changes()
        self._dirty_widgets.clear()
        if changed:
            self.app.screen.refresh(*changed)
