"""How a person left a database, kept in one small file of the user's and found again.

The file is named by the database's path and by the random id in its table `project`, so that a
database that was moved finds its own, and another one at the same path does not.
"""

import base64
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import time
from types import MappingProxyType
from typing import Any, NamedTuple

import orjson

import db.project_values
from core.dataset.fact_filters import Only
from core.dataset.fact_index import FactIndex
from core.project import OpenProject
from core.settings import file_writer
from core.settings.paths import state_folder
from core.settings.plain_data import from_plain, to_plain
from core.views.lens import Lens
from core.views.place_history import Place
from core.views.session import Session
from core.views.snapshot import Snapshot

# Facts that a list is narrowed to, kept by their own ids: each set once, packed into text.

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


VERSION = 1
LARGEST = 65_536
"""Bytes of a file at most."""

TOO_LARGE = f"is too large for {LARGEST // 1024} kB"
"""Why screens are left out of a session."""

KEPT = 200
"""Databases of which it is kept how they were left: those that were used last."""


@dataclass(frozen=True, slots=True)
class SavedSession:
    """How the screens were left: the tab in sight, the lens, positions by tab, places.

    Positions are what a screen gives; read from a file they are plain data until it takes them.
    So are `layouts`: how a person has laid out panes, by tab and width class.
    """

    tab: str = ""
    lens: Lens | None = None
    screens: Mapping[str, Any] = field(default_factory=dict)
    places: tuple[Place, ...] = ()
    at: int = -1
    layouts: Mapping[str, Any] = field(default_factory=dict)


class ReadSession(NamedTuple):
    """A session out of its file, and when that was written, in seconds since 1970.

    `sets` holds the facts that lists were narrowed to, packed; `lost` names those of which none
    is there.
    """

    session: SavedSession
    saved: float
    sets: Mapping[str, Any] = MappingProxyType({})
    lost: tuple[str, ...] = ()


class OpenedDatabase(NamedTuple):
    """A database that was opened for a person: the first snapshot, and how it was left.

    `start` is the lens that the database itself suggests, `identity` its random id, empty where it
    has none.
    """

    snapshot: Snapshot
    start: Lens
    identity: str
    left: ReadSession | None


def open_as_left(
    session: Session,
    remembers: bool,
    shows_one_model: "Callable[[SavedSession], bool] | None" = None,
) -> OpenedDatabase:
    """Open a database under the lens that it was left under, if that is remembered.

    The first snapshot may be of the lens's model alone where a session, as left or new,
    `shows_one_model`.
    """
    identity, left = "", None

    def choose(project: OpenProject) -> Lens | None:
        nonlocal identity, left
        identity = db.project_values.value(project.connection, db.project_values.IDENTITY) or ""
        left = read_session(session.path, identity) if remembers else None
        return None if left is None else left.session.lens

    def is_alone() -> bool:
        now = SavedSession() if left is None else left.session
        return shows_one_model is not None and shows_one_model(now)

    snapshot = session.open(choose, is_alone)
    start = snapshot.lens if left is None else session.snapshots.start_lens()
    restored = None if left is None else _restore_facts(left, snapshot.index)
    return OpenedDatabase(snapshot, start, identity, restored)


def _restore_facts(left: ReadSession, index: FactIndex) -> ReadSession:
    """A session with the facts that its lists were narrowed to, as far as they are there."""
    sets, session = RestoredSets(left.sets, index), left.session
    places = tuple(_restore_place(one, sets) for one in session.places)
    screens = {tab: sets.restore(one) for tab, one in session.screens.items()}
    restored = replace(session, places=places, screens=screens)
    return left._replace(session=restored, lost=tuple(sets.lost))


def _restore_place(place: Place, sets: RestoredSets) -> Place:
    effect = place.effect
    if effect is not None:
        before, after = sets.restore(effect.asked_before), sets.restore(effect.asked_after)
        effect = replace(effect, asked_before=before, asked_after=after)
    return replace(place, position=sets.restore(place.position), effect=effect)


