"""How reasoning shows: in fields of its own, in marks within the text, in token counts."""

import re
from collections.abc import Sequence

from core.providers.base import Reply

UNSEEN_TOKENS = 8
"""Tokens that an answer may have and not show: its end, and marks of who speaks."""

_NAMES = r"(?:[a-z]+:)?(?:think|thinking|thoughts?|reasoning)"
_BEGIN = re.compile(
    rf"<{_NAMES}\s*>|\[THINK\]|◁think▷|<\|(?:begin_of_thought|START_THINKING)\|>"
    r"|(?:<\|start\|>assistant)?<\|channel\|>analysis<\|message\|>|<\|channel>thought\b"
    r"|\A\s*analysis(?=[^a-z][\s\S]*assistantfinal)",
    re.IGNORECASE,
)
_END = re.compile(
    rf"</{_NAMES}\s*>|\[/THINK\]|◁/think▷|<\|(?:end_of_thought|END_THINKING)\|>"
    r"|(?:<\|end\|>)?(?:<\|start\|>assistant)?<\|channel\|>final<\|message\|>|<channel\|>"
    r"|(?<=[^a-z])assistantfinal",
    re.IGNORECASE,
)
_SIGNS = ("<", "[", "◁", "assistantfinal")
"""One of them stands in every mark; looked for first, as most texts have none."""


def may_hold_marks(text: str) -> bool:
    """Return whether a text may hold marks of reasoning; for many texts at once, joined."""
    return any(sign in text for sign in _SIGNS) and bool(_BEGIN.search(text) or _END.search(text))


def split(text: str) -> tuple[str | None, str]:
    """Return the reasoning that stands between marks in a text, and the rest to the letter.

    The reasoning is None where there are no marks, and blank where nothing stands between them. The
    opening mark may be missing (some chat templates end with it), and so may the closing one: the
    answer was cut off before it began. A lone opening mark within a line is a word of the answer.
    """
    if not may_hold_marks(text):
        return None, text
    thoughts: list[str] = []
    kept: list[str] = []
    place = 0
    begin, end = _BEGIN.search(text), _END.search(text)
    while True:
        # One that was not found is not looked for again, however many of the other there are.
        if begin is not None and begin.start() < place:
            begin = _BEGIN.search(text, place)
        if end is not None and end.start() < place:
            end = _END.search(text, place)
        if end is not None and (begin is None or end.start() < begin.start()):
            thoughts.append("".join([*kept, text[place : end.start()]]))
            kept, place = [], end.end()
            continue
        if begin is None:
            break
        if end is not None and end.start() < begin.end():
            end = _END.search(text, begin.end())
        if end is None and not thoughts and text[: begin.start()].rpartition("\n")[2].strip():
            break
        kept.append(text[place : begin.start()])
        thoughts.append(text[begin.end() : end.start() if end else len(text)])
        place = end.end() if end else len(text)
    if not thoughts:
        return None, text
    before = "".join(kept)
    said = [one for one in thoughts if one.strip()] or thoughts[:1]
    return "\n\n".join(said), (before if before.strip() else "") + text[place:]


def evidence(replies: Sequence[Reply]) -> str | None:
    """What shows that the model reasoned, in words, or None: beside the answers, in them, or
    counted without being shown."""
    draws = [draw for reply in replies for draw in reply.draws]
    beside = sum(bool((draw.reasoning or "").strip()) for draw in draws)
    inside = sum(bool((split(draw.text)[0] or "").strip()) for draw in draws)
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
