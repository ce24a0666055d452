"""What messages of a log hold besides text, and that nothing takes in."""

from collections.abc import Iterator
from typing import Any

from core.exchange.log_samples import Place
from core.exchange.notices import Notices

KINDS = {
    "image": "image",
    "image_url": "image",
    "input_image": "image",
    "audio": "audio clip",
    "input_audio": "audio clip",
    "video": "video",
    "video_url": "video",
    "document": "document",
    "file": "document",
    "input_file": "document",
    "data": "data part",
    "redacted_thinking": "redacted thought",
}
"""Kinds of parts, as tools name them, in words."""


def note_left_out(notices: Notices, place: Place, content: Any) -> None:
    """Add a notice for each kind of part in a row's content: objects with a type, nested."""
    if isinstance(content, list | dict):
        for kind in sorted(set(_find_kinds(content))):
            notices.add(f"holds {_an(kind)}, of which only the text is imported", place)


def _find_kinds(content: Any) -> Iterator[str]:
    if isinstance(content, list):
        for part in content:
            yield from _find_kinds(part)
    elif isinstance(content, dict):
        kind = content.get("type") or content.get("content_type")
        if isinstance(kind, str) and (name := KINDS.get(kind.partition("/")[0])):
            yield name
        for inside in ("content", "media_objects"):
            yield from _find_kinds(content.get(inside))


def _an(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"
