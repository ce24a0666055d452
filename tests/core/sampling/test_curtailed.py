"""Curtailed runs against full runs of the same answers."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest

import db.facts
import db.question_rows
import db.sampling_runs
from core.analyses.analysis import analyse
from core.curation.label_writer import set_label
from core.engine.db_writer import DbWriter
from core.engine.engine import Engine
from core.engine.lease_holder import LeaseHolder
from core.engine.model_channel import ModelChannel, limits_for
from core.engine.run_counters import RunCounters
from core.errors import LostkeysError, UsageError
from core.figures.figure_table import make
from core.project import OpenProject
from core.providers.base import Draw, Reply, Request
from core.providers.registry import describe
from core.results import profile_summary
from core.sampling.curtailed_work import DECIDED, CurtailedWork, count_labels
from core.sampling.sample_plan import Plan
from core.sampling.sample_requests import SampleRequest
from core.sampling.sample_work import SampleWork
from core.scoring import curtailed_runs
from core.scoring.curtailment import from_text
from core.scoring.policy import Policy
from core.scoring.verdicts import INCOMPLETE
from core.vocabulary import TASKS, Label, Strategy, Task
from db.connection import write_transaction
from db.slot_ids import slot
from tests.core.making import new_project
from tests.core.sampling.scripted import MODEL, Scripted, capital

FACTS = 12
SAMPLES = 8
LABEL = "some-model"
Say = Callable[[SampleRequest, int], str]


@pytest.fixture
def places(project: OpenProject) -> OpenProject:
    """A project with a dozen facts, two of them without some questions."""
    facts = [capital(number, f"Country{number}", f"City{number}") for number in range(FACTS)]
    del facts[3].questions[Task.CONTEXTUAL]  # type: ignore[attr-defined]
    for task in (Task.REVERSE, Task.REVERSE_NATURAL):
        del facts[7].questions[task]  # type: ignore[attr-defined]
    with write_transaction(project.connection):
        db.facts.insert(project.connection, facts)
    project.refresh()
    return project


def everything(project: OpenProject, **options: object) -> Plan:
    facts = np.ones(len(project.index), np.bool_)
    return replace(Plan(MODEL, LABEL, SAMPLES, facts), **options)  # type: ignore[arg-type]


def by_chance(seed: int) -> Say:
    """Answers that are right by a chance of each question's own, the same for each slot."""

    def say(ask: SampleRequest, sample: int) -> str:
        question = ask.question
        of_question = Random(f"{seed}/{question.fact}/{question.task}/{ask.thinking}")
        vague = of_question.choice([0.0, 0.05, 0.05, 0.3, 1.0])
        right = of_question.choice([0.05, 0.5, 0.95])
        random = Random(f"{seed}/{question.fact}/{question.task}/{ask.thinking}/{sample}")
        if random.random() < vague:
            return ""
        if question.task.is_choice:
            return random.choice("ABCD")
        return question.gold.text if random.random() < right else "Atlantis"

    return say


class Driver:
    """Works through a work as the engine does, one request after another."""

    def __init__(self, project: OpenProject, say: Say) -> None:
        self.project, self.say = project, say
        self.asked: list[int] = []
        self.counters = RunCounters()

    def full(self, plan: Plan) -> None:
        self.run(
            lambda lease_holder: SampleWork(
                self.project, plan, lease_holder, self.counters, ["lexical"]
            )
        )

    def curtailed(
        self, plan: Plan, policy: Policy, most: int | None = None, every_question: bool = False
    ) -> None:
        """Draw what a policy needs; stops dead after `most` requests."""
        self.run(
            lambda lease_holder: CurtailedWork(
                self.project,
                plan,
                lease_holder,
                self.counters,
                ["lexical"],
                policy,
                every_question=every_question,
            ),
            most,
        )

    def run(self, work_of: Callable[[LeaseHolder], SampleWork], most: int | None = None) -> None:
        lease_holder = LeaseHolder(self.project.connection)
        work = work_of(lease_holder)
        requests = 0
        while (items := work.next(5)) is not None:
            queue = list(items)
            while queue:
                if most is not None and requests >= most:
                    lease_holder.close()
                    self.project.refresh()
                    return
                requests += 1
                queue += self.answer(work, queue.pop(0))
        work.close()
        lease_holder.close()
        self.project.refresh()

    def answer(self, work: SampleWork, ask: SampleRequest) -> Sequence[SampleRequest]:
        self.asked += ask.slots
        self.counters.begin(ask.stage, len(ask.samples))
        draws = tuple(Draw(self.say(ask, sample), "stop") for sample in ask.samples)
        with write_transaction(self.project.connection):
            (taken,) = work.take_all([(ask, Reply(draws))])
        self.counters.settle(ask.stage, ask.things, taken.done)
        return taken.further


