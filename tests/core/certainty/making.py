"""Fourteen facts with answers and two graders, and a person who audits them."""

from pathlib import Path
from typing import Any

from core.certainty.audit_draw import draw_frame, keep_frame, make_plan
from core.certainty.audit_evidence import AuditEvidence, read_evidence
from core.certainty.audit_frame import AuditFrame, find_audit, read_frame
from core.certainty.audit_queue import next_rows
from core.certainty.audit_report import AuditReport, report_audit
from core.curation.label_writer import set_label
from core.project import OpenProject
from core.scoring.policy import Policy
from core.scoring.verdicts import CELLS
from core.vocabulary import TASKS, Label, Outcome, Task
from db.slot_ids import slot
from tests.core.making import Row, a_fact, new_project, put_facts, put_rows

FACTS = [f"F{number}" for number in range(14)]
POLICY = Policy(graders=("judge",))
ANN = "human:ann"


def truth_of(fact: int, task: Task, thinking: bool, sample: int) -> Label:
    """What the person says: facts differ in what is known of them."""
    kind = fact % 4
    good = {0: True, 1: task in TASKS[:2], 2: task in TASKS[:2] or thinking, 3: False}[kind]
    if fact == 13:
        return Label.OTHER
    return Label.CORRECT if good != (sample == 3) else Label.INCORRECT


def graded(fact: int, label: Label) -> Outcome:
    """The graders call what is right in two facts wrong."""
    return (
        Outcome.INCORRECT
        if fact in (4, 9) and label is Label.CORRECT
        else Outcome.from_label(label)
    )


def make_project(path: Path) -> OpenProject:
    """Fourteen facts, one model, four answers to each of ten questions, two graders."""
    made = new_project(path)
    put_facts(made, [a_fact(fact, TASKS[:6]) for fact in FACTS])
    rows = []
    for place, fact in enumerate(FACTS):
        for task, thinking in CELLS:
            for sample in range(4):
                label = truth_of(place, task, thinking, sample)
                grades = {"judge": graded(place, label), "other": Outcome.from_label(label)}
                text = f"{label} {min(sample, 2)}"
                rows.append(Row(fact, task, "m", thinking, sample, grades, text))
    put_rows(made, rows)
    return made


def drawn(project: OpenProject, name: str = "june", **options: Any) -> AuditFrame:
    plan = make_plan(project, POLICY, ANN, seed=3, **options)
    frame = draw_frame(project, plan)
    keep_frame(project, name, frame)
    return frame


def reread(project: OpenProject) -> AuditEvidence:
    project.refresh()
    return read_evidence(project, read_frame(project, find_audit(project, "june")))


def label_next(project: OpenProject, facts: int = 1) -> int:
    rows = next_rows(project, reread(project), facts)
    keys = project.setting_ids()
    for row in rows:
        fact = FACTS.index(row["fact_id"])
        question = project.index.questions[fact, TASKS.index(row["task"])]
        key = slot(int(question), keys["m", row["thinking"]], row["sample"])
        label = truth_of(fact, Task(row["task"]), row["thinking"], row["sample"])
        set_label(project, "ann", key, label)
    project.refresh()
    return len(rows)


def report(project: OpenProject, **options: Any) -> AuditReport:
    return report_audit(project, "june", reread(project), **options)
