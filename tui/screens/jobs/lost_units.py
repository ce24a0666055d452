"""The units that a stage of a build has lost, by reason; `enter` shows what the model said."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from textual import events, on
from textual.app import ComposeResult

from core.jobs.job_view import JobStage, JobView
from tui import keys
from tui.dialogs.dialog import CLOSES, Dialog
from tui.screens.jobs import sentences
from tui.screens.jobs.render_stages import shorten_name
from tui.text.line import Line
from tui.text.line_wrap import wrap_spans
from tui.theme.glyphs import spell
from tui.widgets.line_view import LineView

if TYPE_CHECKING:
    from core.jobs.stage_losses import LostUnit

UNIT, SAID = 3, 5
"""Columns at which a unit begins, and what is said of it."""

NAMED = 0.55
"""Share of the width that a unit's name takes."""

MOST_SAID = 4_000
"""Characters of a reply that are shown."""


class LostUnitRow(NamedTuple):
    """A line, and which of the units it is; a title gets a hairline."""

    line: Line
    unit: int | None = None
    is_title: bool = False


class LostView(LineView):
    """The units under their reasons; the cursor stands on units."""

    DEFAULT_CSS = "LostView { height: auto; max-height: 100%; }"
    BINDINGS = keys.bindings("list") + keys.bindings("offers")

    def __init__(self, stage: JobStage, lost: "Sequence[LostUnit]") -> None:
        super().__init__()
        self._stage, self._lost = stage, lost
        self._open: set[int] = set()
        self._rows: list[LostUnitRow] = []
        self._arrange(80)
        self.cursor = self._next_choosable(0, 1)

    def row_count(self) -> int:
        """How many lines there are."""
        return len(self._rows)

    def is_choosable(self, row: int) -> bool:
        """Whether there is a unit on the row."""
        return self._rows[row].unit is not None

    def draw(self, row: int, line: int, width: int) -> Line:
        """One of them; titles with a hairline."""
        found = self._rows[row]
        drawn = Line(" ").join(found.line)
        return drawn.add(" ").rule(width - 1) if found.is_title else drawn.clip(width - 1)

    def action_choose(self) -> None:
        """Show what the model said of the unit, or no more."""
        unit = None if self.cursor is None else self._rows[self.cursor].unit
        if unit is not None:
            self._open ^= {unit}
            self._arrange(self.size.width)
            self.refresh(layout=True)
            self.refresh_changed()

    def on_resize(self, event: events.Resize) -> None:
        """Lines are broken for a width."""
        unit = None if self.cursor is None else self._rows[self.cursor].unit
        self._arrange(event.size.width)
        if unit is not None:
            self.cursor = next(at for at, row in enumerate(self._rows) if row.unit == unit)
        super().on_resize(event)

    def _arrange(self, width: int) -> None:
        self._rows = [LostUnitRow(_summary(self._stage)), LostUnitRow(Line())]
        groups = groupby(enumerate(self._lost), lambda one: (one[1].verdict, one[1].reason))
        for (verdict, reason), units in groups:
            count = self._stage.reasons.get(reason, 0)
            self._rows.append(LostUnitRow(_reason(verdict, reason, count), is_title=True))
            for unit, one in units:
                self._rows.append(LostUnitRow(_unit(one, width), unit))
                if unit in self._open:
                    self._rows += [LostUnitRow(line) for line in _draw_reply(one, width)]
        rest = sum(self._stage.reasons.values()) - len(self._lost)
        if rest > 0:
            self._rows.append(LostUnitRow(Line(f"{rest:,} more are not listed", "ink-3")))


class LostUnits(Dialog[None]):
    """What a stage has dropped or failed with."""

    hint = (("enter", "what the model said"), CLOSES)
    AUTO_FOCUS = "LostView"

    def __init__(self, view: JobView, stage: JobStage, lost: "Sequence[LostUnit]") -> None:
        super().__init__()
        self.heading = f"{sentences.title(view)}: {shorten_name(stage.name)}"
        self.stage, self.lost = stage, lost

    def body(self) -> ComposeResult:
        """The lines."""
        yield LostView(self.stage, self.lost)

    @on(LineView.RowClicked)
    def choose_clicked(self, event: LineView.RowClicked) -> None:
        """A second click is as good as enter."""
        event.stop()
        if event.again:
            self.query_one(LostView).action_choose()


def _summary(stage: JobStage) -> Line:
    """How many the stage kept, dropped and failed with, and how many wait."""
    counted: Mapping[str, int] = {
        "kept": stage.done,
        "dropped": stage.dropped,
        "failed": stage.failed,
        "waiting": stage.left,
    }
    line = Line()
    for name, count in counted.items():
        line.add(f"{count:,}", "ink" if count else "ink-3").add(f" {name}   ", "ink-2")
    return line


def _reason(verdict: str, reason: str, count: int) -> Line:
    line = Line(f"{count:,} " if count else "", "ink bold")
    return line.add(f"{verdict}: ", "ink-3").add(
        reason, "label-i" if verdict == "failed" else "ink"
    )


def _unit(one: "LostUnit", width: int) -> Line:
    """Where it is from, its object, and what is said of it alone."""
    name = one.title or one.key
    line = (
        Line()
        .to(UNIT)
        .add(name, "ink")
        .add(f" {spell('·')} {one.object}" if one.object else "", "ink-2")
    )
    cells = max(UNIT + 1, int(width * NAMED))
    line = line.clip(cells) if one.detail else line
    return line.to(cells).add("  ").add(one.detail, "ink-3") if one.detail else line


def _draw_reply(one: "LostUnit", width: int) -> list[Line]:
    """The id, and the model's reply to the letter, broken to the width."""
    found = [Line().to(SAID).add(one.key, "ink-3")]
    texts = one.raw[:MOST_SAID].splitlines() if one.raw else ["(decided without a model)"]
    for text in texts:
        broken = wrap_spans(Line(text, "ink-2").spans, max(10, width - SAID - 2))
        found += [Line().to(SAID).join(line) for line in broken]
    return found
