"""The small dialogs that the Start dialog opens: a model, some tasks, a file to write."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from textual import on, work
from textual.binding import Binding, BindingType
from textual.widgets import Input

from core.errors import UsageError
from core.jobs.start_options import ModelOffer
from core.providers.model_names import full_name, label_of, parse
from core.transfer.row_writers import ENDINGS
from core.vocabulary import TASKS, Task
from tui import keys
from tui.dialogs.choice_dialog import Choose, Option, Options
from tui.dialogs.dialog import CLOSES
from tui.dialogs.import_dialog import FileEntries
from tui.dialogs.path_completion import complete_path, entries, expand_path
from tui.dialogs.search_dialog import SearchDialog
from tui.dialogs.start.validation import modes_fault
from tui.text.line import Line
from tui.widgets.line_view import LineView
from tui.widgets.text_field import TextField

USUAL_MODES: Mapping[str, str] = {
    "zero-shot": "the question alone",
    "reading": "a passage of the subject's document, then the question",
    **{f"{k}-shot": f"after {k} answered question{'s' if k > 1 else ''}" for k in (1, 5, 10)},
    "recite-10-shot": "says what it knows before it answers",
    "10-shot:shuffle": "examples with answers of other facts",
    **{f"{k}-shot:known": "examples that the model knows" for k in (10, 20, 30)},
    **{f"{k}-shot:unknown": "examples that it does not know" for k in (10, 20, 30)},
    "10-shot:mixed": "known and unknown examples in turn",
    "10-shot:known-shuffle": "known examples with answers of other facts",
    "10-shot:unknown-shuffle": "unknown examples with answers of other facts",
    "10-shot:mixed-shuffle": "both kinds with answers of other facts",
}
"""Modes of the FACT-BENCH paper, with what is before the question."""


class PickModel(Choose[ModelOffer]):
    """Models that are known, and whatever full name is typed."""

    placeholder = "search, or type openai:MODEL@http://host:port/v1 or gguf:PATH"

    def __init__(
        self,
        offers: Sequence[ModelOffer],
        priced: Sequence[str],
        now: ModelOffer | None,
        heading: str = "model",
    ) -> None:
        """`priced`: further names to offer, of models that a price is known of."""
        known = {one.model for one in offers}
        found = [Option(one, one.model, _draw_offer(one)) for one in offers]
        found += [Option(ModelOffer(name, name), name) for name in priced if name not in known]
        super().__init__(heading, found, now)

    def narrow_to(self, text: str) -> None:
        """Keep what fits; a full name that is not among them can be taken as it is typed."""
        super().narrow_to(text)
        name, view = full_name(text.strip()), self.query_one(Options)
        wrong = _find_fault(name)
        if name and wrong is None and name not in {one.value.model for one in self.options}:
            typed = Option(ModelOffer(name, label_of(name)), name, Line("as typed", "ink-3"))
            view.show([typed, *view.options])
        silent = view.options or not name
        self.edge(self.hint_line if silent else Line(wrong or "", "label-i"))


def _find_fault(name: str) -> str | None:
    """What is wrong with a model's name, None for a proper one."""
    try:
        parse(name)
    except UsageError as error:
        return str(error)
    return None


def _draw_offer(offer: ModelOffer) -> Line:
    said = [f"kept as {offer.label}"] if offer.label != offer.model else []
    said += ["address from this file"] if offer.stranger else []
    return Line(", ".join(said), "ink-3")


