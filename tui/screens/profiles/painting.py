"""How the Profiles screen is painted: everything follows from the material and the lens."""

from textual.app import ComposeResult

from core.scoring.curtailed_runs import ELSEWHERE, is_elsewhere
from core.stats.bootstrap import RECORDED
from core.views.lens import Lens
from core.views.profiles.profile_rows import ProfileRow, RowGrouping
from tui.screens.audit_screen import AuditScreen
from tui.screens.profiles import (
    messages,
    render_bars,
    render_lens,
    render_rows,
    render_segment,
    subset_dialog,
)
from tui.screens.profiles.bars_view import Bars
from tui.screens.profiles.render_rows import Drawing
from tui.screens.profiles.state import ProfilesState, ShownProfiles
from tui.screens.profiles.widgets import ClickableLine
from tui.text.line import Line
from tui.widgets.pane import Pane

ONE_LINE = 30
"""Below so many lines of the terminal a row takes one."""


class BarsPainting(AuditScreen):
    """Lens, bars, segment; where there is height, the lens's model broken down too."""

    DEFAULT_CSS = """
    BarsPainting #lens { height: 4; }
    BarsPainting #segment { height: 3; }
    BarsPainting #profiles { height: 1fr; }
    BarsPainting #breakdown { height: 1fr; display: none; }
    BarsPainting.-high #profiles { height: auto; max-height: 66%; }
    BarsPainting.-high #bars { height: auto; max-height: 100%; }
    BarsPainting.-high #breakdown { display: block; }
    BarsPainting.-narrow #lens, BarsPainting.-narrow #segment { height: 2; }
    BarsPainting.-narrow #rest, BarsPainting.-narrow #columns { display: none; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.reading = ProfilesState()

    def body(self) -> ComposeResult:
        """Lens, bars, the breakdown, segment."""
        with Pane(id="lens"):
            yield ClickableLine(id="policy")
            yield ClickableLine(id="rest")
        with Pane(id="profiles"):
            yield ClickableLine(id="legend")
            yield ClickableLine(id="columns")
            yield Bars("bars")
        with Pane(id="breakdown"):
            yield ClickableLine(id="group-columns")
            yield Bars("groups")
        yield from self.instead()
        with Pane(id="segment"):
            yield ClickableLine(id="chosen")

    def instead(self) -> ComposeResult:
        """What may stand where the bars are."""
        yield from ()

    def on_mount(self) -> None:
        """Begin in the bars."""
        self.query_one("#segment", Pane).title(Line("Segment"))
        self.groups.activate(False)
        self.main.focus()
        self.paint()

    @property
    def main(self) -> Bars:
        """The upper bars."""
        return self.query_one("#bars", Bars)

    @property
    def groups(self) -> Bars:
        """The lower bars: the lens's model broken down."""
        return self.query_one("#groups", Bars)

    @property
    def leading(self) -> Bars:
        """The bars that keys act on."""
        return self.groups if self.focused is self.groups and self.high else self.main

    @property
    def upper(self) -> RowGrouping:
        """What the upper bars are."""
        return RowGrouping.MODELS if self.high else self.reading.by

    @property
    def below(self) -> RowGrouping | None:
        """By what the lens's model is broken down; None where that is nowhere seen."""
        if self.reading.by is not RowGrouping.MODELS:
            return self.reading.by
        return RowGrouping.TOPICS if self.high else None

    def by_of(self, view: Bars) -> RowGrouping:
        """What the rows of some bars are."""
        return (self.below or RowGrouping.TOPICS) if view is self.groups else self.upper

    def want_sure(self, lens: Lens) -> None:
        """Have the intervals worked out that are to be seen."""

    @property
    def is_reading(self) -> bool:
        """Whether other counts are on their way."""
        return False

    # Painting: everything follows from material and lens

    def paint(self) -> None:
        """Show all bars, and in the frame what has changed with them."""
        if self.is_mounted:
            self.paint_all()
            self.settle_frame()
            self.refresh_bindings()

    def paint_all(self) -> None:
        """Show all bars through the lens as it is now; lines that are the same stay."""
        lens, start = self.lostkeys.lens, self.lostkeys.first_lens
        shown = None if lens is None or start is None else self._worked_out(lens, start)
        if lens is None or start is None or shown is None:
            self._paint_words()
        else:
            self._paint_lens(lens, start)
            self.want_sure(lens)
            self._paint_bars(shown, lens, start)
        self.paint_segment()

    def _worked_out(self, lens: Lens, start: Lens) -> ShownProfiles | None:
        if messages.unable(self.lostkeys.board, self.reading.material) is not None:
            return None
        return self.reading.work_out(lens, start, self.below)

    def _rows(self, shown: ShownProfiles, by: RowGrouping) -> list[ProfileRow]:
        return shown.models if by is RowGrouping.MODELS else shown.groups

    def _paint_words(self) -> None:
        board, now = self.lostkeys.board, self.reading
        self.main.say(messages.unable(board, now.material) or [])
        self.groups.say([])
        self.query_one("#profiles", Pane).title(Line("Profiles"))
        self.query_one("#profiles", Pane).edge(Line())
        self.query_one("#breakdown", Pane).title(Line())
        self.query_one("#breakdown", Pane).edge(Line())
        for name in ("legend", "columns", "group-columns"):
            self.query_one(f"#{name}", ClickableLine).write(Line())
        lens, start = self.lostkeys.lens, self.lostkeys.first_lens
        if lens is not None and start is not None:
            self._paint_lens(lens, start)

    def _paint_lens(self, lens: Lens, start: Lens) -> None:
        look, now = self.lostkeys.look, self.reading
        title, name = Line("Lens"), now.name_of(lens)
        title.add(f"  {name}" if name else "", "ink-2")
        if subset_dialog.is_set(now.wanted):
            title.add(f"  {self._facts()} facts" if self.narrow else " ", "ink-2")
            title.join(render_lens.chips(now.wanted))
        pane = self.query_one("#lens", Pane)
        pane.title(title.clip(max(8, self.app.size.width - 6)))
        pane.edge(Line("=", "accent").add(" start values", "ink-3"))
        self.query_one("#policy", ClickableLine).write(
            render_lens.first(lens, start, self.narrow, look)
        )
        rest = render_lens.second(lens, self._facts(), now.by)
        self.query_one("#rest", ClickableLine).write(rest)

    def _facts(self) -> str:
        found = self.reading.material
        if found is None:
            facts = self.lostkeys.facts
            return "…" if facts is None else f"all {facts:,}"
        if not subset_dialog.is_set(self.reading.wanted):
            return f"all {found.total:,}"
        return f"{int(found.facts.sum()):,} of {found.total:,}"

    @property
    def _room(self) -> int:
        """Cells within a pane."""
        return self.app.size.width - (0 if self.narrow else 4)

    def _drawing(
        self, some: list[ProfileRow], by: RowGrouping, lines: int, differs: bool
    ) -> Drawing:
        now, width = self.reading, self.app.size.width - (0 if self.narrow else 2)
        doubted = [row.name for row in some if now.doubts.get(row.name)]
        marks = 2 * any(row.provisional for row in some) + 2 * (
            by is RowGrouping.MODELS and bool(doubted)
        )
        sure = now.sure.get(by) if now.intervals and now.sure else {} if now.intervals else None
        setting = render_rows.layout(width, some, by, marks, self.narrow, lines, differs)
        return Drawing(setting, self.lostkeys.look, differs, sure, doubted, by)

    def _paint_bars(self, shown: ShownProfiles, lens: Lens, start: Lens) -> None:
        now, look, by = self.reading, self.lostkeys.look, self.upper
        some = self._rows(shown, by)
        since = render_lens.since(lens, start, look)
        lines = 1 if self.narrow or self.app.size.height < ONE_LINE else 2
        drawing = self._drawing(some, by, lines, since is not None or now.intervals)
        self.main.put(
            some, drawing, lens.model if by is RowGrouping.MODELS else self._named_row(self.main)
        )
        setting = drawing.layout
        ends = setting.start + setting.bar + 1
        legend = render_bars.legend(
            ends if self.narrow else setting.width,
            1 if self.narrow else setting.start,
            look,
            self.narrow,
        )
        if self.narrow:
            render_rows.columns(legend.to(ends), setting)
        self.query_one("#legend", ClickableLine).write(legend)
        self.query_one("#columns", ClickableLine).write(
            render_rows.column_line(now.order, setting, look)
        )
        self._paint_edges(by, lens, since)
        if self.high and self.below is not None:
            below = self._drawing(shown.groups, self.below, 1, False)
            self.groups.put(shown.groups, below, self._named_row(self.groups))
            self._paint_breakdown(below.layout, lens)

    def _named_row(self, view: Bars) -> str | None:
        return view.row.name if view.row else None

    def _paint_edges(self, by: RowGrouping, lens: Lens, since: str | None) -> None:
        pane, title = self.query_one("#profiles", Pane), Line("Profiles")
        if by is not RowGrouping.MODELS:
            title = Line(lens.model or "").clip(max(8, self.app.size.width - 24))
            title.add(f" by {by.value.removesuffix('s')}")
        pane.title(title)
        if not self.is_reading:
            pane.edge(self._edge(since))

    def _edge(self, since: str | None) -> Line:
        row = self.main.row
        line = Line()
        if row is not None and row.moved and since:
            line.add(f"{row.moved:,} moved", "ink-2").add(" M", "accent").add(
                " lists them · ", "ink-3"
            )
        if self.reading.intervals:
            how = f"{RECORDED['resamples']:,} resamples, seed {RECORDED['seed']}"
            return line.add(f"± half of the 90% interval · {how}", "ink-3")
        return line.add(f"top bar now · thin line at {since}" if since else "at the start", "ink-3")

    def _paint_breakdown(self, setting: render_rows.BarLayout, lens: Lens) -> None:
        pane = self.query_one("#breakdown", Pane)
        model = Line(lens.model or "").clip(max(8, self.app.size.width - 24))
        pane.title(model.add(f" by {(self.below or RowGrouping.TOPICS).value.removesuffix('s')}"))
        pane.edge(Line("v", "accent").add(" topics, types, tiers", "ink-3"))
        line = Line().to(setting.start + setting.bar + 1)
        self.query_one("#group-columns", ClickableLine).write(render_rows.columns(line, setting))

    def paint_segment(self) -> None:
        """The chosen segment, and why its model is doubtful."""
        view = self.leading
        row, code, lens, start = view.row, view.chosen, self.lostkeys.lens, self.lostkeys.first_lens
        line, why = Line(), ""
        if row is not None and lens is not None and start is not None:
            by = self.by_of(view)
            since = render_lens.since(lens, start, self.lostkeys.look)
            why = self._why(row, by, lens)
            sure = self.reading.sure.get(by) if self.reading.intervals else None
            line = Line(self.lostkeys.look.glyph("cursor"), "accent").join(
                render_segment.segment(row, code, by, since, sure, self.narrow, self._room - 1)
                if code is not None
                else Line(f"{render_rows.shown_name(row.name, by)}   ", "ink").join(
                    render_segment.aside(row)
                )
            )
        self._put_segment(line, why)

    def _why(self, row: ProfileRow, by: RowGrouping, lens: Lens) -> str:
        """What makes a row doubtful, or incomplete."""
        why, found = render_rows.doubts_of(self.reading.doubts, row, by), self.reading.material
        if found is None or not row.now.summary.incomplete:
            return why
        if is_elsewhere(found.now.tally, row.place, lens.policy):
            return f"{ELSEWHERE}; {why}" if why else ELSEWHERE
        return why

    def _put_segment(self, line: Line, why: str) -> None:
        pane = self.query_one("#segment", Pane)
        self.query_one("#chosen", ClickableLine).write(line)
        said = Line("! ", "label-p bold").add(why, "label-p") if why else Line()
        room = max(0, self.app.size.width - 16)
        beside = Line("  ").join(said.clipped(room)) if self.narrow and why else Line()
        pane.title(Line("Segment").join(beside))
        pane.edge(said.clip(room))
