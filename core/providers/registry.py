"""From a model's name to the provider that reaches it."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.errors import UsageError
from core.providers import gemini_models
from core.providers.base import Provider
from core.providers.batch_service import BatchService
from core.providers.capabilities import (
    EMBEDDED_STEP_TOKENS,
    GEMINI_SINGLE_REQUESTS,
    UNTRUNCATED,
    Capabilities,
)
from core.providers.embedded.gguf_file import open_gguf
from core.providers.embedded.model_server import SLOTS, EmbeddedServer
from core.providers.model_names import GEMINI_KEY, ModelName, key_variable, parse
from core.settings.extras import check_extra

if TYPE_CHECKING:
    from core.providers.logprobs.option_scorer import OptionScorer
    from core.providers.openai_tuner import OpenAITuner

NO_LOGPROBS = (
    "this service gives no log probabilities of texts that it is given, as it is asked by chat "
    "alone: --test response asks it for its answers"
)


@dataclass(frozen=True, slots=True)
class ProviderRecord:
    """A provider: how a model of it is reached, and what it can be asked for.

    `open` and `open_service` import the SDK; `describe` needs neither SDK nor network.
    """

    open: Callable[[ModelName], Provider]
    describe: Callable[[ModelName], Capabilities]
    open_service: Callable[[ModelName], BatchService] | None = None
    """The same with batches, where the provider's service takes them."""
    open_scorer: Callable[[ModelName, str | None], "OptionScorer"] | None = None
    """The same with log probabilities, where a model may have them, in the way that is named."""
    open_tuner: Callable[[ModelName], "OpenAITuner"] | None = None
    """The same with fine-tuning, where the provider's service does that."""
    extra: str = ""
    """What has to be installed for it, beside the program itself."""


def open_provider(name: str) -> Provider:
    """The provider for a model name; the caller closes it.

    `OPENAI_API_KEY` is read for OpenAI's own host only, `LOSTKEYS_KEY_<HOST>` (spelled as
    `core.providers.model_names.key_variable` does) for another, `GEMINI_API_KEY` for Gemini. The
    embedded server is not started before the first request.
    Raises `LostkeysError` where what it needs is not installed, `UsageError` for a name of no
    known form, where OpenAI's or Gemini's key is missing, and
    for a replay of a file that cannot be read.
    """
    model, record = _reach(name)
    return record.open(model)


def _reach(name: str) -> tuple[ModelName, ProviderRecord]:
    """A model's name taken apart, and its provider. Raises where something is not installed."""
    model = parse(name)
    record = PROVIDERS[model.provider]
    if record.extra:
        check_extra(record.extra)
    return model, record


def open_service(name: str) -> BatchService:
    """The provider of a model that takes batches as well; the caller closes it.

    Keys as with `open_provider`. Raises `UsageError` as that does, and for a model that runs
    here.
    """
    model, record = _reach(name)
    opened = record.open_service
    if opened is None:
        raise UsageError(
            f"{name} takes no batches, which are a service of OpenAI and Gemini: "
            "leave --via batch out"
        )
    return opened(model)


def open_scorer(name: str, way: str | None = None) -> "OptionScorer":
    """The way to a model's log probabilities; the caller closes it.

    `way` is that of a recipe, where there is one: a server is asked in no other then. Keys as with
    `open_provider`. Raises `UsageError` as that does, and for a service that is known
    to have none, before anything is asked.
    """
    check_scorer_of(name)
    model, record = _reach(name)
    assert record.open_scorer is not None
    return record.open_scorer(model, way)


def check_scorer_of(name: str) -> None:
    """Raise `UsageError` for a model of a service that is known to give no log probabilities."""
    model = parse(name)
    if PROVIDERS[model.provider].open_scorer is None or model.is_openai:
        raise UsageError(f"{name}: {NO_LOGPROBS}")


def open_tuner(name: str) -> "OpenAITuner":
    """The service that fine-tunes a model; the caller closes it.

    Keys as with `open_provider`. Raises `UsageError` as that does, and for a model of a service
    that is not asked to.
    """
    model, record = _reach(name)
    opened = record.open_tuner
    if opened is None:
        raise UsageError(f"{name} cannot be fine-tuned from here: name one as openai:MODEL[@URL]")
    return opened(model)


def describe(name: str) -> Capabilities:
    """The capabilities of the model so named; raises `UsageError` for a name of no known form.

    Those of a replay and of a GGUF stand in its file, which is read: `UsageError` where it cannot
    be.
    """
    model = parse(name)
    return PROVIDERS[model.provider].describe(model)


def key_of(model: ModelName) -> str | None:
    """The key for a model of a service; None where its host needs none.

    Raises `UsageError` where OpenAI's or Gemini's is missing.
    """
    if model.provider == "gemini":
        return _require_key(model, GEMINI_KEY)
    if model.is_openai:
        return _require_key(model, "OPENAI_API_KEY")
    return _read_key(key_variable(model.host or ""))


def _require_key(model: ModelName, variable: str) -> str:
    key = _read_key(variable)
    if key is None:
        raise UsageError(f"{model} needs a key; set {variable}")
    return key


