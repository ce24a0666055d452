"""Grades: what a grader version said of a response."""

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from db import label_grids
from db.row_statements import insert_by_column, insert_rows
from db.slot_ids import MAX_SAMPLE, QUESTION_SHIFT, slot

Row = tuple[int, int, int | None]
"""Response slot, outcome, and the time of a person's label in milliseconds."""

Graded = tuple[int, int, int, int | None]
"""The same with the grader version after the slot."""


def insert(connection: sqlite3.Connection, grader: int, rows: Sequence[Row]) -> None:
    """Add grades of one grader version. Inside a transaction."""
    insert_graded(connection, [(key, grader, outcome, at) for key, outcome, at in rows])


class GradeColumns(NamedTuple):
    """Many grades column by column: response slots, grader versions, outcomes, times."""

    slots: npt.NDArray[np.int64]
    planes: npt.NDArray[np.int64]
    outcomes: npt.NDArray[np.uint8]
    times: Sequence[int | None]

    def renumber(self, ids: Mapping[int, int]) -> "GradeColumns":
        """The same under other ids of their graders."""
        planes = self.planes.copy()
        for old, new in ids.items():
            planes[self.planes == old] = new
        return self._replace(planes=planes)

    def select(self, places: Sequence[int]) -> "GradeColumns":
        """Some of the grades, by place."""
        some = np.array(places, np.intp)
        times = [self.times[place] for place in places]
        return GradeColumns(self.slots[some], self.planes[some], self.outcomes[some], times)

    def to_rows(self) -> list[Graded]:
        """The grades one by one."""
        columns = (self.slots.tolist(), self.planes.tolist(), self.outcomes.tolist(), self.times)
        return list(zip(*columns, strict=True))


def insert_graded(connection: sqlite3.Connection, rows: Sequence[Graded]) -> None:
    """Add grades of several grader versions, in the order given. Inside a transaction."""
    slots, planes, outcomes, times = zip(*rows, strict=True) if rows else ((), (), (), ())
    columns = np.array(slots, np.int64), np.array(planes, np.int64), np.array(outcomes, np.uint8)
    insert_columns(connection, GradeColumns(*columns, times))


def insert_columns(connection: sqlite3.Connection, grades: GradeColumns) -> None:
    """The same of columns."""
    slots, planes = grades.slots.tolist(), grades.planes.tolist()
    columns = {"response": slots, "grader": planes, "outcome": grades.outcomes.tolist()}
    insert_by_column(connection, "grade", columns)
    times = zip(slots, planes, grades.times, strict=True)
    timed = [row for row in times if row[2] is not None]
    insert_rows(connection, "remark", ("response", "grader", "at"), timed)
    for plane in dict.fromkeys(planes):
        mine = grades.planes == plane
        label_grids.record(connection, plane, grades.slots[mine], grades.outcomes[mine].tobytes())


def settle(
    connection: sqlite3.Connection, grader: int, rows: Sequence[tuple[int, int, str | None]]
) -> int:
    """Write outcomes, with reasons, where there is still a response without a label.

    A state of the grading (unparsed, refused, error, unsure) gives way; a label of this version
    stays, unless it is out of date and there is another label. Gives how many were written.
    Inside a transaction.
    """
    ids = json.dumps([key for key, _, _ in rows])
    labelled = [key for key, outcome, _ in rows if outcome <= 4]
    renewed = find_outdated_among(connection, grader, labelled)
    if renewed:
        _forget_outdated(connection, grader, sorted(renewed))
    open_slots = renewed | {
        key
        for (key,) in connection.execute(
            "SELECT id FROM response WHERE id IN (SELECT value FROM json_each(?1)) AND NOT EXISTS "
            "(SELECT 1 FROM grade WHERE response = id AND grader = ?2 AND outcome <= 4)",
            (ids, grader),
        )
    }
    fresh = [row for row in rows if row[0] in open_slots]
    connection.executemany(
        "INSERT INTO grade (response, grader, outcome) VALUES (?, ?, ?) "
        "ON CONFLICT (response, grader) DO UPDATE SET outcome = excluded.outcome",
        [(key, grader, outcome) for key, outcome, _ in fresh],
    )
    insert_rationales(connection, grader, [(key, why) for key, _, why in fresh if why])
    label_grids.record(
        connection, grader, [key for key, _, _ in fresh], bytes(row[1] for row in fresh)
    )
    return len(fresh)


