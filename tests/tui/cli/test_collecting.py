"""`collect`: the worked example, every form of answers, and what goes wrong."""

import gzip
import json
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from click.testing import CliRunner, Result
from pyarrow import parquet

import core.scale.collect_report
from core.curation.question_edits import edit_question
from core.curation.undo_history import undo
from core.project import OpenProject
from core.providers.openai_format import BROKEN
from core.vocabulary import Task
from db.connection import write_transaction
from tui.cli.main import cli

RAW = ("--completion", "raw", "--questions", "raw")
COMPARED = ("fact_id", "task", "model", "thinking", "sample", "response")

Run = Callable[..., Result]
Row = dict[str, Any]


@pytest.fixture
def lostkeys(tmp_path: Path) -> Run:
    """Run a command on a database in the test's folder."""
    database = str(tmp_path / "some.db")

    def run(*words: object) -> Result:
        return CliRunner().invoke(cli, ["--db", database, *map(str, words)])

    return run


@pytest.fixture
def example(shared: Callable[[str], Path]) -> Path:
    return shared("design/examples/scale-collect")


@pytest.fixture
def planned(lostkeys: Run, tmp_path: Path, example: Path) -> Run:
    """The example's plan is out in `reqs`."""
    assert lostkeys("import", example / "facts.jsonl").exit_code == 0
    words = ("requests", "--model", "file:base", *RAW, "--shards", 2, "-o", tmp_path / "reqs")
    assert lostkeys(*words).exit_code == 0
    return lostkeys


