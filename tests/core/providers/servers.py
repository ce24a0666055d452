"""Servers as they are found in the world: which fields make their models think, which they refuse.

Each is a fake OpenAI server whose model thinks or not by the body of the request.
"""

from collections.abc import Callable
from typing import Any

from aiohttp import web

from tests.fakes.openai_server import FakeOpenAI
from tests.fakes.service import Call

Body = dict[str, Any]


class Thinker(FakeOpenAI):
    """A server whose model thinks where `thinks` says so; a body that `refuses` gets status 400.

    `shows`: how its reasoning shows: beside the text, in it, counted only, or as the end of an
    unmarked thought.
    """

    def __init__(
        self,
        thinks: Callable[[Body], bool],
        refuses: Callable[[Body], str | None] = lambda body: None,
        shows: str = "beside",
    ) -> None:
        super().__init__(unique=True)
        self.thinks, self.shows = thinks, shows
        self.when(lambda call: refuses(call.body) is not None, self._refuse)
        self._refuses = refuses

    async def _refuse(self, call: Call) -> web.Response:
        return self.failure(400, self._refuses(call.body) or "", "unsupported_value")

    def normal(self, body: Body) -> Body:
        document = super().normal(body)
        on = "messages" in body and self.thinks(body)
        for choice in document["choices"]:
            if on:
                self._show(choice, body["max_tokens" if "max_tokens" in body else LIMIT])
        usage = document["usage"]
        if on and self.shows in ("beside", "counted"):
            usage["completion_tokens"] += 40
            usage["completion_tokens_details"] = {"reasoning_tokens": 40}
        return document

    def _show(self, choice: Body, room: int) -> None:
        message = choice["message"]
        thought = "First the hours, then the minutes."
        if self.shows == "beside":
            message["reasoning_content"] = thought
        elif self.shows == "inside":
            message["content"] = f"<think>\n{thought}\n</think>\n\n{message['content']}"
        elif self.shows == "end":
            whole = room > LONG_THOUGHT
            message["content"] = f"{thought}</think>{message['content']}" if whole else thought
            choice["finish_reason"] = "stop" if whole else "length"


LIMIT = "max_completion_tokens"
LONG_THOUGHT = 1_000


def _effort(body: Body) -> Any:
    return body.get("reasoning_effort")


def _template(body: Body) -> Any:
    return body.get("chat_template_kwargs", {})


def _only(*efforts: str) -> Callable[[Body], str | None]:
    """A service that knows these efforts, and no fields of other servers."""

    def refuses(body: Body) -> str | None:
        for name in ("chat_template_kwargs", "thinking", "think"):
            if name in body:
                return f"Unrecognized request argument supplied: {name}"
        if _effort(body) in (None, *efforts):
            return None
        return f"Unsupported value: 'reasoning_effort' does not support '{_effort(body)}'"

    return refuses


def ollama() -> Thinker:
    """Thinks unasked; ignores `think`; obeys the effort."""
    return Thinker(lambda body: _effort(body) != "none")


def vllm() -> Thinker:
    """Qwen 3, before efforts were mapped: unknown efforts are refused, `enable_thinking` obeyed."""

    def refuses(body: Body) -> str | None:
        if _effort(body) in (None, "low", "medium", "high"):
            return None
        return "reasoning_effort: Input should be 'low', 'medium' or 'high'"

    return Thinker(lambda body: _template(body).get("enable_thinking", True), refuses)


def sglang() -> Thinker:
    """DeepSeek V3.1 without a reasoning parser: does not think unasked; reads `thinking`."""
    return Thinker(lambda body: bool(_template(body).get("thinking")), shows="inside")


def llama_cpp() -> Thinker:
    """Ignores the effort; obeys `enable_thinking`."""
    return Thinker(lambda body: _template(body).get("enable_thinking", True))


def hosted() -> Thinker:
    """GLM as its makers host it."""
    return Thinker(lambda body: body.get("thinking") != {"type": "disabled"})


def proxy() -> Thinker:
    """Hands `think` on."""
    return Thinker(lambda body: body.get("think", True), shows="inside")


def r1() -> Thinker:
    """A distilled R1: its template opens the thought, nothing stops it."""
    return Thinker(lambda body: True, shows="end")


def gpt_oss() -> Thinker:
    """Knows three efforts, none of them off."""
    return Thinker(lambda body: True, _only("low", "medium", "high"))


def gpt_4() -> Thinker:
    """OpenAI's models without reasoning."""
    return Thinker(lambda body: False, _only())


def gpt_5() -> Thinker:
    """Thinks unasked, knows `minimal` and no `none`; counts what it does not show."""
    return Thinker(
        lambda body: _effort(body) != "minimal",
        _only("minimal", "low", "medium", "high"),
        shows="counted",
    )


def gpt_5_1() -> Thinker:
    """Does not think unasked."""
    return Thinker(
        lambda body: _effort(body) in ("low", "medium", "high"),
        _only("none", "low", "medium", "high"),
        shows="counted",
    )


def plain() -> Thinker:
    """A model without reasoning behind a server that ignores what it does not know."""
    return Thinker(lambda body: False)


def strict() -> Thinker:
    """The same behind a server that refuses what it does not know."""
    return gpt_4()