@pytest.fixture
def other(tmp_path: Path, places: OpenProject) -> Iterator[OpenProject]:
    """A second project with the same facts."""
    with new_project(tmp_path / "other.db") as made:
        with write_transaction(made.connection):
            db.facts.insert(made.connection, db.facts.read_facts(places.connection))
        made.refresh()
        yield made


def verdicts(project: OpenProject, policy: Policy) -> list[tuple[object, ...]]:
    found = profile_summary.profiles(project, policy)
    return [
        (one.fact_id, one.profile, one.e, one.k0, one.kt)
        for one in profile_summary.list_fact_profiles(project, found)
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    "policy",
    [
        Policy(),
        Policy(0.75),
        Policy(0),
        Policy(0.99, Strategy.FACT),
        Policy(strategy=Strategy.FACT),
        Policy(0.5, Strategy.PARTIAL),
    ],
    ids=lambda one: f"{one.tau}-{one.strategy}",
)
def test_the_same_verdict_of_every_fact_by_fewer_answers(
    places: OpenProject, other: OpenProject, policy: Policy
) -> None:
    plan, say = everything(places), by_chance(1)
    whole, part = Driver(other, say), Driver(places, say)
    whole.full(plan)
    part.curtailed(plan, policy)
    assert verdicts(places, policy) == verdicts(other, policy)
    assert len(part.asked) == len(set(part.asked))
    assert set(part.asked) < set(whole.asked)
    assert len(part.asked) < 0.8 * len(whole.asked)
    assert db.sampling_runs.find_unfinished(places.connection) == []
    assert not profile_summary.profiles(places, policy).provisional
    (run, *_) = db.sampling_runs.find_curtailed(places.connection)
    assert from_text(run.curtailed or "").graders == ("human:*", "lexical")


@pytest.mark.slow
def test_what_is_not_needed_is_counted_as_decided(places: OpenProject) -> None:
    driver = Driver(places, by_chance(2))
    plan = everything(places)
    driver.curtailed(plan, Policy())
    stages = driver.counters.stages
    total = sum(one.done + one.dropped for one in stages.values() if one.name.startswith("answer"))
    questions = int((places.index.questions > 0).sum())
    encoding = int((places.index.questions[:, :2] > 0).sum())
    wanted = (2 * questions - encoding) * SAMPLES
    assert total == wanted
    asked = len(driver.asked)
    for stage in stages.values():
        assert (stage.waiting, stage.running) == (0, 0)
        assert stage.reasons == {DECIDED: stage.dropped}
    said = [event.text for event in driver.counters.unsaved]
    assert said[-1] == f"{asked:,} of {wanted:,} answers asked, {100 * asked / wanted:.1f} %"


@pytest.mark.slow
def test_a_run_that_is_stopped_at_any_moment_goes_on(
    places: OpenProject, other: OpenProject
) -> None:
    plan, say, policy = everything(places), by_chance(3), Policy()
    at_once = Driver(other, say)
    at_once.curtailed(plan, policy)
    again = Driver(places, say)
    for most in (1, 2, 5, 9, 20, 40):
        again.curtailed(plan, policy, most=most)
        if most < 20:
            assert profile_summary.profiles(places, policy).provisional
    again.curtailed(plan, policy)
    assert sorted(again.asked) == sorted(at_once.asked)
    assert verdicts(places, policy) == verdicts(other, policy)
    assert db.sampling_runs.find_unfinished(places.connection) == []
    more = Driver(places, say)
    more.curtailed(plan, policy)
    assert more.asked == []


