"""Runs and the questions that each asked, between rows and the database.

What a curtailed run left undrawn is decided, what a run has still to draw is not: without its runs
a project would read gaps between its answers otherwise.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

import db.facts
import db.model_rows
import db.sampling_runs
from core.errors import UsageError
from core.project import OpenProject
from core.scoring.curtailment import as_text, from_text
from core.scoring.policy import Policy
from core.specs.file_specs import ImportWords
from core.transfer.adjudications import format_time, time_of
from core.transfer.file_formats import RUN_COLUMNS, RUN_NEEDS, RUN_POLICY
from core.transfer.import_report import ImportReport
from core.transfer.response_keys import QuestionKeys, SettingKeys, truth_of
from core.transfer.row_source import RowSource
from core.transfer.row_values import RowError, quote, read_json, text, whole_number
from core.vocabulary import TASK_INDEX, TASKS, Task
from db.connection import write_transaction
from db.sampling_runs import Run
from db.slot_ids import MAX_SAMPLE

FactTasks = tuple[str, tuple[Task, ...]]
"""What a run asks of a fact."""

_HEAD = [name for name in RUN_COLUMNS if name not in ("fact_id", "tasks")]

SECONDS = len("2026-03-01T12:00:00")


def read_runs(
    project: OpenProject,
    places: Sequence[int],
    models: Collection[str] | None,
    only: Collection[int] | None = None,
) -> Iterator[dict[str, Any]]:
    """Open and curtailed runs of some models (None: all) as rows, one a run and fact.

    Facts are chosen by their places in the index.

    With `only`, of these runs (ids) alone, and of those the curtailed ones.
    """
    index = project.index
    names = db.model_rows.settings(project.connection)
    chosen = np.zeros(len(index), np.bool_)
    chosen[list(places)] = True
    for key, run, at, done in db.sampling_runs.find_open_or_curtailed(project.connection):
        model, thinking = names[run.setting]
        left_out = only is not None and (key not in only or run.curtailed is None)
        if left_out or (models is not None and model not in models):
            continue
        head = {
            "model": model,
            "thinking": thinking,
            "samples": run.samples,
            **_policy_values(run.curtailed),
            "at": f"{at.replace(' ', 'T')}Z",
            "done": done,
        }
        for part in run.asked:
            asked = chosen & db.sampling_runs.find_ids(part.facts, index.ids)
            for place in np.flatnonzero(asked).tolist():
                there = index.questions[place]
                tasks = [task.value for task in part.tasks if there[TASK_INDEX[task]]]
                if tasks:
                    yield {"fact_id": index.fact_ids[place], "tasks": tasks, **head}


def _policy_values(stored: str | None) -> dict[str, Any]:
    if stored is None:
        return dict.fromkeys(RUN_POLICY)
    policy = from_text(stored)
    values = (policy.tau, policy.strategy.value, policy.weight, list(policy.graders or ()))
    return dict(zip(RUN_POLICY, values, strict=True))


class _RunName(NamedTuple):
    """What a run is known by in a file, and whether it is finished."""

    model: str
    thinking: bool
    samples: int
    curtailed: str | None
    at: str
    done: bool


class RunRows:
    """Takes the rows of one file, batch by batch."""

    def __init__(
        self,
        project: OpenProject,
        source: RowSource | None,
        report: ImportReport,
        words: ImportWords | None = None,
    ) -> None:
        self._project = project
        self._connection = project.connection
        self._report = report
        self._questions = QuestionKeys(project.connection)
        self._head: tuple[str, _RunName] = "", _RunName("", False, 0, None, "", False)

    def land(self, rows: Iterable[tuple[int, dict[str, Any]]]) -> None:
        """Add what is new in these rows, in one transaction."""
        runs: dict[_RunName, list[FactTasks]] = {}
        for _, (name, fact) in self._report.parse_each(rows, self._parse):
            runs.setdefault(name, []).append(fact)
        with write_transaction(self._connection):
            settings = SettingKeys(self._connection, make=True)
            for name, asked in sorted(runs.items(), key=lambda one: one[0].at):
                self._add(name, settings[name.model, name.thinking], asked)

    def _parse(self, row: Mapping[str, Any]) -> tuple[_RunName, FactTasks]:
        missing = [key for key in RUN_NEEDS if _lacks(row, key)]
        if missing:
            raise RowError(f"missing: {', '.join(missing)}")
        head = repr([row.get(key) for key in _HEAD])
        if head != self._head[0]:  # rows of a run stand together
            self._head = head, _read_name(row)
        fact_id, tasks = text(row, "fact_id"), read_json(row["tasks"], "tasks")
        if not isinstance(tasks, list) or not tasks or not {str}.issuperset(map(type, tasks)):
            raise RowError(f"tasks is {quote(tasks)}, not a list of tasks")
        for task in tasks:
            self._questions[fact_id, task]  # raises for one that is not there
        return self._head[1], (fact_id, tuple(task for task in TASKS if task in tasks))

    def _add(self, name: _RunName, setting: int, asked: Sequence[FactTasks]) -> None:
        """Add the questions of a run, and count its rows. In a transaction."""
        ids = db.facts.find_ids(self._connection, {fact_id for fact_id, _ in asked})
        keys = np.unique(np.array(list(ids.values()), np.int64))
        there = np.zeros((keys.size, len(TASKS)), np.bool_)
        places = {int(key): place for place, key in enumerate(keys)}
        for fact_id, tasks in asked:
            there[places[ids[fact_id]], [TASK_INDEX[task] for task in tasks]] = True
        run = Run(
            setting,
            tuple(db.sampling_runs.group_asked(TASKS, keys, there)),
            name.samples,
            name.curtailed,
        )
        fresh = db.sampling_runs.add(self._connection, run, name.at, name.done)
        new = np.zeros_like(there)
        for part in fresh:
            columns = np.array([TASK_INDEX[task] for task in part.tasks], np.intp)
            new[np.ix_(db.sampling_runs.find_ids(part.facts, keys), columns)] = True
        for fact_id, tasks in asked:
            mine = [TASK_INDEX[task] for task in tasks]
            self._report.count(bool(new[places[ids[fact_id]], mine].any()))


def _read_name(row: Mapping[str, Any]) -> _RunName:
    """The run of a row. Raises `RowError`."""
    model, samples = text(row, "model"), whole_number(row, "samples", None, 1)
    if not model:
        raise RowError(f"model is {quote(row['model'])}, not a name")
    if samples > MAX_SAMPLE + 1:
        raise RowError(f"samples is {samples:,}: a question has {MAX_SAMPLE + 1:,} at most")
    return _RunName(
        model,
        truth_of(row["thinking"]),
        samples,
        _read_policy(row),
        _read_time(row["at"]),
        _lacks(row, "done") or truth_of(row["done"], "done"),
    )


def _lacks(row: Mapping[str, Any], key: str) -> bool:
    return row.get(key) in (None, "")


def _read_policy(row: Mapping[str, Any]) -> str | None:
    """The policy of a curtailed run as it is stored; None for a run that draws everything."""
    if all(_lacks(row, key) for key in RUN_POLICY):
        return None
    if missing := [key for key in RUN_POLICY if _lacks(row, key)]:
        raise RowError(f"missing: {', '.join(missing)}")
    graders = read_json(row["graders"], "graders")
    if not isinstance(graders, list):
        raise RowError(f"graders is {quote(graders)}, not a list of names")
    try:
        return as_text(
            Policy(
                _read_number(row, "tau"), row["strategy"], _read_number(row, "weight"), (*graders,)
            )
        )
    except UsageError as error:
        raise RowError(str(error)) from None


def _read_number(row: Mapping[str, Any], key: str) -> float:
    value = row[key]
    try:
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            return float(value)
    except (ValueError, OverflowError):
        pass
    raise RowError(f"{key} is {quote(value)}, not a number")


def _read_time(value: object) -> str:
    """A time as it is stored, to the millisecond where it says them. Raises `RowError`."""
    at = time_of(value)
    assert at is not None, "a row without a time is refused before"
    stored = format_time(at).replace("T", " ").removesuffix("Z")
    return stored if "." in str(value) else stored[:SECONDS]
