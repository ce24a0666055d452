"""Two models on the same facts, or one under two policies: what moved, and is it more than chance.

Compared are the facts that have a profile on both sides; where one side was not asked with
thinking, those that are complete and gradable on both.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core import policies
from core.errors import UsageError
from core.groups import Mask
from core.intervals import Interval
from core.names import PROFILES, Strategy
from core.paired import Tested, mcnemar
from core.policy import Policy
from core.precedence import Rank
from core.profiles import EXCLUDED_NAN, INCOMPLETE, VERDICTS, Verdicts
from core.project import Project
from core.resampling import RECORDED, Rate, Resampled, resample

WITHOUT = "without"
"""What a flow table calls facts that have no profile on one side."""

FLOWS = (*map(str, PROFILES), WITHOUT)
KNOWING = ("encodes", "knows", "knows_thinking")
"""The yes-or-no questions asked of both sides: E, K0, and known without or with thinking."""


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a comparison: a model under a policy; `name` is that of the saved policy."""

    model: str
    policy: Policy
    ranks: tuple[Rank, ...]
    name: str | None
    verdicts: Verdicts

    def as_json(self) -> dict[str, object]:
        """What the side is, as `compare --json` gives it."""
        partial = self.policy.strategy is Strategy.PARTIAL
        return {
            "model": self.model,
            "policy": self.name,
            "tau": self.policy.tau,
            "strategy": self.policy.strategy,
            "weight": self.policy.weight if partial else None,
            "graders": [rank.name for rank in self.ranks],
            "thinking": self.thinking,
        }

    @property
    def thinking(self) -> bool:
        """Whether the model was asked with thinking."""
        return bool(self.verdicts.thinking[0])

    @property
    def verdict(self) -> npt.NDArray[np.uint8]:
        """The verdict of every fact, its place in `VERDICTS`."""
        found: npt.NDArray[np.uint8] = self.verdicts.verdict[0]
        return found

    @property
    def profiled(self) -> Mask:
        """Facts with one of the five profiles."""
        found: Mask = self.verdict < len(PROFILES)
        return found

    @property
    def judged(self) -> Mask:
        """Facts that are complete and gradable."""
        found: Mask = (self.verdict != INCOMPLETE) & (self.verdict != EXCLUDED_NAN)
        return found

    def holds(self, number: str) -> Mask:
        """Facts for which one of `KNOWING`, or a profile, holds."""
        knows = self.verdicts.knows[0]
        found: Mask
        match number:
            case "encodes":
                found = self.verdicts.encodes[0]
            case "knows":
                found = knows
            case "knows_thinking":
                found = knows | self.verdicts.knows_thinking[0]
            case _:
                found = self.verdict == FLOWS.index(number)
        return found


@dataclass(frozen=True, slots=True)
class Change:
    """One number on both sides over the facts compared: shares, their difference, a paired test.

    `difference` is b less a, with its paired bootstrap interval; `only_a` and `only_b` count the
    facts for which it holds on one side alone. None where no fact is compared.
    """

    number: str
    a: float | None
    b: float | None
    difference: float | None
    interval: Interval | None
    only_a: int
    only_b: int
    tested: Tested | None

    def as_json(self) -> dict[str, object]:
        """One entry of `changes` in `compare --json`."""
        return {
            "number": self.number,
            "a": self.a,
            "b": self.b,
            "difference": self.difference,
            "interval": self.interval,
            "only_a": self.only_a,
            "only_b": self.only_b,
            "p": self.tested and self.tested.p,
            "p_adjusted": self.tested and self.tested.p_adjusted,
            "significant": bool(self.tested and self.tested.significant),
        }


@dataclass(frozen=True, slots=True)
class Moved:
    """A fact that is not judged alike on both sides, by its place in the index.

    `a` and `b` are its profiles, None where not both sides have profiles; `changed` names those
    of `KNOWING` that differ.
    """

    place: int
    fact_id: str
    a: str | None
    b: str | None
    changed: tuple[str, ...]

    def as_json(self) -> dict[str, object]:
        """One entry of `facts` in `compare --json`."""
        return {"fact_id": self.fact_id, "a": self.a, "b": self.b, "changed": list(self.changed)}


