"""The graders that are part of the program."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from core.errors import UsageError
from core.graders import choice, em, exact, form, lexical
from core.graders.grader_record import LLM, GraderRecord, is_model, model_of

if TYPE_CHECKING:
    from core.graders.form.weighed_label import WeighedLabel
    from core.graders.grader_evaluation import EvaluationCase, GraderReport

SURE = 0.8
"""How sure a grader has to be in a cascade where nobody says: about a tenth is left."""

_TABLE = (lexical.RECORD, form.RECORD, exact.RECORD, em.RECORD, choice.RECORD)

BUILTIN: Mapping[str, GraderRecord] = {record.name: record for record in _TABLE}
"""Every built-in grader by its name."""


def builtin(name: str) -> GraderRecord:
    """A built-in grader by name. Raises `UsageError` for any other."""
    if name not in BUILTIN:
        raise UsageError(f"no grader named {name} can be run: choose {', '.join(BUILTIN)}")
    return BUILTIN[name]


def weigher(name: str) -> "Callable[[str, Sequence[str], str], WeighedLabel]":
    """How a grader says how sure it is. Raises `UsageError` for one that does not."""
    weigh = BUILTIN[name].weigh if name in BUILTIN else None
    if weigh is None:
        able = ", ".join(one.name for one in BUILTIN.values() if one.weigh is not None)
        raise UsageError(f"{name} does not say how sure it is: --sure and --cascade go with {able}")
    return weigh


def measure(name: str, cases: "Sequence[EvaluationCase]") -> "GraderReport":
    """How a built-in grader compares with people, with chances where it says how sure it is."""
    from core.graders.grader_evaluation import evaluate, evaluate_chances

    record = builtin(name)
    if record.weigh is None:
        return evaluate(name, record.evaluate, cases)
    return evaluate_chances(name, record.weigh, cases)


def reads_choice(name: str) -> bool:
    """Whether a grader labels multiple choice; all others, models too, label what is no choice."""
    return name in BUILTIN and BUILTIN[name].reads_choice


def check_all(names: Sequence[str], sure: float | None = None, cascade: bool = False) -> None:
    """Raise `UsageError` for graders that are none, or cannot be sure or ask one another."""
    for name in names:
        check(name)
    if sure is not None and not 0.5 <= sure <= 1:
        raise UsageError(f"--sure {sure:g}: give a number from 0.5 to 1")
    if sure is not None or cascade:
        weigher(names[0])
    if cascade and not (len(names) > 1 and all(map(is_model, names[1:]))):
        raise UsageError("--cascade asks models about the rest: name them after the first grader")


def check(name: str) -> None:
    """Raise `UsageError` for a grader that is neither a built-in one nor a model."""
    if is_model(name):
        model_of(name)
    elif name not in BUILTIN:
        raise UsageError(
            f"no grader named {name} can be run: choose {', '.join(BUILTIN)}, or a model as "
            f"{LLM}MODEL"
        )
