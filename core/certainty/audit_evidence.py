"""What the person of an audit has said of its facts, answers that are the same taken together."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

import db.audits
import db.grades
import db.model_rows
from core.certainty.audit_frame import AuditFrame, person_rank
from core.certainty.settlement import settle_states
from core.certainty.state_numbers import INCOMPLETE, States
from core.dataset.subsets import Mask
from core.graders.answer_text import answer_in, normalise_answer
from core.project import OpenProject
from core.scoring.curtailed_runs import find_planes
from core.scoring.label_counts import count_labels, find_columns
from core.scoring.precedence import GraderVersion, Rank
from core.scoring.verdicts import CELLS
from core.vocabulary import ENCODING, KNOWLEDGE, LABELS, TASK_INDEX, Outcome
from db.label_grids import DRAWN, Cells
from db.slot_ids import slot, unpack

Ints = npt.NDArray[np.int64]

_OPEN = [TASK_INDEX[task] for task in (*ENCODING, *KNOWLEDGE)]
"""Places of the tasks that decide."""
_NONE: Mask = np.zeros(0, np.bool_)


class _Answer(NamedTuple):
    """What `answer_in` needs of a stored response."""

    text: str
    finish: str | None


@dataclass(frozen=True, slots=True)
class AuditEvidence:
    """The person's labels of the facts of a frame, in its order.

    `states` (models, facts) are those by the person, `INCOMPLETE` where unsettled. `decisions`
    and `trusted` (facts,) count different answers decided, and answers taken as CORRECT since they
    equal a gold. `labels` and `graded` have label codes by setting, shape (samples, questions), as
    `drawn` has 1 where there is an answer; `said` are the labels without those trusted. `questions`
    (facts, tasks) are those in use.
    """

    frame: AuditFrame
    states: States
    decisions: Ints
    trusted: Ints
    settings: dict[tuple[int, bool], int]
    said: dict[int, Cells]
    labels: dict[int, Cells]
    graded: dict[int, Cells]
    drawn: dict[int, Cells]
    questions: Ints

    @property
    def settled(self) -> npt.NDArray[np.bool_]:
        """Which facts are settled with every model, shape (facts,)."""
        found: npt.NDArray[np.bool_] = (self.states != INCOMPLETE).all(axis=0)
        return found

    @property
    def audited(self) -> int:
        """How many facts are settled before the first that is not."""
        settled = self.settled
        return len(settled) if settled.all() else int(settled.argmin())


def read_evidence(
    project: OpenProject,
    frame: AuditFrame,
    before: AuditEvidence | None = None,
    changed: Mask = _NONE,
) -> AuditEvidence:
    """The evidence of an audit as it stands.

    With evidence read `before` of the same frame only the facts that have `changed` since, shape
    (facts,), are looked at one by one.
    """
    plan, index = frame.plan, project.index
    ids = project.setting_ids()
    settings = {
        (model, thinking): ids[name, thinking]
        for model, name in enumerate(plan.models)
        for thinking in (False, True)
        if (name, thinking) in ids
    }
    choice = project.choice_questions()
    shape = {key: project.grids.cells(DRAWN, key) for key in settings.values()}
    drawn = {key: cells for key, cells in shape.items() if cells is not None}
    questions = index.questions[frame.facts]
    person = person_rank(project, plan.person)
    said = _read_cells(project, person, drawn, choice)
    known = project.graders()
    ranks = [Rank(name, find_planes(name, known)) for name in plan.graders]
    graded = {key: _labels(project, ranks, key, choice, cells) for key, cells in drawn.items()}
    decisions, fresh = np.zeros(len(frame), np.int64), np.ones(len(frame), np.bool_)
    if before is not None:
        fresh, decisions = changed, np.where(changed, 0, before.decisions)
        _keep(said, before.said, questions[~fresh][:, _OPEN])
    if person is not None and fresh.any():
        _spread(project, person, said, drawn, questions[:, _OPEN], fresh, decisions)
    labels, trusted = said, {}
    if plan.trust_exact:
        labels = {key: cells.copy() for key, cells in said.items()}
        trusted = _trust_exact(project, known, labels, drawn, choice)
    counts, left, trusts = _count(frame, settings, labels, drawn, trusted, questions)
    states = settle_states(counts, left, np.array(plan.thinking), plan.policy)
    return AuditEvidence(
        frame, states, decisions, trusts, settings, said, labels, graded, drawn, questions
    )


def _keep(said: dict[int, Cells], before: dict[int, Cells], questions: Ints) -> None:
    """Take over the labels of questions of which nothing has changed."""
    columns = questions[questions > 0]
    for key, cells in said.items():
        kept = before.get(key)
        if kept is not None:
            there = columns[columns < min(kept.shape[1], cells.shape[1])]
            rows = min(len(kept), len(cells))
            cells[:rows, there] = kept[:rows, there]


def _labels(
    project: OpenProject, ranks: list[Rank], setting: int, choice: Cells, drawn: Cells
) -> Cells:
    """The labels that count of answers that are there, in the shape of what was drawn."""
    found = np.zeros_like(drawn)
    cells = project.labels(ranks, setting, choice)
    if cells is not None:
        rows, columns = (min(a, b) for a, b in zip(cells.shape, drawn.shape, strict=True))
        found[:rows, :columns] = cells[:rows, :columns]
    return found * (drawn > 0)


def _read_cells(
    project: OpenProject, person: Rank | None, drawn: dict[int, Cells], choice: Cells
) -> dict[int, Cells]:
    ranks = [] if person is None else [person]
    return {key: _labels(project, ranks, key, choice, cells) for key, cells in drawn.items()}


def _spread(
    project: OpenProject,
    person: Rank,
    own: dict[int, Cells],
    drawn: dict[int, Cells],
    questions: Ints,
    fresh: Mask,
    decisions: Ints,
) -> None:
    """Give answers that are the same as one the person labelled its label; count decisions.

    `questions` (facts, tasks) are those that decide, `fresh` the facts that are looked at. Labels
    of models that are not audited count as well. Where labels of the same answer differ, the
    newest is taken for those without one.
    """
    owner = {
        int(key): int(fact) for fact in np.flatnonzero(fresh) for key in questions[fact] if key
    }
    said = _read_person_labels(project, person, owner)
    texts = read_keys(project, sorted({unpack(key)[0] for key in said}))
    newest = _choose_newest(project, person, said, texts)
    used = set()
    for key, place in texts.items():
        question, setting, sample = unpack(key)
        if setting in drawn and place in newest:
            if not own[setting][sample, question]:
                own[setting][sample, question] = newest[place]
            used.add(place)
    for question, _ in used:
        decisions[owner[question]] += 1


def _choose_newest(
    project: OpenProject, person: Rank, said: dict[int, int], texts: dict[int, tuple[int, str]]
) -> dict[tuple[int, str], int]:
    """The label of each different answer; where a person's labels differ, the newest."""
    slots: dict[tuple[int, str], list[int]] = {}
    for key in said:
        slots.setdefault(texts[key], []).append(key)
    apart = [key for keys in slots.values() if len({said[one] for one in keys}) > 1 for key in keys]
    times = db.grades.times(project.connection, person.planes, apart) if apart else {}

    def age(key: int) -> tuple[int, int]:
        return max(times.get((key, plane), -1) for plane in person.planes), key

    return {place: said[max(keys, key=age)] for place, keys in slots.items()}


