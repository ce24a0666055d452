"""The panes of the Profiles screen: lens, bars or a comparison, segment."""

from itertools import chain

from textual.app import ComposeResult
from textual.containers import Container

from core.views.lens import Lens
from core.views.profiles.profile_rows import ProfileRow, RowKind
from tui.screens.profiles import (
    one_model_panes,
    render_audits,
    render_bars,
    render_comparison,
    render_flow,
    render_lens,
    render_rows,
    sentences,
    subset_dialog,
)
from tui.screens.profiles.bars_view import Bars
from tui.screens.profiles.breakdown_view import OtherGroups
from tui.screens.profiles.comparison_widgets import FlowView, NumbersView, crossed_segment
from tui.screens.profiles.one_model_panes import (
    HALF,
    WHOLE,
    FittedLines,
    NextPane,
    ShareRows,
    TasksPane,
)
from tui.screens.profiles.render_audits import ShownAudits
from tui.screens.profiles.render_flow import FlowCell
from tui.screens.profiles.render_rows import BarLayout, RowContext
from tui.screens.profiles.render_tasks import NextSteps
from tui.screens.profiles.segment_pane import (
    SegmentPane,
    describe_one_answer,
    describe_row,
    list_doubts,
)
from tui.screens.profiles.state import ProfilesPosition, ProfilesState, ShownProfiles
from tui.screens.screen_panes import ScreenPanes
from tui.text.line import Line
from tui.widgets.line_widget import ClickableLine
from tui.widgets.pane import Pane

ONE_LINE = 30
"""Below so many lines of the terminal a row takes one."""

TALL = 36
"""From so many lines of the terminal on a cell takes two, and both panes are whole."""


