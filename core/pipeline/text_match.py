"""Text as the checks compare it: folded words.

Comparisons look at whole words without case, accents, typographic variants and punctuation, so
that "art" does not stand in "start", and "Café" is "cafe".
"""

import re
import unicodedata
from functools import cached_property

from core.graders.em.normal_form import AnswerKind, normal_form

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


def fold(text: str) -> str:
    """A text without case, accents, typographic variants and superfluous white space."""
    if text.isascii():
        return " ".join(text.lower().split())
    decomposed = unicodedata.normalize("NFKD", text.translate(_TYPOGRAPHY)).casefold()
    bare = "".join(char for char in decomposed if not unicodedata.combining(char))
    return " ".join(unicodedata.normalize("NFC", bare).split())


def split_words(text: str) -> list[str]:
    """The folded words of a text, in order; numbers without thousands separators."""
    folded = fold(text)
    found: list[str] = _WORD.findall(folded)
    return [_THOUSANDS.sub("", word) for word in found] if "," in folded else found


def contains(text: str, part: str) -> bool:
    """Whether the words of `part` stand together in `text`; a part without words is looked for."""
    wanted = split_words(part)
    if not wanted:
        folded = fold(part)
        return bool(folded) and folded in fold(text)
    # The blanks on both sides make it a search for whole words.
    return f" {' '.join(wanted)} " in f" {' '.join(split_words(text))} "


def key(text: str) -> str:
    """What texts have in common that name the same: their words without a leading article."""
    found = split_words(text)
    if len(found) > 1 and found[0] in _ARTICLES:
        found = found[1:]
    return " ".join(found) or fold(text)


def count(text: str) -> int:
    """How many words a text has, as people count them (between white space)."""
    return sum(any(char.isalnum() for char in word) for word in text.split())


_LETTERS = re.compile("[a-z]+")


class WordText:
    """A text that is searched for whole words, as `build` compares them."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._folded = fold(text)
        self._numbers: dict[AnswerKind, str] = {}

    @cached_property
    def _words(self) -> str:
        return _join_words(split_words(self.text))

    def has(self, text: str) -> bool:
        """Whether the words of another text stand together in this one."""
        start = _LETTERS.match(fold(text))
        if start is not None and start[0] not in self._folded:
            return False  # most texts end here, and cost little
        found = split_words(text)
        return _join_words(found) in self._words if found else contains(self.text, text)

    def has_number(self, text: str, kind: AnswerKind) -> bool:
        """Whether a number stands here with its unit, in any spelling of it."""
        if kind not in self._numbers:
            self._numbers[kind] = _join_words(normal_form(self.text, kind).split())
        found = normal_form(text, kind).split()
        return bool(found) and _join_words(found) in self._numbers[kind]


def _join_words(found: list[str]) -> str:
    """Words between blanks, so that parts of words are not found."""
    return f" {' '.join(found)} "
