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
    return {
        "a": scores.models[a],
        "b": scores.models[b],
        "n": common,
        "known_a": int(known.sum()),
        "known_b": int(counts.known[:, b, a].sum()),
        "both": int(both.sum()),
        "relations": int(np.count_nonzero(known)),
        "eta": _mean(of_relation),
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


def pair_rows(scores: ScoreMatrix, known: Mapping[str, LatentModel]) -> list[dict[str, object]]:
    """Models beside the one they were tuned from, and the least of a family beside its largest.

    Both are measured on the facts that both have scores of, among the same options; `relations`
    has so many of these. Accuracies are means over them, etas as in `subsumption`.
    """
    places = {model: at for at, model in enumerate(scores.models)}
    tuned = [
        (one.family or _family(known, one.base), "tuned", one.base, model)
        for model, one in known.items()
        if one.base in places and model in places
    ]
    by_family: defaultdict[str, list[tuple[int, str]]] = defaultdict(list)
    for model, one in known.items():
        if model in places and one.family and one.parameters is not None and one.base is None:
            by_family[one.family].append((one.parameters, model))
    sizes = [
        (family, "size", min(members)[1], max(members)[1])
        for family, members in by_family.items()
        if min(members)[0] < max(members)[0]
    ]
    found = []
    for family, kind, small, large in sorted(
        [*tuned, *sizes], key=lambda one: (one[1] == "tuned", one[0] or "", one[2] or "", one[3])
    ):
        assert small is not None
        row = _describe_pair(scores, places[small], places[large])
        if row is not None:
            sizes_of = {
                f"parameters_{side}": known.get(model, LatentModel()).parameters
                for side, model in (("small", small), ("large", large))
            }
            named = {"family": family, "kind": kind, "small": small, "large": large}
            found.append({**named, **sizes_of, **row})
    return found


def _family(known: Mapping[str, LatentModel], model: str | None) -> str | None:
    return known.get(model or "", LatentModel()).family


def _describe_pair(scores: ScoreMatrix, small: int, large: int) -> dict[str, object] | None:
    counts = scores.pair_counts
    common = counts.common[:, small, large]
    there = common > 0
    if not there.any():
        return None
    known_small, known_large = counts.known[:, small, large], counts.known[:, large, small]
    both = counts.both[:, small, large]
    return {
        "accuracy_small": _mean(quotient(known_small, common)),
        "accuracy_large": _mean(quotient(known_large, common)),
        "eta_small_in_large": _mean(quotient(both, known_small)),
        "eta_large_in_small": _mean(quotient(both, known_large)),
        "relations": int(there.sum()),
    }


def _mean(values: Floats) -> float | None:
    """The mean of what is there."""
    there = values[~np.isnan(values)]
    return float(there.mean()) if there.size else None


PAIRS = LatentAnalysis(
    "pairs",
    "what tuning and size do to what a model knows",
    LatentTable(
        lambda evidence: pair_rows(evidence.scores, evidence.models),
        (
            Column("family"),
            Column("kind"),
            Column("small"),
            Column("large"),
            Column("parameters_small", ColumnKind.COUNT, "parameters"),
            Column("parameters_large", ColumnKind.COUNT, "of large"),
            Column("accuracy_small", ColumnKind.SHARE, "small %"),
            Column("accuracy_large", ColumnKind.SHARE, "large %"),
            Column("eta_small_in_large", ColumnKind.SHARE, "of small in large"),
            Column("eta_large_in_small", ColumnKind.SHARE, "of large in small"),
            Column("relations", ColumnKind.COUNT),
        ),
        "tuned: small is the base, large what was tuned from it; size: least and most parameters "
        "of a family's pre-trained models",
        "No pairs: needs scores of a model and of its base, or of two sizes of a family. A "
        "`zp-models` file says bases, families and parameters.",
    ),
)

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
