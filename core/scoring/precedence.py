"""Which grader's label counts where several have labelled the same response.

Semantics section 3: a list of graders is taken exactly, the first label found wins; a grader's
label is that of its newest version; `choice` joins every list last, for multiple choice only;
`human:*` is the newest label of any person.
"""

import sqlite3
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

import db.grades
from core.errors import UsageError
from core.settings.escapes import is_printable
from db.label_grids import Cells, LabelMatrix
from db.slot_ids import slot

CHOICE = "choice"
PEOPLE = "human:*"
HUMAN_PREFIX = "human:"
LAST_LABEL = 4
"""Outcomes above this are states of the grading, not labels."""

LONGEST_NAME = 60
"""Letters of a person's name."""


class GraderVersion(NamedTuple):
    """One grader version; its id is its plane in the grids."""

    plane: int
    name: str
    version: str

    @property
    def is_person(self) -> bool:
        """Whether the labels were set by a person."""
        return self.name.startswith(HUMAN_PREFIX)


class Rank(NamedTuple):
    """One place in a precedence list: a grader's versions, newest first."""

    name: str
    planes: tuple[int, ...]
    by_time: bool = False
    only_choice: bool = False


def grader_of(name: str) -> str:
    """The grader under which a person's labels stand. Raises `UsageError` for no proper name."""
    plain = name.strip()
    if not plain:
        raise UsageError("a name is needed: your labels carry it")
    if len(plain) > LONGEST_NAME:
        raise UsageError(f"that name has {len(plain)} letters: {LONGEST_NAME} at most")
    if not is_printable(plain) or plain == "*" or "," in plain:
        raise UsageError("a name is one line of letters and signs, no comma, not * alone")
    return HUMAN_PREFIX + plain


def resolve(
    asked: Sequence[str] | None, known: Sequence[GraderVersion], primary: str | None
) -> tuple[Rank, ...]:
    """The ranks of a precedence list, without the implicit `choice`.

    `asked` None means the default: people first, then the project's primary grader, else the
    only other grader there is. Raises `UsageError` for a grader that has no labels, or where
    the default is not clear.
    """
    names = _default(known, primary) if asked is None else list(dict.fromkeys(asked))
    return tuple(_rank(name, known) for name in names)


def ranked_before(names: Sequence[str], name: str | None) -> tuple[str, ...]:
    """The graders whose labels take precedence over those of one; none where it is not ranked."""
    return tuple(names[: names.index(name)]) if name in names else ()


def append_choice(ranks: Sequence[Rank], known: Sequence[GraderVersion]) -> tuple[Rank, ...]:
    """The ranks with `choice` last, unless it is named already or has labelled nothing."""
    if any(rank.name.partition("#")[0] == CHOICE for rank in ranks) or not any(
        version.name == CHOICE for version in known
    ):
        return tuple(ranks)
    return (*ranks, _rank(CHOICE, known))


def _default(known: Sequence[GraderVersion], primary: str | None) -> list[str]:
    if primary is not None:
        return [PEOPLE, primary]
    others = dict.fromkeys(
        version.name for version in known if not version.is_person and version.name != CHOICE
    )
    if len(others) > 1:
        raise UsageError(
            f"several graders have labelled these answers: choose with --grader, one of "
            f"{', '.join(others)}"
        )
    return [PEOPLE, *others]


def _rank(name: str, known: Sequence[GraderVersion]) -> Rank:
    newest_first = sorted(known, key=lambda version: -version.plane)
    if name == PEOPLE:
        return Rank(name, tuple(v.plane for v in newest_first if v.is_person), by_time=True)
    planes = tuple(v.plane for v in newest_first if v.name == name)
    plain = name
    if not planes and "#" in name:
        plain, _, number = name.rpartition("#")
        planes = tuple(v.plane for v in known if v.name == plain and v.version == number)
    if not planes:
        there = ", ".join(dict.fromkeys(version.name for version in known)) or "none yet"
        raise UsageError(f"no labels by a grader named {name}: graders here are {there}")
    return Rank(name, planes, only_choice=plain == CHOICE)


