"""The lens pane: threshold as a slider, strategy, weight, graders, facts, and what rows are."""

from core.views.fact_query import FactQuery
from core.views.lens import STRATEGIES, Lens
from core.views.profiles.profile_rows import RowKind
from core.views.profiles.profile_table import subset_parts
from core.views.verdict_reasons import format_tau
from core.vocabulary import Strategy
from tui.text.line import Line
from tui.theme.glyphs import spell
from tui.theme.look import Look

SLIDER, SHORT_SLIDER = 25, 13
FACTS_AT, ROWS_AT, STRATEGY_AT = 45, 70, 61


def slider(tau: float, start: float, width: int, look: Look) -> Line:
    """The threshold on a track from 0 to 1, and a notch where it started; clicks set it."""
    knob, notch = _cell(tau, width), _cell(start, width)
    line = Line()
    for place in range(width):
        part = f"tau:{place / width:.2f}"
        if place == knob:
            line.add(look.glyph("knob"), "accent bold", part)
        elif place == notch:
            line.add(look.glyph("notch"), "ink", part)
        elif place < knob:
            line.add(look.glyph("bar"), "accent", part)
        else:
            line.add(look.glyph("track"), "rule", part)
    return line


def draw_policy(lens: Lens, start: Lens, narrow: bool, look: Look) -> Line:
    """Threshold, strategy, weight."""
    policy, before = lens.policy, start.policy
    line = Line(" ").add("threshold", "ink-3").add(" 0 ", "ink-3")
    line.join(slider(policy.tau, before.tau, SHORT_SLIDER if narrow else SLIDER, look))
    line.add(" 1   ", "ink-3").add(f"{look.glyph('tau')} ", "ink-3", "typed")
    moved = policy.exact_tau != before.exact_tau
    line.add(format_tau(policy.tau), "accent bold" if moved else "ink bold", "typed")
    line.add(f" was {format_tau(before.tau)}" if moved else "", "ink-3")
    if not narrow:
        line.add("  ").to(STRATEGY_AT).add("not gradable", "ink-3")
    line.add("  ")
    for strategy in STRATEGIES:
        line.join(_chip(strategy.value, strategy is policy.strategy, f"strategy:{strategy}"))
    if narrow and policy.strategy is not Strategy.PARTIAL:
        return line
    weighed = policy.strategy is Strategy.PARTIAL
    line.add("" if narrow else "  weight ", "ink-3")
    return line.add(
        format_tau(policy.weight) if weighed else spell("–"), "ink" if weighed else "ink-3"
    )


def draw_graders(lens: Lens, facts: str, by: RowKind) -> Line:
    """Graders, facts, rows."""
    line = Line(" ").add("grader", "ink-3", "grader").to(11)
    graders = Line()
    for place, name in enumerate(lens.ranked):
        graders.add(" then " if place else "", "ink-3", "grader").add(name, "ink", "grader")
    line.join((graders if lens.ranked else Line("none", "ink-3")).clip(FACTS_AT - 13))
    line.to(FACTS_AT).add("facts ", "ink-3", "facts").add(facts, "ink", "facts")
    line.clip(ROWS_AT - 2).to(ROWS_AT).add("rows ", "ink-3")
    for one in RowKind:
        line.join(_chip(one.value, one is by, f"by:{one.value}"))
    return line


def chips(wanted: FactQuery) -> Line:
    """What a subset asks for, as chips."""
    line = Line()
    for words in subset_parts(wanted):
        line.add(" ").add(f" {words} ", "ink @chip")
    return line


def _chip(words: str, on: bool, part: str) -> Line:
    return Line().add(f" {words} ", "accent bold @chip" if on else "ink-2", part)


def _cell(tau: float, width: int) -> int:
    return min(int(tau * width), width - 1)


def describe_start(lens: Lens, start: Lens, look: Look) -> str | None:
    """What the start is called where the lens is another now: `τ .50 pair`; None if it is not."""
    now, before = lens.policy, start.policy
    parts = []
    if now.exact_tau != before.exact_tau:
        parts.append(f"{look.glyph('tau')} {format_tau(before.tau)}")
    if (now.strategy, now.exact_weight) != (before.strategy, before.exact_weight):
        weight = f" {format_tau(before.weight)}" if before.strategy is Strategy.PARTIAL else ""
        parts.append(f"{before.strategy}{weight}")
    if lens.ranked != start.ranked:
        parts.append(" then ".join(start.ranked) or "no grader")
    return " ".join(parts) or None
