"""What is found out of a model by a question or two, and kept, before it is asked for good."""

import sqlite3
from dataclasses import replace
from functools import partial

import db.project_values
from core.providers import model_traits
from core.providers.base import Provider, retry_request
from core.providers.capabilities import Capabilities
from core.providers.registry import describe
from core.providers.reply_switch import discover
from core.sampling.preflight import await_trial, find_thinking
from core.sampling.recipe import is_found_out
from core.specs.answer_specs import ReplyWord
from db.connection import write_transaction

COLD, DEFAULT = 0.0, 1.0
"""Temperatures: the one that is wanted, and what models do that refuse to be told."""


def known_now(connection: sqlite3.Connection, model: str) -> Capabilities:
    """What is known of a model by its name, and by what was found out if anything was."""
    return model_traits.read_traits(connection, model).apply_to(describe(model))


async def capabilities_of(
    provider: Provider,
    model: str,
    connection: sqlite3.Connection | None,
    replies: ReplyWord = "text",
) -> Capabilities:
    """What is known of a model, found out where its name does not say it, and kept.

    `replies`: what a person says of the form of replies; `auto` finds out whether the model is
    held to a schema.
    """
    if not is_found_out(model):
        return describe(model)
    seen = (
        model_traits.NOTHING if connection is None else model_traits.read_traits(connection, model)
    )
    before = seen
    if seen.thinking is None:
        seen = await find_thinking(provider, model, seen)
    if replies == "auto" and seen.replies is None:
        trial = discover(partial(retry_request, provider), seen.apply_to(describe(model)))
        found = await await_trial(provider, trial, model)
        seen = replace(seen, replies=found)
    if connection is not None and seen != before:
        model_traits.keep(connection, model, seen)
    return seen.apply_to(describe(model))


def temperature_of(connection: sqlite3.Connection | None, model: str) -> float:
    """The temperature at which a model is asked to judge: the lowest that it is known to take."""
    kept = None if connection is None else db.project_values.value(connection, _key(model))
    return COLD if kept is None else DEFAULT


def remember_warm(connection: sqlite3.Connection | None, model: str) -> None:
    """Keep that a model refuses temperature 0."""
    if connection is not None:
        with write_transaction(connection):
            db.project_values.set_value(connection, _key(model), str(DEFAULT))


def _key(model: str) -> str:
    return f"grading temperature:{model}"
