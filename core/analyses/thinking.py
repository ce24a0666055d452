"""What thinking adds to recall (Calderon et al., section 5.3, figures 7 and 16)."""

from collections.abc import Iterator
from dataclasses import dataclass

from core.analyses.analysis_evidence import AnalysisRow, Evidence, Rates
from core.analyses.analysis_record import (
    AnalysisPart,
    AnalysisRecord,
    Column,
    ColumnKind,
    Contrast,
)
from core.analyses.direction import PAIRS, count_lacking
from core.dataset.subsets import popularity
from core.scoring.question_states import FAIL, PASS
from core.scoring.verdicts import Mask
from core.stats.fact_shares import FactShare


@dataclass(frozen=True, slots=True)
class ThinkingRow(AnalysisRow):
    """Shares of one model's encoded facts: known without thinking, and only with it."""

    model: str
    n: int
    base: float | None
    gain: float | None
    total: float | None


@dataclass(frozen=True, slots=True)
class GroupedThinkingRow(AnalysisRow):
    """The same of a group: facts of a popularity tier, or recall in one direction.

    `by` is popularity (bottom, middle, top) or direction (direct, reverse). By direction, known
    means as in `direction`, and `n` counts encoded facts with a gradable question in the pair
    without thinking and with it.
    """

    model: str
    by: str
    group: str
    n: int
    base: float | None
    gain: float | None
    total: float | None


def thinkers(evidence: Evidence) -> Iterator[tuple[str, Mask, Mask, Mask, Mask]]:
    """For each model asked with thinking: its name, analysis set, E, K0 and KT."""
    verdicts, analysed = evidence.verdicts, evidence.analysis_set()
    columns = zip(
        evidence.tally.models,
        verdicts.thinking,
        analysed,
        verdicts.encodes,
        verdicts.knows,
        verdicts.knows_thinking,
        strict=True,
    )
    for model, thinks, *masks in columns:
        if thinks:
            yield model, *masks


def thinking(evidence: Evidence) -> list[ThinkingRow]:
    """Recall of encoded facts without thinking, and the gain by thinking."""
    return [row for row, _ in measure_rows(evidence)]


def measure_rows(evidence: Evidence) -> Iterator[tuple[ThinkingRow, Rates]]:
    """The rows with their shares as masks."""
    for model, analysed, encodes, knows, knows_thinking in thinkers(evidence):
        rates = _recall_rates(analysed & encodes, knows, knows_thinking)
        yield ThinkingRow(model, rates["base"].n, *_shares(rates)), rates


def _recall_rates(encoded: Mask, knows: Mask, knows_thinking: Mask) -> dict[str, FactShare]:
    return {
        "base": FactShare(encoded & knows, encoded),
        "gain": FactShare(encoded & ~knows & knows_thinking, encoded),
        "total": FactShare(encoded & (knows | knows_thinking), encoded),
    }


def _shares(rates: Rates) -> tuple[float | None, float | None, float | None]:
    base, gain = rates["base"].share, rates["gain"].share
    return base, gain, None if base is None or gain is None else base + gain


def measure_groups(evidence: Evidence) -> Iterator[tuple[GroupedThinkingRow, Rates]]:
    """The rows of groups with their shares as masks: by popularity, then by direction.

    A model whose run was curtailed has no rows by direction: single questions are open there.
    """
    yield from _measure_tiers(evidence)
    yield from _measure_directions(evidence)


def _measure_tiers(evidence: Evidence) -> Iterator[tuple[GroupedThinkingRow, Rates]]:
    tiers = popularity(evidence.index)
    for model, analysed, encodes, knows, knows_thinking in thinkers(evidence):
        for tier in ("bottom", "middle", "top"):
            rates = _recall_rates(analysed & encodes & tiers[tier], knows, knows_thinking)
            row = GroupedThinkingRow(model, "popularity", tier, rates["base"].n, *_shares(rates))
            yield row, rates


def _measure_directions(evidence: Evidence) -> Iterator[tuple[GroupedThinkingRow, Rates]]:
    pairs = [pair for pair in PAIRS if pair[0] == "generation"]
    tasks = [task for _, _, *both in pairs for task in both]
    questions, analysed = evidence.questions(tasks=tasks), evidence.analysis_set()
    for place, thinks in enumerate(evidence.tally.thinks().tolist()):
        if not thinks or (evidence.tally.curtailed is not None and count_lacking(evidence, place)):
            continue
        off, on = (questions[row] for row in evidence.tally.rows[place])
        encoded = analysed[place] & evidence.verdicts.encodes[place]
        for at, (_, way, _, _) in enumerate(pairs):
            without, with_it = (one[2 * at] | one[2 * at + 1] for one in (off, on))
            chosen = encoded & ((without & (PASS | FAIL)) != 0) & ((with_it & (PASS | FAIL)) != 0)
            rates = _recall_rates(chosen, (without & FAIL) == 0, (with_it & FAIL) == 0)
            model = evidence.tally.models[place]
            row = GroupedThinkingRow(model, "direction", way, rates["base"].n, *_shares(rates))
            yield row, rates


def thinking_by_group(evidence: Evidence) -> list[GroupedThinkingRow]:
    """Base and gain by popularity and by direction (figures 7 and 16)."""
    return [row for row, _ in measure_groups(evidence)]


NO_THINKING = "No model here was asked with thinking: `lostkeys run --thinking on` does that."

RECORD = AnalysisRecord(
    "thinking",
    "what thinking adds to recall",
    thinking,
    (
        Column("model"),
        Column("n", ColumnKind.COUNT),
        Column("base", ColumnKind.SHARE, "recalled %"),
        Column("gain", ColumnKind.SHARE, "added %"),
        Column("total", ColumnKind.SHARE, "total %"),
    ),
    note="n: encoded facts; added: by thinking",
    measured=measure_rows,
    no_thinking=NO_THINKING,
    is_of_judged=True,
    parts=(
        AnalysisPart(
            "groups",
            "by popularity and by direction",
            thinking_by_group,
            (
                Column("model"),
                Column("by"),
                Column("group"),
                Column("n", ColumnKind.COUNT),
                Column("base", ColumnKind.SHARE, "recalled %"),
                Column("gain", ColumnKind.SHARE, "added %"),
                Column("total", ColumnKind.SHARE, "total %"),
            ),
            note="n: encoded facts; by direction, recalled counts the questions of that direction",
            measured=measure_groups,
            contrasts=(
                Contrast("group", "top", "bottom", "top less bottom"),
                Contrast("group", "direct", "reverse", "direct less reverse"),
            ),
        ),
    ),
)