def rows(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def write(path: Path, found: Sequence[Row]) -> Path:
    path.write_text("".join(json.dumps(one) + "\n" for one in found), encoding="utf-8")
    return path


def requests(tmp_path: Path) -> list[Row]:
    return [one for file in sorted((tmp_path / "reqs").glob("part-*")) for one in rows(file)]


def answers(request: Row, said: str = " Paris") -> list[Row]:
    """The choices of a whole answer to a request."""
    return [
        {"index": place, "text": f"{said} {place}", "finish_reason": "stop"}
        for place in range(request["body"]["n"])
    ]


def batch_line(request: Row, said: str = " Paris") -> Row:
    body = {"choices": answers(request, said)}
    return {"custom_id": request["custom_id"], "response": {"status_code": 200, "body": body}}


def stored(lostkeys: Run, tmp_path: Path) -> list[str]:
    out = tmp_path / "responses.jsonl"
    assert lostkeys("export", "responses", "-o", out).exit_code == 0
    return sorted(json.dumps([one[name] for name in COMPARED]) for one in rows(out))


def report(result: Result) -> Row:
    assert result.exception is None or result.exit_code == 1, result.exception
    found: Row = json.loads(result.stdout)
    return found


def test_the_report_is_that_of_the_example(planned: Run, tmp_path: Path, example: Path) -> None:
    same_plan = [rows(example / "reqs" / f"part-0000{k}.raw.jsonl") for k in (0, 1)]
    assert requests(tmp_path) == [one for some in same_plan for one in some]
    words = ("collect", tmp_path / "reqs", example / "out1.jsonl", example / "out2.jsonl", "--json")
    for expected in ("expected-report.json", "expected-report-again.json"):
        result = planned(*words)
        assert result.exit_code == 1
        wanted = json.loads((example / expected).read_text(encoding="utf-8"))
        assert report(result).items() >= wanted.items()
        retry = rows(tmp_path / "reqs" / "retry.raw.jsonl")
        by_name = {one["custom_id"]: one for one in rows(example / "expected-retry.jsonl")}
        assert {one["custom_id"]: one for one in retry} == by_name
        found = [
            json.dumps([one[name] for name in COMPARED])
            for one in rows(example / "expected-responses.jsonl")
        ]
        assert stored(planned, tmp_path) == sorted(found)


def test_what_is_lost_is_asked_again_and_then_all_is_here(
    planned: Run, tmp_path: Path, example: Path
) -> None:
    words = ("collect", tmp_path / "reqs")
    planned(*words, example / "out1.jsonl", example / "out2.jsonl")
    retried = rows(tmp_path / "reqs" / "retry.raw.jsonl")
    more = write(tmp_path / "more.jsonl", [batch_line(one) for one in retried])
    result = planned(*words, more, "--json")
    assert result.exit_code == 0
    assert report(result).items() >= {"taken": 38, "here": 288, "refused": 2, "retry": 0}.items()
    assert not (tmp_path / "reqs" / "retry.raw.jsonl").exists()
    jobs = json.loads(planned("jobs", "--json").output)["jobs"]
    assert [one["state"] for one in jobs if one["kind"] == "files"] == ["finished"]
    late = planned(*words, more, "--json")
    assert report(late).items() >= {"taken": 0, "duplicate": 6, "stale": 0, "here": 288}.items()


def forms(request: Row) -> list[Row]:
    """One answer in every form of JSONL."""
    name, choices = request["custom_id"], answers(request)
    texts = [one["text"] for one in choices]
    shuffled = [choices[3], *choices[:3], *choices[4:]]
    return [
        {"custom_id": name, "response": {"status_code": 200, "body": {"choices": shuffled}}},
        {"custom_id": name, "response": {"choices": choices}},
        {"custom_id": name, "choices": choices},
        {"custom_id": name, "generated_text": texts},
        {"custom_id": name, "response": json.dumps({"choices": choices})},
    ]


@pytest.mark.parametrize("form", range(5))
@pytest.mark.parametrize("packed", [False, True])
def test_forms(planned: Run, tmp_path: Path, form: int, packed: bool) -> None:
    out = write(tmp_path / "out.jsonl", [forms(one)[form] for one in requests(tmp_path)])
    if packed:
        content = out.read_bytes()
        out = tmp_path / "out.gz"
        out.write_bytes(
            gzip.compress(content[: len(content) // 2])
            + gzip.compress(content[len(content) // 2 :])
        )
    result = planned("collect", tmp_path / "reqs", out, "--json")
    assert (result.exit_code, report(result)["here"]) == (0, 304)
    first = json.loads(stored(planned, tmp_path)[0])
    assert first[5] == f" Paris {first[4]}"


@pytest.mark.parametrize("kind", ["struct", "json", "texts"])
def test_parquet(planned: Run, tmp_path: Path, kind: str) -> None:
    asked = requests(tmp_path)
    table: dict[str, list[Any]] = {"custom_id": [one["custom_id"] for one in asked]}
    bodies = [batch_line(one)["response"] for one in asked]
    if kind == "struct":
        table["response"] = bodies
    elif kind == "json":
        table["response"] = list(map(json.dumps, bodies))
    else:
        texts = [[one["text"] for one in body["body"]["choices"]] for body in bodies]
        table["generated_text"] = texts
    folder = tmp_path / "outs" / "inner"
    folder.mkdir(parents=True)
    parquet.write_table(pa.table(table), folder / "part-0.parquet")
    (folder / "_SUCCESS").write_text("")
    result = planned("collect", tmp_path / "reqs", tmp_path / "outs", "--json")
    assert (result.exit_code, report(result)["here"]) == (0, 304)


def test_a_folder_that_is_the_plan_itself(planned: Run, tmp_path: Path) -> None:
    write(tmp_path / "reqs" / "k.out.jsonl", [batch_line(one) for one in requests(tmp_path)])
    result = planned("collect", tmp_path / "reqs", tmp_path / "reqs", "--json")
    assert report(result)["here"] == 304


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda at: at / "gone.jsonl", "is not there"),
        (lambda at: at / "reqs" / "part-00000.raw.jsonl", "holds the requests"),
        (
            lambda at: write(at / "copy.jsonl", rows(at / "reqs" / "part-00000.raw.jsonl")),
            "a request, no answer",
        ),
        (lambda at: nameless(at / "x.parquet"), "custom_id"),
        (lambda at: broken(at / "x.parquet"), "no sound Parquet"),
        (lambda at: (at / "empty").mkdir() or at / "empty", "has no files of answers"),
    ],
)
def test_files_that_are_none(
    planned: Run, tmp_path: Path, make: Callable[[Path], Path], said: str
) -> None:
    result = planned("collect", tmp_path / "reqs", make(tmp_path))
    assert result.exit_code == 1
    assert said in str(result.exception)


def nameless(path: Path) -> Path:
    parquet.write_table(pa.table({"id": [1]}), path)
    return path


def broken(path: Path) -> Path:
    path.write_bytes(b"PAR1 and nothing more")
    return path


def no_plan(at: Path) -> Path:
    (at / "other").mkdir()
    return at / "other"


def changed(at: Path) -> Path:
    file = at / "reqs" / "part-00001.raw.jsonl"
    file.write_bytes(file.read_bytes().replace(b'"n":8', b'"n":9', 1))
    return at / "reqs"


def newer(at: Path) -> Path:
    file = at / "reqs" / "manifest.json"
    file.write_text(file.read_text().replace('"lostkeys_requests": 1', '"lostkeys_requests": 2'))
    return at / "reqs"


def elsewhere(at: Path) -> Path:
    file = at / "reqs" / "manifest.json"
    file.write_text(file.read_text().replace('"part-00000.raw', '"../part-00000.raw'))
    return at / "reqs"


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (no_plan, "is no plan"),
        (changed, "was changed since"),
        (newer, "update Lostkeys"),
        (elsewhere, "the name of a file"),
    ],
)
def test_folders_that_are_no_plan(
    planned: Run, tmp_path: Path, make: Callable[[Path], Path], said: str
) -> None:
    out = write(tmp_path / "out.jsonl", [batch_line(one) for one in requests(tmp_path)])
    result = planned("collect", make(tmp_path), out)
    assert result.exit_code == 1
    assert said in str(result.exception)
    assert stored(planned, tmp_path) == []


