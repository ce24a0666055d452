"""The top bar: the screens there are, and the lens through which every number is seen."""

from typing import TYPE_CHECKING

from core.names import Strategy
from tui.screens import SCREENS
from tui.screens.sizes import NARROW, WIDE
from tui.text.line import Line
from tui.theme.look import Look
from tui.widgets.one_line import OneLine

if TYPE_CHECKING:
    from core.audit.lens import Lens

NAME = "Lostkeys"


class TopBar(OneLine):
    """Tabs at the left, the lens at the right."""

    ground = "raised"

    def draw(self, width: int) -> Line:
        """Tabs and lens, in as many words as there is room for."""
        app = self.lostkeys
        lens = lens_line(app.lens, width, self.look) if app.lens else Line()
        return tabs_line(app.tab, width).right(lens, width)

    def picked(self, part: str) -> None:
        """Go to a screen, or change what was clicked of the lens."""
        self.app.call_later(self.app.run_action, part)


def tabs_line(tab: str, width: int) -> Line:
    """The screens; with their keys where there is room."""
    line = Line(f"  {NAME}  ", "ink bold") if width >= WIDE else Line()
    for place in SCREENS:
        here = " @chip" if place.tab == tab else ""
        part = f"visit('{place.tab}')"
        line.add(" ", f"accent{here}", part)
        if width >= NARROW:
            line.add(f"{place.key.upper()} ", f"{'accent' if here else 'ink-3'}{here}", part)
        line.add(f"{place.name} ", f"{'accent bold' if here else 'ink-2'}{here}", part)
    return line


def lens_line(lens: "Lens", width: int, look: Look) -> Line:
    """The lens: the model alone, its five parts, or those with their names."""
    line = Line()
    named = width >= WIDE
    if lens.model is not None:
        line.add("model " if named else "", "ink-3", "model").add(lens.model, "ink bold", "model")
    if width >= NARROW:
        for name, words, part in _parts(lens, named, look):
            line.add("   " if named else "  ").add(name, "ink-3", part).add(words, "ink-2", part)
    return line.add(" ")


def _parts(lens: "Lens", named: bool, look: Look) -> list[tuple[str, str, str]]:
    from core.audit.why import shown_tau

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
        a = (lens.a or "").removeprefix("llm:")
        return f" {then} ".join(word for word in (people, a) if word)
    return then.join(word for word in (people, "A" if lens.a else "") if word)
