"""The demo: bundled facts, the embedded model, two graders."""

from pathlib import Path

import numpy as np

import db.facts
import db.models
from core import grading, report
from core.catalogue import EMBEDDED
from core.demo.facts import bundled
from core.errors import UsageError
from core.jobs.answering import Answering
from core.policy import Policy
from core.project import Project
from core.sampling.engine import Plan
from db.connection import writing

MODEL = EMBEDDED
GRADERS = ("exact", "lexical")
"""Two that often differ; the second decides profiles."""

SAMPLES = 8


def prepare(project: Project, most: int | None = None) -> None:
    """Put the bundled facts (the first `most` of them) into the database, where they are new.

    Raises `UsageError` if it holds facts that are not the demo's.
    """
    facts = bundled()
    known = {fact.fact_id for fact in facts}
    there = set(project.index.fact_ids)
    if there - known:
        raise UsageError(f"{project.path} holds other facts: name a file for the demo with --db")
    wanted = [fact for fact in facts[:most] if fact.fact_id not in there]
    with writing(project.connection):
        db.facts.insert(project.connection, wanted)
        db.models.set_value(project.connection, "primary_grader", GRADERS[-1])
    project.refresh()


def plan(project: Project, samples: int) -> Plan:
    """Ask everything about all facts, with thinking off and on."""
    return Plan(MODEL, MODEL, samples, np.ones(len(project.index), np.bool_))


def job(path: Path, most: int | None = None, samples: int = SAMPLES) -> Answering:
    """The demo as one job: puts the facts there first, then asks and grades."""

    def prepared(project: Project) -> Plan:
        prepare(project, most)
        return plan(project, samples)

    return Answering(path, MODEL.partition(":")[2], prepared, GRADERS)


def judge(project: Project, fact: int) -> report.FactProfile:
    """Grade what was answered about a fact (its id) and derive its profile."""
    for grader in GRADERS:
        grading.grade(project, grader, [fact])
    project.refresh()
    place = int(np.flatnonzero(project.index.ids == fact)[0])
    name = project.index.fact_ids[place]
    found = report.profiles(project, Policy(), [MODEL], f'"fact:{name}"')
    return report.per_fact(project, found)[0]
