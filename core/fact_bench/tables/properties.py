"""The properties of a set: how many triples of each came, were kept, and are in which split.

FACT-BENCH, tables 14 to 16.
"""

from core.analyses.analysis_record import Column, ColumnKind
from core.dataset.answer_types import paper_properties
from core.dataset.seeded_order import key_of
from core.fact_bench.bench_evidence import BenchEvidence
from core.fact_bench.bench_table import BenchTable
from core.fact_bench.set_shares import EVAL, TRAIN

PROPERTY_NAMES = ("property_id", "property")
"""By what a property is found among those of the paper."""


def properties(evidence: BenchEvidence) -> list[dict[str, object]]:
    """A row a property, in the order in which their first triples come."""
    triples = evidence.triples
    groups = triples.group_by("property")
    first: dict[int, int] = {}
    for place, group in enumerate(groups.of.tolist()):
        first.setdefault(group, place)
    found = [
        {
            "property": name,
            "property_id": triples.rows[first[group]].property_id,
            "answer_type": triples.rows[first[group]].answer_type,
            "triples": 0,
            "kept": 0,
            "train": 0,
            "eval": 0,
            "subset": 0,
        }
        for group, name in enumerate(groups.names)
    ]
    for group, prepared in zip(groups.of.tolist(), triples.prepared, strict=True):
        row = found[group]
        row["triples"] += 1
        row["kept"] += not prepared.reason
        row["train"] += prepared.split == TRAIN
        row["eval"] += prepared.split == EVAL
        row["subset"] += prepared.subset
    known = paper_properties()
    return [
        {**row, "in_paper": any(key_of(str(row[name])) in known for name in PROPERTY_NAMES)}
        for row in found
    ]


PROPERTIES = BenchTable(
    "properties",
    "which properties a set has",
    properties,
    (
        Column("property"),
        Column("property_id", header="id"),
        Column("answer_type", header="type"),
        *(Column(name, ColumnKind.COUNT) for name in ("triples", "kept", "train", "eval")),
        Column("subset", ColumnKind.COUNT),
        Column("in_paper", ColumnKind.YES, "in the paper"),
    ),
    "kept: not dropped when the set was prepared; the paper: its tables 14 to 16",
)
