"""The filters as a form: what there is, what is found, what is ticked."""

from dataclasses import replace

from hypothesis import given, settings

from core.dataset.fact_filters import Filters, format_where
from core.views.filter_choices import Choices
from core.vocabulary import CODE_ORDER
from tests.core.dataset.test_fact_filters import FILTERS
from tests.tui.screens.facts.making import LOOK
from tui.dialogs.filter_dialog import (
    FilterEntry,
    FilterGroup,
    entries,
    entry_line,
    is_ticked,
    narrow_entries,
    parse_typed,
    toggle_entry,
)

CHOICES = Choices(
    verdicts={"DR": 3, "RF": 1_200, "··": 2},
    topics={"Arts": 5, "Everyday Life": 2},
    types={"WORK_OF_ART": 4},
    tiers={"bottom": 1, "middle": 2, "top": 1, "unknown": 0},
    differs={"any": 7, "profile": 2},
    reviews={"flagged": 1, "edited": 0, "noted": 0},
    latent={"known": 3, "unknown": 4, "contradicts": 1},
    rejected=1,
)


def entry(words: str) -> FilterEntry:
    found = [row for row in entries(CHOICES) if isinstance(row, FilterEntry) and words in row.words]
    assert found
    return found[0]


def test_everything_there_is_stands_in_groups() -> None:
    rows = entries(CHOICES)
    groups = [row.name for row in rows if isinstance(row, FilterGroup)]
    assert groups[:-1] == ["profile", "topic", "type of object", "views", "graders", "review"]
    assert groups[-1] == "when nobody asks"
    assert len(rows) == len(groups) + 3 + 2 + 1 + 4 + 2 + 3 + 3 + 1


def test_scores_are_filtered_by_where_there_are_any_or_they_are_asked_for() -> None:
    without = replace(CHOICES, latent={})
    last = FilterGroup("when nobody asks")
    assert last not in entries(without)
    asked = entries(without, Filters(latent=frozenset({"known"})))
    assert len(asked[asked.index(last) :]) == 5


def test_every_entry_is_ticked_and_unticked() -> None:
    for row in entries(CHOICES):
        if isinstance(row, FilterEntry):
            filters = toggle_entry(Filters(), row)
            assert filters.count == 1
            assert is_ticked(filters, row)
            assert toggle_entry(filters, row) == Filters()


def test_entries_of_a_kind_are_ticked_together_but_differences_exclude_one_another() -> None:
    filters = toggle_entry(toggle_entry(Filters(), entry("recall failure")), entry("direct recall"))
    assert filters.verdicts == {"RF", "DR"}
    rows = [
        row for row in entries(CHOICES) if isinstance(row, FilterEntry) and row.kind == "differs"
    ]
    for first, then in (rows, rows[::-1]):
        assert toggle_entry(toggle_entry(Filters(), first), then).differs == then.value


def test_typing_finds_entries_and_whole_groups() -> None:
    found = narrow_entries(entries(CHOICES), "art")
    assert [row.words for row in found if isinstance(row, FilterEntry)] == ["Arts", "work of art"]
    topics = narrow_entries(entries(CHOICES), "topic")
    assert [type(row) for row in topics] == [FilterGroup, FilterEntry, FilterEntry]
    assert narrow_entries(entries(CHOICES), "nothing of the kind") == []


def test_an_entry_says_how_many_facts_it_lists() -> None:
    row = entry("recall failure")
    assert entry_line(row, True, 40, LOOK).text == "  ✓  RF  recall failure           1,200"
    assert entry_line(row, False, 40, LOOK).text.startswith("     RF")


@given(FILTERS)
@settings(max_examples=150, deadline=None)
def test_the_form_can_tick_whatever_words_say(wanted: Filters) -> None:
    choices = replace(
        CHOICES,
        verdicts=dict.fromkeys(CODE_ORDER, 1),
        topics=dict.fromkeys(wanted.topics, 1),
        types=dict.fromkeys(wanted.types, 1),
    )
    filters = Filters()
    rows = [*entries(choices), *parse_typed(format_where(wanted.typed), True)]
    for row in rows:
        if isinstance(row, FilterEntry) and is_ticked(wanted, row):
            filters = toggle_entry(filters, row)
    assert filters == wanted


def test_a_word_of_a_command_that_is_typed_can_be_ticked_and_unticked() -> None:
    (heading, row) = parse_typed("views:>1k", True)
    assert heading == FilterGroup("as --where says it")
    assert isinstance(row, FilterEntry)
    filters = toggle_entry(Filters(), row)
    assert filters == Filters(views=frozenset({">1000"}))
    assert entries(CHOICES, filters)[:2] == [heading, row]
    assert toggle_entry(filters, row) == Filters()


def test_plain_text_is_a_word_only_where_no_entry_fits() -> None:
    assert parse_typed("rocket", False) == []
    assert len(parse_typed("rocket", True)) == 2
    assert parse_typed("text:rocket", False) == parse_typed("rocket", True)
    assert parse_typed("views:x", True) == parse_typed('"', True) == []
    assert parse_typed("search:rocket", True) == []
