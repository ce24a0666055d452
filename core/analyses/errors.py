"""Which direction fails where a fact is not known (Calderon et al., appendix B.4)."""

from dataclasses import dataclass

from core.analyses.evidence import Evidence, Row, count
from core.names import TASK_INDEX, Task
from core.profiles import ratio
from core.states import FAIL


@dataclass(frozen=True, slots=True)
class ErrorsRow(Row):
    """Shares of the facts that one model does not know without thinking, by failing pair."""

    model: str
    given: str
    n: int
    only_direct: float | None
    only_reverse: float | None
    both: float | None


def errors(evidence: Evidence) -> list[ErrorsRow]:
    """Failures of the direct pair alone, of the reverse pair alone, and of both."""
    failed = (evidence.questions() & FAIL) != 0
    verdicts, analysed = evidence.verdicts, evidence.analysed()
    rows = []
    for place, model in enumerate(evidence.tally.models):
        off = failed[evidence.tally.rows[place, 0]]
        direct = off[TASK_INDEX[Task.DIRECT]] | off[TASK_INDEX[Task.DIRECT_NATURAL]]
        reverse = off[TASK_INDEX[Task.REVERSE]] | off[TASK_INDEX[Task.REVERSE_NATURAL]]
        unknown = analysed[place] & ~verdicts.knows[place]
        for given, chosen in (("all", unknown), ("encoded", unknown & verdicts.encodes[place])):
            n = count(chosen)
            parts = (direct & ~reverse, reverse & ~direct, direct & reverse)
            shares = [ratio(count(chosen & part), n) for part in parts]
            rows.append(ErrorsRow(model, given, n, *shares))
    return rows
