"""Deciding on the Confusion screen: labels, undo, notes, keys that come at once."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.demo.demo_setup import read_facts
from core.errors import LostkeysError
from core.project import OpenProject
from core.settings.preferences import Settings
from core.views.disagreements.disagreement_card import DisagreementCard
from core.vocabulary import Label, Outcome, Task
from db.reviews import reviews
from tests.core.making import Row as Stored
from tests.core.making import put_facts, put_rows
from tests.tui.sample import A, B
from tests.tui.screens.confusion.driver import Driver, own_labels
from tests.tui.seeing import Painted, send, settled, text
from tui.app.app import LostkeysApp
from tui.dialogs.choice_dialog import Options
from tui.dialogs.tag_dialog import ChooseTag


async def test_deciding_goes_on_to_the_next_undecided_one(driver: Driver) -> None:
    await driver.press("enter")
    first = driver.row(0)
    await driver.decide("a")
    assert driver.place == 1
    assert driver.row(0).decision is first.a
    assert driver.said.startswith("A is right")
    await driver.decide("b")
    assert driver.row(1).right == "B"
    await driver.press("k", "k")
    await driver.until(lambda: driver.place == 0 and driver.carded())
    await driver.press("p")
    await driver.until(lambda: driver.place == 2)
    assert driver.row(0).decision is Label.PARTIALLY


async def test_a_tag_is_typed_then_chosen_from_the_list_and_undone(driver: Driver) -> None:
    await driver.press("enter", "T", *"near-miss")
    dialog = driver.app.screen
    assert isinstance(dialog, ChooseTag)
    await driver.press("enter")
    await driver.until(lambda: "near-miss" in driver.page)
    assert driver.said.endswith("is tagged near-miss. u undoes it")
    await driver.press("j")
    await driver.until(lambda: driver.place == 1 and driver.carded())
    assert "near-miss" not in driver.page
    await driver.press("T", "n")
    assert [one.words for one in driver.app.screen.query_one(Options).options] == ["near-miss", "n"]
    await driver.press("enter")
    await driver.until(lambda: "near-miss" in driver.page)
    await driver.press("u")
    await driver.until(lambda: "near-miss" not in driver.page)


@pytest.mark.slow
async def test_rows_stay_where_they_are_and_undo_takes_decisions_back_one_by_one(
    driver: Driver,
) -> None:
    before = [driver.row(place).slot for place in range(driver.size)]
    await driver.press("enter")
    for key in "abip":
        await driver.decide(key)
    assert [driver.row(place).slot for place in range(driver.size)] == before
    for left in (3, 2, 1, 0):
        await driver.press("u")
        await driver.until(lambda left=left: driver.done == left)  # type: ignore[misc]
    assert driver.said.startswith("undone")
    await driver.press("u")
    await driver.until(lambda: driver.said == "nothing left to undo")


@pytest.mark.slow
async def test_undo_goes_back_to_the_row(driver: Driver) -> None:
    await driver.press("enter")
    for key in "ab":
        await driver.decide(key)
    await driver.press("u")
    await driver.until(lambda: driver.done == 1 and driver.carded())
    assert driver.place == 1
    assert driver.said.startswith("undone")
    assert driver.row(1).heading.subject in driver.said
    await driver.press("escape", "end")
    await driver.until(driver.carded)
    await driver.press("u")
    await driver.until(lambda: driver.done == 0 and driver.carded())
    assert driver.place == 0
    assert driver.screen.focused is driver.screen.deciding.panes.queue_view


@pytest.mark.slow
async def test_the_next_one_is_there_before_anything_is_written(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    await driver.press("enter")
    await driver.until(lambda: len(driver.screen.state.cards) > 1)
    held: list[Callable[[], None]] = []
    write = driver.app.write
    monkeypatch.setattr(
        driver.app, "write", lambda *what, **how: held.append(lambda: write(*what, **how))
    )
    first = driver.row(0)
    await driver.press("a", "b")
    assert driver.place == 2
    assert driver.carded()
    assert driver.row(0).decision is first.a
    assert driver.row(1).right == "B"
    assert not own_labels(driver.app.path)
    assert len(held) == 2
    for go in held:
        go()
    await driver.until(lambda: not driver.screen.state.unwritten)
    assert set(own_labels(driver.app.path)) == {driver.row(0).slot, driver.row(1).slot}
    assert driver.done == 2
    assert driver.place == 2


@pytest.mark.slow
async def test_what_cannot_be_written_is_undecided_again(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise LostkeysError("the disk is full")

    monkeypatch.setattr("core.curation.label_writer.decide", broken)
    await driver.press("enter", "a")
    await driver.until(lambda: "1 not written: the disk is full" in text(driver.app))
    await driver.until(lambda: driver.place == 0 and driver.carded())
    assert driver.done == 0
    assert not driver.screen.state.unwritten


@pytest.mark.slow
async def test_new_labels_wait_until_they_are_asked_for(driver: Driver) -> None:
    await driver.press("j", "j")
    await driver.until(driver.carded)
    slot, size = driver.screen.deciding.panes.slot, driver.size
    fact, grades = read_facts()[0], {A: Outcome.CORRECT, B: Outcome.INCORRECT}
    with OpenProject(driver.app.path, "write") as project:
        row = Stored(fact.fact_id, Task.DIRECT, "gemma3-4b", False, 8, grades, "anew", None)
        put_rows(project, [row])
    await driver.until(lambda: "1 new, ctrl+r shows them" in text(driver.app))
    assert driver.size == size
    await driver.press("ctrl+r")
    await driver.until(lambda: driver.size == size + 1)
    assert driver.screen.deciding.panes.slot == slot
    assert "ctrl+r shows" not in await settled(driver.pilot)


@pytest.mark.slow
async def test_the_first_disagreements_are_shown_as_they_come(tmp_path: Path) -> None:
    """An empty queue has no order to disturb, and would go on to say that graders agree."""
    path, facts = tmp_path / "agreed.db", read_facts()[:2]

    def rows(fact: int, b: Outcome) -> list[Stored]:
        grades = {A: Outcome.CORRECT, B: b}
        return [Stored(facts[fact].fact_id, Task.DIRECT, "m", False, 0, grades, "text", None)]

    with OpenProject(path, "create") as project:
        put_facts(project, facts)
        put_rows(project, rows(0, Outcome.CORRECT))
    app = LostkeysApp(path, Settings(name="mira", remember=False))
    async with app.run_test(size=(120, 40)) as pilot:
        driver = Driver(app, pilot)
        await driver.open()
        await driver.until(lambda: "A and B agree on all 1 answer." in text(app))
        with OpenProject(path, "write") as project:
            put_rows(project, rows(1, Outcome.INCORRECT))
        await driver.until(lambda: driver.size == 1)
        assert "agree on all" not in text(app)


@pytest.mark.slow
async def test_letters_decide_the_card_in_sight_from_the_queue_too(driver: Driver) -> None:
    queue = driver.screen.deciding.panes.queue_view
    assert driver.screen.focused is queue
    await driver.decide("a")
    await driver.decide("i")
    assert (driver.place, driver.screen.focused) == (2, queue)
    await driver.press("d")
    await driver.until(lambda: "gold is wrong" in driver.page)
    await driver.press("escape")
    await driver.until(lambda: not driver.screen.state.rejecting)
    assert driver.app.tab == "confusion"


@pytest.mark.slow
async def test_nothing_is_decided_where_the_card_is_out_of_sight(small: Driver) -> None:
    await small.press("a", "b", "c", "i", "p", "o", "N", "backspace")
    await settled(small.pilot)
    assert (small.done, small.place) == (0, 0)


@pytest.mark.slow
async def test_neither_letters_elsewhere_nor_skipping_decide(driver: Driver, path: Path) -> None:
    await driver.press("tab", "tab", "a", "b", "c", "p", "o", "N", "backspace")  # in the matrix
    await settled(driver.pilot)
    assert driver.done == 0
    await driver.press("escape", "enter")
    send(driver.app, "n", *"abcipos", "escape")  # in a note that is left
    await driver.until(lambda: driver.app.screen is driver.screen)
    await settled(driver.pilot)
    assert driver.place == 0
    assert own_labels(path) == {}
    await driver.press("N")
    await driver.until(lambda: driver.place == 1 and driver.carded())
    assert driver.done == 0


@pytest.mark.slow
async def test_a_decision_can_be_withdrawn(driver: Driver) -> None:
    await driver.press("enter", "backspace")
    assert driver.said == "you have not decided this"
    await driver.decide("a")
    await driver.press("k")
    await driver.until(lambda: driver.place == 0 and driver.carded())
    await driver.press("backspace")
    await driver.until(lambda: driver.done == 0)


@pytest.mark.slow
async def test_same_answers_get_the_label_at_one_key_and_one_undo(driver: Driver) -> None:
    await driver.press("enter")
    card = driver.screen.state.card
    while card is not None and not card.offered:
        await driver.press("N")
        await driver.until(driver.carded)
        card = driver.screen.state.card
    assert card is not None
    offered = card.offered
    assert offered
    await driver.decide("a")
    assert ': " labels' in driver.said
    assert "the same" in driver.said
    snapshot = driver.app.snapshot
    await driver.press('"')
    await driver.until(lambda: driver.app.snapshot is not snapshot and "undoes" in driver.said)
    session_labels = own_labels(driver.app.path)
    assert set(offered) <= set(session_labels)
    assert {session_labels[slot] for slot in offered} == {card.a.label}
    await driver.press("u")
    await driver.until(lambda: not set(offered) & set(own_labels(driver.app.path)))
    assert card.slot in own_labels(driver.app.path)


def notes(path: Path) -> dict[int, str | None]:
    """Mira's labels with their notes, by slot."""
    with OpenProject(path) as project:
        return dict(
            project.connection.execute(
                "SELECT grade.response, remark.rationale FROM grade "
                "JOIN grader ON grader.id = grade.grader "
                "LEFT JOIN remark USING (response, grader) WHERE grader.name = 'human:mira'"
            ).fetchall()
        )


