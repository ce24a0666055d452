"""Recipes: everything about how a model is asked that could change what it answers."""

import sqlite3
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import db.model_rows
import db.responses
import prompts
from core.errors import UsageError
from core.graders.answer_text import STEP_BY_STEP
from core.providers import model_traits
from core.providers.capabilities import Capabilities
from core.providers.embedded.gguf_file import open_gguf
from core.providers.endpoints import AUTO, Endpoints
from core.providers.model_names import GGUF, parse
from core.providers.registry import describe
from core.vocabulary import ENCODING, Task

NATIVE = "native"

ANSWER_TOKENS = {"completion": 24, "question": 32, "choice": 8}
"""Tokens a plain answer may take, by template: room for the longest golds, not for essays."""

RAW_STEP_TOKENS = 256
"""Tokens that the reasons of a raw answer may take, the answer at their end included."""

RAW_TOKENS = {
    "question_raw": ANSWER_TOKENS["question"],
    "choice_raw": ANSWER_TOKENS["choice"],
    "question_raw_steps": RAW_STEP_TOKENS,
    "choice_raw_steps": RAW_STEP_TOKENS,
}
RAW_STOPS = {name: "\nQuestion:" if name.endswith("_steps") else "\n" for name in RAW_TOKENS}
"""Limits of the templates for a raw endpoint, and the texts before which an answer ends."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a model label stands for (semantics section 1).

    `completion` is the endpoint of the completion task, `questions` that of the other nine, `raw`
    or `chat`; `prompts` maps the names of the templates used to their hashes, `stop` to the texts
    before which answers end; `weights` names the file of the embedded model, and has hash, size,
    architecture, quantisation and context of another that runs here. `form` is the template
    of an arm, with which all is asked; empty for models.
    """

    model: str
    completion: str
    temperature: float
    top_p: float
    options: Mapping[str, object]
    thinking: str
    max_tokens: Mapping[str, int]
    prompts: Mapping[str, str]
    weights: str | Mapping[str, object] | None = None
    questions: str = "chat"
    stop: Mapping[str, str] = field(default_factory=dict)
    form: str = ""

    def as_json(self) -> dict[str, object]:
        """The recipe as it is stored and compared."""
        return {name: value for name, value in asdict(self).items() if name != "form" or value}


def known_of(
    connection: sqlite3.Connection, model: str, label: str, asked: Endpoints = AUTO
) -> Capabilities:
    """What is known of a model: by its name, by what was found out, and by the label's recipe.

    A label with responses goes on as it began: what was found out later of how the model is asked
    and made to think is for other labels. `asked` is what the user says of the endpoints.
    Raises `UsageError` for an endpoint that there is not.
    """
    known, remembered = describe(model), model_traits.read_traits(connection, model)
    if is_found_out(model):
        known = remembered.apply_to(known)
    recipe: Any = find_begun_recipe(connection, model, label)
    if recipe is not None:
        known = replace(
            known,
            completion=recipe.get("completion", "chat"),
            questions=recipe.get("questions", "chat"),
        )
        if is_found_out(model):
            known = replace(known, thinking=recipe["thinking"], options=recipe["options"])
    return apply_endpoints(known, model, asked)


def find_known(
    connection: sqlite3.Connection, model: str, label: str, asked: Endpoints = AUTO
) -> Capabilities | None:
    """As `known_of`; None where something of it has still to be found out by trying."""
    if is_found_out(model) and find_begun_recipe(connection, model, label) is None:
        seen = model_traits.read_traits(connection, model)
        completion = seen.completion if asked.completion == "auto" else asked.completion
        questions = seen.questions if asked.questions == "auto" else asked.questions
        where = (completion, questions)
        if None in where or ("chat" in where and seen.thinking is None):
            return None
    return known_of(connection, model, label, asked)


def find_begun_recipe(
    connection: sqlite3.Connection, model: str, label: str
) -> Mapping[str, object] | None:
    """The recipe that a label with responses of this model stands for; None without any."""
    recipe = db.model_rows.recipe_of(connection, label)
    begun = "" if recipe is None else str(recipe.get("model"))
    if begun != model and not (begun.startswith(GGUF) and model.startswith(GGUF)):
        return None
    return recipe if db.responses.has_responses(connection, label) else None


def find_endpoints(
    connection: sqlite3.Connection, model: str, label: str, asked: Endpoints
) -> Endpoints:
    """What is asked of the endpoints, where a label with responses goes on as it began."""
    recipe: Any = find_begun_recipe(connection, model, label)
    if recipe is None:
        return asked
    known = apply_endpoints(
        replace(
            describe(model),
            completion=recipe.get("completion", "chat"),
            questions=recipe.get("questions", "chat"),
        ),
        model,
        asked,
    )
    return Endpoints(known.completion, known.questions)


def apply_endpoints(known: Capabilities, model: str, asked: Endpoints) -> Capabilities:
    """What is known of a model, asked at the endpoints that the user names.

    At a raw endpoint no model thinks but step by step. Raises `UsageError` as `known_of`.
    """
    completion = known.completion if asked.completion == "auto" else asked.completion
    questions = known.questions if asked.questions == "auto" else asked.questions
    if "raw" in (completion, questions) and parse(model).provider == "gemini":
        raise UsageError(f"{model} has no endpoint for raw completions: ask it by chat")
    known = replace(known, completion=completion, questions=questions)
    if questions == "chat":
        return known
    options = raw_options(known.options) if completion == "raw" else known.options
    return replace(known, thinking="step_by_step", options=options, always_thinks=False)


