"""What trying has shown of a model: kept in the database, so that nothing is tried twice."""

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

import db.models
from core.providers.capabilities import Capabilities

THINKING_ROOM = 16_384
LOW_THINKING_ROOM = 4_096
"""Tokens added to the limit where a model thinks, and where it is kept to the lowest that it
takes: servers count thoughts and answer together, and would cut the answer off."""

Fields = Mapping[str, object]
"""Fields of a request's body."""


@dataclass(frozen=True, slots=True)
class Found:
    """What has been found out about an OpenAI-compatible model at its address.

    `off` and `on` are the fields that switch a reasoning mode of its own (`native`); empty: the
    plain request. `always_thinks`: nothing keeps it from reasoning, and `off` is the lowest that
    it takes. `single`: the server sends one answer to a request, whatever `n` says.
    """

    thinking: Literal["step_by_step", "native"] = "step_by_step"
    off: Fields = field(default_factory=dict)
    on: Fields = field(default_factory=dict)
    always_thinks: bool = False
    single: bool = False

    def applied(self, known: Capabilities) -> Capabilities:
        """The capabilities known from the name, with what was found."""
        draws = 1 if self.single else known.draws
        if self.thinking != "native":
            return replace(known, draws=draws)
        low = LOW_THINKING_ROOM if self.always_thinks else 0
        ways = {
            "thinking_off": dict(self.off),
            "thinking_on": dict(self.on),
            "thinking_room": [low, THINKING_ROOM],
        }
        return replace(
            known,
            draws=draws,
            thinking="native",
            options={**known.options, **ways},
            always_thinks=self.always_thinks,
        )


def remembered(connection: sqlite3.Connection, model: str) -> Found | None:
    """What was found of a model (its full name), or None where nothing was, or it is unreadable."""
    stored = db.models.value(connection, _name(model))
    try:
        found = None if stored is None else Found(**json.loads(stored))
    except (TypeError, ValueError):
        return None
    sound = found is not None and isinstance(found.off, dict) and isinstance(found.on, dict)
    return found if sound else None


def remember(connection: sqlite3.Connection, model: str, found: Found) -> None:
    """Keep what was found. Inside a transaction."""
    db.models.set_value(connection, _name(model), json.dumps(asdict(found), sort_keys=True))


def in_words(known: Capabilities) -> str:
    """How thinking is switched, off / on, for people."""
    if known.thinking != "native":
        return "step by step: the model has no reasoning mode of its own"
    off, on = known.options.get("thinking_off"), known.options.get("thinking_on")
    first = off[0] if isinstance(off, list | tuple) and off else off
    before, after = _spelled(first), _spelled(on)
    name, _, value = after.partition(" ")
    said = (
        f"{before} / {value}" if value and before.startswith(f"{name} ") else f"{before} / {after}"
    )
    return f"{said} (never quite off)" if known.always_thinks else said


def _spelled(fields: Any) -> str:
    """`reasoning_effort none`, `chat_template_kwargs enable_thinking false`, or `plain`."""
    if not isinstance(fields, Mapping) or not fields:
        return "plain"
    name, value = next(iter(fields.items()))
    if isinstance(value, Mapping):
        return f"{name} {_spelled(value)}"
    return f"{name} {value if isinstance(value, str) else json.dumps(value)}"


def _name(model: str) -> str:
    return f"found:{model}"