@pytest.mark.slow
async def test_a_note_right_after_a_decision_is_on_that_one(driver: Driver, path: Path) -> None:
    await driver.press("enter")
    first = driver.row(0)
    send(driver.app, "a", "n", *"hi", "enter")
    await driver.until(lambda: notes(path) == {first.slot: "hi"})
    await driver.until(lambda: driver.app.screen is driver.screen)
    assert own_labels(path) == {first.slot: first.a}
    assert driver.place == 1
    await driver.press("k", "k")
    await driver.until(lambda: driver.place == 0 and "note   hi" in driver.page)


@pytest.mark.slow
async def test_tab_turns_a_note_to_the_answer_in_sight(driver: Driver, path: Path) -> None:
    await driver.press("enter")
    first, second = driver.row(0), driver.row(1)
    send(driver.app, "a", "n")
    await driver.until(lambda: driver.app.screen is not driver.screen)
    assert f"{first.a}" in (await settled(driver.pilot)).split("Note on", 1)[1].splitlines()[0]
    send(driver.app, *"odd", "tab")
    assert "not decided yet" in await settled(driver.pilot)
    send(driver.app, "enter", "b")
    await driver.until(lambda: notes(path) == {first.slot: None, second.slot: "odd"})


def review_notes(path: Path) -> list[tuple[str, str, str]]:
    """Mira's reviews: verdict, reason, note."""
    with OpenProject(path) as project:
        found = [one.review for one in reviews(project.connection)]
    return [(str(one.verdict), one.reason, one.note) for one in found]


