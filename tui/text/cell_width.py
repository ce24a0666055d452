"""Cells that inert text takes, and its clusters: a character with its marks is cut as a whole.

Terminals do not agree on vowel signs that stand beside a letter: most give them a cell, some none.
Rich, by which Textual lays out rows, gives them none. Here they have one, and text is filled up
with blanks to as many cells: it has room in every terminal.
"""

import re
from collections.abc import Iterator
from unicodedata import category

from rich.cells import cell_len, get_character_cell_size

SPACING = "Mc"
"""The category of marks that stand beside a letter."""

MAY_SPACE = re.compile(
    "[\u0900-\u109f\u1700-\u1cff\u302e\u302f\ua800-\uabff\U00011000-\U00011fff"
    "\U00016f51-\U00016f87\U0001d165-\U0001d172]"
)
"""Characters among which those marks are."""

VIRAMAS = frozenset(
    "\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca\u1039\u17d2\u1a60\u1b44\u1bab"
    "\ua806\ua8c4\ua9c0\uaaf6\U00010a3f\U00011046\U000110b9\U00011133\U000111c0\U00011235\U0001134d"
    "\U000113d0\U00011442\U000114c2\U000115bf\U0001163f\U000116b6\U00011839\U0001193e\U000119e0"
    "\U00011a47\U00011a99\U00011c3f\U00011d45\U00011d97\U00011f42"
)
"""Marks that join the consonant before them to the one after (Indic_Syllabic_Category=Virama or
Invisible_Stacker in the Unicode Character Database)."""


def width_of(text: str) -> int:
    """Cells that inert text takes at most."""
    if not may_take_more(text):
        return laid_width(text)
    return sum(cells for _, cells in clusters(text))


def laid_width(text: str) -> int:
    """Cells in which Textual lays a text out."""
    return len(text) if text.isascii() else cell_len(text)


def may_take_more(text: str) -> bool:
    """Whether there are terminals in which a text takes more cells than Textual gives it."""
    return not text.isascii() and MAY_SPACE.search(text) is not None


def pad_for_layout(text: str) -> str:
    """Inert text with as many blanks behind it as make Textual lay it out in its `width_of`.

    Text that has them stays as it is.
    """
    if not may_take_more(text):
        return text
    bare = text.rstrip(" ")
    room = width_of(bare) - laid_width(bare)
    return text if len(text) - len(bare) >= room else text + " " * room


def clusters(text: str, place: int = 0) -> Iterator[tuple[int, int]]:
    """Where each cluster of inert text ends from a place on, and the cells it takes at most."""
    cells, joined = 0, False
    for at in range(place, len(text)):
        size = get_character_cell_size(text[at])
        if size and not joined:
            if at > place:
                yield at, cells
            cells = 0
        cells += size or category(text[at]) == SPACING
        joined = not size and text[at] in VIRAMAS
    if place < len(text):
        yield len(text), cells


def head(text: str, room: int) -> str:
    """As many whole clusters of inert text as fit into `room` cells."""
    if text.isascii():
        return text[: max(0, room)]
    used = before = 0
    for end, cells in clusters(text):
        used += cells
        if used > room:
            return text[:before]
        before = end
    return text


def tail(text: str, room: int) -> str:
    """The last clusters of inert text, as many as fit into `room` cells."""
    over, begin = width_of(text) - room, 0
    for end, cells in clusters(text):
        if over <= 0:
            break
        over, begin = over - cells, end
    return text[begin:]
