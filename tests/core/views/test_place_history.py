"""Places: earlier and later ones, the way out of each, and what jumps have changed."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from core.scoring.policy import Policy
from core.views.lens import Lens
from core.views.place_history import MOST, JumpEffect, PlaceHistory, give_back

TABS = ("facts", "task", "profiles", "confusion")
STEPS = st.one_of(
    st.tuples(st.just("visit"), st.sampled_from(TABS)),
    st.tuples(st.just("jump"), st.sampled_from(TABS)),
    st.tuples(st.just("step"), st.sampled_from((1, -1))),
    st.tuples(st.just("out"), st.none()),
)


def walked(steps: list[tuple[str, object]]) -> PlaceHistory:
    history = PlaceHistory()
    history.visit("facts")
    for number, (what, how) in enumerate(steps):
        history.leave(number)
        if what == "visit":
            history.visit(str(how))
        elif what == "jump":
            history.jump(str(how), JumpEffect())
        elif what == "step" and isinstance(how, int):
            history.step(how)
        else:
            history.go_out()
    return history


@given(st.lists(STEPS, max_size=200))
def test_the_way_out_ends_and_the_way_back_retraces(steps: list[tuple[str, object]]) -> None:
    history = walked(steps)
    assert len(history.places) <= MOST
    before = [one.tab for one in reversed(history.places[: history.at])]
    back = []
    while (found := history.step(1)) is not None:
        back.append(found.tab)
    assert back == before
    while history.step(-1) is not None:
        pass
    serials = []
    while (out := history.go_out()) is not None:
        serials.append(out.serial)
    assert serials == sorted(set(serials), reverse=True)


def test_a_place_keeps_what_was_there_in_words() -> None:
    history = PlaceHistory()
    history.visit("profiles")
    history.leave("a row", "13 models")
    history.jump("facts", JumpEffect())
    history.leave_origin("another row")
    assert history.origin is not None
    assert (history.origin.position, history.origin.words) == ("another row", "13 models")


def test_the_way_out_leads_to_where_the_jump_came_from_as_that_was_left() -> None:
    history = PlaceHistory()
    history.visit("profiles")
    history.leave("a row")
    history.jump("facts", JumpEffect())
    history.leave("a fact")
    history.jump("task", JumpEffect())
    history.leave("an answer")
    assert [history.go_out(), history.go_out(), history.go_out()] == [
        history.places[1],
        history.places[0],
        None,
    ]
    assert [one.position for one in history.places] == [
        "a row", "a fact", "an answer", "a fact", "a row",
    ]  # fmt: skip


def test_a_place_that_was_gone_to_by_its_key_has_no_way_out() -> None:
    history = PlaceHistory()
    history.visit("facts")
    history.jump("task", JumpEffect())
    history.visit("confusion")
    assert history.origin is None
    assert history.step(1) is not None
    assert history.origin == history.places[0]


def test_moving_on_from_a_jump_moves_what_the_way_out_leads_to() -> None:
    history = PlaceHistory()
    history.visit("facts")
    history.leave("first fact")
    history.jump("task", JumpEffect())
    history.leave_origin("next fact")
    assert history.go_out() == replace(history.places[0], position="next fact")


def test_what_a_jump_changed_is_given_back_and_what_a_person_changed_stays() -> None:
    before = Lens("one", compared=("x",))
    after = replace(before, model="two")
    assert give_back(after, before, after) == before
    chosen = replace(after, policy=Policy(0.9))
    assert give_back(chosen, before, after) == replace(before, policy=Policy(0.9))
    other = replace(after, model="three")
    assert give_back(other, before, after) == other
    assert give_back(after, None, after) == after
