"""What a model was asked to draw an answer: the prompt to the letter."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import prompts
from core.errors import LostkeysError
from core.providers.base import Request
from core.sampling.recipe import Recipe, is_raw, template_for
from core.sampling.sample_requests import SampleRequest, asks_for
from core.settings import paths
from core.views.entity_spans import Span
from core.vocabulary import Task
from db.question_rows import StoredQuestion


@dataclass(frozen=True, slots=True)
class SentExemplar:
    """An answered question that a prompt shows; `answer` is where its answer stands there.

    It is true where it is shown with its own gold. `known`: whether the model knew it, None where
    nobody found out.
    """

    answer: Span | None
    gold: str
    is_true: bool
    known: bool | None


@dataclass(frozen=True, slots=True)
class Call:
    """How a setting was asked: the prompt as sent, and the recipe; None if imported.

    `samples` are the answers that this prompt was sent for: multiple choice has one prompt for
    each order of its options. The prompt is None too where nobody can say what was sent: the
    template is no longer the recipe's, or the gold has been edited since.
    """

    thinking: bool
    prompt: str | None
    recipe: Mapping[str, object] | None
    samples: tuple[int, ...] = ()
    exemplars: tuple[SentExemplar, ...] = ()


def calls_of(
    question: StoredQuestion,
    setting: int,
    thinking: bool,
    shown: Mapping[int, int | None],
    recipe: Mapping[str, object] | None,
) -> Iterator[Call]:
    """The calls behind the answers in one setting; `shown` has the order stored of each sample.

    A recipe comes out of the file: one that makes no sense gives no prompt.
    """
    samples = tuple(shown)
    if not samples:
        return
    asks: list[SampleRequest] = []
    made = None if recipe is None else _read_recipe(recipe)
    if made is not None:
        with suppress(LostkeysError, LookupError, ValueError):  # template, limit or gold is another
            asks = _asks(question, setting, thinking, samples, made)
    for ask in asks:
        known = all(shown[sample] == ask.shown for sample in ask.samples)
        yield Call(thinking, _as_sent(ask.request) if known else None, recipe, ask.samples)
    if not asks:
        yield Call(thinking, None, recipe, samples)


def _read_recipe(stored: Mapping[str, object]) -> Recipe | None:
    """The recipe stored so, None if its fields or their types are others."""
    try:
        made = Recipe(**stored)  # type: ignore[arg-type]  # checked below
    except TypeError:
        return None
    words: tuple[object, ...] = (made.model, made.completion, made.thinking, made.questions)
    tables: tuple[object, ...] = (made.options, made.max_tokens, made.prompts, made.stop)
    fits = all(isinstance(one, str) for one in words)
    return made if fits and all(isinstance(one, Mapping) for one in tables) else None


def _asks(
    question: StoredQuestion,
    setting: int,
    thinking: bool,
    samples: tuple[int, ...],
    made: Recipe,
) -> list[SampleRequest]:
    """The requests that drew these samples, as they would be made now."""
    template = template_for(question.task, thinking, made)
    alone = question.task is Task.COMPLETION and is_raw(question.task, thinking, made)
    folder = None if alone else _folder(template, made.prompts[template])
    return list(asks_for(question, setting, thinking, samples, made, len(samples), folder))


def _folder(template: str, digest: str) -> Path | None:
    """Where the recipe's template lies: the user's folder, or None for ours."""
    for folder in dict.fromkeys((paths.prompts_folder(), None)):
        if prompts.load(template, folder).hash == digest:
            return folder
    raise LookupError(template)


def _as_sent(request: Request) -> str:
    """The text of a raw request, or the messages of a chat under their roles."""
    if request.messages is None:
        return request.text or ""
    return "\n\n".join(f"# {message.role}\n{message.content}" for message in request.messages)