def read_session(path: Path, identity: str) -> ReadSession | None:
    """How a database was left; None where that is not known, or cannot be read."""
    for file in _files(path, identity):
        with suppress(OSError, ValueError, TypeError, KeyError):
            if file.stat().st_size > LARGEST:
                continue
            found = orjson.loads(file.read_bytes())
            if found["version"] == VERSION:
                saved = from_plain(float, found["saved"])
                session = from_plain(SavedSession, found["session"])
                sets = found.get("sets")
                return ReadSession(session, saved, sets if isinstance(sets, dict) else {})
    return None


def write_session(path: Path, identity: str, session: SavedSession, index: FactIndex) -> str | None:
    """Keep how a database was left; gives for people what of it is not kept, and why.

    Earlier places go first where it is too large, without a word; then screens.
    """
    file, too_large = _file(path, identity), None
    try:
        with suppress(TypeError, ValueError):
            found = ((_encode(one, index), why) for one, why in _shorten_session(session))
            content, too_large = next((one for one in found if one[0]), (None, None))
            if content is not None and not _holds(file, content):
                file_writer.replace(file, content)
                _forget_others(file, path)
    except OSError as error:
        return f"{error.strerror or error}: {file.parent}"
    return too_large


def _forget_others(file: Path, path: Path) -> None:
    """Remove what was kept of another database at this path, and all but the newest files."""
    for other in file.parent.glob(f"{_name(path)}-*.json"):
        if other != file:
            other.unlink(missing_ok=True)
    _forget_old(file.parent)


def _forget_old(there: Path) -> None:
    """Remove all but the newest files: most others are of databases that are gone."""
    dated = sorted(((one.stat().st_mtime, one) for one in there.iterdir()), reverse=True)
    for _, old in dated[KEPT:]:
        old.unlink(missing_ok=True)


def _encode(session: SavedSession, index: FactIndex) -> bytes | None:
    """A session as it is written; None where it is too large."""
    sets = FactSets(index)
    plain = to_plain(session, sets.put)
    found = {"version": VERSION, "saved": time(), "session": plain, "sets": sets.packed}
    content = orjson.dumps(found)
    return content if len(content) <= LARGEST else None


def _holds(file: Path, content: bytes) -> bool:
    """Whether a file holds the same session already, whenever that was written."""
    with suppress(OSError, ValueError, TypeError):
        then, now = orjson.loads(file.read_bytes()), orjson.loads(content)
        return {**then, "saved": 0} == {**now, "saved": 0}
    return False


def _shorten_session(session: SavedSession) -> Iterator[tuple[SavedSession, str | None]]:
    """A session, with ever fewer of its earlier places, then of its screens, which is said."""
    yield session, None
    here = session.places[session.at : session.at + 1]
    for kept in (16, 4):
        first = max(0, session.at - kept)
        places = session.places[first : session.at + 1]
        yield replace(session, places=places, at=len(places) - 1), None
    yield replace(session, places=here, at=len(here) - 1), None
    small = {tab: one for tab, one in session.screens.items() if tab == session.tab}
    yield replace(session, places=(), at=-1, screens=small), f"all but this screen {TOO_LARGE}"
    yield replace(session, places=(), at=-1, screens={}), f"all but the lens {TOO_LARGE}"


def _name(path: Path) -> str:
    from hashlib import sha256

    return sha256(str(path.resolve()).encode(errors="surrogateescape")).hexdigest()[:16]


def _file(path: Path, identity: str) -> Path:
    return state_folder() / "sessions" / f"{_name(path)}-{identity}.json"


def _files(path: Path, identity: str) -> Iterator[Path]:
    """Where to look: at this path, at it before the database had an id, at other paths."""
    yield _file(path, identity)
    if identity.isalnum():
        yield _file(path, "")
        others = (state_folder() / "sessions").glob(f"*-{identity}.json")
        dated = sorted(((one.stat().st_mtime, one) for one in others), reverse=True)
        yield from (one for _, one in dated)
