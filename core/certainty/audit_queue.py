"""Which answers of an audit are decided next, and those that show how often graders are wrong."""

from collections.abc import Iterator
from typing import Any

import numpy as np

import db.question_rows
import db.responses
from core.certainty.audit_evidence import AuditEvidence, read_keys
from core.certainty.audit_order import Floats, first_answer, lure_weights
from core.certainty.fact_answers import FactAnswer, FactAnswers, play_fact
from core.project import OpenProject
from core.scoring.verdicts import CELLS
from core.vocabulary import TASK_INDEX
from db.slot_ids import slot, unpack

FirstAnswer = tuple[int | None, int]
"""The slot of a fact's first answer, and how many answers it was chosen from."""

_PLAYED = 20
"""Facts that tell what a fact costs, before any is audited."""


def read_fact(project: OpenProject, evidence: AuditEvidence, fact: int) -> FactAnswers:
    """The answers to a fact (its place in the audit)."""
    questions = [int(key) for key in evidence.questions[fact] if key]
    keys = read_keys(project, questions)
    answers = [
        FactAnswer(
            key,
            model,
            cell,
            keys[key],
            int(evidence.labels[setting][sample, question]),
            int(evidence.graded[setting][sample, question]),
        )
        for model, cell, setting, question, sample in _list_drawn(evidence, fact)
        for key in [slot(question, setting, sample)]
        if key in keys
    ]
    plan = evidence.frame.plan
    first, _ = find_first(evidence, fact)
    return FactAnswers(answers, first, plan.thinking, plan.policy)


def find_first(evidence: AuditEvidence, fact: int) -> FirstAnswer:
    """The slot of a fact's first answer, one that graders labelled, and how many such there are."""
    frame = evidence.frame
    slots = {
        (str(CELLS[cell][0]), frame.plan.models[model], CELLS[cell][1], sample): slot(
            question, setting, sample
        )
        for model, cell, setting, question, sample in _list_drawn(evidence, fact)
        if evidence.graded[setting][sample, question]
    }
    if not slots:
        return None, 0
    return slots[first_answer(frame.plan.seed, frame.fact_ids[fact], list(slots))], len(slots)


def _list_drawn(evidence: AuditEvidence, fact: int) -> Iterator[tuple[int, int, int, int, int]]:
    """Model, cell, setting, question and sample of the answers that decide a fact."""
    for (model, thinking), setting in evidence.settings.items():
        drawn = evidence.drawn.get(setting)
        for cell, (task, on) in enumerate(CELLS):
            question = int(evidence.questions[fact, TASK_INDEX[task]])
            if drawn is None or on != thinking or not 0 < question < drawn.shape[1]:
                continue
            for sample in np.flatnonzero(drawn[:, question]).tolist():
                yield model, cell, setting, question, sample


def next_rows(project: OpenProject, evidence: AuditEvidence, facts: int) -> list[dict[str, Any]]:
    """Answers to decide of the next facts: rows of labels without grader and label.

    They show question, gold and answer, and nothing of what graders or profiles say.
    """
    waiting = np.flatnonzero(~evidence.settled)[:facts].tolist()
    asked = [
        one.slot for fact in waiting for one in read_fact(project, evidence, fact).next_answers()
    ]
    return _read_rows(project, evidence, asked)


def _read_rows(
    project: OpenProject, evidence: AuditEvidence, slots: list[int]
) -> list[dict[str, Any]]:
    names = {key: name for name, key in evidence.settings.items()}
    stored = {one.slot: one for one in db.responses.read_responses(project.connection, slots)}
    questions = db.question_rows.read_current(project.connection, {unpack(key)[0] for key in slots})
    rows = []
    for key in slots:
        question, setting, sample = unpack(key)
        model, thinking = names[setting]
        asked = questions[question]
        rows.append(
            {
                "fact_id": asked.fact_id,
                "task": str(asked.task),
                "model": evidence.frame.plan.models[model],
                "thinking": thinking,
                "sample": sample,
                "question": asked.text,
                "gold": asked.gold.text,
                "aliases": list(asked.gold.aliases),
                "response": stored[key].text,
            }
        )
    return rows


def grader_errors(
    evidence: AuditEvidence, audited: int, known: dict[int, FirstAnswer] | None = None
) -> tuple[Floats, Floats]:
    """First answers of audited facts: 1 where graders are wrong, and the weight of each.

    `known` are first answers found before by fact, to which those found now are added.
    """
    worth = lure_weights(evidence.frame.weights, audited) if audited else np.empty(0)
    firsts = {} if known is None else known
    wrong, weights = [], []
    for fact in range(audited):
        if fact not in firsts:
            firsts[fact] = find_first(evidence, fact)
        first, answers = firsts[fact]
        if first is None:
            continue
        question, setting, sample = unpack(first)
        said = int(evidence.labels[setting][sample, question])
        if said:
            wrong.append(float(said != evidence.graded[setting][sample, question]))
            weights.append(worth[fact] * answers)
    return np.array(wrong), np.array(weights)


def decisions_per_fact(project: OpenProject, evidence: AuditEvidence, audited: int) -> float:
    """Decisions that a fact takes: as so far, else for a person who labels as the graders do."""
    if audited:
        return float(evidence.decisions[:audited].mean())
    some = range(min(_PLAYED, len(evidence.frame)))
    played = [play_fact(read_fact(project, evidence, fact)) for fact in some]
    return float(np.mean(played)) if played else 0.0
