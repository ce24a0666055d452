"""How a plan stands: what of it is here, what was refused, and what is to be asked again."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

import db.facts
from core.errors import LostkeysError
from core.project import Project
from core.providers.endpoints import Endpoint
from core.sampling.missing_slots import Cell
from core.scale.answer_sink import AnswerSink
from core.scale.collector import LineCounts, make_request
from core.scale.manifest import PlanFolder
from core.scale.plan_index import FAILED, PlanIndex, PlannedRequest, read_request
from core.scale.plan_questions import PlanQuestions
from core.scale.request_line import URLS, name_in, parse_name, write_line
from core.scale.request_planner import Writing, runs
from db.slots import SAMPLE_BITS, SETTING_BITS

REQUESTS_AT_ONCE = 2_000


@dataclass(slots=True)
class PlanStanding:
    """A plan in numbers, as it stands. Requests of which not all answers are here count once.

    `refused`: they are not asked again. `outdated`: their question was edited or is gone. `lost`
    has answers by setting that are neither here nor refused, of requests of which anything came,
    `silent` those of requests of which nothing did. `retry`: requests that are to be asked again.
    """

    requests: int = 0
    answers: int = 0
    here: int = 0
    refused: int = 0
    failed: int = 0
    short: int = 0
    missing: int = 0
    outdated: int = 0
    retry: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    by_setting: dict[bool, "SettingStanding"] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        """Whether all is here or refused."""
        return not (self.failed or self.short or self.missing)


@dataclass(slots=True)
class SettingStanding:
    """Answers of one setting: here, refused, lost on the way, and out still."""

    here: int = 0
    refused: int = 0
    lost: int = 0
    out: int = 0


def as_json(counts: LineCounts, found: PlanStanding) -> dict[str, object]:
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
        "malformed": counts.malformed,
        "refused": found.refused,
        "failed": found.failed,
        "short": found.short,
        "missing": found.missing,
        "outdated": found.outdated,
        "reasons": dict(found.reasons),
        "retry": found.retry,
    }


class PlanReport:
    """Looks through a plan to its end, and writes what is to be asked again."""

    def __init__(
        self,
        project: Project,
        index: PlanIndex,
        questions: PlanQuestions,
        sink: AnswerSink,
        written: Writing,
    ) -> None:
        self._connection, self._index, self._questions = project.connection, index, questions
        self._sink, self._written = sink, written
        self._found = PlanStanding()

    def write(self) -> PlanStanding:
        """How the plan stands; the retry files are new then."""
        with RetryFiles(self._index.plan) as retry:
            for lines in self._blocks():
                self._look(lines, retry)
            self._found.retry = retry.requests
        return self._found

    def _blocks(self) -> Iterator[list[bytes]]:
        for _, lines in self._index.lines():
            rest = iter(lines)
            while block := list(islice(rest, REQUESTS_AT_ONCE)):
                yield block

    def _look(self, lines: Sequence[bytes], retry: "RetryFiles") -> None:
        names = [parse_name(name_in(line).decode()) for line in lines]
        known = [(line, name) for line, name in zip(lines, names, strict=True) if name is not None]
        found = self._found
        found.requests += len(known)
        for _, name in known:
            found.answers += name.count
            found.by_setting.setdefault(name.thinking, SettingStanding())
        there = [(line, name) for line, name in known if self._questions.has(name)]
        found.outdated += len(known) - len(there)
        if not there:
            return
        slots = [self._questions.slots(name) for _, name in there]
        here = self._sink.is_here(np.array([key for one in slots for key in one], np.int64))
        start, open_ = 0, []
        for (line, name), mine in zip(there, slots, strict=True):
            filled = here[start : start + len(mine)]
            start += len(mine)
            count = int(filled.sum())
            found.here += count
            found.by_setting[name.thinking].here += count
            if count < len(mine):
                open_.append((line, mine, filled))
        if open_:
            self._look_open(open_, retry)

    def _look_open(
        self,
        found: Sequence[tuple[bytes, range, npt.NDArray[np.bool_]]],
        retry: "RetryFiles",
    ) -> None:
        """Requests of which not all is here."""
        refusals = self._sink.refusals([key for _, slots, _ in found for key in slots])
        keys = {slots[0] >> (SAMPLE_BITS + SETTING_BITS) for _, slots, _ in found}
        current = db.facts.current(self._connection, keys)
        places = self._index.find([read_request(line).name for line, _, _ in found])
        for (line, slots, filled), place in zip(found, places.tolist(), strict=True):
            request = read_request(line)
            left = [key for key, one in zip(slots, filled.tolist(), strict=True) if not one]
            standing = self._found.by_setting[request.name.thinking]
            question = current.get(slots[0] >> (SAMPLE_BITS + SETTING_BITS))
            reason = next((refusals[key] for key in left if key in refusals), None)
            if reason is not None:
                self._found.refused += 1
                self._found.reasons[reason] += 1
                standing.refused += len(left)
            elif question is None or not self._is_asked(request, question):
                self._found.outdated += 1
            else:
                self._count_lost(standing, bool(self._index.marks[place] & FAILED), filled)
                retry.add(
                    request,
                    [
                        sample
                        for sample, one in zip(request.name.samples, filled.tolist(), strict=True)
                        if not one
                    ],
                )

    def _count_lost(
        self, standing: SettingStanding, failed: bool, filled: npt.NDArray[np.bool_]
    ) -> None:
        left = int((~filled).sum())
        if failed:
            self._found.failed += 1
        elif filled.any():
            self._found.short += 1
        else:
            self._found.missing += 1
        if failed or filled.any():
            standing.lost += left
        else:
            standing.out += left

    def _is_asked(self, request: PlannedRequest, question: db.facts.StoredQuestion) -> bool:
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
        for run in runs(samples, step):
            name, body = request.part(run[0], len(run))
            try:
                self._files[request.url].write(write_line(name.head, request.url, body))
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
