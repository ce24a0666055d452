"""The models of a database, and whether they answer."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import db.grids
import db.models
import db.responses
from core.answers import has_marker
from core.errors import LostkeysError
from core.project import Project
from core.providers.base import Request
from core.providers.capabilities import describe
from core.providers.names import EMBEDDED_MODEL, parse
from core.sampling.recipe import STEP_BY_STEP
from prompts import Message

MayAsk = Callable[[str], bool]
"""Whether a person lets a request go to this address, which came out of a file."""

EMBEDDED = f"embedded:{EMBEDDED_MODEL}"


@dataclass(frozen=True, slots=True)
class Entry:
    """One model: its label, responses, settings, and how it is asked (None: imported).

    `unmarked` is the share of step by step responses without `answer:`. `state` is what a check
    found, None without one; `failed` whether it found a fault.
    """

    model: str
    responses: int
    thinking: str
    asked_as: str | None
    unmarked: float | None = None
    state: str | None = None
    failed: bool = False

    def as_json(self) -> dict[str, object]:
        """One entry of `models --json`."""
        return {name: getattr(self, name) for name in self.__slots__}


def catalogue(path: Path, check: MayAsk | None = None) -> list[Entry]:
    """Models of a database (which may be absent) and the embedded one.

    With `check`, every model that can and may be asked is asked for one short answer.
    """
    entries = []
    if path.exists():
        with Project(path, "read") as project:
            entries = [_entry(project, label) for label in project.models()]
    if all(entry.asked_as != EMBEDDED for entry in entries):
        entries.append(Entry(EMBEDDED, 0, "–", EMBEDDED))
    return [checked(entry, check) for entry in entries] if check else entries


def _entry(project: Project, label: str) -> Entry:
    settings = project.setting_ids()
    mine = {on: settings[label, on] for on in (False, True) if (label, on) in settings}
    recipe = db.models.recipe_of(project.connection, label)
    unmarked = None
    if True in mine and recipe and recipe["thinking"] == STEP_BY_STEP:
        texts = [has_marker(text) for text in db.responses.texts(project.connection, mine[True])]
        unmarked = texts.count(False) / len(texts) if texts else None
    return Entry(
        label,
        sum(_drawn(project, setting) for setting in mine.values()),
        " and ".join("on" if on else "off" for on in mine),
        _asked_as(recipe),
        unmarked,
    )


def _drawn(project: Project, setting: int) -> int:
    cells = project.grids.cells(db.grids.DRAWN, setting)
    return 0 if cells is None else int(np.count_nonzero(cells))


def _asked_as(recipe: Mapping[str, object] | None) -> str | None:
    return None if recipe is None else str(recipe["model"])


def checked(entry: Entry, may_ask: MayAsk) -> Entry:
    """Ask the model for one short answer and note what came of it."""
    if entry.asked_as is None:
        return replace(entry, state="imported, cannot be asked")
    try:
        name = parse(entry.asked_as)
        if name.base_url and not name.is_openai and not may_ask(name.base_url):
            return replace(entry, state="not asked: its address came out of the file")
        draws = asyncio.run(_ask(entry.asked_as))
    except LostkeysError as error:
        return replace(entry, state=str(error), failed=True)
    if not draws:
        return replace(entry, state="sent no answer", failed=True)
    return replace(entry, state="answers")


async def _ask(model: str) -> int:
    from core.providers.registry import open_provider

    provider = open_provider(model)
    try:
        reply = await provider.draw(
            Request(
                n=1,
                max_tokens=8,
                temperature=1.0,
                top_p=1.0,
                messages=(Message("user", "What is the capital of Italy?"),),
                options=describe(model).options,
            )
        )
    finally:
        await provider.close()
    return len(reply.draws)
