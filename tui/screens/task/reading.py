"""What is open on the Task screen, as plain data: the question, the answer, the page."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from core.audit.task_view import Answer, Consequence, TaskView
from core.names import Task
from tui.screens.task.pages import Page, available

Effects = tuple[Consequence, ...]


@dataclass(slots=True)
class Reading:
    """Where a person is reading.

    `view` is the newest that was read: of the fact and task asked for, or, until that has been
    read, of those before. The place is an answer of `view`.
    """

    fact: int | None = None
    task: Task = Task.COMPLETION
    view: TaskView | None = None
    slot: int | None = None
    page: Page = Page.JUDGEMENT
    effects: dict[int, Effects] = field(default_factory=dict)

    @property
    def waiting(self) -> bool:
        """Whether what was asked for is not read yet."""
        view = self.view
        return view is None or (view.fact.fact, view.task) != (self.fact, self.task)

    @property
    def answer(self) -> Answer | None:
        """The answer under the cursor."""
        answers = self.view.answers if self.view else ()
        return next((one for one in answers if one.slot == self.slot), None)

    @property
    def shown_page(self) -> Page:
        """The page that is shown: the one turned to, if this answer has it."""
        if self.view is None or self.answer is None:
            return Page.JUDGEMENT
        return self.page if self.page in available(self.view, self.answer) else Page.JUDGEMENT

    def take(self, view: TaskView | None, settings: Sequence[bool]) -> None:
        """Take in a view; the cursor stays on its answer, or goes to the one in its place."""
        before = self.answer
        self.view = view
        self.effects = {}
        if view is None:
            self.slot = None
            return
        self.slot = placed(view, before, settings)

    def show(self, settings: Sequence[bool]) -> None:
        """Other settings are in sight: the cursor goes to the answer in its place there."""
        if self.view is not None:
            self.slot = placed(self.view, self.answer, settings)

    def step(self, by: int, settings: Sequence[bool]) -> bool:
        """Go to another answer, off running on into on; false at the ends."""
        answers = among(self.view, settings)
        here = next((at for at, one in enumerate(answers) if one.slot == self.slot), None)
        if here is None:
            return False
        there = min(max(here + by, 0), len(answers) - 1)
        self.slot = answers[there].slot
        return there != here


def among(view: TaskView | None, settings: Sequence[bool]) -> list[Answer]:
    """The answers of some settings, in order."""
    return [one for one in view.answers if one.thinking in settings] if view else []


def placed(view: TaskView, before: Answer | None, settings: Sequence[bool]) -> int | None:
    """The slot of the answer at, or nearest to, the place of another one."""
    answers = among(view, settings)
    if not answers:
        return None
    if before is None:
        return answers[0].slot
    if any(one.slot == before.slot for one in answers):
        return before.slot

    def away(one: Answer) -> tuple[bool, int]:
        return one.thinking is not before.thinking, abs(one.sample - before.sample)

    return min(answers, key=away).slot
