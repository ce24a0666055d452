"""Units of quantities: read after a number or before it, and converted.

What a unit measures and how large it is says pint, which is imported when two different units are
compared for the first time. In a unit's name `?` marks a word of which only pint may know whether
it is one (`?bushel`, `?people`).
"""

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from core.graders.lexical.english import FUNCTION_WORDS, MEASURE_WORDS
from core.graders.lexical.unit_spellings import (
    DOUBTFUL,
    EXTRA,
    FRACTIONS,
    LENGTHS,
    MASSES,
    MONEY,
    OTHERS,
    TEMPERATURES,
    TIMES,
    WORDS,
)

if TYPE_CHECKING:
    from pint import UnitRegistry


def _names_by_spelling() -> dict[str, str]:
    found: dict[str, str] = {}
    for table in (LENGTHS, TEMPERATURES, MASSES, TIMES, OTHERS, MONEY):
        for name, spellings in table.items():
            if name.replace("@", "").isalpha():
                found[name.lstrip("@").lower()] = name
            found |= {one: name for one in spellings.split(", ") if one}
    return {"pound": "pound"} | found | {"pound": "pound"}


_NAMES = _names_by_spelling()
_SPELLED = "|".join(re.escape(one) for one in sorted(_NAMES, key=len, reverse=True))
_SIGNS = "|".join(
    re.escape(one)
    for one, name in sorted(_NAMES.items(), key=lambda item: -len(item[0]))
    if name.startswith("@")
    and one not in WORDS
    and (len(one) == 3 or not one.isascii() or "$" in one)
)
MONEY_BEFORE = rf"(?:(?<![a-z])(?:{_SIGNS}|rs\.?)|[$£€])"
"""What may stand before an amount of money, as a part of an expression."""


def _one(group: str) -> str:
    """An expression for one unit; the names of its groups end as told."""
    return (
        rf"(?:(?P<power{group}>square|sq\.?|cubic|cu\.?)[ -]?)?"
        rf"(?P<name{group}>(?:{_SPELLED})(?=e?s?\b|[^a-z]|$))(?:e?s(?![a-z]))?\.?"
        rf"(?P<raised{group}> ?(?:\^|\*\*)?[23](?![\d.,])| squared| cubed)?(?![a-z0-9])"
    )


_PER = r"(?: ?/ ?| per | an? | each |/ )"
_UNIT = re.compile(
    rf"[ -]?{_one('')}"
    rf"(?:{_PER}{_one('_per')}|[ ·*]?(?P<inverse>[a-z]+) ?\^?[-−](?P<degree>[123])(?!\d))?"
)
_PER_UNIT = re.compile(rf"{_PER}{_one('')}")
_WORD = re.compile(r"[ -]?(?P<word>[^\W\d_]{2,})")
_FOLLOWED = re.compile(r" (?!(?:tall|high|long|wide|deep|thick|across|and|or)\b)[a-z]")
_POWERS = {"sq": "**2", "cu": "**3", "2": "**2", "3": "**3", " squared": "**2", " cubed": "**3"}


@dataclass(frozen=True, slots=True)
class UnitScale:
    """What a unit measures, and value * factor + offset in the base units of that."""

    dimension: str
    factor: Decimal
    offset: Decimal = Decimal(0)


def read_unit(text: str, at: int) -> tuple[str, int]:
    """The name of the unit that a folded lower-case text has at a place, and where it ends.

    An empty name where there is none. Of people per square mile it is the second part that counts.
    """
    sign = text[at : at + 1]
    if sign in ("'", '"') and text.count(sign, 0, at) % 2:
        return "", at  # it ends what is quoted
    known = _UNIT.match(text, at)
    if known is not None and not _is_word(known, text):
        return _compose(known), known.end()
    word = _WORD.match(text, at)
    per = _PER_UNIT.match(text, at) or (word and _PER_UNIT.match(text, word.end()))
    if per is not None:
        return f"1/{_power(per, '')}", per.end()
    if word is None:
        return "", at
    name = word["word"]
    if name in FUNCTION_WORDS or known is not None:
        return "", at
    later = _UNIT.match(text, word.end())
    if later is not None and not name.endswith("s") and not _is_word(later, text):
        return _compose(later), later.end()
    if name in MEASURE_WORDS or name.endswith("ly"):
        return "", at
    return "?" + (name[:-1] if name.endswith("s") else name), word.end()


