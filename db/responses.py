"""Responses: what models answered, slot by slot."""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import orjson

from db import answer_score_arrays, label_grids, search_index, tags_and_notes
from db.row_statements import insert_by_column
from db.slot_ids import MAX_SAMPLE, MAX_SETTING, QUESTION_SHIFT, SAMPLE_BITS, slot
from db.stored_values import StoredValues

BY_IDS = "IN (SELECT value FROM json_each(?))"


def insert(connection: sqlite3.Connection, rows: Sequence[tuple[int, str, int | None]]) -> None:
    """Add responses (slot, text, shown) to free slots. Inside a transaction."""
    slots, texts, shown = zip(*rows, strict=True) if rows else ((), (), ())
    insert_columns(connection, slots, texts, shown)


def insert_columns(
    connection: sqlite3.Connection,
    slots: Sequence[int],
    texts: Sequence[str],
    shown: Sequence[int | None],
) -> None:
    """The same of columns."""
    insert_by_column(connection, "response", {"id": slots, "text": texts, "shown": shown})
    label_grids.record(connection, label_grids.DRAWN, slots, b"\1" * len(slots))


def insert_reasoning(connection: sqlite3.Connection, rows: Sequence[tuple[int, str]]) -> None:
    """Note the reasoning of responses (their slots) that are new. Inside a transaction."""
    connection.executemany("INSERT INTO draw (response, reasoning) VALUES (?, ?)", rows)


def add_draws(
    connection: sqlite3.Connection,
    rows: Iterable[tuple[int, str, str | None, str | None, int | None]],
) -> None:
    """Note how responses were drawn: slot, text, finish, reasoning and its tokens.

    Of responses with this text of which nothing is noted yet. Inside a transaction.
    """
    connection.executemany(
        "INSERT OR IGNORE INTO draw (response, finish, reasoning, reasoning_tokens) "
        "SELECT ?1, ?3, ?4, ?5 WHERE EXISTS (SELECT 1 FROM response WHERE id = ?1 AND text = ?2)",
        rows,
    )


def find_existing(
    connection: sqlite3.Connection, slots: Sequence[int]
) -> dict[int, tuple[str, int | None]]:
    """Text and shown order of those of these slots that have a response."""
    return {
        key: (text, shown)
        for key, text, shown in connection.execute(
            f"SELECT id, text, shown FROM response WHERE id {BY_IDS}",
            (json.dumps(list(slots)),),
        )
    }


def set_shown(connection: sqlite3.Connection, rows: Iterable[tuple[int, int]]) -> None:
    """Give responses that have none the order (number, slot) they showed. Inside a transaction."""
    connection.executemany("UPDATE response SET shown = ? WHERE id = ? AND shown IS NULL", rows)


def find_filled(
    connection: sqlite3.Connection, cells: Iterable[int], samples: int
) -> dict[int, set[int]]:
    """Which of the samples 0 to `samples` - 1 have a response, by cell.

    A cell is a question in a setting, given as the slot of its sample 0. Cells without any
    response are left out.
    """
    return samples_in(connection, "response", "id", cells, samples)


def samples_in(
    connection: sqlite3.Connection, table: str, key: str, cells: Iterable[int], samples: int
) -> dict[int, set[int]]:
    """The samples of cells, below so many, that a table has rows of; `key` has their slots."""
    found: dict[int, set[int]] = {}
    for cell, sample in connection.execute(
        f"SELECT cell.value, one.{key} - cell.value FROM json_each(?) AS cell "
        f"CROSS JOIN {table} AS one ON one.{key} BETWEEN cell.value AND cell.value + ?",
        (json.dumps(list(cells)), samples - 1),
    ):
        found.setdefault(cell, set()).add(sample)
    return found


class ToGrade(NamedTuple):
    """One response that a grader has not seen."""

    slot: int
    setting: int
    text: str
    shown: int | None
    finish: str | None


def find_ungraded(
    connection: sqlite3.Connection, question: int, grader: int, state: int = 0
) -> list[ToGrade]:
    """Responses to a question that this grader version has not graded, or left in a state."""
    return [
        ToGrade(*row)
        for row in connection.execute(
            "SELECT id, setting, text, shown, finish FROM response "
            "LEFT JOIN draw ON draw.response = id "
            "WHERE id BETWEEN ? AND ? AND NOT EXISTS "
            "(SELECT 1 FROM grade WHERE grade.response = id AND grade.grader = ? "
            "AND outcome <> ?)",
            (*_range(question), grader, state),
        )
    ]


