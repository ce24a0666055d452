"""Arms are asked one after another; what a model knows is found out by no more than needed."""

import asyncio
import json
import random
from contextlib import closing
from pathlib import Path

import pytest

import db.arms
import db.documents
from core.errors import UsageError
from core.estimates.arms_estimate import estimate_arms
from core.estimates.estimator import Estimator
from core.fact_bench.arm_plan import ArmPlanner
from core.fact_bench.bench_evidence import BenchChoice, BenchEvidence
from core.fact_bench.exemplars import choose_exemplars, find_needed
from core.fact_bench.set_preparation import DEFAULT
from core.fact_bench.stored_sets import prepare_set
from core.jobs.job_progress import State
from core.jobs.job_service import Jobs
from core.jobs.job_view import JobView
from core.modes import parse_mode
from core.project import OpenProject
from core.providers.base import Draw, Reply, Request
from core.specs.answer_specs import ArmsSpec
from core.transfer.imports import import_file
from core.views.lens import Lens
from core.views.session import Session
from core.vocabulary import Outcome, Task
from db.arms import StoredArm
from db.connection import write_transaction
from db.documents import Document, Paragraph
from tests.core.fact_bench.making import a_triple
from tests.core.jobs.making import Gate, asking, ended
from tests.core.making import Row, new_project, put_rows
from tests.core.sampling.scripted import Scripted
from tests.patience import PATIENCE

