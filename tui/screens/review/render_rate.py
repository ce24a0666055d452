"""The error rate as lines: counts, the interval on an axis, what follows for all questions."""

from dataclasses import dataclass

from core.views.review.error_rates import SIZES, ErrorRates, Quality, foretell_interval
from core.views.review.error_rates import ErrorRateRow as Part
from core.views.review.review_queue import ReviewQueue
from core.vocabulary import TASK_INDEX, QueueKind, Task
from tui.screens.review.render_queue import format_share
from tui.text.line import Line
from tui.text.number_text import percent
from tui.theme.glyphs import spell
from tui.theme.look import Look

AXIS = 0.3
"""The axis ends here, unless the interval goes further."""

REACH = 0.03
"""The interval that is offered: so many points to either side."""

COLUMN = 58
"""Cells that one part takes; as many stand side by side as there is room for."""


@dataclass(frozen=True, slots=True)
class RateReport:
    """What the pane tells: the rates of a sample (of `rated`), and what models flag."""

    rated: ReviewQueue
    rates: ErrorRates
    quality: Quality

    @property
    def groups(self) -> list[tuple[str, tuple[Part, ...]]]:
        """The parts that have rates of their own, with what they are parts by."""
        if self.rates.strata:
            return [(str(self.rated.wanted.by), self.rates.strata)]
        rates = self.rates
        tasks = tuple(sorted(rates.by_task, key=lambda one: TASK_INDEX[Task(one.name)]))
        named = ("task", tasks), ("category", rates.by_category), ("stage", rates.by_stage)
        return [one for one in named if len(one[1]) > 1]


def one_line(told: RateReport, width: int) -> Line:
    """All of it in a line, where there is no room for the pane."""
    rates, whole = told.rates, told.rates.whole
    if told.rated.sample is None:
        return _draw_flagged(told.quality, width)
    line = Line(format_share(whole.decided, whole.chosen, short=True), "ink")
    if rates.rate is None or rates.interval is None:
        return line.add(" sampled, none decided yet", "ink-3").clip(width)
    line.add("   so far ", "ink-3").add(f"{percent(rates.rate, 1)}%", "ink bold")
    return line.add(" faulty, ", "ink-3").add(_span(rates.interval), "ink-2").clip(width)


def lines_of(told: RateReport, width: int, look: Look, which: str = "v") -> list[Line]:
    """The pane."""
    queue, rates = told.rated, told.rates
    if queue.sample is None:
        said = Line("No sample yet: an error rate comes from one only. ", "ink-2")
        said.add(which, "accent bold").add(" goes to random and stratified ones", "ink-3")
        return [_draw_flagged(told.quality, width), Line(), said.clip(width)]
    lines = [_counts(queue, rates, width).clip(width)]
    if rates.rate is None or rates.interval is None:
        low, high = foretell_interval(max(1, rates.whole.chosen))
        said = Line("None is decided yet. All of them, at 10% faulty, would give ", "ink-2")
        said.add(f"{percent(low, 1)} to {percent(high, 1)}%", "ink")
        lines += [Line(), Line(), said.clip(width)]
    else:
        lines += _axis(rates.rate, rates.interval, width, look)
        lines.append(_draw_estimate(rates, width).clip(width))
    if queue.wanted.kind is QueueKind.RANDOM:
        lines.append(_draw_flagged(told.quality, width))
    return lines + parts(told, width)


