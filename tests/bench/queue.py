"""Deciding between two graders at the paper's size, as the db worker's thread does it.

Run it: `uv run python -m tests.bench.queue FILE`, FILE a database of `tests.bench.generator`; the
file is copied first, as labels are set in it. The baseline of every line is opening the first
snapshot of the same file, in the same run.
"""

import argparse
import shutil
import statistics
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

import db.label_grids
from core.project import OpenProject
from core.views.disagreements.disagreement_filter import DisagreementFilter
from core.views.disagreements.disagreement_queue import DisagreementQueue
from core.views.session import Session
from core.vocabulary import LABELS
from db.connection import relax_sync, write_transaction
from db.slot_ids import slot
from tests.bench.generator import GRADERS
from tests.bench.timing import best
from tests.core.views.making import change_graders, given

DISAGREEMENTS = 90_000
SHOWN = 40
"""Rows of a queue on screen."""


@dataclass(frozen=True)
class Times:
    """Milliseconds that something took, again and again."""

    what: str
    taken: list[float]

    @property
    def p95(self) -> float:
        """The time that 95 of 100 stay under."""
        return sorted(self.taken)[min(len(self.taken) - 1, int(0.95 * len(self.taken)))]

    def __str__(self) -> str:
        middle = statistics.median(self.taken)
        return f"{self.what}: median {middle:.1f} ms, p95 {self.p95:.1f} ms, n {len(self.taken)}"


def timed(what: str, runs: Iterator[Callable[[], object]]) -> Times:
    """Time calls one by one."""
    return Times(what, [1000 * best(run) for run in runs])


def differ_more(path: Path, wanted: int, seed: int = 1) -> None:
    """Let grader B differ from A on more answers, until `wanted` are differed on."""
    random = np.random.default_rng(seed)
    with OpenProject(path, "write") as project, relax_sync(project.connection):
        a, b = (
            next(one.plane for one in project.graders() if one.name == name) for name in GRADERS
        )
        found: list[tuple[int, int]] = []
        differing = 0
        for setting in project.grids.settings():
            one, other = (project.grids.cells(plane, setting) for plane in (a, b))
            assert one is not None
            assert other is not None
            differing += int(np.count_nonzero(one != other))
            samples, questions = np.nonzero((one == other) & (one > 0))
            found += [
                (slot(question, setting, sample), int(one[sample, question]) % 4 + 1)
                for question, sample in zip(questions.tolist(), samples.tolist(), strict=True)
            ]
        chosen = random.choice(len(found), max(0, wanted - differing), replace=False).tolist()
        rows = [found[place] for place in sorted(chosen)]
        with write_transaction(project.connection):
            project.connection.executemany(
                f"UPDATE grade SET outcome = ? WHERE response = ? AND grader = {b}",
                [(label, key) for key, label in rows],
            )
            db.label_grids.record(
                project.connection, b, [key for key, _ in rows], (o for _, o in rows)
            )


def measure_opening(session: Session, runs: int) -> list[Times]:
    """The matrix and the queue: first, after another threshold, and filtered."""
    confusions = session.confusions
    first = timed("crossing, first", iter([lambda: confusions.cross_graders(DisagreementFilter())]))
    queue = timed("queue beside it", iter([lambda: confusions.queue(DisagreementFilter())]))

    def thresholds() -> Iterator[Callable[[], object]]:
        for turn in range(runs):
            session.look(session.snapshot.lens.with_policy(tau=(0.25, 0.5)[turn % 2]))
            yield lambda: confusions.queue(DisagreementFilter())

    def filters() -> Iterator[Callable[[], object]]:
        for a in LABELS:
            for b in LABELS:
                yield lambda a=a, b=b: confusions.queue(DisagreementFilter(cell=(a, b)))  # type: ignore[misc]

    again = timed("queue at another threshold", thresholds())
    return [first, queue, again, timed("queue of one cell", filters())]


def measure_keys(session: Session, queue: DisagreementQueue, keys: int) -> list[Times]:
    """What a key to the next disagreement asks for."""
    confusions = session.confusions
    spread = np.linspace(0, len(queue) - 1, keys).astype(int).tolist()
    slots = [queue.row(place).slot for place in spread]
    return [
        timed(
            "rows on screen",
            (
                lambda start=place: [  # type: ignore[misc]
                    queue.row(one) for one in range(start, min(len(queue), start + SHOWN))
                ]
                for place in spread
            ),
        ),
        timed(
            "their answers",
            (
                lambda start=place: confusions.answers(  # type: ignore[misc]
                    queue, range(start, min(len(queue), start + SHOWN))
                )
                for place in spread
            ),
        ),
        timed("card", (lambda key=key: confusions.card(key) for key in slots)),  # type: ignore[misc]
    ]


def measure_decisions(session: Session, queue: DisagreementQueue, keys: int) -> list[Times]:
    """A decision with the snapshot after it; all that follows; one in every setting; undo."""
    confusions = session.confusions
    rows = [queue.row(place) for place in range(min(keys, len(queue)))]
    every = [
        slot(int(queue.index.questions[0, 0]), setting, 0)
        for setting in session.project.grids.settings()
    ]

    def follow() -> object:
        marked = confusions.mark_queue(queue)
        return (
            confusions.rates(marked),
            confusions.cross_graders(DisagreementFilter()),
            marked.find_undecided(),
        )

    def turns() -> Iterator[Callable[[], object]]:
        for row in rows:
            yield partial(confusions.decide, row.slot, given(row.b))
            yield follow

    both = timed("", turns()).taken
    decided = Times("decision, with the snapshot of all models", both[::2])
    followed = Times("queue, rates and matrix after it", both[1::2])
    undone = timed("undo", iter([session.undo] * len(rows)))
    widely = timed(
        "decision on the same answer in every setting",
        (
            lambda label=LABELS[turn % 4]: confusions.decide(every[0], label, also=every[1:])  # type: ignore[misc]
            for turn in range(keys // 2)
        ),
    )
    return [decided, followed, undone, widely]


def measure(path: Path, keys: int) -> list[Times]:
    """Everything on a database, in which labels are set."""
    with closing(Session(path)) as session:
        session.name = "bench"
        first = timed("opening the first snapshot", iter([session.open]))
        session.look(change_graders(session.snapshot.lens, a=GRADERS[0], b=GRADERS[1]))
        opening = measure_opening(session, max(2, keys // 10))
        queue = session.confusions.queue(DisagreementFilter())
        return [
            first,
            *opening,
            *measure_keys(session, queue, keys),
            *measure_decisions(session, queue, keys),
        ]


def main() -> None:
    """Measure a database and print a line each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--keys", type=int, default=100)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "measured.db"
        shutil.copy(asked.file, copy)
        differ_more(copy, DISAGREEMENTS)
        first, *others = measure(copy, asked.keys)
        print(first)
        for one in others:
            print(f"{one}; {one.p95 / first.p95:.3f} of opening")


if __name__ == "__main__":
    main()
