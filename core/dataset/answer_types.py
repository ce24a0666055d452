"""What kind of answer a property has: a date, a number, or else an entity.

FACT-BENCH, appendix D, tables 14 to 16: `properties.csv` has those of its properties that the text
of the paper names, by name and Wikidata's number, with the type of their answers.
"""

import csv
from collections.abc import Container, Mapping
from functools import cache
from pathlib import Path

from core.dataset.seeded_order import key_of

ENTITY, DATE, NUMBER = "entity", "date", "number"
ANSWER_TYPES = (ENTITY, DATE, NUMBER)

_FILE = Path(__file__).with_name("properties.csv")


@cache
def paper_properties() -> Mapping[str, str]:
    """The type of the answers of each property of the paper, by number and by name (as keys)."""
    with _FILE.open(encoding="utf-8", newline="") as lines:
        return {
            key_of(row[name]): row["answer_type"]
            for row in csv.DictReader(lines)
            for name in ("property_id", "property")
        }


def answer_type_of(property_id: str, relation: str) -> str:
    """The type of the answers of a property, by its number, else by its name."""
    known = paper_properties()
    return known.get(key_of(property_id)) or known.get(key_of(relation), ENTITY)


def is_listed(property_id: str, relation: str, listed: Container[str] | None = None) -> bool:
    """Whether number or name of a property stand in a list of keys, by default the paper's."""
    known = paper_properties() if listed is None else listed
    return any(key_of(name) in known for name in (property_id, relation) if name)
