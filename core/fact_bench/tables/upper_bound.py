"""What could be reached: answers with a passage to read, and questions that people accept.

FACT-BENCH, section 2.3 and appendix A.1.
"""

import numpy as np

import db.question_versions
import db.reviews
from core.analyses.analysis_record import Column, ColumnKind
from core.fact_bench.arm_results import count_figures
from core.fact_bench.bench_evidence import BenchEvidence
from core.fact_bench.bench_table import BenchTable
from core.modes import READING
from core.stats.intervals import wilson
from core.vocabulary import Task


def upper_bound(evidence: BenchEvidence) -> list[dict[str, object]]:
    """A row a model that read, by the judge, else EM; and one for people, if any decided."""
    rows = []
    for arm in evidence.arms([str(READING)]):
        found = count_figures(evidence.scores(arm), evidence.wanted)
        share, n = (found.judge, found.judge_n) if found.judge_n else (found.em, found.n)
        rows.append(_row("reading", arm.model, round((share or 0) * n), n))
    decided, accepted = count_decided(evidence)
    return [*rows, _row("people", None, accepted, decided)] if decided else rows


def _row(source: str, model: str | None, hits: int, n: int) -> dict[str, object]:
    low, high = wilson(hits, n) or (None, None)
    share = hits / n if n else None
    return {"source": source, "model": model, "n": n, "share": share, "low": low, "high": high}


def count_decided(evidence: BenchEvidence) -> tuple[int, int]:
    """How many triples have a direct question that people decided on, and accepted.

    The newest decision counts; triples whose questions were rejected are among them.
    """
    triples, connection = evidence.triples, evidence.project.connection
    wanted = triples.mask_split(evidence.split) & evidence.chosen
    facts = set(triples.facts[np.flatnonzero(wanted)].tolist())
    newest: dict[int, str] = {}
    for one in db.reviews.reviews(connection):
        asked = db.question_versions.question(connection, one.question)
        if one.review.verdict not in db.reviews.DECIDED or asked is None:
            continue
        if asked.task is Task.DIRECT and asked.fact in facts:
            newest[asked.fact] = one.review.verdict
    return len(newest), sum(said == db.reviews.ACCEPTED for said in newest.values())


UPPER_BOUND = BenchTable(
    "upper-bound",
    "what could be reached",
    upper_bound,
    (
        Column("source"),
        Column("model"),
        Column("n", ColumnKind.COUNT),
        Column("share", ColumnKind.SHARE),
        Column("low", ColumnKind.SHARE, "from"),
        Column("high", ColumnKind.SHARE, "to"),
    ),
    "reading: right with a passage, by the judge, else EM; people: accepted of those decided on",
)
