"""The reversal curse: direct against reverse, asked openly or with choices.

Source: Calderon et al., section 5.2, appendix B.4, figures 6 and 15.
"""

from dataclasses import dataclass

from core.analyses.evidence import Evidence, Row, count
from core.names import TASK_INDEX, Task
from core.profiles import ratio
from core.states import FAIL, PASS

PAIRS = (
    ("generation", "direct", Task.DIRECT, Task.DIRECT_NATURAL),
    ("generation", "reverse", Task.REVERSE, Task.REVERSE_NATURAL),
    ("verification", "direct", Task.MC_DIRECT, Task.MC_DIRECT_NATURAL),
    ("verification", "reverse", Task.MC_REVERSE, Task.MC_REVERSE_NATURAL),
)
"""Kind, direction, and the two questions of the pair, high-verbatim first."""


@dataclass(frozen=True, slots=True)
class DirectionRow(Row):
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
    questions, analysed = evidence.questions(), evidence.analysed()
    rows = []
    for place, thinking in evidence.settings():
        asked = questions[evidence.tally.rows[place, int(thinking)]]
        for kind, way, verbatim, natural in PAIRS:
            pair = asked[TASK_INDEX[verbatim]] | asked[TASK_INDEX[natural]]
            everyone = analysed[place] & ((pair & (PASS | FAIL)) != 0)
            known = (pair & FAIL) == 0
            encoded = everyone & evidence.verdicts.encodes[place]
            for given, chosen in (("encoded", encoded), ("all", everyone)):
                n = count(chosen)
                rate = ratio(count(chosen & known), n)
                model = evidence.tally.models[place]
                rows.append(DirectionRow(model, thinking, kind, way, given, n, rate))
    return rows
