"""Intervals for the shares of an analysis, and for the gaps that it is about."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.analyses import availability, direction, direction_errors, popularity, thinking, threshold
from core.analyses.evidence import AnalysisRow, Evidence, Rates
from core.stats.bootstrap import Gap, Resampled, resample
from core.stats.intervals import Interval

MEASURED: Mapping[str, Callable[[Evidence], Iterable[tuple[AnalysisRow, Rates]]]] = {
    "popularity": popularity.measured,
    "direction": direction.measured,
    "thinking": thinking.measured_thinking,
    "recovery": thinking.measured_recovery,
    "errors": direction_errors.measured,
    "threshold": threshold.measured,
    "availability": availability.measured,
}
"""The analyses whose numbers are shares of facts, with these as masks."""

WITHOUT = {
    "phrasing": "phrasing has no shares to give intervals of: its tests say how sure it is",
    "bootstrap": "bootstrap has its own intervals: p5 to p95, over the answers drawn",
    "quality": "quality lists facts: there are no shares to give intervals of",
}
"""What to say of the other analyses."""

COMPARED: Mapping[str, tuple[str, object, object]] = {
    "popularity": ("tier", "top", "bottom"),
    "direction": ("direction", "direct", "reverse"),
    "recovery": ("encoded", True, False),
}
"""The gaps that an analysis is about: rows that differ in one key only, first less second."""


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


def measure(name: str, evidence: Evidence) -> Intervals:
    """Bootstrap over facts for an analysis in `MEASURED`; all numbers of the same resamples."""
    found = list(MEASURED[name](evidence))
    flat = [rate for _, rates in found for rate in rates.values()]
    drawn = resample(flat, evidence.facts)
    places = iter(range(len(flat)))
    placed = [{key: next(places) for key in rates} for _, rates in found]
    rows = [{key: drawn.interval(place) for key, place in one.items()} for one in placed]
    compared = COMPARED.get(name)
    gaps = _gaps([row for row, _ in found], placed, drawn, *compared) if compared else []
    return Intervals(rows, gaps)


def _gaps(
    rows: Sequence[AnalysisRow],
    placed: Sequence[Mapping[str, int]],
    drawn: Resampled,
    key: str,
    of: object,
    less: object,
) -> list[GapRow]:
    sides: dict[tuple[tuple[str, object], ...], dict[object, Mapping[str, int]]]
    sides = defaultdict(dict)
    for row, places in zip(rows, placed, strict=True):
        keys = row.as_json()
        side = keys.pop(key)
        common = {name: value for name, value in keys.items() if isinstance(value, str | bool)}
        sides[tuple(common.items())][side] = places
    return [
        GapRow(dict(common), number, of, less, drawn.gap(place, pair[less][number]))
        for common, pair in sides.items()
        for number, place in pair[of].items()
    ]
