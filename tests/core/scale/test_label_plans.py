"""Grading by files: the labels are those of `grade`, whatever becomes of the files on the way."""

import json
import random
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.curation.question_edits import edit_question
from core.project import OpenProject
from core.vocabulary import Task
from tests.commands import Commands
from tests.commands import commands as forked_commands
from tests.core.grading import quoting
from tests.core.grading.attacks import ATTACKS, BREAKOUTS
from tests.core.making import OBJECT, Row, put_rows
from tests.core.scale.label_plans import (
    BREAKOUT,
    GRADER,
    TEXTS,
    WANTED,
    Line,
    answer,
    collect,
    grades,
    honest,
    lostkeys,
    make_project,
    outcomes,
    read_requests,
    read_rows,
    refuse,
    write_plan,
    write_rows,
)
from tests.fakes import openai_schemas

ALL = {text: {label} for text, label in WANTED.items()}
FACTS = 200
"""So many that a command is killed on its way."""

REQUESTS, ANSWERS = 2 * 2 * 2, 2 * 2 * 4
"""Of two facts and tasks: the breakout is asked about alone."""


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return make_project(tmp_path / "some.db")


def test_a_plan_names_its_requests_and_answers(database: Path) -> None:
    folder = write_plan(database)
    manifest = json.loads((folder / "manifest.json").read_bytes())
    assert manifest.items() >= {"grader": GRADER, "requests": REQUESTS, "answers": ANSWERS}.items()
    asked, known = read_requests(folder), read_rows(folder / "answers.jsonl")
    assert [one["custom_id"] for one in asked] == [one["custom_id"] for one in known]
    assert sum(len(one["answers"]) for one in known) == ANSWERS
    assert {one["url"] for one in asked} == {"/v1/chat/completions"}
    assert [one["custom_id"].rpartition("-")[0] for one in asked[:3]] == [
        *("g0-completion", "g0-completion"),
        "g0-direct",
    ]
    assert outcomes(database) == {"": {"OTHER"}}


def test_labels_come_in(database: Path) -> None:
    folder = write_plan(database, "--shards", 2)
    found = collect(database, [answer(one) for one in read_requests(folder)])
    assert found.items() >= {"code": 0, "taken": ANSWERS, "here": ANSWERS, "retry": 0}.items()
    assert outcomes(database) == ALL
    whys = {one[3] for one in grades(database, GRADER) if one[2] == "CORRECT"}
    assert whys == {"so it reads"}
    jobs = json.loads(lostkeys(database, "jobs", "--json").output)["jobs"]
    assert [one["state"] for one in jobs] == ["finished"]
    asked = ("--grader", GRADER, "--replies", "text", "-o", folder.with_name("more"))
    again = lostkeys(database, "requests", *asked)
    assert "nothing to ask" in again.output
    assert not folder.with_name("more").exists()


def test_what_is_lost_is_asked_again_as_it_was(database: Path) -> None:
    folder = write_plan(database)
    asked = read_requests(folder)
    found = collect(database, [answer(one) for one in asked[2:]])
    assert found.items() >= {"code": 1, "missing": 2, "retry": 2}.items()
    assert read_requests(folder, "retry.*") == asked[:2]
    assert collect(database, [answer(one) for one in asked[:2]])["code"] == 0
    assert outcomes(database) == ALL


def test_after_a_reply_that_cannot_be_read_each_answer_is_asked_about_alone(
    database: Path,
) -> None:
    folder = write_plan(database)
    first, *others = read_requests(folder)
    rows = [answer(first, lambda request: "I would rather not."), *map(answer, others)]
    found = collect(database, rows)
    assert found.items() >= {"code": 1, "unread": 1, "missing": 0, "retry": 3}.items()
    alone = read_requests(folder, "retry.*")
    assert len({one["custom_id"] for one in (first, *alone)}) == 4
    assert collect(database, [answer(one) for one in alone[1:]])["retry"] == 1
    assert collect(database, [answer(alone[0])])["code"] == 0
    assert outcomes(database) == ALL


