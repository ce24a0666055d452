"""Text as the lexical grader sees it: bounded, folded, cut into comparable words."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from unicodedata import numeric

from core.graders.lexical.english import ABBREVIATIONS, INITIALISMS, MONTHS, ONES, ORDINAL_ONES
from core.graders.lexical.letter_names import (
    is_before_mode,
    is_letter,
    is_named_letter,
    keep_star,
)
from core.graders.lexical.numerals import canonical, completes

# Numbers as models write them, brought to plain digits: LaTeX, separators, powers of ten.

_MAY_NEED = re.compile(
    r"[\\^×⁰¹²³⁴-⁹½¼¾⅐-⅞]|\d(?:[\s'’_]\d{3}|\{|,\d\d,|\.\d{3}\.|\*\*|e[-+]?\d)|\d\s?[x*·] ?10", re.I
)
_POWER_WORDS = re.compile(r"\bto the (?:power|\w+th\b)", re.I)

_LATEX = (
    (re.compile(r"\\(?:boxed|text|textbf|mathrm|mathbf|operatorname|ce|num)\s*\{"), " {"),
    (re.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}"), r"\1/\2"),
    (re.compile(r"(?<=\d)\{[,.]\}(?=\d)"), ","),
    (re.compile(r"(?<=\d)(?:\\[,;:!> ]|\\thinspace)(?=\d{3}(?!\d))"), ","),
    (re.compile(r"\\(?:times|cdot)\b ?"), "×"),
    (re.compile(r"\^\s*\{\s*\\circ\s*\}|\^\s*\\circ\b|\\(?:degree|circ)\b"), "°"),
    (re.compile(r"\^\s*\{\s*([-+−]?\d+)\s*\}"), r"^\1"),
    (re.compile(r"\\[,;:!> ]|\\quad|~"), " "),
    (re.compile(r"\\(?=[%€£#&_])"), ""),
    (re.compile(r"\\[()\[\]]"), ""),
)
_MATHS = re.compile(r"(?<![\\$\w])\$(?!\$)([^$\n]*?\d[^$\n]*?|\s*\{[^$\n]*)(?<!\\)\$(?![\d$])")
_BRACES = re.compile(r"(?<![\w\\])\{([^{}\n]*)\}")

_GROUPED = (
    re.compile(
        r"(?<![\w.,'])(?:[1-9]\d{0,2})(?:[ \u00a0\u2007\u2009\u202f]\d{3})+(?![\d'])(?!,\d)"
    ),
    re.compile(r"(?<![\w.,])(?:[1-9]\d{0,2})(?:['’]\d{3})+(?!\d)"),
    re.compile(r"(?<![\w.,])(?:[1-9]\d{0,2})(?:_\d{3})+(?![\d_])"),
    re.compile(r"(?<![\w.,])(?:[1-9]\d{0,1})(?:,\d{2})+,\d{3}(?![\d,])"),
    re.compile(r"(?<![\w.,])(?:[1-9]\d{0,2})(?:\.\d{3}){2,}(?![\d.])"),
)
_SEPARATOR = re.compile(r"\D")

_SUPERSCRIPT = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_RAISED = re.compile(r"(?<=10)[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_TEN_WORDS = re.compile(
    r"\b(?:10|ten) to the (?:power (?:of )?(?P<minus>minus |negative |-)?(?P<of>\w+)"
    r"|(?P<th>\w+?)(?:th|rd|nd|st)?(?: power)?)\b",
    re.I,
)
_ORDINAL = dict(zip(ONES, range(20), strict=True)) | {
    word.removesuffix("th").removesuffix("rd"): number for number, word in enumerate(ORDINAL_ONES)
}
_ORDINAL |= {"first": 1, "second": 2, "third": 3}
_POWER = re.compile(
    r"(?<![\w.,^])(?:(?P<times>\d+(?:[.,]\d+)*) ?[×x*·] ?)?(?P<base>\d{1,4}) ?(?:\^|\*\*) ?\(?"
    r"(?P<power>[-+−]?\d{1,2})\)?(?!\d|\.\d)"
    r"|(?<![\w.,])(?P<figures>\d+(?:\.\d+)?)e(?P<exponent>[-+−]?\d{1,2})(?!\w)",
    re.I,
)
_MOST = 20
"""Digits up to which a power is written out; longer ones keep an exponent of ten."""

_VULGAR = re.compile(r"(?:(\d+)\s?)?([½¼¾⅐-⅞])")


def plain_numbers(text: str) -> str:
    """A text with its numbers in digits with commas, whatever typesetting they came in."""
    if _MAY_NEED.search(text):
        text = _drop_latex(text) if "\\" in text or "{" in text else text
        text = _VULGAR.sub(_write_fraction, text)
        for pattern in _GROUPED:
            text = pattern.sub(lambda match: f"{int(_SEPARATOR.sub('', match.group())):,}", text)
        text = _RAISED.sub(lambda match: "^" + match.group().translate(_SUPERSCRIPT), text)
        text = _POWER.sub(_write_power, text)
    if _POWER_WORDS.search(text):
        text = _TEN_WORDS.sub(_write_ten, text)
    return text


def _drop_latex(text: str) -> str:
    for pattern, plain in _LATEX:
        text = pattern.sub(plain, text)
    text = _MATHS.sub(r"\1", text)
    for _ in range(3):
        text = _BRACES.sub(r"\1", text)
    return text.replace("\\$", "$")


def _write_fraction(match: re.Match[str]) -> str:
    """2½ as 2.5, ½ alone as 1/2."""
    part = Fraction(numeric(match[2])).limit_denominator(10)
    if match[1]:
        return f"{int(match[1]) + float(part):.6g}"
    return f"{part.numerator}/{part.denominator}"


def _write_ten(match: re.Match[str]) -> str:
    word = (match["of"] or match["th"]).lower()
    power = int(word) if word.isdigit() else _ORDINAL.get(word)
    if power is None or power > 99:
        return match.group()
    return _write_out(Decimal(1).scaleb(-power if match["minus"] else power))


def _write_power(match: re.Match[str]) -> str:
    if match["figures"]:
        value = Decimal(match["figures"]).scaleb(_integer(match["exponent"]))
        return _write_out(value)
    base, power = int(match["base"]), _integer(match["power"])
    if base == 10:
        times = Decimal((match["times"] or "1").replace(",", ""))
        return _write_out(times.scaleb(power))
    if match["times"] or power < 0 or base**power >= 10**_MOST:
        return match.group()
    return str(base**power)


def _integer(text: str) -> int:
    return int(text.replace("−", "-"))


def _write_out(value: Decimal) -> str:
    """A value in digits, or with an exponent where they would be too many."""
    if abs(value.adjusted()) < _MOST:
        text = f"{value:f}"
        return text if len(text) <= _MOST + 1 else f"{value:e}"
    return f"{value:e}".replace("e+", "e")


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
