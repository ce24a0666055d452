"""What the list is asked for, step by step."""

from dataclasses import replace

from core.dataset.fact_filters import Filters
from core.views.fact_query import FactOrder
from tests.tui.screens.facts.making import LOOK
from tui.screens.facts.column_layout import layout
from tui.screens.facts.fact_list import heading
from tui.screens.facts.state import ORDERS, FactsState, chips, draw_query, shorten_name


def test_orders_are_stepped_through_and_begin_again() -> None:
    asking = FactsState()
    seen = []
    for _ in ORDERS:
        seen.append(asking.wanted.order)
        asking = asking.next_order()
    assert seen == list(ORDERS)
    assert asking.wanted.order is FactOrder.SUBJECT


def test_the_most_viewed_stand_first() -> None:
    asking = FactsState(order=FactOrder.TITLE).next_order()
    assert (asking.wanted.order, asking.wanted.descending) == (FactOrder.VIEWS, True)
    assert not asking.reverse_order().wanted.descending
    assert not asking.next_order().wanted.descending


def test_a_column_is_sorted_by_and_then_turned_round() -> None:
    by_topic = FactsState().sort_by(FactOrder.TOPIC)
    assert (by_topic.wanted.order, by_topic.wanted.descending) == (FactOrder.TOPIC, False)
    assert by_topic.sort_by(FactOrder.TOPIC) == by_topic.reverse_order()
    assert by_topic.sort_by(FactOrder.VIEWS).wanted.descending


def test_every_name_of_a_column_and_the_order_can_be_clicked() -> None:
    wide = heading(layout(None, FactOrder.SUBJECT, 116), 116, LOOK)
    parts = [span.part for span in wide.spans if span.text.strip()]
    names = ("title", "subject", "topic", "views", "differs")
    assert parts == [f"sort_by('{name}')" for name in names]
    line = draw_query(FactsState().wanted, 40, LOOK)
    assert [line.part_at(place) for place in (0, 6, line.width - 1)] == ["sort", "sort", "turn"]


def test_a_search_has_an_order_of_its_own() -> None:
    asking = FactsState(order=FactOrder.VIEWS, descending=True)
    found = replace(asking, search="wren")
    assert found.wanted.order is FactOrder.MATCH
    assert found.next_order().wanted.order is FactOrder.SUBJECT
    assert replace(found.next_order(), search="").wanted.order is FactOrder.VIEWS


def test_blanks_search_nothing() -> None:
    assert FactsState(search="  ").wanted.search == ""


def test_filters_stand_as_chips() -> None:
    filters = Filters(
        verdicts=frozenset({"RF", "EF"}),
        topics=frozenset({"Everyday Life"}),
        types=frozenset({"WORK_OF_ART"}),
        differs="profile",
        reviews=frozenset({"flagged"}),
        rejected=True,
    )
    words = [words for words, _ in chips(filters, LOOK)]
    assert words == ["EF", "RF", "Everyday Li…", "work of art", "≠", "*", "RJ"]
    line = draw_query(FactsState(filters=filters).wanted, 100, LOOK)
    assert line.text.startswith(" EF   RF   Everyday Li…   work of art   ≠   * ")
    assert line.text.endswith("sort subject ▲")


def test_chips_that_do_not_fit_are_counted() -> None:
    filters = Filters(verdicts=frozenset({"DR", "RT", "IE", "RF", "EF"}))
    line = draw_query(FactsState(filters=filters).wanted, 30, LOOK)
    assert line.text == " DR   EF  +3  sort subject ▲"


def test_the_best_match_stands_first() -> None:
    assert draw_query(FactsState(search="x").wanted, 30, LOOK).text == "sort match ▼"
    assert draw_query(FactsState().reverse_order().wanted, 30, LOOK).text == "sort subject ▼"


def test_short_names() -> None:
    assert shorten_name("PERSON") == "person"
    assert shorten_name("Philosophy & Religion") == "Philosophy…"
