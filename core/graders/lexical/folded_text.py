"""Text as the lexical grader sees it: bounded, folded, cut into comparable words."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from core.graders.lexical.english import ABBREVIATIONS, INITIALISMS, MONTHS
from core.graders.lexical.letter_names import (
    is_before_mode,
    is_letter,
    is_named_letter,
    keep_star,
)
from core.graders.lexical.number_forms import plain_numbers
from core.graders.lexical.numerals import canonical, completes

MAX_CHARACTERS = 4000
"""No more of a text is looked at than this, so that any text is graded in bounded time."""

_TYPOGRAPHY = str.maketrans(
    "’‘`´′“”−–—‐‑øØłŁđĐı*",
    "'''''\"\"-----oOlLdDi ",
)
_BLANKS = re.compile(r"\s{2,}|[^\S\n ]")
_RUN_IN = re.compile(
    r"(?<=[a-z]{3})(?=[A-Z](?:[a-z.]|[A-Z]{2}))"
    r"|(?:(?<=[a-z]{4})|(?<=[A-Z]{3}))(?=\d\b(?!\.\d))"
    r"|(?<=\b(?:by|in|of|on|to|at|is))(?=[A-Z][a-z]|\d)"
    r"|(?<=\b(?:was|the|and))(?=[A-Z][a-z]|\d)"
    r"|(?<=\bfrom)(?=\d)"
    r"|(?<=\b[12]\d{3})(?=(?:to|by|in|and|as|at)\b)"
)
"""Where two words were run into one, as in text copied out of a page with links."""

_SPACED = re.compile(r"(?<![\w.,])(\d{1,3})(?:(,) (?=\d{3}(?!\d))|(\.) (?=\d{1,2}(?![\w.,)])))")
"""A number cut at its comma or point, as in text that was cut into words: 1, 776 and 1. 3."""

_MONTH_BEFORE = re.compile(
    rf"\b(?:{'|'.join(name[:3] for name in MONTHS)})[a-z.]* $", re.IGNORECASE
)

_ESCAPE = re.compile(r"\\+u([0-9a-fA-F]{4})")
"""A character that a file has as its escape, as in `S\\u00e3o Paulo`."""

_GREAT_BRITAIN = re.compile(r"\bgreat britain\b", re.IGNORECASE)
_WORD = re.compile(
    r"\b[A-Z][A-Za-z]{0,2}(?:\+\+?|#|∗|♭|-(?=$|[.,;)]))(?!\w)"  # C++, AB-
    r"|(?:[^\W\d_]\.){2,}(?:[^\W\d_]\b)?"  # U.S., J.R.R.
    r"|\d{1,3}(?:,\d{3})+(?:\.\d+)?[^\W\d_]*"  # 2,300,000
    r"|\d+(?:\.\d+)?[^\W\d_]*"  # 1969, 4.5, 17th
    r"|[^\W\d_]+(?:'[^\W\d_]+)*\d*"  # word, o'neal, mi5
)
_TURN = re.compile(r" ?[,-] ?(?:but|rather|instead|actually|it|its|he|she|they|that|this)\b", re.I)
"""What after a comma begins a clause of its own: (it is) not Lyon, it is Paris."""

_CLAUSE_END = re.compile(r"[.!?;:\n()\[\]]")


@dataclass(frozen=True, slots=True)
class Passage:
    """A folded text and its words.

    Parallel tuples: `words` (canonical, lower case), `stems` (without plural ending), `capital`
    (written with a capital or a digit first), `clause` (number of the clause it stands in).
    """

    text: str
    words: tuple[str, ...]
    stems: tuple[str, ...]
    capital: tuple[bool, ...]
    clause: tuple[int, ...]


def fold(text: str) -> str:
    """The first MAX_CHARACTERS of a text without diacritics, markup and odd quotes; case kept."""
    text = plain_numbers(_ESCAPE.sub(_unescape, keep_star(text[:MAX_CHARACTERS]))).translate(
        _TYPOGRAPHY
    )
    if not text.isascii():
        decomposed = unicodedata.normalize("NFKD", text)
        text = "".join(char for char in decomposed if not unicodedata.combining(char))
    text = _SPACED.sub(_close_up, text)
    text = _BLANKS.sub(lambda blank: "\n" if "\n" in blank.group() else " ", text)
    return _RUN_IN.sub(" ", text[:MAX_CHARACTERS])


def _close_up(match: re.Match[str]) -> str:
    """The number as one, unless it is the day of a date (March 13, 624)."""
    if _MONTH_BEFORE.search(match.string, max(0, match.start() - 12), match.start()):
        return match.group()
    return match[1] + (match[2] or match[3])


def _unescape(match: re.Match[str]) -> str:
    """The letter or sign that an escape stands for; of controls and halves of pairs nothing."""
    char = chr(int(match[1], 16))
    return char if char.isprintable() else " "


def stem(word: str) -> str:
    """A word without its plural ending."""
    if not word.endswith("s") or len(word) < 4:
        return word
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    return word if word.endswith(("ss", "us", "is")) else word[:-1]


def passage(text: str) -> Passage:
    """Cut a text into words; see Passage."""
    folded = _GREAT_BRITAIN.sub("United Kingdom", fold(text))
    words: list[str] = []
    capital: list[bool] = []
    clause: list[int] = []
    end, number, before = 0, 0, ""
    for match in _WORD.finditer(folded):
        gap, raw = folded[end : match.start()], match.group()
        if gap != " ":
            number += _ends_clause(gap, before) or bool(_TURN.match(folded, end))
        own = raw in ("A", "a") and _is_name(folded, match, not words)
        for word in (raw.lower() + "'",) if own else _canonical(raw, before if gap == " " else ""):
            if words and gap in (" ", "-", " - ") and completes(before, raw):
                words[-1] = str(int(words[-1]) + int(word))
            elif words and raw.isupper() and before.isupper() and len(raw) == len(before) == 1:
                words[-1] += word
            else:
                words.append(word)
                capital.append(raw[0].isupper() or raw[0].isdigit())
                clause.append(number)
        end, before = match.end(), raw
    return Passage(folded, tuple(words), tuple(map(stem, words)), tuple(capital), tuple(clause))


def _is_name(folded: str, match: re.Match[str], leads: bool) -> bool:
    """Whether an "a" is a letter (vitamin A), which is a word of its own: a with an apostrophe.

    One that `leads` is an article, but not in the name of a key or an examination (A minor).
    """
    start, end = match.span()
    if leads and not is_before_mode(folded, end):
        return False
    initial = folded[end : end + 1] == "." and not is_named_letter(folded, start)
    return not initial and is_letter(folded, start, end)


def _ends_clause(gap: str, before: str) -> bool:
    """Whether the characters between two words end a clause; the full stop of an initial no."""
    return bool(_CLAUSE_END.search(gap)) and not (len(before) == 1 and gap.strip() == ".")


def _canonical(raw: str, before: str) -> Iterator[str]:
    """The word or words that a word of a text stands for."""
    plain = raw if raw[0].isdigit() else raw.replace(".", "")
    lower = plain.lower()
    if plain.isupper() and lower in INITIALISMS:
        yield from INITIALISMS[lower].split()
        return
    lower = lower.removesuffix("'s").replace("'", "")
    if lower:
        yield ABBREVIATIONS.get(lower) or canonical(plain, lower, before)
