"""From which size on screens look different."""

NARROW, WIDE = 100, 160
"""Below `NARROW` columns one pane at a time; from `WIDE` more columns and longer words."""

LOW, HIGH = 30, 50
"""Below `LOW` lines no blank ones; from `HIGH` more below."""

BY_WIDTH = [(0, "-narrow"), (NARROW, "-medium"), (WIDE, "-wide")]
BY_HEIGHT = [(0, "-low"), (LOW, "-normal"), (HIGH, "-high")]
"""CSS classes that every screen has, by its size."""

SMALLEST = (40, 10)
"""Columns and lines below which nothing useful can be shown."""


def class_of(cells: int, classes: list[tuple[int, str]]) -> str:
    """Which of the classes a width or height has."""
    return next(name for least, name in reversed(classes) if cells >= least)


def width_class(columns: int) -> str:
    """The name of a width class: `narrow`, `medium`, `wide`."""
    return class_of(columns, BY_WIDTH).lstrip("-")
