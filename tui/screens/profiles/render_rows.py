"""The rows of the Profiles screen as lines: name, bar, numbers, and how they differ."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.scoring.verdicts import ProfileSummary
from core.stats.fact_shares import RECORDED
from core.views.profiles.profile_rows import ProfileRow, RowKind, RowOrder, Sure
from core.views.profiles.profile_scores import ModelCounts
from tui.screens.profiles import render_audits, render_bars
from tui.screens.profiles.render_audits import ShownAudits
from tui.screens.profiles.render_numbers import half_width, percent, points
from tui.text.line import Line
from tui.theme.glyphs import spell
from tui.theme.look import Look

ENCODES, KNOWS, KNOWS_THINKING = "enc", "know", "kn+T"
DIFFERENCE, EXCLUDED, FACTS = "diff", "excl", "facts"
LEFT_OUT = {"NA": "not_gradable_share", "DI": "direct_inference_share", EXCLUDED: "excluded_share"}
"""The columns of what bars leave out, of all complete facts: the first two add up to the last."""

RATES = {ENCODES: "encodes", KNOWS: "knows", KNOWS_THINKING: "knows_thinking"}
"""The columns that have a difference, and what of a summary they show."""

WORDS = {ENCODES: "encodes", KNOWS: "knows", KNOWS_THINKING: "+thinking", EXCLUDED: "excluded"}
"""The headings where the bars leave room for words."""

COLUMN, LEAST_NAME, LEAST_BAR = 6, 6, 6

ROOMY_BAR = 40
"""Cells of a bar beside which the parts of what is left out have columns of their own."""

AUDITED_NAME = 8
"""Cells that a name has at least where `audited` stands below it."""

NAME_SHARE, NAME_SHARE_BESIDE = 0.22, 0.38
TIERS = {
    "bottom": "bottom 20% of views",
    "middle": "middle 60% of views",
    "top": "top 20% of views",
    "unknown": "no views",
}


DENOMINATORS = (
    "shares of facts with a profile; know, kn+T count DI too; NA, DI, excl of all complete facts",
    "shares of facts with a profile; know, kn+T count DI too; NA, DI of all complete",
    "of facts with a profile; NA, DI of all complete",
    "of facts with a profile",
)
"""Over which facts the numbers are, from most to least room."""


@dataclass(frozen=True, slots=True)
class BarLayout:
    """Cells of the name and of the bar, the columns beside it, and lines a row takes (1 or 2).

    `facts` are the cells of the column of facts, `number` those of the others: nothing in them is
    cut or runs into its neighbour.
    """

    width: int
    name: int
    bar: int
    columns: tuple[str, ...]
    lines: int
    facts: int
    number: int = COLUMN
    side: int = 0
    """Cells of the axis of audits, which takes the columns' place."""
    worded: bool = False
    """Whether headings are words."""

    @property
    def start(self) -> int:
        """The column at which bars begin."""
        return self.name + 2

    def cells(self, column: str) -> int:
        """The cells of a column."""
        if column == FACTS:
            return self.facts
        return max(self.number, len(self.heading(column)) + 1)

    def heading(self, column: str) -> str:
        """What stands over a column."""
        return WORDS.get(column, column) if self.worded else column


@dataclass(frozen=True, slots=True)
class RowContext:
    """What rows are drawn with: chosen segment, differences or not, intervals, doubtful models."""

    layout: BarLayout
    look: Look
    differs: bool
    sure: Sure | None
    doubted: Collection[str]
    by: RowKind
    audits: ShownAudits | None = None
    narrow: bool = False


def shown_name(name: str, by: RowKind) -> str:
    """A model's or a group's name as it is read."""
    if by is RowKind.TIERS:
        return TIERS.get(name, name)
    return name.replace("_", " ").lower() if by is RowKind.TYPES else name


