"""The three panes of the Task screen: head, answers, open answer."""

from typing import ClassVar

from textual.binding import BindingType
from textual.message import Message

from core.views.task_view import TaskView
from core.vocabulary import Label
from tui import keys
from tui.screens.task import render_answers
from tui.screens.task.render_answers import AnswerRow
from tui.text.line import Line
from tui.widgets.document_view import DocumentView
from tui.widgets.line_view import LineView


class HeadView(LineView, can_focus=False):
    """The ten tasks, the question and the verdict, as lines."""

    DEFAULT_CSS = "HeadView { height: auto; overflow-y: hidden; }"

    def __init__(self) -> None:
        super().__init__(id="head-view")
        self._content: list[Line] = []

    def row_count(self) -> int:
        """As many rows as lines."""
        return len(self._content)

    def draw(self, row: int, line: int, width: int) -> Line:
        """One line, as it was put in."""
        return Line().join(self._content[row])

    def choosable(self, row: int) -> bool:
        """Nothing here takes a cursor."""
        return False

    def put(self, lines: list[Line]) -> None:
        """Show other lines."""
        self.styles.height = len(lines)
        self._content = lines
        self.settle()


class AnswersView(LineView):
    """All answers to the question; the cursor is on one of them."""

    BINDINGS = keys.bindings("list")

    def __init__(self) -> None:
        super().__init__(id="answers-view")
        self.view: TaskView | None = None
        self.rows: list[AnswerRow] = []
        self.words: list[Line] = []

    def row_count(self) -> int:
        """Rows or words, and blank ones down to the foot; the legend stands there if it can."""
        return max(len(self.rows), len(self.words), self.size.height)

    @property
    def _legend_at(self) -> int:
        there = self.size.height - 2
        return there if self.rows and there > len(self.rows) else -1

    def choosable(self, row: int) -> bool:
        """The cursor stands on answers only."""
        return row < len(self.rows) and self.rows[row].answer is not None

    def draw(self, row: int, line: int, width: int) -> Line:
        """A row; words where there are no answers."""
        if self.view is None or not self.rows:
            return Line(" ").join(self.words[row]) if row < len(self.words) else Line()
        if row == self._legend_at:
            return render_answers.legend(self.look)
        if row >= len(self.rows):
            return Line()
        return render_answers.draw(self.rows[row], self.view, self.look, width, row == self.cursor)

    def put(self, view: TaskView | None, rows: list[AnswerRow], slot: int | None) -> None:
        """Show other rows, with the cursor on an answer."""
        self.view, self.rows, self.words = view, rows, []
        self.place(slot)
        self.settle()

    def say(self, words: list[Line]) -> None:
        """Say why there is nothing."""
        self.view, self.rows, self.words, self.cursor = None, [], words, None
        self.settle()

    def place(self, slot: int | None) -> None:
        """Put the cursor on an answer."""
        found = (at for at, row in enumerate(self.rows) if row.answer and row.answer.slot == slot)
        self.move_to(next(found, None), tell=False)

    def slot_at(self, row: int) -> int | None:
        """The answer of a row."""
        answer = self.rows[row].answer if row < len(self.rows) else None
        return answer.slot if answer else None

    def action_down(self) -> None:
        """Next answer; off runs on into on."""
        self.post_message(DocumentView.Stepped(1))

    def action_up(self) -> None:
        """Previous answer."""
        self.post_message(DocumentView.Stepped(-1))


class OpenView(DocumentView):
    """The open answer: a page of lines. Only here labels are set."""

    BINDINGS: ClassVar[list[BindingType]] = [*keys.bindings("answer"), *keys.bindings("list")]

    class Judged(Message):
        """A label is to be set; None withdraws it."""

        def __init__(self, label: Label | None) -> None:
            super().__init__()
            self.label = label

    class Noting(Message):
        """A note is to be written."""

    def __init__(self) -> None:
        super().__init__(id="open-view")

    def action_label(self, label: str) -> None:
        """Set your label."""
        self.post_message(self.Judged(Label(label)))

    def action_withdraw(self) -> None:
        """Take your label away."""
        self.post_message(self.Judged(None))

    def action_note(self) -> None:
        """Write a note on your label."""
        self.post_message(self.Noting())
