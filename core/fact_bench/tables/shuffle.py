"""What false exemplars do: each arm with the one whose exemplars have each other's answers.

FACT-BENCH, section 4 and figures 5 and 6.
"""

from collections.abc import Sequence

from core.analyses.analysis_record import Column, ColumnKind
from core.fact_bench.arm_list import BenchArm
from core.fact_bench.arm_pairs import TEST_COLUMNS, check_pairs, pair_arms
from core.fact_bench.bench_evidence import BenchEvidence
from core.fact_bench.bench_table import BenchTable

REGULAR = "regular"
"""The condition of exemplars that were drawn from all there are."""


def shuffle(evidence: BenchEvidence) -> list[dict[str, object]]:
    """A row an arm whose shuffled one is there, by a metric over the triples in both."""
    return _make_rows(evidence, [one for one in evidence.arms() if not one.mode.shuffled])


def regular(evidence: BenchEvidence) -> list[dict[str, object]]:
    """The same of arms whose exemplars were drawn whatever the model knows."""
    arms = [one for one in evidence.arms() if not one.mode.shuffled and one.mode.knowing is None]
    return _make_rows(evidence, arms)


def _make_rows(evidence: BenchEvidence, plain: Sequence[BenchArm]) -> list[dict[str, object]]:
    there = {(one.model, one.mode): one for one in evidence.every_arm}
    found = [(one, there[key]) for one in plain if (key := (one.model, one.mode.shuffle)) in there]
    pairs = [
        pair_arms(evidence.scores(one), evidence.scores(other), evidence.wanted, evidence.metric)
        for one, other in found
    ]
    return [
        {
            "model": arm.model,
            "condition": arm.mode.knowing or REGULAR,
            "k": arm.mode.shots,
            "metric": evidence.metric,
            "n": pair.n,
            "plain": pair.a_rate,
            "shuffle": pair.b_rate,
            "drop": None if pair.difference is None else -pair.difference,
            "only_plain": pair.only_a,
            "only_shuffle": pair.only_b,
            **tested,
        }
        for (arm, _), pair, tested in zip(found, pairs, check_pairs(pairs), strict=True)
    ]


SHUFFLES = tuple(
    BenchTable(
        name,
        question,
        compute,
        (
            Column("model"),
            Column("condition"),
            Column("k", ColumnKind.COUNT),
            Column("n", ColumnKind.COUNT),
            Column("plain", ColumnKind.SHARE),
            Column("shuffle", ColumnKind.SHARE),
            Column("drop", ColumnKind.SHARE),
            Column("only_plain", ColumnKind.COUNT, "only plain"),
            Column("only_shuffle", ColumnKind.COUNT, "only shuffle"),
            *TEST_COLUMNS,
        ),
        "{metric} in % over n triples that are in both; drop: points, plain less shuffle; "
        "p: exact McNemar, adjusted over all rows; F1 has none",
        by_metric=True,
    )
    for name, question, compute in (
        ("shuffle", "what exemplars with false answers do", shuffle),
        ("regular", "the same where exemplars are drawn whatever the model knows", regular),
    )
)
