"""A job in the status line: what it does, how far it is, and how long it takes yet."""

from core.jobs.job_progress import JobProgress, State, format_progress
from tui.text.line import Line
from tui.theme.look import Look
from tui.widgets.pane_layout import NARROW

BAR, SHORT_BAR = 16, 8

MARKS = {
    State.WAITING: ("waiting", "ink-3"),
    State.RUNNING: ("running", "accent"),
    State.PAUSED: ("paused", "label-p"),
    State.STOPPED: ("paused", "label-p"),
    State.FINISHED: ("done", "label-c"),
    State.FAILED: ("failed", "label-i"),
    State.CANCELLED: ("undrawn", "ink-3"),
    State.OUT: ("waiting", "accent"),
}
"""The mark of each state, and its role."""


def job_line(progress: JobProgress, width: int, look: Look) -> Line:
    """A job: what, how far, a bar, rate, time left; below 100 columns the share in percent."""
    said = format_progress(progress)
    mark, role = MARKS[progress.state]
    line = Line(look.glyph(mark), role).add(f" {progress.doing}", "ink-2")
    if progress.state in (State.FAILED, State.STOPPED):
        return line.add(f" {progress.reason} ", "label-i" if mark == "failed" else "label-p")
    short = width < NARROW
    if not short:
        line.add(f" {progress.name}", "ink").add(f"  {said.count}", "ink-2")
    if progress.state is State.PAUSED:
        line.add(" paused" if short else "  paused", "label-p")
    if progress.state in (State.RUNNING, State.PAUSED):
        line.add(f" {said.share:.0%}" if short else "", "ink-2").add(" " if short else "  ")
        line.join(_bar(said.share, SHORT_BAR if short else BAR, look))
        line.add(f"  {said.rate}" if said.rate and not short else "", "ink-2")
        line.add(f"  {said.left}" if said.left else "", "ink-2")
    return line.add(" ")


def _bar(share: float, cells: int, look: Look) -> Line:
    full = int(share * cells)
    line = Line(look.glyph("bar") * full, "accent")
    return line.add(look.glyph("track") * (cells - full), "rule")
