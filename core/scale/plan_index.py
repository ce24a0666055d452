"""The requests of a plan by their names, as few bytes each, and their lines where they are needed.

Of a name eight bytes are kept, its hash in this program: what is no name of the plan does not pass
for one.
"""

from array import array
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson

from core.errors import LostkeysError
from core.scale.manifest import WHOLE, PlanFile, PlanFolder
from core.scale.request_line import (
    CHECK_LENGTH,
    NAME_START,
    RequestName,
    check_of,
    name_in,
    parse_name,
    write_body,
)

LINES_AT_ONCE = 2**20
"""Bytes of lines that are read in one go, about."""

FAILED = 1
"""A mark of a request: an engine could not answer it."""

CHECK_END = CHECK_LENGTH + 1
"""Characters of a name from the dash before its check."""

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


class _Kinds(dict[str, int]):
    """Numbers of what names have between fact and check, in the order in which they came."""

    def __init__(self) -> None:
        self.names: list[RequestName] = []
        """One name of each, of no fact and without a check."""

    def __missing__(self, kind: str) -> int:
        name = parse_name(f"f0-{kind}-{'0' * CHECK_LENGTH}")
        if name is None:
            raise ValueError(kind)
        self.names.append(replace(name, check=""))
        self[kind] = len(self)
        return self[kind]


@dataclass(slots=True)
class _FileIndex:
    """Where the lines of each fact begin in a file."""

    path: Path
    facts: "array[int]"
    offsets: "array[int]"

    def add(self, facts: npt.NDArray[np.uint32], offsets: npt.NDArray[np.uint64]) -> None:
        """Add the lines that come next: of which fact each is, and where it begins."""
        before = self.facts[-1] if self.facts else -1
        first = np.flatnonzero(np.diff(facts.astype(np.int64), prepend=before))
        self.facts.frombytes(facts[first].tobytes())
        self.offsets.frombytes(offsets[first].tobytes())

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
        self._numbers = _Kinds()
        counts = np.zeros(plan.manifest.facts + 1, np.int64)
        names, kinds = list[npt.NDArray[np.int64]](), list[npt.NDArray[np.unsignedinteger]]()
        shards: dict[str, list[PlanFile]] = {}
        for one in plan.manifest.files:
            shards.setdefault(_shard(one), []).append(one)
        self._shards = dict[str, slice]()
        """The places of the requests of each shard."""
        before = 0
        for shard, files in shards.items():
            columns = array("I"), array("I"), array("q")
            for one in files:
                self._read(one, *columns)
            facts, numbers = (np.frombuffer(column, np.uint32) for column in columns[:2])
            sums = np.frombuffer(columns[2], np.int64)
            if facts.size and int(facts.max()) >= plan.manifest.facts:
                raise LostkeysError(f"{plan.path}: a request is of no fact of the plan: {WHOLE}")
            order = np.argsort(facts, kind="stable")
            names.append(sums[order])
            kinds.append(numbers[order].astype(np.min_scalar_type(len(self._numbers))))
            np.add.at(counts, facts + 1, 1)
            self._shards[shard] = slice(before, before := before + facts.size)
        unsorted = np.concatenate(names) if names else np.zeros(0, np.int64)
        self._order = np.argsort(unsorted).astype(np.min_scalar_type(unsorted.size))
        """Places of requests by the hashes of their names, which `_names` has in order."""
        self._names = unsorted[self._order]
        self._kinds = np.concatenate(kinds) if kinds else np.zeros(0, np.uint8)
        self._starts = np.cumsum(counts)
        self.marks = np.zeros(unsorted.size, np.uint8)

    def _read(
        self, one: PlanFile, facts: "array[int]", kinds: "array[int]", sums: "array[int]"
    ) -> None:
        """Read the facts of a file's requests, what they ask, and sums of their names."""
        path, summed = self.plan.file(one), sha256()
        index = _FileIndex(path, array("I"), array("Q"))
        offset = 0
        try:
            with path.open("rb") as file:
                while lines := file.readlines(LINES_AT_ONCE):
                    summed.update(b"".join(lines))
                    names = [
                        line[NAME_START : line.find(b'"', NAME_START)].decode() for line in lines
                    ]
                    heads = [name[1:-CHECK_END].split("-", 1) for name in names]
                    mine = [int(fact) for fact, _ in heads]
                    facts.fromlist(mine)
                    kinds.fromlist([self._numbers[kind] for _, kind in heads])
                    sums.fromlist(list(map(hash, names)))
                    ends = offset + np.cumsum([0, *map(len, lines)]).astype(np.uint64)
                    index.add(np.array(mine, np.uint32), ends[:-1])
                    offset = int(ends[-1])
        except (ValueError, OverflowError):  # a line is no request
            raise LostkeysError(f"{path} was changed since the plan was written: {WHOLE}") from None
        except OSError as error:
            raise LostkeysError(f"{path}: {error.strerror}: {WHOLE}") from None
        if summed.hexdigest() != one.sha256:
            raise LostkeysError(f"{path} was changed since the plan was written: {WHOLE}")
        self._files.setdefault(_shard(one), []).append(index)

    @property
    def kinds(self) -> Sequence[RequestName]:
        """What requests ask of their facts, by number: a name of each, without fact and check."""
        return self._numbers.names

    def kinds_at(self, places: Places) -> npt.NDArray[np.unsignedinteger]:
        """The numbers of what the requests at these places ask."""
        return self._kinds[places]

    def facts_at(self, places: Places) -> Places:
        """The places of the facts that the requests at these places are of."""
        return np.searchsorted(self._starts, places, side="right") - 1

    def find(self, names: Sequence[str]) -> Places:
        """The places of requests among all, -1 for what is none to the letter; shape (names,)."""
        wanted = np.array(list(map(hash, names)), np.int64)
        if not self._names.size:
            return np.full(wanted.size, -1, np.int64)
        near = np.searchsorted(self._names, wanted)
        near[near == self._names.size] = 0
        return np.where(self._names[near] == wanted, self._order[near].astype(np.int64), -1)

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

    def lines(self, chosen: npt.NDArray[np.bool_]) -> Iterator[list[tuple[bytes, int]]]:
        """The lines of chosen requests (flags by place) with their places, some at a time.

        They come as they stand; files that have none of them are not read.
        """
        for one in self.plan.manifest.files:
            if not chosen[self._shards[_shard(one)]].any():
                continue
            with self.plan.file(one).open("rb") as file:
                while lines := file.readlines(LINES_AT_ONCE):
                    places = self.find([name_in(line).decode() for line in lines])
                    mine = np.flatnonzero(chosen[places])
                    yield [(lines[line], int(places[line])) for line in mine.tolist()]


def _shard(one: PlanFile) -> str:
    return one.name.partition(".")[0]


def read_request(line: bytes) -> PlannedRequest:
    """The request in a line of a plan."""
    row = orjson.loads(line)
    name = parse_name(row["custom_id"])
    if name is None:
        raise LostkeysError(f"a line of the plan is no request: {WHOLE}")
    return PlannedRequest(name, row["url"], row["body"])
