"""Rows that are read and never kept: responses to be scored, examples to be checked."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from core.dataset.answer_types import ANSWER_TYPES, ENTITY
from core.exchange.notices import Notices
from core.graders.em.normal_form import AnswerKind
from core.graders.em.response_scores import AnswerScores, score_response
from core.transfer.choice_columns import texts_of
from core.transfer.file_kinds import open_source
from core.transfer.import_report import ImportReport
from core.transfer.row_source import BadRow
from core.transfer.row_values import RowError, quote, text

COLUMNS = ("id", "object", "aliases", "answer_type", "unit", "response", "mode")


@dataclass(frozen=True, slots=True)
class ScoredCase:
    """The scores of one row, by its id."""

    id: str
    scores: AnswerScores


Row = TypeVar("Row")


def score_file(path: Path) -> tuple[list[ScoredCase], ImportReport]:
    """The scores of every row of a file, and the rows that cannot be scored.

    Raises `LostkeysError` for a file that cannot be read to its end.
    """
    return read_rows(path, "responses to score", _parse_case)


def read_pairs(path: Path) -> tuple[list[tuple[str, str]], ImportReport]:
    """Question and answer of every row of a file, and the rows that lack one.

    Raises as `score_file` does.
    """
    return read_rows(path, "examples", _pair)


def read_rows(
    path: Path, name: str, read: Callable[[Mapping[str, Any]], Row]
) -> tuple[list[Row], ImportReport]:
    """What is read of each row of a file of `name`, and the rows that it refuses (`RowError`).

    Raises `LostkeysError` for a file that cannot be read to its end.
    """
    source = open_source(path)
    report = ImportReport(name, source.unit, told=Notices(source.notices))
    found = []
    for line, row in source.read_rows():
        try:
            if isinstance(row, BadRow):
                raise RowError(row.reason)
            found.append(read(row))
            report.added += 1
        except RowError as error:
            report.refuse(line, str(error))
    return found, report


def _pair(row: Mapping[str, Any]) -> tuple[str, str]:
    question, answer = text(row, "question"), text(row, "answer")
    for key, value in (("question", question), ("answer", answer)):
        if not value:
            raise RowError(f"missing: {key}")
    return question, answer


def _parse_case(row: Mapping[str, Any]) -> ScoredCase:
    name, object_ = text(row, "id"), text(row, "object")
    for key, value in (("id", name), ("object", object_)):
        if not value:
            raise RowError(f"missing: {key}")
    if row.get("response") is None:
        raise RowError("missing: response")
    kind = text(row, "answer_type") or ENTITY
    if kind not in ANSWER_TYPES:
        raise RowError(f"answer_type is {quote(kind)}, not one of {', '.join(ANSWER_TYPES)}")
    golds = (object_, *texts_of(row.get("aliases"), "aliases", "|"))
    wanted = AnswerKind(kind, text(row, "unit"))
    return ScoredCase(name, score_response(text(row, "response"), golds, wanted, text(row, "mode")))
