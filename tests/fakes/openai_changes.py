"""What can be wrong with an answer in OpenAI's format."""

from itertools import count
from typing import Any

from tests.fakes.service import Change, Fake


def misbehave(fake: Fake, *changes: Change) -> None:
    """From now on every normal answer is changed so. Texts of different requests differ."""
    normal, numbers = fake.normal, count()

    def changed(body: dict[str, Any]) -> dict[str, Any]:
        document: dict[str, Any] = normal(body)
        number = next(numbers)
        for choice in document["choices"]:
            if "message" in choice:
                choice["message"]["content"] += f"of request {number}"
        for change in changes:
            document = change(document)
        return document

    fake.normal = changed  # type: ignore[method-assign]


def _messages(**changes: Any) -> Change:
    def change(document: dict[str, Any]) -> dict[str, Any]:
        for choice in document["choices"]:
            if "message" in choice:
                choice["message"] |= changes
        return document

    return change


def _usage(**changes: Any) -> Change:
    return lambda document: document | {"usage": document["usage"] | changes}


def sends(most: int) -> Change:
    """At most so many answers to a request."""
    return lambda document: document | {"choices": document["choices"][:most]}


def sends_one(document: dict[str, Any]) -> dict[str, Any]:
    """`n` is ignored."""
    return document | {"choices": document["choices"][:1]}


def sends_fewer(document: dict[str, Any]) -> dict[str, Any]:
    choices = document["choices"]
    return document | {"choices": choices[: max(1, len(choices) // 2)]}


def sends_none(document: dict[str, Any]) -> dict[str, Any]:
    return document | {"choices": []}


def sends_one_more(document: dict[str, Any]) -> dict[str, Any]:
    return document | {"choices": [*document["choices"], document["choices"][0]]}


def no_usage(document: dict[str, Any]) -> dict[str, Any]:
    return {"choices": document["choices"]}


def filtered(document: dict[str, Any]) -> dict[str, Any]:
    """The content filter took the answers away."""
    for choice in document["choices"]:
        choice["finish_reason"] = "content_filter"
        if "message" in choice:
            choice["message"]["content"] = None
        else:
            choice["text"] = ""
    return document


def says_an_error(document: dict[str, Any]) -> dict[str, Any]:
    """An error with status 200 in place of an answer."""
    return {"error": {"message": "upstream failed", "type": "server_error"}}


def counts_reasoning(document: dict[str, Any]) -> dict[str, Any]:
    """Reasoning that is hidden: its tokens are counted, but none is shown."""
    return _usage(completion_tokens_details={"reasoning_tokens": 64})(document)


def reasons(document: dict[str, Any]) -> dict[str, Any]:
    return _messages(reasoning_content="Well, let me see.")(document)


reasons_inside = _messages(content="<think>\nWell, let me see.\n</think>\n\nParis")
cut_off_in_reasoning = _messages(content="<think>\nWell, let me")
empty_reasoning = _messages(reasoning_content=" \n")
always_the_same = _messages(content="Water is wet.")
always_empty = _messages(content="")
counts_no_reasoning = _usage(completion_tokens_details={"reasoning_tokens": 0})
counts_hidden_tokens = _usage(completion_tokens=4_000)
counts_input_only = _usage(completion_tokens=None)
counts_all = _usage(completion_tokens=48)
counts_too_little = _usage(completion_tokens=5)
