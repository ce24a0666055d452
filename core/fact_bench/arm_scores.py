"""Scores of the answers of arms as arrays: those that are kept, and what they lack."""

import numpy as np
import numpy.typing as npt

import db.answer_score_arrays
import db.responses
from core.dataset.subsets import Mask
from core.fact_bench.bench_triples import BenchTriples
from core.graders.em.normal_form import AnswerKind
from core.graders.em.response_scores import score_response
from core.project import OpenProject
from db.answer_score_arrays import ROW, AnswerScoreRows
from db.connection import write_transaction
from db.label_grids import DRAWN
from db.slot_ids import slot, unpack

AT_ONCE = 5_000
"""Responses that are read at a time."""


def find_answered(project: OpenProject, triples: BenchTriples, setting: int) -> Mask:
    """Which triples have an answer in a setting."""
    return _at(project.grids.cells(DRAWN, setting), triples.questions) > 0


def first_labels(
    cells: npt.NDArray[np.uint8] | None, triples: BenchTriples
) -> npt.NDArray[np.uint8]:
    """The label of the first answer to each triple, 0 for none; `cells` are those of a grid."""
    return _at(cells, triples.questions)


def _at(
    cells: npt.NDArray[np.uint8] | None, questions: npt.NDArray[np.int64]
) -> npt.NDArray[np.uint8]:
    found = np.zeros(questions.shape, np.uint8)
    if cells is not None and len(cells):
        known = questions < cells.shape[1]
        found[known] = cells[0, questions[known]]
    return found


def read_scores(
    project: OpenProject, triples: BenchTriples, setting: int, mode: str
) -> AnswerScoreRows:
    """Scores of an arm's answers, shape (triples,); `question` is 0 where there is none.

    What is not kept, or was worked out with an earlier gold, is worked out from the response.
    """
    found, lacking = _kept_scores(project, triples, setting)
    _add_scores(project, triples, setting, mode, lacking, found)
    return found


def keep_scores(project: OpenProject, triples: BenchTriples, setting: int, mode: str) -> None:
    """Keep the scores of an arm's answers where any are not kept yet."""
    found, lacking = _kept_scores(project, triples, setting)
    if not lacking.size:
        return
    _add_scores(project, triples, setting, mode, lacking, found)
    kept = db.answer_score_arrays.load(project.connection, setting)
    others = kept[~np.isin(kept["question"], triples.questions)]
    rows = np.concatenate([found[found["question"] > 0], others])
    with write_transaction(project.connection):
        db.answer_score_arrays.store(project.connection, setting, rows, project.grids.seq)


def _kept_scores(
    project: OpenProject, triples: BenchTriples, setting: int
) -> tuple[AnswerScoreRows, npt.NDArray[np.intp]]:
    """Those that are kept, of questions and golds that are in use, and places that lack them."""
    kept = db.answer_score_arrays.load(project.connection, setting)
    answered = find_answered(project, triples, setting)
    if _is_all(kept, triples) and answered.all():  # by far the fastest, and how it mostly is
        return kept, np.zeros(0, np.intp)
    found = np.zeros(len(triples), ROW)
    if kept.size and len(triples):
        place = np.searchsorted(kept["question"], triples.questions)
        place[place == kept.size] = 0
        rows = kept[place]
        fits = (rows["question"] == triples.questions) & (rows["gold"] == triples.golds)
        found[fits] = rows[fits]
    found[~answered] = np.zeros((), ROW)
    return found, np.flatnonzero(answered & (found["question"] == 0))


def _is_all(kept: AnswerScoreRows, triples: BenchTriples) -> bool:
    """Whether the scores are those of all triples, in their order, with golds that are in use."""
    return np.array_equal(kept["question"], triples.questions) and np.array_equal(
        kept["gold"], triples.golds
    )


def _add_scores(
    project: OpenProject,
    triples: BenchTriples,
    setting: int,
    mode: str,
    lacking: npt.NDArray[np.intp],
    found: AnswerScoreRows,
) -> None:
    """Work out the scores of the answers at these places."""
    for start in range(0, lacking.size, AT_ONCE):
        places = lacking[start : start + AT_ONCE]
        of_question = {int(triples.questions[at]): int(at) for at in places}
        slots = [slot(question, setting, 0) for question in of_question]
        for response in db.responses.read_responses(project.connection, slots):
            at = of_question[unpack(response.slot)[0]]
            row = triples.rows[at]
            kind = AnswerKind(row.answer_type, row.unit)
            scores = score_response(response.text, (row.object, *row.aliases), kind, mode)
            values = (scores.em, scores.em_raw, scores.f1, scores.f1_raw)
            found[at] = (row.question, row.gold, *values)
