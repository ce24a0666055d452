"""Responses wait as columns while their file is read, and come out as they went in."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import db.grades
import db.model_rows
from core.errors import LostkeysError
from core.project import OpenProject
from core.transfer import imports, json_files, response_spool
from core.transfer.imports import import_file
from core.transfer.response_spool import ResponseColumns, ResponseSpool


def batch(*texts: str) -> ResponseColumns:
    small = np.arange(5 * len(texts)).reshape(5, -1) - 1
    lines, samples, settings, shown, counts = small
    questions = 2**41 + lines
    marks = np.array([7, 8])
    return ResponseColumns(
        list(texts), lines, questions, samples, settings, shown, counts, marks=marks
    )


@pytest.mark.parametrize("held", [1, 2**20])
def test_batches_come_out_as_they_went_in(held: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also those of which texts hold line breaks, and those that wait on disk."""
    monkeypatch.setattr(response_spool, "HELD_BYTES", held)
    with closing(ResponseSpool()) as spool:
        made = [batch("a\nb", "\0", "é"), batch(), batch("")]
        for one in made:
            spool.keep(one)
        found = list(spool)
    assert [one.texts for one in found] == [one.texts for one in made]
    for name in ("lines", "questions", "samples", "settings", "shown", "counts", "marks"):
        pairs = zip(found, made, strict=True)
        assert all(np.array_equal(getattr(a, name), getattr(b, name)) for a, b in pairs)


def test_nothing_of_a_broken_file_is_made(
    project: OpenProject, jsonl: Callable[..., Path], fact: dict[str, Any], answer: dict[str, Any]
) -> None:
    """No response, no model, no grader: not even where the fault is in the last line."""
    import_file(project, jsonl("f.jsonl", fact))
    rows = [{**answer, "model": f"m{n}", "grades": {f"g{n}": "CORRECT"}} for n in range(5)]
    path = jsonl("r.jsonl", *rows)
    path.write_text(path.read_text() + '{"fact_id": ')
    with pytest.raises(LostkeysError, match="line 6"):
        import_file(project, path)
    assert db.model_rows.model_ids(project.connection) == {}
    assert list(db.grades.graders(project.connection)) == []
    assert project.connection.execute("SELECT count(*) FROM response").fetchone() == (0,)


def test_batches_share_models_and_graders(
    project: OpenProject,
    jsonl: Callable[..., Path],
    fact: dict[str, Any],
    answer: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What is new in a later batch is made then; what came before is found."""
    monkeypatch.setattr(json_files, "BYTES_IN_BLOCK", 1)
    monkeypatch.setattr(imports, "ROWS_AT_ONCE", 2)
    import_file(project, jsonl("f.jsonl", fact))
    rows = [
        {
            **answer,
            "model": f"m{n // 3}",
            "sample": n,
            "grades": {f"g{n % 4}": "OTHER", "h": "OTHER"},
        }
        for n in range(9)
    ]
    report = import_file(project, jsonl("r.jsonl", *rows))
    assert (report.added, report.bad) == (9, 0)
    assert db.model_rows.model_ids(project.connection).keys() == {"m0", "m1", "m2"}
    found = project.connection.execute(
        "SELECT sample, label, name, outcome FROM grade JOIN grader ON grader.id = grader "
        "JOIN response ON response.id = grade.response JOIN setting ON setting.id = setting "
        "JOIN model ON model.id = setting.model ORDER BY sample, name"
    ).fetchall()
    assert found == [(n, f"m{n // 3}", name, 4) for n in range(9) for name in (f"g{n % 4}", "h")]
