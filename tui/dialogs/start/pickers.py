"""The small dialogs that the Start dialog opens: a model, some tasks, a file to write."""

import asyncio
from collections.abc import Sequence
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
from tui.text.line import Line
from tui.widgets.line_view import LineView
from tui.widgets.text_field import TextField


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
    """The ten tasks, ticked or not."""

    def __init__(self, ticked: frozenset[Task]) -> None:
        super().__init__()
        self.ticked, self.cursor = ticked, 0

    def row_count(self) -> int:
        """How many there are."""
        return len(TASKS)

    def draw(self, row: int, line: int, width: int) -> Line:
        """A task."""
        task = TASKS[row]
        on_ = task in self.ticked
        drawn = Line().to(2).add(self.look.glyph("done") if on_ else " ", "accent bold").to(5)
        return drawn.add(task.replace("_", " "), "ink bold" if on_ else "ink-2")

    def toggle(self) -> None:
        """Tick the task under the cursor, or untick it."""
        if self.cursor is not None:
            self.ticked ^= {TASKS[self.cursor]}
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
        return _Ticks(self.before)

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
        self.dismiss(self.query_one(_Ticks).ticked)

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
