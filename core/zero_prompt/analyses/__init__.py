"""Tables and figures of zero-prompt knowledge: functions from scores to rows, and their records."""

from collections.abc import Mapping

from core.zero_prompt.analyses import (
    accuracy,
    form_comparison,
    model_pairs,
    positions,
    rankings,
    sweep,
)
from core.zero_prompt.latent_analysis import LatentAnalysis

_TABLE = (
    accuracy.ACCURACY,
    rankings.MODELS,
    rankings.RELATIONS,
    rankings.EXTREMES_OF_MODELS,
    accuracy.AT_K,
    model_pairs.SUBSUMPTION,
    model_pairs.PAIRS,
    model_pairs.CORRELATION,
    model_pairs.AGREEMENT,
    sweep.SWEEP,
    positions.POSITIONS,
    form_comparison.FORMS,
)

LATENT_ANALYSES: Mapping[str, LatentAnalysis] = {record.name: record for record in _TABLE}
"""Every analysis by its name."""
