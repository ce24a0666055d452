"""Parquet has the types that other tools expect, and they read them."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from core.project import OpenProject
from core.specs.file_specs import ImportWords
from core.transfer.exports import export
from core.transfer.imports import import_file
from core.transfer.row_writers import save
from tests.core.making import new_project

HOSTILE = ("<script>alert(1)</script>", "[/b]", r"\input{x}", "=cmd()", "\x1b[31m", "\u202eabc", "")

OTHERS = ("facts", "labels", "profiles")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Facts, responses, labels and profiles as Parquet, with hostile texts."""
    lines = [f"q{n},A,m,{n},{n % 2}" for n in range(len(HOSTILE) - 1)]
    source = tmp_path / "t.csv"
    rows = [line.replace(f",m,{n},", f',m,"{HOSTILE[n]}",') for n, line in enumerate(lines)]
    source.write_text("q,a,m,r,g\n" + "\n".join(rows) + "\n", encoding="utf-8")
    words = ImportWords(mapping=("direct=q,direct_answer=a,model=m,response=r,grades.g=g",))
    with new_project(tmp_path / "a.db") as project:
        assert import_file(project, source, words=words).bad == 0
        for what in ("facts", "responses", "labels", "profiles"):
            export(project, what, tmp_path / f"{what}.parquet")
    return tmp_path


def test_columns_have_their_types(folder: Path) -> None:
    def types(what: str) -> dict[str, pa.DataType]:
        schema = parquet.read_schema(folder / f"{what}.parquet")
        return dict(zip(schema.names, schema.types, strict=True))

    word = pa.dictionary(pa.int32(), pa.string())
    names = pa.map_(pa.string(), pa.string())
    responses = types("responses")
    assert {responses[name] for name in ("fact_id", "task", "model")} == {word}
    assert responses["thinking"] == pa.bool_()
    assert responses["sample"] == pa.int16()
    assert responses["response"] == pa.large_string()
    assert responses["shown_order"] == pa.list_(pa.string())
    assert (responses["grades"].key_type, responses["grades"].item_type) == (
        names.key_type,
        names.item_type,
    )
    labels = types("labels")
    assert {labels[name] for name in ("fact_id", "task", "model", "grader", "label")} == {word}
    profiles = types("profiles")
    assert {profiles[name] for name in ("e", "k0", "kt")} == {pa.bool_()}
    assert profiles["graders"] == pa.list_(pa.string())
    assert profiles["grades"].item_type == pa.float64()


def test_what_was_written_before_is_still_read(folder: Path, tmp_path: Path) -> None:
    """Lists and objects as JSON text."""
    old = tmp_path / "old.parquet"
    rows: list[dict[str, Any]] = parquet.read_table(folder / "responses.parquet").to_pylist(
        maps_as_pydicts="strict"
    )
    columns = dict.fromkeys(rows[0], str) | {"thinking": bool, "sample": int}
    save(old, columns, rows)
    assert parquet.read_schema(old).field("grades").type == pa.string()
    with OpenProject(tmp_path / "a.db", "write") as project:
        report = import_file(project, old)
    assert (report.unchanged, report.problems) == (len(rows), [])


def test_pandas_reads_them(folder: Path) -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is of the test group")
    frame = pandas.read_parquet(folder / "responses.parquet")
    assert list(frame["response"]) == list(HOSTILE[:-1])
    assert frame["model"].dtype == "category"
    assert frame["sample"].dtype == "int16"
    assert dict(frame["grades"][0]) == {"g": "INCORRECT"}
    for what in OTHERS:
        assert len(pandas.read_parquet(folder / f"{what}.parquet")) == len(HOSTILE) - 1


def test_polars_reads_them(folder: Path) -> None:
    polars = pytest.importorskip("polars", reason="Polars is of the bench group")
    frame = polars.read_parquet(folder / "responses.parquet")
    assert frame["response"].to_list() == list(HOSTILE[:-1])
    assert "CORRECT" in str(frame["grades"].to_list()[1])
    for what in OTHERS:
        assert polars.read_parquet(folder / f"{what}.parquet").height == len(HOSTILE) - 1


def test_duckdb_reads_them(folder: Path) -> None:
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is of the extra `scale`")
    query = "SELECT response, grades['g'], thinking FROM read_parquet(?)"
    rows = duckdb.connect().execute(query, [str(folder / "responses.parquet")]).fetchall()
    assert [row[0] for row in rows] == list(HOSTILE[:-1])
    assert {row[1:] for row in rows} == {("CORRECT", False), ("INCORRECT", False)}
    for what in OTHERS:
        count = duckdb.connect().execute(
            "SELECT count(*) FROM read_parquet(?)", [str(folder / f"{what}.parquet")]
        )
        assert count.fetchone() == (len(HOSTILE) - 1,)
