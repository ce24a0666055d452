"""What keys and readings make of the state of the Confusion screen, without an app."""

from dataclasses import replace

import pytest

from core.views.disagreements.disagreement_card import DisagreementCard
from core.views.lens import Thinking
from core.vocabulary import Label
from tests.core.views.making import change_graders
from tests.tui.screens.confusion.making import (
    CROSSING,
    LENS,
    RATES,
    ROWS,
    TEXTS,
    TWINS,
    C,
    I,
    P,
    card,
    queue,
)
from tui.screens.confusion.state import (
    NO_NEWS,
    ConfusionState,
    Decision,
    LastDecision,
    MarkedQueue,
    News,
    OpenedQueue,
)

SECOND = 1_000_000_000
NOON = 1_700_000_000 * SECOND


def opened(at: int = 0, decided: tuple[Label | None, ...] = ()) -> ConfusionState:
    """A state with the queue open at a place, at a fixed time."""
    state = ConfusionState(clock=lambda: NOON, lens=LENS)
    state.take_opened(OpenedQueue(CROSSING, queue(decided), RATES, card(at), dict(TEXTS)))
    return state


def decide(state: ConfusionState, label: Label = C) -> Decision:
    assert state.card is not None
    decision = state.decide(state.card, state.card.slot, label)  # slots are places
    assert decision is not None
    return decision


def marked(state: ConfusionState, slot: int | None, *decided: Label | None) -> MarkedQueue:
    """The queue in sight as the file has it, with other decisions."""
    assert state.queue is not None
    now = replace(state.queue, decided=queue(decided).decided)
    return MarkedQueue(now, RATES, None if slot is None else card(slot))


def labels(state: ConfusionState) -> list[Label | None]:
    assert state.queue is not None
    return [state.queue.row(place).decision for place in range(len(ROWS))]


def test_an_opened_queue_begins_at_its_card_and_forgets_what_was_before() -> None:
    state = opened()
    decide(state)
    state.news, state.unreadable, state.opening = News(3), {4}, True
    assert state.take_opened(OpenedQueue(CROSSING, queue(), RATES, card(3), {})) == 3
    assert (state.card, state.cards, state.texts) == (card(3), {}, {})
    assert (state.news, state.last, state.offer) == (NO_NEWS, None, None)
    assert (state.unreadable, state.opening) == (set(), False)
    assert state.unwritten == 1


def test_an_empty_queue_has_no_card() -> None:
    state = ConfusionState()
    assert state.take_opened(OpenedQueue(CROSSING, queue(), RATES, None, {})) == 0
    assert state.shown_card is None


def test_another_model_is_the_same_queue_and_another_grader_is_not() -> None:
    state = opened()
    assert state.is_opened_for(LENS)
    assert state.is_opened_for(replace(LENS, model="m"))
    assert not state.is_opened_for(change_graders(LENS, a="llm:third"))
    assert not state.is_opened_for(replace(LENS, thinking=Thinking.OFF))
    assert not ConfusionState().is_opened_for(LENS)


def test_a_decision_is_in_the_queue_at_once_and_goes_on_to_the_next_undecided() -> None:
    state = opened(0, (None, I, None))
    decision = decide(state)
    assert labels(state)[:3] == [C, I, None]
    assert (decision.following, decision.then) == (2, 2)
    assert (decision.place, decision.card.slot, decision.offer.label) == (0, 0, C)
    assert state.unwritten == 1
    assert state.last == LastDecision(replace(card(0), own=C), 2)
    assert state.rates is not None
    assert state.rates.decided == 2
    assert state.rates.times[0] == NOON // 1_000_000


def test_the_last_decision_keeps_its_card_open() -> None:
    state = opened(2, (C, C, None, C, C, C))
    decision = decide(state, P)
    assert (decision.following, decision.then) == (None, 2)
    assert state.card == replace(card(2), own=P)
    assert state.find_decision_before(2) is None


