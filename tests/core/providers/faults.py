"""What the fake server can be made to do wrong, each by a change to its normal answer."""

from collections.abc import Callable
from itertools import count
from typing import Any

Fault = Callable[[dict[str, Any]], dict[str, Any]]


def misbehave(fake: Any, *faults: Fault) -> None:
    """From now on every normal answer is changed so. Texts of different requests differ."""
    normal, numbers = fake.normal, count()

    def changed() -> dict[str, Any]:
        document: dict[str, Any] = normal()
        number = next(numbers)
        for choice in document["choices"]:
            if "message" in choice:
                choice["message"]["content"] += f"of request {number}"
        for fault in faults:
            document = fault(document)
        return document

    fake.normal = changed


def _messages(**changes: Any) -> Fault:
    def change(document: dict[str, Any]) -> dict[str, Any]:
        for choice in document["choices"]:
            choice["message"] |= changes
        return document

    return change


def _usage(**changes: Any) -> Fault:
    return lambda document: document | {"usage": document["usage"] | changes}


def sends(most: int) -> Fault:
    """At most so many answers to a request."""
    return lambda document: document | {"choices": document["choices"][:most]}


def sends_one_more(document: dict[str, Any]) -> dict[str, Any]:
    return document | {"choices": [*document["choices"], document["choices"][0]]}


def no_usage(document: dict[str, Any]) -> dict[str, Any]:
    return {"choices": document["choices"]}


reasons = _messages(reasoning_content="Well, let me see.")
reasons_inside = _messages(content="<think>\nWell, let me see.\n</think>\n\nParis")
cut_off_in_reasoning = _messages(content="<think>\nWell, let me")
empty_reasoning = _messages(reasoning_content=" \n")
always_the_same = _messages(content="Water is wet.")
always_empty = _messages(content="")
counts_reasoning = _usage(completion_tokens_details={"reasoning_tokens": 64})
counts_no_reasoning = _usage(completion_tokens_details={"reasoning_tokens": 0})
counts_hidden_tokens = _usage(completion_tokens=4_000)
counts_input_only = _usage(completion_tokens=None)
counts_all = _usage(completion_tokens=48)
counts_too_little = _usage(completion_tokens=5)
