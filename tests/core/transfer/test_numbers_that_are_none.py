"""NaN and Infinity, in any value of any file: refused, or taken for nothing, in one clear line.

Every value of a row of each format is one of them in turn, in each kind of file that can hold it.
"""

import csv
import json
import re
import shutil
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from core.errors import LostkeysError
from core.exchange.gold_texts import find_row_options, gold_texts
from core.project import OpenProject
from core.specs.file_specs import ImportWords
from core.transfer.column_map import as_text
from core.transfer.exports import export
from core.transfer.imports import import_file
from core.transfer.row_values import RowError
from tests.core.making import new_project
from tests.core.transfer.conftest import ANSWER, FACT

Path_ = tuple[str | int, ...]

TOKENS = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": -float("inf"), "1e400": 1e400}
"""As JSON has them, though it does not allow the first three."""

INFINITE = ("NaN", "-Infinity")

RUN = {
    "fact_id": "1__0",
    "tasks": ["direct"],
    "model": "m",
    "thinking": False,
    "samples": 8,
    "tau": 0.5,
    "strategy": "pair",
    "weight": 0.51,
    "graders": ["lexical"],
    "done": True,
    "at": "2026-03-01T12:00:00.250Z",
}
TRIPLE = {
    "id": "t1",
    "subject": "Chile",
    "relation": "capital",
    "object": "Santiago",
    "popularity": 5,
    "aliases": ["SCL"],
    "split": "train",
}
SCORE = {
    "id": "t1",
    "model": "m",
    "form": "zero-prompt",
    "n": 1,
    "seed": 0,
    "order": 0,
    "options": ["Santiago", "Lima"],
    "logprobs": [-0.5, -1.5],
    "response": "x",
}
PLACE = {"subject": "a", "object": "b", "kind": "clean", "logprob": -0.5}
ROWS: dict[str, dict[str, Any]] = {
    "facts": {**FACT, "page_created": 2004},
    "documents": {"id": 7, "title": "T", "text": "a text", "views": 3, "page_created": 2004},
    "responses": {**ANSWER, "grades": {"lexical": "CORRECT"}, "shown_order": None},
    "labels": {
        **{key: ANSWER[key] for key in ("fact_id", "task", "model", "thinking", "sample")},
        "grader": "human:eva",
        "label": "CORRECT",
        "rationale": "so",
        "history": [],
        "at": "2026-03-01T12:00:00.250Z",
    },
    "runs": RUN,
    "triples": TRIPLE,
    "zp-scores": SCORE,
    "zp-positions": {"relation": "capital", "model": "m", "n": 1, "seed": 0, "positions": [PLACE]},
    "zp-models": {"model": "m", "family": "f", "parameters": 8, "base": "b"},
    "zp-templates": {"relation": "capital", "name": "x", "kind": "hgp", "template": "{subject} is"},
    "table": {"question": "Q?", "answer": "A", "model": "m", "response": "A", "sample": 0},
    "wide": {"name": "Chile", "capital": "Santiago", "domain": "Arts"},
}
WIDE = ImportWords(set_name="s", subject="name", properties=("capital",), domain="domain")
WORDS = {"wide": WIDE, "triples": ImportWords(set_name="s")}
FORMATS = {"table": "auto", "wide": "triples"}
EXPORTED = ("facts", "responses", "labels", "runs", "triples", "zp-scores", "zp-positions")


def places(value: Any, path: Path_ = ()) -> Iterator[Path_]:
    """Paths to all values in a row."""
    if path:
        yield path
    if isinstance(value, dict):
        yield from chain.from_iterable(places(one, (*path, key)) for key, one in value.items())
    elif isinstance(value, list):
        yield from chain.from_iterable(places(one, (*path, key)) for key, one in enumerate(value))


def put(value: Any, path: Path_, new: object) -> Any:
    """A row with another value at a path."""
    if not path:
        return new
    if isinstance(value, dict):
        return {
            key: put(one, path[1:], new) if key == path[0] else one for key, one in value.items()
        }
    return [put(one, path[1:], new) if key == path[0] else one for key, one in enumerate(value)]


def text_of(value: Any, token: str) -> str:
    return json.dumps(value).replace('"@"', token)


def write(path: Path, row: dict[str, Any], token: str) -> None:
    """A file of one row, in which the value `@` is the token."""
    if path.suffix == ".jsonl":
        path.write_text(text_of(row, token) + "\n", encoding="utf-8")
        return
    cells = {
        key: text_of(one, token) if isinstance(one, dict | list) else one
        for key, one in row.items()
    }
    if path.suffix == ".parquet":
        columns = {key: [TOKENS[token] if one == "@" else one] for key, one in cells.items()}
        parquet.write_table(pa.table(columns), path)
        return
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, cells)
        writer.writeheader()
        writer.writerow({key: token if one == "@" else one for key, one in cells.items()})


