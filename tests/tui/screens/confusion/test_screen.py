"""The Confusion screen in the running app: deciding, undoing, filtering, blind, every pane."""

import shutil
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from getpass import getuser
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widget import Widget

from core.demo.demo_setup import bundled
from core.errors import LostkeysError
from core.project import Project
from core.settings.preferences import Settings
from core.views.disagreements.disagreement_card import DisagreementCard
from core.views.disagreements.disagreement_queue import DisagreementRow
from core.vocabulary import LABELS, Label, Outcome, Task
from db.reviews import reviews
from tests.core.making import Row as Stored
from tests.core.making import new_project, put_facts, put_rows
from tests.patience import until
from tests.tui.sample import A, B, sample_project
from tests.tui.seeing import Painted, send, settled, text
from tui.app.app import LostkeysApp
from tui.screens.confusion.screen import ConfusionScreen
from tui.screens.task.screen import TaskScreen


class Driver:
    """The app with the Confusion screen open."""

    def __init__(self, app: LostkeysApp, pilot: Pilot[None]) -> None:
        self.app, self.pilot = app, pilot

    @property
    def screen(self) -> ConfusionScreen:
        screen = self.app.audit_screen("confusion")
        assert isinstance(screen, ConfusionScreen)
        return screen

    async def until(self, come: Callable[[], bool]) -> None:
        """Let the app work until something has come true."""
        await self.pilot.pause()
        await until(come, lambda: text(self.app), lambda: self.pilot.pause(0.02))
        await self.pilot.pause()

    async def open(self) -> None:
        await self.until(lambda: self.app.snapshot is not None)
        await self.pilot.press("f4")
        await self.until(lambda: self.screen.state.queue is not None)

    async def press(self, *keys: str) -> None:
        for key in keys:
            await self.pilot.press(key)
            await self.pilot.pause()

    @property
    def place(self) -> int | None:
        return self.screen.deciding.panes.queue_view.place

    def row(self, place: int) -> DisagreementRow:
        queue = self.screen.state.queue
        assert queue is not None
        return queue.row(place)

    @property
    def size(self) -> int:
        queue = self.screen.state.queue
        return 0 if queue is None else len(queue)

    @property
    def done(self) -> int:
        queue = self.screen.state.queue
        return 0 if queue is None else queue.done

    def carded(self) -> bool:
        """Whether the card is that of the row under the cursor."""
        card = self.screen.state.card
        return card is not None and card.slot == self.screen.deciding.panes.slot

    @property
    def said(self) -> str:
        return self.app.status.said.text if self.app.status.said else ""

    @property
    def page(self) -> str:
        view = self.screen.deciding.panes.card_view
        rows = (view.draw(row, 0, view.size.width).text for row in range(view.row_count()))
        return "\n".join(rows)

    async def decide(self, key: str) -> None:
        before = self.done
        await self.press(key)
        await self.until(lambda: self.done == before + 1 and self.carded())


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sample_project(tmp_path_factory.mktemp("confusion") / "sample.db")


@pytest.fixture
def path(sample: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(sample, tmp_path / "mine.db"))


@pytest.fixture
async def driver(path: Path) -> AsyncIterator[Driver]:
    app = LostkeysApp(path, Settings(name="mira"))
    async with app.run_test(size=(120, 40)) as pilot:
        made = Driver(app, pilot)
        await made.open()
        yield made


@pytest.fixture
async def small(path: Path) -> AsyncIterator[Driver]:
    app = LostkeysApp(path, Settings(name="mira"))
    async with app.run_test(size=(80, 24)) as pilot:
        made = Driver(app, pilot)
        await made.open()
        yield made


def own_labels(path: Path) -> dict[int, Label]:
    """What mira said, by slot."""
    with Project(path) as project:
        return {
            slot: LABELS[outcome - 1]
            for slot, outcome in project.connection.execute(
                "SELECT grade.response, grade.outcome FROM grade JOIN grader "
                "ON grader.id = grade.grader WHERE grader.name = 'human:mira'"
            )
        }


