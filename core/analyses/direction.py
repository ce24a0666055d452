"""The reversal curse: direct against reverse, asked openly or with choices.

Source: Calderon et al., section 5.2, appendix B.4, figures 6 and 15.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from core.analyses.analysis_evidence import AnalysisRow, Evidence, Rates
from core.analyses.analysis_record import (
    AnalysisRecord,
    Column,
    ColumnKind,
    Contrast,
)
from core.analyses.curtailed_models import BOTH, EACH, OPEN_AND_CHOICE, count_undecided
from core.scoring.question_states import FAIL, PASS
from core.stats.fact_shares import FactShare
from core.vocabulary import TASK_INDEX, Task

PAIRS = (
    ("generation", "direct", Task.DIRECT, Task.DIRECT_NATURAL),
    ("generation", "reverse", Task.REVERSE, Task.REVERSE_NATURAL),
    ("verification", "direct", Task.MC_DIRECT, Task.MC_DIRECT_NATURAL),
    ("verification", "reverse", Task.MC_REVERSE, Task.MC_REVERSE_NATURAL),
)
"""Kind, direction, and the two questions of the pair, high-verbatim first."""


@dataclass(frozen=True, slots=True)
class DirectionRow(AnalysisRow):
    """Share of one setting's facts whose every gradable question of a pair passes.

    `kind` is generation or verification, `given` encoded or all; `n` counts facts with a
    gradable question in the pair.
    """

    model: str
    thinking: bool
    kind: str
    direction: str
    given: str
    n: int
    rate: float | None


def direction(evidence: Evidence) -> list[DirectionRow]:
    """Facts known in each direction, of the encoded ones and of all."""
    return [row for row, _ in measure_rows(evidence)]


def measure_rows(evidence: Evidence) -> Iterator[tuple[DirectionRow, Rates]]:
    """The rows with their shares as masks."""
    questions, analysed = evidence.questions(), evidence.analysis_set()
    for place, thinking in evidence.settings():
        asked = questions[evidence.tally.rows[place, int(thinking)]]
        model = evidence.tally.models[place]
        for kind, way, verbatim, natural in PAIRS:
            pair = asked[TASK_INDEX[verbatim]] | asked[TASK_INDEX[natural]]
            everyone = analysed[place] & ((pair & (PASS | FAIL)) != 0)
            known = (pair & FAIL) == 0
            encoded = everyone & evidence.verdicts.encodes[place]
            for given, chosen in (("encoded", encoded), ("all", everyone)):
                rate = FactShare(chosen & known, chosen)
                row = DirectionRow(model, thinking, kind, way, given, rate.n, rate.share)
                yield row, {"rate": rate}


def _count_lacking(evidence: Evidence, place: int) -> int:
    return count_undecided(evidence, place, OPEN_AND_CHOICE, BOTH, evidence.analysis_set()[place])


RECORD = AnalysisRecord(
    "direction",
    "direct against reverse questions, open and with choices",
    direction,
    (
        Column("model"),
        Column("thinking", ColumnKind.SWITCH),
        Column("kind"),
        Column("direction"),
        Column("given"),
        Column("n", ColumnKind.COUNT),
        Column("rate", ColumnKind.SHARE, "known %"),
    ),
    note="known: every gradable question of the direction passes; n: facts with one",
    measured=measure_rows,
    contrast=Contrast("direction", "direct", "reverse", "direct less reverse"),
    lacking=_count_lacking,
    lacking_reason=EACH,
    is_of_judged=True,
)
