"""The status line: what just happened, or what is open; and what runs."""

from core.stats.number_format import format_amount
from tui.text.line import Line
from tui.theme.glyphs import spell
from tui.widgets.line_widget import LineWidget
from tui.widgets.pane_layout import NARROW

LEAST_WORDS = 24
"""Cells of a message that are left where the keys behind it are kept whole."""


class StatusLine(LineWidget):
    """A message, trouble, or the database at the left; the job at the right."""

    ground = "raised"

    def draw(self, width: int) -> Line:
        """What there is to say, and a hint; what just happened may take the whole line."""
        app = self.lostkeys
        left = Line(" ").join(self._draw_message())
        job = self._draw_job(width)
        if left.width + job.width > width >= NARROW:
            job = self._draw_job(NARROW - 1)
        hint = app.hints.line
        if hint is not None and left.width + hint.width + job.width + 4 <= width:
            left.add("   ").join(hint)
        standing = app.status.said, app.load_error, app.status.refused_writes
        urgent = any(one is not None for one in standing)
        return (
            clip_before_keys(left, width)
            if urgent and left.width + job.width > width
            else left.right(job, width)
        )

    def _draw_job(self, width: int) -> Line:
        """What runs, as there is room for it on a screen of this width."""
        progress = self.lostkeys.jobs.progress
        if progress is None:
            return self._draw_idle().add(" ")
        if self.look.is_spoken:
            return Line(f"{progress.doing}: {progress.state.value} ", "ink-3")  # it does not tick
        from tui.frame.job_line import job_line

        return job_line(progress, width, self.look)

    def _draw_idle(self) -> Line:
        """What stands where no job is: of counts, what they are of."""
        app = self.lostkeys
        if app.snapshot is None or app.snapshot.counted is None:
            return Line("nothing runs", "ink-3")
        from core.glossary.job_terms import COUNTS_OF_A_LAKE

        line = Line(COUNTS_OF_A_LAKE, "ink-3")
        if app.status.lake_changed:
            line.add(", which has changed since", "label-p")
        return line

    def _draw_message(self) -> Line:
        app = self.lostkeys
        refused = app.status.refused_writes
        if refused is not None and app.load_error is None:
            count, error = refused
            if app.status.said is None:
                return draw_refused(count, app.status.shorten_path(str(error)))
            return draw_refused(count).add("   ").join(app.status.said)
        if app.status.said is not None and not (self.look.is_spoken and app.load_error):
            return app.status.said
        if app.load_error is not None:
            tries = Line("ctrl+r", "accent bold").add(" tries again  ", "ink-2")
            return tries.add(app.status.shorten_path(str(app.load_error)), "label-i")
        return app.tab_screen(app.tab).status() or database_line(
            app.path.name, app.facts, app.own, app.person
        )


def clip_before_keys(line: Line, width: int) -> Line:
    """A message in `width` cells: its words are cut, not the keys that stand behind them."""
    keys = next((at for at, span in enumerate(line.spans) if span.role == "accent bold"), 0)
    behind = Line("  ")
    for span in line.spans[keys:]:
        behind.put(span)
    if line.width <= width or not keys or behind.width + LEAST_WORDS > width:
        return line.clip(width)
    words = Line()
    for span in line.spans[:keys]:
        words.put(span)
    return words.clip(width - behind.width).join(behind)


def draw_refused(count: int, error: str = "") -> Line:
    """`ctrl+r clears  3 not written: x.db is locked by another program`.

    Without the error there is room for what was said later.
    """
    line = Line("ctrl+r", "accent bold").add(" clears  ", "ink-2")
    return line.add(f"{count:,} not written{error and f': {error}'}", "label-i")


def database_line(name: str, facts: int | None, own: int, person: str) -> Line:
    """The open database: how many facts, how many labels of one's own."""
    line = Line(name, "ink-2").add(f"  {_count(facts, 'fact')}", "ink-3")
    return line.add(f"  {_count(own, 'label')} by human:{person}", "ink-3") if own else line


def _count(number: int | None, what: str) -> str:
    return spell("…") if number is None else format_amount(number, what)
