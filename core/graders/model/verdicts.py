"""Reading a grader's reply: one label per numbered answer, or nothing at all.

A reply that is off its form anywhere is not read in part: a label that may belong to another
answer is worse than none.
"""

import re
from dataclasses import dataclass

from core.names import LABELS, Label

LONGEST_WHY = 300
"""Characters of a reason that are kept."""


class UnreadableError(Exception):
    """The reply is not in the form that was asked for; the message says where it is off."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A label, and why where the grader says so."""

    label: Label
    why: str | None = None


def read(reply: str, noun: str, count: int) -> tuple[Verdict, ...]:
    """The verdicts on `count` answers, in their order.

    `noun` is what the tags are called: `answer` or `completion`. Raises `UnreadableError` for
    numbers that are missing, doubled, out of order or invented, for anything but the four
    labels, and for text around the tags.
    """
    form = re.compile(
        rf"\s*<{noun}_(?P<number>\d{{1,4}})>\s*(?P<label>[^<>]*?)\s*</{noun}_(?P=number)>"
        r"(?:\s*<why_(?P=number)>(?P<why>.*?)</why_(?P=number)>)?",
        re.DOTALL,
    )
    found: list[Verdict] = []
    place = 0
    while match := form.match(reply, place):
        number, label = int(match["number"]), match["label"]
        if number != len(found) + 1 or number > count:
            raise UnreadableError(f"{noun} {number} stands where {len(found) + 1} belongs")
        if label not in LABELS:
            raise UnreadableError(f"{noun} {number} has no label of the four")
        found.append(Verdict(Label(label), _why(match["why"])))
        place = match.end()
    if reply[place:].strip():
        raise UnreadableError(f"there is other text after {len(found)} of {count} labels")
    if len(found) != count:
        raise UnreadableError(f"{len(found)} labels for {count} answers")
    return tuple(found)


def read_judge(reply: str) -> Verdict:
    """The verdict of a reply that has to be Yes or No; raises `UnreadableError` for all else."""
    said = reply.strip().rstrip(".").lower()
    if said not in ("yes", "no"):
        raise UnreadableError("neither Yes nor No")
    return Verdict(Label.CORRECT if said == "yes" else Label.INCORRECT)


def _why(text: str | None) -> str | None:
    line = " ".join((text or "").split())
    return line[:LONGEST_WHY] or None
