"""The Task screen in the running app: every key of its rows in the key table."""

from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from core.project import OpenProject
from core.settings.preferences import Settings
from core.views.session import Session
from core.vocabulary import Label, Outcome, Task
from db.reviews import reviews
from tests.core.making import Row, put_rows
from tests.tui.screens.screen_driver import ScreenDriver
from tests.tui.screens.task.making import MODEL, A, answer_at, session_on, view_of
from tests.tui.seeing import send, settled
from tui.app.app import LostkeysApp
from tui.dialogs.question_edit_dialog import EditQuestion
from tui.screens.task.screen import TaskScreen
from tui.screens.task.state import AnswerPage
from tui.widgets.line_view import LineView

Where = tuple[bool, int]


class Driver(ScreenDriver[TaskScreen]):
    """The app with the Task screen open on reverse natural of the first fact."""

    of = TaskScreen

    async def open(self, task: Task = Task.REVERSE_NATURAL) -> None:
        await self.until(lambda: self.app.snapshot is not None)
        self.app.places.jump("task", 1, task)
        await self.until(lambda: self.screen.state.view is not None and self.weighed)

    @property
    def weighed(self) -> bool:
        reading = self.screen.state
        return not reading.waiting and (reading.slot is None or reading.slot in reading.effects)

    @property
    def where(self) -> Where | None:
        answer = self.screen.state.answer
        return (answer.thinking, answer.sample) if answer else None

    @property
    def page(self) -> list[str]:
        views = (self.screen.panes.open_view, self.screen.panes.open_foot)
        return [
            view.draw(row, 0, view.size.width).text.strip()
            for view in views
            for row in range(view.row_count())
        ]

    @property
    def rows(self) -> list[str]:
        view = self.screen.panes.answers_view
        return [view.draw(row, 0, view.size.width).text.strip() for row in range(view.row_count())]

    def inside(self) -> bool:
        return self.screen.panes.inside

    def task(self) -> Task:
        return self.screen.state.task

    def shown(self) -> AnswerPage:
        return self.screen.state.shown_page

    @property
    def own(self) -> Label | None:
        answer = self.screen.state.answer
        return answer.own if answer else None


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOSTKEYS_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("LOSTKEYS_STATE", str(tmp_path / "state"))
    monkeypatch.delenv("LOSTKEYS_USER", raising=False)


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


async def to_five(driver: Driver) -> None:
    """On 5, opened."""
    await driver.press(*["j"] * 12, "enter")
    await driver.until(lambda: driver.weighed)


@pytest.mark.slow
async def test_it_opens_among_the_answers_where_no_letter_labels(driver: Driver) -> None:
    assert driver.where == (False, 0)
    assert driver.screen.focused is driver.screen.panes.answers_view
    assert " ".join(driver.rows[0].split()) == "thinking off 0 of 7 .00 fail A B you"
    assert "Minotaur-C" in driver.page[2]
    await driver.press("c", "i", "p", "o", "backspace", "n")
    await driver.pilot.pause()
    assert driver.own is None
    assert driver.said == "enter opens the answer: c i p o label it there"
    assert driver.app.screen is driver.screen
    await driver.press("y")
    assert driver.app.clipboard == "Minotaur-C"


@pytest.mark.slow
async def test_j_and_k_go_through_the_answers_and_sideways_is_in_and_out(driver: Driver) -> None:
    await driver.press(*["j"] * 8)
    assert driver.where == (True, 0)
    await driver.press("k", "up")
    assert driver.where == (False, 6)
    await driver.press("end")
    assert driver.where == (True, 7)
    await driver.press("home")
    assert driver.where == (False, 0)
    assert driver.page[2] == "Minotaur-C"
    await driver.press("l")
    assert driver.inside()
    await driver.press("h")
    assert not driver.inside()
    await driver.press("right", "left", "tab")
    assert driver.inside()
    await driver.press("left", "enter", "j", "down")
    assert driver.where == (False, 2)
    assert driver.inside()
    await driver.press("k")
    assert driver.where == (False, 1)


