"""How often each grader was wrong so far, with intervals, and how fast it goes."""

from core.views.disagreements.disagreement_queue import ConsequenceGroup
from core.views.disagreements.grader_rates import GraderRate, GraderRates
from tui.text.line import Line
from tui.text.share_format import bar, percent, span
from tui.theme.glyphs import spell
from tui.theme.look import Look

NAME, COUNT, SHARE, SPAN = 8, 4, 7, 12
LEAST_BAR, LONGEST_BAR = 12, 34

ABOUT = {
    ConsequenceGroup.PROFILE: "that change a profile",
    ConsequenceGroup.QUESTION: "that change a question",
    ConsequenceGroup.REST: "",
}


def title(rates: GraderRates) -> str:
    """`so far, 12 of 70 decided, 3.1 a minute`."""
    words = f"so far, {rates.decided:,} of {rates.total:,} decided"
    return words if rates.per_minute is None else f"{words}, {rates.per_minute:.1f} a minute"


def lines_of(rates: GraderRates, width: int, look: Look, roomy: bool) -> list[Line]:
    """Title, one bar a grader, and what the shares are about."""
    lines = [Line(f"{title(rates)} ", "ink-3").rule(width)]
    if not rates.decided:
        return [*lines, Line("nothing decided yet: no error rates", "ink-3").clip(width)]
    cells = min(max(width - NAME - COUNT - 2 - SHARE - SPAN, LEAST_BAR), LONGEST_BAR)
    lines += [_line(name, rate, cells, look).clip(width) for name, rate in _both(rates)]
    if roomy:
        lines.append(Line(about(rates), "ink-3").clip(width))
        lines += [Line(words, "ink-3").clip(width) for words in _weighted(rates)]
    return lines


def about(rates: GraderRates) -> str:
    """Among which disagreements the shares are: those of the groups decided so far."""
    begun = [group for group, (done, _) in zip(ConsequenceGroup, rates.groups, strict=True) if done]
    only = ABOUT[begun[0]] if len(begun) == 1 else ""
    return f"among the disagreements decided{', all' if only else ''} {only}".rstrip()


def _both(rates: GraderRates) -> tuple[tuple[str, GraderRate], tuple[str, GraderRate]]:
    return ("A", rates.a), ("B", rates.b)


def _line(name: str, rate: GraderRate, cells: int, look: Look) -> Line:
    line = Line(f"{name} wrong").to(NAME).number(f"{rate.wrong:,}", COUNT).add("  ")
    if rate.rate is None or rate.interval is None:
        return line.add(spell("–"), "ink-3")
    line.cell(f"{percent(rate.rate)}%  ", SHARE, "ink bold", right=True)
    line.join(bar(rate.rate, rate.interval, cells, look))
    return line.add(f"  {span(rate.interval)}", "ink-2")


def _weighted(rates: GraderRates) -> list[str]:
    """The estimate for all disagreements, each group by its size."""
    parts = [
        f"{name} {percent(rate.weighted)}%, {span(rate.weighted_interval)}"
        for name, rate in _both(rates)
        if rate.weighted is not None and rate.weighted_interval is not None
    ]
    if not parts or rates.decided == rates.total:
        return []
    return [f"of all {rates.total:,}, weighted for the order shown:", "   ".join(parts)]