@pytest.mark.parametrize("status", [400, 413])
def test_a_refusal_is_the_last_word_where_the_answer_was_alone(database: Path, status: int) -> None:
    folder = write_plan(database)
    first, *others = read_requests(folder)
    found = collect(database, [refuse(first, status), *map(answer, others)])
    assert found.items() >= {"refused": 0, "unread": 1, "retry": 3}.items()
    alone = read_requests(folder, "retry.*")
    rows = [refuse(alone[0], status), *map(answer, alone[1:])]
    for _ in range(2):
        found = collect(database, rows)
        assert found.items() >= {"code": 0, "refused": 1, "here": ANSWERS - 1}.items()
    assert collect(database, [refuse(first, status)])["code"] == 0
    assert found["reasons"] == {"the grader refused": 1}


def test_a_failure_is_asked_again_as_it_was(database: Path) -> None:
    folder = write_plan(database)
    asked = read_requests(folder)
    found = collect(database, [refuse(asked[0], 500), *map(answer, asked[1:])])
    assert found.items() >= {"code": 1, "failed": 1, "retry": 1}.items()
    assert read_requests(folder, "retry.*") == asked[:1]


def test_lines_that_are_none_of_the_plan(database: Path) -> None:
    folder = write_plan(database)
    first, second, *_ = read_requests(folder)
    head = first["custom_id"].rpartition("-")[0]
    strange = [
        {**answer(first), "custom_id": f"{head}-0123456789"},
        {**answer(first), "custom_id": "g7-direct-0123456789"},
        {**answer(first), "custom_id": "g0-reverse-0123456789"},
        {**answer(first), "custom_id": "f0-direct-off-s0x8-0123456789"},
        answer(second),
        answer(second),
    ]
    found = collect(database, strange)
    assert found.items() >= {"stale": 1, "unknown": 3, "duplicate": 1, "taken": 1}.items()


def test_two_choices_are_one_more_than_asked_for(database: Path) -> None:
    first = read_requests(write_plan(database))[0]
    line = answer(first)
    choices = line["response"]["body"]["choices"]
    choices.append({**choices[0], "index": 1, "message": {"content": "nonsense"}})
    assert collect(database, [line]).items() >= {"extra": 1, "taken": 3}.items()


def test_a_label_that_is_here_by_then_stays(database: Path) -> None:
    folder = write_plan(database)
    asked = read_requests(folder)
    collect(database, map(answer, asked))  # type: ignore[arg-type]
    before = grades(database, GRADER)
    wrong = [answer(one, lambda one: honest(one).replace("INCORRECT", "OTHER")) for one in asked]
    assert collect(database, wrong).items() >= {"taken": 0, "duplicate": REQUESTS}.items()
    assert grades(database, GRADER) == before


def test_equal_answers_that_came_since_get_the_label(database: Path) -> None:
    folder = write_plan(database)
    with OpenProject(database, "write") as project:
        put_rows(project, [Row("f0", Task.DIRECT, "b", True, 3, text=f"\n{OBJECT}")])
    collect(database, [answer(one) for one in read_requests(folder)])
    assert len(grades(database, GRADER)) == 2 * 2 * len(TEXTS) + 1
    assert outcomes(database) == ALL


def test_an_edited_question_is_not_labelled_by_what_was_asked_before(database: Path) -> None:
    folder = write_plan(database)
    with OpenProject(database, "write") as project:
        (key,) = project.connection.execute(
            "SELECT id FROM question WHERE task = ? AND fact = 1", (Task.DIRECT,)
        ).fetchone()
        edit_question(project, "ann", key, "What else?")
    found = collect(database, [answer(one) for one in read_requests(folder)])
    assert found.items() >= {"code": 1, "stale": 2, "outdated": 2, "retry": 0}.items()


