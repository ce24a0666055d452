"""As many candidates as are wanted, balanced over categories and types. Source: appendix A.2."""

from core.pipeline.stage import Of, Stage

STAGE = Stage("downsample", "downsample", Of.CANDIDATE, after=("verify-difficulty",), whole=True)
