"""GGUF files with a header and no weights, for tests."""

import struct
from collections.abc import Mapping
from pathlib import Path

HEADER: Mapping[str, object] = {
    "general.architecture": "llama",
    "general.file_type": 15,
    "llama.block_count": 4,
    "llama.context_length": 2_048,
    "llama.embedding_length": 64,
    "llama.attention.head_count": 4,
    "llama.attention.head_count_kv": 2,
    "tokenizer.ggml.tokens": ["<s>", "a", "b"],
    "tokenizer.ggml.scores": [0.0, 1.0, 2.0],
    "tokenizer.chat_template": "{{ messages }}",
}
"""What a small model says of itself."""

UINT32, FLOAT32, STRING, ARRAY = 4, 6, 8, 9


def write_gguf(path: Path, size: int = 4_096, **others: object) -> Path:
    """Write such a file of so many bytes; `others` change its header, None leaves a key out.

    Underscores in the names of `others` stand for dots where two follow each other.
    """
    header = {**HEADER, **{name.replace("__", "."): value for name, value in others.items()}}
    said = {name: value for name, value in header.items() if value is not None}
    parts = [struct.pack("<4sIQQ", b"GGUF", 3, 0, len(said))]
    for name, value in said.items():
        kind, content = _pack(value)
        parts += [_text(name), struct.pack("<I", kind), content]
    path.write_bytes(b"".join(parts))
    with path.open("r+b") as file:
        file.truncate(max(size, path.stat().st_size))
    return path


def _text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


def _pack(value: object) -> tuple[int, bytes]:
    if isinstance(value, str):
        return STRING, _text(value)
    if isinstance(value, list):
        parts = [_pack(one) for one in value]
        kind = parts[0][0]
        content = b"".join(content for _, content in parts)
        return ARRAY, struct.pack("<IQ", kind, len(parts)) + content
    if isinstance(value, float):
        return FLOAT32, struct.pack("<f", value)
    assert isinstance(value, int)
    return UINT32, struct.pack("<I", value)
