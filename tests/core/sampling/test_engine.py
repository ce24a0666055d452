"""The engine: fills what is missing, once, whatever happens in between."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import db.checks
import db.responses
import db.runs
from core import discarding
from core.errors import UsageError
from core.names import ENCODING, TASKS, Task
from core.project import Project
from core.providers.base import Draw, FatalError, Reply, Request, TransientError, UnanswerableError
from core.providers.capabilities import describe
from core.sampling import engine
from core.sampling.engine import Outcomes, Plan, Sampling, count_missing
from db.slots import unpack
from tests.core.sampling.scripted import Scripted, say

ROOT = Path(__file__).resolve().parents[3]


def run(project: Project, provider: Scripted, plan: Plan) -> Outcomes:
    outcomes = asyncio.run(Sampling(project, provider, plan).run())
    project.refresh()
    return outcomes


def slots(project: Project) -> list[int]:
    return [key for (key,) in project.connection.execute("SELECT id FROM response ORDER BY id")]


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "FIRST_WAIT", 0.0)


def test_fills_every_slot_of_every_task_once(capitals: Project, plan: Plan) -> None:
    provider = Scripted(say("Paris"))
    outcomes = run(capitals, provider, plan)
    # Ten tasks off, and on all but the two that measure encoding.
    assert outcomes.wanted == outcomes.drawn == 2 * (10 + 8) * 4 == len(slots(capitals))
    assert outcomes.failed == 0
    assert db.runs.unfinished(capitals.connection) == []
    again = Scripted(say("Rome"))
    assert run(capitals, again, plan).wanted == 0
    assert again.seen == []


def test_draws_only_what_is_missing(capitals: Project, plan: Plan) -> None:
    few = replace(plan, samples=1, tasks=(Task.DIRECT,), thinking=(False,))
    run(capitals, Scripted(say("Paris")), few)
    before = slots(capitals)
    provider = Scripted(say("Rome"))
    run(capitals, provider, replace(few, samples=3))
    assert [request.n for request in provider.seen] == [2, 2]
    texts = [row[1] for row in db.responses.of_question(capitals.connection, unpack(before[0])[0])]
    assert texts == ["Paris", "Rome", "Rome"]


def test_encoding_with_thinking_only_when_asked_for(plan: Plan) -> None:
    assert set(plan.tasks_of(True)) == set(TASKS) - set(ENCODING)
    named = replace(plan, tasks=(Task.COMPLETION, Task.DIRECT))
    assert named.tasks_of(True) == (Task.DIRECT,)
    assert replace(named, thinking=(True,)).tasks_of(True) == (Task.COMPLETION, Task.DIRECT)


def test_multiple_choice_is_labelled_as_it_is_drawn(capitals: Project, plan: Plan) -> None:
    mc = replace(plan, tasks=(Task.MC_DIRECT,), thinking=(False,), samples=8)
    run(capitals, Scripted(say("A")), mc)
    rows = capitals.connection.execute(
        "SELECT fact_id, label, count(*) FROM v_labels WHERE grader = 'choice' GROUP BY 1, 2"
    ).fetchall()
    # The gold stands at each position twice in eight samples, so "A" is right twice.
    assert rows == [
        ("capital-1", "CORRECT", 2),
        ("capital-1", "INCORRECT", 6),
        ("capital-2", "CORRECT", 2),
        ("capital-2", "INCORRECT", 6),
    ]
    shown = capitals.connection.execute("SELECT count(*) FROM response WHERE shown IS NULL")
    assert shown.fetchone() == (0,)


def test_asks_as_the_semantics_say(capitals: Project, plan: Plan) -> None:
    provider = Scripted(say("x"))
    run(capitals, provider, replace(plan, model="embedded:smollm2-135m", label="small"))
    raw = [request for request in provider.seen if request.text is not None]
    assert {request.text for request in raw} == {
        "The capital of France is",
        "The capital of Italy is",
    }
    assert all((request.temperature, request.top_p) == (1.0, 1.0) for request in provider.seen)
    chats = [request.messages for request in provider.seen if request.messages]
    assert any("What is the capital of Italy?" in chat[-1].content for chat in chats)
    chosen = [chat for chat in chats if "\nB) " in chat[-1].content]
    choices = [request for request in provider.seen if request.messages in chosen]
    assert choices
    assert all(request.n == 1 for request in choices)


def test_retries_what_may_pass_and_records_what_does_not(capitals: Project, plan: Plan) -> None:
    failures = iter([True, True, False, False])

    def flaky(request: Request) -> Reply:
        if next(failures, False):
            raise TransientError("the server is busy")
        return say("Paris")(request)

    few = replace(plan, tasks=(Task.DIRECT,), thinking=(False,))
    assert run(capitals, Scripted(flaky), few).failed == 0

    def broken(request: Request) -> Reply:
        raise TransientError("the server is down")

    more = replace(few, samples=6)
    outcomes = run(capitals, Scripted(broken), more)
    assert outcomes.failed == 4
    assert outcomes.reasons == {"the server is down": 4}
    found = capitals.connection.execute("SELECT reason, count FROM failure").fetchall()
    assert found == [("the server is down", 1)] * 4
    assert db.runs.unfinished(capitals.connection) != []
    assert run(capitals, Scripted(say("Rome")), more).failed == 0
    assert capitals.connection.execute("SELECT count(*) FROM failure").fetchone() == (0,)


def test_fewer_answers_than_asked_for_are_asked_for_again(capitals: Project, plan: Plan) -> None:
    one = Scripted(lambda request: Reply((Draw("Paris", "stop"),)))
    few = replace(plan, tasks=(Task.DIRECT,), thinking=(False,))
    assert run(capitals, one, few).drawn == 8
    assert sorted(request.n for request in one.seen) == [1, 1, 2, 2, 3, 3, 4, 4]
    none = Scripted(lambda request: Reply(()))
    outcomes = run(capitals, none, replace(few, samples=5))
    assert outcomes.reasons == {"the server sent fewer answers than asked for": 2}


def test_a_server_that_sends_one_answer_at_a_time_fills_every_slot(
    capitals: Project, plan: Plan
) -> None:
    one = Scripted(lambda request: Reply((Draw("Paris", "stop"),)))
    samples = 2 * engine.TRIES
    many = replace(plan, tasks=(Task.DIRECT,), thinking=(False,), samples=samples)
    outcomes = run(capitals, one, many)
    assert (outcomes.drawn, outcomes.failed) == (2 * samples, 0)


def test_a_server_that_is_gone_stops_the_run(
    capitals: Project, plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "HOPELESS", 3)

    def gone(request: Request) -> Reply:
        raise TransientError("nothing listens")

    with pytest.raises(FatalError, match=r"nothing listens.*3 requests in a row"):
        run(capitals, Scripted(gone), plan)
    failures = capitals.connection.execute("SELECT count(*) FROM failure").fetchone()[0]
    assert 0 < failures < count_missing(capitals, plan)
    assert db.runs.unfinished(capitals.connection) != []
    assert run(capitals, Scripted(say("Rome")), plan).failed == 0


def test_one_prompt_that_is_too_long_stops_nothing_else(capitals: Project, plan: Plan) -> None:
    def short_of_room(request: Request) -> Reply:
        if "Italy" in (request.messages or ())[-1].content:
            raise UnanswerableError("the prompt is too long")
        return say("Paris")(request)

    provider = Scripted(short_of_room)
    outcomes = run(capitals, provider, replace(plan, tasks=(Task.DIRECT,), thinking=(False,)))
    assert (outcomes.drawn, outcomes.failed) == (4, 4)
    assert len(provider.seen) == 2


def test_a_fatal_error_stops_the_run_and_keeps_what_came(capitals: Project, plan: Plan) -> None:
    left = iter(range(3))

    def until(request: Request) -> Reply:
        if next(left, None) is None:
            raise FatalError("401: the key is wrong")
        return say("Paris")(request)

    with pytest.raises(FatalError, match="401"):
        run(capitals, Scripted(until), plan)
    capitals.refresh()
    kept = len(slots(capitals))
    assert kept >= 3
    assert count_missing(capitals, plan) == 2 * 18 * 4 - kept


def test_another_recipe_wants_another_label(capitals: Project, plan: Plan) -> None:
    run(capitals, Scripted(say("Paris")), replace(plan, tasks=(Task.DIRECT,)))
    other = replace(plan, model="openai:other@http://127.0.0.1:9/v1")
    with pytest.raises(UsageError, match="--as LABEL"):
        run(capitals, Scripted(say("Paris")), other)
    run(capitals, Scripted(say("Paris")), replace(other, label="other"))
    discarding.discard(
        capitals, discarding.slots_of(capitals, "some-model", (False, True), TASKS), "wrong"
    )
    run(capitals, Scripted(say("Rome")), other)


def test_reasoning_with_thinking_off_is_counted(capitals: Project, plan: Plan) -> None:
    def thinks(request: Request) -> Reply:
        return Reply(tuple(Draw("Paris", "stop", "Let me think", 3) for _ in range(request.n)))

    few = replace(plan, tasks=(Task.DIRECT,))
    assert run(capitals, Scripted(thinks), few).reasoned == 8
    marked = (
        "SELECT count(*), min(reasoning), max(reasoning_tokens) FROM draw WHERE reasoning <> ''"
    )
    assert capitals.connection.execute(marked).fetchone() == (16, "Let me think", 3)


def test_hostile_answers_are_kept_to_the_letter(capitals: Project, plan: Plan) -> None:
    hostile = "[/red]\x1b[2J\x00 שלום 🧿 '; DROP TABLE fact; -- " + "x" * 100_000
    few = replace(plan, tasks=(Task.DIRECT,), thinking=(False,), samples=1)
    run(capitals, Scripted(say(hostile)), few)
    texts = {text for (text,) in capitals.connection.execute("SELECT text FROM response")}
    assert texts == {hostile}
    run(capitals, Scripted(say("half \ud800 a pair")), replace(few, samples=2))
    assert capitals.connection.execute(
        "SELECT text FROM response WHERE id & 1023 = 1"
    ).fetchone() == ("half \ufffd a pair",)


def test_each_fact_is_told_once_when_it_is_through(capitals: Project, plan: Plan) -> None:
    told: list[int] = []
    sampling = Sampling(capitals, Scripted(say("Paris")), plan)
    asyncio.run(sampling.run(on_fact=told.append))
    assert sorted(told) == capitals.index.ids.tolist()


def test_no_more_in_flight_than_the_model_takes(capitals: Project, plan: Plan) -> None:
    flying, most = 0, 0

    class Counting(Scripted):
        async def draw(self, request: Request) -> Reply:
            nonlocal flying, most
            flying += request.n
            most = max(most, flying)
            await asyncio.sleep(0.001)
            flying -= request.n
            return say("Paris")(request)

    embedded = replace(plan, model="embedded:smollm2-135m", samples=8)
    run(capitals, Counting(say("")), embedded)
    limit = describe(embedded.model).sequences
    assert limit is not None
    assert 0 < most <= limit


KILLED = """
import asyncio, sys
import numpy as np
from pathlib import Path
from core.project import Project
from core.providers.base import Draw, Provider, Reply
from core.sampling.engine import Plan, Sampling

