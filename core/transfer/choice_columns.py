"""The options of multiple choice as files write them."""

import ast
import json
import warnings
from contextlib import suppress
from typing import Any

from core.dataset import choice_options
from core.errors import LostkeysError
from core.transfer.row_values import RowError, quote

LONGEST_LITERAL = 65_536
"""Characters of a list that are looked at; four options never need as many."""

Four = tuple[str, str, str, str]


def options(value: object, key: str, gold: str) -> Four | None:
    """Four distinct options with the gold among them, None where there are none.

    A list, or text: a JSON list, a Python list literal, or one option a line. Raises
    `RowError`.
    """
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    texts = _texts(value, key)
    if len(texts) != choice_options.OPTIONS or len({text.strip() for text in texts}) != len(texts):
        raise RowError(f"{key}: needs four options that differ, has {quote(texts)}")
    try:
        choice_options.gold_option(texts, gold)
    except LostkeysError:
        raise RowError(f"{key}: the answer {quote(gold)} is not among {quote(texts)}") from None
    first, second, third, fourth = texts
    return first, second, third, fourth


_TEXT = frozenset((str,))


def texts_of(value: object, key: str, separator: str) -> tuple[str, ...]:
    """A list of texts: as such, as JSON, as a Python literal, or parted; without blank ones.

    Raises `RowError`, also for texts of more than `LONGEST_LITERAL` characters in all.
    """
    if value is None:
        return ()
    found = value
    if isinstance(value, str):
        _check_length(len(value), key)
        if not value.strip().startswith("["):
            return tuple(part.strip() for part in value.split(separator) if part.strip())
        found = _parse_list(value, key)
    if not isinstance(found, list):
        raise RowError(f"{key} is {quote(value)}, not a list of texts")
    texts = [str(one) if type(one) is int else one for one in found]
    if not (_TEXT.issuperset(map(type, texts)) and all(map(str.strip, texts))):
        raise RowError(f"{key}: one of {quote(found)} is not a text")
    _check_length(sum(map(len, texts)), key)
    return tuple(texts)


def dict_of(value: object, key: str) -> dict[str, Any]:
    """A dict: as such, as JSON or as a Python literal, of which nothing is run.

    Raises `RowError`.
    """
    found = value
    if isinstance(value, str):
        _check_length(len(value), key)
        found = _literal(value.strip(), key, "dict")
    if not isinstance(found, dict):
        raise RowError(f"{key} is {quote(value)}, not a dict")
    return found


def _check_length(length: int, key: str) -> None:
    if length > LONGEST_LITERAL:
        raise RowError(f"{key}: {length:,} characters, over {LONGEST_LITERAL:,}")


def _texts(value: object, key: str) -> list[str]:
    found = _parse_list(value, key) if isinstance(value, str) else value
    if not isinstance(found, list):
        raise RowError(f"{key} is {quote(value)}, not a list of options")
    texts = [str(one) if type(one) is int else one for one in found]
    if not all(isinstance(one, str) and one.strip() for one in texts):
        raise RowError(f"{key}: an option of {quote(found)} is not a text")
    return texts


def _parse_list(value: str, key: str) -> Any:
    text = value.strip()
    if not text.startswith("["):
        return [line.strip() for line in text.split("\n") if line.strip()]
    if len(text) > LONGEST_LITERAL:
        raise RowError(f"{key}: a list of {len(text):,} characters, over {LONGEST_LITERAL:,}")
    return _literal(text, key, "list")


def _literal(text: str, key: str, what: str) -> Any:
    with suppress(ValueError, RecursionError):
        return json.loads(text)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        raise RowError(f"{key}: {quote(text)} is neither a JSON nor a Python {what}") from None
