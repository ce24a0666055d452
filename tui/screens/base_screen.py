"""What all screens have in common: frame, size classes, and taking in snapshots."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, cast

from textual import events
from textual.app import App, ComposeResult
from textual.widget import Widget

from tui.frame.key_line import KeyLine
from tui.frame.status_line import StatusLine
from tui.frame.top_bar import TopBar
from tui.screens.layout_controller import LayoutController
from tui.text.line import Line
from tui.widgets.line_view import LineView
from tui.widgets.line_widget import LineWidget
from tui.widgets.pane import Pane
from tui.widgets.pane_layout import (
    HIGH,
    LOW,
    NARROW,
    STEP,
    WIDE,
    Split,
)
from tui.widgets.pane_screen import PaneScreen

if TYPE_CHECKING:
    from core.jobs.job_view import JobView
    from core.views.lens import Lens
    from core.views.snapshot import Snapshot
    from tui.app.app import LostkeysApp
    from tui.app.loader import Loader
    from tui.dialogs.list_controller import ListController, ViewedList

Selector = str | type[Widget]
"""Which widgets are meant, as Textual takes it."""


class BaseScreen(PaneScreen[None], inherit_bindings=False):
    """A screen of the program; subclasses say what is between top bar and status line.

    CSS classes by size: `-narrow` below 100 columns, `-wide` from 160; `-low` below 30 lines,
    `-high` from 50; in between `-medium` and `-normal`.
    """

    DEFAULT_CSS = """
    BaseScreen { layout: vertical; background: $background; color: $ink; }
    """
    AUTO_FOCUS: ClassVar[str | None] = None

    tab: ClassVar[str]
    """Its name in `tui.app.tab_table.TABS`."""

    outer_pane = "list"
    """What its outermost pane is called in the key line."""

    position_type: ClassVar[type[Any]]
    """The dataclass of its positions."""

    splits: ClassVar[tuple[Split, ...]] = ()
    """The lines between its panes that a person can move."""

    def __init__(self) -> None:
        super().__init__()
        self.layouts = LayoutController(self, self.tab, self.splits)
        self._shown: Snapshot | None = None
        self.first_read: Loader | None = None
        """What is read first, before which keys of the screen itself would do nothing."""

    # What subclasses say

    def body(self) -> ComposeResult:
        """The widgets between top bar and status line."""
        raise NotImplementedError

    def show_snapshot(self, snapshot: "Snapshot") -> None:
        """Take in a snapshot: another lens, or new answers and labels. Nothing jumps."""

    def preview_lens(self, lens: "Lens") -> bool:
        """Show everything through a lens before its snapshot is there; false if that cannot be."""
        return False

    def paint_panes(self) -> None:
        """Show what has been read; lines that are the same stay as they are."""

    def forget(self) -> None:
        """Show nothing of the present database any more: another one is opened."""

    def open(self, *what: Any) -> None:
        """Show what another screen asked for: `app.jump`."""

    @property
    def position(self) -> Any:
        """Where a person is on it: what is chosen, and the row under the cursor by its ids."""
        raise NotImplementedError

    def take_position(self, position: Any) -> None:
        """Go to a position, or once what it needs has been read; keys pressed meanwhile win."""
        raise NotImplementedError

    @property
    def asked(self) -> Any:
        """What a jump to it changes of search and filters; None where it has none."""
        return None

    def ask_again(self, asked: Any) -> None:
        """Go by other search and filters."""

    @property
    def outermost(self) -> bool:
        """Whether `escape` leads to another screen."""
        return True

    def step_out(self) -> None:
        """One step out, where this is not the outermost."""

    def reload(self) -> None:
        """Show what is new, now that it is asked for."""

    def follow_index(self) -> None:
        """Take in that more can be found than before."""

    @property
    def viewed_list(self) -> "ViewedList":
        """The list that views can name, and that files can hold."""
        raise NotImplementedError

    starts: ClassVar[str] = ""
    """What is started from here, by its word in the form; empty: what is likely."""

    @property
    def to_go_on(self) -> "JobView | None":
        """A job in sight that starting something goes on with."""
        return None

    @property
    def set_in_sight(self) -> str:
        """The set of triples that is looked at, which starting something begins with."""
        return ""

    def status(self) -> Line | None:
        """What the status line says where nothing has just happened; None for the usual."""
        return None

    @property
    def summary(self) -> str:
        """What waits here, in a few words, for the map of the screens."""
        return ""

    def choose_models(self) -> bool:
        """Choose the models it shows, in its own way; False where it shows the lens's model."""
        return False

    @property
    def model_words(self) -> str | None:
        """What the top bar says instead of the lens's model; None for that model."""
        return None

    @property
    def lens_words(self) -> tuple[str, ...] | None:
        """What the top bar says instead of the lens but for its model; None for that."""
        return None

    @property
    def facts_in_sight(self) -> frozenset[int]:
        """Facts (ids) that are shown so that what was done to them may be undone at once."""
        return frozenset()

    @property
    def takes_keys(self) -> bool:
        """Whether what a key would decide has been painted, or nothing is decided here.

        Keys of the screen itself wait until there is something that they can act on.
        """
        first, services = self.first_read, self.lostkeys
        if first is None or services.load_error is not None:
            return True
        has_read = self._shown is not None and not first.is_first
        return has_read or self.find_actions(services.key_queue.next_key) <= {"back"}

    def find_actions(self, key: str | None) -> set[str]:
        """What a key does on the screen itself, not in a pane of it or everywhere."""
        own = [bindings for node, bindings in self._binding_chain if node is self]
        return {one.action for each in own for one in each.key_to_bindings.get(key or "", ())}

    @property
    def back_words(self) -> str:
        """What `escape` does: the screen that it leads to, or a step out of a pane."""
        if self.layouts.alone:
            return "all panes"
        return (self.lostkeys.places.way_out or "back") if self.outermost else self.outer_pane

    # What they may ask

    @property
    def lostkeys(self) -> "LostkeysApp":
        """What it may ask of the app."""
        return cast("LostkeysApp", self.app)

    @property
    def is_spoken(self) -> bool:
        """Whether it is drawn for a screen reader: one pane at a time, in sentences."""
        return self.lostkeys.look.is_spoken

    @property
    def narrow(self) -> bool:
        """Whether there is room for one pane at a time only."""
        return self.is_spoken or self.app.size.width < NARROW

    @property
    def edges_above(self) -> bool:
        """Whether what stands below a pane stands above it: there is an upper edge only.

        Who hears the program hears the row that the cursor comes to, and nothing of its number.
        """
        return self.narrow and not self.is_spoken

    @property
    def wide(self) -> bool:
        """Whether there is room for more columns."""
        return not self.is_spoken and self.app.size.width >= WIDE

    @property
    def low(self) -> bool:
        """Whether there is no height for blank lines."""
        return self.app.size.height < LOW

    @property
    def high(self) -> bool:
        """Whether there is height for more below."""
        return self.app.size.height >= HIGH

    # How they work

    def on_mount(self) -> None:
        """Go to where the person was when the database was open last."""
        self.take_restored()

    def take_restored(self) -> None:
        """Go to where the person was when the database was open last, if that is known."""
        position = self.lostkeys.places.pop_position(self.tab)
        if position is not None:
            self.take_position(position)
        self.layouts.apply()

    def action_back(self) -> None:
        """One step out: of a pane, or to the screen that the person came from."""
        if self.layouts.alone:
            self.action_alone()
        elif self.outermost:
            self.lostkeys.places.go_out()
        else:
            self.step_out()

    def action_alone(self) -> None:
        """Give all of the room to the pane with the focus, or give it back."""
        self.layouts.turn_alone()
        self.refresh_frame()

    def action_split(self, direction: str) -> None:
        """Move the split beside the pane with the focus."""
        step = STEP if direction in ("right", "down") else -STEP
        if not self.layouts.move(step, direction in ("up", "down")):
            self.lostkeys.say("there is no split to move that way")

    def focus_next(self, selector: Selector = "*") -> Widget | None:
        """Focus the next pane, though one may be seen alone."""
        return self._focus_by(super().focus_next, selector)

    def focus_previous(self, selector: Selector = "*") -> Widget | None:
        """Focus the previous pane, though one may be seen alone."""
        return self._focus_by(super().focus_previous, selector)

    def _focus_by(
        self, go: Callable[[Selector], Widget | None], selector: Selector
    ) -> Widget | None:
        self.layouts.show_all()
        found = go(selector)
        self.layouts.apply()
        return found

    def compose(self) -> ComposeResult:
        """Frame and body, which is as high as there is room and laid out for its size at once."""
        self.take_size()
        yield TopBar()
        yield from self.body()
        yield StatusLine()
        yield KeyLine()

    def action_undo(self) -> None:
        """Take back what the status line speaks of: a step of the lens, a removal; else undo."""
        undos = self.lostkeys.undos
        if not (undos.take_lens_back() or undos.take_removal_back()):
            self.undo_last()

    def undo_last(self) -> None:
        """Undo what was done last to what is in sight."""
        self.lostkeys.undos.undo()

    def action_redo(self) -> None:
        """Do again what was undone last."""
        self.lostkeys.undos.redo()

    def action_views(self) -> None:
        """Show the views of the list."""
        self._lists.open_views()

    def action_switch_view(self, digit: int) -> None:
        """Switch to the view of a digit."""
        self._lists.switch_to(digit)

    def action_write_list(self) -> None:
        """Write the list to a file."""
        self._lists.write()

    def action_copy_list(self) -> None:
        """Copy the rows of the list."""
        self._lists.copy()

    @property
    def _lists(self) -> "ListController":
        from tui.dialogs.list_controller import ListController

        return ListController(self.lostkeys, self.viewed_list)

    def apply_snapshot(self, snapshot: "Snapshot") -> None:
        """Show a snapshot now if this screen is seen, else when it is seen next."""
        if self.is_mounted and self.is_current and snapshot is not self._shown:
            self._shown = snapshot
            self.show_snapshot(snapshot)

    def apply_unseen(self, snapshot: "Snapshot") -> None:
        """Show a snapshot though this screen is not seen: another one goes by it."""
        self._shown = snapshot
        self.show_snapshot(snapshot)

    def on_screen_resume(self) -> None:
        """Catch up with what happened meanwhile."""
        snapshot = self.lostkeys.snapshot
        if snapshot is not None:
            self.apply_snapshot(snapshot)

    def snapshot_written(self, snapshot: "Snapshot") -> None:
        """Tell of a snapshot that follows from what was written here, and is shown here already."""
        self._shown = snapshot
        self.lostkeys.snapshot_changed(snapshot)

    def paint(self) -> None:
        """Show what has been read, in the panes and in the frame, once there are any."""
        if self.is_mounted:
            self.paint_panes()
            self.refresh_frame()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """The pane that is seen alone is the one with the focus."""
        self.layouts.follow_focus()

    def on_resize(self, event: events.Resize) -> None:
        """Splits stand as they were set for this width, as far as there is room."""
        self.call_after_refresh(self.layouts.apply)

    def on_screen_suspend(self) -> None:
        """Hold no split."""
        self.layouts.drop()

    def _post_register(self, app: App[Any]) -> None:
        super()._post_register(app)
        # Its widgets are styled as the theme is now: showing it is no reason to style all anew.
        self._css_update_count = app._css_update_count

    def _compositor_refresh(self) -> None:
        # Textual would render what it does not show then: in a batch nothing is painted.
        if not (self.app._batch_count and self.is_current):
            super()._compositor_refresh()

    def _forward_event(self, event: events.Event) -> None:
        # As it comes: a message of the pane's could come after the mouse has been let go.
        if not (isinstance(event, events.MouseEvent) and self.layouts.take_mouse(event)):
            super()._forward_event(event)

    def refresh_frame(self) -> None:
        """Let the frame's lines show what has changed, the keys that work now among it."""
        for line in self.query(LineWidget):
            line.refresh_changed()

    def refresh_status(self) -> None:
        """Let the status line show what has changed, where nothing else of the frame can have."""
        self.query_one(StatusLine).refresh_changed()

    def repaint(self) -> None:
        """Paint everything anew (another theme)."""
        self.paint()
        for pane in self.query(Pane):
            pane.repaint()
        for line in self.query(LineWidget):
            line.repaint()
        for view in self.query(LineView):
            view.repaint()
