"""Answers that rest on sources, by which unclear questions show themselves.

Source: Calderon et al., section 3 and appendix A.3, where Google Search is the source.
"""

from core.pipeline.grounding.grounding_source import GroundedQuestion, GroundingSource
from core.pipeline.grounding.grounding_table import open_grounding

__all__ = ["GroundedQuestion", "GroundingSource", "open_grounding"]
