"""The Confusion screen in a running app, and what a person has said there."""

from collections.abc import Callable
from pathlib import Path

from textual.pilot import Pilot

from core.project import Project
from core.views.disagreements.disagreement_queue import DisagreementRow
from core.vocabulary import LABELS, Label
from tests.patience import until
from tests.tui.seeing import text
from tui.app.app import LostkeysApp
from tui.screens.confusion.screen import ConfusionScreen


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
