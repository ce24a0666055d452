"""Small files in the forms in which the papers' data are published, and models that answer them."""

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from core.vocabulary import ENCODING, TASKS
from tests.core.grading import obedient
from tests.fakes.openai_server import FakeOpenAI
from tests.fakes.score_servers import FakeVllm, Route
from tests.fakes.toy_model import CAPITALS, WORDS, ToyModel

TYPES = ("PERSON", "DATE", "LOCATION", "WORK_OF_ART")
CATEGORIES = ("People", "History", "Arts")
FACTS, TRAIN, ASKED = 12, 205, 2
RELATIONS = ("capital", "birth year")
PROPERTIES = {"place of birth": "P19", "date of birth": "P569", "mass": "P2067"}
PER_PROPERTY = 80


def write_rows(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write rows as CSV or JSONL, by the file's ending."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        if path.suffix == ".jsonl":
            file.writelines(json.dumps(row) + "\n" for row in rows)
        else:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)


def write_wikiprofile(folder: Path) -> None:
    """`wikiprofile.csv`, in the columns of google/WikiProfile and the years of the pages."""
    write_rows(folder / "wikiprofile.csv", [_wikiprofile_row(n) for n in range(FACTS)])


def _wikiprofile_row(n: int) -> dict[str, Any]:
    subject, gold = f"Subject{n:02}", f"Object{n:02}"
    choices = {
        side: json.dumps([name, *(f"{name}x{at}" for at in range(3))])
        for side, name in (("direct", gold), ("reverse", subject))
    }
    questions = {
        str(task): f"{task.replace('_', ' ')}: {gold if task.startswith('reverse') else subject}?"
        for task in TASKS
        if not task.is_choice and task not in ENCODING
    }
    return {
        "fact_id": f"{n}__0",
        "page_title": subject,
        "item_id": f"Q{n}",
        "gbc": 10 ** (n % 6 + 1) + n,
        "category": CATEGORIES[n % len(CATEGORIES)],
        "subject": subject,
        "object": gold,
        "subject_type": TYPES[n % len(TYPES)],
        "object_type": TYPES[n // 6],
        "completion": f"Of {subject} it is known that it is",
        "contextual": f"It is known. What is {subject}?",
        "direct_answer": gold,
        "direct_choices": choices["direct"],
        "reverse_answer": subject,
        "reverse_choices": choices["reverse"],
        "page_created": 2001 + n % 5,
        **questions,
    }


def write_relations(folder: Path) -> None:
    """`trex-mc/` with a file a relation, `nobel.csv`, `templates.csv`, `models.csv`."""
    for relation in RELATIONS:
        rows = _relation_rows(relation)
        write_rows(folder / "trex-mc" / f"{relation.replace(' ', '_')}.csv", rows)
    laureates = [
        {
            "subject": row["Subject"],
            "relation": "born in",
            "object": row["Object"],
            "split": row["split"],
        }
        for row in _relation_rows("birth year")[:-1]
    ]
    write_rows(folder / "nobel.csv", laureates)
    templates = [
        {"relation": relation, "name": f"{kind}-{n}", "kind": kind, "template": f"{template} {n}"}
        for relation in RELATIONS
        for kind, template in (("hgp", "{subject} is one"), ("mmp", "{subject} and liberal"))
        for n in (1, 2, 3)
    ]
    write_rows(folder / "templates.csv", templates)
    write_rows(
        folder / "models.csv",
        [
            {"model": "llama2-7b", "family": "Llama2", "parameters": 7e9, "base": ""},
            {"model": "llama2-13b", "family": "Llama2", "parameters": 13e9, "base": ""},
            {"model": "llama2-7b-chat", "family": "Llama2", "parameters": 7e9, "base": "llama2-7b"},
            {"model": "pythia-1b", "family": "Pythia", "parameters": 1e9, "base": ""},
        ],
    )


def _relation_rows(relation: str) -> list[dict[str, Any]]:
    head = relation[0].upper()
    return [
        {
            "Relation_ID": f"P{RELATIONS.index(relation) + 1}",
            "Subject": f"{head}s{n:03}",
            "Object": _object_of(relation, n),
            "split": "train" if n < TRAIN else "test",
        }
        for n in range(TRAIN + ASKED)
    ]


def _object_of(relation: str, n: int) -> str:
    return f"Town{n % 120:03}" if relation == "capital" else str(1850 + n % 120)


def write_triples(folder: Path) -> None:
    """`facts.csv`, triples with their popularity, and `pages.jsonl`, the page of each subject."""
    rows, pages = [], []
    for relation, number in PROPERTIES.items():
        for n in range(PER_PROPERTY):
            subject = f"{relation.split()[0]} subject {n}"
            gold, unit = _gold_of(relation, n)
            rows.append(
                {
                    "id": f"{number}-{n}",
                    "subject": subject,
                    "relation": relation,
                    "object": gold,
                    "domain": ("films", "towns")[n % 2],
                    "popularity": 10 * n + 1,
                    "question": f"What is the {relation} of {subject}{unit and ', in kilograms'}?",
                    "property_id": number,
                    "page_title": subject,
                    "unit": unit,
                }
            )
            text = f"{subject} is on record. Its {relation} is {gold} {unit}".strip() + "."
            pages.append({"id": subject, "title": subject, "text": f"{text} There is more of it."})
    write_rows(folder / "facts.csv", rows)
    write_rows(folder / "pages.jsonl", pages)


def _gold_of(relation: str, n: int) -> tuple[str, str]:
    if relation == "mass":
        return str(100 + n), "kilogram"
    if relation == "date of birth":
        return f"19{n + 10}-03-{n % 28 + 1:02}", ""
    return f"Village{n:02}", ""


class Answering(FakeOpenAI):
    """A server whose models know some of the facts, and grade what they are shown honestly."""

    def __init__(self, golds: Mapping[str, str]) -> None:
        super().__init__()
        self.golds = {name: golds[name] for name in sorted(golds, key=len, reverse=True)}
        self.says = self._say

    def normal(self, body: dict[str, Any]) -> dict[str, Any]:
        """The answers; those of some models come after reasoning, unless it is switched off."""
        document = super().normal(body)
        reasons = str(body.get("model")).startswith(("gpt-5", "gemini"))
        if reasons and "messages" in body and body.get("reasoning_effort") != "none":
            document["usage"]["completion_tokens_details"] = {"reasoning_tokens": 40}
        return document

    def _say(self, prompt: str, number: int) -> str:
        graded = obedient.said(prompt)
        if graded != "145":
            return graded
        asked = prompt.rpartition("Question:")[2]
        named = next((name for name in self.golds if name in asked), None)
        if named is None:
            return f"answer {number}"
        right = (1, 4, 6, 8)[sum(named.encode()) % 4]
        return self.golds[named] if number % 8 < right else "Nobody"


class WordModel(ToyModel):
    """The toy model with a vocabulary of a thousand words, in which a piece is looked up."""

    @cached_property
    def pieces(self) -> Mapping[bytes, int]:
        """The ids of all pieces, in the order of their length, the longest first."""
        found = {piece: at for at, piece in enumerate(self.vocabulary) if piece}
        return dict(sorted(found.items(), key=lambda pair: -len(pair[0])))

    @cached_property
    def lengths(self) -> Sequence[int]:
        """How long a piece can be, the longest first."""
        return list(dict.fromkeys(map(len, self.pieces)))

    def tokenize(self, text: str) -> list[int]:
        """The longest pieces first."""
        rest, found = text.encode(), list[int]()
        while rest:
            piece = next(rest[:most] for most in self.lengths if rest[:most] in self.pieces)
            found.append(self.pieces[piece])
            rest = rest[len(piece) :]
        return found


class Scoring(FakeVllm):
    """A server whose models know the objects of three subjects in four, and that answers chats."""

    def __init__(self, knows: Mapping[str, str]) -> None:
        words = (*WORDS, *sorted({*knows.values(), *knows, *(f" {name}" for name in knows)}))
        some = {name: gold for n, (name, gold) in enumerate(knows.items()) if n % 4}
        super().__init__(WordModel(knows=CAPITALS | some, words=words))
        self.context = 10_000

    def routes(self) -> Iterator[Route]:
        yield from super().routes()
        yield "POST", "/v1/chat/completions", True, self.answered


def make_wikiprofile(folder: Path) -> Answering:
    """The files of the page of WikiProfile, and models that know some of it."""
    write_wikiprofile(folder)
    golds = {f"Subject{n:02}": f"Object{n:02}" for n in range(FACTS)}
    return Answering(golds | {f"Object{n:02}": f"Subject{n:02}" for n in range(FACTS)})


def make_zp_lke(folder: Path) -> Scoring:
    """The files of the page of ZP-LKE, and models that know some of it."""
    write_relations(folder)
    rows = (row for relation in RELATIONS for row in _relation_rows(relation))
    return Scoring({row["Subject"]: f" {row['Object']}" for row in rows})


def make_fact_bench(folder: Path) -> Answering:
    """The files of the page of FACT-BENCH, and models that know some of it."""
    write_triples(folder)
    return Answering(
        {
            f"{relation.split()[0]} subject {n}": _gold_of(relation, n)[0]
            for relation in PROPERTIES
            for n in range(PER_PROPERTY)
        }
    )
