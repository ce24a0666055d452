"""Arguments of the library, looked at as they come: what cannot be is said in one line."""

import inspect
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from core.errors import UsageError
from core.scoring.policy import Policy

P = ParamSpec("P")
R = TypeVar("R")

Check = Callable[[object], str | None]
"""Says of a value what to give in its place; None where it is right."""

SHOWN = 60
"""Letters of a value that an error repeats."""


def check_arguments(function: Callable[P, R]) -> Callable[P, R]:
    """Have the arguments of a function checked by their names before it is called.

    Raises `UsageError` for one of a wrong type.
    """
    signature = inspect.signature(function)
    kinds = {name: one.kind for name, one in signature.parameters.items()}

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        for name, value in signature.bind(*args, **kwargs).arguments.items():
            if kinds[name] is inspect.Parameter.VAR_POSITIONAL:
                for one in value:
                    check_values({"path": one})
            elif kinds[name] is not inspect.Parameter.VAR_KEYWORD:
                check_values({name: value})
        return function(*args, **kwargs)

    return call


def check_values(values: Mapping[str, object], checks: Mapping[str, Check] | None = None) -> None:
    """Raise `UsageError` for a value that cannot stand under its name; unknown names may."""
    for name, value in values.items():
        check = (_CHECKS if checks is None else checks).get(name)
        wanted = None if check is None else check(value)
        if wanted is not None:
            raise UsageError(f"{name} is {show(value)}: {wanted}")


def fill_fields(kind: type[Any], options: Mapping[str, Any]) -> Any:
    """A dataclass of options by name. Raises `UsageError` for one that it does not have."""
    known = [one.name for one in fields(kind)]
    for name in options:
        if name not in known:
            raise UsageError(f"no such option: {name!r}; there is {', '.join(known)}")
    return kind(**options)


def show(value: object) -> str:
    """A value as an error repeats it, in one line."""
    said = repr(value).replace("\n", " ")
    return said if len(said) <= SHOWN else f"{said[: SHOWN - 1]}…"


def to_text(value: object) -> str:
    """An option as it is typed in a command: 0.1, or a list with commas between."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        return str(value)
    return ",".join(map(str, value))


def _check_path(value: object) -> str | None:
    path = os.fspath(value) if isinstance(value, str | os.PathLike) else None
    fits = isinstance(path, str) and "\0" not in path and _check_text(path) is None
    return None if fits else "give a path, as a text or a Path"


def _check_text(value: object) -> str | None:
    try:
        return None if isinstance(value, str) and value.encode() is not None else "give a text"
    except UnicodeEncodeError:
        return "give a text that is whole Unicode"


def _check_names(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return None if value is None else _check_text(value)
    if isinstance(value, Iterable) and not isinstance(value, Mapping | bytes):
        return None if all(_check_text(one) is None for one in value) else "give a list of names"
    return "give a name or a list of names"


def _check_switch(value: object) -> str | None:
    return None if isinstance(value, bool) else "give True or False"


def _check_sample(value: object) -> str | None:
    is_number = hasattr(value, "__index__") and not isinstance(value, bool)
    return None if is_number else "give a whole number, as 0"


def _check_policy(value: object) -> str | None:
    return None if isinstance(value, Policy) else "give a Policy, as Policy(tau=0.5)"


def _check_share(value: object) -> str | None:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= 1:
        return None
    return "give a score above 0 and up to 1"


def _check_words(value: object) -> str | None:
    if isinstance(value, Mapping):
        value = [*value, *value.values()]
    return _check_names(value) if value is not None else "give a text or a list of texts"


def _check_thinking(value: object) -> str | None:
    return None if isinstance(value, bool) or value in ("on", "off") else "say 'on' or 'off'"


def _optional(check: Check) -> Check:
    return lambda value: None if value is None else check(value)


_CHECKS: Mapping[str, Check] = {
    **dict.fromkeys(("name", "a", "b", "fact_id", "task", "model", "label"), _check_text),
    **dict.fromkeys(("what", "format"), _check_text),
    **dict.fromkeys(
        ("where", "by", "rationale", "author", "set_name", "score", "sort", "person"),
        _optional(_check_text),
    ),
    **dict.fromkeys(("models", "tasks", "graders"), _check_names),
    **dict.fromkeys(
        ("write", "excel_safe", "anonymous", "rejected", "intervals", "final"), _check_switch
    ),
    "sample": _check_sample,
    "thinking": _check_switch,
    "path": _check_path,
    "policy": _check_policy,
}
"""What arguments have to be, by their names."""

IMPORT_CHECKS: Mapping[str, Check] = {
    **dict.fromkeys(("set_name", "subject", "domain", "popularity"), _optional(_check_text)),
    **dict.fromkeys(("relation", "model", "encoding", "sheet"), _optional(_check_text)),
    **dict.fromkeys(("as_label", "prefix"), _optional(_check_text)),
    **dict.fromkeys(("mapping", "properties", "scores", "words"), _check_words),
    "examples": _optional(_check_sample),
    "correct_at": _optional(_check_share),
    "thinking": _optional(_check_thinking),
    "pool": _check_switch,
}
"""The same of options of an import, by the fields of `ImportWords`."""
