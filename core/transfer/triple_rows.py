"""Triples between rows and the database: facts of a subject, a relation and an object."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any

import db.facts
import db.prepared_triples
import db.triples
from core.dataset.answer_types import ANSWER_TYPES, DATE, ENTITY, answer_type_of
from core.dataset.date_words import is_no_day
from core.fact_bench.set_shares import TIERS
from core.project import OpenProject
from core.specs.file_specs import ImportWords
from core.transfer.choice_columns import dict_of, texts_of
from core.transfer.file_formats import (
    POPQA_ALIASES,
    PREPARED_COLUMNS,
    RELATION_NUMBER,
    SIMPLEQA_COLUMNS,
    TRIPLE_NAMES,
)
from core.transfer.import_report import ImportReport
from core.transfer.property_table import PROPERTY_ID
from core.transfer.row_source import RowSource
from core.transfer.row_values import RowError, quote, text, views
from core.vocabulary import Side, Task
from db.facts import Fact
from db.foreign_key_checks import write_unchecked
from db.prepared_triples import PreparedTriple
from db.question_rows import Gold, Question
from db.triples import StoredTriple, TripleRecord

_PLAIN = (
    "subject_id",
    "property_id",
    "object_id",
    "unit",
    "tier",
    "recitation",
    "split",
)
_NO_TEXTS = ("aliases", "choices", "popularity")
_SILENT = {name: "" for name in TRIPLE_NAMES if name not in _NO_TEXTS}
"""The texts of a row that says nothing."""

_TextNames = tuple[tuple[str, str, tuple[str, ...] | None], ...]
_OtherNames = tuple[tuple[str, tuple[str, ...]], ...]

_TIERS = frozenset(("", *TIERS))
_IDS = ("subject_id", "property_id", "object_id")


def parse(row: Mapping[str, Any], set_name: str, relation: str = "") -> StoredTriple:
    """The triple in a row; `relation` is that of a row without, or with its number alone.

    Such a number is the property's. A row without a subject, such as one of SimpleQA, needs no
    relation: it has its question. Raises `RowError`.
    """
    if not row.keys().isdisjoint(SIMPLEQA_COLUMNS[:2]):
        row = _read_simpleqa(row)
    said, others = _read_values(row)
    plain = {name: said[name] for name in _PLAIN}
    for name in _IDS:
        if "/" in plain[name]:
            plain[name] = plain[name].rstrip("/").rpartition("/")[2]
    subject, object_, asked = said["subject"], said["object"], said["question"]
    relation, number = _name_relation(said["relation"], relation)
    relation = relation or text(row, RELATION_NUMBER)
    plain["property_id"] = plain["property_id"] or number
    if not subject and not asked:
        raise RowError("neither subject nor question: one of them is needed")
    if subject and not relation:
        raise RowError("missing: relation")
    if not object_:
        raise RowError("missing: object")
    if plain["tier"] not in _TIERS:
        raise RowError(f"tier is {quote(plain['tier'])}, not one of {', '.join(TIERS)}")
    kind = said["answer_type"] or answer_type_of(plain["property_id"], relation)
    if kind not in ANSWER_TYPES:
        raise RowError(f"answer_type is {quote(kind)}, not one of {', '.join(ANSWER_TYPES)}")
    if kind == DATE and is_no_day(object_):
        raise RowError(f"object is {quote(object_)}, a day that no calendar has")
    choices = texts_of(others.get("choices"), "choices", "\n") or None
    fact = Fact(
        fact_id=said["id"] or id_of(subject, relation, object_, asked),
        page_title=said["page_title"],
        views=views(others.get("popularity"), "popularity"),
        category=said["domain"],
        subject=subject,
        object=object_,
        golds={Side.OBJECT: Gold(object_, _aliases(row, others.get("aliases"), object_))},
        questions={Task.DIRECT: Question(asked)} if asked else {},
    )
    record = TripleRecord(relation=relation, answer_type=kind, choices=choices, **plain)
    return StoredTriple(fact, record, set_name)


def _name_relation(named: str, given: str) -> tuple[str, str]:
    """The relation of a row, by its own name or as given, and the number that it has for a name."""
    if given and PROPERTY_ID.fullmatch(named):
        return given, named
    return named or given, ""


def _read_values(row: Mapping[str, Any]) -> tuple[dict[str, str], dict[str, Any]]:
    """The texts of a row under our names, and its other values. Raises `RowError`."""
    said = dict(_SILENT)
    texts, others = _names_in(tuple(row))
    for ours, first, theirs in texts:
        value = row[first] if theirs is None else _value(row, theirs)
        if type(value) is not str:
            if value is not None:
                said[ours] = text({ours: value}, ours)
        elif value and not value.isspace():
            said[ours] = value
    return said, {ours: _value(row, theirs) for ours, theirs in others}


@lru_cache
def _names_in(keys: tuple[str, ...]) -> tuple[_TextNames, _OtherNames]:
    """Our names of what a row with these keys has, each with its columns: texts, and the rest.

    Of a text its first column, and all where it has several.
    """
    found = [
        (ours, tuple(name for name in theirs if name in keys))
        for ours, theirs in TRIPLE_NAMES.items()
    ]
    filled = [(ours, theirs) for ours, theirs in found if theirs]
    texts = [(ours, one[0], one if len(one) > 1 else None) for ours, one in filled]
    return (
        tuple(one for one in texts if one[0] in _SILENT),
        tuple(one for one in filled if one[0] not in _SILENT),
    )


def _value(row: Mapping[str, Any], names: Sequence[str]) -> Any:
    for name in names:
        value = row[name]
        if value is not None and value != "":
            return value
    return None


def _aliases(row: Mapping[str, Any], value: object, object_: str) -> tuple[str, ...]:
    """The aliases of an object; those of PopQA stand in two columns, each once."""
    if value not in (None, ""):
        return texts_of(value, "aliases", "|")
    found = (one for name in POPQA_ALIASES for one in texts_of(row.get(name), name, "|"))
    return tuple(dict.fromkeys(one for one in found if one != object_))


def _read_simpleqa(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of SimpleQA under our names. Raises `RowError`."""
    said = dict_of(row.get("metadata"), "metadata")
    kind = text(said, "answer_type").casefold()
    return {
        "question": row.get("problem"),
        "object": row.get("answer"),
        "domain": said.get("topic"),
        "answer_type": kind if kind in ANSWER_TYPES else ENTITY,
    }


