"""What a curtailed run asks for next, in facts made by hand: eight draws a question, tau 0.5."""

import pytest

from core.scoring.curtailment import CurtailedCell, as_text, from_text, next_draws
from core.scoring.policy import Policy
from core.vocabulary import ENCODING, KNOWLEDGE, Strategy, Task
from db.sqlite_errors import StoredValueError

FRESH, STUCK = CurtailedCell((0, 0, 0, 0), 8, 8), CurtailedCell((0, 0, 0, 0), 8, 0)
PASSED, FAILED = CurtailedCell((8, 0, 0, 0)), CurtailedCell((0, 8, 0, 0))
EMPTY, UNLABELLED = CurtailedCell((0, 0, 0, 8)), CurtailedCell((0, 0, 0, 0))

PAIR, FACT = Policy(), Policy(strategy=Strategy.FACT)


def drawn(correct: int, incorrect: int, other: int = 0) -> CurtailedCell:
    """A question with these labels, and all other draws still to come."""
    rest = 8 - correct - incorrect - other
    return CurtailedCell((correct, incorrect, 0, other), rest, rest)


def asked(
    cells: dict[str, CurtailedCell],
    policy: Policy = PAIR,
    on: bool = False,
    every_question: bool = False,
    without: tuple[Task, ...] = (),
) -> dict[str, int]:
    """Draws by task in one setting; the questions that are not named have passed."""
    whole = {(task, False): PASSED for task in (*ENCODING, *KNOWLEDGE)}
    if on:
        whole |= {(task, True): PASSED for task in KNOWLEDGE}
    whole |= {(Task(task), on): cell for task, cell in cells.items()}
    for task in without:
        del whole[task, on]
    found = next_draws(whole, policy, every_question)
    assert {thinking for _, thinking in found} <= {on}
    return {str(task): count for (task, _), count in found.items()}


@pytest.mark.parametrize("on", [False, True])
@pytest.mark.parametrize("policy", [PAIR, FACT])
def test_one_failed_question_settles_what_is_known(policy: Policy, on: bool) -> None:
    assert asked({"direct": drawn(0, 1), "reverse": FAILED}, policy, on) == {}
    assert asked({"direct": FAILED, "reverse": drawn(0, 1)}, policy, on) == {}
    assert asked({"direct": drawn(0, 1)}, policy, on) == {"direct": 3}


def test_one_passed_question_settles_what_is_encoded() -> None:
    assert asked({"completion": drawn(0, 1)}) == {}
    assert asked({"completion": FAILED, "contextual": drawn(0, 1)}) == {"contextual": 3}


@pytest.mark.parametrize("on", [False, True])
def test_each_pair_has_a_gradable_answer(on: bool) -> None:
    for direction, other in (("direct", "reverse"), ("reverse", "direct")):
        natural = f"{direction}_natural"
        settled = {other: FAILED}
        assert asked({**settled, direction: FRESH, natural: FRESH}, on=on) == {direction: 1}
        assert asked({**settled, direction: FRESH}, on=on) == {}
        assert asked({**settled, direction: FRESH, natural: drawn(0, 1)}, on=on) == {}
        for useless in (EMPTY, UNLABELLED, STUCK):
            assert asked({**settled, direction: useless, natural: FRESH}, on=on) == {natural: 1}
        assert asked({**settled, direction: FRESH, natural: FRESH}, FACT, on) == {
            direction: 1,
            natural: 1,
        }
        assert asked({direction: FRESH, natural: FRESH}, on=on) == {direction: 1}


def test_a_question_that_is_asked_for_more_keeps_its_number() -> None:
    cells = {"direct": drawn(0, 0, 1), "direct_natural": FRESH}
    assert asked(cells) == {"direct": 4}
    assert asked(cells, FACT) == {"direct": 4, "direct_natural": 1}
    assert asked({"direct": FRESH, "direct_natural": drawn(0, 0, 4)}) == {"direct_natural": 2}


@pytest.mark.parametrize("on", [False, True])
def test_all_stand_for_themselves_where_no_profile_can_be(on: bool) -> None:
    assert asked({"reverse": FRESH, "direct": EMPTY}, on=on) == {"reverse": 1}
    assert asked({"reverse": FRESH, "direct": EMPTY}, FACT, on) == {"reverse": 4}
    empty = {"direct": EMPTY, "direct_natural": EMPTY}
    assert asked({**empty, "reverse": FRESH}, on=on) == {"reverse": 4}
    assert asked({**empty, "reverse": FRESH, "reverse_natural": FAILED}, on=on) == {"reverse": 4}


