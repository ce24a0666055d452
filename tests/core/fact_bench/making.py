"""Triples for tests of FACT-BENCH."""

from typing import Any

from db.prepared_triples import SetTriple

PLAIN: dict[str, Any] = {
    "question": 1,
    "gold": 1,
    "subject": "Ada Birch",
    "subject_id": "",
    "relation": "place of birth",
    "property_id": "",
    "object": "Riga",
    "aliases": (),
    "answer_type": "entity",
    "unit": "",
    "asked": "Where was Ada born?",
    "file_domain": "",
    "popularity": None,
    "page_title": "",
    "recitation": "",
    "file_tier": "",
    "file_split": "",
    "rejected": False,
    "prepared": None,
}


def a_triple(fact: int = 1, **said: Any) -> SetTriple:
    """A triple with a number, and what is said of it; its subject names the number."""
    named = {"subject": f"Ada {fact}", "fact_id": f"t{fact:03}", **said}
    named["file_domain"] = named.pop("domain", "")
    return SetTriple(**(PLAIN | {"fact": fact} | named))
