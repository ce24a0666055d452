"""Which direction fails where a fact is not known (Calderon et al., appendix B.4)."""

from collections.abc import Iterator
from dataclasses import dataclass

from core.analyses.analysis_evidence import AnalysisRow, Evidence, Rates, count
from core.analyses.analysis_record import AnalysisPart, AnalysisRecord, Column, ColumnKind
from core.analyses.curtailed_models import EACH, OFF, count_undecided
from core.scoring.question_states import FAIL
from core.stats.fact_shares import FactShare
from core.vocabulary import KNOWLEDGE


@dataclass(frozen=True, slots=True)
class ErrorsRow(AnalysisRow):
    """Shares of the facts that one model does not know without thinking, by failing pair."""

    model: str
    given: str
    n: int
    only_direct: float | None
    only_reverse: float | None
    both: float | None


@dataclass(frozen=True, slots=True)
class CompositionRow(AnalysisRow):
    """What the facts that one model does not know are made of (section 5.1).

    With thinking, those not known either way. `share` = recall failures / n.
    """

    model: str
    thinking: bool
    n: int
    recall_failures: int
    encoding_failures: int
    share: float | None


def composition(evidence: Evidence) -> list[CompositionRow]:
    """Stored and not stored facts among those not known, without thinking and with it."""
    return [row for row, _ in _measure_composition(evidence)]


def _measure_composition(evidence: Evidence) -> Iterator[tuple[CompositionRow, Rates]]:
    verdicts, analysed = evidence.verdicts, evidence.analysis_set()
    for place, thinking in evidence.settings():
        unknown = analysed[place] & ~verdicts.knows[place]
        if thinking:
            unknown = unknown & ~verdicts.knows_thinking[place]
        rate = FactShare(unknown & verdicts.encodes[place], unknown)
        n, stored = rate.n, count(rate.hits)
        model = evidence.tally.models[place]
        yield CompositionRow(model, thinking, n, stored, n - stored, rate.share), {"share": rate}


def errors(evidence: Evidence) -> list[ErrorsRow]:
    """Failures of the direct pair alone, of the reverse pair alone, and of both."""
    return [row for row, _ in measure_rows(evidence)]


def measure_rows(evidence: Evidence) -> Iterator[tuple[ErrorsRow, Rates]]:
    """The rows with their shares as masks."""
    failed = (evidence.questions(tasks=KNOWLEDGE) & FAIL) != 0
    verdicts, analysed = evidence.verdicts, evidence.analysis_set()
    for place, model in enumerate(evidence.tally.models):
        off = failed[evidence.tally.rows[place, 0]]
        direct, reverse = off[0] | off[1], off[2] | off[3]
        unknown = analysed[place] & ~verdicts.knows[place]
        for given, chosen in (("all", unknown), ("encoded", unknown & verdicts.encodes[place])):
            rates = {
                "only_direct": FactShare(chosen & direct & ~reverse, chosen),
                "only_reverse": FactShare(chosen & reverse & ~direct, chosen),
                "both": FactShare(chosen & direct & reverse, chosen),
            }
            shares = [rate.share for rate in rates.values()]
            yield ErrorsRow(model, given, rates["both"].n, *shares), rates


def _count_lacking(evidence: Evidence, place: int) -> int:
    unknown = evidence.analysis_set()[place] & ~evidence.verdicts.knows[place]
    return count_undecided(evidence, place, KNOWLEDGE, OFF, unknown)


RECORD = AnalysisRecord(
    "errors",
    "which direction fails where a fact is not known",
    errors,
    (
        Column("model"),
        Column("given"),
        Column("n", ColumnKind.COUNT),
        Column("only_direct", ColumnKind.SHARE, "only direct %"),
        Column("only_reverse", ColumnKind.SHARE, "only reverse %"),
        Column("both", ColumnKind.SHARE, "both %"),
    ),
    note="n: facts not known without thinking; which questions of them fail",
    measured=measure_rows,
    lacking=_count_lacking,
    lacking_reason=EACH,
    is_of_judged=True,
    parts=(
        AnalysisPart(
            "composition",
            "what the facts not known are made of",
            composition,
            (
                Column("model"),
                Column("thinking", ColumnKind.SWITCH),
                Column("n", ColumnKind.COUNT),
                Column("recall_failures", ColumnKind.COUNT, "recall failures"),
                Column("encoding_failures", ColumnKind.COUNT, "encoding failures"),
                Column("share", ColumnKind.SHARE, "recall failures %"),
            ),
            note="n: facts not known without thinking (off), or neither without nor with it (on)",
            measured=_measure_composition,
        ),
    ),
)
