"""What is known of a model before it is asked: its preflight, in words."""

import asyncio
from dataclasses import dataclass

from core.errors import LostkeysError
from core.preflight import Preflight, preflight
from core.providers.capabilities import Capabilities, describe
from core.providers.found import in_words
from core.providers.names import parse

CHECKING = "checking…"
HERE = "runs on this machine"
STRANGER = "not checked: its address came out of this file"


@dataclass(frozen=True, slots=True)
class Checked:
    """What a check of a model came to, in words.

    `fault`: it cannot be asked as it is. `passable`: one may go on with it all the same.
    `thinking`: how thinking is switched, off / on.
    """

    words: str = ""
    fault: bool = False
    passable: bool = False
    thinking: str = ""


async def check(model: str, off: bool = True, known: Capabilities | None = None) -> Checked:
    """Check a model with a few requests; the embedded one is known. Raises nothing.

    `off`: whether thinking is to be off; `known`: how it is asked, None to find out first.
    """
    from core.providers.registry import open_provider

    try:
        if parse(model).provider in ("embedded", "replay"):
            return Checked(HERE, thinking=_switched(in_words(describe(model))))
        provider = await asyncio.to_thread(open_provider, model)
    except LostkeysError as error:
        return Checked(str(error), fault=True)
    try:
        return told(await preflight(provider, model, off, known))
    except LostkeysError as error:
        return Checked(str(error), fault=True)
    finally:
        await provider.close()


def told(found: Preflight) -> Checked:
    """A preflight in words."""
    if found.silent:
        return Checked(found.reason, fault=True)
    if found.failed:
        return Checked(found.reason, fault=True, passable=True)
    details = {one.name: one.detail for one in found.checks}
    count = details.get("n", "").partition(" ")[0]
    draws = "one a request" if found.single else f"n = {count}" if count.isdecimal() else ""
    said = f"answers, {draws}" if draws else "answers"
    return Checked(said, thinking=_switched(details.get("thinking", "")))


def _switched(said: str) -> str:
    """How thinking is switched, short."""
    if not said or said.startswith("step by step"):
        return said and "on: step by step prompt"
    return f"off / on: {said}"
