"""How panes share their room, as plain data."""

import pytest

from tui.app.saved_session_controller import read_layouts
from tui.widgets.pane_layout import PaneLayout, Split, width_class


@pytest.mark.parametrize(
    ("cells", "total", "left"),
    [(50, 120, 50), (10, 120, 24), (119, 120, 96), (400, 120, 96), (-9, 120, 24), (60, 40, 20)],
)
def test_both_neighbours_keep_24_columns_as_far_as_there_are_any(
    cells: int, total: int, left: int
) -> None:
    assert Split("a", "b").clamp(cells, total) == left


def test_both_neighbours_keep_four_lines() -> None:
    split = Split("a", "b", rows=True)
    assert [split.clamp(cells, 20) for cells in (1, 9, 19)] == [4, 9, 16]


def test_a_width_class_is_named_by_the_columns() -> None:
    assert [width_class(columns) for columns in (0, 99, 100, 159, 160)] == [
        *("narrow", "narrow", "medium", "medium", "wide")
    ]


def test_layouts_that_cannot_be_read_are_as_at_the_start() -> None:
    good = {"medium": {"cells": {"list": 40}, "alone": True}}
    found = read_layouts({"facts": good, "task": "half", "jobs": {"wide": {"cells": {"x": "y"}}}})
    assert found["facts"] == {"medium": PaneLayout({"list": 40}, True)}
    assert "task" not in found
    assert found["jobs"] == {"wide": PaneLayout()}
