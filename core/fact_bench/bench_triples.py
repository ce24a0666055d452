"""The triples of a set as columns, and which of them a table is over."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from core.dataset.answer_types import ANSWER_TYPES
from core.dataset.subsets import Mask
from core.errors import UsageError
from core.fact_bench.set_preparation import UNPREPARED
from core.fact_bench.set_shares import BOTTOM, EVAL, MIDDLE, TOP, TRAIN, UNKNOWN
from db.prepared_triples import PreparedTriple, SetTriple

TIERS = (TOP, MIDDLE, BOTTOM, UNKNOWN)
SUBSET, ALL = "subset", "all"
NONE = "none"
"""The group of triples that have no word for it."""


@dataclass(frozen=True)
class BenchTriples:
    """The triples of a set, in the order of the import of their facts."""

    rows: Sequence[SetTriple]

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def facts(self) -> npt.NDArray[np.int64]:
        """Ids of the facts."""
        return np.array([one.fact for one in self.rows], np.int64)

    @cached_property
    def questions(self) -> npt.NDArray[np.int64]:
        """Ids of the direct questions, 0 where there is none."""
        return np.array([one.question for one in self.rows], np.int64)

    @cached_property
    def golds(self) -> npt.NDArray[np.int64]:
        """Ids of the golds."""
        return np.array([one.gold for one in self.rows], np.int64)

    @cached_property
    def place_of_fact(self) -> dict[int, int]:
        """The place of each triple by its fact's id."""
        return {fact: place for place, fact in enumerate(self.facts.tolist())}

    @cached_property
    def prepared(self) -> Sequence[PreparedTriple]:
        """What preparing the set says of each; those that it never saw are evaluated."""
        return [one.prepared or UNPREPARED for one in self.rows]

    @cached_property
    def is_used(self) -> Mask:
        """Those that are in a split, of facts that are not rejected."""
        return self.in_split(ALL) & ~np.array([one.rejected for one in self.rows], np.bool_)

    def in_split(self, split: str) -> Mask:
        """The triples of a split, those of rejected facts too."""
        if split == SUBSET:
            return np.array([one.subset for one in self.prepared], np.bool_)
        wanted = (TRAIN, EVAL) if split == ALL else (split,)
        return np.array([one.split in wanted for one in self.prepared], np.bool_)

    @property
    def train(self) -> list[SetTriple]:
        """Those that exemplars are taken from."""
        return [
            one for one, said in zip(self.rows, self.prepared, strict=True) if said.split == TRAIN
        ]

    @cached_property
    def has_subset(self) -> bool:
        """Whether there is a subset of eval."""
        return any(one.subset for one in self.prepared)

    @property
    def default_split(self) -> str:
        """The subset where there is one."""
        return SUBSET if self.has_subset else EVAL

    def grouped(self, by: str) -> "TripleGroups":
        """The triples by tier, property, domain or answer type."""
        if by not in GROUPINGS:
            raise UsageError(f"no groups by {by}: choose one of {', '.join(GROUPINGS)}")
        if by not in self._groups:
            self._groups[by] = GROUPINGS[by](self)
        return self._groups[by]

    @cached_property
    def _groups(self) -> "dict[str, TripleGroups]":
        """What has been grouped, which a key on a board asks for again."""
        return {}


@dataclass(frozen=True, slots=True)
class TripleGroups:
    """Names of groups, and the place among them of each triple's, shape (triples,).

    With `fixed`, a group is listed also where it has no triple.
    """

    names: Sequence[str]
    of: npt.NDArray[np.intp]
    fixed: bool = False

    def listed(self, wanted: Mask) -> list[int]:
        """The places of the groups that a table of these triples lists."""
        if self.fixed:
            return list(range(len(self.names)))
        there = np.bincount(self.of[wanted], minlength=len(self.names))
        return np.flatnonzero(there).tolist()


def _groups(values: Iterable[str]) -> TripleGroups:
    """Groups in the order in which their first triples come."""
    places: dict[str, int] = {}
    of = [places.setdefault(value or NONE, len(places)) for value in values]
    return TripleGroups(list(places), np.array(of, np.intp))


def _fixed(names: Sequence[str], values: Iterable[str]) -> TripleGroups:
    places = {name: place for place, name in enumerate(names)}
    return TripleGroups(names, np.array([places[value] for value in values], np.intp), fixed=True)


GROUPINGS: Mapping[str, Callable[[BenchTriples], TripleGroups]] = {
    "popularity": lambda them: _fixed(TIERS, (one.tier or UNKNOWN for one in them.prepared)),
    "property": lambda them: _groups(one.relation for one in them.rows),
    "domain": lambda them: _groups(one.domain for one in them.rows),
    "answer-type": lambda them: _fixed(ANSWER_TYPES, (one.answer_type for one in them.rows)),
}
"""How triples are grouped, by the names of the tables."""
