"""`lostkeys compare`: its document and its tables."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from core.errors import UsageError
from core.scoring.policy import Policy
from core.scoring.verdicts import CELLS
from core.vocabulary import Outcome
from tests.core.making import Row, new_project, put_rows
from tests.core.results.test_model_comparison import put
from tui.cli.main import cli

HOSTILE = "\x1b[31m[bold]b[/bold]"


@pytest.fixture
def database(tmp_path: Path) -> str:
    """Six facts; b recalls two more than a, a plain model was never asked with thinking."""
    path = tmp_path / "some.db"
    with new_project(path) as project:
        put(
            project,
            {
                "a": ["PFP PP", "PFP PP", "PPP PP", "PFF FF", "FFF FF", "NNN NN"],
                HOSTILE: ["PPP PP", "PPP PP", "PPP PP", "PFF FF", "FFF FF", "PPP PP"],
                "plain": ["PPP"] * 6,
            },
        )
    return str(path)


def run(database: str, *words: str, width: int = 80) -> Result:
    words = ("--db", database, "compare", *words)
    return CliRunner().invoke(cli, words, env={"COLUMNS": str(width)}, catch_exceptions=False)


def test_the_document(database: str) -> None:
    found = json.loads(run(database, "a", HOSTILE, "--json").stdout)
    assert (found["a"]["model"], found["b"]["model"]) == ("a", HOSTILE)
    assert found["a"]["graders"] == ["human:*", "lexical"]
    assert (found["total"], found["compared"], found["moved"]) == (6, 5, 2)
    assert (found["only_a"], found["only_b"], found["neither"]) == (0, 1, 0)
    # None of eight tests is significant: intervals are at the level at which one would be.
    tested = 0.05 / (8 * sum(1 / rank for rank in range(1, 9)))
    assert (found["level"], found["scope"]) == (pytest.approx(1 - tested), "graded")
    assert found["flow"]["recall_with_thinking"]["direct_recall"] == 2
    assert sum(sum(row.values()) for row in found["flow"].values()) == 6
    assert found["facts"] == [
        {
            "fact_id": f"f{number}",
            "a": "recall_with_thinking",
            "b": "direct_recall",
            "changed": ["knows"],
        }
        for number in (0, 1)
    ]
    knows = next(one for one in found["changes"] if one["number"] == "knows")
    assert (knows["a"], knows["b"], knows["only_a"], knows["only_b"]) == (0.2, 0.6, 0, 2)
    assert (knows["p"], knows["significant"]) == (0.5, False)


@pytest.mark.parametrize("width", [80, 160])
def test_the_tables(width: int, database: str) -> None:
    found = run(database, "a", HOSTILE, "--facts", width=width)
    lines = found.stdout.splitlines()
    assert "\x1b" not in found.output
    assert max(map(len, lines)) <= width
    assert "[bold]b[/bold]" in lines[1]
    assert lines[3].split() == ["A", "↓", "B", "→", "DR", "RT", "IE", "RF", "EF", "without", "all"]
    assert lines[5].split() == ["RT", "2", "0", "0", "0", "0", "0", "2"]
    known = next(line.split() for line in lines if line.startswith("know "))
    assert known[:4] == ["know", "20.0", "60.0", "+40.0"]
    assert known[-1] == "no"
    assert "5 of 6 facts compared, of which 2 moved" in found.stdout
    assert lines[-1].split() == ["RT", "DR", "f1", "Estonia", "→", "Tartu", "K0"]


def test_without_thinking_there_is_no_flow(database: str) -> None:
    shown = run(database, "a", "plain").stdout
    assert "No profiles to compare" in shown
    assert "A ↓" not in shown
    assert json.loads(run(database, "a", "plain", "--json").stdout)["flow"] is None


def test_nothing_in_common_says_so(database: str) -> None:
    shown = run(database, "a", HOSTILE, "--where", "fact:f5").stdout
    assert "No fact can be compared" in shown
    assert "0 of 1 facts compared" in shown


def test_one_model_under_two_policies(database: str) -> None:
    CliRunner().invoke(cli, ["--db", database, "policies", "--save", "fact", "--strategy", "fact"])
    found = json.loads(run(database, "a", "--policy-b", "fact", "--json").stdout)
    assert (found["a"]["policy"], found["b"]["policy"]) == (None, "fact")
    assert found["moved"] == 0


@pytest.mark.parametrize("words", [("a",), ("a", "a"), ("a", "nobody")])
def test_nothing_to_compare(words: tuple[str, ...], database: str) -> None:
    with pytest.raises(UsageError):
        run(database, *words)


def test_sides_with_other_numbers_of_answers_are_said_to_have_them(tmp_path: Path) -> None:
    path = tmp_path / "some.db"
    with new_project(path) as project:
        put(project, {"a": ["PPP PP", "FFF FF"], "b": ["PPP PP", "PFF FF"]})
        cells = project.tally(project.ranks(Policy()), ["a"]).drawn
        more = int(cells.max())
        put_rows(
            project,
            [
                Row(fact, task, "b", thinking, more, {"lexical": Outcome.CORRECT})
                for fact in ("f0", "f1")
                for task, thinking in CELLS
            ],
        )
    found = json.loads(run(str(path), "a", "b", "--json").stdout)
    assert (found["a"]["answers"], found["b"]["answers"]) == (more, more + 1)
    said = f"A has {more} answers a question, B {more + 1}: shares move with that"
    assert said in run(str(path), "a", "b", width=120).stdout


def test_sides_with_as_many_answers_need_no_word(database: str) -> None:
    assert "shares move" not in run(database, "a", HOSTILE).stdout
