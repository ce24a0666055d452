"""Why a verdict is what it is, in words that name the questions which decided."""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from core.scoring.verdicts import INCOMPLETE
from core.stats.number_format import format_grade
from core.vocabulary import ENCODING, KNOWLEDGE, TASK_INDEX, Strategy, Task

if TYPE_CHECKING:
    from core.views.fact_case import FactCase, FactVerdict

PARTS: tuple[tuple[str, tuple[Task, ...], bool], ...] = (
    ("E", ENCODING, False),
    ("K0", KNOWLEDGE, False),
    ("KT", KNOWLEDGE, True),
)
"""The three parts of a verdict, with the tasks and the setting that decide each."""

NOT_MEASURED = "thinking not measured"

_NUMBERS = {2: "both", 3: "all three", 4: "all four"}


class Reason(NamedTuple):
    """Why E, K0 or KT holds or not: `name` is `E`, `K0` or `KT`.

    `holds` is None where nothing decides it (not measured, nothing gradable, incomplete);
    `words` name the questions that decided, such as `reverse .13, reverse natural .00`.
    """

    name: str
    holds: bool | None
    words: str


def format_g(g: float | None) -> str:
    """A grade as it is printed: `.88`, `1.00`, rounded half up; a dash for none.

    `g` must be the float nearest to the exact fraction: its shortest decimal form then is the
    exact one wherever rounding is in doubt (a third decimal 5 with nothing after it).
    """
    if g is None:
        return "–"
    return format_grade(g)


def format_tau(tau: float) -> str:
    """A threshold as it was chosen, with two decimals at least: `.50`, `.99`, `.125`."""
    exact = Decimal(repr(tau))
    digits = max(2, -int(exact.as_tuple().exponent))
    return f"{exact:.{digits}f}".removeprefix("0")


def task_words(task: Task) -> str:
    """A task's name as it is read: `reverse natural`."""
    return task.value.replace("_", " ")


def explain_verdict(case: "FactCase", verdict: "FactVerdict") -> tuple[Reason, ...]:
    """The reasons for E, K0 and KT.

    They hold or not as the verdict says; of an incomplete or excluded fact nothing holds, and
    the words of the part that is to blame say which question is.
    """
    return tuple(
        Reason(name, verdict.holds(name), _explain_part(case, verdict, tasks, thinking))
        for name, tasks, thinking in PARTS
    )


def _explain_part(
    case: "FactCase", verdict: "FactVerdict", tasks: Sequence[Task], thinking: bool
) -> str:
    if thinking and not case.asked[1]:
        return NOT_MEASURED
    undecided = [task for task in _list_present(case, tasks) if case.is_undecided(task, thinking)]
    troubles = _explain_missing(case, tasks, thinking)
    if undecided and verdict.number == INCOMPLETE:
        troubles.append(f"undecided: {_join_tasks(undecided)}")
    troubles = troubles or _explain_exclusion(case, tasks, thinking)
    if troubles:
        return "; ".join(troubles)
    decided = [task for task in _list_present(case, tasks) if task not in undecided]
    grades = {task: case.grade(task, thinking) for task in decided}
    found = {task: g for task, g in grades.items() if g is not None}
    words = _explain_encoding(case, found) if tasks == ENCODING else _explain_knowledge(case, found)
    without = [task for task, g in grades.items() if g is None]
    return "; ".join([words, *([_explain_ungradable(without)] if without else [])])


def _list_present(case: "FactCase", tasks: Sequence[Task]) -> list[Task]:
    return [task for task in tasks if case.exists[TASK_INDEX[task]]]


def _split_pairs(tasks: Sequence[Task]) -> list[Sequence[Task]]:
    return [tasks[start : start + 2] for start in range(0, len(tasks), 2)]


def _explain_missing(case: "FactCase", tasks: Sequence[Task], thinking: bool) -> list[str]:
    """What makes the fact incomplete here: questions, answers or labels that are not there."""
    absent = [pair for pair in _split_pairs(tasks) if not _list_present(case, pair)]
    words = [f"the fact has no {_pair_words(pair)} question" for pair in absent]
    bare = [
        task
        for task in _list_present(case, tasks)
        if not sum(case.cell(task, thinking)) and not case.is_undecided(task, thinking)
    ]
    drawn = [task for task in bare if case.drawn[int(thinking), TASK_INDEX[task]]]
    undrawn = [task for task in bare if task not in drawn]
    if drawn:
        words.append(f"no labels yet: {_join_tasks(drawn)}")
    if undrawn:
        words.append(f"not answered yet: {_join_tasks(undrawn)}")
    return words


def _explain_exclusion(case: "FactCase", tasks: Sequence[Task], thinking: bool) -> list[str]:
    """What excludes the fact here: questions without a gradable answer."""
    to_blame: list[Task] = []
    for pair in _split_pairs(tasks):
        there = _list_present(case, pair)
        without = [
            task
            for task in there
            if case.grade(task, thinking) is None and not case.is_undecided(task, thinking)
        ]
        if without == there or case.policy.strategy is Strategy.FACT:
            to_blame += without
    return [_explain_ungradable(to_blame)] if to_blame else []


def _explain_encoding(case: "FactCase", grades: dict[Task, Fraction]) -> str:
    passing = {task: g for task, g in grades.items() if case.passes(g)}
    return _format_grades(passing) if passing else _explain_failing(case, grades)


def _explain_knowledge(case: "FactCase", grades: dict[Task, Fraction]) -> str:
    failing = {task: g for task, g in grades.items() if not case.passes(g)}
    if failing:
        return _explain_failing(case, failing)
    lowest = min(grades, key=lambda task: grades[task])
    return f"{_NUMBERS[len(grades)]} pass, lowest {_format_grades({lowest: grades[lowest]})}"


def _explain_failing(case: "FactCase", grades: dict[Task, Fraction]) -> str:
    """Questions that fail; that the bound itself is no pass is said where g looks like it."""
    tau = format_tau(case.policy.tau)
    near = any(format_g(float(g)) == tau or g == case.policy.exact_tau for g in grades.values())
    return _format_grades(grades) + (f", not above {tau}" if near else "")


def _format_grades(grades: dict[Task, Fraction]) -> str:
    return ", ".join(f"{task_words(task)} {format_g(float(g))}" for task, g in grades.items())


def _explain_ungradable(tasks: Sequence[Task]) -> str:
    return f"no gradable answer: {_join_tasks(tasks)}"


def _pair_words(pair: Sequence[Task]) -> str:
    return "completion or contextual" if pair == ENCODING else task_words(pair[0])


def _join_tasks(tasks: Sequence[Task]) -> str:
    return ", ".join(map(task_words, tasks))
