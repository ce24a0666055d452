"""Cells that inert text takes on a terminal, measured by cluster: a character with its marks.

Terminals give a vowel sign that stands beside its consonant (category Mc) room of its own, up to
two cells a cluster; what a virama joins is one cluster. Rich counts such signs as nothing.
"""

import re
import unicodedata
from collections.abc import Iterator

from rich.cells import cell_len, get_character_cell_size

_COMBINING = re.compile("[\u0900-\u109f\u1700-\u1cff\ua800-\uabff\U00010a00-\U00011fff]")
"""Scripts of India and South East Asia, the only ones with viramas and such vowel signs."""

VIRAMAS = frozenset(
    "\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca\u1039\u17d2\u1a60\u1b44\u1bab"
    "\ua806\ua8c4\ua9c0\uaaf6\U00010a3f\U00011046\U000110b9\U00011133\U000111c0\U00011235\U0001134d"
    "\U000113d0\U00011442\U000114c2\U000115bf\U0001163f\U000116b6\U00011839\U0001193e\U000119e0"
    "\U00011a47\U00011a99\U00011c3f\U00011d45\U00011d97\U00011f42"
)
"""Marks that join the consonant before them to the one after (Indic_Syllabic_Category=Virama or
Invisible_Stacker in the Unicode Character Database)."""

WIDEST = 2
"""Cells that a cluster takes at most."""


def width_of(text: str) -> int:
    """Cells that inert text takes."""
    if text.isascii():
        return len(text)
    if _COMBINING.search(text) is None:
        return cell_len(text)
    return sum(cells for _, cells in clusters(text))


def clusters(text: str, place: int = 0) -> Iterator[tuple[int, int]]:
    """Where each cluster of inert text ends from a place on, and the cells that it takes."""
    cells, joined = 0, False
    for at in range(place, len(text)):
        char = text[at]
        size = get_character_cell_size(char)
        if size and not joined:
            if at > place:
                yield at, cells
            cells = size
        elif size:
            cells = WIDEST
        elif unicodedata.category(char) == "Mc":
            cells = WIDEST if cells else 1  # it takes its cell after the blank that it follows
        joined = not size and char in VIRAMAS
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