def _read_key(variable: str) -> str | None:
    key = os.environ.get(variable, "").strip()
    if not key.isascii() or not key.isprintable() or " " in key:
        raise UsageError(
            f"{variable} does not hold a key: there are characters in it that none has"
        )
    return key or None


def _open_embedded(model: ModelName) -> Provider:
    from core.providers.embedded.embedded_model import EmbeddedModel

    return EmbeddedModel()


def _open_embedded_scorer(model: ModelName, way: str | None) -> "OptionScorer":
    from core.providers.embedded.embedded_scorer import EmbeddedScorer

    return EmbeddedScorer(way=way)


def _describe_embedded(model: ModelName) -> Capabilities:
    return Capabilities(
        requests=SLOTS,
        sequences=SLOTS,
        completion="raw",
        options=UNTRUNCATED,
        step_tokens=EMBEDDED_STEP_TOKENS,
        replies="schema",
    )


def _open_gguf(model: ModelName) -> Provider:
    from core.providers.embedded.embedded_model import EmbeddedModel

    file = open_gguf(model.file or "")
    if not EmbeddedServer.runs(file):
        file.check_room()
    return EmbeddedModel(file)


def _open_gguf_scorer(model: ModelName, way: str | None) -> "OptionScorer":
    from core.providers.embedded.embedded_scorer import EmbeddedScorer, ScoreChild

    file = open_gguf(model.file or "")
    if not ScoreChild.runs(file):
        file.check_room()
    return EmbeddedScorer(way=way, model=file)


def _describe_gguf(model: ModelName) -> Capabilities:
    slots, _ = open_gguf(model.file or "").seats
    return Capabilities(draws=slots, requests=slots, sequences=slots, options=UNTRUNCATED)


def _open_openai(model: ModelName) -> Provider:
    from core.providers.openai_compatible import OpenAICompatible

    key = key_of(model)
    return OpenAICompatible(model.model, model.base_url or "", key, own_host=model.is_openai)


def _open_server_scorer(model: ModelName, way: str | None) -> "OptionScorer":
    from core.providers.logprobs.server_scorer import ServerScorer

    return ServerScorer(model.model, model.base_url or "", key_of(model), way)


def _describe_openai(model: ModelName) -> Capabilities:
    return Capabilities(options={} if model.is_openai else UNTRUNCATED)


def _open_openai_batches(model: ModelName) -> BatchService:
    from core.providers.openai_batches import OpenAIBatches

    key = key_of(model)
    return OpenAIBatches(model.model, model.base_url or "", key, own_host=model.is_openai)


def _open_openai_tuner(model: ModelName) -> "OpenAITuner":
    from core.providers.openai_tuner import OpenAITuner

    key = key_of(model)
    return OpenAITuner(model.model, model.base_url or "", key, own_host=model.is_openai)


def _open_gemini(model: ModelName) -> Provider:
    key = _require_key(model, GEMINI_KEY)
    from core.providers.gemini import Gemini

    return Gemini(model.model, key)


def _describe_gemini(model: ModelName) -> Capabilities:
    known = gemini_models.look_up(model.model)
    return Capabilities(
        draws=known.draws,
        requests=8 if known.draws > 1 else GEMINI_SINGLE_REQUESTS,
        options=known.options,
        thinking="native" if known.on else "step_by_step",
        always_thinks=known.always_thinks,
        replies="schema",
    )


def _open_gemini_batches(model: ModelName) -> BatchService:
    from core.providers.gemini_batches import GeminiBatches

    return GeminiBatches(model.model, key_of(model) or "")


def _open_replay(model: ModelName) -> Provider:
    from core.providers.replay import Replay

    return Replay(model.model)


def _describe_replay(model: ModelName) -> Capabilities:
    from core.providers.replay import capabilities

    return capabilities(model.model)


def _open_file(model: ModelName) -> Provider:
    raise UsageError(
        f"{model} cannot be asked from here: `lostkeys requests --model {model} -o DIR` writes "
        "files for engines that can"
    )


def _describe_file(model: ModelName) -> Capabilities:
    return Capabilities(options=UNTRUNCATED)


PROVIDERS: Mapping[str, ProviderRecord] = {
    "embedded": ProviderRecord(
        _open_embedded,
        _describe_embedded,
        open_scorer=_open_embedded_scorer,
        extra="local",
    ),
    "gguf": ProviderRecord(
        _open_gguf,
        _describe_gguf,
        open_scorer=_open_gguf_scorer,
        extra="local",
    ),
    "openai": ProviderRecord(
        _open_openai,
        _describe_openai,
        _open_openai_batches,
        _open_server_scorer,
        _open_openai_tuner,
        extra="openai",
    ),
    "gemini": ProviderRecord(_open_gemini, _describe_gemini, _open_gemini_batches, extra="gemini"),
    "replay": ProviderRecord(_open_replay, _describe_replay),
    "file": ProviderRecord(_open_file, _describe_file),
}
"""Every provider by what the names of its models begin with; `FORMS` says how they go on."""
