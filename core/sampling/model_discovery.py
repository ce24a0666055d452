"""What has to be found out of a model by trying: where it is asked, how it is made to think."""

from collections.abc import Awaitable, Callable
from dataclasses import replace

from core.providers import thinking_switch
from core.providers.base import FatalError, Reply, Request
from core.providers.endpoints import Endpoints, discover_completion, refuses_chat
from core.providers.model_names import ModelName
from core.providers.model_traits import ModelTraits

Ask = Callable[[Request], Awaitable[Reply]]


async def discover(
    ask: Ask, probe: Ask, model: ModelName, seen: ModelTraits, asked: Endpoints
) -> ModelTraits:
    """What is known of a model, with what is still to be found out of it.

    `probe` asks as `ask` does, but not again for an answer that is none in its form. `asked` is
    what the user says of the endpoints: what they name is not tried. The raw endpoint comes first,
    then chat, unless nothing goes there.
    Raises what `ask` raises where the model cannot be asked.
    """
    if asked.completion == "auto" and seen.completion is None:
        seen = replace(seen, completion=await discover_completion(probe))
    completion = seen.completion if asked.completion == "auto" else asked.completion
    questions = seen.questions if asked.questions == "auto" else asked.questions
    by_chat = "chat" in (completion, questions)
    if questions is not None and not (by_chat and seen.thinking is None):
        return seen
    try:
        return await discover_thinking(ask, model, seen)
    except FatalError as error:
        if asked.questions != "auto" or not refuses_chat(error):
            raise
        if seen.completion is None:
            seen = replace(seen, completion=await discover_completion(probe))
        if seen.completion != "raw":
            raise
        return replace(seen, questions="raw")


async def discover_thinking(ask: Ask, model: ModelName, seen: ModelTraits) -> ModelTraits:
    """The same with how a model is made to think, by a few requests to chat, which it answers."""
    how = await thinking_switch.discover(ask, model)
    return replace(
        how,
        completion=seen.completion,
        questions="chat",
        most_answers=seen.most_answers,
        replies=seen.replies,
    )
