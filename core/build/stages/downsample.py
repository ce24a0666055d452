"""As many candidates as are wanted, balanced over categories and types. Source: appendix A.2."""

from core.build.stage import Of, Stage

STAGE = Stage("downsample", "downsample", Of.CANDIDATE, after=("verify-difficulty",), whole=True)
