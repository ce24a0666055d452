"""The graders that are part of the program."""

from collections.abc import Mapping

from core.errors import UsageError
from core.graders import choice, em, exact, form, lexical
from core.graders.grader_names import LLM, is_model, model_of
from core.graders.grader_record import GraderRecord

_TABLE = (lexical.RECORD, form.RECORD, exact.RECORD, em.RECORD, choice.RECORD)

BUILTIN: Mapping[str, GraderRecord] = {record.name: record for record in _TABLE}
"""Every built-in grader by its name."""


def builtin(name: str) -> GraderRecord:
    """A built-in grader by name. Raises `UsageError` for any other."""
    if name not in BUILTIN:
        raise UsageError(f"no grader named {name} can be run: choose {', '.join(BUILTIN)}")
    return BUILTIN[name]


def check(name: str) -> None:
    """Raise `UsageError` for a grader that is neither a built-in one nor a model."""
    if is_model(name):
        model_of(name)
    elif name not in BUILTIN:
        raise UsageError(
            f"no grader named {name} can be run: choose {', '.join(BUILTIN)}, or a model as "
            f"{LLM}MODEL"
        )
