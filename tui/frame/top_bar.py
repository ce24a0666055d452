"""The top bar: the screens there are, and the lens through which every number is seen."""

from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING

from core.vocabulary import Strategy
from tui.app.tabs import TABS
from tui.screens.size_classes import NARROW, WIDE
from tui.text.line import Line, cut
from tui.text.safe import inert
from tui.theme.look import Look
from tui.widgets.line_widget import LineWidget

if TYPE_CHECKING:
    from core.views.lens import Lens

NAME = "Lostkeys"
SHORTEST, LONGEST = 8, 40
"""Cells that a model's name keeps, and those that a grader's may take."""


class TopBar(LineWidget):
    """Tabs at the left, the lens at the right."""

    ground = "raised"

    def draw(self, width: int) -> Line:
        """Tabs and lens, in as many words as there is room for."""
        app = self.lostkeys
        tabs = tabs_line(app.tab, width, ("jobs",) if app.jobs.failed else ())
        room = width - tabs.width - 1
        lens, words = app.lens, app.audit_screen(app.tab).model_words
        if lens is None:
            return tabs
        if words is not None:
            lens = replace(lens, model=words)
        return tabs.right(lens_line(lens, width, self.look, room), width)

    def picked(self, part: str) -> None:
        """Go to a screen, or change what was clicked of the lens."""
        self.app.call_later(self.app.run_action, part)


def tabs_line(tab: str, width: int, marked: Collection[str] = ()) -> Line:
    """The screens; with their keys where there is room, and `!` where something has failed."""
    line = Line(f"  {NAME}  ", "ink bold") if width >= WIDE else Line()
    for place in TABS:
        here = " @chip" if place.tab == tab else ""
        part = f"visit('{place.tab}')"
        line.add(" ", f"accent{here}", part)
        if width >= NARROW:
            line.add(f"{place.key.upper()} ", f"{'accent' if here else 'ink-3'}{here}", part)
        line.add(f"{place.name} ", f"{'accent bold' if here else 'ink-2'}{here}", part)
        line.add("! " if place.tab in marked else "", f"label-i bold{here}", part)
    return line


def lens_line(lens: "Lens", width: int, look: Look, room: int | None = None) -> Line:
    """The lens: the model alone, its five parts, or those with their names.

    In `room` cells, if that is given: a model's name that is too long for them is cut.
    """
    if lens.model is None:
        return Line("no model yet ", "ink-3")
    named = width >= WIDE
    rest = Line()
    if width >= NARROW:
        for name, words, part in _parts(lens, named, look):
            rest.add("   " if named else "  ").add(name, "ink-3", part).add(words, "ink-2", part)
    rest.add(" ")
    line = Line().add("model " if named else "", "ink-3", "model")
    left = (width if room is None else room) - line.width - rest.width
    line.add(cut(inert(lens.model), max(SHORTEST, left)), "ink bold", "model")
    return line.join(rest)


def _parts(lens: "Lens", named: bool, look: Look) -> list[tuple[str, str, str]]:
    from core.views.reasons import shown_tau

    policy = lens.policy
    partial = policy.strategy is Strategy.PARTIAL
    strategy = f"{policy.strategy} {shown_tau(policy.weight)}" if partial else policy.strategy.value
    parts = [
        ("thinking " if named else "", lens.thinking.value, "thinking"),
        ("grader " if named else "", _graders(lens, named, look), "grader"),
        ("tau " if named else f"{look.glyph('tau')} ", shown_tau(policy.tau), "tau(1)"),
        ("", strategy, "strategy(1)"),
    ]
    return [part for part in parts if part[1]]


def _graders(lens: "Lens", named: bool, look: Look) -> str:
    """Whose labels count, first first: `you›A`, or with names."""
    people = ("human" if named else "you") if lens.people else ""
    then = look.glyph("then")
    if named:
        a = cut(inert((lens.a or "").removeprefix("llm:")), LONGEST)
        return f" {then} ".join(word for word in (people, a) if word)
    return then.join(word for word in (people, "A" if lens.a else "") if word)
