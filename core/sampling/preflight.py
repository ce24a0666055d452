"""Whether a model does what a run relies on, found out with a few requests before the run.

Source of what is relied on: semantics sections 1 and 2 (settings, draws, temperature).
"""

import asyncio
from collections.abc import Awaitable, Collection, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from typing import Literal, TypeVar

import prompts
from core.errors import ProviderError
from core.project import OpenProject
from core.providers import model_traits, most_answers, reasoning_marks, reply_switch
from core.providers.base import (
    Draw,
    FatalError,
    Provider,
    Reply,
    Request,
    UnanswerableError,
    retry_request,
)
from core.providers.capabilities import Capabilities
from core.providers.endpoints import AUTO, Endpoints
from core.providers.model_names import parse
from core.providers.model_traits import NOTHING, ModelTraits
from core.providers.registry import describe
from core.sampling.model_discovery import discover, discover_thinking
from core.sampling.recipe import (
    ANSWER_TOKENS,
    RAW_STOPS,
    apply_endpoints,
    find_endpoints,
    is_found_out,
    raw_options,
)
from core.sampling.sample_plan import Plan, check_plan, count_missing, drop_unaskable, known_for
from core.vocabulary import TASKS, Task
from prompts import Message

T = TypeVar("T")

QUESTION = "Tell me something in one short sentence, about anything you like."
OPENING = "On my way home from work yesterday evening I met an old friend, who told me that"
"""Open: eight equal answers to it, or ways to go on, are no accident."""

DRAWS = 8
PATIENCE = 300.0
"""Seconds for a whole preflight where no deadline is set: a large local model is loaded first."""

RAW_TEMPLATE = "question_raw"

Place = Literal["completion", "questions"]
"""What an endpoint is for."""

KNOWN = ("embedded", "replay")
"""Providers whose models need no checks."""

NAMES = ("answers", "endpoints", "thinking", "thinking off", "n", "sampling", "usage")
"""The checks; `thinking` says how the model is made to think, and cannot fail."""

REPLIES = "replies"
"""A further check, of models that grade or build: how they are asked for what is read."""

UNREADABLE = (400, 422)
"""Statuses by which a server says of a request that it will not have it so."""


class CheckResult(StrEnum):
    """What a check came to."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_APPLICABLE = "not applicable"


@dataclass(frozen=True, slots=True)
class Check:
    """One check and a line about it. What stands in the line may come from the server."""

    name: str
    result: CheckResult
    detail: str

    def as_json(self) -> dict[str, str]:
        """One of the `checks` of `models --check --json`."""
        return {"name": self.name, "result": str(self.result), "detail": self.detail}


@dataclass(frozen=True, slots=True)
class Preflight:
    """The checks, as in `NAMES`, and of replies where it was tried.

    `silent`: no answer came. `most_answers`: the server gives no more to a request, None where it
    gave all that were asked for. `endpoints`: where the model is asked, None where nobody knows.
    """

    checks: tuple[Check, ...]
    silent: bool = False
    most_answers: int | None = None
    endpoints: Endpoints | None = None

    @property
    def failed(self) -> tuple[Check, ...]:
        """The checks that found a fault."""
        return tuple(check for check in self.checks if check.result is CheckResult.FAILED)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person should know of how the model will be asked, in lines."""
        said = {check.name: check.detail for check in self.checks}
        how = (f"thinking: {said['thinking']}", said["endpoints"])
        return how if self.most_answers is None else (*how, at_most(self.most_answers))

    @property
    def reason(self) -> str:
        """All faults in one line; that of a model that does not answer speaks for itself."""
        if self.silent:
            return self.checks[0].detail
        return "; ".join(f"{check.name}: {check.detail}" for check in self.failed)


@dataclass(frozen=True, slots=True)
class _ModelReplies:
    """What came back: `asked` draws were wanted first, and `got` came.

    `most`: more were refused, now or before, or one came whatever was asked for.
    """

    replies: tuple[Reply, ...]
    asked: int
    got: int
    most: int | None

    @property
    def draws(self) -> list[Draw]:
        return [draw for reply in self.replies for draw in reply.draws]


