"""What is known of a model or a grader before it is asked: its preflight, in words."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.errors import LostkeysError
from core.graders.grader_record import model_of
from core.providers.capabilities import Capabilities
from core.providers.endpoints import AUTO, Endpoints
from core.providers.model_names import EMBEDDED, parse
from core.providers.model_traits import in_words
from core.providers.registry import describe
from core.providers.reply_switch import IN_WORDS
from core.sampling.preflight import PATIENCE, REPLIES, Preflight, at_endpoints, preflight
from core.sampling.recipe import apply_endpoints
from tui.dialogs.start.form import Form
from tui.dialogs.start.form_fields import Do

CHECKING = "checking…"
HERE = "runs on this machine"
FORMS: Mapping[str, str] = {"schema": "replies as JSON", "text": "replies as text"}
"""In what form replies are asked for that are read."""

STRANGER = "not checked: its address came out of this file"


@dataclass(frozen=True, slots=True)
class ModelCheck:
    """What a check of a model came to, in words.

    `fault`: it cannot be asked as it is. `passable`: one may go on with it all the same.
    `thinking`: how thinking is switched, off / on. `endpoints`: where it is asked.
    """

    words: str = ""
    fault: bool = False
    passable: bool = False
    thinking: str = ""
    endpoints: str = ""


def needs_check(form: Form) -> bool:
    """Whether the model is tried before it is asked; scores have a test of their own."""
    return form.asks and form.do is not Do.SCORE


async def check(
    model: str,
    off: bool = True,
    known: Capabilities | None = None,
    asked: Endpoints = AUTO,
    replies: bool = False,
) -> ModelCheck:
    """Check a model with a few requests; the embedded one is known. Raises nothing.

    `off`: whether thinking is to be off; `known`: how it is asked, None to find out first, with
    what is `asked` of the endpoints; `replies`: whether its replies are read, as in a build.
    """
    from core.providers.registry import open_provider

    try:
        if parse(model).provider in ("embedded", "replay"):
            here = known or apply_endpoints(describe(model), model, asked)
            words = _describe_here(model) + (f", {FORMS[here.replies]}" if replies else "")
            return ModelCheck(
                words, thinking=_format_switch(in_words(here)), endpoints=at_endpoints(here)
            )
        provider = await asyncio.to_thread(open_provider, model)
    except LostkeysError as error:
        return ModelCheck(str(error), fault=True)
    try:
        found = await preflight(provider, model, off, known, asked, replies=replies)
        slots = provider.remarks[:1] if parse(model).file is not None else ()
        return describe_preflight(found, slots)
    except LostkeysError as error:
        return ModelCheck(str(error), fault=True)
    finally:
        await provider.close()


async def check_graders(
    names: Sequence[str], folder: Path | None = None, effort: str | None = None
) -> ModelCheck:
    """Check models as graders, each with two answers to grade. Raises nothing.

    `folder` may hold prompts of the user's own; `effort`: how hard they are to think.
    """
    found = [await _check_grader(name, folder, effort) for name in names]
    faulty = next((one for one in found if one.fault), None)
    return faulty or ModelCheck("; ".join(dict.fromkeys(one.words for one in found)))


async def _check_grader(name: str, folder: Path | None, effort: str | None) -> ModelCheck:
    from core.grading.grader_probe import prepare_grader
    from core.providers.registry import open_provider

    try:
        model = model_of(name)
        if parse(model).provider in ("embedded", "replay"):
            return ModelCheck(f"{_describe_here(model)}, {FORMS[describe(model).replies]}")
        provider = await asyncio.to_thread(open_provider, model)
    except LostkeysError as error:
        return ModelCheck(str(error), fault=True)
    try:
        async with asyncio.timeout(PATIENCE):
            found = await prepare_grader(provider, name, None, folder, effort=effort)
    except LostkeysError as error:
        return ModelCheck(str(error).removesuffix("; nothing was graded"), fault=True)
    except TimeoutError:
        return ModelCheck(f"{model}: no answer within {PATIENCE:.0f} seconds", fault=True)
    finally:
        await provider.close()
    said = "; ".join(found.notes).replace(f"{name}: ", "") or "grades"
    return ModelCheck(f"{said}, {FORMS[found.grader.recipe.replies]}")


def _describe_here(model: str) -> str:
    """What answers on this machine: the embedded model goes by its file."""
    from core.providers.embedded import weights

    return weights.name_file() + HERE.removeprefix("runs") if model == EMBEDDED else HERE


def describe_preflight(found: Preflight, here: Sequence[str] = ()) -> ModelCheck:
    """A preflight in words; of a model that runs in this program, `here` says how."""
    if found.silent:
        return ModelCheck(found.reason, fault=True)
    if found.failed:
        return ModelCheck(found.reason, fault=True, passable=True)
    details = {one.name: one.detail for one in found.checks}
    draws = _format_draws(found.most_answers, details.get("n", ""))
    form = next((one for one, said in IN_WORDS.items() if said == details.get(REPLIES)), None)
    parts = [*(here or ("answers", draws)), *([FORMS[form]] if form else [])]
    said = ", ".join(filter(None, parts))
    thinking = _format_switch(details.get("thinking", ""))
    return ModelCheck(said, thinking=thinking, endpoints=details.get("endpoints", ""))


def _format_draws(most: int | None, said: str) -> str:
    """How many answers a request has, short."""
    if most is not None:
        return "one a request" if most == 1 else f"at most {most} a request"
    count = said.partition(" ")[0]
    return f"n = {count}" if count.isdecimal() else ""


def _format_switch(said: str) -> str:
    """How thinking is switched, short."""
    if not said or said.startswith("step by step"):
        return said and "on: step by step prompt"
    return f"off / on: {said}"