@pytest.mark.slow
def test_a_full_run_after_it_draws_the_rest(places: OpenProject, other: OpenProject) -> None:
    plan, say = everything(places), by_chance(4)
    Driver(other, say).full(plan)
    Driver(places, say).curtailed(plan, Policy())
    Driver(places, say).full(plan)
    for tau in (0.25, 0.9):
        assert verdicts(places, Policy(tau)) == verdicts(other, Policy(tau))
    found = analyse(places, "availability", Policy())
    assert found.notes == ()
    assert found.as_json() == analyse(other, "availability", Policy()).as_json()


@pytest.mark.slow
def test_answers_that_were_there_are_labelled_and_count(
    places: OpenProject, other: OpenProject
) -> None:
    few = everything(places, samples=4)
    say, policy = by_chance(5), Policy()
    driver = Driver(places, say)
    driver.run(lambda lease_holder: SampleWork(places, few, lease_holder, driver.counters))
    before = len(driver.asked)
    driver.curtailed(everything(places), policy)
    Driver(other, say).full(everything(places))
    assert verdicts(places, policy) == verdicts(other, policy)
    assert len(driver.asked) - before < before


@pytest.mark.slow
def test_under_another_policy_what_is_open_is_undecided(
    places: OpenProject, other: OpenProject
) -> None:
    plan, say = everything(places), by_chance(6)
    Driver(other, say).full(plan)
    Driver(places, say).curtailed(plan, Policy(0.5))
    elsewhere = Policy(0.75)
    found = profile_summary.profiles(places, elsewhere)
    theirs = profile_summary.profiles(other, elsewhere)
    mine = found.verdicts.verdict
    same = mine == theirs.verdicts.verdict
    assert (same | (mine == INCOMPLETE)).all()
    assert found.models[LABEL].incomplete > theirs.models[LABEL].incomplete
    Driver(places, say).curtailed(plan, elsewhere)
    for policy in (Policy(0.5), elsewhere):
        assert verdicts(places, policy) == verdicts(other, policy)


@pytest.mark.slow
def test_the_list_of_graders_is_part_of_the_policy(places: OpenProject) -> None:
    Driver(places, by_chance(7)).curtailed(everything(places), Policy())
    usual = profile_summary.profiles(places, Policy()).models[LABEL].incomplete
    named = Policy(graders=("lexical",))
    assert profile_summary.profiles(places, named).models[LABEL].incomplete == usual
    (key,) = places.connection.execute("SELECT min(id) FROM response").fetchone()
    set_label(places, "mira", key, Label.CORRECT)
    places.refresh()
    assert profile_summary.profiles(places, named).models[LABEL].incomplete > usual


@pytest.mark.slow
def test_an_override_that_undecides_a_question_opens_its_slots(places: OpenProject) -> None:
    plan = everything(places)
    wrong: Say = lambda ask, sample: "Atlantis"  # noqa: E731
    driver = Driver(places, wrong)
    driver.curtailed(plan, Policy())
    assert {row[1] for row in verdicts(places, Policy())} == {"encoding_failure", "incomplete"}
    fact = int(places.index.ids[0])
    (question,) = [
        one
        for one in db.question_rows.questions(places.connection, [fact])
        if one.task is Task.COMPLETION
    ]
    setting = places.setting_ids()[LABEL, False]
    set_label(places, "mira", slot(question.id, setting, 1), Label.CORRECT)
    places.refresh()
    now = {row[0]: row[1] for row in verdicts(places, Policy())}
    assert now[places.index.fact_ids[0]] == "incomplete"
    assert list(now.values()).count("incomplete") == 2  # one has no reverse questions
    again = Driver(places, lambda ask, sample: ask.question.gold.text)
    again.curtailed(plan, Policy())
    assert again.asked
    assert {one >> 20 for one in again.asked} == {question.id}
    assert verdicts(places, Policy())[0][1] in ("recall_failure", "encoding_failure")