async def prepare_model(project: OpenProject, provider: Provider, plan: Plan) -> Preflight | None:
    """Check the model of a plan before anything is drawn; None where there is nothing to check.

    What is found out of a model (where it is asked, how it is made to think, how many answers it
    gives to a request) is kept in the database, and asked for once. Asks nothing where nothing is
    missing, nor the embedded model and a replay, which are known.
    Raises `UsageError` as `check_plan` does, and `ProviderError` with the reason where a check
    failed; nothing is drawn then.
    """
    plan = drop_unaskable(plan, check_plan(project, plan))
    if parse(plan.model).provider in KNOWN or not count_missing(project, plan):
        return None
    return await check_model(project, provider, plan)


async def check_model(project: OpenProject, provider: Provider, plan: Plan) -> Preflight:
    """The same for a plan that asks for something, whatever is there. Raises `ProviderError`."""
    seen = await _look_at_plan(project, provider, plan)
    if seen.silent:
        raise ProviderError(f"{seen.reason}; nothing was drawn, the same command tries again")
    if seen.failed:
        raise ProviderError(
            f"{plan.model} failed its checks, nothing was drawn: {seen.reason}; "
            "put it right, or go on as it is with --unchecked"
        )
    return seen


async def _look_at_plan(project: OpenProject, provider: Provider, plan: Plan) -> Preflight:
    """The preflight of a plan, and what it found kept."""
    connection, model = project.connection, plan.model
    if is_found_out(model):
        before = model_traits.read_traits(connection, model)
        asked = find_endpoints(connection, model, plan.label, plan.endpoints)
        try:
            now = await find_out(provider, model, before, asked)
        except ProviderError as error:
            return _silence(str(error))
        model_traits.keep(connection, model, now)
    known = known_for(connection, plan)
    tasks = {task for on in plan.thinking for task in plan.tasks_of(on)}
    off, greedy = False in plan.thinking, plan.form is not None
    seen = await preflight(provider, model, off, known, tasks=tasks, greedy=greedy)
    if seen.most_answers is not None and is_found_out(model):
        most_answers.keep_most(connection, model, seen.most_answers)
    return seen


async def find_out(
    provider: Provider, model: str, before: ModelTraits = NOTHING, asked: Endpoints = AUTO
) -> ModelTraits:
    """Where and how a model is asked, as far as that is to be found out and is not known `before`.

    `asked` is what the user says of the endpoints. Raises `ProviderError` if the model is silent.
    """
    ask, probe = partial(retry_request, provider), partial(retry_request, provider, whole=True)
    return await await_trial(provider, discover(ask, probe, parse(model), before, asked), model)


async def find_thinking(
    provider: Provider, model: str, before: ModelTraits = NOTHING
) -> ModelTraits:
    """How a model is made to think, asked by chat. Raises `ProviderError` if it is silent."""
    ask = partial(retry_request, provider)
    return await await_trial(provider, discover_thinking(ask, parse(model), before), model)


def _seconds(provider: Provider) -> float | None:
    """Seconds for all requests together; None where a person set a deadline, which each has."""
    return PATIENCE if provider.deadline.timeout is None else None


async def await_trial(provider: Provider, trial: Awaitable[T], model: str) -> T:
    """What trying a model out comes to. Raises `ProviderError` where that takes too long."""
    try:
        async with asyncio.timeout(_seconds(provider)):
            return await trial
    except TimeoutError:
        raise ProviderError(_no_answer(model)) from None


