"""Answering: fills what is missing, once, and grades it."""

import asyncio
from collections import Counter
from dataclasses import replace

import pytest

import db.connection
import db.integrity
import db.job_rows
import db.responses
import db.sampling_runs
from core.curation import response_discards
from core.engine.retry import OutageError
from core.errors import UsageError
from core.project import OpenProject
from core.providers.base import Draw, FatalError, Reply, Request, TransientError, UnanswerableError
from core.providers.registry import describe
from core.sampling.sample_plan import Plan, count_missing
from core.vocabulary import ENCODING, TASKS, Task
from db.slot_ids import unpack
from tests.core.sampling.filling import HASTY, fill, run, slots
from tests.core.sampling.scripted import Scripted, say


def test_fills_every_slot_of_every_task_once(capitals: OpenProject, plan: Plan) -> None:
    provider = Scripted(say("Paris"))
    outcome = run(capitals, provider, plan)
    # Ten tasks off, and on all but the two that measure encoding.
    assert outcome.done == 2 * (10 + 8) * 4 == len(slots(capitals))
    assert (outcome.failed, outcome.waiting) == (0, 0)
    assert db.sampling_runs.find_unfinished(capitals.connection) == []
    again = Scripted(say("Rome"))
    assert run(capitals, again, plan).done == outcome.done
    assert again.seen == []


def test_leaves_no_lease_and_no_claim(capitals: OpenProject, plan: Plan) -> None:
    run(capitals, Scripted(say("Paris")), plan)
    for table in ("lease", "claim"):
        assert capitals.connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)


def test_draws_only_what_is_missing(capitals: OpenProject, plan: Plan) -> None:
    few = replace(plan, samples=1, tasks=(Task.DIRECT,), thinking=(False,))
    run(capitals, Scripted(say("Paris")), few)
    before = slots(capitals)
    provider = Scripted(say("Rome"))
    run(capitals, provider, replace(few, samples=3))
    assert [(request.n, request.samples) for request in provider.seen] == [(2, (1, 2))] * 2
    texts = [
        row[1] for row in db.responses.read_answers(capitals.connection, [unpack(before[0])[0]])
    ]
    assert texts == ["Paris", "Rome", "Rome"]


def test_encoding_with_thinking_only_when_asked_for(plan: Plan) -> None:
    assert set(plan.tasks_of(True)) == set(TASKS) - set(ENCODING)
    named = replace(plan, tasks=(Task.COMPLETION, Task.DIRECT))
    assert named.tasks_of(True) == (Task.DIRECT,)
    assert replace(named, thinking=(True,)).tasks_of(True) == (Task.COMPLETION, Task.DIRECT)


def test_multiple_choice_is_labelled_as_it_is_drawn(capitals: OpenProject, plan: Plan) -> None:
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


def test_asks_as_the_semantics_say(capitals: OpenProject, plan: Plan) -> None:
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


def test_retries_what_may_pass_and_records_what_does_not(capitals: OpenProject, plan: Plan) -> None:
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
    outcome = run(capitals, Scripted(broken), more)
    assert outcome.failed == 4
    assert outcome.reasons == {"the server is down": 4}
    found = capitals.connection.execute("SELECT reason, count FROM failure").fetchall()
    assert found == [("the server is down", 1)] * 4
    assert db.sampling_runs.find_unfinished(capitals.connection) != []
    assert run(capitals, Scripted(say("Rome")), more).failed == 0
    assert capitals.connection.execute("SELECT count(*) FROM failure").fetchone() == (0,)


def test_fewer_answers_than_asked_for_are_asked_for_again(
    capitals: OpenProject, plan: Plan
) -> None:
    one = Scripted(lambda request: Reply((Draw("Paris", "stop"),)))
    few = replace(plan, tasks=(Task.DIRECT,), thinking=(False,))
    assert run(capitals, one, few).done == 8
    assert sorted(request.samples for request in one.seen) == [
        *[(0, 1, 2, 3)] * 2,
        *[(1, 2, 3)] * 2,
        *[(2, 3)] * 2,
        *[(3,)] * 2,
    ]
    none = Scripted(lambda request: Reply(()))
    outcome = run(capitals, none, replace(few, samples=5))
    assert outcome.reasons == {"the server sent fewer answers than asked for": 2}