@pytest.mark.slow
def test_every_question_is_decided_where_that_is_asked_for(
    places: OpenProject, other: OpenProject
) -> None:
    plan, say = everything(places), by_chance(8)
    Driver(other, say).full(plan)
    driver = Driver(places, say)
    driver.curtailed(plan, Policy())
    with pytest.raises(LostkeysError, match="no direction of some-model: sampling was curtailed"):
        analyse(places, "direction", Policy())
    driver.curtailed(plan, Policy(), every_question=True)
    for name in ("direction", "errors", "phrasing", "quality", "popularity", "recovery"):
        mine, theirs = (analyse(one, name, Policy()) for one in (places, other))
        assert mine.as_json() == theirs.as_json()
    for name in ("availability", "bootstrap", "threshold"):
        with pytest.raises(LostkeysError, match=f"no {name} of some-model: sampling was curtailed"):
            analyse(places, name, Policy())


@pytest.mark.slow
def test_curtailed_models_are_left_out_beside_others(places: OpenProject) -> None:
    plan, say = everything(places), by_chance(9)
    Driver(places, say).curtailed(plan, Policy())
    Driver(places, say).full(replace(plan, label="whole"))
    found = analyse(places, "availability", Policy())
    assert {getattr(row, "model", None) for row in found.rows} == {"whole"}
    (note,) = found.notes
    assert note.startswith("some-model is left out of availability: it needs every answer, and ")
    assert analyse(places, "popularity", Policy()).notes == ()


@pytest.mark.slow
@pytest.mark.parametrize("tau", [0.25, 0.5, 0.6, 0.75])
def test_under_any_threshold_the_same_verdicts_are_open_under_others(
    places: OpenProject, tau: float
) -> None:
    plan, say = everything(places), by_chance(9)
    Driver(places, say).curtailed(plan, Policy())
    Driver(places, say).full(replace(plan, label="whole"))
    notes = {analyse(places, "threshold", Policy(tau=one)).notes for one in (0.5, tau)}
    ((note,),) = notes
    count = int(note.partition("threshold: ")[2].partition(" ")[0])
    assert 0 < count <= 6 * (FACTS - 1)


@pytest.mark.slow
def test_under_another_policy_it_is_said_why_facts_are_incomplete(places: OpenProject) -> None:
    plan, say, strict = everything(places), by_chance(9), Policy(tau=0.75)

    def said() -> tuple[list[str], list[str]]:
        tally = places.tally(places.ranks(Policy()), [LABEL])
        figure = make(places, "profiles", strict)
        return curtailed_runs.notes(tally, Policy()), [
            note for note in curtailed_runs.notes(tally, strict) if note in figure.notes
        ]

    Driver(places, say).curtailed(plan, Policy())
    assert said() == ([], [f"{LABEL}: {curtailed_runs.ELSEWHERE}"])
    Driver(places, say).full(plan)
    assert said() == ([], [])


@pytest.mark.parametrize("samples", [(8, 4), (4, 8)], ids=["fewer, the newer", "more, the newer"])
def test_of_two_curtailed_runs_the_newest_says_what_was_to_be_drawn(
    places: OpenProject, samples: tuple[int, int]
) -> None:
    for one in samples:
        plan = everything(places, thinking=(False,), samples=one)
        Driver(places, by_chance(3)).curtailed(plan, Policy(), most=1)
    tally = places.tally(places.ranks(Policy(graders=("lexical",))), [LABEL])
    assert tally.curtailed is not None
    planned = tally.curtailed.planned[int(tally.rows[0, 0])]
    assert set(planned[planned > 0].tolist()) == {samples[1]}
    found = [run.samples for run in db.sampling_runs.find_curtailed(places.connection)]
    assert found == list(samples)