@pytest.mark.slow
async def test_it_opens_on_the_first_disagreement_and_panes_follow_one_another(
    driver: Driver,
) -> None:
    assert driver.place == 0
    assert driver.carded()
    row = driver.row(0)
    assert row.heading.subject in text(driver.app)
    assert "all models" in text(driver.app)
    screen = driver.screen
    order = [
        screen.deciding.panes.queue_view,
        screen.deciding.panes.card_view,
        screen.deciding.panes.matrix_view,
        screen.deciding.panes.agreement_view,
    ]
    for view in [*order[1:], order[0]]:
        await driver.press("tab")
        assert screen.focused is view
    await driver.press("shift+tab")
    assert screen.focused is order[-1]


async def test_nothing_but_the_queue_is_focused_first(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A focus in the matrix would hide the queue where there is room for one pane."""
    app, focused = LostkeysApp(path, Settings(name="mira")), []
    focus = ConfusionScreen.set_focus

    def noted(screen: ConfusionScreen, widget: Widget | None, *what: Any, **how: Any) -> None:
        focused.append(widget)
        focus(screen, widget, *what, **how)

    monkeypatch.setattr(ConfusionScreen, "set_focus", noted)
    async with app.run_test(size=(80, 24)) as pilot:
        driver = Driver(app, pilot)
        await driver.open()
        assert set(focused) == {driver.screen.deciding.panes.queue_view}


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
    fact, grades = bundled()[0], {A: Outcome.CORRECT, B: Outcome.INCORRECT}
    with Project(driver.app.path, "write") as project:
        row = Stored(fact.fact_id, Task.DIRECT, "gemma3-4b", False, 8, grades, "anew", None)
        put_rows(project, [row])
    await driver.until(lambda: "1 new, ctrl+r shows them" in text(driver.app))
    assert driver.size == size
    await driver.press("ctrl+r")
    await driver.until(lambda: driver.size == size + 1)
    assert driver.screen.deciding.panes.slot == slot
    assert "ctrl+r shows" not in await settled(driver.pilot)


@pytest.mark.slow
async def test_neither_letters_elsewhere_nor_skipping_decide(driver: Driver, path: Path) -> None:
    await driver.press("a", "b", "c", "i", "p", "o", "s", "n", "backspace")  # in the queue
    await settled(driver.pilot)
    assert driver.done == 0
    await driver.press("enter")
    send(driver.app, "n", *"abcipos", "escape")  # in a note that is left
    await driver.until(lambda: driver.app.screen is driver.screen)
    await settled(driver.pilot)
    assert driver.place == 0
    assert own_labels(path) == {}
    await driver.press("s")
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
        await driver.press("s")
        await driver.until(driver.carded)
        card = driver.screen.state.card
    assert card is not None
    offered = card.offered
    assert offered
    await driver.decide("a")
    assert "y" in driver.said
    assert "the same" in driver.said
    snapshot = driver.app.snapshot
    await driver.press("y")
    await driver.until(lambda: driver.app.snapshot is not snapshot and "undoes" in driver.said)
    session_labels = own_labels(driver.app.path)
    assert set(offered) <= set(session_labels)
    assert {session_labels[slot] for slot in offered} == {card.a.label}
    await driver.press("u")
    await driver.until(lambda: not set(offered) & set(own_labels(driver.app.path)))
    assert card.slot in own_labels(driver.app.path)


def notes(path: Path) -> dict[int, str | None]:
    """Mira's labels with their notes, by slot."""
    with Project(path) as project:
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
    assert f"{first.a}" in (await settled(driver.pilot)).split("note on", 1)[1].splitlines()[0]
    send(driver.app, *"odd", "tab")
    assert "not decided yet" in await settled(driver.pilot)
    send(driver.app, "enter", "b")
    await driver.until(lambda: notes(path) == {first.slot: None, second.slot: "odd"})


def review_notes(path: Path) -> list[tuple[str, str, str]]:
    """Mira's reviews: verdict, reason, note."""
    with Project(path) as project:
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
    assert "rejected: gold is wrong" in seen.split("note on", 1)[1].splitlines()[0]
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


@pytest.mark.slow
async def test_blind_hides_both_graders_until_one_has_decided(driver: Driver) -> None:
    await driver.press("B", "enter")
    assert A not in driver.page
    assert B not in driver.page
    assert "becomes" not in driver.page
    await driver.press("a")
    assert "hidden" in driver.said
    assert driver.done == 0
    await driver.decide("c")
    await driver.press("k")
    await driver.until(lambda: driver.place == 0 and driver.carded())
    assert A in driver.page
    assert B in driver.page
    await driver.press("B")
    assert "are shown" in driver.said


@pytest.mark.slow
async def test_what_is_chosen_becomes_the_queue_and_all_is_given_back(driver: Driver) -> None:
    everything = driver.size

    # A cell of the matrix
    await driver.press("tab", "tab", "l", "enter")
    await driver.until(lambda: 0 < driver.size < everything)
    wanted = (Label.CORRECT, Label.INCORRECT)
    assert all((driver.row(at).a, driver.row(at).b) == wanted for at in range(driver.size))
    assert driver.screen.focused is driver.screen.deciding.panes.queue_view
    await driver.press("escape")
    await driver.until(lambda: driver.size == everything)

    # A task of the agreement
    await driver.press("shift+tab", "j", "enter")
    await driver.until(lambda: 0 < driver.size < everything)
    assert {driver.row(at).task for at in range(driver.size)} == {Task.CONTEXTUAL}
    await driver.press("F")
    await driver.until(lambda: driver.size == everything)

    # A list
    await driver.press("f")
    await settled(driver.pilot)
    await driver.press(*"model 4b", "enter")
    await driver.until(lambda: 0 < driver.size < everything)
    assert {driver.row(at).model for at in range(driver.size)} == {"gemma3-4b"}
    assert "gemma3-4b" in text(driver.app).splitlines()[0]
    await driver.press("F")
    await driver.until(lambda: driver.size == everything)

    # Thinking of the lens
    await driver.press("t")
    await driver.until(lambda: driver.size not in (0, everything))
    assert not any(driver.row(at).thinking for at in range(driver.size))
    await driver.press("t", "t")
    await driver.until(lambda: driver.size == everything)

    # On a wide screen, a model beside the tasks
    await driver.pilot.resize_terminal(200, 60)
    await settled(driver.pilot)
    assert "─ By model ─" in text(driver.app)
    await driver.press("tab", "j", "enter")  # out of the agreement
    await driver.until(lambda: 0 < driver.size < everything)
    assert {driver.row(at).model for at in range(driver.size)} == {"gemma3-4b"}
    assert driver.screen.position.pane == "beside-view"
    await driver.press("F", "h")
    await driver.until(lambda: driver.size == everything)
    assert "─ By task ─" in text(driver.app)


@pytest.mark.slow
async def test_an_empty_cell_says_so_and_agreement_is_told_by_model(driver: Driver) -> None:
    assert "gemma3-4b  " not in text(driver.app).splitlines()[5]
    await driver.press("tab", "tab", "tab", "l")
    await settled(driver.pilot)
    assert "gemma3-27b" in text(driver.app)
    assert driver.screen.deciding.panes.agreement_view.by == "model"
    await driver.press("tab", "tab", "tab", "end", "h", "enter")
    await driver.until(lambda: driver.size == 0)
    assert "No answer is OTHER to A and PARTIALLY to B." in text(driver.app)


@pytest.mark.slow
async def test_a_snapshot_that_comes_while_a_queue_is_opened_does_not_stop_that(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    everything, held = driver.size, list[Callable[[], None]]()
    ask = driver.app.ask

    def slow(key: str, *what: Any, **how: Any) -> None:
        if key == "queue":
            held.append(lambda: ask(key, *what, **how))
        else:
            ask(key, *what, **how)

    await driver.press("f")
    await settled(driver.pilot)
    monkeypatch.setattr(driver.app, "ask", slow)
    await driver.press(*"model 4b", "enter")
    await driver.until(lambda: len(held) == 1)
    assert driver.app.snapshot is not None
    driver.screen.show_snapshot(driver.app.snapshot)
    for go in held:
        go()
    await driver.until(lambda: 0 < driver.size < everything)


@pytest.mark.slow
async def test_a_threshold_opens_the_queue_anew_on_the_same_answer(driver: Driver) -> None:
    await driver.press("j", "j", "j")
    await driver.until(driver.carded)
    slot, before = driver.screen.deciding.panes.slot, driver.screen.state.queue
    await driver.press("]")
    await driver.until(lambda: driver.screen.state.queue is not before)
    assert driver.screen.deciding.panes.slot == slot


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_enter_on_a_card_opens_its_very_answer_and_escape_leads_back(
    path: Path, size: tuple[int, int]
) -> None:
    app = LostkeysApp(path, Settings(name="mira"))
    async with app.run_test(size=size) as pilot:
        driver = Driver(app, pilot)
        await driver.open()
        assert app.lens is not None
        lens = replace(app.lens, model="gemma3-4b")
        app.set_lens(lens)
        await driver.until(lambda: app.snapshot is not None and app.snapshot.lens == lens)
        await driver.press("enter")
        for steps in (0, 3, 6):
            await driver.press(*["j"] * steps)
            await driver.until(driver.carded)
            card, place = driver.screen.state.card, driver.place
            assert card is not None
            await label_on_task(driver, card, path)
            send(app, "u", "escape")
            await driver.until(lambda: app.tab == "confusion" and own_labels(path) == {})
            await driver.until(lambda: app.snapshot is not None and app.snapshot.lens == lens)
            assert driver.place == place
            assert driver.screen.deciding.panes.slot == card.slot
            assert driver.screen.focused is driver.screen.deciding.panes.card_view


async def label_on_task(driver: Driver, card: DisagreementCard, path: Path) -> None:
    """Open the answer of a card on the Task screen, and label it there."""
    send(driver.app, "enter", "c")
    await driver.until(lambda: own_labels(path) == {card.slot: Label.CORRECT})
    task = driver.app.audit_screen("task")
    assert isinstance(task, TaskScreen)
    assert task.state.slot == card.slot
    assert driver.app.snapshot is not None
    assert driver.app.snapshot.lens.model == card.model


@pytest.mark.slow
async def test_a_model_chosen_on_task_stays(driver: Driver) -> None:
    assert driver.app.lens is not None
    await driver.press("enter", "enter")
    await driver.until(lambda: driver.app.tab == "task")
    other = next(name for name in ("gemma3-4b", "gemma3-27b") if name != driver.app.lens.model)
    driver.app.look_at(other)
    await driver.press("escape")
    await driver.until(lambda: driver.app.tab == "confusion")
    assert driver.app.lens.model == other


@pytest.mark.slow
async def test_one_pane_at_a_time(small: Driver) -> None:
    screen = small.screen
    assert screen.deciding.panes.queue_view.region.height > 10
    assert not screen.deciding.panes.card_view.region.height
    assert "agreement" in text(small.app)
    await small.press("enter")
    await settled(small.pilot)
    assert screen.deciding.panes.card_view.region.height > 10
    assert not screen.deciding.panes.queue_view.region.height
    await small.decide("a")
    await small.press("tab")
    await settled(small.pilot)
    assert screen.deciding.panes.matrix_view.region.height > 10
    assert not screen.deciding.panes.card_view.region.height
    await small.press("escape")
    await settled(small.pilot)
    assert screen.deciding.panes.queue_view.region.height > 10


@pytest.mark.slow
async def test_a_person_without_a_name_is_asked_once(path: Path) -> None:
    app = LostkeysApp(path, Settings())
    async with app.run_test(size=(120, 40)) as pilot:
        driver = Driver(app, pilot)
        await driver.open()
        await driver.press("enter", "a")
        await settled(pilot)
        assert "Your labels carry your name" in text(app)
        assert getuser() in text(app)
        await driver.press("enter")
        assert driver.done == 0
        await driver.press("tab", "enter")
        await driver.until(lambda: driver.done == 1)
        assert app.person == getuser()


GRADED = {
    "No grader has labelled these answers yet.": {},
    "Only one grader has labelled these.": {A: Outcome.CORRECT},
    "A and B agree on all 1 answers.": {A: Outcome.CORRECT, B: Outcome.CORRECT},
}


@pytest.mark.slow
@pytest.mark.parametrize("words", GRADED)
async def test_why_there_is_nothing(words: str, tmp_path: Path) -> None:
    facts = bundled()[:1]
    with new_project(tmp_path / "few.db") as project:
        put_facts(project, facts)
        row = Stored(facts[0].fact_id, Task.DIRECT, "m", False, 0, GRADED[words], "an answer", None)
        put_rows(project, [row])
    app = LostkeysApp(tmp_path / "few.db", Settings(name="mira"))
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("f4")
        await settled(pilot)
        assert words.split(" 1 ")[0] in text(app)


@pytest.mark.slow
async def test_another_database_is_opened(driver: Driver, tmp_path: Path) -> None:
    driver.app.open_database(tmp_path / "none.db")
    await settled(driver.pilot)
    await driver.press("f4")
    assert "No grader has labelled" in await settled(driver.pilot)
