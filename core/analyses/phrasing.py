"""Does the wording matter? High-verbatim against natural questions.

Source: Calderon et al., appendix B.3: exact McNemar tests, Benjamini-Yekutieli at q = 0.05.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.analyses.analysis_evidence import AnalysisRow, Evidence, count
from core.analyses.analysis_record import AnalysisRecord, Column, ColumnKind
from core.analyses.curtailed_models import BOTH, EACH, OPEN_AND_CHOICE, count_undecided
from core.analyses.direction import PAIRS
from core.scoring.question_states import FAIL, PASS
from core.stats.paired_tests import PairedTest, mcnemar
from core.vocabulary import TASK_INDEX


@dataclass(frozen=True, slots=True)
class PhrasingRow(AnalysisRow):
    """One test: facts that pass in one wording only, and how likely that is by chance.

    `n` counts facts with both questions gradable; without any there is no test: p, p_adjusted and
    significant are None.
    """

    model: str
    thinking: bool
    pair: str
    n: int
    only_verbatim: int
    only_natural: int
    p: float | None = None
    p_adjusted: float | None = None
    significant: bool | None = None


def phrasing(evidence: Evidence) -> list[PhrasingRow]:
    """Every setting's four pairs of wordings, tested together."""
    questions = evidence.questions()
    gradable = (questions & (PASS | FAIL)) != 0
    passes = questions == PASS
    rows = []
    for place, thinking in evidence.settings():
        row = evidence.tally.rows[place, int(thinking)]
        for _, _, verbatim, natural in PAIRS:
            first, second = TASK_INDEX[verbatim], TASK_INDEX[natural]
            both = gradable[row, first] & gradable[row, second] & evidence.facts
            rows.append(
                PhrasingRow(
                    evidence.tally.models[place],
                    thinking,
                    str(verbatim),
                    count(both),
                    count(both & passes[row, first] & ~passes[row, second]),
                    count(both & ~passes[row, first] & passes[row, second]),
                )
            )
    return _test_rows(rows)


def _test_rows(rows: Sequence[PhrasingRow]) -> list[PhrasingRow]:
    """The rows with their p values, adjusted for the number of those that could be tested."""
    tests = iter(mcnemar([(row.only_verbatim, row.only_natural) for row in rows if row.n]))
    return [_with_test(row, next(tests)) if row.n else row for row in rows]


def _with_test(row: PhrasingRow, test: PairedTest) -> PhrasingRow:
    return replace(row, p=test.p, p_adjusted=test.p_adjusted, significant=test.significant)


def _count_lacking(evidence: Evidence, place: int) -> int:
    return count_undecided(evidence, place, OPEN_AND_CHOICE, BOTH, evidence.facts)


RECORD = AnalysisRecord(
    "phrasing",
    "does the wording matter? exact tests",
    phrasing,
    (
        Column("model"),
        Column("thinking", ColumnKind.SWITCH),
        Column("pair"),
        Column("n", ColumnKind.COUNT),
        Column("only_verbatim", ColumnKind.COUNT, "verbatim"),
        Column("only_natural", ColumnKind.COUNT, "natural"),
        Column("p", ColumnKind.CHANCE),
        Column("p_adjusted", ColumnKind.CHANCE, "adjusted"),
        Column("significant", ColumnKind.YES, "differs"),
    ),
    note="verbatim, natural: pass in that wording only; adjusted: Benjamini-Yekutieli",
    is_of_choice=True,
    unmeasured="phrasing has no shares to give intervals of: its tests say how sure it is",
    lacking=_count_lacking,
    lacking_reason=EACH,
)
