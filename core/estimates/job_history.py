"""What earlier jobs of a file used, so that estimates need not guess."""

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

import db.job_rows
from core.errors import LostkeysError
from core.sampling.recipe import default_tasks
from core.sampling.sample_requests import stage_of
from core.vocabulary import Task
from db.job_rows import JobSpend, StoredJob

ENOUGH = 20
"""Answers before a mean says anything."""


@dataclass(frozen=True, slots=True)
class StageUsage:
    """What one stage has used of one model so far; `seconds` while it worked.

    `tasks` are those that were asked, empty for a stage that grades.
    """

    requests: int
    answers: int
    input_tokens: int
    output_tokens: int
    seconds: float
    tasks: tuple[Task, ...] = ()

    @property
    def input_each(self) -> float:
        """Tokens in of a request."""
        return self.input_tokens / self.requests if self.requests else 0.0

    @property
    def output_each(self) -> float:
        """Tokens out of an answer, thoughts included."""
        return self.output_tokens / self.answers

    @property
    def requests_each(self) -> float:
        """Requests that an answer takes."""
        return self.requests / self.answers

    @property
    def rate(self) -> float | None:
        """Answers a second."""
        return self.answers / self.seconds if self.seconds > 0 else None


class History:
    """The spending of all jobs of a file, newest first; read once."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        spent = db.job_rows.read_spends(connection)
        self._jobs = [
            (job, spent[job.id]) for job in db.job_rows.list_jobs(connection) if job.id in spent
        ]

    def find_answering(self, model: str, thinking: bool, mode: str = "") -> StageUsage | None:
        """What the newest job that counts used for answers of a model in one setting or mode."""
        return self._find_newest(model, stage_of(thinking, mode), None if mode else thinking)

    def find_grading(self, model: str, stage: str) -> StageUsage | None:
        """What the newest job that counts used for gradings by a model in a stage."""
        return self._find_newest(model, stage, None)

    def find_scoring(self, model: str, test: str) -> StageUsage | None:
        """What the newest job that counts used for scores of a model in a test."""
        return self._find_newest(model, test, None, exact=True)

    def find_building(self, model: str, stage: str) -> StageUsage | None:
        """What the newest job that counts used for a stage of building."""
        return self._find_newest(model, stage, None, exact=True)

    def _find_newest(
        self, model: str, stage: str, thinking: bool | None, exact: bool = False
    ) -> StageUsage | None:
        for job, spends in self._jobs:
            mine = [one for one in spends if one.model == model and one.stage.startswith(stage)]
            found = [one for one in mine if not exact or one.stage == stage]
            if sum(one.answers for one in found) >= ENOUGH:
                return _add_spends(found, () if thinking is None else _tasks(job, thinking))
        return None


def _add_spends(spends: Iterable[JobSpend], tasks: tuple[Task, ...]) -> StageUsage:
    rows = list(spends)
    return StageUsage(
        requests=sum(one.requests for one in rows),
        answers=sum(one.answers for one in rows),
        input_tokens=sum(one.input_tokens for one in rows),
        output_tokens=sum(one.output_tokens for one in rows),
        seconds=sum(one.seconds for one in rows),
        tasks=tasks,
    )


def _tasks(job: StoredJob, thinking: bool) -> tuple[Task, ...]:
    """The tasks that a job asked in a setting, as far as its spec says."""
    from core.specs.answer_specs import AnsweringSpec
    from core.specs.stored_specs import from_json

    try:
        spec = from_json(job.spec)
    except LostkeysError:
        return default_tasks(thinking)
    named = spec.tasks if isinstance(spec, AnsweringSpec) else None
    return named or default_tasks(thinking)
