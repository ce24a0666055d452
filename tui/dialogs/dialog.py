"""What all dialogs have in common: a centred frame that `escape` closes without effect."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, TypeVar, cast

from rich.console import RenderableType
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.renderables.background_screen import BackgroundScreen
from textual.screen import ModalScreen

from tui import keys
from tui.text.line import Line
from tui.theme.glyphs import spell
from tui.widgets.line_view import LineView
from tui.widgets.line_widget import LineWidget
from tui.widgets.pane import Pane
from tui.widgets.pane_screen import DimmedScreen, PaneScreen, changes_of
from tui.widgets.text_block import TextBlock

if TYPE_CHECKING:
    from core.errors import LostkeysError
    from core.views.session import Session
    from tui.app.app import LostkeysApp

Hint = tuple[tuple[str, str], ...]
CLOSES = ("esc", "closes")
"""The last key of most hints."""

Result = TypeVar("Result")
Read = TypeVar("Read")


class Dialog(PaneScreen[Result | None], ModalScreen[Result | None], Generic[Result]):
    """A question to the person; subclasses say what is in it and dismiss with a result.

    `None` is the result of closing without effect.
    """

    DEFAULT_CSS = """
    Dialog { align: center middle; background: $background 60%; }
    Dialog:ansi { background: transparent; }
    Dialog > Pane {
        width: 100%; max-width: 104; height: auto; max-height: 100%;
        background: $background; padding: 0 1;
        border-title-color: $accent; border-title-style: bold;
    }
    Dialog > Pane, Dialog.-narrow > Pane { border: round $accent; }
    Dialog.-narrow > Pane:focus-within { border: round $accent; }
    .-ascii Dialog > Pane, .-ascii Dialog.-narrow > Pane { border: ascii $accent; }
    .-ascii Dialog.-narrow > Pane:focus-within { border: ascii $accent; }
    .-reader Dialog.-narrow > Pane, .-reader Dialog.-narrow > Pane:focus-within {
        height: 100%; max-width: 100%; border: none; border-top: blank $rule;
        border-bottom: blank $rule;
    }
    """
    BINDINGS = keys.bindings("dialog")

    heading = ""
    """What stands in the top edge."""

    hint: Hint = (CLOSES,)
    """Keys and what they do, which stand in the bottom edge; a key may be empty."""

    def __init__(self) -> None:
        super().__init__()
        self._behind: object = None
        """What stood behind when it was drawn."""
        self._said = Line()
        """What the bottom edge says."""

    def body(self) -> ComposeResult:
        """What is in the frame."""
        raise NotImplementedError

    @property
    def lostkeys(self) -> "LostkeysApp":
        """What it may ask of the app."""
        return cast("LostkeysApp", self.app)

    @property
    def is_open(self) -> bool:
        """Whether it is still asked; a closed dialog stays mounted while its widgets go."""
        return self.is_mounted and self in self.app.screen_stack

    def ask(
        self,
        key: str,
        work: "Callable[[Session], Read]",
        then: Callable[[Read], None],
        failed: "Callable[[LostkeysError], None] | None" = None,
    ) -> None:
        """Have something read; what comes after it was closed is dropped."""

        def take(found: Read) -> None:
            if self.is_open:
                then(found)

        def fail(error: "LostkeysError") -> None:
            if self.is_open:
                (failed or self.lostkeys.report)(error)

        self.lostkeys.ask(key, work, take, fail)

    @property
    def takes_keys(self) -> bool:
        """Whether it is there, and its first field has the focus."""
        return self.is_mounted and (self.focused is not None or not self.focus_chain)

    def compose(self) -> ComposeResult:
        """The frame with its body, laid out for its size at once."""
        self.take_size()
        with Pane(id="frame"):
            yield from self.body()
            yield TextBlock([], id="aside")

    def on_mount(self) -> None:
        """Write the edges."""
        self.write_edges()

    def render(self) -> RenderableType:
        """What stands behind, dimmed."""
        found = super().render()
        if isinstance(found, BackgroundScreen):
            return DimmedScreen(found.screen, found.color)
        return found

    def _render_content(self) -> None:
        # Each layout of a dialog asks for what stands behind; that is drawn again if it is another.
        paints, drawn = changes_of(self.app._background_screens), self._render_cache.size
        behind = paints, self.size, self.app.theme, self.styles.background
        if paints is not None and behind == self._behind and drawn == self.size:
            self._dirty_regions.clear()
            return
        super()._render_content()
        self._behind = behind

    def write_edges(self) -> None:
        """Write heading and hint."""
        self.query_one("#frame", Pane).title(Line(self.heading[:1].upper() + self.heading[1:]))
        self.edge(self.hint_line)

    @property
    def hint_line(self) -> Line:
        """The hint as it is drawn."""
        return _draw_hint(self.hint)

    def edge(self, line: Line) -> None:
        """Write something else into the bottom edge; what has no room there stands above it."""
        self._said = line
        self._fit_edge()

    def _fit_edge(self) -> None:
        """Write into the edge what has room there, the last keys at least, and the rest above."""
        frame, aside = self.query_one("#frame", Pane), self.query_one("#aside", TextBlock)
        line, room = self._said, frame.edge_room
        above = []
        if line.width > room:
            fits = (n for n in range(len(self.hint)) if _draw_hint(self.hint[n:]).width <= room)
            left = next(fits, len(self.hint))
            above = [] if line == self.hint_line else [line]
            above += [_draw_hint(self.hint[:left])] if left else []
            line = _draw_hint(self.hint[left:])
        if above != aside.paragraphs:
            aside.say(above)
            aside.refresh(layout=True)
        frame.edge(line)

    def on_resize(self) -> None:
        """Other room for the edge."""
        self.call_after_refresh(self._fit_edge_again)

    def _fit_edge_again(self) -> None:
        if self.is_open:
            self._fit_edge()

    def dismiss(self, result: Result | None = None) -> AwaitComplete:
        """Close with a result; once only, though a second key may come before it is gone."""
        if self.is_active:
            return super().dismiss(result)
        return AwaitComplete()

    @property
    def unkept(self) -> str:
        """What was written here and is lost with it, in a few words; empty for nothing."""
        return ""

    def action_close(self) -> None:
        """Close without effect, and say so where something was written."""
        if self.unkept:
            self.lostkeys.say(Line("not kept: ", "ink-2").add(self.unkept))
        self.dismiss(None)

    def repaint(self) -> None:
        """Paint everything anew (another theme)."""
        for pane in self.query(Pane):
            pane.repaint()
        for line in self.query(LineWidget):
            line.repaint()
        for view in self.query(LineView):
            view.repaint()


def _draw_hint(hint: Hint) -> Line:
    line = Line()
    for key, does in hint:
        line.add("   " if line.width else "").add(spell(key), "accent bold")
        line.add(f" {does}" if key else does, "ink-2")
    return line
