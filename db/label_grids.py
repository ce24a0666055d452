"""Labels as dense grids in memory, kept up to date as they land.

A *plane* holds one byte per draw: plane 0 says which slots have a response (1) or none (0),
every other plane is a grader version (its id) and holds outcomes (0: not graded). Per plane and
setting there is one array of shape (samples, questions), indexed by sample and question id.

In the file a plane is a blob per setting, plus an ordered list of changes since. Whoever writes
responses or grades appends the change in the same transaction (`record`); whoever reads applies
the changes it has not seen (`catch_up`), its own and those of other processes alike; now and
then the changes are folded into the blobs (`fold`). Grades stay the truth: `rebuild` computes
the same grids from them.
"""

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from core.vocabulary import Outcome
from db.connection import read_transaction, write_transaction
from db.slot_ids import MAX_SAMPLE, MAX_SETTING, SAMPLE_BITS, SETTING_BITS
from db.sqlite_errors import StoredValueError
from db.stored_grids import StoredGrids, check_cells, read_cells
from db.stored_values import StoredValues, read_count

Cells = npt.NDArray[np.uint8]

DRAWN = 0
"""The plane that says which slots have a response."""

FOLD_AFTER_ENTRIES = 200_000
"""Reading this many pending entries takes a few milliseconds; more would slow down opening."""

FOLD_AFTER_CHANGES = 4_000
"""The same bound for many small changes, as sampling makes them."""


@dataclass(slots=True)
class LabelMatrix:
    """All planes, as of change number `seq`; those that are `stored` are read when asked for."""

    seq: int = 0
    questions: int = 1
    planes: dict[int, dict[int, Cells]] = field(default_factory=dict)
    stored: StoredGrids | None = None

    def read_stored(self) -> None:
        """Have all planes in memory."""
        if self.stored is not None:
            for plane, setting in list(self.stored.rows):
                self.cells(plane, setting)
            self.stored = None

    def cells(self, plane: int, setting: int) -> Cells | None:
        """Outcomes of one plane and setting, shape (samples, questions), or None."""
        cells = self.planes.get(plane, {}).get(setting)
        if cells is None and self.stored is not None:
            cells = self.stored.take(plane, setting)
            if cells is not None:
                self.planes.setdefault(plane, {})[setting] = cells
        if cells is not None and cells.shape[1] < self.questions:
            cells = _resize(cells, cells.shape[0], self.questions)
            self.planes[plane][setting] = cells
        return cells

    def at(self, plane: int, slots: npt.NDArray[np.int64]) -> Cells:
        """What a plane says of these slots, 0 where it says nothing."""
        each = slots.ravel()
        setting = ((each >> SAMPLE_BITS) & MAX_SETTING).astype(np.uint16)
        found = np.zeros(each.shape, np.uint8)
        for one in np.flatnonzero(np.bincount(setting)).tolist():
            cells = self.cells(plane, one)
            if cells is None:
                continue
            here = np.flatnonzero(setting == one)
            question, sample = each[here] >> (SAMPLE_BITS + SETTING_BITS), each[here] & MAX_SAMPLE
            known = (sample < cells.shape[0]) & (question < cells.shape[1])
            found[here[known]] = cells[sample[known], question[known]]
        return found.reshape(slots.shape)

    def count(self, plane: int) -> int:
        """How many slots the plane says anything of."""
        return sum(int(np.count_nonzero(cells)) for _, cells in self.list_cells(plane))

    def count_labels(self, plane: int) -> int:
        """How many slots the plane has one of the four labels of."""
        return sum(
            int(np.count_nonzero((cells > 0) & (cells <= Outcome.OTHER)))
            for _, cells in self.list_cells(plane)
        )

    def settings(self, plane: int = DRAWN) -> list[int]:
        """Ids of the settings with anything in the plane."""
        stored = self.stored
        return [
            one
            for one in self._list_held(plane)
            if (stored is not None and stored.starts(plane, one)) or self._has_any(plane, one)
        ]

    def list_cells(self, plane: int) -> Iterator[tuple[int, Cells]]:
        """Each setting (id) of a plane, and its cells."""
        for setting in self._list_held(plane):
            cells = self.cells(plane, setting)
            if cells is not None:
                yield setting, cells

    def _list_held(self, plane: int) -> list[int]:
        rows = () if self.stored is None else self.stored.rows
        return [*self.planes.get(plane, {}), *(one for of, one in rows if of == plane)]

    def _has_any(self, plane: int, setting: int) -> bool:
        cells = self.cells(plane, setting)
        return cells is not None and bool(cells.view(np.bool_).any())

    def select(self, setting: int, questions: Sequence[int]) -> "LabelMatrix":
        """One setting of these questions alone, as columns 0, 1, ..."""
        part = LabelMatrix(questions=len(questions))
        for plane in self.planes:
            cells = self.cells(plane, setting)
            if cells is not None:
                known = np.array([key if key < cells.shape[1] else 0 for key in questions], np.intp)
                part.planes[plane] = {setting: cells[:, known] * (known > 0)}
        return part

    def set(self, plane: int, slots: npt.NDArray[np.int64], outcomes: Cells) -> "GridChanges":
        """Put outcomes into their cells; gives what that touches."""
        question = slots >> (SAMPLE_BITS + SETTING_BITS)
        setting = (slots >> SAMPLE_BITS) & MAX_SETTING
        sample = slots & MAX_SAMPLE
        if slots.size:
            self.questions = max(self.questions, int(question.max()) + 1)
        touched = GridChanges(_distinct(setting), _distinct(question))
        for one in touched.settings:
            here = setting == one if len(touched.settings) > 1 else slice(None)
            cells = self._room(plane, one, int(sample[here].max()) + 1)
            cells[sample[here], question[here]] = outcomes[here]
        return touched

    def _room(self, plane: int, setting: int, samples: int) -> Cells:
        cells = self.cells(plane, setting)
        if cells is None:
            cells = np.zeros((samples, self.questions), np.uint8)
        elif cells.shape[0] < samples:
            cells = _resize(cells, samples, self.questions)
        elif not cells.flags.writeable:
            cells = cells.copy()
        self.planes.setdefault(plane, {})[setting] = cells
        return cells


