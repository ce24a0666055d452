"""Text as quoted data, for inputs that came from documents and models."""

import json


def quoted(text: str) -> str:
    """Text as one JSON string: one line without tags, whatever it holds.

    Angle brackets are escaped as well, and separators that some readers take for line ends.
    """
    line = json.dumps(text, ensure_ascii=False).replace("<", r"\u003c").replace(">", r"\u003e")
    return "".join(
        char if char.isprintable() else "".join(f"\\u{unit:04x}" for unit in _units(char))
        for char in line
    )


def _units(char: str) -> list[int]:
    data = char.encode("utf-16-be", "surrogatepass")
    return [int.from_bytes(data[i : i + 2]) for i in range(0, len(data), 2)]
