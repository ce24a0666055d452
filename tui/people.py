"""Who labels, and what undoing did, in words."""

from core.audit.labelling import Flagged, Undone, grader_of
from core.errors import UsageError
from tui.text.line import Line
from tui.theme.roles import LABEL_ROLES


def wrong_name(name: str) -> str | None:
    """What is wrong with a name for labels; None for a proper one."""
    try:
        grader_of(name)
    except UsageError as error:
        return str(error)
    return None


def undone_line(undone: Undone | None) -> Line:
    """For the status line; None where there was nothing to undo."""
    if undone is None:
        return Line("nothing left to undo", "ink-2")
    if not undone.restored:
        return Line("left alone: it has changed since", "ink-2")
    what = undone.what
    if isinstance(what, Flagged):
        return Line("undone: the fact is flagged" if what.after else "undone: no flag")
    if what.after is None:
        return Line("undone: no label of yours")
    line = Line("undone: your label is ")
    return line.add(what.after.label.value, LABEL_ROLES[what.after.label])
