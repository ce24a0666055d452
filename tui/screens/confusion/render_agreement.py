"""How far the two graders agree: the whole in one line, then by task or by model."""

from collections.abc import Sequence

from core.views.disagreements import confusion_matrix as crossed
from core.views.disagreements.confusion_matrix import ConfusionMatrix
from core.views.disagreements.grader_rates import GraderRates
from core.views.verdict_reasons import task_words
from core.vocabulary import TASKS, Task
from tui.text.line import Line
from tui.text.number_text import NONE, coefficient, percent
from tui.theme.glyphs import spell

COLUMNS = ("both", "agree", "κ", "differ", "g", "prof")
"""Columns behind the name; `g` counts the answers that differ and change a question, `prof`
those that change a profile."""

DIFFER = COLUMNS.index("differ")
"""From here on disagreements are counted: wider gaps stand there where there is room."""
GIVING_WAY = (0, 2, 1)
"""Places of the columns that are left out, in this order, where there is no room for all."""

LEAST_NAME = 10
BOTH_NAMES = 13
"""Cells from which on both things it may be by are named."""
Widths = tuple[int, ...]


def widths(entries: Sequence[crossed.AgreementRow], width: int) -> Widths:
    """Cells of each column: as many as its longest number, with a gap before it.

    Columns without room have none: no count is cut.
    """
    shown = [[text for text, _ in _values(entry)] for entry in entries]
    longest = [
        max(map(len, (name, *(row[place] for row in shown)))) + 1
        for place, name in enumerate(map(spell, COLUMNS))
    ]
    for place in GIVING_WAY:
        if width - 2 - sum(longest) < LEAST_NAME:
            longest[place] = 0
    name = max((len(entry.name) for entry in entries), default=0)
    spare = width - 2 - sum(longest) - name
    gap = min(max(spare // (len(COLUMNS) - DIFFER), 0), 2)
    return tuple(cells + gap * (place >= DIFFER) for place, cells in enumerate(longest))


def summary(crossing: ConfusionMatrix) -> Line:
    """`agreement 98.32%   κ 0.951   α 0.951`."""
    table = crossing.whole.table
    line = Line(" agreement ", "ink-3")
    shown = percent(table.agreement, 2)
    line.add(shown if shown == spell(NONE) else f"{shown}%", "ink bold")
    for name, value in ((spell("κ"), table.kappa), (spell("α"), table.alpha)):
        line.add(f"   {name} ", "ink-3").add(coefficient(value), "ink bold")
    return line


def intervals(crossing: ConfusionMatrix, width: int) -> Line:
    """Their intervals, as many as have room; an empty line without any."""
    line = Line()
    if crossing.agreement is None:
        return line
    low, high = crossing.agreement
    line.add(f" 95 %  {percent(low, 2)} to {percent(high, 2)}", "ink-3")
    for name, interval in ((spell("κ"), crossing.kappa), (spell("α"), crossing.alpha)):
        if interval is not None:
            low, high = interval
            words = f"  {name} {coefficient(low, 2)}{spell('–')}{coefficient(high, 2)}"
            if line.width + len(words) <= width:
                line.add(words, "ink-3")
    return line


def progress(rates: GraderRates | None, by_others: int = 0, width: int = 0) -> Line:
    """`decided 13 of 70   by others 4   wrong: A 4  B 9`, counts that are no rate of all.

    Of the parts behind the first those stand there that have room in `width` cells.
    """
    line = Line()
    if rates is None or not rates.total:
        return line
    line.add(" decided ", "ink-3").add(f"{rates.decided:,} of {rates.total:,}", "ink bold")
    wrong, others = Line(), Line()
    if rates.decided:
        wrong.add("   wrong: A ", "ink-3").add(f"{rates.a.wrong:,}", "ink bold")
        wrong.add("  B ", "ink-3").add(f"{rates.b.wrong:,}", "ink bold")
    if by_others:
        others.add("   by others ", "ink-3").add(f"{by_others:,}", "ink")
    if line.width + wrong.width > width:
        wrong = Line()
    if line.width + wrong.width + others.width <= width:
        line.join(others)
    return line.join(wrong)


def scope(rates: GraderRates | None, key: str) -> Line:
    """That the counts of wrong labels are no rate, while no audit says one; `key` leads there."""
    if rates is None or not rates.decided or rates.a.audited or rates.b.audited:
        return Line()
    line = Line("counts, no rate: ", "ink-3").add(key, "accent bold")
    return line.add(" audit estimates it", "ink-3")


def heading(by: str, cells: Widths, width: int, both: bool = True) -> Line:
    """What it is by, and the names of the columns; of `both` the one may be clicked."""
    line = Line(" ")
    room = _name_room(cells, width)
    if not both:
        line.add(by, "ink-3")
    for name in () if not both else ("task", "model") if room >= BOTH_NAMES else (by,):
        chosen = name == by
        line.add(f" {name} ", "accent bold @chip" if chosen else "ink-2", f"by:{name}")
    line.clip(room + 1).to(room + 1)
    for name, size in zip(map(spell, COLUMNS), cells, strict=True):
        line.cell(name if size else "", size, "ink-3", right=True)
    return line


def draw(entry: crossed.AgreementRow, cells: Widths, width: int, under: bool) -> Line:
    """One row."""
    name = task_words(Task(entry.name)) if entry.name in TASKS else entry.name
    line = Line(" ").cell(name, _name_room(cells, width), f"ink{' bold' * under}")
    for (text, role), size in zip(_values(entry), cells, strict=True):
        line.cell(text if size else "", size, role, right=True)
    return line


def _values(entry: crossed.AgreementRow) -> tuple[tuple[str, str], ...]:
    table = entry.table
    return (
        (f"{table.n:,}", "ink-3"),
        (percent(table.agreement, 1), "ink"),
        (coefficient(table.kappa, 2), "ink-3"),
        (f"{entry.differ:,}", "ink" if entry.differ else "ink-3"),
        (f"{entry.question:,}", "label-p" if entry.question else "ink-3"),
        (f"{entry.profile:,}", "label-i bold" if entry.profile else "ink-3"),
    )


def _name_room(cells: Widths, width: int) -> int:
    return max(1, width - 2 - sum(cells))
