"""Two models on the same facts, or one under two policies: what moved, and is it more than chance.

Compared are the facts that have a profile on both sides; where one side was not asked with
thinking, those that are complete and gradable on both.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from core.dataset.subsets import Mask
from core.errors import UsageError
from core.project import OpenProject
from core.results import saved_policies
from core.scoring.label_counts import LabelCounts
from core.scoring.policy import Policy
from core.scoring.verdicts import CELLS, EXCLUDED_NAN, INCOMPLETE, VERDICTS, Verdicts
from core.stats.fact_shares import RECORDED, FactShare, gap
from core.stats.intervals import Interval
from core.stats.paired_tests import PairedTest, interval_level, mcnemar
from core.vocabulary import PROFILES, TASK_INDEX, Strategy

WITHOUT = "without"
"""What a flow table calls facts that have no profile on one side."""

FLOWS = (*map(str, PROFILES), WITHOUT)
KNOWING = ("encodes", "knows", "knows_thinking")
"""The yes-or-no questions asked of both sides: E, K0, and known without or with thinking."""


@dataclass(frozen=True, slots=True)
class ComparedSide:
    """One side of a comparison: a model under a policy; `name` is that of the saved policy.

    `answers` is how many most of its questions have, the larger of equals; None without any.
    """

    model: str
    policy: Policy
    graders: tuple[str, ...]
    name: str | None
    verdicts: Verdicts
    answers: int | None = None

    def as_json(self) -> dict[str, object]:
        """What the side is, as `compare --json` gives it."""
        partial = self.policy.strategy is Strategy.PARTIAL
        return {
            "model": self.model,
            "policy": self.name,
            "tau": self.policy.tau,
            "strategy": self.policy.strategy,
            "weight": self.policy.weight if partial else None,
            "graders": list(self.graders),
            "thinking": self.thinking,
            "answers": self.answers,
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
class ShareChange:
    """One number on both sides over the facts compared: shares, their difference, a paired test.

    `difference` is b less a, with its paired interval at the level of the test; `only_a` and
    `only_b` count the facts for which it holds on one side alone. None where no fact is compared;
    interval and test are None too where they have not been worked out (`with_tests`).
    """

    number: str
    a: float | None
    b: float | None
    difference: float | None
    interval: Interval | None
    only_a: int
    only_b: int
    tested: PairedTest | None

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
            "significant": self.tested and self.tested.significant,
        }


@dataclass(frozen=True, slots=True)
class MovedFact:
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
    """Both sides over some facts (`facts`), and what of them is compared (`compared`).

    `fact_ids` are the ids of all facts, by their places.
    """

    a: ComparedSide
    b: ComparedSide
    facts: Mask
    compared: Mask
    changes: Sequence[ShareChange]
    fact_ids: Sequence[str]
    provisional: bool

    @property
    def thinking(self) -> bool:
        """Whether both sides have profiles."""
        return self.a.thinking and self.b.thinking

    @property
    def level(self) -> float:
        """The level of the intervals of the differences: that of the tests beside them."""
        return interval_level([one.tested for one in self.changes])

    @property
    def differs_in_answers(self) -> bool:
        """Whether the sides have other numbers of answers a question, with which shares move."""
        return self.a.answers != self.b.answers

    def members(self, from_: str, to: str) -> list[int]:
        """The facts of one cell of the flow table, by their places in the index."""
        cell = (_flow(self.a) == FLOWS.index(from_)) & (_flow(self.b) == FLOWS.index(to))
        found: list[int] = np.flatnonzero(cell & self.facts).tolist()
        return found

    @property
    def table(self) -> npt.NDArray[np.intp] | None:
        """Facts by their places in `FLOWS` on side a, then b; None unless both have profiles."""
        if not self.thinking:
            return None
        size = len(FLOWS)
        both = _flow(self.a)[self.facts] * size + _flow(self.b)[self.facts]
        return np.bincount(both, minlength=size * size).reshape(size, size)

    def flow(self) -> dict[str, dict[str, int]] | None:
        """The same table by the names of profiles."""
        table = self.table
        if table is None:
            return None
        return {
            name: dict(zip(FLOWS, row, strict=True))
            for name, row in zip(FLOWS, table.tolist(), strict=True)
        }

    def mask_differing(self, number: str) -> Mask:
        """The compared facts for which a number holds on one side alone."""
        found: Mask = (self.a.holds(number) != self.b.holds(number)) & self.compared
        return found

    @property
    def other(self) -> Mask:
        """The compared facts that are not judged alike: of other profiles, else E or K0."""
        if self.thinking:
            found: Mask = self.compared & (self.a.verdict != self.b.verdict)
            return found
        return self.mask_differing(KNOWING[0]) | self.mask_differing(KNOWING[1])

    @property
    def moved(self) -> list[MovedFact]:
        """The compared facts that are not judged alike, in their order."""
        numbers = [change.number for change in self.changes if change.number in KNOWING]
        differs = {number: self.mask_differing(number) for number in numbers}
        return [
            MovedFact(
                place,
                self.fact_ids[place],
                VERDICTS[self.a.verdict[place]] if self.thinking else None,
                VERDICTS[self.b.verdict[place]] if self.thinking else None,
                tuple(number for number in numbers if differs[number][place]),
            )
            for place in np.flatnonzero(self.other).tolist()
        ]

    def count_outside(self) -> dict[str, int]:
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
            "level": self.level,
            "total": int(np.count_nonzero(self.facts)),
            "compared": int(np.count_nonzero(self.compared)),
            **self.count_outside(),
            "moved": int(np.count_nonzero(self.other)),
            "flow": self.flow(),
            "changes": [one.as_json() for one in self.changes],
            "facts": [one.as_json() for one in self.moved],
        }


def compare(
    project: OpenProject,
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
    if (one.model, saved_policies.document(project, a[1])) == (
        other.model,
        saved_policies.document(project, b[1]),
    ):
        raise UsageError(
            f"{one.model} is on both sides: name another model, or another policy for the second"
        )
    return with_tests(cross(one, other, facts, project.index.fact_ids, provisional or unsettled))


def cross(
    a: ComparedSide,
    b: ComparedSide,
    facts: Mask,
    fact_ids: Sequence[str],
    provisional: bool = False,
) -> Comparison:
    """Compare two sides over facts by counting alone: no number has an interval or a test yet."""
    thinking = a.thinking and b.thinking
    compared = _fit(a, thinking) & _fit(b, thinking) & facts
    changes = [_change(number, hits, compared) for number, hits in _mask_numbers(a, b, compared)]
    return Comparison(a, b, facts, compared, changes, fact_ids, provisional)


def with_tests(found: Comparison) -> Comparison:
    """The same with intervals and tests of all numbers."""
    base = found.compared
    sides = [
        (FactShare(a, base), FactShare(b, base))
        for _, (a, b) in _mask_numbers(found.a, found.b, base)
    ]
    pairs = [(change.only_a, change.only_b) for change in found.changes]
    tests = mcnemar(pairs) if found.compared.any() else [None] * len(pairs)
    level = interval_level(tests)
    changes = [
        replace(change, interval=_reach(gap(b, a, level).interval, test), tested=test)
        for change, (a, b), test in zip(found.changes, sides, tests, strict=True)
    ]
    return replace(found, changes=changes)


def _reach(limits: Interval | None, tested: PairedTest | None) -> Interval | None:
    """An interval that leaves out 0 only where the test does: exact, it may be more careful."""
    if limits is None or tested is None or tested.significant:
        return limits
    return min(limits[0], 0.0), max(limits[1], 0.0)


def _side(
    project: OpenProject, model: str, policy: Policy, facts: Mask
) -> tuple[ComparedSide, bool]:
    """A side, and whether its numbers are provisional."""
    ranks = project.ranks(policy)
    tally = project.tally(ranks, [model])
    verdicts = project.verdicts(tally, policy)
    graders = tuple(rank.name for rank in ranks)
    name = saved_policies.name_of(project, policy)
    side = ComparedSide(model, policy, graders, name, verdicts, common_answers(tally, facts))
    return side, project.is_provisional(tally, facts)


def common_answers(tally: LabelCounts, facts: Mask, place: int = 0) -> int | None:
    """How many answers most cells of a model's profiles have, over these facts."""
    rows = [(tally.rows[place, int(on)], TASK_INDEX[task]) for task, on in CELLS]
    drawn = [tally.drawn[row, task][facts] for row, task in rows if row >= 0]
    counts = np.bincount(np.concatenate(drawn), minlength=1) if drawn else np.zeros(1, np.intp)
    counts[0] = 0
    return int(np.flatnonzero(counts == counts.max())[-1]) if counts.any() else None


