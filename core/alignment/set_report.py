"""The report of a reference set: how far versions agree with the person, and what they missed."""

from collections.abc import Sequence
from dataclasses import dataclass
from time import time_ns
from typing import Any

import numpy as np

import db.grades
import db.project_values
import db.reference_sets
import db.rubrics
from core.alignment.reference_set import (
    CHECK,
    FINAL,
    PARTS,
    TUNE,
    ReferenceSet,
    answer_rows,
    check_person,
    count_early,
    labels_by,
    list_openings,
    list_people,
)
from core.alignment.version_scores import score_version
from core.errors import UsageError
from core.project import OpenProject
from core.results.multi_rater import alpha_of, count_votes
from core.scoring.precedence import GraderVersion
from core.settings import preferences
from core.stats.intervals import LEVEL
from core.vocabulary import LABELS
from db.connection import write_transaction
from db.label_grids import Cells
from db.reference_sets import Trial


@dataclass(frozen=True, slots=True)
class TriedVersion:
    """A version of the report: its name, planes, and its trial on the set if it was tried there."""

    name: str
    versions: tuple[GraderVersion, ...]
    labels: Cells
    trial: Trial | None = None


def report_set(
    project: OpenProject,
    found: ReferenceSet,
    person: str | None = None,
    graders: Sequence[str] | None = None,
    open_final: bool = False,
) -> dict[str, Any]:
    """The document of `align report`.

    `person`: who is agreed with, else whoever labelled the set. `graders`: those looked at beside
    the versions that were tried; alone where any are named. With `open_final` the last part is
    answered for the one version named, and the set notes it.
    Raises `UsageError` for a person or grader without labels.
    """
    name, said = find_person(project, found, person)
    versions = list_versions(project, found, graders)
    if open_final:
        if graders is None or len(graders) != 1:
            raise UsageError("--final is answered for one version: name it with --grader G#v")
        _open_final(project, found, versions[0])
    rubrics = {one.id: one for one in db.rubrics.read_rubrics(project.connection)}
    stale = db.reference_sets.count_stale(
        project.connection,
        found.slots.tolist(),
        [one.plane for version in versions for one in version.versions],
    )
    rows = []
    for place, version in enumerate(versions):
        parent = None if place == 0 else versions[_find_parent(versions, place, rubrics)]
        rubric = rubrics.get(version.trial.rubric or 0) if version.trial else None
        rows.append(
            {
                "grader": version.name,
                "rubric": rubric and f"{rubric.name}#{rubric.version}",
                "parent": parent and parent.name,
                "why": rubric.why if rubric else "",
                "out_of_date": sum(stale.get(one.plane, 0) for one in version.versions),
                "parts": _score_parts(found, said, version, parent, len(versions), open_final),
            }
        )
    return {
        "set": found.stored.name,
        "person": name,
        "answers": len(found),
        "labelled": int(np.count_nonzero(said)),
        "not_blind": count_early(project, found, list_people(project)[name]),
        "gone": found.gone,
        "opened": list_openings(project, found),
        "versions": rows,
        "people": _people(project, found),
    }


def find_rubric(project: OpenProject, version: TriedVersion) -> db.rubrics.StoredRubric | None:
    """The rubric with which a version was tried, None where it was without one."""
    key = version.trial.rubric if version.trial else None
    return None if key is None else db.rubrics.find(project.connection, key)


def find_person(project: OpenProject, found: ReferenceSet, person: str | None) -> tuple[str, Cells]:
    """Who labelled a set, and their labels. Raises `UsageError` where it is nobody."""
    people = list_people(project)
    labels = {one: labels_by(project, found.slots, versions) for one, versions in people.items()}
    there = [one for one, said in labels.items() if said.any()]
    own = f"human:{preferences.load().person}"
    if person is not None:
        if check_person(person) in there:
            return person, labels[person]
        raise UsageError(
            f"{person} has labelled none of {found.stored.name}: "
            f"`lostkeys align next {found.stored.name}` lists what is to be labelled"
        )
    if own in there:
        return own, labels[own]
    name = found.stored.name
    if not there:
        raise UsageError(
            f"{name} is labelled by nobody: `lostkeys align next {name}` lists its answers"
        )
    if len(there) > 1:
        raise UsageError(f"{name} is labelled by {', '.join(there)}: choose one with --person")
    return there[0], labels[there[0]]


def list_versions(
    project: OpenProject, found: ReferenceSet, graders: Sequence[str] | None
) -> list[TriedVersion]:
    """The versions named, or else those tried on a set, in the order of trial."""
    known = project.graders()
    trials = {
        one.grader: one for one in db.reference_sets.trials_of(project.connection, found.stored.id)
    }
    by_plane = {one.plane: one for one in known}
    chosen: list[tuple[str, tuple[GraderVersion, ...]]]
    if graders is None:
        tried = [by_plane[key] for key in trials if key in by_plane]
        chosen = [(f"{one.name}#{one.version}", (one,)) for one in tried]
        if not chosen:
            raise UsageError(
                f"no version was tried on {found.stored.name}: name graders with --grader, or run "
                f"`lostkeys align try {found.stored.name} --grader llm:MODEL`"
            )
    else:
        chosen = [
            (rank.name, tuple(by_plane[plane] for plane in rank.planes))
            for rank in project.ranks_of(list(dict.fromkeys(graders)))
        ]
    return [
        TriedVersion(
            name,
            versions,
            labels_by(project, found.slots, versions),
            next((trials[one.plane] for one in versions if one.plane in trials), None),
        )
        for name, versions in chosen
    ]


