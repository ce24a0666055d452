"""Numbers as models write them, brought to plain digits: LaTeX, separators, powers of ten."""

import re
from decimal import Decimal
from fractions import Fraction
from unicodedata import numeric

from core.graders.lexical.english import ONES, ORDINAL_ONES

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
