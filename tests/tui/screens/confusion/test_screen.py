"""The Confusion screen in the running app: filtering, blind, every pane, what is empty."""

from collections.abc import Callable
from dataclasses import replace
from getpass import getuser
from pathlib import Path
from typing import Any

import pytest
from textual.widget import Widget

from core.demo.demo_setup import read_facts
from core.settings.preferences import Settings
from core.views.disagreements.disagreement_card import DisagreementCard
from core.vocabulary import Label, Outcome, Task
from tests.core.making import Row as Stored
from tests.core.making import new_project, put_facts, put_rows
from tests.tui.sample import A, B
from tests.tui.screens.confusion.driver import Driver, own_labels
from tests.tui.seeing import send, settled, text
from tui.app.app import LostkeysApp
from tui.screens.confusion.disagreement_views import DisagreementQueueView
from tui.screens.confusion.screen import ConfusionScreen
from tui.screens.task.screen import TaskScreen


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
    await driver.until(lambda: bool(held))
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
    task = driver.app.tab_screen("task")
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
    "Only one grader has labelled these answers. r grades them with a second one.": {
        A: Outcome.CORRECT
    },
    "A and B agree on all 1 answers.": {A: Outcome.CORRECT, B: Outcome.CORRECT},
}


@pytest.mark.slow
@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("words", GRADED)
async def test_why_there_is_nothing(words: str, width: int, tmp_path: Path) -> None:
    facts = read_facts()[:1]
    with new_project(tmp_path / "few.db") as project:
        put_facts(project, facts)
        row = Stored(facts[0].fact_id, Task.DIRECT, "m", False, 0, GRADED[words], "an answer", None)
        put_rows(project, [row])
    app = LostkeysApp(tmp_path / "few.db", Settings(name="mira"))
    async with app.run_test(size=(width, 40)) as pilot:
        await pilot.press("f4")
        await settled(pilot)
        view = app.tab_screen("confusion").query_one("#queue-view", DisagreementQueueView)
        said = " ".join(view.draw(row, 0, 0).text.strip() for row in range(view.row_count()))
        assert words.split(" 1 ")[0] in said
        assert all(one.width < view.size.width for one in view.words)


@pytest.mark.slow
async def test_another_database_is_opened(driver: Driver, tmp_path: Path) -> None:
    driver.app.open_database(tmp_path / "none.db")
    await settled(driver.pilot)
    await driver.press("f4")
    assert "No facts here yet" in await settled(driver.pilot)


@pytest.mark.slow
async def test_without_answers_a_model_is_to_be_asked_and_nothing_graded(tmp_path: Path) -> None:
    with new_project(tmp_path / "bare.db") as project:
        put_facts(project, read_facts()[:1])
    app = LostkeysApp(tmp_path / "bare.db", Settings(name="mira"))
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("f4")
        shown = await settled(pilot)
    assert "No model has been asked yet. r asks one." in shown
    assert "No grader has labelled" not in shown
