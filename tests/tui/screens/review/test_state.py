"""What keys and readings make of the state of the Review screen, without an app."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.views.review.question_card import QuestionCard
from core.views.review.review_queue import QueueRequest, ReviewStatus
from core.views.session import Session
from core.vocabulary import TASKS, Outcome, QueueKind
from tests.core.making import Row, a_fact, new_project, put_facts, put_rows
from tests.core.views.making import change_graders
from tui.screens.review import loader, sentences
from tui.screens.review.state import KINDS, ReviewResult, ReviewState, ShownQueue

RANDOM = QueueRequest(QueueKind.RANDOM)
ACCEPTED = ReviewStatus("accepted", author="human:ann")
SIZE = 6


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    """Three facts with answers of a model, whose questions are sampled."""
    path = tmp_path / "p.db"
    with new_project(path) as project:
        put_facts(project, [a_fact(f"f{number}") for number in range(3)])
        grades = {"lexical": Outcome.CORRECT}
        put_rows(
            project,
            [
                Row(fact, task, "m", False, 0, grades)
                for fact in ("f0", "f1", "f2")
                for task in TASKS
                if not task.is_choice
            ],
        )
    session = Session(path)
    session.open()
    session.name = "ann"
    yield session
    session.close()


@pytest.fixture
def shown(session: Session) -> ShownQueue:
    """A sample, opened at its first question."""
    return loader.draw_sample(SIZE, RANDOM, session)


def opened(shown: ShownQueue) -> ReviewState:
    state = ReviewState(RANDOM)
    state.begin_opening()
    state.take_opened(shown)
    return state


def card_of(state: ReviewState) -> QuestionCard:
    assert state.shown is not None
    assert state.shown.card is not None
    return state.shown.card


def read_ahead(state: ReviewState, session: Session) -> None:
    assert state.shown is not None
    wanted, cards = loader.read_ahead(state.shown, tuple(state.ahead), session)
    state.take_ahead(state.shown.queue, wanted, cards)


def place_of(state: ReviewState) -> int | None:
    assert state.shown is not None
    return state.shown.place


def test_a_verdict_goes_on_to_a_card_that_was_read_ahead(
    session: Session, shown: ShownQueue
) -> None:
    state = opened(shown)
    read_ahead(state, session)
    first = card_of(state)
    decision = state.decide(first, 0, ACCEPTED)
    assert decision is not None
    assert (decision.painted, decision.leads, decision.queue) == (True, False, shown.queue)
    assert place_of(state) == 1
    assert state.card_at(1) == card_of(state)
    assert state.card_at(0) is None
    assert (state.unwritten, state.going) == (1, 0)
    assert state.last is not None
    assert (state.last.card, state.last.place, state.last.then) == (first, 0, 1)
    assert state.shown is not None
    assert state.shown.queue.row(0).standing == ACCEPTED
    state.end_decision(decision)
    assert (state.unwritten, state.going) == (0, 0)
    assert all(card.fact != first.fact for card in state.ahead.values())


def test_without_the_next_card_one_stays_until_the_verdict_is_written(shown: ShownQueue) -> None:
    state = opened(shown)
    decision = state.decide(card_of(state), 0, ACCEPTED)
    assert decision is not None
    assert (decision.painted, decision.leads) == (False, True)
    assert (place_of(state), state.going, state.last) == (0, 1, None)
    assert state.fail_decision(decision)
    assert (state.unwritten, state.going) == (0, 0)
    gone = decision._replace(place=SIZE)
    assert not state.fail_decision(gone)


def test_what_is_no_verdict_leads_nowhere(session: Session, shown: ShownQueue) -> None:
    state = opened(shown)
    read_ahead(state, session)
    state.rejecting = True
    decision = state.decide(card_of(state), 0, None)
    assert decision is not None
    assert (decision.painted, decision.leads, place_of(state)) == (False, False, 0)
    assert not state.rejecting
    assert ReviewState().decide(card_of(state), 0, None) is None


def test_what_was_written_waits_for_the_verdicts_behind_it(
    session: Session, shown: ShownQueue
) -> None:
    state = opened(shown)
    read_ahead(state, session)
    snapshot = session.open()
    later = loader.mark_queue(shown.queue, 3, session)
    done = ReviewResult(None, snapshot, later)
    first = state.decide(card_of(state), 0, ACCEPTED)
    second = state.decide(card_of(state), 1, ACCEPTED)
    assert first is not None
    assert second is not None
    state.end_decision(first)
    assert not state.take_written(done, None)
    assert place_of(state) == 2
    state.end_decision(second)
    before = card_of(state)
    assert state.take_written(done, 2)
    assert (place_of(state), card_of(state)) == (2, before)
    assert state.take_written(done, None)
    assert place_of(state) == 3
    assert state.snapshot is snapshot


def test_what_was_written_of_another_queue_is_not_shown(
    session: Session, shown: ShownQueue
) -> None:
    state = opened(shown)
    other = loader.open_queue(QueueRequest(), session)
    assert not state.take_written(ReviewResult(None, session.open(), other), None)
    assert state.shown == shown


def test_cards_read_ahead_for_another_queue_are_dropped(
    session: Session, shown: ShownQueue
) -> None:
    state = opened(shown)
    wanted, cards = loader.read_ahead(shown, (), session)
    assert cards
    state.looking_ahead = True
    other = replace(shown.queue, questions=(*shown.queue.questions[:-1],))
    state.take_ahead(other, wanted, cards)
    assert (state.ahead, state.looking_ahead) == ({}, False)
    state.take_ahead(shown.queue, wanted, cards)
    assert set(state.ahead) == {card.queued for card in cards}


def test_rows_in_sight_are_read_once(session: Session, shown: ShownQueue) -> None:
    state = opened(shown)
    assert state.unread_rows(range(SIZE)) == range(0)
    state.texts = {}
    assert state.unread_rows([2, 3]) == range(SIZE)
    assert state.unread_rows([]) == range(0)
    assert ReviewState().unread_rows([0]) == range(0)


def test_a_queue_is_opened_anew_where_other_graders_count(
    session: Session, shown: ShownQueue
) -> None:
    state, snapshot = opened(shown), session.open()
    assert not state.is_opened_for(snapshot)
    state.snapshot = snapshot
    assert state.is_opened_for(snapshot)
    assert state.has_facts
    other = replace(snapshot, lens=change_graders(snapshot.lens, a="strict"))
    assert not state.is_opened_for(other)


def test_what_is_new_belongs_to_the_queue_in_sight(shown: ShownQueue) -> None:
    state = opened(shown)
    assert state.take_new(shown.queue, 3)
    assert state.new == 3
    state.begin_opening()
    assert not state.take_new(shown.queue, 4)
    state.take_opened(shown)
    assert state.new == 0


def test_reasons_are_offered_until_another_question_is_open(
    session: Session, shown: ShownQueue
) -> None:
    state = opened(shown)
    state.rejecting = True
    state.take(loader.mark_queue(shown.queue, 0, session))
    assert state.rejecting
    state.take(loader.move_to(shown, 1, session))
    assert not state.rejecting


def test_a_card_that_cannot_be_had_is_unreadable_until_it_can(shown: ShownQueue) -> None:
    state = opened(shown)
    state.fail()
    assert (state.unreadable, state.opening) == (True, False)
    state.take(shown)
    assert (state.unreadable, place_of(state)) == (False, 0)


def test_queues_are_stepped_through_and_the_wanted_one_outlives_a_database(
    shown: ShownQueue,
) -> None:
    state = opened(shown)
    assert not state.want(None)
    assert not state.want(RANDOM)
    assert state.want(QueueRequest())
    for kind in reversed(KINDS):
        state.want_kind(kind)
        assert state.wanted.kind is kind
    state.want(RANDOM)
    state.clear()
    assert state == ReviewState(RANDOM)


def test_models_are_called_strong_only_where_weaker_ones_are_left_out() -> None:
    assert sentences.model_words((), 3, True) is None
    assert sentences.model_words(("gemma",), 3, True) == "gemma"
    assert sentences.model_words(("a", "b", "c"), 3, False) == "all 3 models"
    assert sentences.model_words(("a", "b", "c"), 4, False) == "3 strong"
    assert sentences.model_words(("a", "b", "c"), 4, True) == "3 strong models"
