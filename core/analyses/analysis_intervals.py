"""Intervals for the shares of an analysis, and for the gaps that it is about."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.analyses.analysis_record import AnalysisRecord, Contrast
from core.analyses.evidence import AnalysisRow, Evidence
from core.stats.bootstrap import Gap, Resampled, resample
from core.stats.intervals import Interval


@dataclass(frozen=True, slots=True)
class GapRow:
    """A gap of one number between two rows; `keys` is what the rows have in common."""

    keys: Mapping[str, object]
    number: str
    of: object
    less: object
    gap: Gap

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
    """For every row the interval of each of its shares by key, and the gaps between rows."""

    rows: Sequence[Mapping[str, Interval | None]]
    gaps: Sequence[GapRow]


def measure(analysis: AnalysisRecord, evidence: Evidence) -> Intervals:
    """Bootstrap over facts; all numbers of the same resamples. Raises as `items` does."""
    found = analysis.items(evidence)
    flat = [rate for _, rates in found for rate in rates.values()]
    drawn = resample(flat, evidence.facts)
    places = iter(range(len(flat)))
    placed = [{key: next(places) for key in rates} for _, rates in found]
    rows = [{key: drawn.interval(place) for key, place in one.items()} for one in placed]
    contrast = analysis.contrast
    gaps = _gaps([row for row, _ in found], placed, drawn, contrast) if contrast else []
    return Intervals(rows, gaps)


def _gaps(
    rows: Sequence[AnalysisRow],
    placed: Sequence[Mapping[str, int]],
    drawn: Resampled,
    contrast: Contrast,
) -> list[GapRow]:
    sides: dict[tuple[tuple[str, object], ...], dict[object, Mapping[str, int]]]
    sides = defaultdict(dict)
    for row, places in zip(rows, placed, strict=True):
        keys = row.as_json()
        side = keys.pop(contrast.key)
        common = {name: value for name, value in keys.items() if isinstance(value, str | bool)}
        sides[tuple(common.items())][side] = places
    of, less = contrast.first, contrast.second
    return [
        GapRow(dict(common), number, of, less, drawn.gap(place, pair[less][number]))
        for common, pair in sides.items()
        for number, place in pair[of].items()
    ]