@pytest.mark.slow
async def test_a_note_right_after_a_rejection_is_on_the_question(
    driver: Driver, path: Path
) -> None:
    await driver.press("enter")
    first = driver.row(0)
    send(driver.app, "n", *"why", "enter")
    await driver.until(lambda: "note   why" in driver.page)
    send(driver.app, "d", "1")
    await driver.until(lambda: driver.place == 1)
    await driver.until(lambda: review_notes(path) == [("rejected", "gold is wrong", "why")])
    send(driver.app, "n")
    await driver.until(lambda: driver.app.screen is not driver.screen)
    seen = await settled(driver.pilot)
    assert "rejected: gold is wrong" in seen.split("Note on", 1)[1].splitlines()[0]
    send(driver.app, *"not so", "enter")
    await driver.until(lambda: review_notes(path) == [("rejected", "gold is wrong", "not so")])
    send(driver.app, "n", "tab", *"odd", "enter", "b")
    await driver.until(lambda: list(notes(path).values()) == ["odd"])
    assert first.slot not in notes(path)


@pytest.mark.slow
async def test_a_note_before_the_decision_is_written_with_it(driver: Driver, path: Path) -> None:
    await driver.press("enter")
    first = driver.row(0)
    send(driver.app, "n", *"aciposb", "enter")
    await driver.until(lambda: "note   aciposb" in driver.page)
    assert own_labels(path) == {}
    send(driver.app, "b")
    await driver.until(lambda: notes(path) == {first.slot: "aciposb"})
    assert own_labels(path) == {first.slot: first.b}
    send(driver.app, "u")
    await driver.until(lambda: driver.done == 0)
    assert notes(path) == {}


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_keys_sent_at_once_decide_what_was_painted(
    path: Path, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    app = LostkeysApp(path, Settings(name="mira"))
    async with app.run_test(size=size) as pilot:
        driver = Driver(app, pilot)
        await driver.open()
        wanted = [driver.row(place) for place in range(12)]
        painted, decided = Painted(app, monkeypatch), []
        decide = driver.screen.deciding.decisions.decide

        def noted(card: DisagreementCard, label: Label, name: str) -> None:
            seen = " ".join(painted.text.split())
            assert card.heading.subject[:20] in seen
            assert card.question[:20] in seen
            decided.append((card.slot, label))
            decide(card, label, name)

        monkeypatch.setattr(driver.screen.deciding.decisions, "decide", noted)
        send(app, "enter", *"aaaaaaaaaa", "j", "b")
        await driver.until(lambda: len(decided) == 11 and not driver.screen.state.unwritten)
    assert decided == [(one.slot, one.a) for one in wanted[:10]] + [(wanted[11].slot, wanted[11].b)]
    assert own_labels(path) == dict(decided)


@pytest.mark.slow
async def test_a_key_waits_for_a_card_that_is_slow_to_come(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    await driver.press("enter")
    held: list[Callable[[], None]] = []
    ask = driver.app.ask

    def slow(key: str, *what: Any, **how: Any) -> None:
        if key == "card":
            held.append(lambda: ask(key, *what, **how))
        else:
            ask(key, *what, **how)

    monkeypatch.setattr(driver.app, "ask", slow)
    driver.screen.state.cards.clear()
    first, last = driver.row(0), driver.row(driver.size - 1)
    send(driver.app, "escape", "end", "enter", "b")
    await driver.until(lambda: len(held) == 1)
    for _ in range(20):
        await driver.pilot.pause()
    assert driver.done == 0
    held[0]()
    await driver.until(lambda: driver.done == 1)
    assert driver.row(driver.size - 1).decision is last.b
    assert driver.row(0).decision is None
    assert first.slot != last.slot


@pytest.mark.slow
async def test_keys_wait_until_undoing_has_led_back(driver: Driver, path: Path) -> None:
    await driver.press("enter")
    first = driver.row(0)
    send(driver.app, "a", "u", "p")
    await driver.until(lambda: own_labels(path) == {first.slot: Label.PARTIALLY})
