"""How the text of a response is read: which part of it is the answer."""

import re
import unicodedata
from collections.abc import Mapping

from core.answers import answer_of, has_marker
from core.sampling.recipe import STEP_BY_STEP
from db.responses import Answered

Span = tuple[int, int]

CUT_OFF = "length"

_WORD = re.compile("answer", re.IGNORECASE)


def is_step_by_step(text: str, thinking: bool, recipe: Mapping[str, object] | None) -> bool:
    """Whether a response reasons before it answers.

    Nobody knows how imported answers were drawn: there the mark itself tells.
    """
    if not thinking:
        return False
    return recipe.get("thinking") == STEP_BY_STEP if recipe else has_marker(text)


def answer_in(response: Answered, thinking: bool, recipe: Mapping[str, object] | None) -> str:
    """The answer in a response, as graders get it."""
    steps = is_step_by_step(response.text, thinking, recipe)
    return answer_of(response.text, steps, response.finish == CUT_OFF)


def same(answer: str) -> str:
    """What two answers have in common that are graded as one (semantics section 7)."""
    return unicodedata.normalize("NFC", answer.strip())


def place_of(answer: str, text: str, step_by_step: bool) -> Span | None:
    """Where the answer stands in the text of its response; None for an empty one."""
    bare = answer.strip()
    if not bare:
        return None
    start = _after_marker(text) if step_by_step else 0
    found = text.rfind(bare) if step_by_step and not start else text.find(bare, start)
    return None if found < 0 else (found, found + len(bare))


def _after_marker(text: str) -> int:
    """The end of the last `answer:`, 0 without one."""
    end = len(text)
    for start in reversed([word.start() for word in _WORD.finditer(text)]):
        if has_marker(text[start:end]):
            return text.index(":", start) + 1
        end = start
    return 0
