"""The lines of the stages of all jobs: how much waits, runs, is done, was dropped, has failed."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.jobs.job_progress import State
from core.jobs.job_view import JobStage, JobView
from tui.frame.job_line import MARKS
from tui.screens.jobs import sentences
from tui.text import number_text
from tui.text.line import Line
from tui.theme.look import Look

NAME, COUNT = 24, 9
"""Cells of a stage's name at least, and of each count."""

FIRST = 3
COUNTS = ("wait", "run", "done", "dropped", "failed")
PLAIN = FIRST + NAME + COUNT * len(COUNTS) + 1
"""Cells that the columns need; a bar stands in what is left of them."""

LATE = ("failed", "label-p")
"""The mark of a stage with requests that are out for long, and its role."""

LEAST_BAR, MOST_BAR, MOST_NAME = 6, 30, 44


@dataclass(frozen=True, slots=True)
class StageRow:
    """A line of the list: a job's heading, one of its stages, a word where it has none, a gap."""

    job: JobView | None
    stage: JobStage | None = None
    heading: bool = False

    @property
    def key(self) -> tuple[int, str] | None:
        """What the cursor is tied to: job and stage; None where it cannot stand."""
        if self.job is None or self.heading:
            return None
        return self.job.id, self.stage.name if self.stage else ""


def list_rows(views: Sequence[JobView], airy: bool) -> list[StageRow]:
    """Every stage under its job; with blank lines between jobs if there is height for them."""
    found: list[StageRow] = []
    for view in views:
        if found and airy:
            found.append(StageRow(None))
        found.append(StageRow(view, heading=True))
        found += [StageRow(view, stage) for stage in view.stages] or [StageRow(view)]
    return found


def columns(width: int) -> tuple[int, int]:
    """Cells of the name and of the bar in a width."""
    rest = width - PLAIN - 1
    if rest < LEAST_BAR - 1:
        return max(1, NAME + min(0, width - PLAIN)), 0
    bar = min(MOST_BAR, max(LEAST_BAR - 1, rest // 2))
    return min(MOST_NAME, NAME + rest - bar), bar


def heading(width: int) -> Line:
    """What the columns hold."""
    name, _ = columns(width)
    line = Line().to(FIRST).cell("stage", name, "ink-3")
    for one in COUNTS:
        line.cell(one, COUNT, "ink-3", right=True)
    return line


def draw(row: StageRow, width: int, chosen: bool, look: Look) -> Line:
    """One row."""
    if row.job is None:
        return Line()
    if row.heading:
        return (
            Line(" ")
            .add(f"{sentences.numbered_title(row.job)} ", "ink-3")
            .clip(width - 4)
            .rule(width - 1)
        )
    if row.stage is None:
        return _draw_no_stages(row.job, width, look)
    mark, role = mark_of(row.stage, row.job)
    name, bar = columns(width)
    line = Line(" ").add(look.glyph(mark), role).add(" ").to(FIRST)
    running = mark == "running" or row.stage.late > 0
    line.cell(
        shorten_name(row.stage.name), name, "ink bold" if chosen else "ink" if running else "ink-2"
    )
    for number, shown in zip(_counts(row.stage, row.job), _ROLES, strict=True):
        if number:
            line.cell(number_text.format_short(number), COUNT, shown, right=True)
        else:
            line.cell(look.glyph("none"), COUNT, "ink-3", right=True)
    if bar:
        line.add(" ").join(bar_of(row.stage, bar, row.job.state, look))
    return line


_ROLES = ("ink-2", "accent bold", "ink", "label-p", "label-i bold")


def mark_of(stage: JobStage, job: JobView) -> tuple[str, str]:
    """The mark of a stage and its role, by what it and its job do."""
    if not stage.left and stage.total:
        return MARKS[State.FINISHED if stage.done or stage.dropped else State.FAILED]
    if job.state is State.CANCELLED:
        return MARKS[State.CANCELLED]
    begun = bool(stage.running or stage.done)
    standing = job.state in (State.PAUSED, State.STOPPED, State.FAILED) or job.lost
    if begun and standing:
        return MARKS[State.FAILED if job.state is State.FAILED else State.PAUSED]
    if stage.late and job.state is State.RUNNING:
        return LATE
    if begun and job.state is State.RUNNING:
        return MARKS[State.RUNNING]
    return MARKS[State.WAITING]


def shorten_name(name: str) -> str:
    """A stage's name with of a model grader only its model: no provider, no address."""
    return _MODEL.sub(r"\1", name)


_MODEL = re.compile(r"llm:(?:[a-z]+:)?([^@]*)(?:@http\S*)?")


def bar_of(stage: JobStage, cells: int, state: State, look: Look) -> Line:
    """How much of a stage is done; blank where all of it is."""
    if not stage.total or (not stage.left and state not in (State.RUNNING, State.PAUSED)):
        return Line()
    return share_bar((stage.total - stage.left) / stage.total, cells, look)


def share_bar(share: float, cells: int, look: Look, role: str = "accent") -> Line:
    """A share (0 to 1) as a bar; something is seen of whatever has begun."""
    full = min(cells, max(int(share * cells), 1 if share > 0 else 0))
    line = Line(look.glyph("bar") * full, role)
    return line.add(look.glyph("track") * (cells - full), "rule")


def _counts(stage: JobStage, job: JobView) -> tuple[int, ...]:
    """The numbers of a stage; of a job that does not run nothing runs, whatever was written."""
    runs = job.state in (State.RUNNING, State.PAUSED)
    running = stage.running if runs else 0
    return stage.left - running, running, stage.done, stage.dropped, stage.failed


def _draw_no_stages(view: JobView, width: int, look: Look) -> Line:
    """A job without stages: where it is, or why it got no further."""
    mark, role = sentences.mark(view, look)
    line = Line(" ").add(mark, role).to(FIRST)
    said = view.reason or sentences.describe_progress(view)
    return line.cell(said, max(0, width - FIRST - 1), "ink-2")
