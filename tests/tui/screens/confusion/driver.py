"""The Confusion screen in a running app, and what a person has said there."""

from pathlib import Path

from core.project import OpenProject
from core.views.disagreements.disagreement_queue import DisagreementRow
from core.vocabulary import LABELS, Label
from tests.tui.screens.screen_driver import ScreenDriver
from tui.screens.confusion.screen import ConfusionScreen


class Driver(ScreenDriver[ConfusionScreen]):
    """The app with the Confusion screen open."""

    of = ConfusionScreen

    def read(self) -> bool:
        return self.screen.state.queue is not None

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
    def page(self) -> str:
        panes = self.screen.deciding.panes
        views = (panes.card_view, panes.card_foot)
        return "\n".join(
            view.draw(row, 0, view.size.width).text
            for view in views
            for row in range(view.row_count())
        )

    async def decide(self, key: str) -> None:
        before = self.done
        await self.press(key)
        await self.until(lambda: self.done == before + 1 and self.carded())


def own_labels(path: Path) -> dict[int, Label]:
    """What mira said, by slot."""
    with OpenProject(path) as project:
        return {
            slot: LABELS[outcome - 1]
            for slot, outcome in project.connection.execute(
                "SELECT grade.response, grade.outcome FROM grade JOIN grader "
                "ON grader.id = grade.grader WHERE grader.name = 'human:mira'"
            )
        }
