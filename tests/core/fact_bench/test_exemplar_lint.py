"""What examples teach: sent ones, those that would be, and those of a file."""

from pathlib import Path

import pytest
from click.testing import CliRunner

import db.arms
from core.errors import LostkeysError, UsageError
from core.fact_bench.exemplar_lint import (
    LintVerdict,
    exemplars_of,
    lint_examples,
    match_examples,
)
from core.project import OpenProject
from db.arms import StoredArm, StoredExemplar
from db.connection import write_transaction
from db.prepared_triples import PreparedTriple
from tests.core.fact_bench.arms_making import (
    OBJECTS,
    SET,
    answers,
    evidence,
    new_set,
    put_preparation,
)
from tui.cli.main import cli

ZERO = {"a": "Riga", "b": "Bergen", "c": "1918-11-18"}


@pytest.fixture
def project(tmp_path: Path) -> OpenProject:
    project = new_set(tmp_path / "some.db", answers("m#zero-shot", ZERO))
    put_preparation(project, {name: PreparedTriple("", "unknown", "train") for name in OBJECTS})
    return project


def test_examples_of_a_file(project: OpenProject) -> None:
    pairs = [
        ("What of a?", "Oslo"),
        ("What of b?", "Riga"),
        ("What of c?", "November 18, 1918"),
        ("What of d?", "5 km"),
        ("What of nothing?", "Oslo"),
    ]
    found = evidence(project, known_by="em")
    rows = lint_examples(found, "m", match_examples(found, pairs))
    assert [row["verdict"] for row in rows] == [
        LintVerdict.CONTRADICTS_KNOWN,
        LintVerdict.CONTRADICTS_UNKNOWN,
        LintVerdict.TRUE,
        LintVerdict.UNCHECKED,
        LintVerdict.UNMATCHED,
    ]
    assert rows[2]["gold"] == "November 18, 1918"
    assert rows[0]["known"] == {"fact_bench": True, "profile": None, "zp_lke": None}
    assert (rows[4]["fact_id"], rows[4]["shown_correct"]) == (None, None)


def test_exemplars_as_they_would_be_and_as_they_were_sent(project: OpenProject) -> None:
    found = evidence(project, known_by="em")
    (would_be,) = exemplars_of(found, "m", "1-shot:shuffle")
    assert (would_be.triple and would_be.triple.fact_id, would_be.shown) in (
        ("a", "Oslo"),
        ("b", "Riga"),
    )
    keys = dict(zip(project.index.fact_ids, project.index.ids.tolist(), strict=True))
    sent = StoredExemplar(1, keys["d"], "What of d?", "12 km", "7 km", keys["d"], None)
    with write_transaction(project.connection):
        arm = StoredArm("m#1-shot:shuffle", SET, "m", "1-shot:shuffle", 0, "em", "", (sent,))
        db.arms.insert(project.connection, arm)
    (one,) = exemplars_of(found, "m", "1-shot:shuffle")
    assert (one.triple and one.triple.fact_id, one.shown) == ("d", "7 km")
    with pytest.raises(UsageError, match="zero-shot has no exemplars"):
        exemplars_of(found, "m", "zero-shot")
    with pytest.raises(LostkeysError, match="3-shot:known: only 2 of 5"):
        exemplars_of(found, "m", "3-shot:known")


def test_the_command_names_rows_that_lack_something(project: OpenProject, tmp_path: Path) -> None:
    file = tmp_path / "pairs.csv"
    file.write_text("question,answer\nWhat of a?,[red]Oslo\nWhat of b?,\n")
    words = ["--db", str(project.path), "fact-bench", "lint", str(file), "--model", "m"]
    result = CliRunner().invoke(cli, [*words, "--known-by", "em"])
    assert result.exit_code == 1
    assert "contradicts known" in result.stdout
    assert "[red]Oslo" in result.stdout
    assert "line 3: missing: answer" in result.stderr
    neither = CliRunner().invoke(cli, words[:4] + words[5:])
    assert "lint needs --mode MODE, or a FILE" in str(neither.exception)
