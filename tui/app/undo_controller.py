"""Undoing and redoing: what is in sight at once, what is elsewhere once it has been named."""

from collections.abc import Callable, Collection
from functools import partial
from time import time_ns
from typing import TYPE_CHECKING

from tui.text.line import Line

if TYPE_CHECKING:
    from core.curation.removals import Removal
    from core.curation.undo_history import Act, UndoResult
    from core.errors import LostkeysError
    from core.views.lens import Lens
    from core.views.session import Session
    from core.views.snapshot import Snapshot
    from tui.app.app import LostkeysApp
    from tui.app.undo_text import ReadAfterUndo, TakeUndo, UndoStep


LONGEST = 60
"""Characters of a name that are shown."""


class UndoController:
    """Undoes what was done to the facts in sight; what is elsewhere is named first.

    The act that was named is undone by the next key, as long as its name stands in the status
    line.
    """

    def __init__(self, app: "LostkeysApp") -> None:
        self._app = app
        self._named: tuple[Line, int] | None = None
        self._said: Line | None = None
        """What was said last of a step of the lens."""
        self.removals: list[Removal] = []
        """What was removed by this program, the last one at the end."""
        self._removed: Line | None = None
        self._lenses: list[Lens] = []
        """What the lens was before the steps that follow one another, the last one at the end."""

    def say_lens_step(self, line: "Line", before: "Lens") -> None:
        """Say what a step of the lens has changed, from what it was before."""
        if self._said is None or self._app.status.said is not self._said:
            self._lenses.clear()
        self._lenses.append(before)
        self._said = line
        self._app.say(line)

    def take_lens_back(self) -> bool:
        """Take back the step of the lens that the status line speaks of, if it speaks of one."""
        app = self._app
        if self._said is None or app.status.said is not self._said or not self._lenses:
            return False
        app.set_lens(self._lenses.pop())
        line = Line("the lens is as it was", "ink")
        if self._lenses:
            line.add("   ").add("u", "accent bold").add(" takes back the step before", "ink-2")
        self._said = line
        app.say(line)
        return True

    def take_removal(self, done: "tuple[Removal, Snapshot]", there: bool) -> None:
        """Show that something was removed, or is `there` again, and say so."""
        removal, snapshot = done
        self._app.snapshot_changed(snapshot)
        name = f"{removal.kind} {removal.name[:LONGEST]}"
        if there:
            self.removals = [one for one in self.removals if one is not removal]
            self._app.say(Line(f"{name} is there again: {removal.describe()}"))
            return
        self.removals.append(removal)
        line = Line(f"{name} is removed: {removal.describe()}. ")
        line.add("u", "accent bold").add(" puts it back, later ^p does", "ink-2")
        self._removed = line
        self._app.say(line)

    def take_removal_back(self) -> bool:
        """Put back what the status line says was removed, if it says that."""
        if self._removed is None or self._app.status.said is not self._removed:
            return False
        from tui.dialogs.removal_dialog import put_back

        put_back(self._app, self.removals[-1])
        return True

    def undo(
        self,
        read: "ReadAfterUndo | None" = None,
        take: "TakeUndo | None" = None,
        failed: "Callable[[LostkeysError], None] | None" = None,
    ) -> None:
        """Undo the newest act on the facts in sight, or the one that was named just before."""
        app, named = self._app, self._named
        self._named = None
        if named is not None and app.status.said is named[0]:
            work = partial(_undo_act, named[1], False)
        else:
            work = partial(_undo_on, app.tab_screen(app.tab).facts_in_sight)
        self._write(work, read, take, failed)

    def redo(
        self,
        read: "ReadAfterUndo | None" = None,
        take: "TakeUndo | None" = None,
        failed: "Callable[[LostkeysError], None] | None" = None,
    ) -> None:
        """Do again what was undone last."""
        self._write(_redo, read, take, failed)

    def undo_act(self, key: int, then: Callable[[], None]) -> None:
        """Undo one act of those that are listed, wherever it is."""

        def take_step(step: "UndoStep") -> None:
            self._tell(None, False, step)
            then()

        self._app.write(partial(_step, partial(_undo_act, key, True), None), take_step)

    def _write(
        self,
        work: "Callable[[Session], tuple[UndoResult | Act | None, Snapshot]]",
        read: "ReadAfterUndo | None",
        take: "TakeUndo | None",
        failed: "Callable[[LostkeysError], None] | None",
    ) -> None:
        redoing = work is _redo
        self._app.write(partial(_step, work, read), partial(self._tell, take, redoing), failed)

    def _tell(self, take: "TakeUndo | None", redoing: bool, step: "UndoStep") -> None:
        """Show what was done, and say it."""
        from core.curation.undo_history import Act
        from tui.app.undo_text import act_line, undone_line

        if take is None:
            self._app.snapshot_changed(step.snapshot)
        else:
            take(step)
        if isinstance(step.done, Act):
            line = act_line("u again undoes: ", step.done, step.of, time_ns() // 1_000_000)
            self._named = line, step.done.key
        else:
            done = step.done
            line = undone_line(done, step.of, step.snapshot.lens.model, redoing)
            if done is not None and done.restored and not done.redone:
                line.add("   ").add("U", "accent bold").add(" redoes it", "ink-2")
        self._app.say(line)


def _step(
    work: "Callable[[Session], tuple[UndoResult | Act | None, Snapshot]]",
    read: "ReadAfterUndo | None",
    session: "Session",
) -> "UndoStep":
    from core.curation.undo_history import UndoResult
    from tui.app.undo_text import UndoStep

    done, snapshot = work(session)
    of = None if done is None else session.target(done.what)
    if read is None:
        return UndoStep(done, of, snapshot)
    return UndoStep(
        done, of, snapshot, read(done if isinstance(done, UndoResult) else None, session)
    )


def _undo_on(
    facts: Collection[int], session: "Session"
) -> "tuple[UndoResult | Act | None, Snapshot]":
    return session.undo_on(facts)


def _undo_act(
    key: int, retry: bool, session: "Session"
) -> "tuple[UndoResult | Act | None, Snapshot]":
    return session.undo_act(key, retry)


def _redo(session: "Session") -> "tuple[UndoResult | Act | None, Snapshot]":
    return session.redo()
