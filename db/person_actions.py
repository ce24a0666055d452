"""What people did that can be undone and redone: labels with notes, flags, edits, reviews.

Nothing is ever deleted. What one key wrote is one act: an action, or several as one decision. That
an act was undone is a row of its own, which a redo answers.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum

from db import label_grids
from db.question_versions import Versions
from db.reviews import Review
from db.slot_ids import SAMPLE_BITS, SETTING_BITS
from db.stored_values import (
    StoredValues,
    check_list,
    read_json,
    read_member,
    read_object,
    read_record,
    unreadable,
)

NOBODY = ""
"""The author of flags set before a name was given."""

ELSEWHERE = "import"
"""The author of changes that came with a file: made by others, so nobody undoes them here."""


class ActionKind(StrEnum):
    """What an action changed.

    A response's label, a fact's flag, versions of a fact's questions and golds, what was said of a
    question, or a tag or standing note on any of them. `UNDO` is no change of its own: it says
    which actions were taken back.
    """

    LABEL = "label"
    FLAG = "flag"
    EDIT = "edit"
    REVIEW = "review"
    TAG = "tag"
    NOTE = "note"
    UNDO = "undo"


@dataclass(frozen=True, slots=True)
class LabelRecord:
    """A person's label of a response, with its time in milliseconds and note."""

    outcome: int
    at: int | None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class TagRecord:
    """A tag on something of a kind (`db.tags_and_notes.KINDS`), who set it, and when."""

    kind: str
    tag: str
    author: str
    at: int


@dataclass(frozen=True, slots=True)
class NoteRecord:
    """A person's note on something of a kind, without a label, with its time."""

    kind: str
    text: str
    at: int


@dataclass(frozen=True, slots=True)
class UndoneActions:
    """Ids of the actions of an act that undoing took back."""

    actions: tuple[int, ...]


State = LabelRecord | Versions | Review | TagRecord | NoteRecord | UndoneActions | bool | None
"""What an action found or left: a label or None, whether a fact is flagged, versions in use, what
was said of a question, a tag or a note.

Of an `UNDO` the actions that it took back, and True once they were redone."""


@dataclass(frozen=True, slots=True)
class GraderPair:
    """Two graders, and what each had said (an outcome, 0 for nothing) of a response.

    `blind` says that the person who decided between them did not see their labels before.
    """

    a: str
    b: str
    said_a: int
    said_b: int
    blind: bool = False


@dataclass(frozen=True, slots=True)
class Action:
    """One change: `target` is a response's slot, or a fact's or (of a review) a question's id.

    Of an `UNDO` it is the first action of the act that was undone.

    `grader` is whose label it is.

    `decision` is the id of the first action of a decision that wrote several at once, its own
    included; `between` are the graders whose disagreement was decided.
    """

    author: str
    kind: ActionKind
    target: int
    grader: int | None
    before: State
    after: State
    at: int
    decision: int | None = None
    between: GraderPair | None = None


def has_response(connection: sqlite3.Connection, slot: int) -> bool:
    """Whether there is a response in the slot."""
    found = connection.execute("SELECT 1 FROM response WHERE id = ?", (slot,)).fetchone()
    return found is not None


def has_question(connection: sqlite3.Connection, question: int) -> bool:
    """Whether there is a question in use with this id."""
    found = connection.execute(
        "SELECT 1 FROM question WHERE id = ? AND current", (question,)
    ).fetchone()
    return found is not None


def was_redrawn(connection: sqlite3.Connection, slot: int, since: int) -> bool:
    """Whether a response was set aside from the slot since then (milliseconds)."""
    found = connection.execute(
        "SELECT 1 FROM aside WHERE slot = ? AND unixepoch(at) >= ? / 1000", (slot, since)
    ).fetchone()
    return found is not None


def newest_version(connection: sqlite3.Connection, grader: str) -> int | None:
    """The id of a grader's newest version; None for one that has never graded."""
    row = connection.execute("SELECT max(id) FROM grader WHERE name = ?", (grader,)).fetchone()
    newest: int | None = row[0]
    return newest


def label(connection: sqlite3.Connection, slot: int, grader: int) -> LabelRecord | None:
    """What a grader version says of a response."""
    row = connection.execute(
        "SELECT outcome, at, rationale FROM grade LEFT JOIN remark USING (response, grader) "
        "WHERE response = ? AND grader = ?",
        (slot, grader),
    ).fetchone()
    return LabelRecord(*row) if row else None