def test_a_server_that_sends_one_answer_at_a_time_fills_every_slot(
    capitals: OpenProject, plan: Plan
) -> None:
    one = Scripted(lambda request: Reply((Draw("Paris", "stop"),)))
    samples = 2 * HASTY.tries
    many = replace(plan, tasks=(Task.DIRECT,), thinking=(False,), samples=samples)
    outcome = run(capitals, one, many)
    assert (outcome.done, outcome.failed) == (2 * samples, 0)


def test_a_server_that_is_gone_stops_the_run(capitals: OpenProject, plan: Plan) -> None:
    def gone(request: Request) -> Reply:
        raise TransientError("nothing listens")

    impatient = replace(HASTY, patience=0.0, first_patience=0.0)
    with pytest.raises(OutageError, match="nothing listens"):
        fill(capitals, Scripted(gone), plan, retry=impatient)
    capitals.refresh()
    assert count_missing(capitals, plan) == 2 * 18 * 4
    assert db.sampling_runs.find_unfinished(capitals.connection) != []
    assert run(capitals, Scripted(say("Rome")), plan).failed == 0
    assert count_missing(capitals, plan) == 0


def test_one_prompt_that_is_too_long_stops_nothing_else(capitals: OpenProject, plan: Plan) -> None:
    def short_of_room(request: Request) -> Reply:
        if "Italy" in (request.messages or ())[-1].content:
            raise UnanswerableError("the prompt is too long")
        return say("Paris")(request)

    provider = Scripted(short_of_room)
    outcome = run(capitals, provider, replace(plan, tasks=(Task.DIRECT,), thinking=(False,)))
    assert (outcome.done, outcome.failed) == (4, 4)
    assert len(provider.seen) == 2


def test_a_fatal_error_stops_the_run_and_keeps_what_came(capitals: OpenProject, plan: Plan) -> None:
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


def test_another_recipe_wants_another_label(capitals: OpenProject, plan: Plan) -> None:
    run(capitals, Scripted(say("Paris")), replace(plan, tasks=(Task.DIRECT,)))
    other = replace(plan, model="openai:other@http://127.0.0.1:9/v1")
    with pytest.raises(UsageError, match="--as NAME"):
        run(capitals, Scripted(say("Paris")), other)
    run(capitals, Scripted(say("Paris")), replace(other, label="other"))
    response_discards.discard(
        capitals, response_discards.slots_of(capitals, "some-model", (False, True), TASKS), "wrong"
    )
    run(capitals, Scripted(say("Rome")), other)


def test_reasoning_with_thinking_off_is_counted(capitals: OpenProject, plan: Plan) -> None:
    def thinks(request: Request) -> Reply:
        return Reply(tuple(Draw("Paris", "stop", "Let me think", 3) for _ in range(request.n)))

    few = replace(plan, tasks=(Task.DIRECT,))
    outcome = run(capitals, Scripted(thinks), few)
    assert outcome.answering.reasoned == 8
    said = [event.text for event in outcome.counters.unsaved if event.kind == "warn"]
    assert said[-1] == "8 answers show reasoning though thinking is off, marked"
    marked = (
        "SELECT count(*), min(reasoning), max(reasoning_tokens) FROM draw WHERE reasoning <> ''"
    )
    assert capitals.connection.execute(marked).fetchone() == (16, "Let me think", 3)


def test_hostile_answers_are_kept_to_the_letter(capitals: OpenProject, plan: Plan) -> None:
    hostile = "[/red]\x1b[2J\x00 שלום 🧿 '; DROP TABLE fact; -- " + "x" * 100_000
    few = replace(plan, tasks=(Task.DIRECT,), thinking=(False,), samples=1)
    run(capitals, Scripted(say(hostile)), few)
    texts = {text for (text,) in capitals.connection.execute("SELECT text FROM response")}
    assert texts == {hostile}
    run(capitals, Scripted(say("half \ud800 a pair")), replace(few, samples=2))
    assert capitals.connection.execute(
        "SELECT text FROM response WHERE id & 1023 = 1"
    ).fetchone() == ("half \ufffd a pair",)


