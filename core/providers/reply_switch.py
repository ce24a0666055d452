"""Whether an OpenAI-compatible server holds replies to a JSON Schema, found out by trying.

What takes `response_format` of the type `json_schema`, by their documentation as of November 2026:
OpenAI, vLLM, SGLang, llama.cpp, LM Studio, Ollama. Others refuse the field or ignore it; some think
first and then leave the reply empty. Whether a server obeys is seen by a reply to a request whose
text invites prose.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace

from core.providers.base import (
    FatalError,
    Reply,
    Request,
    SchemaRefusedError,
    TransientError,
    UnanswerableError,
)
from core.providers.capabilities import Capabilities
from prompts import Message
from prompts.reply_shape import ReplyForm, ReplyShape, ShapeError

QUESTION = "Tell me in one sentence why bread rises."
SHAPE = ReplyShape.parse(
    {"type": "object", "properties": {"known": {"type": "boolean"}, "years": {"type": "integer"}}}
)
"""Nothing that a reply to the question would be by itself."""

IN_WORDS: Mapping[ReplyForm, str] = {
    "schema": "JSON of a schema, which is obeyed",
    "text": "as text: a schema is refused or not obeyed",
}
"""How replies are asked for, for people."""

ROOM = 128

Ask = Callable[[Request], Awaitable[Reply]]


async def discover(ask: Ask, known: Capabilities) -> ReplyForm:
    """How replies of a model are to be asked for, by one small request, two where it is refused.

    `known`: how it is made to think, which it does as a grader. Raises what `ask` raises where a
    plain request fails as well.
    """
    thinks = {"thinking": True} if known.thinking == "native" else {}
    plain = Request(
        n=1,
        max_tokens=ROOM,
        temperature=1.0,
        top_p=1.0,
        messages=(Message("user", QUESTION),),
        options={**known.options, **thinks},
    )
    try:
        reply = await ask(replace(plain, schema=SHAPE.schema))
    except SchemaRefusedError:
        return "text"
    except (FatalError, UnanswerableError, TransientError):
        # Some servers do not say what they refuse, or crash on it.
        await ask(plain)
        return "text"
    return "schema" if _obeys(reply) else "text"


def _obeys(reply: Reply) -> bool:
    """Whether the reply is of the shape, and ended by itself."""
    if not reply.draws or reply.draws[0].finish == "length":
        return False
    try:
        SHAPE.read_reply(reply.draws[0].text)
    except ShapeError:
        return False
    return True
