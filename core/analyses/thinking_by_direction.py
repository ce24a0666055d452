"""What thinking adds in each direction (Calderon et al., section 5.3, figures 7 and 16)."""

from collections.abc import Iterator
from dataclasses import dataclass

from core.analyses.analysis_evidence import AnalysisRow, Evidence, Rates
from core.analyses.direction import PAIRS
from core.scoring.question_states import FAIL, PASS
from core.stats.fact_shares import FactShare
from core.vocabulary import TASK_INDEX


@dataclass(frozen=True, slots=True)
class DirectionalRow(AnalysisRow):
    """Shares of one model's encoded facts: known in a direction without thinking, or only with.

    `n` counts facts with a gradable question in the pair, without thinking and with it.
    """

    model: str
    direction: str
    n: int
    base: float | None
    gain: float | None
    total: float | None


def thinking_by_direction(evidence: Evidence) -> list[DirectionalRow]:
    """Base and gain in each direction of every model asked with thinking."""
    return [row for row, _ in measure_rows(evidence)]


def measure_rows(evidence: Evidence) -> Iterator[tuple[DirectionalRow, Rates]]:
    """The rows with their shares as masks.

    Known in a direction means as in `direction`: every gradable question of the pair passes.
    """
    questions, analysed = evidence.questions(), evidence.analysis_set()
    pairs = [pair for pair in PAIRS if pair[0] == "generation"]
    for place, thinks in enumerate(evidence.tally.thinks().tolist()):
        if not thinks:
            continue
        off, on = (questions[row] for row in evidence.tally.rows[place])
        encoded = analysed[place] & evidence.verdicts.encodes[place]
        for _, way, verbatim, natural in pairs:
            first, second = TASK_INDEX[verbatim], TASK_INDEX[natural]
            without, with_it = off[first] | off[second], on[first] | on[second]
            chosen = encoded & ((without & (PASS | FAIL)) != 0) & ((with_it & (PASS | FAIL)) != 0)
            known, recalled = (without & FAIL) == 0, (with_it & FAIL) == 0
            rates = {
                "base": FactShare(chosen & known, chosen),
                "gain": FactShare(chosen & ~known & recalled, chosen),
                "total": FactShare(chosen & (known | recalled), chosen),
            }
            shares = [rate.share for rate in rates.values()]
            model = evidence.tally.models[place]
            yield DirectionalRow(model, way, rates["base"].n, *shares), rates
