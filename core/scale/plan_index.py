"""The requests of a plan by their names, as few bytes each, and their lines where they are needed.

Of a name four bytes are kept: what is not a name of the plan may pass for one once in millions,
and is then refused by its check before anything of it is kept.
"""

from array import array
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import numpy.typing as npt
import orjson

from core.errors import LostkeysError
from core.scale.manifest import WHOLE, PlanFile, PlanFolder
from core.scale.request_line import RequestName, check_of, name_in, parse_name, write_body

LINES_AT_ONCE = 2**20
"""Bytes of lines that are read in one go, about."""

FAILED = 1
"""A mark of a request: an engine could not answer it."""

Places = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class PlannedRequest:
    """A request of the plan: its name, the address it asks, and its body."""

    name: RequestName
    url: str
    body: Mapping[str, Any]

    def part(self, first: int, count: int) -> tuple[RequestName, bytes]:
        """The same for some of its samples: the name, with its check, and the body."""
        body = write_body({**self.body, "n": count})
        name = replace(self.name, first=first, count=count, check=check_of(self.url, body))
        return name, body


@dataclass(slots=True)
class _FileIndex:
    """Where the lines of each fact begin in a file."""

    path: Path
    facts: "array[int]"
    offsets: "array[int]"

    def lines(self, fact: int) -> list[bytes]:
        """The lines of a fact."""
        place = bisect_left(self.facts, fact)
        if place == len(self.facts) or self.facts[place] != fact:
            return []
        start = self.offsets[place]
        end = self.offsets[place + 1] if place + 1 < len(self.offsets) else -1
        with self.path.open("rb") as file:
            file.seek(start)
            content = file.read(end - start if end >= 0 else -1)
        return content.splitlines()


class PlanIndex:
    """All requests of a plan, by fact. Reading it checks that no file was changed."""

    def __init__(self, plan: PlanFolder) -> None:
        """Raises `LostkeysError` for a file that is not as it was written."""
        self.plan = plan
        self._files: dict[str, list[_FileIndex]] = {}
        names: list[npt.NDArray[np.uint32]] = []
        counts = np.zeros(plan.manifest.facts + 1, np.int64)
        shards: dict[str, list[PlanFile]] = {}
        for one in plan.manifest.files:
            shards.setdefault(one.name.partition(".")[0], []).append(one)
        for files in shards.values():
            facts, crcs = array("I"), array("I")
            for one in files:
                self._read(one, facts, crcs)
            places = np.frombuffer(facts, np.uint32)
            if places.size and int(places.max()) >= plan.manifest.facts:
                raise LostkeysError(f"{plan.path}: a request is of no fact of the plan: {WHOLE}")
            order = np.argsort(places, kind="stable")
            names.append(np.frombuffer(crcs, np.uint32)[order])
            np.add.at(counts, places + 1, 1)
        self._names = np.concatenate(names) if names else np.zeros(0, np.uint32)
        self._starts = np.cumsum(counts)
        self._widest = int(counts.max(initial=0))
        self.marks = np.zeros(self._names.size, np.uint8)

    def _read(self, one: PlanFile, facts: "array[int]", crcs: "array[int]") -> None:
        path, summed = self.plan.file(one), sha256()
        index = _FileIndex(path, array("I"), array("Q"))
        last, offset = -1, 0
        try:
            with path.open("rb") as file:
                while lines := file.readlines(LINES_AT_ONCE):
                    summed.update(b"".join(lines))
                    for line in lines:
                        name = name_in(line)
                        try:
                            fact = int(name[1 : name.index(b"-")])
                        except ValueError:
                            raise LostkeysError(f"{path}: a line is no request: {WHOLE}") from None
                        facts.append(fact)
                        crcs.append(crc32(name))
                        if fact != last:
                            index.facts.append(fact)
                            index.offsets.append(offset)
                            last = fact
                        offset += len(line)
        except OSError as error:
            raise LostkeysError(f"{path}: {error.strerror}: {WHOLE}") from None
        if summed.hexdigest() != one.sha256:
            raise LostkeysError(f"{path} was changed since the plan was written: {WHOLE}")
        self._files.setdefault(one.name.partition(".")[0], []).append(index)

    def find(self, names: Sequence[RequestName], written: Sequence[str] = ()) -> Places:
        """The places of requests among all, -1 for what is none to the letter; shape (names,).

        `written`: the names as they stand in a file, where they do.
        """
        if not names:
            return np.zeros(0, np.int64)
        facts = np.array([one.fact for one in names], np.int64)
        texts = written or [str(one) for one in names]
        wanted = np.array([crc32(one.encode()) for one in texts], np.uint32)
        known = facts < self.plan.manifest.facts
        facts = np.where(known, facts, 0)
        places = self._starts[facts][:, None] + np.arange(self._widest)
        inside = (places < self._starts[facts + 1][:, None]) & known[:, None]
        hits = inside & (self._names[np.where(inside, places, 0)] == wanted[:, None])
        first = np.argmax(hits, axis=1)
        found = places[np.arange(len(names)), first]
        return np.where(hits[np.arange(len(names)), first], found, -1)

    def cover(self, name: RequestName) -> PlannedRequest | None:
        """The request of which a name asks some samples again; None where there is none."""
        if name.fact >= self.plan.manifest.facts:
            return None
        wanted = set(name.samples)
        for one in self._of_fact(name.fact):
            same = (one.name.task, one.name.thinking) == (name.task, name.thinking)
            if same and wanted <= set(one.name.samples):
                return one
        return None

    @lru_cache(64)  # noqa: B019 (it lives as long as one command)
    def _of_fact(self, fact: int) -> tuple[PlannedRequest, ...]:
        shard = fact * self.plan.manifest.shards // self.plan.manifest.facts
        files = self._files.get(f"part-{shard:05}", [])
        return tuple(read_request(line) for one in files for line in one.lines(fact))

    def lines(self) -> Iterator[tuple[PlanFile, list[bytes]]]:
        """All lines as they stand, some at a time, with the file that they are of."""
        for one in self.plan.manifest.files:
            with self.plan.file(one).open("rb") as file:
                while lines := file.readlines(LINES_AT_ONCE):
                    yield one, lines


def read_request(line: bytes) -> PlannedRequest:
    """The request in a line of a plan."""
    row = orjson.loads(line)
    name = parse_name(row["custom_id"])
    if name is None:
        raise LostkeysError(f"a line of the plan is no request: {WHOLE}")
    return PlannedRequest(name, row["url"], row["body"])
