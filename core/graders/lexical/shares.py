"""Shares in other words than percent: a quarter, two thirds, one in four, 1/4, 0.25."""

import re
from collections.abc import Iterator

_PARTS = {
    "half": 2,
    "halve": 2,
    "third": 3,
    "quarter": 4,
    "fourth": 4,
    "fifth": 5,
    "sixth": 6,
    "seventh": 7,
    "eighth": 8,
    "ninth": 9,
    "tenth": 10,
    "twelfth": 12,
    "twentieth": 20,
    "hundredth": 100,
    "thousandth": 1000,
}
_SHARE = re.compile(
    rf"\b(?:(?P<many>\d{{1,3}}|an?|one)[ -])?(?P<part>{'|'.join(_PARTS)})s?\b"
    r"|(?<![\d./,])(?P<above>\d{1,6}) ?(?:/|in(?: every)?|out of(?: every)?|of every|of) ?"
    r"(?P<below>\d{1,6})(?![\d/]|[.,]\d)"
    r"|(?<![\w.,])(?P<bare>0?\.\d+|1\.0+)(?!\d| ?(?:%|percent|per ))"
)
_BELOW = frozenset({*range(2, 11), 12, 16, 20, 25, 32, 50, 64, 100, 1000})
"""What may stand below in a gold that is a fraction: 9/11 is none."""

_ONLY = re.compile(
    r"(?:about|around|approximately|roughly|nearly|almost|over|under|some|the|just|exactly|only|"
    r"more than|less than|of it|of them|of all|\W)*"
)


def find_shares(text: str) -> Iterator[tuple[float, int, int]]:
    """The shares, in percent, that a lower-case text has otherwise than in percent, and where.

    Numbers in it are in digits. Of "half" without a number one is meant, of other parts none:
    "third" may be the place after the second.
    """
    for match in _SHARE.finditer(text):
        if match["part"]:
            many = match["many"] or ("1" if match["part"] == "half" else "")
            if many:
                above = int(many) if many.isdigit() else 1
                yield 100 * above / _PARTS[match["part"]], *match.span()
        elif match["bare"]:
            yield 100 * float(match["bare"]), *match.span()
        elif 0 < int(match["above"]) <= int(match["below"]):
            yield 100 * int(match["above"]) / int(match["below"]), *match.span()


def only_share(text: str) -> tuple[float, int, int] | None:
    """The share of a text that is one in words or as a fraction, and nothing else."""
    found = list(find_shares(text))
    if len(found) != 1:
        return None
    _, start, end = found[0]
    above, slash, below = text[start:end].partition("/")
    if "." in above or (slash and int(below) not in _BELOW):
        return None
    return found[0] if _ONLY.fullmatch(text[:start] + text[end:]) else None
