"""Units after numbers: every spelling of one becomes the same word.

FACT-BENCH, table 6 (units of number answers); the spellings beyond it are ours.
"""

import re
from collections.abc import Mapping

SPELLINGS: Mapping[str, tuple[str, ...]] = {
    "metre": ("m", "meter", "meters", "metre", "metres"),
    "kilometre": ("km", "kilometer", "kilometers", "kilometre", "kilometres"),
    "centimetre": ("cm", "centimeter", "centimeters", "centimetre", "centimetres"),
    "millimetre": ("mm", "millimeter", "millimeters", "millimetre", "millimetres"),
    "square kilometre": (
        *("km²", "km2", "km^2", "sq km", "square km", "square kilometer"),
        *("square kilometers", "square kilometre", "square kilometres"),
    ),
    "degree celsius": (
        *("°c", "° c", "celsius", "degree celsius", "degrees celsius", "degrees c"),
    ),
    "kilogram": ("kg", "kilogram", "kilograms", "kilogramme", "kilogrammes"),
    "gram": ("g", "gram", "grams", "gramme", "grammes"),
    "tonne": ("t", "tonne", "tonnes", "metric ton", "metric tons"),
}
"""Each unit with all its spellings, in lower case."""

_UNIT_OF = {spelling: unit for unit, found in SPELLINGS.items() for spelling in found}

KNOWN = "|".join(re.escape(one) for one in sorted(_UNIT_OF, key=len, reverse=True))
"""Every spelling as a part of an expression, the longest first."""


def spellings_of(unit: str) -> tuple[str, ...]:
    """The spellings of a unit, in lower case; of one that is not in the table with and without
    `s`."""
    name = " ".join(unit.casefold().split())
    known = _UNIT_OF.get(name)
    if known is not None:
        return SPELLINGS[known]
    return (name, name.removesuffix("s") if name.endswith("s") else f"{name}s")


def word_of(unit: str) -> str:
    """The one word that stands for a unit in a normal form: nothing else is spelled so."""
    name = " ".join(unit.casefold().split())
    return "μ" + "".join(char for char in _UNIT_OF.get(name, name.removesuffix("s")) if char != " ")
