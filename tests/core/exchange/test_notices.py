"""Notices of a file: rows that are alike are one, with their number and the first of them."""

from pathlib import Path
from typing import Any

import pytest

from core.exchange import log_spool, notices
from core.exchange.log_spool import SecondReader
from core.exchange.notices import Notices
from core.transfer.imports import import_file
from core.transfer.row_values import quote
from tests.core.exchange.test_second_reader import LINES, write_lines
from tests.core.making import new_project

IMAGES = "images are left out"


def lines(*found: tuple[str, int | str | None], unit: str = "line") -> list[str]:
    """What is said of texts with their places."""
    said = Notices()
    for text, place in found:
        said.add(text, place)
    return said.lines(unit)


def test_rows_are_counted_and_the_first_is_named() -> None:
    assert lines((IMAGES, 9), (IMAGES, 3), (IMAGES, 12)) == [f"{IMAGES}: 3 rows, first in line 3"]
    assert lines((IMAGES, "b/1"), (IMAGES, "a/1"), unit="row") == [
        f"{IMAGES}: 2 rows, first in row b/1"
    ]


def test_one_row_stands_before_its_text_and_a_whole_file_has_no_row() -> None:
    assert lines((IMAGES, 9), ("the log is unfinished", None), ("the log is unfinished", None)) == [
        f"line 9: {IMAGES}",
        "the log is unfinished",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("fact {} has no task contextual", "3 facts have no task contextual"),
        ("unknown fact {}: import its facts first", "3 unknown facts: import its facts first"),
        ("fact {} is there with another gold", "3 facts are there with another gold"),
        ("model {} was drawn by another recipe", "3 models were drawn by another recipe"),
    ],
)
def test_reasons_that_name_something_count_what_they_name(text: str, said: str) -> None:
    names = ["f1", "it's", "f 'x' \"y\"", "f1"]
    found = lines(*((text.format(quote(name)), line) for line, name in enumerate(names, 2)))
    assert found == [f"{said}: 4 rows, first in line 2"]


def test_other_reasons_show_the_values_of_the_first_row() -> None:
    found = lines(*((f"sample is {quote(one)}, not a number", one + 1) for one in range(3)))
    assert found == [
        "sample is 0, not a number: 3 rows, first in line 1, with other values in other rows"
    ]
    long = [(f"fact {quote('n' * 90 + str(one))} has no task direct", one) for one in (1, 2)]
    assert len(lines(*long)) == 1


def test_kinds_without_end_take_no_memory_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notices, "MOST_NOTICES", 2)
    monkeypatch.setattr(notices, "MOST_NAMES", 3)
    found = lines(*((f"reason {'x' * one}", one) for one in range(1, 6)))
    assert found[2:] == ["other reasons: 3 rows, first in line 3"]
    assert lines(*((f"fact 'f{one}' has no task direct", one) for one in range(1, 9))) == [
        "over 3 facts have no task direct: 8 rows, first in line 1"
    ]


def test_notices_of_the_second_program_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lines of its part are those of the file."""
    finish = SecondReader.finish

    def finish_with_notices(self: SecondReader) -> dict[str, Any]:
        said = finish(self)
        assert said is not None
        assert said["notices"] == []
        return {**said, "notices": [[IMAGES, 2, 5], ["cut short", None, 0]], "thinking": True}

    monkeypatch.setattr(log_spool, "LEAST_BYTES", 1)
    monkeypatch.setattr(log_spool, "HEAD_START", 0)
    monkeypatch.setattr(SecondReader, "finish", finish_with_notices)
    with new_project(tmp_path / "o.db") as project:
        report = import_file(project, write_lines(tmp_path, LINES))
    counted, whole = report.notices
    assert counted.startswith(f"{IMAGES}: 5 rows, first in line ")
    assert int(counted.rpartition(" ")[2]) > 20
    assert whole == "cut short"
    assert ("model", "org/m, thinking on") in report.mapping
