"""What a person did, newest first: from here one goes there, or undoes it."""

from collections.abc import Sequence
from time import time_ns
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType

from core.curation.undo_history import Act
from core.views.write_target import Target
from core.vocabulary import Task
from tui import keys
from tui.app.undo_text import act_line
from tui.dialogs.dialog import CLOSES, Dialog, Hint
from tui.text.line import Line
from tui.widgets.line_view import LineView

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from core.views.session import Session
    from tui.app.app import LostkeysApp

NO_ACTS = "nothing yet: labels, decisions and edits stand here, the newest first"

Acts = Sequence[tuple[Act, Target | None]]


class ActsView(LineView):
    """One row an act; those that are undone are grey."""

    BINDINGS: ClassVar[list[BindingType]] = [*keys.bindings("list"), *keys.bindings("acts")]

    def __init__(self, acts: Acts) -> None:
        super().__init__()
        self._now = time_ns() // 1_000_000
        self.acts = acts
        self.cursor = 0 if acts else None

    def row_count(self) -> int:
        """Acts, or the line that says there are none."""
        return max(1, len(self.acts))

    def is_choosable(self, row: int) -> bool:
        """Whether there is an act on the row."""
        return row < len(self.acts)

    def draw(self, row: int, line: int, width: int) -> Line:
        """What was done, when and where, and whether it is undone."""
        if not self.acts:
            return Line(f"  {NO_ACTS}", "ink-3")
        act, of = self.acts[row]
        drawn = act_line("  ", act, of, self._now)
        if not act.undone:
            return drawn.clip(width)
        return Line(drawn.clip(width - 9).text, "ink-3").right(Line("undone", "ink-3"), width - 1)

    def put(self, acts: Acts) -> None:
        """Show them as they are now; the cursor stays on its act."""
        before = self.chosen
        self.acts = acts
        places = {act.key: place for place, (act, _) in enumerate(acts)}
        self.move_to(None if not acts else places.get(before[0].key, 0) if before else 0)
        self.refresh_changed()

    @property
    def chosen(self) -> tuple[Act, Target | None] | None:
        """The act under the cursor."""
        return self.acts[self.cursor] if self.acts and self.cursor is not None else None

    def action_open(self) -> None:
        """Go where it was done."""
        if self.chosen is not None:
            self.post_message(self.RowClicked(self, self.cursor or 0, None, True))

    def action_undo(self) -> None:
        """Undo this one."""
        self.post_message(self.RowClicked(self, self.cursor or 0, "undo", True))


class ActsDialog(Dialog[Target]):
    """The list; it is closed with what an act was about."""

    DEFAULT_CSS = "ActsDialog ActsView { height: auto; max-height: 70vh; }"
    AUTO_FOCUS = "ActsView"
    heading = "what I did"
    hint: Hint = (("enter", "goes there"), ("u", "undoes it"), CLOSES)

    def __init__(self, acts: Acts) -> None:
        super().__init__()
        self._acts = acts
        self.hint = self.hint if acts else (CLOSES,)

    def body(self) -> "ComposeResult":
        """The list."""
        yield ActsView(self._acts)

    def on_line_view_row_clicked(self, event: LineView.RowClicked) -> None:
        """Go where the act was done, or undo it."""
        event.stop()
        chosen = self.query_one(ActsView).chosen
        if chosen is None or not event.again:
            return
        act, of = chosen
        if event.part == "undo":
            self._undo(act)
        elif of is None:
            self.edge(Line("its fact is gone", "label-i"))
        else:
            self.dismiss(of)

    def _undo(self, act: Act) -> None:
        if act.undone:
            self.edge(Line("this is undone already", "ink-2"))
        else:
            self.lostkeys.undos.undo_act(act.key, self._reload)

    def _reload(self) -> None:
        """Show them anew, and in the edge what was undone."""
        said = self.lostkeys.status.said
        self.edge(said if said is not None else self.hint_line)
        self.ask("acts", _acts, self._put)

    def _put(self, acts: Acts) -> None:
        self.query_one(ActsView).put(acts)


def offer_acts(app: "LostkeysApp") -> None:
    """Show what the person did, and go where they choose."""

    def go_to_target(of: Target | None) -> None:
        if of is not None:
            one = of.answer
            answer = None if one is None else (one.thinking, one.sample)
            model = one.model if one else None
            app.places.jump("task", of.fact, of.task or Task.COMPLETION, answer, model=model)

    def show(acts: Acts) -> None:
        app.push_screen(ActsDialog(acts), go_to_target)

    app.ask_dialog("acts", _acts, show)


def _acts(session: "Session") -> Acts:
    return session.acts()
