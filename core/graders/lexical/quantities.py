"""Quantities: numbers with scale words, units and hedges, compared to the last figure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal
from enum import IntEnum

from core.graders.lexical import units
from core.graders.lexical.numerals import CARDINALS
from core.graders.lexical.shares import find_shares, only_share
from core.vocabulary import Label

_SCALES = {"hundred": 2, "thousand": 3, "million": 6, "billion": 9, "trillion": 12}
_SCALES |= {"lakh": 5, "crore": 7, "quadrillion": 15}
_LETTERS = {"k": 3, "m": 6, "mn": 6, "mln": 6, "mio": 6, "b": 9, "bn": 9, "t": 12, "tn": 12}
_MAX_DIGITS = 20
_ENOUGH = Context(prec=400)
_NEAR = Decimal("0.01")
"""Part of the gold by which the same amount, in another unit and rounded there, may differ."""

_LARGE = "hundred|thousand|million|billion"
_NUMBER_WORD = "|".join([*CARDINALS, _LARGE])
_SPELLED = re.compile(
    rf"\b(?:{'|'.join(CARDINALS)}|a(?= (?:{_LARGE})\b))(?:[ -](?:and )?(?:{_NUMBER_WORD})\b)*"
    r"(?![a-z])"
)
_MONEY = units.MONEY_BEFORE
_NUMBER = r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
_QUANTITY = re.compile(
    rf"(?<![\w.,])(?P<minus>(?<!\d )-(?={_MONEY}? ?[\d.]))?(?P<money>{_MONEY})? ?-?"
    rf"(?P<number>{_NUMBER}(?:e-?\d{{1,2}}\b)?)"
    rf"(?:(?P<letter>[kmbt]n?)\b| (?P<short>mn|mln|mio|bn|tn)\b"
    rf"|[ -]?(?P<scale>{'|'.join(_SCALES)})s?\b)?"
)
_RANGE = re.compile(
    r"(?:about |around |approximately |roughly |some )?(?P<between>between )?(?:from )?"
    rf"(?P<low>{_MONEY}? ?\d[\d,]*(?:\.\d+)?)(?P<own>[^\d-]*?) ?(?P<to>-|\bto\b|\band\b) ?"
    rf"(?P<high>{_MONEY}? ?\d[\d,]*(?:\.\d+)?)(?P<unit>\D*)"
)
_HEDGE = re.compile(
    r"(?:(?P<less>less than|fewer than|under|below|at most|up to|no more than|not more than)"
    r"|(?P<more>more than|over|above|at least|exceed\w*|upwards? of|greater than|in excess of)"
    r"|(?P<near>around|about|approximately|approx\.?|roughly|nearly|almost|some|circa|ca?\.|~"
    rf"|estimated)) ?(?:the|a|an|as|at|to)? ?(?:{_MONEY})?$"
)
_MINUS = re.compile(r"\b(?:minus|negative) (?=[\d.])")
_CLOCK = re.compile(r"(?<![\d:.])(?:(\d{1,3}):([0-5]\d):|(\d{1,3}):)([0-5]\d(?:\.\d+)?)(?![\d:])")
_FEET = re.compile(r"(?<![\w.,])(\d{1,3}) ?' ?(\d{1,2}(?:\.\d+)?)(?: ?(?:\"|''))?(?!\d)")
_DOZEN = re.compile(
    r"(?<![\w.,])(?:(\d{1,6}|an?|half a) )?dozens?\b(?! of (?:\w+ )?(?:other|more))"
)
_AND_PART = re.compile(
    r"(?<![\w.,])(\d{1,6})(?: and (?:(?:an?|1|one) )?(half|quarter|third)"
    r"|[ -](\d{1,2})/(\d{1,2}))\b"
)
_PART = {"half": "0.5", "quarter": "0.25", "third": "0.333"}
_SMALLER = {
    ("foot", "inch"): 12,
    ("yard", "foot"): 3,
    ("mile", "yard"): 1760,
    ("stone", "pound"): 14,
    ("pound", "ounce"): 16,
    ("metre", "centimetre"): 100,
    ("kilometre", "metre"): 1000,
    ("kilogram", "gram"): 1000,
    ("year", "month"): 12,
    ("week", "day"): 7,
    ("day", "hour"): 24,
    ("hour", "minute"): 60,
    ("minute", "second"): 60,
    ("@dollar", "@cent"): 100,
    ("@pound", "@penny"): 100,
    ("pound", "@penny"): 100,
}
"""Pairs of units in which one amount is told (6 ft 1 in), and how many of the second make one."""

_JOINT = re.compile(r"[\s,]*(?:and )?")


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
    `coarse` the same with all final zeros taken as rounding. `start`, `end`: where it stands.
    `figures`: its digits and scale word as they are written, numbers in words as digits.
    """

    value: Decimal
    last: int
    coarse: int
    unit: str
    hedge: str
    start: int
    end: int
    figures: str

    def fit(self, gold: "Quantity", loose: bool) -> Fit:
        """How this quantity stands to the gold one (Calderon et al., boxes D.18 and D.19).

        Equal to the last figure of the gold: SAME, also in another unit to the last figure there.
        A bound or an approximation that the gold may satisfy: VAGUE; but SAME for an approximation
        of two figures or more which the gold rounds to. The question may allow rounding by its
        words (`loose`), or the gold by its own hedge. The gold rounded without saying so: ROUNDED.
        """
        value = self.in_unit_of(gold)
        if value is None:
            return Fit.DIFFERENT
        if self.hedge in ("more", "less"):
            holds = gold.value > value if self.hedge == "more" else gold.value < value
            return Fit.VAGUE if holds else Fit.DIFFERENT
        if _round_to(value, gold.last) == _round_to(gold.value, gold.last):
            return Fit.SAME
        if value != self.value and self._is_converted(value, gold):
            return Fit.SAME
        if self.hedge or gold.hedge or loose:
            near = self.coarse > gold.last and _within(value, gold.value, self.coarse)
            figures = value.adjusted() - self.coarse + 1
            return Fit.DIFFERENT if not near else Fit.SAME if figures > 1 else Fit.VAGUE
        rounds = self.last > gold.last and _round_to(gold.value, self.last) == value
        return Fit.ROUNDED if rounds else Fit.DIFFERENT

    def _is_converted(self, value: Decimal, gold: "Quantity") -> bool:
        """Whether the gold, in this unit, rounds to this value, which is `value` in the gold's."""
        if abs(value - gold.value) > _NEAR * abs(gold.value):
            return False
        back = gold.in_unit_of(self)
        return back is not None and _round_to(back, self.last) == _round_to(self.value, self.last)

    def in_unit_of(self, gold: "Quantity") -> Decimal | None:
        """The value in the gold's unit; as it is where a unit is missing; None if it cannot be."""
        return units.convert(self.value, self.unit, gold.unit)


