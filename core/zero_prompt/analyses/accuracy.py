"""Accuracy by model and relation, and accuracy among facts whose top probability is at least K.

ZP-LKE, figures 7, 9 and 10.
"""

import numpy as np

from core.analyses.analysis_record import Column, ColumnKind
from core.scoring.verdicts import ratio
from core.zero_prompt.latent_analysis import LatentAnalysis, LatentTable
from core.zero_prompt.score_matrix import ScoreMatrix

STEPS = 10
"""K goes from 0 to 1 in so many steps."""


def accuracy(scores: ScoreMatrix) -> list[dict[str, object]]:
    """A row a model and relation; means of the gold's probability and of all options' mass."""
    usable = scores.usable
    counted, asked = scores.counted, scores.count(scores.asked)
    correct, answered = scores.count(scores.known), scores.count(scores.answered)
    right = scores.count(scores.answers_right & scores.answered)
    overlapping = scores.count(scores.overlapping)
    p_gold = scores.add(np.where(usable, scores.p_gold, 0))
    mass = scores.add(np.where(usable, scores.mass, 0))
    return [
        {
            "model": model,
            "relation": relation,
            "n": int(counted[at]),
            "failed": int(asked[at] - counted[at]),
            "correct": int(correct[at]),
            "accuracy": ratio(correct[at], counted[at]),
            "p_gold": ratio(p_gold[at], counted[at]),
            "mass": ratio(mass[at], counted[at]),
            "overlapping": int(overlapping[at]),
            "response_n": int(answered[at]),
            "response_accuracy": ratio(right[at], answered[at]),
        }
        for row, model in enumerate(scores.models)
        for column, relation in enumerate(scores.relations)
        if asked[at := (row, column)] or answered[at]
    ]


def at_k(scores: ScoreMatrix) -> list[dict[str, object]]:
    """Ten rows a model: the facts whose most probable option has a probability of K or more."""
    found: list[dict[str, object]] = []
    for row, model in enumerate(scores.models):
        usable, known = scores.usable[row], scores.known[row]
        whole = int(np.count_nonzero(usable))
        for step in range(STEPS):
            sure = usable & (scores.p_top[row] >= step / STEPS)
            count = int(np.count_nonzero(sure))
            found.append(
                {
                    "model": model,
                    "k": step / STEPS,
                    "n": count,
                    "share": ratio(count, whole),
                    "accuracy": ratio(int(np.count_nonzero(known & sure)), count),
                }
            )
    return found


ACCURACY = LatentAnalysis(
    "accuracy",
    "how much each model knows of each relation",
    LatentTable(
        lambda evidence: accuracy(evidence.scores),
        (
            Column("model"),
            Column("relation"),
            Column("n", ColumnKind.COUNT),
            Column("failed", ColumnKind.COUNT),
            Column("correct", ColumnKind.COUNT),
            Column("accuracy", ColumnKind.SHARE, "accuracy %"),
            Column("p_gold", ColumnKind.SHARE, "p gold %"),
            Column("mass", ColumnKind.SHARE, "mass %"),
            Column("overlapping", ColumnKind.COUNT),
            Column("response_n", ColumnKind.COUNT, "responses"),
            Column("response_accuracy", ColumnKind.SHARE, "right %"),
        ),
        "accuracy: of n facts those whose object is the most probable option; p gold: the "
        "object's mean probability among the options; mass: what all options have of all "
        "probability, a mean; right: of the responses those that name the object",
    ),
)

AT_K = LatentAnalysis(
    "at-k",
    "how often a model that is sure is right",
    LatentTable(
        lambda evidence: at_k(evidence.scores),
        (
            Column("model"),
            Column("k", ColumnKind.VALUE),
            Column("n", ColumnKind.COUNT),
            Column("share", ColumnKind.SHARE),
            Column("accuracy", ColumnKind.SHARE),
        ),
        "facts whose most probable option has a probability of k or more",
    ),
)
