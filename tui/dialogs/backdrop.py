"""What stands behind a dialog, dimmed: drawn again only where it has changed."""

from collections.abc import Iterable, Sequence

from rich.segment import Segment
from rich.style import Style
from textual.app import App
from textual.color import Color
from textual.renderables.background_screen import BackgroundScreen
from textual.screen import Screen

from tui.widgets.pane_screen import PaneScreen


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


def paints_behind(app: App[object]) -> Sequence[tuple[Screen[object], int]] | None:
    """The screens behind the one in front, each with how often something of it has changed.

    None where that is not known.
    """
    behind = app._background_screens
    found = [(one, one._compositor.changes) for one in behind if isinstance(one, PaneScreen)]
    return found if len(found) == len(behind) else None
