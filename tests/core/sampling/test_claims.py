"""Who asks for what, among several programs, and what is done about replies that come oddly."""

from contextlib import suppress
from dataclasses import replace

import db.connection
import db.integrity
import db.job_rows
import db.responses
import db.sampling_runs
from core.engine.lease_holder import LeaseHolder
from core.engine.run_counters import RunCounters
from core.project import OpenProject
from core.providers.base import Draw, Reply
from core.sampling.sample_plan import Plan
from core.sampling.sample_requests import SampleRequest
from core.sampling.sample_work import SampleWork
from core.vocabulary import Task
from db.connection import write_transaction
from tests.core.sampling.filling import run, slots
from tests.core.sampling.scripted import Scripted, say


def asked(
    project: OpenProject, plan: Plan, graders: tuple[str, ...] = ()
) -> tuple[SampleWork, RunCounters, list[SampleRequest]]:
    """A work, its counters, and all that it has to ask."""
    counters = RunCounters()
    work = SampleWork(project, plan, LeaseHolder(project.connection), counters, graders)
    asks: list[SampleRequest] = []
    while found := work.next(10):
        asks += found
    return work, counters, asks


def reply(ask: SampleRequest, count: int | None = None) -> Reply:
    return Reply((Draw("Paris", "stop"),) * (len(ask.samples) if count is None else count))


def test_taking_again_what_was_undone_changes_nothing(capitals: OpenProject, plan: Plan) -> None:
    work, counters, asks = asked(capitals, plan, ("exact",))
    first = [(ask, reply(ask, 1)) for ask in asks]
    with suppress(ZeroDivisionError), write_transaction(capitals.connection):
        work.take_all(first)
        raise ZeroDivisionError
    assert slots(capitals) == []
    rests: list[SampleRequest] = []
    with write_transaction(capitals.connection):
        for ask, some in first:
            rests += work.take_all([(ask, some)])[0].further
    assert len(slots(capitals)) == len(asks)
    assert sum(len(ask.samples) for ask in rests) == 2 * 18 * 4 - len(asks)
    last = [(ask, reply(ask)) for ask in rests]
    with suppress(ZeroDivisionError), write_transaction(capitals.connection):
        work.take_all(last)
        raise ZeroDivisionError
    with write_transaction(capitals.connection):
        assert not any(one.further for one in work.take_all(last))
        assert capitals.connection.execute("SELECT count(*) FROM claim").fetchone() == (0,)
    assert len(slots(capitals)) == 2 * 18 * 4
    assert work.next(10) is None
    work.close()
    assert counters.stages["grade exact"].done == 2 * (6 + 4) * 4


def test_an_ask_can_be_made_again_from_its_slots(capitals: OpenProject, plan: Plan) -> None:
    _, _, asks = asked(capitals, plan)
    work, _, others = asked(capitals, plan)
    assert others == []  # all is claimed
    restored = [work.restore(ask.slots) for ask in asks]
    assert restored == asks
    with write_transaction(capitals.connection):
        work.take_all([(ask, reply(ask)) for ask in restored if ask is not None])
    assert len(slots(capitals)) == 2 * 18 * 4
    with write_transaction(capitals.connection):
        capitals.connection.execute("UPDATE question SET current = 0 WHERE fact = 1")
    assert {work.restore(ask.slots) is None for ask in asks if ask.question.fact == 1} == {True}


def test_who_waits_for_others_fills_what_they_leave(capitals: OpenProject, plan: Plan) -> None:
    lease_holder, counters = LeaseHolder(capitals.connection), RunCounters()
    first = SampleWork(capitals, plan, lease_holder, counters)
    some = first.next(1)
    assert some
    work, _, asks = asked(capitals, plan)
    assert not {ask.cell for ask in some} & {ask.cell for ask in asks}
    assert work.next(10) == []
    lease_holder.close()
    left = work.next(1_000)
    assert left is not None
    assert sorted(ask.slots for ask in left) == sorted(ask.slots for ask in some)
    assert work.next(10) is None


def test_what_is_in_a_batch_is_not_waited_for(capitals: OpenProject, plan: Plan) -> None:
    few = replace(plan, tasks=(Task.DIRECT,), thinking=(False,))
    _, _, asks = asked(capitals, few)
    with write_transaction(capitals.connection):
        job = db.job_rows.create(capitals.connection, "sample", "m", "{}")
        capitals.connection.execute(
            "INSERT INTO batch (id, job, token, lane, state, items) "
            "VALUES (1, ?, 't', 'm', 'submitted', '[]')",
            (job,),
        )
        capitals.connection.execute(
            "UPDATE claim SET lease = NULL, batch = 1 WHERE item = ?", (asks[0].cell,)
        )
    work, counters, others = asked(capitals, few)
    assert others == []
    (stage,) = counters.stages.values()
    assert (stage.waiting, stage.dropped) == (4, 4)
    assert work.next(10) == []  # the other half is with a program


def test_an_answer_that_comes_too_late_is_dropped(capitals: OpenProject, plan: Plan) -> None:
    """A program slept, another one took over and was first."""
    few = replace(plan, tasks=(Task.DIRECT,), thinking=(False,))
    sleeper, _, asks = asked(capitals, few)
    with write_transaction(capitals.connection):
        capitals.connection.execute("DELETE FROM lease")
    run(capitals, Scripted(say("Rome")), few)
    before = capitals.connection.execute("SELECT id, text FROM response").fetchall()
    with write_transaction(capitals.connection):
        taken = sleeper.take_all([(ask, reply(ask)) for ask in asks])
        assert not any(one.further for one in taken)
    assert capitals.connection.execute("SELECT id, text FROM response").fetchall() == before
    assert sleeper.next(10) is None
    sleeper.close()
    assert not db.integrity.grids_are_stale(capitals.connection)
