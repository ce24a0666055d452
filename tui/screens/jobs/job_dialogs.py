"""What is done with a job, after asking where need be; and what is behind its numbers."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from textual import events, on
from textual.app import ComposeResult

from core.dataset.fact_filters import Filters
from core.jobs.job_progress import State
from core.jobs.job_view import JobStage, JobView
from core.providers.model_names import parse
from core.scale.plan_commands import list_commands
from core.settings.known_addresses import known_addresses
from core.specs.answer_specs import AnsweringSpec, DemoSpec
from core.specs.file_specs import FilesSpec
from core.specs.job_kinds import asked_models
from core.stats.number_format import format_amount
from core.vocabulary import TASKS, Task
from tui import keys
from tui.dialogs.confirm_dialog import Confirm
from tui.dialogs.dialog import CLOSES, Dialog
from tui.screens.jobs import sentences
from tui.screens.jobs.render_card import begins_again
from tui.screens.jobs.render_stages import shorten_name
from tui.screens.jobs.stage_items import Items, ItemsView, ItemTarget, StageItem
from tui.text.line import Line, Span
from tui.text.line_wrap import wrap_spans
from tui.theme.glyphs import spell
from tui.widgets.line_view import LineView

if TYPE_CHECKING:
    from core.jobs.job_list import ErrorGroup
    from core.jobs.stage_losses import LostUnit
    from core.views.session import Session
    from core.views.snapshot import Snapshot
    from tui.app.app import LostkeysApp


# The units that a stage of a build has lost, by reason; `enter` shows what the model said.

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


# A plan that is out: how its answers stand, and the commands by which engines answer it.

INDENT = 4
"""Cells of a line that are no command's."""


class PlanItems(Dialog[ItemTarget]):
    """Counts, then commands; nothing of it leads anywhere."""

    hint = (CLOSES,)
    AUTO_FOCUS = "ItemsView"

    def __init__(self, view: JobView, spec: FilesSpec) -> None:
        super().__init__()
        self.heading = sentences.title(view)
        self._view, self._spec = view, spec

    def body(self) -> ComposeResult:
        """The lines; commands are broken where the list ends."""
        yield ItemsView(lambda width: list(write_items(self._view, self._spec, width - INDENT)))


def write_items(view: JobView, spec: FilesSpec, width: int) -> Iterator[StageItem]:
    """The lines of a plan; a command goes on in the next line after so many cells."""
    yield StageItem(Line(sentences.describe_plan(view), "ink"))
    yield StageItem(Line())
    for one in list_commands(spec.folder, view.id):
        yield StageItem(Line(one.what, "ink-3"), is_title=True)
        for line in wrap_spans([Span(one.command, "ink")], width):
            yield StageItem(Line("  ").join(line))


REASON = "discarded on the Jobs screen"
RUNS = (State.RUNNING, State.PAUSED, State.WAITING)

INCOMPLETE = "··"
"""The code of facts whose answers or labels are missing."""


def pause(app: "LostkeysApp", view: JobView) -> None:
    """Pause a job that runs; let one that does not go on."""
    if view.state in sentences.OVER:
        how = "cancelled: r begins it again" if begins_again(view) else "over: r starts another"
        app.say(f"{sentences.title(view)} is {how}")
    elif view.state is State.WAITING:
        app.say(f"{sentences.title(view)} has not begun yet")
    elif view.state is State.OUT:
        app.say(f"{sentences.title(view)} is out in files: enter shows how answers come back")
    elif view.state is State.RUNNING and not view.lost:
        app.jobs.pause(view)
    elif view.state is State.PAUSED and not view.lost:
        app.jobs.resume(view)
    else:
        with_address(app, view, lambda: app.jobs.resume(view))


def retry(app: "LostkeysApp", view: JobView) -> None:
    """Ask again what has failed in a job."""
    if not any(one.failed for one in view.stages):
        app.say(f"nothing of {sentences.title(view)} has failed")
    else:
        with_address(app, view, lambda: app.jobs.retry(view))


def cancel(app: "LostkeysApp", view: JobView) -> None:
    """Cancel a job if that is meant."""
    if view.state in sentences.OVER:
        app.say(f"{sentences.title(view)} is over already")
        return

    def cancel_if_yes(yes: bool | None) -> None:
        if yes:
            app.jobs.cancel(view)

    name = sentences.title(view)
    app.push_screen(
        Confirm("cancel", f"Cancel {name}? {sentences.describe_kept(view)}.", "cancels"),
        cancel_if_yes,
    )


def with_address(app: "LostkeysApp", view: JobView, then: Callable[[], object]) -> None:
    """Go on once a person agrees to each model that is asked at an address out of the file."""
    strangers = [] if view.here or view.spec is None else _strangers(app, asked_models(view.spec))
    if not strangers:
        then()
        return
    model = strangers[0]

    def trust_if_yes(yes: bool | None) -> None:
        if yes:
            app.jobs.trusted.add(model)
            with_address(app, view, then)

    question = f"The address of {model} came out of this file. Ask it?"
    app.push_screen(Confirm("address", question, "asks it", "sends nothing"), trust_if_yes)


