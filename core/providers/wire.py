"""OpenAI's answer format, read leniently in what may be absent and strictly in what is there."""

from typing import Any, cast, get_args

from core.providers.base import Draw, Finish, Reply


class FormatError(Exception):
    """What came is JSON, but no answer."""


def reply(document: Any) -> Reply:
    """The draws and the usage in a decoded answer (chat or completions).

    Absent choices are no draws. Raises `FormatError` for an error in place of an answer, and for
    anything in which texts are not where they belong.
    """
    if not isinstance(document, dict):
        raise FormatError("the answer is not in OpenAI's format")
    if document.get("error") and not document.get("choices"):
        raise FormatError(message(document["error"]))
    try:
        choices = document.get("choices") or []
        usage = document.get("usage") or {}
        # The server counts reasoning over all choices: it says nothing about one of several.
        thought = _reasoning_tokens(usage)
        draws = tuple(_draw(choice, thought if len(choices) == 1 else None) for choice in choices)
        return Reply(
            draws, _count(usage, "prompt_tokens"), _count(usage, "completion_tokens"), thought
        )
    except (AttributeError, KeyError, TypeError) as error:
        raise FormatError("the answer is not in OpenAI's format") from error


def message(error: object) -> str:
    """What the `error` of an answer says."""
    said = error.get("message", error) if isinstance(error, dict) else error
    return said if isinstance(said, str) else repr(said)


def _draw(choice: dict[str, Any], reasoning_tokens: int | None) -> Draw:
    said = choice.get("message", choice)
    # A refusal stands in a field of its own, in place of the content.
    text = said["text"] if said is choice else said.get("content") or said.get("refusal") or ""
    reasoning = said.get("reasoning_content") or said.get("reasoning")
    finish = choice.get("finish_reason")
    return Draw(
        _storable(text),
        cast(Finish, finish) if finish in get_args(Finish) else None,
        _storable(reasoning) if isinstance(reasoning, str) else None,
        reasoning_tokens,
    )


def _storable(text: str) -> str:
    """The text itself, but for halves of surrogate pairs: they cannot be written as UTF-8."""
    return (
        text
        if text.isascii()
        else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    )


def _reasoning_tokens(usage: dict[str, Any]) -> int | None:
    return _count(usage.get("completion_tokens_details") or {}, "reasoning_tokens")


def _count(usage: dict[str, Any], key: str) -> int | None:
    value = usage.get(key)
    return value if isinstance(value, int) else None
