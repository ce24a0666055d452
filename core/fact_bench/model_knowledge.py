"""What three ways of asking say that a model knows of triples: true, false, or nothing.

Known by FACT-BENCH is a triple whose zero-shot answer is right (section 4.2), by the profile one
whose gradable direct questions all pass, by ZP-LKE one whose object is the most probable option.
"""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from core.errors import UsageError
from core.fact_bench.bench_evidence import BenchEvidence
from core.modes import ZERO_SHOT, Arm
from core.scoring.latent_verdicts import LatentMark, read_latent_marks
from core.scoring.policy import Policy
from core.scoring.question_states import FAIL, PASS, states
from core.vocabulary import TASK_INDEX, Outcome, Task

Known = npt.NDArray[np.int8]
"""1 known, 0 not known, -1 where nothing can be said; shape (triples,)."""

FACT_BENCH, PROFILE, ZP_LKE = METHODS = ("fact_bench", "profile", "zp_lke")
DIRECT = (Task.DIRECT, Task.DIRECT_NATURAL)
EM = "em"


def read_knowledge(evidence: BenchEvidence, model: str) -> Mapping[str, Known]:
    """What each method says of every triple of the set."""
    return {
        FACT_BENCH: _by_answer(evidence, model),
        PROFILE: _by_profile(evidence, model),
        ZP_LKE: _by_options(evidence, model),
    }


def as_json(value: int) -> bool | None:
    """A cell of `Known`."""
    return None if value < 0 else bool(value)


def _by_answer(evidence: BenchEvidence, model: str) -> Known:
    """Whether zero-shot answers are right by the grader that is asked."""
    wanted = Arm(model, ZERO_SHOT)
    found = np.full(len(evidence.triples), -1, np.int8)
    for one in evidence.every_arm:
        if one.arm == wanted:
            scores = evidence.scores(one)
            if evidence.known_by == EM:
                found[scores.answered] = scores.em[scores.answered]
            else:
                labels = evidence.labels(one, evidence.known_by)
                found[labels > 0] = labels[labels > 0] == Outcome.CORRECT
    return found


def _by_profile(evidence: BenchEvidence, model: str) -> Known:
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


def _by_options(evidence: BenchEvidence, model: str) -> Known:
    """Whether the object is the most probable option where nobody asks."""
    marks = read_latent_marks(evidence.project.connection, [model], evidence.triples.facts)[0]
    found = np.full(marks.size, -1, np.int8)
    found[marks == LatentMark.KNOWN] = 1
    found[marks == LatentMark.UNKNOWN] = 0
    return found
