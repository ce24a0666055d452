"""Grading what is stored with a model: once for equal answers, nothing lost."""

import asyncio
import sqlite3
from pathlib import Path

import db.model_rows
import prompts
from core.graders.answer_text import STEP_BY_STEP
from core.jobs.job_progress import State
from core.jobs.job_run import JobContext
from core.jobs.job_service import Jobs
from core.project import OpenProject
from core.providers.base import (
    Draw,
    Reply,
    Request,
)
from core.scoring.policy import Policy
from core.specs.answer_specs import AnsweringSpec, GradingSpec
from core.vocabulary import Task
from db.connection import write_transaction
from tests.core.grading.making import (
    ALL,
    EMBEDDED,
    MODEL,
    Grader,
    count,
    graded,
    honest,
    outcomes,
    prompt,
)
from tests.core.making import OBJECT, Row, a_fact, a_recipe, new_project, put_facts, put_rows
from tests.patience import PATIENCE


def test_equal_answers_are_graded_once(path: Path) -> None:
    grader = Grader()
    result, view = graded(path, grader)
    assert grader.answers == [2] * 4  # a request a question: Tartu and Narva
    assert outcomes(path) == {OBJECT: {"CORRECT"}, "Narva": {"INCORRECT"}, "": {"OTHER"}}
    assert count(path, "SELECT count(*) FROM grade") == ALL
    assert count(path, "SELECT count(*) FROM remark WHERE rationale = 'so it reads'") == ALL * 3 / 4
    (stage,) = view.stages
    assert (stage.done, stage.waiting, stage.running, stage.failed) == (ALL, 0, 0, 0)
    (spend,) = view.spends
    assert (spend.requests, spend.answers, spend.input_tokens) == (4, ALL * 3 / 4, 400)
    assert result.failed == 0
    assert "32 answers graded, 8 of them without asking" in result.said


def test_what_is_graded_is_not_asked_again(path: Path) -> None:
    graded(path, Grader())
    with OpenProject(path, "write") as project:
        put_rows(
            project,
            [
                Row("f1", Task.DIRECT, "c", on, sample, text=text)
                for on in (False, True)
                for sample, text in enumerate((f"{OBJECT} ", "Narva", "Viljandi"))
            ],
        )
    grader = Grader()
    result, view = graded(path, grader)
    assert grader.answers == [1]
    assert "Viljandi" in prompt(grader.seen[0])
    assert view.stages[0].done == ALL + 6
    assert "6 answers graded, 4 of them without asking" in result.said
    again = Grader()
    result, _ = graded(path, again)
    assert again.seen == []
    assert "every answer was graded already" in result.said


def test_only_the_answer_of_reasoning_is_graded(tmp_path: Path) -> None:
    path = tmp_path / "steps.db"
    with new_project(path) as project:
        put_facts(project, [a_fact("f", [Task.DIRECT])])
        texts = (f"Is it {OBJECT}? No.\nAnswer: Narva", f"Not Narva.\n**Answer:** {OBJECT}")
        put_rows(
            project,
            [Row("f", Task.DIRECT, "m", True, at, text=text) for at, text in enumerate(texts)],
        )
        with write_transaction(project.connection):
            db.model_rows.set_recipe(project.connection, "m", a_recipe(thinking=STEP_BY_STEP))
    grader = Grader()
    graded(path, grader)
    said = prompt(grader.seen[0])
    assert 'Answer 1: "Narva"' in said
    assert f'Answer 2: "{OBJECT}"' in said
    assert outcomes(path) == {texts[0]: {"INCORRECT"}, texts[1]: {"CORRECT"}}


def test_many_answers_make_several_requests(tmp_path: Path) -> None:
    path = tmp_path / "many.db"
    texts = [f"answer {number}" for number in range(39)] + [OBJECT]
    with new_project(path) as project:
        put_facts(project, [a_fact("f", [Task.DIRECT])])
        put_rows(
            project,
            [Row("f", Task.DIRECT, "m", False, at, text=text) for at, text in enumerate(texts)],
        )
    grader = Grader()
    graded(path, grader)
    assert grader.answers == [16, 16, 8]
    found = outcomes(path)
    assert found.pop(OBJECT) == {"CORRECT"}
    assert set(map(tuple, found.values())) == {("INCORRECT",)}
    assert len(found) == 39


def test_another_prompt_is_another_version(path: Path, tmp_path: Path) -> None:
    graded(path, Grader())
    folder = tmp_path / "prompts"
    folder.mkdir()
    for name in ("grade-answer", "grade-completion"):
        ours = (prompts.template.OURS / f"{name}.md").read_text(encoding="utf-8")
        (folder / f"{name}.md").write_text(f"{ours}\n", encoding="utf-8")
    grader = Grader(lambda request, number: honest(request).replace("INCORRECT", "OTHER"))
    jobs = Jobs(path, means=JobContext(lambda model: grader))
    job = jobs.start(GradingSpec((EMBEDDED,), str(folder)))
    assert jobs.wait(job, PATIENCE)
    assert jobs.result(job).failed == 0
    assert grader.answers == [2] * 4
    assert outcomes(path)["Narva"] == {"INCORRECT", "OTHER"}
    with OpenProject(path) as project:
        old, new = [one for one in project.graders() if one.name == EMBEDDED]
        assert old.version != new.version
        assert project.grids.count(old.plane) == project.grids.count(new.plane) == ALL
        ranks = project.ranks(Policy(graders=(EMBEDDED,)))
        assert ranks[0].planes[0] == new.plane