HOSTILE = [
    "\x1b[31mred",
    "[/red]",
    "nul \x00 inside",
    "a\u202eb",
    "half \ud800 pair",
    "x" * 10_000_000,
]


def test_hostile_texts_are_kept_to_the_letter(planned: Run, tmp_path: Path) -> None:
    (first, *_) = requests(tmp_path)
    texts = [*HOSTILE, " \n", " 8"]
    out = write(
        tmp_path / "out.jsonl", [{"custom_id": first["custom_id"], "generated_text": texts}]
    )
    assert report(planned("collect", tmp_path / "reqs", out, "--json"))["taken"] == 8
    with OpenProject(tmp_path / "some.db", "read") as project:
        found = [text for (text,) in project.connection.execute("SELECT text FROM response")]
    assert found == [text.replace("\ud800", "\ufffd") for text in texts]


def test_lines_that_are_none(planned: Run, tmp_path: Path) -> None:
    first, second, *_ = requests(tmp_path)
    lines = [
        "[" * 100_000,
        "null",
        '{"custom_id": 3}',
        json.dumps({"custom_id": first["custom_id"], "generated_text": None}),
        json.dumps({"custom_id": second["custom_id"], "choices": "none"}),
        json.dumps(
            {"custom_id": second["custom_id"], "response": {"body": [], "status_code": 200}}
        ),
        "",
        json.dumps(batch_line(second))[:-5],
    ]
    out = tmp_path / "out.jsonl"
    out.write_text("\n".join(lines), encoding="utf-8")
    found = report(planned("collect", tmp_path / "reqs", out, "--json"))
    assert found.items() >= {"malformed": 4, "taken": 0, "failed": 2, "missing": 36}.items()


@pytest.mark.parametrize("said", BROKEN)
def test_choices_that_an_engine_broke_off_are_asked_again(
    planned: Run, tmp_path: Path, said: str
) -> None:
    """The reason why a choice ended says so: what it had until then is no response."""
    asked = requests(tmp_path)
    lines = [batch_line(one) for one in asked]
    one, every = lines[0]["response"]["body"]["choices"], lines[1]["response"]["body"]["choices"]
    for choice in (one[1], *every):
        choice |= {"finish_reason": said, "text": "broken off"}
    out = write(tmp_path / "out.jsonl", lines)
    result = planned("collect", tmp_path / "reqs", out, "--json")
    assert result.exit_code == 1
    lost = 1 + len(every)
    found = report(result)
    assert (found["answers"] - found["taken"], found["short"], found["failed"]) == (lost, 1, 1)
    retry = rows(tmp_path / "reqs" / "retry.raw.jsonl")
    assert sorted(request["body"]["n"] for request in retry) == [1, len(every)]
    assert not any("broken off" in row for row in stored(planned, tmp_path))