class _Ticks(LineView):
    """Names, ticked or not, with what each means."""

    def __init__(
        self,
        names: Sequence[str],
        ticked: frozenset[str],
        notes: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__()
        self.names, self.ticked, self.notes, self.cursor = list(names), ticked, notes or {}, 0

    def row_count(self) -> int:
        """How many there are."""
        return len(self.names)

    def draw(self, row: int, line: int, width: int) -> Line:
        """A name."""
        name = self.names[row]
        on_ = name in self.ticked
        drawn = Line().to(2).add(self.look.glyph("done") if on_ else " ", "accent bold").to(5)
        drawn.add(name.replace("_", " "), "ink bold" if on_ else "ink-2")
        return drawn.right(Line(self.notes.get(name, ""), "ink-3"), width - 1)

    def toggle(self) -> None:
        """Tick the name under the cursor, or untick it."""
        if self.cursor is not None:
            self.ticked ^= {self.names[self.cursor]}
            self.refresh_changed()


class _TickField(TextField):
    """Has the focus; `space` ticks, and nothing is searched."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "screen.tick", "tick", id="tasks.tick", priority=True)
    ]


class PickTasks(SearchDialog[frozenset[Task]]):
    """`space` ticks, `enter` keeps what is ticked."""

    heading = "tasks"
    hint = (("↑ ↓", "choose"), ("space", "ticks"), ("enter", "keeps them"), CLOSES)
    placeholder = "the tasks that are asked"

    def __init__(self, ticked: frozenset[Task]) -> None:
        super().__init__()
        self.before = ticked

    def search_field(self) -> TextField:
        """What has the focus."""
        return _TickField(placeholder=self.placeholder)

    def make_list(self) -> LineView:
        """The tasks."""
        return _Ticks(TASKS, self.before)

    def narrow_to(self, text: str) -> None:
        """Ten need no search: go to the first that begins so."""
        names = [task.replace("_", " ") for task in TASKS]
        place = next((at for at, name in enumerate(names) if name.startswith(text)), None)
        self.view.move_to(place)

    def action_tick(self) -> None:
        """Tick the task under the cursor, or untick it."""
        self.query_one(_Ticks).toggle()

    @on(Input.Submitted)
    def submit_ticked(self) -> None:
        """Hand back what is ticked."""
        ticked = self.query_one(_Ticks).ticked
        self.dismiss(frozenset(task for task in TASKS if task in ticked))

    @on(LineView.RowClicked)
    def tick_clicked(self, event: LineView.RowClicked) -> None:
        """A click ticks."""
        event.stop()
        self.action_tick()


class PickModes(SearchDialog[tuple[str, ...]]):
    """Modes of Bench: `space` ticks, another K or condition is typed, `enter` keeps them."""

    heading = "modes"
    hint = (("↑ ↓", "choose"), ("space", "ticks"), ("enter", "keeps them"), CLOSES)
    placeholder = "type another, such as 3-shot:known"

    def __init__(self, ticked: Sequence[str]) -> None:
        super().__init__()
        self.before = tuple(ticked)
        self.typed = ""
        """The mode that is listed because it is typed."""

    def search_field(self) -> TextField:
        """Where another mode is typed."""
        return _TickField(placeholder=self.placeholder)

    def make_list(self) -> LineView:
        """The usual modes, and those that were chosen before."""
        more = [one for one in self.before if one not in USUAL_MODES]
        return _Ticks([*USUAL_MODES, *more], frozenset(self.before), USUAL_MODES)

    @property
    def view(self) -> _Ticks:
        """The list."""
        return self.query_one(_Ticks)

    def narrow_to(self, text: str) -> None:
        """Go to the first mode that begins so; one that is not in the list is added to it."""
        view, typed = self.view, text.strip()
        if self.typed in view.names and self.typed not in view.ticked:
            view.names.remove(self.typed)
        self.typed = ""
        wrong = modes_fault(typed) if typed else None
        if typed and wrong is None and typed not in view.names:
            self.typed = typed
            view.names.append(typed)
        found = [typed, *(one for one in view.names if one.startswith(typed))]
        view.move_to(next((view.names.index(one) for one in found if one in view.names), None))
        view.refresh_changed()
        begun = not typed or len(found) > 1 or wrong is None
        self.edge(self.hint_line if begun else Line(wrong or "", "label-i"))

    def action_tick(self) -> None:
        """Tick the mode under the cursor, or untick it."""
        self.view.toggle()
        self.query_one(Input).value = ""

    @on(Input.Submitted)
    def submit_modes(self, event: Input.Submitted) -> None:
        """Hand back what is ticked, with the mode that is typed."""
        event.stop()
        typed = event.value.strip()
        wrong = modes_fault(typed) if typed else None
        if typed and wrong is None:
            self.view.ticked |= {typed}
        kept = tuple(one for one in self.view.names if one in self.view.ticked)
        if wrong is None and kept:
            self.dismiss(kept)
        else:
            self.edge(Line(wrong or "tick one or more: space", "label-i"))

    @on(LineView.RowClicked)
    def tick_clicked(self, event: LineView.RowClicked) -> None:
        """A click ticks."""
        event.stop()
        self.action_tick()


class PickTarget(SearchDialog[Path]):
    """The file to write: its path is typed, its folder completed; `enter` takes it."""

    heading = "export to a file"
    hint = (("↑ ↓", "choose"), ("tab", "completes"), ("enter", "takes it"), CLOSES)
    placeholder = f"path of a file that ends in {', '.join(ENDINGS)}"
    BINDINGS = keys.bindings("picker")

    def __init__(self, now: Path | None) -> None:
        super().__init__()
        self.now = now

    def search_field(self) -> TextField:
        """Where the path is typed."""
        return TextField(str(self.now) if self.now else "", self.placeholder)

    def make_list(self) -> LineView:
        """Folders and files that begin so."""
        return FileEntries()

    @property
    def view(self) -> FileEntries:
        """The list."""
        return self.query_one(FileEntries)

    def on_mount(self) -> None:
        """Begin in the working folder."""
        self.narrow_to(self.query_one(Input).value)

    def narrow_to(self, text: str) -> None:
        """Another path: other entries."""
        self._list(text)

    @work(exclusive=True, group="entries")
    async def _list(self, text: str) -> None:
        try:
            self.view.show(await asyncio.to_thread(entries, text))
        except OSError as error:
            self.view.show([])
            self.edge(Line(error.strerror or str(error), "label-i"))
            return
        self.edge(self.hint_line)

    def action_complete(self) -> None:
        """Put the entry under the cursor into the field."""
        view, field = self.view, self.query_one(Input)
        if view.chosen is not None:
            field.value = complete_path(view.chosen, field.value)
            field.cursor_position = len(field.value)

    @on(Input.Submitted)
    def submit_path(self, event: Input.Submitted) -> None:
        """Hand the path back, or say what is wrong with it."""
        event.stop()
        target = expand_path(event.value)
        wrong = find_path_fault(target) if event.value else "type a path"
        if wrong is None:
            self.dismiss(target)
        else:
            self.edge(Line(wrong, "label-i"))


def find_path_fault(target: Path) -> str | None:
    """Why a file cannot be written to, None where it can."""
    if target.suffix.lower() not in ENDINGS:
        return f"the name must end in one of {', '.join(ENDINGS)}"
    if target.is_dir():
        return f"{target.name} is a folder"
    if not target.absolute().parent.is_dir():
        return f"{target.parent} is not a folder"
    return None
