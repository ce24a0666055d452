"""What a list of facts is sorted and filtered by, worked out once for all facts."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from core.dataset.fact_index import FactIndex
from core.dataset.subsets import FactKinds
from core.views.snapshot import Heading

Codes = npt.NDArray[np.intp]


class SortKeys:
    """Sort keys of the facts of one index; each is made when first needed."""

    def __init__(self, index: FactIndex, headings: Sequence[Heading]) -> None:
        self._headings = headings
        self.kinds = FactKinds(index)
        """What the facts are filtered by."""

    def fit(self, headings: Sequence[Heading]) -> bool:
        """Whether these are the keys of a snapshot with these headings."""
        return self._headings is headings

    @cached_property
    def titles(self) -> Codes:
        """By title, whatever its letter case."""
        return _rank_names([one.title for one in self._headings])

    @cached_property
    def subjects(self) -> Codes:
        """By subject, whatever its letter case."""
        return _rank_names([one.subject for one in self._headings])


def _rank_names(names: Sequence[str]) -> Codes:
    """For every name its place among the different names, those of one spelling by their case."""
    ordered = sorted(sorted(set(names)), key=str.casefold)
    places = {name: place for place, name in enumerate(ordered)}
    return np.array([places[name] for name in names], np.intp)
