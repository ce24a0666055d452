"""The requests of a plan by their names, and their lines where they are needed.

Of a name eight bytes are kept: what is no name of the plan does not pass for one.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson

from core.errors import LostkeysError
from core.scale.kept_columns import open_columns
from core.scale.plan_columns import LINES_AT_ONCE, sum_names
from core.scale.plan_manifest import WHOLE, PlanFile, PlanFolder
from core.scale.request_line import RequestName, check_of, name_in, parse_name, write_body

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


class PlanIndex:
    """All requests of a plan, by fact: a place each."""

    def __init__(self, plan: PlanFolder) -> None:
        """Raises `LostkeysError` for a file that is not as it was written."""
        self.plan = plan
        self._columns = open_columns(plan)
        self.kinds: Sequence[RequestName] = self._columns.kind_names()
        """What requests ask of their facts, by number: a name of each, without a check."""
        self.marks = np.zeros(self._columns.sums.size, np.uint8)
        bounds = [0, *self._columns.ends.tolist()]
        self._rows = list(map(slice, bounds, bounds[1:]))
        """Where the facts of each file stand in the columns."""

    def kinds_at(self, places: Places) -> npt.NDArray[np.unsignedinteger]:
        """The numbers of what the requests at these places ask."""
        return self._columns.kinds[places]

    def facts_at(self, places: Places) -> Places:
        """The places of the facts that the requests at these places are of."""
        return np.searchsorted(self._columns.starts, places, side="right") - 1

    def shown_at(self, places: Places) -> npt.NDArray[np.uint8]:
        """The orders of options that the requests there showed when the plan was written.

        `UNKNOWN_ORDER` for those without options, or where nobody knows.
        """
        return self._columns.shown[places]

    def find(self, names: Sequence[str]) -> Places:
        """The places of requests among all, -1 for what is none to the letter; shape (names,)."""
        sums, wanted = self._columns.sums, sum_names(names)
        if not sums.size:
            return np.full(wanted.size, -1, np.int64)
        near = np.searchsorted(sums, wanted)
        near[near == sums.size] = 0
        return np.where(sums[near] == wanted, self._columns.order[near].astype(np.int64), -1)

    def cover(self, name: RequestName) -> PlannedRequest | None:
        """The request of which a name asks some samples again; None where there is none."""
        if name.fact >= self.plan.manifest.facts:
            return None
        wanted = set(name.samples)
        for one in self._find_requests(name.fact):
            same = (one.name.task, one.name.thinking) == (name.task, name.thinking)
            if same and wanted <= set(one.name.samples):
                return one
        return None

    @lru_cache(64)  # noqa: B019 (it lives as long as one command)
    def _find_requests(self, fact: int) -> tuple[PlannedRequest, ...]:
        files = zip(self.plan.manifest.files, self._rows, strict=True)
        return tuple(
            read_request(line) for one, rows in files for line in self._lines(one, rows, fact)
        )

    def _lines(self, one: PlanFile, rows: slice, fact: int) -> list[bytes]:
        """The lines of a fact in a file, whose facts stand in these rows."""
        facts, offsets = self._columns.facts[rows], self._columns.offsets[rows]
        place = int(np.searchsorted(facts, fact))
        if place == facts.size or facts[place] != fact:
            return []
        start = int(offsets[place])
        size = int(offsets[place + 1]) - start if place + 1 < offsets.size else -1
        with self.plan.file(one).open("rb") as file:
            file.seek(start)
            return file.read(size).splitlines()

    def lines(self, chosen: npt.NDArray[np.bool_]) -> Iterator[list[tuple[bytes, int]]]:
        """The lines of chosen requests (flags by place) with their places, some at a time.

        They come as they stand; files that have none of them are not read.
        """
        for one, rows in zip(self.plan.manifest.files, self._rows, strict=True):
            facts = self._columns.facts[rows]
            if not facts.size:
                continue
            starts = self._columns.starts
            if not chosen[starts[facts[0]] : starts[facts[-1] + 1]].any():
                continue
            with self.plan.file(one).open("rb") as file:
                while lines := file.readlines(LINES_AT_ONCE):
                    places = self.find([name_in(line).decode() for line in lines])
                    mine = np.flatnonzero((places >= 0) & chosen[places])
                    yield [(lines[line], int(places[line])) for line in mine.tolist()]


def read_request(line: bytes) -> PlannedRequest:
    """The request in a line of a plan."""
    row = orjson.loads(line)
    name = parse_name(row["custom_id"])
    if name is None:
        raise LostkeysError(f"a line of the plan is no request: {WHOLE}")
    return PlannedRequest(name, row["url"], row["body"])
