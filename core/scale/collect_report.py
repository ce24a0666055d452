"""How a plan stands: what of it is here, what was refused, and what is to be asked again."""

from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

import numpy as np

import db.question_rows
from core.errors import LostkeysError
from core.project import OpenProject
from core.providers.endpoints import Endpoint
from core.sampling.missing_slots import Cell
from core.sampling.sample_requests import stage_of
from core.scale.answer_sink import AnswerSink, Flags
from core.scale.collector import LineCounts, make_request
from core.scale.plan_index import FAILED, PlanIndex, PlannedRequest, read_request
from core.scale.plan_manifest import PlanFolder
from core.scale.plan_questions import PlanQuestions
from core.scale.request_line import URLS, write_line
from core.scale.request_planner import RequestFormat, split_runs
from db.slot_ids import SAMPLE_BITS, SETTING_BITS

REQUESTS_AT_ONCE = 2_000
PLACES_AT_ONCE = 50_000
"""Requests of which only numbers are looked at."""


@dataclass(slots=True)
class PlanProgress:
    """A plan in numbers, as it stands. Requests of which not all answers are here count once.

    `refused`: they are not asked again. `unread`: requests for labels whose replies could not be
    read. `outdated`: their question was edited. `absent`: it is not in this database. `retry`:
    requests that are to be asked again. `things`: what is here; of labels there is one for each
    different answer.
    """

    things: str = "answers"
    requests: int = 0
    answers: int = 0
    here: int = 0
    refused: int = 0
    failed: int = 0
    short: int = 0
    missing: int = 0
    unread: int = 0
    outdated: int = 0
    absent: int = 0
    retry: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    by_stage: dict[str, "StageProgress"] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        """Whether nothing is to be asked again."""
        return not (self.failed or self.unread or self.short or self.missing)

    @property
    def is_here(self) -> bool:
        """Whether all is here or refused: what is outdated or absent is not."""
        return self.complete and not (self.outdated or self.absent)


@dataclass(slots=True)
class StageProgress:
    """What one stage of a job asks for: here, refused, lost on the way, and out still.

    `lost`: of requests of which anything came, `out`: of those of which nothing did.
    """

    here: int = 0
    refused: int = 0
    lost: int = 0
    out: int = 0


def as_json(counts: LineCounts, found: PlanProgress) -> dict[str, object]:
    """The report of `collect --json`."""
    return {
        "requests": found.requests,
        "answers": found.answers,
        "taken": counts.taken,
        "here": found.here,
        "lines": counts.lines,
        "extra": counts.extra,
        "duplicate": counts.duplicate,
        "stale": counts.stale,
        "unknown": counts.unknown,
        "elsewhere": counts.elsewhere,
        "malformed": counts.malformed,
        "refused": found.refused,
        "failed": found.failed,
        "short": found.short,
        "missing": found.missing,
        "unread": found.unread,
        "outdated": found.outdated,
        "absent": found.absent,
        "reasons": dict(found.reasons),
        "retry": found.retry,
    }


