"""A project with triples, a dozen arms of three models, a judge, and exemplars as sent."""

import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import db.arms
from core.fact_bench.arm_prompts import QUESTION, AnsweredQuestion, write_prompt
from core.fact_bench.bench_evidence import keep_all_scores
from core.fact_bench.set_preparation import DEFAULT
from core.fact_bench.stored_sets import prepare_set
from core.modes import parse_mode
from core.project import OpenProject
from core.vocabulary import Label
from db.arms import StoredArm, StoredExemplar
from db.connection import write_transaction
from db.prepared_triples import Preparation
from tests.tui.sample import sample_project
from tests.tui.screens.latent.making import put_rows

SET = "laureates"
PEOPLE = (
    ("Lise Meitner", "1878-11-07", "Vienna"),
    ("Max Born", "1882-12-11", "Wroclaw"),
    ("Hideki Yukawa", "1907-01-23", "Tokyo"),
    ("Selma Lagerlöf", "1858-11-20", "Mårbacka"),
    ("Knut Hamsun", "1859-08-04", "Lom"),
    ("Jane Addams", "1860-09-06", "Cedarville"),
    ("Robert Koch", "1843-12-11", "Clausthal"),
    ("Emil Fischer", "1852-10-09", "Euskirchen"),
    ("Aage Bohr", "1922-06-19", "Copenhagen"),
    ("Barbara McClintock", "1902-06-16", "Hartford"),
    ("Marie Curie", "1867-11-07", "Warsaw"),
    ("Chien-Shiung Wu", "1912-05-31", "Liuhe"),
)
PEAKS = (("Elbrus", "5642"), ("Aoraki", "3724"), ("Triglav", "2864"), ("Rysy", "2501"))
SKILLS = {"gemini-2.5-pro": 0.68, "gemma3-27b": 0.5, "gemma3-4b": 0.22}
ARMS = {
    "gemini-2.5-pro": {"zero-shot": 0.0, "10-shot": 0.08, "10-shot:shuffle": -0.02, "reading": 0.3},
    "gemma3-27b": {
        "zero-shot": -0.1,
        "10-shot": 0.0,
        "10-shot:shuffle": -0.35,
        "10-shot:known": 0.02,
        "recite-10-shot": -0.02,
    },
    "gemma3-4b": {"10-shot": 0.0},
}
"""By how much a mode is better than its model."""

SENT = "gemma3-27b#10-shot:shuffle"
"""The arm whose exemplars are known."""

WORDS = (
    *("date of birth", "place of birth", "elevation above sea level"),
    *("science", "literature", "nature", SET),
    *(text for name, _, place in PEOPLE for text in (name, place)),
)
"""What the triples are made of, beside names."""


def bench_project(path: Path) -> Path:
    """Make it: 28 triples of three properties, prepared, with answers of ten arms."""
    path.write_bytes(_made())
    return path


@cache
def _made() -> bytes:
    with TemporaryDirectory() as folder:
        path = sample_project(Path(folder) / "sample.db")
        with OpenProject(path, "write") as project:
            rows = list(_triples())
            put_rows(project, "triples", rows, SET)
            prepare_set(project, SET, Preparation(filters=DEFAULT.filters, train=0.25))
            put_rows(project, "responses", list(_answers(rows)))
            _put_exemplars(project)
            keep_all_scores(project)
        return path.read_bytes()


def _triples() -> Iterator[dict[str, Any]]:
    for at, (name, born, place) in enumerate(PEOPLE):
        domain = "literature" if name in ("Selma Lagerlöf", "Knut Hamsun") else "science"
        shared = {"subject": name, "domain": domain, "popularity": 100 + 37 * at}
        date = {"relation": "date of birth", "property_id": "P569", "object": born}
        yield shared | date | {"question": f"When was {name} born?", "id": f"born-{at}"}
        town = {"relation": "place of birth", "property_id": "P19", "object": place}
        yield shared | town | {"question": f"Where was {name} born?", "id": f"place-{at}"}
    for at, (name, height) in enumerate(PEAKS):
        yield {
            "id": f"peak-{at}",
            "subject": name,
            "relation": "elevation above sea level",
            "property_id": "P2044",
            "object": height,
            "unit": "metre",
            "question": f"How high is {name} in metres?",
            "domain": "nature",
        }


def _answers(rows: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    chance = random.Random(11)
    for model, modes in ARMS.items():
        for mode, more in modes.items():
            for number, row in enumerate(rows):
                if model == "gemma3-4b" and number % 9 == 4:
                    continue
                right = chance.random() < SKILLS[model] + more
                other = rows[(number + 2) % len(rows)]["object"]
                said = row["object"] if right else chance.choice((other, "I do not know.", ""))
                judged = right or chance.random() < 0.1
                label = Label.CORRECT if judged else Label.INCORRECT
                yield {
                    "fact_id": row["id"],
                    "task": "direct",
                    "model": f"{model}#{mode}",
                    "thinking": False,
                    "sample": 0,
                    "response": f"It is known.\nAnswer: {said}" if "recite" in mode else said,
                    "grades": {"judge:openai:gpt-5": label},
                }


def _put_exemplars(project: OpenProject) -> None:
    keys = dict(zip(project.index.fact_ids, project.index.ids.tolist(), strict=True))
    shown = (
        ("born-1", "December 11, 1882", "June 19, 1922", "born-8", True),
        ("place-9", "Hartford", "Warsaw", "place-10", False),
        ("peak-0", "5642 metre", "2501 metre", "peak-3", None),
    )
    exemplars = tuple(
        StoredExemplar(place, keys[name], f"{name}?", gold, answer, keys[other], known)
        for place, (name, gold, answer, other, known) in enumerate(shown, 1)
    )
    base, _, mode = SENT.partition("#")
    asked = [AnsweredQuestion(one.question, one.answer) for one in exemplars]
    prompt = write_prompt(parse_mode(mode), asked, QUESTION)
    with write_transaction(project.connection):
        db.arms.insert(
            project.connection, StoredArm(SENT, SET, base, mode, 0, "em", prompt, exemplars)
        )