def raw_options(options: Mapping[str, object]) -> dict[str, object]:
    """Those of the options that a raw endpoint is sent."""
    return {name: value for name, value in options.items() if name not in model_traits.OF_THINKING}


def is_found_out(model: str) -> bool:
    """Whether how the model thinks has to be found out by trying; else its name says it."""
    return parse(model).provider in ("openai", "gguf")


def recipe_for(model: str, folder: Path | None = None, known: Capabilities | None = None) -> Recipe:
    """The recipe of a model by its name; `folder` may hold the user's own templates.

    known: what is known of the model, where that is more than its name says (`known_of`).
    """
    known = known or describe(model)
    limits, stops = _limits(known)
    sent = [name for name in limits if name != "completion" or not _is_all_raw(known)]
    return Recipe(
        model=model,
        completion=known.completion,
        temperature=1.0,
        top_p=1.0,
        options=dict(known.options),
        thinking=known.thinking,
        max_tokens=limits,
        prompts={name: prompts.load(name, folder).hash for name in sent},
        weights=find_weights(model),
        questions=known.questions,
        stop=stops,
    )


def _limits(known: Capabilities) -> tuple[dict[str, int], dict[str, str]]:
    """Token limits of the templates that a model is asked with, and where answers end."""
    if known.questions == "raw":
        return {"completion": ANSWER_TOKENS["completion"], **RAW_TOKENS}, dict(RAW_STOPS)
    steps = {f"{template}_steps": known.step_tokens for template in ANSWER_TOKENS}
    return {**ANSWER_TOKENS, **steps}, {}


def _is_all_raw(known: Capabilities) -> bool:
    return known.completion == known.questions == "raw"


def template_for(task: Task, thinking: bool, recipe: Recipe) -> str:
    """The name of the template that a task is asked with, and that its limit goes by."""
    if recipe.form:
        return recipe.form
    plain = "choice" if task.is_choice else "completion" if task is Task.COMPLETION else "question"
    if is_raw(task, thinking, recipe) and task is not Task.COMPLETION:
        plain = f"{plain}_raw"
    return f"{plain}_steps" if thinking and recipe.thinking == STEP_BY_STEP else plain


def is_raw(task: Task, thinking: bool, recipe: Recipe) -> bool:
    """Whether a task is asked at the raw endpoint.

    A raw completion is the text alone: with thinking on there is a chat, or none.
    """
    if task is Task.COMPLETION:
        return recipe.completion == "raw" and not thinking
    return recipe.questions == "raw"


def has_way(task: Task, thinking: bool, recipe: Recipe) -> bool:
    """Whether a task can be asked: a model whose questions go to a raw endpoint does not think
    about how a text goes on."""
    return not (task is Task.COMPLETION and thinking and recipe.questions == "raw")


def default_tasks(thinking: bool) -> tuple[Task, ...]:
    """What is drawn unless tasks are named: encoding counts only with thinking off."""
    return tuple(task for task in Task if not (thinking and task in ENCODING))


def check_same(stored: Mapping[str, object] | None, recipe: Recipe, label: str) -> None:
    """Raise `UsageError` if a label with responses stands for another recipe."""
    if stored is None:
        raise UsageError(
            f"{label} has imported responses, whose settings are not known: "
            "use --as NAME to keep this run apart"
        )
    changed = differences(stored, recipe)
    if "weights" in changed and (other := describe_other_file(stored["weights"], recipe.weights)):
        raise UsageError(
            f"{label} has responses of another file ({other}): use --as NAME to keep this run "
            "apart, or discard the old responses first with `lostkeys discard`"
        )
    if changed:
        raise UsageError(
            f"{label} has responses of another recipe (different: {', '.join(changed)}): use "
            "--as NAME to keep this run apart, or discard the old responses first with "
            "`lostkeys discard`"
        )


def check_label(connection: sqlite3.Connection, label: str, recipe: Recipe) -> None:
    """Raise `UsageError` where a label has responses that are not of this recipe."""
    if db.responses.has_responses(connection, label):
        check_same(db.model_rows.recipe_of(connection, label), recipe, label)


def differences(stored: Mapping[str, object], recipe: Recipe) -> list[str]:
    """In what a recipe differs from one that is stored."""
    before, now = {**db.model_rows.UNSAID, **stored}, recipe.as_json()
    if isinstance(recipe.weights, Mapping) and recipe.weights == before.get("weights"):
        before["model"] = recipe.model  # the same file, which may lie elsewhere
    return [name for name in now if before.get(name) != now[name]]


def describe_other_file(before: object, now: object) -> str | None:
    """Both hashes, where a model's file is another than it was; None where it is not a matter of
    that."""
    if not isinstance(before, Mapping) or not isinstance(now, Mapping):
        return None
    return f"SHA-256 {before.get('sha256')}, and this one has {now['sha256']}"


def find_weights(model: str) -> str | Mapping[str, object] | None:
    """The file of a model that runs here, as recipes keep it; None for any other."""
    if model.startswith(GGUF):
        return open_gguf(parse(model).file or "").recipe
    if not model.startswith("embedded:"):
        return None
    from core.providers.embedded.weights import find

    path = find()
    return f"{path.name} {path.stat().st_size}"