def test_a_pair_that_is_not_there_is_missed_without_thinking_alone() -> None:
    gone = (Task.REVERSE, Task.REVERSE_NATURAL)
    assert asked({"direct": FRESH}, without=gone) == {"direct": 4}
    assert asked({"direct": FRESH}, without=gone[:1]) == {"direct": 1}
    assert asked({"direct": FRESH}, without=gone, on=True) == {"direct": 1}


def test_every_question_is_asked_for_where_all_are_wanted() -> None:
    cells = {"completion": FRESH, "reverse": FAILED, "direct": drawn(0, 1)}
    assert asked(cells) == {}
    assert asked(cells, every_question=True) == {"completion": 4, "direct": 3}


def test_no_more_is_asked_for_than_there_is_room() -> None:
    cells = {"mc_direct": CurtailedCell((0, 0, 0, 0), 8, 2), "mc_reverse": STUCK}
    assert asked(cells) == {"mc_direct": 2}
    assert asked({"reverse": STUCK, "direct": drawn(0, 1)}) == {"direct": 3}
    assert CurtailedCell((1, 0, 0, 0)) == CurtailedCell((1, 0, 0, 0), left=0, room=0)


@pytest.mark.parametrize(
    ("reverse", "direct", "first"),
    [
        # Draws to fail over the share of wrong ones: 4 / (1/2), then 3 / (2/3).
        (FRESH, drawn(0, 1), {"direct": 3}),
        (FRESH, FRESH, {"reverse": 1}),
        # 4 / (1/3) against 4 / (1/2).
        (drawn(1, 0), FRESH, {"direct": 1}),
        # 2 / (3/5) against 3 / (2/3).
        (drawn(1, 2), drawn(0, 1), {"reverse": 2}),
        # 1 / (4/8) against 3 / (2/3).
        (drawn(3, 3), drawn(0, 1), {"reverse": 1}),
        # 4 / (1/5) against 3 / (2/6).
        (drawn(3, 0), drawn(3, 1), {"direct": 2}),
        # 3 / (2/6) against 4 / (1/2), then 2 / (3/7) against 3 / (2/3).
        (drawn(3, 1), FRESH, {"direct": 1}),
        (drawn(3, 2), drawn(0, 1), {"direct": 3}),
        # What has no room, or is decided with draws left, is not asked.
        (CurtailedCell((0, 3, 0, 0), 5, 0), drawn(0, 1), {"direct": 3}),
        (drawn(5, 0), drawn(0, 1), {"direct": 3}),
    ],
)
def test_what_is_known_is_asked_where_it_promises_to_fail_soonest(
    reverse: CurtailedCell, direct: CurtailedCell, first: dict[str, int]
) -> None:
    for on in (False, True):
        assert asked({"reverse": reverse, "direct": direct}, on=on) == first


@pytest.mark.parametrize(
    ("completion", "contextual", "first"),
    [
        # Draws to pass over the share of right ones: 5 / (1/2), then 4 / (2/3).
        (FRESH, drawn(1, 0), {"contextual": 4}),
        (FRESH, FRESH, {"completion": 1}),
        # 5 / (1/3) against 5 / (1/2).
        (drawn(0, 1), FRESH, {"contextual": 1}),
        # 4 / (2/4) against 5 / (1/2).
        (drawn(1, 1), FRESH, {"completion": 3}),
    ],
)
def test_what_is_encoded_is_asked_where_it_promises_to_pass_soonest(
    completion: CurtailedCell, contextual: CurtailedCell, first: dict[str, int]
) -> None:
    assert asked({"completion": completion, "contextual": contextual}) == first


def test_a_policy_is_stored_as_json() -> None:
    policy = Policy(0.75, Strategy.PARTIAL, 0.4, ("human:jürgen",))
    assert as_text(policy) == (
        '{"graders": ["human:jürgen"], "strategy": "partial", "tau": 0.75, "weight": 0.4}'
    )
    assert from_text(as_text(policy)) == policy


@pytest.mark.parametrize(
    ("part", "other"),
    [
        ('"tau": 0.5', '"tau": null'),
        ('"tau": 0.5', '"tau": "much"'),
        ('"tau": 0.5', '"tau": 1.5'),
        ('"tau": 0.5', '"tau": 1' + "0" * 400),
        ('"tau": 0.5', '"tow": 0.5'),
        ('"pair"', '"pairs"'),
        ('["lexical"]', "[1]"),
    ],
)
def test_a_stored_policy_that_is_none_is_told(part: str, other: str) -> None:
    text = as_text(Policy(graders=("lexical",)))
    assert part in text
    with pytest.raises(StoredValueError) as error:
        from_text(text.replace(part, other))
    assert error.value.kind == "the policy of a curtailed run"
