"""The pipeline of building: all its stages in order, with what the paper reports of each.

What is dropped at one stage is not taken up by any other. Stages that need nothing of one another
go on side by side: what a stage needs stands in its `after`.
Source: Calderon et al., section 3, figure 3 and appendices A.2, A.3.
"""

from dataclasses import replace

from core.pipeline.stage import Reported, Stage
from core.pipeline.stages import (
    ambiguity,
    answer_type,
    assemble,
    balance,
    classify,
    contextual,
    direct,
    distractors,
    entities,
    ground,
    length,
    limits,
    minimize,
    natural,
    objects,
    pair,
    reverse,
    specify,
    verify,
)
from core.pipeline.stages.stage_inputs import HOLDS as HOLDS
from core.vocabulary import Task

R = Reported
DIRECT, REVERSE, CONTEXTUAL = Task.DIRECT, Task.REVERSE, Task.CONTEXTUAL
DIRECT_NATURAL, REVERSE_NATURAL = Task.DIRECT_NATURAL, Task.REVERSE_NATURAL

_TABLE: tuple[tuple[Stage, Reported | None], ...] = (
    (length.STAGE, R(taken=10_000)),
    (classify.STAGE, None),
    (entities.STAGE, None),
    (objects.STAGE, None),
    (verify.WITH_GOLD, None),
    (verify.WITHOUT_GOLD, None),
    (verify.DIFFICULTY, R(taken=33_709, kept=12_031, since="verify-with-gold")),
    (balance.STAGE, R(taken=12_031, kept=5_000)),
    (direct.STAGE, None),
    (specify.of(DIRECT), R(taken=5_000, kept=4_955)),
    (minimize.of(DIRECT), None),
    (ground.of(DIRECT, "minimize-direct"), None),
    (ambiguity.of(DIRECT), R(dropped=0.106)),
    (reverse.STAGE, R(dropped=0.022)),
    (specify.of(REVERSE), None),
    (minimize.of(REVERSE), R(dropped=0.036, since="specify-reverse")),
    (pair.STAGE, R(dropped=0.315)),
    (ground.of(REVERSE, "verify-pair"), None),
    (ambiguity.of(REVERSE), R(dropped=0.131)),
    (natural.of(DIRECT), None),
    (natural.of(REVERSE), None),
    (contextual.STAGE, None),
    (ground.of(DIRECT_NATURAL, "natural-direct"), None),
    (ambiguity.of(DIRECT_NATURAL), None),
    (ground.of(REVERSE_NATURAL, "natural-reverse"), None),
    (ambiguity.of(REVERSE_NATURAL), None),
    (ground.of(CONTEXTUAL, "contextual"), None),
    (ambiguity.of(CONTEXTUAL), R(kept=2_357, dropped=0.055, since="filter-direct-natural")),
    (limits.STAGE, R(taken=2_357, kept=2_200)),
    (answer_type.STAGE, None),
    (distractors.of(DIRECT), None),
    (distractors.of(REVERSE), None),
    (assemble.STAGE, R(kept=2_200)),
)

STAGES: tuple[Stage, ...] = tuple(replace(stage, reported=rate) for stage, rate in _TABLE)
"""All stages, in an order in which each comes after those that it needs."""

BY_NAME: dict[str, Stage] = {stage.name: stage for stage in STAGES}