class ProfilesPanes(ScreenPanes):
    """Lens, bars, segment; where there is height, the lens's model broken down too.

    While there is something to compare with, two panes stand where the bars are.
    """

    SCOPED_CSS = False  # what is seen depends on the screen's size class
    DEFAULT_CSS = """
    ProfilesPanes #lens { height: 4; }
    ProfilesPanes #profiles { height: 1fr; }
    ProfilesPanes #below { height: 1fr; layout: horizontal; display: none; }
    ProfilesPanes #breakdown { width: 1fr; height: 100%; }
    ProfilesPanes #tasks { width: 50%; height: 100%; display: none; }
    ProfilesPanes #failed, ProfilesPanes #others, ProfilesPanes #shares { display: none; }
    ProfilesPanes #next { height: 3; display: none; }
    .-high ProfilesPanes #others { display: block; }
    .-whole #tasks, .-whole #failed, .-whole #next, .-whole #below { display: block; }
    ProfilesPanes.-whole #profiles, ProfilesPanes.-whole #bars { height: auto; }
    ProfilesPanes.-alone.-whole #legend { display: none; }
    ProfilesPanes.-alone.-whole #group-columns { display: none; }
    .-high ProfilesPanes.-alone.-whole #group-columns { display: block; }
    .-high ProfilesPanes #profiles { height: auto; max-height: 66%; }
    .-high ProfilesPanes #bars { height: auto; max-height: 100%; }
    .-high ProfilesPanes #below { display: block; }
    .-narrow ProfilesPanes #lens { height: 2; }
    .-narrow ProfilesPanes #rest, .-narrow ProfilesPanes #columns { display: none; }
    ProfilesPanes.-shares #shares { display: block; }
    ProfilesPanes.-alone #profiles { height: auto; }
    ProfilesPanes.-shares #bars { height: auto; max-height: 50%; }
    .-high ProfilesPanes #groups { height: auto; max-height: 100%; }
    ProfilesPanes.-alone #below { display: block; }
    ProfilesPanes #flow, ProfilesPanes #numbers { display: none; }
    ProfilesPanes.-comparing #flow, ProfilesPanes.-comparing #numbers { display: block; }
    ProfilesPanes.-comparing #profiles { display: none; }
    ProfilesPanes.-comparing #below { display: none; }
    ProfilesPanes #flow, ProfilesPanes #flow FlowView { height: auto; }
    ProfilesPanes #numbers { height: 1fr; }
    ProfilesPanes.-one-pane #flow FlowView { height: 1fr; }
    ProfilesPanes.-one-pane #flow, ProfilesPanes.-one-pane #numbers { height: 2; }
    .-narrow .-one-pane #flow, .-narrow .-one-pane #numbers { height: 1; }
    .-one-pane #flow:focus-within, .-one-pane #numbers:focus-within { height: 1fr; }
    """

    def __init__(self, state: ProfilesState) -> None:
        super().__init__()
        self._state = state
        self.main, self.groups = Bars("bars"), Bars("groups")
        """The upper bars, and the lower ones: the lens's model broken down."""
        self.others = OtherGroups()
        self.flow, self.numbers = FlowView(), NumbersView()
        self.shares, self.failed = ShareRows(), FittedLines(id="failed")
        """The profiles of the one model, and which questions fail of that of the lens."""

    def compose(self) -> ComposeResult:
        """Lens, bars, the breakdown, what may stand where they are, segment."""
        with Pane(id="lens"):
            yield ClickableLine(id="policy")
            yield ClickableLine(id="rest")
        with Pane(id="profiles"):
            yield ClickableLine(id="legend")
            yield ClickableLine(id="columns")
            yield self.main
            yield self.shares
        with Container(id="below"):
            yield TasksPane(id="tasks")
            with Pane(id="breakdown"):
                yield ClickableLine(id="group-columns")
                yield self.groups
                yield self.others
                yield self.failed
        with Pane(id="flow"):
            yield self.flow
        with Pane(id="numbers"):
            yield self.numbers
        yield SegmentPane(id="segment")
        yield NextPane(id="next")

    def on_mount(self) -> None:
        """Keys act on the upper bars."""
        self._pane("segment").title(Line("Segment"))
        self.groups.activate(False)

    @property
    def alone(self) -> bool:
        """Whether there is one model only, and room for its profiles and more as rows."""
        return self.has_shares and not (self.base.narrow or self.base.low)

    @property
    def has_shares(self) -> bool:
        """Whether there is one model only, and room for its profiles as rows."""
        return self.has_only_model and not self.base.is_spoken

    @property
    def has_only_model(self) -> bool:
        """Whether there is one model only, and room to say more of it than its bar does."""
        found, room = self._state.material, self.app.size.height >= one_model_panes.SHARES
        return found is not None and len(found.models) == 1 and room

    @property
    def whole(self) -> bool:
        """Whether the tasks of the lens's model stand beside its breakdown: of few models."""
        found, room = self._state.material, self.app.size.height >= WHOLE
        return found is not None and bool(found.tasks) and room and not self.base.narrow

    @property
    def has_breakdown(self) -> bool:
        """Whether the lens's model is broken down below the bars."""
        return self.base.high or self.alone or self.whole

    @property
    def leading(self) -> Bars:
        """The bars that keys act on."""
        below = self.screen.focused is self.groups and self.has_breakdown
        return self.groups if below else self.main

    @property
    def telling(self) -> Pane:
        """The pane in sight whose edge says what is being read, and what could not be."""
        return self._pane("numbers" if self._state.comparing else "profiles")

    def by_of(self, view: Bars) -> RowKind:
        """What the rows of some bars are."""
        high = self.has_breakdown
        if view is self.groups:
            return self._state.lower_kind(high) or RowKind.TOPICS
        return self._state.upper_kind(high)

    def _pane(self, name: str) -> Pane:
        return self.query_one(f"#{name}", Pane)

    def _write(self, name: str, line: Line) -> None:
        self.query_one(f"#{name}", ClickableLine).write(line)

    # Focus

    def focus_comparison(self) -> None:
        """Keys act on what is compared, once that has been laid out."""

        def focus() -> None:
            if self._state.comparing:
                (self.numbers if self.flow.table is None else self.flow).focus()

        self.call_after_refresh(focus)

    def activate_leading(self) -> None:
        """Draw brackets in the bars that keys act on."""
        for view in (self.main, self.groups):
            view.activate(view is self.leading)

    # Where a person is

    @property
    def position(self) -> ProfilesPosition:
        """What is shown, compared and chosen, and what is under the cursors."""
        now, flow, focused = self._state, self.flow, self.screen.focused
        if now.sought is not None:
            return now.sought
        views = (self.main, self.groups, flow, self.numbers)
        return ProfilesPosition(
            now.wanted,
            now.by,
            now.order,
            {by: tuple(names) for by, names in now.standing.items()},
            now.intervals,
            now.against,
            str(focused.id) if focused in views else "bars",
            (_name_of(self.main.row), _name_of(self.groups.row)),
            self.leading.code,
            (flow.bracket.a, flow.bracket.b) if flow.bracket else None,
            self.numbers.cursor,
        )

    def go_to(self, position: ProfilesPosition) -> None:
        """Choose what was chosen; rows follow with what is read."""
        self.choose(position.code)
        if position.cell is not None:
            self.flow.bracket = FlowCell(*position.cell).cell_beside(0, 0)
        self.numbers.cursor = position.number

    def choose(self, code: str | None) -> None:
        """Choose a segment in both bars."""
        self.main.choose(code)
        self.groups.choose(code)

    def show_code(self, code: str | None) -> None:
        """Choose a segment, and say what it is."""
        self.choose(code)
        self.paint_segment()

    def hold(self) -> None:
        """Focus the pane that is sought, once what it shows is there."""
        now, sought = self._state, self._state.sought
        if sought is None:
            return
        now.sought = None
        plain = [self.main, self.groups] if self.has_breakdown else [self.main]
        views = [self.flow, self.numbers] if now.comparing else plain
        found = next((view for view in views if view.id == sought.pane), None)
        if found is not None:
            self.call_after_refresh(found.focus)

    def paint(self) -> None:
        """Show the comparison if there is one, else the bars."""
        app, now, shown = self.base.lostkeys, self._state, self._state.shown
        lens, start, on = app.lens, app.start_lens, now.comparing
        turned = on is not self.has_class("-comparing")
        self.set_class(on, "-comparing")
        self.set_class(self.alone and shown is not None, "-alone")
        self.set_class(self.has_only_model and shown is not None and shown.has_bars, "-shares")
        self.set_class(self.whole and shown is not None and not on, "-whole")
        if turned and not on:
            self.call_after_refresh(self.main.focus)
        words = sentences.explain_no_bars(app.snapshot, now.material)
        if lens is not None and start is not None:
            self._paint_lens(lens, start)
        if on and lens is not None:
            self.set_class(self.base.narrow or self.app.size.height < TALL, "-one-pane")
            self._paint_comparison(lens)
        elif lens is None or start is None or words is not None or shown is None:
            self._paint_words(words or [])
        else:
            self._paint_bars(shown, lens, start)
        if turned and on:
            self.focus_comparison()
        if now.material is not None:
            self.hold()
        self.paint_segment()

    def _paint_words(self, words: list[Line]) -> None:
        """Why there are no bars."""
        self.main.say(words)
        self.groups.say([])
        for name, title in (("profiles", "Profiles"), ("breakdown", "")):
            self._pane(name).title(Line(title))
            self._pane(name).edge(Line())
        for name in ("legend", "columns", "group-columns"):
            self._write(name, Line())

    def _paint_lens(self, lens: Lens, start: Lens) -> None:
        app, now, narrow = self.base.lostkeys, self._state, self.base.narrow
        facts = sentences.facts(now.material, now.wanted, app.facts)
        title, name = Line("Lens"), now.name_of(lens)
        title.add(f"  {name}" if name else "", "ink-2")
        if subset_dialog.is_set(now.wanted):
            title.add(f"  {facts} facts" if narrow else " ", "ink-2")
            title.join(render_lens.chips(now.wanted))
        pane = self._pane("lens")
        pane.title(title.clip(max(8, self.app.size.width - 6)))
        pane.edge(Line("=", "accent").add(" start values", "ink-3"))
        self._write("policy", render_lens.draw_policy(lens, start, narrow, app.look))
        self._write("rest", render_lens.draw_graders(lens, facts, now.by))

    def _paint_bars(self, shown: ShownProfiles, lens: Lens, start: Lens) -> None:
        screen, now, width = self.base, self._state, self.app.size.width
        by, below = now.upper_kind(self.has_breakdown), now.lower_kind(self.has_breakdown)
        since = render_lens.describe_start(lens, start, screen.lostkeys.look)
        lines = 1 if screen.narrow or self.app.size.height < ONE_LINE else 2
        differs = since is not None or now.intervals
        rows = shown.list_rows(by)
        audits = render_audits.show_audits(now, rows, by, lens, self.main.code)
        drawing = self._build_context(rows, by, 2 if audits else lines, differs, False, audits)
        upper, lower = _name_of(self.main.row), _name_of(self.groups.row)
        if now.sought is not None:
            upper, lower = now.sought.rows
        self.main.put(rows, drawing, lens.model if by is RowKind.MODELS else upper)
        self._paint_heads(drawing)
        pane = self._pane("profiles")
        title = render_rows.title(by, lens.model, width - 24)
        title.join(render_audits.title(audits) if audits else Line())
        if screen.narrow and audits is None:  # nothing else says it there
            title.add(f"  {render_rows.DENOMINATORS[-2]}", "ink-3")
        pane.title(title.add("  the only model", "ink-2") if self.alone else title)
        self._paint_shares()
        if not now.awaited:
            said = audits and render_audits.edge(audits, screen.lostkeys.look)
            pane.edge(said or render_rows.edge(self.main.row, since, now.intervals))
        if self.has_breakdown and below is not None:
            lines = 2 if self.alone and self.base.high else 1
            every = [*shown.groups, *chain.from_iterable(shown.others.values())]
            drawn = self._build_context(every, below, lines, differs and lines > 1, self.whole)
            self.groups.put(shown.groups, drawn, lower)
            self.others.put(shown.others, drawn)
            self._paint_breakdown(drawn.layout, below, lens)
        if self.whole:
            self._paint_tasks(shown, lens)

    def _paint_shares(self) -> None:
        """The profiles of the one model as rows, below its bar."""
        if self.has_shares:
            self.shares.put_row(self.main.row, self.main.chosen, above=0 if self.whole else 1)

    def _paint_tasks(self, shown: ShownProfiles, lens: Lens) -> None:
        """The tasks of the lens's model, and which of its questions fail: below them if high."""
        pane, below = self.query_one(TasksPane), self.base.high and not self.alone
        pane.put(shown, lens.policy, self.base.high, below)
        pane.title(Line("Tasks") if self.alone else Line(f"{lens.model} by task").clip(HALF // 2))
        self.failed.put((lambda _: []) if below else pane.failed_lines)

    def _paint_next(self) -> None:
        """What to do next with the chosen segment, and with what is missing."""
        view, snapshot = self.leading, self.base.lostkeys.snapshot
        if not self.has_class("-whole") or view.row is None or snapshot is None:
            return
        now, row = self._state, view.row
        unasked, differing = now.count_unasked(row, self.by_of(view)), now.count_differing(snapshot)
        others = [model for model in snapshot.models if model != snapshot.lens.model]
        self.query_one(NextPane).put(NextSteps(row, view.chosen, differing, unasked, others))

    def _build_context(
        self,
        some: list[ProfileRow],
        by: RowKind,
        lines: int,
        differs: bool,
        beside: bool = False,
        audits: ShownAudits | None = None,
    ) -> RowContext:
        now, narrow = self._state, self.base.narrow
        doubted = [row.name for row in some if now.doubts.get(row.name)]
        marks = 2 * any(row.provisional for row in some)
        marks += 2 * (by is RowKind.MODELS and bool(doubted))
        width = self.app.size.width - (0 if narrow else 2)
        if beside:
            width = self.groups.outer_size.width or width // 2
            beside = width < HALF
        measures = (narrow, lines, differs, beside, audits is not None)
        setting = render_rows.layout(width, some, by, marks, *measures)
        sure = now.sure.get(by) if now.intervals and now.sure else {} if now.intervals else None
        look = self.base.lostkeys.look
        return RowContext(setting, look, differs, sure, doubted, by, audits, narrow)

    def _paint_heads(self, drawing: RowContext) -> None:
        """The legend over the bars, and the names of their columns."""
        setting, audits = drawing.layout, drawing.audits
        look, narrow = self.base.lostkeys.look, self.base.narrow
        ends = setting.start + setting.bar + 1
        columned = narrow and audits is None  # the legend's line has columns at its right
        legend = render_bars.legend(
            ends if columned else setting.width, 1 if narrow else setting.start, look, narrow
        )
        if look.is_spoken:
            legend = Line().to(ends)  # bars are heard by the names of their parts
        if columned:
            render_rows.columns(legend.to(ends), setting)
        self._write("legend", legend)
        columns = render_rows.column_line(self._state.order, setting, look)
        if audits is not None:
            columns.to(ends + 1).join(render_audits.head(audits, setting.side, narrow))
        self._write("columns", columns)

    def _paint_breakdown(self, setting: BarLayout, by: RowKind, lens: Lens) -> None:
        pane = self._pane("breakdown")
        pane.title(render_rows.title(by, lens.model, self.app.size.width - 24))
        pane.edge(Line("v", "accent").add(" topics, types, tiers", "ink-3"))
        line = Line().to(setting.start + setting.bar + 1)
        self._write("group-columns", render_rows.columns(line, setting))

    def _paint_comparison(self, lens: Lens) -> None:
        now, look, narrow = self._state, self.base.lostkeys.look, self.base.narrow
        found, size = now.crossed, self.app.size
        self._pane("flow").title(render_flow.title(found, size.width - 4, look))
        table = None if found is None else found.found.table
        if table is None:
            self.flow.say(sentences.explain_no_flow(found, now.against, lens.model))
        else:
            roomy = size.height >= TALL or (narrow and size.height >= 24)
            self.flow.put(render_flow.arrange_table(table), 2 if roomy else 1)
        self.numbers.put(found)
        pane = self._pane("numbers")
        pane.title(Line("Numbers") if found is None else render_comparison.title(found, narrow))
        if not now.awaited:
            pane.edge(render_comparison.edge(found))

    # The segment

    def paint_segment(self) -> None:
        """The chosen segment and why its model is doubtful, or the chosen cell or number."""
        self._paint_shares()
        self._paint_next()
        crossed, look = self._state.crossed, self.base.lostkeys.look
        narrow, doubts, why = self.base.narrow, list[Line](), ""
        if self._state.comparing and crossed is not None:
            line = crossed_segment(crossed, self.flow, self.numbers, look, narrow)
        else:
            view, by = self.leading, self.by_of(self.leading)
            line, why = describe_row(view, by, self._state, self.base)
            doubts = list_doubts(view, narrow)
            if self.has_only_model:
                doubts.append(describe_one_answer(view, by, self._state, self.base))
            if self.base.is_spoken:
                self.shares.put_heard([line, *doubts])
        self.query_one(SegmentPane).put(line, doubts, why, narrow)


def _name_of(row: ProfileRow | None) -> str | None:
    return row.name if row else None
