"""A server asked by bodies that were written before, for whoever reads its answers elsewhere."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from core.providers.base import Request
from core.providers.body_limits import LONGEST
from core.providers.openai_compatible import OpenAICompatible
from prompts import Message

LIMITS = ("max_tokens", "max_completion_tokens")
"""What a body may call its token limit."""

BODY = "written body"
"""The option of a request that holds its body."""


@dataclass(frozen=True, slots=True)
class WrittenRequest:
    """A request as a batch file has it: its address on the server, and its body."""

    url: Literal["/v1/completions", "/v1/chat/completions"]
    body: Mapping[str, Any]

    @property
    def count(self) -> int:
        """How many answers it asks for."""
        wanted = self.body.get("n", 1)
        return wanted if type(wanted) is int and wanted > 0 else 1

    def request(self) -> Request:
        """It as the engine asks it: what counts and deadlines need stands beside the body."""
        body = self.body
        limit = next(filter(None, map(body.get, LIMITS)), None)
        prompt = body.get("prompt")
        return Request(
            n=self.count,
            max_tokens=limit if type(limit) is int and limit > 0 else 1,
            temperature=1.0,
            top_p=None,
            messages=(Message("user", ""),) if self.url.endswith("/chat/completions") else None,
            text=prompt if isinstance(prompt, str) else "",
            options={BODY: body},
        )


class WrittenRequests(OpenAICompatible):
    """One server. A body goes out as it stands but for `n`, where fewer answers are asked for."""

    def _write_body(self, request: Request) -> bytes:
        request = self._limit_draws(request)
        body: Any = request.options[BODY]
        asked = {**body, "n": request.n} if "n" in body or request.n > 1 else body
        return json.dumps(asked, ensure_ascii=False, allow_nan=False).encode()

    def _longest_answer(self, request: Request) -> int:
        """As much as any may have, where a body says no limit of its own."""
        body: Any = request.options[BODY]
        has_limit = any(body.get(name) for name in LIMITS)
        return super()._longest_answer(request) if has_limit else LONGEST

    def _yields(self, request: Request, error: Exception, room: int | None) -> bool:
        """What a body says is said: nothing of it is left out."""
        return False
