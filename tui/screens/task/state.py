"""What is open on the Task screen, as plain data: the question, the answer, the page."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from core.views.answer_marks import AnswerMark
from core.views.task_view import AnswerView, Consequence, TaskView
from core.vocabulary import TASK_INDEX, TASKS, Task
from tui.screens.task.render_pages import AnswerPage, available

Effects = tuple[Consequence, ...]


class AnswerPosition(NamedTuple):
    """Where an answer stands in a question."""

    thinking: bool
    sample: int


@dataclass(slots=True)
class TaskState:
    """Where a person is reading.

    `view` is the newest that was read: of the fact and task asked for, or, until that has been
    read, of those before. The place is an answer of `view`.
    """

    fact: int | None = None
    task: Task = Task.COMPLETION
    view: TaskView | None = None
    slot: int | None = None
    sought: AnswerPosition | None = None
    """Where the cursor goes in the question that is being read."""
    failed: bool = False
    """Whether it could not be read."""
    notes: dict[int, str] = field(default_factory=dict)
    """Notes that are written with the label, by slot."""
    page: AnswerPage = AnswerPage.JUDGEMENT
    effects: dict[int, Effects] = field(default_factory=dict)

    @property
    def waiting(self) -> bool:
        """Whether what was asked for is not read yet."""
        view = self.view
        return view is None or (view.fact.fact, view.task) != (self.fact, self.task)

    @property
    def answer(self) -> AnswerView | None:
        """The answer under the cursor."""
        answers = self.view.answers if self.view else ()
        return next((one for one in answers if one.slot == self.slot), None)

    @property
    def begun(self) -> AnswerView | AnswerPosition | None:
        """What the cursor goes by when a question is read: what is sought, else its answer."""
        return self.sought or self.answer

    @property
    def shown_page(self) -> AnswerPage:
        """The page that is shown: the one turned to, if this answer has it."""
        if self.view is None or self.answer is None:
            return AnswerPage.JUDGEMENT
        return self.page if self.page in available(self.view, self.answer) else AnswerPage.JUDGEMENT

    def take(self, view: TaskView | None, settings: Sequence[bool]) -> None:
        """Take in a view; the cursor stays on its answer, or goes to the one in its place."""
        before = self.begun
        self.view = view
        if not self.waiting:
            self.sought = None
        self.effects = {}
        if view is None:
            self.slot = None
            return
        self.slot = placed(view, before, settings)

    def show(self, settings: Sequence[bool]) -> None:
        """Other settings are in sight: the cursor goes to the answer in its place there."""
        if self.view is not None:
            self.slot = placed(self.view, self.begun, settings)
            self.sought = None

    def seek(self, settings: Sequence[bool]) -> bool:
        """Go to the next answer on which the graders differ, round the fact's questions.

        False where there is no other. It is `sought` until its question is read or shown.
        """
        view, answer = self.view, self.answer
        if view is None:
            return False
        here = (TASK_INDEX[view.task], answer.thinking, answer.sample) if answer else (0, False, -1)
        found = [
            (at, thinking, sample)
            for at, row in enumerate(view.fact.tasks)
            for thinking in settings
            for sample, mark in enumerate((row.on if thinking else row.off).marks)
            if open_difference(mark)
        ]
        there = min(found, key=lambda place: (place <= here, place), default=here)
        if there == here:
            return False
        self.task, self.sought = TASKS[there[0]], AnswerPosition(*there[1:])
        return True

    def step(self, by: int, settings: Sequence[bool]) -> bool:
        """Go to another answer, off running on into on; false at the ends."""
        answers = among(self.view, settings)
        here = next((at for at, one in enumerate(answers) if one.slot == self.slot), None)
        if here is None:
            return False
        there = min(max(here + by, 0), len(answers) - 1)
        self.slot = answers[there].slot
        return there != here


def among(view: TaskView | None, settings: Sequence[bool]) -> list[AnswerView]:
    """The answers of some settings, in order."""
    return [one for one in view.answers if one.thinking in settings] if view else []


def open_difference(mark: AnswerMark) -> bool:
    """Whether the graders differ, and no person has decided."""
    return mark.differs and not mark.own


def placed(
    view: TaskView, before: AnswerView | AnswerPosition | None, settings: Sequence[bool]
) -> int | None:
    """The slot of the answer at, or nearest to, the place of another one."""
    answers = among(view, settings)
    if not answers:
        return None
    if before is None:
        return answers[0].slot
    if isinstance(before, AnswerView) and any(one.slot == before.slot for one in answers):
        return before.slot

    def away(one: AnswerView) -> tuple[bool, int]:
        return one.thinking is not before.thinking, abs(one.sample - before.sample)

    return min(answers, key=away).slot
