"""Queues hold every disagreement once, in order of consequence, with what each would change."""

from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import pairwise, product

import pytest

from core.project import OpenProject
from core.scoring.policy import Policy
from core.views.disagreements import disagreement_queue
from core.views.disagreements.disagreement_filter import DisagreementFilter
from core.views.disagreements.disagreement_queue import (
    ConsequenceGroup,
    DisagreementQueue,
    DisagreementRow,
    RowFate,
    mark_queue,
)
from core.views.fact_case import LabelChange, case_of
from core.views.session import Session
from core.vocabulary import LABELS, TASK_INDEX, Label, Strategy
from db.slot_ids import unpack
from tests.core.views.making import MODEL, A, B, chances, given, lens_of, snapshot_of


def rows(queue: DisagreementQueue) -> list[DisagreementRow]:
    return [queue.row(place) for place in range(len(queue))]


@pytest.fixture
def session(project: OpenProject) -> Iterator[Session]:
    chances(project, 5)
    with closing(Session(project.path)) as made:
        made.open(lens_of(MODEL, a=A, b=B))
        yield made


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_each_row_against_the_case_of_its_fact(project: OpenProject, seed: int) -> None:
    """Codes and grades before and after, and the group, recomputed fact by fact."""
    chances(project, seed)
    groups = set()
    with closing(Session(project.path)) as session:
        for tau, strategy in product((0.25, 0.5), Strategy):
            lens = lens_of(MODEL, a=A, b=B, policy=Policy(tau=tau, strategy=strategy))
            session.look(lens)
            snapshot = snapshot_of(
                project, lens_of(MODEL, a=A, b=B, people=False, policy=lens.policy)
            )
            for row in rows(session.confusions.queue(DisagreementFilter())):
                case = case_of(snapshot, row.fact, snapshot.models.index(row.model))
                change = LabelChange(row.task, row.thinking, row.a, row.b)
                before, after = case.verdicts([(), (change,)])
                assert (row.before, row.after) == (before.code, after.code)
                old = case.grade(row.task, row.thinking)
                new = case.grade(row.task, row.thinking, change)
                assert row.g == (None if old is None else pytest.approx(float(old)))
                assert row.g_after == (None if new is None else pytest.approx(float(new)))
                state = case.question_passes(row.task, row.thinking)
                moved = state != case.question_passes(row.task, row.thinking, change)
                is_other = before.number != after.number
                group = (
                    ConsequenceGroup.PROFILE
                    if is_other
                    else ConsequenceGroup.QUESTION
                    if moved
                    else ConsequenceGroup.REST
                )
                assert row.group is group
                groups.add(group)
    assert groups == set(ConsequenceGroup)


def test_rows_are_the_answers_that_differ(session: Session, project: OpenProject) -> None:
    queue = session.confusions.queue(DisagreementFilter())
    found = rows(queue)
    assert len({row.slot for row in found}) == len(found) == sum(queue.sizes)
    listed = {
        key: (a, b)
        for key, a, b in project.connection.execute(
            "SELECT id, label_a, label_b FROM v_disagreements WHERE grader_a = ? AND grader_b = ? "
            "UNION SELECT id, label_b, label_a FROM v_disagreements "
            "WHERE grader_b = ?1 AND grader_a = ?2",
            (A, B),
        )
    }
    assert {row.slot: (row.a, row.b) for row in found} == listed
    for row in found:
        question, _, sample = unpack(row.slot)
        assert question == queue.index.questions[row.fact, TASK_INDEX[row.task]]
        assert (sample, row.model) == (row.sample, MODEL)
        assert row.heading == session.snapshot.headings[row.fact]


def test_the_order(session: Session) -> None:
    found = rows(session.confusions.queue(DisagreementFilter()))
    keys = [
        (row.group, row.flips, row.fact, TASK_INDEX[row.task], row.thinking, row.sample)
        for row in found
    ]
    assert all(one < other for one, other in pairwise(keys))
    assert {row.flips for row in found if row.group is not ConsequenceGroup.REST} == {1}
    assert len({row.flips for row in found if row.group is ConsequenceGroup.REST}) > 1


