"""What stands below the bars of few models: the tasks of the lens's, and what to do next."""

from collections.abc import Callable, Iterator, Sequence

from textual import events
from textual.app import ComposeResult

from core.glossary.glossary import BY_TERM
from core.scoring.policy import Policy
from core.stats.intervals import LEVEL, wilson
from core.views.profiles.profile_rows import ProfileRow
from core.views.profiles.task_grades import FailedQuestions
from tui.screens.profiles import render_bars, render_tasks
from tui.screens.profiles.bars_view import Bars
from tui.screens.profiles.render_numbers import percent, points
from tui.screens.profiles.render_rows import difference_role
from tui.screens.profiles.render_tasks import NextSteps
from tui.screens.profiles.state import ShownProfiles
from tui.text.line import Line
from tui.theme.glyphs import spell
from tui.theme.look import Look
from tui.theme.roles import code_role
from tui.widgets.line_view import LineView
from tui.widgets.line_widget import ClickableLine
from tui.widgets.pane import Pane

# The profiles of one model as rows: facts, the share on an axis with its interval, the change.

CODE, NAME, FACTS, SHARE, SINCE, ENDS = 4, 28, 8, 8, 9, 16
"""Cells of the columns; the axis has what is left, and words if there is more than it needs."""

WORDS = 30
LEAST_AXIS = 24


def share_lines(row: ProfileRow, chosen: str | None, width: int, look: Look) -> list[Line]:
    """A heading, then a line for each profile; nothing where there is no share of anything."""
    total = render_bars.count_facts(row.now)
    if not total:
        return []
    numbers = FACTS + SHARE + SINCE + ENDS
    words = WORDS if width - CODE - NAME - WORDS - numbers >= LEAST_AXIS else 0
    axis = width - CODE - NAME - words - numbers - 2
    lines = [_heading(words, axis)]
    lines += _draw_rows(row, chosen, words, axis, look)
    return [line.clip(width) for line in lines]


