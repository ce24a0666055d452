"""Answers that a grader left unsure, as a queue beside that of disagreements."""

import numpy as np

from core.dataset.subsets import Mask
from core.project import Project
from core.results.disagreements import Ints
from core.scoring.precedence import CHOICE
from core.scoring.question_states import grades
from core.scoring.verdicts import code_places
from core.views.disagreements.disagreement_filter import DisagreementFilter
from core.views.disagreements.disagreement_queue import (
    ConsequenceGroup,
    DisagreementColumns,
    DisagreementQueue,
    mark_queue,
)
from core.views.disagreements.latest_labels import find_labels
from core.views.lens import Lens
from core.views.snapshot import Snapshot
from core.vocabulary import TASKS, Outcome
from db.slot_ids import SAMPLE_BITS, SETTING_BITS

Columns = tuple[Ints, Ints, Ints, Ints, Mask, Ints]


def open_unsure(
    project: Project, lens: Lens, snapshot: Snapshot, among: DisagreementFilter, name: str | None
) -> DisagreementQueue:
    """What any grader's newest version left unsure, fact by fact, with one's decisions so far.

    Labels of A and B stand beside an answer where they have one.
    """
    found = find_unsure(project, snapshot, among)
    slot, fact, task, model, thinking, sample = found
    a, b = (
        find_labels(project, planes, slot).astype(np.intp) - 1
        for planes in (
            project.ranks_of((grader,))[0].planes if grader else () for grader in (lens.a, lens.b)
        )
    )
    verdicts, here = snapshot.verdicts, (model, fact)
    codes = code_places(verdicts.verdict[here], verdicts.encodes[here], verdicts.knows[here])
    rows = snapshot.tally.rows[model, thinking.astype(np.intp)]
    g = grades(snapshot.tally.labels[rows, :, task, fact].T.astype(np.int64), lens.policy)
    columns = DisagreementColumns(
        slot,
        np.full(slot.size, ConsequenceGroup.REST, np.uint8),
        fact,
        task,
        model,
        thinking,
        sample,
        a,
        b,
        codes,
        codes,
        g,
        g,
        np.zeros(slot.size, np.intp),
    )
    none = np.zeros(slot.size, np.uint8)
    queue = DisagreementQueue(
        lens, among, snapshot.index, snapshot.headings, snapshot.answerers, columns, none
    )
    return mark_queue(project, snapshot, queue, name)


def find_unsure(project: Project, snapshot: Snapshot, among: DisagreementFilter) -> Columns:
    """Slot, fact, task, model, thinking and sample of each such answer that is looked at."""
    index, grids = snapshot.index, project.grids
    newest = {one.name: one.plane for one in project.graders() if not one.is_person}
    newest.pop(CHOICE, None)
    fact_of = np.full(int(index.questions.max(initial=0)) + 1, -1)
    task_of = fact_of.copy()
    for place in range(len(TASKS)):
        if among.takes(TASKS[place]):
            there = (index.questions[:, place] > 0) & ~index.rejected
            if among.category is not None:
                there &= np.array(index.categories, object) == among.category
            fact_of[index.questions[there, place]] = np.flatnonzero(there)
            task_of[index.questions[there, place]] = place
    parts = [np.zeros((6, 0), np.int64)]
    for (model, thinking), setting in project.setting_ids().items():
        asked = among.model in (None, model) and thinking in among.thinking.settings
        every = [grids.cells(plane, setting) for plane in newest.values()] if asked else []
        for cells in every:
            if cells is None:
                continue
            sample, question = np.nonzero(cells == Outcome.UNSURE)
            known = question < fact_of.size
            sample, question = sample[known], question[known]
            known = fact_of[question] >= 0
            sample, question = sample[known], question[known]
            slot = (question << (SAMPLE_BITS + SETTING_BITS)) | (setting << SAMPLE_BITS) | sample
            answerer = np.full(slot.size, snapshot.answerers.index(model))
            on = np.full(slot.size, int(thinking))
            parts.append(
                np.stack([slot, fact_of[question], task_of[question], answerer, on, sample])
            )
    found = np.unique(np.concatenate(parts, axis=1), axis=1)
    found = found[:, np.lexsort((found[5], found[4], found[3], found[2], found[1]))]
    slot, fact, task, answerer, on, sample = found
    return slot, fact, task, answerer, on.astype(np.bool_), sample
