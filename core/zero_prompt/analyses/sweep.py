"""Accuracy by the number of examples, over seeds; and how many examples suffice.

ZP-LKE, figure 3.
"""

from collections import defaultdict
from collections.abc import Iterable

import numpy as np

from core.analyses.analysis_record import Column, ColumnKind
from core.zero_prompt.latent_analysis import LatentAnalysis, LatentTable
from core.zero_prompt.latent_evidence import LatentEvidence
from core.zero_prompt.score_matrix import ScoreMatrix

ENOUGH = 0.95
"""The share of the accuracy at most examples that counts as reached."""

Measured = dict[tuple[str, str, int], list[float]]
"""Accuracies of seeds, by model, relation and number of examples."""


def sweep(all_scores: Iterable[ScoreMatrix]) -> list[dict[str, object]]:
    """A row a model, relation and number of examples, of setups that differ in it and the seed."""
    return [
        {
            "model": model,
            "relation": relation,
            "n": n,
            "seeds": len(values),
            "accuracy": float(np.mean(values)),
            "std": float(np.std(values)),
        }
        for (model, relation, n), values in sorted(_collect_accuracies(all_scores).items())
    ]


def reach(all_scores: Iterable[ScoreMatrix]) -> list[dict[str, object]]:
    """The least number of examples with 95 % of the accuracy that most examples give."""
    by_relation: defaultdict[tuple[str, str], dict[int, float]] = defaultdict(dict)
    for (model, relation, n), values in _collect_accuracies(all_scores).items():
        by_relation[model, relation][n] = float(np.mean(values))
    found: list[dict[str, object]] = []
    for (model, relation), means in sorted(by_relation.items()):
        most = max(means)
        enough = min(n for n, mean in means.items() if mean >= ENOUGH * means[most])
        found.append({"model": model, "relation": relation, "n_max": most, "n95": enough})
    return found


def _collect_accuracies(all_scores: Iterable[ScoreMatrix]) -> Measured:
    found: defaultdict[tuple[str, str, int], list[float]] = defaultdict(list)
    for scores in all_scores:
        for row, model in enumerate(scores.models):
            for column, relation in enumerate(scores.relations):
                accuracy = scores.accuracies[row, column]
                if not np.isnan(accuracy):
                    found[model, relation, scores.setup.n].append(float(accuracy))
    return found


def _read_scores(evidence: LatentEvidence) -> Iterable[ScoreMatrix]:
    return evidence.all_scores(("n", "seed"))


SWEEP = LatentAnalysis(
    "sweep",
    "how many examples it takes",
    LatentTable(
        lambda evidence: sweep(_read_scores(evidence)),
        (
            Column("model"),
            Column("relation"),
            Column("n", ColumnKind.COUNT),
            Column("seeds", ColumnKind.COUNT),
            Column("accuracy", ColumnKind.SHARE),
            Column("std", ColumnKind.SHARE),
        ),
        "accuracy after n examples, and its deviation over seeds",
    ),
    {
        "reach": LatentTable(
            lambda evidence: reach(_read_scores(evidence)),
            (
                Column("model"),
                Column("relation"),
                Column("n_max", ColumnKind.COUNT, "most"),
                Column("n95", ColumnKind.COUNT, "enough"),
            ),
            "the fewest examples with 95 % of the accuracy that most examples give",
        )
    },
)