def id_of(subject: str, relation: str, object_: str, question: str) -> str:
    """The id of a triple that a file gives none."""
    content = "\t".join((subject, relation, object_, question))
    return hashlib.sha256(content.encode()).hexdigest()[:16]


def as_row(triple: StoredTriple) -> dict[str, Any]:
    """A triple under the columns of the format; missing texts are `""`."""
    fact, record = triple.fact, triple.record
    gold = fact.golds[Side.OBJECT]
    asked = fact.questions.get(Task.DIRECT)
    return {
        "id": fact.fact_id,
        "subject": fact.subject,
        "relation": record.relation,
        "object": gold.text,
        "aliases": list(gold.aliases),
        "domain": fact.category,
        "popularity": fact.views,
        "answer_type": record.answer_type,
        "question": asked.text if asked else "",
        "page_title": fact.page_title,
        "choices": None if record.choices is None else list(record.choices),
        **{name: getattr(record, name) for name in _PLAIN},
    }


def as_prepared_row(triple: StoredTriple, said: PreparedTriple | None) -> dict[str, Any]:
    """The same with what preparing its set said of it, None where it was never prepared."""
    row = as_row(triple)
    if said is None:
        return row | dict.fromkeys(PREPARED_COLUMNS)
    return row | {
        "tier": said.tier or row["tier"],
        "prepared_split": said.split or None,
        "subset": said.subset,
        "reason": said.reason or None,
    }


class Triples:
    """Takes the rows of one file, batch by batch."""

    def __init__(
        self, project: OpenProject, source: RowSource, report: ImportReport, words: ImportWords
    ) -> None:
        self._connection = project.connection
        self._report = report
        self._relation = words.relation or ""
        self._asked_set = words.set_name
        self._set = words.set_name or source.path.stem

    def land(self, rows: Iterable[tuple[int, dict[str, Any]]]) -> None:
        """Add the triples that are new, in one transaction; those there must be the same."""
        read = partial(parse, set_name=self._set, relation=self._relation)
        batch = self._report.parse_each(rows, read)
        asked: dict[str, Fact] = {}
        for _, triple in batch:
            asked.setdefault(triple.fact.fact_id, triple.fact)
        with write_unchecked(self._connection):
            added = db.facts.insert_absent(self._connection, asked.values())
            rest = asked.keys() - added.keys()
            there = {one.fact_id: one for one in db.facts.read_facts(self._connection, rest)}
            db.triples.insert(self._connection, self._find_fresh(batch, there), added)

    def _find_fresh(
        self, batch: Sequence[tuple[int, StoredTriple]], facts: Mapping[str, Fact]
    ) -> Iterator[StoredTriple]:
        """The triples that are new; the rest is counted. `facts` are those there, by fact_id."""
        known = {one.fact.fact_id: one for one in db.triples.read_triples(self._connection, facts)}
        for line, triple in batch:
            fact_id = triple.fact.fact_id
            there = known.get(fact_id)
            fact = facts.get(fact_id)
            if there is not None:
                differ = self._find_differing(triple, there)
            else:
                differ = [] if fact is None else find_differing_fact(triple.fact, fact)
            if differ:
                self._report.refuse(
                    line,
                    f"triple {quote(fact_id)} is there with another {', '.join(differ)}: "
                    "the first is kept",
                )
                continue
            self._report.count(there is None)
            if there is None:
                known[fact_id] = triple
                yield triple

    def _find_differing(self, triple: StoredTriple, there: StoredTriple) -> list[str]:
        mine, theirs = as_row(triple), as_row(there)
        found = [name for name, value in mine.items() if value != theirs[name]]
        if "tier" in found and mine["tier"] == self._prepared_tier(mine["id"]):
            found.remove("tier")  # files that were exported here have it
        if self._asked_set is not None and there.set_name != self._asked_set:
            found.append(f"set, {there.set_name}")
        return found

    def _prepared_tier(self, fact_id: str) -> str | None:
        return db.prepared_triples.find_tier(self._connection, fact_id)


def find_differing_fact(fact: Fact, there: Fact) -> list[str]:
    """What a fact says otherwise than one that is no triple yet; silence is no difference."""
    gold, asked = there.golds.get(Side.OBJECT), there.questions.get(Task.DIRECT)
    mine = fact.questions.get(Task.DIRECT)
    pairs = {
        "subject": (fact.subject, there.subject),
        "object": (fact.golds[Side.OBJECT].text, gold.text if gold else ""),
        "domain": (fact.category, there.category),
        "popularity": (fact.views, there.views),
        "page_title": (fact.page_title, there.page_title),
        "question": (mine.text if mine else "", asked.text if asked else ""),
    }
    return [
        name
        for name, (one, other) in pairs.items()
        if one not in ("", None) and other not in ("", None) and one != other
    ]
