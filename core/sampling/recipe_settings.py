"""What a person may set of a recipe: temperature, effort of a reasoning mode, limits of answers.

Source: Calderon et al., section 4, for the values without any.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from core.errors import UsageError
from core.sampling.recipe import NATIVE, Recipe
from core.vocabulary import TASKS, Task

EFFORTS = ("minimal", "low", "medium", "high")
MOST_TEMPERATURE = 2.0
MOST_TOKENS = 1_000_000

TEMPLATES_OF = {
    "completion": ("completion",),
    "questions": ("question", "question_raw"),
    "choice": ("choice", "choice_raw"),
    "steps": (
        *("completion_steps", "question_steps", "choice_steps"),
        *("question_raw_steps", "choice_raw_steps"),
    ),
}
"""What `--limit` can name beside a task, and the templates whose answers it limits."""

EFFORT_FIELDS = {"reasoning_effort": str.lower, "thinking_level": str.upper}
"""Fields of a request that say how hard a model thinks, and how their values are spelled."""


@dataclass(frozen=True, slots=True)
class RecipeSettings:
    """What is asked for; None, or a limit that is missing: as the label began, else the default.

    `limits` has the most tokens of an answer, by a task or a name of `TEMPLATES_OF`.
    """

    temperature: float | None = None
    effort: str | None = None
    limits: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def from_words(
        cls, temperature: float | None, effort: str | None, limits: Sequence[str]
    ) -> "RecipeSettings":
        """Check what was typed; limits as `questions=64`. Raises `UsageError`."""
        if temperature is not None and not 0 <= temperature <= MOST_TEMPERATURE:
            raise UsageError(f"--temperature {temperature:g}: give a number from 0 to 2")
        if effort is not None and effort not in EFFORTS:
            raise UsageError(f"--effort {effort}: choose one of {', '.join(EFFORTS)}")
        return cls(temperature, effort, dict(map(_read_limit, limits)))


AS_BEGUN = RecipeSettings()
"""Nothing is asked for."""


def _read_limit(word: str) -> tuple[str, int]:
    what, equals, number = word.partition("=")
    known = (*TEMPLATES_OF, *TASKS)
    if what not in known:
        raise UsageError(f"--limit {word}: {what} is none of {', '.join(dict.fromkeys(known))}")
    if not equals or not re.fullmatch("[0-9]{1,7}", number) or not 0 < int(number) <= MOST_TOKENS:
        raise UsageError(
            f"--limit {word}: give a number of tokens from 1 to {MOST_TOKENS:,}, such as {what}=64"
        )
    return what, int(number)


def apply_settings(
    recipe: Recipe, settings: RecipeSettings, begun: Mapping[str, object] | None
) -> Recipe:
    """The recipe with what was asked for; else with what the label's own recipe says.

    `begun` is the recipe of a label with responses, None without any. Raises `UsageError` for an
    effort where the model takes none.
    """
    before: Mapping[str, Any] = begun or {}
    temperature = before.get("temperature", recipe.temperature)
    if settings.temperature is not None:
        temperature = settings.temperature
    limits = dict(recipe.max_tokens)
    stored = before.get("max_tokens")
    if isinstance(stored, Mapping) and limits.keys() <= stored.keys():
        limits = dict(stored)
    for what, most in settings.limits.items():
        named = [name for name in TEMPLATES_OF.get(what, ()) if name in limits]
        limits |= dict.fromkeys(named or [what], most)
    options = recipe.options
    if settings.effort is not None:
        options = set_effort(recipe.model, recipe.thinking, recipe.options, settings.effort)
    elif isinstance(before.get("options"), Mapping) and _is_same_but_effort(
        before["options"], options
    ):
        options = before["options"]
    return replace(recipe, temperature=temperature, max_tokens=limits, options=options)


def _effort_field(options: Mapping[str, object]) -> str | None:
    """The field of the reasoning mode that says how hard the model thinks; None without one."""
    off: Any = options.get("thinking_off") or ()
    ways = [options.get("thinking_on"), *([off] if isinstance(off, Mapping) else off)]
    named = {name for way in ways if isinstance(way, Mapping) for name in way}
    return next((name for name in EFFORT_FIELDS if name in named), None)


def set_effort(
    model: str, thinking: str, options: Mapping[str, object], effort: str
) -> dict[str, object]:
    """Options with an effort of the reasoning mode. Raises `UsageError` where there is none."""
    name = _effort_field(options) if thinking == NATIVE else None
    if name is None:
        raise UsageError(
            f"{model} takes no --effort: models that do have a reasoning mode that is switched by "
            f"{' or '.join(EFFORT_FIELDS)}, as those of OpenAI, Ollama and Gemini 3"
        )
    on: Any = options.get("thinking_on")
    return {**options, "thinking_on": {**(on or {}), name: EFFORT_FIELDS[name](effort)}}


def _is_same_but_effort(stored: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    name = _effort_field(now)
    if name is None or _effort_field(stored) != name:
        return False
    before, after = (
        {**one, "thinking_on": {**one.get("thinking_on", {}), name: None}} for one in (stored, now)
    )
    return before == after


def limit_of(recipe: Recipe, task: Task, template: str) -> int:
    """The most tokens of an answer to a task that is asked with a template."""
    own = None if template.endswith("_steps") else recipe.max_tokens.get(str(task))
    return own or recipe.max_tokens[template]
