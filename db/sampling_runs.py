"""Sampling runs: which questions each asked, and whether all of it has been drawn."""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from core.vocabulary import TASKS, Task
from db.slot_ids import MAX_SAMPLE
from db.stored_values import StoredValues, check_list, read_json, read_member, unreadable

Ids = npt.NDArray[np.int64]
Ranges = tuple[tuple[int, int], ...]
"""Ids in ascending order, as the first and the last of each row of neighbours: those of 50,000
facts that were imported together take ten bytes."""

MOST_ID = 1 << 62


class RunQuestions(NamedTuple):
    """Questions that a run asks: these tasks of these facts, each of which had them then."""

    tasks: tuple[Task, ...]
    facts: Ranges


class Run(NamedTuple):
    """What a run was asked for.

    One that is open may still be drawing, or has been stopped. `asked` names the questions that
    were there when it began: of what has come later it says nothing. `curtailed` is the policy of
    a run that draws no more than its verdicts need (as JSON), None for one that draws everything.
    """

    setting: int
    asked: tuple[RunQuestions, ...]
    samples: int
    curtailed: str | None = None

    def tasks_of(self, fact: int) -> tuple[Task, ...]:
        """The tasks that the run asks of a fact (its id)."""
        return tuple(
            task
            for part in self.asked
            if any(first <= fact <= last for first, last in part.facts)
            for task in part.tasks
        )


def join_ids(ids: Ids) -> Ranges:
    """Ids (ascending, each once) as ranges."""
    return _join_ranges(ids, ids)


def _join_ranges(firsts: Ids, lasts: Ids) -> Ranges:
    """Ranges (ascending), those that follow each other as one."""
    if not firsts.size:
        return ()
    breaks = np.flatnonzero(firsts[1:] - lasts[:-1] != 1)
    starts, ends = firsts[np.append(0, breaks + 1)], lasts[np.append(breaks, lasts.size - 1)]
    return tuple(zip(starts.tolist(), ends.tolist(), strict=True))


def find_ids(facts: Ranges, ids: Ids) -> npt.NDArray[np.bool_]:
    """Which of these ids (ascending) lie in the ranges, shape (ids,)."""
    bounds = np.array(facts, np.int64).reshape(-1, 2)
    steps = np.zeros(ids.size + 1, np.int64)
    np.add.at(steps, np.searchsorted(ids, bounds[:, 0]), 1)
    np.add.at(steps, np.searchsorted(ids, bounds[:, 1], "right"), -1)
    found: npt.NDArray[np.bool_] = np.cumsum(steps[:-1]) > 0
    return found


def asked_text(asked: Iterable[RunQuestions]) -> str:
    """Questions as they are stored with a run."""
    return json.dumps([[part.tasks, part.facts] for part in asked], separators=(",", ":"))


def start(
    connection: sqlite3.Connection,
    setting: int,
    asked: Sequence[RunQuestions],
    samples: int,
    job: int | None = None,
    curtailed: str | None = None,
) -> int:
    """Open a run, or take up an unfinished one that asked for the same. Inside a transaction."""
    wanted = (setting, asked_text(asked), samples, curtailed)
    row = connection.execute(
        "SELECT id FROM run WHERE setting = ? AND asked = ? AND samples = ? "
        "AND curtailed IS ? AND NOT done",
        wanted,
    ).fetchone()
    if row:
        connection.execute("UPDATE run SET job = coalesce(?, job) WHERE id = ?", (job, row[0]))
        return int(row[0])
    # The newest run counts: a clock that was set back makes none older than those before it. Each
    # has a time of its own, by which it is known in files.
    cursor = connection.execute(
        "INSERT INTO run (setting, asked, samples, curtailed, job, at) VALUES (?, ?, ?, ?, ?, "
        "max(strftime('%Y-%m-%d %H:%M:%f'), (SELECT coalesce("
        "strftime('%Y-%m-%d %H:%M:%f', max(at), '+0.001 seconds'), max(at), '') FROM run)))",
        (*wanted, job),
    )
    return int(cursor.lastrowid or 0)


