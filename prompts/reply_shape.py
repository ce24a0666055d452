"""Shapes of replies: declared by a template, sent to servers that enforce them, and read here.

A shape is a small part of JSON Schema: `object` with fixed keys (`properties`, all of them
required and no others), `array` (`items`, at most `maxItems`), `string` (`maxLength`), `integer`,
`boolean`, and `enum` of texts. https://json-schema.org/draft-07
"""

import json
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Literal

ReplyForm = Literal["text", "schema"]
"""How a reply is asked for: in the tags and lines of a template, or as JSON of its shape."""

INNER = "items"
"""The key under which an array stands where a service takes no array as a whole reply."""

_TAKES: Mapping[str, frozenset[str]] = {
    "object": frozenset({"properties"}),
    "array": frozenset({"items", "maxItems"}),
    "string": frozenset({"maxLength"}),
    "integer": frozenset(),
    "boolean": frozenset(),
}
"""The further keys of each type."""

_STRINGS = (None, "string")
_KEY = re.compile(r"[a-z][a-z0-9_]*")
_HALF = re.compile(r"[\ud800-\udfff]")


class ShapeError(Exception):
    """A reply has not the shape that was asked for, or what is declared is no shape; says why."""


class ReplyShape:
    """The shape of a reply. `schema` is the JSON Schema of it, keys in the order declared."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self.schema = schema
        self._check = _compile(json.dumps(schema))

    @classmethod
    def parse(cls, declared: Mapping[str, Any]) -> "ReplyShape":
        """A shape as a template declares it; raises `ShapeError` for what is none."""
        return cls(_complete(declared, "reply"))

    def repeat(self, count: int) -> "ReplyShape":
        """The same array with exactly so many items. For a shape that is an array."""
        return ReplyShape({**self.schema, "minItems": count, "maxItems": count})

    def is_like(self, other: "ReplyShape") -> bool:
        """Whether both have the same keys and values, whatever the lengths of texts."""
        return _drop_limits(self.schema) == _drop_limits(other.schema)

    def read_reply(self, reply: str) -> Any:
        """What a reply says; raises `ShapeError` where it is not of this shape, whole.

        A key that stands twice is refused. Halves of surrogate pairs, which no file can hold, are
        replaced.
        """
        try:
            found = json.loads(reply, object_pairs_hook=_pair_once, parse_constant=_refuse)
        except (ValueError, RecursionError):
            raise ShapeError("the reply is not JSON") from None
        if self.schema["type"] == "array" and type(found) is dict and found.keys() == {INNER}:
            found = found[INNER]
        said = self._check(found)
        if said is not None:
            raise ShapeError(said)
        return _replace_halves(found) if "\\u" in reply else found


def wrap_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A schema as OpenAI takes it: an object at its root, and no limits of texts.

    https://developers.openai.com/api/docs/guides/structured-outputs
    """
    plain = _drop_limits(schema)
    if plain["type"] == "object":
        return plain
    return _make_object({INNER: plain})


def _drop_limits(schema: Mapping[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in schema.items() if name != "maxLength"}
    if "items" in kept:
        kept["items"] = _drop_limits(kept["items"])
    if "properties" in kept:
        kept["properties"] = {key: _drop_limits(one) for key, one in kept["properties"].items()}
    return kept


def _complete(declared: Any, where: str) -> dict[str, Any]:
    """A declared shape as JSON Schema says it; raises `ShapeError` for what is none."""
    if not isinstance(declared, dict):
        raise ShapeError(f"{where} must be a table")
    if "enum" in declared:
        names = declared["enum"]
        texts = isinstance(names, list) and names and all(isinstance(one, str) for one in names)
        if not texts or declared.keys() - {"enum", "type"} or declared.get("type") not in _STRINGS:
            raise ShapeError(f"{where}: enum must be a list of texts, and stand alone")
        return {"type": "string", "enum": names}
    kind = declared.get("type")
    if not isinstance(kind, str) or kind not in _TAKES:
        raise ShapeError(f"{where}: type must be one of {', '.join(_TAKES)}")
    _check_keys(declared, kind, where)
    if kind == "object":
        keys = declared.get("properties")
        if not isinstance(keys, dict) or not keys or not all(map(_KEY.fullmatch, keys)):
            raise ShapeError(f"{where}: properties must be a table of keys in small letters")
        return _make_object({key: _complete(one, f"{where}.{key}") for key, one in keys.items()})
    found: dict[str, Any] = {"type": kind}
    if kind == "array":
        found["items"] = _complete(declared.get("items"), f"{where}.items")
    return found | {name: declared[name] for name in ("maxItems", "maxLength") if name in declared}


def _check_keys(declared: Mapping[str, Any], kind: str, where: str) -> None:
    """Raise `ShapeError` for a key that a type does not take, or a limit that is none."""
    for name in declared.keys() - {"type"} - _TAKES[kind]:
        raise ShapeError(f"{where}: {kind} takes no {name!r}")
    for name in ("maxItems", "maxLength"):
        if name in declared and not (type(declared[name]) is int and declared[name] > 0):
            raise ShapeError(f"{where}: {name} must be a whole number above 0")


def _make_object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


@lru_cache(maxsize=256)
def _compile(schema: str) -> Callable[[Any], str | None]:
    """Says what is wrong with a document, None where it has the shape."""
    import fastjsonschema

    check = fastjsonschema.compile(json.loads(schema), use_default=False, detailed_exceptions=False)

    def find_fault(document: Any) -> str | None:
        try:
            check(document)
        except fastjsonschema.JsonSchemaValueException as error:
            return str(error.message)
        return None

    return find_fault


def _pair_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice")
    return found


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _replace_halves(value: Any) -> Any:
    if isinstance(value, str):
        return _HALF.sub("\ufffd", value)
    if isinstance(value, list):
        return [_replace_halves(one) for one in value]
    if isinstance(value, dict):
        return {key: _replace_halves(one) for key, one in value.items()}
    return value
