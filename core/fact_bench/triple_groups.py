"""Triples of a set in groups: by tier, property, domain or answer type."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.dataset.answer_types import ANSWER_TYPES
from core.dataset.subsets import Mask
from core.errors import UsageError
from core.fact_bench.set_shares import BOTTOM, MIDDLE, TOP, UNKNOWN
from db.prepared_triples import PreparedTriple, SetTriple

TIERS = (TOP, MIDDLE, BOTTOM, UNKNOWN)
NONE = "none"
"""The group of triples that have no word for it."""


@dataclass(frozen=True, slots=True)
class TripleGroups:
    """Names of groups, and the place among them of each triple's, shape (triples,).

    With `fixed`, a group is listed also where it has no triple.
    """

    names: Sequence[str]
    of: npt.NDArray[np.intp]
    fixed: bool = False

    def list_places(self, wanted: Mask) -> list[int]:
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


def _fixed_groups(names: Sequence[str], values: Iterable[str]) -> TripleGroups:
    places = {name: place for place, name in enumerate(names)}
    return TripleGroups(names, np.array([places[value] for value in values], np.intp), fixed=True)


Grouping = Callable[[Sequence[SetTriple], Sequence[PreparedTriple]], TripleGroups]
"""Groups triples by what their rows, or what preparing their set, say of them."""

GROUPINGS: Mapping[str, Grouping] = {
    "popularity": lambda rows, prepared: _fixed_groups(
        TIERS, (one.tier or UNKNOWN for one in prepared)
    ),
    "property": lambda rows, prepared: _groups(one.relation for one in rows),
    "domain": lambda rows, prepared: _groups(one.domain for one in rows),
    "answer-type": lambda rows, prepared: _fixed_groups(
        ANSWER_TYPES, (one.answer_type for one in rows)
    ),
}
"""How triples are grouped, by the names of the tables."""


def group_triples(
    by: str, rows: Sequence[SetTriple], prepared: Sequence[PreparedTriple]
) -> TripleGroups:
    """Triples by tier, property, domain or answer type. Raises `UsageError` for anything else."""
    if by not in GROUPINGS:
        raise UsageError(f"no groups by {by}: choose one of {', '.join(GROUPINGS)}")
    return GROUPINGS[by](rows, prepared)
