"""What the words right beside letters and texts of options say, where that settles an answer.

Most sentences are so plain. They are read as `mentions` and `commitment` read them, in a fraction
of the time.
"""

import re
from collections.abc import Sequence

from core.graders.choice import choice_words as said
from core.graders.choice.answer_form import Found

UNSETTLED = -1
"""More words are needed."""

_REACH = 48
"""Characters that are looked at before a letter or text."""

_NEXT = re.compile(r"([),: ]*)(?:([^\W\d_]+(?:['’][^\W\d_]+)*|\d+)|[.;!?\n]|\Z)")
_BETWEEN = frozenset([" ", ") ", ": ", ". ", " - "])
"""What stands between a letter and its own text."""

_SAYS = said.IS | said.IS_NOT | said.PERHAPS | said.JOINS | said.NEGATIVE | said.POSITIVE
"""Behind one of these something is said of the letter before."""

_KNOWN = said.HEARD | said.LEADS
_AFTER_HEAD = frozenset([*".):,;!\n", ""])

_ENDS = frozenset(".;!?")

_HEAD, _APART, _CUED = range(3)
"""Nothing stands before it; words that say nothing of it; a word by which it is meant."""


def settle(folded: str, found: Sequence[Found]) -> int | None:
    """The place of the option that an answer commits to, None for none; or `UNSETTLED`.

    `found` are letters and texts of options in the answer, in their order.
    """
    meant: set[int] = set()
    named: set[int] = set()
    has_text, last, number = False, 0, 0
    while number < len(found):
        start, end, one = found[number]
        mark, number = folded[end : end + 1], number + 1
        place, between = one if one >= 0 else ~one, ""
        if one < 0 and number < len(found) and folded[end : found[number][0]] in _BETWEEN:
            between = folded[end : found[number][0]]
            _, end, other = found[number]
            number += 1
            if other != place or (mark == "." and folded[end : end + 2].strip()[:1].isalnum()):
                return UNSETTLED
        how = _hear_before(folded, last, start)
        coming = found[number][0] if number < len(found) else len(folded)
        if how is None or not _says_nothing(folded, end, coming):
            return UNSETTLED
        if how == _APART and between == ": ":
            return UNSETTLED
        if how == _HEAD and (
            not (between or mark in _AFTER_HEAD) or (one == ~0 and number < len(found))
        ):
            return UNSETTLED
        if how != _APART:
            meant.add(place)
        named.add(place)
        has_text, last = has_text or between != "" or one >= 0, end
    if meant:
        return meant.pop() if len(meant) == 1 else UNSETTLED
    return named.pop() if has_text and len(named) == 1 else None


def _says_nothing(folded: str, end: int, coming: int) -> bool:
    """Whether what follows says nothing of a mention before it, up to the next one."""
    found = _NEXT.match(folded, end)
    if found is None or found.end() > coming:
        return False
    word = found[2]
    return word is None or (word not in _SAYS and found[1] != "")


def _hear_before(folded: str, last: int, start: int) -> int | None:
    """How a mention stands behind the words before it, from the mention before on.

    None where they do not tell: with a denial, a list, a break or signs among them.
    """
    first = max(last, start - _REACH)
    before = folded[first:start]
    if before and before[-1] not in " (":
        return None
    begin = before.rfind("\n") + 1
    words = before[begin:].rstrip(" (").split()
    if first > last and not begin:
        del words[:1]
    is_cued = False
    for word in reversed(words):
        bare = word.rstrip(",:")
        if bare in said.CUES:
            is_cued = True
        elif bare not in said.FILLERS:
            if not _ends_hearing(bare):
                return None
            if is_cued:
                return _CUED
            is_linked = words[-1][-1] == ":" or words[-1] in said.LINKS
            return None if is_linked else _APART
    if begin or first:
        return None
    return _CUED if is_cued else None if words else _HEAD


def _ends_hearing(word: str) -> bool:
    """Whether nothing before a word, or the sentence that it ends, says anything behind it."""
    bare = word[:-1] if word[-1:] in _ENDS else word
    return bare not in _KNOWN and bare.isascii() and (bare.isalpha() or bare.isdigit())
