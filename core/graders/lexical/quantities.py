"""Quantities: numbers with scale words, units and hedges, compared to the last figure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal
from enum import IntEnum

from core.graders.lexical.numerals import CARDINALS
from core.vocabulary import Label

_SCALES = {"hundred": 2, "thousand": 3, "million": 6, "billion": 9, "trillion": 12}
_LETTERS = {"k": 3, "m": 6, "mn": 6, "b": 9, "bn": 9, "t": 12, "tn": 12}
_UNITS: dict[str, tuple[str, Decimal]] = {
    name: (dimension, Decimal(factor))
    for dimension, units in {
        "length": {
            "mm millimetre millimeter": "0.001",
            "cm centimetre centimeter": "0.01",
            "m metre meter": "1",
            "km kilometre kilometer": "1000",
            "in inch inches": "0.0254",
            "ft foot feet": "0.3048",
            "yd yard": "0.9144",
            "mi mile": "1609.344",
        },
        "mass": {
            "mg milligram": "0.000001",
            "g gram gramme": "0.001",
            "kg kilogram kilogramme kilo": "1",
            "tonne": "1000",
            "lb pound": "0.45359237",
            "oz ounce": "0.028349523",
        },
        "time": {
            "second sec": "1",
            "minute min": "60",
            "hour hr": "3600",
            "day": "86400",
            "week": "604800",
            "month": "2629746",
            "year yr": "31556952",
            "decade": "315569520",
            "century centurie": "3155695200",
        },
        "memory": {"kb": "1E3", "mb": "1E6", "gb": "1E9", "tb": "1E12"},
        "share": {"% percent": "1"},
        "celsius": {"°c celsius": "1"},
        "fahrenheit": {"°f fahrenheit": "1"},
    }.items()
    for names, factor in units.items()
    for name in names.split()
}
_MAX_DIGITS = 20
_ENOUGH = Context(prec=100)
_LARGE = "hundred|thousand|million|billion"
_NUMBER_WORD = "|".join([*CARDINALS, _LARGE])
_SPELLED = re.compile(
    rf"\b(?:{'|'.join(CARDINALS)}|a(?= (?:{_LARGE})\b))(?:[ -](?:and )?(?:{_NUMBER_WORD})\b)*"
    r"(?![a-z])"
)
_QUANTITY = re.compile(
    r"(?<![\w.,])(?P<minus>(?<!\d )-(?=[$£€]?\d))?[$£€]? ?"
    r"(?P<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
    rf"(?:(?P<letter>[kmbt]n?)\b|[ -]?(?P<scale>{'|'.join(_SCALES)})\b)?"
    r"(?:[ -]?(?P<unit>%|° ?[cf]\b|[a-z]+))?"
)
_RANGE = re.compile(
    r"(?:about |around |approximately |roughly |some )?(?P<between>between )?(?:from )?"
    r"(?P<low>[$£€]?\d[\d,]*(?:\.\d+)?)(?P<own>[^\d-]*?) ?(?P<to>-|\bto\b|\band\b) ?"
    r"(?P<high>[$£€]?\d[\d,]*(?:\.\d+)?)(?P<unit>\D*)"
)
_HEDGE = re.compile(
    r"(?:(?P<less>less than|fewer than|under|below|at most|up to|no more than|not more than)"
    r"|(?P<more>more than|over|above|at least|exceed\w*|upwards? of|greater than|in excess of)"
    r"|(?P<near>around|about|approximately|approx\.?|roughly|nearly|almost|some|circa|ca?\.|~"
    r"|estimated)) ?(?:the|a|an|as|at|to)? ?[$£€]?$"
)


class Fit(IntEnum):
    """How a quantity stands to the gold one, worst first."""

    DIFFERENT = 0
    VAGUE = 1
    ROUNDED = 2
    SAME = 3


_LABELS = {Fit.VAGUE: Label.OTHER, Fit.ROUNDED: Label.PARTIALLY, Fit.SAME: Label.CORRECT}


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with its unit and its hedge ("more", "less", "near" or none).

    `last` is the power of ten of its last significant figure, if it has two or more;
    `coarse` the same with all final zeros taken as rounding. `start`: where it stands. `figures`:
    its digits and scale word as they are written, numbers in words as digits.
    """

    value: Decimal
    last: int
    coarse: int
    unit: str
    hedge: str
    start: int
    figures: str

    def fit(self, gold: "Quantity", loose: bool) -> Fit:
        """How this quantity stands to the gold one (Calderon et al., boxes D.18 and D.19).

        Equal to the last figure of the gold: SAME. A bound or an approximation that the gold
        may satisfy: VAGUE; but SAME for an approximation of two figures or more which the gold
        rounds to. The question may allow rounding by its words (`loose`), or the gold by its
        own hedge. The gold rounded without saying so: ROUNDED.
        """
        value = self.in_unit_of(gold)
        if value is None:
            return Fit.DIFFERENT
        if self.hedge in ("more", "less"):
            holds = gold.value > value if self.hedge == "more" else gold.value < value
            return Fit.VAGUE if holds else Fit.DIFFERENT
        if _round_to(value, gold.last) == _round_to(gold.value, gold.last):
            return Fit.SAME
        if self.hedge or gold.hedge or loose:
            near = self.coarse > gold.last and _within(value, gold.value, self.coarse)
            figures = value.adjusted() - self.coarse + 1
            return Fit.DIFFERENT if not near else Fit.SAME if figures > 1 else Fit.VAGUE
        rounds = self.last > gold.last and _round_to(gold.value, self.last) == value
        return Fit.ROUNDED if rounds else Fit.DIFFERENT

    @property
    def is_length(self) -> bool:
        """Whether its unit is one of length."""
        return _UNITS.get(self.unit, ("",))[0] == "length"

    def in_unit_of(self, gold: "Quantity") -> Decimal | None:
        """The value in the gold's unit; as it is where a unit is unknown; None if it cannot be."""
        if self.unit == gold.unit or self.unit not in _UNITS or gold.unit not in _UNITS:
            return self.value
        (dimension, factor), (gold_dimension, gold_factor) = _UNITS[self.unit], _UNITS[gold.unit]
        return self.value * factor / gold_factor if dimension == gold_dimension else None


