"""A plan that is out: how its answers stand, and the commands by which engines answer it."""

from collections.abc import Iterator

from textual.app import ComposeResult

from core.jobs.job_view import JobView
from core.scale.plan_commands import list_commands
from core.specs.file_specs import FilesSpec
from tui.dialogs.dialog import CLOSES, Dialog
from tui.screens.jobs import sentences
from tui.screens.jobs.stage_items import ItemsView, ItemTarget, StageItem
from tui.text.line import Line, Span
from tui.text.line_wrap import wrap_spans

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
