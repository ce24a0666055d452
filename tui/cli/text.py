"""Text from models, files and errors, made safe for a terminal."""

import json

import click


def visible(text: str) -> str:
    """The text with every control, bidirectional and invisible character spelled out."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else _spelled(char) for char in text)


def _spelled(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"


def one_line(text: str, width: int | None = None) -> str:
    """Visible text on one line; wider than `width` cells of a terminal it ends in `…`."""
    from rich.cells import cell_len, set_cell_size

    line = visible(" ".join(text.split()))
    if width is None or cell_len(line) <= width:
        return line
    return set_cell_size(line, width - 1).rstrip() + "…"


def print_json(document: object) -> None:
    """Print one JSON document and nothing else, in ASCII: safe in every terminal and encoding."""
    click.echo(json.dumps(document, indent=1, allow_nan=False))
