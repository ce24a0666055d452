"""A project with answers to grade, and a grader that says what it is told to."""

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import db.integrity
from core.jobs.job_run import JobContext, JobResult
from core.jobs.job_service import Jobs
from core.jobs.job_view import JobView
from core.project import OpenProject
from core.providers.base import Draw, Provider, Reply, Request
from core.specs.answer_specs import GradingSpec, ReplyWord
from core.vocabulary import Task
from tests.core.grading import obedient
from tests.core.making import OBJECT, Row, a_fact, new_project, put_facts, put_rows
from tests.patience import PATIENCE

MODEL = "openai:judge@http://127.0.0.1:9/v1"
GRADER = f"llm:{MODEL}"
EMBEDDED = "llm:embedded:smollm2-135m"
"""A grader that is not tried first: what is sent is grading alone."""

OPEN = (Task.COMPLETION, Task.DIRECT)

Say = Callable[[Request, int], str | Reply | Exception]


@dataclass
class Grader(Provider):
    """Says of the `n`th request what `say` gives; honest where that is not given."""

    say: Say = lambda request, number: honest(request)
    seen: list[Request] = field(default_factory=list)

    async def draw(self, request: Request) -> Reply:
        self.seen.append(request)
        said = self.say(request, len(self.seen))
        if isinstance(said, Exception):
            raise said
        if isinstance(said, Reply):
            return said
        return Reply((Draw(said, "stop"),), 100, len(said.split()))

    @property
    def answers(self) -> list[int]:
        """How many answers each request held."""
        return [sum(map(_is_answer, prompt(one).splitlines())) for one in self.seen]


def prompt(request: Request) -> str:
    assert request.messages is not None
    return request.messages[-1].content


def _is_answer(line: str) -> bool:
    return line.startswith(("Answer ", "Completion "))


def honest(request: Request, number: int = 0) -> str:
    """In the form that is asked for."""
    said = obedient.reply(request.messages or ())
    return said if request.schema is None else obedient.in_json(said)


def made(path: Path) -> Path:
    """Two facts; two models answered two tasks and one of multiple choice four times each."""
    texts = (OBJECT, f" {OBJECT}\n", "Narva", "")
    with new_project(path) as project:
        put_facts(project, [a_fact("f1"), a_fact("f2")])
        put_rows(
            project,
            [
                Row(fact, task, model, False, sample, text=text)
                for fact in ("f1", "f2")
                for task in (*OPEN, Task.MC_DIRECT)
                for model in ("a", "b")
                for sample, text in enumerate(texts)
            ],
        )
    return path


ALL = 2 * 2 * 2 * 4


def graded(
    path: Path,
    grader: Provider,
    name: str = EMBEDDED,
    max_cost: float | None = None,
    replies: ReplyWord = "text",
) -> tuple[JobResult, JobView]:
    """Run the job; what it came to, and what there is to show of it."""
    jobs = Jobs(path, means=JobContext(lambda model: grader))
    job = jobs.start(GradingSpec((name,), replies=replies), max_cost)
    assert jobs.wait(job, PATIENCE)
    return jobs.result(job), jobs.view(job)


def outcomes(path: Path, name: str = EMBEDDED) -> dict[str, set[str]]:
    """What is stored by text (without white space around it), over all versions."""
    found: dict[str, set[str]] = {}
    with OpenProject(path) as project:
        assert db.integrity.faults(project.connection) == []
        for text, outcome in project.connection.execute(
            "SELECT text, outcome.name FROM grade JOIN response ON response.id = grade.response "
            "JOIN grader ON grader.id = grade.grader JOIN outcome ON outcome.id = grade.outcome "
            "WHERE grader.name = ?",
            (name,),
        ):
            found.setdefault(text.strip(), set()).add(outcome)
    return found


def count(path: Path, sql: str) -> int:
    with sqlite3.connect(path) as connection:
        (found,) = connection.execute(sql).fetchone()
    connection.close()
    return int(found)
