"""What the fake builder sees in a text: its names, dates and numbers, by their looks alone."""

import re
from collections.abc import Iterator

MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_DATE = rf"(?:\d{{1,2}} )?(?:{MONTHS}) \d{{4}}|\b1[0-9]{{3}}\b|\b20[0-2][0-9]\b"
_NUMBER = r"\b\d+(?:[.,]\d+)*\b"
_NAME = r"\b[A-Z][\w'’-]+(?:(?: of| the| de| von| and)? [A-Z][\w'’-]+)*"
_SEEN = re.compile(f"(?P<DATE>{_DATE})|(?P<NUMERIC_VALUE>{_NUMBER})|(?P<NAME>{_NAME})")
_SMALL = """
The A An In It Its He His She Her They Their This That These Those On At By For From After
Before During Since While When As However Although Both One Some Many There With He's Other
Most Under Despite Also Until Today According Because If
"""
SMALL = frozenset(_SMALL.split())
"""Words with which a sentence begins, and no name."""

KINDS = ("PERSON", "LOCATION", "ORGANIZATION", "WORK_OF_ART")


def seen(text: str) -> Iterator[tuple[int, str, str]]:
    """Place, words and type of whatever looks like an entity."""
    for found in _SEEN.finditer(text):
        words, kind = found[0], str(found.lastgroup)
        if kind == "NAME":
            first, _, rest = words.partition(" ")
            if first in SMALL:
                if not rest or not rest[0].isupper():
                    continue
                yield found.start() + len(first) + 1, rest, kind_of(rest)
                continue
            kind = kind_of(words)
        yield found.start(), words, kind


def kind_of(words: str) -> str:
    """A type for a name: always the same for the same name."""
    if re.fullmatch(_DATE, words):
        return "DATE"
    if re.fullmatch(_NUMBER, words):
        return "NUMERIC_VALUE"
    return KINDS[len(words) % len(KINDS)]


def has(text: str, part: str) -> bool:
    """Whether a part stands in a text, in any case."""
    return part.casefold() in text.casefold()


def tail(text: str, most: int) -> str:
    """The last words of a text, on one line, without quotation marks and brackets."""
    return " ".join(re.sub(r"[\"“”()\[\]?]", " ", text).split()[-most:])