class PlanReport:
    """Looks through a plan to its end, and writes what is to be asked again."""

    def __init__(
        self,
        project: OpenProject,
        index: PlanIndex,
        questions: PlanQuestions,
        sink: AnswerSink,
        written: RequestFormat,
    ) -> None:
        self._connection, self._index, self._questions = project.connection, index, questions
        self._sink, self._written = sink, written
        self._found = PlanProgress()

    def write(self) -> PlanProgress:
        """How the plan stands; the retry files are new then."""
        open_ = self._look_all()
        with RetryFiles(self._index.plan) as retry:
            for lines in self._index.lines(open_):
                for start in range(0, len(lines), REQUESTS_AT_ONCE):
                    self._look_open(lines[start : start + REQUESTS_AT_ONCE], retry)
            self._found.retry = retry.requests
        return self._found

    def _look_all(self) -> Flags:
        """Count what is here; gives which requests are not all here, by place."""
        found, index = self._found, self._index
        found.requests = index.marks.size
        open_ = np.zeros(index.marks.size, np.bool_)
        thinking = np.array([one.thinking for one in index.kinds], np.bool_)
        for start in range(0, open_.size, PLACES_AT_ONCE):
            places = np.arange(start, min(start + PLACES_AT_ONCE, open_.size))
            runs = self._questions.runs(index, places)
            there = runs.firsts >= 0
            found.answers += int(runs.counts.sum())
            found.absent += int((~there).sum())
            on = thinking[index.kinds_at(places)]
            places, runs = places[there], runs.select(there)
            here = runs.count(self._sink.is_here(runs.slots()))
            found.here += int(here.sum())
            open_[places] = here < runs.counts
            for setting in np.unique(on).tolist():
                standing = found.by_stage.setdefault(stage_of(setting), StageProgress())
                standing.here += int(here[on[there] == setting].sum())
        return open_

    def _look_open(self, lines: Sequence[tuple[bytes, int]], retry: "RetryFiles") -> None:
        """Requests of which not all is here, with their places."""
        requests = [(read_request(line), place) for line, place in lines]
        slots = [self._questions.slots(one.name) for one, _ in requests]
        every = np.array([key for mine in slots for key in mine], np.int64)
        here = set(every[self._sink.is_here(every)].tolist())
        refusals = self._sink.refusals([key for key in every.tolist() if key not in here])
        keys = {mine[0] >> (SAMPLE_BITS + SETTING_BITS) for mine in slots}
        current = db.question_rows.read_current(self._connection, keys)
        for (request, place), mine in zip(requests, slots, strict=True):
            filled = [key in here for key in mine]
            left = [key for key in mine if key not in here]
            standing = self._found.by_stage[stage_of(request.name.thinking)]
            question = current.get(mine[0] >> (SAMPLE_BITS + SETTING_BITS))
            reason = next((refusals[key] for key in left if key in refusals), None)
            if reason is not None:
                self._found.refused += 1
                self._found.reasons[reason] += 1
                standing.refused += len(left)
            elif question is None or not self._is_asked(request, question):
                self._found.outdated += 1
            else:
                failed = bool(self._index.marks[place] & FAILED)
                self._count_lost(standing, failed, any(filled), len(left))
                pairs = zip(request.name.samples, filled, strict=True)
                retry.add(request, [sample for sample, one in pairs if not one])

    def _count_lost(self, standing: StageProgress, failed: bool, begun: bool, left: int) -> None:
        """Count a request of which `left` answers are lost; `begun`: others are here."""
        if failed:
            self._found.failed += 1
        elif begun:
            self._found.short += 1
        else:
            self._found.missing += 1
        if failed or begun:
            standing.lost += left
        else:
            standing.out += left

    def _is_asked(self, request: PlannedRequest, question: db.question_rows.StoredQuestion) -> bool:
        """Whether the question still asks what the request does."""
        name = request.name
        cell = Cell(question, self._questions.settings[name.thinking], name.thinking, ())
        return make_request(self._written, cell, name) is not None


class RetryFiles:
    """The requests that are to be asked again, put in the plan's folder when all are known."""

    def __init__(self, plan: PlanFolder) -> None:
        self._plan, self.requests = plan, 0
        self._stack = ExitStack()
        self._files: dict[str, BinaryIO] = {}

    def __enter__(self) -> "RetryFiles":
        try:
            for endpoint, url in URLS.items():
                self._files[url] = self._stack.enter_context(self._draft(endpoint).open("wb"))
        except OSError as error:
            self._drop()
            raise self._fault(error) from None
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            sizes = {url: file.tell() for url, file in self._files.items()}
            self._stack.close()
            for endpoint, url in URLS.items():
                if kind is None and sizes[url]:
                    self._draft(endpoint).replace(self._place(endpoint))
                elif kind is None:
                    self._place(endpoint).unlink(missing_ok=True)
        except OSError as error:
            raise self._fault(error) from None
        finally:
            self._drop()

    def add(self, request: PlannedRequest, samples: Sequence[int]) -> None:
        """Ask for these samples of a request again."""
        step = request.name.samples.step
        for run in split_runs(samples, step):
            name, body = request.part(run[0], len(run))
            self.add_line(request.url, write_line(name.head, request.url, body))

    def add_line(self, url: str, line: bytes) -> None:
        """Ask a request again, or for the first time."""
        try:
            self._files[url].write(line)
        except OSError as error:
            raise self._fault(error) from None
        self.requests += 1

    def _place(self, endpoint: Endpoint) -> Path:
        return self._plan.path / retry_name(endpoint)

    def _draft(self, endpoint: Endpoint) -> Path:
        return self._plan.path / f".{retry_name(endpoint)}.part"

    def _drop(self) -> None:
        with suppress(OSError):
            self._stack.close()
        for endpoint in URLS:
            with suppress(OSError):
                self._draft(endpoint).unlink(missing_ok=True)

    def _fault(self, error: OSError) -> LostkeysError:
        return LostkeysError(
            f"{self._plan.path}: retry files cannot be written ({error.strerror or error}): make "
            "room and collect again; what was taken is kept"
        )


def retry_name(endpoint: Endpoint) -> str:
    """What the file is called with the requests to an endpoint that are to be asked again."""
    return f"retry.{endpoint}.jsonl"
