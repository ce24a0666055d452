"""The form as a line view: a cursor on its fields, and under them what the run would take."""

from collections.abc import Iterator, Sequence

from core.estimates import build_estimate
from core.estimates.estimate import Estimate
from core.estimates.estimate_text import EstimateRow
from core.estimates.estimate_text import make_rows as estimated
from core.estimates.score_estimate import ScoreEstimate, score_rows
from tui.dialogs.import_report_dialog import report_texts
from tui.dialogs.start.form_fields import Do, Field
from tui.dialogs.start.render_form import (
    NAMES,
    VALUES,
    FormLayout,
    field_line,
    fits_beside,
    has_room,
    room_beside,
)
from tui.text.line import Line
from tui.text.line_wrap import wrap_spans
from tui.widgets.line_view import LineView

# What a form's job would make and take: the lines below the fields.

BESIDE = 37
"""Column at which what stands beside numbers begins."""

REPORTED = 12
"""Lines of a file's report below the form; the field shows all."""


def run_lines(seen: FormLayout, width: int) -> list[Line]:
    """What will be made, under a titled hairline."""
    heading = Line().to(NAMES).add("this run" if seen.form.draws else "this job", "ink-3").add(" ")
    found = [heading.rule(width - 1)]
    told = [(text, "label-i") for text in dict.fromkeys(_troubles(seen, width))]
    if seen.form.grading and not seen.tried.fault and not has_room(seen, width):
        told.append((f"grader: {seen.tried.words}", "ink-2"))
    if seen.form.asks and Field.MODEL not in seen.faults and not fits_beside(seen, width):
        told.append((f"model: {seen.checked.words}", "ink-2"))
    if seen.form.samples_answers and not seen.checked.fault and seen.checked.endpoints:
        told.append((f"asked as: {seen.checked.endpoints}", "ink-2"))
    if seen.warning and not _troubles(seen, width):
        told.append((seen.warning, "label-p"))
    if seen.form.do is Do.BUILD:
        found += _to_build(seen, width)
        told = told or ([(seen.verdict, "ink-2")] if seen.verdict else [])
    elif seen.form.do in (Do.IMPORT, Do.EXPORT):
        said = seen.verdict or ("nothing is chosen yet" if seen.form.file is None else "")
        told = told or [(said, "ink-2")]
        if seen.form.do is Do.IMPORT and seen.glance is not None and not seen.glance.is_unnamed:
            texts = report_texts(seen.glance)
            # Of one file, what it would bring is said already.
            told += (texts[:-1] if len(seen.glance.reports or ()) == 1 else texts)[:REPORTED]
    else:
        found += _estimate(seen.estimate, width)
    for text, role in told:
        for line in wrap_spans(Line(text, role).spans, width - NAMES - 1):
            found.append(Line().to(NAMES).join(line))
    return found


def _troubles(seen: FormLayout, width: int) -> list[str]:
    """What is wrong and does not fit beside a field."""
    long = [
        text
        for which, text in seen.faults.items()
        if Line(text).width > room_beside(seen, which, width, width)
    ]
    where, wrong = seen.estimate_error
    return [*long, wrong] if wrong and where is None else long


def _to_build(seen: FormLayout, width: int) -> list[Line]:
    """What a build would take, where that can be told."""
    if seen.form.ruled:
        return [Line().to(NAMES).add("what needs no model is made by rule", "ink-2")]
    if not isinstance(seen.estimate, Estimate):
        return [Line().to(NAMES).add(name, "ink-2") for name in ("requests", "cost")]
    return _draw_rows(build_estimate.make_rows(seen.estimate), width)


def _estimate(estimate: Estimate | ScoreEstimate | None, width: int) -> list[Line]:
    if isinstance(estimate, ScoreEstimate):
        return _draw_rows(score_rows(estimate), width)
    if estimate is None:
        return [Line().to(NAMES).add(name, "ink-2") for name in ("questions", "answers")]
    return _draw_rows(estimated(estimate), width)


def _draw_rows(rows: Sequence[EstimateRow], width: int) -> list[Line]:
    """Names, numbers, and what stands beside them: further left, then wrapped, for want of room."""
    widest = max((Line(row.beside).width for row in rows), default=0)
    numbers = max((Line(row.what).width for row in rows), default=0)
    column = min(BESIDE, max(VALUES + 1 + numbers + 2, width - 1 - widest))
    return [line for row in rows for line in _row(row, column, width)]


def _row(row: EstimateRow, column: int, width: int) -> Iterator[Line]:
    line = Line().to(NAMES).add(row.name, "ink-2").to(VALUES + 1).add(row.what, "ink")
    if not row.beside:
        yield line.clip(width - 1)
        return
    start = max(column, line.width + 2)
    for part in wrap_spans(Line(row.beside, "ink-2").spans, width - 1 - start):
        yield line.to(start).join(part).clip(width - 1)
        line = Line()


class FormView(LineView):
    """Fields in groups; the cursor passes over everything else and stays on its field."""

    def __init__(self, seen: FormLayout) -> None:
        super().__init__()
        self.seen = seen
        self._airy = False
        self._rows: list[Field | int | None] = []
        self._below: list[Line] = []
        self._tallest = 0
        self._arrange(100)
        self.cursor = self._next_choosable(0, 1)

    @property
    def field(self) -> Field | None:
        """The field under the cursor."""
        row = None if self.cursor is None else self._rows[self.cursor]
        return row if isinstance(row, Field) else None

    def show(self, seen: FormLayout, airy: bool, room: int) -> None:
        """Take in what has changed; it never gets less high, so that nothing moves."""
        field, self.seen, self._airy = self.field, seen, airy
        self._arrange(self.size.width or 100)
        place = self._rows.index(field) if field in self._rows else None
        self.cursor = self._next_choosable(0, 1) if place is None else place
        self._tallest = min(room, max(self._tallest, len(self._rows)))
        self.styles.height = self._tallest
        self.refresh_changed()

    def _arrange(self, width: int) -> None:
        """Rows: fields, None for a blank one, and numbers of the lines below."""
        blank: list[Field | int | None] = [None] if self._airy else []
        self._rows = []
        for group in self.seen.groups:
            self._rows += [*group, *blank]
        self._below = run_lines(self.seen, width)
        self._rows += [*range(len(self._below)), *blank]

    def row_count(self) -> int:
        """Fields and lines."""
        return len(self._rows)

    def is_choosable(self, row: int) -> bool:
        """Whether there is a field on the row."""
        return isinstance(self._rows[row], Field)

    def draw(self, row: int, line: int, width: int) -> Line:
        """A field, a line, or nothing."""
        found = self._rows[row]
        if isinstance(found, Field):
            return field_line(self.seen, found, row == self.cursor, width, self.look)
        return Line() if found is None else Line().join(self._below[found])
