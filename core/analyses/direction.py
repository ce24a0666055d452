"""The reversal curse: direct against reverse, asked openly or with choices.

Source: Calderon et al., section 5.2, appendix B.4, figures 6 and 15.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.analyses.analysis_evidence import AnalysisRow, Evidence, Rates
from core.analyses.analysis_record import (
    AnalysisOption,
    AnalysisPart,
    AnalysisRecord,
    Column,
    ColumnKind,
    Contrast,
)
from core.analyses.curtailed_models import BOTH, EACH, OPEN_AND_CHOICE, count_undecided
from core.dataset.fact_filters import NO_NAME
from core.errors import UsageError
from core.scoring.question_states import FAIL, PASS
from core.scoring.verdicts import Mask
from core.stats.fact_shares import FactShare, mean_gap
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


@dataclass(frozen=True, slots=True)
class TypedDirectionRow(DirectionRow):
    """The same of the facts whose answer in that direction is of one type."""

    answer_type: str


@dataclass(frozen=True, slots=True)
class TypeGapRow(AnalysisRow):
    """Both directions for one type of answer: facts with an answer of it, shares known.

    `gap` = `direct` less `reverse`. The facts of the two sides are others, as an object's type
    counts in `direct` and a subject's in `reverse`.
    """

    model: str
    thinking: bool
    kind: str
    given: str
    answer_type: str
    n_direct: int
    n_reverse: int
    direct: float | None
    reverse: float | None
    gap: float | None


@dataclass(frozen=True, slots=True)
class ControlledRow(AnalysisRow):
    """The mean gap over the types of a setting, each type weighing the same."""

    model: str
    thinking: bool
    kind: str
    given: str
    types: int
    gap: float | None
    interval: tuple[float, float] | None


LEAST_OF_TYPE = 10
"""Facts that a type needs in both directions to be compared (appendix B.4)."""

ANSWER_TYPE = "answer_type"


def direction(evidence: Evidence) -> Sequence[DirectionRow]:
    """Facts known in each direction, of the encoded ones and of all."""
    return [row for row, _ in measure_rows(evidence)]


def measure_rows(evidence: Evidence) -> Sequence[tuple[DirectionRow, Rates]]:
    """The rows with their shares as masks; with `--by answer_type` a row a type."""
    by_type = evidence.options.get("by") == ANSWER_TYPE
    measure = _measure_each_type if by_type else _measure_all
    return evidence.keep("directions", lambda: list(measure(evidence)))


def _measure_each_type(evidence: Evidence) -> Iterator[tuple[DirectionRow, Rates]]:
    types = {way: _type_masks(evidence, way) for way in ("direct", "reverse")}
    for row, rates in evidence.keep("wholes", lambda: list(_measure_all(evidence))):
        whole = rates["rate"]
        for name, members in types[row.direction].items():
            rate = FactShare(whole.hits & members, whole.base & members)
            keys = row.model, row.thinking, row.kind, row.direction, row.given
            yield TypedDirectionRow(*keys, rate.n, rate.share, name), {"rate": rate}


def _type_masks(evidence: Evidence, way: str) -> dict[str, Mask]:
    """The facts whose answer in a direction is of each type, of the facts that are looked at."""
    index = evidence.index
    column = index.object_types if way == "direct" else index.subject_types
    names: npt.NDArray[np.object_] = np.array([name or NO_NAME for name in column], object)
    there = sorted(set(names[evidence.facts].tolist()))
    return {name: names == name for name in there}


def _measure_types(evidence: Evidence) -> Iterator[tuple[TypeGapRow, Rates]]:
    """Types with enough facts in both directions, in order of their names."""
    sides: dict[tuple[str, bool, str, str], dict[str, dict[str, FactShare]]] = {}
    for typed, rates in measure_rows(evidence):
        if isinstance(typed, TypedDirectionRow):
            types = sides.setdefault((typed.model, typed.thinking, typed.kind, typed.given), {})
            types.setdefault(typed.answer_type, {})[typed.direction] = rates["rate"]
    for keys, types in sides.items():
        for name, both in sorted(types.items()):
            direct, reverse = both.get("direct"), both.get("reverse")
            if direct is None or reverse is None or min(direct.n, reverse.n) < LEAST_OF_TYPE:
                continue
            shares = direct.share or 0.0, reverse.share or 0.0
            row = TypeGapRow(*keys, name, direct.n, reverse.n, *shares, shares[0] - shares[1])
            yield row, {"direct": direct, "reverse": reverse}


def compare_types(evidence: Evidence) -> list[TypeGapRow]:
    """Both directions for each type of answer with `LEAST_OF_TYPE` facts in both."""
    return [row for row, _ in _measure_types(evidence)]


def control_types(evidence: Evidence) -> list[ControlledRow]:
    """The gap of each setting with the type of answer held fixed: the mean over types."""
    pairs: dict[tuple[str, bool, str, str], list[tuple[FactShare, FactShare]]] = {}
    for whole, _ in evidence.keep("wholes", lambda: list(_measure_all(evidence))):
        pairs.setdefault((whole.model, whole.thinking, whole.kind, whole.given), [])
    for row, rates in _measure_types(evidence):
        own = pairs[row.model, row.thinking, row.kind, row.given]
        own.append((rates["direct"], rates["reverse"]))
    means = {keys: mean_gap(own) for keys, own in pairs.items()}
    return [
        ControlledRow(*keys, len(pairs[keys]), found.value, found.interval)
        for keys, found in means.items()
    ]


def _measure_all(evidence: Evidence) -> Iterator[tuple[DirectionRow, Rates]]:
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


def _read_by(text: str) -> str:
    if text != ANSWER_TYPE:
        raise UsageError(f"direction has no --by {text}: {ANSWER_TYPE} is the one there is")
    return text


def count_lacking(evidence: Evidence, place: int) -> int:
    """Questions of a curtailed model that are open, though their fact may be decided."""
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
        Column(ANSWER_TYPE, header="type", only_by=ANSWER_TYPE),
        Column("given"),
        Column("n", ColumnKind.COUNT),
        Column("rate", ColumnKind.SHARE, "known %"),
    ),
    note="known: every gradable question of the direction passes; n: facts with one",
    is_of_choice=True,
    measured=measure_rows,
    contrast=Contrast("direction", "direct", "reverse", "direct less reverse"),
    lacking=count_lacking,
    lacking_reason=EACH,
    is_of_judged=True,
    options=(AnalysisOption("by", "answer_type: a row for each type of answer", _read_by),),
    parts=(
        AnalysisPart(
            "types",
            "both directions by type of answer",
            compare_types,
            (
                Column("model"),
                Column("thinking", ColumnKind.SWITCH),
                Column("kind"),
                Column("given"),
                Column(ANSWER_TYPE, header="type"),
                Column("n_direct", ColumnKind.COUNT, "n direct"),
                Column("n_reverse", ColumnKind.COUNT, "n reverse"),
                Column("direct", ColumnKind.SHARE, "direct %"),
                Column("reverse", ColumnKind.SHARE, "reverse %"),
                Column("gap", ColumnKind.GAP),
            ),
            note=f"types with {LEAST_OF_TYPE} facts or more in both directions; gap in points",
            only_by=ANSWER_TYPE,
            measured=_measure_types,
        ),
        AnalysisPart(
            "controlled",
            "the gap with the type of answer held fixed",
            control_types,
            (
                Column("model"),
                Column("thinking", ColumnKind.SWITCH),
                Column("kind"),
                Column("given"),
                Column("types", ColumnKind.COUNT),
                Column("gap", ColumnKind.GAP),
                Column("interval", ColumnKind.SPAN, "95 %"),
            ),
            note="gap: the mean over types of direct less reverse, in points",
            only_by=ANSWER_TYPE,
        ),
    ),
)
