"""What a model can be asked for, known from its name: no server, no SDK, no network."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal

from core.providers import gemini_models, model_names, openai_format
from core.providers.base import Request
from core.providers.endpoints import Endpoint
from prompts.reply_shape import ReplyForm

UNTRUNCATED: Mapping[str, object] = {"top_k": -1, "min_p": 0.0}
"""Draw from the whole distribution. llama.cpp, vLLM and SGLang all read it so; left out, llama.cpp
keeps its 40 best tokens only, and vLLM what the model's own settings say."""


RAW_COMPLETION = "raw_completion"
"""What files written by an earlier version say of the completion task alone."""

EMBEDDED_STEP_TOKENS = 80
"""The embedded model comes to its answer within some 50 tokens or rambles on without one."""

GEMINI_SINGLE_REQUESTS = 16
"""Requests in flight to a Gemini model that gives one answer to each: more run into its limits."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """How a model is to be used by the sampling engine.

    draws: most answers asked for in one request.
    requests: requests in flight.
    sequences: answers in flight, all requests together; None where the requests are the limit.
    completion, questions: the endpoint of the completion task, and of the other nine.
    options: further sampling parameters, as in `Request.options`.
    thinking: how the model is made to think: by a step by step instruction, or by a mode of its
        own that `Request.options["thinking"]` switches.
    step_tokens: tokens that its steps may take, the answer at their end included.
    always_thinks: whether "thinking off" is the lowest that the model can be kept to, not none.
    replies: how it is asked for replies that are read: as JSON of a schema that it is held to, or
        as text.
    """

    draws: int = 8
    requests: int = 8
    sequences: int | None = None
    completion: Endpoint = "chat"
    questions: Endpoint = "chat"
    options: Mapping[str, object] = field(default_factory=dict)
    thinking: Literal["step_by_step", "native"] = "step_by_step"
    step_tokens: int = 2_048
    always_thinks: bool = False
    replies: ReplyForm = "text"

    def as_json(self) -> dict[str, Any]:
        """As they are written down beside recorded answers."""
        return asdict(self)

    @classmethod
    def from_json(cls, stored: Any) -> "Capabilities":
        """As they were written down; raises `ValueError` for anything else."""
        given = stored if isinstance(stored, dict) else {}
        known = {one.name: given[one.name] for one in fields(cls) if one.name in given}
        if given.get(RAW_COMPLETION) is True:
            known["completion"] = "raw"
        found = cls(**known)
        whole = isinstance(found.options, dict) and isinstance(found.step_tokens, int)
        if not known or not whole or found.thinking not in ("step_by_step", "native"):
            raise ValueError("it says not how the model was used")
        return found


def most_tokens(name: str, request: Request) -> int:
    """The most tokens that the answers to a request may have together, thoughts included."""
    model = model_names.parse(name)
    room = openai_format.thinking_room(request)
    if model.provider == "gemini":
        options = {**gemini_models.look_up(model.model).options, **request.options}
        off: Any = options.get("thinking_off") or [None]
        ways: Any = [options.get("thinking_on")] if openai_format.is_thinking(request) else off
        room = max(map(gemini_models.room, ways))
    return request.n * (request.max_tokens + room)
