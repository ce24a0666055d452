"""The ten analyses (semantics section 5): pure functions from evidence to rows.

Source: Calderon et al., section 5, appendices A.4, B and C.
"""

from collections.abc import Callable, Mapping, Sequence

from core.analyses import (
    availability,
    bootstrap,
    direction,
    direction_errors,
    phrasing,
    popularity,
    quality,
    thinking,
    threshold,
)
from core.analyses.evidence import AnalysisRow, Evidence

ANALYSES: Mapping[str, Callable[[Evidence], Sequence[AnalysisRow]]] = {
    "popularity": popularity.popularity,
    "direction": direction.direction,
    "thinking": thinking.thinking,
    "recovery": thinking.recovery,
    "errors": direction_errors.errors,
    "phrasing": phrasing.phrasing,
    "threshold": threshold.threshold,
    "bootstrap": bootstrap.bootstrap,
    "availability": availability.availability,
    "quality": quality.quality,
}
"""Every analysis by its name."""
