"""The lens: model, thinking, graders and policy through which every number is seen."""

from dataclasses import dataclass, field, replace
from decimal import Decimal
from enum import StrEnum

from core.scoring.policy import Policy
from core.scoring.precedence import PEOPLE
from core.vocabulary import Strategy

TAUS = (0.0, 0.25, 0.5, 0.75, 0.9, 0.99)
"""Thresholds that one key steps through."""

TAU_STEP = Decimal("0.01")
WEIGHT_STEP = 0.05
STRATEGIES = tuple(Strategy)


class Thinking(StrEnum):
    """Which settings of the model are shown."""

    OFF = "off"
    ON = "on"
    BOTH = "off+on"

    @property
    def settings(self) -> tuple[bool, ...]:
        """Thinking off and on as they are shown, off first."""
        return {"off": (False,), "on": (True,)}.get(self.value, (False, True))


@dataclass(frozen=True, slots=True)
class Lens:
    """What all screens show their numbers through.

    `a` is the grader that decides where no person has labelled, `b` the one it is compared
    with; None where there is none. `people` says whether people's labels come before `a`.
    Whose labels
    count follows from these (`ranked`); a snapshot's lens has it in `policy.graders` too.
    """

    model: str | None = None
    thinking: Thinking = Thinking.BOTH
    a: str | None = None
    b: str | None = None
    people: bool = True
    policy: Policy = field(default_factory=Policy)

    @property
    def ranked(self) -> tuple[str, ...]:
        """Whose labels count, in this order; `choice` joins last for multiple choice."""
        people = (PEOPLE,) if self.people else ()
        return people if self.a is None else (*people, self.a)

    def with_policy(
        self,
        tau: float | None = None,
        strategy: Strategy | None = None,
        weight: float | None = None,
    ) -> "Lens":
        """The lens with another threshold, strategy or weight of PARTIALLY."""
        now = self.policy
        return replace(
            self,
            policy=replace(
                now,
                tau=now.tau if tau is None else tau,
                strategy=strategy or now.strategy,
                weight=now.weight if weight is None else weight,
            ),
        )

    def next_thinking(self) -> "Lens":
        """Off, on, both, and off again."""
        order = tuple(Thinking)
        return replace(self, thinking=order[(order.index(self.thinking) + 1) % len(order)])

    def stepped_tau(self, step: int) -> "Lens":
        """The next threshold up (1) or down (-1)."""
        others = [tau for tau in TAUS if (tau - self.policy.tau) * step > 0]
        if not others:
            return self
        return self.with_policy(tau=min(others, key=lambda tau: abs(tau - self.policy.tau)))

    def nudged_tau(self, step: int) -> "Lens":
        """The threshold a hundredth up (1) or down (-1), within 0 to below 1."""
        tau = float(Decimal(repr(self.policy.tau)) + step * TAU_STEP)
        return self.with_policy(tau=max(0.0, tau)) if tau < 1 else self

    def stepped_strategy(self, step: int) -> "Lens":
        """The next strategy, around the end."""
        place = STRATEGIES.index(self.policy.strategy) + step
        return self.with_policy(strategy=STRATEGIES[place % len(STRATEGIES)])

    def stepped_weight(self, step: int) -> "Lens":
        """The weight of PARTIALLY a step up or down, within 0 to 1."""
        weight = min(1.0, max(0.0, round(self.policy.weight + step * WEIGHT_STEP, 2)))
        return self.with_policy(weight=weight)
