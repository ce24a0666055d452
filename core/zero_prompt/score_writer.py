"""Scores on their way into a project: kept to the letter, and what they come to beside them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

import db.option_score_arrays
import db.option_scores
from core.project import OpenProject
from core.zero_prompt.response_check import holds_gold
from core.zero_prompt.scores import are_usable
from core.zero_prompt.stored_relations import golds_of
from db.connection import read_transaction, write_transaction
from db.option_score_arrays import ROW, ScoreState
from db.option_scores import OptionList, StoredScore

UNNAMED = "{:06}"
"""What stands for the text of an option that has none: its place decides between equals."""


@dataclass(frozen=True, slots=True)
class GradedScore:
    """A score with the right objects, which say whether its response names one."""

    stored: StoredScore
    golds: Sequence[str]


def cells_of(scores: Sequence[GradedScore]) -> npt.NDArray[np.void]:
    """Scores as rows of the arrays; those with as many options are worked out at once."""
    cells = np.zeros(len(scores), ROW)
    by_length: dict[int, list[int]] = {}
    for place, one in enumerate(scores):
        stored, state = one.stored, ScoreState(0)
        if stored.response is not None:
            right = holds_gold(stored.response, one.golds)
            state |= ScoreState.ANSWERED | (ScoreState.RIGHT if right else 0)
        if stored.logprobs is not None:
            state |= ScoreState.ASKED
            by_length.setdefault(stored.logprobs.size, []).append(place)
        cells[place] = (stored.fact, state, stored.option_list or 0, 0, 0.0, 0.0, 0.0)
    for places in by_length.values():
        found = [scores[place].stored.logprobs for place in places]
        rows = np.stack([one for one in found if one is not None]).astype(np.float64)
        usable = are_usable(rows)
        _fill(cells, np.array(places)[usable], rows[usable])
    return cells


def _fill(
    cells: npt.NDArray[np.void], places: npt.NDArray[np.intp], rows: npt.NDArray[np.float64]
) -> None:
    """Put in what usable log probabilities come to; the gold's stand first."""
    if not places.size:
        return
    most, gold = rows.max(axis=1), rows[:, 0]
    shifted = np.exp(rows - most[:, None])
    whole = shifted.sum(axis=1)
    rank = 1 + np.count_nonzero(rows[:, 1:] >= gold[:, None], axis=1)
    state = ScoreState.USABLE + np.where(rank == 1, ScoreState.CORRECT, 0)
    cells["state"][places] += state.astype(np.uint8)
    cells["rank"][places] = rank
    cells["p_top"][places] = 1 / whole
    cells["p_gold"][places] = shifted[:, 0] / whole
    cells["mass"][places] = np.exp(rows).sum(axis=1)


def write(
    project: OpenProject,
    series: int,
    added: Sequence[GradedScore],
    changed: Sequence[GradedScore] = (),
) -> None:
    """Keep new scores of a series, and others in the place of those there. In a transaction."""
    connection = project.connection
    db.option_scores.insert_scores(connection, series, [one.stored for one in added])
    db.option_scores.replace_scores(connection, series, [one.stored for one in changed])
    db.option_score_arrays.record(connection, series, cells_of([*added, *changed]))


def texts_of(option_list: OptionList, texts: Mapping[int, str]) -> list[str]:
    """The options of a list, or what stands for them where their texts are unknown."""
    if option_list.texts is None:
        return [UNNAMED.format(place) for place in range(option_list.length)]
    return [texts[number] for number in option_list.texts]


def read_options(project: OpenProject, fact: int, count: int) -> list[str] | None:
    """So many options of a fact as they were chosen when it was first asked about."""
    connection = project.connection
    for one in db.option_scores.lists_of(connection, [fact]):
        if one.length == count and one.chosen:
            return texts_of(one, db.option_scores.texts_of(connection, one.texts or ()))
    return None


def ensure_list(project: OpenProject, fact: int, options: Sequence[str]) -> int:
    """The list of these options of a fact, the gold first; one that is new is chosen for all.

    Inside a transaction.
    """
    connection = project.connection
    numbers = db.option_scores.numbers_of(connection, options)
    for one in db.option_scores.lists_of(connection, [fact]):
        if one.chosen and one.texts == numbers:
            return one.id
    return db.option_scores.insert_list(connection, fact, len(numbers), numbers, chosen=True)


def compute_arrays(project: OpenProject) -> Iterator[tuple[int, npt.NDArray[np.void]]]:
    """The arrays of every series as they follow from the scores, for checks and repair."""
    connection = project.connection
    golds = golds_of(project)
    for series in db.option_scores.read_series(connection):
        scores = [
            GradedScore(one, golds.get(one.fact, ()))
            for one in db.option_scores.scores_of(connection, series.id)
        ]
        yield series.id, cells_of(scores)


def arrays_are_stale(project: OpenProject) -> bool:
    """Whether the arrays differ from the scores they were made from."""
    connection = project.connection
    with read_transaction(connection):
        for series, rows in compute_arrays(project):
            facts = db.option_score_arrays.length_of(connection, series)
            if rows.size and int(rows["fact"].max()) >= facts:
                return True
            for part, kind in db.option_score_arrays.PARTS.items():
                dense = np.zeros(facts, kind)
                dense[rows["fact"]] = rows[part]
                stored = db.option_score_arrays.load(connection, [series], part, facts)[0]
                if not np.allclose(dense, stored, rtol=1e-9, atol=0):
                    return True
    return False


def repair(project: OpenProject) -> None:
    """Make the arrays anew from the scores."""
    with write_transaction(project.connection):
        db.option_score_arrays.replace(project.connection, compute_arrays(project))