async def preflight(
    provider: Provider,
    model: str,
    off: bool = True,
    known: Capabilities | None = None,
    asked: Endpoints = AUTO,
    tasks: Collection[Task] = TASKS,
    greedy: bool = False,
    replies: bool = False,
) -> Preflight:
    """Check a model where it will be asked: one request where all is well, more where it is not.

    Up to eight single ones follow only while all answers are equal; one to the other endpoint,
    where both are used. `off`: whether anything is to be drawn with thinking off. `known`: what is
    known of the model; None: it is found out first, where its name does not say it, with what is
    `asked` of the endpoints. `tasks`: those to be drawn. `greedy`: one answer each is drawn, the
    most probable. `replies`: whether to try how replies are to be asked for. Raises nothing that a
    `Provider` may raise; `UsageError` for an endpoint that there is not.
    """
    if parse(model).provider == "replay":
        return _skip_checks()
    try:
        if known is None:
            known = describe(model)
            if is_found_out(model):
                known = (await find_out(provider, model, asked=asked)).apply_to(known)
            known = apply_endpoints(known, model, asked)
        async with asyncio.timeout(_seconds(provider)):
            heard = await _listen(provider, _request(known, _places(tasks)[0]), known.draws)
            where = await _endpoints(provider, known, tasks)
            forms = await _check_replies(provider, model, known) if replies else ()
    except ProviderError as error:
        return _silence(str(error))
    except TimeoutError:
        return _silence(_no_answer(model))
    if not heard.draws:
        return _silence(f"{model}: the server sends no answer")
    checks = (
        _answers(heard.draws, provider.remarks),
        where,
        Check("thinking", CheckResult.PASSED, model_traits.in_words(known)),
        _thinking_off(heard, known) if off else _idle("thinking off", "only thinking on is drawn"),
        _n(heard),
        _idle("sampling", "answers are greedy") if greedy else _check_sampling(heard.draws),
        _usage(heard.replies),
        *forms,
    )
    endpoints = Endpoints(known.completion, known.questions)
    return Preflight(checks, most_answers=heard.most, endpoints=endpoints)


def _no_answer(model: str) -> str:
    return f"{model}: no answer within {PATIENCE:.0f} seconds"


def _skip_checks() -> Preflight:
    others = (_idle(name, "answers of a file") for name in NAMES[1:])
    return Preflight((Check("answers", CheckResult.PASSED, "they are in the file"), *others))


def _silence(reason: str) -> Preflight:
    others = (_idle(name, "no answer") for name in NAMES[1:])
    return Preflight((Check("answers", CheckResult.FAILED, reason), *others), silent=True)


def _idle(name: str, why: str) -> Check:
    return Check(name, CheckResult.NOT_APPLICABLE, why)


def _request(known: Capabilities, where: Place) -> Request:
    """An open question, or the beginning of a story, as what is drawn there would be asked."""
    one, raw_text = Request(1, ANSWER_TOKENS["question"], 1.0, 1.0), OPENING
    if getattr(known, where) == "chat":
        messages = (Message("user", QUESTION),)
        return replace(one, messages=messages, options=known.options)
    if where == "questions":
        raw_text = prompts.load(RAW_TEMPLATE).render_text(question=QUESTION)
        one = replace(one, stop=(RAW_STOPS[RAW_TEMPLATE],))
    return replace(one, text=raw_text, options=raw_options(known.options))


def _places(tasks: Collection[Task]) -> list[Place]:
    """What is to be drawn by its endpoint, the nine questions first."""
    drawn: list[Place] = ["questions"] if set(tasks) - {Task.COMPLETION} else []
    return [*drawn, "completion"] if Task.COMPLETION in tasks else drawn


async def _listen(provider: Provider, one: Request, draws: int) -> _ModelReplies:
    """Ask for eight answers at once, or singly until two differ.

    A request that is refused nobody knows why is asked again with half of its answers.
    """
    asked, most = min(DRAWS, draws), None
    while True:
        try:
            first = await retry_request(provider, replace(one, n=most or asked))
            break
        except FatalError as error:
            if (most or asked) == 1 or error.status not in UNREADABLE:
                raise
            most = (most or asked) // 2
    replies = [first]
    while 0 < _count(replies) < DRAWS and len(_texts(replies)) == 1:
        reply = await retry_request(provider, one)
        if not reply.draws:
            break
        replies.append(reply)
    most = provider.most_answers or most or (asked if asked < DRAWS else None)
    got = len(first.draws)
    return _ModelReplies(tuple(replies), asked, got, 1 if got == 1 < asked else most)


async def _endpoints(provider: Provider, known: Capabilities, tasks: Collection[Task]) -> Check:
    """Where the model is asked; the second of two endpoints has to answer, too."""
    said = at_endpoints(known)
    if len(_places(tasks)) < 2 or known.completion == known.questions:
        return Check("endpoints", CheckResult.PASSED, said)
    try:
        reply = await retry_request(provider, _request(known, "completion"))
    except (FatalError, UnanswerableError) as error:
        why = f"the completion task cannot be asked at {known.completion}: {error}"
        return Check("endpoints", CheckResult.FAILED, why)
    if not reply.draws:
        why = f"{known.completion} gives no answer to the completion task"
        return Check("endpoints", CheckResult.FAILED, why)
    return Check("endpoints", CheckResult.PASSED, said)


