"""Counts in few cells."""

import pytest

from tui.text.number_text import format_count, format_totals


@pytest.mark.parametrize(
    ("count", "room", "shown"),
    [
        (3_270, 5, "3,270"),
        (32_700_000, 7, "32,700k"),
        (4_470_000, 5, "4M"),
        (12_500, 4, "13k"),
        (0, 1, "0"),
        (12_480_000_000, 3, "12,480M"),
    ],
)
def test_a_count_is_in_full_where_it_has_room_and_never_cut(
    count: int, room: int, shown: str
) -> None:
    assert format_count(count, room) == shown


def test_totals_of_one_table_are_all_in_full_or_all_in_thousands() -> None:
    assert format_totals([3_280, 735, 0, 4_160], 7) == ["3,280", "735", "0", "4,160"]
    assert format_totals([3_280_000, 735, 0, 312, 1], 7) == ["3,280k", "1k", "0", "<1k", "<1k"]
    assert format_totals([], 7) == []
