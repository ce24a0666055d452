"""SQL for what columns of facts say; those that a lake does not have say nothing."""

from collections.abc import Mapping

from core.vocabulary import TASKS, Side, Task

TEXT_COLUMNS = ("page_title", "fact_id", "subject", "object", "category")
ASKED = tuple(task.value for task in TASKS if not task.is_choice)
SEARCHED = (*TEXT_COLUMNS, *ASKED, "direct_answer", "reverse_answer")
"""What a text is looked for in."""

BLANK = "E' \\t\\r\\n'"


def _has(column: str, there: set[str], filled: Mapping[str, bool]) -> str:
    """Whether a column says anything in a row."""
    if column not in there or filled.get(column) is False:
        return "false"
    if filled.get(column):
        return "true"
    return f"coalesce(trim({column}::VARCHAR, {BLANK}) <> '', false)"


def text_of(column: str, there: set[str]) -> str:
    """A column as a text, empty where it has none."""
    return f"coalesce({column}, '')" if column in there else "''"


def is_asked(task: Task, there: set[str], filled: Mapping[str, bool]) -> str:
    """Whether a fact has a task: its question, and the choices of its direction."""
    asked = _has(task.asks.value, there, filled)
    direction = "reverse" if task.side is Side.SUBJECT else "direct"
    choices = _has(f"{direction}_choices", there, filled)
    return f"({asked} AND {choices})" if task.is_choice else asked


def space_title(column: str) -> str:
    """A column with titles of pages as they are shown."""
    return f"replace({column}, '_', ' ')" if column == "page_title" else column


def fold_case(value: str) -> str:
    """A value with the capitals of ASCII as small letters."""
    return f"translate({value}, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')"
