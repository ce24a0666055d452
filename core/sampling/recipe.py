"""Recipes: everything about how a model is asked that could change what it answers."""

import sqlite3
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import db.models
import prompts
from core.errors import UsageError
from core.names import ENCODING, Task
from core.providers import found
from core.providers.capabilities import Capabilities, describe
from core.providers.names import parse

STEP_BY_STEP = "step_by_step"
NATIVE = "native"

ANSWER_TOKENS = {"completion": 24, "question": 32, "choice": 8}
"""Tokens a plain answer may take, by template: room for the longest golds, not for essays."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a model label stands for (semantics section 1).

    `completion` is the endpoint of the completion task, `raw` or `chat`; `prompts` maps the
    names of the templates used to their hashes; `weights` names the file of an embedded model.
    """

    model: str
    completion: str
    temperature: float
    top_p: float
    options: Mapping[str, object]
    thinking: str
    max_tokens: Mapping[str, int]
    prompts: Mapping[str, str]
    weights: str | None = None

    def as_json(self) -> dict[str, object]:
        """The recipe as it is stored and compared."""
        return asdict(self)


def known_of(connection: sqlite3.Connection, model: str, label: str) -> Capabilities:
    """What is known of a model: by its name, by what was found out, and by the label's recipe.

    A label with responses goes on as it began: what was found out later of how the model is made
    to think is for other labels.
    """
    known = describe(model)
    if not is_found_out(model):
        return known
    remembered = found.remembered(connection, model)
    known = remembered.applied(known) if remembered else known
    recipe: Any = db.models.recipe_of(connection, label) or {}
    if recipe.get("model") != model or not db.models.has_responses(connection, label):
        return known
    return replace(known, thinking=recipe["thinking"], options=recipe["options"])


def is_found_out(model: str) -> bool:
    """Whether how the model thinks has to be found out by trying; else its name says it."""
    return parse(model).provider == "openai"


def recipe_for(model: str, folder: Path | None = None, known: Capabilities | None = None) -> Recipe:
    """The recipe of a model by its name; `folder` may hold the user's own templates.

    known: what is known of the model, where that is more than its name says (`known_of`).
    """
    known = known or describe(model)
    steps = {f"{template}_steps": known.step_tokens for template in ANSWER_TOKENS}
    limits = {**ANSWER_TOKENS, **steps}
    return Recipe(
        model=model,
        completion="raw" if known.raw_completion else "chat",
        temperature=1.0,
        top_p=1.0,
        options=dict(known.options),
        thinking=known.thinking,
        max_tokens=limits,
        prompts={name: prompts.load(name, folder).hash for name in limits},
        weights=_weights(model),
    )


def template_for(task: Task, thinking: bool, recipe: Recipe) -> str:
    """The name of the template that a task is asked with."""
    plain = "choice" if task.is_choice else "completion" if task is Task.COMPLETION else "question"
    return f"{plain}_steps" if thinking and recipe.thinking == STEP_BY_STEP else plain


def default_tasks(thinking: bool) -> tuple[Task, ...]:
    """What is drawn unless tasks are named: encoding counts only with thinking off."""
    return tuple(task for task in Task if not (thinking and task in ENCODING))


def check_same(stored: Mapping[str, object] | None, recipe: Recipe, label: str) -> None:
    """Raise `UsageError` if a label with responses stands for another recipe."""
    if stored is None:
        raise UsageError(
            f"{label} has imported responses, drawn nobody knows how: "
            "give this run a label of its own with --as LABEL"
        )
    now = recipe.as_json()
    changed = [name for name in now if stored.get(name) != now[name]]
    if changed:
        raise UsageError(
            f"{label} has responses of another recipe (different: {', '.join(changed)}): give "
            "this run a label of its own with --as LABEL, or set the old ones aside with discard"
        )


def _weights(model: str) -> str | None:
    if not model.startswith("embedded:"):
        return None
    from core.embedded.weights import find

    path = find()
    return f"{path.name} {path.stat().st_size}"
