"""Answers come in blocks of columns: the same rows whatever the blocks, in the order of keys."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

from core.project import OpenProject
from core.transfer import answer_columns
from core.transfer.answer_columns import AnswerColumns
from core.transfer.column_blocks import Block, BlockRows
from core.transfer.exports import export
from core.transfer.imports import import_file
from tests.core.making import new_project

MODELS = ("zeta", "alpha")


@pytest.fixture
def answered(
    project: OpenProject, jsonl: Callable[..., Path], fact: dict[str, Any], answer: dict[str, Any]
) -> OpenProject:
    """Two facts, models that come in another order than their names', people among graders."""
    names = ("b", "a")
    import_file(project, jsonl("f.jsonl", *({**fact, "fact_id": name} for name in names)))
    rows = [
        {
            **answer,
            "fact_id": name,
            "model": model,
            "sample": sample,
            "response": f"{name} {model} {sample}",
            "grades": {"human:zoe": "CORRECT", "g": "OTHER", "human:al": "PARTIALLY"},
        }
        for name in names
        for model in MODELS
        for sample in (1, 0)
    ]
    assert import_file(project, jsonl("r.jsonl", *rows)).bad == 0
    return project


def blocks(project: OpenProject, models: tuple[str, ...] = MODELS) -> Iterator[Block]:
    facts = [int(key) for key in project.index.ids]
    return AnswerColumns(project, facts, models, lambda done, total: None).responses()


def test_rows_stand_by_fact_model_and_sample(answered: OpenProject) -> None:
    rows = list(BlockRows(blocks(answered)))
    assert [row["response"] for row in rows] == [
        f"{name} {model} {sample}"
        for name in ("b", "a")
        for model in ("alpha", "zeta")
        for sample in (0, 1)
    ]
    people = ["human:zoe", "human:al"]
    assert {tuple(row["grades"].items()) for row in rows} == {
        (("g", "OTHER"), *zip(people, ("CORRECT", "PARTIALLY"), strict=True))
    }
    assert [row["model"] for row in BlockRows(blocks(answered, ("zeta",)))] == ["zeta"] * 4


def test_blocks_of_any_size_hold_the_same_rows(
    answered: OpenProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = [*BlockRows(blocks(answered))]
    assert len(list(blocks(answered))) == 1
    monkeypatch.setattr(answer_columns, "ANSWERS_AT_ONCE", 1)
    assert len(list(blocks(answered))) == 2
    assert [*BlockRows(blocks(answered))] == whole


def test_columns_are_written_as_their_rows_are(answered: OpenProject, tmp_path: Path) -> None:
    for what in ("responses", "labels"):
        files = [tmp_path / f"{what}.{kind}" for kind in ("parquet", "jsonl")]
        counts = [export(answered, what, file) for file in files]
        columns = parquet.read_table(files[0]).to_pylist(maps_as_pydicts="strict")
        assert counts == [len(columns)] * 2
        with new_project(tmp_path / f"{what}.db") as other:
            facts = tmp_path / "f.jsonl"
            export(answered, "facts", facts)
            import_file(other, facts)
            export(answered, "responses", tmp_path / "all.jsonl")
            import_file(other, tmp_path / "all.jsonl")
            report = import_file(other, files[0])
        assert (report.unchanged, report.problems) == (len(columns), [])


def test_a_project_without_answers_is_an_empty_file(project: OpenProject, tmp_path: Path) -> None:
    assert export(project, "responses", tmp_path / "r.parquet") == 0
    assert parquet.read_table(tmp_path / "r.parquet").num_rows == 0