def test_a_judge_says_yes_or_no_to_one_answer_at_a_time(path: Path) -> None:
    name = EMBEDDED.replace("llm:", "judge:")
    grader = Grader()
    graded(path, grader, name)
    assert len(grader.seen) == 8
    assert outcomes(path, name) == {OBJECT: {"CORRECT"}, "Narva": {"INCORRECT"}, "": {"OTHER"}}
    graded(path, Grader())
    assert outcomes(path, name) == outcomes(path)


def test_rejected_facts_are_not_paid_for(path: Path) -> None:
    with OpenProject(path, "write") as project, write_transaction(project.connection):
        project.connection.execute("UPDATE fact SET rejected = 1 WHERE fact_id = 'f1'")
    grader = Grader()
    graded(path, grader)
    assert len(grader.seen) == 2
    assert not [one for one in grader.seen if "f1 " in prompt(one)]


def test_a_question_edited_meanwhile_keeps_no_label_of_its_old_wording(path: Path) -> None:
    def say(request: Request, number: int) -> str:
        if number == 1:
            with sqlite3.connect(path, timeout=10) as connection:
                connection.execute("UPDATE gold SET text = 'Narva' WHERE side = 'object'")
            connection.close()
        return honest(request)

    grader = Grader(say)
    graded(path, grader)
    assert outcomes(path) == {OBJECT: {"INCORRECT"}, "Narva": {"CORRECT"}, "": {"OTHER"}}


def test_two_programs_ask_nothing_twice(path: Path) -> None:
    class Slow(Grader):
        async def draw(self, request: Request) -> Reply:
            await asyncio.sleep(0.3)
            return await super().draw(request)

    grader = Slow()
    programs = [Jobs(path, means=JobContext(lambda model: grader)) for _ in range(2)]
    jobs = [one.start(GradingSpec((EMBEDDED,))) for one in programs]
    assert all(one.wait(job, PATIENCE) for one, job in zip(programs, jobs, strict=True))
    for one, job in zip(programs, jobs, strict=True):
        assert one.result(job).failed == 0
    asked = list(map(prompt, grader.seen))
    assert len(asked) == len(set(asked)) == 4
    assert outcomes(path) == {OBJECT: {"CORRECT"}, "Narva": {"INCORRECT"}, "": {"OTHER"}}
    assert count(path, "SELECT count(*) FROM claim") == 0


def test_a_run_grades_what_it_has_drawn(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    with new_project(path) as project:
        put_facts(project, [a_fact("f1"), a_fact("f2")])

    class Both(Grader):
        async def draw(self, request: Request) -> Reply:
            if request.n == 1 and request.temperature == 0.0:
                return await super().draw(request)
            return Reply(tuple(Draw(OBJECT, "stop") for _ in range(request.n)), 5, 5)

    asked = Both()
    jobs = Jobs(path, means=JobContext(lambda model: asked))
    spec = AnsweringSpec(MODEL, "m", 2, (False,), graders=("lexical", EMBEDDED), unchecked=True)
    job = jobs.start(spec)
    assert jobs.wait(job, PATIENCE)
    result, view = jobs.result(job), jobs.view(job)
    assert f"{EMBEDDED}: 24 answers graded" in result.said
    assert [one.name for one in view.stages] == [
        "answer, thinking off",
        "grade lexical",
        f"grade {EMBEDDED}",
    ]
    assert [(one.done, one.waiting) for one in view.stages] == [(40, 0), (24, 0), (24, 0)]
    assert {one.stage for one in view.spends} == {"answer, thinking off", f"grade {EMBEDDED}"}
    assert asked.answers == [1] * 12
    with OpenProject(path) as project:
        names = {one.name for one in project.graders()}
    assert names == {"lexical", "choice", EMBEDDED}


def test_a_stopped_job_keeps_its_labels_and_the_next_one_asks_for_the_rest(path: Path) -> None:
    stopping: list[Jobs] = []

    class Slow(Grader):
        async def draw(self, request: Request) -> Reply:
            if len(self.seen) >= 2:
                stopping[0].stop()
                await asyncio.sleep(PATIENCE)
            return await super().draw(request)

    grader = Slow()
    stopping.append(Jobs(path, means=JobContext(lambda model: grader)))
    job = stopping[0].start(GradingSpec((EMBEDDED,), replies="text"))
    assert stopping[0].wait(job, PATIENCE)
    assert stopping[0].view(job).state == State.STOPPED
    kept = count(path, "SELECT count(*) FROM grade WHERE outcome < 4")
    assert kept in (0, 6, 12)
    again = Grader()
    graded(path, again)
    assert len(again.seen) == 4 - kept / 6
    assert outcomes(path) == {OBJECT: {"CORRECT"}, "Narva": {"INCORRECT"}, "": {"OTHER"}}
