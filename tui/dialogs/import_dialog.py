"""Choosing a file to import: its path is typed, completed from a list, and looked at before."""

import asyncio
from pathlib import Path

from textual import on, work
from textual.app import ComposeResult
from textual.widgets import Input

from core.errors import LostkeysError
from core.jobs.glance_child import glance_beside, prepare_glance
from core.jobs.import_job import Glance, first_problem, summary
from core.project import explain
from core.stats.number_format import format_amount
from core.transfer.file_formats import ARCHIVE, AUTO
from core.transfer.file_kinds import SOURCES
from core.transfer.folders import SUFFIXES
from tui import keys
from tui.dialogs.dialog import CLOSES, Hint
from tui.dialogs.path_completion import PathEntry, complete_path, entries, expand_path
from tui.dialogs.search_dialog import SearchDialog
from tui.text.line import Line
from tui.theme.glyphs import spell
from tui.widgets.line_view import LineView
from tui.widgets.text_block import TextBlock

PAUSE = 0.15
"""Seconds without a key before a file is looked at."""

MOST_LINES = 12
SIZE = 10
"""Cells of the column of sizes."""


class FileEntries(LineView):
    """Folders and files that fit what is typed; the keys come from the text field."""

    DEFAULT_CSS = "FileEntries { margin: 1 0; }"

    def __init__(self) -> None:
        super().__init__()
        self.entries: list[PathEntry] = []

    def row_count(self) -> int:
        """How many there are."""
        return len(self.entries)

    def draw(self, row: int, line: int, width: int) -> Line:
        """Name, and size or that it is a folder."""
        entry = self.entries[row]
        said = "folder" if entry.is_folder else "" if entry.whole else format_size(entry.size)
        name = f"all texts in {_name_folder(entry.path)}" if entry.whole else entry.path.name
        drawn = Line().to(2).cell(name, max(1, width - 3 - SIZE))
        return drawn.cell(said, SIZE, "ink-3", right=True)

    def height_at(self, width: int) -> int:
        """A few lines, whatever the number of entries: nothing moves while one types."""
        return MOST_LINES

    @property
    def leads(self) -> bool:
        """Always: the search above has the focus, keys act here."""
        return True

    @property
    def chosen(self) -> PathEntry | None:
        """The entry under the cursor."""
        return None if self.cursor is None else self.entries[self.cursor]

    def show(self, entries: list[PathEntry]) -> None:
        """Take in other entries, the cursor on the first."""
        self.entries = entries
        self.cursor = 0 if entries else None
        self.scroll_to(y=0, animate=False)
        self.refresh_changed()
        self.repaint()


def _name_folder(folder: Path) -> str:
    return folder.name or "this folder"


class FileVerdict(TextBlock):
    """What the file is, in at most five lines; nothing moves when it says something else."""

    DEFAULT_CSS = "FileVerdict { height: 5; }"

    def tell(self, text: str, role: str = "ink-2") -> None:
        """Say something else."""
        self.say([Line(text, role)])