def set_label(
    connection: sqlite3.Connection, slot: int, grader: int, said: LabelRecord | None
) -> None:
    """Let a grader version say this of a response, or nothing. Inside a transaction."""
    for table in ("remark", "grade"):
        connection.execute(f"DELETE FROM {table} WHERE response = ? AND grader = ?", (slot, grader))
    if said:
        connection.execute(
            "INSERT INTO grade (response, grader, outcome) VALUES (?, ?, ?)",
            (slot, grader, said.outcome),
        )
        connection.execute(
            "INSERT INTO remark (response, grader, rationale, at) VALUES (?, ?, ?, ?)",
            (slot, grader, said.note, said.at),
        )
    label_grids.record(connection, grader, [slot], [said.outcome if said else 0])


def flag(connection: sqlite3.Connection, fact: int) -> bool | None:
    """Whether a fact is flagged; None where there is no such fact."""
    row = connection.execute("SELECT flagged FROM fact WHERE id = ?", (fact,)).fetchone()
    return bool(row[0]) if row else None


def set_flag(connection: sqlite3.Connection, fact: int, flagged: bool) -> None:
    """Flag a fact, or take its flag away. Inside a transaction."""
    connection.execute("UPDATE fact SET flagged = ? WHERE id = ?", (flagged, fact))


_COLUMNS = "author, kind, target, grader, before, after, at, decision, between_graders"


def record(connection: sqlite3.Connection, action: Action) -> int:
    """Note an action; gives its id. Inside the transaction in which it is done."""
    cursor = connection.execute(
        f"INSERT INTO action ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            action.author,
            action.kind,
            action.target,
            action.grader,
            _dump_state(action.before),
            _dump_state(action.after),
            action.at,
            action.decision,
            json.dumps(asdict(action.between), ensure_ascii=False) if action.between else None,
        ),
    )
    return int(cursor.lastrowid or 0)


def begin_decision(connection: sqlite3.Connection, action: int) -> None:
    """Let an action be the first of a decision. Inside a transaction."""
    connection.execute("UPDATE action SET decision = id WHERE id = ?", (action,))


_ON_FACTS = (
    "(kind IN ('flag', 'edit') AND target IN (SELECT value FROM json_each(:facts)) OR "
    "kind = 'review' AND target IN (SELECT id FROM mine) OR "
    f"kind = 'label' AND (target >> {SAMPLE_BITS + SETTING_BITS}) IN (SELECT id FROM mine) OR "
    "kind IN ('tag', 'note') AND CASE json_extract(coalesce(after, before), '$.kind') "
    "WHEN 'fact' THEN target IN (SELECT value FROM json_each(:facts)) "
    "WHEN 'question' THEN target IN (SELECT id FROM mine) "
    f"ELSE (target >> {SAMPLE_BITS + SETTING_BITS}) IN (SELECT id FROM mine) END)"
)


def find_newest(
    connection: sqlite3.Connection, author: str, facts: Iterable[int] | None = None
) -> tuple[int, Action] | None:
    """The newest action (id first) of an author, or of nobody named, that is not undone.

    With `facts` (ids) the newest on one of them: its flag, its questions, answers to them.
    """
    row = connection.execute(
        "WITH mine AS (SELECT id FROM question "
        "WHERE fact IN (SELECT value FROM json_each(:facts))) "
        f"SELECT id, {_COLUMNS} FROM action WHERE author IN (:author, :nobody) AND NOT undone "
        f"{'' if facts is None else f'AND {_ON_FACTS}'} ORDER BY id DESC LIMIT 1",
        {"author": author, "nobody": NOBODY, "facts": json.dumps(sorted(facts or ()))},
    ).fetchone()
    return None if row is None else (row[0], _action(*row[1:]))


def read_action(connection: sqlite3.Connection, action: int) -> tuple[bool, Action] | None:
    """An action by its id, and whether it is undone; None where there is none."""
    row = connection.execute(
        f"SELECT undone, {_COLUMNS} FROM action WHERE id = ?", (action,)
    ).fetchone()
    return None if row is None else (bool(row[0]), _action(*row[1:]))


def read_decision(connection: sqlite3.Connection, decision: int) -> list[tuple[int, Action]]:
    """The actions (ids first) of a decision that are not undone, in their order."""
    rows = connection.execute(
        f"SELECT id, {_COLUMNS} FROM action WHERE decision = ? AND NOT undone ORDER BY id",
        (decision,),
    )
    return [(row[0], _action(*row[1:])) for row in rows]


