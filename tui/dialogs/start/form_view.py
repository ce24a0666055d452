"""The form as a line view: a cursor on its fields, and under them what the run would take."""

from tui.dialogs.start.form_fields import Field
from tui.dialogs.start.render_form import FormLayout, field_line
from tui.dialogs.start.render_run import run_lines
from tui.text.line import Line
from tui.widgets.line_view import LineView


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
