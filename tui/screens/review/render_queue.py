"""A queue as lines: which queue it is, one row a question with what was said of it."""

from collections.abc import Sequence

from core.views.review.review_queue import QueueRequest, ReviewQueue, ReviewRow
from core.vocabulary import TASK_INDEX, QueueKind
from tui.keys import DIGITS
from tui.screens.review.state import KINDS
from tui.text.line import ELLIPSIS, Line
from tui.text.speech import speak_text
from tui.text.task_names import format_task_title
from tui.theme.glyphs import spell
from tui.theme.look import Look

HEAD = 2
"""Lines over the rows."""

TASK_AT, TEXT_AT = 3, 8
"""Columns of the task's digit and of the question."""

EFFECT = 16
"""Cells of what stands at the right."""

TABS = {
    QueueKind.SUSPICIOUS: "suspicious",
    QueueKind.RANDOM: "random",
    QueueKind.STRATIFIED: "stratified",
    QueueKind.STAGE: "by a stage",
    QueueKind.EDITED: "edited",
}


def tabs(wanted: QueueRequest, queue: ReviewQueue | None, width: int, key: str = "v") -> Line:
    """The kinds of queues, the open one on its own ground, with its size if it is a sample.

    Where there is no room for all of them the last ones give way, but not the open one.
    """
    kinds = list(KINDS)
    which = Line(key, "accent bold").add(" which ", "ink-3")
    line = _tabs(wanted, queue, kinds)
    while line.width > width and len(kinds) > 1:
        kinds.remove(next(kind for kind in reversed(kinds) if kind is not wanted.kind))
        line = _tabs(wanted, queue, kinds)
    if len(kinds) < len(KINDS):
        line.add(f" {spell(ELLIPSIS)}", "ink-3")
        if line.width + which.width < width:
            return line.right(which, width)
    return line.clip(width)


def _tabs(wanted: QueueRequest, queue: ReviewQueue | None, kinds: Sequence[QueueKind]) -> Line:
    line = Line(" ")
    for kind in kinds:
        here = kind is wanted.kind
        size = f" {len(queue):,}" if here and queue is not None and queue.sample else ""
        role = "accent bold @chip" if here else "ink-2"
        line.add(f" {TABS[kind]}{size} ", role, f"kind:{kind}")
    return line


def heading(wanted: QueueRequest, width: int) -> Line:
    """What the columns are."""
    what = f"changed by {wanted.stage}" if wanted.kind is QueueKind.STAGE else "question"
    right = str(wanted.by) if wanted.kind is QueueKind.STRATIFIED else "fails"
    return (
        Line()
        .to(TASK_AT)
        .add("task", "ink-3")
        .to(TEXT_AT)
        .add(what, "ink-3")
        .right(Line(right, "ink-3"), width - 1)
    )


def draw(
    row: ReviewRow, text: str | None, width: int, look: Look, under: bool, short: bool = False
) -> Line:
    """Verdict, task, question, and what was said of it, or how many models fail it."""
    said = row.standing
    line = Line(" ").join(verdict_mark(said.verdict, look)).add(" ")
    line.to(TASK_AT).add(DIGITS[TASK_INDEX[row.task]], "ink-3").to(TEXT_AT)
    right = _right(row, short)
    role = "ink bold" if under else "ink-2" if said.decided else "ink"
    room = max(0, width - line.width - min(right.width, EFFECT) - 3)
    line.cell(row.heading.subject if text is None else text, room, role)
    return line.right(right.copy_clipped(EFFECT), width - 1)


def sentence(row: ReviewRow, text: str | None) -> Line:
    """`3 direct: What is the area of Kasur. 2 of 2 fail`, for who hears it."""
    shown = row.heading.subject if text is None else text
    line = Line(f"{format_task_title(row.task)}: {speak_text(shown)}")
    said = row.standing
    if said.verdict is not None and said.verdict != "edited":
        line.add(f" {said.verdict.capitalize()}.")
    right = _right(row, short=False)
    if said.verdict is None and not row.stratum and row.of:
        right.add(" fail")
    return line.add(" ").join(right)


def verdict_mark(verdict: str | None, look: Look) -> Line:
    """One cell: accepted, rejected, edited, skipped, or nothing."""
    match verdict:
        case "accepted":
            return Line(look.glyph("done"), "label-c")
        case "rejected":
            return Line(look.glyph("INCORRECT"), "label-i bold")
        case "edited":
            return Line(look.glyph("edited"), "accent")
        case "skipped":
            return Line(look.glyph("then"), "ink-3")
        case _:
            return Line(" ")


def format_share(part: int, of: int, short: bool) -> str:
    """So many of so many: `5 of 5`, or short `5/5`."""
    return f"{part:,}/{of:,}" if short else f"{part:,} of {of:,}"


def _right(row: ReviewRow, short: bool) -> Line:
    said = row.standing
    if said.verdict == "rejected":
        return Line(said.reason or "rejected", "label-i")
    if said.verdict == "edited":
        return Line("edited", "accent")
    if row.stratum:
        return Line(row.stratum, "ink-3")
    if not row.of:
        return Line(spell("–"), "ink-3")
    return Line(format_share(row.fails, row.of, short), "ink-2" if row.fails else "ink-3")
