"""A long log that two programs read brings the same as one that a single program reads."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from core.errors import LostkeysError
from core.exchange import log_spool
from core.exchange.lm_eval_log import LmEvalLog
from core.exchange.log_spool import SecondReader, find_start
from core.exchange.score_labels import ScoreReader
from core.specs.file_specs import ImportWords
from core.transfer.imports import import_file
from tests.core.exchange.test_log_columns import dump, lm_row
from tests.core.making import new_project

ODD: list[tuple[int, dict[str, Any]]] = [
    *((number, {}) for number in range(30)),
    (30, {"resps": []}),
    (31, {"word": "C"}),
    *((number, {"word": "I"}) for number in range(32, 40)),
    (7, {}),
    (40, {"resps": [["half \ud800"]]}),
    (41, {"acc": 2}),
    *((number, {"acc": 1}) for number in range(42, 60)),
]
LINES = [json.dumps(lm_row(number, f1=number % 3 / 2, **more)) for number, more in ODD]


def write_lines(folder: Path, lines: Sequence[str]) -> Path:
    path = folder / "org__m" / "samples_rivers_2026-01-02T03-04-05.jsonl"
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


@pytest.fixture
def second(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any] | None]:
    """What second programs say at their ends; each log has one."""
    found = []
    finish = SecondReader.finish

    def keep(self: SecondReader) -> dict[str, Any] | None:
        found.append(finish(self))
        return found[-1]

    monkeypatch.setattr(log_spool, "LEAST_BYTES", 1)
    monkeypatch.setattr(log_spool, "HEAD_START", 0)
    monkeypatch.setattr(SecondReader, "finish", keep)
    return found


def test_two_programs_read_what_one_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, second: list[dict[str, Any] | None]
) -> None:
    """Numbers of lines, marks in the order of their coming, scores that are no labels."""
    file = write_lines(tmp_path, ["", *LINES[:20], "", *LINES[20:], ""])
    found = dump(tmp_path / "two.db", file)
    ((rest),) = second
    assert rest is not None
    assert 20 < rest["count"] < 40
    monkeypatch.setattr(log_spool, "LEAST_BYTES", 2**40)
    assert dump(tmp_path / "one.db", file) == found
    assert len(second) == 1
    assert [one["row"] for one in found[0]["bad"]] == [33, 44]


def test_words_for_scores_reach_the_second_program(
    tmp_path: Path, second: list[dict[str, Any] | None]
) -> None:
    file = write_lines(tmp_path, LINES)
    words = ImportWords(words="exact_match:1=OTHER", scores=("exact_match",), prefix="other")
    with new_project(tmp_path / "o.db") as project:
        import_file(project, file, words=words)
        rows = project.connection.execute("SELECT DISTINCT label, grader FROM v_labels").fetchall()
        (last,) = project.connection.execute("SELECT max(fact_id) FROM fact").fetchone()
    assert sorted(rows) == [("INCORRECT", "lm-eval:exact_match"), ("OTHER", "lm-eval:exact_match")]
    assert (last, len(second)) == ("other/9", 1)


@pytest.mark.parametrize("place", [3, 55])
def test_a_line_that_is_broken_is_named_and_nothing_lands(
    tmp_path: Path, second: list[dict[str, Any] | None], place: int
) -> None:
    file = write_lines(tmp_path, [*LINES[:place], "{", *LINES[place:]])
    with new_project(tmp_path / "o.db") as project:
        with pytest.raises(LostkeysError, match=rf"jsonl, line {place + 1}: not valid JSON"):
            import_file(project, file)
        assert project.connection.execute("SELECT count(*) FROM fact").fetchone() == (0,)
    assert second == ([None] if place > 30 else [])


def test_a_second_program_that_fails_leaves_all_to_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, second: list[dict[str, Any] | None]
) -> None:
    file = write_lines(tmp_path, LINES)
    found = dump(tmp_path / "two.db", file)
    monkeypatch.setattr(log_spool, "PROGRAM", "raise SystemExit(1)")
    assert dump(tmp_path / "alone.db", file) == found
    assert second[1:] == [None]


def test_a_second_program_that_is_not_wanted_ends(tmp_path: Path) -> None:
    log = LmEvalLog(write_lines(tmp_path, LINES))
    reader = SecondReader(log, ScoreReader(), 0)
    reader.close()
    assert vars(reader)["_process"].returncode is not None
    assert reader.file.closed


def test_a_log_is_parted_between_lines_that_are_not_packed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_lines(tmp_path, LINES)
    assert find_start(LmEvalLog(file)) is None
    monkeypatch.setattr(log_spool, "LEAST_BYTES", 1)
    monkeypatch.setattr(log_spool, "HEAD_START", 0)
    start = find_start(LmEvalLog(file))
    assert start is not None
    assert file.read_bytes()[:start].endswith(b"\n")
    assert find_start(LmEvalLog(file.rename(file.with_suffix(".jsonl.gz")))) is None
    assert find_start(LmEvalLog(write_lines(tmp_path, LINES[:1]))) is None
