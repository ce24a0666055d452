"""The lines of the arms and of the board of one: names, figures, and an axis from 0 to 100."""

from dataclasses import dataclass

from core.fact_bench.arm_pairs import ArmComparison
from core.fact_bench.arm_results import ArmFigures
from core.fact_bench.model_knowledge import FACT_BENCH, PROFILE, ZP_LKE
from core.views.bench.bench_board import BREAKDOWNS, ArmRow, GroupRow, MethodCounts
from tui.screens.bench.sentences import BREAKDOWN_WORDS, arm_words, mode_words
from tui.screens.bench.state import BenchState
from tui.text.cell_width import width_of
from tui.text.inert_text import make_inert
from tui.text.line import Line
from tui.text.line_wrap import wrap_spans
from tui.text.number_text import NONE, bar, percent
from tui.theme.glyphs import spell
from tui.theme.look import Look

NUMBER, COUNT, DROP = 6, 8, 8
"""Cells of a share in percent, of a count, and of what a shuffled arm drops by."""

METRIC, INTERVAL, CHANCE = 7, 16, 8
"""Cells of a comparison: the metric, an interval of a difference, a probability."""

MODEL_MOST, MODEL_LEAST, GROUP_MOST = 24, 8, 40
ALL_NUMBERS, AXIS_LEAST = 90, 12
"""Cells of a pane from which on all numbers stand in it, and of an axis that says something."""

LONG = 400
"""Characters of a text that are looked at."""

TICKS = (0, 25, 50, 75, 100)


@dataclass(frozen=True, slots=True)
class ArmColumns:
    """How wide the columns of the arms are; an axis of 0 cells is left out."""

    model: int
    mode: int
    axis: int
    has_all: bool


def arm_columns(now: BenchState, width: int) -> ArmColumns:
    """The columns of all arms in so much room."""
    models = max((width_of(make_inert(row.model[:LONG])) for row in now.arms), default=0)
    modes = max((width_of(mode_words(row)) for row in now.arms), default=0)
    has_all = width >= ALL_NUMBERS
    numbers = DROP + NUMBER + (COUNT + 2 * NUMBER if has_all else 0)
    model = max(MODEL_LEAST, min(models, MODEL_MOST)) + 1
    axis = width - 2 - model - modes - 2 - numbers - 2
    return ArmColumns(model, modes + 2, axis if axis >= AXIS_LEAST else 0, has_all)


def arms_heading(now: BenchState, width: int) -> Line:
    """What the columns of the arms hold."""
    room = arm_columns(now, width)
    line = Line(" ").cell("model", room.model, "ink-3").cell("mode", room.mode, "ink-3")
    if room.has_all:
        line.cell("n", COUNT - 1, "ink-3", right=True).add(" ")
    line.join(ticks(room.axis))
    line.cell("EM", NUMBER + 1, "ink-3", right=True)
    if room.has_all:
        line.cell("F1", NUMBER, "ink-3", right=True).cell("judge", NUMBER, "ink-3", right=True)
    return line.cell("drop", DROP, "ink-3", right=True).clip(width)


def ticks(cells: int) -> Line:
    """The numbers above an axis."""
    if not cells:
        return Line()
    line = Line()
    for tick in TICKS:
        shown = str(tick)
        at = round(tick / 100 * (cells - 1)) - (len(shown) - 1 if tick == TICKS[-1] else 0)
        line.to(at).add(shown, "ink-3")
    return line.to(cells)


def arm_line(now: BenchState, place: int, width: int, chosen: bool, look: Look) -> Line:
    """One arm; its model stands where another one's arms begin, and under the cursor."""
    row, room = now.arms[place], arm_columns(now, width)
    is_first = place == 0 or now.arms[place - 1].model != row.model
    role = "ink bold" if chosen else "ink"
    line = Line(" ").cell(row.model[:LONG] if chosen or is_first else "", room.model, role)
    line.cell(mode_words(row), room.mode, role if chosen else "ink-3" if row.is_below else "ink-2")
    found = row.figures
    if room.has_all:
        line.cell(f"{found.n:,}", COUNT - 1, "ink-3", right=True).add(" ")
    line.join(axis(found, room.axis, look, "series-2" if row.is_shuffled else "series-1"))
    line.cell(percent(found.em, 1), NUMBER + 1, "ink bold", right=True)
    if room.has_all:
        line.cell(percent(found.f1, 1), NUMBER, "ink-2", right=True)
        line.cell(percent(found.judge, 1), NUMBER, "ink-2", right=True)
    return line.join(_drop(row)).clip(width)


def axis(found: ArmFigures, cells: int, look: Look, role: str) -> Line:
    """Exact match with its interval; an empty axis where there is none."""
    if found.em is None or found.em_low is None or found.em_high is None:
        return Line().add(look.glyph("track") * cells, "rule")
    return bar(found.em, (found.em_low, found.em_high), cells, look, role) if cells else Line()


def _drop(row: ArmRow) -> Line:
    """By how much a shuffled arm has fewer right; red where that is no chance."""
    if row.drop is None:
        return Line().cell("", DROP)
    shown = percent(row.drop, 1).replace("-", spell("−"))
    role = "label-i" if row.significant and row.drop > 0 else "ink-3"
    return Line().cell(shown, DROP, role, right=True)


# An arm beside another