def parts(told: RateReport, width: int) -> list[Line]:
    """A line a part: strata beside each other, else tasks beside categories and stages."""
    across = max(1, width // COLUMN)
    groups = told.groups
    if told.rates.strata:
        strata = told.rates.strata
        deep = -(-len(strata) // across)
        columns = [
            [_part(one) for one in strata[at : at + deep]] for at in range(0, len(strata), deep)
        ]
        return _join_columns(columns, width)
    columns = [
        [Line(f"by {name} ", "ink-3").rule(min(width, COLUMN) - 4), *map(_part, every)]
        for name, every in groups
    ]
    lines: list[Line] = []
    for at in range(0, len(columns), across):
        lines += [Line(), *_join_columns(columns[at : at + across], width)]
    return lines


def _join_columns(columns: list[list[Line]], width: int) -> list[Line]:
    lines = [Line() for _ in range(max(map(len, columns), default=0))]
    for place, column in enumerate(columns):
        for line, one in zip(lines, column, strict=False):
            line.to(place * COLUMN).join(one)
    return [line.clip(width) for line in lines]


def sizes(width: int) -> list[Line]:
    """No sample yet: what each size would tell."""
    lines = [Line("No sample yet. How many?", "ink bold"), Line()]
    for size in SIZES:
        low, high = foretell_interval(size)
        line = Line().number(f"{size:,}", 6)
        line.add(f"   at 10% faulty: {percent(low, 1)} to {percent(high, 1)}%", "ink-2")
        lines.append(line.clip(width))
    hint = Line("+", "accent bold").add(" draws one; the seed is kept, and it can grow", "ink-2")
    return [*lines, Line(), hint.clip(width)]


def _draw_flagged(quality: Quality, width: int) -> Line:
    """How many facts are flagged; where there is little room in fewer words."""
    count = len(quality.models)
    if not count:
        return Line(f"{quality.facts:,} facts, none of them asked yet", "ink-2").clip(width)
    who = {1: "the model fails", 2: "both models fail"}.get(count, f"all {count} models fail")
    line = Line()
    for words, short in ((f" have a question that {who}", False), (f": {who}", True), ("", True)):
        share = format_share(quality.flagged, quality.facts, short)
        line = Line(f"{share} facts", "ink bold").add(words, "ink-2")
        line.add(f"   {quality.reviewed:,} looked at", "ink-3")
        line.add(f", {quality.rejected:,} rejected", "ink-3")
        if line.width <= width:
            break
    return line.clip(width)


def _counts(queue: ReviewQueue, rates: ErrorRates, width: int) -> Line:
    whole = rates.whole
    name = "random sample" if queue.wanted.kind is QueueKind.RANDOM else f"by {queue.wanted.by}"
    line = Line(f"{name}  ", "ink-3").add(f"{whole.decided:,} of {whole.chosen:,}", "ink bold")
    for word, number in (
        ("accepted", whole.accepted),
        ("edited", whole.edited),
        ("rejected", whole.rejected),
    ):
        line.add(f"   {word} ", "ink-3").add(f"{number:,}", "ink")
    if rates.rate is None or rates.interval is None:
        return line
    right = Line("error rate ", "ink-3").add(f"{percent(rates.rate, 1)}%", "ink bold")
    how = "Wilson" if queue.wanted.kind is QueueKind.RANDOM else "each by its size"
    right.add(f"  {_span(rates.interval)}", "ink").add(f"   95 %, {how}", "ink-3")
    if line.width + right.width + 3 > width:
        return line.add("   ").join(right)
    return line.right(right, width)


def _axis(rate: float, interval: tuple[float, float], width: int, look: Look) -> list[Line]:
    """The interval on an axis from 0, its ticks, and what they are."""
    end = max(AXIS, min(1.0, -(-interval[1] // 0.1) / 10))
    last = f" {percent(end)}%"
    cells = max(8, width - len(last) - 2)

    def cell(value: float) -> int:
        return min(cells - 1, max(0, round(value / end * (cells - 1))))

    low, point, high = map(cell, (interval[0], rate, interval[1]))
    step = 0.1 if end < 0.65 else 0.2
    ticks = {cell(n * step): percent(n * step) for n in range(1, round(end / step))}
    line, below = Line("0 ", "ink-3"), Line()
    for at in range(cells):
        if at == point:
            line.add(look.glyph("CORRECT"), "accent bold")
        elif low <= at <= high:
            line.add(look.glyph("bar"), "accent")
        else:
            line.add(look.glyph("notch" if at in ticks else "track"), "rule")
    for at, words in ticks.items():
        below.to(2 + at - 1).add(f"{words}%", "ink-3")
    return [line.add(last, "ink-3"), below]


def _draw_estimate(rates: ErrorRates, width: int) -> Line:
    line = Line()
    if rates.faulty is not None:
        low, high = rates.faulty
        line.add(f"at this rate {low:,} to {high:,} of {rates.whole.size:,} questions are faulty")
    if rates.left:
        points = percent(rates.width)
        line.add(f"   the {rates.left:,} left narrow it to about {points} points", "ink-2")
    more = rates.more_for(REACH)
    if more and rates.whole.decided + more < rates.whole.size:
        said = f"   {more:,} more for {spell('±')}{percent(REACH)} points"
        line.add(said if line.width + len(said) <= width else "", "ink-3")
    return line


def _part(one: Part) -> Line:
    line = Line().cell(one.name.replace("_", " ") or "unknown", 20, "ink-2")
    line.add(f" {one.decided:,} of {one.chosen:,}", "ink-3").to(32)
    if one.rate is None or one.interval is None:
        return line.add(spell("–"), "ink-3")
    return line.add(f"{percent(one.rate, 1):>5}%", "ink").add(f"  {_span(one.interval)}", "ink-2")


def _span(interval: tuple[float, float]) -> str:
    return f"{percent(interval[0], 1)} to {percent(interval[1], 1)}%"