def read_with_outcomes(
    connection: sqlite3.Connection, question: int, grader: int
) -> list[tuple[ToGrade, int | None, str | None]]:
    """All responses to a question, each with a grader version's outcome and reason, if any."""
    return [
        (ToGrade(*row[:5]), row[5], row[6])
        for row in connection.execute(
            "SELECT id, setting, text, shown, finish, outcome, rationale FROM response "
            "LEFT JOIN draw ON draw.response = id "
            "LEFT JOIN grade ON grade.response = id AND grade.grader = ?1 "
            "LEFT JOIN remark ON remark.response = id AND remark.grader = ?1 "
            "WHERE id BETWEEN ?2 AND ?3",
            (grader, *_range(question)),
        )
    ]


def find_in_state(
    connection: sqlite3.Connection, question: int, grader: int, state: int
) -> set[int]:
    """Slots of the responses to a question that a grader version left in a state."""
    return {
        key
        for (key,) in connection.execute(
            "SELECT response FROM grade WHERE response BETWEEN ? AND ? AND grader = ? "
            "AND outcome = ?",
            (*_range(question), grader, state),
        )
    }


def read_answers(
    connection: sqlite3.Connection, questions: Sequence[int]
) -> list[tuple[int, str, int | None]]:
    """(slot, text, shown) of every response to some questions, in any order."""
    return connection.execute(
        "SELECT response.id, text, shown FROM json_each(?) AS question "
        "CROSS JOIN response ON response.id BETWEEN question.value << ? "
        "AND (question.value + 1 << ?) - 1",
        (json.dumps(list(questions)), QUESTION_SHIFT, QUESTION_SHIFT),
    ).fetchall()


def read_texts(
    connection: sqlite3.Connection, questions: Sequence[int]
) -> Iterator[tuple[list[int], list[str]]]:
    """Slots and texts of the responses to each of some questions, in the order of the questions.

    A question is one row: SQLite joins its texts four times as fast as Python reads them by rows.
    """
    for (found,) in connection.execute(
        "SELECT (SELECT json_array(json_group_array(id), json_group_array(text)) FROM response "
        "WHERE id BETWEEN question.value << ?2 AND (question.value + 1 << ?2) - 1) "
        "FROM json_each(?1) AS question",
        (json.dumps(list(questions)), QUESTION_SHIFT),
    ):
        slots, texts = orjson.loads(found)
        yield slots, texts


@dataclass(frozen=True, slots=True)
class StoredResponse:
    """One response with all that was noted when it was drawn (None where it was imported)."""

    slot: int
    text: str
    shown: int | None
    finish: str | None
    reasoning: str | None
    reasoning_tokens: int | None


def read_in_setting(
    connection: sqlite3.Connection, question: int, setting: int
) -> list[StoredResponse]:
    """Responses to a question in one setting, by sample."""
    first = slot(question, setting, 0)
    return [
        StoredResponse(*row)
        for row in connection.execute(
            "SELECT id, text, shown, finish, reasoning, reasoning_tokens FROM response "
            "LEFT JOIN draw ON draw.response = id WHERE id BETWEEN ? AND ? ORDER BY id",
            (first, first + MAX_SAMPLE),
        )
    ]


def read_question_responses(connection: sqlite3.Connection, question: int) -> list[StoredResponse]:
    """All responses to a question, by setting and sample."""
    return [
        StoredResponse(*row)
        for row in connection.execute(
            "SELECT id, text, shown, finish, reasoning, reasoning_tokens FROM response "
            "LEFT JOIN draw ON draw.response = id WHERE id BETWEEN ? AND ? ORDER BY id",
            _range(question),
        )
    ]


def read_responses(connection: sqlite3.Connection, slots: Sequence[int]) -> list[StoredResponse]:
    """The responses in these slots, in any order; empty slots are left out."""
    return [
        StoredResponse(*row)
        for row in connection.execute(
            "SELECT id, text, shown, finish, reasoning, reasoning_tokens FROM response "
            f"LEFT JOIN draw ON draw.response = id WHERE id {BY_IDS}",
            (json.dumps(slots),),
        )
    ]


def texts_in(connection: sqlite3.Connection, slots: Sequence[int]) -> list[tuple[int, str]]:
    """Slots and the texts of their responses, in any order; empty slots are left out."""
    found = f"SELECT id, text FROM response WHERE id {BY_IDS}"
    return connection.execute(found, (json.dumps(slots),)).fetchall()


def count_ended(
    connection: sqlite3.Connection, settings: Sequence[int], finish: str
) -> dict[tuple[int, str], int]:
    """Responses in these settings that ended in a way, by setting and task (reads all draws)."""
    rows = connection.execute(
        "SELECT response.setting, question.task, count(*) FROM draw "
        "JOIN response ON response.id = draw.response "
        "JOIN question ON question.id = response.question "
        f"WHERE draw.finish = ? AND response.setting {BY_IDS} GROUP BY 1, 2",
        (finish, json.dumps(list(settings))),
    )
    return {(setting, task): number for setting, task, number in rows}


