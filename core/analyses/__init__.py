"""The analyses (semantics section 5): pure functions from evidence to rows.

Source: Calderon et al., section 5, appendices A.4, B and C.
"""

from collections.abc import Mapping

from core.analyses import (
    availability,
    bootstrap,
    direction,
    direction_errors,
    fact_distribution,
    phrasing,
    popularity,
    quality,
    recovery,
    thinking,
    threshold,
)
from core.analyses.analysis_record import AnalysisRecord

_TABLE = (
    popularity.RECORD,
    direction.RECORD,
    thinking.RECORD,
    recovery.RECORD,
    direction_errors.RECORD,
    phrasing.RECORD,
    threshold.RECORD,
    bootstrap.RECORD,
    availability.RECORD,
    quality.RECORD,
    fact_distribution.RECORD,
)

ANALYSES: Mapping[str, AnalysisRecord] = {record.name: record for record in _TABLE}
"""Every analysis by its name, in the order of the paper."""
