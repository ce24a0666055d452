"""What the Task screen says where it has nothing to show, and when something was written."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from core.views.task_view import AnswerView, TaskView
from core.views.verdict_reasons import task_words
from core.vocabulary import Label, Task
from tui.text.line import Line
from tui.text.task_names import place
from tui.theme.glyphs import spell
from tui.theme.roles import code_role

if TYPE_CHECKING:
    from core.views.session import Session
    from core.views.snapshot import Snapshot

Write = Callable[["Session"], "Snapshot"]
"""Something that is written; gives the snapshot after it."""

Say = Callable[[AnswerView, str, str], Line]
"""What is said of it: of which answer, and the fact's verdict before and after."""


def fact_name(view: TaskView) -> Line:
    """The fact: subject and object."""
    return Line(f"{view.fact.subject[:200]} {spell('→')} {view.fact.object[:200]}")


def no_fact() -> list[Line]:
    """No question has been opened yet."""
    keys = Line("F1", "accent bold").add(" shows the facts, ", "ink-2")
    keys.add("enter", "accent bold").add(" opens one here.", "ink-2")
    return [Line("No question is open.", "ink-2"), keys]


def no_question(task: Task) -> Line:
    """The fact lacks this question."""
    return Line(f"This fact has no {task_words(task)} question", "ink-2")


def no_such_question(task: Task) -> Line:
    """What was open is not in the file that is there now."""
    words = f"This fact is not in the file, or has no {task_words(task)} question"
    return Line(words, "ink-2")


def not_open() -> Line:
    """A letter that labels was pressed among the answers."""
    line = Line("enter", "accent bold").add(" opens the answer: ", "ink-2")
    return line.add("c i p o", "accent bold").add(" label it there", "ink-2")


def no_difference(snapshot: "Snapshot | None") -> Line:
    """No other answer is left on which the graders differ."""
    if snapshot is None or snapshot.lens.b is None:
        return Line("there is no grader B to differ")
    line = Line("graders differ on no other answer of this fact. ")
    return line.add("J", "accent bold").add(" next fact", "ink-2")


def no_answers(view: TaskView) -> list[Line]:
    """Nobody has been asked, or not so."""
    lens = view.fact.lens
    who = lens.model or "No model"
    asked = "has not been asked this question" if lens.model else "has been asked this question"
    if len(lens.thinking.settings) == 1:
        asked += f" with thinking {lens.thinking.value}"
    return [
        Line(who, "ink").add(f" {asked}.", "ink-2"),
        Line("r", "accent bold").add(" asks it, or brings in what was drawn elsewhere.", "ink-2"),
    ]


def place_of(answer: AnswerView) -> str:
    """What an answer is called: `on 5`."""
    return place(answer.thinking, answer.sample)


def describe_label(label: Label | None, answer: AnswerView, before: str, after: str) -> Line:
    """`on 5 is CORRECT, RF becomes RT. u undoes it`."""
    here = place_of(answer)
    line = Line(f"{here} is {label}" if label else f"your label of {here} is withdrawn")
    line.add(", ").add(spell(before), code_role(before))
    if before != after:
        line.add(" becomes ").add(spell(after), code_role(after))
    return _add_undo(line.add(". " if before != after else " stays. "))


def describe_note(there: bool, answer: AnswerView, before: str, after: str) -> Line:
    """A note was written, or removed."""
    done = "is kept" if there else "is removed"
    return _add_undo(Line(f"your note on {place_of(answer)} {done}. "))


def describe_flag(there: bool) -> Line:
    """A flag was set, or taken away."""
    return _add_undo(Line("the fact is flagged. " if there else "the fact has no flag now. "))


def _add_undo(line: Line) -> Line:
    return line.add("u", "accent bold").add(" undoes it", "ink-2")


def describe_rejection(reason: str, answer: AnswerView, before: str, after: str) -> Line:
    """The question was rejected, and its fact with it."""
    return _add_undo(Line(f"rejected, {reason}: its fact leaves all totals. "))