@pytest.mark.slow
async def test_digits_choose_the_task_and_the_place_stays(driver: Driver) -> None:
    await to_five(driver)
    await driver.press("5")
    await driver.until(lambda: driver.weighed)
    assert driver.task() is Task.REVERSE
    assert driver.where == (True, 4)
    assert driver.inside()
    await driver.press("9")
    await driver.until(lambda: driver.weighed)
    assert driver.task() is Task.MC_REVERSE
    await driver.press("0")
    await driver.until(lambda: driver.weighed)
    assert f"{MODEL} has not been asked this question." in driver.rows


@pytest.mark.slow
async def test_skip_goes_to_what_the_graders_differ_on(driver: Driver) -> None:
    await driver.press("N")
    await driver.until(lambda: driver.weighed)
    assert (driver.task(), driver.where) == (Task.REVERSE_NATURAL, (True, 4))
    await driver.press("N")
    assert driver.said == "graders differ on no other answer of this fact. J next fact"
    await driver.press("3")
    await driver.until(lambda: driver.task() is Task.DIRECT and driver.weighed)
    await driver.press("home", "enter", "N")
    await driver.until(lambda: driver.weighed)
    assert (driver.task(), driver.where) == (Task.REVERSE_NATURAL, (True, 4))
    assert driver.inside()
    await driver.press("c")
    await driver.until(lambda: driver.own is Label.CORRECT)
    await driver.press("k", "N")
    assert driver.said == "graders differ on no other answer of this fact. J next fact"
    assert driver.where == (True, 3)


@pytest.mark.slow
async def test_t_shows_off_on_and_both(driver: Driver) -> None:
    await driver.press("t")
    await driver.until(lambda: driver.rows[0].startswith("thinking off"))
    await driver.until(lambda: not any("thinking on" in row for row in driver.rows))
    await driver.press("t")
    await driver.until(lambda: driver.rows[0].startswith("thinking on"))
    assert driver.where == (True, 0)
    await driver.press("t")
    await driver.until(lambda: driver.rows[0].startswith("thinking off"))


@pytest.mark.slow
async def test_a_label_by_its_key(driver: Driver, path: Path) -> None:
    await to_five(driver)
    for key, label in zip("cipo", Label, strict=True):
        await driver.press(key)
        await driver.until(lambda label=label: driver.own is label)  # type: ignore[misc]
        assert driver.where == (True, 4)
        with closing(session_on(path)) as session:
            assert answer_at(view_of(session), True, 4).own is label


@pytest.mark.slow
async def test_after_a_label_everything_is_right_in_place(driver: Driver) -> None:
    await to_five(driver)
    await driver.press("c")
    await driver.until(lambda: driver.own is Label.CORRECT)
    assert driver.said == "on 5 is CORRECT, RF becomes RT. u undoes it"
    assert driver.rows[10].split() == ["thinking", "on", "5", "of", "8", ".63", "pass"]
    assert driver.rows[15].split()[-3:] == ["x", "●", "●"]
    view = driver.screen.state.view
    assert view is not None
    assert view.fact.code == "RT"
    assert any("changes nothing" in line and "● correct" in line for line in driver.page)
    assert any("x incorrect" in line and "becomes RF" in line for line in driver.page)
    snapshot = driver.app.snapshot
    assert snapshot is not None
    assert snapshot.code(0) == "RT"


async def test_withdraw(driver: Driver) -> None:
    await to_five(driver)
    await driver.press("backspace")
    assert driver.said == "you have not labelled this answer"
    await driver.press("c")
    await driver.until(lambda: driver.own is Label.CORRECT)
    await driver.press("backspace")
    await driver.until(lambda: driver.own is None)
    assert driver.said == "your label of on 5 is withdrawn, RT becomes RF. u undoes it"