def _find_parent(
    versions: Sequence[TriedVersion], place: int, rubrics: dict[int, db.rubrics.StoredRubric]
) -> int:
    """The place of a version's parent: of its rubric's nearest parent tried, else 0."""
    by_rubric = {one.trial.rubric: at for at, one in enumerate(versions) if one.trial}
    trial = versions[place].trial
    key = trial.rubric if trial else None
    while key is not None and key in rubrics:
        key = rubrics[key].parent
        if key in by_rubric and by_rubric[key] != place and key is not None:
            return by_rubric[key]
    return 0


def _score_parts(
    found: ReferenceSet,
    said: Cells,
    version: TriedVersion,
    parent: TriedVersion | None,
    versions: int,
    open_final: bool,
) -> dict[str, Any]:
    sizes = {name: there for name, (there, _) in found.plan.strata.items()}
    parts: dict[str, Any] = dict.fromkeys(PARTS)
    for part in PARTS if open_final else (TUNE, CHECK):
        places = found.places((part,))
        parts[part] = score_version(
            said[places],
            version.labels[places],
            None if parent is None else parent.labels[places],
            [found.strata[place] for place in places],
            found.facts[places],
            sizes,
            1 - (1 - LEVEL) / versions if part == CHECK else LEVEL,
        ) | {"cost_per_1000": _cost(version.trial)}
    return parts


def _cost(trial: Trial | None) -> float | None:
    if trial is None or trial.cost is None or not trial.answers:
        return None
    return 1000 * trial.cost / trial.answers


def _open_final(project: OpenProject, found: ReferenceSet, version: TriedVersion) -> None:
    """Note that the last part was looked at for a version."""
    newest = max(one.plane for one in version.versions)
    with write_transaction(project.connection):
        now = time_ns() // 1_000_000
        db.reference_sets.note_opened(project.connection, found.stored.id, newest, now)


def _people(project: OpenProject, found: ReferenceSet) -> dict[str, Any]:
    """How far the people who labelled a set agree, over what two or more of them labelled."""
    labels = {
        name: labels_by(project, found.slots, versions)
        for name, versions in list_people(project).items()
    }
    there = {name: said for name, said in sorted(labels.items()) if said.any()}
    votes = count_votes(list(there.values())) if len(there) > 1 else None
    return {
        "persons": list(there),
        "answers": 0 if votes is None else int(votes[2:, 0].sum()),
        "alpha": None if votes is None else alpha_of(votes),
    }


def list_misses(
    project: OpenProject,
    found: ReferenceSet,
    grader: str,
    part: str = TUNE,
    person: str | None = None,
) -> list[dict[str, Any]]:
    """The rows of `find_misses`, the document of `align misses`."""
    return find_misses(project, found, grader, part, person)[1]


def find_misses(
    project: OpenProject,
    found: ReferenceSet,
    grader: str,
    part: str = TUNE,
    person: str | None = None,
) -> tuple[list[int], list[dict[str, Any]]]:
    """Answers (slots) of a part that a version labels otherwise than the person, and their rows.

    Raises `UsageError` for `final` while nobody has opened it.
    """
    if part == FINAL and not list_openings(project, found):
        raise UsageError(
            f"final of {found.stored.name} is sealed: `lostkeys align report {found.stored.name} "
            "--final --grader G#v` opens it, once you have chosen a version"
        )
    name, said = find_person(project, found, person)
    (version,) = list_versions(project, found, (grader,))
    places = [
        place
        for place in found.places((part,))
        if said[place] and version.labels[place] and said[place] != version.labels[place]
    ]
    slots: list[int] = found.slots[places].tolist()
    notes, reasons = (
        _reasons(project, slots, versions)
        for versions in (list_people(project)[name], version.versions)
    )
    return slots, [
        row
        | {
            "label": LABELS[said[place] - 1],
            "note": notes.get(slot),
            "grader_label": LABELS[version.labels[place] - 1],
            "reason": reasons.get(slot),
        }
        for row, slot, place in zip(answer_rows(project, found, places), slots, places, strict=True)
    ]


def _reasons(
    project: OpenProject, slots: list[int], versions: Sequence[GraderVersion]
) -> dict[int, str]:
    found: dict[int, str] = {}
    for one in sorted(versions, key=lambda version: version.plane):
        found |= db.grades.rationales(project.connection, one.plane, slots)
    return found
