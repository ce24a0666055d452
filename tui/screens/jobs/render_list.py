"""The list of jobs: in which order they stand, and the line of each."""

from collections.abc import Sequence
from datetime import datetime

from core.jobs.job_progress import State
from core.jobs.job_view import JobView
from core.stats.number_format import format_duration
from tui.screens.jobs import sentences
from tui.screens.jobs.render_stages import share_bar
from tui.text.line import Line
from tui.text.number_text import format_money
from tui.theme.glyphs import spell
from tui.theme.look import Look

LONG = 70
"""Cells from which a job's line says everything about it."""

TITLE, BAR, SAID = 20, 14, 48
"""Cells of a job's title at least, of its bar, and of what stands behind that."""

RANK = {State.RUNNING: 0, State.PAUSED: 1, State.WAITING: 2, State.STOPPED: 3, State.OUT: 3}
"""What stands first; all others stand below, newest first."""


def merge_jobs(stored: Sequence[JobView], here: Sequence[JobView]) -> list[JobView]:
    """The jobs of the file, those that this program works on as it knows them."""
    mine = {view.id: view for view in here}
    found = [mine.pop(view.id, view) for view in stored]
    return [*mine.values(), *found]


def order_jobs(views: Sequence[JobView], before: Sequence[int] = ()) -> list[JobView]:
    """Jobs in the order in which they stood; new ones before them, by state and newest first."""
    place = {job: at for at, job in enumerate(before)}

    def rank(view: JobView) -> tuple[int, int, int]:
        if view.id in place:
            return 1, place[view.id], 0
        return 0, RANK.get(view.state, len(RANK)), -view.id

    return sorted(views, key=rank)


def draw(view: JobView, width: int, chosen: bool, look: Look, now: datetime | None = None) -> Line:
    """A job: its mark, its title, and how far it is; how late requests are needs the time."""
    mark, role = sentences.mark(view, look)
    name = "ink bold" if chosen else "ink" if view.state is State.RUNNING else "ink-2"
    line = Line(" ").add(mark, role).add(" ")
    if width >= LONG:
        return _draw_long(view, line, name, width, look, now)
    said = sentences.WISHES.get(view.wish or "", sentences.describe_progress(view))
    role = "ink-2" if view.state is State.RUNNING else "ink-3"
    return line.add(sentences.numbered_title(view), name).right(Line(said, role), width - 1)


def _draw_long(
    view: JobView, line: Line, name: str, width: int, look: Look, now: datetime | None
) -> Line:
    """The same with a bar, rate, time left and cost, each below those of other jobs.

    While requests are late, that stands for rate and time left, which go by what comes back.
    """
    runs = view.state is State.RUNNING and not view.lost
    line.cell(
        sentences.numbered_title(view), max(TITLE, min(2 * TITLE, width - BAR - SAID)), name
    ).add(" ")
    if view.total and view.state not in sentences.OVER:
        line.join(share_bar(view.share, BAR, look)).add(f"{view.share:>5.0%}  ", "ink bold")
    said = sentences.describe_labels(view) if runs else sentences.describe_progress(view)
    said = sentences.WISHES.get(view.wish or "", said)
    late = _describe_late(view, now) if runs else ""
    left = format_duration(view.left) if runs and view.left is not None else ""
    line.add(f"{late}  " if late else "", "label-p")
    pace = () if late or not runs else (sentences.rate(view), left)
    return line.add("  ".join(filter(None, (said, *pace, cost(view)))), "ink-2").clip(width - 1)


def _describe_late(view: JobView, now: datetime | None) -> str:
    """`7 late, 29 s of 1 min`: the age and the deadline of the one that is out for longest."""
    count = sum(stage.late for stage in view.stages)
    if not count or not view.late or now is None:
        return f"{count:,} late" if count else ""
    oldest = min(view.late, key=lambda one: one.sent)
    age = format_duration((now - oldest.sent).total_seconds())
    return f"{count:,} late, {age} of {format_duration(oldest.deadline)}"


def cost(view: JobView) -> str:
    """What a job has cost, against its budget."""
    if view.max_cost is not None and view.state not in sentences.OVER:
        return f"{format_money(view.cost or 0.0)} of {format_money(view.max_cost)}"
    return format_money(view.cost) if view.cost else ""


def position(count: int | None, row: int | None) -> Line:
    """Where in a list of so many jobs the cursor is; None while they are read."""
    if count is None:
        return Line(spell("…"), "ink-3")
    return Line(f"{0 if row is None else row + 1:,} of {count:,}", "ink-3")
