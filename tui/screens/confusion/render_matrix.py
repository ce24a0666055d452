"""The matrix: rows grader A, columns grader B, counts over percents, heat by share."""

from typing import NamedTuple

from core.results.agreement_table import Agreement
from core.stats.number_format import format_percent
from core.vocabulary import LABELS, Label
from tui.text.line import Line
from tui.text.number_text import format_count, format_totals
from tui.theme.look import Look
from tui.theme.roles import LABEL_ROLES
from tui.theme.roles import heat as ground_of

SIZE = len(LABELS)
HEAD, TOTAL = 14, 8
SHORT_HEAD, ROOMY = 12, 60
"""Cells of the names at the left (fewer below `ROOMY`), and of the totals at the right."""
NARROWEST, BROADEST = 9, 16

SHORT = {label: label.lower() for label in LABELS} | {Label.PARTIALLY: "partial"}
"""Headings of columns that are no wider than the longest of the names."""


class MatrixCell(NamedTuple):
    """A cell: the place of A's label and of B's in `LABELS`."""

    a: int
    b: int

    def cell_beside(self, down: int, right: int) -> "MatrixCell":
        """The cell beside it, stopping at the edges."""
        return MatrixCell(
            min(max(self.a + down, 0), SIZE - 1),
            min(max(self.b + right, 0), SIZE - 1),
        )


def percent(part: int, whole: int) -> str:
    """A share with two decimals: `78.58%`; nothing of nothing."""
    return f"{format_percent(part / whole, 2)}%" if whole else ""


def heat(counts: Agreement, place: MatrixCell) -> str:
    """The ground of a cell; none where it is empty."""
    return ground_of(counts.matrix, *place)


def head(width: int) -> int:
    """Cells of the names in a pane of a width."""
    return HEAD if width >= ROOMY else SHORT_HEAD


def column(width: int) -> int:
    """Cells of each of the four columns in a pane of a width."""
    return min(max((width - head(width) - TOTAL) // SIZE, NARROWEST), BROADEST)


def lines_of(counts: Agreement, chosen: MatrixCell | None, width: int, look: Look) -> list[Line]:
    """Heading, two lines a row, totals; the chosen cell is in brackets."""
    cells, left = column(width), head(width)
    whole, of_a = counts.n, counts.matrix.sum(axis=1).tolist()
    totals = [*of_a, *counts.matrix.sum(axis=0).tolist(), whole]
    shown = format_totals(totals, min(cells, TOTAL) - 1)
    heading = Line().to(left)
    for label in LABELS:
        name = label.lower() if cells > len(Label.INCORRECT) else SHORT[label]
        name = name.ljust(min(len(name) + 1, cells))
        heading.cell(name, cells, LABEL_ROLES[label].split()[0], right=True)
    lines = [heading.cell("all A ", TOTAL, "ink-3", right=True)]
    for a, label in enumerate(LABELS):
        upper = Line(" ").add(look.glyph(label), LABEL_ROLES[label])
        upper.add(f" {label.lower()}", LABEL_ROLES[label].split()[0]).to(left)
        lower = Line().to(left)
        for b in range(SIZE):
            place = MatrixCell(a, b)
            count, ground = int(counts.matrix[a, b]), heat(counts, place)
            role = "ink" if count else "ink-3"
            here = place == chosen
            _cell(
                upper,
                format_count(count, cells - 2),
                cells,
                f"{role}{' bold' * bool(count)}{ground}",
                here,
            )
            _cell(lower, percent(count, whole), cells, role + ground, here)
        lines += [
            upper.cell(f"{shown[a]} ", TOTAL, "ink-2", right=True),
            lower.cell(f"{percent(of_a[a], whole)} ", TOTAL, "ink-3", right=True),
        ]
    last = Line(" all B", "ink-3").to(left)
    for total in shown[SIZE:-1]:
        last.cell(f"{total} ", cells, "ink-2", right=True)
    return [*lines, last.cell(f"{shown[-1]} ", TOTAL, "ink-2", right=True)]


def place_at(row: int, column_: int, width: int) -> MatrixCell | None:
    """The cell under the mouse; None beside the cells."""
    a, b = (row - 1) // 2, (column_ - head(width)) // column(width)
    inside = row >= 1 and column_ >= head(width) and a < SIZE and b < SIZE
    return MatrixCell(a, b) if inside else None


def _cell(line: Line, text: str, width: int, role: str, chosen: bool) -> None:
    ground = " ".join(word for word in role.split() if word.startswith("@"))
    bracket = f"accent bold {ground}".rstrip()
    line.add("[" if chosen else " ", bracket)
    line.cell(text, width - 2, role, right=True)
    line.add("]" if chosen else " ", bracket)
