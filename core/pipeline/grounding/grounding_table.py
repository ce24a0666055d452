"""From the name of a grounding to the thing itself."""

from core.errors import UsageError
from core.pipeline.grounding.grounding_source import GroundingSource
from core.project import OpenProject
from core.providers.model_names import ModelName, parse

GEMINI, OPENAI = "gemini:gemini-2.5-flash", "openai:gpt-5-mini"
"""Whom to ask where only the service is named."""

FORMS = ("local", "gemini[:MODEL]", "openai[:MODEL]")

SEARCH_ROOM = 8_192
"""Tokens beside the answer in which OpenAI's models think about what to search."""


def open_grounding(name: str, project: OpenProject, model: str) -> GroundingSource:
    """The grounding so named; `model` is asked by the one that has none of its own.

    Raises `UsageError` for a name of no known form, and where the service's key is missing.
    """
    if name == "local":
        from core.pipeline.grounding.document_search import DocumentSearch

        return DocumentSearch(model, project.connection)
    from core.pipeline.grounding.web_search import WebSearch

    asked = check(name)
    if asked.provider == "gemini":
        return WebSearch(str(asked))
    room = (SEARCH_ROOM, SEARCH_ROOM)
    return WebSearch(str(asked), {"search": True, "thinking_room": room})


def check(name: str) -> ModelName:
    """Whom a service's grounding asks. Raises `UsageError` as `open_grounding` does."""
    from core.providers.registry import key_of

    service, _, wanted = name.partition(":")
    if service not in ("gemini", "openai") or name.endswith(":"):
        raise UsageError(f"no grounding {name!r}: groundings are {', '.join(FORMS)}")
    asked = parse(name if wanted else GEMINI if service == "gemini" else OPENAI)
    key_of(asked)
    return asked
