"""A grader measured on people's labels: asks which and on what, then shows the report."""

import asyncio
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.message import Message

from core.errors import LostkeysError
from tui import keys
from tui.dialogs.choice_dialog import Choose, Option
from tui.dialogs.dialog import CLOSES, Dialog
from tui.dialogs.input_dialog import AskLine, AskNumber
from tui.text.line import Line
from tui.text.line_wrap import wrap_spans
from tui.text.number_text import NONE, coefficient, percent
from tui.text.typed_number import parse_number
from tui.theme.glyphs import spell
from tui.widgets.line_view import LineView

if TYPE_CHECKING:
    from collections.abc import Callable

    from core.graders.grader_evaluation import GraderReport
    from tui.app.app import LostkeysApp

LABELS_ASKED = (
    "People's labels: JSON lines with `gold`, `prediction`, and `label` or `human_correct`. File:"
)

NAME, NUMBER = 20, 11
"""Cells of names and of numbers in the report."""
MISSES = 200
"""Misjudged answers that are listed."""
LONGEST = 200
"""Characters of an answer in the list."""


def offer_calibration(app: "LostkeysApp") -> None:
    """Choose a grader, a file of labels, and a budget where the grader is a model."""
    from core.graders.grader_record import is_model

    snapshot = app.snapshot
    names = [
        "lexical",
        "form",
        *(name for name in (snapshot.graders if snapshot else ()) if is_model(name)),
    ]

    def ask_file(grader: str | None) -> None:
        if grader is not None:
            question = LABELS_ASKED
            asked = AskLine(f"measure {grader}", question, check=_find_file_fault, does="measures")
            app.push_screen(asked, partial(ask_cost, grader))

    def ask_cost(grader: str, file: str | None) -> None:
        if file is None:
            return
        path = Path(file).expanduser()
        if not is_model(grader):
            app.push_screen(Calibration(grader, path, None))
            return
        question = f"{grader} is asked about each of them. Dollars it may cost at most:"
        asked = AskNumber(f"measure {grader}", question, "1.00", wrong_amount, does="measures")
        app.push_screen(asked, partial(open_report, grader, path))

    def open_report(grader: str, path: Path, amount: str | None) -> None:
        if amount is not None:
            app.push_screen(Calibration(grader, path, parse_number(amount)))

    app.push_screen(Choose("measure a grader", [Option(name, name) for name in names]), ask_file)


def measure_grader(
    grader: str, path: Path, max_cost: float | None, told: "Callable[[int, int], object]"
) -> "tuple[GraderReport, str | None]":
    """The report of a grader on a file of labels, and why it ended early if it did."""
    from core.graders import grader_table
    from core.graders.grader_evaluation import GraderReport, read_cases
    from core.graders.grader_record import is_model
    from core.grading.grader_measurement import measure
    from core.settings import paths

    grader_table.check(grader)
    cases = read_cases(path)
    if not is_model(grader):
        return grader_table.measure(grader, cases), None
    found = measure(grader, cases, paths.prompts_folder(), max_cost, told=told)
    return GraderReport(grader, tuple(zip(found.cases, found.labels, strict=True))), found.stopped


def lines_of(report: "GraderReport", stopped: str | None, width: int) -> list[Line]:
    """Shares with intervals, the confusion with people, by source, and the misses."""
    document, between = report.as_json(), report.intervals()
    lines = [Line(f"{document['n']:,} answers, {document['unlabelled']:,} unlabelled", "ink-2")]
    if stopped is not None:
        lines.append(Line(f"ended early: {stopped}", "label-p"))
    lines += [Line(), _draw_title("against people", width)]
    for name in ("accuracy", "precision", "recall"):
        lines.append(_share(name, document[name], between[name]))
    kappa = (
        Line("kappa").to(NAME).cell(coefficient(document["kappa"]), NUMBER, "ink bold", right=True)
    )
    if between["kappa"] is not None:
        low, high = between["kappa"]
        kappa.add(f"   {coefficient(low)} to {coefficient(high)}", "ink-3")
    lines.append(kappa)
    lines += _sureness(document, width)
    lines += [Line(), _draw_title("people down, grader across", width), *_draw_matrix(document)]
    lines += [Line(), _draw_title("by source", width)]
    for source, row in document["by_source"].items():
        line = _share(source, row["accuracy"], between["by_source"][source])
        lines.append(line.add(f"  of {row['n']:,}", "ink-3"))
    lines += [
        Line(),
        _draw_title(f"misjudged  {len(report.misses):,}", width),
        *_draw_misses(report),
    ]
    return [line.clip(width) for line in lines]