def _round_to(value: Decimal, exponent: int) -> Decimal:
    return value.quantize(Decimal((0, (1,), exponent)), ROUND_HALF_UP, _ENOUGH)


def _within(value: Decimal, gold: Decimal, exponent: int) -> bool:
    return abs(gold - value) * 2 <= Decimal((0, (1,), exponent))


_MAY_HAVE = re.compile(rf"\d|\b(?:{'|'.join([*CARDINALS, *_SCALES])}|dozen|half|an? [a-z]+)s?\b")


def may_have_number(text: str) -> bool:
    """Whether a lower-case text has a digit or a word for a number."""
    return _MAY_HAVE.search(text) is not None


def spell_out(text: str) -> str:
    """A folded lower-case text with numbers in words, clock times and the like in digits."""
    text = _SPELLED.sub(_figures, text)
    text = _MINUS.sub("-", text)
    if ":" in text:
        text = _CLOCK.sub(_seconds, text)
    if "'" in text:
        text = _FEET.sub(r"\1 ft \2 in", text)
    if "dozen" in text:
        text = _DOZEN.sub(_dozens, text)
    text = _ONE_UNIT.sub("1 ", text)
    text = _UNIT_AND_HALF.sub(_add_half, text)
    return _AND_PART.sub(_add_part, text)


_ONE_UNIT = re.compile(
    r"(?:^|(?<=\babout )|(?<=\bis )|(?<=\bwas )|(?<=\bfor )|(?<=\btakes )|(?<=\btook )"
    r"|(?<=\blasts )|(?<=\blasted )|(?<=\bthan )|(?<=\bonly )|(?<=\bjust )|(?<=\balmost )"
    r"|(?<=\bin )|(?<=\bnearly ))an? (?=(?:second|minute|hour|day|week|month|year|decade|century|"
    r"millennium|inch|foot|yard|mile|metre|meter|kilomet(?:re|er)|gram|kilogram|kilo|pound|ounce|"
    r"ton|tonne|litre|liter|gallon|pint|acre|hectare|dollar|euro)\b)"
)
_UNIT_AND_HALF = re.compile(r"\b(\d{1,6}) ([a-z]+) and (?:an?|1) (half|quarter)\b")


def quantities(text: str, beside: str = "") -> list[Quantity]:
    """The quantities of a folded lower-case text, in order; `beside`: the gold's unit.

    An "m" right after a number means million, but metres where the gold is a length, and so with
    "t" and "k". Where the gold is a share, shares in other words are read as well.
    """
    text = spell_out(text)
    found = [
        _read_quantity(match, text, beside)
        for match in _QUANTITY.finditer(text)
        if len(match["number"]) <= _MAX_DIGITS
    ]
    found = _join(found, text)
    if beside != "percent":
        return found
    shares = [_share(*one, text) for one in find_shares(text)]
    plain = [
        one
        for one in found
        if not any(share.start <= one.start < share.end and not one.unit for share in shares)
        or "." in one.figures
    ]
    return sorted(plain + shares, key=lambda one: one.start)


