"""Text as the checks compare it: folded words.

Comparisons look at whole words without case, accents, typographic variants and punctuation, so
that "art" does not stand in "start", and "Café" is "cafe".
"""

import re
import unicodedata

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
