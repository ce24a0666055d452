"""Where a person is reading: the cursor belongs to an answer."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from core.views.session import Session
from core.vocabulary import Label, Task
from tests.tui.screens.task.making import answer_at, view_of
from tui.screens.task.state import AnswerPage, ReadQuestion, TaskState, find_slot, list_answers

BOTH = (False, True)


def reading_of(session: Session) -> TaskState:
    reading = TaskState(1, Task.REVERSE_NATURAL)
    reading.take(view_of(session), BOTH)
    return reading


def test_it_begins_at_the_first_answer(session: Session) -> None:
    reading = TaskState(1, Task.REVERSE_NATURAL)
    assert (reading.waiting, reading.answer) == (True, None)
    reading.take(view_of(session), BOTH)
    assert (reading.waiting, reading.view) == (False, view_of(session))
    assert reading.answer == answer_at(view_of(session), False, 0)


def test_off_runs_on_into_on(session: Session) -> None:
    reading = reading_of(session)
    for _ in range(8):
        assert reading.step(1, BOTH)
    assert reading.answer == answer_at(view_of(session), True, 0)
    assert reading.step(99, BOTH)
    assert not reading.step(1, BOTH)
    assert reading.answer == answer_at(view_of(session), True, 7)
    assert not reading.step(1, ())


def test_it_stays_on_its_answer(session: Session) -> None:
    reading = reading_of(session)
    reading.step(12, BOTH)
    slot = reading.slot
    reading.effects = {1: ()}
    reading.take(view_of(session), BOTH)
    assert (reading.slot, reading.effects) == (slot, {})


def test_another_task_is_opened_at_the_same_place(session: Session) -> None:
    reading = reading_of(session)
    reading.step(12, BOTH)
    reading.task = Task.REVERSE
    assert reading.waiting
    reading.take(view_of(session, Task.REVERSE), BOTH)
    assert reading.answer == answer_at(view_of(session, Task.REVERSE), True, 4)
    reading.take(view_of(session, Task.MC_REVERSE), BOTH)
    assert reading.answer == answer_at(view_of(session, Task.MC_REVERSE), False, 0)


def test_another_setting_is_read_at_the_same_place(session: Session) -> None:
    reading = reading_of(session)
    reading.step(12, BOTH)
    reading.take(view_of(session), (False,))
    assert reading.answer == answer_at(view_of(session), False, 4)


def test_a_page_that_an_answer_lacks_gives_way(session: Session) -> None:
    reading = reading_of(session)
    reading.page = AnswerPage.OPTIONS
    assert reading.shown_page.value == "judgement"
    reading.page = AnswerPage.ANSWER
    assert reading.shown_page.value == "answer"


def test_a_question_that_is_gone(session: Session) -> None:
    reading = reading_of(session)
    reading.take(None, BOTH)
    assert (reading.answer, reading.slot) == (None, None)
    assert not reading.step(1, BOTH)


@given(st.data())
def test_the_nearest_answer_that_is_left(data: st.DataObject) -> None:
    class View:
        answers = tuple(
            _Answer(thinking, sample)
            for thinking, sample in sorted(
                data.draw(st.sets(st.tuples(st.booleans(), st.integers(0, 9)), min_size=1))
            )
        )

    before = _Answer(data.draw(st.booleans()), data.draw(st.integers(0, 9)))
    settings = data.draw(st.sampled_from([(False,), (True,), BOTH]))
    found = find_slot(View, before, settings)  # type: ignore[arg-type]
    there = list_answers(View, settings)  # type: ignore[arg-type]
    if not there:
        assert found is None
        return
    chosen = next(one for one in there if one.slot == found)
    same = [one for one in there if one.thinking == before.thinking]
    assert not same or chosen in same
    assert all(
        abs(chosen.sample - before.sample) <= abs(one.sample - before.sample)
        for one in (same or there)
    )


class _Answer:
    def __init__(self, thinking: bool, sample: int) -> None:
        self.thinking, self.sample = thinking, sample
        self.slot = 100 * thinking + sample


def test_the_view_of_before_stays_until_the_new_one_is_read(session: Session) -> None:
    reading = reading_of(session)
    view = reading.view
    reading.fact = 2
    assert (reading.waiting, reading.view) == (True, view)
    assert view is not None
    reading.take(replace(view, fact=replace(view.fact, fact=2)), BOTH)
    assert (reading.waiting, reading.view == view) == (False, False)


def test_a_question_that_the_fact_lacks_is_said_and_another_one_is_open(session: Session) -> None:
    state = TaskState()
    state.open(1, Task.DIRECT)
    lacking = state.take_read(ReadQuestion(view_of(session), None))
    assert (lacking, state.task, state.waiting) == (Task.DIRECT, Task.REVERSE_NATURAL, False)
    assert state.take_read(ReadQuestion(view_of(session), None)) is None
    assert not state.absent
    assert state.take_read(ReadQuestion(None, None)) is None
    assert (state.absent, state.waiting) == (True, False)  # nothing comes that keys could wait for
    state.choose_fact(2)
    assert (state.absent, state.waiting) == (False, True)


def test_one_may_go_straight_into_an_answer_and_from_there_to_another_question(
    session: Session,
) -> None:
    state = TaskState()
    state.open(1, Task.REVERSE_NATURAL, (True, 4))
    assert state.direct
    state.take_read(ReadQuestion(view_of(session), ()))
    assert state.answer == answer_at(view_of(session), True, 4)
    assert state.effects == {state.slot: ()}
    assert state.settings_in_sight(narrow=True) == (True,)
    assert state.settings_in_sight(narrow=False) == BOTH
    state.open(1, Task.REVERSE_NATURAL, (True, 4))
    state.choose_task(Task.REVERSE)
    assert (state.task, state.sought, state.waiting) == (Task.REVERSE, None, True)
    state.open(1, Task.REVERSE_NATURAL, (True, 4))
    state.choose_fact(2)
    assert (state.fact, state.task, state.sought) == (2, Task.REVERSE_NATURAL, None)


def test_pages_are_turned_round(session: Session) -> None:
    state = reading_of(session)
    pages = []
    for _ in range(3):
        pages.append(state.shown_page)
        state.turn_page()
    assert pages == [AnswerPage.JUDGEMENT, AnswerPage.ANSWER, AnswerPage.JUDGEMENT]
    empty = TaskState()
    empty.turn_page()
    assert empty.shown_page is AnswerPage.JUDGEMENT


def test_a_note_waits_for_its_label(session: Session) -> None:
    state = reading_of(session)
    answer = state.answer
    assert answer is not None
    assert not state.keep_note(replace(answer, own=None), "a doubt")
    assert state.notes == {answer.slot: "a doubt"}
    mine = replace(answer, own=Label.CORRECT, note="so it is")
    assert not state.keep_note(mine, "so it is")
    assert state.keep_note(mine, "so it was")


def test_what_was_written_is_shown_where_its_question_is_still_open(session: Session) -> None:
    state, view = reading_of(session), view_of(session)
    answer = state.answer
    assert answer is not None
    state.notes = {answer.slot: "a doubt"}
    read = ReadQuestion(view, ())
    assert state.take_written(answer, view, read)
    assert (state.notes, state.effects) == ({answer.slot: "a doubt"}, {answer.slot: ()})
    state.take_decided(answer)
    assert state.notes == {}
    state.step(1, BOTH)
    assert state.take_written(answer, view, read)
    assert state.effects == {}  # they are those of another answer
    state.choose_task(Task.REVERSE)
    assert not state.take_written(answer, view, read)
    assert state.task is Task.REVERSE


def test_effects_of_an_answer_out_of_sight_are_kept(session: Session) -> None:
    state = reading_of(session)
    first = state.slot
    assert first is not None
    state.step(1, BOTH)
    assert not state.take_effects(first, ())
    assert state.slot is not None
    assert state.take_effects(state.slot, ())


def test_another_database_begins_anew(session: Session) -> None:
    state = reading_of(session)
    state.clear()
    assert state == TaskState()
