"""What a job is to do, as it is stored: specs as JSON and back."""

import json
from dataclasses import asdict, fields
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from core.errors import LostkeysError
from core.scoring.policy import Policy
from core.specs.file_specs import ImportWords
from core.specs.job_kinds import KINDS, Spec
from core.vocabulary import Strategy, Task
from db.stored_values import StoredValues, read_object


def as_json(spec: Spec) -> str:
    """The spec as it is stored: equal specs give equal texts."""
    return json.dumps({"kind": spec.kind, **asdict(spec)}, sort_keys=True, ensure_ascii=False)


def from_json(text: str) -> Spec:
    """The spec stored so. Raises `LostkeysError` for what this program does not know."""
    stored = _read_spec(text)
    try:
        kind = KINDS[stored.pop("kind")].spec
        known = {one.name for one in fields(kind)}
        values = {name: value for name, value in stored.items() if name in known}
        for name in _TUPLES & values.keys():
            if values[name] is not None:
                values[name] = tuple(values[name])
        if values.get("tasks") is not None:
            values["tasks"] = tuple(map(Task, values["tasks"]))
        for name in ("curtailed", "policy"):
            if values.get(name) is not None:
                values[name] = _policy(values[name])
        if values.get("words") is not None:
            values["words"] = _read_words(values["words"])
        spec: Spec = kind(**values)
        hints = get_type_hints(kind)
        wrong = next((name for name in values if not _fits(values[name], hints[name])), None)
        if wrong is not None:
            raise ValueError(f"its {wrong} is not as it should be")
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise LostkeysError(
            f"a job of this file cannot be read ({error}): update Lostkeys"
        ) from error
    return spec


_TUPLES = {
    "thinking",
    "graders",
    "models",
    "relations",
    "examples",
    "seeds",
    "orders",
    "forms",
    "injects",
    "tests",
    "modes",
    "more",
    "limits",
    "parts",
}
"""Fields that hold several values, which JSON has as lists."""


def _read_spec(text: str) -> dict[str, Any]:
    return read_object(text, "what a job is to do")


STORED = (StoredValues("job", "spec", _read_spec),)


def _fits(value: object, hint: Any) -> bool:
    """Whether a value is of the type that a spec's field has; texts can be written as UTF-8."""
    kinds = get_args(hint)
    if get_origin(hint) is Literal:
        return value in kinds
    if get_origin(hint) in (UnionType, Union):
        return any(_fits(value, kind) for kind in kinds)
    if get_origin(hint) is tuple:
        return isinstance(value, tuple) and all(_fits(one, kinds[0]) for one in value)
    if hint is str:
        return isinstance(value, str) and value == value.encode(errors="replace").decode()
    return type(value) is hint


def _read_words(stored: dict[str, Any]) -> ImportWords:
    values: dict[str, Any] = {
        name: tuple(one) if isinstance(one, list) else one for name, one in stored.items()
    }
    words = ImportWords(**values)
    hints = get_type_hints(ImportWords)
    if not all(_fits(getattr(words, name), hint) for name, hint in hints.items()):
        raise ValueError("its words are not as they should be")
    return words


def _policy(stored: dict[str, Any]) -> Policy:
    graders = stored.get("graders")
    return Policy(
        **{
            **stored,
            "strategy": Strategy(stored["strategy"]),
            "graders": None if graders is None else tuple(map(str, graders)),
        }
    )
