"""What is known of the requests of a plan without their lines, as few bytes each."""

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

import numpy as np
import numpy.typing as npt

from core.errors import LostkeysError
from core.scale.plan_manifest import WHOLE, PlanFile, PlanFolder
from core.scale.request_line import (
    CHECK_LENGTH,
    LONGEST_NAME,
    NAME_START,
    RequestName,
    parse_name,
)

LINES_AT_ONCE = 2**20
"""Bytes of lines that are read in one go, about."""

CHECK_END = CHECK_LENGTH + 1
"""Characters of a name from the dash before its check."""

UNKNOWN_ORDER = 255
"""Stands for the order of options of a request that has none, or of which nobody knows it."""

WORD = 8
_WORDS = LONGEST_NAME // WORD + 1
_FACTORS = np.arange(1, 2 * _WORDS, 2, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)

Sums = npt.NDArray[np.uint64]


def sum_names(names: Sequence[str]) -> Sums:
    """Eight bytes that stand for each name, the same in every program; shape (names,).

    Those of a request's name stand for no other text, but by a chance of one in 2^64. What is not
    ASCII is no name of a request, and counts as empty. Written for millions.
    """
    if not "".join(names).isascii():
        names = [name if name.isascii() else "" for name in names]
    # A word more than the longest name has: what is longer is cut, and is another one still.
    words = np.array(names, f"S{WORD * _WORDS}").view(np.uint64).reshape(-1, _WORDS)
    for factor in (_FACTORS, _FACTORS[::-1]):
        words = (words ^ (words >> _HALF)) * factor
    # Zeros at the end of a text are lost in an array of texts, so its length counts as well.
    lengths = np.fromiter(map(len, names), np.uint64, len(names))
    found: Sums = (words ^ (words >> _HALF)).sum(axis=1, dtype=np.uint64) + lengths
    return found


@dataclass(frozen=True, slots=True, eq=False)
class PlanColumns:
    """The requests of a plan in the order of their facts: a place each.

    `sums` are those of their names (`sum_names`), ascending, and `order` the places that they stand
    for. By place: `kinds`, the number of what a request asks, whose names without fact and check
    `heads` has; `shown`, the number of the order in which it shows options, or `UNKNOWN_ORDER`.
    `starts` has the place of the first request of each fact and ends in their number; `facts` and
    `offsets` say of the files of the plan, one after another, which facts each has and where their
    lines begin: `ends` has the number of these up to the end of each file.
    """

    sums: Sums
    order: npt.NDArray[np.unsignedinteger]
    kinds: npt.NDArray[np.unsignedinteger]
    heads: Sequence[str]
    shown: npt.NDArray[np.uint8]
    starts: npt.NDArray[np.int64]
    facts: npt.NDArray[np.uint32]
    offsets: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]

    def kind_names(self) -> list[RequestName]:
        """What requests ask of their facts: a name of each kind, without a check.

        Raises `ValueError` where a head is none.
        """
        return list(map(_parse_head, self.heads))

    def is_sound(self, plan: PlanFolder) -> bool:
        """Whether the columns fit each other and the plan."""
        size, facts = self.sums.size, plan.manifest.facts
        return (
            self.order.shape == self.kinds.shape == self.shown.shape == (size,)
            and self.starts.shape == (facts + 1,)
            and self.ends.shape == (len(plan.manifest.files),)
            and self.facts.shape == self.offsets.shape == (int(self.ends.max(initial=0)),)
            and int(self.facts.max(initial=0)) < max(facts, 1)
            and int(self.starts[0]) == 0
            and int(self.starts[-1]) == size
            and bool((np.diff(self.starts) >= 0).all())
            and int(self.order.max(initial=0)) < max(size, 1)
            and int(self.kinds.max(initial=0)) < max(len(self.heads), 1)
        )


def read_plan(plan: PlanFolder, shown: Mapping[str, bytearray] | None = None) -> PlanColumns:
    """Read all files of a plan, and see that none was changed.

    `shown` has the orders of options of the requests to an address, in the order of their lines;
    without it nobody knows them. Raises `LostkeysError` for a file that is not as it was written.
    """
    reader = _Reader(plan)
    for one in plan.manifest.files:
        reader.read_file(one)
    return reader.columns(shown or {})


