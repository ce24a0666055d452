"""Undoing, and what it did in words."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from core.curation.label_writer import FlagEffect, LabelEffect, OwnLabel
from core.curation.question_edits import EditEffect
from core.curation.question_reviews import ReviewEffect
from core.curation.tag_writer import NoteEffect, TagEffect
from core.curation.undo_history import Act, UndoResult
from core.views.verdict_reasons import task_words
from core.views.write_target import Target
from tui.text.line import Line
from tui.text.task_names import place
from tui.text.time_text import format_moment
from tui.theme.roles import LABEL_ROLES

if TYPE_CHECKING:
    from core.views.session import Session
    from core.views.snapshot import Snapshot

LONGEST_NAME = 40
"""Cells of a subject or a model in the status line."""


@dataclass(frozen=True, slots=True)
class UndoStep:
    """What undoing or redoing did, to what, and the snapshot after it.

    `done` is an `Act` where the newest one is out of sight and was only found. `shown` is what
    the screen in sight has read after it.
    """

    done: UndoResult | Act | None
    of: Target | None
    snapshot: "Snapshot"
    shown: Any = None


ReadAfterUndo = Callable[[UndoResult | None, "Session"], Any]
"""Reads what a screen shows after it, in the same go."""

TakeUndo = Callable[[UndoStep], None]
"""Shows it."""


def undone_line(
    undone: UndoResult | None, of: Target | None, model: str | None, redoing: bool = False
) -> Line:
    """For the status line; `undone` is None where there was nothing to undo, or to redo.

    `model` is the one that is looked at: an answer of another is named with its model.
    """
    if undone is None:
        return Line("nothing to redo" if redoing else "nothing left to undo", "ink-2")
    if not undone.restored:
        line = Line("left alone, changed since: ", "ink-2")
        return line.join(_describe_answer(of, model))
    line, what = Line("redone: " if undone.redone else "undone: ", "ink-2"), undone.what
    line.join(_describe_answer(of, model))
    if isinstance(what, LabelEffect) and undone.also:
        return _add_count(line, (what, *undone.also), undone.redone)
    line.add(", ", "ink-2")
    match what:
        case FlagEffect():
            return line.add("flagged again" if what.after else "flag withdrawn")
        case EditEffect():
            return line.add("edited again" if undone.redone else "as it was before the edit")
        case ReviewEffect():
            return line.add(_describe_verdict(what))
        case TagEffect() | NoteEffect():
            return line.add(_describe_mark(what))
    before, after = what.before, what.after
    if after is None:
        return _add_label(line, before).add("withdrawn")
    if not _is_note(what):
        return _add_label(line, after).add("again")
    return line.add("note as before" if after.note else "note withdrawn")


def _describe_mark(what: TagEffect | NoteEffect) -> str:
    if isinstance(what, TagEffect):
        return f"tag {what.tag} {'set' if what.after else 'taken off'}"
    return "note as before" if what.after else "note withdrawn"


def _is_note(what: LabelEffect) -> bool:
    """Whether the note alone changed: a label that stood there already may be set once more."""
    before, after = what.before, what.after
    if before is None or after is None or before.label is not after.label:
        return False
    return before.note != after.note


def _add_count(line: Line, labels: Sequence[LabelEffect], redone: bool) -> Line:
    """`and 3 more, 4 labels withdrawn`: one key had set all of them."""
    gone = all(one.after is None for one in labels)
    line.add(f" and {len(labels) - 1:,} more, ", "ink-2").add(f"{len(labels):,} labels ")
    return line.add("withdrawn" if gone else "again" if redone else "as before")


def act_line(begin: str, act: Act, of: Target | None, now: int) -> Line:
    """What was done, when and where: `on 5 of Kasur (direct, m) is CORRECT, 14:02, Confusion`.

    `now` is the time in milliseconds; the day is named unless it is today.
    """
    line = Line(begin, "ink-2").join(_describe_act(act, of))
    line.add(f", {format_moment(act.at, now)}", "ink-2")
    return line.add(f", {place_of(act)}", "ink-2")


def place_of(act: Act) -> str:
    """The screen that an act is known from."""
    match act.what:
        case LabelEffect():
            return "Confusion" if act.between else "Task"
        case FlagEffect():
            return "Facts"
        case TagEffect() | NoteEffect():
            return "Task" if act.what.kind == "answer" else "Facts"
        case _:
            return "Review"


def _describe_act(act: Act, of: Target | None) -> Line:
    """`on 5 of Kasur (direct, m) is CORRECT`, `Kasur is flagged`, `edit of Kasur (direct)`."""
    what, name = act.what, _subject(of)
    match what:
        case FlagEffect():
            return name.add(" is flagged" if what.after else " has no flag")
        case EditEffect():
            return Line("edit of ").join(name).add(_format_task(of), "ink-2")
        case ReviewEffect():
            return _review(what, name.add(_format_task(of), "ink-2"))
        case TagEffect():
            return name.add(f" is tagged {what.tag}" if what.after else f" is not {what.tag}")
        case NoteEffect():
            return Line("note on ").join(name)
    name = _describe_answer(of, None)
    if what.after is None:
        return Line("label of ").join(name).add(" withdrawn")
    if _is_note(what):
        return Line("note on ").join(name)
    label = what.after.label
    name.add(" is ").add(label.value, LABEL_ROLES[label])
    return name.add(f", {act.labels:,} labels", "ink-2") if act.labels > 1 else name


def _review(what: ReviewEffect, name: Line) -> Line:
    before, after = what.before, what.after
    if after is None or after.verdict is None or (before and before.verdict == after.verdict):
        return Line("note on ").join(name)
    name.add(f" is {after.verdict}")
    return name.add(f", {after.reason}", "ink-2") if after.reason else name


def _subject(of: Target | None) -> Line:
    return Line("a fact that is gone") if of is None else Line(of.subject).clip(LONGEST_NAME)


def _format_task(of: Target | None) -> str:
    return "" if of is None or of.task is None else f" ({task_words(of.task)})"


def _describe_verdict(what: ReviewEffect) -> str:
    before, after = what.before, what.after
    if after is None or after.verdict is None:
        return "not decided again" if before and before.verdict else "note withdrawn"
    if before is None or before.verdict != after.verdict:
        return f"{after.verdict} again"
    return "as before"


def _add_label(line: Line, said: OwnLabel | None) -> Line:
    return line.add(said.label.value, LABEL_ROLES[said.label]).add(" ") if said else line


def _describe_answer(of: Target | None, model: str | None) -> Line:
    """`on 5 of Antares (reverse natural)`."""
    name = _subject(of)
    if of is None or of.answer is None:
        return name.add(_format_task(of), "ink-2")
    one = of.answer
    line = Line(f"{place(one.thinking, one.sample)} of ").join(name)
    beside = task_words(one.task) + (f", {one.model[:LONGEST_NAME]}" if one.model != model else "")
    return line.add(f" ({beside})", "ink-2")