def test_without_a_grader_nothing_can_be_curtailed(places: OpenProject) -> None:
    lease_holder = LeaseHolder(places.connection)
    with pytest.raises(UsageError, match="--grader lexical"):
        CurtailedWork(places, everything(places), lease_holder, RunCounters(), [], Policy())


@pytest.mark.slow
def test_slots_that_fail_leave_the_fact_open_and_the_run_unfinished(places: OpenProject) -> None:
    plan = everything(places, thinking=(False,))
    lease_holder, counters = LeaseHolder(places.connection), RunCounters()
    work = CurtailedWork(places, plan, lease_holder, counters, ["lexical"], Policy())
    failed = 0
    while (items := work.next(5)) is not None:
        queue = list(items)
        while queue:
            ask = queue.pop()
            counters.begin(ask.stage, len(ask.samples))
            with write_transaction(places.connection):
                if ask.question.fact == int(places.index.ids[0]):
                    queue += work.fail(ask, "the prompt is too long", refused=True).further
                    failed += len(ask.samples)
                else:
                    reply = Reply(tuple(Draw("Atlantis") for _ in ask.samples))
                    queue += work.take_all([(ask, reply)])[0].further
    work.close()
    places.refresh()
    assert failed
    assert verdicts(places, Policy())[0][1] == "incomplete"
    assert len(db.sampling_runs.find_unfinished(places.connection)) == 1
    assert profile_summary.profiles(places, Policy()).provisional


@pytest.mark.slow
def test_counts_are_those_of_the_whole_project(places: OpenProject) -> None:
    """Labels read cell by cell and the grids tell the same story, whoever has labelled."""
    Driver(places, by_chance(10)).full(everything(places))
    random = Random(1)
    keys = [key for (key,) in places.connection.execute("SELECT id FROM response")]
    for name in ("a", "b", "a"):
        for key in random.sample(keys, 150):
            set_label(places, name, key, random.choice(list(Label)))
    places.refresh()
    for graders in (("human:*", "lexical"), ("lexical",), ("human:b", "human:*", "choice")):
        tally = places.tally(places.ranks(Policy(graders=graders)), [LABEL])
        for on in (False, True):
            setting = places.setting_ids()[LABEL, on]
            cells = {
                slot(int(question), setting, 0): task.is_choice
                for place, task in enumerate(TASKS)
                for question in places.index.questions[:, place]
                if question
            }
            found = count_labels(places.connection, graders, cells)
            for place, task in enumerate(TASKS):
                for fact, question in enumerate(places.index.questions[:, place].tolist()):
                    expected = tally.labels[int(on), :, place, fact].tolist()
                    mine = found.get(slot(question, setting, 0), (0, 0, 0, 0))
                    assert list(mine) == expected, task


def test_through_the_engine(places: OpenProject, other: OpenProject, tmp_path: Path) -> None:
    say = "Atlantis"

    def script(request: Request) -> Reply:
        return Reply(tuple(Draw(say, "stop") for _ in range(request.n)))

    async def draw(project: OpenProject, path: Path) -> RunCounters:
        counters = RunCounters()
        async with DbWriter(project.connection, path) as db_writer:
            lease_holder = await db_writer.run_read(lambda: LeaseHolder(project.connection))
            work = await db_writer.run_read(
                lambda: CurtailedWork(
                    project, everything(project), lease_holder, counters, ["lexical"], Policy()
                )
            )
            channel = ModelChannel(Scripted(script), MODEL, limits_for(describe(MODEL)), None)
            await Engine(db_writer, work, {MODEL: channel}, counters).run()
            await db_writer.run_read(work.close)
            await db_writer.run_read(lease_holder.close)
        return counters

    with OpenProject(places.path, "write") as project:
        counters = asyncio.run(draw(project, places.path))
    places.refresh()
    assert db.sampling_runs.find_unfinished(places.connection) == []
    assert {row[1] for row in verdicts(places, Policy())} == {"encoding_failure", "incomplete"}
    assert all(stage.waiting == stage.running == 0 for stage in counters.stages.values())
