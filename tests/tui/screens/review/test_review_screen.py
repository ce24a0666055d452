"""The Review screen in the running app: queues, deciding, editing, sampling, undoing."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

import core.curation.question_edits
import db.reviews
from core.curation import question_reviews
from core.curation.question_reviews import RejectReason
from core.errors import LostkeysError
from core.project import OpenProject
from core.settings.preferences import Settings
from core.views.review.question_samples import Strata
from core.vocabulary import TASKS, Outcome, Task
from tests.core.making import OBJECT, Row, a_fact, new_project, put_facts, put_rows
from tests.tui.screens.screen_driver import ScreenDriver
from tests.tui.seeing import Painted, send, text
from tui.app.app import LostkeysApp
from tui.keys import REASONS
from tui.screens.review.screen import ReviewScreen
from tui.screens.review.state import KINDS
from tui.screens.task.screen import TaskScreen

HOSTILE = "[red]Narva[/] \x1b[31m\u202e"
C, I = Outcome.CORRECT, Outcome.INCORRECT  # noqa: E741


class Driver(ScreenDriver[ReviewScreen]):
    """The app with the Review screen open."""

    of = ReviewScreen

    def read(self) -> bool:
        return self.screen.state.shown is not None

    def verdicts(self) -> list[str | None]:
        shown = self.screen.state.shown
        assert shown is not None
        return [shown.queue.row(at).standing.verdict for at in range(len(shown.queue))]

    @property
    def place(self) -> int | None:
        return self.screen.panes.queue_view.place

    def carded(self) -> bool:
        return self.screen.panes.card is not None

    def noted(self) -> bool:
        card = self.screen.panes.card
        return card is not None and any(one.review.note for one in card.reviews)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Three facts; two models fail the direct question of the first two, with a hostile answer."""
    path = tmp_path / "p.db"
    with new_project(path) as project:
        put_facts(project, [a_fact(f"f{number}", category="Arts") for number in range(3)])
        put_rows(
            project,
            [
                Row(fact, task, model, False, sample, {"lexical": I if bad else C},
                    HOSTILE if bad else OBJECT)
                for fact in ("f0", "f1", "f2")
                for task in TASKS
                if not task.is_choice
                for bad in [task is Task.DIRECT and fact != "f2"]
                for model in ("m1", "m2")
                for sample in range(2)
            ],
        )  # fmt: skip
    return path


@pytest.fixture(params=[(80, 24), (140, 40)])
async def driver(path: Path, request: pytest.FixtureRequest) -> AsyncIterator[Driver]:
    """The screen in two sizes."""
    app = LostkeysApp(path, Settings(name="ann"))
    async with app.run_test(size=request.param) as pilot:
        made = Driver(app, pilot)
        await made.open()
        yield made


def reviews(path: Path) -> dict[str, tuple[str | None, str]]:
    """Verdict and reason by the text of the question."""
    with OpenProject(path, "read") as project:
        found = db.reviews.reviews(project.connection)
        texts = db.reviews.texts(project.connection, [one.question for one in found])
        return {texts[one.question]: (one.review.verdict, one.review.reason) for one in found}


def noted_by_text(path: Path) -> dict[str, str]:
    """Notes by the text of the question."""
    with OpenProject(path, "read") as project:
        found = db.reviews.reviews(project.connection)
        texts = db.reviews.texts(project.connection, [one.question for one in found])
        return {texts[one.question]: one.review.note for one in found if one.review.note}


async def test_letters_decide_where_the_card_is_in_sight_and_each_moves_on(
    driver: Driver, path: Path
) -> None:
    assert driver.verdicts() == [None, None]
    if driver.screen.narrow:
        await driver.press("a", "d", "1", "N")
        assert reviews(path) == {}
        await driver.press("enter")
    await driver.press("a")
    await driver.until(lambda: driver.verdicts() == ["accepted", None])
    await driver.until(lambda: driver.place == 1 and driver.carded())
    assert "u undoes it" in driver.said
    await driver.press("2")
    assert reviews(path) == {"f0 direct?": ("accepted", "")}
    await driver.press("d", "2")
    await driver.until(lambda: driver.verdicts() == ["accepted", "rejected"])
    assert reviews(path)["f1 direct?"] == ("rejected", "not unique")
    assert driver.app.snapshot is not None
    assert driver.app.snapshot.index.rejected.tolist() == [False, True, False]
    await driver.press("u")
    await driver.until(lambda: driver.verdicts() == ["accepted", None])
    assert not driver.app.snapshot.index.rejected.any()
    await driver.press("u")
    await driver.until(lambda: driver.verdicts() == [None, None])
    assert driver.place == 0