def find_job_runs(connection: sqlite3.Connection, job: int) -> dict[int, int]:
    """The runs of a job by their settings."""
    return dict(connection.execute("SELECT setting, id FROM run WHERE job = ? ORDER BY id", (job,)))


def finish(connection: sqlite3.Connection, run: int) -> None:
    """Mark a run as finished. Inside a transaction."""
    connection.execute("UPDATE run SET done = 1 WHERE id = ?", (run,))


def find_unfinished(connection: sqlite3.Connection) -> list[Run]:
    """Runs that have not drawn all they were asked for, oldest first."""
    return _read_runs(connection, "NOT done")


def find_open_or_curtailed(connection: sqlite3.Connection) -> Iterator[tuple[int, Run, str, bool]]:
    """Runs without which gaps between answers would mean something else, oldest first.

    Each after its id, with the time at which it began (UTC, as stored) and whether it is finished.
    """
    rows = connection.execute(
        f"SELECT id, at, done, {_RUNS} FROM run WHERE NOT done OR curtailed IS NOT NULL "
        "ORDER BY at, id"
    )
    for key, at, done, *columns in rows.fetchall():
        yield key, _run(*columns), at, bool(done)


def find_curtailed(connection: sqlite3.Connection) -> list[Run]:
    """Runs that draw no more than their verdicts need, finished or not, oldest first."""
    return _read_runs(connection, "curtailed IS NOT NULL")


def _read_runs(connection: sqlite3.Connection, condition: str) -> list[Run]:
    rows = connection.execute(f"SELECT {_RUNS} FROM run WHERE {condition} ORDER BY at, id")
    return [_run(*row) for row in rows]


def read_asked(text: str) -> tuple[RunQuestions, ...]:
    """The questions stored with a run. Raises `StoredValueError` for what is none."""
    stored = read_json(text, _ASKED)
    try:
        return tuple(
            RunQuestions(
                tuple(read_member(Task, task, "task") for task in check_list(tasks, str, _ASKED)),
                _read_ranges(facts),
            )
            for tasks, facts in check_list(stored, list, _ASKED)
        )
    except (TypeError, ValueError):
        raise unreadable(_ASKED, text) from None


def _read_ranges(facts: object) -> Ranges:
    pairs = tuple((first, last) for first, last in check_list(facts, list, _ASKED))
    ends = check_list([0, *(end for pair in pairs for end in pair)], int, _ASKED)
    is_ordered = all(
        before < first <= last <= MOST_ID
        for before, first, last in zip(ends[::2], ends[1::2], ends[2::2], strict=False)
    )
    if not is_ordered:
        raise unreadable(_ASKED, facts)
    return pairs


def _run(setting: int, asked: str, samples: int, policy: str | None) -> Run:
    if not 0 < samples <= MAX_SAMPLE + 1:
        raise unreadable("the samples of a run", samples)
    return Run(setting, read_asked(asked), samples, policy)


def take_over(connection: sqlite3.Connection) -> None:
    """Add runs of `other` that are unfinished or were curtailed. In a transaction.

    Needs `fact_of`, `question_of` and `setting_of`. Asked are those of their questions whose
    responses and labels come along.
    """
    pairs = connection.execute("SELECT theirs, ours FROM fact_of ORDER BY theirs").fetchall()
    theirs, ours = np.array(pairs, np.int64).reshape(-1, 2).T
    apart: dict[str, list[int]] = {}
    for task, fact in connection.execute(
        "SELECT task, fact FROM other.question WHERE current "
        "AND id NOT IN (SELECT theirs FROM question_of WHERE graded)"
    ):
        apart.setdefault(task, []).append(fact)
    for setting, asked, samples, policy, at, done in connection.execute(
        "SELECT ours, asked, samples, curtailed, at, done FROM other.run "
        "JOIN setting_of ON theirs = setting WHERE curtailed IS NOT NULL OR NOT done "
        "ORDER BY at, id"
    ).fetchall():
        moved = [
            one for part in read_asked(asked) for one in _move_asked(part, theirs, ours, apart)
        ]
        add(connection, Run(setting, tuple(moved), samples, policy), at, bool(done))


