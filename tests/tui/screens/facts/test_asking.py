"""What the list is asked for, step by step."""

from dataclasses import replace

from core.views.fact_query import FactOrder, Filters
from tests.tui.screens.facts.making import LOOK
from tui.screens.facts.state import ORDERS, FactsState, asked_line, chips, short


def test_orders_are_stepped_through_and_begin_again() -> None:
    asking = FactsState()
    seen = []
    for _ in ORDERS:
        seen.append(asking.wanted.order)
        asking = asking.stepped()
    assert seen == list(ORDERS)
    assert asking.wanted.order is FactOrder.TITLE


def test_the_most_viewed_stand_first() -> None:
    asking = FactsState(order=FactOrder.SUBJECT).stepped()
    assert (asking.wanted.order, asking.wanted.descending) == (FactOrder.VIEWS, True)
    assert not asking.turned().wanted.descending
    assert not asking.stepped().wanted.descending


def test_a_search_has_an_order_of_its_own() -> None:
    asking = FactsState(order=FactOrder.VIEWS, descending=True)
    found = replace(asking, search="wren")
    assert found.wanted.order is FactOrder.MATCH
    assert found.stepped().wanted.order is FactOrder.TITLE
    assert replace(found.stepped(), search="").wanted.order is FactOrder.VIEWS


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
    line = asked_line(FactsState(filters=filters).wanted, 100, LOOK)
    assert line.text.startswith(" EF   RF   Everyday Li…   work of art   ≠   * ")
    assert line.text.endswith("sort title ▲")


def test_chips_that_do_not_fit_are_counted() -> None:
    filters = Filters(verdicts=frozenset({"DR", "RT", "IE", "RF", "EF"}))
    line = asked_line(FactsState(filters=filters).wanted, 30, LOOK)
    assert line.text == " DR   EF  +3  sort title ▲"


def test_the_best_match_stands_first() -> None:
    assert asked_line(FactsState(search="x").wanted, 30, LOOK).text == "sort match ▼"
    assert asked_line(FactsState().turned().wanted, 30, LOOK).text == "sort title ▼"


def test_short_names() -> None:
    assert short("PERSON") == "person"
    assert short("Philosophy & Religion") == "Philosophy…"
