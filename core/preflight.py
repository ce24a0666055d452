"""Whether a model does what a run relies on, found out with a few requests before the run.

Source of what is relied on: semantics sections 1 and 2 (settings, draws, temperature).
"""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from core.errors import ProviderError
from core.project import Project
from core.providers.base import Draw, FatalError, Provider, Reply, Request, TransientError
from core.providers.capabilities import describe
from core.providers.names import parse
from core.providers.singly import Singly
from core.sampling.engine import Plan, check_plan, count_missing
from core.sampling.recipe import ANSWER_TOKENS
from prompts import Message

QUESTION = "Tell me something in one short sentence, about anything you like."
"""Open: eight equal answers to it are no accident."""

DRAWS = 8
TRIES = 3
FIRST_WAIT = 0.5
LONGEST_WAIT = 10.0
"""Seconds between tries, doubled each time; a server may ask for more, up to the longest."""

PATIENCE = 300.0
"""Seconds for a whole preflight: a large local model is loaded by its first request."""

UNSEEN_TOKENS = 8
"""Tokens that an answer may have and not show: its end, and marks of who speaks."""

_TAGS = "think|thinking|thought|reasoning"
_NO_THOUGHT = re.compile(rf"<({_TAGS})>\s*</\1>", re.IGNORECASE)
_THOUGHT = re.compile(rf"</?({_TAGS})>|\[/?THINK\]|<\|channel\|>analysis", re.IGNORECASE)


