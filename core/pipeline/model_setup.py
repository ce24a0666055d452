"""Getting a model ready for building: how it is to be asked, found out with few requests."""

import sqlite3
from dataclasses import replace

from core.errors import ProviderError
from core.pipeline.stage_requests import StageModel
from core.providers.base import FatalError, Provider, Request, UnanswerableError, retry_request
from core.providers.model_names import parse
from core.sampling.found_capabilities import DEFAULT, capabilities_of, remember_warm, temperature_of
from core.sampling.preflight import KNOWN
from core.specs.answer_specs import ReplyWord
from prompts import Message

TRIAL = "Which city is the capital of France? Answer with its name alone."
ROOM = 64


async def make_stage_model(
    provider: Provider, model: str, connection: sqlite3.Connection, replies: ReplyWord = "auto"
) -> StageModel:
    """Find out how a model thinks and what temperature it takes, and try it once.

    `replies`: the form in which it is asked; `auto` finds out whether it is held to a schema. What
    is found is kept in the database. The embedded model and a replay are known, and not
    tried. Raises `ProviderError` where the model does not answer.
    """
    known = await capabilities_of(provider, model, connection, replies)
    if replies != "auto":
        known = replace(known, replies=replies)
    stage_model = StageModel(model, known, temperature_of(connection, model))
    if parse(model).provider in KNOWN:
        return stage_model
    try:
        await retry_request(provider, _request(stage_model))
    except (FatalError, UnanswerableError) as error:
        stage_model = StageModel(model, known, DEFAULT)
        try:
            await retry_request(provider, _request(stage_model))
        except ProviderError:
            raise ProviderError(f"{error}; nothing was built") from None
        remember_warm(connection, model)
    return stage_model


def _request(stage_model: StageModel) -> Request:
    thinks = {"thinking": True} if stage_model.known.thinking == "native" else {}
    return Request(
        n=1,
        max_tokens=ROOM,
        temperature=stage_model.temperature,
        top_p=1.0,
        messages=(Message("user", TRIAL),),
        options={**stage_model.known.options, **thinks},
    )
