"""The pipeline of building: all its stages in order, with what the paper reports of each.

What is dropped at one stage is not taken up by any other. Stages that need nothing of one another
go on side by side: what a stage needs stands in its `after`.
Source: Calderon et al., section 3, figure 3 and appendices A.2, A.3.
"""

from dataclasses import replace

from core.pipeline.stage import ReportedCounts, Stage, UnitKind
from core.pipeline.stages import (
    ambiguity,
    categories,
    distractors,
    entities,
    limits,
    objects,
    questions,
    specify,
    triple_questions,
    verify,
)
from core.pipeline.stages.stage_inputs import HOLDS as HOLDS
from core.vocabulary import Task

R = ReportedCounts
DIRECT, REVERSE, CONTEXTUAL = Task.DIRECT, Task.REVERSE, Task.CONTEXTUAL
DIRECT_NATURAL, REVERSE_NATURAL = Task.DIRECT_NATURAL, Task.REVERSE_NATURAL

DOWNSAMPLE = Stage(
    "downsample", "downsample", UnitKind.CANDIDATE, after=("verify-difficulty",), whole=True
)
"""As many candidates as are wanted, balanced over categories and types. Source: appendix A.2."""

FACTS = Stage(
    "facts",
    "facts",
    UnitKind.CANDIDATE,
    after=("limits", "answer-type", "choices-direct", "choices-reverse"),
)
"""What is complete becomes a fact with its ten questions."""

_TABLE: tuple[tuple[Stage, ReportedCounts | None], ...] = (
    (limits.PASSAGE, R(taken=10_000)),
    (categories.PASSAGE, None),
    (entities.STAGE, None),
    (objects.STAGE, None),
    (verify.WITH_GOLD, None),
    (verify.WITHOUT_GOLD, None),
    (verify.DIFFICULTY, R(taken=33_709, kept=12_031, since="verify-with-gold")),
    (DOWNSAMPLE, R(taken=12_031, kept=5_000)),
    (triple_questions.QUESTION, None),
    (questions.DIRECT, None),
    (specify.specify_of(DIRECT), R(taken=5_000, kept=4_955)),
    (specify.minimize_of(DIRECT), None),
    (ambiguity.search_of(DIRECT, "minimize-direct"), None),
    (ambiguity.filter_of(DIRECT), R(dropped=0.106)),
    (questions.REVERSE, R(dropped=0.022)),
    (specify.specify_of(REVERSE), None),
    (specify.minimize_of(REVERSE), R(dropped=0.036, since="specify-reverse")),
    (verify.PAIR, R(dropped=0.315)),
    (ambiguity.search_of(REVERSE, "verify-pair"), None),
    (ambiguity.filter_of(REVERSE), R(dropped=0.131)),
    (questions.natural_of(DIRECT), None),
    (questions.natural_of(REVERSE), None),
    (questions.CONTEXTUAL, None),
    (ambiguity.search_of(DIRECT_NATURAL, "natural-direct"), None),
    (ambiguity.filter_of(DIRECT_NATURAL), None),
    (ambiguity.search_of(REVERSE_NATURAL, "natural-reverse"), None),
    (ambiguity.filter_of(REVERSE_NATURAL), None),
    (ambiguity.search_of(CONTEXTUAL, "contextual"), None),
    (ambiguity.filter_of(CONTEXTUAL), R(kept=2_357, dropped=0.055, since="filter-direct-natural")),
    (limits.QUESTIONS, R(taken=2_357, kept=2_200)),
    (categories.ANSWER, None),
    (distractors.make_stage(DIRECT), None),
    (distractors.make_stage(REVERSE), None),
    (FACTS, R(kept=2_200)),
)

STAGES: tuple[Stage, ...] = tuple(replace(stage, reported=rate) for stage, rate in _TABLE)
"""All stages, in an order in which each comes after those that it needs."""

BY_NAME: dict[str, Stage] = {stage.name: stage for stage in STAGES}