@pytest.fixture
def project(tmp_path: Path, jsonl: Callable[..., Path]) -> Iterator[OpenProject]:
    with new_project(tmp_path / "some.db") as made:
        for name, row in (("facts", FACT), ("responses", ANSWER), ("triples", TRIPLE)):
            file = jsonl("first.jsonl", row)
            assert import_file(made, file, name, words=WORDS.get(name)).added == 1
        yield made


def count_rows(project: OpenProject) -> list[int]:
    """How many rows the tables have in which imported rows land."""
    tables = {"fact", "question", "response", "outcome", "run", "triple", "document", "remark"}
    tables |= {"model_trait", "option_score", "long_input", "input_form"}
    names = {name for (name,) in project.connection.execute("SELECT name FROM sqlite_schema")}
    assert names.issuperset(tables)
    return [
        project.connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        for table in sorted(tables)
    ]


def check_stored(project: OpenProject, folder: Path, texts: bool) -> None:
    """No number here is none; neither is a text, where the files had such numbers as numbers."""
    for line in project.connection.iterdump():
        assert not re.search(r"[^\w']-?(9\.0e\+999|inf)\b", line, re.IGNORECASE), line
        assert texts or not re.search(r"'-?(nan|inf|infinity)'", line, re.IGNORECASE), line
    for what in EXPORTED:
        export(project, what, folder / "out.jsonl")
        for line in (folder / "out.jsonl").read_text(encoding="utf-8").splitlines():
            json.loads(line, parse_constant=pytest.fail)


@pytest.mark.parametrize("ending", [".jsonl", ".csv", ".parquet"])
@pytest.mark.parametrize("name", ROWS)
def test_a_number_that_is_none_is_refused_or_nothing(
    project: OpenProject, tmp_path: Path, name: str, ending: str
) -> None:
    file, row = tmp_path / f"file{ending}", ROWS[name]
    for path in places(row):
        for token in ("NaN", "1e400") if ending == ".jsonl" or len(path) > 1 else INFINITE:
            write(file, put(row, path, "@"), token)
            before = count_rows(project)
            try:
                report = import_file(project, file, FORMATS.get(name, name), words=WORDS.get(name))
            except LostkeysError as error:
                said = [str(error)]
            else:
                said = [one.reason for one in report.problems] + report.notices
                assert report.read <= 1
                if report.added:
                    continue
            assert count_rows(project) == before, (path, token)
            assert not any("\n" in line for line in said)
    check_stored(project, tmp_path, texts=ending == ".csv")


LOGS = (
    "exchange-inspect/rivers.json",
    "exchange-lm-eval/samples_capitals_2026-01-02T03-04-05.123456.jsonl",
    "exchange-helm/towns_scenario_state.json",
    "exchange-helm/towns_per_instance_stats.json",
    "exchange-every-eval-ever/rows.jsonl",
    "exchange-promptfoo/results.json",
)


def number_places(value: Any) -> dict[str, Path_]:
    """A path to one number of each kind in a log."""
    found = {}
    for path in places(value):
        one = value
        for key in path:
            one = one[key]
        kind = ".".join("#" if isinstance(key, int) else key for key in path)
        if isinstance(one, int | float) and kind not in found:
            found[kind] = path
    return found


@pytest.mark.parametrize("name", LOGS)
def test_a_log_with_a_number_that_is_none_is_read_or_refused(
    shared: Callable[[str], Path], tmp_path: Path, name: str
) -> None:
    example = shared("design/examples") / name
    folder = shutil.copytree(example.parent, tmp_path / "log")
    state = folder / "towns_scenario_state.json"
    read = state if state.exists() else folder / example.name
    lines = example.read_text(encoding="utf-8").splitlines()
    first, rest = (lines[0], lines[1:]) if example.suffix == ".jsonl" else ("".join(lines), [])
    log = json.loads(first)
    with new_project(tmp_path / "some.db") as project:
        for number, path in enumerate(number_places(log).values()):
            if path == ("version",):
                continue  # another version is for Inspect itself, which takes seconds
            text = text_of(put(log, path, "@"), ("NaN", "1e400", "-Infinity")[number % 3])
            (folder / example.name).write_text("\n".join([text, *rest]) + "\n", encoding="utf-8")
            report = import_file(project, read, words=ImportWords(as_label=f"m{number}"))
            assert report.added > 0
            said = [one.reason for one in report.problems] + report.notices
            assert not any("\n" in line for line in said)
        check_stored(project, tmp_path, texts=False)


@pytest.mark.parametrize("number", TOKENS.values())
def test_a_number_that_is_none_is_no_answer_and_no_option(number: float) -> None:
    assert gold_texts([number, 7, 0.5], "x") == ("7", "0.5", "x")
    assert find_row_options({"choices": ["a", number], "options": ["b", 3]}) == (["b", "3"], [])
    with pytest.raises(RowError, match="direct is "):
        as_text(number, "direct")
