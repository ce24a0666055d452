"""The response test: a model goes on with the input, and the object is looked for in that.

ZP-LKE, section 3.1 and table 1. The other test gives options, and asks how probable each of them is
(`scores.py`).
"""

import re
from collections.abc import Iterable

from core.dataset.seeded_order import key_of
from core.providers.base import Request
from core.providers.capabilities import Capabilities
from core.sampling.recipe import raw_options
from prompts import Message

MOST_TOKENS = 64
"""Tokens up to which a model goes on."""


def request_response(text: str, known: Capabilities, tokens: int) -> Request:
    """What is asked for a response: the input, gone on with by so many tokens, the most probable.

    A model that takes no raw text is asked by chat.
    """
    raw = known.completion == "raw"
    return Request(
        1,
        tokens,
        0.0,
        1.0,
        messages=None if raw else (Message("user", text),),
        text=text if raw else None,
        options=raw_options(known.options) if raw else known.options,
    )


def holds_gold(response: str, golds: Iterable[str]) -> bool:
    """Whether one of the right objects stands in a response, at no side a part of a word."""
    text = key_of(response)
    return any(
        re.search(rf"(?<!\w){re.escape(key)}(?!\w)", text) for key in map(key_of, golds) if key
    )
