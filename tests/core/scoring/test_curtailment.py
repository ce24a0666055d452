"""The rule of curtailed sampling against all ways in which sampling could go on."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.scoring.curtailment import (
    PAIRS,
    CellName,
    CurtailedCell,
    as_text,
    fixed_policy,
    from_text,
    next_draws,
    reach,
)
from core.scoring.label_counts import CurtailedDraws, LabelCounts, numbers
from core.scoring.policy import Policy
from core.scoring.question_states import (
    ABSENT,
    BARE,
    FAIL,
    NOT_GRADABLE,
    OPEN,
    PASS,
    UNDECIDED,
    UNLABELLED,
    code_counts,
    states,
)
from core.scoring.verdicts import (
    CELLS,
    EXCLUDED_NAN,
    INCOMPLETE,
    NO_PROFILE,
    code_cells,
    judge,
    judge_states,
)
from core.vocabulary import KNOWLEDGE, TASK_INDEX, TASKS, Strategy, Task
from tests.core import reference
from tests.core.reference import Counts, Rule

MOST = 8
POLICIES = [
    *(Policy(tau, strategy) for tau in (0, 0.5, 0.75, 0.99) for strategy in Strategy),
    *(Policy(tau, Strategy.PARTIAL, weight) for tau in (0, 0.5, 0.51) for weight in (0, 0.5, 1)),
    Policy(0.3333333333333333, Strategy.PARTIAL, 0.07),
]


@cache
def multisets(size: int) -> "npt.NDArray[np.int64]":
    """Counts of the four labels that sum to `size`, shape (4, many)."""
    rows = [
        [picks.count(label) for label in range(4)]
        for picks in combinations_with_replacement(range(4), size)
    ]
    return np.array(rows, np.int64).reshape(-1, 4).T


def every_state(most: int = MOST) -> Iterator[tuple[int, "npt.NDArray[np.int64]"]]:
    """All label counts of up to `most` planned draws, with the draws left."""
    for planned in range(1, most + 1):
        for drawn in range(planned + 1):
            yield planned - drawn, multisets(drawn)


def ends(policy: Policy, counts: "npt.NDArray[np.int64]", left: int) -> "npt.NDArray[np.uint8]":
    """States after every way to go on, shape (states before, ways)."""
    after = counts[:, :, None] + multisets(left)[:, None, :]
    return states(after, policy)


@pytest.mark.parametrize("policy", POLICIES, ids=lambda one: f"{one.tau}-{one.strategy}")
def test_a_question_is_decided_if_and_only_if_all_ways_agree(policy: Policy) -> None:
    undecided = 0
    for left, counts in every_state():
        final = ends(policy, counts, left)
        agree = (final == final[:, :1]).all(axis=1)
        found = states(counts, policy, np.full(counts.shape[1], left))
        assert np.array_equal(found & UNDECIDED != 0, ~agree)
        assert np.array_equal(found[agree], final[agree, 0])
        gradable = counts[:2].sum(axis=0) + counts[2] * (policy.strategy is Strategy.PARTIAL)
        assert np.array_equal(found == OPEN, ~agree & (gradable > 0))
        assert np.array_equal(found == BARE, ~agree & (gradable == 0))
        undecided += int((~agree).sum())
    assert undecided > 100


def test_final_states_are_those_of_exact_fractions() -> None:
    """The states that ways to go on end in are right by the definition alone."""
    named = {PASS: "pass", FAIL: "fail", NOT_GRADABLE: "not gradable", UNLABELLED: "unlabelled"}
    for policy in POLICIES:
        rule = Rule(str(policy.tau), policy.strategy.value, str(policy.weight))
        counts = multisets(MOST)
        found = [named[one] for one in states(counts, policy).tolist()]
        columns: list[Counts] = [(c, i, p, o) for c, i, p, o in counts.T.tolist()]
        assert found == [reference.state(one, rule) for one in columns]


@pytest.mark.parametrize("policy", POLICIES, ids=lambda one: f"{one.tau}-{one.strategy}")
@pytest.mark.parametrize("most", [3, pytest.param(MOST, marks=pytest.mark.slow)])
def test_the_fewest_further_draws_that_could_decide(policy: Policy, most: int) -> None:
    for left, counts in every_state(most):
        if left > 5:  # the others are as good a test, and quick
            continue
        for column in counts.T.tolist():
            found = reach(tuple(column), left, policy)
            if not found.state & UNDECIDED:
                assert (found.to_pass, found.to_fail, found.fewest) == (None, None, 0)
                continue
            reached = {
                state: min(
                    size
                    for size in range(1, left + 1)
                    if (
                        states(
                            np.array(column)[:, None] + multisets(size),
                            policy,
                            np.full(multisets(size).shape[1], left - size),
                        )
                        == state
                    ).any()
                )
                for state in (PASS, FAIL)
            }
            assert (found.to_pass, found.to_fail) == (reached[PASS], reached[FAIL])
            assert found.fewest == min(reached.values())


def test_five_right_or_four_wrong_of_eight() -> None:
    policy = Policy()
    assert reach((5, 0, 0, 0), 3, policy).state == PASS
    assert reach((4, 0, 0, 0), 4, policy).state == OPEN
    assert reach((0, 4, 0, 0), 4, policy).state == FAIL
    assert reach((0, 3, 0, 1), 4, policy).state == OPEN
    assert reach((0, 0, 0, 7), 1, policy).state == BARE
    assert reach((0, 0, 0, 8), 0, policy).state == NOT_GRADABLE
    assert reach((0, 0, 0, 0), 8, policy).fewest == 4


@pytest.mark.slow
@given(
    st.lists(st.tuples(*[st.integers(0, 40)] * 5), min_size=1, max_size=8),
    st.integers(0, 99),
    st.sampled_from(Strategy),
)
@settings(max_examples=150, deadline=None)
def test_the_bounds_in_fractions(
    rows: list[tuple[int, ...]], hundredth: int, strategy: Strategy
) -> None:
    policy = Policy(hundredth / 100, strategy, 0.07)
    table = np.array(rows, np.int64).T
    found = states(table[:4], policy, table[4]).tolist()
    for (c, i, p, o, left), state in zip(rows, found, strict=True):
        partial = strategy is Strategy.PARTIAL
        above = c + Fraction("0.07") * p * partial
        below = c + i + p * partial
        tau = Fraction(hundredth, 100)
        if c + i + p + o == left == 0:
            assert state == UNLABELLED
        elif below + left and above / (below + left) > tau:
            assert state == PASS
        elif below and (above + left) / (below + left) <= tau:
            assert state == FAIL
        elif left == below == 0:
            assert state == NOT_GRADABLE
        else:
            assert state == (OPEN if below else BARE)


@given(
    st.lists(st.tuples(*[st.integers(0, 9)] * 5, st.booleans()), max_size=12),
    st.sampled_from(POLICIES),
)
@settings(max_examples=100, deadline=None)
def test_codes_with_draws_left_stand_for_the_same_states(
    rows: list[tuple[int, int, int, int, int, bool]], policy: Policy
) -> None:
    table = np.array(rows, np.int64).reshape(-1, 6).T
    exists = table[5].astype(np.bool_)
    found = code_counts(table[:4], exists, table[4]).states(policy)
    expected = np.where(exists, states(table[:4], policy, table[4]), ABSENT)
    assert found.tolist() == expected.tolist()


Question = tuple[tuple[int, ...], int]
"""Label counts and draws left."""

PLANNED = 2


def in_one_fact() -> st.SearchStrategy[dict[CellName, Question]]:
    """Some or all of the ten cells, each with up to two draws made or left."""
    ways = [
        (tuple(column), PLANNED - drawn)
        for drawn in range(PLANNED + 1)
        for column in multisets(drawn).T.tolist()
    ]
    one = st.sampled_from(ways)
    tasks = st.sets(st.sampled_from([task for task in TASKS if not task.is_choice]), min_size=4)

    def cells(which: tuple[set[Task], bool]) -> st.SearchStrategy[dict[CellName, Question]]:
        there, thinks = which
        names = [(task, on) for task, on in CELLS if task in there and (thinks or not on)]
        return st.fixed_dictionaries(dict.fromkeys(names, one))

    return st.tuples(tasks, st.booleans()).flatmap(cells)


def thinks(cells: dict[CellName, Question]) -> bool:
    return any(on for _, on in cells)


def as_tally(facts: Sequence[dict[CellName, Question]], policy: Policy) -> LabelCounts:
    """The counts of facts that have the same questions."""
    rows = np.array([[0, 1 if thinks(facts[0]) else -1]])
    labels = np.zeros((2, 4, len(TASKS), len(facts)), np.uint16)
    exists = np.zeros((len(TASKS), len(facts)), np.bool_)
    for task, on in facts[0]:
        counts = [cells[task, on][0] for cells in facts]
        labels[int(on), :, TASK_INDEX[task]] = np.array(counts).T
        exists[TASK_INDEX[task]] = True
    planned = np.full((2, len(TASKS), len(facts)), PLANNED, np.uint16)
    valid = ({numbers(policy): np.ones(len(facts), np.bool_)},)
    drawn = labels.sum(axis=1, dtype=np.uint16)
    return LabelCounts(["m"], rows, labels, drawn, exists, CurtailedDraws(planned, valid))


def verdicts(
    facts: Sequence[dict[CellName, Question]], policy: Policy, valid: bool = True
) -> list[tuple[int, ...]]:
    """Of each fact the number of the verdict, then E, K0, KT where they mean something."""
    tally = as_tally(facts, policy)
    skipping = tally.find_skipping(policy) if valid else np.array([[False]])
    found = judge(code_cells(tally), tally.thinks(), policy, skipping)
    parts = [found.encodes, found.knows, *([found.knows_thinking] if thinks(facts[0]) else [])]
    told = np.stack([found.verdict[0], *(part[0] for part in parts)], axis=1).astype(int).tolist()
    return [
        (number,) if number in (EXCLUDED_NAN, INCOMPLETE) else (number, *rest)
        for number, *rest in told
    ]


def verdict(cells: dict[CellName, Question], policy: Policy, valid: bool = True) -> tuple[int, ...]:
    """What `verdicts` tells of one fact."""
    return verdicts([cells], policy, valid)[0]


@pytest.mark.slow
@given(in_one_fact(), st.sampled_from(POLICIES), st.data())
@settings(max_examples=300, deadline=None)
def test_a_fact_that_is_decided_stays_so_whatever_comes(
    cells: dict[CellName, Question], policy: Policy, data: st.DataObject
) -> None:
    now = verdict(cells, policy)
    after: dict[CellName, Question] = {}
    for name, (counts, left) in cells.items():
        more = data.draw(st.sampled_from(multisets(left).T.tolist()))
        after[name] = (tuple(a + b for a, b in zip(counts, more, strict=True)), 0)
    if now[0] != INCOMPLETE:
        assert verdict(after, policy) == now


@pytest.mark.slow
@given(in_one_fact(), st.sampled_from(POLICIES))
@settings(max_examples=300, deadline=None)
def test_an_undecided_fact_could_still_become_another(
    cells: dict[CellName, Question], policy: Policy
) -> None:
    """The rule is tight: an incomplete fact with all its questions has two futures at least.

    Save where it is sure to be excluded as not gradable: semantics section 7 lets a fact stop
    only with a gradable answer in each pair.
    """
    pairs = PAIRS if thinks(cells) else PAIRS[:3]
    if not all(any(name in cells for name in pair) for pair in pairs):
        assert verdict(cells, policy) == (INCOMPLETE,)
        return
    if verdict(cells, policy) != (INCOMPLETE,):
        return
    ways = product((0, 1, 3), repeat=len(pairs))
    futures = set(verdicts([_ended(cells, favour) for favour in ways], policy))
    assert len(futures) > 1 or futures == {(EXCLUDED_NAN,)}


def _ended(cells: dict[CellName, Question], favour: tuple[int, ...]) -> dict[CellName, Question]:
    """All draws left of each pair come out as one label."""
    found: dict[CellName, Question] = {}
    for pair, label in zip(PAIRS, favour, strict=False):
        for name in pair:
            if name in cells:
                counts, left = cells[name]
                found[name] = (
                    tuple(n + left * (k == label) for k, n in enumerate(counts)),
                    0,
                )
    return found


@pytest.mark.slow
@given(in_one_fact(), st.sampled_from(POLICIES))
@settings(max_examples=300, deadline=None)
def test_nothing_more_is_asked_just_when_the_fact_is_complete(
    cells: dict[CellName, Question], policy: Policy
) -> None:
    asked = next_draws(
        {
            name: CurtailedCell((c, i, p, o), left, left)
            for name, ((c, i, p, o), left) in cells.items()
        },
        policy,
    )
    assert all(0 < count <= cells[name][1] for name, count in asked.items())
    has_all_pairs = all(
        any(name in cells for name in pair) for pair in (PAIRS if thinks(cells) else PAIRS[:3])
    )
    if has_all_pairs:
        assert (not asked) == (verdict(cells, policy) != (INCOMPLETE,))
    elif not all(any(name in cells for name in pair) for pair in PAIRS[:3]):
        undecided = {name for name in cells if reach(*_of(cells[name]), policy).state & UNDECIDED}
        assert set(asked) == undecided


def _of(question: Question) -> tuple[tuple[int, int, int, int], int]:
    (c, i, p, o), left = question
    return (c, i, p, o), left


@pytest.mark.slow
@given(in_one_fact(), st.sampled_from(POLICIES))
@settings(max_examples=200, deadline=None)
def test_every_question_alone_and_another_policy_want_all_of_them_decided(
    cells: dict[CellName, Question], policy: Policy
) -> None:
    asked = next_draws(
        {name: CurtailedCell(*_of(one), one[1]) for name, one in cells.items()}, policy, True
    )
    undecided = {
        name: found.fewest
        for name, one in cells.items()
        if (found := reach(*_of(one), policy)).state & UNDECIDED
    }
    assert asked == undecided
    elsewhere = verdict(cells, policy, valid=False)
    if undecided:
        assert elsewhere == (INCOMPLETE,)
    else:
        assert elsewhere == verdict(cells, policy)


def test_nothing_is_asked_where_nothing_can_be() -> None:
    """Answers without labels, or slots that failed, leave a question open without room."""
    cells = {name: CurtailedCell((0, 0, 0, 0), 8, 0) for name in CELLS}
    assert next_draws(cells, Policy()) == {}


def test_one_answer_tells_where_to_go_on() -> None:
    cells = {name: CurtailedCell((0, 0, 0, 0), 8, 8) for name in CELLS if not name[1]}
    first = next_draws(cells, Policy())
    assert first == {
        (Task.COMPLETION, False): 1,
        (Task.REVERSE, False): 1,
        (Task.DIRECT, False): 1,
    }
    for name, label in zip(first, (0, 0, 1), strict=True):
        counts = [0, 0, 0, 0]
        counts[label] = 1
        cells[name] = CurtailedCell((counts[0], counts[1], 0, 0), 7, 7)
    assert next_draws(cells, Policy()) == {
        (Task.COMPLETION, False): 4,
        (Task.DIRECT, False): 3,
    }
    cells[Task.DIRECT, False] = CurtailedCell((0, 4, 0, 0), 4, 4)
    cells[Task.COMPLETION, False] = CurtailedCell((5, 0, 0, 0), 3, 3)
    assert next_draws(cells, Policy()) == {}
    assert set(next_draws(cells, Policy(strategy=Strategy.FACT))) == {
        (Task.CONTEXTUAL, False),
        (Task.DIRECT_NATURAL, False),
        (Task.REVERSE_NATURAL, False),
    }


def test_multiple_choice_stands_for_itself() -> None:
    decided = {(task, False): CurtailedCell((8, 0, 0, 0)) for task in TASKS if not task.is_choice}
    cells = {**decided, (Task.MC_DIRECT, False): CurtailedCell((0, 0, 0, 0), 8, 8)}
    assert next_draws(cells, Policy()) == {(Task.MC_DIRECT, False): 4}


def test_without_curtailing_nothing_is_decided_early() -> None:
    """`left` of nothing and no `left` are the same, for every state and fact."""
    counts = multisets(4)
    for policy in POLICIES:
        none = np.zeros(counts.shape[1], np.int64)
        assert states(counts, policy).tolist() == states(counts, policy, none).tolist()
    cells = np.array([PASS, FAIL] * 5, np.uint8).reshape(10, 1, 1)
    assert judge_states(cells, np.array([False]), Strategy.PAIR).verdict[0, 0] == NO_PROFILE
    assert len(KNOWLEDGE) == 4


def test_a_policy_is_stored_with_its_graders_and_people_first() -> None:
    plain = fixed_policy(Policy(0.75, Strategy.PARTIAL, 0.4), ("lexical",))
    assert plain.graders == ("human:*", "lexical")
    assert from_text(as_text(plain)) == plain
    named = Policy(graders=("human:mira", "lexical"))
    assert fixed_policy(named, ("lexical",)) == named
    assert fixed_policy(Policy(graders=("exact",)), ("lexical",)).graders == ("human:*", "exact")
    assert fixed_policy(Policy(), ("human:mira", "exact")).graders == ("human:mira", "exact")
