"""Who labels; undoing, and what it did in words."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.curation.label_writer import Flagged, Labelled, OwnLabel, grader_of
from core.curation.question_edits import Edited
from core.curation.review_decisions import ReviewEffect
from core.curation.undo_history import Undone
from core.errors import UsageError
from core.views.reasons import task_words
from core.views.target import Target
from tui.screens.task.task_names import place
from tui.text.line import Line
from tui.theme.roles import LABEL_ROLES

if TYPE_CHECKING:
    from core.views.session import Session
    from core.views.snapshot import Snapshot
    from tui.app.services import AppServices

LONGEST_NAME = 40
"""Cells of a subject or a model in the status line."""


def wrong_name(name: str) -> str | None:
    """What is wrong with a name for labels; None for a proper one."""
    try:
        grader_of(name)
    except UsageError as error:
        return str(error)
    return None


def undo_newest(app: "AppServices") -> None:
    """Undo the person's newest label or flag, and say what that was."""

    def undone(done: "tuple[Undone | None, Target | None, Snapshot]") -> None:
        what, of, snapshot = done
        app.snapshot_changed(snapshot)
        app.say(undone_line(what, of, snapshot.lens.model))

    app.write(_undo, undone)


def _undo(session: "Session") -> "tuple[Undone | None, Target | None, Snapshot]":
    undone, snapshot = session.undo()
    return undone, None if undone is None else session.target(undone.what), snapshot


def undone_line(undone: Undone | None, of: Target | None, model: str | None) -> Line:
    """For the status line; `undone` is None where there was nothing to undo.

    `model` is the one that is looked at: an answer of another is named with its model.
    """
    if undone is None:
        return Line("nothing left to undo", "ink-2")
    if not undone.restored:
        line = Line("left alone, changed since: ", "ink-2")
        return line.join(_about(of, model))
    line, what = Line("undone: ", "ink-2"), undone.what
    line.join(_about(of, model))
    if isinstance(what, Labelled) and undone.also:
        return _counted(line, (what, *undone.also))
    line.add(", ", "ink-2")
    match what:
        case Flagged():
            return line.add("flagged again" if what.after else "flag withdrawn")
        case Edited():
            return line.add("as it was before the edit")
        case ReviewEffect():
            return line.add(_reviewed(what))
    before, after = what.before, what.after
    if after is None:
        return _labelled(line, before).add("withdrawn")
    if before is None or before.label is not after.label:
        return _labelled(line, after).add("again")
    return line.add("note as before" if after.note else "note withdrawn")


def _counted(line: Line, labels: Sequence[Labelled]) -> Line:
    """`and 3 more, 4 labels withdrawn`: one key had set all of them."""
    gone = all(one.after is None for one in labels)
    line.add(f" and {len(labels) - 1:,} more, ", "ink-2").add(f"{len(labels):,} labels ")
    return line.add("withdrawn" if gone else "as before")


def _reviewed(what: ReviewEffect) -> str:
    before, after = what.before, what.after
    if after is None or after.verdict is None:
        return "not decided again" if before and before.verdict else "note withdrawn"
    if before is None or before.verdict != after.verdict:
        return f"{after.verdict} again"
    return "as before"


def _labelled(line: Line, said: OwnLabel | None) -> Line:
    return line.add(said.label.value, LABEL_ROLES[said.label]).add(" ") if said else line


def _about(of: Target | None, model: str | None) -> Line:
    """`on 5 of Antares (reverse natural)`."""
    if of is None:
        return Line("a fact that is gone")
    name = Line(of.subject).clip(LONGEST_NAME)
    if of.answer is None:
        return name if of.task is None else name.add(f" ({task_words(of.task)})", "ink-2")
    one = of.answer
    line = Line(f"{place(one.thinking, one.sample)} of ").join(name)
    beside = task_words(one.task) + (f", {one.model[:LONGEST_NAME]}" if one.model != model else "")
    return line.add(f" ({beside})", "ink-2")
