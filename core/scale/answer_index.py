"""The file of a plan for a grader that says which answers each request is about."""

from array import array
from collections.abc import Iterator, Sequence
from functools import lru_cache

import orjson

from core.errors import LostkeysError
from core.scale.label_requests import AskedLabels, parse_label_name
from core.scale.plan_manifest import ANSWERS, WHOLE, PlanFolder
from core.scale.request_line import name_in

LINES_AT_ONCE = 2**20
"""Bytes of lines that are read in one go, about."""


def write_answers(line: bytes, sums: Sequence[str]) -> bytes:
    """The line that says which answers the request in another line is about."""
    row = {"custom_id": name_in(line).decode(), "answers": list(sums)}
    return orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE)


class AnswerIndex:
    """All requests of a plan for a grader, by fact; few bytes a fact are kept.

    `marks` has a byte a request, for whoever notes what became of it.
    """

    def __init__(self, plan: PlanFolder) -> None:
        """Raises `LostkeysError` for a file that is not as it was written."""
        self._path = plan.path / ANSWERS
        self._offsets, self._firsts = array("Q"), array("Q")
        self.marks = bytearray()
        self._read_offsets(plan)

    def _read_offsets(self, plan: PlanFolder) -> None:
        """Learn where the lines of each fact begin, and the places of their requests."""
        offset = place = 0
        try:
            with self._path.open("rb") as file:
                while lines := file.readlines(LINES_AT_ONCE):
                    for line in lines:
                        fact = self._fact_in(line)
                        if fact == len(self._offsets):
                            self._offsets.append(offset)
                            self._firsts.append(place)
                        elif fact != len(self._offsets) - 1:
                            raise self._fault()
                        offset, place = offset + len(line), place + 1
        except OSError as error:
            raise LostkeysError(f"{self._path}: {error.strerror}: {WHOLE}") from None
        if len(self._offsets) != plan.manifest.facts or place < plan.manifest.requests:
            raise self._fault()
        self._offsets.append(offset)
        self.marks = bytearray(place)

    def _fact_in(self, line: bytes) -> int:
        name = name_in(line)
        try:
            return int(name[1 : name.index(b"-")])
        except ValueError:
            raise self._fault() from None

    def facts(self) -> range:
        """The places of all facts."""
        return range(len(self._firsts))

    @lru_cache(64)  # noqa: B019 (it lives as long as one command)
    def find_requests(self, fact: int) -> tuple[AskedLabels, ...]:
        """The requests about a fact; none for a place that the plan has not."""
        return tuple(self._parse_fact(fact)) if fact < len(self._firsts) else ()

    def _parse_fact(self, fact: int) -> Iterator[AskedLabels]:
        start, end = self._offsets[fact], self._offsets[fact + 1]
        with self._path.open("rb") as file:
            file.seek(start)
            content = file.read(end - start)
        for place, line in enumerate(content.splitlines(), self._firsts[fact]):
            try:
                row = orjson.loads(line)
                name, sums = parse_label_name(row["custom_id"]), tuple(row["answers"])
            except (ValueError, KeyError, TypeError):
                raise self._fault() from None
            if name is None or name.fact != fact or not all(type(one) is str for one in sums):
                raise self._fault()
            yield AskedLabels(place, name, sums)

    def _fault(self) -> LostkeysError:
        return LostkeysError(f"{self._path} is not as it was written with the plan: {WHOLE}")