@dataclass(slots=True)
class GridChanges:
    """Settings with other answers or grades than before, and questions with any (ids)."""

    settings: set[int] = field(default_factory=set)
    questions: set[int] = field(default_factory=set)

    def __bool__(self) -> bool:
        return bool(self.settings)

    def add(self, other: "GridChanges") -> None:
        """Take in what else was touched."""
        self.settings |= other.settings
        self.questions |= other.questions


def _distinct(ids: npt.NDArray[np.int64]) -> set[int]:
    """The different ones of many numbers that lie close together."""
    if not ids.size:
        return set()
    first = ids.min()
    return set((np.flatnonzero(np.bincount(ids - first)) + first).tolist())


def _resize(cells: Cells, samples: int, questions: int) -> Cells:
    room = np.zeros((samples, questions), np.uint8)
    room[: cells.shape[0], : cells.shape[1]] = cells
    return room


def load(connection: sqlite3.Connection) -> LabelMatrix:
    """Read all grids as they stand now, in one consistent view of the file."""
    with read_transaction(connection):
        grids = _load_folded(connection)
        _apply_changes(connection, grids)
    return grids


def open_grids(connection: sqlite3.Connection) -> LabelMatrix:
    """The same, with grids read when they are first asked for.

    That must be in the transaction that this is called in, or after `catch_up` in another.
    """
    with read_transaction(connection):
        stored = StoredGrids(connection)
        grids = LabelMatrix(_folded_seq(connection), _question_count(connection), stored=stored)
        grids.planes = {plane: {} for plane, _ in stored.rows}
        _apply_changes(connection, grids)
    return grids