def _read_person_labels(
    project: OpenProject, person: Rank, wanted: Collection[int]
) -> dict[int, int]:
    """The person's labels of these questions by slot, whatever the model."""
    choice, found = project.choice_questions(), {}
    asked = np.array(sorted(wanted), np.int64)
    for setting in project.setting_ids().values():
        cells = project.labels([person], setting, choice)
        if cells is not None:
            there = asked[asked < cells.shape[1]]
            for sample, place in zip(*np.nonzero(cells[:, there]), strict=True):
                question = int(there[place])
                found[slot(question, setting, int(sample))] = int(cells[sample, question])
    return found


def read_keys(project: OpenProject, questions: list[int]) -> dict[int, tuple[int, str]]:
    """What each answer to these questions says, by slot: question and text as it is compared."""
    models = db.model_rows.settings(project.connection)
    recipes = db.model_rows.recipes(project.connection)
    found = {}
    for key, text, finish in db.audits.answers_to(project.connection, questions):
        question, setting, _ = unpack(key)
        answer = answer_in(_Answer(text, finish), models[setting][1], recipes.get(setting))
        found[key] = (question, normalise_answer(answer))
    return found


def _trust_exact(
    project: OpenProject,
    known: list[GraderVersion],
    own: dict[int, Cells],
    drawn: dict[int, Cells],
    choice: Cells,
) -> dict[int, Cells]:
    """Take what equals a gold for CORRECT where the person has not said; gives it by setting."""
    rank = Rank("exact", find_planes("exact", known))
    found = {}
    for key, cells in drawn.items():
        labels = _labels(project, [rank], key, choice, cells)
        found[key] = ((labels == int(Outcome.CORRECT)) & (own[key] == 0)).astype(np.uint8)
        own[key] |= found[key] * np.uint8(Outcome.CORRECT)
    return found


def _count(
    frame: AuditFrame,
    settings: dict[tuple[int, bool], int],
    own: dict[int, Cells],
    drawn: dict[int, Cells],
    trusted: dict[int, Cells],
    questions: Ints,
) -> tuple[Ints, Ints, Ints]:
    """Labels and answers without one, by cell, model and fact; trusted ones by fact."""
    models, facts = len(frame.plan.models), len(frame)
    counts = np.zeros((len(LABELS), len(CELLS), models, facts), np.int64)
    left = np.zeros((len(CELLS), models, facts), np.int64)
    trusts = np.zeros(facts, np.int64)
    for (model, thinking), key in settings.items():
        columns = find_columns(questions, drawn[key].shape[1])
        labels = count_labels(own[key], columns)
        there = count_labels(np.minimum(drawn[key], 1), columns)[0]
        trusting = count_labels(trusted[key], columns)[0] if trusted else None
        for cell, (task, on) in enumerate(CELLS):
            if on == thinking:
                place = TASK_INDEX[task]
                counts[:, cell, model] = labels[:, place]
                left[cell, model] = there[place] - labels[:, place].sum(axis=0)
                trusts += 0 if trusting is None else trusting[place].astype(np.int64)
    return counts, left, trusts