def _move_asked(
    part: RunQuestions, theirs: Ids, ours: Ids, apart: dict[str, list[int]]
) -> list[RunQuestions]:
    """Questions by our ids, without those apart, by the tasks that are left of each fact."""
    chosen = find_ids(part.facts, theirs)
    if sum(last - first + 1 for first, last in part.facts) != np.count_nonzero(chosen):
        raise unreadable(_ASKED, asked_text([part]))
    left = np.array([~np.isin(theirs[chosen], apart.get(task, [])) for task in part.tasks])
    return group_asked(part.tasks, ours[chosen], left.T)


def add(connection: sqlite3.Connection, run: Run, at: str, done: bool) -> tuple[RunQuestions, ...]:
    """Add a run that began elsewhere, or what is new in one that is here. In a transaction.

    A run is known by its setting, samples, policy and time. It is finished where it is so here or
    there. Gives the questions of which that says anything new.
    """
    rows = connection.execute(
        "SELECT id, asked, done FROM main.run WHERE setting = ? AND samples = ? "
        "AND curtailed IS ? AND at = ? ORDER BY id",
        (run.setting, run.samples, run.curtailed, at),
    ).fetchall()
    if not rows:
        connection.execute(
            "INSERT INTO main.run (setting, asked, samples, curtailed, at, done) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            (run.setting, asked_text(run.asked), run.samples, run.curtailed, at, done),
        )
        return run.asked
    known = [part for _, asked, _ in rows for part in read_asked(asked)]
    parts = _Stretches([*known, *run.asked])
    here, there = parts.mark(known), parts.mark(run.asked)
    ids = [key for key, *_ in rows]
    if (there & ~here).any():
        asked = asked_text(parts.group(here | there))
        connection.execute("UPDATE main.run SET asked = ? WHERE id = ?", (asked, ids[0]))
    if done and not any(is_done for *_, is_done in rows):
        connection.executemany("UPDATE main.run SET done = 1 WHERE id = ?", [(key,) for key in ids])
        return run.asked
    return tuple(parts.group(there & ~here))


class _Stretches:
    """Stretches of ids between the ends of the ranges of some questions."""

    def __init__(self, parts: Iterable[RunQuestions]) -> None:
        ends = {end for part in parts for first, last in part.facts for end in (first, last + 1)}
        bounds = np.array(sorted(ends), np.int64)
        self._firsts, self._lasts = bounds[:-1], bounds[1:] - 1

    def mark(self, parts: Iterable[RunQuestions]) -> npt.NDArray[np.bool_]:
        """Which tasks are asked in each stretch, shape (stretches, tasks)."""
        found = np.zeros((self._firsts.size, len(TASKS)), np.bool_)
        for part in parts:
            places = np.array([TASKS.index(task) for task in part.tasks], np.intp)
            found[np.ix_(find_ids(part.facts, self._firsts), places)] = True
        return found

    def group(self, there: npt.NDArray[np.bool_]) -> list[RunQuestions]:
        """Questions grouped by the tasks that stretches share."""
        return _group_ranges(TASKS, self._firsts, self._lasts, there)


def group_asked(
    tasks: Sequence[Task], ids: Ids, there: npt.NDArray[np.bool_]
) -> list[RunQuestions]:
    """Questions grouped by the tasks that facts share; `there` has shape (facts, tasks)."""
    order = np.argsort(ids, kind="stable")
    return _group_ranges(tasks, ids[order], ids[order], there[order])


def _group_ranges(
    tasks: Sequence[Task], firsts: Ids, lasts: Ids, there: npt.NDArray[np.bool_]
) -> list[RunQuestions]:
    keys = there @ (1 << np.arange(len(tasks)))
    return [
        RunQuestions(
            tuple(task for place, task in enumerate(tasks) if key >> place & 1),
            _join_ranges(firsts[keys == key], lasts[keys == key]),
        )
        for key in np.unique(keys).tolist()
        if key
    ]


_ASKED = "questions of a run"
_RUNS = "setting, asked, samples, curtailed"
STORED = (StoredValues("run", _RUNS, _run),)
