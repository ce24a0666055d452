"""Rubrics of a project: each version with its parent, who wrote it, when, and why."""

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from time import time_ns
from typing import Any

import db.rubrics
from core.alignment.reference_set import TUNE, ReferenceSet, answer_rows, labels_by, list_people
from core.errors import UsageError
from core.grading.prompt_rubric import PromptRubric, RubricExample, read_examples
from core.project import OpenProject
from core.scoring.precedence import LONGEST_NAME
from core.settings.escapes import is_printable
from core.vocabulary import LABELS
from db.connection import write_transaction
from db.rubrics import StoredRubric
from db.stored_values import StoredValues

STORED = (StoredValues("rubric", "examples", read_examples),)


def read_rubric(stored: StoredRubric) -> PromptRubric:
    """What a stored version adds to a prompt."""
    return PromptRubric(stored.rules, read_examples(stored.examples))


def name_version(stored: StoredRubric) -> str:
    """A version as `NAME#VERSION`."""
    return f"{stored.name}#{stored.version}"


def list_versions(project: OpenProject, name: str) -> list[StoredRubric]:
    """The versions of a rubric, the oldest first. Raises `UsageError` where there is none."""
    every = db.rubrics.read_rubrics(project.connection)
    found = [one for one in every if one.name == name]
    if not found:
        known = ", ".join(dict.fromkeys(one.name for one in every)) or "none yet"
        raise UsageError(
            f"no rubric named {name}: rubrics are {known}; `lostkeys align rubric {name} "
            "--from FILE` makes one"
        )
    return found


def find_rubric(project: OpenProject, name: str) -> StoredRubric:
    """A version by `NAME#VERSION` (as much of it as is clear), or the newest of a name.

    Raises `UsageError` where there is none.
    """
    bare, mark, version = name.rpartition("#")
    if not mark:
        return list_versions(project, name)[-1]
    found = [one for one in list_versions(project, bare) if one.version.startswith(version)]
    if len(found) != 1:
        there = ", ".join(one.version for one in found or list_versions(project, bare))
        raise UsageError(f"{name} is no version of {bare}: versions are {there}")
    return found[0]


def keep_rubric(
    project: OpenProject,
    name: str,
    rubric: PromptRubric,
    author: str,
    why: str = "",
    parent: StoredRubric | None = None,
) -> StoredRubric:
    """Keep a version, written by `author` (a person, or a model that proposes it).

    One with the same text is there once. Its parent is `parent`, else the newest of its name.
    Raises `UsageError` for a name that is none.
    """
    plain = name.strip()
    fits = plain and len(plain) <= LONGEST_NAME and is_printable(plain)
    if not fits or set(plain) & {"#", ","}:
        raise UsageError(f"the name of a rubric is a line of {LONGEST_NAME} letters, no # or comma")
    connection = project.connection
    with write_transaction(connection):
        known = [one for one in db.rubrics.read_rubrics(connection) if one.name == plain]
        same = next((one for one in known if one.version == rubric.version), None)
        if same is not None:
            return same
        before = parent or (known[-1] if known else None)
        made = StoredRubric(
            0,
            plain,
            rubric.version,
            rubric.rules,
            rubric.examples_text,
            None if before is None else before.id,
            author,
            " ".join(why.split()),
            time_ns() // 1_000_000,
        )
        return replace(made, id=db.rubrics.insert(connection, made))


def compare_rules(before: str, after: str, names: tuple[str, str] = ("", "")) -> Iterator[str]:
    """The lines of a unified diff of two rules."""
    return difflib.unified_diff(before.splitlines(), after.splitlines(), *names, lineterm="", n=2)


def make_examples(
    project: OpenProject, found: ReferenceSet, person: str, slots: Sequence[int]
) -> list[RubricExample]:
    """Answers of a set as examples, labelled as the person did, their notes as reasons.

    Raises `UsageError` for an answer that is not of `tune`, or that the person has not labelled.
    """
    import db.grades

    places = [int(place) for slot in slots for place in (found.slots == slot).nonzero()[0]]
    if len(places) != len(slots):
        raise UsageError(f"only answers of {found.stored.name} can be its examples")
    outside = next((found.parts[place] for place in places if found.parts[place] != TUNE), None)
    if outside is not None:
        raise UsageError(
            f"an answer of {outside} cannot be an example: only those of tune can, or nothing "
            "would be left to check with"
        )
    versions = list_people(project).get(person, [])
    said = labels_by(project, found.slots, versions)
    if not all(said[place] for place in places):
        raise UsageError(f"{person} has not labelled this answer: label it first")
    notes: dict[int, str] = {}
    for one in versions:
        notes |= db.grades.rationales(project.connection, one.plane, list(slots))
    rows = answer_rows(project, found, places)
    return [
        RubricExample(
            row["fact_id"],
            row["task"],
            row["question"],
            (row["gold"], *row["aliases"]),
            row["response"].strip(),
            str(LABELS[said[place] - 1]),
            notes.get(slot, ""),
        )
        for row, place, slot in zip(rows, places, slots, strict=True)
    ]


def add_example(
    project: OpenProject, found: ReferenceSet, name: str, person: str, slot: int
) -> str:
    """Keep a version of a rubric with one more example, an answer of `tune`; gives its name.

    A rubric that is not there yet begins with it. Raises as `make_examples` and `keep_rubric`.
    """
    examples = tuple(make_examples(project, found, person, [slot]))
    bare = name.partition("#")[0].strip()
    known = [one for one in db.rubrics.read_rubrics(project.connection) if one.name == bare]
    parent = find_rubric(project, name) if known else None
    before = PromptRubric("", ()) if parent is None else read_rubric(parent)
    made = PromptRubric(before.rules, before.examples + examples)
    return name_version(keep_rubric(project, bare, made, person, "one more example", parent))


def describe_rubric(stored: StoredRubric, parents: dict[int, StoredRubric]) -> dict[str, Any]:
    """A version as `align rubric --json` has it."""
    parent = parents.get(stored.parent or 0)
    return {
        "rubric": stored.name,
        "version": stored.version,
        "parent": None if parent is None else name_version(parent),
        "author": stored.author,
        "why": stored.why,
        "at": stored.at,
        "rules": stored.rules,
        "examples": [
            {"fact_id": one.fact_id, "task": one.task, "answer": one.answer, "label": one.label}
            for one in read_examples(stored.examples)
        ],
    }
