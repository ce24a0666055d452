"""What keys and readings do to the state of the Bench screen, without an app."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from core.views.bench.bench_board import BREAKDOWNS, ArmOrder, GroupOrder
from core.views.bench.bench_questions import QuestionOrder
from core.views.session import Session
from tests.tui.sample import sample_project
from tests.tui.screens.bench.making import ARMS as MADE
from tests.tui.screens.bench.making import SENT, SET, bench_project
from tui.screens.bench.screen import BenchScreen
from tui.screens.bench.state import ARMS, BOARD, QUESTIONS, BenchPosition, BenchState


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    path = bench_project(tmp_path_factory.mktemp("bench") / "bench.db")
    with closing(Session(path)) as found:
        found.open()
        yield found


@pytest.fixture
def state(session: Session) -> BenchState:
    return take(BenchState(), session)


def take(state: BenchState, session: Session) -> BenchState:
    """Have read what a state asks for, and take it."""
    state.take_lists(session.bench.lists(state.wanted))
    return state


def test_it_begins_with_the_first_arm_its_first_group_and_its_first_question(
    state: BenchState,
) -> None:
    assert (state.set_name, state.is_read) == (SET, True)
    assert state.arm_place == 0
    assert state.arm_row is state.arms[0]
    assert state.group_place is not None
    assert state.place == 0
    assert state.question is state.questions[0]


def test_an_arm_that_is_chosen_brings_its_groups(state: BenchState, session: Session) -> None:
    place = [row.label for row in state.arms].index(SENT)
    assert state.choose_arm(place)
    assert not state.choose_arm(place)
    assert not state.choose_arm(len(state.arms))
    assert take(state, session).arm == SENT
    assert {one.label for one in state.arms} == {
        f"{model}#{mode}" for model, modes in MADE.items() for mode in modes
    }


def test_a_group_that_is_chosen_brings_its_questions(state: BenchState, session: Session) -> None:
    state.step_breakdown()
    assert (state.by, state.group, state.fact) == (BREAKDOWNS[1], None, None)
    take(state, session)
    place = next(at for at, row in enumerate(state.groups) if row.name == "place of birth")
    assert state.choose_group(place)
    assert state.fact is None
    take(state, session)
    assert all(row.triple.relation == "place of birth" for row in state.questions)
    state.choose_place(2)
    assert state.place == 2
    state.choose_place(99)
    assert state.place == 2
    assert not state.choose_group(place)
    assert state.place == 2


def test_breakdowns_come_round(state: BenchState) -> None:
    for _ in BREAKDOWNS:
        state.step_breakdown()
    assert state.by == BREAKDOWNS[0]


def test_orders_of_each_pane_come_round(state: BenchState, session: Session) -> None:
    for pane, orders in ((ARMS, ArmOrder), (BOARD, GroupOrder), (QUESTIONS, QuestionOrder)):
        before = state.wanted
        said = [state.step_order(pane) for _ in orders]
        assert set(said) == {f"{pane} {order}" for order in orders}
        assert state.wanted == before
    state.step_order(QUESTIONS)
    while state.question_order is not QuestionOrder.SUBJECT:
        state.step_order(QUESTIONS)
    subjects = [row.subject.casefold() for row in take(state, session).questions]
    assert subjects == sorted(subjects)


def test_the_chosen_question_stays_where_the_order_changes(
    state: BenchState, session: Session
) -> None:
    state.choose_place(1)
    fact = state.fact
    state.step_order(QUESTIONS)
    assert take(state, session).fact == fact


def test_splits_come_round(state: BenchState, session: Session) -> None:
    first = state.wanted.split
    assert state.lists is not None
    splits = state.lists.splits
    for _ in splits:
        assert state.step_split()
        take(state, session)
    assert state.lists.split in splits
    assert first is None or state.lists.split == first
    assert not BenchState().step_split()


def test_a_position_leads_back_to_its_question(state: BenchState, session: Session) -> None:
    state.step_breakdown()
    take(state, session)
    state.choose_place(1)
    assert state.question is not None
    position = BenchPosition(
        SET, None, state.arm, state.by, state.group, state.question.fact_id, pane=QUESTIONS
    )
    other = BenchState()
    other.go_to(position)
    assert take(other, session).fact == state.fact
    gone = BenchState()
    gone.go_to(BenchPosition("none", None, "nobody#1-shot", group="none", fact="none"))
    take(gone, session)
    assert (gone.set_name, gone.arm_place, gone.place) == (SET, 0, 0)


def test_another_set_begins_anew(state: BenchState) -> None:
    state.choose_set("other")
    assert (state.arm, state.group, state.fact, state.split) == (None, None, None, None)


def test_lists_say_how_a_command_writes_them(state: BenchState) -> None:
    assert state.build_words(ARMS).where != state.build_words(BOARD).where
    assert f"arm:{state.arm}" in state.build_words(BOARD).where.replace('"', "")
    assert "group:" not in state.build_words(BOARD).where
    assert "group:" in state.build_words(QUESTIONS).where


def test_a_file_without_sets_has_nothing(tmp_path: Path) -> None:
    with closing(Session(sample_project(tmp_path / "plain.db"))) as session:
        session.open()
        state = take(BenchState(), session)
    assert (state.is_read, state.lists, state.question) == (True, None, None)
    assert (state.arms, state.groups, state.questions) == ((), (), ())
    state.clear()
    assert not state.is_read


def test_an_answer_is_worked_out_of_its_response(session: Session) -> None:
    state = BenchState(arm="gemma3-27b#recite-10-shot")
    take(state, session)
    row = next(one for one in state.questions if one.em)
    assert row.response is not None
    assert row.response.startswith("It is known.")
    assert row.answer == row.response.rpartition("Answer: ")[2]


def test_no_arms_are_claimed_before_they_are_read() -> None:
    screen = BenchScreen()
    assert screen.model_words == "…"
    screen.state.take_lists(None)
    assert screen.model_words == "no arms yet"
    assert not screen.check_action("open", ())
    screen.state.choose_set("laureates")
    assert screen.set_in_sight == "laureates"
