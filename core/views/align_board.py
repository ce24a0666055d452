"""A reference set as a person works through it: the next answer blind, the versions, the misses."""

from dataclasses import dataclass
from typing import Any

import numpy as np

import db.model_rows
import db.reference_sets
import db.responses
import db.rubrics
from core.alignment.reference_set import (
    PARTS,
    ReferenceSet,
    answer_rows,
    labels_by,
    list_people,
    order_waiting,
    read_set,
)
from core.alignment.rubric_versions import name_version
from core.alignment.set_report import find_misses, report_set
from core.errors import UsageError
from core.graders.answer_text import answer_in
from core.graders.grader_record import is_model
from core.project import OpenProject
from core.scoring.precedence import grader_of
from core.vocabulary import Label, Task


@dataclass(frozen=True, slots=True)
class AlignRequest:
    """Which set, which version's misses, and the answers (slots) that are put off."""

    name: str | None = None
    version: str | None = None
    put_off: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class AlignCard:
    """An answer of a set; of one that is to be labelled nothing that a grader says.

    `fact` is the fact's id, `text` the whole response, `answer` what graders see of it. A miss has
    the person's label and note, and the grader's label and reason.
    """

    slot: int
    fact: int
    task: Task
    thinking: bool
    question: str
    context: str | None
    gold: str
    aliases: tuple[str, ...]
    text: str
    answer: str
    label: Label | None = None
    note: str | None = None
    grader_label: Label | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class AlignBoard:
    """A set as it stands for a person.

    `parts` has of each part how many answers the person labelled, and how many there are. `report`
    is the document of `align report`, None where there is none: `why` says so.
    """

    request: AlignRequest
    names: tuple[str, ...]
    name: str
    closed: bool
    by: str | None
    strata: int
    parts: dict[str, tuple[int, int]]
    gone: int
    card: AlignCard | None
    report: dict[str, Any] | None
    why: str
    misses: tuple[AlignCard, ...]
    models: tuple[str, ...]
    """Graders that are models."""
    rubrics: tuple[str, ...]
    """The newest version of each rubric."""

    @property
    def labelled(self) -> int:
        """Answers that the person labelled."""
        return sum(done for done, _ in self.parts.values())

    @property
    def answers(self) -> int:
        """Answers of the set."""
        return sum(there for _, there in self.parts.values())


def read_align_board(
    project: OpenProject, person: str | None, request: AlignRequest, whole: bool = True
) -> AlignBoard | None:
    """The set asked for, else the newest open one; None where none is drawn.

    `person` is a name. Unless it is `whole`, the report is left out: only the next card is wanted.
    """
    there = db.reference_sets.read_sets(project.connection)
    named = [one for one in there if one.name == request.name]
    chosen = (named or [one for one in there if not one.closed][-1:] or there[-1:])[:1]
    if not chosen:
        return None
    found = read_set(project, chosen[0])
    own = list_people(project).get(grader_of(person), []) if person else []
    said = labels_by(project, found.slots, own) > 0
    off = {slot: at for at, slot in enumerate(request.put_off)}
    following = min(
        order_waiting(project, found, said),
        key=lambda place: off.get(int(found.slots[place]), -1),
        default=None,
    )
    report, why, misses = _read_report(project, found, person, request) if whole else (None, "", ())
    return AlignBoard(
        request,
        tuple(one.name for one in there),
        chosen[0].name,
        chosen[0].closed,
        found.plan.by,
        len(found.plan.strata),
        {
            part: (int(np.count_nonzero(said[places])), len(places))
            for part in PARTS
            for places in [found.places((part,))]
        },
        found.gone,
        None if following is None else _read_card(project, found, following),
        report,
        why,
        misses,
        tuple(dict.fromkeys(one.name for one in project.graders() if is_model(one.name))),
        tuple(
            {
                one.name: name_version(one) for one in db.rubrics.read_rubrics(project.connection)
            }.values()
        ),
    )


def _read_report(
    project: OpenProject, found: ReferenceSet, person: str | None, request: AlignRequest
) -> tuple[dict[str, Any] | None, str, tuple[AlignCard, ...]]:
    """The report of what was tried and of other graders with labels, why none, and the misses."""
    if person is None:
        return None, "label an answer first: there is nobody to agree with", ()
    tried = {one.grader for one in db.reference_sets.trials_of(project.connection, found.stored.id)}
    graders = [
        f"{one.name}#{one.version}"
        for one in project.graders()
        if not one.is_person
        and (one.plane in tried or labels_by(project, found.slots, [one]).any())
    ]
    if not graders:
        return None, "no grader has labelled answers of this set", ()
    try:
        report = report_set(project, found, grader_of(person), graders)
    except UsageError:
        return None, "label an answer first: there is nobody to agree with", ()
    names = [one["grader"] for one in report["versions"]]
    version = next((one for one in names if one == request.version), names[0])
    slots, rows = find_misses(project, found, version, person=grader_of(person))
    places = {int(slot): place for place, slot in enumerate(found.slots)}
    misses = tuple(
        _read_card(project, found, places[slot], row) for slot, row in zip(slots, rows, strict=True)
    )
    return report, "", misses


def _read_card(
    project: OpenProject, found: ReferenceSet, place: int, miss: dict[str, Any] | None = None
) -> AlignCard:
    slot = int(found.slots[place])
    (row,) = [miss] if miss else answer_rows(project, found, [place])
    recipe = db.model_rows.recipe_of(project.connection, row["model"])
    (stored,) = db.responses.read_responses(project.connection, [slot])
    task = Task(row["task"])
    return AlignCard(
        slot,
        int(project.index.ids[found.facts[place]]),
        task,
        bool(row["thinking"]),
        row["question"],
        row["question"] if task is Task.COMPLETION else None,
        row["gold"],
        tuple(row["aliases"]),
        row["response"],
        answer_in(stored, bool(row["thinking"]), recipe).strip(),
        Label(miss["label"]) if miss else None,
        miss["note"] if miss else None,
        Label(miss["grader_label"]) if miss else None,
        miss["reason"] if miss else None,
    )
