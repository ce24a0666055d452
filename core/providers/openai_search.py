"""OpenAI's Responses format, for answers after a web search: chat completions have that tool for
few models only."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from core.providers.base import CitedSource, Draw, Finish, Reply, Request
from core.providers.openai_format import (
    FormatError,
    message,
    read_served,
    storable,
    thinking_room,
)
from core.settings.plain_data import read_token_count

PATH = "/responses"

FINISHES: Mapping[str, Finish] = {
    "max_output_tokens": "length",
    "content_filter": "content_filter",
}

BROKEN = ("failed", "cancelled", "in_progress", "queued")
"""States in which no answer has come."""


def is_wanted(request: Request) -> bool:
    """Whether the model may search before it answers."""
    return request.options.get("search") is True


def body(model: str, request: Request, left_out: Collection[str] = ()) -> dict[str, Any]:
    """The body of a request; it has one answer, and nothing of it is kept by the service.

    Of `Request.options`, `search` and `thinking_room` are read. left_out: fields that the server
    refuses. Raises `ValueError` for a raw completion.
    """
    if request.messages is None:
        raise ValueError("a search needs a chat endpoint")
    written = {
        "model": model,
        "input": [{"role": one.role, "content": one.content} for one in request.messages],
        "tools": [{"type": "web_search"}],
        "temperature": request.temperature,
        "top_p": request.top_p,
        "max_output_tokens": request.max_tokens + thinking_room(request),
        "store": False,
    }
    return {name: value for name, value in written.items() if name not in left_out}


def reply(document: Any) -> Reply:
    """The draw and the usage in a decoded answer. Raises `FormatError` where it is none."""
    if not isinstance(document, dict):
        raise FormatError("the answer is not in OpenAI's format")
    if document.get("error"):
        raise FormatError(message(document["error"]))
    if document.get("status") in BROKEN:
        raise FormatError(f"the answer is {document['status']}")
    try:
        output = document["output"]
        usage = document.get("usage") or {}
        details = usage.get("output_tokens_details") or {}
        thought = read_token_count(details.get("reasoning_tokens"))
        parts = [part for one in output if one["type"] == "message" for part in one["content"]]
        draw = Draw(
            storable("".join(_text(part) for part in parts)),
            _finish(document),
            storable(_summaries(output)) or None,
            thought,
            tuple(dict.fromkeys(source for part in parts for source in _sources(part))),
            read_served(document.get("model")),
        )
    except (AttributeError, KeyError, TypeError) as error:
        raise FormatError("the answer is not in OpenAI's format") from error
    return Reply(
        (draw,),
        read_token_count(usage.get("input_tokens")),
        read_token_count(usage.get("output_tokens")),
        thought,
    )


def _text(part: Mapping[str, Any]) -> str:
    """What a part says; a refusal is an answer too."""
    said = part["refusal"] if part["type"] == "refusal" else part.get("text", "")
    if not isinstance(said, str):
        raise TypeError
    return said


def _finish(document: Mapping[str, Any]) -> Finish | None:
    if document.get("status") == "completed":
        return "stop"
    return FINISHES.get(str((document.get("incomplete_details") or {}).get("reason")))


def _summaries(output: list[Mapping[str, Any]]) -> str:
    thoughts = [one for one in output if one["type"] == "reasoning"]
    return "\n".join(
        str(part.get("text", "")) for one in thoughts for part in one.get("summary") or []
    )


def _sources(part: Mapping[str, Any]) -> Iterator[CitedSource]:
    """The pages that a part cites, in their order."""
    for note in part.get("annotations") or []:
        if note["type"] == "url_citation" and note.get("url"):
            yield CitedSource(storable(str(note.get("title") or "")), storable(str(note["url"])))
