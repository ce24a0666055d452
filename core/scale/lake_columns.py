"""What is asked of a lake and what comes of it: files of labels, facts and counts as arrays."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class LabelFiles:
    """The labels of a grader in one cell; of one `version` alone, unless that is None."""

    grader: str
    files: tuple[Path, ...]
    version: str | None = None


LabelSource = Sequence[LabelFiles]
"""Labels of a grader, or of several people of whom the newest label counts."""


@dataclass(frozen=True, slots=True)
class FactColumns:
    """The facts of a lake in order; `exists` (facts, tasks) says which questions they have."""

    fact_ids: list[str]
    views: Numbers
    categories: list[str]
    subject_types: list[str]
    object_types: list[str]
    years: Numbers
    exists: npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class CellCounts:
    """Facts with any label in a cell, by number, with how many of each label (labels, facts).

    `bits` are their samples, as `SAMPLE_BITS` has them.
    """

    facts: npt.NDArray[np.intp]
    labels: npt.NDArray[np.uint16]
    bits: Numbers
