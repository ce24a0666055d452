"""The stages of all jobs as a view, with the heading over them."""

from tui import keys
from tui.screens.jobs import render_stages
from tui.screens.jobs.render_stages import StageRow
from tui.text.line import Line
from tui.widgets.line_view import LineView
from tui.widgets.line_widget import LineWidget


class StagesHeading(LineWidget):
    """What the columns hold; nothing while there is no job."""

    def draw(self, width: int) -> Line:
        """The names of the columns, over them."""
        stages = self.screen.query_one(StagesView)
        return render_stages.heading(stages.line_width) if stages.rows else Line()


class StagesView(LineView):
    """Every stage under its job; the cursor is tied to a stage, wherever that stands."""

    BINDINGS = keys.bindings("list")

    def __init__(self) -> None:
        super().__init__(id="stages-view")
        self.rows: list[StageRow] = []

    def row_count(self) -> int:
        """How many there are."""
        return len(self.rows)

    def is_choosable(self, row: int) -> bool:
        """The cursor stands on stages only."""
        return self.rows[row].key is not None

    def draw(self, row: int, line: int, width: int) -> Line:
        """One row."""
        return render_stages.draw(self.rows[row], width, row == self.cursor, self.look)

    @property
    def chosen(self) -> StageRow | None:
        """The row under the cursor."""
        return None if self.cursor is None or not self.rows else self.rows[self.cursor]

    def put(self, rows: list[StageRow]) -> None:
        """Take in other rows; the cursor stays on its stage, else on its job, and at its height."""
        key = self.chosen.key if self.chosen else None
        height = None if self.cursor is None else self.cursor - int(self.scroll_y)
        moved = [row.key for row in rows] != [row.key for row in self.rows]
        self.rows = rows
        if moved:
            self.cursor = self._place(key)
        self.refresh_changed()
        if moved and self.cursor is not None and height is not None:
            self._scroll(self.cursor - height)
            self.show_row(self.cursor)

    def go_to(self, job: int) -> None:
        """The cursor to a job's first stage that is not through, unless it is on a stage of it."""
        if self.chosen is None or self.chosen.job is None or self.chosen.job.id != job:
            self.move_to(self._place((job, "")), tell=False)
            if self.cursor:
                self.show_row(self.cursor - 1)  # the heading

    def hold(self, job: int | None, stage: str | None, height: int) -> None:
        """The cursor to a stage of a job, at a height on the screen."""
        row = None if job is None else self._place((job, stage or ""))
        if row is not None:
            self.hold_cursor(row, height)

    def _place(self, key: tuple[int, str] | None) -> int | None:
        """The row of a stage, else the first one of its job, else the first there is."""
        keys_ = [row.key for row in self.rows]
        if key is not None and key in keys_:
            return keys_.index(key)
        job = key[0] if key else None
        of_job = (at for at, one in enumerate(keys_) if one is not None and one[0] == job)
        return next(of_job, next((at for at, one in enumerate(keys_) if one is not None), None))
