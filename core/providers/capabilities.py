"""What a model can be asked for, known from its name: no server, no SDK, no network."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from core.embedded.server import SLOTS
from core.providers import names

UNTRUNCATED: Mapping[str, object] = {"top_k": -1, "min_p": 0.0}
"""Draw from the whole distribution. llama.cpp, vLLM and SGLang all read it so; left out, llama.cpp
keeps its 40 best tokens only, and vLLM what the model's own settings say."""


EMBEDDED_STEP_TOKENS = 80
"""The embedded model comes to its answer within some 50 tokens or rambles on without one."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """How a model is to be used by the sampling engine.

    draws: most answers asked for in one request.
    requests: requests in flight.
    sequences: answers in flight, all requests together; None where the requests are the limit.
    raw_completion: whether the completion task goes to a raw completions endpoint (else to chat).
    options: further sampling parameters, as in `Request.options`.
    thinking: how the model is made to think: by a step by step instruction.
    step_tokens: tokens that its steps may take, the answer at their end included.
    """

    draws: int = 8
    requests: int = 8
    sequences: int | None = None
    raw_completion: bool = False
    options: Mapping[str, object] = field(default_factory=dict)
    thinking: Literal["step_by_step"] = "step_by_step"
    step_tokens: int = 2_048


def describe(name: str) -> Capabilities:
    """The capabilities of the model so named; raises `UsageError` for a name of no known form."""
    model = names.parse(name)
    if model.provider == "embedded":
        return Capabilities(
            requests=SLOTS,
            sequences=SLOTS,
            raw_completion=True,
            options=UNTRUNCATED,
            step_tokens=EMBEDDED_STEP_TOKENS,
        )
    return Capabilities(options={} if model.is_openai else UNTRUNCATED)
