"""What of a response is its answer.

Step by step responses end with `Answer: ...`; everything else is the answer as it stands
(semantics section 2).
"""

import re
import unicodedata
from collections.abc import Mapping
from typing import Protocol

STEP_BY_STEP = "step_by_step"


Span = tuple[int, int]

CUT_OFF = "length"
"""How the draw of a response ended that met the token limit."""

_MARKER = re.compile(r"answer[\s*_`]*:", re.IGNORECASE)
_UP_TO_LAST = re.compile(rf".*{_MARKER.pattern}", re.IGNORECASE | re.DOTALL)
_SPACES = "".join(filter(str.isspace, map(chr, range(0x3001))))
_WRAPPING = '*_`#>[](){}"“”$' + _SPACES
_OPENED_BY = {")": "(", "]": "[", "}": "{"}


class Response(Protocol):
    """A response as it was read from the database."""

    @property
    def text(self) -> str:
        """What the model wrote."""

    @property
    def finish(self) -> str | None:
        """How the draw ended, None where nobody knows."""


def has_marker(text: str) -> bool:
    """Whether the text says `answer:` anywhere, in any case."""
    return _MARKER.search(text) is not None


def is_step_by_step(text: str, thinking: bool, recipe: Mapping[str, object] | None) -> bool:
    """Whether a response reasons before it answers.

    Nobody knows how imported responses were drawn: there the mark itself tells.
    """
    if not thinking:
        return False
    return recipe.get("thinking") == STEP_BY_STEP if recipe else has_marker(text)


def answer_in(response: Response, thinking: bool, recipe: Mapping[str, object] | None) -> str:
    """The answer in a response, as graders get it."""
    steps = is_step_by_step(response.text, thinking, recipe)
    return answer_of(response.text, steps, response.finish == CUT_OFF)


def normalise_answer(answer: str) -> str:
    """What two answers have in common that are graded as one (semantics section 7)."""
    return unicodedata.normalize("NFC", answer.strip())


def place_of(answer: str, text: str, step_by_step: bool) -> Span | None:
    """Where the answer stands in the text of its response; None for an empty one."""
    bare = answer.strip()
    if not bare:
        return None
    mark = _find_last_end(text) if step_by_step else None
    last = step_by_step and mark is None
    found = text.rfind(bare) if last else text.find(bare, mark or 0)
    return None if found < 0 else (found, found + len(bare))


def answer_of(text: str, step_by_step: bool, cut_off: bool = False) -> str:
    """The answer in a response; empty where reasoning was cut off before it came to one.

    Step by step: the first non-empty line after the last `answer:`, without markdown and
    brackets around it; without that mark the last non-empty line of a finished text.
    """
    if not step_by_step:
        return text
    mark = _find_last_end(text)
    if mark is None and cut_off:
        return ""
    lines = text[mark or 0 :].splitlines()
    return next(filter(None, map(_unwrap_line, reversed(lines) if mark is None else lines)), "")


def _find_last_end(text: str) -> int | None:
    """Where the last `answer:` of a text ends; None without one. Looked for from the end."""
    found = _UP_TO_LAST.match(text) if ":" in text else None
    return None if found is None else found.end()


def _unwrap_line(line: str) -> str:
    """The line without what wraps it; `Tartu (Estonia)` keeps the bracket that it opened."""
    bare = line.strip(_WRAPPING)
    for sign in line[len(line.rstrip(_WRAPPING)) :]:
        if bare.count(_OPENED_BY.get(sign, sign)) <= bare.count(sign):
            break
        bare += sign
    return bare
