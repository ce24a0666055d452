"""OpenAI's format: requests as they are written; answers, read leniently in what may be absent
and strictly in what is there."""

from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Any, cast, get_args

from core.providers import reasoning_marks
from core.providers.base import AnswerFailure, Draw, Finish, Reply, Request, ServedModel
from core.settings.plain_data import read_token_count
from prompts.reply_shape import wrap_schema

HIDDEN_TOKENS = 2**17
"""Tokens of one answer that may not be seen: a server's own instructions, thoughts it hides."""

BYTES = 4
"""The most bytes that a character has: as many tokens it may be."""

FINISHES = get_args(Finish)

BROKEN = ("error", "network_error", "insufficient_system_resource")
"""Ends of an answer that are the service's failure (OpenRouter and Mistral, GLM, DeepSeek)."""

ABORTED = "abort"
"""The end of a request that vLLM or SGLang gave up; what it has said until then is an answer."""

SERVED_KEPT = 64
"""Names of served models that are kept: mostly one answers all."""

THOUGHTS = ("reasoning_content", "reasoning")
"""Fields in which servers show reasoning."""

LONGEST_NAME = 200
"""Characters of a served model's name that are kept."""

FOUND_TOKENS = 2**21
"""Tokens that the pages of a search may have."""


REPLY = "reply"
"""What the schema of a reply is called."""


class FormatError(Exception):
    """What came is JSON, but no answer."""


def is_thinking(request: Request) -> bool:
    """Whether the request asks a model to use its reasoning mode."""
    return request.options.get("thinking") is True


def thinking_room(request: Request) -> int:
    """Tokens that thoughts may take beside the answer, by the options of the request."""
    return request.thinking_room


def body(
    model: str,
    request: Request,
    *,
    limit: str = "max_tokens",
    room: int | None = None,
    left_out: Collection[str] = (),
    strict: bool = False,
) -> dict[str, Any]:
    """The body of a request, to chat completions or (with `text`) to completions.

    `Request.options` go into it as they are, but for `thinking` (bool), which chooses between
    the fields in `thinking_off` and `thinking_on`, and `thinking_room` (tokens added off, on).
    limit: what chat completions call the token limit. room: the most that thoughts may take,
    where that is less. left_out: fields that the server refuses. strict: whether it takes only such
    schemas as OpenAI does.
    Raises `ValueError` for `search`, which this format does not have.
    """
    options = dict(request.options)
    if options.pop("search", False):
        raise ValueError("there is no search at this server")
    off, on = options.pop("thinking_off", None), options.pop("thinking_on", None)
    options.pop("thinking_room", None)
    if isinstance(options.get("thinking"), bool):
        del options["thinking"]
    options |= cast(Mapping[str, object], (on if is_thinking(request) else off) or {})
    added = thinking_room(request)
    written: dict[str, Any] = {
        "model": model,
        "n": request.n,
        "temperature": request.temperature,
        **({} if request.top_p is None else {"top_p": request.top_p}),
        "max_tokens" if request.messages is None else limit: request.max_tokens
        + (added if room is None else min(added, room)),
    }
    if request.stop:
        written["stop"] = list(request.stop)
    if request.schema is not None:
        schema = wrap_schema(request.schema) if strict else request.schema
        named = {"name": REPLY, "schema": schema, "strict": True}
        written["response_format"] = {"type": "json_schema", "json_schema": named}
    if request.messages is None:
        written["prompt"] = request.text
    else:
        written["messages"] = [{"role": m.role, "content": m.content} for m in request.messages]
    return {name: value for name, value in (written | options).items() if name not in left_out}


def reply(document: Any, raw: bool = False) -> Reply:
    """The draws and the usage in a decoded answer (chat or completions).

    Absent choices are no draws, nor are those in which the service failed (`Reply.failure`).
    Thoughts that a server leaves between marks in the text are reasoning, whether or not the model
    was asked to think. raw: whether a raw completion was asked for, so that a chat message is none.
    Raises `FormatError` for an error in place of an answer, and for anything in which texts are
    not where they belong.
    """
    if not isinstance(document, dict):
        raise FormatError("the answer is not in OpenAI's format")
    if document.get("error") and not document.get("choices"):
        raise FormatError(message(document["error"]))
    try:
        choices = document.get("choices") or []
        usage = document.get("usage") or {}
        # The server counts reasoning over all choices: it says nothing about one of several.
        thought = count_reasoning(usage) if usage else None
        alone = thought if len(choices) == 1 else None
        by = read_served(document.get("model"), document.get("system_fingerprint"))
        failures = list(map(_find_failure, choices))
        draws = tuple(
            [
                _draw(choice, alone, raw, by)
                for choice, failure in zip(choices, failures, strict=True)
                if failure is None
            ]
        )
        failure = next(filter(None, failures), None)
        if not usage:
            return Reply(draws, failure=failure)
        counts = _count(usage, "prompt_tokens"), _count(usage, "completion_tokens")
        return Reply(draws, *counts, thought, failure=failure)
    except (AttributeError, KeyError, TypeError) as error:
        raise FormatError("the answer is not in OpenAI's format") from error