def test_half_a_gzip(planned: Run, tmp_path: Path) -> None:
    lines = "".join(json.dumps(batch_line(one)) + "\n" for one in requests(tmp_path))
    whole = gzip.compress(lines.encode())
    out = tmp_path / "out.jsonl.gz"
    out.write_bytes(whole[: len(whole) * 3 // 4])
    found = report(planned("collect", tmp_path / "reqs", out, "--json"))
    assert found["malformed"] == 1
    assert 0 < found["here"] < 304
    out.write_bytes(whole)
    assert planned("collect", tmp_path / "reqs", out, "--json").exit_code == 0


def test_an_edited_question_is_not_answered_by_what_was_asked_before(
    planned: Run, tmp_path: Path
) -> None:
    with OpenProject(tmp_path / "some.db", "write") as project:
        (key,) = project.connection.execute(
            "SELECT id FROM question WHERE task = ? AND fact = 1", (Task.DIRECT,)
        ).fetchone()
        edit_question(project, "ann", key, "What else?")
    out = write(tmp_path / "out.jsonl", [batch_line(one) for one in requests(tmp_path)])
    result = planned("collect", tmp_path / "reqs", out, "--json")
    assert result.exit_code == 1
    assert report(result).items() >= {"stale": 2, "outdated": 2, "here": 288, "retry": 0}.items()


def test_an_edit_that_was_taken_back_makes_nothing_stale(planned: Run, tmp_path: Path) -> None:
    with OpenProject(tmp_path / "some.db", "write") as project:
        (key,) = project.connection.execute("SELECT min(id) FROM question").fetchone()
        edit_question(project, "ann", key, "What else?")
        assert undo(project, "ann") is not None
    out = write(tmp_path / "out.jsonl", [batch_line(one) for one in requests(tmp_path)])
    result = planned("collect", tmp_path / "reqs", out, "--json")
    assert report(result).items() >= {"stale": 0, "outdated": 0, "here": 304}.items()


@pytest.fixture
def left(planned: Run, tmp_path: Path) -> Path:
    """The draft of a program that was killed before it put its plan in its place."""
    gone = subprocess.Popen(["true"])
    gone.wait()
    return (tmp_path / "reqs").rename(tmp_path / f".reqs.{gone.pid}.part")


def test_a_plan_that_was_left_in_its_draft_is_put_in_its_place(
    planned: Run, tmp_path: Path, left: Path
) -> None:
    again = planned("requests", "--model", "file:base", *RAW, "-o", tmp_path / "reqs")
    assert (again.exit_code, "is there now" in again.output) == (0, True)
    out = write(tmp_path / "out.jsonl", [batch_line(one) for one in requests(tmp_path)])
    (tmp_path / "reqs").rename(left)
    assert report(planned("collect", tmp_path / "reqs", out, "--json"))["here"] == 304
    assert not left.exists()


def test_a_plan_without_a_folder_is_given_up(planned: Run, tmp_path: Path, left: Path) -> None:
    shutil.rmtree(left)
    asked = ("requests", "--model", "file:base", *RAW, "-o")
    for words in (("collect", tmp_path / "reqs", left), (*asked, tmp_path / "reqs")):
        assert "`lostkeys jobs cancel 2` frees" in str(planned(*words).exception)
    assert "jobs cancel 2" in planned(*asked, tmp_path / "other").output
    assert "jobs cancel 2" in planned("doctor").output
    assert planned("jobs", "cancel", 2).exit_code == 0
    assert planned(*asked, tmp_path / "reqs").exit_code == 0
    assert len(requests(tmp_path)) > 0


def test_a_label_of_another_recipe(planned: Run, tmp_path: Path) -> None:
    first = write(tmp_path / "out.jsonl", [batch_line(one) for one in requests(tmp_path)[:3]])
    assert planned("collect", tmp_path / "reqs", first).exit_code == 1
    with (
        OpenProject(tmp_path / "some.db", "write") as project,
        write_transaction(project.connection),
    ):
        project.connection.execute(
            "UPDATE recipe SET content = json_set(content, '$.temperature', 0.5)"
        )
    result = planned("collect", tmp_path / "reqs", first)
    assert "another recipe" in str(result.exception)


def test_late_answers_of_a_cancelled_plan_are_taken(planned: Run, tmp_path: Path) -> None:
    assert planned("jobs", "cancel", 2).exit_code == 0
    out = write(tmp_path / "out.jsonl", [batch_line(one) for one in requests(tmp_path)])
    assert report(planned("collect", tmp_path / "reqs", out, "--json"))["here"] == 304
    jobs = json.loads(planned("jobs", "--json").output)["jobs"]
    assert [one["state"] for one in jobs if one["kind"] == "files"] == ["cancelled"]


def test_another_database_with_the_same_facts(planned: Run, tmp_path: Path, example: Path) -> None:
    out = write(tmp_path / "out.jsonl", [batch_line(one) for one in requests(tmp_path)])
    other = ["--db", str(tmp_path / "other.db")]
    CliRunner().invoke(cli, [*other, "import", str(example / "facts.jsonl")])
    words = [*other, "collect", str(tmp_path / "reqs"), str(out), "--json"]
    assert report(CliRunner().invoke(cli, words))["here"] == 304
    found = CliRunner().invoke(cli, [*other, "profiles", "--json"])
    assert found.exit_code in (0, 1)


def test_a_plan_of_another_database_says_whose_questions_are_lacking(
    planned: Run, tmp_path: Path, example: Path
) -> None:
    facts = [one for one in rows(example / "facts.jsonl") if one["fact_id"]]
    written = (tmp_path / "reqs" / "facts.jsonl").read_text(encoding="utf-8")
    names = {json.loads(line) for line in written.splitlines()}
    known = next(one for one in facts if one["fact_id"] in names)
    some = {**known, "reverse": None, "reverse_natural": None}
    lines = [batch_line(one) for one in requests(tmp_path)]
    out = write(
        tmp_path / "out.jsonl", [*lines, {**lines[0], "custom_id": "f99-direct-off-s0x1-0"}]
    )
    other = ["--db", str(tmp_path / "other.db")]
    CliRunner().invoke(cli, [*other, "import", str(write(tmp_path / "one.jsonl", [some]))])
    result = CliRunner().invoke(cli, [*other, "collect", str(tmp_path / "reqs"), str(out)])
    assert result.exit_code == 1
    found = report(
        CliRunner().invoke(cli, [*other, "collect", str(tmp_path / "reqs"), str(out), "--json"])
    )
    here, absent = found["duplicate"], found["absent"]
    assert 0 < here < absent
    assert here + absent == len(lines)
    assert [line.strip() for line in result.output.splitlines()] == [
        f"{tmp_path / 'reqs'}: {found['here']} answers taken, {found['here']} of 304 here",
        "1  line of no request of this plan",
        f"{absent}  lines about a question that is not in this database",
        f"{absent}  requests about a question that is not in this database",
        f"{tmp_path / 'reqs'}: name the database that wrote it with --db, or import its facts",
    ]
    assert found.items() >= {"unknown": 1, "elsewhere": absent, "outdated": 0, "stale": 0}.items()
    CliRunner().invoke(cli, [*other, "import", str(example / "facts.jsonl")])
    words = [*other, "collect", str(tmp_path / "reqs"), str(out), "--json"]
    assert report(CliRunner().invoke(cli, words))["absent"] < absent


def test_a_full_disk_is_gone_on_from(
    planned: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = write(tmp_path / "out.jsonl", [batch_line(one) for one in requests(tmp_path)[:9]])

    def full(self: object, request: object, samples: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(core.scale.collect_report.RetryFiles, "add", full)
    result = planned("collect", tmp_path / "reqs", out)
    assert result.exit_code == 1
    assert [one.name for one in (tmp_path / "reqs").iterdir() if "retry" in one.name] == []
    monkeypatch.undo()
    found = report(planned("collect", tmp_path / "reqs", out, "--json"))
    assert found.items() >= {"taken": 0, "here": 72, "retry": 29}.items()


def test_curtailed_rounds_ask_only_what_is_undecided(
    lostkeys: Run, tmp_path: Path, shared: Callable[[str], Path]
) -> None:
    lostkeys("import", shared("design/examples/scale-plan/facts.jsonl"))
    words = ("requests", "--model", "file:base", *RAW, "--curtail", "--grader", "lexical")
    asked = 0
    for turn in range(9):
        folder = tmp_path / f"round{turn}"
        result = lostkeys(*words, "-o", folder)
        assert result.exit_code == 0, result.output
        if not folder.exists():
            break
        found = [one for file in sorted(folder.glob("part-*")) for one in rows(file)]
        asked += sum(one["body"]["n"] for one in found)
        out = write(tmp_path / "out.jsonl", [batch_line(one, " Nobody") for one in found])
        assert lostkeys("collect", folder, out).exit_code == 0
        if not turn:
            first = lostkeys("collect", folder, out, "--lake", tmp_path / "lake")
            assert first.exit_code == 0, first.output
        assert lostkeys("grade", "--grader", "lexical").exit_code == 0
    assert 0 < asked < 392
    assert not folder.exists()
    report = json.loads(lostkeys("profiles", "--grader", "lexical", "--json").stdout)
    assert report["models"][0]["incomplete"] == 0
    # A lake of the first round alone says what is undecided: its gaps are no lack of answers.
    assert lostkeys("grade", "--grader", "lexical", "--lake", tmp_path / "lake").exit_code == 0
    counted = lostkeys("profiles", "--from", tmp_path / "lake", "--grader", "lexical", "--json")
    (found,) = json.loads(counted.stdout)["models"]
    assert found["incomplete"] == found["total"] > 0


def test_sample_says_what_is_out(planned: Run, tmp_path: Path) -> None:
    words = ("sample", "--model", "openai:base@http://127.0.0.1:9/v1", "--as", "file:base", *RAW)
    result = planned(*words, "--unchecked")
    assert result.exit_code == 0, result.exception
    assert f"304 out in {tmp_path / 'reqs'} since" in result.output
