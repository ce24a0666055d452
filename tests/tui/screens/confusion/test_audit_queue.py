"""The queue *audit* of the Confusion screen in the running app, from draw to done."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from core.certainty.audit_evidence import read_evidence
from core.certainty.audit_frame import find_audit, read_frame
from core.certainty.audit_queue import read_fact
from core.curation.label_writer import set_label
from core.project import OpenProject
from core.settings.preferences import Settings
from core.vocabulary import Label
from tests.core.certainty.making import FACTS, drawn, make_project, truth_of
from tests.tui.screens.screen_driver import ScreenDriver
from tests.tui.seeing import text
from tui.app.app import LostkeysApp
from tui.screens.confusion import render_audit_queue
from tui.screens.confusion.audit_sentences import describe_put_off
from tui.screens.confusion.audit_state import AuditState
from tui.screens.confusion.screen import ConfusionScreen

pytestmark = pytest.mark.slow
KEYS = {Label.CORRECT: "c", Label.INCORRECT: "i", Label.PARTIALLY: "p", Label.OTHER: "o"}


class AuditDriver(ScreenDriver[ConfusionScreen]):
    """The app in the queue *audit*."""

    of = ConfusionScreen

    @property
    def state(self) -> AuditState:
        return self.screen.auditing.state

    @property
    def audited(self) -> int:
        return self.state.board.report.audited if self.state.board else -1

    @property
    def settled(self) -> bool:
        """Whether a settled fact is looked at."""
        return self.state.board is not None and self.state.board.fact is not None

    @property
    def fact(self) -> int | None:
        """The fact of the card."""
        return self.state.card.fact if self.state.card else None

    @property
    def page(self) -> str:
        view = self.screen.auditing.panes.card_view
        rows = (view.draw(row, 0, view.size.width).text for row in range(view.row_count()))
        return "\n".join(rows)

    async def open(self) -> None:
        await self.until(lambda: self.app.snapshot is not None)
        await self.pilot.press("f4")
        await self.until(lambda: self.screen.is_current)
        await self.pilot.press("v")
        await self.until(lambda: self.state.page is not None)

    async def answer(self, how: str | None = None) -> None:
        """Label the answer in sight as the person would, or by a key."""
        await self.until(lambda: self.screen.takes_keys)
        card = self.state.card
        assert card is not None
        await self.pilot.press(how or KEYS[self.truth()])
        await self.until(
            lambda: (
                not self.state.writing
                and (self.state.card is None or self.state.card.slot != card.slot)
            )
        )

    def truth(self) -> Label:
        card, board = self.state.card, self.state.board
        assert card is not None
        assert board is not None
        assert board.place is not None
        fact = FACTS.index(board.report.evidence.frame.fact_ids[board.place])
        return truth_of(fact, card.task, card.thinking, card.slot & 1023)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with make_project(tmp_path / "a.db") as project:
        drawn(project, second="other")
    return tmp_path / "a.db"


@asynccontextmanager
async def running(path: Path, size: tuple[int, int]) -> AsyncIterator[AuditDriver]:
    app = LostkeysApp(path, Settings(name="ann"))
    async with app.run_test(size=size) as pilot:
        driver = AuditDriver(app, pilot)
        await driver.open()
        yield driver


@pytest.fixture
async def driver(path: Path) -> AsyncIterator[AuditDriver]:
    async with running(path, (120, 40)) as one:
        yield one


@pytest.fixture
async def small(path: Path) -> AsyncIterator[AuditDriver]:
    async with running(path, (80, 24)) as one:
        yield one


async def test_an_audit_is_worked_through_at_the_keyboard(driver: AuditDriver) -> None:
    await driver.until(lambda: driver.state.card is not None and driver.screen.takes_keys)
    assert "Audit june" in text(driver.app)
    assert "0 of 14 facts audited" in text(driver.app)
    await driver.until(lambda: driver.state.left is not None)
    assert "nine times in ten within" in text(driver.app)
    widths = []
    while driver.state.card is not None:
        await driver.answer()
        board = driver.state.board
        assert board is not None
        assert re.search(r"fact +decided +left", text(driver.app))
        widths.append(board.report.numbers["m", "recall_failure"].half_width)
    assert driver.audited == 14
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] == 0
    assert "14 of 14 facts audited" in text(driver.app)
    await driver.until(lambda: "done" in text(driver.app))
    assert "every fact is audited" in text(driver.app)
    assert board is not None
    fast = replace(board, per_minute=23_140.0)
    lines = render_audit_queue.summary_lines(fast, driver.state, "m", 60)
    assert "23,140 a minute" in "".join(line.text for line in lines)


async def test_the_question_of_the_card_is_in_sight_below_its_fact(driver: AuditDriver) -> None:
    for _ in range(12):
        await driver.until(lambda: driver.state.card is not None and driver.screen.takes_keys)
        await driver.until(lambda: "this one" in text(driver.app))
        await driver.answer()


async def test_the_card_is_blind_until_the_fact_is_settled(driver: AuditDriver) -> None:
    await driver.until(lambda: driver.state.card is not None)
    assert "hidden until the fact is settled" in driver.page
    for word in ("judge", "other gave", "stays", "becomes", "model m"):
        assert word not in driver.page
    await driver.press("a", "b")
    assert driver.audited == 0
    while driver.audited == 0:
        await driver.answer()
    await driver.press("escape", "home")
    await driver.until(
        lambda: driver.state.board is not None and driver.state.board.fact is not None
    )
    assert "you, graders" in driver.page


async def test_undo_unsettles_and_redo_settles(driver: AuditDriver) -> None:
    while driver.audited < 1:
        await driver.answer()
    await driver.press("u")
    await driver.until(lambda: driver.audited == 0)
    card = driver.state.card
    assert card is not None
    await driver.press("U")
    await driver.until(lambda: driver.audited == 1)


async def test_a_fact_put_off_stays_the_next(driver: AuditDriver, path: Path) -> None:
    await driver.until(lambda: driver.state.card is not None and driver.screen.takes_keys)
    first = driver.state.card
    assert first is not None
    await driver.press("N")
    await driver.until(
        lambda: driver.state.card is not None and driver.state.card.fact != first.fact
    )
    while driver.state.board is not None and driver.state.board.frontier == 1:
        await driver.answer()
    assert driver.audited == 0
    assert "1 put off" in text(driver.app)
    await driver.press("escape", "home")
    await driver.until(
        lambda: driver.state.card is not None and driver.state.card.fact == first.fact
    )
    await driver.press("enter")
    while driver.audited < 2:
        await driver.answer()
    assert driver.state.board is not None
    assert driver.state.board.frontier == 2


async def test_queues_in_turn(driver: AuditDriver) -> None:
    assert driver.screen.state.kind == "audit"
    await driver.press("v")
    await driver.until(lambda: driver.screen.state.kind == "unsure")
    await driver.until(lambda: "unsure" in text(driver.app))
    for kind in ("align", "disagreements", "audit"):
        await driver.press("v")
        await driver.until(lambda kind=kind: driver.screen.state.kind == kind)  # type: ignore[misc]


async def test_it_goes_on_where_it_was(path: Path) -> None:
    async with running(path, (120, 40)) as one:
        await one.answer()
        await one.press("N")
        await one.until(lambda: one.state.board is not None and one.state.board.frontier == 1)
        left = one.state.request
        one.app.exit()  # which looks at how it is left
    async with again(path) as two:
        await two.until(lambda: two.state.board is not None)
        assert two.screen.state.kind == "audit"
        assert two.state.request.put_off == left.put_off


@asynccontextmanager
async def again(path: Path, size: tuple[int, int] = (120, 40)) -> AsyncIterator[AuditDriver]:
    app = LostkeysApp(path, Settings(name="ann"))
    async with app.run_test(size=size) as pilot:
        driver = AuditDriver(app, pilot)
        await driver.until(lambda: app.snapshot is not None and app.tab == "confusion")
        yield driver


async def test_the_fact_looked_at_stands_where_it_stood(path: Path) -> None:
    size = (120, 34)
    async with running(path, size) as one:
        while one.audited < 12:
            await one.answer()
        await one.until(lambda: one.state.left is not None)
        await one.press("escape", "k", "k", "k")
        view = one.screen.auditing.panes.facts_view
        state = one.state
        await one.until(lambda: state.board is not None and state.board.place == view.place == 9)
        place, height, top = view.place, view.cursor_height, view.scroll_offset.y
        assert top > 0
        one.app.exit()  # which looks at how it is left
    async with again(path, size) as two:
        view = two.screen.auditing.panes.facts_view
        await two.until(lambda: two.state.left is not None and two.settled)
        await two.until(lambda: view.scroll_offset.y == top)
        assert (view.place, view.cursor_height) == (place, height)


async def test_labels_of_another_program_count_and_it_says_so(
    driver: AuditDriver, path: Path
) -> None:
    await driver.until(lambda: driver.state.card is not None)
    card = driver.state.card
    assert card is not None
    with OpenProject(path, "write") as project:
        evidence = read_evidence(project, read_frame(project, find_audit(project, "june")))
        for answer in read_fact(project, evidence, 0).answers:
            set_label(project, "ann", answer.slot, Label.CORRECT)
    await driver.until(lambda: driver.audited == 1)
    subject = card.heading.subject
    said = f"{subject}: ann labelled this answer CORRECT elsewhere. Here is the next"
    await driver.until(lambda: driver.said == said)


async def test_another_person_is_told(path: Path) -> None:
    app = LostkeysApp(path, Settings(name="bob"))
    async with app.run_test(size=(120, 40)) as pilot:
        driver = AuditDriver(app, pilot)
        await driver.open()
        await driver.until(lambda: driver.state.card is not None and driver.screen.takes_keys)
        await driver.press("c")
        await driver.until(lambda: "ann decides this audit" in driver.said)
        assert driver.audited == 0


async def test_one_is_drawn_from_the_screen(tmp_path: Path) -> None:
    make_project(tmp_path / "b.db").close()
    async with running(tmp_path / "b.db", (120, 40)) as driver:
        await driver.until(lambda: "No audit is drawn" in text(driver.app))
        await driver.press("+")
        await driver.until(lambda: "draw an audit" in text(driver.app).lower())
        await driver.press("enter")
        await driver.until(lambda: "a name is needed: tab takes" in text(driver.app))
        await driver.press(*"may", "enter")
        await driver.until(lambda: driver.state.board is not None)
        assert driver.state.board is not None
        assert driver.state.board.report.name == "may"
        assert driver.state.board.plan.person == "human:ann"


async def test_a_long_name_is_cut_where_it_is_said(driver: AuditDriver) -> None:
    await driver.until(lambda: driver.state.card is not None)
    card = driver.state.card
    assert card is not None
    card = replace(card, heading=card.heading._replace(subject="An Act of a very long name indeed"))
    assert describe_put_off(card).text.startswith("An Act of a very long name in… is put off")


async def test_narrow_it_is_one_line(small: AuditDriver) -> None:
    await small.until(lambda: small.state.card is not None and small.screen.takes_keys)
    lines = text(small.app).splitlines()
    assert "RF audited" in lines[1]
    assert "graded" in lines[1]
    await small.answer()
    await small.press("escape")
    await small.until(lambda: "decided" in text(small.app))


async def test_which_audit_and_how_narrow(driver: AuditDriver) -> None:
    await driver.until(lambda: driver.state.board is not None)
    await driver.press("escape", "f")
    await driver.press(*"10 points", "enter")
    await driver.until(lambda: driver.state.request.within == 0.1)
    await driver.press("f", *"encoding", "enter")
    await driver.until(
        lambda: (
            driver.state.request.about == "inference_without_encoding"
            or driver.state.request.about == "encoding_failure"
        )
    )
    await driver.press("f", *"close", "enter")
    await driver.until(lambda: driver.state.board is not None and driver.state.board.closed)


async def test_another_size_lays_all_panes_out_anew(small: AuditDriver) -> None:
    """What was not seen in a small terminal is there once it is larger."""
    await small.until(lambda: "graded" in text(small.app))
    await small.pilot.resize_terminal(200, 60)
    await small.until(lambda: "direct recall" in text(small.app))
    await small.until(lambda: "to ± 3.0 on recall failure ──" in text(small.app))
    await small.until(lambda: "0 of 14 facts, 0 decisions" in text(small.app))
