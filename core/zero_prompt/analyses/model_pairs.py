"""Two models on the same facts: what one knows of the other's, whether they agree.

ZP-LKE, tables 2 and 11 (subsumption), figures 8 and 16 (correlation); agreement is ours.
"""

from collections import defaultdict
from collections.abc import Mapping

import numpy as np

from core.analyses.analysis_record import Column, ColumnKind
from core.results.agreement_table import Agreement
from core.scoring.verdicts import ratio
from core.zero_prompt.latent_analysis import LatentAnalysis, LatentTable
from core.zero_prompt.score_matrix import Floats, LatentModel, ScoreMatrix, quotient


def subsumption(scores: ScoreMatrix) -> list[dict[str, object]]:
    """How much of what `a` knows `b` knows too, of every ordered pair of models.

    `eta` is the mean over the relations of which `a` knows something.
    """
    count = len(scores.models)
    return [
        row
        for a in range(count)
        for b in range(count)
        if a != b and (row := _describe_subsumption(scores, a, b)) is not None
    ]


def _describe_subsumption(scores: ScoreMatrix, a: int, b: int) -> dict[str, object] | None:
    counts = scores.pair_counts
    common = int(counts.common[:, a, b].sum())
    if not common:
        return None
    known, both = counts.known[:, a, b], counts.both[:, a, b]
    of_relation = quotient(both, known)
    there = of_relation[~np.isnan(of_relation)]
    return {
        "a": scores.models[a],
        "b": scores.models[b],
        "n": common,
        "known_a": int(known.sum()),
        "known_b": int(counts.known[:, b, a].sum()),
        "both": int(both.sum()),
        "relations": there.size,
        "eta": float(there.mean()) if there.size else None,
        "eta_facts": ratio(int(both.sum()), int(known.sum())),
    }


def correlation(scores: ScoreMatrix) -> list[dict[str, object]]:
    """Pearson's r of two models' accuracies over the relations that both have scores of."""
    found: list[dict[str, object]] = []
    counts = scores.pair_counts
    for a, b in scores.pairs():
        common = counts.common[:, a, b]
        if not common.any():
            continue
        first = quotient(counts.known[:, a, b], common)
        second = quotient(counts.known[:, b, a], common)
        there = ~np.isnan(first)
        found.append(
            {
                "a": scores.models[a],
                "b": scores.models[b],
                "relations": int(there.sum()),
                "r": _pearson(first[there], second[there]),
            }
        )
    return found


def _pearson(first: Floats, second: Floats) -> float | None:
    x, y = first - first.mean(), second - second.mean()
    spread = np.sqrt((x @ x) * (y @ y))
    return float(np.clip(x @ y / spread, -1, 1)) if spread > 1e-15 else None


def family_correlation(
    scores: ScoreMatrix, known: Mapping[str, LatentModel]
) -> list[dict[str, object]]:
    """The mean correlation of the models of two families, or of one family's among each other."""
    found: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for row in correlation(scores):
        families = [known.get(str(row[side]), LatentModel()).family for side in ("a", "b")]
        r = row["r"]
        if isinstance(r, float) and None not in families:
            one, other = sorted(map(str, families))
            found[one, other].append(r)
    return [
        {"a": one, "b": other, "pairs": len(values), "r": float(np.mean(values))}
        for (one, other), values in sorted(found.items())
    ]


def agreement(scores: ScoreMatrix) -> list[dict[str, object]]:
    """How often two models are right on the same facts, with Cohen's kappa."""
    counts = scores.pair_counts
    common, known, both = (
        cells.sum(axis=0) for cells in (counts.common, counts.known, counts.both)
    )
    found: list[dict[str, object]] = []
    for a, b in scores.pairs():
        n, first, second, shared = (
            int(one) for one in (common[a, b], known[a, b], known[b, a], both[a, b])
        )
        if n:
            crossed = [[shared, first - shared], [second - shared, n - first - second + shared]]
            names = {"a": scores.models[a], "b": scores.models[b]}
            found.append({**names, **_describe(Agreement(np.array(crossed)))})
    return found


def _describe(crossed: Agreement) -> dict[str, object]:
    (both, only_a), (only_b, neither) = crossed.matrix.tolist()
    return {
        "n": crossed.n,
        "both": both,
        "only_a": only_a,
        "only_b": only_b,
        "neither": neither,
        "agreement": crossed.agreement,
        "kappa": crossed.kappa,
    }


SUBSUMPTION = LatentAnalysis(
    "subsumption",
    "how much of what one model knows another knows too",
    LatentTable(
        lambda evidence: subsumption(evidence.scores),
        (
            Column("a"),
            Column("b"),
            Column("n", ColumnKind.COUNT),
            Column("known_a", ColumnKind.COUNT, "known a"),
            Column("known_b", ColumnKind.COUNT, "known b"),
            Column("both", ColumnKind.COUNT),
            Column("relations", ColumnKind.COUNT),
            Column("eta", ColumnKind.SHARE),
            Column("eta_facts", ColumnKind.SHARE, "of facts"),
        ),
        "% of what a knows that b knows too, a mean over relations",
    ),
)

CORRELATION = LatentAnalysis(
    "correlation",
    "whether two models know the same relations well",
    LatentTable(
        lambda evidence: correlation(evidence.scores),
        (
            Column("a"),
            Column("b"),
            Column("relations", ColumnKind.COUNT),
            Column("r", ColumnKind.CHANCE),
        ),
        "Pearson's r of accuracies over relations",
    ),
    {
        "families": LatentTable(
            lambda evidence: family_correlation(evidence.scores, evidence.models),
            (
                Column("a", header="family a"),
                Column("b", header="family b"),
                Column("pairs", ColumnKind.COUNT),
                Column("r", ColumnKind.CHANCE),
            ),
            "means over the pairs of models of two families",
        )
    },
)

AGREEMENT = LatentAnalysis(
    "agreement",
    "whether two models know the same facts",
    LatentTable(
        lambda evidence: agreement(evidence.scores),
        (
            Column("a"),
            Column("b"),
            Column("n", ColumnKind.COUNT),
            Column("both", ColumnKind.COUNT),
            Column("only_a", ColumnKind.COUNT, "only a"),
            Column("only_b", ColumnKind.COUNT, "only b"),
            Column("neither", ColumnKind.COUNT),
            Column("agreement", ColumnKind.SHARE),
            Column("kappa", ColumnKind.CHANCE),
        ),
        "facts that both have scores of, among the same options",
    ),
)
