"""The labels that count of a few cells, read from the database: for deciding while sampling.

The same precedence as `core.scoring.precedence` gives whole projects (semantics section 3).
"""

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import db.grades
import db.model_rows
from core.scoring.curtailed_runs import find_planes
from core.scoring.precedence import CHOICE, LAST_LABEL, PEOPLE, GraderVersion
from core.vocabulary import LABELS

Counts = tuple[int, int, int, int]
"""Labels of a question in the order of `LABELS`."""

Said = dict[int, tuple[int, int]]
"""What grader versions (their planes) said of one response: the outcome, and when."""


@dataclass(frozen=True, slots=True)
class _Rank:
    """One place in a list of graders: their planes, newest first."""

    planes: tuple[int, ...]
    by_time: bool
    only_choice: bool

    def label(self, said: Said) -> int | None:
        """The label that this rank gives a response, if it gives one."""
        found = [plane for plane in self.planes if plane in said]
        if not found:
            return None
        newest = max(found, key=lambda plane: (said[plane][1], plane)) if self.by_time else found[0]
        return said[newest][0]


def count_labels(
    connection: sqlite3.Connection, graders: Sequence[str], cells: Mapping[int, bool]
) -> dict[int, Counts]:
    """Label counts of cells under a list of graders (`choice` joins it last).

    A cell is given as the slot of its sample 0, with whether it is multiple choice.
    """
    ranks = _ranks(connection, graders)
    said: defaultdict[tuple[int, int], Said] = defaultdict(dict)
    for cell, response, plane, outcome, at in db.grades.read_in_cells(connection, list(cells)):
        if outcome <= LAST_LABEL:
            said[cell, response][plane] = outcome, at or 0
    labels = {cell: Counter[int]() for cell in cells}
    for (cell, _), one in said.items():
        asked = (rank.label(one) for rank in ranks if cells[cell] or not rank.only_choice)
        label = next((found for found in asked if found is not None), None)
        if label is not None:
            labels[cell][label] += 1
    return {cell: _sort_counts(found) for cell, found in labels.items()}


def _ranks(connection: sqlite3.Connection, graders: Sequence[str]) -> list[_Rank]:
    known = [GraderVersion(*row) for row in db.grades.graders(connection)]
    return [
        _Rank(find_planes(name, known), name == PEOPLE, name.partition("#")[0] == CHOICE)
        for name in dict.fromkeys([*graders, CHOICE])
    ]


def _sort_counts(found: Counter[int]) -> Counts:
    correct, incorrect, partially, other = (found[place] for place in range(1, len(LABELS) + 1))
    return correct, incorrect, partially, other
