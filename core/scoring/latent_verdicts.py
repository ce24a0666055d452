"""What scores of options say of a fact beside its verdict: known where nobody asks, or not.

ZP-LKE: known is a fact whose object is the most probable of its options. What counts is the
setup that is taken where nothing else is said.
"""

import sqlite3
from collections.abc import Sequence
from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

import db.option_score_arrays
from core.vocabulary import CODE_ORDER
from db.connection import read_transaction
from db.option_score_arrays import ScoreState

if TYPE_CHECKING:
    from db.option_scores import SeriesKey

ZERO_PROMPT = "zero-prompt"
"""The form of an input that is nothing but subjects and objects."""

EXAMPLES, OPTIONS = 50, 100
"""Examples before a subject, and options, where nothing else is said."""

Mask = npt.NDArray[np.bool_]
LatentMarks = npt.NDArray[np.uint8]
"""A `LatentMark` of each fact."""

_FAILURES = [CODE_ORDER.index(code) for code in ("EF", "RF")]
_RECALLED = CODE_ORDER.index("DR")


class LatentMark(IntEnum):
    """What scores say of a fact."""

    NOT_SCORED = 0
    UNKNOWN = 1
    KNOWN = 2


def read_latent_marks(
    connection: sqlite3.Connection, models: Sequence[str] | None, ids: npt.NDArray[np.int64]
) -> LatentMarks:
    """Marks of facts (ids) for models (labels), shape (models, facts).

    None stands for whoever has scores, in one row: known is what any model knows.
    """
    with read_transaction(connection):
        if not db.option_score_arrays.has_scores(connection):
            return np.zeros((1 if models is None else len(models), len(ids)), np.uint8)
        from db import option_scores

        there = {one.key: one.id for one in option_scores.read_series(connection)}
        if models is None:
            every = read_latent_marks(connection, sorted({key.model for key in there}), ids)
            return np.asarray(every.max(axis=0, initial=0, keepdims=True), np.uint8)
        series = [there.get(series_key(model), 0) for model in models]
        if not any(series):
            return np.zeros((len(models), len(ids)), np.uint8)
        facts = int(ids.max(initial=0)) + 1
        state = db.option_score_arrays.load(connection, series, "state", facts)[:, ids].astype(
            np.uint8
        )
    usable = (state & ScoreState.USABLE) != 0
    known = (state & ScoreState.CORRECT) != 0
    marks = np.where(known, LatentMark.KNOWN, LatentMark.UNKNOWN)
    return np.where(usable, marks, LatentMark.NOT_SCORED).astype(np.uint8)


def series_key(model: str) -> "SeriesKey":
    """The setup that is taken where nothing else is said, of a model (label)."""
    from db.option_scores import SeriesKey

    return SeriesKey(model, ZERO_PROMPT, EXAMPLES, 0, 0, "", OPTIONS)


def find_contradicting(codes: npt.NDArray[np.integer], scored: Mask, known: Mask) -> Mask:
    """Where verdicts (places in `CODE_ORDER`) and scores say the opposite of facts.

    EF or RF though the object is the most probable, DR though it is not.
    """
    failed = np.isin(codes, _FAILURES)
    found: Mask = scored & ((failed & known) | ((codes == _RECALLED) & ~known))
    return found


def select_latent(word: str, marks: LatentMarks, codes: npt.NDArray[np.integer]) -> Mask:
    """Where a word of `core.dataset.fact_filters.LATENT_WORDS` holds, in the shape of the marks."""
    if word == "contradicts":
        return find_contradicting(codes, marks != LatentMark.NOT_SCORED, marks == LatentMark.KNOWN)
    found: Mask = marks == (LatentMark.KNOWN if word == "known" else LatentMark.UNKNOWN)
    return found
