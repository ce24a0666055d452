"""What tuning changes: each tuned model beside the one that it was made of, mode by mode.

FACT-BENCH, tables 1 and 13.
"""

from collections.abc import Sequence

import db.model_rows
from core.analyses.analysis_record import Column, ColumnKind
from core.errors import UsageError
from core.fact_bench.arm_pairs import TEST_COLUMNS, check_pairs, pair_arms
from core.fact_bench.arm_results import count_figures
from core.fact_bench.bench_evidence import BenchEvidence
from core.fact_bench.bench_table import FIGURE_COLUMNS, BenchTable


def compare_tuned(evidence: BenchEvidence) -> list[dict[str, object]]:
    """A row a tuned model and mode in which its base was asked too.

    The difference is the tuned model's less its base's, by a metric over the triples that are in
    both.
    """
    arms = evidence.arms()
    there = {(one.model, one.mode): one for one in evidence.every_arm}
    found = [
        (one, there[base, one.mode])
        for base, model in _list_pairs(evidence)
        for one in arms
        if one.model == model and (base, one.mode) in there
    ]
    pairs = [
        pair_arms(evidence.scores(base), evidence.scores(one), evidence.wanted, evidence.metric)
        for one, base in found
    ]
    return [
        {
            "model": one.model,
            "base": base.model,
            "mode": str(one.mode),
            **count_figures(evidence.scores(one), evidence.wanted).as_json(),
            "metric": evidence.metric,
            "n_both": pair.n,
            "rate": pair.b_rate,
            "base_rate": pair.a_rate,
            "difference": pair.difference,
            "low": pair.interval and pair.interval[0],
            "high": pair.interval and pair.interval[1],
            **tested,
        }
        for (one, base), pair, tested in zip(found, pairs, check_pairs(pairs), strict=True)
    ]


def _list_pairs(evidence: BenchEvidence) -> Sequence[tuple[str, str]]:
    """Bases and tuned models: those that are named, else those of `zp-models`."""
    if not evidence.choice.pairs:
        traits = db.model_rows.traits(evidence.project.connection)
        return [(base, model) for model, (_, _, base) in traits.items() if base]
    known = list(dict.fromkeys(one.model for one in evidence.every_arm))
    for name in (one for pair in evidence.choice.pairs for one in pair):
        if name not in known:
            there = ", ".join(known) or "none yet"
            raise UsageError(f"no arm of a model named {name}: models with arms are {there}")
    return evidence.choice.pairs


TUNED = BenchTable(
    "tuned",
    "what tuning changes against the base model",
    compare_tuned,
    (
        Column("model"),
        Column("base"),
        Column("mode"),
        *FIGURE_COLUMNS,
        Column("n_both", ColumnKind.COUNT, "both"),
        Column("rate", ColumnKind.SHARE, "tuned %"),
        Column("base_rate", ColumnKind.SHARE, "base %"),
        Column("difference", ColumnKind.GAP, "tuned - base"),
        Column("low", ColumnKind.GAP, "from"),
        Column("high", ColumnKind.GAP, "to"),
        *TEST_COLUMNS,
    ),
    "tuned less base: {metric} in points, over triples with both; from, to: 95 % (Agresti and Min; "
    "F1: normal); p: exact McNemar, adjusted over all rows",
    by_metric=True,
    lacking="No tuned model has an arm in a mode of its base: `--pair BASE,TUNED` names a pair, "
    "`lostkeys import` of zp-models (model, base) brings some.",
)
