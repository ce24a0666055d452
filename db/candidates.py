"""What stages of building work on: passages of documents, and candidates for facts."""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Unit:
    """A passage or a candidate with all that stages need of it.

    `passage` is None for an imported fact, `candidate` for a passage. `place` is that of the
    paragraph, `rank` that of the candidate in it. `fact` is the fact's id once there is one.
    `is_own`: it is of a document that is no Wikipedia page.
    """

    passage: int | None
    key: str
    title: str
    text: str
    place: int = 0
    candidate: int | None = None
    object: str = ""
    object_type: str = ""
    start: int = 0
    rank: int = 0
    fact: int | None = None
    is_own: bool = False

    @property
    def id(self) -> int:
        """Its number among units of its kind."""
        found = self.passage if self.candidate is None else self.candidate
        assert found is not None
        return found


def passage(connection: sqlite3.Connection, key: int) -> Unit:
    """A passage (its id) as a unit."""
    row = connection.execute(
        "SELECT passage.id, document.key, title, text, place, views IS NULL AND item_id = '' "
        "FROM passage JOIN document ON document.id = document WHERE passage.id = ?",
        (key,),
    ).fetchone()
    *columns, is_own = row
    return replace(Unit(*columns), is_own=bool(is_own))


def candidate(connection: sqlite3.Connection, key: int) -> Unit:
    """A candidate (its id) as a unit; the text of an imported fact is its left context."""
    row = connection.execute(
        "SELECT passage, coalesce(document.key, fact.fact_id), "
        "coalesce(document.title, fact.page_title), coalesce(passage.text, completion.text, ''), "
        "coalesce(place, 0), candidate.id, candidate.object, candidate.object_type, "
        "coalesce(start, length(completion.text), 0), rank, candidate.fact, "
        "document.id IS NOT NULL AND document.views IS NULL AND document.item_id = '' "
        "FROM candidate "
        "LEFT JOIN passage ON passage.id = candidate.passage "
        "LEFT JOIN document ON document.id = passage.document "
        "LEFT JOIN fact ON fact.id = candidate.fact "
        "LEFT JOIN question AS completion ON completion.fact = candidate.fact "
        "AND completion.task = 'completion' AND completion.current WHERE candidate.id = ?",
        (key,),
    ).fetchone()
    return Unit(*row)


def insert_candidates(
    connection: sqlite3.Connection, passage: int, objects: Iterable[tuple[str, str, int]]
) -> list[int]:
    """Make candidates of a passage's objects (text, type, start), best first; gives their ids.

    One that was set aside is taken up again, so that its fact stays the same.
    """
    made = []
    for rank, (text, kind, start) in enumerate(objects):
        row = connection.execute(
            "SELECT id FROM candidate WHERE passage = ? AND start = ? AND object = ? "
            "ORDER BY aside, id DESC",
            (passage, start, text),
        ).fetchone()
        if row is not None:
            connection.execute(
                "UPDATE candidate SET aside = 0, object_type = ?, rank = ? WHERE id = ?",
                (kind, rank, row[0]),
            )
            made.append(int(row[0]))
            continue
        cursor = connection.execute(
            "INSERT OR IGNORE INTO candidate (passage, start, object, object_type, rank) "
            "VALUES (?, ?, ?, ?, ?)",
            (passage, start, text, kind, rank),
        )
        if cursor.rowcount:
            made.append(int(cursor.lastrowid or 0))
    return made


def candidates_of(connection: sqlite3.Connection, passage: int) -> list[int]:
    """The candidates (ids) of a passage that are in use, best first."""
    rows = connection.execute(
        "SELECT id FROM candidate WHERE passage = ? AND NOT aside ORDER BY rank, id", (passage,)
    )
    return [key for (key,) in rows]


def lacking_facts(connection: sqlite3.Connection) -> list[int]:
    """Imported facts (ids) that lack tasks and are no candidates yet; rejected ones left out."""
    rows = connection.execute(
        "SELECT fact.id FROM fact WHERE NOT rejected "
        "AND NOT EXISTS (SELECT 1 FROM candidate WHERE candidate.fact = fact.id) "
        "AND (SELECT count(*) FROM question WHERE question.fact = fact.id AND current) < 10 "
        "ORDER BY fact.id"
    )
    return [key for (key,) in rows]


def insert_lacking(connection: sqlite3.Connection, fact: int) -> int:
    """Make an imported fact (its id) a candidate; gives the candidate's id."""
    cursor = connection.execute(
        "INSERT INTO candidate (object, object_type, rank, fact) SELECT "
        "coalesce((SELECT text FROM gold WHERE gold.fact = fact.id AND side = 'object' "
        "AND current), object), object_type, 0, id FROM fact WHERE id = ?",
        (fact,),
    )
    return int(cursor.lastrowid or 0)