def test_each_fact_is_told_once_when_it_is_through(capitals: OpenProject, plan: Plan) -> None:
    told: list[tuple[int, int]] = []

    def on_fact(fact: int) -> None:
        found = capitals.connection.execute(
            "SELECT count(*) FROM response JOIN question ON question.id = question WHERE fact = ?",
            (fact,),
        )
        told.append((fact, *found.fetchone()))

    fill(capitals, Scripted(say("Paris")), plan, on_fact=on_fact)
    assert sorted(told) == [(fact, 18 * 4) for fact in capitals.index.ids.tolist()]
    told.clear()
    fill(capitals, Scripted(say("Paris")), plan, on_fact=on_fact)
    assert [fact for fact, _ in told] == capitals.index.ids.tolist()


def test_no_more_in_flight_than_the_model_takes(capitals: OpenProject, plan: Plan) -> None:
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


def test_answers_are_graded_as_they_come(capitals: OpenProject, plan: Plan) -> None:
    outcome = fill(capitals, Scripted(say("Paris")), plan, graders=("lexical", "exact"))
    capitals.refresh()
    labels = Counter(
        capitals.connection.execute("SELECT grader, label FROM v_labels WHERE NOT thinking")
    )
    # Six open questions a fact, four answers each; "Paris" is right for three of France's.
    assert labels["exact", "CORRECT"] == 4 * 4
    assert (
        labels["exact", "CORRECT"] + labels["exact", "INCORRECT"] + labels["exact", "OTHER"] == 48
    )
    assert sum(count for (grader, _), count in labels.items() if grader == "lexical") == 48
    for name in ("grade lexical", "grade exact"):
        stage = outcome.counters.stages[name]
        assert (stage.waiting, stage.running, stage.done, stage.dropped) == (0, 0, 48 + 32, 0)
    recent = outcome.counters.recent[-1]
    assert (recent.text, recent.about) == ("Paris", "Italy")
    assert recent.label is not None


def test_what_has_just_been_answered_is_the_answer_and_not_its_reasons(
    capitals: OpenProject, plan: Plan
) -> None:
    thinking = replace(plan, thinking=(True,))
    outcome = fill(capitals, Scripted(say("Reason: it is large. Answer: Paris")), thinking)
    assert {recent.text for recent in outcome.counters.recent} == {"Paris"}


def test_what_failed_has_nothing_to_grade(capitals: OpenProject, plan: Plan) -> None:
    def italy_fails(request: Request) -> Reply:
        if "Italy" in (request.messages or ())[-1].content:
            raise UnanswerableError("the prompt is too long")
        return say("Paris")(request)

    few = replace(plan, tasks=(Task.DIRECT,), thinking=(False,))
    outcome = fill(capitals, Scripted(italy_fails), few, graders=("exact",))
    stage = outcome.counters.stages["grade exact"]
    assert (stage.waiting, stage.done, stage.dropped) == (0, 4, 4)


def test_answers_from_before_are_graded_afterwards(capitals: OpenProject, plan: Plan) -> None:
    run(capitals, Scripted(say("Paris")), plan)
    outcome = fill(capitals, Scripted(say("Rome")), plan, graders=("exact",))
    stage = outcome.counters.stages["grade exact"]
    assert (stage.waiting, stage.done) == (2 * (6 + 4) * 4, 0)
    while outcome.answering.grade_rest():
        pass
    assert (stage.waiting, stage.done) == (0, 2 * (6 + 4) * 4)
    graded = "SELECT count(*) FROM v_labels WHERE grader = 'exact'"
    assert capitals.connection.execute(graded).fetchone() == (80,)
    assert not outcome.answering.grade_rest()


def test_only_what_failed_is_asked_again(capitals: OpenProject, plan: Plan) -> None:
    def italy_fails(request: Request) -> Reply:
        if "Italy" in (request.messages or ())[-1].content:
            raise UnanswerableError("the prompt is too long")
        return say("Paris")(request)

    few = replace(plan, tasks=(Task.DIRECT,), thinking=(False,), samples=2)
    assert run(capitals, Scripted(italy_fails), few).failed == 2
    retry = replace(plan, only_failed=True)
    assert count_missing(capitals, retry) == 2
    again = Scripted(say("Rome"))
    outcome = run(capitals, again, retry)
    assert [request.samples for request in again.seen] == [(0, 1)]
    assert (outcome.done, outcome.waiting, count_missing(capitals, retry)) == (2, 0, 0)
    assert count_missing(capitals, few) == 0
    assert db.sampling_runs.find_unfinished(capitals.connection) != []  # the whole plan has more
