"""The figures of each arm, over all triples and by what groups them.

FACT-BENCH, tables 1 and 13, and figures 1 to 4.
"""

from collections.abc import Callable

from core.analyses.analysis_record import Column
from core.fact_bench.arm_results import count_by_group, count_figures
from core.fact_bench.bench_evidence import BenchEvidence
from core.fact_bench.bench_table import FIGURE_COLUMNS, FIGURE_NOTE, BenchTable

DEFAULT_MODE = "10-shot"
"""The mode of a breakdown where none is named, as in the paper's figures."""


def benchmark(evidence: BenchEvidence) -> list[dict[str, object]]:
    """A row an arm."""
    return [
        {
            "model": arm.model,
            "mode": str(arm.mode),
            **count_figures(evidence.scores(arm), evidence.wanted).as_json(),
        }
        for arm in evidence.arms()
    ]


def breakdown(by: str) -> Callable[[BenchEvidence], list[dict[str, object]]]:
    """A row an arm and group; those of 10-shot where no mode is named."""

    def compute(evidence: BenchEvidence) -> list[dict[str, object]]:
        groups = evidence.triples.group_by(by)
        listed = groups.list_places(evidence.wanted)
        rows: list[dict[str, object]] = []
        for arm in evidence.arms([DEFAULT_MODE]):
            scores = evidence.scores(arm)
            found = count_by_group(scores, evidence.wanted, groups.of, len(groups.names))
            rows += [
                {
                    "model": arm.model,
                    "mode": str(arm.mode),
                    "group": groups.names[at],
                    **found[at].as_json(),
                }
                for at in listed
            ]
        return rows

    return compute


BENCHMARK = BenchTable(
    "benchmark",
    "how much each model says right in each mode",
    benchmark,
    (Column("model"), Column("mode"), *FIGURE_COLUMNS),
    FIGURE_NOTE,
)

BREAKDOWNS = tuple(
    BenchTable(
        by,
        question,
        breakdown(by),
        (Column("model"), Column("mode"), Column("group"), *FIGURE_COLUMNS),
        FIGURE_NOTE,
        default_mode=DEFAULT_MODE,
    )
    for by, question in (
        ("popularity", "whether what is popular is known better"),
        ("property", "which properties are known"),
        ("domain", "which domains are known"),
        ("answer-type", "whether dates and numbers are harder than entities"),
    )
)
