"""A text cut into its sentences: initials, abbreviations and open brackets end none."""

import re
from itertools import pairwise

from core.graders.lexical.english import ABBREVIATIONS, split_words

_END = re.compile(r"(?<![.!?…])[.!?…]+[\"'”’»)\]]*(?=\s+[\"'“‘«(\[]*[^\W_a-z])|[。！？]")


_LAST_WORD = re.compile(r"[^\s(\[\"'“‘«]+$")


_LONGEST_WORD = 40


_OPENING, _CLOSING = "([", ")]"


_BEFORE_NAMES = split_words(
    """
    lit c ca approx fl dr mr mrs ms st sr prof rev gen col lt sgt capt cmdr gov sen rep hon pres
    vs v op cit eg ie cf viz est no nos vol pp ed eds dept univ mt ft
    """
)


_AFTER_NAMES = split_words("jr bros inc ltd co corp al etc")


_NO_END = frozenset([*_BEFORE_NAMES, *_AFTER_NAMES, *ABBREVIATIONS])
"""Words whose full stop seldom ends a sentence."""


_STARTS = re.compile(
    r"\s+[\"'“]?(?:The|An?|In|On|At|By|For|From|After|Before|During|Since|While|When|As|It|Its|He|"
    r"His|She|Her|They|Their|This|That|These|Those|There|However|Although|Both|One|Some|Many)\s"
)
"""Words that begin a sentence when they follow an abbreviation."""


def sentences(text: str) -> list[str]:
    """A text cut into its sentences, which joined give it again; the last may be unfinished.

    A stop inside brackets, after an initial or after an abbreviation ends none.
    """
    cuts = [0]
    for end in _END.finditer(text):
        if _ends(text, cuts[-1], end):
            rest = len(text) - len(text[end.end() :].lstrip())
            cuts.append(rest)
    bounds = [*cuts, len(text)]
    return [text[start:end] for start, end in pairwise(bounds) if start < end]


def drop_unfinished(left_context: str) -> str:
    """A left context without its last, unfinished sentence."""
    parts = sentences(left_context)
    return "".join(parts[:-1]).strip()


def _ends(text: str, start: int, end: re.Match[str]) -> bool:
    sentence = text[start : end.end()]
    # Brackets that are never closed must not swallow the rest of the text.
    if any(map(sentence.count, _OPENING)) and _open(sentence) and _closes(text, end.end()):
        return False
    if not end.group().startswith(".") or end.group().startswith(".."):
        return True
    word = _last_word(text[max(start, end.start() - _LONGEST_WORD) : end.start()])
    if word.casefold() not in _BEFORE_NAMES and _STARTS.match(text, end.end()):
        return True
    return not _abbreviates(word)


def _open(sentence: str) -> bool:
    return any(
        sentence.count(o) > sentence.count(c) for o, c in zip(_OPENING, _CLOSING, strict=True)
    )


def _closes(text: str, at: int) -> bool:
    following = text[at : at + 200]
    return any(char in following for char in _CLOSING)


def _last_word(before: str) -> str:
    found = _LAST_WORD.search(before)
    return found[0].rstrip(".") if found else ""


def _abbreviates(word: str) -> bool:
    if len(word) == 1 and word.isalpha() and word.isupper():
        return True
    if word.casefold() in _NO_END and not (len(word) > 2 and word.isupper()):
        return True
    return bool(re.fullmatch(r"(?:[^\W\d_]\.)+[^\W\d_]", word))