class _Kinds(dict[str, int]):
    """Numbers of what names have between fact and check, in the order in which they came."""

    def __missing__(self, kind: str) -> int:
        _parse_head(kind)
        self[kind] = len(self)
        return self[kind]


def _parse_head(head: str) -> RequestName:
    name = parse_name(f"f0-{head}-{'0' * CHECK_LENGTH}")
    if name is None:
        raise ValueError(head)
    return replace(name, check="")


class _Reader:
    """Takes in the lines of a plan, file by file."""

    def __init__(self, plan: PlanFolder) -> None:
        self._plan, self._heads = plan, _Kinds()
        self._facts, self._kinds = array("I"), array("I")
        self._sums = list[Sums]()
        self._places = list[tuple[npt.NDArray[np.uint32], npt.NDArray[np.int64]]]()

    def read_file(self, one: PlanFile) -> None:
        """Read a file."""
        path, summed = self._plan.file(one), sha256()
        begun, sizes = len(self._facts), array("q", [0])
        try:
            with path.open("rb") as file:
                while lines := file.readlines(LINES_AT_ONCE):
                    summed.update(b"".join(lines))
                    self._add(lines)
                    sizes.extend(map(len, lines))
        except (ValueError, OverflowError):  # a line is no request
            raise LostkeysError(f"{path} was changed since the plan was written: {WHOLE}") from None
        except OSError as error:
            raise LostkeysError(f"{path}: {error.strerror}: {WHOLE}") from None
        if summed.hexdigest() != one.sha256:
            raise LostkeysError(f"{path} was changed since the plan was written: {WHOLE}")
        facts = np.array(self._facts[begun:], np.uint32)
        first = np.flatnonzero(np.diff(facts.astype(np.int64), prepend=-1))
        self._places.append((facts[first], np.cumsum(np.frombuffer(sizes, np.int64))[first]))

    def _add(self, lines: Sequence[bytes]) -> None:
        names = [line[NAME_START : line.find(b'"', NAME_START)].decode() for line in lines]
        heads = [name[1:-CHECK_END].split("-", 1) for name in names]
        self._facts.extend([int(fact) for fact, _ in heads])
        self._kinds.extend([self._heads[kind] for _, kind in heads])
        self._sums.append(sum_names(names))

    def columns(self, shown: Mapping[str, bytearray]) -> PlanColumns:
        """All that was read, in the order of the facts."""
        count = self._plan.manifest.facts
        facts = np.array(self._facts, np.int64)
        if facts.size and int(facts.max()) >= count:
            raise LostkeysError(f"{self._plan.path}: a request is of no fact of the plan: {WHOLE}")
        by_fact = np.argsort(facts, kind="stable")
        sums = np.concatenate([*self._sums, np.zeros(0, np.uint64)])[by_fact]
        order = np.argsort(sums)
        ends = np.cumsum([len(found) for found, _ in self._places], dtype=np.int64)
        return PlanColumns(
            sums[order],
            order.astype(np.min_scalar_type(sums.size)),
            np.array(self._kinds, np.int64)[by_fact].astype(np.min_scalar_type(len(self._heads))),
            list(self._heads),
            self._orders(shown)[by_fact],
            np.concatenate([[0], np.cumsum(np.bincount(facts, minlength=count))]),
            np.concatenate([np.zeros(0, np.uint32), *(found for found, _ in self._places)]),
            np.concatenate([np.zeros(0, np.int64), *(begun for _, begun in self._places)]),
            ends,
        )

    def _orders(self, shown: Mapping[str, bytearray]) -> npt.NDArray[np.uint8]:
        """The orders of options, line by line."""
        found, before = list[npt.NDArray[np.uint8]](), dict.fromkeys(shown, 0)
        for one in self._plan.manifest.files:
            start = before.get(one.endpoint)
            if start is None:
                found.append(np.full(one.requests, UNKNOWN_ORDER, np.uint8))
            else:
                before[one.endpoint] = start + one.requests
                found.append(np.frombuffer(shown[one.endpoint], np.uint8)[start:][: one.requests])
        return np.concatenate([np.zeros(0, np.uint8), *found])
