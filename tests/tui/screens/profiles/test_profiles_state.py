"""What keys and readings make of the state of the Profiles screen, without an app."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from core.dataset.fact_filters import Filters
from core.results.model_comparison import with_tests
from core.scoring.policy import Policy
from core.views.fact_query import FactQuery
from core.views.lens import Lens
from core.views.profiles.profile_comparison import ComparisonTarget
from core.views.profiles.profile_counts import ProfileCounts
from core.views.profiles.profile_rows import ProfileRow, RowKind, RowOrder
from core.views.session import Session
from tests.core.views.making import change_graders
from tests.tui.sample import MODELS, A, B, sample_project
from tui.screens.profiles import loader, selection
from tui.screens.profiles.render_flow import arrange_table, find_fullest
from tui.screens.profiles.state import ProfilesState
from tui.theme.look import look_named

FIRST, SECOND = MODELS
NOTHING = FactQuery()


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    path: Path = sample_project(tmp_path_factory.mktemp("profiles") / "sample.db")
    with closing(Session(path)) as opened:
        opened.open()
        yield opened


@pytest.fixture(scope="module")
def start(session: Session) -> Lens:
    return replace(session.open().lens, model=FIRST)


@pytest.fixture(scope="module")
def counts(session: Session, start: Lens) -> ProfileCounts:
    return loader.read_counts(start, start, NOTHING, None, session)


@pytest.fixture
def state(counts: ProfileCounts) -> ProfilesState:
    made = ProfilesState(awaited=True)
    made.take_counts(counts)
    return made


def follow(state: ProfilesState, lens: Lens, start: Lens, high: bool = False) -> None:
    state.follow(lens, start, high, countable=True)


def copied(state: ProfilesState, rows: list[ProfileRow], start: Lens) -> str:
    found = selection.format_copy(state, rows, RowKind.MODELS, start, start)
    assert found is not None
    return found[0]


def names(state: ProfilesState, by: RowKind = RowKind.MODELS) -> list[str]:
    assert state.shown is not None
    return [row.name for row in state.shown.list_rows(by)]


def test_rows_keep_their_places_while_numbers_change(state: ProfilesState, start: Lens) -> None:
    assert not state.awaited
    follow(state, start, start)
    before = names(state)
    assert set(before) == set(MODELS)
    state.standing[RowKind.MODELS] = before[::-1]
    follow(state, start.with_policy(tau=0.9), start)
    assert names(state) == before[::-1]
    state.step_order()
    follow(state, start, start)
    assert state.order is RowOrder.KNOWS
    assert names(state) == before


def test_rows_of_other_facts_are_put_in_order_anew(
    state: ProfilesState, counts: ProfileCounts, start: Lens
) -> None:
    follow(state, start, start)
    state.standing[RowKind.MODELS] = names(state)[::-1]
    state.take_counts(counts)
    assert state.standing
    state.take_counts(replace(counts, wanted=FactQuery("river")))
    assert not state.standing


def test_every_row_is_at_the_start_as_it_was(state: ProfilesState, start: Lens) -> None:
    follow(state, start, start)
    assert state.shown is not None
    before = {row.name: row.now for row in state.shown.models}
    follow(state, start.with_policy(tau=0.9), start)
    assert {row.name: row.start for row in state.shown.models} == before
    assert any(row.moved for row in state.shown.models)


def test_rows_step_through_models_and_groups(state: ProfilesState) -> None:
    seen = []
    for _ in range(4):
        state.step_rows(high=False)
        seen.append(state.by)
    assert seen == [*list(RowKind)[1:], RowKind.MODELS]


def test_on_high_screens_models_stay_above_and_groups_step_below(state: ProfilesState) -> None:
    assert (state.upper_kind(high=True), state.lower_kind(high=True)) == ("models", "topics")
    state.step_rows(high=True)
    assert (state.upper_kind(high=True), state.lower_kind(high=True)) == ("models", "types")
    assert (state.upper_kind(high=False), state.lower_kind(high=False)) == ("types", "types")
    state.show_by(RowKind.MODELS)
    assert state.lower_kind(high=False) is None


def test_groups_are_of_the_model_of_the_lens(state: ProfilesState, start: Lens) -> None:
    state.show_by(RowKind.TOPICS)
    follow(state, start, start)
    assert state.shown is not None
    facts = sum(row.now.summary.total for row in state.shown.groups)
    assert facts == state.shown.models[0].now.summary.total
    follow(state, replace(start, model="of no answer"), start)
    assert state.shown.groups == []


def test_nothing_is_worked_out_where_nothing_can_be_counted(
    state: ProfilesState, start: Lens
) -> None:
    state.compare(ComparisonTarget(SECOND))
    state.follow(start, start, high=False, countable=False)
    assert (state.shown, state.crossed, state.comparing) == (None, None, False)


def test_intervals_of_other_numbers_go(state: ProfilesState, start: Lens) -> None:
    follow(state, start, start)
    assert state.sure_of is None
    state.turn_intervals()
    follow(state, start, start)
    key = state.sure_of
    assert state.take_intervals(key, {RowKind.MODELS: {}})
    follow(state, start, start)
    assert (state.sure_of, state.sure) == (key, {RowKind.MODELS: {}})
    follow(state, start.with_policy(tau=0.9), start)
    assert state.sure == {}
    assert not state.take_intervals(key, {RowKind.MODELS: {}})
    assert state.sure == {}
    state.turn_intervals()
    follow(state, start, start)
    assert state.sure_of is None


def test_intervals_are_worked_out_for_the_rows_in_sight(
    state: ProfilesState, start: Lens, counts: ProfileCounts, session: Session
) -> None:
    follow(state, start, start)
    assert state.shown is not None
    rows = [(RowKind.MODELS, state.shown.models)]
    found = loader.work_out_intervals(counts, start.policy, rows, session)
    assert set(found[RowKind.MODELS]) == set(MODELS)


def test_a_comparison_is_in_sight_until_it_is_left(state: ProfilesState, start: Lens) -> None:
    state.compare(ComparisonTarget(SECOND))
    follow(state, start, start)
    assert state.comparing
    assert state.crossed is not None
    assert (state.crossed.a, state.crossed.b) == (FIRST, SECOND)
    state.compare(None)
    follow(state, start, start)
    left = [state.comparing, state.crossed, state.tested, state.tested_of]
    assert not any(left)


def test_a_model_is_not_compared_with_itself(state: ProfilesState, start: Lens) -> None:
    state.compare(ComparisonTarget(SECOND))
    follow(state, replace(start, model=SECOND), start)
    assert state.comparing
    assert state.crossed is None
    assert state.tested_of is None


def test_tests_of_another_comparison_are_dropped(state: ProfilesState, start: Lens) -> None:
    state.compare(ComparisonTarget(SECOND))
    follow(state, start, start)
    assert state.crossed is not None
    key, plain = state.tested_of, state.crossed.found
    tested = with_tests(plain)
    assert state.take_tests(key, tested)
    follow(state, start, start)
    assert state.crossed.found is tested
    follow(state, start.with_policy(tau=0.9), start)
    assert state.crossed.found is not tested
    assert not state.take_tests(key, tested)
    assert state.tested is None


def test_doubts_are_read_once_for_the_same_answers(
    state: ProfilesState, counts: ProfileCounts
) -> None:
    assert not ProfilesState().lack_doubts()
    assert state.lack_doubts()
    state.doubts_of = counts.answers
    assert not state.lack_doubts()


def test_what_was_read_fits_until_labels_facts_or_graders_are_others(
    state: ProfilesState, session: Session, start: Lens
) -> None:
    snapshot = session.snapshot
    assert state.fits(snapshot, start)
    assert not state.fits(snapshot, change_graders(start, a=B if start.a == A else A))
    state.wanted = FactQuery("river")
    assert not state.fits(snapshot, start)
    state.clear_counts()
    assert not state.fits(snapshot, start)


def test_a_lens_has_the_name_of_the_policy_it_is(
    state: ProfilesState, counts: ProfileCounts, start: Lens
) -> None:
    assert state.name_of(start) is None
    policy = Policy(start.policy.tau, start.policy.strategy, start.policy.weight, start.ranked)
    other = replace(policy, tau=0.9)
    state.take_counts(replace(counts, names={"mine": policy, "other": other}))
    assert state.name_of(start) == "mine"
    assert state.name_of(start.with_policy(tau=0.9)) == "other"
    assert state.name_of(start.with_policy(tau=0.8)) is None


def test_another_database_leaves_nothing(state: ProfilesState, start: Lens) -> None:
    follow(state, start, start)
    state.turn_intervals()
    state.show_by(RowKind.TIERS)
    state.clear()
    assert state == ProfilesState()


def test_facts_that_moved_are_listed_by_their_ids(state: ProfilesState, start: Lens) -> None:
    follow(state, start, start)
    assert state.shown is not None
    assert selection.select_moved(state, state.shown.models[0], RowKind.MODELS) is None
    follow(state, start.with_policy(tau=0.9), start)
    row = max(state.shown.models, key=lambda one: one.moved)
    found = selection.select_moved(state, row, RowKind.MODELS)
    assert found is not None
    assert found.only is not None
    assert len(found.only.facts) == row.moved


def test_facts_of_a_cell_are_those_it_counts(state: ProfilesState, start: Lens) -> None:
    state.compare(ComparisonTarget(SECOND))
    follow(state, start, start)
    assert state.crossed is not None
    table = state.crossed.found.table
    assert table is not None
    place = find_fullest(arrange_table(table))
    found = selection.cell_facts(state, state.crossed, place, look_named("dark"))
    assert found is not None
    assert found.only is not None
    assert len(found.only.facts) == arrange_table(table)[place]


def test_text_says_which_facts_it_is_of(
    state: ProfilesState, start: Lens, counts: ProfileCounts
) -> None:
    follow(state, start, start)
    assert state.shown is not None
    rows = state.shown.models
    assert "all 12 facts" in copied(state, rows, start)
    state.wanted = FactQuery("", Filters(topics=frozenset({"Geography"})))
    assert "Geography" in copied(state, rows, start)