def _round_to(value: Decimal, exponent: int) -> Decimal:
    return value.quantize(Decimal((0, (1,), exponent)), ROUND_HALF_UP, _ENOUGH)


def _within(value: Decimal, gold: Decimal, exponent: int) -> bool:
    return abs(gold - value) * 2 <= Decimal((0, (1,), exponent))


def quantities(text: str, metres: bool = False) -> list[Quantity]:
    """The quantities of a folded lower-case text, in order.

    An "m" right after a number means million; metres if so told, as where the gold is a length.
    """
    text = _SPELLED.sub(_figures, text)
    return [
        _read_quantity(match, text, metres)
        for match in _QUANTITY.finditer(text)
        if len(match["number"]) <= _MAX_DIGITS
    ]


def read_range(text: str) -> tuple[Quantity, Quantity] | None:
    """The ends of a folded lower-case text that is a range (70-85 million), else None."""
    match = _RANGE.fullmatch(text.strip())
    if match is None or (match["to"] == "and") != bool(match["between"]):
        return None
    low, high = (
        quantities(f"{number}{unit}")
        for number, unit in (
            (match["low"], match["own"].rstrip() or match["unit"]),
            (match["high"], match["unit"]),
        )
    )
    if len(low) != 1 or len(high) != 1 or low[0].unit != high[0].unit:
        return None
    return (low[0], high[0]) if low[0].value < high[0].value else None


def lies_within(gold: tuple[Quantity, Quantity], found: Sequence[Quantity]) -> bool:
    """Whether the first quantity of an answer, no bound, lies in a range."""
    if not found or found[0].hedge in ("more", "less"):
        return False
    value = found[0].in_unit_of(gold[1])
    return value is not None and gold[0].value <= value <= gold[1].value


def verdict(gold: Sequence[Quantity], found: Sequence[Quantity], loose: bool) -> Label | None:
    """How the quantities `found` in an answer fit a gold of one or, for a range, two.

    The best of them counts, but a vague one only if it comes first. None: they give another
    number, or there is none.
    """
    if not found:
        return None
    worst = Fit.SAME
    for one in gold:
        fits = [quantity.fit(one, loose) for quantity in found]
        best = max(fits)
        worst = min(worst, best if best != Fit.VAGUE else fits[0])
    return _LABELS.get(worst)


def _read_quantity(match: re.Match[str], text: str, metres: bool) -> Quantity:
    digits = match["number"].replace(",", "")
    letter, unit = match["letter"] or "", (match["unit"] or "").replace(" ", "")
    if metres and letter == "m":
        letter, unit = "", "m"
    scale = _LETTERS.get(letter) or _SCALES.get(match["scale"] or "", 0)
    if unit not in _UNITS:
        unit = unit.removesuffix("s")
    hedge = _HEDGE.search(text[max(0, match.start() - 30) : match.start()])
    value = Decimal(digits).scaleb(scale)
    return Quantity(
        -value if match["minus"] else value,
        _last_figure(digits, scale, 2),
        _last_figure(digits, scale, 1),
        unit,
        (hedge.lastgroup or "") if hedge else "",
        match.start(),
        text[match.start("number") : max(map(match.end, ("number", "letter", "scale")))],
    )


def _last_figure(digits: str, scale: int, figures: int) -> int:
    """The power of ten of the last significant figure of a number with `figures` or more.

    Final zeros of a whole number are no figures; whole numbers below 1,000 without a scale
    word are counts, exact to the unit.
    """
    if "." in digits:
        return scale - len(digits.split(".")[1])
    if not scale and len(digits) < 4:
        return 0
    zeros = len(digits) - len(digits.rstrip("0"))
    return scale + min(zeros, max(len(digits) - figures, 0))


def _figures(match: re.Match[str]) -> str:
    """A number in words as digits."""
    total, part = 0, 0
    for word in re.split(r"[ -]", match.group()):
        if word in CARDINALS:
            part += CARDINALS[word]
        elif word == "hundred":
            part = max(part, 1) * 100
        elif word in _SCALES:
            total += max(part, 1) * 10 ** _SCALES[word]
            part = 0
    return str(total + part)