def _is_word(unit: re.Match[str], text: str) -> bool:
    """Whether what may be a unit is a word of the sentence (in 1998, won by)."""
    plain = unit["name"] in WORDS and not unit["name_per"] and not unit["power"]
    return plain and _FOLLOWED.match(text, unit.end()) is not None


def _compose(unit: re.Match[str]) -> str:
    name = _power(unit, "")
    if unit["name_per"]:
        return f"{name}/{_power(unit, '_per')}"
    if unit["inverse"] in _NAMES:
        return f"{name}/{_NAMES[unit['inverse']]}" + _POWERS.get(unit["degree"], "")
    return name


def _power(unit: re.Match[str], group: str) -> str:
    """One unit with its power, as pint writes it."""
    name = _NAMES[unit[f"name{group}"]]
    before = (unit[f"power{group}"] or "")[:2]
    after = (unit[f"raised{group}"] or "").lstrip("^* ")
    return name + (_POWERS.get(before) or _POWERS.get(after) or _POWERS.get(f" {after}") or "")


def money_before(sign: str) -> str:
    """The currency that a sign or code before a number names."""
    return _NAMES.get(sign, "") or _NAMES.get(sign.rstrip("."), "")


def is_length(unit: str) -> bool:
    """Whether a unit is one of length."""
    return unit in LENGTHS


def is_mass(unit: str) -> bool:
    """Whether a unit is one of mass."""
    return unit in MASSES


def is_temperature(unit: str) -> bool:
    """Whether a unit is one of temperature."""
    return unit in TEMPERATURES


def convert(value: Decimal, unit: str, into: str) -> Decimal | None:
    """A value in another unit; None where it has none there: another dimension, or none known.

    Without a unit on either side, and between two words that pint knows neither of (people,
    inhabitants), it stays as it is. A sum of money may leave out what it is for (a year).
    """
    if unit[:1] == into[:1] == "@" and ("/" in unit) != ("/" in into):
        unit, into = unit.partition("/")[0], into.partition("/")[0]
    if not unit or not into or unit == into or _may_be_same(unit, into):
        return value
    mine, its = measure(unit), measure(into)
    if mine is None and its is None:
        return value
    if mine is None or its is None or not _agree(mine.dimension, its.dimension):
        return None
    return (value * mine.factor + mine.offset - its.offset) / its.factor


def _may_be_same(one: str, other: str) -> bool:
    if other in DOUBTFUL.get(one, ()) or one in DOUBTFUL.get(other, ()):
        return True
    return one.startswith("@") and _agree(one, other)


_COUNTRY = re.compile(r"(@[a-z]+)_[a-z]+")


def _agree(one: str, other: str) -> bool:
    """Whether two dimensions are one: any dollar may be an American one."""
    if one == other:
        return True
    plain, its = _COUNTRY.sub(r"\1", one), _COUNTRY.sub(r"\1", other)
    return plain == its and (plain == one or its == other)


@lru_cache(maxsize=4096)
def measure(unit: str) -> UnitScale | None:
    """What a unit measures and how large it is; None for a word that is no unit."""
    if unit.startswith("@"):
        money, per, rest = unit.partition("/")
        whole, parts = FRACTIONS.get(money, (money, 1))
        below = measure(f"1/{rest}") if per else UnitScale("", Decimal(1))
        return below and UnitScale(f"{whole} {below.dimension}", below.factor / parts)
    registry = _load_registry()
    if unit.startswith("?"):
        unit = unit[1:]
        if not any(
            unit.startswith(prefix) and len(unit) - len(prefix) > 2
            for prefix, _, _ in registry.parse_unit_name(unit)
        ):
            return None
    quantity = registry.parse_expression(unit)
    one = registry.Quantity(quantity.magnitude, quantity.units).to_root_units()
    zero = registry.Quantity(0.0, quantity.units).to_root_units()
    factor, offset = one.magnitude - zero.magnitude, zero.magnitude
    return UnitScale(str(one.units), Decimal(f"{factor:.12g}"), Decimal(f"{offset:.12g}"))


@cache
def _load_registry() -> "UnitRegistry[float]":
    import pint

    registry: UnitRegistry[float] = pint.UnitRegistry(autoconvert_offset_to_baseunit=True)
    for line in EXTRA:
        registry.define(line)
    return registry
