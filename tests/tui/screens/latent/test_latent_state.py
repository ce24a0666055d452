"""What keys and readings do to the state of the Latent screen, and what is read, without an app."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.dataset.fact_filters import parse_where
from core.errors import LostkeysError
from core.project import OpenProject
from core.scoring.policy import Policy
from core.views.fact_cells import FactCells
from core.views.fact_query import FactOrder, FactQuery
from core.views.latent.latent_fact import SUBJECT, ScoreStatus
from core.views.latent.latent_relations import LatentOrder, nearest_setup, setups_of
from core.views.session import Session
from core.zero_prompt.fact_scores import fact_input, fact_score
from core.zero_prompt.score_matrix import Setup
from tests.core.making import a_fact, new_project, put_facts
from tests.tui.screens.latent.making import INJECT, TINY, latent_project, put_rows, triple
from tui.screens.facts.column_layout import layout
from tui.screens.facts.fact_list import fact_line, heading
from tui.screens.latent.screen import read_lists
from tui.screens.latent.state import LatentPosition, LatentState
from tui.theme.look import look_named

BIG = "gemma3-27b"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return latent_project(tmp_path_factory.mktemp("latent") / "sample.db")


@pytest.fixture
def session(path: Path) -> Iterator[Session]:
    with closing(Session(path)) as found:
        found.open()
        yield found


def take(state: LatentState, session: Session) -> LatentState:
    """Have read what a state asks for, and take it."""
    lists, fact = read_lists(session, state.wanted, state.sought)
    state.fact = state.fact if fact is None else fact
    state.take_lists(lists)
    if state.fact is not None and state.relation is not None:
        latent = session.latent
        state.take_fact(latent.fact(state.relation, state.fact, state.setup, state.model))
    return state


def copy_of(path: Path, copy: Path) -> Path:
    """A copy by SQLite, as another test may have the file open."""
    with closing(sqlite3.connect(path)) as one, closing(sqlite3.connect(copy)) as other:
        one.backup(other)
    return copy


@pytest.fixture
def state(session: Session) -> LatentState:
    return take(LatentState(), session)


def called(state: LatentState, place: int) -> str:
    assert state.facts is not None
    return state.facts.subjects[place]


def test_it_begins_with_the_lens_model_and_the_relation_that_has_scores(state: LatentState) -> None:
    assert (state.model, state.setup, state.models) == (BIG, Setup(), (BIG, "gemma3-4b", TINY))
    assert state.row is not None
    assert [row.name for row in state.rows] == ["is known for", "lies on"]
    assert (state.row.name, state.row.facts, state.row.training) == ("is known for", 40, 60)
    count = state.row.counts[2]
    assert (count.n, count.failed) == (11, 1)
    assert "subject for examples" in state.rows[1].why


def test_numbers_of_examples_are_walked_and_end(state: LatentState, session: Session) -> None:
    assert not state.step_examples(1)
    seen = []
    while state.step_examples(-1):
        take(state, session)
        assert state.shown is not None
        seen.append((state.setup.n, state.shown.examples, len(state.shown.parts)))
    assert seen == [(5, 5, 11), (1, 1, 3)]
    assert state.step_examples(1)
    assert state.setup.n == 5


def test_the_fact_is_kept_when_the_setup_or_the_order_is_another(
    state: LatentState, session: Session
) -> None:
    assert state.choose_place(3)
    name = called(state, 3)
    for step in (state.step_order, lambda: state.step_examples(-1), state.step_kind):
        step()
        take(state, session)
        assert state.place is not None
        assert called(state, state.place) == name
        assert state.shown is not None
        assert state.shown.subject == name
    assert not state.choose_place(state.place or 0)
    assert not state.choose_place(9_999)


def test_orders_put_first_what_they_say(state: LatentState, session: Session) -> None:
    facts = state.facts
    assert facts is not None
    assert state.order is LatentOrder.DIFFER
    differing = facts.differs.tolist()
    assert differing == sorted(differing, reverse=True)
    assert any(differing)
    assert state.model_place == 0
    for order in LatentOrder:
        state.order = order
        take(state, session)
        facts = state.facts
        assert facts is not None
        if order is LatentOrder.METHODS:
            parted = facts.contradicts(0).tolist()
            assert any(parted)
            assert parted == sorted(parted, reverse=True)
        elif order is LatentOrder.GOLD:
            p = facts.p_gold[0][facts.usable[0]].tolist()
            assert p == sorted(p, reverse=True)
        elif order is LatentOrder.SUBJECT:
            names = [one.casefold() for one in facts.subjects]
            assert names == sorted(names)
        elif order is LatentOrder.IMPORTED:
            assert facts.ids.tolist() == sorted(facts.ids.tolist())


def test_methods_contradict_where_questions_fail_what_is_known_or_reach_what_is_not(
    state: LatentState,
) -> None:
    facts = state.facts
    assert facts is not None
    found = facts.contradicts(0)
    from core.vocabulary import CODE_ORDER

    for place in range(len(facts)):
        code = int(facts.codes[0, place])
        known, scored = bool(facts.correct[0, place]), bool(facts.usable[0, place])
        name = CODE_ORDER[code] if code < len(CODE_ORDER) else ""
        wanted = scored and (name in ("EF", "RF") if known else name == "DR")
        assert bool(found[place]) == wanted, facts.subjects[place]


@pytest.mark.parametrize("setup", [Setup(), Setup(n=1), Setup(inject=INJECT)], ids=str)
def test_a_fact_is_that_of_the_commands(path: Path, session: Session, setup: Setup) -> None:
    state = take(LatentState(setup=setup), session)
    assert state.facts is not None
    assert state.relation is not None
    for place in range(4):
        fact = int(state.facts.ids[place])
        one = session.latent.fact(state.relation, fact, setup, BIG)
        with OpenProject(path) as project:
            sent = fact_input(project, one.fact_id, setup)
            scored = fact_score(project, one.fact_id, setup, BIG)
        assert one.input == sent.input
        assert one.altered == sum(example.kind != "clean" for example in sent.examples)
        assert one.parts[-1].kind == SUBJECT
        assert [option.text for option in one.options] == [
            option["text"]
            for option in scored["options"]  # type: ignore[attr-defined]
        ]
        assert state.lists is not None
        assert state.lists.predicted[fact] == one.options[0].text
        assert sum(option.p for option in one.options) == pytest.approx(1)
        assert (one.rank, one.known) == (scored["rank"], scored["correct"])
        assert int(state.facts.ranks[0, place]) == one.rank
        assert one.p_gold == pytest.approx(float(state.facts.p_gold[0, place]))
        assert {gold.model for gold in one.models} == {BIG, "gemma3-4b", TINY}
        numbers = [1, 5, 50] if setup.inject is None else [50]
        assert [gold.setup.n for gold in one.numbers] == numbers


def test_responses_alone_stand_beside_the_scores_of_the_same_setup(
    path: Path, tmp_path: Path
) -> None:
    copy = copy_of(path, tmp_path / "copy.db")
    with OpenProject(copy, "write") as project:
        name = project.index.fact_ids[0]
        rows = [{"id": name, "model": BIG, "n": n, "response": "Kyiv and so on"} for n in (1, 7)]
        put_rows(project, "zp-scores", rows)
        found = setups_of(project)
    assert [one for one in found if one.n == 1] == [Setup(n=1)]
    assert [one for one in found if one.n == 7] == [Setup(n=7)]
    with closing(Session(copy)) as session:
        session.open()
        state = take(LatentState(setup=Setup(n=7)), session)
        assert state.lists is not None
        assert [*state.lists.predicted.values()] == ["Kyiv and so on"]


def test_failed_and_unscored_and_left_out_are_told_apart(session: Session) -> None:
    state = take(LatentState(model=TINY), session)
    assert state.facts is not None
    status = {}
    for at, subject in enumerate(state.facts.subjects):
        if subject in ("Subject 60", "Subject 61", "Subject 62"):
            one = session.latent.fact(state.relation or 0, int(state.facts.ids[at]), Setup(), TINY)
            status[subject] = one.status
    assert status == {
        "Subject 60": ScoreStatus.SCORED,
        "Subject 61": ScoreStatus.FAILED,
        "Subject 62": ScoreStatus.UNSCORED,
    }
    assert state.choose_relation(1)
    take(state, session)
    assert state.shown is not None
    assert state.shown.status is ScoreStatus.LEFT_OUT
    assert "--examples 0 would do" in state.shown.why


def test_a_setup_without_scores_gives_way_to_the_one_most_like_it() -> None:
    there = [Setup(n=1), Setup(n=5), Setup(seed=1), Setup(form="hgp", n=50)]
    assert nearest_setup(there, Setup(n=50)) == Setup(n=5)
    assert nearest_setup(there, Setup(form="hgp", n=3)) == Setup(form="hgp", n=50)
    assert nearest_setup([], Setup(n=7)) == Setup(n=7)


def test_a_position_is_come_back_to(state: LatentState, session: Session) -> None:
    state.choose_place(5)
    name = called(state, 5)
    fact_id = session.snapshot.fact_id(state.fact or 0)
    position = LatentPosition(Setup(n=5), TINY, "is known for", "rows", fact_id, state.order)
    other = LatentState()
    other.go_to(replace(position, set_name=state.row.set_name if state.row else ""))
    take(other, session)
    assert other.place is not None
    assert (called(other, other.place), other.setup.n, other.model) == (name, 5, TINY)


def test_what_is_gone_falls_back(session: Session) -> None:
    state = LatentState()
    state.go_to(LatentPosition(Setup(n=3), "gone", "gone", "x", "gone", LatentOrder.GOLD))
    take(state, session)
    assert state.setup.n in (1, 5)
    assert state.model == BIG
    assert state.fact is not None


def test_the_board_is_walked_by_models(state: LatentState) -> None:
    state.step_models(5, 2)
    assert state.first == 1
    state.step_models(-9, 2)
    assert state.first == 0


def test_nothing_is_read_of_a_project_without_relations(tmp_path: Path) -> None:
    path = tmp_path / "plain.db"
    with new_project(path) as project:
        put_facts(project, [a_fact("one")])
    with closing(Session(path)) as session:
        snapshot = session.open()
        assert not snapshot.has_relations
        state = take(LatentState(), session)
        assert (state.rows, state.facts, state.fact) == ((), None, None)
        with pytest.raises(LostkeysError, match="not there any more"):
            session.latent.fact(1, 1, Setup(), None)


def test_scores_that_come_make_another_snapshot(path: Path, tmp_path: Path) -> None:
    copy = copy_of(path, tmp_path / "mine.db")
    with closing(Session(copy)) as session:
        before = session.open()
        assert session.refresh() is None
        with OpenProject(copy, "write") as project:
            options = ["Object 70", *(f"Other {at}" for at in range(99))]
            row = {"id": "made-70", "model": BIG, "n": 50, "options": options}
            put_rows(project, "zp-scores", [{**row, "logprobs": [-1.0] + [-5.0] * 99}])
        after = session.refresh()
        assert after is not None
        place = after.place(after.fact_called("made-70") or 0)
        assert place is not None
        assert (int(before.latent[place]), int(after.latent[place])) == (0, 2)


def test_relations_are_read_again_only_if_facts_have_come(path: Path, tmp_path: Path) -> None:
    copy = copy_of(path, tmp_path / "mine.db")
    with closing(Session(copy)) as session:
        session.open()
        first = take(LatentState(), session)
        kept = session.latent._relations
        take(LatentState(), session)
        assert session.latent._relations is kept
        with OpenProject(copy, "write") as project:
            put_rows(project, "triples", [triple("New", "Thing", id="new")])
        session.refresh()
        again = take(LatentState(), session)
        assert (first.row and first.row.facts, again.row and again.row.facts) == (40, 41)


@pytest.mark.parametrize("word", ["known", "unknown", "contradicts"])
def test_filters_select_by_scores(path: Path, session: Session, word: str) -> None:
    filters, _ = parse_where(f"zp:{word}")
    listed = session.listing(FactQuery(filters=filters))
    ids = {int(session.snapshot.index.ids[place]) for place in listed.places}
    facts = take(LatentState(order=LatentOrder.IMPORTED), session).facts
    assert facts is not None
    usable, correct = facts.usable[0], facts.correct[0]
    wanted = {
        "known": usable & correct,
        "unknown": usable & ~correct,
        "contradicts": facts.contradicts(0),
    }[word]
    assert ids == set(facts.ids[wanted].tolist())
    assert ids
    with OpenProject(path) as project:
        mask = project.facts(f"zp:{word}", [BIG], Policy())
        assert set(project.index.ids[mask].tolist()) == ids


def test_scores_select_facts_where_no_model_has_answers(tmp_path: Path) -> None:
    places = [-1.0, -3.0, *np.linspace(-9, -5, 98)]
    options = [f"Object {at}" for at in range(100)]
    knows = {BIG: (0, 1), TINY: (1,)}
    with new_project(tmp_path / "bare.db") as project:
        put_rows(
            project, "triples", [triple(f"S{at}", options[at], id=f"f{at}") for at in range(4)]
        )
        for model, known in knows.items():
            rows = []
            for at in range(3):
                others = [one for one in options if one != options[at]]
                scores = places if at in known else [places[1], places[0], *places[2:]]
                row = {"id": f"f{at}", "model": model, "n": 50, "logprobs": scores}
                rows.append(row | {"options": [options[at], *others]})
            put_rows(project, "zp-scores", rows)
        assert not project.models()
        wanted = {"known": {"f0", "f1"}, "unknown": {"f2"}, "contradicts": set()}
        for word, ids in wanted.items():
            mask = project.facts(f"zp:{word}", project.models(), Policy())
            assert {project.index.fact_ids[at] for at in np.flatnonzero(mask)} == ids
    with closing(Session(tmp_path / "bare.db")) as session:
        session.open()
        index = session.snapshot.index
        for word, ids in wanted.items():
            listed = session.listing(FactQuery(filters=parse_where(f"zp:{word}")[0]))
            assert {index.fact_ids[place] for place in listed.places} == ids
        assert FactCells(session.snapshot).has_scores


def test_facts_that_scores_contradict_are_marked(session: Session) -> None:
    snapshot = session.snapshot
    cells = FactCells(snapshot)
    wanted = session.listing(FactQuery(filters=parse_where("zp:contradicts")[0])).places
    marked = [
        place for place in range(len(snapshot.index)) if "zp:contradicts" in cells.marks(place)
    ]
    assert sorted(wanted) == marked
    look = look_named("dark")
    columns = layout(None, FactOrder.SUBJECT, 60)
    assert heading(columns, 60, look).text.rstrip().endswith("marks")
    ends = [
        fact_line(cells, columns, place, 60, False, look).text.rstrip()[-1] == "Z"
        for place in range(len(snapshot.index))
    ]
    assert [place for place, ends_so in enumerate(ends) if ends_so] == marked
    assert 0 < len(marked) < len(snapshot.index)


def test_lists_are_read_again_as_soon_as_scores_come(path: Path, tmp_path: Path) -> None:
    copy = copy_of(path, tmp_path / "mine.db")
    with closing(Session(copy)) as session:
        session.open()
        wanted = LatentState().wanted
        first = session.latent.lists(wanted)
        again = session.latent.lists(replace(wanted, order=LatentOrder.IMPORTED))
        assert again.board is first.board
        assert first.facts is not None
        assert again.facts is not None
        assert sorted(again.facts.ids) == sorted(first.facts.ids)
        place = int(np.flatnonzero(~first.facts.asked[0])[0])
        at = session.snapshot.place(int(first.facts.ids[place]))
        assert at is not None
        name = session.snapshot.index.fact_ids[at]
        options = [first.facts.objects[place], *(f"Thing {at}" for at in range(99))]
        row = {"id": name, "model": BIG, "n": 50, "options": options}
        with OpenProject(copy, "write") as project:
            put_rows(project, "zp-scores", [row | {"logprobs": [-1.0, *[-9.0] * 99]}])
        new = session.latent.lists(wanted)
        assert new.board.rows[0].counts[0].n == first.board.rows[0].counts[0].n + 1
        assert new.facts is not None
        assert new.facts.asked[0].sum() == first.facts.asked[0].sum() + 1
