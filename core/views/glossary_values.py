"""What a term of the glossary comes to under a snapshot: its number, and the facts it counts."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from core.dataset.fact_filters import Filters, Only
from core.dataset.subsets import Mask
from core.glossary.profile_terms import CODES
from core.scoring.verdicts import ProfileSummary, summarise
from core.views.snapshot import AT_STAKE, DIFFER, Snapshot
from core.vocabulary import CODE_ORDER
from core.vocabulary import CODES as NAMES


@dataclass(frozen=True, slots=True)
class TermValue:
    """A term's number for the lens's model: a count of facts, a share of them (0 to 1), or both.

    `missing` says why there is neither.
    """

    count: int | None = None
    share: float | None = None
    missing: str = ""


_RATES: dict[str, Callable[[ProfileSummary], float | None]] = {
    "enc": lambda one: one.encodes,
    "know": lambda one: one.knows,
    "kn+T": lambda one: one.knows_thinking,
    "excl": lambda one: one.excluded_share,
}
_VERDICTS = {
    **{entry.term: (entry.term,) for entry in CODES},
    "E": ("DR", "RT", "RF", "EK", "E-"),
    "K0": ("DR", "DI", "EK", "-K"),
    "enc": ("DR", "RT", "RF", "EK", "E-"),
    "know": ("DR", "DI", "EK", "-K"),
    "kn+T": ("DR", "RT", "IE", "DI"),
    "excl": ("NA", "DI"),
    "included": ("DR", "RT", "IE", "RF", "EF"),
}
"""Codes of the facts that a term counts."""

_REVIEWS = {"Δ": "edited", "*": "flagged", "†": "noted"}


def term_filters(term: str, snapshot: Snapshot) -> Filters | None:
    """What lists the facts that a term counts; None for a term that counts none."""
    if term == "RJ":
        return Filters(rejected=True)
    if term in _REVIEWS:
        return Filters(reviews=frozenset((_REVIEWS[term],)))
    if term == "≠":
        return Filters(differs="profile")
    if snapshot.row is not None and term in _VERDICTS:
        return Filters(verdicts=frozenset(_VERDICTS[term]) & frozenset(CODE_ORDER))
    facts = _facts(term, snapshot)
    if facts is None:
        return None
    return Filters(only=Only(term, frozenset(snapshot.index.ids[facts].tolist())))


def term_value(term: str, snapshot: Snapshot) -> TermValue | None:
    """What a term comes to over all facts; None for a term that has no number."""
    facts = _facts(term, snapshot)
    if facts is not None:
        count = int(np.count_nonzero(facts & (snapshot.index.rejected == (term == "RJ"))))
        return TermValue(count, _share_of(term, snapshot))
    if term in _RATES and snapshot.row is not None:
        return _rate(term, _summary(snapshot, snapshot.row))
    return None


def _rate(term: str, summary: ProfileSummary) -> TermValue:
    share = _RATES[term](summary)
    if share is not None:
        return TermValue(share=share)
    unmeasured = term == "kn+T" and not summary.thinking
    return TermValue(missing="thinking not measured" if unmeasured else "no fact is included")


def _summary(snapshot: Snapshot, row: int) -> ProfileSummary:
    return summarise(snapshot.verdicts, ~snapshot.index.rejected)[row]


def _share_of(term: str, snapshot: Snapshot) -> float | None:
    """The share of a profile among the included facts."""
    profile = next((name for name, code in NAMES.items() if code == term), None)
    if snapshot.row is None or profile is None:
        return None
    shares = _summary(snapshot, snapshot.row).shares
    return None if shares is None else shares.get(profile)


def _facts(term: str, snapshot: Snapshot) -> Mask | None:
    """The facts that a term counts (facts,)."""
    marks: dict[str, Mask] = {
        "RJ": snapshot.index.rejected,
        "Δ": snapshot.edited,
        "*": snapshot.index.flagged,
        "†": snapshot.noted,
        "≠": snapshot.differs == AT_STAKE,
        "±": snapshot.differs == DIFFER,
        "…": snapshot.provisional,
    }
    if term in marks:
        return marks[term]
    if snapshot.row is None or term in _RATES:
        return None
    if term == "KT":
        known: Mask = snapshot.verdicts.knows_thinking[snapshot.row]
        return known if snapshot.verdicts.thinking[snapshot.row] else None
    if term not in _VERDICTS:
        return None
    places = [CODE_ORDER.index(code) for code in _VERDICTS[term]]
    found: Mask = np.isin(snapshot.code_places(), places)
    return found
