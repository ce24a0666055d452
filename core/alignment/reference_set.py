"""Reference sets: answers drawn by chance that a person labels blind, in three parts by fact.

Proposals and examples see `tune` alone, versions are chosen on `check`, `final` is opened once.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

import db.grades
import db.model_rows
import db.question_rows
import db.reference_sets
import db.responses
from core.certainty.audit_order import hash_text, uniform
from core.errors import UsageError
from core.project import OpenProject
from core.scoring.precedence import HUMAN_PREFIX, PEOPLE, GraderVersion
from core.vocabulary import LABELS, TASKS
from db.connection import write_transaction
from db.label_grids import Cells
from db.reference_sets import StoredSet
from db.slot_ids import QUESTION_SHIFT, Slots, unpack
from db.sqlite_errors import StoredValueError
from db.stored_values import StoredValues, check_list, read_object, unreadable

PARTS = ("tune", "check", "final")
TUNE, CHECK, FINAL = PARTS
_BELOW = (0.4, 0.8)
"""The share of facts in `tune`, and in `tune` and `check`."""

NO_LABEL, ALL = "none", "all"
"""The stratum of answers that the grader has not labelled, and the only one without a grader."""

STRATA = (*LABELS, NO_LABEL, ALL)
_WHAT = "the plan of a reference set"


@dataclass(frozen=True, slots=True)
class SetPlan:
    """How a set is drawn: of which models, by a seed, in strata by the labels of a grader `by`.

    `strata` has how many answers of each there are in the scope, and how many were drawn.
    """

    seed: int
    by: str | None
    models: tuple[str, ...]
    where: str | None
    strata: dict[str, tuple[int, int]]

    @property
    def text(self) -> str:
        """The plan as it is stored."""
        return json.dumps(asdict(self), ensure_ascii=False, sort_keys=True)


@dataclass(frozen=True, slots=True)
class ReferenceSet:
    """A set as it is now, a column an answer: slots, strata, places of facts, parts.

    Answers of facts rejected since, and to questions that were edited since, are left out.
    """

    stored: StoredSet
    plan: SetPlan
    slots: Slots
    strata: list[str]
    facts: npt.NDArray[np.intp]
    parts: list[str]
    gone: int

    def __len__(self) -> int:
        return len(self.strata)

    def places(self, parts: Sequence[str]) -> list[int]:
        """The places of the answers of some parts."""
        return [place for place, part in enumerate(self.parts) if part in parts]


def part_of(seed: int, fact_id: str) -> str:
    """The part that a fact is in."""
    drawn = uniform(f"{seed}\npart\n{fact_id}")
    return next((part for part, end in zip(PARTS, _BELOW, strict=False) if drawn < end), FINAL)


def read_plan(text: str) -> SetPlan:
    """The plan stored so. Raises `StoredValueError` for what is none."""
    stored = read_object(text, _WHAT)
    try:
        counts = {
            str(name): (int(there), int(drawn)) for name, (there, drawn) in stored["strata"].items()
        }
        strata = {name: counts[name] for name in STRATA if name in counts}
        plan = SetPlan(
            int(stored["seed"]),
            None if stored["by"] is None else str(stored["by"]),
            check_list(stored["models"], str, _WHAT),
            None if stored["where"] is None else str(stored["where"]),
            strata,
        )
    except (TypeError, ValueError, KeyError, AttributeError, OverflowError):
        raise unreadable(_WHAT, text) from None
    if len(strata) < len(counts):
        raise unreadable(_WHAT, text)
    return plan


def list_openings(project: OpenProject, found: ReferenceSet) -> list[dict[str, Any]]:
    """For which versions `final` was opened, and when (milliseconds)."""
    rows = db.reference_sets.openings_of(project.connection, found.stored.id)
    return [{"grader": name, "at": at} for name, at in rows]


def _read_stratum(text: str) -> str:
    if text not in STRATA:
        raise StoredValueError("a stratum of a reference set", repr(text[:40]))
    return text


STORED = (
    StoredValues("reference_set", "plan", read_plan),
    StoredValues("reference_answer", "stratum", _read_stratum, key="response"),
)


def find_set(project: OpenProject, name: str) -> StoredSet:
    """A set by its name. Raises `UsageError` where there is none."""
    there = db.reference_sets.read_sets(project.connection)
    for one in there:
        if one.name == name:
            return one
    known = ", ".join(one.name for one in there) or "none yet"
    raise UsageError(
        f"no reference set named {name}: sets are {known}; `lostkeys align draw NAME` draws one"
    )


def read_set(project: OpenProject, stored: StoredSet) -> ReferenceSet:
    """A stored set as it is now."""
    plan, index = read_plan(stored.plan), project.index
    rows = db.reference_sets.answers_of(project.connection, stored.id)
    slots = np.array([slot for slot, _ in rows], np.int64)
    questions = slots >> QUESTION_SHIFT
    facts, columns = np.nonzero(np.isin(index.questions, questions) & (index.questions > 0))
    place_of = dict(zip(index.questions[facts, columns].tolist(), facts.tolist(), strict=True))
    kept = [
        place
        for place, question in enumerate(questions.tolist())
        if question in place_of and not index.rejected[place_of[question]]
    ]
    found = np.array([place_of[int(questions[place])] for place in kept], np.intp)
    parts = {fact: part_of(plan.seed, index.fact_ids[fact]) for fact in set(found.tolist())}
    return ReferenceSet(
        stored,
        plan,
        slots[kept],
        [rows[place][1] for place in kept],
        found,
        [parts[fact] for fact in found.tolist()],
        sum(drawn for _, drawn in plan.strata.values()) - len(kept),
    )


def labels_by(project: OpenProject, slots: Slots, versions: Sequence[GraderVersion]) -> Cells:
    """What the newest of these versions that labelled an answer says of it, 0 for nothing."""
    found = np.zeros(slots.shape, np.uint8)
    for one in sorted(versions, key=lambda version: -version.plane):
        said = project.grids.at(one.plane, slots)
        found = np.where((found == 0) & (said <= len(LABELS)), said, found)
    return found


def list_people(project: OpenProject) -> dict[str, list[GraderVersion]]:
    """The versions of everybody who has labelled anything here, by name."""
    found: dict[str, list[GraderVersion]] = {}
    for one in project.graders():
        if one.is_person:
            found.setdefault(one.name, []).append(one)
    return found


def check_person(person: str) -> str:
    """A person's name as a grader. Raises `UsageError` for another grader."""
    if not person.startswith(HUMAN_PREFIX) or person in (HUMAN_PREFIX, PEOPLE):
        raise UsageError(f"{person} is no person: name one, as --person human:ada")
    return person


