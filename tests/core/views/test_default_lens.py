"""The lens: what its keys step through, and whose labels count."""

import pytest

from core.scoring.policy import Policy
from core.views.lens import STRATEGIES, TAUS, Lens, Thinking
from core.vocabulary import Strategy
from tests.core.views.making import lens_of


def test_thresholds_step_through_the_list_and_stop_at_its_ends() -> None:
    lens = Lens().with_policy(tau=0.0)
    seen = [lens.policy.tau]
    while (lens := lens.step_tau(1)).policy.tau != seen[-1]:
        seen.append(lens.policy.tau)
    assert tuple(seen) == TAUS
    assert Lens().with_policy(tau=0.0).step_tau(-1).policy.tau == 0.0


@pytest.mark.parametrize(("tau", "down", "up"), [(0.6, 0.5, 0.75), (0.5, 0.25, 0.75)])
def test_a_threshold_between_two_steps_to_its_neighbours(
    tau: float, down: float, up: float
) -> None:
    lens = Lens().with_policy(tau=tau)
    assert lens.step_tau(-1).policy.tau == down
    assert lens.step_tau(1).policy.tau == up


def test_strategies_go_round() -> None:
    lens, seen = Lens(), []
    for _ in STRATEGIES:
        seen.append(lens.policy.strategy)
        lens = lens.step_strategy(1)
    assert tuple(seen) == STRATEGIES
    assert lens == Lens()
    assert Lens().step_strategy(-1).policy.strategy is Strategy.PARTIAL


def test_the_weight_stays_within_0_and_1_and_loses_no_decimals() -> None:
    lens = Lens().with_policy(weight=0.5)
    for _ in range(3):
        lens = lens.step_weight(1)
    assert lens.policy.weight == 0.65
    for _ in range(20):
        lens = lens.step_weight(1)
    assert lens.policy.weight == 1.0
    assert Lens().with_policy(weight=0.02).step_weight(-1).policy.weight == 0.0


def test_thinking_off_on_both() -> None:
    lens, seen = Lens(thinking=Thinking.OFF), []
    for _ in Thinking:
        seen.append(lens.thinking.settings)
        lens = lens.next_thinking()
    assert seen == [(False,), (True,), (False, True)]
    assert lens.thinking is Thinking.OFF


@pytest.mark.parametrize(
    ("lens", "ranked"),
    [
        (Lens(), ("human:*",)),
        (lens_of(a="x", b="y"), ("human:*", "x")),
        (lens_of(a="x", people=False), ("x",)),
        (lens_of(people=False), ()),
    ],
)
def test_people_come_before_a_and_b_never_counts(lens: Lens, ranked: tuple[str, ...]) -> None:
    assert lens.ranked == ranked


def test_another_policy_changes_nothing_else() -> None:
    lens = lens_of(model="m", a="x", people=False, policy=Policy(tau=0.25, weight=0.4))
    changed = lens.with_policy(strategy=Strategy.FACT)
    assert changed.policy == Policy(0.25, Strategy.FACT, 0.4, ("x",))
    assert (changed.model, changed.a, changed.people) == ("m", "x", False)


def test_a_threshold_moves_by_hundredths_and_stays_a_decimal() -> None:
    lens = Lens()
    for _ in range(7):
        lens = lens.nudge_tau(1)
    assert lens.policy.tau == 0.57
    assert Lens().with_policy(tau=0.125).nudge_tau(-1).policy.tau == 0.115
    assert Lens().with_policy(tau=0.0).nudge_tau(-1).policy.tau == 0.0
    highest = Lens().with_policy(tau=0.995)
    assert highest.nudge_tau(1) is highest
