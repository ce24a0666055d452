"""How an OpenAI-compatible server is told to think or not, found out by trying.

The wire format has no one field for it. What servers obey, by their documentation and their
issues as of November 2026:

- OpenAI: `reasoning_effort` of `none`, `minimal`, `low`, `medium`, `high` (API reference, create
  chat completion). gpt-5.1 and later default to `none`; earlier ones to `medium`, and refuse
  `none`; the o series refuses `minimal`, too; models without a reasoning mode refuse the field.
- Ollama's `/v1`: `reasoning_effort`, `none` for off; models that can think do so unasked; `think`
  is ignored here (docs.ollama.com/api/openai-compatibility; ollama/ollama issues 14820, 12561).
- vLLM: `chat_template_kwargs` with `enable_thinking` (Qwen, Gemma, GLM) or `thinking` (DeepSeek,
  Granite), as the model's chat template reads it (docs.vllm.ai, Reasoning Outputs); since 2026
  `reasoning_effort` sets `enable_thinking` (vllm-project/vllm pull request 43401).
- SGLang: `chat_template_kwargs` likewise; `reasoning_effort` goes to the chat template
  (docs.sglang.io, Thinking Budget).
- llama.cpp: `chat_template_kwargs` with `enable_thinking`; since 2026 `reasoning_effort: none`
  (ggml-org/llama.cpp pull requests 13196, 26045).
- DeepSeek, GLM and Kimi as hosted: `thinking` of the type `enabled` or `disabled`.
- Proxies in front of Ollama's own API: `think`.

A field that a server does not know it ignores or refuses; whether it obeys is seen by whether
reasoning shows.
"""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from core.providers import reasoning_marks
from core.providers.base import FatalError, Reply, Request, TransientError, UnanswerableError
from core.providers.embedded.gguf_file import open_gguf
from core.providers.model_names import ModelName
from core.providers.model_traits import Fields, ModelTraits
from prompts import Message

QUESTION = "A film begins at 19:47 and ends at 22:12. How many minutes long is it? Only the number."
"""Invites a little reasoning: a model that can reason, and may, does so here."""

ROOM = 512
LONG_ROOM = 2_048
"""Tokens for an answer: reasoning shows within the first; within the second where only its end is
marked, as the chat template has opened it."""

Ask = Callable[[Request], Awaitable[Reply]]


@dataclass(frozen=True, slots=True)
class Spelling:
    """One way to write "think" and "do not think"."""

    on: Fields
    off: Fields


def _template(on: bool) -> Fields:
    """Chat templates ignore the one of the two names that they do not know."""
    return {"chat_template_kwargs": {"enable_thinking": on, "thinking": on}}


TEMPLATE = Spelling(_template(True), _template(False))
EFFORT = Spelling({"reasoning_effort": "medium"}, {"reasoning_effort": "none"})
LOW_EFFORTS: tuple[Fields, ...] = ({"reasoning_effort": "minimal"}, {"reasoning_effort": "low"})
SPELLINGS = (
    EFFORT,
    TEMPLATE,
    Spelling({"thinking": {"type": "enabled"}}, {"thinking": {"type": "disabled"}}),
    Spelling({"think": True}, {"think": False}),
)


async def discover(ask: Ask, model: ModelName) -> ModelTraits:
    """How this model is made to think, by two to eight small requests.

    One that reasons unasked is on as it is, and off by the first spelling that stops it. One that
    does not is on by the first spelling that makes it reason, else step by step.
    Raises what `ask` raises where the plain request fails.
    """
    trial = _Trial(ask, _spellings_of(model))
    return await (trial.stop() if await trial.reasons_unasked() else trial.start())


def _spellings_of(model: ModelName) -> tuple[Spelling, ...]:
    """Those that may be obeyed: OpenAI has one, and a file's chat template reads what it names."""
    if model.is_openai:
        return (EFFORT,)
    if model.file is None:
        return SPELLINGS
    template = open_gguf(model.file).template or ""
    return (EFFORT, TEMPLATE) if re.search("think|reasoning_effort", template) else ()


@dataclass(frozen=True, slots=True)
class _Trial:
    ask: Ask
    spellings: tuple[Spelling, ...]

    async def stop(self) -> ModelTraits:
        """Keep a model from reasoning that does so unasked."""
        for spelling in self.spellings:
            if await self.is_quiet(spelling.off):
                return ModelTraits("native", off=spelling.off)
        lowest: Fields = {}
        for effort in LOW_EFFORTS:
            reply = await self.reply(effort)
            if reply is not None and _is_quiet(reply):
                return ModelTraits("native", off=effort)
            if reply is not None and not lowest:
                lowest = effort
        return ModelTraits("native", off=lowest, always_thinks=True)

    async def start(self) -> ModelTraits:
        """Make a model reason that does not unasked."""
        for spelling in self.spellings:
            reply = await self.reply(spelling.on)
            if reply is not None and reasoning_marks.evidence([reply]):
                off = spelling.off if await self.is_quiet(spelling.off) else {}
                return ModelTraits("native", off=off, on=spelling.on)
        return ModelTraits("step_by_step")

    async def reasons_unasked(self) -> bool:
        """Whether the plain request shows reasoning."""
        reply = await self.ask(self._request({}, ROOM))
        if reasoning_marks.evidence([reply]) is None and _is_cut_off(reply):
            reply = await self.ask(self._request({}, LONG_ROOM))
        return reasoning_marks.evidence([reply]) is not None

    async def is_quiet(self, fields: Fields) -> bool:
        """Whether these fields are taken and no reasoning shows."""
        reply = await self.reply(fields)
        return reply is not None and _is_quiet(reply)

    async def reply(self, fields: Fields) -> Reply | None:
        """What comes back for these fields; None where they are refused."""
        try:
            return await self.ask(self._request(fields, ROOM))
        except (FatalError, UnanswerableError):
            return None
        except TransientError:
            # Some servers crash on what they do not know. If the plain request fails as well,
            # it was not the field, and nothing has been found out.
            await self.ask(self._request({}, ROOM))
            return None

    def _request(self, fields: Fields, room: int) -> Request:
        return Request(
            n=1,
            max_tokens=room,
            temperature=1.0,
            top_p=1.0,
            messages=(Message("user", QUESTION),),
            options=fields,
        )


def _is_quiet(reply: Reply) -> bool:
    """No reasoning shows; a number that fills all its room is taken for unmarked reasoning."""
    return (
        bool(reply.draws) and reasoning_marks.evidence([reply]) is None and not _is_cut_off(reply)
    )


def _is_cut_off(reply: Reply) -> bool:
    return any(draw.finish == "length" for draw in reply.draws)