def test_answers_that_are_the_same_where_they_are_shown(tmp_path: Path) -> None:
    long = ["x" * 3000 + middle + "y" * 3000 for middle in ("Narva", "Tapa")]
    database = make_project(tmp_path / "some.db", long, facts=1)
    folder = write_plan(database, grader="judge:file:m")
    asked = read_requests(folder)
    assert len(asked) == len({one["custom_id"] for one in asked}) == 2
    found = collect(database, [answer(one) for one in asked])
    assert found.items() >= {"code": 0, "taken": 4}.items()


@pytest.mark.parametrize("spoil", ["cut", "gone", "mixed", "text"])
def test_a_list_of_answers_that_was_changed_is_one_line(database: Path, spoil: str) -> None:
    folder = write_plan(database)
    asked, path = read_requests(folder), folder / "answers.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    changed = {
        "cut": lines[:-1],
        "mixed": lines[::-1],
        "text": [lines[0].replace(b'["', b'[1,"'), *lines[1:]],
    }
    if spoil == "gone":
        path.unlink()
    else:
        path.write_bytes(b"".join(changed[spoil]))
    out = write_rows(database.with_name("out.jsonl"), [answer(one) for one in asked])
    result = lostkeys(database, "collect", folder, out)
    assert result.exit_code == 1
    assert "put the folder back" in str(result.exception)
    assert outcomes(database) == {"": {"OTHER"}}


def test_sums_that_were_exchanged_label_nothing_wrongly(database: Path) -> None:
    folder = write_plan(database)
    path = folder / "answers.jsonl"
    rows = read_rows(path)
    write_rows(path, [{**row, "answers": row["answers"][::-1]} for row in rows])
    text = path.read_text().replace('{"custom_id": ', '{"custom_id":')
    path.write_text(text)
    found = collect(database, [answer(one) for one in read_requests(folder)])
    assert found["stale"] == REQUESTS // 2
    assert {text: labels for text, labels in ALL.items() if text in (BREAKOUT, "")} == outcomes(
        database
    )


@pytest.mark.slow
def test_a_grader_that_quotes_moves_no_label(tmp_path: Path) -> None:
    texts = (OBJECT, *ATTACKS, *BREAKOUTS, BREAKOUT, "Narva")
    database = make_project(tmp_path / "some.db", texts, facts=1)
    folder = write_plan(database)

    def quote(request: Line) -> str:
        return quoting.said("\n\n".join(one["content"] for one in request["body"]["messages"]))

    asked = read_requests(folder)
    for _ in range(3):
        collect(database, [answer(one, quote) for one in asked])
        asked = read_requests(folder, "retry.*")
    found = {text: labels & set(WANTED.values()) for text, labels in outcomes(database).items()}
    assert found.pop(OBJECT) == {"CORRECT"}
    assert found.pop("Narva") == {"INCORRECT"}
    assert found[BREAKOUT] <= {"INCORRECT"}
    assert set.union(*found.values()) == {"INCORRECT"}


@contextmanager
def a_project() -> Iterator[Path]:
    with TemporaryDirectory() as name:
        yield make_project(Path(name) / "some.db")


@pytest.mark.slow
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_any_order_and_any_doubling_end_in_the_same_labels(data: Any) -> None:
    """Some replies cannot be read, some requests are refused: what is asked again is answered."""
    with a_project() as database:
        folder = write_plan(database)
        fates = st.sampled_from([answer, refuse, lambda one: answer(one, finish="length")])
        rows: list[Line] = []
        for one in read_requests(folder):
            rows += [data.draw(fates)(one)] if data.draw(st.booleans()) else [answer(one)]
        for _ in range(3):
            doubled = data.draw(st.lists(st.sampled_from(rows), max_size=10)) if rows else []
            mixed = data.draw(st.permutations([*rows, *doubled]))
            cut = data.draw(st.integers(0, len(mixed)))
            collect(database, mixed[:cut])
            found = collect(database, mixed[cut:])
            rows = [*rows, *map(answer, read_requests(folder, "retry.*"))]
        assert outcomes(database).keys() == ALL.keys()
        labelled = {text: one & set(WANTED.values()) for text, one in outcomes(database).items()}
        assert all(one <= ALL[text] for text, one in labelled.items())
        assert found["here"] + found["refused"] == ANSWERS
        assert found["code"] == 0


