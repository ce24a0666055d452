"""What request files hold beside the texts: the fields that an engine takes."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from core.errors import UsageError
from core.providers.capabilities import UNTRUNCATED, Capabilities
from core.providers.model_names import parse
from core.providers.model_traits import ModelTraits
from core.providers.thinking_switch import SPELLINGS
from core.specs.file_specs import EngineName, ThinkingWay
from prompts.reply_shape import ReplyForm

DEFAULT: EngineName = "vllm"


@dataclass(frozen=True, slots=True)
class EngineFields:
    """`options` go into every body; `limit` is what chat completions call the token limit.

    `replies`: the form in which labels are asked for; `strict`: whether schemas are written as
    OpenAI takes them.
    """

    options: Mapping[str, object]
    limit: str = "max_tokens"
    replies: ReplyForm = "schema"
    strict: bool = False


ENGINES: Mapping[EngineName, EngineFields] = {
    "vllm": EngineFields(UNTRUNCATED),
    "sglang": EngineFields(UNTRUNCATED),
    "openai": EngineFields({}, "max_completion_tokens", strict=True),
    "plain": EngineFields({}, replies="text"),
}

ALIKE: Mapping[EngineName, tuple[EngineName, ...]] = {
    "vllm": ("vllm", "sglang"),
    "openai": ("openai",),
}
"""Engines that files may name, by what a model at an address is asked like."""

_WAYS = dict(zip(("effort", "template"), SPELLINGS, strict=False))


def choose_engine(model: str, wanted: EngineName | None) -> EngineName:
    """The engine of a model's files. Raises `UsageError` for a model that files are not for."""
    name = parse(model)
    if name.provider == "file":
        return wanted or DEFAULT
    if name.provider not in ("openai", "gguf"):
        raise UsageError(
            f"{model} takes no such files: name openai:MODEL@URL or gguf:PATH, or file:NAME for a "
            "model that nobody is to ask beforehand"
        )
    usual: EngineName = "openai" if name.is_openai else DEFAULT
    if wanted is not None and wanted not in ALIKE[usual]:
        raise UsageError(
            f"--engine {wanted} is not what {model} takes: leave it out, or name the model "
            f"file:{name.model}"
        )
    return wanted or usual


def describe_files(engine: EngineName, way: ThinkingWay) -> Capabilities:
    """What is known of a model that nobody asks: by its engine, and by what the user says."""
    fields = ENGINES[engine]
    known = Capabilities(options=dict(fields.options), replies=fields.replies)
    if way == "steps":
        return known
    spelling = _WAYS[way]
    return replace(
        ModelTraits("native", off=spelling.off, on=spelling.on).apply_to(known), draws=known.draws
    )
