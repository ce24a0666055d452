"""From the name of a grounding to the thing itself."""

from core.build.grounding.grounding import Grounding
from core.errors import UsageError
from core.project import Project
from core.providers.names import parse

GEMINI, OPENAI = "gemini:gemini-2.5-flash", "openai:gpt-5-mini"
"""Whom to ask where only the service is named."""

FORMS = ("local", "gemini[:MODEL]", "openai[:MODEL]")

SEARCH_ROOM = 8_192
"""Tokens beside the answer in which OpenAI's models think about what to search."""


def open_grounding(name: str, project: Project, model: str) -> Grounding:
    """The grounding so named; `model` is asked by the one that has none of its own.

    Raises `UsageError` for a name of no known form, and where the service's key is missing.
    """
    if name == "local":
        from core.build.grounding.local import Local

        return Local(model, project.connection)
    service, _, wanted = name.partition(":")
    if service not in ("gemini", "openai") or name.endswith(":"):
        raise UsageError(f"no grounding {name!r}: groundings are {', '.join(FORMS)}")
    from core.build.grounding.search import Search
    from core.providers.registry import key_of

    default = GEMINI if service == "gemini" else OPENAI
    asked = parse(name if wanted else default)
    key_of(asked)
    if service == "gemini":
        return Search(str(asked))
    room = (SEARCH_ROOM, SEARCH_ROOM)
    return Search(str(asked), {"search": True, "thinking_room": room})
