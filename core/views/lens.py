"""The lens: model, thinking, graders and policy through which every number is seen."""

from collections.abc import Sequence
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
MOST_COMPARED = 4
"""Graders whose labels stand beside one another at most: A, B, C and D."""


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

    Whose labels count stands in `policy.graders`, in order, as `--grader` of a command lists
    them; a lens that names none gets those that the project suggests. `compared` are the graders
    whose labels stand beside one another, those of the list first, in its order. `chosen` says
    that a person has set the graders: those that nobody has set may be joined by others.
    """

    model: str | None = None
    thinking: Thinking = Thinking.BOTH
    compared: tuple[str, ...] = ()
    chosen: bool = False
    policy: Policy = field(default_factory=Policy)

    @property
    def ranked(self) -> tuple[str, ...]:
        """Whose labels count, in this order; `choice` joins last for multiple choice."""
        return (PEOPLE,) if self.policy.graders is None else self.policy.graders

    @property
    def a(self) -> str | None:
        """The grader that is called A, the first of those compared; None where there is none."""
        return self.compared[0] if self.compared else None

    @property
    def b(self) -> str | None:
        """The grader that is called B, with which A is compared; None where there is none."""
        return self.compared[1] if len(self.compared) > 1 else None

    @property
    def people(self) -> bool:
        """Whether people's labels count."""
        return PEOPLE in self.ranked

    def with_graders(
        self, graders: Sequence[str], compared: Sequence[str], chosen: bool = True
    ) -> "Lens":
        """The lens with another list of graders; those compared stand in its order."""
        listed = tuple(dict.fromkeys(graders))
        order = (*listed, *compared)
        return replace(
            self,
            policy=replace(self.policy, graders=listed),
            compared=tuple(sorted(dict.fromkeys(compared), key=order.index)),
            chosen=chosen,
        )

    def with_grader(self, name: str) -> "Lens":
        """A grader taken in: people first, others last, and compared while there is room."""
        if name == PEOPLE:
            return self.with_graders((name, *self.ranked), self.compared)
        room = name in self.compared or len(self.compared) < MOST_COMPARED
        return self.with_graders((*self.ranked, name), (*self.compared, *[name] * room))

    def without_grader(self, name: str) -> "Lens":
        """A grader taken out of the list, and of those compared."""
        graders, compared = (
            [one for one in names if one != name] for names in (self.ranked, self.compared)
        )
        return self.with_graders(graders, compared)

    def with_grader_moved(self, name: str, step: int) -> "Lens":
        """A grader of the list a place later (1) or earlier (-1), as far as the list goes."""
        graders = list(self.ranked)
        place = graders.index(name)
        graders.insert(min(max(place + step, 0), len(graders) - 1), graders.pop(place))
        return self.with_graders(graders, self.compared)

    def with_compared(self, name: str) -> "Lens":
        """A grader compared with others, or not any more; people are compared one by one."""
        compared = [one for one in self.compared if one != name]
        if len(compared) == len(self.compared) < MOST_COMPARED and name != PEOPLE:
            compared.append(name)
        return self.with_graders(self.ranked, compared)

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

    def step_tau(self, step: int) -> "Lens":
        """The next threshold up (1) or down (-1)."""
        others = [tau for tau in TAUS if (tau - self.policy.tau) * step > 0]
        if not others:
            return self
        return self.with_policy(tau=min(others, key=lambda tau: abs(tau - self.policy.tau)))

    def nudge_tau(self, step: int) -> "Lens":
        """The threshold a hundredth up (1) or down (-1), within 0 to below 1."""
        tau = float(Decimal(repr(self.policy.tau)) + step * TAU_STEP)
        return self.with_policy(tau=max(0.0, tau)) if tau < 1 else self

    def step_strategy(self, step: int) -> "Lens":
        """The next strategy, around the end."""
        place = STRATEGIES.index(self.policy.strategy) + step
        return self.with_policy(strategy=STRATEGIES[place % len(STRATEGIES)])

    def step_weight(self, step: int) -> "Lens":
        """The weight of PARTIALLY a step up or down, within 0 to 1."""
        weight = min(1.0, max(0.0, round(self.policy.weight + step * WEIGHT_STEP, 2)))
        return self.with_policy(weight=weight)