@pytest.fixture
def commands(tmp_path: Path) -> Iterator[Commands]:
    with forked_commands(tmp_path) as commands:
        yield commands


def kill_at_random(commands: Commands, turn: int, *words: object) -> None:
    """Kill a command after a time that it had a processor."""
    commands.run(*words, killed_after=random.Random(turn).uniform(0.01, 0.8))


@pytest.mark.slow
def test_killed_at_any_moment_it_ends_the_same(commands: Commands, tmp_path: Path) -> None:
    database = make_project(tmp_path / "some.db", facts=FACTS)
    folder = tmp_path / "plan"
    here = ("--db", database)
    for turn in range(8):
        if not folder.exists():
            kill_at_random(commands, turn, *here, "requests", "--grader", GRADER, "-o", folder)
    if not folder.exists():
        write_plan(database)
    manifest = json.loads((folder / "manifest.json").read_bytes())
    assert manifest["answers"] == FACTS * 2 * 4
    asked = read_requests(folder)
    out = write_rows(tmp_path / "out.jsonl", [answer(one) for one in asked])
    for turn in range(8):
        kill_at_random(commands, turn, *here, "collect", folder, out)
    assert commands.run(*here, "collect", folder, out).code == 0
    assert outcomes(database) == ALL
    assert len(grades(database, GRADER)) == FACTS * 2 * len(TEXTS)
    assert [one.name for one in tmp_path.iterdir() if one.name.endswith(".part")] == []


@pytest.mark.slow
def test_two_collections_at_once_double_nothing(commands: Commands, tmp_path: Path) -> None:
    database = make_project(tmp_path / "some.db", facts=100)
    folder = write_plan(database)
    out = write_rows(tmp_path / "out.jsonl", [answer(one) for one in read_requests(folder)])
    both = [commands.start("--db", database, "collect", folder, out) for _ in range(2)]
    assert [commands.wait(one).code for one in both] == [0, 0]
    assert outcomes(database) == ALL
    assert len(grades(database, GRADER)) == 100 * 2 * len(TEXTS)


def test_another_database_with_the_same_answers(database: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = make_project(tmp_path / "other" / "some.db")
    shutil.copytree(write_plan(database), other.with_name("plan"))
    asked = read_requests(database.with_name("plan"))
    assert collect(other, [answer(one) for one in asked])["code"] == 0
    assert outcomes(other) == ALL


@pytest.mark.parametrize(
    ("engine", "form"),
    [("vllm", "schema"), ("sglang", "schema"), ("openai", "schema"), ("plain", "text")],
)
def test_an_engine_that_takes_a_schema_is_asked_for_json(
    database: Path, engine: str, form: str
) -> None:
    folder = write_plan(database, "--engine", engine, replies="auto")
    asked = read_requests(folder)
    schemas = [openai_schemas.schema_of(one["body"]) for one in asked]
    assert all((one is not None) is (form == "schema") for one in schemas)
    kinds = {one["type"] for one in schemas if one is not None}
    assert kinds == ({"text": set(), "schema": {"object" if engine == "openai" else "array"}}[form])
    manifest = json.loads((folder / "manifest.json").read_bytes())
    assert manifest["recipe"].get("replies", "text") == form
    found = collect(database, [answer(one) for one in asked])
    assert found.items() >= {"code": 0, "taken": found["answers"], "retry": 0}.items()
    assert outcomes(database) == ALL


def test_what_is_not_of_its_schema_is_asked_again_one_by_one(database: Path) -> None:
    folder = write_plan(database, replies="auto")
    fenced = [
        answer(one, lambda request: f"```json\n{honest(request)}\n```")
        for one in read_requests(folder)
    ]
    found = collect(database, fenced)
    assert (found["code"], found["here"]) == (1, 0)
    assert found["unread"] > 0
    again = read_requests(folder, "retry.*")
    assert len(again) == found["answers"]
    assert collect(database, [answer(one) for one in again])["code"] == 0
    assert outcomes(database) == ALL