class Result(StrEnum):
    """What a check came to."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_APPLICABLE = "not applicable"


@dataclass(frozen=True, slots=True)
class Check:
    """One check and a line about it. What stands in the line may come from the server."""

    name: str
    result: Result
    detail: str

    def as_json(self) -> dict[str, str]:
        """One of the `checks` of `models --check --json`."""
        return {"name": self.name, "result": str(self.result), "detail": self.detail}


@dataclass(frozen=True, slots=True)
class Preflight:
    """The five checks: answers, thinking off, n, sampling, usage.

    `silent`: no answer came. `single`: the server sends one answer to a request, whatever `n` says.
    """

    checks: tuple[Check, ...]
    silent: bool = False
    single: bool = False

    @property
    def failed(self) -> tuple[Check, ...]:
        """The checks that found a fault."""
        return tuple(check for check in self.checks if check.result is Result.FAILED)

    @property
    def reason(self) -> str:
        """All faults in one line; that of a model that does not answer speaks for itself."""
        if self.silent:
            return self.checks[0].detail
        return "; ".join(f"{check.name}: {check.detail}" for check in self.failed)


@dataclass(frozen=True, slots=True)
class _Heard:
    """What came back: `asked` draws were wanted first, and `got` came; or that was refused."""

    replies: tuple[Reply, ...]
    asked: int
    got: int
    refusal: str | None

    @property
    def draws(self) -> list[Draw]:
        return [draw for reply in self.replies for draw in reply.draws]

    @property
    def single(self) -> bool:
        return self.asked > 1 and (self.refusal is not None or self.got == 1)


async def ready(project: Project, provider: Provider, plan: Plan) -> Provider:
    """The provider by which a plan is to be drawn: this one, or this one asked singly.

    Asks nothing where nothing is missing, nor the embedded model, which is known.
    Raises `UsageError` as `check_plan` does, and `ProviderError` with the reason where a check
    failed; nothing is written then.
    """
    check_plan(project, plan)
    if parse(plan.model).provider == "embedded" or not count_missing(project, plan):
        return provider
    found = await preflight(provider, plan.model, off=False in plan.thinking)
    if found.silent:
        raise ProviderError(f"{found.reason}; nothing was drawn, the same command tries again")
    if found.failed:
        raise ProviderError(
            f"{plan.model} failed its checks, nothing was drawn: {found.reason}; "
            "put it right, or go on as it is with --unchecked"
        )
    return Singly(provider, describe(plan.model).requests) if found.single else provider


async def preflight(provider: Provider, model: str, off: bool = True) -> Preflight:
    """Check a model: one request where all is well, two where `n` is not honoured.

    Up to eight single ones follow only while all answers are equal. `off`: whether anything is
    to be drawn with thinking off. Raises nothing that a `Provider` may raise.
    """
    try:
        async with asyncio.timeout(PATIENCE):
            heard = await _listen(provider, model)
    except ProviderError as error:
        return _silence(str(error))
    except TimeoutError:
        return _silence(f"{model}: no answer within {PATIENCE:.0f} seconds")
    if not heard.draws:
        return _silence(f"{model}: the server sends no answer")
    checks = (
        _answers(heard.draws),
        _thinking_off(heard, model) if off else _idle("thinking off", "only thinking on is drawn"),
        _n(heard),
        _sampling(heard.draws),
        _usage(heard.replies),
    )
    return Preflight(checks, single=heard.single)


def _silence(reason: str) -> Preflight:
    others = (_idle(name, "no answer") for name in ("thinking off", "n", "sampling", "usage"))
    return Preflight((Check("answers", Result.FAILED, reason), *others), silent=True)


def _idle(name: str, why: str) -> Check:
    return Check(name, Result.NOT_APPLICABLE, why)


async def _listen(provider: Provider, model: str) -> _Heard:
    """Ask for eight answers at once, or singly until two differ."""
    known = describe(model)
    request = Request(
        n=min(DRAWS, known.draws),
        max_tokens=ANSWER_TOKENS["question"],
        temperature=1.0,
        top_p=1.0,
        messages=(Message("user", QUESTION),),
        options=known.options,
    )
    one = replace(request, n=1)
    refusal = None
    try:
        first = await _patiently(provider, request)
    except FatalError as error:
        if request.n == 1:
            raise
        first, refusal = await _patiently(provider, one), str(error)
    replies = [first]
    while 0 < _count(replies) < DRAWS and len(_texts(replies)) == 1:
        reply = await _patiently(provider, one)
        if not reply.draws:
            break
        replies.append(reply)
    return _Heard(tuple(replies), request.n, len(first.draws), refusal)


async def _patiently(provider: Provider, request: Request) -> Reply:
    """The reply to a request, tried again where that may help."""
    for attempt in range(TRIES - 1):
        try:
            return await provider.draw(request)
        except TransientError as error:
            wait = error.retry_after if error.retry_after is not None else FIRST_WAIT * 2**attempt
        await asyncio.sleep(min(wait, LONGEST_WAIT))
    return await provider.draw(request)


def _count(replies: Sequence[Reply]) -> int:
    return sum(len(reply.draws) for reply in replies)


def _texts(replies: Sequence[Reply]) -> set[str]:
    return {draw.text for reply in replies for draw in reply.draws}


def _answers(draws: Sequence[Draw]) -> Check:
    if not any(draw.text.strip() for draw in draws):
        return Check("answers", Result.FAILED, "every answer is empty")
    return Check("answers", Result.PASSED, f"{_plural(len(draws), 'answer')} came")


def _thinking_off(heard: _Heard, model: str) -> Check:
    """No reasoning beside the answers, in them, or counted without being shown."""
    draws, name = heard.draws, "thinking off"
    beside = sum(bool((draw.reasoning or "").strip()) for draw in draws)
    inside = sum(bool(_THOUGHT.search(_NO_THOUGHT.sub("", draw.text))) for draw in draws)
    counts = [_reasoning_tokens(reply) for reply in heard.replies]
    tokens = sum(count or 0 for count in counts)
    hidden = sum(map(_hidden, heard.replies))
    if beside:
        said = f"{beside} of {_plural(len(draws), 'answer')} came with reasoning"
    elif inside:
        said = f"{inside} of {_plural(len(draws), 'answer')} hold reasoning in their text"
    elif tokens:
        said = f"the server counts {_plural(tokens, 'reasoning token')}"
    elif hidden:
        said = f"at least {_plural(hidden, 'token')} more than the answers can have"
    else:
        counted = "no reasoning tokens" if None not in counts else "such tokens are not counted"
        return Check(name, Result.PASSED, f"no reasoning text, {counted}")
    always = describe(model).always_thinks
    why = "this model cannot be kept from it" if always else "the model reasons though asked not to"
    return Check(name, Result.FAILED, f"{said}: {why}")


def _reasoning_tokens(reply: Reply) -> int | None:
    """Reasoning tokens of a reply, counted together or draw by draw; None where not counted."""
    if reply.reasoning_tokens is not None:
        return reply.reasoning_tokens
    known = [draw.reasoning_tokens for draw in reply.draws if draw.reasoning_tokens is not None]
    return sum(known) if known else None


def _hidden(reply: Reply) -> int:
    """Output tokens beyond what the texts can have, as a token is one byte at the least."""
    if any(draw.finish == "content_filter" for draw in reply.draws):
        return 0
    most = sum(
        len(draw.text.encode(errors="surrogatepass")) + UNSEEN_TOKENS for draw in reply.draws
    )
    return max(0, (reply.output_tokens or 0) - most)


def _n(heard: _Heard) -> Check:
    came = f"{_plural(heard.got, 'answer')} to a request for {heard.asked}"
    if heard.asked == 1:
        return _idle("n", "this model is asked with single requests")
    if heard.refusal is not None:
        said = f"single requests are used, n = {heard.asked} is refused: {heard.refusal}"
        return Check("n", Result.PASSED, said)
    if heard.got > heard.asked:
        return Check("n", Result.FAILED, f"{came}: more than can be kept")
    if heard.got == 1:
        return Check("n", Result.PASSED, f"{came}: single requests are used")
    if heard.got < heard.asked:
        return Check("n", Result.PASSED, f"{came}: the rest is asked for again")
    return Check("n", Result.PASSED, f"{heard.asked} answers to one request")


def _sampling(draws: Sequence[Draw]) -> Check:
    texts = {draw.text for draw in draws}
    if not any(map(str.strip, texts)):
        return _idle("sampling", "every answer is empty")
    if len(texts) > 1:
        said = f"{len(texts)} different texts in {len(draws)} answers"
        return Check("sampling", Result.PASSED, said)
    if len(draws) < 2:
        return Check("sampling", Result.FAILED, "no second answer came to compare")
    (text,) = texts
    said = f'{len(draws)} answers to an open question are all "{_short(text)}"'
    return Check("sampling", Result.FAILED, f"{said}: the temperature is not honoured")


def _usage(replies: Sequence[Reply]) -> Check:
    into = [reply.input_tokens for reply in replies if reply.input_tokens is not None]
    out = [reply.output_tokens for reply in replies if reply.output_tokens is not None]
    if len(into) < len(replies) or len(out) < len(replies):
        said = "the server does not say how many tokens were used: cost cannot be counted"
        return Check("usage", Result.FAILED, said)
    said = f"{sum(into):,} tokens in, {sum(out):,} out"
    words = sum(len(draw.text.split()) for reply in replies for draw in reply.draws)
    if sum(out) < words:  # llama.cpp counts one of the answers to a request, so it is no fault
        said += f", though the answers have {words} words: only some of them are counted"
    return Check("usage", Result.PASSED, said)


def _short(text: str, length: int = 40) -> str:
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1] + "…"


def _plural(count: int, what: str) -> str:
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"
