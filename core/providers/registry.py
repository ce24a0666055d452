"""From a model's name to the provider that reaches it."""

import os

from core.errors import UsageError
from core.providers import gemini_models, model_names
from core.providers.base import Provider
from core.providers.batch_service import BatchService
from core.providers.capabilities import (
    EMBEDDED_STEP_TOKENS,
    GEMINI_SINGLE_REQUESTS,
    UNTRUNCATED,
    Capabilities,
)
from core.providers.embedded.model_server import SLOTS
from core.providers.model_names import GEMINI_KEY, ModelName, key_variable, parse


def open_provider(name: str) -> Provider:
    """The provider for a model name; the caller closes it.

    `OPENAI_API_KEY` is read for OpenAI's own host only, `LOSTKEYS_KEY_<HOST>` (spelled as
    `core.providers.model_names.key_variable` does) for another, `GEMINI_API_KEY` for Gemini. The
    embedded server is not started before the first request.
    Raises `UsageError` for a name of no known form, where OpenAI's or Gemini's key is missing, and
    for a replay of a file that cannot be read.
    """
    model = parse(name)
    if model.provider == "replay":
        from core.providers.replay import Replay

        return Replay(model.model)
    if model.provider == "gemini":
        key = _needed(model, GEMINI_KEY)
        from core.providers.gemini import Gemini

        return Gemini(model.model, key)
    if model.base_url is None:
        from core.providers.embedded.embedded_model import Embedded

        return Embedded()
    from core.providers.openai_compatible import OpenAICompatible

    return OpenAICompatible(model.model, model.base_url, key_of(model), own_host=model.is_openai)


def key_of(model: ModelName) -> str | None:
    """The key for a model of a service; None where its host needs none.

    Raises `UsageError` where OpenAI's or Gemini's is missing.
    """
    if model.provider == "gemini":
        return _needed(model, GEMINI_KEY)
    if model.is_openai:
        return _needed(model, "OPENAI_API_KEY")
    return _held(key_variable(model.host or ""))


def _needed(model: ModelName, variable: str) -> str:
    key = _held(variable)
    if key is None:
        raise UsageError(f"{model} needs a key; set {variable}")
    return key


def _held(variable: str) -> str | None:
    key = os.environ.get(variable, "").strip()
    if not key.isascii() or not key.isprintable() or " " in key:
        raise UsageError(
            f"{variable} does not hold a key: there are characters in it that none has"
        )
    return key or None


def open_service(name: str) -> BatchService:
    """The provider of a model that takes batches as well; the caller closes it.

    Keys as with `open_provider`. Raises `UsageError` as that does, and for a model that runs
    here.
    """
    model = parse(name)
    if model.provider == "gemini":
        from core.providers.gemini_batches import GeminiBatches

        return GeminiBatches(model.model, key_of(model) or "")
    if model.provider != "openai" or model.base_url is None:
        raise UsageError(
            f"{name} takes no batches, which are a service of OpenAI and Gemini: "
            "leave --via batch out"
        )
    from core.providers.openai_batches import OpenAIBatches

    key = key_of(model)
    return OpenAIBatches(model.model, model.base_url, key, own_host=model.is_openai)


def describe(name: str) -> Capabilities:
    """The capabilities of the model so named; raises `UsageError` for a name of no known form.

    Those of a replay stand in its file, which is read: `UsageError` where it cannot be.
    """
    model = model_names.parse(name)
    if model.provider == "replay":
        from core.providers.replay import capabilities

        return capabilities(model.model)
    if model.provider == "embedded":
        return Capabilities(
            requests=SLOTS,
            sequences=SLOTS,
            completion="raw",
            options=UNTRUNCATED,
            step_tokens=EMBEDDED_STEP_TOKENS,
        )
    if model.provider == "gemini":
        return _gemini(model.model)
    return Capabilities(options={} if model.is_openai else UNTRUNCATED)


def _gemini(model: str) -> Capabilities:
    known = gemini_models.look_up(model)
    return Capabilities(
        draws=known.draws,
        requests=8 if known.draws > 1 else GEMINI_SINGLE_REQUESTS,
        options=known.options,
        thinking="native" if known.on else "step_by_step",
        always_thinks=known.always_thinks,
    )
