"""Logs of other tools through the command line: the worked examples, row by row."""

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tui.cli.main import cli

FOLDERS = (
    "exchange-inspect",
    "exchange-inspect-archive",
    "exchange-lm-eval",
    "exchange-helm",
    "exchange-every-eval-ever",
    "exchange-promptfoo",
    "exchange-join",
    "exchange-edits",
)
COMMAND = re.compile(r"`lostkeys (import .+?)` \(exit (\d)\)")
FIRST = re.compile(r"^First: `lostkeys (.+)`$", re.MULTILINE)
LISTS = ("direct_aliases", "direct_choices", "shown_order")
EMPTY = (None, "", "null")


def run(words: str, monkeypatch: pytest.MonkeyPatch, folder: Path, database: Path) -> Result:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("LOSTKEYS_DB", str(database))
    return CliRunner().invoke(cli, shlex.split(words), catch_exceptions=False)


def plain(row: dict[str, Any]) -> dict[str, Any]:
    """A row without what is empty, and with lists as lists."""
    found = {key: value for key, value in row.items() if value not in EMPTY}
    for key in LISTS:
        if isinstance(found.get(key), str):
            found[key] = json.loads(found[key])
    return found


def rows_of(path: Path) -> list[dict[str, Any]]:
    rows = [plain(json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]
    return sorted(rows, key=lambda row: json.dumps(row, sort_keys=True))


def unlabelled(document: dict[str, Any]) -> list[tuple[str, int]]:
    return sorted((one["grader"], one["count"]) for one in document["unlabelled"])


@pytest.mark.parametrize("name", FOLDERS)
def test_an_example_comes_in_as_it_says(
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    shared: Callable[[str], Path],
) -> None:
    folder = shared(f"design/examples/{name}")
    database = tmp_path / "o.db"
    text = (folder / "README.md").read_text(encoding="utf-8")
    for words in FIRST.findall(text):
        assert run(words, monkeypatch, folder, database).exit_code == 0
    [(words, exit_code)] = COMMAND.findall(text)
    done = run(f"{words} --json", monkeypatch, folder, database)
    assert done.exit_code == int(exit_code), done.output
    files = json.loads(done.stdout)["files"]
    expected = json.loads((folder / "expected_report.json").read_text(encoding="utf-8"))
    bad = [{"file": one["file"], "row": row["row"]} for one in files for row in one["bad"]]
    assert bad == [{"file": row["file"], "row": row["row"]} for row in expected["bad"]]
    told = {**files[0], "unlabelled": [one for file in files for one in file["unlabelled"]]}
    assert unlabelled(told) == unlabelled(expected)
    for what in ("facts", "responses", "labels"):
        file = tmp_path / f"{what}.jsonl"
        assert run(f"export {what} -o {file}", monkeypatch, folder, database).exit_code == 0
        found, wanted = rows_of(file), rows_of(folder / f"expected_{what}.jsonl")
        if what == "labels":
            found = [{key: row[key] for key in row if key != "at"} for row in found]
        assert found == wanted

    again = run(f"{words} --json", monkeypatch, folder, database)
    assert again.exit_code == int(exit_code)
    assert sum(one["added"] for one in json.loads(again.stdout)["files"]) == 0