def _heading(words: int, axis: int) -> Line:
    line = Line().to(CODE + 1).cell("profile", NAME, "ink-3")
    line.cell("in words" if words else "", words, "ink-3")
    line.cell("facts", FACTS - 2, "ink-3", right=True).add("  ")
    if axis >= LEAST_AXIS:
        ends = (
            Line("0", "ink-3").to(axis // 2 - 1).add("50", "ink-3").to(axis - 3).add("100", "ink-3")
        )
        line.join(ends)
    else:
        line.to(line.width + max(0, axis))
    line.cell("share", SHARE, "ink-3", right=True).cell("change", SINCE, "ink-3", right=True)
    return line.cell(f"{LEVEL:.0%}".replace("%", " %"), ENDS, "ink-3", right=True)


def _draw_rows(
    row: ProfileRow, chosen: str | None, words: int, axis: int, look: Look
) -> Iterator[Line]:
    total, before = render_bars.count_facts(row.now), render_bars.count_facts(row.start)
    for part in render_bars.segments(row.now):
        share, code = part.count / total, part.code
        start = render_bars.count_of(row.start, code) / before if before else None
        entry, here = BY_TERM.get(code), " bold" * (code == chosen)
        name = code.lower()
        filled = f"on-{name} bold @fill-{name}" if row.now.summary.thinking else "ink bold"
        line = Line(f" {spell(code)} ", filled).add(" ")
        line.cell(entry.name if entry else "", NAME, f"ink{here}")
        line.cell(spell(entry.short).partition(":")[0] if entry and words else "", words, "ink-2")
        line.cell(f"{part.count:,}", FACTS - 2, "ink", right=True).add("  ")
        found = wilson(part.count, total)
        line.join(_axis(share, found, axis, code, look))
        line.cell(percent(share), SHARE, "ink bold", right=True)
        change = points(share, start)
        line.cell(
            change, SINCE, "ink-3" if change == "0.0" else difference_role(change), right=True
        )
        ends = f"{percent(found[0])} to {percent(found[1])}" if found else spell("–")
        yield line.cell(ends, ENDS, "ink-2", right=True)


def _axis(
    share: float, found: tuple[float, float] | None, axis: int, code: str, look: Look
) -> Line:
    """The share as a knob on a track from 0 to 100, its interval as a bar."""
    if axis < LEAST_AXIS:
        return Line().to(max(0, axis))
    most = axis - 1
    low, high = (round(one * most) for one in found or (share, share))
    at, line = round(share * most), Line()
    low, high = min(low, at), max(high, at)
    role = code_role(code)
    line.add(look.glyph("track") * low, "rule").add(look.glyph("bar") * (at - low), role)
    line.add(look.glyph("knob"), f"{role} bold").add(look.glyph("bar") * (high - at), role)
    return line.add(look.glyph("track") * (most - high), "rule")


WHOLE = 38
"""From so many lines of the terminal on there is room for all panes of few models."""

SHARES = 20
"""From so many lines on the profiles of an only model stand below its bar."""

HALF = 80
"""Below so many cells a breakdown beside another pane has fewer numbers."""


MakeLines = Callable[[int], list[Line]]
"""Makes lines for a width."""


class FittedLines(LineView, can_focus=False):
    """Lines that are made for the width there is; nothing to choose."""

    DEFAULT_CSS = "FittedLines { height: auto; }"

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._make: MakeLines = lambda width: []
        self._made: tuple[int, list[Line]] = 0, []

    def put(self, make: MakeLines) -> None:
        """Show what is made so for a width."""
        rows = len(self._made[1])
        self._make, self._made = make, (0, [])
        self.refresh_changed()
        if self.height_at(self.line_width) != rows:
            self.refresh(layout=True)

    def lines(self, width: int) -> list[Line]:
        """The lines for a width."""
        if self._made[0] != width:
            self._made = width, self._make(width)
        return self._made[1]

    def row_count(self) -> int:
        """Lines at the present width."""
        return len(self.lines(self.line_width))

    def height_at(self, width: int) -> int:
        """Lines at a width."""
        return len(self.lines(width))

    def is_choosable(self, row: int) -> bool:
        """Nothing here takes a cursor."""
        return False

    def draw(self, row: int, line: int, width: int) -> Line:
        """One of the lines."""
        return Line().join(self.lines(width)[row])


class ShareRows(FittedLines, can_focus=False):
    """A row for each profile of the only model: the bar above, on which keys act, chooses one."""

    def __init__(self) -> None:
        super().__init__(id="shares")
        self._codes: list[str | None] = []
        """The code of each line; None for a heading or a blank one."""

    @property
    def leads(self) -> bool:
        """The row is what the keys of the bar choose."""
        return True

    def put_row(self, row: ProfileRow | None, chosen: str | None, above: int) -> None:
        """Show the profiles of a row, with some blank lines `above` them."""
        codes = [part.code for part in render_bars.segments(row.now)] if row else []
        self._codes = [*[None] * (above + 1), *codes]

        def lines(width: int) -> list[Line]:
            found = share_lines(row, chosen, width - 2, self.look) if row else []
            return [*[Line()] * above, *(Line(" ").join(line) for line in found)]

        self.cursor = self._codes.index(chosen) if chosen in codes else None
        self.put(lines)

    def put_heard(self, lines: Sequence[Line]) -> None:
        """What is said of the chosen segment instead: who listens hears the rows in the bar."""
        self.cursor, self._codes = None, []
        self.put(lambda width: [line for line in lines if line.width])

    def on_click(self, event: events.Click) -> None:
        """A click on a profile chooses it."""
        place = event.y + self._top
        code = self._codes[place] if 0 <= place < len(self._codes) else None
        if code is not None:
            event.stop()
            self.post_message(Bars.CodeWanted(code))


class TasksPane(Pane):
    """The mean grade of each task, off and on."""

    _failed: FailedQuestions | None = None

    def compose(self) -> ComposeResult:
        """The tasks."""
        yield FittedLines(id="grades")

    def put(self, shown: ShownProfiles, policy: Policy, airy: bool, below: bool) -> None:
        """Show the grades of what is shown, with blank lines between them where it is `airy`.

        Which questions fail stands `below` them, if not elsewhere.
        """
        view, grades = self.query_one(FittedLines), shown.grades or []
        look, self._failed = view.look, shown.failed
        self.edge(Line("mean g", "ink-3"))

        def lines(width: int) -> list[Line]:
            found = render_tasks.task_lines(grades, policy, width - 1, look)
            found = [one for line in found for one in (line, Line())] if airy else found
            return [*found, *(self.failed_lines(width) if below else ())]

        view.put(lines)

    def failed_lines(self, width: int) -> list[Line]:
        """Which questions fail of what is shown."""
        if self._failed is None:
            return []
        return render_tasks.failed_lines(self._failed, width - 1, self.query_one(FittedLines).look)


class NextPane(Pane):
    """What to do next, with the key of each step."""

    def compose(self) -> ComposeResult:
        """The steps in one line."""
        yield ClickableLine(id="steps")

    def put(self, steps: NextSteps) -> None:
        """Show the steps that fit into the terminal's width."""
        width = self.app.size.width - 4
        self.title(Line("Next"))
        self.query_one(ClickableLine).write(render_tasks.next_line(steps, width))