@pytest.mark.slow
async def test_undo_goes_back_step_by_step_from_either_pane(driver: Driver) -> None:
    await to_five(driver)
    await driver.press("c")
    await driver.until(lambda: driver.own is Label.CORRECT)
    await driver.press("o")
    await driver.until(lambda: driver.own is Label.OTHER)
    await driver.press("u")
    await driver.until(lambda: driver.own is Label.CORRECT)
    await driver.press("escape", "u")
    await driver.until(lambda: driver.own is None)
    assert driver.where == (True, 4)


@pytest.mark.slow
async def test_a_note_is_on_the_label_there_is_or_is_to_come(driver: Driver) -> None:
    await to_five(driver)
    send(driver.app, "n", *"copi", "enter")
    await driver.until(lambda: any("written with it  copi" in line for line in driver.page))
    assert driver.own is None
    send(driver.app, "c")
    await driver.until(lambda: driver.own is Label.CORRECT and "copi" in driver.page)
    send(driver.app, "n", *"why not", "enter")
    await driver.until(lambda: "why not" in driver.page)
    await driver.press("n")
    await driver.until(lambda: driver.app.screen is not driver.screen)
    await driver.press("escape")
    await driver.until(lambda: driver.app.screen is driver.screen)
    assert "why not" in driver.page
    assert driver.inside()


@pytest.mark.slow
async def test_a_note_before_and_right_after_a_rejection_is_on_that(
    driver: Driver, path: Path
) -> None:
    def notes() -> list[tuple[str, str]]:
        with OpenProject(path) as project:
            return [(one.review.reason, one.review.note) for one in reviews(project.connection)]

    await to_five(driver)
    send(driver.app, "n", *"why", "enter")
    await driver.until(lambda: any("written with it  why" in line for line in driver.page))
    send(driver.app, "d", "1")
    await driver.until(lambda: notes() == [("gold is wrong", "why")])
    await settled(driver.pilot)
    send(driver.app, "n")
    await driver.until(lambda: driver.app.screen is not driver.screen)
    assert "Note on the question, rejected: gold is wrong" in await settled(driver.pilot)
    send(driver.app, *"not so", "enter")
    await driver.until(lambda: notes() == [("gold is wrong", "not so")])
    await driver.press("u", "u")
    await driver.until(lambda: notes() == [])
    await driver.press("n")
    await driver.until(lambda: driver.app.screen is not driver.screen)
    assert "Note on on 5, not labelled yet" in await settled(driver.pilot)


@pytest.mark.slow
async def test_v_turns_the_page(driver: Driver) -> None:
    await to_five(driver)
    await driver.press("v")
    assert driver.shown() is AnswerPage.ANSWER
    assert driver.page[2:5] == [
        "Only Antares burns RP-1;",
        "it was announced as Taurus II.",
        "Answer: Taurus II",
    ]
    await driver.press("v")
    assert driver.shown() is AnswerPage.JUDGEMENT


async def test_escape_goes_back_to_the_answers_and_then_to_the_facts(driver: Driver) -> None:
    await driver.press("enter")
    assert driver.inside()
    await driver.press("escape")
    assert driver.screen.focused is driver.screen.panes.answers_view
    await driver.press("escape")
    await driver.until(lambda: driver.app.tab == "facts")
    await driver.press("f2")
    await driver.until(lambda: driver.app.tab == "task")
    assert driver.where == (False, 0)


@pytest.mark.slow
async def test_the_next_fact_with_the_question_it_has(driver: Driver) -> None:
    await driver.press("J")
    await driver.until(lambda: driver.screen.state.fact == 2 and driver.weighed)
    assert driver.said == "This fact has no reverse natural question"
    assert driver.task() is Task.COMPLETION
    await driver.press("6")
    assert driver.task() is Task.COMPLETION
    await driver.press("K")
    await driver.until(lambda: driver.screen.state.fact == 1 and driver.weighed)


