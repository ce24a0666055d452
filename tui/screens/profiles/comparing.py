"""The lens's model beside another one, or under a saved policy, on the same facts."""

from functools import partial

import numpy as np
from textual.app import ComposeResult
from textual.timer import Timer

from core.dataset.subsets import Mask
from core.results.model_comparison import Comparison, with_tests
from core.scoring.label_counts import numbers
from core.views.fact_query import Filters, Only
from core.views.lens import Lens
from core.views.profiles.crossed_profiles import Against, cell, crossed, others
from core.views.profiles.flow_table import text
from core.views.profiles.profile_table import subset_words
from tui.dialogs.choice_dialog import Choose, Option
from tui.screens.profiles import messages, render_comparison, render_flow
from tui.screens.profiles.comparison_widgets import FlowView, NumbersView
from tui.screens.profiles.showing import SURE_AFTER, BarsScreen
from tui.text.line import Line
from tui.widgets.pane import Pane

TALL = 36
"""From so many lines of the terminal on a cell takes two, and both panes are whole."""


class ComparingScreen(BarsScreen):
    """While there is something to compare with, two panes stand where the bars are."""

    DEFAULT_CSS = """
    ComparingScreen #flow, ComparingScreen #numbers { display: none; }
    ComparingScreen.-comparing #flow, ComparingScreen.-comparing #numbers { display: block; }
    ComparingScreen.-comparing #profiles, ComparingScreen.-comparing #breakdown { display: none; }
    ComparingScreen #flow { height: auto; }
    ComparingScreen #flow FlowView { height: auto; }
    ComparingScreen #numbers { height: 1fr; }
    ComparingScreen.-one-pane #flow FlowView { height: 1fr; }
    ComparingScreen.-one-pane #flow, ComparingScreen.-one-pane #numbers { height: 2; }
    ComparingScreen.-one-pane.-narrow #flow, ComparingScreen.-one-pane.-narrow #numbers {
        height: 1;
    }
    ComparingScreen.-one-pane #flow:focus-within, ComparingScreen.-one-pane #numbers:focus-within {
        height: 1fr;
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._testing: Timer | None = None

    def instead(self) -> ComposeResult:
        """Flow and numbers."""
        with Pane(id="flow"):
            yield FlowView()
        with Pane(id="numbers"):
            yield NumbersView()

    @property
    def flow(self) -> FlowView:
        """The flow table."""
        return self.query_one(FlowView)

    @property
    def numbers(self) -> NumbersView:
        """The numbers below it."""
        return self.query_one(NumbersView)

    @property
    def is_comparing(self) -> bool:
        """Whether a comparison is in sight."""
        return self.has_class("-comparing")

    @property
    def telling(self) -> Pane:
        """The pane in sight whose edge says what is being read."""
        return self.query_one("#numbers", Pane) if self.is_comparing else super().telling

    # Beginning and ending

    def action_compare(self) -> None:
        """Choose what the lens's model is compared with."""
        found, lens = self.reading.material, self.lostkeys.lens
        if found is None or lens is None or lens.model is None:
            return
        there = others(found, lens, self.reading.name_of(lens))
        if not there:
            self.lostkeys.say(messages.alone(lens.model))
            return
        options = [Option(one, *_option(one, lens.model)) for one in there]
        heading = "compare with"
        self.app.push_screen(Choose(heading, options, self.reading.against), self._chose)

    def _chose(self, against: Against | None) -> None:
        if against is None:
            return
        self.reading.cross(against)
        self.flow.bracket = None
        if against.policy is None:
            self.paint()
        else:
            self.read()
        self._begin()

    def leave(self) -> None:
        """The bars again."""
        self.reading.cross(None)
        self.paint()

    def _begin(self) -> None:
        def focus() -> None:
            if self.is_comparing:
                (self.numbers if self.flow.table is None else self.flow).focus()

        self.call_after_refresh(focus)

    def _turn(self, on: bool) -> None:
        """Show the comparison, or the bars."""
        if on is not self.is_comparing:
            self.set_class(on, "-comparing")
            if on:
                self._begin()
            else:
                self.call_after_refresh(self.main.focus)

    # Painting

    def paint_all(self) -> None:
        """Show the comparison if there is one, else the bars."""
        now, lens, start = self.reading, self.lostkeys.lens, self.lostkeys.first_lens
        unable = messages.unable(self.lostkeys.board, now.material) is not None
        if now.against is None or now.material is None or lens is None or start is None or unable:
            self._turn(False)
            super().paint_all()
            return
        self.set_class(self.narrow or self.app.size.height < TALL, "-one-pane")
        now.crossed = crossed(now.material, lens, now.against)
        self._paint_lens(lens, start)
        self._want_tests(lens)
        self._paint_crossing(lens)
        self._turn(True)
        self.paint_segment()

    def _paint_crossing(self, lens: Lens) -> None:
        now, look = self.reading, self.lostkeys.look
        found, room = now.crossed, self.app.size.width - 4
        self.query_one("#flow", Pane).title(render_flow.title(found, room, look))
        table = None if found is None else found.found.table
        if table is None:
            self.flow.say(messages.uncrossed(found, now.against, lens.model))
        else:
            self.flow.put(render_flow.arranged(table), 2 if self._two_lines else 1)
        self.numbers.put(found)
        pane = self.query_one("#numbers", Pane)
        pane.title(
            Line("Numbers") if found is None else render_comparison.title(found, self.narrow)
        )
        if not self.is_reading:
            pane.edge(render_comparison.edge())

    @property
    def _two_lines(self) -> bool:
        """Whether counts and shares have lines of their own."""
        height = self.app.size.height
        return height >= TALL or (self.narrow and height >= 24)

    def paint_segment(self) -> None:
        """The chosen cell or number, or the bars' segment."""
        found = self.reading.crossed
        if not self.is_comparing or found is None:
            super().paint_segment()
            return
        look, flow, change = self.lostkeys.look, self.flow, self.numbers.change
        line = Line()
        if self.focused is not self.numbers and flow.table is not None and flow.bracket:
            line = render_flow.segment(flow.table, flow.bracket, found, look, self.narrow)
        elif change is not None:
            line = render_comparison.segment(change, found, look, self.narrow)
        self._put_segment(line, "")

    # Tests

    def _want_tests(self, lens: Lens) -> None:
        """Have intervals and tests worked out once keys have come to rest."""
        now = self.reading
        key = (numbers(lens.policy), lens.model, now.against, id(now.material))
        if key == now.tested_of and now.crossed is not None and now.tested is not None:
            now.crossed = now.crossed.with_tests(now.tested)
        if key == now.tested_of or now.crossed is None:
            return
        now.tested_of, now.tested = key, None
        if self._testing is not None:
            self._testing.stop()
        self._testing = self.set_timer(SURE_AFTER, self._test)

    def _test(self) -> None:
        found, key = self.reading.crossed, self.reading.tested_of
        if found is not None:
            plain = found.found
            have = partial(self._tested, key)
            self.lostkeys.ask(
                "tests", lambda _: with_tests(plain), have, self._failed, patient=True
            )

    def _tested(self, key: object, found: Comparison) -> None:
        if key == self.reading.tested_of:
            self.reading.tested = found
            self.paint()

    # What is in sight

    def open_crossed(self) -> None:
        """The facts of the cell, or those for which the number differs, in Facts."""
        found, material = self.reading.crossed, self.reading.material
        if found is None or material is None:
            return
        change, place = self.numbers.change, self.flow.bracket
        if self.focused is self.numbers and change is not None:
            facts = found.found.differing(change.number)
            self._open_only(f"{render_comparison.NAMES[change.number]} differs", facts)
        elif self.flow.table is not None and place is not None:
            arrow = self.lostkeys.look.glyph("arrow")
            name = f"{render_flow.ORDER[place.a]} {arrow} {render_flow.ORDER[place.b]}"
            self._open_only(f"{name} with {found.b}", cell(found.found, *place.flows))

    def _open_only(self, name: str, facts: Mask) -> None:
        material = self.reading.material
        if material is None or not np.any(facts):
            self.lostkeys.say("there are no such facts")
            return
        self.lostkeys.look_now()
        self.lostkeys.open_facts(Filters(only=Only(name, material.ids(facts))))

    def copy_crossed(self) -> None:
        """Copy both panes as text."""
        found, material, lens = self.reading.crossed, self.reading.material, self.lostkeys.lens
        if found is not None and material is not None and lens is not None:
            facts = subset_words(self.reading.wanted, int(material.facts.sum()), material.total)
            self.app.copy_to_clipboard(text(found, lens, facts))
            self.lostkeys.say("copied both tables as text, with tabs between")


def _option(one: Against, model: str) -> tuple[str, Line | None]:
    if one.policy is None:
        return one.model or "", None
    return f"policy {one.policy}", Line(f"{model[:40]} under it", "ink-3")