def units_of(connection: sqlite3.Connection, facts: Sequence[int]) -> dict[int, int]:
    """The candidates (ids) that imported facts (ids) are, by these."""
    rows = connection.execute(
        "SELECT fact, id FROM candidate WHERE passage IS NULL "
        "AND fact IN (SELECT value FROM json_each(?)) ORDER BY fact",
        (json.dumps(facts),),
    )
    return dict(rows.fetchall())


def find_imported(connection: sqlite3.Connection) -> list[int]:
    """Candidates (ids) that are imported facts."""
    rows = connection.execute("SELECT id FROM candidate WHERE passage IS NULL ORDER BY id")
    return [key for (key,) in rows]


def find_repeated(connection: sqlite3.Connection) -> set[int]:
    """Passages (ids) with the very text of an earlier one."""
    rows = connection.execute(
        "SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY text ORDER BY id) AS number "
        "FROM passage) WHERE number > 1"
    )
    return {key for (key,) in rows}


def set_candidates_aside(connection: sqlite3.Connection, passage: int) -> None:
    """Set a passage's candidates aside; their facts leave all totals. Inside a transaction."""
    connection.execute(
        "UPDATE fact SET rejected = 1 WHERE id IN "
        "(SELECT fact FROM candidate WHERE passage = ? AND NOT aside)",
        (passage,),
    )
    connection.execute("UPDATE candidate SET aside = 1 WHERE passage = ?", (passage,))


def count_facts(connection: sqlite3.Connection, stage: str, job: int) -> int:
    """Candidates of documents that a job's last stage has kept."""
    (built,) = connection.execute(
        "SELECT count(passage) FROM step JOIN candidate ON candidate.id = step.unit "
        "WHERE stage = ? AND verdict = 'kept' AND NOT step.aside AND job = ?",
        (stage, job),
    ).fetchone()
    return int(built)


def count_tasks(connection: sqlite3.Connection, stage: str, job: int) -> tuple[int, int]:
    """Questions that a job's last stage was the first to write to imported facts, and the facts."""
    tasks, facts = connection.execute(
        "SELECT count(*), count(DISTINCT step.unit) FROM step "
        "JOIN candidate ON candidate.id = step.unit, json_each(step.value, '$.questions') AS made "
        "WHERE stage = ?1 AND verdict = 'kept' AND job = ?2 AND passage IS NULL AND NOT EXISTS "
        "(SELECT 1 FROM step AS earlier, json_each(earlier.value, '$.questions') AS known "
        "WHERE earlier.unit = step.unit AND earlier.stage = ?1 AND earlier.id < step.id "
        "AND known.value = made.value)",
        (stage, job),
    ).fetchone()
    return tasks, facts


def count_passages(connection: sqlite3.Connection) -> int:
    """How many paragraphs there are in all documents."""
    return int(connection.execute("SELECT count(*) FROM passage").fetchone()[0])


def mean_length(connection: sqlite3.Connection) -> float:
    """Characters of a first paragraph, on average."""
    row = connection.execute("SELECT avg(length(text)) FROM passage WHERE place = 0").fetchone()
    return float(row[0] or 0.0)


def page(connection: sqlite3.Connection, candidate: int) -> tuple[int | None, str, str]:
    """Page views, Wikidata item and date of a candidate's document."""
    views, item, created = connection.execute(
        "SELECT views, item_id, page_created FROM candidate "
        "JOIN passage ON passage.id = candidate.passage "
        "JOIN document ON document.id = passage.document WHERE candidate.id = ?",
        (candidate,),
    ).fetchone()
    return views, item, created


def is_taken(connection: sqlite3.Connection, fact_id: str) -> bool:
    """Whether a fact of this own id is there."""
    row = connection.execute("SELECT 1 FROM fact WHERE fact_id = ?", (fact_id,)).fetchone()
    return row is not None


def set_fact(connection: sqlite3.Connection, candidate: int, fact_id: str) -> int:
    """Note the fact that a candidate has become; gives its id. Inside a transaction."""
    (fact,) = connection.execute("SELECT id FROM fact WHERE fact_id = ?", (fact_id,)).fetchone()
    connection.execute("UPDATE candidate SET fact = ? WHERE id = ?", (fact, candidate))
    return int(fact)


def set_subject(connection: sqlite3.Connection, fact: int, subject: str) -> None:
    """Change what a fact (its id) is about. Inside a transaction."""
    connection.execute("UPDATE fact SET subject = ? WHERE id = ?", (subject, fact))


def leave_out(connection: sqlite3.Connection, fact: int) -> None:
    """Take a fact (its id) out of all totals, as a stage has dropped it. Inside a transaction."""
    connection.execute("UPDATE fact SET rejected = 1 WHERE id = ?", (fact,))


def take_back(connection: sqlite3.Connection, fact: int) -> None:
    """Let a fact (its id) count again, unless a person has rejected it. Inside a transaction."""
    connection.execute(
        "UPDATE fact SET rejected = 0 WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM review "
        "JOIN question ON question.id = review.question "
        "WHERE question.fact = ?1 AND verdict = 'rejected')",
        (fact,),
    )
