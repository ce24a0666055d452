"""Imported labels: from a grader's name and a label to a grade, and what is there already."""

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from time import time_ns

import numpy as np
import numpy.typing as npt

import db.grades
from core.scoring.precedence import HUMAN_PREFIX, PEOPLE
from core.transfer.row_values import RowError, quote
from core.vocabulary import LABELS, Label, Outcome
from db.grades import Graded
from db.label_grids import LabelMatrix

FIRST_VERSION = "1"

Mark = tuple[int, int, bool]
"""Grader version, outcome, and whether a person set it."""


class Marks(dict[tuple[str, str], Mark]):
    """Marks by (grader, label), made when first looked up; a bad one raises `RowError`."""

    def __init__(self, plane_of: Callable[[str], int]) -> None:
        super().__init__()
        self._plane_of = plane_of

    def __missing__(self, key: tuple[str, str]) -> Mark:
        name, label = key
        if label not in LABELS:
            raise RowError(f"unknown label {quote(label)}: labels are {', '.join(LABELS)}")
        if not isinstance(name, str) or not name.strip() or len(name.splitlines()) > 1:
            raise RowError(f"grader {quote(name)} is not a name")
        if name == PEOPLE:
            raise RowError(f"grader {PEOPLE} stands for all people: name one, as human:ada")
        if name.strip() == HUMAN_PREFIX:
            raise RowError(f"grader {quote(name)} names nobody: name one, as human:ada")
        outcome = int(Outcome.from_label(Label(label)))
        self[key] = (self._plane_of(name), outcome, name.startswith(HUMAN_PREFIX))
        return self[key]


class ImportedGraders:
    """Grader versions by name, as imported labels land in them: the newest there is.

    Graders that are new have negative ids until `make_graders`, so that one whose labels do not
    land is never made. `ids` has what has become of these.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._planes = self._find_newest()
        self._new: dict[int, str] = {}
        self.ids: dict[int, int] = {}
        self._clock = _Clock()
        self.marks = Marks(self._plane)

    def begin(self) -> Callable[[int], int]:
        """Start a batch; gives the time of the next label of a slot that a person set."""
        self._clock.begin()
        return self._clock.tick

    def clash(self, grades: Iterable[Graded], there: Mapping[tuple[int, int], int]) -> str | None:
        """Why these grades cannot land beside the outcomes that are there; None if they can."""
        for slot, plane, outcome, _ in grades:
            old = there.get((slot, plane), outcome)
            if old != outcome:
                return _refusal(self._name(plane), Outcome(old))
        return None

    def find_newer(self) -> dict[int, int]:
        """New ids of graders that another program has made meanwhile. In a transaction."""
        return self._settle(self._find_newest()) if self._new else {}

    def make_graders(self, planes: Iterable[int]) -> dict[int, int]:
        """New ids of those of these graders that are made now. In a transaction."""
        wanted = set(planes)
        names = [name for plane, name in self._new.items() if plane in wanted]
        if not names:
            return {}
        return self._settle(
            {name: db.grades.ensure_grader(self._connection, name, FIRST_VERSION) for name in names}
        )

    def _settle(self, planes: Mapping[str, int]) -> dict[int, int]:
        ids = {old: planes[name] for old, name in self._new.items() if name in planes}
        for old, new in ids.items():
            self._planes[self._new.pop(old)] = new
        self.ids |= ids
        self.marks.clear()
        return ids

    def _find_newest(self) -> dict[str, int]:
        return {name: key for key, name, _ in db.grades.graders(self._connection)}

    def _name(self, plane: int) -> str:
        return next(name for name, known in self._planes.items() if known == plane)

    def _plane(self, name: str) -> int:
        if name not in self._planes:
            self._planes[name] = -1 - len(self._planes)
            self._new[self._planes[name]] = name
        return self._planes[name]


class _Clock:
    """Times in milliseconds: the later of two labels of one response has the later time."""

    def __init__(self) -> None:
        self._last = 0
        self._times: dict[int, int] = {}

    def begin(self) -> None:
        self._start = max(time_ns() // 1_000_000, self._last + 1)
        self._times.clear()

    def tick(self, slot: int) -> int:
        now = self._times.get(slot, self._start - 1) + 1
        self._times[slot] = now
        self._last = max(self._last, now)
        return now


def are_different(slots: npt.NDArray[np.int64]) -> bool:
    """Whether no slot is there twice."""
    return bool((np.diff(np.sort(slots)) > 0).all())


def renumber_grades(grades: list[Graded], ids: Mapping[int, int]) -> list[Graded]:
    """The grades under the new ids of their graders."""
    if not ids:
        return grades
    return [(slot, ids.get(plane, plane), outcome, at) for slot, plane, outcome, at in grades]


def outcomes_there(grids: LabelMatrix, grades: Iterable[Graded]) -> dict[tuple[int, int], int]:
    """What graders have already said of the responses they are to label, by (slot, version)."""
    slots = defaultdict(list)
    for slot, plane, _, _ in grades:
        slots[plane].append(slot)
    return {
        (slot, plane): outcome
        for plane, wanted in slots.items()
        for slot, outcome in zip(
            wanted, grids.at(plane, np.array(wanted, np.int64)).tolist(), strict=True
        )
        if outcome
    }


def _refusal(name: str, there: Outcome) -> str:
    if there <= Outcome.OTHER:
        return f"already labelled {there.name} by {quote(name)}"
    return f"already graded by {quote(name)}, without a label ({there.name.lower()})"