def describe_set(found: ReferenceSet) -> dict[str, Any]:
    """The document of `align draw`."""
    return {
        "set": found.stored.name,
        "seed": found.plan.seed,
        "by": found.plan.by,
        "answers": len(found),
        "strata": {
            name: {"answers": there, "drawn": drawn}
            for name, (there, drawn) in found.plan.strata.items()
        },
        "parts": {part: found.parts.count(part) for part in PARTS},
    }


def list_sets(project: OpenProject) -> list[dict[str, Any]]:
    """All sets, the oldest first, with how many of their answers somebody has labelled."""
    everybody = [one for versions in list_people(project).values() for one in versions]
    rows = []
    for stored in db.reference_sets.read_sets(project.connection):
        found = read_set(project, stored)
        labelled = int(np.count_nonzero(labels_by(project, found.slots, everybody)))
        rows.append(
            {
                **describe_set(found),
                "labelled": labelled,
                "gone": found.gone,
                "opened": list_openings(project, found),
                "closed": stored.closed,
                "at": stored.at,
            }
        )
    return rows


def close_set(project: OpenProject, name: str) -> None:
    """Mark a set as done with. Raises `UsageError` where there is none."""
    stored = find_set(project, name)
    with write_transaction(project.connection):
        db.reference_sets.close(project.connection, stored.id)


def next_rows(
    project: OpenProject, found: ReferenceSet, person: str | None, every: bool = False
) -> list[dict[str, Any]]:
    """Answers to label next: rows of labels without grader and label, in an order by chance.

    Those that this person, or nobody, has labelled. With `every` all answers, by fact and sample,
    with their parts and strata.
    """
    people = list_people(project)
    chosen = people.get(person, []) if person else [one for all_ in people.values() for one in all_]
    said = labels_by(project, found.slots, chosen)
    if not every:
        return list(answer_rows(project, found, order_waiting(project, found, said > 0)))
    rows = list(answer_rows(project, found, range(len(found))))
    for row, stratum, part in zip(rows, found.strata, found.parts, strict=True):
        row |= {"stratum": stratum, "part": part}
    return sorted(rows, key=_key_of)


def order_waiting(
    project: OpenProject, found: ReferenceSet, labelled: npt.NDArray[np.bool_]
) -> list[int]:
    """Places of the answers that are not labelled, by chance, alike in every copy of the file."""

    def hash_place(place: int) -> int:
        question, _, sample = unpack(int(found.slots[place]))
        fact = found.facts[place]
        task = TASKS[int(np.flatnonzero(project.index.questions[fact] == question)[0])]
        fact_id = project.index.fact_ids[fact]
        return hash_text(f"{found.plan.seed}\nnext\n{fact_id}\n{task}\n{sample}")

    return sorted(np.flatnonzero(~labelled).tolist(), key=hash_place)


def _key_of(row: dict[str, Any]) -> tuple[Any, ...]:
    return (
        row["fact_id"],
        TASKS.index(row["task"]),
        row["model"],
        row["thinking"],
        row["sample"],
    )


def answer_rows(
    project: OpenProject, found: ReferenceSet, places: Sequence[int]
) -> Iterator[dict[str, Any]]:
    """What names each of these answers, with question, gold and text."""
    slots = found.slots[list(places)].tolist()
    names = db.model_rows.settings(project.connection)
    texts = dict(db.responses.texts_in(project.connection, slots))
    questions = db.question_rows.read_current(project.connection, {unpack(one)[0] for one in slots})
    for slot in slots:
        question, setting, sample = unpack(slot)
        model, thinking = names[setting]
        asked = questions[question]
        yield {
            "fact_id": asked.fact_id,
            "task": str(asked.task),
            "model": model,
            "thinking": thinking,
            "sample": sample,
            "question": asked.text,
            "gold": asked.gold.text,
            "aliases": list(asked.gold.aliases),
            "response": texts[slot],
        }


def count_early(
    project: OpenProject, found: ReferenceSet, versions: Sequence[GraderVersion]
) -> int:
    """How many answers were labelled by these versions before the set was drawn."""
    planes = [one.plane for one in versions]
    times = db.grades.times(project.connection, planes, found.slots.tolist())
    return len({slot for (slot, _), at in times.items() if at < found.stored.at})