def _sureness(document: dict[str, Any], width: int) -> Iterator[Line]:
    """Accuracy of the surest answers, and chances beside what was right; none without chances."""
    if "coverage" not in document:
        return
    yield Line()
    yield _draw_title("right by its chance, of the surest", width)
    for one in document["coverage"]:
        yield _share(f"{percent(one['coverage'])}% of answers", one["accuracy"], None)
    yield Line()
    yield _draw_title(f"chances, off by {percent(document['ece'], 1)} points on average", width)
    for one in document["reliability"]:
        line = _share(f"says {percent(one['chance'], 1)}%", one["right"], None)
        yield line.add(f"  right, of {one['n']:,}", "ink-3")


def _share(name: str, share: float | None, between: tuple[float, float] | None) -> Line:
    shown = spell(NONE) if share is None else f"{percent(share, 1)}%"
    line = Line().cell(name, NAME, "ink").cell(shown, NUMBER, "ink bold", right=True)
    if between is not None:
        low, high = between
        line.add(f"   {percent(low, 1)} to {percent(high, 1)}%", "ink-3")
    return line


def _draw_matrix(document: dict[str, Any]) -> Iterator[Line]:
    rows = document["confusion"]
    heading = Line().to(NAME)
    for label in next(iter(rows.values()), {}):
        heading.cell(label.lower(), NUMBER, "ink-3", right=True)
    yield heading
    for truth, row in rows.items():
        line = Line().cell(truth.lower(), NAME, "ink-2")
        for count in row.values():
            line.number(f"{count:,}", NUMBER, "ink" if count else "ink-3")
        yield line


def _draw_misses(report: "GraderReport") -> Iterator[Line]:
    for case, label in report.misses[:MISSES]:
        said = f"{case.truth}, not {label or 'labelled'}".lower()
        line = Line().cell(said, 24, "label-p").add(f" {case.answer[:LONGEST]}")
        yield line.add(f"  gold {' / '.join(case.golds)[:LONGEST]}", "ink-3")


def _draw_title(title: str, width: int) -> Line:
    return Line(f"{title} ", "ink-3").rule(width)


def _find_file_fault(file: str) -> str | None:
    return None if Path(file).expanduser().is_file() else "there is no such file"


def wrong_amount(text: str) -> str | None:
    """What is wrong with a typed amount, if anything is."""
    try:
        parse_number(text)
    except ValueError:
        return "an amount in dollars, such as 1.50"
    return None


class ReportView(LineView):
    """The report, which is scrolled."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("list")
    DEFAULT_CSS = "ReportView { height: 30; max-height: 90vh; }"

    def __init__(self) -> None:
        super().__init__()
        self.content: list[Line] = []

    def row_count(self) -> int:
        """Lines."""
        return len(self.content)

    def is_choosable(self, row: int) -> bool:
        """Nothing here takes a cursor."""
        return False

    def draw(self, row: int, line: int, width: int) -> Line:
        """One line."""
        return Line().join(self.content[row])


class Calibration(Dialog[None]):
    """Measures while it is open; closed, what comes is left. A model keeps to its budget."""

    AUTO_FOCUS = "ReportView"
    hint = (("↑ ↓", "scrolls"), CLOSES)

    class AnswersMeasured(Message):
        """So many answers are through."""

        def __init__(self, done: int, total: int) -> None:
            super().__init__()
            self.done, self.total = done, total

    def __init__(self, grader: str, path: Path, max_cost: float | None) -> None:
        super().__init__()
        self.heading = f"grader {grader} on {path.name}"
        self._asked = grader, path, max_cost
        self._report: tuple[GraderReport, str | None] | None = None
        self._error: LostkeysError | None = None

    def body(self) -> ComposeResult:
        """The report."""
        yield ReportView()

    def on_mount(self) -> None:
        """Begin to measure."""
        super().on_mount()
        self.edge(Line(spell("measuring…   "), "ink-3").join(self.hint_line))
        self._measure()

    @work
    async def _measure(self) -> None:
        def post_progress(done: int, total: int) -> None:
            self.post_message(self.AnswersMeasured(done, total))

        try:
            self._report = await asyncio.to_thread(measure_grader, *self._asked, post_progress)
        except LostkeysError as error:
            self._error = error
        self.edge(self.hint_line)
        self.show_report()

    def on_calibration_answers_measured(self, message: AnswersMeasured) -> None:
        """Say how far it is."""
        self.edge(Line(f"{message.done:,} of {message.total:,}   ", "ink-3").join(self.hint_line))

    def show_report(self) -> None:
        """Break the report, or why there is none, into lines for the width there is."""
        view = self.query_one(ReportView)
        width = view.size.width - 1
        if self._report is not None and width > 0:
            view.content = lines_of(*self._report, width)
        elif self._error is not None and width > 0:
            view.content = list(wrap_spans(Line(str(self._error), "label-i").spans, width))
        view.refresh_changed()

    def on_resize(self) -> None:
        """Other room."""
        self.call_after_refresh(self.show_report)
