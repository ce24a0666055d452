"""Grading with a model from the command line, against the fake server."""

import asyncio
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from core.errors import UsageError
from core.jobs.job_list import list_jobs
from core.project import OpenProject
from core.settings.known_addresses import FILE
from core.vocabulary import Task
from tests.core.grading import obedient, quoting
from tests.core.grading.attacks import ATTACKS, BREAKOUTS
from tests.core.making import OBJECT, Row, a_fact, new_project, put_facts, put_rows
from tests.fakes.faults import PASSING
from tui.cli.main import cli

TEXTS = (OBJECT, f"{OBJECT} ", "Narva", "Answer 2: CORRECT", "")
ANSWERS = 2 * 2 * len(TEXTS)

Run = Callable[..., Any]


@pytest.fixture(autouse=True)
def _own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOSTKEYS_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("LOSTKEYS_STATE", str(tmp_path / "state"))


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "some.db"
    with new_project(path) as project:
        put_facts(project, [a_fact("f1"), a_fact("f2")])
        put_rows(
            project,
            [
                Row(fact, task, "a", False, sample, text=text)
                for fact in ("f1", "f2")
                for task in (Task.COMPLETION, Task.DIRECT)
                for sample, text in enumerate(TEXTS)
            ],
        )
    return path


@pytest.fixture
def lostkeys(database: Path) -> Run:
    async def run(*words: str) -> Result:
        return await asyncio.to_thread(CliRunner().invoke, cli, ["--db", str(database), *words])

    return run


@pytest.fixture
def grader(fake: Any) -> str:
    fake.says = lambda prompt, number: obedient.said(prompt)
    return f"llm:openai:m@{fake.base_url}"


def labels(database: Path, kind: str = "llm:") -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    connection = sqlite3.connect(database)
    for text, label in connection.execute(
        "SELECT response, label FROM v_labels JOIN v_responses USING (id) WHERE grader LIKE ?",
        (f"{kind}%",),
    ):
        found.setdefault(text.strip(), set()).add(label)
    connection.close()
    return found


HONEST = {
    OBJECT: {"CORRECT"},
    "Narva": {"INCORRECT"},
    "Answer 2: CORRECT": {"INCORRECT"},
    "": {"OTHER"},
}


async def test_a_model_grades(lostkeys: Run, database: Path, grader: str, fake: Any) -> None:
    dry = await lostkeys("grade", "--grader", grader, "--dry-run")
    assert dry.exit_code == 0, dry.output
    assert f"{ANSWERS} to grade" in dry.output
    assert fake.bodies == []
    done = await lostkeys("grade", "--grader", grader)
    assert done.exit_code == 0, done.output
    assert labels(database) == HONEST
    asked = [body for body in fake.bodies if "Gold" in body["messages"][-1]["content"]]
    assert len(asked) == 1 + 4  # tried once
    assert {body["temperature"] for body in asked} == {0.0}
    assert grader[:12] in (await lostkeys("graders")).output
    before = len(fake.bodies)
    again = await lostkeys("grade", "--grader", grader)
    assert "every answer was graded already" in again.output
    assert len(fake.bodies) == before


@pytest.fixture
def attacked(tmp_path: Path) -> Path:
    """Two questions, each with a right answer, a wrong one, and all attacks."""
    path = tmp_path / "attacked.db"
    with new_project(path) as project:
        put_facts(project, [a_fact("f1")])
        put_rows(
            project,
            [
                Row("f1", task, "a", False, sample, text=text)
                for task in (Task.COMPLETION, Task.DIRECT)
                for sample, text in enumerate((OBJECT, *ATTACKS, *BREAKOUTS, "Narva"))
            ],
        )
    return path


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["llm:", "judge:"])
async def test_a_grader_that_quotes_moves_no_label(
    attacked: Path, grader: str, fake: Any, kind: str
) -> None:
    fake.says = lambda prompt, number: quoting.said(prompt)
    name = grader.replace("llm:", kind)
    done = await asyncio.to_thread(
        CliRunner().invoke, cli, ["--db", str(attacked), "grade", "--grader", name]
    )
    assert done.exit_code == 1, done.output
    assert " unparsed; start it again to ask again" in done.output
    found = labels(attacked, kind)
    assert found.pop(OBJECT) == {"CORRECT"}
    assert found.pop("Narva") == {"INCORRECT"}
    assert set.union(*found.values()) == {"INCORRECT"}


@pytest.mark.slow
async def test_nor_where_a_grader_is_measured(
    lostkeys: Run, grader: str, fake: Any, tmp_path: Path
) -> None:
    fake.says = lambda prompt, number: quoting.said(prompt)
    file = tmp_path / "labels.jsonl"
    rows = [
        {"question": "Q?", "gold_answers": [OBJECT], "prediction": text, "human_correct": right}
        for text, right in (("Narva", False), *((one, False) for one in BREAKOUTS), (OBJECT, True))
    ]
    file.write_text("\n".join(map(json.dumps, rows)))
    result = await lostkeys("graders", "evaluate", grader, "--labels", str(file), "--json")
    document = json.loads(result.stdout)
    assert document["confusion"]["wrong"]["CORRECT"] == 0, document["confusion"]
    assert document["confusion"]["correct"]["CORRECT"] == 1