def comparison_lines(now: BenchState, width: int) -> list[Line]:
    """The chosen arm beside another: rates, their difference with its interval, and the test."""
    lists = now.lists
    other = None if lists is None else next((r for r in now.arms if r.label == lists.against), None)
    if lists is None or other is None or not lists.comparison:
        return []
    n = max(one.pair.n for one in lists.comparison)
    head = Line(f" beside {make_inert(arm_words(other)[:LONG])}, {n:,} of both ", "ink-3")
    heading = Line(" ").cell("", METRIC, "ink-3")
    for words in ("this", "other", "differ"):
        heading.cell(words, NUMBER + 1, "ink-3", right=True)
    heading.cell("95 %", INTERVAL, "ink-3", right=True).cell("p", CHANCE, "ink-3", right=True)
    rows = [_comparison_line(one).clip(width) for one in lists.comparison if one.pair.n]
    return [Line(), head.rule(max(0, width - 1)).clip(width), heading.clip(width), *rows]


def _comparison_line(found: ArmComparison) -> Line:
    pair, tested = found.pair, found.tested
    name = found.metric if found.metric == "judge" else found.metric.upper()
    line = Line(" ").cell(name, METRIC, "ink-2")
    line.cell(percent(pair.b_rate, 1), NUMBER + 1, "ink bold", right=True)
    line.cell(percent(pair.a_rate, 1), NUMBER + 1, "ink-2", right=True)
    sure = tested is not None and tested.significant
    line.cell(format_drop(pair.difference), NUMBER + 1, "ink bold" if sure else "ink-2", right=True)
    low, high = pair.interval or (None, None)
    line.cell(f"{format_drop(low)} to {format_drop(high)}", INTERVAL, "ink-3", right=True)
    if tested is None:
        return line
    p = f"{tested.p_adjusted:.3f}".removeprefix("0")
    return line.cell("< .001" if tested.p_adjusted < 0.001 else p, CHANCE, "ink-3", right=True)


def format_drop(share: float | None) -> str:
    """A difference of shares in percent, with its sign."""
    if share is None:
        return spell(NONE)
    shown = percent(abs(share), 1)
    return f"{spell('−') if share < 0 else '+'}{shown}" if shown != "0.0" else shown


# The board of an arm


def breakdown_chips(now: BenchState, width: int, key: str) -> Line:
    """What the triples are grouped by, among what they could be."""
    line = Line()
    for by in BREAKDOWNS:
        role = "accent bold @chip" if by == now.by else "ink-2"
        line.add(f" {BREAKDOWN_WORDS[by]} ", role)
    return line.add("  ").add(key, "accent bold").add(" which", "ink-3").clip(width)


def group_room(now: BenchState, width: int) -> tuple[int, int]:
    """Cells for the names of groups, and for the axis beside them."""
    longest = max((width_of(make_inert(row.name[:LONG])) for row in now.groups), default=0)
    name = min(max(longest, MODEL_LEAST), GROUP_MOST, max(MODEL_LEAST, width // 2 - 4)) + 1
    axis = width - 2 - name - COUNT - NUMBER - 2
    return name, axis if axis >= AXIS_LEAST // 2 else 0


def groups_heading(now: BenchState, width: int) -> Line:
    """What the columns of the groups hold."""
    name, _ = group_room(now, width)
    line = Line(" ").cell(BREAKDOWN_WORDS[now.by], name, "ink-3")
    line.cell("n", COUNT - 1, "ink-3", right=True)
    return line.right(Line("EM ", "ink-3"), width)


def group_line(now: BenchState, row: GroupRow, width: int, chosen: bool, look: Look) -> Line:
    """One group of the arm's triples."""
    name, cells = group_room(now, width)
    line = Line(" ").cell(row.name[:LONG], name, "ink bold" if chosen else "ink")
    line.cell(f"{row.figures.n:,}", COUNT - 1, "ink-3", right=True).add(" ")
    shuffled = now.arm_row is not None and now.arm_row.is_shuffled
    line.join(axis(row.figures, cells, look, "series-2" if shuffled else "series-1"))
    return line.right(Line(f"{percent(row.figures.em, 1)} ", "ink bold"), width)


def board_words(now: BenchState, width: int) -> list[Line]:
    """The groups of an arm in a line, for where its board has no room."""
    row = now.arm_row
    if row is None or not now.groups:
        return []
    line = Line(f" {BREAKDOWN_WORDS[now.by]} ", "ink-3")
    for one in now.groups:
        line.add(f" {one.name[:LONG]} ", "ink-2").add(f"{percent(one.figures.em, 1)} ", "ink bold")
    return [Line(), *(Line().join(one) for one in [line.clip(width)])]


def method_lines(found: MethodCounts | None, width: int) -> list[Line]:
    """How many triples each method says that the model knows."""
    if found is None or not found.asked:
        return []
    known = found.known
    words = Line()
    for name, shown in ((FACT_BENCH, "bench"), (PROFILE, "profile"), (ZP_LKE, "zero-prompt")):
        count = known[name]
        number = spell("–") if count is None else f"{count:,}"
        words.add(f"{shown} ", "ink-2").add(number, "ink bold").add("   ")
    if None not in known.values():
        words.add("all three ", "ink-2").add(f"{found.all_three:,}", "ink bold").add("   ")
        words.add("only zero-prompt ", "ink-2")
        words.add(f"{found.only_latent:,}", "label-i bold" if found.only_latent else "ink bold")
    told = f" known to each method, of {found.asked:,}, bench by {found.known_by} "
    head = Line(told, "ink-3").rule(max(0, width - 1))
    lines = [Line(" ").join(one) for one in wrap_spans(words.spans, max(12, width - 2))]
    return [Line(), head.clip(width), *lines]