@pytest.mark.slow
async def test_x_flags_the_fact(driver: Driver) -> None:
    await driver.press("x")
    await driver.until(lambda: driver.said.startswith("the fact is flagged"))
    snapshot = driver.app.snapshot
    assert snapshot is not None
    assert snapshot.index.flagged[0]
    await driver.press("x")
    await driver.until(lambda: driver.said.startswith("the fact has no flag now"))


@pytest.mark.slow
async def test_answers_of_another_program_appear_in_place(driver: Driver, path: Path) -> None:
    await driver.press(*["j"] * 12)
    with OpenProject(path, "write") as project:
        put_rows(
            project,
            [Row("f1", Task.REVERSE_NATURAL, MODEL, False, 8, {A: Outcome.CORRECT}, "Antares!")],
        )
    await driver.until(lambda: any("Antares!" in row for row in driver.rows))
    assert driver.where == (True, 4)
    assert driver.screen.panes.answers_view.cursor == 16
    assert driver.rows[0].split()[:5] == ["thinking", "off", "1", "of", "8"]


@pytest.mark.slow
async def test_the_name_is_asked_for_once(path: Path) -> None:
    app = LostkeysApp(path, Settings())
    async with app.run_test(size=(120, 40)) as pilot:
        driver = Driver(app, pilot)
        await driver.open()
        await to_five(driver)
        await driver.press("c")
        await driver.until(lambda: app.screen is not driver.screen)
        await driver.press(*["backspace"] * 40, *"ben", "enter")
        await driver.until(lambda: driver.own is Label.CORRECT)
        await driver.press("o")
        await driver.until(lambda: driver.own is Label.OTHER)
        assert app.settings.name == "ben"
        assert any(line.startswith("you o OTHER") and "human:ben" in line for line in driver.page)