class ImportFile(SearchDialog[Path]):
    """Picks a file, or a folder of texts, to be imported; `enter` on one that is sound takes it.

    `wants_form`: more is to be said of it first, as where a log names no model.
    """

    heading = "import a file"
    placeholder = "path of a file; logs/*.eval takes all that fit"
    BINDINGS = keys.bindings("picker")

    def __init__(self, database: Path, format: str = AUTO, *, for_form: bool = False) -> None:  # noqa: A002
        """`format` is what the file is to be; `for_form`: the form that asks will import it."""
        super().__init__()
        self._does = "takes it" if for_form else "imports it"
        enter = "takes it" if for_form else "imports"
        form: Hint = () if for_form else (("ctrl+s", "form"),)
        self.hint = (("↑ ↓", "choose"), ("enter", enter), ("tab", "completes"), *form, CLOSES)
        self._database, self._format = database, format
        if format != AUTO:
            self.heading = f"{format} from a file or a folder"
        self._sound: Path | None = None
        self._looked_at: Path | None = None
        self.wants_form = False

    def body(self) -> ComposeResult:
        """Field, list, and what the file is."""
        yield from super().body()
        yield FileVerdict([])

    def make_list(self) -> LineView:
        """Folders and files that fit."""
        return FileEntries()

    @property
    def view(self) -> FileEntries:
        """The list, once it is there."""
        return self.query_one(FileEntries)

    @property
    def field(self) -> Input:
        """Where the path is typed."""
        return self.query_one(Input)

    @property
    def target(self) -> Path | None:
        """The file that is meant: the one typed in full, else the one under the cursor.

        With a `*` in its name it is every file that fits.
        """
        typed = self.field.value
        if typed and (expand_path(typed).is_file() or "*" in expand_path(typed).name):
            return expand_path(typed)
        chosen = self.view.chosen
        return None if chosen is None or chosen.is_folder else chosen.path

    # What happens

    def on_mount(self) -> None:
        """Begin in the working folder."""
        self.narrow_to("")
        self._prepare()

    @work
    async def _prepare(self) -> None:
        await asyncio.to_thread(prepare_glance)

    def narrow_to(self, text: str) -> None:
        """Another path: other entries."""
        self._sound = self._looked_at = None
        self._list(text)

    @on(Input.Submitted)
    def enter_target(self) -> None:
        """Go into the folder, or hand back the file if it is sound."""
        target = self.target
        if target is None:
            self.action_complete()
        elif target == self._sound:
            self.dismiss(target)

    def action_form(self) -> None:
        """Hand back the file for the form, which has its report and what can be said of it."""
        if self.target is not None and self.target == self._looked_at:
            self.wants_form = True
            self.dismiss(self.target)

    @on(LineView.CursorMoved)
    def look_at_entry(self) -> None:
        """Look at another entry."""
        self._look()

    @on(LineView.RowClicked)
    def enter_clicked(self, event: LineView.RowClicked) -> None:
        """A second click is as good as enter."""
        event.stop()
        if event.again and event.view is self.view:
            self.enter_target()

    def action_complete(self) -> None:
        """Put the entry under the cursor into the field."""
        chosen = self.view.chosen
        if chosen is not None:
            self.field.value = complete_path(chosen, self.field.value)
            self.field.cursor_position = len(self.field.value)

    # Looking, in threads: folders may be large or far away

    @work(exclusive=True, group="entries")
    async def _list(self, typed: str) -> None:
        trouble = ""
        try:
            found = await asyncio.to_thread(entries, typed, texts=True)
        except OSError as error:
            found, trouble = [], error.strerror or str(error)
        self.view.show(found)
        self._look(trouble)

    def _look(self, trouble: str = "") -> None:
        """Say what there is under the cursor, or why there is nothing."""
        self._sound = self._looked_at = None
        self.wants_form = False
        verdict, target = self.query_one(FileVerdict), self.target
        if trouble:
            verdict.tell(trouble, "label-i")
        elif target is None:
            none = not self.view.entries
            verdict.tell(
                f"nothing here ends in {', '.join((*SOURCES, ARCHIVE, *SUFFIXES))}" if none else "",
                "ink-3",
            )
        else:
            verdict.tell(spell("reading…"), "ink-3")
        self._glance(target)

    @work(exclusive=True, group="glance")
    async def _glance(self, target: Path | None) -> None:
        if target is None:
            return
        await asyncio.sleep(PAUSE)
        verdict = self.query_one(FileVerdict)
        try:
            found = await glance_beside(self._database, target, self._format)
        except Exception as error:
            known = explain(error)
            if known is None:
                raise
            verdict.tell(_shorten_error(known, target), "label-i")
            return
        self._looked_at = target
        self.wants_form = found.is_unnamed
        taken = found.is_usable or found.is_unnamed
        self._sound = target if taken else None
        verdict.tell(
            describe_glance(found, f", enter {self._does}"),
            "ink-2" if found.is_usable else "label-i",
        )


def describe_glance(found: Glance, way: str = "") -> str:
    """What a file is and what importing it would do; `way` says by which key."""
    kind = "facts" if found.kind == "wikiprofile" else found.kind
    if found.report is None:
        return f"{kind}, {format_size(found.size)}: takes too long to try first{way}"
    report = found.report
    if found.is_unnamed:
        return f"{kind}, {format_size(found.size)}: names no model, which is to be named first"
    if report.error is not None:
        return str(report.error)
    if not found.is_usable and not report.bad:
        return f"{kind}: {report.notices[0]}"
    if not found.is_usable:
        rows = format_amount(report.read, "row")
        return f"{kind}, none of {rows} can be used: {first_problem(report)}"
    return f"{kind}, {format_size(found.size)}{way}: {summary(report, ' would be')}"


def format_size(size: int) -> str:
    """A number of bytes, short."""
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:,.0f} {unit}" if unit == "B" or size >= 100 else f"{size:.1f} {unit}"
        size /= 1000  # type: ignore[assignment]
    return f"{size:,.1f} GB"


def _shorten_error(error: LostkeysError, file: Path) -> str:
    """The error without the path, which stands above it."""
    return str(error).removeprefix(str(file)).lstrip(",: ")
