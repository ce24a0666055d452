"""Label counts, and what draws of a curtailed run may still bring."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from core.scoring.label_counts import (
    CurtailedDraws,
    LabelCounts,
    count_drawn,
    count_labels,
    find_columns,
    no_counts,
    no_facts,
    numbers,
)
from core.scoring.policy import Policy
from core.vocabulary import LABELS, TASKS, Strategy
from db.label_grids import DRAWN, Cells, LabelMatrix

TASK_COUNT = len(TASKS)
PLANNED = 8


def tally(
    drawn: list[int], labelled: list[int], planned: list[int], exists: list[bool] | None = None
) -> LabelCounts:
    """One model's setting; each number is of one fact's first task, its labels are CORRECT."""
    facts = len(drawn)

    def first(values: list[int]) -> "np.ndarray[tuple[int, ...], np.dtype[np.uint16]]":
        column = np.zeros((1, TASK_COUNT, facts), np.uint16)
        column[0, 0] = values
        return column

    labels = np.zeros((1, len(LABELS), TASK_COUNT, facts), np.uint16)
    labels[0, 0, 0] = labelled
    there = np.zeros((TASK_COUNT, facts), np.bool_)
    there[0] = exists or [True] * facts
    rows = np.array([[0, -1]], np.intp)
    plan = CurtailedDraws(first(planned), ({},))
    return LabelCounts(["m"], rows, labels, first(drawn), there, plan)


def left(found: LabelCounts) -> list[int]:
    counts = found.count_left()
    assert counts is not None
    assert not counts[0, 1:].any()
    values: list[int] = counts[0, 0].tolist()
    return values


def test_labels_may_come_of_draws_and_of_answers_that_wait_for_theirs() -> None:
    assert left(tally([0, 3, 3, 7], [0, 3, 1, 2], [PLANNED] * 4)) == [8, 5, 7, 6]


def test_a_question_with_all_its_draws_has_none_left_whatever_labels_it_lacks() -> None:
    assert left(tally([PLANNED] * 3, [PLANNED, 5, 0], [PLANNED] * 3)) == [0, 0, 0]
    assert left(tally([9, 12], [4, 12], [PLANNED] * 2)) == [0, 0]


def test_what_nobody_asks_for_has_none_left() -> None:
    assert left(tally([0, 3], [0, 1], [0, 0])) == [0, 0]
    assert left(tally([0], [0], [PLANNED], exists=[False])) == [0]
    assert no_counts().count_left() is None
    assert no_counts().find_skipping(Policy()) is None


def test_labels_of_all_four_kinds_come_no_more() -> None:
    found = tally([4], [1], [PLANNED])
    found.labels[0, :, 0, 0] = (1, 1, 1, 1)
    assert left(found) == [4]


def test_a_curtailed_run_is_valid_for_its_own_policy_model_and_facts() -> None:
    policy = Policy(0.3, Strategy.PARTIAL, 0.25)
    assert numbers(policy) == (Fraction(3, 10), Strategy.PARTIAL, Fraction(1, 4))
    empty, exists = no_counts(), np.ones((len(TASKS), 2), np.bool_)
    curtailed = CurtailedDraws(empty.drawn, ({}, {numbers(policy): np.array([True, False])}))
    found = LabelCounts(
        ["a", "b"], np.full((2, 2), -1, np.intp), empty.labels, empty.drawn, exists, curtailed
    )
    skipping = found.find_skipping(policy)
    assert skipping is not None
    assert skipping.tolist() == [[False, False], [True, False]]
    for other in (Policy(0.4, Strategy.PARTIAL, 0.25), Policy(0.3), Policy(0.3, Strategy.PARTIAL)):
        skipping = found.find_skipping(other)
        assert skipping is not None
        assert not skipping.any()


def two_models() -> LabelCounts:
    """Model a has both settings, in the rows 2 and 0; b has thinking on alone, in row 1."""
    rows = np.array([[2, 0], [-1, 1]], np.intp)
    numbered = np.arange(3, dtype=np.uint16)
    labels = np.broadcast_to(numbered[:, None, None, None], (3, len(LABELS), TASK_COUNT, 1))
    drawn = np.broadcast_to(10 + numbered[:, None, None], (3, TASK_COUNT, 1))
    planned = np.broadcast_to(20 + numbered[:, None, None], (3, TASK_COUNT, 1))
    valid = tuple({numbers(Policy(tau)): np.array([True])} for tau in (0.1, 0.2))
    exists = np.ones((TASK_COUNT, 1), np.bool_)
    return LabelCounts(["a", "b"], rows, labels, drawn, exists, CurtailedDraws(planned, valid))


def test_one_model_alone_keeps_its_rows() -> None:
    whole = two_models()
    for place, name, rows in ((0, "a", [2, 0]), (1, "b", [1])):
        one = whole.select_model(place)
        assert one.models == [name]
        assert one.labels[:, 0, 0, 0].tolist() == rows
        assert one.drawn[:, 0, 0].tolist() == [10 + row for row in rows]
        assert one.curtailed is not None
        assert one.curtailed.planned[:, 0, 0].tolist() == [20 + row for row in rows]
        assert one.curtailed.valid == whole.curtailed.valid[place : place + 1]  # type: ignore[union-attr]
    assert whole.select_model(0).rows.tolist() == [[0, 1]]
    assert whole.select_model(1).rows.tolist() == [[-1, 0]]


def test_one_model_of_those_that_no_run_curtails_is_not_curtailed() -> None:
    assert replace(two_models(), curtailed=None).select_model(1).curtailed is None


def test_drawn_answers_are_counted_question_by_question() -> None:
    """Of setting 0 the grid has the questions 1 and 2, of setting 1 nothing."""
    cells: Cells = np.array([[0, 1, 1], [0, 1, 0]], np.uint8)
    grids = LabelMatrix(questions=3, planes={DRAWN: {0: cells}})
    columns = find_columns(np.array([[1, 2], [9, 3]], np.int64), grids.questions)
    assert count_drawn(grids, 0, columns).tolist() == [[2, 0], [1, 0]]
    assert count_drawn(grids, 1, columns).tolist() == [[0, 0], [0, 0]]


def test_rows_are_found_by_name_and_thinking() -> None:
    whole = two_models()
    assert [whole.row("a", False), whole.row("a", True)] == [2, 0]
    assert [whole.row("b", False), whole.row("b", True)] == [None, 1]
    assert whole.row("c", True) is None
    assert whole.thinks().tolist() == [True, True]
    assert tally([0], [0], [0]).thinks().tolist() == [False]


def test_labels_are_counted_question_by_question() -> None:
    """Questions have the ids 1, 2, 3; what stands at 0 belongs to none, 9 has no answers."""
    cells: Cells = np.array([[4, 1, 2, 0], [4, 1, 3, 5], [4, 2, 4, 4]], np.uint8)
    columns = find_columns(np.array([[1, 2], [3, 0], [9, 4]], np.int64), 4)
    found = count_labels(cells, columns)
    assert found.shape == (len(LABELS), 2, 3)
    assert found[:, 0].T.tolist() == [[2, 1, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0]]
    assert found[:, 1].T.tolist() == [[0, 1, 1, 1], [0, 0, 0, 0], [0, 0, 0, 0]]
    none = count_labels(None, columns)
    assert none.shape == found.shape
    assert not none.any()


@pytest.mark.parametrize("samples", [255, 256, 300])
def test_more_samples_than_a_byte_counts_are_counted(samples: int) -> None:
    cells: Cells = np.repeat(np.array([[0, 1, 4]], np.uint8), samples, axis=0)
    columns = find_columns(np.array([[1, 2]], np.int64), 3)
    assert count_labels(cells, columns)[:, :, 0].T.tolist() == [
        [samples, 0, 0, 0],
        [0, 0, 0, samples],
    ]
    grids = LabelMatrix(questions=3, planes={DRAWN: {0: (cells > 0).astype(np.uint8)}})
    assert count_drawn(grids, 0, columns).tolist() == [[samples], [samples]]


def test_counts_are_put_where_there_is_room_for_them() -> None:
    columns = find_columns(np.array([[1, 2]], np.int64), 3)
    room = np.full((3, len(LABELS), 2, 1), 7, np.uint16)
    count_labels(np.array([[0, 1, 2]], np.uint8), columns, room[1])
    assert room[1].tolist() == [[[1], [0]], [[0], [1]], [[0], [0]], [[0], [0]]]
    count_labels(None, columns, room[2])
    assert not room[2].any()
    assert (room[0] == 7).all()


def test_an_empty_project_has_nothing() -> None:
    assert len(no_facts()) == 0
    facts = no_facts()
    for column in (facts.ids, facts.views, facts.flagged, facts.rejected):
        assert column.shape == (0,)
    assert (facts.fact_ids, facts.categories, facts.object_types) == ([], [], [])
    assert facts.questions.shape == (0, TASK_COUNT)
    counts = no_counts()
    assert counts.models == []
    assert counts.rows.shape == (0, 2)
    assert counts.labels.shape == (0, len(LABELS), TASK_COUNT, 0)
    assert counts.drawn.shape == (0, TASK_COUNT, 0)
    assert counts.exists.shape == (TASK_COUNT, 0)