@pytest.mark.slow
async def test_a_verdict_is_shown_before_it_is_written(
    driver: Driver, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = []
    await driver.press("enter")
    await driver.until(lambda: bool(driver.screen.state.ahead))
    with monkeypatch.context() as patch:
        patch.setattr(driver.app, "write", lambda *ask: held.append(ask))
        await driver.pilot.press("a")
    assert driver.verdicts() == ["accepted", None]
    assert driver.place == 1
    assert driver.screen.panes.card is not None
    assert driver.screen.panes.card.heading.subject in text(driver.app)
    assert reviews(path) == {}
    await driver.press("d")
    assert driver.screen.state.rejecting
    driver.app.write(*held[0])
    await driver.until(lambda: not driver.screen.state.unwritten)
    assert reviews(path) == {"f0 direct?": ("accepted", "")}
    assert driver.screen.state.rejecting
    assert driver.verdicts() == ["accepted", None]


@pytest.mark.slow
async def test_a_person_who_went_elsewhere_meanwhile_stays_there(
    driver: Driver, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = []
    await driver.press("enter")
    await driver.until(lambda: bool(driver.screen.state.ahead))
    with monkeypatch.context() as patch:
        patch.setattr(driver.app, "write", lambda *ask: held.append(ask))
        await driver.pilot.press("a")
    await driver.press("k")
    await driver.until(lambda: driver.place == 0)
    driver.app.write(*held[0])
    await driver.until(lambda: not driver.screen.state.unwritten and driver.carded())
    await driver.until(lambda: bool(driver.screen.panes.card and driver.screen.panes.card.reviews))
    assert driver.place == 0
    assert driver.verdicts() == ["accepted", None]


@pytest.mark.slow
async def test_a_verdict_that_cannot_be_written_is_taken_back(
    driver: Driver, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*given: object, **named: object) -> None:
        raise LostkeysError("the disk is full")

    await driver.press("enter")
    await driver.until(lambda: bool(driver.screen.state.ahead))
    monkeypatch.setattr(question_reviews, "accept", refused)
    await driver.press("a")
    await driver.until(lambda: "1 not written: the disk is full" in text(driver.app))
    await driver.until(lambda: driver.place == 0 and driver.carded())
    assert driver.verdicts() == [None, None]
    assert reviews(path) == {}


@pytest.mark.slow
async def test_a_reason_can_be_typed_or_left(driver: Driver, path: Path) -> None:
    await driver.press("enter", "d", "escape", "1")
    assert driver.screen.panes.inside
    await driver.press("d", "6", *"too old", "enter")
    await driver.until(lambda: "rejected" in driver.verdicts())
    assert reviews(path) == {"f0 direct?": ("rejected", "too old")}


def one(path: Path, sql: str) -> tuple[object, ...]:
    with OpenProject(path, "read") as project:
        found: tuple[object, ...] = project.connection.execute(sql).fetchone()
        return found


DIRECT = "FROM question WHERE fact = 1 AND task = 'direct' AND current"


@pytest.mark.slow
async def test_an_edit_is_foreseen_kept_and_undone(driver: Driver, path: Path) -> None:
    await driver.press("enter", "e", *" now")
    await driver.until(lambda: "version 2 of direct" in text(driver.app))
    assert "4 old answers set aside" in " ".join(text(driver.app).split())
    await driver.press("ctrl+s")
    await driver.until(lambda: driver.verdicts()[0] == "edited")
    assert one(path, f"SELECT text, version {DIRECT}") == ("f0 direct? now", 2)
    await driver.until(
        lambda: driver.screen.panes.card is not None and driver.screen.panes.card.version == 2
    )
    assert driver.app.screen is driver.screen
    await driver.press("u")
    await driver.until(lambda: driver.verdicts()[0] is None)
    assert one(path, f"SELECT text, version {DIRECT}") == ("f0 direct?", 1)


@pytest.mark.slow
async def test_undoing_an_edit_is_no_other_program_at_work(driver: Driver) -> None:
    await driver.press("enter", "e", *" now", "ctrl+s")
    await driver.until(lambda: driver.verdicts()[0] == "edited")
    await driver.press("u")
    await driver.until(lambda: driver.verdicts()[0] is None)
    driver.app.poll()
    await driver.until(lambda: "undone" in driver.said)
    assert driver.app.jobs.progress is None
    assert "another program" not in text(driver.app)


@pytest.mark.slow
async def test_escape_leaves_an_edit_without_effect(driver: Driver, path: Path) -> None:
    await driver.press("enter", "e", *" now", "escape", "e", "ctrl+s")
    await driver.until(lambda: driver.app.screen is driver.screen)
    assert one(path, "SELECT count(*), (SELECT count(*) FROM action) FROM question")[1] == 0
    assert reviews(path) == {}


@pytest.mark.slow
async def test_an_edit_of_many_lines_keeps_them(driver: Driver, path: Path) -> None:
    await driver.press("enter", "e", "enter", *"and why?", "tab", *"!", "enter", *"Dorpat")
    await driver.until(lambda: "become stale" in text(driver.app))
    await driver.press("ctrl+s")
    await driver.until(lambda: driver.verdicts()[0] == "edited")
    assert one(path, f"SELECT text {DIRECT}") == ("f0 direct?\nand why?",)
    gold = one(
        path, "SELECT text, aliases FROM gold WHERE fact = 1 AND side = 'object' AND current"
    )
    assert gold == ("Tartu!", '["Dorpat"]')
    await driver.until(lambda: "Estonia → Tartu!" in text(driver.app))


@pytest.mark.slow
async def test_what_cannot_be_kept_stays_as_it_is_written(driver: Driver, path: Path) -> None:
    await driver.press("enter", "e", "tab", *["backspace"] * 9, "ctrl+s")
    await driver.until(lambda: "the gold is empty" in text(driver.app))
    await driver.press(*"Narva")
    with OpenProject(path, "write") as other:
        key = other.connection.execute(f"SELECT id {DIRECT}").fetchone()[0]
        core.curation.question_edits.edit_gold(other, "bea", key, "Dorpat")
    await driver.press("ctrl+s")
    await driver.until(lambda: "was edited meanwhile" in text(driver.app))
    assert "Narva" in text(driver.app)
    await driver.press("escape")
    assert one(path, "SELECT text FROM gold WHERE fact = 1 AND side = 'object' AND current") == (
        "Dorpat",
    )


@pytest.mark.slow
async def test_what_models_agree_on_can_be_accepted_too(driver: Driver, path: Path) -> None:
    before = one(path, "SELECT count(*) FROM grade")
    await driver.press("enter", "&")
    await driver.press("ctrl+u", *"Dorpat")
    await driver.until(lambda: "4 kept" in " ".join(text(driver.app).split()))
    await driver.press("ctrl+s")
    await driver.until(
        lambda: driver.screen.panes.card is not None and bool(driver.screen.panes.card.aliases)
    )
    assert driver.verdicts()[0] is None
    assert one(path, "SELECT count(*) FROM grade") == before, "an alias only adds"


@pytest.mark.slow
async def test_a_sample_is_drawn_and_its_rate_told(driver: Driver) -> None:
    await driver.press("v")
    await driver.until(lambda: "No sample yet" in text(driver.app))
    await driver.press("+")
    await driver.press(*"10", "enter")
    await driver.until(lambda: len(driver.verdicts()) == 10)
    await driver.press("enter")
    for _ in range(4):
        await driver.press("a")
        await driver.until(driver.carded)
    await driver.press("d", "5")
    await driver.until(lambda: sum(one is not None for one in driver.verdicts()) == 5)
    shown = driver.screen.state.shown
    assert shown is not None
    assert shown.rates.rate == pytest.approx(0.2)
    assert "20.0%" in text(driver.app)


@pytest.mark.slow
async def test_notes_are_kept(driver: Driver, path: Path) -> None:
    await driver.press("enter", "n", *"look it up", "enter")
    await driver.until(lambda: bool(reviews(path)))
    assert reviews(path) == {"f0 direct?": (None, "")}
    await driver.until(
        lambda: driver.screen.panes.card is not None and bool(driver.screen.panes.card.reviews)
    )
    assert driver.place == 0


@pytest.mark.slow
async def test_keys_sent_at_once_decide_what_was_painted(
    driver: Driver, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await driver.press("v")
    await driver.until(lambda: "No sample yet" in text(driver.app))
    send(driver.app, "+", *"20", "enter")
    await driver.until(lambda: len(driver.verdicts()) == 20)
    painted, decided = Painted(driver.app, monkeypatch), []
    write = driver.screen.writer._write

    def noted(*what: Any) -> None:
        card = what[3]
        seen = " ".join(painted.text.split())
        assert card.heading.subject[:20] in seen
        assert card.text[:20] in seen
        decided.append(card.question)
        write(*what)

    monkeypatch.setattr(driver.screen.writer, "_write", noted)
    send(driver.app, "enter", *"aaaaaaaaaa", "d", "2", "j", "a")
    await driver.until(lambda: len(decided) == 12 and not driver.screen.state.unwritten)
    shown = driver.screen.state.shown
    assert shown is not None
    assert decided == [shown.queue.questions[at] for at in (*range(11), 12)]
    await driver.until(lambda: driver.verdicts()[:11] == ["accepted"] * 10 + ["rejected"])


@pytest.mark.slow
async def test_a_note_right_after_a_verdict_is_on_that_question(driver: Driver, path: Path) -> None:
    send(driver.app, "enter", "a", "n", *"adse", "enter")
    await driver.until(lambda: bool(noted_by_text(path)))
    assert noted_by_text(path) == {"f0 direct?": "adse"}
    assert reviews(path) == {"f0 direct?": ("accepted", "")}
    await driver.until(lambda: driver.app.screen is driver.screen and driver.carded())
    assert driver.place == 1
    send(driver.app, "n", *"adx", "escape")
    await driver.until(lambda: driver.app.screen is driver.screen)
    assert reviews(path) == {"f0 direct?": ("accepted", "")}


@pytest.mark.slow
async def test_enter_in_the_card_opens_its_task_and_escape_leads_back(driver: Driver) -> None:
    send(driver.app, "enter", "j", "enter")
    await driver.until(lambda: driver.app.tab == "task")
    card = driver.screen.panes.card
    assert card is not None
    task = driver.app.tab_screen("task")
    assert isinstance(task, TaskScreen)
    await driver.until(lambda: not task.state.waiting)
    assert (task.state.fact, task.state.task) == (card.fact, card.task)
    send(driver.app, "escape")
    await driver.until(lambda: driver.app.tab == "review")
    assert driver.screen.panes.card is not None
    assert driver.screen.panes.card.queued == card.queued
    assert driver.screen.panes.inside


@pytest.mark.slow
async def test_every_queue_can_be_chosen(driver: Driver) -> None:
    await driver.press("f", *"minimize-reverse", "enter")
    await driver.until(lambda: "This stage has changed no question" in text(driver.app))
    await driver.press("f", *"each tier", "enter")
    await driver.until(lambda: driver.screen.state.wanted.by is Strata.TIER)
    kinds = []
    for _ in KINDS:
        await driver.press("v")
        kinds.append(driver.screen.state.wanted.kind)
    assert set(kinds) == set(KINDS)


def test_the_reasons_of_the_keys_are_those_that_are_kept() -> None:
    assert REASONS[:-1] == tuple(RejectReason)


@pytest.mark.slow
async def test_hostile_answers_are_text(driver: Driver) -> None:
    await driver.press("enter")
    seen = text(driver.app)
    assert "[red]Narva[/]" in seen
    assert "\x1b" not in seen
    assert "\u202e" not in seen


@pytest.mark.slow
async def test_an_empty_database_says_so(tmp_path: Path) -> None:
    with new_project(tmp_path / "e.db"):
        pass
    app = LostkeysApp(tmp_path / "e.db", Settings(name="ann"))
    async with app.run_test(size=(100, 30)) as pilot:
        made = Driver(app, pilot)
        await made.until(lambda: app.snapshot is not None)
        await pilot.press("f5")
        await made.until(lambda: "No facts yet" in text(app))
        await made.press("v", "enter", "a", "d", "+", "u")


@pytest.mark.slow
async def test_an_empty_queue_fills_when_answers_come(tmp_path: Path) -> None:
    """It does not say that nothing is suspicious beside a count of what is."""
    with new_project(tmp_path / "p.db") as project:
        put_facts(project, [a_fact("f0")])
        put_rows(project, [Row("f0", Task.DIRECT, "m1", False, 0, {"lexical": C}, OBJECT)])
        app = LostkeysApp(tmp_path / "p.db", Settings(name="ann"))
        async with app.run_test(size=(80, 24)) as pilot:
            made = Driver(app, pilot)
            await made.open()
            await made.until(lambda: "models fail, or all but one of four or more." in text(app))
            put_rows(project, [Row("f0", Task.REVERSE, "m1", False, 0, {"lexical": I}, "another")])
            app.poll()
            await made.until(lambda: made.place == 0)
            assert made.verdicts() == [None]
            assert "No question that" not in text(app)


EVIL = ("[/red]", "\x1b[31m\x07", "\u202egnikib", "👩\u200d👧🇪🇪", "e\u0301" * 50, "w" * 10_000)


@pytest.mark.slow
@pytest.mark.parametrize("evil", EVIL, ids=range(len(EVIL)))
@pytest.mark.parametrize("size", [(80, 24), (140, 40)], ids=str)
async def test_hostile_texts_are_shown_edited_and_kept_to_the_letter(
    tmp_path: Path, evil: str, size: tuple[int, int]
) -> None:
    path = tmp_path / "p.db"
    with new_project(path) as project:
        put_facts(project, [a_fact("f0"), a_fact("f1")])
        put_rows(project, [Row("f0", Task.DIRECT, "m", False, 0, {"lexical": I}, evil)])
        key = project.connection.execute(f"SELECT id {DIRECT}").fetchone()[0]
        draft = core.curation.question_edits.QuestionDraft(
            f"{evil}\n{evil}?", evil, (f"{evil} one", f"{evil} two")
        )
        core.curation.question_edits.edit(project, "bea", key, draft)
        question_reviews.note(project, "bea", key, evil)
    app = LostkeysApp(path, Settings(name="ann"))
    async with app.run_test(size=size) as pilot:
        made = Driver(app, pilot)
        await made.open()
        await made.press("f", *"edited", "enter")
        await made.until(made.carded)
        await made.press("enter", "e")
        await made.until(lambda: "as it is now" in text(app))
        await made.press(*"xy")
        await made.until(lambda: "version 3 of" in text(app))
        assert not {"\x1b", "\x07", "\u202e"} & set(text(app))
        await made.press("ctrl+s")
        await made.until(lambda: one(path, f"SELECT version {DIRECT}") == (3,))
        await made.until(lambda: app.screen is made.screen)
    assert one(path, f"SELECT text {DIRECT}") == (f"{evil}\n{evil}?xy",)
    gold = one(path, "SELECT text FROM gold WHERE fact = 1 AND side = 'object' AND current")
    assert gold == (evil,)


@pytest.mark.slow
async def test_what_another_says_is_seen_after_the_tick(driver: Driver, path: Path) -> None:
    with OpenProject(path, "write") as other:
        key = other.connection.execute(f"SELECT id {DIRECT}").fetchone()[0]
        question_reviews.reject(other, "bea", key, "not unique")
    driver.app.poll()
    await driver.until(lambda: driver.verdicts()[0] == "rejected")
    with OpenProject(path, "write") as other:
        question_reviews.note(other, "bea", key, "look at [it]")
    driver.app.poll()
    await driver.press("enter")
    await driver.until(driver.noted)


@pytest.mark.slow
async def test_new_questions_wait_until_they_are_asked_for(driver: Driver, path: Path) -> None:
    await driver.press("j")
    await driver.until(driver.carded)
    wrong = [Row("f3", Task.DIRECT, model, False, 0, {"lexical": I}, "-") for model in ("m1", "m2")]
    with OpenProject(path, "write") as other:
        put_facts(other, [a_fact("f3", category="Arts")])
        put_rows(other, wrong)
    new = "1 new, ctrl+r" + ("  2 of 2" if driver.screen.narrow else " shows them  2 of 2")
    await driver.until(lambda: new in text(driver.app))
    assert driver.verdicts() == [None, None]
    await driver.press("ctrl+r")
    await driver.until(lambda: driver.verdicts() == [None, None, None] and driver.carded())
    assert driver.place == 1
    assert "new, ctrl+r" not in text(driver.app)


@pytest.mark.slow
async def test_an_edit_survives_a_database_that_is_gone(driver: Driver, path: Path) -> None:
    await driver.press("enter", "e", *" now")
    await driver.until(lambda: "version 2 of" in text(driver.app))
    moved = path.with_name("elsewhere.db")
    path.rename(moved)
    await driver.press("ctrl+s")
    await driver.until(lambda: "gone" in text(driver.app))
    assert "f0 direct? now" in text(driver.app)
    moved.rename(path)
    await driver.press("ctrl+s")
    await driver.until(lambda: driver.app.screen is driver.screen)
    assert one(path, f"SELECT text {DIRECT}") == ("f0 direct? now",)


@pytest.mark.slow
async def test_edits_while_answers_come_in_are_kept_and_so_are_they(
    driver: Driver, path: Path
) -> None:
    await driver.press("enter", "e", *" now")
    with OpenProject(path, "write") as other:
        put_rows(
            other,
            [Row("f0", Task.DIRECT, "m1", False, 5, {"lexical": C}, OBJECT)],
        )
    driver.app.poll()
    await driver.press("!")
    await driver.until(lambda: "5 old answers set aside" in text(driver.app))
    await driver.press("ctrl+s")
    await driver.until(lambda: driver.verdicts()[0] == "edited")
    assert one(path, f"SELECT text {DIRECT}") == ("f0 direct? now!",)
    await driver.press("u")
    await driver.until(lambda: driver.verdicts()[0] is None)
    slots = one(
        path,
        "SELECT count(*) FROM grade JOIN question ON question.id = response >> 20 "
        "WHERE fact = 1 AND task = 'direct' AND current",
    )
    assert slots == (5,)


@pytest.mark.slow
async def test_a_name_that_is_not_given_keeps_nothing_and_loses_nothing(path: Path) -> None:
    app = LostkeysApp(path, Settings())
    async with app.run_test(size=(120, 40)) as pilot:
        made = Driver(app, pilot)
        await made.open()
        await made.press("enter", "e", *" now", "ctrl+s")
        await made.until(lambda: "Name:" in text(app))
        await made.press("escape")
        assert "f0 direct? now" in text(app)
        await made.press("ctrl+s")
        await made.until(lambda: "Name:" in text(app))
        await made.press("ctrl+u", *"ann", "enter")
        await made.until(lambda: app.screen is made.screen and made.verdicts()[0] == "edited")
    assert one(path, f"SELECT text {DIRECT}") == ("f0 direct? now",)


async def test_a_high_card_has_other_questions_whole_and_what_stands_around(path: Path) -> None:
    app = LostkeysApp(path, Settings(name="ann"))
    async with app.run_test(size=(200, 60)) as pilot:
        made = Driver(app, pilot)
        await made.open()
        await made.until(lambda: "all models on this question" in text(app))
        assert "5 f0 reverse?" in text(app)
        lines = text(app).splitlines()
        keys = next(at for at, line in enumerate(lines) if "your decision" in line)
        around = next(at for at, line in enumerate(lines) if "alike, over" in line)
        assert around < keys, "keys stay at the foot of the card"
