"""Reading a grader's reply: one label per numbered answer, or nothing at all.

A reply that is off its form anywhere is not read in part: a label that may belong to another
answer is worse than none. A reason may quote an answer; where it holds a tag, or closes the JSON
that it stands in, nobody can tell what is the grader's own.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from html import unescape

from core.vocabulary import LABELS, Label
from prompts.reply_shape import ReplyShape, ShapeError

LONGEST_WHY = 300
"""Characters of a reason that are kept."""

_TAG = re.compile(r"<[^\w<>]*(?:answer|completion|why|think|thought|reasoning)", re.IGNORECASE)
"""What begins like a tag of a reply, or like a mark of a model's own reasoning."""

_NUMBERED = re.compile(r"(?:answer|completion|why)_\d")
"""A tag of a reply in a bare text."""

_KEY = re.compile(r'"(?:label|reason)"')
"""A key of a reply's shape in a text as `_keep_quotes` leaves it."""

_QUOTES = str.maketrans(dict.fromkeys("'`´‘’‚‛“”„‟«»‹›", '"'))

_ESCAPE = re.compile(r"\\u([0-9a-f]{4})", re.IGNORECASE)


class UnreadableError(Exception):
    """The reply is not in the form that was asked for; the message says where it is off."""


@dataclass(frozen=True, slots=True)
class ParsedLabel:
    """A label, and why where the grader says so."""

    label: Label
    why: str | None = None


def read_labels(reply: str, noun: str, count: int) -> tuple[ParsedLabel, ...]:
    """The verdicts on `count` answers, in their order.

    `noun` is what the tags are called: `answer` or `completion`. Raises `UnreadableError` for
    numbers that are missing, doubled, out of order or invented, for anything but the four
    labels, for a tag in a reason, and for text around the tags.
    """
    found: list[ParsedLabel] = []
    place = 0
    for number in range(1, count + 1):
        match = _form(noun, number).match(reply, place)
        if match is None:
            raise UnreadableError(f"{noun} {number} of {count} does not stand in its place")
        label, why = match["label"].strip(), match["why"]
        if label not in LABELS:
            raise UnreadableError(f"{noun} {number} has no label of the four")
        if why is not None and _TAG.search(why):
            raise UnreadableError(f"the reason for {noun} {number} holds a tag")
        found.append(ParsedLabel(Label(label), _why(why)))
        place = match.end()
    if reply[place:].strip():
        raise UnreadableError(f"there is other text after {count} labels")
    return tuple(found)


@cache
def _form(noun: str, number: int) -> re.Pattern[str]:
    """What a reply holds of one answer."""
    return re.compile(
        rf"\s*<{noun}_{number}>(?P<label>[^<>]*)</{noun}_{number}>"
        rf"(?:\s*<why_{number}>(?P<why>.*?)</why_{number}>)?",
        re.DOTALL,
    )


def read_shape(reply: str, shape: ReplyShape) -> tuple[ParsedLabel, ...]:
    """The verdicts of a reply of a shape: one object, or one for each answer, in their order.

    Raises `UnreadableError` for whatever else it is.
    """
    try:
        found = shape.read_reply(reply)
    except ShapeError as error:
        raise UnreadableError(str(error)) from None
    if isinstance(found, dict):
        return (ParsedLabel(_YES_NO[found["label"]]),)
    return tuple(ParsedLabel(Label(one["label"]), _why(one["reason"])) for one in found)


_YES_NO = {"yes": Label.CORRECT, "no": Label.INCORRECT}


def holds_key(*texts: str) -> bool:
    """Whether a grader that quotes one of these texts could write a key of its reply's shape."""
    return any(_KEY.search(_keep_quotes(text)) for text in texts)


def holds_value(label: str, *texts: str) -> bool:
    """Whether this label stands in one of these texts, with a quotation mark, beside such a key.

    Then nobody can tell whether the grader gives it or quotes it.
    """
    plain = [text for text in map(_keep_quotes, texts) if _KEY.search(text)]
    return any(f'{label.casefold()}"' in text for text in plain)


def holds_tag(*texts: str) -> bool:
    """Whether a grader that quotes one of these texts could write a tag, in whatever form."""
    return any(_NUMBERED.search(_keep_letters(text)) for text in texts)


def holds_verdict(verdict: ParsedLabel, noun: str, number: int, *texts: str) -> bool:
    """Whether the label stands in one of these texts with the tag that has to follow it.

    Then nobody can tell whether the grader gives it or quotes it.
    """
    given = f"{verdict.label}{noun}_{number}".casefold()
    return any(given in _keep_letters(text) for text in texts)


def read_judge(reply: str) -> ParsedLabel:
    """The verdict of a reply that has to be Yes or No; raises `UnreadableError` for all else."""
    said = reply.strip().rstrip(".").lower()
    if said not in ("yes", "no"):
        raise UnreadableError("neither Yes nor No")
    return ParsedLabel(Label.CORRECT if said == "yes" else Label.INCORRECT)


def _why(text: str | None) -> str | None:
    line = " ".join((text or "").split())
    return line[:LONGEST_WHY] or None


def _keep_letters(text: str) -> str:
    """The letters, digits and underscores of a text, however its brackets are written."""
    return re.sub(r"\W+", "", _undo_escapes(text))


def _keep_quotes(text: str) -> str:
    """The same with its quotation marks, all of one kind."""
    return re.sub(r"[^\w\"]+", "", _undo_escapes(text).translate(_QUOTES))


def _undo_escapes(text: str) -> str:
    plain = _ESCAPE.sub(lambda found: chr(int(found[1], 16)), unescape(text))
    return unicodedata.normalize("NFKC", plain).casefold()
