"""What an import would come to, file by file: the mapping, values that are no labels, bad rows."""

from itertools import islice

from textual import events
from textual.app import ComposeResult

from core.jobs.import_job import Glance, summarise, summary
from core.transfer.import_report import ImportReport, group_lines
from tui import keys
from tui.dialogs.dialog import Dialog
from tui.text.inert_text import make_inert
from tui.text.line import Line
from tui.text.line_wrap import wrap_spans
from tui.widgets.line_view import LineView

LONG = 2_000
"""Characters of a text that are looked at."""

MOST_LINES = 6
"""Lines at most that one text is broken into."""

MOST_TEXTS = 20
"""Texts on one file from which its bad rows are grouped by their reasons."""

INDENT = 2

RoleText = tuple[str, str]
"""A text, and its role."""


def report_texts(glance: Glance) -> list[RoleText]:
    """The report on each file, with what it would bring last.

    Of several files alike things are said once, where that is too much.
    """
    reports = [(file.name, report) for file, report in glance.reports or ()]
    found = [said for name, report in reports for said in _texts(name, report)]
    if len(reports) == 1 or len(found) <= MOST_TEXTS:
        return found
    read = [(name, report) for name, report in reports if report.error is None]
    found = [(str(report.error), "label-i") for _, report in reports if report.error is not None]
    found += [(line, "label-p") for line in group_lines(read)]
    if len(found) >= MOST_TEXTS:
        rest = len(found) - MOST_TEXTS + 2
        found[MOST_TEXTS - 2 :] = [(f"and {rest:,} more lines", "ink-2")]
    return [
        *found,
        (f"all {len(reports):,} files: {summarise([one for _, one in read], ' would be')}", "ink"),
    ]


def _texts(name: str, report: ImportReport) -> list[RoleText]:
    """What is to be known of a file, and its summary; of a broken one what stopped it."""
    if report.error is not None:
        return [(line, "label-i") for line in report.lines(name)]
    mapped = [(f"{ours}: {theirs}", "ink-2") for ours, theirs in report.mapping]
    calm = len(report.notices) + len(report.unlabelled)
    lines = report.lines(name, max(3, MOST_TEXTS - 1 - len(mapped)))
    return [
        *mapped,
        *((line, "label-p") for line in lines[:calm]),
        *((line, "label-i") for line in lines[calm:]),
        (f"{name}: {summary(report, ' would be')}", "ink"),
    ]


class ImportReportView(LineView):
    """Lines broken for the width; the cursor goes from text to text."""

    DEFAULT_CSS = "ImportReportView { height: auto; max-height: 80vh; }"
    BINDINGS = keys.bindings("list")

    def __init__(self, texts: list[RoleText]) -> None:
        super().__init__()
        self._texts = texts or [("nothing is to be said of it", "ink-3")]
        self._rows: list[tuple[Line, bool]] = []
        self._arrange(80)
        self.cursor = 0

    def row_count(self) -> int:
        """How many lines there are."""
        return len(self._rows)

    def is_choosable(self, row: int) -> bool:
        """Whether a text begins on the row."""
        return self._rows[row][1]

    def draw(self, row: int, line: int, width: int) -> Line:
        """One line."""
        return Line(" ").join(self._rows[row][0])

    def on_resize(self, event: events.Resize) -> None:
        """Lines are broken for a width."""
        self._arrange(event.size.width)
        self.cursor = min(self.cursor or 0, len(self._rows) - 1)
        super().on_resize(event)

    def height_at(self, width: int) -> int:
        """As many lines as the texts are broken into for a width."""
        self._arrange(width)
        return len(self._rows)

    def _arrange(self, width: int) -> None:
        self._rows = []
        for text, role in self._texts:
            spans = Line(make_inert(text[:LONG]), role).spans
            broken = list(islice(wrap_spans(spans, max(10, width - INDENT - 2)), MOST_LINES))
            for place, line in enumerate(broken):
                self._rows.append((line if not place else Line(" " * INDENT).join(line), not place))


class ReportDialog(Dialog[None]):
    """The whole report."""

    AUTO_FOCUS = "ImportReportView"
    heading = "what an import would bring"

    def __init__(self, glance: Glance) -> None:
        super().__init__()
        self._glance = glance

    def body(self) -> ComposeResult:
        """The lines."""
        yield ImportReportView(report_texts(self._glance))
