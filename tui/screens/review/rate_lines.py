"""The error rate as lines: counts, the interval on an axis, what follows for all questions."""

from core.audit.review.names import Kind
from core.audit.review.queue import Queue
from core.audit.review.rates import SIZES, Quality, Rates, foretold
from core.audit.review.rates import Line as Part
from tui.screens.confusion.figures import percent
from tui.text.line import Line
from tui.theme.look import Look

AXIS = 0.3
"""The axis ends here, unless the interval goes further."""

REACH = 0.03
"""The interval that is offered: so many points to either side."""


def one_line(queue: Queue, rates: Rates, quality: Quality, width: int) -> Line:
    """All of it in a line, where there is no room for the pane."""
    whole = rates.whole
    if queue.sample is None:
        return _flagged(quality).clip(width)
    line = Line(f"{whole.decided:,} of {whole.chosen:,}", "ink")
    if rates.rate is None or rates.interval is None:
        return line.add("  nothing decided yet", "ink-3").clip(width)
    line.add("  error rate ", "ink-3").add(f"{percent(rates.rate, 1)}%", "ink bold")
    return line.add(f"  {_span(rates.interval)}", "ink-2").clip(width)


def lines_of(queue: Queue, rates: Rates, quality: Quality, width: int, look: Look) -> list[Line]:
    """The pane."""
    if queue.sample is None:
        said = Line("error rates come from a sample only: ", "ink-3")
        said.add("v", "accent").add(" goes to random and stratified", "ink-3")
        return [_flagged(quality).clip(width), said.clip(width)]
    lines = [_counts(queue, rates).clip(width)]
    if rates.rate is None or rates.interval is None:
        return [*lines, Line("nothing decided yet: no error rate", "ink-3")]
    lines.append(_axis(rates.rate, rates.interval, width, look))
    lines.append(_follows(rates).clip(width))
    parts = rates.strata or rates.by_task
    return lines + [_part(one, width) for one in parts]


def sizes(width: int) -> list[Line]:
    """No sample yet: what each size would tell."""
    lines = [Line("No sample yet. How many?", "ink bold"), Line()]
    for size in SIZES:
        low, high = foretold(size)
        line = Line().cell(f"{size:,}", 6, "ink", right=True)
        line.add(f"   at 10% faulty: {percent(low, 1)} to {percent(high, 1)}%", "ink-2")
        lines.append(line.clip(width))
    hint = Line("+", "accent bold").add(" draws one; the seed is kept, and it can grow", "ink-2")
    return [*lines, Line(), hint.clip(width)]


def _flagged(quality: Quality) -> Line:
    line = Line(f"{quality.flagged:,} of {quality.facts:,} facts", "ink bold")
    count = len(quality.models)
    who = (
        "the model fails"
        if count == 1
        else "both models fail"
        if count == 2
        else (f"all {count} strong models fail")
    )
    line.add(f" have a question that {who}", "ink-2")
    line.add(f"   {quality.reviewed:,} looked at", "ink-3")
    return line.add(f", {quality.rejected:,} rejected", "ink-3")


def _counts(queue: Queue, rates: Rates) -> Line:
    whole = rates.whole
    name = "random sample" if queue.wanted.kind is Kind.RANDOM else f"by {queue.wanted.by}"
    line = Line(f"{name}  ", "ink-3").add(f"{whole.decided:,} of {whole.chosen:,}", "ink bold")
    for word, number in (
        ("accepted", whole.accepted),
        ("edited", whole.edited),
        ("rejected", whole.rejected),
    ):
        line.add(f"   {word} ", "ink-3").add(f"{number:,}", "ink")
    if rates.rate is not None and rates.interval is not None:
        line.add("    error rate ", "ink-3").add(f"{percent(rates.rate, 1)}%", "ink bold")
        how = "Wilson" if queue.wanted.kind is Kind.RANDOM else "each by its size"
        line.add(f"  {_span(rates.interval)}", "ink").add(f"   95 %, {how}", "ink-3")
    return line


def _axis(rate: float, interval: tuple[float, float], width: int, look: Look) -> Line:
    """The interval on an axis from 0, with its end named."""
    end = max(AXIS, min(1.0, -(-interval[1] // 0.1) / 10))
    label = f" {percent(end)}%"
    cells = max(8, width - len(label) - 2)
    low, point, high = (
        min(cells - 1, max(0, round(value / end * (cells - 1))))
        for value in (interval[0], rate, interval[1])
    )
    line = Line("0 ", "ink-3").add(look.glyph("track") * low, "rule")
    line.add(look.glyph("bar") * (point - low), "accent")
    line.add(look.glyph("CORRECT"), "accent bold")
    line.add(look.glyph("bar") * (high - point), "accent")
    return line.add(look.glyph("track") * (cells - 1 - high), "rule").add(label, "ink-3")


def _follows(rates: Rates) -> Line:
    line = Line()
    if rates.faulty is not None:
        low, high = rates.faulty
        line.add(f"at this rate {low:,} to {high:,} of {rates.whole.size:,} questions are faulty")
    if rates.left:
        points = percent(rates.width)
        line.add(f"   the {rates.left:,} left narrow it to about {points} points", "ink-2")
    more = rates.more_for(REACH)
    if more and rates.whole.decided + more < rates.whole.size:
        line.add(f"   {more:,} more for ±{percent(REACH)} points", "ink-3")
    return line


def _part(one: Part, width: int) -> Line:
    line = Line().cell(one.name.replace("_", " "), 24, "ink-2")
    line.add(f"{one.decided:,} of {one.chosen:,}", "ink-3").to(38)
    if one.rate is None or one.interval is None:
        return line.add("–", "ink-3").clip(width)
    line.add(f"{percent(one.rate, 1)}%", "ink").to(46)
    return line.add(_span(one.interval), "ink-2").clip(width)


def _span(interval: tuple[float, float]) -> str:
    return f"{percent(interval[0], 1)} to {percent(interval[1], 1)}%"
