"""A plan on its way to disk: nothing of it is to be seen before all of it is there.

Lines are written once to pieces of a draft beside the folder, as it is not known before the end
how many shards there will be; then they are cut into the files of the shards.
"""

import hashlib
import os
import shutil
from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from io import BufferedWriter
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import orjson

from core.errors import LostkeysError, UsageError
from core.providers.endpoints import Endpoint
from core.scale.plan_manifest import FACTS, NAME, Manifest, PlanFile, name_plan
from core.scale.request_line import URLS

MOST_LINES, MOST_BYTES = 50_000, 190_000_000
"""What a file has at the most unless shards are named: services take no more."""

PIECE = 2**27
"""Bytes of a piece of the draft, about."""

COPIED_AT_ONCE = 2**20
FULL = "make room, or name another folder; nothing was left behind"

Sizes = npt.NDArray[np.int64]


class Spool:
    """Lines to one endpoint as they come, and how many lines, answers and bytes each fact has."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._pieces: list[Path] = []
        self._file: BufferedWriter | None = None
        self._written = 0
        self.lines, self.answers, self.bytes = array("q"), array("q"), array("q")

    def add(self, lines: Sequence[bytes], answers: int) -> None:
        """Add the lines of the next fact."""
        if lines:
            if self._file is None or self._written >= PIECE:
                self._open()
            assert self._file is not None
            content = b"".join(lines)
            self._written += len(content)
            self._file.write(content)
        self.lines.append(len(lines))
        self.answers.append(answers)
        self.bytes.append(sum(map(len, lines)))

    def _open(self) -> None:
        self.close()
        self._pieces.append(self._folder / f"{len(self._pieces)}")
        self._file, self._written = self._pieces[-1].open("wb"), 0

    def close(self) -> None:
        """Nothing more is added."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def parts(self, sizes: Sequence[int]) -> Iterator[Iterator[memoryview]]:
        """Its content in parts of these sizes, each to be read to its end before the next."""
        content = self._content()
        rest = memoryview(b"")

        def part(left: int) -> Iterator[memoryview]:
            nonlocal rest
            while left:
                rest = rest or memoryview(next(content))
                found, rest = rest[:left], rest[left:]
                left -= len(found)
                yield found

        yield from map(part, sizes)

    def _content(self) -> Iterator[bytes]:
        """The pieces one after another; each goes when it has been read."""
        for piece in self._pieces:
            with piece.open("rb") as file:
                while found := file.read(COPIED_AT_ONCE):
                    yield found
            piece.unlink()


