"""Counts of a lake beside the answers of a project: labels of answers that are not in its file.

Source: section 5 of the page on scale. Answers that are kept stand in none of these counts: they
are counted as any others, by the labels that are here.
"""

import hashlib
import os
import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

import numpy as np
import numpy.typing as npt

import db.lake_label_counts
from core.errors import UsageError
from core.glossary.job_terms import COUNTS_OF_A_LAKE
from core.scoring.precedence import (
    HUMAN_PREFIX,
    PEOPLE,
    GraderVersion,
    Rank,
    ranks_here,
)
from core.stats.number_format import format_amount
from core.vocabulary import LABELS, TASK_INDEX, Task
from db.label_grids import DRAWN, LabelMatrix
from db.lake_label_counts import CountedLake

Counts = npt.NDArray[np.uint16]
Questions = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class CountedLabels:
    """What is counted in an open file, and the settings (ids) that have counts."""

    lake: CountedLake
    settings: frozenset[int]

    def describe(self, kept: int) -> str:
        """What the numbers are, in one line; `kept` answers are in the file."""
        versions = self.lake.versions
        by = ", ".join(
            f"{name} ({', '.join(versions[name])})" if name in versions else name
            for name in self.lake.graders
        )
        here = f"{format_amount(kept, 'answer')} {'is' if kept == 1 else 'are'} here"
        return f"{COUNTS_OF_A_LAKE}, {self.lake.path}, by {by}; {here}"

    def find_ranks(
        self, asked: Sequence[str] | None, known: Sequence[GraderVersion], path: Path
    ) -> tuple[Rank, ...]:
        """The ranks of a list of graders, which is that of the counts.

        Without a list people come first, so that a label on a kept answer replaces the counted
        one. Raises `UsageError` for another list, with the command that counts by it.
        """
        names = self.graders if asked is None else tuple(dict.fromkeys(asked))
        if not self.accepts(names):
            listed = ",".join(names)
            raise UsageError(
                f"{path} holds {COUNTS_OF_A_LAKE} by {','.join(self.lake.graders)}: `lostkeys "
                f"profiles --from {quote(self.lake.path)} --grader {quote(listed)}` counts by "
                f"{listed}"
            )
        return ranks_here(names, known)

    @property
    def graders(self) -> tuple[str, ...]:
        """The list of the counts, people first where it does not name them."""
        mine = self.lake.graders
        return mine if PEOPLE in mine else (PEOPLE, *mine)

    def accepts(self, names: Sequence[str]) -> bool:
        """Whether the counts are those of a list of graders.

        People whose labels the counts have nothing of may stand anywhere in it, or not.
        """
        if tuple(names) == self.graders:
            return True
        return self._without_nobody(names) == self._without_nobody(self.lake.graders)

    def _without_nobody(self, names: Sequence[str]) -> tuple[str, ...]:
        people = any(name.startswith(HUMAN_PREFIX) for name in self.lake.versions)
        return tuple(name for name in names if people or name != PEOPLE)

    def add(
        self,
        connection: sqlite3.Connection,
        setting: int,
        questions: Questions,
        labels: Counts,
        drawn: Counts,
    ) -> None:
        """Add the counts of a setting to `labels` (labels, tasks, facts) and `drawn` (tasks,
        facts); `questions` (facts, tasks) are ids, 0 where a fact has none.

        Counts of a question that none of them is, an edited one, are left out.
        """
        if setting not in self.settings:
            return
        for task, counted, counts in db.lake_label_counts.read_counts(connection, setting):
            which = TASK_INDEX[Task(task)]
            _, mine, theirs = np.intersect1d(
                questions[:, which], counted, assume_unique=False, return_indices=True
            )
            labels[:, which, mine] += counts[: len(LABELS), theirs]
            drawn[which, mine] += counts[len(LABELS), theirs]


def read_counted(connection: sqlite3.Connection) -> CountedLabels | None:
    """What is counted in a file; None where its answers are all in it."""
    lake = db.lake_label_counts.counted_lake(connection)
    if lake is None:
        return None
    return CountedLabels(lake, frozenset(db.lake_label_counts.settings(connection)))


def note_counts(counted: CountedLabels | None, grids: LabelMatrix) -> list[str]:
    """What a person should know of numbers of an open project, in lines."""
    if counted is None:
        return []
    notes, lake = [counted.describe(grids.count(DRAWN))], counted.lake
    if has_changed(lake):
        notes.append(
            f"{lake.path} has changed since it was counted: `lostkeys import "
            f"{quote(lake.path)} --format lake --counts-only` with a new --db counts it again"
        )
    return notes


def has_changed(lake: CountedLake) -> bool:
    """Whether the files of a lake are others than when it was counted; not where it is gone."""
    here = Path(lake.path)
    return bool(lake.files) and here.is_dir() and sum_files(here) != lake.files


def sum_files(lake: Path) -> str:
    """A sum over the names, sizes and times of the files of a lake: another one if any changed."""
    found = hashlib.sha256()
    for folder, folders, names in os.walk(lake):
        folders.sort()
        for name in sorted(names):
            path = Path(folder, name)
            with suppress(OSError):  # taken away meanwhile
                seen = path.stat()
                told = f"{path.relative_to(lake)}\0{seen.st_size}\0{seen.st_mtime_ns}\0"
                found.update(os.fsencode(told))
    return found.hexdigest()[:16]
