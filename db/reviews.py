"""What people said of questions, and the samples of questions that they were to look at."""

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from core.vocabulary import Task
from db.stored_values import (
    RowsById,
    StoredValues,
    check_list,
    read_member,
    read_object,
    unreadable,
)

ACCEPTED, REJECTED, EDITED, SKIPPED = "accepted", "rejected", "edited", "skipped"

DECIDED = (ACCEPTED, REJECTED, EDITED)

UNREVIEWED = "".join(
    f" AND NOT EXISTS (SELECT 1 FROM {file}.review JOIN {file}.question "
    f"ON question.id = review.question WHERE question.fact = {fact}.id AND verdict = 'rejected')"
    for file, fact in (("main", "ours"), ("other", "theirs"))
)
"""Of a fact that a merged file has too (`ours`, `theirs`): no review says why it is rejected."""


@dataclass(frozen=True, slots=True)
class Review:
    """What a person said of a question, when (in milliseconds); no verdict if only noted."""

    verdict: str | None
    reason: str = ""
    note: str = ""
    at: int = 0


class AuthoredReview(NamedTuple):
    """A review with whose it is (`human:<name>`) and of which question (its id)."""

    question: int
    author: str
    review: Review


class Sample(NamedTuple):
    """A sample of questions: `spec` says of what, by what, and how many there were."""

    id: int
    kind: str
    seed: int
    spec: Mapping[str, Any]


class SampleEntry(NamedTuple):
    """One question of a sample, in the sample's order."""

    question: int
    stratum: str


_REVIEW = "SELECT question, author, verdict, reason, note, at FROM review"


def review(connection: sqlite3.Connection, question: int, author: str) -> Review | None:
    """What a person said of a question."""
    row = connection.execute(
        "SELECT verdict, reason, note, at FROM review WHERE question = ? AND author = ?",
        (question, author),
    ).fetchone()
    return None if row is None else Review(*row)


def set_review(
    connection: sqlite3.Connection, question: int, author: str, said: Review | None
) -> None:
    """Let a person say this of a question, or nothing. Inside a transaction."""
    if said is None:
        connection.execute(
            "DELETE FROM review WHERE question = ? AND author = ?", (question, author)
        )
        return
    connection.execute(
        "INSERT OR REPLACE INTO review (question, author, verdict, reason, note, at) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        (question, author, said.verdict, said.reason, said.note, said.at),
    )


def reviews(connection: sqlite3.Connection) -> list[AuthoredReview]:
    """All reviews, oldest first."""
    rows = connection.execute(f"{_REVIEW} ORDER BY at, question, author")
    return [AuthoredReview(row[0], row[1], Review(*row[2:])) for row in rows]


def read_reviews(connection: sqlite3.Connection, questions: Sequence[int]) -> list[AuthoredReview]:
    """The reviews of these questions, oldest first."""
    rows = connection.execute(
        f"{_REVIEW} WHERE question IN (SELECT value FROM json_each(?)) "
        "ORDER BY at, question, author",
        (json.dumps(list(questions)),),
    )
    return [AuthoredReview(row[0], row[1], Review(*row[2:])) for row in rows]


def settle_rejection(connection: sqlite3.Connection, question: int) -> bool:
    """Have the fact of a question rejected while some question of it is; gives whether it is.

    Inside a transaction.
    """
    row = connection.execute(
        "UPDATE fact SET rejected = EXISTS (SELECT 1 FROM review "
        "JOIN question AS one ON one.id = review.question "
        "WHERE one.fact = fact.id AND review.verdict = 'rejected') "
        "WHERE id = (SELECT fact FROM question WHERE id = ?) RETURNING rejected",
        (question,),
    ).fetchone()
    return bool(row[0])


def is_rejected(connection: sqlite3.Connection, question: int) -> bool:
    """Whether the fact of a question is rejected."""
    row = connection.execute(
        "SELECT rejected FROM fact WHERE id = (SELECT fact FROM question WHERE id = ?)", (question,)
    ).fetchone()
    return bool(row and row[0])


def rejected_facts(connection: sqlite3.Connection) -> list[int]:
    """Ids of the facts of which a person has rejected a question."""
    rows = connection.execute(
        "SELECT DISTINCT fact FROM review JOIN question ON question.id = review.question "
        "WHERE verdict = 'rejected' ORDER BY fact"
    )
    return [key for (key,) in rows]


def add_sample(
    connection: sqlite3.Connection, kind: str, seed: int, spec: Mapping[str, Any]
) -> int:
    """Note a new sample; gives its id. Inside a transaction."""
    cursor = connection.execute(
        "INSERT INTO sample (kind, seed, spec) VALUES (?, ?, ?)", (kind, seed, _dumps(spec))
    )
    return int(cursor.lastrowid or 0)


def set_spec(connection: sqlite3.Connection, sample: int, spec: Mapping[str, Any]) -> None:
    """Say anew what a sample is of, when it has grown. Inside a transaction."""
    connection.execute("UPDATE sample SET spec = ? WHERE id = ?", (_dumps(spec), sample))


def add_sampled(connection: sqlite3.Connection, sample: int, more: Iterable[SampleEntry]) -> None:
    """Put questions behind those of a sample. Inside a transaction."""
    row = connection.execute(
        "SELECT coalesce(max(place) + 1, 0) FROM sampled WHERE sample = ?", (sample,)
    ).fetchone()
    connection.executemany(
        "INSERT INTO sampled (sample, place, question, stratum) VALUES (?, ?, ?, ?)",
        [
            (sample, place, one.question, one.stratum)
            for place, one in enumerate(more, start=int(row[0]))
        ],
    )


