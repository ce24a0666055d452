"""What screens and dialogs have in common: how they are laid out, painted, and seen behind."""

from collections.abc import Iterable
from typing import Any, Generic, TypeVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.color import Color
from textual.renderables.background_screen import BackgroundScreen
from textual.screen import Screen

from tui.widgets.pane_compositor import PaneCompositor
from tui.widgets.pane_layout import size_classes

Result = TypeVar("Result")


class PaneScreen(Screen[Result], Generic[Result]):
    """A screen of panes, put together by a compositor of ours."""

    def __init__(self) -> None:
        super().__init__()
        self._compositor: PaneCompositor = PaneCompositor()
        self._styled_for: object = None
        """What of the app its styles were worked out for last."""

    def take_size(self) -> None:
        """Have the CSS classes of the size before anything is laid out.

        Textual sets them only after a first layout.
        """
        self.add_class(*self._size_classes, update=False)
        self.app.stylesheet.apply(self)

    @property
    def _size_classes(self) -> Iterable[str]:
        app = self.app
        return size_classes(app.size, app.HORIZONTAL_BREAKPOINTS, app.VERTICAL_BREAKPOINTS)

    async def _compose(self) -> None:
        """Mount what it is made of, which has its styles from then on."""
        await super()._compose()
        self._styled_for = self._style_source

    @property
    def _style_source(self) -> object:
        """What of the app its styles follow from."""
        app = self.app
        return app.theme, app.classes, app.pseudo_classes, len(app.stylesheet.source)

    def _on_screen_resume(self, event: events.ScreenResume) -> None:
        """Work out styles anew where the app is another than it was for these, and not each time.

        Textual's own handler, which does so, comes after this one.
        """
        now = self._style_source
        event.refresh_styles = now != self._styled_for
        self._styled_for = now

    async def _on_resize(self, event: events.Resize) -> None:
        """Lay out nothing that is laid out for this size already, as Textual's handler would."""
        if event.size == self._compositor.size and self.has_class(*self._size_classes):
            event.prevent_default()

    def _compositor_refresh(self) -> None:
        """Paint what has changed; behind a dialog it is the dialog's to paint, and once.

        A layout that comes before all is painted anew paints nothing. Textual takes what is behind
        a dialog for unpainted ever after: whatever is told to it then has the dialog painted anew
        as a whole.
        """
        if self is self.app.screen or self not in self.app._background_screens:
            if not self._repaint_required:
                super()._compositor_refresh()
            return
        changed = self._compositor.take_changes()
        self._dirty_widgets.clear()
        if changed:
            self.app.screen.refresh(*changed)


def changes_of(screens: Iterable[Screen[Any]]) -> tuple[tuple[Screen[Any], int], ...] | None:
    """Screens, each with how often something of it has changed; None where that is not known."""
    found = [
        (one, one._compositor.changes if isinstance(one, PaneScreen) else None) for one in screens
    ]
    known = tuple((one, changes) for one, changes in found if changes is not None)
    return known if len(known) == len(found) else None


class DimmedScreen(BackgroundScreen):
    """Textual's screen behind a dialog; each style is dimmed once, not for every piece of text."""

    @classmethod
    def process_segments(cls, segments: Iterable[Segment], color: Color) -> Iterable[Segment]:
        """The segments with a tint over them."""
        known: dict[Style, Style | None] = {}
        for segment in segments:
            text, style, control = segment
            if control or style is None:
                yield from super().process_segments([segment], color)
                continue
            if style not in known:
                (dimmed,) = super().process_segments([Segment("", style)], color)
                known[style] = dimmed.style
            yield Segment(text, known[style])