def acts(
    connection: sqlite3.Connection, author: str, count: int
) -> list[tuple[int, Action, int, bool]]:
    """The newest acts of an author, or of nobody named, undone ones too.

    Each is its first action (id first), how many labels it wrote, and whether it is undone.
    """
    of_act = "FROM action AS one WHERE (one.id = action.id OR one.decision = action.id)"
    rows = connection.execute(
        f"SELECT id, {_COLUMNS}, (SELECT count(*) {of_act} AND one.kind = 'label'), "
        f"NOT EXISTS (SELECT 1 {of_act} AND NOT one.undone) FROM action "
        "WHERE author IN (?, ?) AND kind <> ? AND (decision IS NULL OR decision = id) "
        "ORDER BY id DESC LIMIT ?",
        (author, NOBODY, ActionKind.UNDO, count),
    )
    return [(row[0], _action(*row[1:-2]), row[-2], bool(row[-1])) for row in rows]


def newest_undo(connection: sqlite3.Connection, author: str) -> tuple[int, Action] | None:
    """The newest `UNDO` (id first) of an author, or of nobody named, that was not redone.

    None once there has been an act after it.
    """
    rows = connection.execute(
        f"SELECT id, {_COLUMNS} FROM action WHERE author IN (?, ?) ORDER BY id DESC",
        (author, NOBODY),
    )
    for key, *columns in rows:
        action = _action(*columns)
        if action.kind is not ActionKind.UNDO:
            return None
        if action.after is None:
            return key, action
    return None


def label_changes(connection: sqlite3.Connection) -> Iterator[tuple[bool, Action]]:
    """All changes of people's labels, and whether each is undone; those of one label by time."""
    rows = connection.execute(
        f"SELECT undone, {_COLUMNS} FROM action WHERE kind = ? ORDER BY target, grader, at, id",
        (ActionKind.LABEL,),
    )
    return ((bool(row[0]), _action(*row[1:])) for row in rows)


def decision_times(connection: sqlite3.Connection, author: str, count: int) -> list[int]:
    """When an author made the newest decisions (in milliseconds) that are not undone."""
    rows = connection.execute(
        "SELECT at FROM action WHERE author = ? AND NOT undone AND decision = id "
        "ORDER BY id DESC LIMIT ?",
        (author, count),
    )
    return [at for (at,) in rows]


def label_times(connection: sqlite3.Connection, author: str, count: int) -> list[int]:
    """When an author set the newest labels (in milliseconds) that are not undone."""
    rows = connection.execute(
        "SELECT at FROM action WHERE author = ? AND kind = ? AND NOT undone "
        "AND after IS NOT NULL ORDER BY id DESC LIMIT ?",
        (author, ActionKind.LABEL, count),
    )
    return [at for (at,) in rows]


def mark_undone(connection: sqlite3.Connection, action: int) -> None:
    """Never undo this action again, unless it is redone. Inside a transaction."""
    connection.execute("UPDATE action SET undone = 1 WHERE id = ?", (action,))


def mark_redone(connection: sqlite3.Connection, undo: int, actions: Iterable[int]) -> None:
    """Never redo what this `UNDO` took back; these of it stand again. Inside a transaction."""
    connection.execute("UPDATE action SET after = 'true' WHERE id = ?", (undo,))
    connection.executemany(
        "UPDATE action SET undone = 0 WHERE id = ?", [(action,) for action in actions]
    )


def _action(
    author: str,
    kind: str,
    target: int,
    grader: int | None,
    before: str | None,
    after: str | None,
    at: int,
    decision: int | None,
    between: str | None,
) -> Action:
    return Action(
        author,
        read_member(ActionKind, kind, "kind of action"),
        target,
        grader,
        _read_state(kind, before),
        _read_state(kind, after),
        at,
        decision,
        read_record(GraderPair, between, "two graders that differed") if between else None,
    )


def _dump_state(state: State) -> str | None:
    if state is None:
        return None
    plain = state if isinstance(state, bool) else asdict(state)
    return json.dumps(plain, ensure_ascii=False)


def _read_state(kind: str, text: str | None) -> State:
    if not text:
        return None
    what = f"what an action on a {kind} found or left"
    match kind:
        case ActionKind.EDIT:
            versions = read_object(text, what)
            questions, golds = versions.get("questions"), versions.get("golds")
            return Versions(check_list(questions, int, what), check_list(golds, int, what))
        case ActionKind.REVIEW:
            return read_record(Review, text, what)
        case ActionKind.TAG:
            return read_record(TagRecord, text, what)
        case ActionKind.NOTE:
            return read_record(NoteRecord, text, what)
        case ActionKind.UNDO if text != "true":
            return UndoneActions(check_list(read_object(text, what).get("actions"), int, what))
        case ActionKind.FLAG | ActionKind.UNDO:
            truth = read_json(text, what)
            if not isinstance(truth, bool):
                raise unreadable(what, text)
            return truth
        case _:
            return read_record(LabelRecord, text, what)


STORED = (StoredValues("action", _COLUMNS, _action),)
