"""Text from models, files and errors, made inert: nothing in it can steer a terminal.

Control, bidirectional, invisible and unpaired characters are shown as visible stand-ins, each
telling exactly which character it stands for.
"""

import re

from rich.cells import get_character_cell_size

from core.settings.escapes import JOINERS, UNSEEN, stand_in
from tui.theme.glyphs import spell

_BREAKS = re.compile(r"[ \t]*(?:\r\n|[\n\r\x0b\x0c\x85\u2028\u2029])[^\S\x1c-\x1f]*")
_LINE_END = re.compile(r"\r\n|[\n\r\x0b\x0c\x85\u2028\u2029]")
PARAGRAPH = " ¶ "
FEW = 32
"""Different characters up to which replacing one after the other is quicker."""


def make_inert(text: str) -> str:
    """The text on one line: breaks as `¶`, whatever cannot be seen as a stand-in.

    What comes out takes the cells that `tui.text.cell_width` measures, wherever it stands.
    """
    if text.isprintable() and (
        text.isascii() or not (UNSEEN.search(text) or get_character_cell_size(text[0]) == 0)
    ):
        return text
    return replace_unseen(_BREAKS.sub(spell(PARAGRAPH), text.strip("\r\n")))


def replace_unseen(text: str) -> str:
    """The text with every character that must not be shown as its stand-in, breaks too."""
    changed = {char for char in set(text) if not char.isprintable() or UNSEEN.match(char)}
    if len(changed) <= FEW:
        for char in changed:
            text = text.replace(char, stand_in(char))
    else:
        text = text.translate({ord(char): stand_in(char) for char in changed})
    if text and get_character_cell_size(text[0]) == 0:  # would sit on what stands before it
        text = stand_in(text[0]) + text[1:]
    return text


def is_kept(char: str) -> bool:
    """Whether a character that is not seen stays in a text that a person types."""
    return char in JOINERS or bool(UNSEEN.match(char))


def make_one_line(text: str) -> str:
    """The text on one line as a person may type it: what is kept stays, unseen as it is.

    `replace_unseen` of it can be shown.
    """
    line = _BREAKS.sub(spell(PARAGRAPH), text.strip("\r\n"))
    return "".join(char if char.isprintable() or is_kept(char) else stand_in(char) for char in line)


def lines(text: str) -> list[str]:
    """The text as its lines, each inert."""
    found = _LINE_END.split(text)
    return (
        found
        if all(map(str.isascii, found)) and all(map(str.isprintable, found))
        else [make_inert(line) for line in found]
    )