def labels_of(
    grids: LabelMatrix, rank: Rank, setting: int, choice_questions: Cells
) -> Cells | None:
    """One rank's labels in a setting, shape (samples, questions), 0 where it has none.

    `choice_questions` is 1 at the ids of multiple-choice questions. Where several people have
    labelled one response, the caller settles whose is newest (`settle_newest`).
    """
    found: Cells | None = None
    for plane in rank.planes:
        cells = grids.cells(plane, setting)
        if cells is None:
            continue
        labels: Cells = cells * (cells <= LAST_LABEL)  # a product is faster than a choice
        found = labels if found is None else first_of(found, labels)
    if found is not None and rank.only_choice:
        found *= choice_questions[: found.shape[1]]
    return found


def first_of(first: Cells, second: Cells) -> Cells:
    """Cell by cell the first label that is there; the arrays may differ in samples."""
    if first.shape[0] < second.shape[0]:
        first = np.concatenate(
            [first, np.zeros((second.shape[0] - first.shape[0], first.shape[1]), np.uint8)]
        )
    out = first.copy()
    part = out[: second.shape[0]]
    part |= second * (part == 0)
    return out


def drop_labelled(cells: Cells, found: Cells) -> Cells:
    """The labels of cells that have none in `found`; the arrays may differ in samples."""
    out = cells.copy()
    rows = min(len(cells), len(found))
    out[:rows] *= found[:rows] == 0
    return out


def find_contested(
    grids: LabelMatrix, planes: Iterable[int], setting: int
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """(sample, question) of the responses in a setting that more than one plane has labelled."""
    width = grids.questions
    labelled = [np.empty(0, np.int64)]
    for plane in planes:
        cells = grids.cells(plane, setting)
        if cells is not None:
            samples, questions = np.nonzero((cells > 0) & (cells <= LAST_LABEL))
            labelled.append(samples * width + questions)
    if len(labelled) <= 2:  # one plane at most
        return labelled[0], labelled[0]
    places, votes = np.unique(np.concatenate(labelled), return_counts=True)
    samples, questions = np.divmod(places[votes > 1], width)
    return samples, questions


def settle_newest(
    connection: sqlite3.Connection,
    grids: LabelMatrix,
    cells: Cells,
    rank: Rank,
    setting: int,
    questions: Sequence[int],
) -> None:
    """Where several people labelled one response, let the newest label count in `cells`.

    `questions` has the id of the question in each column.
    """
    places = list(zip(*find_contested(grids, rank.planes, setting), strict=True))
    keys = [slot(questions[column], setting, int(sample)) for sample, column in places]
    times = db.grades.times(connection, rank.planes, keys) if keys else {}
    said = {plane: grids.cells(plane, setting) for plane in rank.planes}
    for key, (sample, column) in zip(keys, places, strict=True):
        labels = {
            (times.get((key, plane), -1), plane): one[sample, column]
            for plane, one in said.items()
            if one is not None and sample < len(one) and 0 < one[sample, column] <= LAST_LABEL
        }
        cells[sample, column] = labels[max(labels)]


def rank_graders(
    names: Sequence[str], known: Sequence[GraderVersion], counted: bool
) -> tuple[Rank, ...]:
    """Graders as ranks, to look at their labels one by one on the answers that are here.

    Raises `UsageError` for one without labels. Where labels of a lake are `counted` beside them,
    such a rank has no planes.
    """
    return ranks_here(names, known) if counted else resolve(names, known, None)


def ranks_here(names: Sequence[str], known: Sequence[GraderVersion]) -> tuple[Rank, ...]:
    """The ranks of a list, without planes for graders that have labelled no answer here."""
    there = {one for grader in known for one in (grader.name, f"{grader.name}#{grader.version}")}
    return tuple(
        resolve([name], known, None)[0]
        if name == PEOPLE or name in there
        else Rank(name, (), only_choice=name.partition("#")[0] == CHOICE)
        for name in names
    )
