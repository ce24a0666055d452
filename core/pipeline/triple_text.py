"""What of a triple is written: its answer as shown, what is said before it, and its unit.

FACT-BENCH, section 2.1 (specificity) and table 6: dates in words, numbers with their unit.
"""

import re
import unicodedata
from functools import lru_cache

from core.dataset.answer_types import DATE, NUMBER
from core.dataset.date_words import date_words
from core.graders.em.number_words import is_number
from core.graders.em.unit_words import spellings_of
from db.prepared_triples import SetTriple


def show_answer(triple: SetTriple) -> str:
    """The answer of a triple as prompts show it."""
    return show_gold(triple, triple.object)


def restate(triple: SetTriple) -> str:
    """A triple as a plain sentence."""
    return f"The {triple.relation} of {triple.subject} is {show_answer(triple)}."


def show_gold(triple: SetTriple, gold: str) -> str:
    """A gold of a triple, or another name of it, as prompts show it."""
    if triple.answer_type == DATE:
        return date_words(gold) or gold
    if triple.answer_type == NUMBER and triple.unit and is_number(gold):
        return f"{gold} {triple.unit}"
    return gold


def names_unit(triple: SetTriple) -> bool:
    """Whether the question names the unit of a number, in any spelling of it."""
    return _unit_in(triple.unit).search(unicodedata.normalize("NFC", triple.asked)) is not None


@lru_cache
def _unit_in(unit: str) -> re.Pattern[str]:
    """Finds a unit as a word; a number may stand before it without a blank."""
    spellings = (re.escape(one).replace(r"\ ", r"\s+") for one in spellings_of(unit))
    return re.compile(rf"(?<![^\W\d_])(?:{'|'.join(spellings)})(?!\w)", re.IGNORECASE)
