"""What is open on the Task screen, as plain data: the question, the answer, the page."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import NamedTuple

from core.views.answer_marks import AnswerMark
from core.views.question_context import QuestionContext
from core.views.task_view import AnswerView, Call, Consequence, TaskView
from core.vocabulary import TASK_INDEX, TASKS, Task

Effects = tuple[Consequence, ...]


class AnswerPage(StrEnum):
    """What the open answer shows."""

    JUDGEMENT = "judgement"
    OPTIONS = "options"
    ANSWER = "answer"
    CALL = "call"


class AnswerPosition(NamedTuple):
    """Where an answer stands in a question."""

    thinking: bool
    sample: int


@dataclass(frozen=True, slots=True)
class TaskPosition:
    """Where a person is on the Task screen: a question, and one of its answers.

    The answer stands `height` lines below the top of the list; `scroll` is how far the open page
    is scrolled. `inside`: the focus is in the open answer.
    """

    fact: str | None = None
    task: Task = Task.COMPLETION
    answer: AnswerPosition | None = None
    page: AnswerPage = AnswerPage.JUDGEMENT
    inside: bool = False
    direct: bool = False
    height: int = 0
    scroll: int = 0


class ReadQuestion(NamedTuple):
    """A question as it was read; None where the fact is gone or has none.

    `effects` are those of labels on the answer under the cursor.
    """

    view: TaskView | None
    effects: Effects | None


@dataclass(frozen=True, slots=True)
class QuestionRejection:
    """The rejection of a question (its id) while the answer in a slot was open; its note."""

    question: int
    slot: int
    reason: str
    note: str


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
    around: tuple[TaskView, QuestionContext | None] | None = None
    """What stands around a question, and the view that it was read for."""
    notes: dict[int, str] = field(default_factory=dict)
    """Notes that are written with the label, by slot."""
    rejection: QuestionRejection | None = None
    """What was decided last, if that was to reject a question."""
    page: AnswerPage = AnswerPage.JUDGEMENT
    effects: dict[int, Effects] = field(default_factory=dict)
    """What labels on an answer would do, by slot."""
    direct: bool = False
    """Whether it was entered at the open answer, so that back is the way out."""
    missing: tuple[int | None, Task] | None = None
    """The fact and the task that were read last, where there is no such question."""
    held: tuple[int, int] | None = None
    """How high the answer stands, and how far its page is scrolled, once they are read."""

    # What follows from it

    @property
    def settings(self) -> tuple[bool, ...]:
        """Thinking off and on as the lens has it."""
        return self.view.fact.lens.thinking.settings if self.view else (False, True)

    def settings_in_sight(self, narrow: bool) -> tuple[bool, ...]:
        """The settings whose answers are listed: one at a time where there is little room."""
        if not narrow:
            return self.settings
        return (self.answer.thinking,) if self.answer else self.settings[:1]

    def has_question(self, task: Task) -> bool:
        """Whether the fact has a question for a task, as far as that is known."""
        return self.view is None or bool(self.view.fact.tasks[TASK_INDEX[task]].question)

    @property
    def absent(self) -> bool:
        """Whether there is no such fact, or it has no question."""
        return self.missing == (self.fact, self.task)

    @property
    def waiting(self) -> bool:
        """Whether what was asked for is not read yet."""
        view = self.view
        if self.absent:
            return False
        return view is None or (view.fact.fact, view.task) != (self.fact, self.task)

    @property
    def answer(self) -> AnswerView | None:
        """The answer under the cursor."""
        answers = self.view.answers if self.view else ()
        return next((one for one in answers if one.slot == self.slot), None)

    @property
    def lacks_context(self) -> bool:
        """Whether what stands around the present question is to be read."""
        return self.view is not None and (self.around is None or self.around[0] is not self.view)

    @property
    def context(self) -> QuestionContext | None:
        """What stands around the present question; as it was read last where that is the same."""
        context, view = self.around[1] if self.around else None, self.view
        if context is None or view is None:
            return None
        same = (context.fact, context.task) == (view.fact.fact, view.task)
        return context if same and context.model == view.fact.lens.model else None

    @property
    def begun(self) -> AnswerView | AnswerPosition | None:
        """What the cursor goes by when a question is read: what is sought, else its answer."""
        return self.sought or self.answer

    @property
    def shown_page(self) -> AnswerPage:
        """The page that is shown: the one turned to, if this answer has it."""
        if self.view is None or self.answer is None:
            return AnswerPage.JUDGEMENT
        return (
            self.page if self.page in list_pages(self.view, self.answer) else AnswerPage.JUDGEMENT
        )

    # What a person chooses

    def clear(self) -> None:
        """No question is open: another database is."""
        fresh = TaskState()
        for one in fields(self):
            setattr(self, one.name, getattr(fresh, one.name))

    def open(self, fact: int, task: Task, answer: tuple[bool, int] | None = None) -> None:
        """Go to a question of a fact (its id), and into one of its answers."""
        self.fact, self.task, self.direct = fact, task, answer is not None
        self.sought = None if answer is None else AnswerPosition(*answer)
        self.held = None

    def go_to(self, fact: int, position: TaskPosition) -> None:
        """Go to a position in a question of a fact (its id)."""
        self.fact, self.task, self.direct = fact, position.task, position.direct
        self.sought, self.page = position.answer, position.page
        self.held = position.height, position.scroll

    def position(self, fact: str | None, inside: bool, height: int, scroll: int) -> TaskPosition:
        """The position, in a fact that is called so."""
        answer = self.sought
        if answer is None and self.answer is not None and not self.waiting:
            answer = AnswerPosition(self.answer.thinking, self.answer.sample)
        held = self.held or (height, scroll)
        return TaskPosition(fact, self.task, answer, self.page, inside, self.direct, *held)

    def choose_task(self, task: Task) -> None:
        """Go to another question of the fact."""
        self.task, self.sought = task, None

    def choose_fact(self, fact: int) -> None:
        """Go to the same question of another fact."""
        self.fact, self.sought = fact, None

    def turn_page(self) -> None:
        """Show the next page of the open answer, after the last the first."""
        if self.view is not None and self.answer is not None:
            self.page = next_page(self.shown_page, list_pages(self.view, self.answer))

    def keep_note(self, answer: AnswerView, text: str) -> bool:
        """A note on an answer; whether to write it now. Without a label it waits for that."""
        if answer.own is None:
            self.notes[answer.slot] = text
            return False
        return text != (answer.note or "")

    # What has been read and written

    def take_read(self, read: ReadQuestion) -> Task | None:
        """Take in a question that was read; gives the task asked for where the fact lacks it."""
        view, lacking = read.view, None
        self.missing, self.failed = (self.fact, self.task) if view is None else None, False
        if view is not None and view.task is not self.task:
            lacking, self.task = self.task, view.task
        self.take(view, view.fact.lens.thinking.settings if view else self.settings)
        if read.effects is not None and self.slot is not None:
            self.effects[self.slot] = read.effects
        return lacking

    def take_effects(self, slot: int, effects: Effects) -> bool:
        """Take in what labels on an answer would do; whether that is in sight."""
        self.effects[slot] = effects
        return slot == self.slot

    def take_written(self, answer: AnswerView, before: TaskView, read: ReadQuestion) -> bool:
        """Take in an answer that was written to; whether its question is still in sight."""
        self.rejection = None
        here = (self.fact, self.task) == (before.fact.fact, before.task)
        if read.view is None or not here:
            return False
        self.take_read(read if self.slot == answer.slot else ReadQuestion(read.view, None))
        return True

    def take_decided(self, answer: AnswerView, rejection: QuestionRejection | None = None) -> None:
        """A label of an answer, or a rejection of its question, is written with the note on it."""
        self.notes.pop(answer.slot, None)
        self.rejection = rejection

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
        self.slot = find_slot(view, before, settings)

    def show(self, settings: Sequence[bool]) -> None:
        """Other settings are in sight: the cursor goes to the answer in its place there."""
        if self.view is not None:
            self.slot = find_slot(self.view, self.begun, settings)
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
        answers = list_answers(self.view, settings)
        here = next((at for at, one in enumerate(answers) if one.slot == self.slot), None)
        if here is None:
            return False
        there = min(max(here + by, 0), len(answers) - 1)
        self.slot = answers[there].slot
        return there != here


def list_answers(view: TaskView | None, settings: Sequence[bool]) -> list[AnswerView]:
    """The answers of some settings, in order."""
    return [one for one in view.answers if one.thinking in settings] if view else []


def open_difference(mark: AnswerMark) -> bool:
    """Whether the graders differ, and no person has decided."""
    return mark.differs and not mark.own


def find_slot(
    view: TaskView, before: AnswerView | AnswerPosition | None, settings: Sequence[bool]
) -> int | None:
    """The slot of the answer at, or nearest to, the place of another one."""
    answers = list_answers(view, settings)
    if not answers:
        return None
    if before is None:
        return answers[0].slot
    if isinstance(before, AnswerView) and any(one.slot == before.slot for one in answers):
        return before.slot

    def away(one: AnswerView) -> tuple[bool, int]:
        return one.thinking is not before.thinking, abs(one.sample - before.sample)

    return min(answers, key=away).slot


def call_of(view: TaskView, answer: AnswerView) -> Call | None:
    """How the setting of an answer was asked."""
    return next((call for call in view.calls if call.thinking is answer.thinking), None)


def list_pages(view: TaskView, answer: AnswerView) -> tuple[AnswerPage, ...]:
    """The pages that have something on them."""
    call = call_of(view, answer)
    asked = call is not None and (call.prompt is not None or call.recipe is not None)
    asked = asked or answer.source is not None
    there = {
        AnswerPage.OPTIONS: answer.shown is not None,
        AnswerPage.CALL: asked or answer.finish is not None or answer.reasoning_tokens is not None,
    }
    return tuple(page for page in AnswerPage if there.get(page, True))


def next_page(page: AnswerPage, pages: tuple[AnswerPage, ...], step: int = 1) -> AnswerPage:
    """The next page, around the end."""
    return pages[(pages.index(page) + step) % len(pages)] if page in pages else pages[0]
