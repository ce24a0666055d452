"""What people and other programs change while a plan is filled."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace

import db.connection
import db.facts
import db.integrity
import db.job_rows
import db.responses
import db.sampling_runs
from core.project import OpenProject
from core.providers.base import Reply, Request
from core.sampling.sample_plan import Plan, count_missing
from core.vocabulary import Task
from db.connection import write_transaction
from db.slot_ids import unpack
from tests.core.sampling.filling import fill, run, slots
from tests.core.sampling.scripted import Scripted, capital, say


@contextmanager
def elsewhere(project: OpenProject) -> Iterator[sqlite3.Connection]:
    """A transaction of another program."""
    with (
        closing(db.connection.connect(project.path, "write")) as connection,
        write_transaction(connection),
    ):
        yield connection


def test_a_question_edited_meanwhile_takes_no_answer_to_its_old_text(
    capitals: OpenProject, plan: Plan
) -> None:
    (old,) = capitals.connection.execute(
        "SELECT id FROM question WHERE task = 'direct' AND fact = 1"
    ).fetchone()
    edits = iter([True])

    def edit(request: Request) -> Reply:
        if next(edits, False):
            with elsewhere(capitals) as other:
                other.execute("UPDATE question SET current = 0 WHERE id = ?", (old,))
                other.execute(
                    "INSERT INTO question (fact, task, version, text, current) "
                    "VALUES (1, 'direct', 2, 'Newer?', 1)"
                )
        return say("Paris")(request)

    provider = Scripted(edit)
    few = replace(plan, tasks=(Task.DIRECT,), thinking=(False,))
    outcome = run(capitals, provider, few)
    assert db.responses.slots_of(capitals.connection, [old], 1) == []
    assert "Newer?" in [
        request.messages[-1].content for request in provider.seen if request.messages
    ]
    assert (len(slots(capitals)), count_missing(capitals, few), outcome.failed) == (8, 0, 0)


def test_a_gold_edited_meanwhile_counts_for_what_comes(capitals: OpenProject, plan: Plan) -> None:
    def edit(request: Request) -> Reply:
        if "France" in (request.messages or ())[-1].content:
            with elsewhere(capitals) as other:
                other.execute("UPDATE gold SET current = 0 WHERE fact = 1 AND side = 'object'")
                other.execute(
                    "INSERT INTO gold (fact, side, version, text, current) "
                    "VALUES (1, 'object', 2, 'Lyon', 1)"
                )
        return say("Lyon")(request)

    few = replace(plan, tasks=(Task.DIRECT,), thinking=(False,))
    fill(capitals, Scripted(edit), few, graders=("exact",))
    labels = capitals.connection.execute(
        "SELECT DISTINCT fact_id, label FROM v_labels WHERE grader = 'exact' ORDER BY 1"
    ).fetchall()
    assert labels == [("capital-1", "CORRECT"), ("capital-2", "INCORRECT")]


def test_a_fact_rejected_meanwhile_is_not_asked_about(capitals: OpenProject, plan: Plan) -> None:
    with elsewhere(capitals) as other:
        other.execute("UPDATE fact SET rejected = 1 WHERE id = 2")
    provider = Scripted(say("Paris"))
    run(capitals, provider, replace(plan, tasks=(Task.DIRECT,)))
    assert not [one for one in provider.seen if "Italy" in (one.messages or ())[-1].content]
    wanted = replace(plan, tasks=(Task.DIRECT,))  # a plan that means it: the index knows it now
    assert capitals.index.rejected.tolist() == [False, True]
    assert run(capitals, Scripted(say("Rome")), wanted).waiting == 0
    assert len(slots(capitals)) == 2 * 2 * 4


def test_facts_imported_meanwhile_are_no_part_of_it(capitals: OpenProject, plan: Plan) -> None:
    new = iter([True])

    def importing(request: Request) -> Reply:
        if next(new, False):
            with elsewhere(capitals) as other:
                db.facts.insert(other, [capital(3, "Spain", "Madrid")])
        return say("Paris")(request)

    outcome = run(capitals, Scripted(importing), plan)
    assert (outcome.done, outcome.waiting) == (2 * 18 * 4, 0)
    assert db.sampling_runs.find_unfinished(capitals.connection) == []


def test_a_question_without_a_gold_option_fails_alone(capitals: OpenProject, plan: Plan) -> None:
    with elsewhere(capitals) as other:
        other.execute("UPDATE gold SET text = 'Nowhere' WHERE fact = 1 AND side = 'object'")
    few = replace(plan, tasks=(Task.MC_DIRECT,), thinking=(False,))
    outcome = run(capitals, Scripted(say("A")), few)
    assert (outcome.done, outcome.failed, outcome.waiting) == (4, 4, 0)
    (reason,) = outcome.reasons
    assert "Nowhere" in reason


def test_a_setting_that_was_renumbered_takes_nothing_under_its_old_number(
    capitals: OpenProject, plan: Plan
) -> None:
    moves = iter([True])

    def move(request: Request) -> Reply:
        if next(moves, False):
            with elsewhere(capitals) as other:
                other.execute("PRAGMA defer_foreign_keys = ON")
                other.execute("UPDATE run SET setting = 7 WHERE setting = 1")
                other.execute("UPDATE setting SET id = 7 WHERE id = 1")
        return say("Paris")(request)

    few = replace(plan, tasks=(Task.DIRECT,), thinking=(False,))
    outcome = run(capitals, Scripted(move), few)
    assert {unpack(key)[1] for key in slots(capitals)} == {7}
    assert (len(slots(capitals)), outcome.failed) == (8, 0)
