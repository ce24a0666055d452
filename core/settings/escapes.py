"""Text from models and files for paper and pages: nothing in it is unseen or steers anything.

Control, bidirectional, invisible and unpaired characters are shown as visible stand-ins, each
telling exactly which character it stands for.
"""

import re

UNSEEN = re.compile(
    "[\ufe00-\ufe0f\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0\U000e0100-\U000e01ef"
    "\U0001f1e6-\U0001f1ff\U0001f3fb-\U0001f3ff]"
)
"""Printable by Unicode's book, yet shown as nothing, or changing what their neighbour is."""


JOINERS = f"{chr(0x200C)}{chr(0x200D)}"
"""Unseen, and part of how words of Persian or Hindi are written and how emoji are made."""


def is_printable(text: str) -> bool:
    """Whether a text can be shown on one line, each joiner in it as its stand-in."""
    return text.isprintable() or text.translate(dict.fromkeys(map(ord, JOINERS))).isprintable()


def stand_in(char: str) -> str:
    """A visible mark for a character that is not to be shown: its picture, or its number."""
    code = ord(char)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    if code == 0xA0:
        return " "
    if code < 256:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\u{{{code:x}}}"


def make_visible(text: str, longest: int | None = None) -> str:
    """The text on one line, spaces single, all of it visible; longer than `longest` it ends in `…`.

    Reads no more of the text than it needs, so that one of a million characters costs nothing.
    """
    cut = longest is not None and len(text) > 8 * longest
    line = " ".join((text[: 8 * longest] if cut and longest else text).split())
    if not (line.isprintable() and not UNSEEN.search(line)):
        line = "".join(
            stand_in(char) if not char.isprintable() or UNSEEN.match(char) else char
            for char in line
        )
    if longest is None or (len(line) <= longest and not cut):
        return line
    return line[: longest - 1].rstrip() + "…"
