"""The triples of a set as columns, and which of them a table is over."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from core.dataset.subsets import Mask
from core.fact_bench.set_preparation import UNPREPARED
from core.fact_bench.set_shares import EVAL, TRAIN, assign_tiers
from core.fact_bench.triple_groups import TripleGroups, group_triples
from db.prepared_triples import Preparation, PreparedTriple, SetTriple

SUBSET, ALL = "subset", "all"


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
        """What preparing the set says of each; those that it never saw are evaluated.

        Before it is prepared, tiers are those that preparing gives to all of its triples.
        """
        if any(one.prepared is not None for one in self.rows):
            return [one.prepared or UNPREPARED for one in self.rows]
        tiers = assign_tiers(self.rows, Preparation().tier)
        of_tier = {tier: replace(UNPREPARED, tier=tier) for tier in set(tiers.values())}
        return [of_tier[tiers[one.fact]] for one in self.rows]

    @cached_property
    def is_used(self) -> Mask:
        """Those that are in a split, of facts that are not rejected."""
        return self.mask_split(ALL) & ~np.array([one.rejected for one in self.rows], np.bool_)

    def mask_split(self, split: str) -> Mask:
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

    def group_by(self, by: str) -> TripleGroups:
        """The triples by tier, property, domain or answer type."""
        if by not in self._groups:
            self._groups[by] = group_triples(by, self.rows, self.prepared)
        return self._groups[by]

    @cached_property
    def _groups(self) -> dict[str, TripleGroups]:
        """What has been grouped, which a key on a board asks for again."""
        return {}
