"""Text as the checks compare it: folded words, and sentences.

Comparisons look at whole words without case, accents, typographic variants and punctuation, so
that "art" does not stand in "start", and "Café" is "cafe".
"""

import re
import unicodedata
from itertools import pairwise

from core.graders.lexical.english import ABBREVIATIONS, listed

_TYPOGRAPHY = str.maketrans("’‘`´ʼ“”„«»−–—‐‑łŁøØđĐıß", "'''''\"\"\"\"\"-----lLoOdDis")
_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_WORD = re.compile(
    rf"[{_CJK}]"
    r"|\d{1,3}(?:,\d{3})+(?:\.\d+)?[^\W\d_]*"  # 2,300,000
    r"|\d+(?:[.,]\d+)*[^\W\d_]*"  # 1969, 4.5, 17th
    rf"|[^\W\d_{_CJK}]+[+#]*\d*"  # word, C++, MI5
)
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3})")
_ARTICLES = frozenset({"the", "a", "an"})

_END = re.compile(r"(?<![.!?…])[.!?…]+[\"'”’»)\]]*(?=\s+[\"'“‘«(\[]*[^\W_a-z])|[。！？]")
_LAST_WORD = re.compile(r"[^\s(\[\"'“‘«]+$")
_LONGEST_WORD = 40
_OPENING, _CLOSING = "([", ")]"
_BEFORE_NAMES = listed(
    """
    lit c ca approx fl dr mr mrs ms st sr prof rev gen col lt sgt capt cmdr gov sen rep hon pres
    vs v op cit eg ie cf viz est no nos vol pp ed eds dept univ mt ft
    """
)
_AFTER_NAMES = listed("jr bros inc ltd co corp al etc")
_NO_END = frozenset([*_BEFORE_NAMES, *_AFTER_NAMES, *ABBREVIATIONS])
"""Words whose full stop seldom ends a sentence."""

_STARTS = re.compile(
    r"\s+[\"'“]?(?:The|An?|In|On|At|By|For|From|After|Before|During|Since|While|When|As|It|Its|He|"
    r"His|She|Her|They|Their|This|That|These|Those|There|However|Although|Both|One|Some|Many)\s"
)
"""Words that begin a sentence when they follow an abbreviation."""


def fold(text: str) -> str:
    """A text without case, accents, typographic variants and superfluous white space."""
    if text.isascii():
        return " ".join(text.lower().split())
    decomposed = unicodedata.normalize("NFKD", text.translate(_TYPOGRAPHY)).casefold()
    bare = "".join(char for char in decomposed if not unicodedata.combining(char))
    return " ".join(unicodedata.normalize("NFC", bare).split())


def words(text: str) -> list[str]:
    """The folded words of a text, in order; numbers without thousands separators."""
    folded = fold(text)
    found: list[str] = _WORD.findall(folded)
    return [_THOUSANDS.sub("", word) for word in found] if "," in folded else found


def contains(text: str, part: str) -> bool:
    """Whether the words of `part` stand together in `text`; a part without words is looked for."""
    wanted = words(part)
    if not wanted:
        folded = fold(part)
        return bool(folded) and folded in fold(text)
    # The blanks on both sides make it a search for whole words.
    return f" {' '.join(wanted)} " in f" {' '.join(words(text))} "


def key(text: str) -> str:
    """What texts have in common that name the same: their words without a leading article."""
    found = words(text)
    if len(found) > 1 and found[0] in _ARTICLES:
        found = found[1:]
    return " ".join(found) or fold(text)


def count(text: str) -> int:
    """How many words a text has, as people count them (between white space)."""
    return sum(any(char.isalnum() for char in word) for word in text.split())


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


def finished(left_context: str) -> str:
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