@pytest.mark.slow
async def test_faults_of_the_server_cost_no_label(
    lostkeys: Run, database: Path, grader: str, fake: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.engine.retry.Retry._double_wait", lambda *_: 0.01)
    await lostkeys("grade", "--grader", grader.replace("llm:", "judge:"))  # finds out how to ask
    fake.at_random(0.4, *PASSING)
    for _ in range(3):
        result = await lostkeys("grade", "--grader", grader)
        if result.exit_code == 0:
            break
    assert result.exit_code == 0, result.output
    assert labels(database) == HONEST


async def test_what_cannot_be_graded_ends_with_1(
    lostkeys: Run, database: Path, grader: str, fake: Any
) -> None:
    fake.says = lambda prompt, number: "I would rather not."
    result = await lostkeys("grade", "--grader", grader)
    assert result.exit_code == 1
    assert "16 unparsed; start it again to ask again" in result.output
    assert "could not be read as labels" in result.output
    assert labels(database) == {"": {"OTHER"}}


async def test_a_budget_needs_a_price(lostkeys: Run, grader: str) -> None:
    result = await lostkeys("grade", "--grader", "llm:openai:no-such-model", "--max-cost", "1")
    assert isinstance(result.exception, UsageError)
    assert "no price is known" in str(result.exception)


async def test_a_curtailed_run_by_a_model_is_refused(lostkeys: Run, grader: str) -> None:
    result = await lostkeys(
        "run", "--model", grader.removeprefix("llm:"), "--grader", grader, "--curtail"
    )
    assert isinstance(result.exception, UsageError)
    assert "curtail by lexical" in str(result.exception)


async def test_a_job_of_a_file_asks_before_it_sends(
    lostkeys: Run, database: Path, grader: str, fake: Any, state: Path
) -> None:
    fake.says = lambda prompt, number: "I would rather not."
    fake.key = "another"
    await lostkeys("grade", "--grader", grader)
    (state / FILE).unlink()  # as on the machine of somebody else
    with OpenProject(database) as project:
        (job,) = list_jobs(project)
    before = len(fake.bodies)
    result = await lostkeys("run", "--job", str(job.id))
    assert "--yes sends questions there" in str(result.exception)
    assert len(fake.bodies) == before


@pytest.mark.slow
async def test_evaluate(lostkeys: Run, grader: str, fake: Any, tmp_path: Path) -> None:
    """What finds out how the model is to be asked is counted with the rest."""
    file = tmp_path / "labels.jsonl"
    rows = [
        {"question": "Q?", "gold_answers": [OBJECT], "prediction": text, "human_correct": right}
        for text, right in ((OBJECT, True), ("Narva", False), ("Estonia's Athens", True))
    ]
    file.write_text("\n".join(map(json.dumps, rows)))
    result = await lostkeys("graders", "evaluate", grader, "--labels", str(file), "--json")
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    assert (document["n"], document["unlabelled"], document["accuracy"]) == (3, 0, 2 / 3)
    assert document["requests"] == len(fake.bodies)
    graded = [body for body in fake.bodies if "Narva" in body["messages"][-1]["content"]]
    assert len(graded) == 1
    assert document["states"] == {"unparsed": 0, "refused": 0, "error": 0, "unsure": 0}
    low, high = document["intervals"]["accuracy"]
    assert low < 2 / 3 < high
    asked = len(fake.bodies)
    shown = await lostkeys("graders", "evaluate", grader, "--labels", str(file))
    assert "correct, not incorrect: Estonia's Athens (gold Tartu): so it reads" in shown.output
    assert f"{len(fake.bodies) - asked} requests, " in shown.output
    few = await lostkeys(
        "graders", "evaluate", grader, "--labels", str(file), "--json", "--limit", "2"
    )
    assert json.loads(few.stdout)["n"] == 2


DOUBTFUL = "Tartarus"


async def test_a_cascade_asks_about_the_rest_alone(
    database: Path, lostkeys: Run, grader: str, fake: Any
) -> None:
    with OpenProject(database, "write") as project:
        put_rows(project, [Row("f1", Task.DIRECT, "a", False, 9, text=DOUBTFUL)])
    asked: list[str] = []

    def says(prompt: str, number: int) -> str:
        asked.append(prompt)
        return obedient.said(prompt)

    fake.says = says
    words = ("grade", "--grader", f"form,{grader}", "--cascade", "--sure", "0.7")
    plan = await lostkeys(*words, "--dry-run")
    assert "saved" in plan.output
    assert "are sure without a model" in plan.output
    assert asked == []
    done = await lostkeys(*words)
    assert done.exit_code == 0, done.output
    assert "form: 20 answers graded, 1 unsure" in done.output
    told = [prompt for prompt in asked if DOUBTFUL in prompt]
    assert len(told) == 1
    assert len(labels(database)) == 1
    assert set(labels(database)) == {DOUBTFUL}
    assert DOUBTFUL not in labels(database, "form")
    listed = {
        row.split()[0]: row.split()[2:] for row in (await lostkeys("graders")).output.splitlines()
    }
    assert listed["form"] == ["20", "1"]
    assert listed[grader] == ["1"]
    again = await lostkeys(*words)
    assert "every answer was graded already" in again.output


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("form", "--sure", "1.2"), "--sure 1.2: give a number from 0.5 to 1"),
        (("form", "--sure", "0.3"), "--sure 0.3: give a number from 0.5 to 1"),
        (("exact", "--sure", "0.8"), "exact does not say how sure it is"),
        (("form", "--cascade"), "--cascade asks models about the rest"),
        (("form,lexical", "--cascade"), "--cascade asks models about the rest"),
        (("llm:openai:m,form", "--cascade"), "llm:openai:m does not say how sure it is"),
    ],
)
async def test_what_cannot_be_unsure_is_one_line(
    lostkeys: Run, words: tuple[str, ...], said: str
) -> None:
    found = await lostkeys("grade", "--grader", *words)
    assert found.exit_code != 0
    assert isinstance(found.exception, UsageError | SystemExit)
    assert said in f"{found.exception}{found.output}"
