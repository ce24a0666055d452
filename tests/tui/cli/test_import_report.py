"""What `lostkeys import` says of a file: twenty lines at most, all of it where one asks."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from core.jobs.job_list import read_log
from core.project import OpenProject
from tui.cli.main import cli

FACTS, SAMPLES = 20, 8


def run(*words: object, code: int) -> Result:
    result = CliRunner().invoke(cli, [str(word) for word in words])
    assert isinstance(result.exception, SystemExit | None), result.exception
    assert result.exit_code == code, result.output
    return result


def answer(number: int, sample: int, **more: Any) -> dict[str, Any]:
    return {
        "fact_id": f"f{number}",
        "task": "contextual",
        "model": "m",
        "thinking": False,
        "sample": sample,
        "response": "Tartu",
        **more,
    }


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """A database with facts, and answers to a task that they do not have."""
    facts, answers = tmp_path / "facts.jsonl", tmp_path / "answers.jsonl"
    rows: list[dict[str, Any]] = [
        {"fact_id": f"f{number}", "object": "Tartu", "direct": "Where?", "direct_answer": "Tartu"}
        for number in range(FACTS)
    ]
    facts.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    rows = [answer(0, 0, task="direct")]
    rows += [answer(number, sample) for number in range(FACTS) for sample in range(SAMPLES)]
    rows += [answer(0, sample, task="direct", model=sample) for sample in range(3)]
    answers.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    run("--db", tmp_path / "a.db", "import", facts, code=0)
    return tmp_path / "a.db", answers


def test_bad_rows_are_grouped_and_the_summary_is_last(files: tuple[Path, Path]) -> None:
    database, answers = files
    lines = run("--db", database, "import", answers, code=1).stderr.splitlines()
    assert lines == [
        f"{answers}: 20 facts have no task contextual: 160 rows, first in line 2",
        f"{answers}: model is 0, not a name: 3 rows, first in line 162, "
        "with other values in other rows",
        f"{answers}: responses, 164 rows read, added 1, 0 there already, 163 bad; "
        "--verbose names every row",
    ]


def test_all_of_it_is_there_for_who_asks(files: tuple[Path, Path]) -> None:
    database, answers = files
    whole = run("--db", database, "import", "--verbose", answers, code=1).stderr.splitlines()
    assert len(whole) == 164
    assert whole[0] == f"{answers}, line 2: fact 'f0' has no task contextual"
    assert whole[-1].endswith("163 bad")
    (told,) = json.loads(run("--db", database, "import", "--json", answers, code=1).stdout)["files"]
    assert len(told["bad"]) == 163
    assert [one["rows"] for one in told["reasons"]] == [160, 3]
    assert "20 facts have no task contextual" in told["reasons"][0]["reason"]
    with OpenProject(database, "read") as project:
        texts = [line.text for job in (2, 3) for line in read_log(project, job, 0)]
    assert sum("has no task contextual" in text for text in texts) == 2 * 160 + 2


def test_what_fits_is_said_row_by_row(tmp_path: Path, files: tuple[Path, Path]) -> None:
    few = tmp_path / "few.jsonl"
    few.write_text("".join(f"{json.dumps(answer(number, 0))}\n" for number in range(3)))
    lines = run("--db", files[0], "import", few, code=1).stderr.splitlines()
    assert lines[:3] == [
        f"{few}, line {number + 1}: fact 'f{number}' has no task contextual" for number in range(3)
    ]


def test_kinds_of_reasons_beyond_twenty_lines_are_counted(
    tmp_path: Path, files: tuple[Path, Path]
) -> None:
    odd = tmp_path / "odd.jsonl"
    kinds = ["fact_id", "task", "model", "sample", "thinking", "response"]
    made = [
        {k: v for k, v in answer(0, 0, task="direct").items() if k not in (a, b)}
        for a in kinds
        for b in kinds
        for _ in range(2)
    ]
    odd.write_text("".join(f"{json.dumps(row)}\n" for row in made))
    lines = run("--db", files[0], "import", odd, code=1).stderr.splitlines()
    assert len(lines) == 20
    assert " more lines" in lines[-2]
    assert "72 rows read" in lines[-1]


def test_several_files_have_twenty_lines_together(tmp_path: Path, files: tuple[Path, Path]) -> None:
    """Alike things of all files are said once, and the last line counts them all."""
    made = []
    for number in range(30):
        file = tmp_path / f"part{number}.jsonl"
        rows = [answer(number % FACTS, 0, task="direct", model=f"m{number}")]
        rows += [answer(one, sample) for one in range(3) for sample in range(number % 5)]
        file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        made.append(file)
    broken = tmp_path / "broken.jsonl"
    broken.write_text("{")
    lines = run("--db", files[0], "import", *made, broken, code=1).stderr.splitlines()
    assert lines[0].startswith("lostkeys: ")
    assert "broken.jsonl" in lines[0]
    first = f"first in line 2 of {made[1]}"
    assert lines[1:] == [
        f"3 facts have no task contextual: 180 rows, {first}",
        "30 files: responses, 210 rows read, added 30, 0 there already, 180 bad; "
        "--verbose names every row",
    ]
    whole = run("--db", files[0], "import", "--verbose", *made, broken, code=1).stderr.splitlines()
    assert len(whole) == 180 + 30 + 1
    assert whole[-1] == lines[0]


def test_few_files_have_a_summary_each(tmp_path: Path, files: tuple[Path, Path]) -> None:
    made = []
    for number in range(2):
        made.append(tmp_path / f"few{number}.jsonl")
        rows = [answer(number, sample, task="direct") for sample in range(2)] + [answer(number, 0)]
        made[-1].write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    lines = run("--db", files[0], "import", *made, code=1).stderr.splitlines()
    assert lines == [
        said
        for number, one in enumerate(made)
        for said in (
            f"{one}, line 3: fact 'f{number}' has no task contextual",
            f"{one}: responses, 3 rows read, added 2, 0 there already, 1 bad",
        )
    ]


def test_many_broken_files_are_counted(tmp_path: Path, files: tuple[Path, Path]) -> None:
    made = [tmp_path / f"cut{number}.jsonl" for number in range(25)]
    for file in made:
        file.write_text("{")
    lines = run("--db", files[0], "import", *made, code=1).stderr.splitlines()
    assert len(lines) == 20
    assert lines[-2] == "and 7 more lines"
    assert lines[-1].startswith("0 files: nothing, 0 rows read")