def test_filters_take_rows_away_and_keep_the_order(session: Session) -> None:
    whole = rows(session.confusions.queue(DisagreementFilter()))
    cell = (Label.CORRECT, Label.INCORRECT)
    wanted: list[tuple[DisagreementFilter, Callable[[DisagreementRow], bool]]] = [
        (DisagreementFilter(cell=cell), lambda row: (row.a, row.b) == cell),
        (DisagreementFilter(task=whole[0].task), lambda row: row.task is whole[0].task),
        (DisagreementFilter(model=MODEL, category=""), lambda row: True),
        (DisagreementFilter(model="another"), lambda row: False),
    ]
    for among, fits in wanted:
        found = [row.slot for row in rows(session.confusions.queue(among))]
        assert found == [row.slot for row in whole if fits(row)]


def test_going_through(session: Session) -> None:
    session.name = "mira"
    queue = session.confusions.queue(DisagreementFilter())
    assert queue.find_undecided() == 0
    last = len(queue) - 1
    for place, label in ((1, queue.row(1).a), (last, queue.row(last).b)):
        session.confusions.decide(queue.row(place).slot, given(label))
    third = next(label for label in LABELS if label not in (queue.row(3).a, queue.row(3).b))
    session.confusions.decide(queue.row(3).slot, third)
    assert queue.done == 0
    marked = session.confusions.mark_queue(queue)
    assert [marked.row(place).right for place in (0, 1, 2, 3, last)] == [
        None,
        "A",
        None,
        "neither",
        "B",
    ]
    assert marked.row(3).decision is third
    assert marked.done == 3
    assert [marked.find_undecided(place) for place in (-1, 0, 2, last - 1, last)] == [0, 2, 4, 0, 0]
    assert marked.place_of(queue.row(3).slot) == 3
    assert marked.place_of(0) is None
    again = session.confusions.queue(DisagreementFilter())
    assert [row.slot for row in rows(again)] == [row.slot for row in rows(queue)]
    assert again.decided.tolist() == marked.decided.tolist()


def test_others_decisions_are_not_ones_own(session: Session) -> None:
    session.name = "mira"
    queue = session.confusions.queue(DisagreementFilter())
    session.confusions.decide(queue.row(0).slot, Label.OTHER)
    session.name = "ben's friend"
    assert session.confusions.mark_queue(queue).done == 0


def test_others_decisions_are_named_and_filtered_for(session: Session) -> None:
    session.name = "zoe"
    queue = session.confusions.queue(DisagreementFilter())
    row = queue.row(1)
    session.confusions.decide(row.slot, given(row.b))
    session.name = "mira"
    marked = session.confusions.mark_queue(queue)
    named = {one.slot: dict(one.others).get("zoe") for one in rows(marked)}  # ada has some, too
    assert {slot: label for slot, label in named.items() if label} == {row.slot: row.b}
    assert not marked.row(1).contradicted
    session.confusions.decide(row.slot, given(row.a))
    assert session.confusions.mark_queue(queue).row(1).contradicted
    filtered = session.confusions.queue(DisagreementFilter(by_others=True))
    assert [one.slot for one in rows(filtered)] == [one.slot for one in rows(marked) if one.others]
    card = session.confusions.card(row.slot)
    assert card is not None
    assert ("zoe", row.b) in [(one.name, one.label) for one in card.remarks]


def test_questions_rejected_or_edited_are_decided_until_that_is_undone(session: Session) -> None:
    session.name = "mira"
    queue = session.confusions.queue(DisagreementFilter())
    card = session.confusions.card(queue.row(0).slot)
    assert card is not None
    session.reviews.reject(card.key, "unclear")
    marked = session.confusions.mark_queue(queue)
    same = [one.place for one in rows(queue) if one.fact == queue.row(0).fact]
    assert [one.place for one in rows(marked) if one.fate is RowFate.REJECTED] == same
    session.undo()
    session.reviews.accept_alias(card.key, "another name")
    marked = session.confusions.mark_queue(queue)
    assert marked.row(0).fate is RowFate.EDITED
    assert marked.find_undecided() != 0
    session.undo()
    assert {one.fate for one in rows(session.confusions.mark_queue(queue))} == {RowFate.OPEN}


