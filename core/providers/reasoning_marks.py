"""How reasoning shows: in fields of its own, in marks within the text, in token counts."""

import re
from collections.abc import Sequence

from core.providers.base import Reply

UNSEEN_TOKENS = 8
"""Tokens that an answer may have and not show: its end, and marks of who speaks."""

_TAGS = "think|thinking|thought|reasoning"
_BEGIN = re.compile(
    rf"\s*(?:<(?:{_TAGS})>|\[THINK\]|<\|channel\|>analysis<\|message\|>)", re.IGNORECASE
)
_END = re.compile(
    rf"</(?:{_TAGS})>|\[/THINK\]"
    r"|(?:<\|end\|>)?(?:<\|start\|>assistant)?<\|channel\|>final<\|message\|>",
    re.IGNORECASE,
)
_NO_THOUGHT = re.compile(rf"<({_TAGS})>\s*</\1>", re.IGNORECASE)
_THOUGHT = re.compile(rf"</?({_TAGS})>|\[/?THINK\]|<\|channel\|>analysis", re.IGNORECASE)


def split(text: str) -> tuple[str | None, str]:
    """The reasoning that a text begins with, and the rest to the letter.

    For answers of a model that was asked to think, from servers that leave its marks in the text.
    The opening mark may be missing (some chat templates end with it), and so may the closing one:
    the answer was cut off before it began.
    """
    begin, end = _BEGIN.match(text), _END.search(text)
    if end:
        return text[begin.end() if begin else 0 : end.start()], text[end.end() :]
    if begin:
        return text[begin.end() :], ""
    return None, text


def evidence(replies: Sequence[Reply]) -> str | None:
    """What shows that the model reasoned, in words, or None: beside the answers, in them, or
    counted without being shown."""
    draws = [draw for reply in replies for draw in reply.draws]
    beside = sum(bool((draw.reasoning or "").strip()) for draw in draws)
    inside = sum(bool(_THOUGHT.search(_NO_THOUGHT.sub("", draw.text))) for draw in draws)
    tokens = sum(count_tokens(reply) or 0 for reply in replies)
    hidden = sum(map(_count_hidden, replies))
    if beside:
        return f"{beside} of {_plural(len(draws), 'answer')} came with reasoning"
    if inside:
        return f"{inside} of {_plural(len(draws), 'answer')} hold reasoning in their text"
    if tokens:
        return f"the server counts {_plural(tokens, 'reasoning token')}"
    if hidden:
        return f"at least {_plural(hidden, 'token')} more than the answers can have"
    return None


def count_tokens(reply: Reply) -> int | None:
    """Reasoning tokens of a reply, counted together or draw by draw; None where not counted."""
    if reply.reasoning_tokens is not None:
        return reply.reasoning_tokens
    known = [draw.reasoning_tokens for draw in reply.draws if draw.reasoning_tokens is not None]
    return sum(known) if known else None


def _count_hidden(reply: Reply) -> int:
    """Output tokens beyond what the texts can have, as a token is one byte at the least."""
    if any(draw.finish == "content_filter" for draw in reply.draws):
        return 0
    most = sum(
        len(draw.text.encode(errors="surrogatepass")) + UNSEEN_TOKENS for draw in reply.draws
    )
    return max(0, (reply.output_tokens or 0) - most)


def _plural(count: int, what: str) -> str:
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"
