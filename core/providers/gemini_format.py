"""The answer format of Gemini's generateContent: lenient in what is absent, strict in the rest."""

from collections.abc import Mapping
from typing import Any

from core.providers.base import AnswerFailure, CitedSource, Draw, Finish, Reply, ServedModel
from core.providers.openai_format import FormatError, message, read_served
from core.settings.plain_data import read_token_count

FINISHES: Mapping[str, Finish] = {
    "STOP": "stop",
    "MAX_TOKENS": "length",
    "CONTINUATION": "length",
    "SAFETY": "content_filter",
    "RECITATION": "content_filter",
    "LANGUAGE": "content_filter",
    "BLOCKLIST": "content_filter",
    "PROHIBITED_CONTENT": "content_filter",
    "SPII": "content_filter",
    "ESCALATION": "content_filter",
    "MODEL_ARMOR": "content_filter",
}
"""Why the model stopped, in our words. A withheld answer is an answer: empty, hence OTHER
(semantics section 2)."""

BROKEN = {
    "OTHER",
    "MALFORMED_RESPONSE",
    "MALFORMED_FUNCTION_CALL",
    "UNEXPECTED_TOOL_CALL",
    "TOO_MANY_TOOL_CALLS",
    "MISSING_THOUGHT_SIGNATURE",
    "PUP_LIMITED_DISABLED",
}
"""Ends that are the service's failure: what came is no sample of what the model says."""


class BlockedError(Exception):
    """The service did not let the prompt through: the model was never asked."""


def reply(document: Any) -> Reply:
    """The draws and the usage in a decoded answer; no candidates are no draws.

    Candidates that broke off are no draws (`Reply.failure`). Raises `BlockedError` for a blocked
    prompt, and `FormatError` for an error in place of an answer, and where texts are not where
    they belong.
    """
    if not isinstance(document, dict):
        raise FormatError("the answer is not in Gemini's format")
    if document.get("error") and not document.get("candidates"):
        raise FormatError(message(document["error"]))
    try:
        candidates = document.get("candidates") or []
        if not candidates:
            _check_let_through(document.get("promptFeedback") or {})
        usage = document.get("usageMetadata") or {}
        # Thoughts are counted over all candidates: that says nothing about one of several.
        thought = _count(usage, "thoughtsTokenCount")
        whole = [one for one in candidates if one.get("finishReason") not in BROKEN]
        by = read_served(document.get("modelVersion"))
        alone = thought if len(candidates) == 1 else None
        draws = tuple(_draw(one, alone, by) for one in whole)
        ends = {str(end) for one in candidates if (end := one.get("finishReason")) in BROKEN}
    except (AttributeError, KeyError, TypeError) as error:
        raise FormatError("the answer is not in Gemini's format") from error
    said = f"the answer ended with {', '.join(sorted(ends))}"
    failure = AnswerFailure(said) if ends else None
    counts = _count(usage, "promptTokenCount"), _output(usage)
    return Reply(draws, *counts, thought, failure=failure)


def _check_let_through(feedback: Mapping[str, Any]) -> None:
    reason = feedback.get("blockReason")
    if reason:
        raise BlockedError(f"the service blocked the prompt ({reason})")


def _draw(
    candidate: Mapping[str, Any], reasoning_tokens: int | None, by: ServedModel | None
) -> Draw:
    parts = (candidate.get("content") or {}).get("parts") or []
    thoughts = _join_texts(part for part in parts if part.get("thought"))
    text = _join_texts(part for part in parts if not part.get("thought"))
    finish = FINISHES.get(candidate.get("finishReason") or "")
    return Draw(text, finish, thoughts or None, reasoning_tokens, _sources(candidate), by)


def _sources(candidate: Mapping[str, Any]) -> tuple[CitedSource, ...]:
    """The pages that a search brought, in their order; their addresses are Google's redirects."""
    grounding = candidate.get("groundingMetadata") or {}
    pages = [chunk.get("web") or {} for chunk in grounding.get("groundingChunks") or []]
    return tuple(
        CitedSource(str(page.get("title") or ""), str(page["uri"]))
        for page in pages
        if page.get("uri")
    )


def _join_texts(parts: Any) -> str:
    """The parts' texts; halves of surrogate pairs, which no UTF-8 file can hold, made visible."""
    text = "".join(part.get("text", "") for part in parts)
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _output(usage: Mapping[str, Any]) -> int | None:
    """Tokens that were written, thoughts included: they are what is paid for.

    None where neither is told, or where one cannot be.
    """
    keys = ("candidatesTokenCount", "thoughtsTokenCount")
    told = [_count(usage, key) for key in keys if usage.get(key) is not None]
    counts = [count for count in told if count is not None]
    return sum(counts) if told and len(counts) == len(told) else None


def _count(usage: Mapping[str, Any], key: str) -> int | None:
    return read_token_count(usage.get(key))
