"""`lostkeys fact-bench table` as people read it: every table, whatever a row lacks."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from core.curation.question_reviews import accept
from core.fact_bench.tables import BENCH_TABLES
from core.vocabulary import Outcome, Task
from tests.core.fact_bench.arms_making import OBJECTS, answers, new_set
from tests.core.making import question_keys
from tui.cli.main import cli

PLAIN = {name: gold for name, (gold, _, _) in OBJECTS.items()}


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "some.db"
    judged = {"a": Outcome.CORRECT, "b": Outcome.INCORRECT}
    rows = [
        *answers("m#reading", {"a": "Riga", "b": "Riga"}, judged),
        *answers("m#10-shot", PLAIN),
        *answers("m#10-shot:shuffle", {**PLAIN, "a": "Oslo", "d": "12 of 13 km"}),
    ]
    with new_set(path, rows) as project:
        accept(project, "eva", question_keys(project.connection)["a", Task.DIRECT])
    return path


def table(database: Path, *words: str) -> Result:
    return CliRunner().invoke(cli, ["--db", str(database), "fact-bench", "table", *words])


@pytest.mark.parametrize("form", [[], ["--latex"], ["--json"]])
@pytest.mark.parametrize("name", BENCH_TABLES)
def test_every_table_is_printed(database: Path, name: str, form: list[str]) -> None:
    found = table(database, name, *form)
    assert (found.exit_code, found.exception) == (0, None)


def test_people_are_a_source_without_a_model(database: Path) -> None:
    lines = table(database, "upper-bound").stdout.splitlines()
    assert [line.split()[:4] for line in lines[2:4]] == [
        ["m", "reading", "2", "50.0"],
        ["–", "people", "1", "100.0"],
    ]
    assert json.loads(table(database, "upper-bound", "--json").stdout)["rows"][1]["model"] is None


def test_the_metric_is_said_and_only_pairs_have_one(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    found = table(database, "shuffle", "--metric", "f1")
    # Of five answers one loses all and one a third of its F1.
    assert re.search(r"100\.0 +73\.3 +26\.7 ", found.stdout)
    assert "F1 in % over n triples" in found.stdout
    wrong = table(database, "domain", "--metric", "f1")
    assert "--metric is for shuffle, regular, tuned" in str(wrong.exception)


def test_pairs_of_base_and_tuned_are_named(database: Path) -> None:
    none = table(database, "tuned")
    assert none.exit_code == 0
    assert "`--pair BASE,TUNED` names a pair" in " ".join(none.stdout.split())
    wrong = table(database, "tuned", "--pair", "m")
    assert "name two models, as BASE,TUNED" in str(wrong.exception)
    elsewhere = table(database, "domain", "--pair", "m,n")
    assert "--pair is for tuned" in str(elsewhere.exception)


def test_a_breakdown_without_its_mode_names_those_there_are(tmp_path: Path) -> None:
    path = tmp_path / "some.db"
    with new_set(path, [*answers("m#5-shot", PLAIN), *answers("m#zero-shot", PLAIN)]):
        pass
    found = table(path, "popularity")
    assert "No arm is 10-shot: `--mode` shows zero-shot, 5-shot." in found.stdout
    assert "100.0" in table(path, "popularity", "--mode", "5-shot").stdout


def test_whose_labels_say_known_is_named(tmp_path: Path) -> None:
    path = tmp_path / "some.db"
    with new_set(path, answers("m#zero-shot", PLAIN)):
        pass
    assert "right zero-shot by lexical;" in table(path, "methods").stdout
    assert "right zero-shot by em;" in table(path, "methods", "--known-by", "em").stdout
