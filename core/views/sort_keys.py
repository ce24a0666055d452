"""What a list of facts is sorted and filtered by, worked out once for all facts."""

from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import Any

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
        return _code_keys([(one.title.casefold(), one.title) for one in self._headings])

    @cached_property
    def subjects(self) -> Codes:
        """By subject, whatever its letter case."""
        return _code_keys([(one.subject.casefold(), one.subject) for one in self._headings])


def _code_keys(keys: Sequence[Any]) -> Codes:
    """For every key its place among the different keys in order."""
    places: dict[Hashable, int] = {key: place for place, key in enumerate(sorted(set(keys)))}
    return np.array([places[key] for key in keys], np.intp)
