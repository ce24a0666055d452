"""Facts that a list is narrowed to, kept by their own ids: each set once, packed into text."""

import base64
import zlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

import orjson

from core.dataset.fact_filters import Only
from core.dataset.fact_index import FactIndex

LARGEST_SET = 16_384
"""Characters that a packed set may take; a larger one is not kept. That is some thousand facts."""

LARGEST_UNPACKED = 1 << 22
"""Bytes that a packed set may unpack to."""

FACTS = "facts"
"""The field of `Only` that stands for a set."""


class FactSets:
    """Packs sets of facts for a file; ids in the database stand for nothing outside of it."""

    def __init__(self, index: FactIndex) -> None:
        self._index = index
        self._names: dict[int, str] | None = None
        self._keys: dict[frozenset[int], str | None] = {}
        self.packed: dict[str, str] = {}
        """The sets, by the keys that stand for them."""

    def put(self, value: Any) -> Any:
        """What is kept instead of a value: of certain facts, what they are and their set's key."""
        if not isinstance(value, Only):
            return value
        return {"words": value.words, FACTS: self._key(value.facts)}

    def _key(self, facts: frozenset[int]) -> str | None:
        if facts not in self._keys:
            packed = _pack(self._list_names(facts))
            key = None if len(packed) > LARGEST_SET else str(len(self.packed))
            self._keys[facts] = key
            if key is not None:
                self.packed[key] = packed
        return self._keys[facts]

    def _list_names(self, facts: frozenset[int]) -> list[str]:
        if self._names is None:
            ids = self._index.ids.tolist()
            self._names = dict(zip(ids, self._index.fact_ids, strict=True))
        return sorted(self._names[one] for one in facts if one in self._names)


class RestoredSets:
    """Puts facts that are there in place of the keys of packed sets."""

    def __init__(self, packed: Mapping[str, Any], index: FactIndex) -> None:
        ids = dict(zip(index.fact_ids, index.ids.tolist(), strict=True)) if packed else {}
        self._sets = {
            key: frozenset(ids[one] for one in _unpack(text) if one in ids)
            for key, text in packed.items()
        }
        self.lost: list[str] = []
        """What facts had in common of which none can be had."""

    def restore(self, plain: Any) -> Any:
        """Plain data with certain facts as such; without those that are lost."""
        if isinstance(plain, list):
            return [self.restore(one) for one in plain]
        if not isinstance(plain, Mapping):
            return plain
        if set(plain) != {"words", FACTS}:
            return {key: self.restore(one) for key, one in plain.items()}
        words, key = str(plain["words"]), plain[FACTS]
        facts = self._sets.get(key) if isinstance(key, str) else None
        if facts:
            return Only(words, facts)
        if words not in self.lost:
            self.lost.append(words)
        return None


def _pack(names: Iterable[str]) -> str:
    return base64.b85encode(zlib.compress(orjson.dumps([*names]), 9)).decode("ascii")


def _unpack(text: Any) -> list[str]:
    """The ids in a packed set; none where it cannot be read."""
    with suppress(ValueError, zlib.error):
        if isinstance(text, str):
            found = zlib.decompressobj().decompress(base64.b85decode(text), LARGEST_UNPACKED)
            names = orjson.loads(found)
            return [one for one in names if isinstance(one, str)] if type(names) is list else []
    return []