def test_what_is_not_under_the_cursor_is_not_decided() -> None:
    state = opened(0)
    assert state.decide(card(0), 1, C) is None
    assert state.decide(card(0), None, C) is None
    assert ConfusionState().decide(card(0), 0, C) is None
    assert labels(state) == [None] * len(ROWS)
    assert (state.unwritten, state.last) == (0, None)


def test_same_answers_are_offered_until_the_next_decision() -> None:
    state = opened(0)
    state.card = replace(card(0), twins=(*TWINS, replace(TWINS[0], slot=200, own=C)))
    assert decide(state).offer.slots == tuple(one.slot for one in TWINS)
    assert state.offer is not None
    state.card = card(1)
    decide(state)
    assert state.offer is None


def test_a_decision_made_blind_says_so_and_what_is_decided_is_not_hidden() -> None:
    state = opened(0)
    state.blind = True
    assert state.hidden
    assert decide(state).offer.blind
    state.card = replace(card(0), own=C)
    assert not state.hidden


def test_a_card_that_comes_late_is_not_shown() -> None:
    state = opened(0)
    assert not state.take_card(1, card(1), here=2)
    assert state.card == card(0)
    assert state.take_card(2, card(2), here=2)
    assert state.card_of(2) == card(2)
    assert state.card_of(1) is None


def test_a_card_that_is_gone_is_unreadable_and_the_shown_one_is_not_its() -> None:
    state = opened(0)
    assert not state.take_card(3, None, here=3)
    assert state.unreadable == {3}
    assert state.card_of(3) is None


def test_cards_are_read_ahead_once_and_far_ones_forgotten() -> None:
    state = opened(0, (None, C, None, None, None, None))
    wanted = state.list_unread(0)
    assert wanted == [2, 3, 4, 5, 0, 1]
    assert state.queue is not None
    state.take_ahead(state.queue, wanted[:4], [card(2), card(3), card(5)])
    assert set(state.cards) == {2, 3, 5}
    assert state.unreadable == {4}
    assert state.list_unread(0) == [0, 1]
    state.cards[99] = card(0)
    state.list_unread(0)
    assert 99 not in state.cards


def test_cards_read_ahead_for_another_queue_are_dropped() -> None:
    state = opened(0)
    before = state.queue
    assert before is not None
    state.ahead = True
    state.take_opened(OpenedQueue(CROSSING, queue(), RATES, card(0), {}))
    state.take_ahead(before, [1], [card(1)])
    assert (state.cards, state.ahead) == ({}, False)


def test_marks_read_while_something_is_written_are_dropped() -> None:
    state = opened(0)
    decision = decide(state)
    assert not state.take_marked(marked(state, 1), 1)
    assert labels(state)[0] is C
    state.end_decision(decision)
    assert state.take_marked(marked(state, 1, I), 1)
    assert labels(state)[0] is I
    assert state.card == card(1)
    assert state.take_marked(marked(state, 3, I), 1)
    assert state.card == card(1)


def test_what_is_written_replaces_what_was_read_of_its_fact() -> None:
    state = opened(0)
    decision = decide(state)
    elsewhere = replace(card(5), fact=9)
    state.cards = {2: card(2), 5: elsewhere}
    state.take_card(1, card(1), 1)
    state.end_decision(decision)
    fresh = marked(state, 1, C)
    assert not state.take_written(fresh, 1)
    assert state.cards == {5: elsewhere}
    state.end_decision(decision)
    assert state.take_written(fresh, 2)  # another card of that fact is in sight
    state.end_decision(decision)
    state.card = elsewhere
    assert not state.take_written(fresh, 5)
    assert not state.take_written(fresh, 2)


def test_of_decisions_made_at_once_all_facts_are_read_anew() -> None:
    state = opened(0)
    first = decide(state)
    elsewhere = replace(card(5), fact=9)
    state.end_decision(first)
    state.end_decision(replace(first, card=elsewhere))
    state.cards = {2: card(2), 5: elsewhere, 4: replace(card(4), fact=8)}
    state.take_written(marked(state, 4, C), 4)
    assert list(state.cards) == [4]


