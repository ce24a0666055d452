"""The demo: bundled facts, the embedded model, two graders."""

import csv
from pathlib import Path
from typing import Any

import numpy as np
import orjson

import db.facts
import db.project_values
from core.errors import UsageError
from core.project import OpenProject
from core.providers.model_names import EMBEDDED
from core.results import profile_summary
from core.sampling.sample_plan import Plan
from core.scoring.policy import Policy
from core.specs.answer_specs import AnsweringSpec, DemoSpec, ScoringSpec
from core.specs.file_specs import ImportingSpec, ImportWords
from core.transfer.fact_rows import parse
from db.connection import write_transaction
from db.facts import Fact

FILE = Path(__file__).with_name("facts.jsonl")

CAPITALS, RELATION, RELATION_SET = Path(__file__).with_name("capitals.csv"), "capital", "capitals"
"""A relation to try Latent and Bench with: 190 countries and their capitals."""


def read_rows() -> list[dict[str, Any]]:
    """The rows of the file, every column of the format in each."""
    return [orjson.loads(line) for line in FILE.read_bytes().splitlines()]


def read_facts() -> list[Fact]:
    """The facts in the file's order: the first one is the first that a demo shows."""
    return [parse(row) for row in read_rows()]


MODEL = EMBEDDED
GRADERS = ("exact", "lexical")
"""Two that often differ; the second decides profiles."""


def prepare(project: OpenProject, most: int | None = None) -> None:
    """Put the bundled facts (the first `most` of them) into the database, where they are new.

    Raises `UsageError` if it holds facts that are not the demo's.
    """
    facts = read_facts()
    known = {fact.fact_id for fact in facts} | _relation_ids()
    there = set(project.index.fact_ids)
    if there - known:
        raise UsageError(f"{project.path} holds other facts: name a file for the demo with --db")
    wanted = [fact for fact in facts[:most] if fact.fact_id not in there]
    with write_transaction(project.connection):
        db.facts.insert(project.connection, wanted)
        db.project_values.set_value(project.connection, "primary_grader", GRADERS[-1])
    project.refresh()


def _relation_ids() -> set[str]:
    with CAPITALS.open(newline="", encoding="utf-8") as file:
        return {row["id"] for row in csv.DictReader(file)}


def relation_import() -> ImportingSpec:
    """The import of the relation that comes with the program."""
    return ImportingSpec(str(CAPITALS), "triples", words=ImportWords(set_name=RELATION_SET))


def relation_scoring(first: int | None = None) -> ScoringSpec:
    """Have the embedded model score that relation, or its first facts."""
    return ScoringSpec(MODEL, MODEL, (RELATION,), RELATION_SET, first=first)


def plan(project: OpenProject, samples: int) -> Plan:
    """Ask everything about all facts, with thinking off and on."""
    return Plan(MODEL, MODEL, samples, np.ones(len(project.index), np.bool_))


def prepare_answering(project: OpenProject, spec: DemoSpec) -> AnsweringSpec:
    """Put the facts there; gives what is to be asked about them."""
    prepare(project, spec.facts)
    return AnsweringSpec(MODEL, MODEL, spec.samples, graders=GRADERS)


def judge(project: OpenProject, fact: int) -> profile_summary.FactProfile:
    """The profile of a fact (its id) as its answers are graded."""
    project.refresh()
    place = int(np.flatnonzero(project.index.ids == fact)[0])
    name = project.index.fact_ids[place]
    found = profile_summary.profiles(project, Policy(), [MODEL], f'"fact:{name}"')
    return profile_summary.list_fact_profiles(project, found)[0]
