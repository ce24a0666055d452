"""An audit that is followed says after every act what one says that is read from nothing."""

from typing import Any

import numpy as np
import pytest

from core.certainty.audit_follower import AuditFollower
from core.certainty.audit_frame import find_audit
from core.certainty.audit_queue import read_fact
from core.certainty.audit_report import report_audit
from core.curation.label_writer import set_label, withdraw
from core.project import OpenProject
from core.vocabulary import LABELS, Outcome
from db.connection import write_transaction
from tests.core.certainty.making import FACTS, drawn, label_next, reread
from tests.core.making import put_grades
from tests.effort import HEAVY


def follow(project: OpenProject) -> tuple[OpenProject, AuditFollower]:
    """An audit followed by another program."""
    reader = OpenProject(project.path)
    return reader, AuditFollower(reader, find_audit(reader, "june"))


def same_as_fresh(reader: OpenProject, follower: AuditFollower, project: OpenProject) -> int:
    """Take in what was written, compare all with a fresh reading; gives how many are audited."""
    touched = reader.catch_up().touched
    follower.catch_up(find_audit(project, "june"), touched.questions)
    fresh, here = reread(project), follower.evidence
    assert np.array_equal(fresh.states, here.states)
    assert np.array_equal(fresh.decisions, here.decisions)
    assert np.array_equal(fresh.trusted, here.trusted)
    for key, cells in fresh.labels.items():
        assert np.array_equal(cells, here.labels[key])
    whole: Any = report_audit(project, "june", fresh, 0.1).as_json()
    found: Any = follower.report(0.1, "recall_failure").as_json()
    whole.pop("left"), found.pop("left")
    assert found == whole
    for fact in range(len(fresh.frame)):
        assert read_fact(project, fresh, fact) == follower.answers(fact)
    return here.audited


@pytest.mark.slow
@pytest.mark.parametrize("trusting", [False, True])
def test_following_is_reading_anew(project: OpenProject, trusting: bool) -> None:
    if trusting:
        questions, keys = project.index.questions, project.setting_ids()
        with write_transaction(project.connection):
            for fact in (0, 3, 7):
                for sample in range(4):
                    key = (int(questions[fact][0]) << 20) | (keys["m", False] << 10) | sample
                    put_grades(project, key, {"exact": Outcome.CORRECT})
        project.refresh()
    drawn(project, second="other", trust_exact=trusting)
    rng = np.random.default_rng(4)
    reader, follower = follow(project)
    audited = [same_as_fresh(reader, follower, project)]
    for step in range(40 if HEAVY else 15):
        fact = int(rng.integers(len(follower.frame)))
        answers = follower.answers(fact).answers
        one = answers[int(rng.integers(len(answers)))]
        if step % 3 < 2:
            set_label(project, "ann", one.slot, LABELS[int(rng.integers(4))])
        else:
            withdraw(project, "ann", one.slot)
        audited.append(same_as_fresh(reader, follower, project))
    while label_next(project, 3):
        audited.append(same_as_fresh(reader, follower, project))
    assert audited[-1] == len(FACTS)
    assert len(set(audited)) > 3


def test_rejected_edited_and_regraded_facts_are_read_anew(project: OpenProject) -> None:
    frame = drawn(project)
    reader, follower = follow(project)
    label_next(project, 14)
    same_as_fresh(reader, follower, project)
    with write_transaction(project.connection):
        project.connection.execute(
            "UPDATE fact SET rejected = 1 WHERE fact_id = ?", (frame.fact_ids[2],)
        )
    same_as_fresh(reader, follower, project)
    assert frame.fact_ids[2] not in follower.frame.fact_ids
    with write_transaction(project.connection):
        key = follower.answers(0).answers[0].slot
        put_grades(project, key, {"third": Outcome.OTHER})
    same_as_fresh(reader, follower, project)


def test_bets_end_where_they_do_however_facts_come(project: OpenProject) -> None:
    """Facts one by one, all at once, and with one label taken back in between."""
    drawn(project, second="other")
    reader, follower = follow(project)
    while label_next(project, 14):
        same_as_fresh(reader, follower, project)
    answers = [one for one in follower.answers(4).answers if one.label]
    labels = [(one.slot, LABELS[one.label - 1]) for one in answers]
    for key, _ in labels:
        withdraw(project, "ann", key)
    assert same_as_fresh(reader, follower, project) == 4
    for key, label in labels:
        set_label(project, "ann", key, label)
    assert same_as_fresh(reader, follower, project) == 14