def message(error: object) -> str:
    """What the `error` of an answer says."""
    said = error.get("message", error) if isinstance(error, dict) else error
    try:
        return said if isinstance(said, str) else repr(said)
    except RecursionError:  # lists in lists, a thousand deep
        return "an error that is nested too deeply to be shown"


def drop_false_counts(request: Request, reply: Reply) -> Reply:
    """The reply without counts of tokens that no request like this one can have.

    A token is one byte at the least; beside the texts much may be that nobody sees, but not
    more than any model can read or write.
    """
    into, out = _most_tokens(request, reply)
    counts = (reply.input_tokens, reply.output_tokens, reply.reasoning_tokens)
    if all((count or 0) <= most for count, most in zip(counts, (into, out, out), strict=True)):
        return reply
    draws = (
        one._replace(reasoning_tokens=_at_most(one.reasoning_tokens, out)) for one in reply.draws
    )
    return Reply(
        tuple(draws),
        _at_most(reply.input_tokens, into),
        _at_most(reply.output_tokens, out),
        _at_most(reply.reasoning_tokens, out),
        reply.exchanges,
        failure=reply.failure,
    )


def _at_most(count: int | None, most: int) -> int | None:
    return None if count is not None and count > most else count


def _most_tokens(request: Request, reply: Reply) -> tuple[int, int]:
    """The most tokens that a request and its reply may have, each way."""
    asked = [message.content for message in request.messages or ()] + [request.text or ""]
    found = FOUND_TOKENS if request.options.get("search") else 0
    into = sum([BYTES * len(text) for text in asked]) + HIDDEN_TOKENS + found
    came = [len(draw.text) + len(draw.reasoning or "") for draw in reply.draws]
    each = request.max_tokens + thinking_room(request) + HIDDEN_TOKENS + found
    draws = max(request.n, len(reply.draws))
    return draws * into, draws * each + BYTES * sum(came)


def read_served(name: object, fingerprint: object = None) -> ServedModel | None:
    """What a server says of the model that answered, as one printable line each."""
    return _make_served(
        name if isinstance(name, str) else "",
        fingerprint if isinstance(fingerprint, str) else "",
    )


@lru_cache(SERVED_KEPT)
def _make_served(name: str, fingerprint: str) -> ServedModel | None:
    found = ServedModel(_line(name), _line(fingerprint))
    return found if found.name or found.fingerprint else None


def _line(said: str) -> str:
    line = said[:LONGEST_NAME]
    return (line if line.isprintable() else "".join(filter(str.isprintable, line))).strip()


def _find_failure(choice: dict[str, Any]) -> AnswerFailure | None:
    """Why a choice is no answer of the model, None where it is one."""
    error, end = choice.get("error"), choice.get("finish_reason")
    if isinstance(error, dict):  # of a table, it may hold nothing
        error = {name: value for name, value in error.items() if value is not None}
    if error:
        code = error.get("code") if isinstance(error, dict) else None
        status = code if type(code) is int and 400 <= code < 600 else None
        return AnswerFailure(storable(message(error)), status)
    if end in FINISHES or not isinstance(end, str):
        return None
    said = choice.get("message", choice)
    is_empty = not any(said.get(name) for name in ("text", "content", *THOUGHTS))
    if end.lower() in BROKEN or (end.lower() == ABORTED and is_empty):
        return AnswerFailure(f"the answer ended with {storable(end)}")
    return None


def _draw(
    choice: dict[str, Any],
    reasoning_tokens: int | None,
    raw: bool,
    by: ServedModel | None,
) -> Draw:
    said = choice if raw else choice.get("message", choice)
    # A refusal stands in a field of its own, in place of the content.
    text = said["text"] if said is choice else said.get("content") or said.get("refusal") or ""
    thought = said.get(THOUGHTS[0]) or said.get(THOUGHTS[1])
    if isinstance(text, list):
        thought, text = thought or _parts(text, "thinking"), _parts(text, "text")
    if not thought:
        thought, text = reasoning_marks.split(text)
    finish = choice.get("finish_reason")
    return Draw(
        text if text.isascii() else storable(text),
        finish if finish in FINISHES else None,
        storable(thought) if thought and isinstance(thought, str) else None,
        reasoning_tokens,
        (),
        by,
    )


def _parts(parts: list[Any], kind: str) -> str:
    """The parts of one kind in a content of several (Mistral keeps thoughts and text so)."""
    texts = [part[kind] for part in parts if part["type"] == kind]
    return "".join(_parts(one, "text") if isinstance(one, list) else one for one in texts)


def storable(text: str) -> str:
    """The text itself, but for halves of surrogate pairs: they cannot be written as UTF-8."""
    return (
        text
        if text.isascii()
        else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    )


def count_reasoning(usage: dict[str, Any]) -> int | None:
    """Tokens of reasoning: where OpenAI counts them, else where SGLang does."""
    within = _count(usage.get("completion_tokens_details") or {}, "reasoning_tokens")
    return _count(usage, "reasoning_tokens") if within is None else within


def _count(usage: dict[str, Any], key: str) -> int | None:
    return read_token_count(usage.get(key))