@dataclass(frozen=True, slots=True)
class Comparison:
    """Both sides over some facts (`facts`), and what of them is compared (`compared`)."""

    a: Side
    b: Side
    facts: Mask
    compared: Mask
    changes: Sequence[Change]
    moved: Sequence[Moved]
    provisional: bool

    @property
    def thinking(self) -> bool:
        """Whether both sides have profiles."""
        return self.a.thinking and self.b.thinking

    def members(self, from_: str, to: str) -> list[int]:
        """The facts of one cell of the flow table, by their places in the index."""
        cell = (_flow(self.a) == FLOWS.index(from_)) & (_flow(self.b) == FLOWS.index(to))
        found: list[int] = np.flatnonzero(cell & self.facts).tolist()
        return found

    def flow(self) -> dict[str, dict[str, int]] | None:
        """Facts by profile on side a, then on side b; None unless both have profiles."""
        if not self.thinking:
            return None
        size = len(FLOWS)
        both = _flow(self.a)[self.facts] * size + _flow(self.b)[self.facts]
        table = np.bincount(both, minlength=size * size).reshape(size, size).tolist()
        return {
            name: dict(zip(FLOWS, row, strict=True)) for name, row in zip(FLOWS, table, strict=True)
        }

    def outside(self) -> dict[str, int]:
        """Facts that are not compared: fit on one side only, or on neither."""
        a, b = (_fit(side, self.thinking) & self.facts for side in (self.a, self.b))
        parts = {"only_a": a & ~b, "only_b": b & ~a, "neither": self.facts & ~a & ~b}
        return {name: int(np.count_nonzero(part)) for name, part in parts.items()}

    def as_json(self) -> dict[str, object]:
        """The document of `compare --json`."""
        return {
            "a": self.a.as_json(),
            "b": self.b.as_json(),
            "provisional": self.provisional,
            **RECORDED,
            "total": int(np.count_nonzero(self.facts)),
            "compared": int(np.count_nonzero(self.compared)),
            **self.outside(),
            "moved": len(self.moved),
            "flow": self.flow(),
            "changes": [one.as_json() for one in self.changes],
            "facts": [one.as_json() for one in self.moved],
        }


def compare(
    project: Project,
    a: tuple[str, Policy],
    b: tuple[str, Policy],
    where: str | None = None,
) -> Comparison:
    """Compare a model under a policy with another, or with itself under another policy.

    Raises `UsageError` for two equal sides, and as `report.profiles` does.
    """
    models = project.choose_models([a[0], b[0]])
    facts = project.facts(where, models, a[1])
    one, provisional = _side(project, *a, facts)
    other, unsettled = _side(project, *b, facts)
    if (one.model, policies.document(project, a[1])) == (
        other.model,
        policies.document(project, b[1]),
    ):
        raise UsageError(
            f"{one.model} is on both sides: name another model, or another policy for the second"
        )
    thinking = one.thinking and other.thinking
    compared = _fit(one, thinking) & _fit(other, thinking) & facts
    return Comparison(
        one,
        other,
        facts,
        compared,
        _changes(one, other, compared),
        _moved(project, one, other, compared),
        provisional or unsettled,
    )


def _side(project: Project, model: str, policy: Policy, facts: Mask) -> tuple[Side, bool]:
    """A side, and whether its numbers are provisional."""
    ranks = project.ranks(policy)
    tally = project.tally(ranks, [model])
    verdicts = project.verdicts(tally, policy)
    side = Side(model, policy, ranks, policies.name_of(project, policy), verdicts)
    return side, project.provisional(tally, facts)


def _fit(side: Side, thinking: bool) -> Mask:
    """Facts of a side that can be compared, with thinking or without."""
    return side.profiled if thinking else side.judged


def _flow(side: Side) -> npt.NDArray[np.int64]:
    """The place in `FLOWS` of every fact."""
    return np.minimum(side.verdict, len(PROFILES)).astype(np.int64)


def _numbers(a: Side, b: Side) -> tuple[str, ...]:
    """What can be compared of two sides."""
    return (*map(str, PROFILES), *KNOWING) if a.thinking and b.thinking else KNOWING[:2]


def _changes(a: Side, b: Side, compared: Mask) -> list[Change]:
    numbers = _numbers(a, b)
    rates = [Rate(side.holds(number) & compared, compared) for number in numbers for side in (a, b)]
    pairs = [
        (int(np.count_nonzero(one & ~other)), int(np.count_nonzero(other & ~one)))
        for one, other in ((rate.hits, its.hits) for rate, its in _pairwise(rates))
    ]
    tests = mcnemar(pairs) if compared.any() else [None] * len(pairs)
    drawn = resample(rates, compared)
    return [
        _change(number, drawn, 2 * place, pair, test)
        for place, (number, pair, test) in enumerate(zip(numbers, pairs, tests, strict=True))
    ]


def _pairwise(rates: Sequence[Rate]) -> list[tuple[Rate, Rate]]:
    return list(zip(rates[0::2], rates[1::2], strict=True))


def _change(
    number: str, drawn: Resampled, place: int, pair: tuple[int, int], test: Tested | None
) -> Change:
    gap = drawn.gap(place + 1, place)
    a, b = drawn.rates[place].share, drawn.rates[place + 1].share
    return Change(number, a, b, gap.value, gap.interval, *pair, test)


def _moved(project: Project, a: Side, b: Side, compared: Mask) -> list[Moved]:
    """The compared facts that differ, in the order of the facts."""
    thinking = a.thinking and b.thinking
    knowing = [number for number in _numbers(a, b) if number in KNOWING]
    differs = {number: a.holds(number) != b.holds(number) for number in knowing}
    if thinking:
        other = compared & (a.verdict != b.verdict)
    else:
        other = compared & np.logical_or.reduce(list(differs.values()))
    return [
        Moved(
            int(place),
            project.index.fact_ids[place],
            VERDICTS[a.verdict[place]] if thinking else None,
            VERDICTS[b.verdict[place]] if thinking else None,
            tuple(number for number in knowing if differs[number][place]),
        )
        for place in np.flatnonzero(other)
    ]
