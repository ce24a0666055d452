"""How far three ways of asking agree on what a model knows.

FACT-BENCH, section 4.2 (known and unknown), beside profiles and ZP-LKE.
"""

from itertools import product

import numpy as np

from core.analyses.analysis_record import Column, ColumnKind
from core.fact_bench.bench_evidence import BenchEvidence
from core.fact_bench.bench_table import BenchTable
from core.fact_bench.model_knowledge import METHODS as NAMES
from core.fact_bench.model_knowledge import read_knowledge

SAID = (True, False, None)
"""What a method may say, in the order of rows."""


def methods(evidence: BenchEvidence) -> list[dict[str, object]]:
    """A row a model and combination that occurs, with how many triples it is true of."""
    rows: list[dict[str, object]] = []
    for model in dict.fromkeys(arm.model for arm in evidence.arms()):
        known = read_knowledge(evidence, model)
        code = sum(
            (known[name][evidence.wanted] + 1) * len(SAID) ** place
            for place, name in enumerate(reversed(NAMES))
        )
        counts = np.bincount(code, minlength=len(SAID) ** len(NAMES))[::-1].tolist()
        rows += [
            {"model": model, **dict(zip(NAMES, kind, strict=True)), "n": count}
            for kind, count in zip(product(SAID, repeat=len(NAMES)), counts, strict=True)
            if count
        ]
    return rows


METHODS = BenchTable(
    "methods",
    "where three ways of asking agree on what is known",
    methods,
    (
        Column("model"),
        Column("fact_bench", ColumnKind.YES, "FACT-BENCH"),
        Column("profile", ColumnKind.YES),
        Column("zp_lke", ColumnKind.YES, "ZP-LKE"),
        Column("n", ColumnKind.COUNT, "triples"),
    ),
    "FACT-BENCH: right zero-shot by {known_by}; profile: direct questions pass; ZP-LKE: most "
    "probable option",
)
