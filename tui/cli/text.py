"""Text from models, files and errors, made safe for a terminal."""

import json
import re

import click

_UNSAFE = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)


def visible(text: str) -> str:
    """The text with every control, bidirectional and invisible character spelled out."""
    return _UNSAFE.sub(
        lambda found: (
            f"\\x{ord(found[0]):02x}" if ord(found[0]) < 256 else f"\\u{ord(found[0]):04x}"
        ),
        text,
    )


def one_line(text: str, width: int | None = None) -> str:
    """Visible text on one line; longer than `width` characters it ends in `…`."""
    line = visible(" ".join(text.split()))
    return line if width is None or len(line) <= width else line[: width - 1] + "…"


def print_json(document: object) -> None:
    """Print one JSON document and nothing else; control characters in texts are escaped."""
    click.echo(json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False))