_OUTDATED = """
FROM stale_grade AS stale CROSS JOIN gold AS made ON made.id = stale.gold
JOIN gold AS used ON used.fact = made.fact AND used.side = made.side AND used.current
    AND used.text = made.text AND used.id <> made.id
JOIN grade ON grade.response = stale.response AND grade.grader = stale.grader AND grade.outcome <= 4
JOIN grader ON grader.id = stale.grader
LEFT JOIN remark ON remark.response = stale.response AND remark.grader = stale.grader
WHERE stale.at IS NOT NULL AND (substr(grader.name, 1, 6) <> 'human:' OR stale.at = remark.at)
"""
"""Labels that were given before the aliases of their gold changed, and may be others since."""


def find_outdated(
    connection: sqlite3.Connection, question: int, grader: int = 0
) -> set[tuple[int, int]]:
    """(response, grader version) of labels of answers to a question that are out of date.

    Those of one grader version, or of all. A person's label is so until that person says more.
    """
    return set(
        connection.execute(
            f"SELECT stale.response, stale.grader {_OUTDATED} "
            "AND stale.response BETWEEN ? AND ? AND ? IN (stale.grader, 0)",
            (slot(question, 0, 0), slot(question + 1, 0, 0) - 1, grader),
        )
    )


def find_outdated_among(
    connection: sqlite3.Connection, grader: int, slots: Sequence[int]
) -> set[int]:
    """Those of these responses whose labels by this grader version are out of date."""
    rows = connection.execute(
        f"SELECT stale.response {_OUTDATED} AND stale.grader = ? "
        "AND stale.response IN (SELECT value FROM json_each(?))",
        (grader, json.dumps(list(slots))),
    )
    return {key for (key,) in rows}


def list_outdated(connection: sqlite3.Connection, grader: int) -> list[int]:
    """The responses, ascending, whose labels by this grader version are out of date."""
    rows = connection.execute(
        f"SELECT DISTINCT stale.response {_OUTDATED} AND stale.grader = ? ORDER BY 1", (grader,)
    )
    return [key for (key,) in rows]


def _forget_outdated(connection: sqlite3.Connection, grader: int, slots: Sequence[int]) -> None:
    """These labels are made again: what they were is kept, and does not count as out of date."""
    ids = json.dumps(slots)
    connection.execute(
        "UPDATE stale_grade AS stale SET at = NULL WHERE grader = ?1 "
        "AND response IN (SELECT value FROM json_each(?2)) AND EXISTS (SELECT 1 FROM gold AS made "
        "JOIN gold AS used ON used.fact = made.fact AND used.side = made.side AND used.current "
        "AND used.text = made.text WHERE made.id = stale.gold)",
        (grader, ids),
    )
    connection.execute(
        "DELETE FROM remark WHERE grader = ? AND response IN (SELECT value FROM json_each(?))",
        (grader, ids),
    )


def insert_rationales(
    connection: sqlite3.Connection, grader: int, rows: Sequence[tuple[int, str]]
) -> None:
    """Add the reasons given for grades that are there. Inside a transaction."""
    connection.executemany(
        "INSERT INTO remark (response, grader, rationale) VALUES (?, ?, ?) "
        "ON CONFLICT (response, grader) DO UPDATE SET rationale = excluded.rationale",
        [(key, grader, text) for key, text in rows],
    )


def rationales(connection: sqlite3.Connection, grader: int, slots: Sequence[int]) -> dict[int, str]:
    """Reasons stored for these responses by one grader version."""
    return dict(
        connection.execute(
            "SELECT response, rationale FROM remark WHERE grader = ? AND rationale IS NOT NULL "
            "AND response IN (SELECT value FROM json_each(?))",
            (grader, json.dumps(list(slots))),
        )
    )


def times(
    connection: sqlite3.Connection, graders: Sequence[int], slots: Sequence[int]
) -> dict[tuple[int, int], int]:
    """When people labelled these responses, in milliseconds, by (response, grader version)."""
    return {
        (response, grader): at or 0
        for response, grader, at in connection.execute(
            "SELECT response, grader, at FROM remark "
            "WHERE response IN (SELECT value FROM json_each(?)) "
            "AND grader IN (SELECT value FROM json_each(?))",
            (json.dumps(list(slots)), json.dumps(list(graders))),
        )
    }


