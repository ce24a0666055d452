"""How numbers and lists are written in a report."""

from collections.abc import Iterable

from core.stats.intervals import Interval
from core.stats.number_format import format_decimal, format_difference, format_percent

NONE = "–"


def points(share: float | None) -> str:
    """A share in points with one decimal."""
    return NONE if share is None else format_percent(share).replace("-", "−")


def difference(gap: float | None) -> str:
    """A difference in points with its sign."""
    return NONE if gap is None else format_difference(gap).replace("-", "−")


def count(number: int | None) -> str:
    """A number of things."""
    return NONE if number is None else f"{number:,}"


def span(interval: Interval | None) -> str:
    """Both ends of an interval, in points."""
    return NONE if interval is None else f"{points(interval[0])} to {points(interval[1])}"


def coefficient(value: float | None) -> str:
    """A coefficient such as kappa."""
    return NONE if value is None else format_decimal(value, 3).replace("-", "−")


def join_names(names: Iterable[str]) -> str:
    """Names with commas between them."""
    return ", ".join(names) or NONE


def cap_lines(lines: list[str], most: int, what: str) -> list[str]:
    """The first of many lines, and how many more there are."""
    left = len(lines) - most
    return lines if left <= 0 else [*lines[:most], f"and {left:,} more {what}"]
