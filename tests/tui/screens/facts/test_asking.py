"""What the list is asked for, step by step."""

from dataclasses import replace

from core.views.fact_query import Filters, Order
from tests.tui.screens.facts.making import LOOK
from tui.screens.facts.state import ORDERS, Asking, asked_line, chips, short


def test_orders_are_stepped_through_and_begin_again() -> None:
    asking = Asking()
    seen = []
    for _ in ORDERS:
        seen.append(asking.wanted.order)
        asking = asking.stepped()
    assert seen == list(ORDERS)
    assert asking.wanted.order is Order.TITLE


def test_the_most_viewed_stand_first() -> None:
    asking = Asking(order=Order.SUBJECT).stepped()
    assert (asking.wanted.order, asking.wanted.descending) == (Order.VIEWS, True)
    assert not asking.turned().wanted.descending
    assert not asking.stepped().wanted.descending


def test_a_search_has_an_order_of_its_own() -> None:
    asking = Asking(order=Order.VIEWS, descending=True)
    found = replace(asking, search="wren")
    assert found.wanted.order is Order.MATCH
    assert found.stepped().wanted.order is Order.TITLE
    assert replace(found.stepped(), search="").wanted.order is Order.VIEWS


def test_blanks_search_nothing() -> None:
    assert Asking(search="  ").wanted.search == ""


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
    line = asked_line(Asking(filters=filters).wanted, 100, LOOK)
    assert line.text.startswith(" EF   RF   Everyday Li…   work of art   ≠   * ")
    assert line.text.endswith("sort title ▲")


def test_chips_that_do_not_fit_are_counted() -> None:
    filters = Filters(verdicts=frozenset({"DR", "RT", "IE", "RF", "EF"}))
    line = asked_line(Asking(filters=filters).wanted, 30, LOOK)
    assert line.text == " DR   EF  +3  sort title ▲"


def test_the_best_match_stands_first() -> None:
    assert asked_line(Asking(search="x").wanted, 30, LOOK).text == "sort match ▼"
    assert asked_line(Asking().turned().wanted, 30, LOOK).text == "sort title ▼"


def test_short_names() -> None:
    assert short("PERSON") == "person"
    assert short("Philosophy & Religion") == "Philosophy…"
