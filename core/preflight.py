"""Whether a model does what a run relies on, found out with a few requests before the run.

Source of what is relied on: semantics sections 1 and 2 (settings, draws, temperature).
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial

from core.errors import ProviderError
from core.project import Project
from core.providers import found, reasoning, thinking
from core.providers.base import Draw, FatalError, Provider, Reply, Request, TransientError
from core.providers.capabilities import Capabilities, describe
from core.providers.found import Found
from core.providers.names import parse
from core.sampling.plan import Plan, check_plan, count_missing
from core.sampling.recipe import ANSWER_TOKENS, is_found_out, known_of
from db.connection import writing
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

KNOWN = ("embedded", "replay")
"""Providers whose models need no checks."""

NAMES = ("answers", "thinking", "thinking off", "n", "sampling", "usage")
"""The checks; `thinking` says how the model is made to think, and cannot fail."""


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
    """The checks, as in `NAMES`.

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
    def notes(self) -> tuple[str, ...]:
        """What a person should know of how the model will be asked, in lines."""
        singly = ("the server sends one answer to a request: asking singly",) if self.single else ()
        how = (f"thinking: {check.detail}" for check in self.checks if check.name == "thinking")
        return (*how, *singly)

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


async def ready(project: Project, provider: Provider, plan: Plan) -> Preflight | None:
    """Check the model of a plan before anything is drawn; None where there is nothing to check.

    What is found out of a model (how it is made to think, whether `n` is honoured) is kept in the
    database, and asked for once. Asks nothing where nothing is missing, nor the embedded model and
    a replay, which are known.
    Raises `UsageError` as `check_plan` does, and `ProviderError` with the reason where a check
    failed; nothing is drawn then.
    """
    check_plan(project, plan)
    if parse(plan.model).provider in KNOWN or not count_missing(project, plan):
        return None
    seen = await _looked_at(project, provider, plan)
    if seen.silent:
        raise ProviderError(f"{seen.reason}; nothing was drawn, the same command tries again")
    if seen.failed:
        raise ProviderError(
            f"{plan.model} failed its checks, nothing was drawn: {seen.reason}; "
            "put it right, or go on as it is with --unchecked"
        )
    return seen


async def _looked_at(project: Project, provider: Provider, plan: Plan) -> Preflight:
    """The preflight of a plan, and what it found kept."""
    connection, model = project.connection, plan.model
    known = found.remembered(connection, model)
    if known is None and is_found_out(model):
        try:
            known = await find_out(provider, model)
        except ProviderError as error:
            return _silence(str(error))
        with writing(connection):
            found.remember(connection, model, known)
    seen = await preflight(
        provider, model, False in plan.thinking, known_of(connection, model, plan.label)
    )
    if known is not None and seen.single and not known.single:
        with writing(connection):
            found.remember(connection, model, replace(known, single=True))
    return seen


async def find_out(provider: Provider, model: str) -> Found:
    """How a model is made to think, by a few requests. Raises `ProviderError` if it is silent."""
    try:
        async with asyncio.timeout(PATIENCE):
            ask = partial(patiently, provider)
            return await thinking.discover(ask, parse(model))
    except TimeoutError:
        raise ProviderError(_no_answer(model)) from None


async def preflight(
    provider: Provider, model: str, off: bool = True, known: Capabilities | None = None
) -> Preflight:
    """Check a model: one request where all is well, two where `n` is not honoured.

    Up to eight single ones follow only while all answers are equal. `off`: whether anything is
    to be drawn with thinking off. `known`: what is known of the model; None: it is found out
    first, where its name does not say it. Raises nothing that a `Provider` may raise.
    """
    if parse(model).provider == "replay":
        return _recorded()
    try:
        if known is None:
            known = describe(model)
            if is_found_out(model):
                known = (await find_out(provider, model)).applied(known)
        async with asyncio.timeout(PATIENCE):
            heard = await _listen(provider, known)
    except ProviderError as error:
        return _silence(str(error))
    except TimeoutError:
        return _silence(_no_answer(model))
    if not heard.draws:
        return _silence(f"{model}: the server sends no answer")
    checks = (
        _answers(heard.draws, provider.remarks),
        Check("thinking", Result.PASSED, found.in_words(known)),
        _thinking_off(heard, known) if off else _idle("thinking off", "only thinking on is drawn"),
        _n(heard),
        _sampling(heard.draws),
        _usage(heard.replies),
    )
    return Preflight(checks, single=heard.single)


def _no_answer(model: str) -> str:
    return f"{model}: no answer within {PATIENCE:.0f} seconds"


def _recorded() -> Preflight:
    others = (_idle(name, "answers of a file") for name in NAMES[1:])
    return Preflight((Check("answers", Result.PASSED, "they are in the file"), *others))


def _silence(reason: str) -> Preflight:
    others = (_idle(name, "no answer") for name in NAMES[1:])
    return Preflight((Check("answers", Result.FAILED, reason), *others), silent=True)


def _idle(name: str, why: str) -> Check:
    return Check(name, Result.NOT_APPLICABLE, why)


async def _listen(provider: Provider, known: Capabilities) -> _Heard:
    """Ask for eight answers at once, or singly until two differ."""
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
        first = await patiently(provider, request)
    except FatalError as error:
        if request.n == 1:
            raise
        first, refusal = await patiently(provider, one), str(error)
    replies = [first]
    while 0 < _count(replies) < DRAWS and len(_texts(replies)) == 1:
        reply = await patiently(provider, one)
        if not reply.draws:
            break
        replies.append(reply)
    return _Heard(tuple(replies), request.n, len(first.draws), refusal)


async def patiently(provider: Provider, request: Request) -> Reply:
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


def _answers(draws: Sequence[Draw], remarks: Sequence[str]) -> Check:
    if not any(draw.text.strip() for draw in draws):
        return Check("answers", Result.FAILED, "every answer is empty")
    return Check("answers", Result.PASSED, "; ".join([f"{_plural(len(draws))} came", *remarks]))


def _thinking_off(heard: _Heard, known: Capabilities) -> Check:
    """No reasoning beside the answers, in them, or counted without being shown."""
    said = reasoning.evidence(heard.replies)
    if said is None:
        counted = None not in map(reasoning.counted, heard.replies)
        tokens = "no reasoning tokens" if counted else "such tokens are not counted"
        return Check("thinking off", Result.PASSED, f"no reasoning text, {tokens}")
    why = (
        "this model cannot be kept from it"
        if known.always_thinks
        else "the model reasons though asked not to"
    )
    return Check("thinking off", Result.FAILED, f"{said}: {why}")


def _n(heard: _Heard) -> Check:
    came = f"{_plural(heard.got)} to a request for {heard.asked}"
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


def _plural(answers: int) -> str:
    return f"{answers:,} answer" if answers == 1 else f"{answers:,} answers"
