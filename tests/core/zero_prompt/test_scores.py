"""Options, and what their log probabilities come to."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.dataset.seeded_order import digest, key_of
from core.zero_prompt.option_choice import count_options, options_of, wrong_options
from core.zero_prompt.relation import Relation
from core.zero_prompt.response_check import holds_gold
from core.zero_prompt.score_writer import GradedScore, cells_of
from core.zero_prompt.scores import score
from core.zero_prompt.training_split import Triple
from db.option_score_arrays import ScoreState
from db.option_scores import StoredScore

LOGPROBS = st.lists(st.floats(-60, 0, width=32), min_size=1, max_size=40)


def test_options_are_the_object_and_wrong_ones() -> None:
    rows = [Triple(f"t{at}", f"Land {at}", f"City {at}") for at in range(9)]
    relation = Relation("capital", rows)
    found = options_of(relation, rows[4], 9)
    assert found is not None
    assert found[0] == "City 4"
    assert sorted(found) == sorted(one.object for one in rows)
    assert options_of(relation, rows[4], 10) is None
    assert options_of(relation, rows[4], 5) == found[:5]


def test_what_is_right_or_begins_alike_is_no_option() -> None:
    rows = [
        Triple("a", "Ana", "French", aliases=("Gallic",)),
        Triple("b", "Ana", "Dutch"),
        Triple("c", "Bo", "French language"),
        Triple("d", "Bo", "gallic"),
        Triple("e", "Cy", "Dut"),
        Triple("f", "Cy", "DUTCH"),
        Triple("g", "Dee", "Norse", aliases=("dutch",)),
        Triple("h", "Dee", "Frenchman"),
    ]
    assert wrong_options(Relation("speaks", rows), rows[0]) == []
    more = [
        *rows,
        Triple("i", "Eve", "Fr"),
        Triple("j", "Eve", "Low Dutch"),
        Triple("k", "F", "Du"),
    ]
    assert wrong_options(Relation("speaks", more), rows[0]) == ["Low Dutch"]


def test_no_option_begins_another() -> None:
    """Of 1 to 118 no two stay of which one begins the other, and none beside the gold 10."""
    rows = [Triple(f"t{at}", f"Element {at}", str(at)) for at in range(1, 119)]
    relation = Relation("number", rows)
    for one in rows[8:12]:
        options = [one.object, *wrong_options(relation, one)]
        begun = [(a, b) for a in options for b in options if a != b and b.startswith(a)]
        assert begun == []
        assert count_options(relation, one) == len(options)
        assert options_of(relation, one, len(options)) == options
        assert options_of(relation, one, len(options) + 1) is None


def test_an_option_is_passed_over_where_one_of_its_kind_came_first() -> None:
    """Niger or Nigeria: whichever has the lower hash for the fact."""
    rows = [Triple("p", "A", "Mali"), Triple("q", "B", "Togo")]
    rows += [
        Triple(f"t{at}", f"S{at}", name) for at, name in enumerate(["Niger", "Nigeria", "Oman"])
    ]
    relation = Relation("country", rows)
    for one in rows[:2]:
        niger, nigeria = (digest(0, "zp-options", one.id, key) for key in ("niger", "nigeria"))
        first, other = ("Niger", "Nigeria") if niger < nigeria else ("Nigeria", "Niger")
        found = wrong_options(relation, one)
        assert first in found
        assert other not in found
        assert count_options(relation, one) == 1 + len(found) == 4


NESTED = st.lists(st.text("ab", min_size=1, max_size=4), min_size=2, max_size=14, unique=True)


@given(NESTED)
def test_options_are_those_of_a_plain_loop(objects: list[str]) -> None:
    rows = [Triple(f"t{at}", f"S{at}", text) for at, text in enumerate(objects)]
    relation, gold = Relation("r", rows), rows[0]
    taken = [gold.object]
    for one in sorted(objects, key=lambda text: digest(0, "zp-options", gold.id, text)):
        if not any(one.startswith(other) or other.startswith(one) for other in taken):
            taken.append(one)
    assert wrong_options(relation, gold) == taken[1:]
    assert count_options(relation, gold) == len(taken)


def test_given_choices_begin_none_of_each_other() -> None:
    given = ("Rome", "Niger", "nigeria", "Ni", "Bern", "Bernese Alps", "Oslo")
    rows = [Triple("a", "Ana", "Oslo", choices=given), Triple("b", "Bo", "Nigeria")]
    assert wrong_options(Relation("lives", rows), rows[0]) == ["Rome", "Niger", "Bern"]
    assert count_options(Relation("lives", rows), rows[0]) == 4


def test_given_choices_keep_their_order() -> None:
    rows = [
        Triple(
            "a", "Ana", "Oslo", choices=("Rome", "oslo", "Bern", "ROME", "Oslo West", "", "Riga")
        ),
        Triple("b", "Bo", "Paris"),
    ]
    assert wrong_options(Relation("lives", rows), rows[0]) == ["Rome", "Bern", "Riga"]


def test_an_object_is_written_as_most_often() -> None:
    rows = [Triple(f"t{at}", f"S{at}", text) for at, text in enumerate(["b", "B", "B", "a", "A"])]
    assert [one.text for one in Relation("r", rows).objects.values()] == ["A", "B"]


@given(LOGPROBS, st.data())
def test_scores_are_those_of_a_softmax(logprobs: list[float], data: st.DataObject) -> None:
    gold = data.draw(st.integers(0, len(logprobs) - 1))
    options = [f"option {at}" for at in range(len(logprobs))]
    found = score(options, logprobs, gold)
    assert found is not None
    whole = math.fsum(map(math.exp, logprobs))
    assert found.mass == pytest.approx(whole, rel=1e-9)
    assert found.probabilities == pytest.approx([math.exp(one) / whole for one in logprobs], 1e-9)
    better = sum(one >= logprobs[gold] for at, one in enumerate(logprobs) if at != gold)
    assert found.rank == 1 + better
    assert found.correct is (found.rank == 1)
    assert found.p_top == max(found.probabilities)


def test_a_tie_goes_against_the_gold_and_then_to_the_first_text() -> None:
    found = score(["gold", "b", "a"], [-1.0, -1.0, -1.0], 0)
    assert found is not None
    assert (found.predicted, found.correct, found.rank) == (2, False, 3)


def test_what_rounds_alike_when_kept_ties() -> None:
    found = score(["gold", "other"], [-1.0, -1.0 - 1e-9], 0)
    assert found is not None
    assert not found.correct


@pytest.mark.parametrize("bad", [None, math.nan, math.inf, -math.inf, 0.1])
def test_one_number_that_is_none_fails_the_fact(bad: float | None) -> None:
    assert score(["a", "b"], [-1.0, bad], 0) is None
    assert score([], [], 0) is None


def test_a_probability_of_one_may_be_rounded_up() -> None:
    found = score(["a", "b"], [5e-7, -20.0], 0)
    assert found is not None
    assert found.correct


def test_very_improbable_options_do_not_underflow() -> None:
    found = score(["a", "b"], [-2000.0, -2001.0], 0)
    assert found is not None
    assert found.p_top == pytest.approx(1 / (1 + math.exp(-1)))
    assert found.mass == 0
    assert np.isfinite(found.probabilities).all()


@pytest.mark.parametrize(
    ("response", "right"),
    [
        (" 1879 Noether 1882", True),
        ("(1879)", True),
        ("18790", False),
        ("a1879", False),
        ("_1879", False),
        ("New\nYork, of course", True),
        ("NEW  YORK", True),
        ("new yorker", False),
        ("", False),
    ],
)
def test_a_response_is_right_where_an_object_stands_in_it(response: str, right: bool) -> None:
    assert holds_gold(response, ["1879", "New York"]) is right


def test_a_response_is_compared_by_key() -> None:
    assert holds_gold("E\u0301OVIK.", ["\u00c9ovik"])
    assert key_of("Éovik") == "éovik"


@pytest.mark.parametrize("options", [1, 2, 7, 1000])
def test_many_scores_at_once_are_as_one_by_one(options: int) -> None:
    random = np.random.default_rng(options)
    rows = random.choice([-0.5, -1.0, -2.5, -300.0], (40, options)).astype(np.float32)
    rows[5, 0], rows[6, -1], rows[7, 0] = np.nan, np.inf, 0.5
    texts = [f"o{place}" for place in range(options)]
    graded = [
        GradedScore(StoredScore(fact, 9, row, "x o0 y" if fact % 2 else None), ("O0",))
        for fact, row in enumerate(rows)
    ]
    for fact, cell in enumerate(cells_of(graded)):
        found = score(texts, rows[fact].tolist(), 0)
        state = ScoreState(int(cell["state"]))
        assert bool(state & ScoreState.USABLE) == (found is not None) == (fact not in (5, 6, 7))
        assert bool(state & ScoreState.RIGHT) == bool(state & ScoreState.ANSWERED) == (fact % 2 > 0)
        assert (cell["fact"], cell["options"]) == (fact, 9)
        if found is not None:
            assert bool(state & ScoreState.CORRECT) == found.correct
            assert cell["rank"] == found.rank
            numbers = [cell[part] for part in ("p_top", "p_gold", "mass")]
            assert numbers == pytest.approx([found.p_top, found.p_gold, found.mass], rel=1e-12)