def _strangers(app: "LostkeysApp", models: Sequence[str]) -> list[str]:
    """Models at addresses that nobody has agreed to yet."""
    known = known_addresses()
    return [one for one in models if one not in app.jobs.trusted and parse(one).is_stranger(known)]


def confirm_discard(app: "LostkeysApp", view: JobView, views: Sequence[JobView]) -> None:
    """Set aside what a job's model has answered, if that is meant: its slots are open again.

    Not while one of these jobs draws answers of the model: it would count what is set aside.
    """
    spec = find_answering_spec(view)
    if spec is None:
        app.say(f"{sentences.title(view)} asks no model: there is nothing to discard")
        return
    busy = next((one for one in (view, *views) if _is_drawing(one, spec.label)), None)
    if busy is not None:
        app.say(f"{sentences.title(busy)} is not over: X cancels it first")
        return
    label, thinking, tasks = spec.label, spec.thinking, spec.tasks or TASKS

    def discard_if_yes(yes: bool | None) -> None:
        if yes:
            app.write(lambda one: one.jobs.discard(label, thinking, tasks, REASON), show_discarded)

    def show_discarded(done: "tuple[int, Snapshot]") -> None:
        app.snapshot_changed(done[1])
        app.say(f"{done[0]:,} answers are set aside: r asks for them again")

    def confirm_count(count: int) -> None:
        if not count:
            app.say(f"there are no answers of {label}")
            return
        how = "off+on" if len(thinking) > 1 else "on" if thinking[0] else "off"
        question = (
            f"Set aside {format_amount(count, 'answer')} of {label}, thinking {how}, "
            "with their grades? They are asked for again by the next run."
        )
        app.push_screen(
            Confirm("discard", question, "sets them aside", "keeps them"), discard_if_yes
        )

    def count_answers(session: "Session") -> int:
        return session.jobs.discardable(label, thinking, tasks)

    app.ask_dialog("discardable", count_answers, confirm_count)


def _is_drawing(view: JobView, label: str) -> bool:
    """Whether a job that is not over draws answers of a model."""
    spec = find_answering_spec(view)
    return view.state in RUNS and not view.lost and spec is not None and spec.label == label


def find_answering_spec(view: JobView) -> AnsweringSpec | None:
    """What a job asks a model for; None where it asks none."""
    if isinstance(view.spec, DemoSpec):
        from core.providers.model_names import EMBEDDED

        return AnsweringSpec(EMBEDDED, EMBEDDED)
    return view.spec if isinstance(view.spec, AnsweringSpec) else None


def open_items(app: "LostkeysApp", view: JobView, stage: JobStage | None) -> None:
    """Show what is behind the numbers of a stage: what is missing, why something has failed."""

    def show(errors: "list[ErrorGroup]") -> None:
        app.push_screen(Items(view, stage, errors), partial(_go, app, view))

    def read_errors(session: "Session") -> "list[ErrorGroup]":
        return session.jobs.errors(view.id)

    if isinstance(view.spec, FilesSpec) and view.state is State.OUT:
        app.push_screen(PlanItems(view, view.spec))
    elif stage is not None and view.kind == "build" and (stage.dropped or stage.failed):
        _open_lost(app, view, stage)
    elif stage is not None and stage.name.startswith("answer,") and stage.failed:
        app.ask_dialog("items", read_errors, show)
    else:
        show([])


def _open_lost(app: "LostkeysApp", view: JobView, stage: JobStage) -> None:
    """Show the units that a stage of a build has dropped or failed with."""

    def show(lost: "list[LostUnit]") -> None:
        app.push_screen(LostUnits(view, stage, lost))

    app.ask_dialog("items", lambda one: one.jobs.list_losses(view.id, stage.name), show)


def _go(app: "LostkeysApp", view: JobView, target: ItemTarget | None) -> None:
    """Where a line of the dialog leads: to a question, or to the facts that are incomplete."""
    if target is None:
        return
    spec = find_answering_spec(view)
    if spec is not None and app.snapshot is not None and spec.label in app.snapshot.answerers:
        app.look_at(spec.label)
    if target.fact_id is None:
        app.places.jump("facts", Filters(verdicts=frozenset({INCOMPLETE})))
        return
    index = app.snapshot.index if app.snapshot is not None else None
    if index is None or target.fact_id not in index.fact_ids or target.task is None:
        app.say(f"{target.fact_id} is not among the facts any more")
        return
    place = index.fact_ids.index(target.fact_id)
    app.places.jump("task", int(index.ids[place]), Task(target.task))