def layout(
    width: int,
    some: Sequence[ProfileRow],
    by: RowKind,
    marks: int,
    narrow: bool,
    lines: int,
    differs: bool,
    beside: bool = False,
    audited: bool = False,
) -> BarLayout:
    """The layout of these rows in `width` cells; `marks` are cells for marks after the names.

    With another pane `beside` them their facts are the one number that they have. Where they are
    `audited` an axis takes the place of the numbers.
    """
    names = [shown_name(row.name, by) for row in some]
    facts = max([COLUMN, *(len(f" {render_bars.count_facts(row.now):,}") for row in some)])
    if narrow:
        columns: tuple[str, ...] = (KNOWS_THINKING, DIFFERENCE)
    elif beside:
        columns = (FACTS,)
    elif lines == 1 and differs:
        columns = (ENCODES, KNOWS, KNOWS_THINKING, DIFFERENCE, EXCLUDED, FACTS)
    else:
        columns = (ENCODES, KNOWS, KNOWS_THINKING, EXCLUDED, FACTS)
    apart = (len(f" {text}") for row in some for text in _differences(row)) if differs else ()
    number = max([COLUMN, *apart])
    numbers = sum(facts if one == FACTS else number for one in columns) + (2 if narrow else 3)
    least = AUDITED_NAME if audited else LEAST_NAME
    most = max(least, round((NAME_SHARE_BESIDE if beside else NAME_SHARE) * width))
    name = min(max(least, render_bars.find_widest(names) + marks), most)
    if audited:
        side = render_audits.side_cells(width, name)
        return BarLayout(width, name, max(0, width - name - side - 5), (), lines, 0, 0, side)
    room = width - name - 2 - numbers
    if EXCLUDED in columns and room - 2 * number >= ROOMY_BAR:
        at = columns.index(EXCLUDED)
        columns = (*columns[:at], "NA", "DI", *columns[at:])
        room -= 2 * number
    if room < LEAST_BAR:
        return BarLayout(width, name, max(0, width - name - 3), (), lines, facts, number)
    more = sum(max(0, len(WORDS.get(one, "")) + 1 - number) for one in columns)
    worded = not narrow and room - more >= ROOMY_BAR
    return BarLayout(
        width, name, room - more * worded, columns, lines, facts, number, worded=worded
    )


def row_line(row: ProfileRow, chosen: str | None, under: bool, drawing: RowContext) -> Line:
    """Name, bar and numbers; the chosen segment is in brackets."""
    setting = drawing.layout
    line = Line(" ").join(_name(row, under, drawing)).to(setting.start)
    line.join(render_bars.bar(row.now, setting.bar, chosen, drawing.look)).add(" ")
    if drawing.audits is not None:
        line.add(" ").join(
            render_audits.graded_side(
                row, drawing.audits, setting.side, drawing.narrow, drawing.look
            )
        )
    for column in setting.columns:
        _number(line, row, column, chosen, drawing)
    return line if drawing.look.is_spoken else line.clip(setting.width)


def start_line(row: ProfileRow, drawing: RowContext) -> Line:
    """The thin line of where a row started, and differences in points, or intervals."""
    setting = drawing.layout
    if drawing.audits is not None:
        return _audited_line(row, drawing.audits, drawing)
    line = (
        Line()
        .to(setting.start)
        .join(render_bars.draw_thin_line(row.start, setting.bar, drawing.look))
        .add(" ")
    )
    for column in setting.columns:
        text, role = _format_beside(row, column, drawing) if column in RATES else ("", "ink-3")
        line.cell(text, setting.cells(column), role, right=True)
    return line.clip(setting.width)


def _audited_line(row: ProfileRow, audits: ShownAudits, drawing: RowContext) -> Line:
    """The audited bar at half height, and what the person's labels make of the chosen share."""
    setting, there = drawing.layout, row.name in audits.reports
    line = Line("  audited" if there else "", "ink-3").clip(setting.start - 1).to(setting.start)
    line.join(render_audits.half_bar(row.name, audits, setting.bar, drawing.look)).add("  ")
    side = render_audits.audited_side(row, audits, setting.side, drawing.narrow, drawing.look)
    return line.join(side).clip(setting.width)


def column_line(order: RowOrder, setting: BarLayout, look: Look) -> Line:
    """What rows are sorted by, of which facts shares are, and the names of the columns."""
    arrow = look.glyph("down" if order.descending else "up")
    ends = max(setting.start + setting.bar, 0)
    line = Line("  ").add(f"by {order.value} {arrow}", "ink-3", "order").clip(ends)
    line.to(max(setting.start, line.width + 2))
    texts = [_word_headings(words) if setting.worded else words for words in DENOMINATORS]
    said = next((words for words in texts if line.width + len(words) <= ends), "")
    line.add(said, "ink-3")
    return columns(line.to(setting.start + setting.bar + 1), setting)


def _word_headings(words: str) -> str:
    """A sentence that names columns, with the words of their headings."""
    return words.replace(
        f"{KNOWS}, {KNOWS_THINKING}", f"{WORDS[KNOWS]}, {WORDS[KNOWS_THINKING]}"
    ).replace(EXCLUDED, WORDS[EXCLUDED])