class PlanDraft:
    """A plan that is being written. A context manager: left early, it leaves nothing."""

    def __init__(self, folder: Path) -> None:
        """Raises `LostkeysError` where the folder is there already, or cannot be made."""
        self.folder = folder
        self.place = folder.with_name(f".{folder.name}.{os.getpid()}.part")
        """Where it stands until it is delivered."""
        self.facts = self.shards = 0

    def __enter__(self) -> Self:
        check_new(self.folder)
        _sweep(self.folder)
        try:
            self.place.mkdir()
            for endpoint in URLS:
                (self.place / endpoint).mkdir()
            self._facts = (self.place / FACTS).open("wb")
        except OSError as error:
            raise self._fault(error) from None
        self._spools: Mapping[Endpoint, Spool] = {
            endpoint: Spool(self.place / endpoint) for endpoint in URLS
        }
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with suppress(OSError):
            self._facts.close()
        for spool in self._spools.values():
            with suppress(OSError):
                spool.close()
        shutil.rmtree(self.place, ignore_errors=True)

    def add(self, fact_id: str, lines: Mapping[Endpoint, tuple[Sequence[bytes], int]]) -> None:
        """Add a fact with its lines to each endpoint, and how many answers these ask for."""
        try:
            self._facts.write(orjson.dumps(fact_id) + b"\n")
            for endpoint, spool in self._spools.items():
                spool.add(*lines.get(endpoint, ((), 0)))
        except OSError as error:
            raise self._fault(error) from None
        self.facts += 1

    def append(self, name: str, lines: Sequence[bytes]) -> None:
        """Add lines to a further file, which begins with them."""
        try:
            with (self.place / name).open("ab") as file:
                file.writelines(lines)
        except OSError as error:
            raise self._fault(error) from None

    def cut(self, shards: int | None) -> list[PlanFile]:
        """Cut what was added into the files of the shards.

        Raises `UsageError` where there are more of them than facts.
        """
        if shards is not None and shards > self.facts:
            raise UsageError(
                f"--shards {shards:,}: the plan has {self.facts:,} facts, and a shard has one at "
                "the least"
            )
        try:
            self.shards = shards or self._least_shards()
            return self._cut(self.shards)
        except OSError as error:
            raise self._fault(error) from None

    def complete(self, fields: Mapping[str, Any], files: Sequence[PlanFile]) -> Manifest:
        """Write the manifest, with these of its fields; all is on disk then."""
        manifest = Manifest(
            plan=name_plan(files),
            facts=self.facts,
            requests=sum(one.requests for one in files),
            answers=sum(one.answers for one in files),
            shards=self.shards,
            files=tuple(files),
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            **fields,
        )
        try:
            for endpoint in URLS:
                shutil.rmtree(self.place / endpoint)
            content = orjson.dumps(manifest.as_json(), option=orjson.OPT_INDENT_2)
            (self.place / NAME).write_bytes(content + b"\n")
            self._sync()
        except OSError as error:
            raise self._fault(error) from None
        return manifest

    def deliver(self) -> None:
        """Put the folder where it is to be."""
        deliver_draft(self.place, self.folder)

    def _sync(self) -> None:
        self._facts.close()
        for path in (*self.place.iterdir(), self.place):
            _sync(path)

    def _fault(self, error: OSError) -> LostkeysError:
        return _fault(self.folder, error)

    def _cut(self, shards: int) -> list[PlanFile]:
        ends = shard_starts(self.facts, shards)
        found = []
        for endpoint, spool in self._spools.items():
            spool.close()
            lines, answers, sizes = (
                _sums(one, ends) for one in (spool.lines, spool.answers, spool.bytes)
            )
            for shard, content in enumerate(spool.parts(sizes)):
                if not lines[shard]:
                    continue
                name = f"part-{shard:05}.{endpoint}.jsonl"
                summed = hashlib.sha256()
                with (self.place / name).open("wb") as file:
                    for some in content:
                        summed.update(some)
                        file.write(some)
                found.append(
                    PlanFile(
                        name,
                        URLS[endpoint],
                        lines[shard],
                        answers[shard],
                        sizes[shard],
                        summed.hexdigest(),
                    )
                )
        return sorted(found, key=lambda one: one.name)

    def _least_shards(self) -> int:
        """The least number of shards of which no file is too large."""
        sizes = [
            (one, most)
            for spool in self._spools.values()
            for one, most in ((spool.lines, MOST_LINES), (spool.bytes, MOST_BYTES))
        ]
        shards = max(1, *(-(-sum(one) // most) for one, most in sizes))
        while shards < self.facts and any(
            max(_sums(one, shard_starts(self.facts, shards))) > most for one, most in sizes
        ):
            shards += 1
        return shards


def shard_starts(facts: int, shards: int) -> Sizes:
    """The place of the first fact of each shard, and the number of facts; shape (shards + 1,)."""
    return -(-np.arange(shards + 1, dtype=np.int64) * facts // shards)


def _sums(counts: "array[int]", starts: Sizes) -> list[int]:
    """What the facts of each shard have together."""
    whole = np.concatenate([[0], np.cumsum(np.frombuffer(counts, np.int64))])
    found: list[int] = np.diff(whole[starts]).tolist()
    return found


def check_new(folder: Path) -> None:
    """Raise `LostkeysError` for a folder that is there already, or has nothing to stand in."""
    if folder.exists() or folder.is_symlink():
        raise LostkeysError(f"{folder} is there already: name a folder that is new with -o")
    if not folder.absolute().parent.is_dir():
        raise LostkeysError(f"{folder.parent} is not a folder: make it first, or choose another")


def deliver_draft(draft: Path, folder: Path) -> None:
    """Put a draft that is whole where the plan is to be. Raises `LostkeysError` if it cannot be."""
    check_new(folder)
    try:
        draft.rename(folder)
        _sync(folder.absolute().parent)
    except OSError as error:
        raise _fault(folder, error) from None


def _fault(folder: Path, error: OSError) -> LostkeysError:
    return LostkeysError(f"{folder} cannot be written ({error.strerror or error}): {FULL}")


def find_left(folder: Path) -> list[Path]:
    """Drafts of the same folder that programs left which are gone."""
    drafts = folder.absolute().parent.glob(f".{_escape_pattern(folder.name)}.*.part")
    return [
        one
        for one in drafts
        if (number := one.name.split(".")[-2]).isdigit() and not _is_running(int(number))
    ]


def _sweep(folder: Path) -> None:
    for draft in find_left(folder):
        shutil.rmtree(draft, ignore_errors=True)


def _escape_pattern(name: str) -> str:
    """A name as a pattern that fits it alone."""
    return "".join(f"[{char}]" if char in "*?[" else char for char in name)


def _is_running(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