def read_grades(
    connection: sqlite3.Connection, question: int
) -> Iterator[tuple[int, int, int, int | None, str | None]]:
    """(response, grader version, outcome, time, rationale), versions oldest first."""
    return connection.execute(
        "SELECT response, grader, outcome, at, rationale FROM grade LEFT JOIN remark "
        "USING (response, grader) WHERE response BETWEEN ? AND ? ORDER BY response, grader",
        (slot(question, 0, 0), slot(question + 1, 0, 0) - 1),
    )


def remarks_in(
    connection: sqlite3.Connection, questions: Sequence[int]
) -> dict[tuple[int, int], tuple[int | None, str | None]]:
    """Time and rationale by (response, grader version), of grades of questions that have any."""
    rows = connection.execute(
        "SELECT response, grader, at, rationale FROM json_each(?) AS question "
        "CROSS JOIN remark ON response BETWEEN question.value << ? "
        "AND (question.value + 1 << ?) - 1",
        (json.dumps(list(questions)), QUESTION_SHIFT, QUESTION_SHIFT),
    )
    return {(response, grader): (at, rationale) for response, grader, at, rationale in rows}


def read_by_prefix(
    connection: sqlite3.Connection, prefix: str
) -> Iterator[tuple[int, str, int, int | None, str | None]]:
    """(response, grader, label, time, rationale) by graders whose names begin so, newest last."""
    return connection.execute(
        "SELECT grade.response, name, outcome, at, rationale FROM grade "
        "JOIN grader ON grader.id = grade.grader LEFT JOIN remark "
        "ON remark.response = grade.response AND remark.grader = grade.grader "
        "WHERE substr(name, 1, length(?1)) = ?1 AND outcome <= 4 "
        "ORDER BY grade.response, coalesce(at, -1), grade.grader",
        (prefix,),
    )


def read_in_setting(
    connection: sqlite3.Connection, question: int, setting: int
) -> Iterator[tuple[int, int, int, int | None, str | None]]:
    """The same for the responses in one setting."""
    first = slot(question, setting, 0)
    return connection.execute(
        "SELECT response, grader, outcome, at, rationale FROM grade LEFT JOIN remark "
        "USING (response, grader) WHERE response BETWEEN ? AND ? ORDER BY response, grader",
        (first, first + MAX_SAMPLE),
    )


def read_in_cells(
    connection: sqlite3.Connection, cells: Sequence[int]
) -> Iterator[tuple[int, int, int, int, int | None]]:
    """(cell, response, grader version, outcome, time) of all grades of responses in these cells.

    A cell is a question in a setting, given as the slot of its sample 0.
    """
    return connection.execute(
        "SELECT cell.value, grade.response, grade.grader, outcome, at FROM json_each(?) AS cell "
        "CROSS JOIN grade ON grade.response BETWEEN cell.value AND cell.value + ? "
        "LEFT JOIN remark ON remark.response = grade.response AND remark.grader = grade.grader",
        (json.dumps(list(cells)), MAX_SAMPLE),
    )


def ensure_grader(connection: sqlite3.Connection, name: str, version: str) -> int:
    """The id of a grader version, made where it is new. Inside a transaction."""
    connection.execute(
        "INSERT OR IGNORE INTO grader (name, version) VALUES (?, ?)", (name, version)
    )
    row = connection.execute(
        "SELECT id FROM grader WHERE name = ? AND version = ?", (name, version)
    ).fetchone()
    return int(row[0])


def graders(connection: sqlite3.Connection) -> list[tuple[int, str, str]]:
    """(id, name, version) of every grader version, oldest first."""
    return connection.execute("SELECT id, name, version FROM grader ORDER BY id").fetchall()


def is_newer(version: str, known: Sequence[str]) -> bool:
    """Whether a grader version is known to be newer than others: by number, where all have one."""
    if not known:
        return True
    if not all(one.isdecimal() for one in (version, *known)):
        return False
    return int(version) > max(map(int, known))