def columns(line: Line, setting: BarLayout) -> Line:
    """The names of the columns, each at the right of its numbers."""
    for column in setting.columns:
        shown = "" if column == DIFFERENCE else setting.heading(column)
        line.cell(shown, setting.cells(column), "ink-3", right=True)
    return line.clip(setting.width)


def _name(row: ProfileRow, under: bool, drawing: RowContext) -> Line:
    """The name, `…` where numbers are provisional, `!` where there is a doubt."""
    marks = Line()
    if row.provisional:
        marks.add(spell(" …"), "ink-3")
    if drawing.by is RowKind.MODELS and row.name in drawing.doubted:
        marks.add(" !", "label-p bold")
    name = shown_name(row.name, drawing.by)
    room = max(0, drawing.layout.name - marks.width)
    text = Line().cell(name, min(room, Line(name[: 8 * room + 8]).width), _make_bold("ink", under))
    return text.join(marks)


def _make_bold(role: str, on: bool) -> str:
    return f"{role} bold" if on else role


def _number(
    line: Line, row: ProfileRow, column: str, chosen: str | None, drawing: RowContext
) -> None:
    summary, cells = row.now.summary, drawing.layout.cells(column)
    if column in RATES:
        line.cell(percent(_rate(summary, column)), cells, "ink", right=True)
    elif column == DIFFERENCE:
        text, role = _format_beside(row, KNOWS_THINKING, drawing)
        line.cell(text, cells, role, right=True)
    elif column in LEFT_OUT:
        aside = chosen == column or (column == EXCLUDED and chosen in render_bars.LEFT_OUT)
        share: float | None = getattr(summary, LEFT_OUT[column])
        line.cell(percent(share), cells, _make_bold("ink", aside), right=True)
    else:
        line.number(f"{render_bars.count_facts(row.now):,}", cells, "ink-3")


def _differences(row: ProfileRow) -> Iterator[str]:
    """The differences of a row to its start in points."""
    for column in RATES:
        yield points(_rate(row.now.summary, column), _rate(row.start.summary, column))


def _format_beside(row: ProfileRow, column: str, drawing: RowContext) -> tuple[str, str]:
    """An interval, or the difference to the start, with its role."""
    if drawing.sure is not None:
        found = drawing.sure.get(row.name)
        return half_width(found.rates.get(RATES[column])) if found else "", "ink-3"
    if not drawing.differs:
        return "", "ink-3"
    text = points(_rate(row.now.summary, column), _rate(row.start.summary, column))
    return text, difference_role(text)


def difference_role(text: str, good: bool = True) -> str:
    """The role of a signed difference; `good` says whether more of it is."""
    if text[:1] not in ("+", spell("−")):
        return "ink-3"
    return "label-c" if (text[0] == "+") is good else "label-i"


def _rate(summary: ProfileSummary, column: str) -> float | None:
    found: float | None = getattr(summary, RATES[column])
    return found


def left_out_words(counted: ModelCounts, short: bool) -> str:
    """`excluded 4: 3 not gradable, 1 direct inference`; by codes where that has to be `short`."""
    summary = counted.summary
    inference = summary.direct_inference or 0
    whole = f"{summary.excluded_nan + inference:,}"
    if whole == "0":
        return f"{'excl' if short else 'excluded'} 0"
    if short:
        return f"excl {whole} (NA {summary.excluded_nan:,}, DI {inference:,})"
    return (
        f"excluded {whole}: {summary.excluded_nan:,} not gradable, {inference:,} direct inference"
    )


def doubts_of(doubts: Mapping[str, str], row: ProfileRow, by: RowKind) -> str:
    """Why a row's model is doubtful; nothing where it is not."""
    return doubts.get(row.name, "") if by is RowKind.MODELS else ""


def edge(row: ProfileRow | None, since: str | None, intervals: bool) -> Line:
    """How many facts of a row have moved, and what is drawn beside the bars."""
    line = Line()
    if row is not None and row.moved and since:
        line.add(f"{row.moved:,} moved", "ink-2").add(" M", "accent").add(
            spell(" lists them · "), "ink-3"
        )
    if intervals:
        how = f"over facts, as {RECORDED['scope']}"
        return line.add(f"{spell('±')} half of the 95% interval {how}", "ink-3")
    return line.add(
        f"top bar now {spell('·')} thin line at {since}" if since else "at the start", "ink-3"
    )


def title(by: RowKind, model: str | None, room: int) -> Line:
    """What the rows are: all models, or a model broken down."""
    if by is RowKind.MODELS:
        return Line("Profiles")
    return Line(model or "").clip(max(8, room)).add(f" by {by.value.removesuffix('s')}")
