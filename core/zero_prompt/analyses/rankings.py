"""Models and relations by their accuracy, and each model's best and worst relations.

ZP-LKE, tables 7 to 10.
"""

from collections.abc import Mapping

import numpy as np

from core.analyses.analysis_record import Column, ColumnKind
from core.scoring.verdicts import ratio
from core.stats.cluster_intervals import share_interval
from core.zero_prompt.latent_analysis import LatentAnalysis, LatentTable
from core.zero_prompt.score_matrix import Floats, LatentModel, ScoreMatrix, quotient

EXTREMES = 3
"""Relations that are named at each end."""


def model_ranks(scores: ScoreMatrix, known: Mapping[str, LatentModel]) -> list[dict[str, object]]:
    """A row a model, the best first; means and deviations are over relations.

    `low` and `high` are the 95 % interval of `accuracy_facts`, whose clusters are the relations;
    `chance` is what one option at random gets right.
    """
    rows = [
        (model, _drop_missing(scores.accuracies[row]), row)
        for row, model in enumerate(scores.models)
        if scores.asked[row].any() or scores.answered[row].any()
    ]
    rows.sort(key=lambda one: (-_mean(one[1]), one[0]))
    answered = scores.count(scores.answered)
    responses = quotient(scores.count(scores.answers_right & scores.answered), answered)
    correct, sizes = scores.count(scores.known), scores.counted
    found: list[dict[str, object]] = []
    for rank, (model, accuracies, row) in enumerate(rows, 1):
        right = _drop_missing(responses[row])
        low, high = share_interval(correct[row], sizes[row]) or (None, None)
        about, counted = known.get(model, LatentModel()), int(scores.usable[row].sum())
        found.append(
            {
                "rank": rank,
                "model": model,
                "family": about.family,
                "parameters": about.parameters,
                "base": about.base,
                "relations": accuracies.size,
                "n": counted,
                "failed": int(scores.asked[row].sum()) - counted,
                "overlapping": int(scores.overlapping[row].sum()),
                "accuracy": float(accuracies.mean()) if accuracies.size else None,
                "std": float(accuracies.std()) if accuracies.size else None,
                "accuracy_facts": ratio(int(scores.known[row].sum()), counted),
                "low": low,
                "high": high,
                "chance": 1 / scores.setup.options if scores.setup.options else None,
                "response_n": int(answered[row].sum()),
                "response_accuracy": float(right.mean()) if right.size else None,
            }
        )
    return found


def relation_ranks(scores: ScoreMatrix) -> list[dict[str, object]]:
    """A row a relation, the one best known first; means and deviations are over models."""
    rows = [
        (relation, _drop_missing(scores.accuracies[:, column]))
        for column, relation in enumerate(scores.relations)
    ]
    there = [one for one in rows if one[1].size]
    there.sort(key=lambda one: (-_mean(one[1]), one[0]))
    return [
        {
            "rank": rank,
            "relation": relation,
            "models": accuracies.size,
            "accuracy": float(accuracies.mean()),
            "std": float(accuracies.std()),
        }
        for rank, (relation, accuracies) in enumerate(there, 1)
    ]


def extremes(scores: ScoreMatrix) -> list[dict[str, object]]:
    """The relations that each model knows best and worst, the best first in both."""
    found: list[dict[str, object]] = []
    for row, model in enumerate(scores.models):
        named = zip(scores.relations, scores.accuracies[row], strict=True)
        there = [(relation, value) for relation, value in named if not np.isnan(value)]
        there.sort(key=lambda one: (-one[1], one[0]))
        names = [relation for relation, _ in there]
        if names:
            found.append({"model": model, "top": names[:EXTREMES], "bottom": names[-EXTREMES:]})
    return found


def _drop_missing(values: Floats) -> Floats:
    present: Floats = values[~np.isnan(values)]
    return present


def _mean(values: Floats) -> float:
    return float(values.mean()) if values.size else -1.0


MODELS = LatentAnalysis(
    "models",
    "which model knows most",
    LatentTable(
        lambda evidence: model_ranks(evidence.scores, evidence.models),
        (
            Column("rank", ColumnKind.COUNT),
            Column("model"),
            Column("family"),
            Column("parameters", ColumnKind.COUNT),
            Column("base"),
            Column("relations", ColumnKind.COUNT),
            Column("n", ColumnKind.COUNT),
            Column("failed", ColumnKind.COUNT),
            Column("overlapping", ColumnKind.COUNT),
            Column("accuracy", ColumnKind.SHARE),
            Column("std", ColumnKind.SHARE),
            Column("accuracy_facts", ColumnKind.SHARE, "of facts"),
            Column("low", ColumnKind.SHARE),
            Column("high", ColumnKind.SHARE),
            Column("chance", ColumnKind.SHARE),
            Column("response_n", ColumnKind.COUNT, "responses"),
            Column("response_accuracy", ColumnKind.SHARE, "right"),
        ),
        "accuracy, its deviation and right responses are over relations; low and high: 95 % "
        "interval of the facts (Wilson, relations as clusters); chance: one option at random",
    ),
)

RELATIONS = LatentAnalysis(
    "relations",
    "which relation is known best",
    LatentTable(
        lambda evidence: relation_ranks(evidence.scores),
        (
            Column("rank", ColumnKind.COUNT),
            Column("relation"),
            Column("models", ColumnKind.COUNT),
            Column("accuracy", ColumnKind.SHARE),
            Column("std", ColumnKind.SHARE),
        ),
        "accuracy and its deviation are over models",
    ),
)

EXTREMES_OF_MODELS = LatentAnalysis(
    "extremes",
    "what each model knows best and worst",
    LatentTable(
        lambda evidence: extremes(evidence.scores),
        (
            Column("model"),
            Column("top", ColumnKind.LIST),
            Column("bottom", ColumnKind.LIST),
        ),
        "relations by accuracy, the best first",
    ),
)
