"""JSON as evaluation tools write it: with NaN and Infinity, and whatever numbers they have."""

import json
from typing import Any

import orjson

from core.settings.plain_data import parse_integer

BOM = b"\xef\xbb\xbf"


def parse_json(content: bytes | memoryview) -> Any:
    """The value that stands there. Raises `ValueError` or `RecursionError`, with why."""
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError:
        return parse_lean(content)


def parse_lean(content: bytes | memoryview) -> Any:
    """The same, slower, in a quarter of the memory: orjson takes twelve times the text besides."""
    text = bytes(content).removeprefix(BOM).decode()
    try:
        return json.loads(text)
    except ValueError:  # a number of thousands of digits among them, which this says in words
        return json.loads(text, parse_int=parse_integer)


def write_compact(value: object) -> str:
    """A value as JSON with sorted keys and without blanks, as identities are made of it."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def write_answer(value: object) -> str:
    """An answer that is no text, as JSON."""
    return json.dumps(value, ensure_ascii=False)
