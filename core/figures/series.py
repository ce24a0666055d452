"""The marks that figures are drawn with, and points out of shares."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.analyses.analysis_evidence import Evidence
from core.dataset.fact_filters import format_numbers
from core.figures.figure import Point, Series
from core.glossary.glossary import BY_TERM
from core.stats.fact_shares import FactShare
from core.stats.intervals import Interval
from core.vocabulary import CODES, LABELS, PROFILES, Label

BY_PROFILE: tuple[Series, ...] = tuple(
    Series(str(profile), BY_TERM[code].brief_name, f"fill-{code.lower()}", code)
    for profile, code in CODES.items()
    if profile in PROFILES
)
"""The five profiles, from known to unknown."""

KNOWN = 3
"""So many of them are known, without thinking or with it."""

_LETTERS = {Label.CORRECT: "c", Label.INCORRECT: "i", Label.PARTIALLY: "p", Label.OTHER: "o"}

BY_LABEL: tuple[Series, ...] = tuple(
    Series(label.value, label.value.lower(), f"label-{_LETTERS[label]}", label.value)
    for label in LABELS
)
"""The four labels; the mark is the name of a glyph."""


def pair(first: tuple[str, str], second: tuple[str, str]) -> tuple[Series, Series]:
    """Two series, each a name and its words: the first hollow, the second full."""
    return (
        Series(*first, role="series-2", mark="o"),
        Series(*second, role="series-1", mark="●"),
    )


@dataclass(frozen=True, slots=True)
class SharePoints:
    """Makes points of shares over facts, and filters of the facts they count.

    `ids` (facts,) has the numbers of the facts in the database; `limits` the interval of each
    share, by its identity, where intervals are wanted.
    """

    ids: npt.NDArray[np.int64]
    limits: Mapping[int, Interval | None]

    @classmethod
    def from_shares(
        cls, evidence: Evidence, rates: Iterable[FactShare], intervals: bool
    ) -> "SharePoints":
        """For these shares, with intervals or without."""
        limits = {id(rate): rate.interval for rate in rates} if intervals else {}
        return cls(evidence.index.ids, limits)

    def point(self, value: float | None, rate: FactShare | None) -> Point:
        """A number of an analysis with the share it is."""
        if rate is None:
            return Point(value)
        low, high = self.limits.get(id(rate)) or (None, None)
        return Point(value, low, high, rate.n)

    def where(self, rate: FactShare | None) -> str:
        """The filter of exactly the facts that a share counts; empty where there are none."""
        if rate is None or not rate.hits.any():
            return ""
        return format_numbers(self.ids[rate.hits].tolist())
