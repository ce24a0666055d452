"""What the ten tasks are called, by the room there is."""

from core.views.verdict_reasons import task_words
from core.vocabulary import TASKS, Task

_FULL = tuple(map(task_words, TASKS))
_MIDDLE = (
    *("completion", "contextual", "direct", "direct nat", "reverse", "reverse nat"),
    *("mc direct", "mc dir nat", "mc reverse", "mc rev nat"),
)
_SHORT = (
    *("compl", "context", "direct", "dir nat", "reverse", "rev nat"),
    *("mc dir", "mc d n", "mc rev", "mc r n"),
)
_LEAST = ("compl", "cntxt", "dir", "dir n", "rev", "rev n", "mc d", "mc dn", "mc r", "mc rn")


def number(task: Task) -> str:
    """The digit that chooses a task: 1 to 9, then 0."""
    return str((TASKS.index(task) + 1) % len(TASKS))


def format_task_title(task: Task) -> str:
    """Digit and name, as titles have it."""
    return f"{number(task)} {task_words(task)}"


def fit_names(room: int) -> dict[Task, str]:
    """The longest names that all fit into `room` cells."""
    for called in (_FULL, _MIDDLE, _SHORT):
        if max(map(len, called)) <= room:
            break
    else:
        called = _LEAST
    return dict(zip(TASKS, called, strict=True))


def place(thinking: bool, sample: int) -> str:
    """What an answer is called: `on 5`."""
    return f"{'on' if thinking else 'off'} {sample + 1}"
