"""What trying has shown of a model: kept in the database, so that nothing is tried twice."""

import json
import sqlite3
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import db.project_values
from core.providers.capabilities import Capabilities
from core.providers.endpoints import Endpoint
from core.providers.model_names import GGUF, label_of
from db.connection import write_transaction
from prompts.reply_shape import ReplyForm

THINKING_ROOM = 16_384
LOW_THINKING_ROOM = 4_096
"""Tokens added to the limit where a model thinks, and where it is kept to the lowest that it
takes: servers count thoughts and answer together, and would cut the answer off."""

OF_THINKING = ("thinking_off", "thinking_on", "thinking_room")
"""Options that say how a chat is made to think: a raw completion has none of them."""

Fields = Mapping[str, object]
"""Fields of a request's body."""


@dataclass(frozen=True, slots=True)
class ModelTraits:
    """What has been found out about an OpenAI-compatible model at its address; None: not yet.

    `off` and `on` are the fields that switch a reasoning mode of its own (`native`); empty: the
    plain request. `always_thinks`: nothing keeps it from reasoning, and `off` is the lowest that
    it takes. `completion` and `questions` are the endpoints at which it is asked unless told
    otherwise. `most_answers`: the server gives no more to a request, whatever `n` says.
    `replies`: whether it holds replies to a schema.
    """

    thinking: Literal["step_by_step", "native"] | None = None
    off: Fields = field(default_factory=dict)
    on: Fields = field(default_factory=dict)
    always_thinks: bool = False
    completion: Endpoint | None = None
    questions: Endpoint | None = None
    most_answers: int | None = None
    replies: ReplyForm | None = None

    def apply_to(self, known: Capabilities) -> Capabilities:
        """The capabilities known from the name, with what was found."""
        known = replace(
            known,
            draws=min(known.draws, self.most_answers or known.draws),
            completion=self.completion or known.completion,
            questions=self.questions or known.questions,
            replies=self.replies or known.replies,
        )
        if self.thinking != "native":
            return known
        low = LOW_THINKING_ROOM if self.always_thinks else 0
        values = (dict(self.off), dict(self.on), [low, THINKING_ROOM])
        ways = dict(zip(OF_THINKING, values, strict=True))
        return replace(
            known,
            thinking="native",
            options={**known.options, **ways},
            always_thinks=self.always_thinks,
        )

    @property
    def sound(self) -> bool:
        """Whether the values are what they can be: they come out of a file."""
        most = self.most_answers
        return (
            isinstance(self.off, dict)
            and isinstance(self.on, dict)
            and self.thinking in (None, "step_by_step", "native")
            and self.completion in (None, "raw", "chat")
            and self.questions in (None, "raw", "chat")
            and self.replies in (None, "text", "schema")
            and (most is None or (type(most) is int and most >= 1))
        )


NOTHING = ModelTraits()


def read_traits(connection: sqlite3.Connection, model: str) -> ModelTraits:
    """What was found of a model (its full name): nothing where that cannot be read."""
    stored = db.project_values.value(connection, _name(model))
    try:
        found = ModelTraits(**_renew_fields(json.loads(stored or "{}")))
    except (TypeError, ValueError, RecursionError):
        return ModelTraits()
    return found if found.sound else ModelTraits()


def remember(connection: sqlite3.Connection, model: str, found: ModelTraits) -> None:
    """Keep what was found. Inside a transaction."""
    db.project_values.set_value(connection, _name(model), json.dumps(asdict(found), sort_keys=True))


def keep(connection: sqlite3.Connection, model: str, found: ModelTraits) -> None:
    """Keep what was found, where it is new. Outside of any transaction."""
    if found != read_traits(connection, model):
        with write_transaction(connection):
            remember(connection, model, found)


def _renew_fields(stored: dict[str, Any]) -> dict[str, Any]:
    """What an earlier version stored, as it is stored now.

    It knew `single` for one answer to a request, and asked by chat.
    """
    if "single" not in stored:
        return stored
    single = stored.pop("single") is True
    return {**stored, "questions": "chat", "most_answers": 1 if single else None}


def in_words(known: Capabilities) -> str:
    """How thinking is switched, off / on, for people."""
    if known.thinking != "native":
        return "step by step: the model has no reasoning mode of its own"
    off, on = known.options.get("thinking_off"), known.options.get("thinking_on")
    first = off[0] if isinstance(off, list | tuple) and off else off
    before, after = _spell_fields(first), _spell_fields(on)
    name, _, value = after.partition(" ")
    said = (
        f"{before} / {value}" if value and before.startswith(f"{name} ") else f"{before} / {after}"
    )
    return f"{said} (never quite off)" if known.always_thinks else said


def _spell_fields(fields: Any) -> str:
    """`reasoning_effort none`, `chat_template_kwargs enable_thinking false`, or `plain`."""
    if not isinstance(fields, Mapping) or not fields:
        return "plain"
    name, value = next(iter(fields.items()))
    if isinstance(value, Mapping):
        return f"{name} {_spell_fields(value)}"
    return f"{name} {value if isinstance(value, str) else json.dumps(value)}"


def _name(model: str) -> str:
    """What it is kept under: of a file by its size and time, as another may lie there one day."""
    file = model.removeprefix(GGUF)
    if file != model:
        with suppress(OSError):
            stat = Path(file).stat()
            return f"found:{label_of(model)} {stat.st_size} {stat.st_mtime_ns}"
    return f"found:{model}"
