"""What a list of facts is sorted and filtered by, worked out once for all facts."""

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from core.dataset.fact_index import FactIndex
from core.dataset.subsets import NO_NAME, TIERS, Mask, popularity
from core.views.snapshot import Heading

Codes = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Kinds:
    """Facts sorted into kinds: the names in order, and each fact's place among them."""

    names: tuple[str, ...]
    codes: Codes

    @property
    def unknown(self) -> Mask:
        """Facts of which the kind is not known."""
        return self.among({NO_NAME})

    def among(self, names: Collection[str]) -> Mask:
        """Facts of any of these kinds."""
        asked = [place for place, name in enumerate(self.names) if name in names]
        return np.isin(self.codes, asked)

    def counts(self, facts: Mask) -> dict[str, int]:
        """How many of these facts are of each kind, without the kinds that none is of."""
        found = np.bincount(self.codes[facts], minlength=len(self.names)).tolist()
        return {name: count for name, count in zip(self.names, found, strict=True) if count}


class SortKeys:
    """Sort keys of the facts of one index; each is made when first needed."""

    def __init__(self, index: FactIndex, headings: Sequence[Heading]) -> None:
        self._index = index
        self._headings = headings
        self._tiers: tuple[Mask, Kinds] | None = None

    def fit(self, headings: Sequence[Heading]) -> bool:
        """Whether these are the keys of a snapshot with these headings."""
        return self._headings is headings

    @cached_property
    def titles(self) -> Codes:
        """By title, whatever its letter case."""
        return _coded([(one.title.casefold(), one.title) for one in self._headings])

    @cached_property
    def subjects(self) -> Codes:
        """By subject, whatever its letter case."""
        return _coded([(one.subject.casefold(), one.subject) for one in self._headings])

    @cached_property
    def topics(self) -> Kinds:
        """By category."""
        return _kinds(self._index.categories)

    @cached_property
    def types(self) -> Kinds:
        """By the type of the object."""
        return _kinds(self._index.object_types)

    def tiers(self, index: FactIndex) -> Kinds:
        """By popularity among the facts that are not rejected."""
        if self._tiers is None or self._tiers[0] is not index.rejected:
            codes = np.full(len(index), TIERS.index("unknown"), np.intp)
            for name, mask in popularity(index).items():
                codes[mask] = TIERS.index(name)
            self._tiers = index.rejected, Kinds(TIERS, codes)
        return self._tiers[1]


def _coded(keys: Sequence[Any]) -> Codes:
    """For every key its place among the different keys in order."""
    places: dict[Hashable, int] = {key: place for place, key in enumerate(sorted(set(keys)))}
    return np.array([places[key] for key in keys], np.intp)


def _kinds(column: Sequence[str]) -> Kinds:
    names = sorted({name or NO_NAME for name in column})
    places = {name: place for place, name in enumerate(names)}
    return Kinds(tuple(names), np.array([places[name or NO_NAME] for name in column], np.intp))
