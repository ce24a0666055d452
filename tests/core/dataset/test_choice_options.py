from itertools import permutations

import pytest

from core.dataset import choice_options
from core.errors import LostkeysError

FOUR = ("one", "two", "three", "four")


def test_every_order_has_its_number_and_comes_back() -> None:
    orders = list(permutations(FOUR))
    assert [choice_options.encode(order, FOUR) for order in orders] == list(range(24))
    assert [choice_options.decode(number, FOUR) for number in range(24)] == orders


@pytest.mark.parametrize(
    "shown",
    [("one", "two", "three"), ("one", "one", "two", "three"), ("One", "two", "three", "four"), ()],
)
def test_what_is_no_order_of_the_options_is_refused(shown: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match=r"not (an order|in tuple)|not in"):
        choice_options.encode(shown, FOUR)


def test_the_gold_is_found_exactly_before_any_letter_case() -> None:
    assert choice_options.gold_option(("polish", "Polish", "x", "y"), " Polish ") == "Polish"
    assert choice_options.gold_option(("POLISH ", "x", "y", "z"), "polish") == "POLISH "


def test_options_without_the_gold_are_an_error() -> None:
    with pytest.raises(LostkeysError, match="gold answer 'five'"):
        choice_options.gold_option(FOUR, "five")
