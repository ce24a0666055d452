"""Counts in few cells: in full, in thousands or in millions, and never cut."""

from collections.abc import Sequence

UNITS = ((1, ""), (1_000, "k"), (1_000_000, "M"))


def format_count(count: int, room: int) -> str:
    """A count in so many cells: `3,270`, or where that is too long `3k`."""
    return format_totals([count], room)[0]


def format_totals(totals: Sequence[int], room: int) -> list[str]:
    """The totals of one table, all in the first unit in which each has room.

    Rounded half up; what rounds to nothing is `<1k`. In the last unit they are as long as they are.
    """
    for size, unit in UNITS:
        shown = [_in_unit(total, size, unit) for total in totals]
        if all(len(one) <= room for one in shown):
            break
    return shown


def _in_unit(count: int, size: int, unit: str) -> str:
    if not count:
        return "0"
    rounded = (2 * count + size) // (2 * size)
    return f"{rounded:,}{unit}" if rounded else f"<1{unit}"
