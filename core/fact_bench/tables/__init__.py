"""Tables of FACT-BENCH: functions from evidence to rows, and their records."""

from collections.abc import Mapping

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
