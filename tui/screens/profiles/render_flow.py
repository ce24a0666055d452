"""The flow table as lines: rows are the profiles with A, columns those with B."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from core.results.model_comparison import FLOWS
from core.stats.number_format import format_amount
from core.views.profiles.profile_comparison import CrossedProfiles
from core.vocabulary import CODES
from tui.screens.profiles.render_numbers import percent
from tui.text.line import Line
from tui.text.number_text import format_count, format_totals
from tui.theme.look import Look
from tui.theme.roles import PROFILE_CODES, fill_role, heat

NONE = "none"
ORDER = (*PROFILE_CODES, NONE)
"""Rows and columns as they stand, known to unknown; `none` has no profile."""

PLACES = tuple(FLOWS.index({CODES.get(one, NONE): one for one in FLOWS}[code]) for code in ORDER)
"""Their places in `FLOWS`."""

SIZE = len(ORDER)
HEAD, TOTAL = 9, 8
NARROWEST, BROADEST, ROOMY = 7, 16, 14
"""Cells of a column; from `ROOMY` on a count and its share stand on one line."""

Table = npt.NDArray[np.intp]


class FlowCell(NamedTuple):
    """A cell: the places of its profiles in `ORDER`."""

    a: int
    b: int

    def cell_beside(self, down: int, right: int) -> "FlowCell":
        """The cell beside it, stopping at the edges."""
        return FlowCell(min(max(self.a + down, 0), SIZE - 1), min(max(self.b + right, 0), SIZE - 1))

    @property
    def flows(self) -> tuple[int, int]:
        """Its places in `FLOWS`."""
        return PLACES[self.a], PLACES[self.b]


def arrange_table(table: Table) -> Table:
    """A flow table with rows and columns as they stand."""
    return table[np.ix_(PLACES, PLACES)]


def find_fullest(table: Table) -> FlowCell:
    """Where most facts have moved; the fullest cell of all where none has."""
    moved = np.where(np.eye(SIZE, dtype=np.bool_), 0, table)
    moved[SIZE - 1] = moved[:, SIZE - 1] = 0
    some = moved if moved.any() else table
    a, b = divmod(int(np.argmax(some)), SIZE)
    return FlowCell(a, b)


def column(width: int) -> int:
    """Cells of each column in a pane of a width."""
    return min(max((width - HEAD - TOTAL) // SIZE, NARROWEST), BROADEST)


def lines_of(table: Table, chosen: FlowCell | None, width: int, lines: int) -> list[Line]:
    """Heading, `lines` lines a row (1 or 2), totals; the chosen cell is in brackets.

    `table` is one that `arrange_table` has made.
    """
    cells, whole, of_a = column(width), int(table.sum()), table.sum(axis=1).tolist()
    totals = format_totals([*of_a, *table.sum(axis=0).tolist(), whole], min(cells, TOTAL) - 1)
    heading = Line().to(HEAD)
    for code in ORDER:
        heading.add(" " * (cells - len(code) - 3)).add(f" {code} ", _head_role(code)).add(" ")
    found = [heading.cell("all A ", TOTAL, "ink-3", right=True)]
    for a, code in enumerate(ORDER):
        first = Line(" ").add(f" {code} ", _head_role(code)).to(HEAD)
        second = Line().to(HEAD)
        for b in range(SIZE):
            count = int(table[a, b])
            role = ("ink bold" if count else "ink-3") + heat(table, a, b)
            here = FlowCell(a, b) == chosen
            share = f"{percent(count / whole)}%" if whole else ""
            text = format_count(count, cells - 2)
            if lines == 1 and cells >= ROOMY:
                text = f"{text} {share:>6}"
            _cell(first, text, cells, role, here)
            _cell(second, share, cells, role.replace(" bold", ""), here)
        found.append(first.cell(f"{totals[a]} ", TOTAL, "ink-2", right=True))
        if lines > 1:
            share = f"{percent(of_a[a] / whole)}% " if whole else ""
            found.append(second.cell(share, TOTAL, "ink-3", right=True))
    last = Line("  all B", "ink-3").to(HEAD)
    for total in totals[SIZE:-1]:
        last.cell(f"{total} ", cells, "ink-2", right=True)
    return [*found, last.cell(f"{totals[-1]} ", TOTAL, "ink-2", right=True)]


def place_at(y: int, x: int, width: int, lines: int) -> FlowCell | None:
    """The cell under the mouse; None beside the cells."""
    a, b = (y - 1) // lines, (x - HEAD) // column(width)
    return FlowCell(a, b) if y >= 1 and x >= HEAD and a < SIZE and b < SIZE else None


def title(crossed: CrossedProfiles | None, room: int, look: Look) -> Line:
    """Which model rows are of and which columns are."""
    if crossed is None:
        return Line("Compare")
    each = max(6, (room - 12) // 2)
    down, right = look.glyph("down"), look.glyph("arrow")
    line = Line("A ").join(Line(crossed.a).clip(each)).add(f" {down}   B ")
    other = f"under {crossed.b}" if crossed.policies else crossed.b
    return line.join(Line(other).clip(each)).add(f" {right}")


def segment(
    table: Table, place: FlowCell, crossed: CrossedProfiles, look: Look, narrow: bool
) -> Line:
    """The chosen cell in words: `RF with A, DR with B   312 facts   14.5% of 2,150`."""
    count, row, whole = (int(one) for one in (table[place], table[place.a].sum(), table.sum()))
    gap = "  " if narrow else "   "
    line = Line(look.glyph("cursor"), "accent")
    line.add(f" {ORDER[place.a]} ", _head_role(ORDER[place.a])).add(" with A, ", "ink-2")
    line.add(f" {ORDER[place.b]} ", _head_role(ORDER[place.b])).add(" with B", "ink-2")
    line.add(f"{gap}{format_amount(count, 'fact')}", "ink")
    line.add(f"{gap}{percent(count / whole if whole else None)}% of {whole:,}", "ink-2")
    if row:
        that = ORDER[place.a] if narrow else f"{row:,} that are {ORDER[place.a]}"
        line.add(f"{gap}{percent(count / row)}% of {that} with A", "ink-3")
    return line


def _head_role(code: str) -> str:
    return fill_role(code) if code in PROFILE_CODES else "ink-2"


def _cell(line: Line, text: str, width: int, role: str, chosen: bool) -> None:
    ground = " ".join(word for word in role.split() if word.startswith("@"))
    bracket = f"accent bold {ground}".rstrip()
    line.add("[" if chosen else " ", bracket)
    line.cell(text, width - 2, role, right=True)
    line.add("]" if chosen else " ", bracket)
