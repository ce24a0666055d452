"""Estimates against what the requests themselves say, and against jobs that have run."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import db.job_rows
import db.model_rows
import db.question_rows
from core.errors import UsageError
from core.estimates.estimate import QuantityRange, check_budget
from core.estimates.estimate_text import make_lines
from core.estimates.estimator import FRAME_TOKENS, SLACK, UNMEASURED, Estimator
from core.estimates.request_counts import plan_of
from core.pricing.budget import OverBudgetError
from core.pricing.prices import BYTES_PER_TOKEN, price_of
from core.project import OpenProject
from core.providers.base import Request
from core.sampling.recipe import recipe_for
from core.sampling.sample_requests import asks_for
from core.specs.answer_specs import AnsweringSpec, GradingSpec
from core.specs.stored_specs import as_json
from core.vocabulary import ENCODING, TASKS, Outcome, Task
from db.connection import write_transaction
from db.job_rows import JobSpend
from tests.core.making import Row, a_fact, cell, new_project, put_facts, put_rows

MODEL = "openai:gpt-5-mini"
HERE = "openai:any@http://127.0.0.1:9/v1"
FAR = "openai:any@https://llm.example.org/v1"
SPEC = AnsweringSpec(MODEL, MODEL)
FACTS = 5


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LOSTKEYS_CONFIG", str(tmp_path / "config"))
    (tmp_path / "config").mkdir()
    return tmp_path / "config"


@pytest.fixture
def project(tmp_path: Path) -> Iterator[OpenProject]:
    with new_project(tmp_path / "one.db") as found:
        put_facts(found, [a_fact(f"fact number {number}") for number in range(FACTS)])
        yield found


def draw(project: OpenProject, spec: AnsweringSpec, rows: list[Row]) -> None:
    """Put responses there as a run by this spec would."""
    put_rows(project, rows)
    with write_transaction(project.connection):
        recipe = recipe_for(spec.model).as_json()
        db.model_rows.set_recipe(project.connection, spec.label, recipe)


def spend(project: OpenProject, spec: AnsweringSpec | GradingSpec, *spends: JobSpend) -> None:
    with write_transaction(project.connection):
        job = db.job_rows.create(project.connection, spec.kind, "a job", as_json(spec))
        for one in spends:
            db.job_rows.add_spend(project.connection, job, one)


def exactly(number: float) -> QuantityRange:
    return QuantityRange(number, number)


def requests(project: OpenProject, spec: AnsweringSpec, draws: int = 8) -> list[Request]:
    """All that a run of this spec sends where nothing is there yet, so many answers each."""
    recipe, plan = recipe_for(spec.model), plan_of(project, spec)
    return [
        ask.request
        for question in db.question_rows.questions(project.connection)
        for thinking in spec.thinking
        if question.task in plan.tasks_of(thinking)
        for ask in asks_for(question, 1, thinking, range(spec.samples), recipe, draws)
    ]


@pytest.mark.parametrize("spec", [SPEC, replace(SPEC, samples=3), replace(SPEC, samples=20)])
def test_requests_and_texts_are_those_that_are_sent(
    project: OpenProject, spec: AnsweringSpec
) -> None:
    found = Estimator().estimate(project, spec)
    sent = requests(project, spec)
    assert found.questions == FACTS * (10 + 8)
    assert (found.here, found.answers) == (
        0,
        exactly(18 * FACTS * spec.samples),
    )
    assert found.requests.high == len(sent)
    texts = [message.content for one in sent for message in one.messages or ()]
    size = sum(len(text.encode()) for text in texts)
    tokens = size / BYTES_PER_TOKEN + len(texts) * FRAME_TOKENS
    assert found.input_tokens.low == pytest.approx(tokens, rel=0.01)
    assert found.input_tokens.high == pytest.approx(tokens * (1 + UNMEASURED), rel=0.01)
    assert found.output_tokens.high <= sum(one.n * one.max_tokens for one in sent)
    assert 0 < found.output_tokens.low < found.output_tokens.high


def test_the_cost_is_that_of_the_tokens(project: OpenProject) -> None:
    found, price = Estimator().estimate(project, SPEC), price_of(MODEL)
    assert price is not None
    assert found.cost is not None
    low = price.cost(round(found.input_tokens.low), round(found.output_tokens.low))
    assert found.cost.low == pytest.approx(low, rel=0.01)
    sent = requests(project, SPEC)
    assert found.first == pytest.approx(min(map(price.most, sent)), rel=0.1)
    batch = Estimator().estimate(project, replace(SPEC, via="batch"))
    assert batch.cost is not None
    assert batch.cost.high == pytest.approx(found.cost.high / 2, rel=0.01)


def test_what_is_here_is_not_asked_again(project: OpenProject) -> None:
    whole, part = [Outcome.CORRECT] * 8, [Outcome.CORRECT] * 3
    draw(
        project,
        SPEC,
        cell("fact number 0", Task.DIRECT, MODEL, False, whole)
        + cell("fact number 1", Task.DIRECT, MODEL, True, part),
    )
    found = Estimator().estimate(project, SPEC)
    assert found.here == 1
    assert found.answers.high == (18 * FACTS - 1) * 8 - 3
    narrow = replace(SPEC, tasks=(Task.DIRECT,), thinking=(False,))
    found = Estimator().estimate(project, replace(narrow, where="fact:'fact number 0'"))
    assert (found.questions, found.here, found.answers.high, found.parts) == (1, 1, 0, ())
    assert "nothing is asked" in "\n".join(make_lines(found))


def test_encoding_is_asked_with_thinking_off_only(project: OpenProject) -> None:
    found = Estimator().estimate(project, replace(SPEC, tasks=(*ENCODING, Task.DIRECT)))
    assert found.questions == FACTS * (3 + 1)


def test_facts_are_narrowed_as_the_run_narrows_them(project: OpenProject) -> None:
    assert Estimator().estimate(project, replace(SPEC, first=2)).questions == 2 * 18
    assert Estimator().estimate(project, replace(SPEC, where="random:3")).questions == 3 * 18
    with pytest.raises(UsageError, match="no profile"):
        Estimator().estimate(project, replace(SPEC, where="profile:nonsense"))


def test_a_label_of_another_recipe_is_refused(project: OpenProject) -> None:
    put_rows(project, [Row("fact number 0", Task.DIRECT, MODEL, False, 0)])
    with pytest.raises(UsageError, match="--as NAME"):
        Estimator().estimate(project, SPEC)


def test_earlier_jobs_say_how_long_and_how_much(project: OpenProject) -> None:
    off = JobSpend("answer, thinking off", MODEL, 100, 400, 9_000, 2_000, 0.1, 100.0)
    on = JobSpend("answer, thinking on", MODEL, 100, 400, 9_000, 40_000, 0.1, 200.0)
    spend(project, SPEC, off, on)
    found = Estimator().estimate(project, SPEC)
    answers_off, answers_on = 10 * FACTS * 8, 8 * FACTS * 8
    assert found.seconds == pytest.approx(answers_off / 4 + answers_on / 2)
    assert found.rate == pytest.approx(18 * FACTS / (found.seconds or 0))
    by_stage = {part.stage: part for part in found.parts}
    out = by_stage["answer, thinking on"].output_tokens
    assert out.low == pytest.approx(100 * answers_on * (1 - SLACK))
    assert out.high == pytest.approx(100 * answers_on * (1 + SLACK))
    # 100 requests held as many characters as these questions do, and took 90 tokens each.
    into = by_stage["answer, thinking off"].input_tokens
    requests = by_stage["answer, thinking off"].requests.high
    assert (into.low + into.high) / 2 == pytest.approx(90 * requests, rel=0.4)


def test_too_few_answers_say_nothing(project: OpenProject) -> None:
    off = JobSpend("answer, thinking off", MODEL, 2, 16, 90, 20, 0.1, 1.0)
    spend(project, SPEC, off)
    assert Estimator().estimate(project, SPEC).seconds is None


def test_a_server_that_answers_one_at_a_time_takes_more_requests(project: OpenProject) -> None:
    spec = replace(SPEC, thinking=(False,))
    before = Estimator().estimate(project, spec)
    spend(project, spec, JobSpend("answer, thinking off", MODEL, 400, 400, 9_000, 2_000, 0, 1))
    after = Estimator().estimate(project, spec)
    assert after.requests.high == after.answers.high > before.requests.high


def test_of_a_server_not_asked_yet_the_range_holds_what_is_found_later(
    project: OpenProject,
) -> None:
    """The prompts as if each answer were asked for alone lie within, and so does what was used."""
    put_facts(project, [a_fact("Größe und Höhe der Zugspitze über dem Mittelmeer")])
    spec = AnsweringSpec(FAR, FAR, thinking=(False,))
    before = Estimator().estimate(project, spec)
    sent = [message.content for one in requests(project, spec) for message in one.messages or ()]
    assert before.input_tokens.low >= sum(len(text.encode()) for text in sent) / BYTES_PER_TOKEN
    assert before.requests == QuantityRange(len(requests(project, spec)), before.answers.high)
    assert before.input_tokens.high > 2.5 * before.input_tokens.low
    words = " ".join(make_lines(before))
    assert re.search(r"about [\d.]+ to [\d.]+ k tokens in", words), words
    alone = requests(project, spec, 1)
    texts = [message.content for one in alone for message in one.messages or ()]
    taken = sum(map(len, texts)) / 3.9 + FRAME_TOKENS * len(texts)
    count = len(alone)
    used = JobSpend("answer, thinking off", FAR, count, count, round(taken), 2_000, 0, 1)
    spend(project, spec, used)
    after = Estimator().estimate(project, spec)
    assert before.input_tokens.low < taken < before.input_tokens.high
    assert before.input_tokens.low < after.input_tokens.low
    assert (after.input_tokens.low + after.input_tokens.high) / 2 < before.input_tokens.high
    official = Estimator().estimate(project, replace(spec, model=MODEL, label=MODEL))
    assert official.requests == exactly(len(requests(project, spec)))


def test_curtailed_runs_take_less_at_the_least(project: OpenProject) -> None:
    from core.scoring.policy import Policy

    full = Estimator().estimate(project, SPEC)
    found = Estimator().estimate(project, replace(SPEC, curtailed=Policy(), graders=("lexical",)))
    assert found.answers.high == full.answers.high
    assert found.answers.low < full.answers.low
    assert (found.cost or QuantityRange(9, 9)).low < (full.cost or QuantityRange(0, 0)).low


def test_local_models_and_graders_cost_nothing(project: OpenProject) -> None:
    spec = AnsweringSpec(HERE, HERE, graders=("lexical",))
    found = Estimator().estimate(project, spec)
    assert found.cost == QuantityRange(0, 0)
    assert make_lines(found)[-1].split(None, 2) == ["cost", "$0", "answers and grading are local"]


def test_grading_by_a_model_costs(project: OpenProject) -> None:
    spec = AnsweringSpec(HERE, HERE, thinking=(False,), graders=(f"llm:{MODEL}",))
    rows = [Row("fact number 0", Task.DIRECT, HERE, False, sample) for sample in range(8)]
    draw(project, spec, rows)
    found = Estimator().estimate(project, spec)
    assert found.cost is not None
    assert 0 < found.cost.low < found.cost.high
    assert make_lines(found)[-1].endswith("answers are local; grading costs")
    assert found.graded == 6 * FACTS * 8
    grade = JobSpend(f"grade llm:{MODEL}", MODEL, 50, 200, 50_000, 1_000, 0.1, 9.0)
    spend(project, GradingSpec(spec.graders), grade)
    after = Estimator().estimate(project, spec)
    part = next(one for one in after.parts if one.grades)
    assert part.requests.high == pytest.approx(found.graded * 0.25 * (1 + SLACK))


def test_grading_alone_counts_what_is_not_graded(project: OpenProject) -> None:
    rows = cell("fact number 0", Task.DIRECT, HERE, False, [Outcome.CORRECT, None, None])
    rows += cell("fact number 0", Task.MC_DIRECT, HERE, False, [None, None])
    put_rows(project, rows)
    found = Estimator().estimate(project, GradingSpec(("lexical",)))
    assert (found.graded, found.grades_here) == (2, 1)
    assert make_lines(found)[0].split(None, 1) == [
        "answers",
        "2 to grade              1 is graded already",
    ]
    assert Estimator().estimate(project, GradingSpec(("choice",))).graded == 2
    by_model = Estimator().estimate(project, GradingSpec((f"llm:{MODEL}",)))
    assert by_model.graded == 3
    assert (by_model.cost or QuantityRange(0, 0)).low > 0


def test_several_graders_give_labels_not_answers(project: OpenProject) -> None:
    """Of three answers, one of which the first has graded, five labels are to give."""
    rows = cell("fact number 0", Task.DIRECT, HERE, False, [Outcome.CORRECT, None, None])
    put_rows(project, rows)
    found = Estimator().estimate(project, GradingSpec(("lexical", f"llm:{MODEL}")))
    assert found.labels == (("lexical", 2), (f"llm:{MODEL}", 3))
    assert found.graded == 5
    said = make_lines(found)[0]
    assert said.startswith("labels     5 to give ")
    assert f"2 by lexical, 3 by llm:{MODEL}, 1 is here already" in said


def test_an_unknown_price_is_said_and_no_budget_is_promised(project: OpenProject) -> None:
    found = Estimator().estimate(project, AnsweringSpec(FAR, FAR))
    assert found.cost is None
    assert f"no price of {FAR}" in make_lines(found)[-1]
    assert check_budget(found, None) is None
    with pytest.raises(UsageError, match=r"no price is known of openai:any@.*prices\.toml"):
        check_budget(found, 1.0)


def test_a_budget_that_is_too_small_is_refused_or_warned_of(project: OpenProject) -> None:
    found = Estimator().estimate(project, SPEC)
    assert found.cost is not None
    with pytest.raises(OverBudgetError, match="does not pay for the first request"):
        check_budget(found, found.first / 2)
    warning = check_budget(found, found.first * 1.01)
    assert found.first < found.cost.low
    assert warning is not None
    assert "what is done is kept" in warning
    assert check_budget(found, found.cost.high) is None
    free = Estimator().estimate(project, AnsweringSpec(HERE, HERE))
    assert check_budget(free, 0.0) is None


def test_a_project_without_facts_is_no_trouble(tmp_path: Path) -> None:
    with new_project(tmp_path / "none.db") as empty:
        found = Estimator().estimate(empty, SPEC)
        assert (found.questions, found.answers, found.parts) == (0, QuantityRange(0, 0), ())
        assert make_lines(found)


def test_texts_are_measured_anew_when_facts_come(project: OpenProject) -> None:
    estimator = Estimator()
    before = estimator.estimate(project, SPEC)
    put_facts(project, [a_fact("a much longer name than the others have " * 40)])
    after = estimator.estimate(project, SPEC)
    assert after.questions == before.questions + 18
    assert after.input_tokens.low > 2 * before.input_tokens.low


def test_lengths_count_text_and_options(project: OpenProject) -> None:
    ids, lengths = db.question_rows.text_lengths(project.connection)
    said = dict(zip(ids, lengths, strict=True))
    for question in db.question_rows.questions(project.connection):
        assert said[question.id] == sum(
            len(text.encode()) for text in (question.text, *(question.choices or ()))
        )
    assert len(said) == FACTS * len(TASKS)
