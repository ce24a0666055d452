"""Orders that follow from a seed, a purpose and a text: all the chance there is."""

import hashlib
import unicodedata
from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")


def key_of(text: str) -> str:
    """A text as it is compared: NFC, single spaces, trimmed, casefolded."""
    return " ".join(unicodedata.normalize("NFC", text).split()).casefold()


def digest(*parts: object) -> str:
    """SHA-256 of parts joined by `/`, as hexadecimal digits."""
    return hashlib.sha256("/".join(map(str, parts)).encode()).hexdigest()


def order_by_digest(items: Iterable[T], name: Callable[[T], str], *parts: object) -> list[T]:
    """Items by the digest of some parts and each item's name."""
    return sorted(items, key=lambda item: digest(*parts, name(item)))


def number_below(limit: int, *parts: object) -> int:
    """A whole number from 0 to `limit` - 1 that follows from some parts."""
    return int(digest(*parts)[:8], 16) % limit