def load_drawn(connection: sqlite3.Connection, settings: Collection[int]) -> LabelMatrix:
    """The plane of responses alone, of these settings (ids), as it stands now."""
    with read_transaction(connection):
        grids = LabelMatrix(seq=_folded_seq(connection), questions=_question_count(connection))
        for setting in settings:
            for samples, blob in connection.execute(
                "SELECT samples, cells FROM grid WHERE plane = ? AND setting = ?", (DRAWN, setting)
            ):
                grids.planes.setdefault(DRAWN, {})[setting] = read_cells(samples, blob)
        for seq, slots, outcomes in connection.execute(
            "SELECT seq, slots, outcomes FROM grid_change WHERE seq > ? AND plane = ? ORDER BY seq",
            (grids.seq, DRAWN),
        ):
            fresh, cells = _read_change(slots, outcomes)
            mine = np.isin((fresh >> SAMPLE_BITS) & MAX_SETTING, list(settings))
            grids.set(DRAWN, fresh[mine], cells[mine])
            grids.seq = seq
    return grids


def catch_up(connection: sqlite3.Connection, grids: LabelMatrix) -> GridChanges:
    """Apply what has landed since; gives what that touches.

    Cheap when nothing has: one look at the last change number.
    """
    if last_change(connection) == grids.seq:
        return GridChanges()
    with read_transaction(connection):
        if _folded_seq(connection) <= grids.seq:
            return _apply_changes(connection, grids)
        fresh = _load_folded(connection)
        _apply_changes(connection, fresh)
    settings = {setting for plane in fresh.planes.values() for setting in plane}
    grids.seq, grids.questions, grids.planes = fresh.seq, fresh.questions, fresh.planes
    grids.stored = None
    return GridChanges(settings, set(range(1, grids.questions)))


def record(
    connection: sqlite3.Connection,
    plane: int,
    slots: Sequence[int] | npt.NDArray[np.int64],
    outcomes: Iterable[int],
) -> None:
    """Append a change; to be called in the transaction that writes the responses or grades."""
    if len(slots):
        connection.execute(
            "INSERT INTO grid_change (plane, slots, outcomes) VALUES (?, ?, ?)",
            (plane, np.array(slots, "<i8").tobytes(), bytes(outcomes)),
        )


def fold_if_due(connection: sqlite3.Connection) -> None:
    """Fold the pending changes if reading them would slow down the next opening."""
    changes, entries = connection.execute(
        "SELECT count(*), coalesce(sum(length(outcomes)), 0) FROM grid_change"
    ).fetchone()
    if changes > FOLD_AFTER_CHANGES or entries > FOLD_AFTER_ENTRIES:
        fold(connection)


def fold(connection: sqlite3.Connection) -> None:
    """Write all pending changes into the blobs, in one transaction."""
    with write_transaction(connection):
        changed = {
            plane for (plane,) in connection.execute("SELECT DISTINCT plane FROM grid_change")
        }
        grids = _load_folded(connection)
        _apply_changes(connection, grids)
        for plane in changed:
            for setting, cells in grids.planes.get(plane, {}).items():
                _store(connection, plane, setting, cells)
        connection.execute("DELETE FROM grid_change")
        connection.execute(
            "INSERT OR REPLACE INTO project (name, value) VALUES ('grid_seq', ?)",
            (str(grids.seq),),
        )


def rebuild(connection: sqlite3.Connection) -> LabelMatrix:
    """The grids computed from the responses and grades themselves, for checks and repair."""
    grids = LabelMatrix()
    grids.questions = _question_count(connection)
    cursor = connection.execute("SELECT id, 0, 1 FROM response")
    while rows := cursor.fetchmany(100_000):
        _set_rows(grids, rows)
    cursor = connection.execute("SELECT response, grader, outcome FROM grade")
    while rows := cursor.fetchmany(100_000):
        _set_rows(grids, rows)
    return grids


def replace(connection: sqlite3.Connection, grids: LabelMatrix) -> None:
    """Store these grids instead of what is there (repair). Inside a transaction."""
    # An empty change: its number tells whoever holds the old grids to read them anew.
    connection.execute("INSERT INTO grid_change (plane, slots, outcomes) VALUES (0, x'', x'')")
    connection.execute("DELETE FROM grid_change")
    connection.execute("DELETE FROM grid")
    for plane, settings in grids.planes.items():
        for setting, cells in settings.items():
            _store(connection, plane, setting, cells)
    connection.execute(
        "INSERT OR REPLACE INTO project (name, value) VALUES ('grid_seq', ?)",
        (str(last_change(connection)),),
    )


