"""What a model was asked to draw an answer: the prompt to the letter."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import prompts
from core import places
from core.errors import LostkeysError
from core.names import Task
from core.providers.base import Request
from core.sampling.asks import Ask, asks_for
from core.sampling.recipe import Recipe, is_raw, template_for
from db.facts import StoredQuestion


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
    asks: list[Ask] = []
    if recipe is not None:
        with suppress(LostkeysError, AttributeError, LookupError, TypeError, ValueError):
            asks = _asks(question, setting, thinking, samples, recipe)
    for ask in asks:
        known = all(shown[sample] == ask.shown for sample in ask.samples)
        yield Call(thinking, _as_sent(ask.request) if known else None, recipe, ask.samples)
    if not asks:
        yield Call(thinking, None, recipe, samples)


def _asks(
    question: StoredQuestion,
    setting: int,
    thinking: bool,
    samples: tuple[int, ...],
    recipe: Mapping[str, object],
) -> list[Ask]:
    """The requests that drew these samples, as they would be made now."""
    made = Recipe(**recipe)  # type: ignore[arg-type]  # checked by use: see `calls_of`
    template = template_for(question.task, thinking, made)
    alone = question.task is Task.COMPLETION and is_raw(question.task, thinking, made)
    folder = None if alone else _folder(template, made.prompts[template])
    return list(asks_for(question, setting, thinking, samples, made, len(samples), folder))


def _folder(template: str, digest: str) -> Path | None:
    """Where the recipe's template lies: the user's folder, or None for ours."""
    for folder in dict.fromkeys((places.prompts_folder(), None)):
        if prompts.load(template, folder).hash == digest:
            return folder
    raise LookupError(template)


def _as_sent(request: Request) -> str:
    """The text of a raw request, or the messages of a chat under their roles."""
    if request.messages is None:
        return request.text or ""
    return "\n\n".join(f"# {message.role}\n{message.content}" for message in request.messages)
