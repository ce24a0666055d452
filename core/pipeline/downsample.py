"""Which candidates go on where fewer are wanted: as many of each kind as can be.

A kind is a fact category with an entity type. Source: Calderon et al., appendix A.2.
"""

import hashlib
import heapq
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import db.build_steps
from core.pipeline.build_scope import DOWNSAMPLE
from core.pipeline.stage import DroppedUnit, KeptUnit, UnitKind
from core.pipeline.stage_requests import CODE
from core.pipeline.stage_table import BY_NAME
from core.pipeline.step_writer import Steps
from core.pipeline.unit_progress import UnitProgress, read_progress

REASON = "not in the sample"


@dataclass(frozen=True, slots=True)
class DrawCandidate:
    """A candidate in the draw. `name` tells it from all others, whatever its number is."""

    id: int
    name: str
    kind: tuple[str, str]


def choose_candidates(
    candidates: Iterable[DrawCandidate],
    target: int,
    seed: int,
    there: Mapping[tuple[str, str], int] | None = None,
) -> set[int]:
    """The ids of those that go on: up to `target` in all, the rarest kinds first.

    there: how many of each kind have been chosen before, who count towards the target. The same
    candidates and seed give the same choice, in whatever order they come.
    """
    lots: defaultdict[tuple[str, str], list[tuple[str, int]]] = defaultdict(list)
    for one in candidates:
        lots[one.kind].append((_lot(seed, one.name), one.id))
    counts = Counter(there or {})
    heap = [(counts[kind], _lot(seed, "\n".join(kind)), kind) for kind in lots]
    heapq.heapify(heap)
    for kind in lots:
        lots[kind].sort(reverse=True)
    found: set[int] = set()
    while heap and len(found) < target - counts.total():
        count, lot, kind = heapq.heappop(heap)
        found.add(lots[kind].pop()[1])
        if lots[kind]:
            heapq.heappush(heap, (count + 1, lot, kind))
    return found


def _lot(seed: int, name: str) -> str:
    return hashlib.sha256(f"{seed}\n{name}".encode(errors="replace")).hexdigest()


def find_passed_over(connection: sqlite3.Connection, target: int) -> list[int]:
    """Candidates (ids) that an earlier draw left out and a larger target can still take."""
    if len(db.build_steps.find_candidates(connection, DOWNSAMPLE)) >= target:
        return []
    return db.build_steps.find_candidates(connection, DOWNSAMPLE, "dropped")


def draw(
    connection: sqlite3.Connection, steps: Steps, waiting: Sequence[int], target: int, seed: int
) -> None:
    """Decide which of the candidates that wait go on. Inside a transaction.

    Those drawn earlier stay and count; where they are fewer than the target, those left out
    earlier are in the draw again. So a target that is raised comes to what it would have come to
    at once.
    """
    stage = BY_NAME[DOWNSAMPLE]
    again = set(find_passed_over(connection, target))
    found = {key: read_progress(connection, UnitKind.CANDIDATE, key) for key in (*waiting, *again)}
    earlier = [
        read_progress(connection, UnitKind.CANDIDATE, key)
        for key in db.build_steps.find_candidates(connection, DOWNSAMPLE)
    ]
    there = Counter(_to_candidate(one).kind for one in earlier)
    going = choose_candidates(map(_to_candidate, found.values()), target, seed, there)
    for key in again & going:
        db.build_steps.set_aside(connection, DOWNSAMPLE, key)
    for key, one in found.items():
        if key in going or key not in again:
            steps.store(stage, one, KeptUnit() if key in going else DroppedUnit(REASON), CODE)


def _to_candidate(found: UnitProgress) -> DrawCandidate:
    unit, classified = found.unit, found.above.get("classify")
    category = "" if classified is None else str(classified.value.get("category", ""))
    name = f"{unit.key}\n{unit.place}\n{unit.start}"
    return DrawCandidate(unit.id, name, (category, unit.object_type))
