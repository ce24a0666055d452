"""A reference set on the Confusion screen: labelled blind, versions compared, misses, adopted."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from core.alignment.reference_draw import draw_set
from core.alignment.reference_set import find_set, next_rows, read_set
from core.curation.label_writer import set_label
from core.project import OpenProject
from core.scoring.precedence import grader_of
from core.settings.preferences import Settings
from core.views.align_board import AlignBoard, AlignCard, AlignRequest, read_align_board
from core.vocabulary import Label
from tests.core.alignment.making import make_project
from tests.tui.screens.screen_driver import ScreenDriver
from tests.tui.seeing import text
from tui.app.app import LostkeysApp
from tui.screens.confusion.screen import ConfusionScreen


class AlignDriver(ScreenDriver[ConfusionScreen]):
    """The app with the queue of a reference set in sight."""

    of = ConfusionScreen

    def read(self) -> bool:
        return self.screen.state.kind == "disagreements"

    @property
    def board(self) -> AlignBoard | None:
        return self.screen.aligning.board

    @property
    def card(self) -> AlignCard | None:
        return self.screen.aligning.panes.list_view.card


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A set of 20 answers, none of them labelled by the person who looks at it."""
    with make_project(tmp_path / "a.db", ann=False) as project:
        draw_set(project, "rivers", size=20, by="judge")
    return tmp_path / "a.db"


@pytest.fixture
async def driver(path: Path) -> AsyncIterator[AlignDriver]:
    app = LostkeysApp(path, Settings(name="mira"), fresh=True)
    async with app.run_test(size=(120, 40)) as pilot:
        made = AlignDriver(app, pilot)
        await made.open()
        await made.press("v", "v", "v")
        await made.until(lambda: made.board is not None)
        yield made


async def test_a_set_is_labelled_blind_a_trial_foreseen_another_set_drawn(
    driver: AlignDriver,
) -> None:
    await driver.press("enter")
    first = driver.card
    assert first is not None
    page = text(driver.app)
    assert first.answer in page
    assert "judge#" not in page
    assert "0 of 20 labelled" in page
    await driver.press("c")
    await driver.until(lambda: driver.board is not None and driver.board.labelled == 1)
    assert driver.card is not None
    assert driver.card.slot != first.slot
    await driver.until(lambda: driver.board is not None and driver.board.report is not None)
    assert "judge" in text(driver.app)
    await driver.press("u")
    await driver.until(lambda: driver.board is not None and driver.board.labelled == 0)
    assert driver.card.slot == first.slot
    await driver.press("escape", "exclamation_mark", *"openai:m", "enter")
    await driver.until(lambda: "llm:openai:m labels" in text(driver.app))
    await driver.press("n", "plus", *"more", "enter")
    await driver.until(lambda: driver.board is not None and driver.board.name == "more")
    assert driver.board is not None
    assert driver.board.answers == 120


def test_a_board_has_progress_misses_and_the_labels_of_another_program(path: Path) -> None:
    with OpenProject(path, "write") as project:
        request = AlignRequest("rivers")
        found = read_set(project, find_set(project, "rivers"))
        for slot in found.slots[found.places(("tune",))].tolist():
            set_label(project, "mira", slot, Label.CORRECT)
        board = read_align_board(project, "mira", request)
        assert board is not None
        assert board.report is not None
        assert board.parts["tune"] == (len(found.places(("tune",))), len(found.places(("tune",))))
        assert board.misses
        assert {one.label for one in board.misses} == {Label.CORRECT}
        assert all(one.grader_label is not Label.CORRECT for one in board.misses)
        assert board.card is not None
        assert board.card.label is board.card.grader_label is None
        listed = next_rows(project, found, grader_of("mira"))[0]
        shown = board.card
        assert (shown.question, shown.task, shown.text) == (
            listed["question"], listed["task"], listed["response"]
        )  # fmt: skip
        slot = board.card.slot
    with OpenProject(path, "write") as other:
        set_label(other, "mira", slot, Label.OTHER)
    with OpenProject(path) as project:
        again = read_align_board(project, "mira", request, whole=False)
        assert again is not None
        assert again.labelled == board.labelled + 1
        assert again.card is not None
        assert again.card.slot != slot
        off = AlignRequest("rivers", put_off=(again.card.slot,))
        later = read_align_board(project, "mira", off, whole=False)
        assert later is not None
        assert later.card is not None
        assert later.card.slot != again.card.slot