def share_of(text: str) -> Quantity | None:
    """The share that a folded lower-case text is, in other words than percent, else None."""
    text = spell_out(text)
    found = only_share(text)
    return None if found is None else _share(*found, text)


def _share(percent: float, start: int, end: int, text: str) -> Quantity:
    """A share told otherwise than in percent; exact to the digits it has, a fraction to one."""
    figures = text[start:end]
    last = 2 - len(figures.partition(".")[2]) if "." in figures else 0
    hedge = _find_hedge(text, start)
    value = Decimal(f"{percent:.10g}")
    return Quantity(value, last, max(last, 1), "percent", hedge, start, end, figures)


def _join(found: list[Quantity], text: str) -> list[Quantity]:
    """Quantities of which two that are one amount are one (6 ft 1 in, 2 h 35 min)."""
    joint: list[Quantity] = []
    for one in found:
        before = joint[-1] if joint else None
        if before is not None and before.value >= 0 and not before.hedge.startswith("less"):
            unit = one.unit
            if before.unit == "foot" and not unit and one.value < 12:
                unit = "inch"
            if before.unit == "hour" and unit == "metre":
                unit = "minute"
            many = _SMALLER.get((before.unit, unit))
            if many and one.value < many and _JOINT.fullmatch(text, before.end, one.start):
                value = before.value * many + one.value
                figures = text[before.start : one.end]
                hedge, start = before.hedge, before.start
                joint[-1] = Quantity(
                    value, one.last, one.coarse, unit, hedge, start, one.end, figures
                )
                continue
        joint.append(one)
    return joint


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


_LETTER_UNITS = {"m": ("metre", units.is_length), "k": ("kelvin", units.is_temperature)}
_LETTER_UNITS |= {"t": ("tonne", units.is_mass)}


def _read_quantity(match: re.Match[str], text: str, beside: str) -> Quantity:
    digits, _, power = match["number"].replace(",", "").partition("e")
    letter, end = match["letter"] or match["short"] or "", match.end()
    meant, goes = _LETTER_UNITS.get(letter, ("", None))
    scale = _LETTERS.get(letter) or _SCALES.get(match["scale"] or "", 0)
    if goes is not None and goes(beside):
        unit, scale = meant, 0
    else:
        unit, end = units.read_unit(text, end)
    money = units.money_before(match["money"] or "")
    if money:
        if unit == "metre":
            scale = 6
        unit = _with_money(money, unit)
    scale += int(power or 0)
    value = Decimal(digits).scaleb(scale, _ENOUGH)
    return Quantity(
        -value if match["minus"] else value,
        _last_figure(digits, scale, 2),
        _last_figure(digits, scale, 1),
        unit,
        _find_hedge(text, match.start()),
        match.start(),
        end,
        text[match.start("number") : max(map(match.end, ("number", "letter", "short", "scale")))],
    )


def _with_money(money: str, unit: str) -> str:
    """The unit of an amount with a currency before it and perhaps a unit after it."""
    if unit.startswith("@"):
        return unit if unit.startswith(money) else money
    return money + unit[unit.index("/") :] if unit.startswith("1/") else money


def _find_hedge(text: str, start: int) -> str:
    hedge = _HEDGE.search(text[max(0, start - 30) : start])
    return (hedge.lastgroup or "") if hedge else ""


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


def _seconds(match: re.Match[str]) -> str:
    """A time of h:mm:ss, or of m:ss with hundredths, in seconds; 3:43 alone stays."""
    if match[1]:
        return f"{3600 * int(match[1]) + 60 * int(match[2]) + Decimal(match[4]):f} seconds"
    if "." not in match[4]:
        return match.group()
    return f"{60 * int(match[3]) + Decimal(match[4]):f} seconds"


def _add_half(match: re.Match[str]) -> str:
    return f"{Decimal(match[1]) + Decimal(_PART[match[3]])} {match[2]}"


def _dozens(match: re.Match[str]) -> str:
    if match[1] is None:
        return match.group()
    return "6" if match[1] == "half a" else str(12 * (int(match[1]) if match[1].isdigit() else 1))


def _add_part(match: re.Match[str]) -> str:
    """One and a half, 2 1/2, as a decimal."""
    if match[2]:
        return f"{Decimal(match[1]) + Decimal(_PART[match[2]])}"
    below = int(match[4])
    if not int(match[3]) < below:
        return match.group()
    return f"{int(match[1]) + int(match[3]) / below:.4g}"
