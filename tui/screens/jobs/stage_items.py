"""What is behind the numbers of a stage: what is missing, and why something has failed."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from textual import events, on
from textual.app import ComposeResult

from core.jobs.job_view import JobStage, JobView
from tui import keys
from tui.dialogs.dialog import CLOSES, Dialog, Hint
from tui.screens.jobs import sentences
from tui.screens.jobs.render_stages import shorten_name
from tui.text import number_text
from tui.text.line import Line
from tui.widgets.line_view import LineView

if TYPE_CHECKING:
    from core.jobs.job_list import ErrorGroup

COUNT = 10


class ItemTarget(NamedTuple):
    """Where a line leads: to one question, or (without one) to the facts that are incomplete."""

    fact_id: str | None = None
    task: str | None = None


class StageItem(NamedTuple):
    """A line, and where it leads if the cursor may stand on it; a title gets a hairline."""

    line: Line
    target: ItemTarget | None = None
    is_title: bool = False


class ItemsView(LineView):
    """The lines; the cursor stands on those that lead somewhere."""

    DEFAULT_CSS = "ItemsView { height: auto; max-height: 100%; }"
    BINDINGS = keys.bindings("list") + keys.bindings("offers")

    def __init__(self, make: Callable[[int], Sequence[StageItem]]) -> None:
        """`make` gives the lines for a width; where they lead is the same for all."""
        super().__init__()
        self._make = make
        self.items = make(80)
        self.cursor = next((at for at, one in enumerate(self.items) if one.target), None)

    def on_resize(self, event: events.Resize) -> None:
        """Lines are made for a width."""
        found = self._make(event.size.width)
        if found != self.items:
            self.items = found
            self.refresh(layout=True)
            self.repaint()
        super().on_resize(event)

    def row_count(self) -> int:
        """How many lines there are."""
        return len(self.items)

    def is_choosable(self, row: int) -> bool:
        """Whether the line leads somewhere."""
        return self.items[row].target is not None

    def draw(self, row: int, line: int, width: int) -> Line:
        """One of them; titles with a hairline."""
        drawn = Line(" ").join(self.items[row].line)
        return drawn.add(" ").rule(width - 1) if self.items[row].is_title else drawn

    def action_choose(self) -> None:
        """Go where the line leads."""
        if self.cursor is not None:
            self.screen.dismiss(self.items[self.cursor].target)


class Items(Dialog[ItemTarget]):
    """A stage's numbers, and what can be opened of them."""

    hint: Hint = (("enter", "opens"), CLOSES)
    AUTO_FOCUS = "ItemsView"

    def __init__(
        self, view: JobView, stage: JobStage | None, errors: "Sequence[ErrorGroup]"
    ) -> None:
        super().__init__()
        self.heading = sentences.title(view)
        self.items = items(view, stage, errors)
        if not any(item.target for item in self.items):
            self.hint = (CLOSES,)

    def body(self) -> ComposeResult:
        """The lines."""
        yield ItemsView(lambda _: self.items)

    @on(LineView.RowClicked)
    def choose_clicked(self, event: LineView.RowClicked) -> None:
        """A second click is as good as enter."""
        event.stop()
        if event.again:
            self.query_one(ItemsView).action_choose()


def items(view: JobView, stage: JobStage | None, errors: "Sequence[ErrorGroup]") -> list[StageItem]:
    """The lines: counts first, then reasons with an example each."""
    if stage is None:
        return [StageItem(Line(view.reason or "nothing has been counted yet", "ink-2"))]
    asks = stage.name.startswith("answer,")
    found = [_title(shorten_name(stage.name))]
    for name, count in (
        ("waiting", stage.waiting),
        ("running", stage.running),
        ("done", stage.done),
        ("dropped", stage.dropped),
        ("failed", stage.failed),
    ):
        line = Line(number_text.format_short(count).rjust(COUNT), "ink" if count else "ink-3")
        line.add(f"  {name}", "ink-2")
        leads = asks and name == "waiting" and count > 0
        if leads:
            line.add("   the facts that are not complete", "ink-3")
        found.append(StageItem(line, ItemTarget() if leads else None))
    return found + _errors(errors) + _reasons(stage, bool(errors))


def _errors(errors: "Sequence[ErrorGroup]") -> list[StageItem]:
    if not errors:
        return []
    found = [StageItem(Line()), _title("failed, each with an example")]
    for one in errors:
        line = Line(number_text.format_short(one.count).rjust(COUNT), "label-i bold").add(
            f"  {one.reason}"
        )
        target = ItemTarget(one.fact_id, one.task)
        example = Line().to(COUNT + 2).add(one.example, "ink-2")
        found += [StageItem(line), StageItem(example, target)]
    return found


def _reasons(stage: JobStage, told: bool) -> list[StageItem]:
    """Why things were dropped or have failed, where that is not told by example already."""
    if not stage.reasons or (told and not stage.dropped):
        return []
    found = [StageItem(Line()), _title("reasons")]
    for reason, count in sorted(stage.reasons.items(), key=lambda item: -item[1]):
        line = Line(number_text.format_short(count).rjust(COUNT), "ink")
        found.append(StageItem(line.add(f"  {reason}", "ink-2")))
    return found


def _title(text: str) -> StageItem:
    return StageItem(Line(text, "ink-3"), is_title=True)