def per_question(grids: LabelMatrix, plane: int = DRAWN) -> npt.NDArray[np.int64]:
    """How many slots of each question a plane says anything of, by question id."""
    counts = np.zeros(grids.questions, np.int64)
    for setting in grids.planes.get(plane, {}):
        cells = grids.cells(plane, setting)
        assert cells is not None
        counts += np.count_nonzero(cells, axis=0)
    return counts


def differ(one: LabelMatrix, other: LabelMatrix) -> bool:
    """Whether two sets of grids say different things about any slot."""
    keys = {
        (plane, setting) for g in (one, other) for plane in g.planes for setting in g.planes[plane]
    }
    return any(_list_labels(one, *key) != _list_labels(other, *key) for key in keys)


def _list_labels(grids: LabelMatrix, plane: int, setting: int) -> list[tuple[int, int, int]]:
    cells = grids.cells(plane, setting)
    if cells is None:
        return []
    samples, questions = np.nonzero(cells)
    return list(
        zip(samples.tolist(), questions.tolist(), cells[samples, questions].tolist(), strict=True)
    )


def _set_rows(grids: LabelMatrix, rows: list[tuple[int, int, int]]) -> None:
    table = np.array(rows, np.int64)
    for plane in np.unique(table[:, 1]):
        here = table[:, 1] == plane
        grids.set(int(plane), table[here, 0], table[here, 2].astype(np.uint8))


def _store(connection: sqlite3.Connection, plane: int, setting: int, cells: Cells) -> None:
    connection.execute(
        "INSERT OR REPLACE INTO grid (plane, setting, samples, cells) VALUES (?, ?, ?, ?)",
        (plane, setting, cells.shape[0], cells.tobytes()),
    )


def _load_folded(connection: sqlite3.Connection) -> LabelMatrix:
    grids = LabelMatrix(seq=_folded_seq(connection), questions=_question_count(connection))
    for plane, setting, samples, blob in connection.execute(
        "SELECT plane, setting, samples, cells FROM grid"
    ):
        grids.planes.setdefault(plane, {})[setting] = read_cells(samples, blob)
    return grids


def _apply_changes(connection: sqlite3.Connection, grids: LabelMatrix) -> GridChanges:
    touched = GridChanges()
    for seq, plane, slots, outcomes in connection.execute(
        "SELECT seq, plane, slots, outcomes FROM grid_change WHERE seq > ? ORDER BY seq",
        (grids.seq,),
    ):
        touched.add(grids.set(plane, *_read_change(slots, outcomes)))
        grids.seq = seq
    return touched


def _read_change(slots: bytes, outcomes: bytes) -> tuple[npt.NDArray[np.int64], Cells]:
    """The slots of a stored change, and what each is set to."""
    if len(slots) != 8 * len(outcomes):
        shown = f"{len(slots)} bytes of slots with {len(outcomes)} outcomes"
        raise StoredValueError("a change of the label grids", shown)
    fresh = np.frombuffer(slots, "<i8").astype(np.int64)
    cells = np.frombuffer(outcomes, np.uint8)
    check_cells(cells)
    return fresh, cells


def last_change(connection: sqlite3.Connection) -> int:
    """A number that is another one as soon as responses or grades have come or gone."""
    row = connection.execute(
        "SELECT seq FROM sqlite_sequence WHERE name = 'grid_change'"
    ).fetchone()
    return row[0] if row else 0


def _folded_seq(connection: sqlite3.Connection) -> int:
    row = connection.execute("SELECT value FROM project WHERE name = 'grid_seq'").fetchone()
    return _read_seq(row[0]) if row else 0


def _read_seq(text: str) -> int:
    return read_count(text, "the number of the last change in the label grids")


def _question_count(connection: sqlite3.Connection) -> int:
    newest: int = connection.execute("SELECT coalesce(max(id), 0) + 1 FROM question").fetchone()[0]
    return newest


STORED = (
    StoredValues("grid", "samples, cells", read_cells, key="rowid"),
    StoredValues("grid_change", "slots, outcomes", _read_change, key="seq"),
    StoredValues("project", "value", _read_seq, key="name", where="name = 'grid_seq'"),
)
"""All that is read of the grids; `lostkeys doctor --repair` makes it anew."""