def texts(connection: sqlite3.Connection, setting: int) -> Iterator[str]:
    """Texts of all responses in a setting (reads the whole table)."""
    for (text,) in connection.execute("SELECT text FROM response WHERE setting = ?", (setting,)):
        yield text


def slots_of(connection: sqlite3.Connection, questions: Sequence[int], setting: int) -> list[int]:
    """Slots with a response, for these questions in one setting."""
    found: list[int] = []
    for question in questions:
        first = slot(question, setting, 0)
        found += (
            key
            for (key,) in connection.execute(
                "SELECT id FROM response WHERE id BETWEEN ? AND ?",
                (first, slot(question, setting + 1, 0) - 1),
            )
        )
    return found


def set_aside(connection: sqlite3.Connection, slots: Sequence[int], reason: str) -> None:
    """Move responses with their grades out of their slots, which are then free again.

    Nothing is lost: text, shown order, recipe, draw and grades (those of earlier golds with the
    gold's id) stay in `aside`. Inside a transaction.
    """
    ids = json.dumps(list(slots))
    connection.execute(
        f"""
        INSERT INTO aside (slot, text, shown, recipe, draw, grades, reason)
        SELECT r.id, r.text, r.shown, model.recipe,
            (SELECT json_object('run', run, 'finish', finish, 'reasoning', reasoning,
                'reasoning_tokens', reasoning_tokens, 'served', served)
                FROM draw WHERE draw.response = r.id),
            (SELECT coalesce(json_group_array(json_object('grader', grader, 'outcome', outcome,
                'at', at, 'rationale', rationale, 'gold', gold)), '[]')
                FROM (SELECT grader, outcome, at, rationale, NULL AS gold
                    FROM grade LEFT JOIN remark USING (response, grader)
                    WHERE grade.response = r.id
                    UNION ALL SELECT grader, outcome, at, rationale, gold
                    FROM stale_grade WHERE response = r.id)),
            ?
        FROM response AS r
        JOIN setting ON setting.id = r.setting
        JOIN model ON model.id = setting.model
        WHERE r.id {BY_IDS}
        """,
        (reason, ids),
    )
    tags_and_notes.forget_answers(connection, ids)
    planes = connection.execute(
        f"SELECT grader, json_group_array(response) FROM grade WHERE response {BY_IDS} "
        "GROUP BY grader",
        (ids,),
    ).fetchall()
    for table, column in (
        ("remark", "response"),
        ("grade", "response"),
        ("stale_grade", "response"),
        ("source_score", "response"),
        ("response_source", "response"),
        ("reference_answer", "response"),
        ("draw", "response"),
        ("response", "id"),
    ):
        connection.execute(f"DELETE FROM {table} WHERE {column} {BY_IDS}", (ids,))
    for plane, graded in [(label_grids.DRAWN, ids), *planes]:
        cleared = json.loads(graded)
        label_grids.record(connection, plane, cleared, bytes(len(cleared)))
    answer_score_arrays.forget(connection, slots)
    search_index.outdate(connection, slots)


STORED = (StoredValues("response", "text", str),)


def _range(question: int) -> tuple[int, int]:
    return slot(question, 0, 0), slot(question + 1, 0, 0) - 1


def count_reasoning(connection: sqlite3.Connection) -> dict[int, int]:
    """Answers with reasoning by setting (reads the whole table of draws)."""
    rows = connection.execute(
        "SELECT response >> ? & ? AS setting, count(*) FROM draw "
        "WHERE reasoning_tokens > 0 OR trim(reasoning) <> '' GROUP BY setting",
        (SAMPLE_BITS, MAX_SETTING),
    )
    return dict(rows.fetchall())


def read_in_cells(
    connection: sqlite3.Connection, cells: Sequence[int]
) -> Iterator[tuple[int, int, str, int | None, str | None, str | None, int | None]]:
    """(place, sample, text, shown, finish, reasoning, its tokens) of all responses in some cells.

    A cell is a question in a setting, given as the slot of its sample 0; `place` is its place
    among them, in the order of which the rows come, by sample.
    """
    return connection.execute(
        "SELECT cell.key, response.id - cell.value, text, shown, finish, reasoning, "
        "reasoning_tokens FROM json_each(?) AS cell CROSS JOIN response "
        "ON response.id BETWEEN cell.value AND cell.value + ? "
        "LEFT JOIN draw ON draw.response = response.id ORDER BY cell.key, response.id",
        (json.dumps(list(cells)), MAX_SAMPLE),
    )


def has_responses(connection: sqlite3.Connection, label: str) -> bool:
    """Whether a label has any response (reads the table to its end where it has none)."""
    row = connection.execute(
        "SELECT 1 FROM response WHERE setting IN (SELECT setting.id FROM setting "
        "JOIN model ON model.id = setting.model WHERE label = ?) LIMIT 1",
        (label,),
    ).fetchone()
    return row is not None
