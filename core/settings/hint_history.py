"""Which keys a person has used, and how often each was offered as a hint: one small file."""

from collections.abc import Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import NamedTuple

import orjson

from core.settings.file_writer import replace
from core.settings.paths import state_folder

FILE = "hints.json"
LARGEST = 64 * 1024
"""Bytes of a file that is read; what is longer was not written here."""

OFTEN = 3
"""Times that a key is offered at most."""


class HintHistory(NamedTuple):
    """Ids of keys: those that were used, and how often others were offered."""

    used: frozenset[str] = frozenset()
    offered: Mapping[str, int] = MappingProxyType({})

    def may_offer(self, key: str) -> bool:
        """Whether a key is still worth a hint."""
        return key not in self.used and self.offered.get(key, 0) < OFTEN

    def with_use(self, key: str) -> "HintHistory":
        """The same after a key was used."""
        return HintHistory(self.used | {key}, self.offered)

    def with_offer(self, key: str) -> "HintHistory":
        """The same after a key was offered once more."""
        return HintHistory(self.used, {**self.offered, key: self.offered.get(key, 0) + 1})

    def join(self, other: "HintHistory") -> "HintHistory":
        """What both know: another program of the same person may have written meanwhile."""
        keys = {**other.offered, **self.offered}
        most = {key: max(self.offered.get(key, 0), other.offered.get(key, 0)) for key in keys}
        return HintHistory(self.used | other.used, most)


def load_hints() -> HintHistory:
    """The history as it was kept; an empty one where there is none that can be read."""
    path = state_folder() / FILE
    try:
        if path.stat().st_size > LARGEST:
            return HintHistory()
        kept = orjson.loads(path.read_bytes())
        used = frozenset(str(key) for key in kept["used"])
        offered = {str(key): max(0, int(count)) for key, count in kept["offered"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError):
        return HintHistory()
    return HintHistory(used, offered)


def keep_hints(history: HintHistory) -> HintHistory:
    """Write a history, with what is kept already; where that cannot be, nothing depends on it."""
    whole = history.join(load_hints())
    document = {"used": sorted(whole.used), "offered": dict(sorted(whole.offered.items()))}
    with suppress(OSError, TypeError):
        replace(state_folder() / FILE, orjson.dumps(document, option=orjson.OPT_INDENT_2))
    return whole
