"""GGUF files of any model: what a file says of itself, its hash, and whether it fits in memory.

The format is that of ggml's `docs/gguf.md`, version 2 and 3: a header of keys and values stands
before the weights.
"""

import hashlib
import mmap
import os
import re
import struct
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import orjson

from core.errors import LostkeysError, UsageError
from core.providers.model_names import stem_of, whole_path
from core.settings.file_writer import replace
from core.settings.paths import state_folder

MAGIC = b"GGUF"
VERSIONS = (2, 3)
SHARD = re.compile(r"(?P<stem>.+)-(?P<number>\d{5})-of-(?P<count>\d{5})\.gguf")

TEXT, LIST = 8, 9
NUMBERS = dict(zip((0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12), "BbHhIif?Qqd", strict=True))
"""Types of values, and how `struct` calls those of a fixed size."""

SHORT_LIST = 512
LONGEST_LIST = 4_000_000
"""Numbers of a list that are kept, and values that a list may have: vocabularies have 300,000."""

QUANTISATIONS = {
    0: "F32",
    1: "F16",
    2: "Q4_0",
    3: "Q4_1",
    7: "Q8_0",
    8: "Q5_0",
    9: "Q5_1",
    10: "Q2_K",
    11: "Q3_K_S",
    12: "Q3_K_M",
    13: "Q3_K_L",
    14: "Q4_K_S",
    15: "Q4_K_M",
    16: "Q5_K_S",
    17: "Q5_K_M",
    18: "Q6_K",
    19: "IQ2_XXS",
    20: "IQ2_XS",
    21: "Q2_K_S",
    22: "IQ3_XS",
    23: "IQ3_XXS",
    24: "IQ1_S",
    25: "IQ4_NL",
    26: "IQ3_S",
    27: "IQ3_M",
    28: "IQ2_S",
    29: "IQ2_M",
    30: "IQ4_XS",
    31: "IQ1_M",
    32: "BF16",
    36: "TQ1_0",
    37: "TQ2_0",
    38: "MXFP4_MOE",
}
"""`general.file_type` (llama.h, `llama_ftype`)."""

SLOTS = 8
"""Most sequences decoded at once: the answers to one request."""

CONTEXT, THINKING_CONTEXT, LEAST_CONTEXT = 4_096, 16_384, 1_024
"""Tokens of prompt and answer that a sequence may hold: of a file, of one whose template lets the
model think, and where memory is short."""

BESIDE = 256_000_000
"""Bytes for what llama.cpp computes with, beside weights and cache."""

MOST_KEPT = 2**30

HASHES, MOST_HASHES = "gguf.json", 100
BLOCK = 1 << 20