async def _check_replies(provider: Provider, model: str, known: Capabilities) -> tuple[Check, ...]:
    """How replies of the model are read where it grades or builds."""
    if known.questions == "raw":
        return (_idle(REPLIES, "a model without chat neither grades nor builds"),)
    form = known.replies
    if is_found_out(model):
        form = await reply_switch.discover(partial(retry_request, provider), known)
    return (Check(REPLIES, CheckResult.PASSED, reply_switch.IN_WORDS[form]),)


def _count(replies: Sequence[Reply]) -> int:
    return sum(len(reply.draws) for reply in replies)


def _texts(replies: Sequence[Reply]) -> set[str]:
    return {draw.text for reply in replies for draw in reply.draws}


def _answers(draws: Sequence[Draw], remarks: Sequence[str]) -> Check:
    if not any(draw.text.strip() for draw in draws):
        return Check("answers", CheckResult.FAILED, "every answer is empty")
    return Check(
        "answers", CheckResult.PASSED, "; ".join([f"{_plural(len(draws))} came", *remarks])
    )


def _thinking_off(heard: _ModelReplies, known: Capabilities) -> Check:
    """No reasoning beside the answers, in them, or counted without being shown."""
    said = reasoning_marks.evidence(heard.replies)
    if said is None:
        counted = None not in map(reasoning_marks.count_tokens, heard.replies)
        tokens = "no reasoning tokens" if counted else "such tokens are not counted"
        return Check("thinking off", CheckResult.PASSED, f"no reasoning text, {tokens}")
    why = (
        "this model cannot be kept from it"
        if known.always_thinks
        else "the model reasons though asked not to"
    )
    return Check("thinking off", CheckResult.FAILED, f"{said}: {why}")


def _n(heard: _ModelReplies) -> Check:
    came = f"{_plural(heard.got)} to a request for {heard.asked}"
    if heard.asked == 1:
        return _idle("n", at_most(1))
    if heard.got > heard.asked:
        return Check("n", CheckResult.FAILED, f"{came}: more than can be kept")
    if heard.most is not None:
        return Check("n", CheckResult.PASSED, at_most(heard.most))
    if heard.got < heard.asked:
        return Check("n", CheckResult.PASSED, f"{came}: the rest is asked for again")
    return Check("n", CheckResult.PASSED, f"{heard.asked} answers to one request")


def at_endpoints(known: Capabilities) -> str:
    """Where a model is asked, in words."""
    return f"completion {known.completion}, questions {known.questions}"


def at_most(answers: int) -> str:
    """How many answers a server gives to a request, in words."""
    return f"at most {_plural(answers)} to a request"


def _check_sampling(draws: Sequence[Draw]) -> Check:
    texts = {draw.text for draw in draws}
    if not any(map(str.strip, texts)):
        return _idle("sampling", "every answer is empty")
    if len(texts) > 1:
        said = f"{len(texts)} different texts in {len(draws)} answers"
        return Check("sampling", CheckResult.PASSED, said)
    if len(draws) < 2:
        return Check("sampling", CheckResult.FAILED, "no second answer came to compare")
    (text,) = texts
    said = f'{len(draws)} answers to an open question are all "{_short(text)}"'
    return Check("sampling", CheckResult.FAILED, f"{said}: the temperature is not honoured")


def _usage(replies: Sequence[Reply]) -> Check:
    into = [reply.input_tokens for reply in replies if reply.input_tokens is not None]
    out = [reply.output_tokens for reply in replies if reply.output_tokens is not None]
    if len(into) < len(replies) or len(out) < len(replies):
        said = "the server gives no token counts that can be: cost cannot be counted"
        return Check("usage", CheckResult.FAILED, said)
    said = f"{sum(into):,} tokens in, {sum(out):,} out"
    words = sum(len(draw.text.split()) for reply in replies for draw in reply.draws)
    if sum(out) < words:  # llama.cpp counts one of the answers to a request, so it is no fault
        said += f", though the answers have {words} words: only some of them are counted"
    return Check("usage", CheckResult.PASSED, said)


def _short(text: str, length: int = 40) -> str:
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1] + "…"


def _plural(answers: int) -> str:
    return f"{answers:,} answer" if answers == 1 else f"{answers:,} answers"
