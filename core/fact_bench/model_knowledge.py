"""What three ways of asking say that a model knows of triples: true, false, or nothing.

Known by FACT-BENCH is a triple whose zero-shot answer is right (section 4.2), by the profile one
whose gradable direct questions all pass, by ZP-LKE one whose object is the most probable option.
"""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

import db.question_rows
import db.responses
from core.dataset.subsets import Mask
from core.errors import UsageError
from core.fact_bench.arm_list import BenchArm
from core.fact_bench.bench_evidence import BenchEvidence
from core.graders.grader_table import BUILTIN
from core.modes import ZERO_SHOT, Arm
from core.scoring.latent_verdicts import LatentMark, read_latent_marks
from core.scoring.policy import Policy
from core.scoring.question_states import FAIL, PASS, states
from core.vocabulary import TASK_INDEX, Outcome, Task
from db.label_grids import Cells
from db.responses import ToGrade
from db.slot_ids import slot, unpack

Known = npt.NDArray[np.int8]
"""1 known, 0 not known, -1 where nothing can be said; shape (triples,)."""

FACT_BENCH, PROFILE, ZP_LKE = METHODS = ("fact_bench", "profile", "zp_lke")
DIRECT = (Task.DIRECT, Task.DIRECT_NATURAL)
EM = "em"


def read_knowledge(evidence: BenchEvidence, model: str) -> Mapping[str, Known]:
    """What each method says of every triple of the set."""
    return {
        FACT_BENCH: _judge_by_answer(evidence, model),
        PROFILE: _judge_by_profile(evidence, model),
        ZP_LKE: _judge_by_options(evidence, model),
    }


def find_known_facts(evidence: BenchEvidence, model: str) -> dict[int, bool]:
    """Which facts (ids) a model knows by its zero-shot answers; those without a label are left."""
    known = _judge_by_answer(evidence, model)
    facts = evidence.triples.facts
    return {int(facts[at]): bool(known[at]) for at in np.flatnonzero(known >= 0)}


def as_json(value: int) -> bool | None:
    """A cell of `Known`."""
    return None if value < 0 else bool(value)


def _judge_by_answer(evidence: BenchEvidence, model: str) -> Known:
    """Whether zero-shot answers are right by the grader that is asked."""
    wanted = Arm(model, ZERO_SHOT)
    found = np.full(len(evidence.triples), -1, np.int8)
    for one in evidence.every_arm:
        if one.arm == wanted:
            scores = evidence.scores(one)
            if evidence.known_by == EM:
                found[scores.answered] = scores.em[scores.answered]
            else:
                labels = _labels(evidence, one, scores.answered)
                found[labels > 0] = labels[labels > 0] == Outcome.CORRECT
    return found


def _labels(evidence: BenchEvidence, arm: BenchArm, answered: Mask) -> Cells:
    """Labels of answers by the grader that is asked; one that needs no model gives what lacks."""
    project, triples, grader = evidence.project, evidence.triples, evidence.known_by
    here = BUILTIN.get(grader)
    is_there = any(one.name == grader for one in project.graders())
    if here is None or here.reads_choice:
        return evidence.labels(arm, grader)
    labels = evidence.labels(arm, grader if is_there else None)
    lacking = triples.questions[answered & (labels == 0)].tolist()
    if lacking:
        asked = db.question_rows.read_current(project.connection, lacking)
        place = {question: at for at, question in enumerate(triples.questions.tolist())}
        slots = [slot(question, arm.setting, 0) for question in lacking]
        for response in db.responses.read_responses(project.connection, slots):
            question = asked[unpack(response.slot)[0]]
            given = ToGrade(response.slot, arm.setting, response.text, None, response.finish)
            label = here.label(question, response.text, given)
            labels[place[question.id]] = 0 if label is None else Outcome.from_label(label)
    return labels


def _judge_by_profile(evidence: BenchEvidence, model: str) -> Known:
    """Whether the model passes every gradable direct question, thinking off."""
    project, triples = evidence.project, evidence.triples
    found = np.full(len(triples), -1, np.int8)
    setting = project.setting_ids().get((model, False))
    if setting is None:
        return found
    policy = Policy()
    try:
        ranks = project.ranks(policy)
    except UsageError:  # several graders, none of them first: nothing can be said
        return found
    tally = project.tally(ranks, [model])
    row = tally.rows[0, 0]
    tasks = [TASK_INDEX[task] for task in DIRECT]
    of_tasks = states(tally.labels[row][:, tasks], policy)
    places = np.searchsorted(project.index.ids, triples.facts)
    passes, fails = ((of_tasks == state).any(axis=0)[places] for state in (PASS, FAIL))
    found[passes] = 1
    found[fails] = 0
    return found


def _judge_by_options(evidence: BenchEvidence, model: str) -> Known:
    """Whether the object is the most probable option where nobody asks."""
    marks = read_latent_marks(evidence.project.connection, [model], evidence.triples.facts)[0]
    found = np.full(marks.size, -1, np.int8)
    found[marks == LatentMark.KNOWN] = 1
    found[marks == LatentMark.UNKNOWN] = 0
    return found
