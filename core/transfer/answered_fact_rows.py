"""Facts, responses and labels that stand in one row, through the rooms that take each."""

from collections.abc import Iterable
from typing import Any

import db.responses
from core.project import OpenProject
from core.transfer.fact_rows import Facts
from core.transfer.import_report import ImportReport
from core.transfer.label_rows import Labels
from core.transfer.mapped_table import ANSWER, FACT, RATIONALES, REASONING
from core.transfer.response_keys import ResponseKeys
from core.transfer.response_rows import Responses
from db.connection import write_transaction

NumberedRow = tuple[int, dict[str, Any]]


class TableRows:
    """Takes the rows of one mapped table, batch by batch.

    A row is bad where its fact, its response or a label of it cannot land.
    """

    def __init__(self, project: OpenProject, report: ImportReport) -> None:
        self._project = project
        self._report = report

    def land(self, rows: Iterable[NumberedRow]) -> None:
        """Add what is new: facts first, then responses with grades, then rationales."""
        batch = list(rows)
        facts = [(line, row[FACT]) for line, row in batch if len(row[FACT]) > 1]
        if ANSWER not in batch[0][1]:
            Facts(self._project, self._report).land(facts)
            return
        refused: dict[int, str] = {}
        self._land(Facts, facts, refused)
        good = [(line, row) for line, row in batch if line not in refused]
        answers = [(line, row[ANSWER]) for line, row in good]
        added = self._land(_responses, answers, refused)
        self._note_reasoning([row for line, row in good if line not in refused])
        labels = [
            (line, {**row[ANSWER], "grader": grader, "label": label, "rationale": text})
            for line, row in good
            if line not in refused
            for grader, text in row[RATIONALES].items()
            for label in [row[ANSWER]["grades"][grader]]
        ]
        explained = self._land(_labels, labels, refused) if labels else 0
        for line, reason in sorted(refused.items()):
            self._report.refuse(line, reason)
        landed = len(batch) - len(refused)
        new = min(landed, added or explained)
        self._report.added += new
        self._report.unchanged += landed - new

    def _note_reasoning(self, rows: list[dict[str, Any]]) -> None:
        """Keep the reasoning of answers that landed."""
        connection = self._project.connection
        thought = [row for row in rows if REASONING in row]
        if thought:
            keys = ResponseKeys(connection, make=False)
            with write_transaction(connection):
                db.responses.add_draws(
                    connection,
                    [
                        (
                            keys.slot(one[ANSWER]),
                            one[ANSWER]["response"],
                            None,
                            one[REASONING],
                            None,
                        )
                        for one in thought
                    ],
                )

    def _land(self, make: Any, rows: list[NumberedRow], refused: dict[int, str]) -> int:
        """Land rows by another room; gives how many brought anything, and notes the bad ones."""
        report = ImportReport(self._report.format, self._report.unit)
        make(self._project, report).land(iter(rows))
        for problem in report.problems:
            refused.setdefault(int(problem.line), problem.reason)
        return report.added


def _responses(project: OpenProject, report: ImportReport) -> Responses:
    return Responses(project, report, cells=False)


def _labels(project: OpenProject, report: ImportReport) -> Labels:
    return Labels(project, report, cells=False)
