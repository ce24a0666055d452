"""At which endpoint of a server a model is asked: raw completions, or chat.

A base model goes on with a text and knows no chat. Servers differ in what they do with either: a
base model without a chat template refuses chat (vLLM), and a raw completion may be put into a
template all the same (Ollama). So it is tried, and the tokens that a prompt of one letter is
counted as, or else how three series go on, tell whether a text is sent to the model as it is.
"""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal

from core.providers.base import (
    FatalError,
    Reply,
    Request,
    TransientError,
    UnanswerableError,
)

Endpoint = Literal["raw", "chat"]
Word = Literal["auto", "raw", "chat"]
WORDS: tuple[Word, ...] = ("auto", "raw", "chat")

LETTER = "a"
MOST_TOKENS = 3
"""Tokens that one letter may be counted as, with what a tokenizer puts before it."""

SERIES = {
    "a b c d e f g h": "i",
    "1, 2, 3, 4, 5, 6, 7,": "8",
    "Monday, Tuesday, Wednesday,": "Thursday",
}
"""Beginnings of series, and what comes next."""

SERIES_TOKENS = 4
GONE_ON = 2
"""Series that have to go on rightly, of the three."""

OF_KEY_OR_RATE = (401, 403, 408, 429)
"""Statuses of refusals that say nothing about an endpoint."""

Ask = Callable[[Request], Awaitable[Reply]]


@dataclass(frozen=True, slots=True)
class Endpoints:
    """Where the completion task and the other nine are to be asked; `auto`: as is found out."""

    completion: Word = "auto"
    questions: Word = "auto"


AUTO = Endpoints()
BY_CHAT = Endpoints("chat", "chat")


async def discover_completion(ask: Ask) -> Endpoint:
    """Where a text is sent to the model as it is: one small request, four if tokens are uncounted.

    Raises what `ask` raises where there is no answer that says it.
    """
    reply = await _continue_text(ask, LETTER, 1)
    if reply is None:
        return "chat"
    if reply.input_tokens:
        return "raw" if reply.input_tokens <= MOST_TOKENS else "chat"
    right = 0
    for begun, item in SERIES.items():
        reply = await _continue_text(ask, begun, SERIES_TOKENS)
        said = reply.draws[0].text if reply is not None else ""
        right += re.match(rf"\s*{item}(?!\w)", said) is not None
    return "raw" if right >= GONE_ON else "chat"


def refuses_chat(error: Exception) -> bool:
    """Whether a server's refusal is about chat, and not about the key or too many requests."""
    status = getattr(error, "status", None)
    return status is not None and 400 <= status < 500 and status not in OF_KEY_OR_RATE


async def _continue_text(ask: Ask, begun: str, most: int) -> Reply | None:
    """How a text goes on; None where that is refused, or the answer has no text."""
    request = Request(n=1, max_tokens=most, temperature=0.0, top_p=None, text=begun)
    try:
        reply = await ask(request)
    except UnanswerableError:
        return None
    except FatalError as error:
        if error.status is None:  # no refusal: there is nobody to ask
            raise
        return None
    except TransientError as error:
        if error.status is None or error.status >= 400:
            raise
        return None
    return reply if reply.draws else None
