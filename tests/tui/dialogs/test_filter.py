"""The filters as a form: what there is, what is found, what is ticked."""

from core.views.fact_query import Choices, Filters
from tests.tui.screens.facts.making import LOOK
from tui.dialogs.filter_dialog import (
    FilterEntry,
    FilterGroup,
    entries,
    entry_line,
    narrowed,
    ticked,
    toggled,
)

CHOICES = Choices(
    verdicts={"DR": 3, "RF": 1_200, "··": 2},
    topics={"Arts": 5, "Everyday Life": 2},
    types={"WORK_OF_ART": 4},
    tiers={"bottom": 1, "middle": 2, "top": 1, "unknown": 0},
    differs={"any": 7, "profile": 2},
    reviews={"flagged": 1, "edited": 0, "noted": 0},
    rejected=1,
)


def entry(words: str) -> FilterEntry:
    found = [row for row in entries(CHOICES) if isinstance(row, FilterEntry) and words in row.words]
    assert found
    return found[0]


def test_everything_there_is_stands_in_groups() -> None:
    rows = entries(CHOICES)
    groups = [row.name for row in rows if isinstance(row, FilterGroup)]
    assert groups == ["profile", "topic", "type of object", "views", "graders", "review"]
    assert len(rows) == len(groups) + 3 + 2 + 1 + 4 + 2 + 3 + 1


def test_every_entry_is_ticked_and_unticked() -> None:
    for row in entries(CHOICES):
        if isinstance(row, FilterEntry):
            filters = toggled(Filters(), row)
            assert filters.count == 1
            assert ticked(filters, row)
            assert toggled(filters, row) == Filters()


def test_entries_of_a_kind_are_ticked_together_but_differences_exclude_one_another() -> None:
    filters = toggled(toggled(Filters(), entry("recall failure")), entry("direct recall"))
    assert filters.verdicts == {"RF", "DR"}
    rows = [
        row for row in entries(CHOICES) if isinstance(row, FilterEntry) and row.kind == "differs"
    ]
    for first, then in (rows, rows[::-1]):
        assert toggled(toggled(Filters(), first), then).differs == then.value


def test_typing_finds_entries_and_whole_groups() -> None:
    found = narrowed(entries(CHOICES), "art")
    assert [row.words for row in found if isinstance(row, FilterEntry)] == ["Arts", "work of art"]
    topics = narrowed(entries(CHOICES), "topic")
    assert [type(row) for row in topics] == [FilterGroup, FilterEntry, FilterEntry]
    assert narrowed(entries(CHOICES), "nothing of the kind") == []


def test_an_entry_says_how_many_facts_it_lists() -> None:
    row = entry("recall failure")
    assert entry_line(row, True, 40, LOOK).text == "  √  RF  recall failure           1,200"
    assert entry_line(row, False, 40, LOOK).text.startswith("     RF")