def _fit(side: ComparedSide, thinking: bool) -> Mask:
    """Facts of a side that can be compared, with thinking or without."""
    return side.profiled if thinking else side.judged


def _flow(side: ComparedSide) -> npt.NDArray[np.int64]:
    """The place in `FLOWS` of every fact."""
    return np.minimum(side.verdict, len(PROFILES)).astype(np.int64)


def _numbers(a: ComparedSide, b: ComparedSide) -> tuple[str, ...]:
    """What can be compared of two sides."""
    return (*map(str, PROFILES), *KNOWING) if a.thinking and b.thinking else KNOWING[:2]


def _mask_numbers(
    a: ComparedSide, b: ComparedSide, compared: Mask
) -> list[tuple[str, tuple[Mask, Mask]]]:
    """For each number the compared facts for which it holds on either side."""
    return [
        (number, (a.holds(number) & compared, b.holds(number) & compared))
        for number in _numbers(a, b)
    ]


def _change(number: str, hits: tuple[Mask, Mask], compared: Mask) -> ShareChange:
    n, (a, b) = int(np.count_nonzero(compared)), hits
    shares = [int(np.count_nonzero(one)) / n if n else None for one in hits]
    one, other = shares
    gap = None if one is None or other is None else other - one
    only_a, only_b = (int(np.count_nonzero(mine & ~its)) for mine, its in ((a, b), (b, a)))
    return ShareChange(number, one, other, gap, None, only_a, only_b, None)
