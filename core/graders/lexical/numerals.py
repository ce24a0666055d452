"""Numerals: words, ordinals and roman figures brought to plain digits."""

import re

from core.graders.lexical.english import (
    ONES,
    ORDINAL_ONES,
    ORDINAL_TENS,
    SPEAKER_OPENERS,
    TENS,
)

CARDINALS = dict(zip(ONES, range(20), strict=True)) | dict(
    zip(TENS, range(20, 100, 10), strict=True)
)
"""Words of whole numbers to their values."""

ORDINALS = dict(zip(ORDINAL_ONES, range(20), strict=True)) | dict(
    zip(ORDINAL_TENS, range(20, 100, 10), strict=True)
)
"""Words of ordinal numbers to their values."""

_WORDS = {word: str(value) for word, value in (CARDINALS | ORDINALS).items()}
_ORDINAL_FIGURE = re.compile(r"(\d+)(?:st|nd|rd|th)")
_ROMAN = re.compile(r"(x{0,3})(ix|iv|v?i{0,3})")
_ANY_ROMAN = re.compile(r"M{0,4}(?:CM|CD|D?C{0,4})(?:XC|XL|L?X{0,4})(?:IX|IV|V?I{0,4})")
_ROMAN_ONES = ["", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix"]


def roman(word: str) -> int | None:
    """The value of a lower-case roman numeral below 40, else None.

    Larger ones are left out: their letters make too many words and initials (mix, dc, mi).
    """
    match = _ROMAN.fullmatch(word)
    if not word or not match:
        return None
    return 10 * len(match[1]) + _ROMAN_ONES.index(match[2])


def is_figure(text: str) -> bool:
    """Whether a text is a number in roman or in arabic figures, and nothing else."""
    text = text.strip()
    return text.isdigit() or bool(text and _ANY_ROMAN.fullmatch(text))


def canonical(raw: str, lower: str, before: str) -> str:
    """A word with its numeral in digits: "Seventeenth", "17th", "XVII" and "17" are one word.

    "x" always is one; another single letter only as a capital after a capitalised word `before`
    it (World War I).
    """
    if lower in _WORDS:
        return _WORDS[lower]
    if lower[0].isdigit():
        match = _ORDINAL_FIGURE.fullmatch(lower)
        return match[1] if match else lower.replace(",", "")
    if lower[0] in "xiv" and len(lower) < 8:
        alone = lower in ("i", "v")
        named = raw.isupper() and before[:1].isupper() and before.lower() not in SPEAKER_OPENERS
        value = roman(lower) if named or not alone else None
        return lower if value is None else str(value)
    return lower


def completes(tens: str, ones: str) -> bool:
    """Whether two words are one number, as "twenty" and "first" are."""
    value = _WORDS.get(ones.lower(), "0")
    return CARDINALS.get(tens.lower(), 0) >= 20 and 0 < int(value) < 10
