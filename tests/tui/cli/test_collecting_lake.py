"""`collect --lake`: what engines answered lands in parts of a lake, each slot once."""

import json
from pathlib import Path

import pytest

from core.errors import LostkeysError
from tests.tui.cli.test_collecting import (
    RAW,
    Run,
    batch_line,
    example,
    lostkeys,
    planned,
    report,
    requests,
    rows,
    stored,
    write,
)

__all__ = ["example", "lostkeys", "planned"]


def lake_rows(lostkeys: Run, tmp_path: Path, lake: Path) -> list[str]:
    """The responses of a lake, read into a database of its own."""
    other = str(tmp_path / f"{len(list(tmp_path.iterdir()))}.db")
    from click.testing import CliRunner

    from tui.cli.main import cli

    def run(*words: object) -> object:
        return CliRunner().invoke(cli, ["--db", other, *map(str, words)])

    assert run("import", "--format", "lake", lake).exit_code == 0  # type: ignore[attr-defined]
    return stored(run, tmp_path)  # type: ignore[arg-type]


def test_the_example_lands_in_a_lake_as_it_does_in_a_database(
    planned: Run, tmp_path: Path, example: Path
) -> None:
    words = ("collect", tmp_path / "reqs", example / "out1.jsonl", example / "out2.jsonl", "--json")
    lake = tmp_path / "lake"
    for expected in ("expected-report.json", "expected-report-again.json"):
        result = planned(*words, "--lake", lake)
        wanted = json.loads((example / expected).read_text(encoding="utf-8"))
        assert report(result).items() >= wanted.items()
    retry = rows(tmp_path / "reqs" / "retry.raw.jsonl")
    by_name = {one["custom_id"]: one for one in rows(example / "expected-retry.jsonl")}
    assert {one["custom_id"]: one for one in retry} == by_name
    in_lake = lake_rows(planned, tmp_path, lake)
    assert stored(planned, tmp_path) == []
    planned(*words)
    assert stored(planned, tmp_path) == in_lake != []


def test_in_pieces_and_out_of_order_it_ends_the_same(planned: Run, tmp_path: Path) -> None:
    lines = [batch_line(one) for one in requests(tmp_path)]
    halves = [write(tmp_path / f"{n}.jsonl", lines[n::2]) for n in range(2)]
    whole, pieces = tmp_path / "whole", tmp_path / "pieces"
    assert planned("collect", tmp_path / "reqs", *halves, "--lake", whole).exit_code == 0
    assert planned("collect", tmp_path / "reqs", halves[1], "--lake", pieces).exit_code == 1
    (pieces / ".left.part").mkdir()
    assert planned("collect", tmp_path / "reqs", *halves[::-1], "--lake", pieces).exit_code == 0
    assert lake_rows(planned, tmp_path, whole) == lake_rows(planned, tmp_path, pieces)
    names = [{str(f.relative_to(one)) for f in one.rglob("*.parquet")} for one in (whole, pieces)]
    assert names[0] == names[1]
    assert planned("grade", "--grader", "exact", "--lake", whole).exit_code == 0
    document = planned("profiles", "--from", whole, "--grader", "exact", "--json")
    assert json.loads(document.stdout)["models"][0]["total"] == 4
    # The plan goes on claiming its slots: nobody draws here what lies in the lake.
    asked = planned("requests", "--model", "file:base", *RAW, "-o", tmp_path / "again")
    assert asked.exit_code == 0
    assert not (tmp_path / "again").exists()


def test_what_a_lake_cannot_take_is_said(
    planned: Run, lostkeys: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = write(tmp_path / "out.jsonl", [batch_line(one) for one in requests(tmp_path)])
    words = ("collect", tmp_path / "reqs", out, "--lake")
    result = planned(*words, tmp_path)
    assert isinstance(result.exception, LostkeysError)
    assert "is no lake" in str(result.exception)
    lake = tmp_path / "lake"

    def fail(*_: object, **__: object) -> int:
        raise LostkeysError("no room")

    with monkeypatch.context() as patch:
        patch.setattr("core.transfer.lake_sink.write_part", fail)
        assert "no room" in str(planned(*words, lake).exception)
    assert not list(lake.glob(".*"))
    assert planned(*words, lake).exit_code == 0
