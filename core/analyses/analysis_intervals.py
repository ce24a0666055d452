"""Intervals for the shares of an analysis, and for the gaps that it is about."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.analyses.analysis_evidence import AnalysisRow, Evidence, Rates
from core.analyses.analysis_record import AnalysisRecord, Contrast
from core.stats.fact_shares import Gap, gap
from core.stats.intervals import Interval

Limits = Mapping[str, Interval | None]
"""The intervals of a row's shares by their keys."""


@dataclass(frozen=True, slots=True)
class GapRow:
    """A gap of one number between two rows; `keys` is what the rows have in common."""

    keys: Mapping[str, object]
    number: str
    of: object
    less: object
    gap: Gap
    header: str
    """What is compared, in words: `top less bottom`."""

    def as_json(self) -> dict[str, object]:
        """The gap as `analyze --intervals --json` gives it."""
        return {
            **self.keys,
            "number": self.number,
            "of": self.of,
            "less": self.less,
            "gap": self.gap.value,
            "interval": self.gap.interval,
        }


@dataclass(frozen=True, slots=True)
class Intervals:
    """For every row the interval of each of its shares by key, and the gaps between rows.

    `parts` has the same of the rows of further tables, by their keys in the JSON.
    """

    rows: Sequence[Limits]
    gaps: Sequence[GapRow]
    parts: Mapping[str, Sequence[Limits]]


def measure(analysis: AnalysisRecord, evidence: Evidence) -> Intervals:
    """Intervals over facts. Raises as `items` does."""
    found = analysis.items(evidence)
    gaps = _gaps(found, analysis.contrast) if analysis.contrast else []
    parts = {}
    for part in analysis.parts:
        if part.measured is not None and part.only_by in ("", evidence.options.get("by")):
            items = list(part.measured(evidence))
            parts[part.key] = _limits(items)
            gaps += [gap for contrast in part.contrasts for gap in _gaps(items, contrast)]
    return Intervals(_limits(found), gaps, parts)


def _limits(found: Sequence[tuple[AnalysisRow, Rates]]) -> list[Limits]:
    return [{key: rate.interval for key, rate in rates.items()} for _, rates in found]


def _gaps(found: Sequence[tuple[AnalysisRow, Rates]], contrast: Contrast) -> list[GapRow]:
    sides: dict[tuple[tuple[str, object], ...], dict[object, Rates]]
    sides = defaultdict(dict)
    for row, rates in found:
        keys = row.as_json()
        side = keys.pop(contrast.key)
        common = {name: value for name, value in keys.items() if isinstance(value, str | bool)}
        sides[tuple(common.items())][side] = rates
    of, less = contrast.first, contrast.second
    return [
        GapRow(dict(common), number, of, less, gap(rate, pair[less][number]), contrast.header)
        for common, pair in sides.items()
        if of in pair and less in pair
        for number, rate in pair[of].items()
    ]
