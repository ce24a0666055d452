"""The last stage: what is complete becomes a fact with its ten questions."""

from core.pipeline.stage import Of, Stage

STAGE = Stage(
    "facts",
    "facts",
    Of.CANDIDATE,
    after=("limits", "answer-type", "choices-direct", "choices-reverse"),
)