@dataclass(frozen=True)
class GgufFile:
    """A model's file, or the files of one that is split, as the header says.

    `size` in bytes of all files. `context`: tokens that the model was made for. `template`: how it
    is asked by chat, None for a base model. `cache`: bytes of a token in the cache.
    """

    path: Path
    stem: str
    shards: tuple[Path, ...]
    size: int
    architecture: str
    quantisation: str
    context: int
    template: str | None
    cache: int

    @property
    def recipe(self) -> dict[str, object]:
        """What a recipe keeps of it; the file is read whole where its hash is not known yet."""
        return {
            "sha256": self.sha256,
            "size": self.size,
            "architecture": self.architecture,
            "quantisation": self.quantisation,
            "context": self.context,
        }

    @cached_property
    def sha256(self) -> str:
        """The hash of its bytes, of all files in their order; kept by their sizes and times."""
        stats = [one.stat() for one in self.shards]
        state = [[one.st_size, one.st_mtime_ns] for one in stats]
        kept = _read_hashes()
        found = kept.get(str(self.path))
        if isinstance(found, list) and found[:1] == [state] and isinstance(found[1], str):
            return found[1]
        digest = hashlib.sha256()
        for shard in self.shards:
            with shard.open("rb") as file:
                while block := file.read(BLOCK):
                    digest.update(block)
        kept.pop(str(self.path), None)
        newest = list(kept.items())[-MOST_HASHES:]
        rows = {**dict(newest), str(self.path): [state, digest.hexdigest()]}
        with suppress(OSError):
            replace(state_folder() / HASHES, orjson.dumps(rows))
        return digest.hexdigest()

    @cached_property
    def seats(self) -> tuple[int, int]:
        """How many sequences are decoded at once, and the tokens that each may hold.

        As many as half of the memory that the weights leave has room for, one at the least.
        """
        thinks = self.template is not None and "think" in self.template
        wanted = min(THINKING_CONTEXT if thinks else CONTEXT, self.context or CONTEXT)
        room = max(0, available_memory() - self.size - BESIDE) // 2
        tokens = room // max(1, self.cache)
        context = max(min(wanted, LEAST_CONTEXT), min(wanted, tokens))
        return max(1, min(SLOTS, tokens // context)), context

    @property
    def kept(self) -> int:
        """Bytes for prompts that were read before: their beginnings are not read again.

        A build asks each of its thirty stages with instructions of its own.
        """
        return min(MOST_KEPT, max(0, available_memory() - self.size - BESIDE) // 4)

    @property
    def seats_in_words(self) -> str:
        """The same for people."""
        slots, context = self.seats
        megabytes = slots * context * self.cache / 1e6
        at_once = "1 slot" if slots == 1 else f"{slots} slots"
        return f"{at_once} of {context:,} tokens here, {megabytes:,.0f} MB"

    def check_room(self) -> None:
        """Raise `LostkeysError` where the memory that is free has no room for it."""
        least = self.size + BESIDE + self.cache * min(LEAST_CONTEXT, self.context or LEAST_CONTEXT)
        if (free := available_memory()) < least:
            raise LostkeysError(
                f"{self.path} needs {least / 1e9:.1f} GB of memory and {free / 1e9:.1f} GB are "
                "free: end other programs, or take a smaller file"
            )


def open_gguf(name: str) -> GgufFile:
    """The model in a file. Raises `UsageError` where there is none that can be read."""
    path = whole_path(name)
    try:
        if not path.is_file():
            raise UsageError(f"gguf:{name}: there is no such file")
        stat = path.stat()
    except OSError as error:
        raise UsageError(f"gguf:{name}: {error.strerror}") from error
    return _open_once(path, stat.st_size, stat.st_mtime_ns)


@lru_cache(maxsize=16)
def _open_once(path: Path, size: int, time: int) -> GgufFile:
    """The file as it is at its size and time."""
    shards = _find_shards(path)
    try:
        said = _read_header(path)
        total = sum(one.stat().st_size for one in shards)
    except (OSError, struct.error, ValueError, KeyError, OverflowError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        raise UsageError(f"{path} is no GGUF file: {reason or 'its header is broken'}") from error
    architecture = _word(said.get("general.architecture"))
    kind = _whole(said.get("general.file_type"))
    template = said.get("tokenizer.chat_template")
    return GgufFile(
        path=path,
        stem=stem_of(path.name),
        shards=shards,
        size=total,
        architecture=architecture,
        quantisation=QUANTISATIONS.get(kind, f"type {kind}"),
        context=_whole(said.get(f"{architecture}.context_length")),
        template=template if isinstance(template, str) and template.strip() else None,
        cache=_cache_of_token(said, architecture),
    )


def _find_shards(path: Path) -> tuple[Path, ...]:
    """All files of a model that is split, by the first one. Raises `UsageError` for another."""
    shard = SHARD.fullmatch(path.name)
    if shard is None:
        return (path,)
    stem, count = shard["stem"], int(shard["count"])
    names = [f"{stem}-{number:05}-of-{count:05}.gguf" for number in range(1, count + 1)]
    if path.name != names[0]:
        raise UsageError(f"{path} is a part of a split file: name the first one, {names[0]}")
    found = tuple(path.with_name(name) for name in names)
    missing = next((one for one in found if not one.is_file()), None)
    if missing is not None:
        raise UsageError(f"{path} is one of {count} files, and {missing.name} is not beside it")
    return found


def _read_header(path: Path) -> Mapping[str, Any]:
    """Keys and values; of long lists only that they are there (None)."""
    with path.open("rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            raise UsageError(f"{path} is no GGUF file: name one as gguf:PATH")
        view = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    with view:
        _, version, _, count = struct.unpack_from("<4sIQQ", view, 0)
        if version not in VERSIONS:
            raise UsageError(f"{path} is of GGUF version {version}, and 2 and 3 can be read")
        said, place = {}, struct.calcsize("<4sIQQ")
        for _ in range(count):
            key, place = _read_value(view, TEXT, place)
            (kind,) = struct.unpack_from("<I", view, place)
            said[key], place = _read_value(view, kind, place + 4)
    return said


def _read_value(view: mmap.mmap, kind: int, place: int) -> tuple[Any, int]:
    """A value at a place, and the place behind it."""
    if kind == TEXT:
        (length,) = struct.unpack_from("<Q", view, place)
        end = place + 8 + length
        if end > len(view):
            raise ValueError("a text goes on behind the file's end")
        return view[place + 8 : end].decode(errors="replace"), end
    if kind != LIST:
        (value,) = struct.unpack_from(f"<{NUMBERS[kind]}", view, place)
        return value, place + struct.calcsize(f"<{NUMBERS[kind]}")
    kind, count = struct.unpack_from("<IQ", view, place)
    place += struct.calcsize("<IQ")
    if count > LONGEST_LIST:
        raise ValueError("a list is too long to be one")
    if kind == TEXT:
        length_at = struct.Struct("<Q").unpack_from
        for _ in range(count):
            place += 8 + length_at(view, place)[0]
        return None, place
    form = f"<{count}{NUMBERS[kind]}"
    kept = list(struct.unpack_from(form, view, place)) if count <= SHORT_LIST else None
    return kept, place + struct.calcsize(form)


def _cache_of_token(said: Mapping[str, Any], architecture: str) -> int:
    """Bytes of keys and values, two for each number, of one token in all layers."""
    layers = _whole(said.get(f"{architecture}.block_count"))
    heads = said.get(f"{architecture}.attention.head_count")
    of_cache = said.get(f"{architecture}.attention.head_count_kv", heads)
    width = _whole(said.get(f"{architecture}.embedding_length"))
    many = max(heads) if isinstance(heads, list) and heads else _whole(heads)
    usual = width // many if many else 0
    key, value = (
        _whole(said.get(f"{architecture}.attention.{name}_length")) or usual
        for name in ("key", "value")
    )
    if isinstance(of_cache, list):
        return 2 * sum(map(_whole, of_cache)) * (key + value)
    return 2 * layers * _whole(of_cache) * (key + value)


def _whole(value: object) -> int:
    """A number that a file gives, 0 where it gives none."""
    return value if type(value) is int and value >= 0 else 0


def _word(value: object) -> str:
    """A short text that a file gives, as a name."""
    found = re.sub(r"[^A-Za-z0-9._-]", "", value)[:40] if isinstance(value, str) else ""
    return found or "unknown"


def _read_hashes() -> dict[str, Any]:
    """Hashes that were found before. A file that cannot be read counts as empty."""
    try:
        found = orjson.loads((state_folder() / HASHES).read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def available_memory() -> int:
    """Bytes that a program can have here: free, or held by the system for files alone."""
    free = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    with suppress(OSError):
        found = re.search(r"^MemAvailable:\s*(\d+) kB", Path("/proc/meminfo").read_text(), re.M)
        free = min(free, int(found[1]) * 1024) if found else free
    for limit, used in CONTROL_GROUPS:
        with suppress(OSError, ValueError):
            most = int(Path(limit).read_text())
            free = min(free, most - int(Path(used).read_text()) + _cached_files(limit))
    return free


CONTROL_GROUPS = (
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
    (
        "/sys/fs/cgroup/memory/memory.limit_in_bytes",
        "/sys/fs/cgroup/memory/memory.usage_in_bytes",
    ),
)
"""Where containers say what they may use, and use."""


def _cached_files(limit: str) -> int:
    """Bytes of files that a container's use counts, and that give way."""
    said = Path(limit).with_name("memory.stat").read_text()
    names = r"^(?:in)?active_file (\d+)$"
    return sum(map(int, re.findall(names, said, re.M)))