class Slow(Provider):
    async def draw(self, request):
        await asyncio.sleep(0.002)
        return Reply(tuple(Draw("Paris", "stop") for _ in range(request.n)))

with Project(Path(sys.argv[1]), "write") as project:
    plan = Plan("{model}", "some-model", 8, np.ones(len(project.index), np.bool_))
    sampling = Sampling(project, Slow(), plan)
    asyncio.run(sampling.run(on_drawn=lambda n: print(n, flush=True)))
"""


def test_kill_minus_nine_loses_nothing_that_counted_as_done(
    capitals: Project, plan: Plan, tmp_path: Path
) -> None:
    program = KILLED.replace("{model}", plan.model)
    random = np.random.default_rng(7)
    acknowledged = 0
    for _ in range(6):
        with subprocess.Popen(
            [sys.executable, "-c", program, str(capitals.path)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        ) as child:
            assert child.stdout is not None
            first = child.stdout.readline()
            time.sleep(float(random.uniform(0, 0.03)))
            child.send_signal(signal.SIGKILL)
            rest = child.stdout.read().split("\n")[:-1]
        acknowledged += sum(int(line) for line in [first.strip() or "0", *rest])
        assert len(slots(capitals)) >= acknowledged
    capitals.refresh()
    full = replace(plan, samples=8)
    run(capitals, Scripted(say("Rome")), full)
    found = slots(capitals)
    assert len(found) == len(set(found)) == 2 * 18 * 8
    assert db.checks.faults(capitals.connection) == []
    assert not db.checks.grids_are_stale(capitals.connection)
