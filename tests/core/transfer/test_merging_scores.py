"""Two databases with triples and scores made one: as if all had been imported into one."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

import db.integrity
from core import doctor
from core.project import OpenProject
from core.transfer.database_merge import merge
from core.transfer.exports import export
from core.transfer.imports import import_file
from core.zero_prompt import score_writer
from db.connection import write_transaction
from tests.core.making import merged_lines, new_project
from tests.core.transfer.test_import_scores import POSITIONS, SCORE, TRIPLES

TABLES = ("triples", "zp-scores", "zp-positions", "zp-models", "zp-templates")
FORM = {"name": "hgp", "kind": "hgp", "template": "{subject} was born in"}
ALPHA = {"model": "alpha", "family": "one"}
TURNED = {**SCORE, "model": "beta", "options": SCORE["options"][::-1]}

Make = Callable[..., Path]


@pytest.fixture
def make(tmp_path: Path, jsonl: Callable[..., Path]) -> Make:
    """Makes a database out of rows of each format."""

    def made(name: str, **rows: Iterable[dict[str, Any]]) -> Path:
        path = tmp_path / name
        with new_project(path) as project:
            for kind, some in rows.items():
                format_ = kind.replace("zp_", "zp-")
                report = import_file(project, jsonl("set.jsonl", *some), format_)
                assert report.bad == 0, report.problems
        return path

    return made


def said(path: Path, folder: Path) -> list[bytes]:
    """All that a database says of triples and scores; its arrays are as its scores say."""
    with OpenProject(path, "read") as project:
        for what in TABLES:
            export(project, what, folder / f"{what}.jsonl")
        assert not score_writer.arrays_are_stale(project)
        assert db.integrity.faults(project.connection) == []
    return [(folder / f"{what}.jsonl").read_bytes() for what in TABLES]


def test_the_union_is_what_both_would_have_been(make: Make, tmp_path: Path) -> None:
    first = {"triples": TRIPLES[:3], "zp_scores": [SCORE], "zp_models": [ALPHA]}
    second = {
        "triples": TRIPLES[1:],
        "zp_scores": [
            {**TURNED, "id": "Einstein"},
            {**SCORE, "seed": 4, "logprobs": [-1, -2, None]},
            {**{key: SCORE[key] for key in ("id", "model", "n", "response")}, "tokens": 24},
        ],
        "zp_positions": [POSITIONS],
        "zp_templates": [FORM],
    }
    both = {
        "triples": TRIPLES,
        "zp_scores": [SCORE, *second["zp_scores"]],
        "zp_models": [ALPHA],
        "zp_positions": [POSITIONS],
        "zp_templates": [FORM],
    }
    a, b = make("a.db", **first), make("b.db", **second)
    assert merge([a, b], tmp_path / "ab.db") == []
    assert said(tmp_path / "ab.db", tmp_path) == said(make("both.db", **both), tmp_path)


def test_what_is_otherwise_is_told_and_ours_is_kept(make: Make, tmp_path: Path) -> None:
    a = make(
        "a.db",
        triples=TRIPLES,
        zp_scores=[SCORE],
        zp_models=[ALPHA],
        zp_templates=[FORM],
        zp_positions=[POSITIONS],
    )
    b = make(
        "b.db",
        triples=[{**TRIPLES[0], "unit": "years"}, *TRIPLES[1:]],
        zp_scores=[{**SCORE, "logprobs": [-2.0, -0.5, -4.0]}],
        zp_models=[{**ALPHA, "family": "two"}],
        zp_templates=[{**FORM, "template": "{subject} came in"}],
        zp_positions=[{**POSITIONS, "positions": POSITIONS["positions"][::-1]}],
    )
    assert merged_lines([a, b], tmp_path / "ab.db") == [
        "triple 'Feynman': another unit",
        "model 'alpha': another family, size or base",
        "form 'hgp' of '': another template",
        "fact 'Einstein', 'alpha', 2 examples: another score",
        "relation 'birth year', 'alpha': another long input",
    ]
    assert said(tmp_path / "ab.db", tmp_path) == said(a, tmp_path)


def test_scores_of_another_gold_stay_where_they_are(make: Make, tmp_path: Path) -> None:
    other = [{**row, "object": "1880"} if row["id"] == "Einstein" else row for row in TRIPLES]
    a = make("a.db", triples=TRIPLES)
    b = make("b.db", triples=other, zp_scores=[{**SCORE, "options": ["1882", "1880", "1918"]}])
    clashes = merged_lines([a, b], tmp_path / "ab.db")
    assert any("another gold" in line for line in clashes)
    assert said(tmp_path / "ab.db", tmp_path) == said(a, tmp_path)


def test_repair_makes_the_arrays_anew(make: Make, tmp_path: Path) -> None:
    path = make("a.db", triples=TRIPLES, zp_scores=[SCORE, TURNED])
    with OpenProject(path, "write") as project, write_transaction(project.connection):
        project.connection.execute("DELETE FROM score_change")
    (finding,) = doctor.examine_database(path)
    assert "arrays of scores that do not match the scores" in finding.detail
    doctor.repair(path)
    (finding,) = doctor.examine_database(path)
    assert finding.well, finding.detail
    said(path, tmp_path)
