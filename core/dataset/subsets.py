"""Subsets of facts: popularity tiers, groups for breakdowns, and the filters of `--where`."""

import re
import shlex
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import groupby

import numpy as np
import numpy.typing as npt

from core.dataset.fact_index import FactIndex
from core.errors import UsageError
from core.vocabulary import PROFILES, NoProfile

Mask = npt.NDArray[np.bool_]

TIERS = ("bottom", "middle", "top", "unknown")
TIER_SHARE = 0.2
"""Share of the least and of the most viewed facts (Calderon et al., section 5)."""

NO_NAME = "unknown"
RANDOM = "random:"


def popularity(index: FactIndex) -> dict[str, Mask]:
    """The four tiers over all facts that are not rejected (semantics section 5).

    Ranked by views, equal views by fact_id as text; `unknown` has no view count.
    """
    known = np.flatnonzero((index.views >= 0) & ~index.rejected)
    ranked = sorted(known, key=lambda fact: (index.views[fact], index.fact_ids[fact]))
    tail = int(TIER_SHARE * len(ranked))
    tiers = {name: np.zeros(len(index), np.bool_) for name in TIERS}
    tiers["bottom"][ranked[:tail]] = True
    tiers["middle"][ranked[tail : len(ranked) - tail]] = True
    tiers["top"][ranked[len(ranked) - tail :]] = True
    tiers["unknown"] = (index.views < 0) & ~index.rejected
    return tiers


def groups(index: FactIndex, by: str) -> dict[str, Mask]:
    """Masks of the facts in each group of `category`, `object_type` or `popularity`."""
    if by == "popularity":
        return popularity(index)
    column = {"category": index.categories, "object_type": index.object_types}.get(by)
    if column is None:
        raise UsageError(f"cannot group by {by}: choose category, object_type or popularity")
    names = np.array([name or NO_NAME for name in column], object)
    return {name: names == name for name in sorted(set(names.tolist()))}


@dataclass(frozen=True, slots=True)
class Lookups:
    """What a filter may have to ask of the project: facts by text, facts by verdict."""

    by_text: Callable[[str], Mask]
    by_profile: Callable[[str], Mask]


_VIEWS = re.compile(r"(<=|>=|<|>|=)?(\d{1,99})([kKmM]?)")
_RANGE = re.compile(r"(\d{1,18})(?:-(\d{1,18}))?")
_COUNT = re.compile(r"\d{1,18}")
_SCALE = {"": 1, "k": 1_000, "m": 1_000_000}
_STANDINGS = (*PROFILES, *NoProfile)


def select(filters: str, index: FactIndex, lookups: Lookups) -> Mask:
    """Facts that pass every word of a filter; rejected ones only if it says `rejected`.

    Words: `category:Arts`, `type:DATE`, `profile:recall_failure`, `tier:bottom`, `views:>1000`,
    `flagged`, `rejected`, `fact:ID`, `number:7,20-29` (facts by the numbers they have in this
    database), `random:200` (so many of those that pass the rest, always the same); anything else
    is text to be found. Quotes keep words together.
    """
    try:
        words = shlex.split(filters)
    except ValueError as error:
        raise UsageError(f"--where {filters!r}: a quotation mark is not closed") from error
    chosen = ~index.rejected if "rejected" not in words else index.rejected.copy()
    counts = [word for word in words if word.startswith(RANDOM)]
    for word in words:
        if word not in counts:
            chosen &= _passing(word, index, lookups)
    for word in counts:
        chosen &= _random(word.removeprefix(RANDOM), chosen, index)
    return chosen


def _passing(word: str, index: FactIndex, lookups: Lookups) -> Mask:
    name, colon, value = word.partition(":")
    if word in ("flagged", "rejected"):
        return index.flagged if word == "flagged" else index.rejected
    match name if colon else "":
        case "category":
            return _same(index.categories, value)
        case "type":
            return _same(index.object_types, value)
        case "fact":
            return _same(index.fact_ids, value)
        case "number":
            return _numbered(value, index)
        case "views":
            return _viewed(value, index)
        case "tier":
            return popularity(index)[_known("popularity tier", value, TIERS)]
        case "profile":
            return lookups.by_profile(_known("profile", value, _STANDINGS))
    return lookups.by_text(word)


def _known(what: str, value: str, known: Sequence[str]) -> str:
    if value not in known:
        raise UsageError(f"no {what} {value}: choose one of {', '.join(known)}")
    return value


def _same(column: Iterable[str], value: str) -> Mask:
    wanted = value.casefold()
    return np.array([one.casefold() == wanted for one in column], np.bool_)


def numbers(ids: Iterable[int]) -> str:
    """The word of a filter that selects the facts with these ids and no others."""
    parts: list[str] = []
    for _, run in groupby(enumerate(sorted(ids)), lambda pair: pair[1] - pair[0]):
        same = [fact for _, fact in run]
        parts.append(str(same[0]) if len(same) == 1 else f"{same[0]}-{same[-1]}")
    return f"number:{','.join(parts)}"


def _numbered(value: str, index: FactIndex) -> Mask:
    chosen = np.zeros(len(index), np.bool_)
    for part in value.split(",") if value else ():
        if not (found := _RANGE.fullmatch(part)):
            raise UsageError(
                f"number:{part} is no number of a fact: write number:7 or number:20-29"
            )
        first, last = int(found[1]), int(found[2] or found[1])
        chosen |= (index.ids >= first) & (index.ids <= last)
    return chosen


def _random(value: str, among: Mask, index: FactIndex) -> Mask:
    """So many of some facts: those that come first when all are ordered by a hash of their id."""
    if not _COUNT.fullmatch(value):
        raise UsageError(f"random:{value} is no number of facts: write random:200")

    def scrambled(place: int) -> tuple[bytes, int]:
        return blake2b(index.fact_ids[place].encode(errors="surrogatepass")).digest(), place

    order = sorted(np.flatnonzero(among).tolist(), key=scrambled)
    chosen = np.zeros(len(index), np.bool_)
    chosen[order[: int(value)]] = True
    return chosen


def _viewed(value: str, index: FactIndex) -> Mask:
    found = _VIEWS.fullmatch(value)
    if not found:
        raise UsageError(f"views:{value} is no number of views: write views:>1000 or views:<=20k")
    sign, digits, unit = found.groups()
    bound = int(digits) * _SCALE[unit.lower()]
    compare = {
        ">": np.greater,
        ">=": np.greater_equal,
        "<": np.less,
        "<=": np.less_equal,
        "=": np.equal,
    }[sign or "="]
    return (index.views >= 0) & compare(index.views, bound)
