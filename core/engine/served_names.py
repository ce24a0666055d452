"""What a server says that it serves: another name than asked for, or one that changes."""

import re
from collections.abc import Iterable, Iterator

from core.engine.run_counters import SERVED
from core.errors import UsageError
from core.providers.base import Reply, ServedModel
from core.providers.model_names import parse

NAMED = ("openai", "gemini")
"""Providers whose servers are asked for a model by its name."""

SNAPSHOT = re.compile(r"-(\d{4}-?\d{2}-?\d{2}|\d{2}-\d{2}|\d{3,4})$")
"""What stands behind a name that means the newest of several snapshots."""

ADVICE = ": check which model the server runs"
"""How a line ends that is about another model than asked for."""


class ServedNames:
    """Looks at the names and fingerprints of one model's answers, and says each thing once a run.

    known: how the model was served before this run.
    """

    def __init__(self, known: Iterable[ServedModel] = ()) -> None:
        self._seen: ServedModel | None = None
        self._last: ServedModel | None = None
        for self._last in known:
            pass
        self._said: set[str] = set()

    def look(self, model: str, reply: Reply) -> list[tuple[str, str]]:
        """Lines for the log, each with its kind, about what an answer of `model` says anew."""
        lines: list[tuple[str, str]] = []
        for served in dict.fromkeys(draw.served for draw in reply.draws):
            if served is not None and served != self._seen:
                lines += self._news(model, served)
                self._seen = self._last = served
        return lines

    def _news(self, model: str, served: ServedModel) -> Iterator[tuple[str, str]]:
        last = self._last
        if served.name and "name" not in self._said and (line := difference(model, served.name)):
            self._said.add("name")
            yield line
        if last is None:
            return
        for what, before, after in (
            ("model", last.name, served.name),
            ("fingerprint", last.fingerprint, served.fingerprint),
        ):
            if before and after and before != after and f"change of {what}" not in self._said:
                self._said.add(f"change of {what}")
                yield SERVED, f"the served {what} changed from {before} to {after}"


def difference(model: str, served: str) -> tuple[str, str] | None:
    """A line, with its kind, on a served name that is another than asked for; None if it is not."""
    asked = _find_asked_name(model)
    if asked is None or _plain(asked) == _plain(served):
        return None
    if SNAPSHOT.sub("", _plain(served)) == _plain(asked):
        return "job", f"{asked} is served by its snapshot {served}"
    return SERVED, f"asked for {asked}, served by {served}{ADVICE}"


def _find_asked_name(model: str) -> str | None:
    """The name that the server is asked for; None where it is asked for none."""
    try:
        name = parse(model)
    except UsageError:
        return None
    return name.model if name.provider in NAMED else None


def _plain(name: str) -> str:
    """A name without its case, its folders and the ending of its file."""
    return re.split(r"[/\\]", name.rstrip("/\\").casefold())[-1].removesuffix(".gguf")
