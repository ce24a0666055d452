"""How often each grader was wrong so far, what an audit says of all, and how fast it goes."""

from core.views.disagreements.disagreement_queue import ConsequenceGroup
from core.views.disagreements.grader_rates import GraderRate, GraderRates
from tui.text.line import Line
from tui.text.number_text import bar, percent, span
from tui.theme.look import Look

NAME, COUNT, SHARE, SPAN = 8, 5, 7, 12
LEAST_BAR, LONGEST_BAR = 12, 34

NO_SAMPLE = "counts of what came first, no sample of all"

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
    """Title, one line a grader, and what the counts are about."""
    lines = [Line(f"{title(rates)} ", "ink-3").rule(width)]
    if not rates.decided:
        return [*lines, Line("nothing decided yet", "ink-3").clip(width)]
    both = (("A", rates.a), ("B", rates.b))
    cells = min(max(width - sum((NAME, 2 * COUNT, 10, SHARE, SPAN)), LEAST_BAR), LONGEST_BAR)
    lines += [_line(name, rate, cells, look).clip(width) for name, rate in both]
    if roomy:
        lines.append(Line(describe_groups(rates), "ink-3").clip(width))
        if not any(rate.audited for _, rate in both):
            lines.append(Line(NO_SAMPLE, "ink-3").clip(width))
    return lines


def describe_groups(rates: GraderRates) -> str:
    """Among which disagreements the counts are: those of the groups decided so far."""
    begun = [group for group, (done, _) in zip(ConsequenceGroup, rates.groups, strict=True) if done]
    only = ABOUT[begun[0]] if len(begun) == 1 else ""
    return f"among the disagreements decided{', all' if only else ''} {only}".rstrip()


def _line(name: str, rate: GraderRate, cells: int, look: Look) -> Line:
    """`A wrong    4 of   12` and, after an audit, the rate among all answers."""
    line = Line(f"{name} wrong").to(NAME).number(f"{rate.wrong:,}", COUNT)
    line.add(" of").number(f"{rate.decided:,}", COUNT)
    if rate.audited is None:
        return line
    limits = rate.audited.low, rate.audited.high
    line.add("  audit", "ink-3").cell(
        f"{percent(rate.audited.share)}%  ", SHARE, "ink bold", right=True
    )
    return line.join(bar(rate.audited.share, limits, cells, look)).add(f"  {span(limits)}", "ink-2")