@pytest.mark.slow
async def test_your_label_is_called_yours_where_the_environment_names_you(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOSTKEYS_USER", "ben")
    app = LostkeysApp(path, Settings())
    async with app.run_test(size=(120, 40)) as pilot:
        driver = Driver(app, pilot)
        await driver.open()
        await to_five(driver)
        await driver.press("c")
        await driver.until(lambda: driver.own is Label.CORRECT)
        assert any(line.startswith("you ● CORRECT") for line in driver.page)


@pytest.mark.slow
async def test_a_large_answer_does_not_make_keys_wait(path: Path) -> None:
    with OpenProject(path, "write") as project:
        text = "word " * 200_000 + "end"
        put_rows(project, [Row("f1", Task.REVERSE_NATURAL, MODEL, False, 8, {}, text)])
    app = LostkeysApp(path, Settings(name="mira"))
    async with app.run_test(size=(120, 40)) as pilot:
        driver = Driver(app, pilot)
        await driver.open()
        await driver.press(*["j"] * 8, "v")
        assert driver.where == (False, 8)
        await driver.until(lambda: driver.screen.panes.open_view.row_count() > 10_000)
        await driver.press("enter", "end")
        view = driver.screen.panes.open_view
        assert view.draw(view.row_count() - 1, 0, 60).text.endswith("end")
        assert view.row_count() - 1 in view.in_sight


@pytest.mark.slow
async def test_one_pane_and_one_setting_at_a_time(small: Driver) -> None:
    screen = small.screen
    assert len([row for row in small.rows if "Minotaur" in row]) == 7
    assert not screen.panes.open_view.size
    await small.press(*["j"] * 8)
    assert small.where == (True, 0)
    assert small.rows[0].startswith("thinking on")
    await small.press(*["j"] * 4, "enter")
    await small.until(lambda: bool(screen.panes.open_view.size) and small.weighed)
    assert not screen.panes.answers_view.size
    assert small.page[0] == "Taurus II    gold Antares"
    await small.press("c")
    await small.until(lambda: small.own is Label.CORRECT)
    await small.press("escape")
    await small.until(lambda: bool(screen.panes.answers_view.size))
    assert small.where == (True, 4)


@pytest.mark.slow
async def test_resizing_keeps_the_place(driver: Driver) -> None:
    await to_five(driver)
    for size in ((80, 24), (40, 10), (200, 60), (120, 40)):
        await driver.pilot.resize_terminal(*size)
        await driver.pilot.pause()
        assert driver.where == (True, 4)
        assert driver.inside()
        line = 0 if size[0] < 100 else 2 if size[1] >= 30 else 1

        def shows_it(at: int = line) -> bool:
            return driver.page[at].startswith("Taurus")

        await driver.until(shows_it)


@pytest.mark.slow
async def test_opened_at_an_answer_the_focus_is_in_it_at_once(driver: Driver) -> None:
    """Keys that wait are meant for it."""
    fact, task = driver.screen.state.fact, driver.screen.state.task
    assert fact is not None
    assert not driver.inside()
    driver.screen.open(fact, task, (True, 2))
    assert driver.inside()


@pytest.mark.slow
async def test_clicks(driver: Driver) -> None:
    await driver.pilot.click("#answers-view", offset=(10, 3))
    await driver.pilot.pause()
    assert driver.where == (False, 2)
    await driver.pilot.click("#answers-view", offset=(10, 3))
    await driver.until(driver.inside)
    await driver.pilot.click("#open-view", offset=(15, 0))
    await driver.until(lambda: driver.shown() is AnswerPage.ANSWER)
    await driver.pilot.click("#head-view", offset=(5, 0))
    await driver.until(lambda: driver.task() is Task.COMPLETION and driver.weighed)


@pytest.mark.slow
async def test_nothing_is_open_yet(tmp_path: Path) -> None:
    app = LostkeysApp(tmp_path / "absent.db", Settings())
    async with app.run_test(size=(120, 40)) as pilot:
        driver = Driver(app, pilot)
        await driver.until(lambda: app.snapshot is not None)
        await driver.press("f2")
        await driver.until(lambda: app.tab == "task")
        await driver.press("j", "k", "enter", "v", "y", "1", "J", "x", "c", "escape")
        assert "No question is open." in driver.rows


async def test_the_screen_shows_what_the_session_says(driver: Driver, session: Session) -> None:
    assert driver.screen.state.view == view_of(session)


@pytest.mark.slow
async def test_what_is_seen_is_what_is_read(driver: Driver) -> None:
    """Lines are painted again only where they differ: none may be left behind."""

    def seen() -> list[str]:
        return [strip.text for strip in driver.app.screen._compositor.render_strips()]

    async def fresh() -> list[str]:
        driver.screen.repaint()
        for view in driver.screen.query(LineView):
            view.repaint()
        await driver.pilot.pause()
        return seen()

    await driver.pilot.resize_terminal(110, 36)
    await to_five(driver)
    for key in ("c", "5", "J", "K", "v", "j", "6", "t", "t", "escape", "u", "1", "0"):
        await driver.press(key)
        await driver.until(lambda: driver.weighed)
        await driver.pilot.pause(0.3)
        before = seen()[1:-2]
        assert before == (await fresh())[1:-2], key


@pytest.mark.slow
async def test_an_answer_can_be_accepted_as_another_name(driver: Driver, path: Path) -> None:
    def golds() -> list[tuple[object, ...]]:
        with OpenProject(path, "read") as project:
            sql = "SELECT aliases FROM gold WHERE fact = 1 AND side = 'subject' AND current"
            return project.connection.execute(sql).fetchall()

    before = golds()
    await driver.press("&")
    assert golds() == before
    await driver.press("enter", "&")
    await driver.until(lambda: isinstance(driver.app.screen, EditQuestion))
    await driver.press("end", *" (so it was said)")
    await driver.press("ctrl+s")
    await driver.until(lambda: golds() != before)
    await driver.until(lambda: driver.app.screen is driver.screen)
    assert "(so it was said)" in str(golds()[0][0])
    await driver.press("u")
    await driver.until(lambda: golds() == before)
