"""What is known of a model or a grader before it is asked: its preflight, in words."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from core.errors import LostkeysError
from core.graders.model.grader import model_of
from core.preflight import PATIENCE, Preflight, preflight
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


async def check_graders(names: Sequence[str], folder: Path | None = None) -> Checked:
    """Check models as graders, each with two answers to grade. Raises nothing.

    `folder` may hold prompts of the user's own.
    """
    found = [await _check_grader(name, folder) for name in names]
    faulty = next((one for one in found if one.fault), None)
    return faulty or Checked("; ".join(dict.fromkeys(one.words for one in found)))


async def _check_grader(name: str, folder: Path | None) -> Checked:
    from core.graders.model.trial import ready
    from core.providers.registry import open_provider

    try:
        model = model_of(name)
        if parse(model).provider in ("embedded", "replay"):
            return Checked(HERE)
        provider = await asyncio.to_thread(open_provider, model)
    except LostkeysError as error:
        return Checked(str(error), fault=True)
    try:
        async with asyncio.timeout(PATIENCE):
            found = await ready(provider, name, None, folder)
    except LostkeysError as error:
        return Checked(str(error).removesuffix("; nothing was graded"), fault=True)
    except TimeoutError:
        return Checked(f"{model}: no answer within {PATIENCE:.0f} seconds", fault=True)
    finally:
        await provider.close()
    return Checked("; ".join(found.notes).replace(f"{name}: ", "") or "grades")


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