MODEL = "embedded:smollm2-135m"
COUNT = 60


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Sixty triples, a fourth of them to take exemplars from; the model knows those of evens."""
    file = tmp_path / "some.jsonl"
    rows = [
        {"id": f"t{n:02}", "subject": f"S{n}", "relation": "father", "object": f"Bo {n}"}
        | {"question": f"Who is the father of S{n}?"}
        for n in range(COUNT)
    ]
    file.write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")
    with new_project(tmp_path / "some.db") as project:
        assert import_file(project, file, "triples").bad == 0
        prepare_set(project, None, DEFAULT)
    return tmp_path / "some.db"


def answer(request: Request) -> Reply:
    """Right about every other subject, without a word more."""
    number = int(asked(request).rpartition(" S")[2].removesuffix("?"))
    return Reply((Draw("no" if number % 2 else f"Bo {number}", "stop"),))


def text_of(request: Request) -> str:
    """All that a request sends."""
    return request.text or "\n".join(one.content for one in request.messages or ())


def asked(request: Request) -> str:
    """The question, which stands last."""
    return text_of(request).rpartition("Question: ")[2].removesuffix("\nAnswer:")


def run(path: Path, model: Scripted, *modes: str, **said: object) -> JobView:
    jobs = Jobs(path, means=asking(model))
    spec = ArmsSpec(MODEL, "m", modes, graders=("em",), unchecked=True, **said)  # type: ignore[arg-type]
    return ended(jobs, jobs.start(spec))


def arms(path: Path) -> dict[str, StoredArm]:
    with OpenProject(path, "read") as project:
        return db.arms.read_set_arms(project.connection, "some")


def evidence(project: OpenProject) -> BenchEvidence:
    return BenchEvidence(project, BenchChoice(known_by="em"))


def test_an_arm_follows_another_and_a_second_run_asks_nothing(path: Path) -> None:
    model = Scripted(answer)
    view = run(path, model, "zero-shot", "2-shot")
    assert view.state is State.FINISHED, view.reason
    with OpenProject(path, "read") as project:
        found = evidence(project)
        rows = zip(found.triples.rows, found.wanted, strict=True)
        wanted = [one.asked for one, is_wanted in rows if is_wanted]
        assert set(project.models(arms=True)) == {"m#zero-shot", "m#2-shot"}
        assert project.models() == []
    questions = [asked(one) for one in model.seen]
    assert sorted(questions[: len(wanted)]) == sorted(questions[len(wanted) :]) == sorted(wanted)
    shown = arms(path)["m#2-shot"].exemplars
    assert len(shown) == 2
    for request in model.seen[len(wanted) :]:
        sent = text_of(request)
        assert all(f"Question: {one.question}\nAnswer: {one.answer}" in sent for one in shown)
        assert sent.endswith("\nAnswer:")
    assert (view.done, view.total, view.labels) == (len(wanted) * 2, len(wanted) * 2, (90, 90))
    again = Scripted(answer)
    assert run(path, again, "zero-shot", "2-shot").state is State.FINISHED
    assert again.seen == []


def test_the_answers_of_all_arms_are_expected_from_the_beginning(path: Path) -> None:
    gate = Gate(answers=3)
    jobs = Jobs(path, means=asking(gate))
    spec = ArmsSpec(
        MODEL, "m", ("zero-shot", "2-shot", "2-shot:known"), graders=("em",), unchecked=True
    )
    with OpenProject(path, "read") as project:
        foreseen = [ArmPlanner(project, spec).foresee(parse_mode(mode)) for mode in spec.modes]
    asked = sum(int(one.plan.facts.sum()) for one in foreseen)
    job = jobs.start(spec)
    assert gate.waiting.wait(PATIENCE)
    assert jobs.view(job).total == asked == 3 * 45
    assert jobs.close(PATIENCE)


class Watched(Scripted):
    """Takes its time, and remembers how many requests it had at once."""

    most = now = 0

    async def draw(self, request: Request) -> Reply:
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(0)
        try:
            return await super().draw(request)
        finally:
            self.now -= 1


@pytest.mark.parametrize(("asked", "most"), [(None, 2), (5, 5)])
def test_few_requests_of_an_arm_are_with_the_embedded_model(
    path: Path, asked: int | None, most: int
) -> None:
    """Each of its sequences would read the exemplars anew."""
    model = Watched(answer)
    assert run(path, model, "2-shot", in_flight=asked).state is State.FINISHED
    assert model.most == most


def test_exemplars_are_never_asked_about(path: Path) -> None:
    model = Scripted(answer)
    assert run(path, model, "3-shot", split="all").state is State.FINISHED
    shown = {one.question for one in arms(path)["m#3-shot"].exemplars}
    questions = {asked(one) for one in model.seen}
    assert len(questions) == COUNT - 3
    assert not shown & questions


def test_an_imported_judge_is_asked_nothing(path: Path) -> None:
    """All that it labelled is known; what it did not nobody can ask it."""
    with OpenProject(path, "write") as project:
        put_rows(
            project,
            [Row("t01", Task.DIRECT, "other", False, 0, {"judge:theirs": Outcome.CORRECT})],
        )
    model = Scripted(answer)
    view = run(path, model, "2-shot:known")
    assert view.state is State.FAILED
    assert "judge:theirs was imported and cannot be asked what m knows" in (view.reason or "")
    assert "choose em, lexical, or a model" in (view.reason or "")
    assert model.seen == []
    with OpenProject(path, "read") as project, pytest.raises(UsageError, match="was imported"):
        estimate_arms(project, ArmsSpec(MODEL, "m", ("2-shot:known",)), Estimator())
    assert run(path, Scripted(answer), "2-shot:known", known_by="em").state is State.FINISHED


def test_what_is_known_is_found_out_by_a_part_of_the_training_triples(path: Path) -> None:
    model = Scripted(answer)
    view = run(path, model, "2-shot:known", "2-shot:unknown", known_by="em", first=1)
    assert view.state is State.FINISHED, view.reason
    with OpenProject(path, "read") as project:
        found = evidence(project)
        train = found.triples.train
        drawn = {asked(one) for one in model.seen} & {one.asked for one in train}
        truth = {one.fact: int(one.subject[1:]) % 2 == 0 for one in train}
        for name in ("2-shot:known", "2-shot:unknown"):
            whole = choose_exemplars(train, parse_mode(name), found.seed, truth)
            sent = arms(path)[f"m#{name}"].exemplars
            assert [one.fact for one in sent] == [one.triple.fact for one in whole]
            assert {one.known for one in sent} == {name == "2-shot:known"}
    assert 0 < len(drawn) < len(train)


def test_too_few_that_are_known_end_it_with_a_word(path: Path) -> None:
    model = Scripted(lambda request: Reply((Draw("no", "stop"),)))
    view = run(path, model, "2-shot:known", known_by="em")
    assert view.state is State.FAILED
    assert "2-shot:known" in view.reason
    assert "known" in view.reason


def test_reading_needs_documents(path: Path) -> None:
    view = run(path, Scripted(answer), "reading")
    assert view.state is State.FAILED
    assert "no subject of eval has a document: `import --format documents`" in view.reason


@pytest.mark.parametrize(
    "mode", ["3-shot:known", "3-shot:unknown", "5-shot:mixed", "2-shot:mixed-shuffle"]
)
def test_asking_what_is_needed_chooses_as_asking_all_does(mode: str) -> None:
    for seed in range(30):
        chance = random.Random(seed)
        train = [
            a_triple(n, object=f"Bo {chance.randint(1, 9)}", relation=chance.choice("ab"))
            for n in range(1, 40)
        ]
        share = chance.random()
        truth = {one.fact: chance.random() < share for one in train}
        known: dict[int, bool] = {}
        while needed := find_needed(train, parse_mode(mode), seed, known):
            assert not {one.fact for one in needed} & known.keys()
            known |= {one.fact: truth[one.fact] for one in needed}
        try:
            whole = choose_exemplars(train, parse_mode(mode), seed, truth)
        except Exception as error:
            with pytest.raises(type(error)):
                choose_exemplars(train, parse_mode(mode), seed, known)
            continue
        assert choose_exemplars(train, parse_mode(mode), seed, known) == whole


@pytest.mark.parametrize(
    "mode", ["zero-shot", "2-shot", "2-shot:shuffle", "recite-2-shot-restated"]
)
def test_task_has_the_prompt_as_it_was_sent(path: Path, mode: str) -> None:
    model = Scripted(answer)
    assert run(path, model, mode, first=3).state is State.FINISHED
    with closing(Session(path)) as session:
        session.open(Lens(f"m#{mode}"))
        with OpenProject(path, "read") as project:
            facts = [one.fact for one in evidence(project).triples.rows]
        views = [view for fact in facts if (view := session.task(fact, Task.DIRECT)) is not None]
        calls = [call for view in views for call in view.calls]
    assert sorted(call.prompt or "" for call in calls) == sorted(map(text_of, model.seen))
    shots = 2 if "2" in mode else 0
    stored = arms(path)[f"m#{mode}"].exemplars
    for call in calls:
        assert call.prompt is not None
        places = [one.answer for one in call.exemplars]
        found = [call.prompt[place[0] : place[1]] for place in places if place is not None]
        assert found == [one.answer for one in stored]
        assert len(found) == shots
        assert all(one.is_true is ("shuffle" not in mode) for one in call.exemplars)
        ends = [call.prompt[one.answer[1] :] for one in call.exemplars if one.answer]
        assert all(end.startswith("\n\nQuestion: ") for end in ends)


def test_task_has_the_passage_that_was_read(path: Path) -> None:
    with OpenProject(path, "write") as project, write_transaction(project.connection):
        page = "Of S7 <|x|> it is said that Bo 7 is the father.\nAnswer: {QUESTION}"
        db.documents.insert(project.connection, [Document("d", "S7", (Paragraph(page),))])
    model = Scripted(lambda request: Reply((Draw("Bo 7", "stop"),)))
    assert run(path, model, "reading", split="all").state is State.FINISHED
    with closing(Session(path)) as session:
        session.open(Lens("m#reading"))
        prompts = [
            call.prompt
            for fact in session.snapshot.index.ids.tolist()
            if (view := session.task(fact, Task.DIRECT)) is not None
            for call in view.calls
        ]
    assert prompts == list(map(text_of, model.seen))
    assert len(prompts) == 1