def test_a_decision_that_cannot_be_written_is_taken_back() -> None:
    state = opened(0)
    decision = decide(state)
    assert state.fail_decision(decision)
    assert labels(state)[0] is None
    assert (state.unwritten, state.last, state.offer) == (0, None, None)


def test_a_failed_decision_leaves_a_queue_alone_that_is_another() -> None:
    state = opened(0)
    decision = decide(state)
    other = queue()
    columns = replace(other.columns, slot=other.columns.slot + 50)
    state.queue = replace(other, columns=columns)
    assert not state.fail_decision(decision)
    assert state.unwritten == 0
    state.unwritten, state.queue = 1, None
    assert not state.fail_decision(decision)


def test_undoing_shows_the_card_it_leads_to_if_it_is_in_the_queue() -> None:
    state = opened(3)
    state.cards = {1: card(1)}
    state.take_undone(marked(state, 0), 0)
    assert (state.card, state.cards) == (card(0), {})
    state.take_undone(marked(state, None), None)
    assert state.card == card(0)


def keep(state: ConfusionState, shown: DisagreementCard, text: str) -> bool:
    return state.keep_note(state.add_note(shown), text)


def test_a_note_waits_for_the_decision_and_goes_with_it() -> None:
    state = opened(0)
    assert not keep(state, card(0), "odd")
    assert state.shown_card is not None
    assert state.shown_card.note == "odd"
    decision = decide(state)
    assert decision.note == "odd"
    assert state.find_decision_before(1) == LastDecision(replace(card(0), own=C, note="odd"), 1)
    state.end_decision(decision)
    assert state.notes == {}


def test_a_note_on_the_decision_made_before_is_written_and_stays_on_it() -> None:
    state = opened(0)
    decide(state)
    before = state.find_decision_before(1)
    assert before is not None
    assert state.keep_note(before.card, "late")
    again = state.find_decision_before(1)
    assert again == replace(before, card=replace(before.card, note="late"))
    assert not state.keep_note(again.card, "late")  # the same note is not written twice
    assert state.notes == {}


def test_news_of_a_queue_out_of_sight_is_dropped() -> None:
    state = opened(0)
    before = state.queue
    assert before is not None
    assert state.take_news(before, News(2))
    state.take_opened(OpenedQueue(CROSSING, queue(), RATES, card(0), {}))
    assert not state.take_news(before, News(5))
    assert state.news == NO_NEWS


def test_rows_in_sight_are_read_where_an_answer_is_missing() -> None:
    state = opened(0)
    assert not state.unread_rows([0, 1, 2])
    del state.texts[2]
    assert state.unread_rows([1, 2, 3]) == range(len(ROWS))
    assert not state.unread_rows([])
    assert not ConfusionState().unread_rows([0])


def test_clearing_for_a_lens_keeps_how_it_is_looked_at_and_what_is_being_written() -> None:
    state = opened(0)
    state.step_grouping()
    state.blind = True
    decide(state)
    state.clear_for(change_graders(LENS, b=None))
    assert (state.by, state.blind, state.unwritten) == ("model", True, 1)
    assert (state.queue, state.card, state.crossing, state.last) == (None, None, None, None)
    assert state.lens == change_graders(LENS, b=None)
    assert state.clock() == NOON


def test_another_database_leaves_nothing() -> None:
    state = opened(0)
    state.blind = True
    decide(state)
    clock = state.clock
    state.clear()
    assert state == ConfusionState(clock)


@pytest.mark.parametrize("place", [0, 1])
def test_a_note_right_after_a_rejection_is_on_that_and_the_one_before_goes_with_it(
    place: int,
) -> None:
    state = opened(0)
    assert not keep(state, card(0), "odd")
    state.take_rejected(card(0), "gold is wrong", "odd", place)
    assert state.notes == {}
    before = state.find_decision_before(place)
    assert before == LastDecision(replace(card(0), note="odd"), place, "gold is wrong")
    assert state.keep_note(before.card, "very odd")
    again = state.find_decision_before(place)
    assert again is not None
    assert again.card.note == "very odd"
    assert state.notes == {}
