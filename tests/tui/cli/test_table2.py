"""All rows of table 2 through the whole program: files imported, profiles printed."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner

from core.project import OpenProject
from core.transfer.imports import import_file
from core.vocabulary import ENCODING, KNOWLEDGE, Task
from tests.core.results.table2 import BITS, ROWS, STRATEGIES, facts_behind, tolerance
from tui.cli.main import cli

pytestmark = pytest.mark.slow

KEYS = {"encodes": "encodes", "knows": "knows", "knows_with_thinking": "knows_thinking"}
TASKS = (*ENCODING, *KNOWLEDGE)
Answers = Iterator[tuple[Task, bool, Sequence[str]]]


def answers(kind: str, strategy: str, random: Random) -> Answers:
    """Labels of the ten cells of a fact of this kind, few but of every sort."""
    encodes, knows, thinking = BITS.get(kind, (True, True, True))
    passing, failing = ["CORRECT"], ["INCORRECT"]
    cells = {(task, on): passing for task in KNOWLEDGE for on in (False, True)}
    cells |= {(task, False): failing for task in ENCODING}
    if encodes:
        cells[random.choice(ENCODING), False] = ["CORRECT", "OTHER"]
    for on, good in ((False, knows), (True, thinking)):
        if not good:
            cells[random.choice(KNOWLEDGE), on] = ["CORRECT", "INCORRECT"]
    if kind == "excluded_nan":
        task, on = random.choice([(Task.DIRECT, False), (Task.REVERSE, True)])
        nothing = ["OTHER"] if strategy == "partial" else ["PARTIALLY", "OTHER"]
        cells[task, on] = nothing
        if strategy != "fact":
            cells[Task(f"{task}_natural"), on] = nothing
    for (task, on), labels in cells.items():
        yield task, on, labels


def write(path: Path, rows: Iterator[Mapping[str, Any]]) -> Path:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    return path


def facts(count: int) -> Iterator[Mapping[str, Any]]:
    for number in range(count):
        questions = {str(task): f"{task} {number}?" for task in TASKS}
        yield {"fact_id": f"f{number}", "subject": "Kuressaare", "object": "1563", **questions}


def responses(strategy: str, kinds: Mapping[str, Sequence[str]]) -> Iterator[Mapping[str, Any]]:
    """One line an answer, those of the facts of every model."""
    for model, mine in kinds.items():
        random = Random(model)
        for number, kind in enumerate(mine):
            for task, on, labels in answers(kind, strategy, random):
                for sample, label in enumerate(labels):
                    yield {
                        "fact_id": f"f{number}",
                        "task": task,
                        "model": model,
                        "thinking": on,
                        "sample": sample,
                        "response": label.lower(),
                        "grades": {"printed": label},
                    }


@pytest.mark.parametrize(("printed", "strategy"), STRATEGIES.items())
def test_table_2(
    printed: str, strategy: str, shared: Callable[[str], Path], tmp_path: Path
) -> None:
    shared("data/published/table2_profiles.csv")
    rows = {row["model"]: row for row in ROWS if row["strategy"] == printed}
    assert len(rows) == 13
    kinds = {model: facts_behind(row, of_point=10) for model, row in rows.items()}
    most = max(map(len, kinds.values()))
    path = tmp_path / "table2.db"
    with OpenProject(path, "create") as project:
        for file in (
            write(tmp_path / "facts.jsonl", facts(most)),
            write(tmp_path / "responses.jsonl", responses(strategy, kinds)),
        ):
            assert import_file(project, file).bad == 0
    words = ["--db", str(path), "profiles", "--strategy", strategy, "--json"]
    document = json.loads(CliRunner().invoke(cli, words, catch_exceptions=False).stdout)
    assert not document["provisional"]
    assert [model["model"] for model in document["models"]] == list(rows)
    for model in document["models"]:
        check(model, rows[model["model"]], kinds[model["model"]], most)


def check(model: Mapping[str, Any], row: Mapping[str, str], kinds: list[str], total: int) -> None:
    """The numbers of one model, against what is printed and against the facts made."""
    for profile, count in model["counts"].items():
        assert count == kinds.count(profile)
    outside = ("excluded_nan", "direct_inference")
    assert [model[name] for name in outside] == [kinds.count(name) for name in outside]
    # A model has answers about as many facts as its row asks for; the rest are incomplete.
    assert (model["total"], model["incomplete"]) == (total, total - len(kinds))
    found = {
        **model["shares"],
        **{name: model[key] for name, key in KEYS.items()},
        "excluded": model["excluded_share"],
        "other_or_partially": model["excluded_nan"] / len(kinds),
        "direct_inference": model["direct_inference"] / len(kinds),
    }
    wrong = {
        name: (100 * value, row[name])
        for name, value in found.items()
        # Half a fact in a thousand is 0.05 points.
        if abs(100 * value - float(row[name])) > tolerance(row, name, rounding=0.05)
    }
    assert wrong == {}, model["model"]
