"""What a label would do, shown before it is set."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

import db.model_rows
from core.project import OpenProject
from core.scoring.precedence import HUMAN_PREFIX, PEOPLE
from core.views.answer_marks import AnswerMark
from core.views.cell_marks import marks_by_cell
from core.views.fact_case import LabelChange, case_of, part_of
from core.views.snapshot import Snapshot
from core.vocabulary import LABELS, TASKS, Label, Task
from db.slot_ids import unpack


@dataclass(frozen=True, slots=True)
class Consequence:
    """What one label on one answer would do, all else as it is under the lens.

    `part` is the part of the verdict the question decides (`E`, `K0`, `KT`), None for cells that
    decide none; `holds` says whether it would hold.
    """

    label: Label
    g: float | None
    passes: bool | None
    part: str | None
    holds: bool | None
    before: str
    after: str

    @property
    def changes_profile(self) -> bool:
        """Whether the verdict on the fact would be another."""
        return self.before != self.after


def list_consequences(
    project: OpenProject,
    snapshot: Snapshot,
    slot: int,
    name: str | None = None,
    marks: Sequence[AnswerMark] | None = None,
) -> tuple[Consequence, ...]:
    """What each of the four labels of a person on one answer would do, in the order of `LABELS`.

    Relative to what counts now. Nothing where there is no such answer, or its question is not
    current. A label changes nothing where the lens lists no people (nor the person of this
    `name`), or somebody before them who has labelled the answer. `marks` are those of its cell,
    where they are known.
    """
    question, setting, sample = unpack(slot)
    facts, columns = np.nonzero(snapshot.index.questions == question)
    model, thinking = db.model_rows.settings(project.connection).get(setting, ("", False))
    if not facts.size or model not in snapshot.answerers:
        return ()
    place, task = int(facts[0]), TASKS[int(columns[0])]
    if marks is None:
        marks = marks_by_cell(project, snapshot, place, [task], model)[task, thinking]
    if sample >= len(marks) or not marks[sample].drawn:
        return ()
    case = case_of(snapshot, place, snapshot.answerers.index(model))
    now = marks[sample].label
    counts = _counts(project, snapshot, slot, task, name)
    changes = [LabelChange(task, thinking, now, label if counts else now) for label in LABELS]
    before, *after = case.verdicts([(), *((one,) for one in changes)])
    part = part_of(task, thinking)
    found = []
    for label, change, then in zip(LABELS, changes, after, strict=True):
        g = case.grade(task, thinking, change)
        found.append(
            Consequence(
                label=label,
                g=None if g is None else float(g),
                passes=case.question_passes(task, thinking, change),
                part=part,
                holds=then.holds(part) if part else None,
                before=before.code,
                after=then.code,
            )
        )
    return tuple(found)


def _counts(
    project: OpenProject, snapshot: Snapshot, slot: int, task: Task, name: str | None
) -> bool:
    """Whether a person's label on an answer counts: nobody earlier in the list has labelled it."""
    ranked, own = snapshot.lens.ranked, (PEOPLE, f"{HUMAN_PREFIX}{name}")
    place = next((place for place, one in enumerate(ranked) if one in own), None)
    if not place:
        return place == 0
    question, setting, sample = unpack(slot)
    earlier = project.ranks_of(ranked[:place])
    grids = project.grids.select(setting, [question])
    choice = np.array([task.is_choice], np.uint8)
    labels = project.find_counting(grids, earlier, setting, choice, [question]).labels
    return labels is None or sample >= len(labels) or not labels[sample, 0]
