"""How many answers to one request a server gives that refuses more, by what its refusal says.

There is no code for it. Servers name a bound in many words, as of November 2026: `Expected a value
<= 128` (OpenAI), `Value must be between 1 <= value <= 16` (llama.cpp), `Input should be less than
or equal to 4` at `["body", "n"]` (pydantic, so FastAPI and Mistral), `n must be at most 64` (vLLM),
`Range of n should be [1, 4]` (DashScope), `number must be at most 1` (Groq), `only n = 1 is
supported` (DeepSeek). An earlier llama.cpp names none: `n_cmpl cannot be greater than the number of
slots`.
"""

import re
import sqlite3
from collections.abc import Iterator
from dataclasses import replace

from core.providers import openai_format
from core.providers.model_traits import keep, read_traits

STATUSES = (400, 422, 500, 501)
"""Statuses of such refusals; an earlier llama.cpp has 500 for them."""

NAMED = re.compile(
    r"(?<![\w\\])n(?!\w)|\bn_cmpl\b|\b(number of|multiple|one|several)( \w+)? "
    r"(choice|completion|candidate|generation|sequence|output)s?\b",
    re.IGNORECASE,
)
"""What a refusal says that is about the number of answers."""

OTHERS = re.compile(
    r"temperature|top_?[pk]\b|min_p|tokens?\b|context|\bstop\b|reasoning|thinking|effort"
    r"|rate limit",
    re.IGNORECASE,
)
"""What a refusal says that is about something else."""

_NUMBER = r"(?:(?:is|of|to|the|be|a|value|default|n)\s+|[:=(]\s*)*(\d+)\b(?!\.\d|\s*(?:-|–|\.\.))"
_INCLUSIVE = re.compile(
    r"(?:<=|=<|≤|at most|no more than|up to|less than or equal(?: to)?|'le':|\"le\":"
    r"|(?:(?<!be )(?<!less )greater|more|larger|higher) than|(?<![-=<])>(?!=)|exceeds?"
    r"|max(?:imum)?(?: (?:allowed|value|number))*|between \d+ and|from \d+ to|\[\s*\d+\s*,"
    r"|\d\s*(?:-|–|\.\.\.?)|only|exactly|must (?:be|equal)|equals?)\s*" + _NUMBER + r"(?! \(excl)",
    re.IGNORECASE,
)
_EXCLUSIVE = re.compile(
    r"(?:less|fewer|smaller|lower) than\s*(?!or)" + _NUMBER + r"|(?<![-=])<(?!=)\s*(\d+)\b"
    r"|(\d+) \(exclusive\)",
    re.IGNORECASE,
)


def after_refusal(error: Exception, asked: int) -> int | None:
    """The most answers to ask for, after a request for so many was refused for their number.

    It is the bound that the refusal names, else half of what was asked for. None where it is about
    something else, and where no fewer can be asked for.
    """
    status, body = getattr(error, "status_code", None), getattr(error, "body", None)
    if asked < 2 or status not in STATUSES:
        return None
    said = openai_format.message(body) if body else ""
    bounds = [bound for bound in _bounds(said) if 1 <= bound < asked]
    if getattr(error, "param", None) == "n" or NAMED.search(said):
        return min(bounds, default=asked // 2)
    if status == 500 or OTHERS.search(said):
        return None
    return min(bounds, default=None)


def _bounds(said: str) -> Iterator[int]:
    """The upper bounds that a text names."""
    if re.search(r"\bonly one\b", said, re.IGNORECASE):
        yield 1
    for found in _INCLUSIVE.finditer(said):
        yield int(found[1])
    for found in _EXCLUSIVE.finditer(said):
        yield int(next(filter(None, found.groups()))) - 1


def keep_most(connection: sqlite3.Connection, model: str, most: int) -> None:
    """Keep how many answers to a request a model was seen to give. Outside of any transaction."""
    seen = read_traits(connection, model)
    keep(connection, model, replace(seen, most_answers=min(most, seen.most_answers or most)))
