"""Tables of FACT-BENCH: functions from evidence to rows, and their records."""

from collections.abc import Mapping

from core.errors import UsageError
from core.fact_bench.arm_results import EM
from core.fact_bench.bench_evidence import BenchChoice
from core.fact_bench.bench_table import BenchTable
from core.fact_bench.tables import (
    breakdowns,
    method_agreement,
    properties,
    shuffle,
    tuned_models,
    upper_bound,
)

_TABLE = (
    breakdowns.BENCHMARK,
    *breakdowns.BREAKDOWNS,
    *shuffle.SHUFFLES,
    tuned_models.TUNED,
    properties.PROPERTIES,
    upper_bound.UPPER_BOUND,
    method_agreement.METHODS,
)

BENCH_TABLES: Mapping[str, BenchTable] = {table.name: table for table in _TABLE}
"""Every table by its name."""


def choose_table(name: str, choice: BenchChoice) -> BenchTable:
    """The table of a name. Raises `UsageError` for none, and for a choice that it does not take."""
    table = BENCH_TABLES.get(name)
    if table is None:
        raise UsageError(f"no table named {name}: choose one of {', '.join(BENCH_TABLES)}")
    if choice.metric != EM and not table.by_metric:
        compared = ", ".join(one.name for one in BENCH_TABLES.values() if one.by_metric)
        raise UsageError(f"{name} compares no arms: --metric is for {compared}")
    if choice.pairs and table is not tuned_models.TUNED:
        raise UsageError(f"{name} is not of pairs: --pair is for {tuned_models.TUNED.name}")
    return table