def samples(connection: sqlite3.Connection) -> list[Sample]:
    """All samples, oldest first."""
    rows = connection.execute("SELECT id, kind, seed, spec FROM sample ORDER BY id")
    return [Sample(key, kind, seed, _spec(spec)) for key, kind, seed, spec in rows]


def _spec(text: str) -> dict[str, Any]:
    """What a sample is of: by what strata, of which tasks, and how many there were in each."""
    spec = read_object(text, "a sample")
    for task in check_list(spec.get("tasks"), str, "tasks of a sample"):
        read_member(Task, task, "task")
    sizes = spec.get("of")
    if "by" not in spec or not isinstance(sizes, dict):
        raise unreadable("a sample", text)
    check_list(list(sizes.values()), int, "sizes of a sample")
    return spec


STORED = (StoredValues("sample", "spec", _spec),)


def read_sample(connection: sqlite3.Connection, sample: int) -> list[SampleEntry]:
    """The questions of a sample in their order."""
    rows = connection.execute(
        "SELECT question, stratum FROM sampled WHERE sample = ? ORDER BY place", (sample,)
    )
    return [SampleEntry(*row) for row in rows]


def places(
    connection: sqlite3.Connection, questions: Sequence[int]
) -> RowsById[tuple[int, str, bool]]:
    """Fact, task and whether in use of these questions (any version), by id."""
    rows = connection.execute(
        "SELECT id, fact, task, current FROM question WHERE id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(questions)),),
    )
    return RowsById(
        "question", ((key, (fact, task, bool(current))) for key, fact, task, current in rows)
    )


def texts(connection: sqlite3.Connection, questions: Sequence[int]) -> dict[int, str]:
    """The texts of these questions (any version), by id."""
    rows = connection.execute(
        "SELECT id, text FROM question WHERE id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(questions)),),
    )
    return dict(rows.fetchall())


def find_edited(connection: sqlite3.Connection) -> list[int]:
    """Current questions whose text, options or gold is not the first, by fact."""
    rows = connection.execute(
        "SELECT id FROM question WHERE current AND version > 1 UNION "
        "SELECT question.id FROM gold JOIN question ON question.fact = gold.fact "
        "AND question.current AND gold.side = "
        "CASE WHEN question.task LIKE '%reverse%' THEN 'subject' ELSE 'object' END "
        "WHERE gold.current AND gold.version > 1"
    )
    return [key for (key,) in rows]


def find_changed_by(
    connection: sqlite3.Connection, stage: str, before: Sequence[str], tasks: Sequence[str]
) -> list[int]:
    """Current questions of these tasks whose text a stage of building changed, by fact.

    `before` names the stages whose question went in, the nearest first.
    """
    went_in = ", ".join(
        f"(SELECT json_extract(value, '$.question') FROM step AS b{place} "
        f"WHERE b{place}.unit = candidate.id AND b{place}.stage = ?{place + 3} "
        f"AND NOT b{place}.aside)"
        for place in range(len(before))
    )
    rows = connection.execute(
        "SELECT question.id FROM candidate JOIN step ON step.unit = candidate.id "
        "AND step.stage = ?1 AND step.verdict = 'kept' AND NOT step.aside "
        "JOIN question ON question.fact = candidate.fact AND question.current "
        "AND question.task IN (SELECT value FROM json_each(?2)) "
        "WHERE candidate.fact IS NOT NULL AND json_extract(step.value, '$.question') "
        f"<> coalesce({went_in}, NULL) ORDER BY question.fact, question.id",
        (stage, _dumps(list(tasks)), *before),
    )
    return [key for (key,) in rows]


def take_over(connection: sqlite3.Connection) -> list[tuple[str, str, str]]:
    """Add the reviews of the attached database `other` (`db.merge_rows`) of questions that both
    have.

    Gives fact_id, task and author where ours say something else, which stays. Left out are those
    of questions whose golds differ. Inside a transaction.
    """
    pairs = (
        "FROM other.review AS theirs JOIN question_of AS q ON q.theirs = theirs.question "
        "LEFT JOIN main.review AS mine ON mine.question = q.ours AND mine.author = theirs.author"
    )
    apart: list[tuple[str, str, str]] = connection.execute(
        f"SELECT fact_id, task, theirs.author {pairs} JOIN main.question ON question.id = q.ours "
        "JOIN main.fact ON fact.id = question.fact WHERE mine.author IS NOT NULL AND "
        "(mine.verdict, mine.reason, mine.note) IS NOT "
        "(theirs.verdict, theirs.reason, theirs.note) ORDER BY q.ours, theirs.author"
    ).fetchall()
    connection.execute(
        "INSERT INTO main.review (question, author, verdict, reason, note, at) SELECT q.ours, "
        f"theirs.author, theirs.verdict, theirs.reason, theirs.note, theirs.at {pairs} "
        "WHERE mine.author IS NULL AND q.graded"
    )
    connection.execute(
        "UPDATE main.fact SET rejected = 1 WHERE id IN (SELECT question.fact FROM main.review "
        "JOIN main.question ON question.id = review.question WHERE verdict = 'rejected')"
    )
    return apart


def _dumps(values: object) -> str:
    return json.dumps(values, ensure_ascii=False)
