"""From missing slots to requests: what exactly a model is asked."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import prompts
from core import choices
from core.names import Task
from core.providers.base import Request
from core.sampling.options import shown_order
from core.sampling.recipe import NATIVE, Recipe, template_for
from db.facts import StoredQuestion


@dataclass(frozen=True, slots=True)
class Ask:
    """One request, and the samples of one question and setting that it fills.

    `shown` is the number of the permutation of the options shown (multiple choice).
    """

    question: StoredQuestion
    setting: int
    samples: tuple[int, ...]
    request: Request
    shown: int | None = None


def asks_for(
    question: StoredQuestion,
    setting: int,
    thinking: bool,
    samples: Sequence[int],
    recipe: Recipe,
    most: int,
    folder: Path | None = None,
) -> Iterator[Ask]:
    """Requests that fill these samples, at most `most` of them in each."""
    for turn, group in groupby(
        sorted(samples, key=lambda sample: _turn(question, sample)),
        key=lambda sample: _turn(question, sample),
    ):
        shown = _shown(question, turn)
        same = tuple(group)
        for part in (same[start : start + most] for start in range(0, len(same), most)):
            request = _request(question, thinking, len(part), shown, recipe, folder)
            number = choices.encode(shown, question.choices) if shown and question.choices else None
            yield Ask(question, setting, part, request, number)


def _turn(question: StoredQuestion, sample: int) -> int:
    """Samples of one turn see the same text: only multiple choice has several."""
    return sample % choices.OPTIONS if question.choices else 0


def _shown(question: StoredQuestion, turn: int) -> tuple[str, ...] | None:
    if question.choices is None or question.seed is None:
        return None
    gold = choices.gold_option(question.choices, question.gold.text)
    return shown_order(question.choices, gold, question.seed, turn)


def _request(
    question: StoredQuestion,
    thinking: bool,
    n: int,
    shown: tuple[str, ...] | None,
    recipe: Recipe,
    folder: Path | None,
) -> Request:
    template = template_for(question.task, thinking, recipe)
    raw = template == Task.COMPLETION and recipe.completion == "raw"
    return Request(
        n=n,
        max_tokens=recipe.max_tokens[template],
        temperature=recipe.temperature,
        top_p=recipe.top_p,
        # Trailing white space changes the tokens that follow (semantics section 2).
        text=question.text.rstrip() if raw else None,
        messages=None if raw else prompts.load(template, folder).render(**_inputs(question, shown)),
        options=_options(thinking, recipe),
    )


def _options(thinking: bool, recipe: Recipe) -> Mapping[str, object]:
    """With a reasoning mode of the model's own, each request says whether to use it."""
    return {**recipe.options, "thinking": thinking} if recipe.thinking == NATIVE else recipe.options


def _inputs(question: StoredQuestion, shown: tuple[str, ...] | None) -> dict[str, str]:
    if shown is not None:
        letters = (f"option_{letter}" for letter in "abcd")
        return {"question": question.text, **dict(zip(letters, shown, strict=True))}
    if question.task is Task.COMPLETION:
        return {"left_context": question.text.rstrip()}
    return {"question": question.text}