def test_marks_carried_forward_are_those_made_anew(session: Session) -> None:
    """Labels of several people, withdrawn and undone ones, a rejection, an edit, another queue."""
    session.name = "mira"
    confusions = session.confusions
    queue, other = (
        confusions.queue(one) for one in (DisagreementFilter(), DisagreementFilter(model=MODEL))
    )

    def check(opened: DisagreementQueue) -> None:
        kept = confusions.mark_queue(opened)
        anew = mark_queue(session.project, session.snapshot, opened, session.name)
        assert rows(kept) == rows(anew)
        assert kept.columns is opened.columns

    slots = [one.slot for one in rows(queue)]
    for slot in (slots[0], slots[-1], slots[3]):
        confusions.decide(slot, Label.OTHER)
        check(queue)
    confusions.decide(slots[1], Label.CORRECT, looks=False)
    confusions.decide(slots[2], Label.INCORRECT, also=slots[4:6])
    check(queue)
    session.withdraw(slots[0])
    check(queue)
    session.name = "zoe"
    check(queue)
    confusions.decide(slots[1], Label.PARTIALLY)
    session.name = "mira"
    check(queue)
    session.undo()
    check(queue)
    check(other)
    card = confusions.card(slots[0])
    assert card is not None
    session.reviews.reject(card.key, "unclear")
    check(queue)
    session.undo()
    check(queue)
    session.reviews.accept_alias(card.key, "another name")
    check(queue)


def test_what_is_decided_at_once_is_looked_at_after_the_last(session: Session) -> None:
    session.name = "mira"
    queue, before = session.confusions.queue(DisagreementFilter()), session.snapshot
    slots = [one.slot for one in rows(queue)][:3]
    for slot in slots[:2]:
        assert session.confusions.decide(slot, Label.OTHER, looks=False)[1] is before
    assert session.confusions.decide(slots[2], Label.OTHER)[1] is session.snapshot is not before
    assert session.confusions.mark_queue(queue).done == 3


def test_own_decisions_leave_the_crossing_as_it_is(session: Session) -> None:
    session.name = "mira"
    session.refresh()  # the first look of an idle session, by which it knows what others change
    source, every = session.confusions, DisagreementFilter()
    queue = source.queue(every)
    source.decide(queue.row(1).slot, Label.OTHER)  # a first label makes the person a grader
    crossing = source.cross_graders(every)
    source.decide(queue.row(0).slot, Label.OTHER)
    assert source.cross_graders(every) is crossing
    model = source.cross_graders(DisagreementFilter(model=MODEL))
    assert model is not crossing
    again = source.cross_graders(every).whole.table.matrix
    assert again.tolist() == crossing.whole.table.matrix.tolist()
    session.look(session.snapshot.lens.with_policy(tau=0.75))
    assert source.cross_graders(every) is not crossing


@pytest.mark.parametrize("looked_through", [1, 3, 1024])
def test_undecided_places_are_those_of_a_plain_look(
    session: Session, monkeypatch: pytest.MonkeyPatch, looked_through: int
) -> None:
    monkeypatch.setattr(disagreement_queue, "LOOKED_THROUGH", looked_through)
    queue = session.confusions.queue(DisagreementFilter())
    for place in (0, 1, 4, len(queue) - 1):
        queue = queue.mark_place(place, Label.OTHER)
    open_ = [place for place in range(len(queue)) if not queue.decided[place]]
    for after, count in product((-1, 0, 3, len(queue) // 2, len(queue) - 1), (1, 5, len(queue))):
        behind = [one for one in open_ if one > after] + [one for one in open_ if one <= after]
        assert queue.list_undecided(after, count) == behind[:count]


def test_nothing_left(session: Session) -> None:
    session.name = "mira"
    queue = session.confusions.queue(DisagreementFilter(cell=(Label.PARTIALLY, Label.CORRECT)))
    assert len(queue)
    for row in rows(queue):
        session.confusions.decide(row.slot, Label.CORRECT)
    assert session.confusions.mark_queue(queue).find_undecided() is None


def test_another_threshold_is_another_queue(session: Session) -> None:
    before = session.confusions.queue(DisagreementFilter())
    snapshot = session.look(session.snapshot.lens.with_policy(tau=0.75))
    after = session.confusions.queue(DisagreementFilter())
    assert after.lens == snapshot.lens != before.lens
    assert set(before.columns.slot.tolist()) == set(after.columns.slot.tolist())
    assert before.sizes != after.sizes


def test_answers_of_rows(session: Session) -> None:
    queue = session.confusions.queue(DisagreementFilter())
    found = session.confusions.answers(queue, range(5))
    assert set(found) == {queue.row(place).slot for place in range(5)}
    for place in range(5):
        row = queue.row(place)
        card = session.confusions.card(row.slot)
        assert card is not None
        assert found[row.slot] == card.answer
