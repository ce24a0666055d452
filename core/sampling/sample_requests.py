"""From missing slots to requests: what exactly a model is asked."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

import prompts
from core.dataset import choice_options
from core.dataset.choice_options import encode, shown_order, shown_orders
from core.providers.base import Request
from core.sampling.arm_form import ArmForm, as_message
from core.sampling.recipe import NATIVE, Recipe, is_raw, raw_options, template_for
from core.sampling.recipe_settings import limit_of
from core.vocabulary import Task
from db.question_rows import StoredQuestion
from db.slot_ids import slot


def stage_of(thinking: bool, mode: str = "") -> str:
    """The name of the stage in which a setting's answers are counted, or those of an arm."""
    return f"answer, {mode or ('thinking on' if thinking else 'thinking off')}"


@dataclass(frozen=True, slots=True)
class SampleRequest:
    """One request, and the samples of one question and setting that it fills.

    `shown` is the number of the permutation of the options shown (multiple choice); `channel` the
    name of the model that is asked. `mode` is that of an arm, empty for a model.
    """

    question: StoredQuestion
    setting: int
    thinking: bool
    samples: tuple[int, ...]
    request: Request
    shown: int | None
    channel: str
    mode: str = ""

    @property
    def stage(self) -> str:
        """The stage that counts it."""
        return stage_of(self.thinking, self.mode)

    @property
    def things(self) -> int:
        """How many answers it asks for."""
        return len(self.samples)

    @property
    def cell(self) -> int:
        """The slot of the first sample of its question and setting."""
        return slot(self.question.id, self.setting, 0)

    @property
    def slots(self) -> list[int]:
        """The slots that it fills."""
        first = self.cell
        return [first + sample for sample in self.samples]

    def rest(self, got: int) -> "SampleRequest | None":
        """The same for the samples beyond the first `got`; None where there are none."""
        samples = self.samples[got:]
        if not samples:
            return None
        request = replace(self.request, n=len(samples), samples=samples)
        return replace(self, samples=samples, request=request)


def asks_for(
    question: StoredQuestion,
    setting: int,
    thinking: bool,
    samples: Sequence[int],
    recipe: Recipe,
    most: int,
    folder: Path | None = None,
    form: ArmForm | None = None,
) -> Iterator[SampleRequest]:
    """Requests that fill these samples, at most `most` of them in each; of an arm in its form."""
    for turn, group in groupby(
        sorted(samples, key=lambda sample: _turn(question, sample)),
        key=lambda sample: _turn(question, sample),
    ):
        shown = _order_options(question, turn)
        same = tuple(group)
        for part in (same[start : start + most] for start in range(0, len(same), most)):
            request = _request(question, thinking, part, shown, recipe, folder, form)
            number = encode(shown, question.choices) if shown and question.choices else None
            mode = "" if form is None else str(form.mode)
            yield SampleRequest(
                question, setting, thinking, part, request, number, recipe.model, mode
            )


def _turn(question: StoredQuestion, sample: int) -> int:
    """Samples of one turn see the same text: only multiple choice has several."""
    return sample % choice_options.OPTIONS if question.choices else 0


def shown_numbers(question: StoredQuestion) -> Sequence[int | None]:
    """The numbers of the orders of the options that samples are shown, turn by turn.

    Sample k sees that of turn k modulo 4. None without options.
    """
    options = question.choices
    if options is None or question.seed is None:
        return (None,) * choice_options.OPTIONS
    gold = choice_options.gold_option(options, question.gold.text)
    return [encode(shown, options) for shown in shown_orders(options, gold, question.seed)]


def _order_options(question: StoredQuestion, turn: int) -> tuple[str, ...] | None:
    if question.choices is None or question.seed is None:
        return None
    gold = choice_options.gold_option(question.choices, question.gold.text)
    return shown_order(question.choices, gold, question.seed, turn)


def _request(
    question: StoredQuestion,
    thinking: bool,
    samples: tuple[int, ...],
    shown: tuple[str, ...] | None,
    recipe: Recipe,
    folder: Path | None,
    form: ArmForm | None,
) -> Request:
    template = template_for(question.task, thinking, recipe)
    raw, stop = is_raw(question.task, thinking, recipe), recipe.stop.get(template)
    if form is not None:
        text = form.write_for(question, folder)
        messages = None if raw else as_message(text)
    elif raw:
        text, messages = _text(question, shown, template, folder), None
    else:
        messages = prompts.load(template, folder).render(**_build_inputs(question, shown))
    return Request(
        n=len(samples),
        max_tokens=limit_of(recipe, question.task, template),
        temperature=recipe.temperature,
        top_p=recipe.top_p,
        text=text if raw else None,
        messages=messages,
        options=raw_options(recipe.options) if raw else _options(thinking, recipe),
        samples=samples,
        stop=() if stop is None else (stop,),
    )


def _options(thinking: bool, recipe: Recipe) -> Mapping[str, object]:
    """With a reasoning mode of the model's own, each request says whether to use it."""
    return {**recipe.options, "thinking": thinking} if recipe.thinking == NATIVE else recipe.options


def _text(
    question: StoredQuestion, shown: tuple[str, ...] | None, template: str, folder: Path | None
) -> str:
    """What a raw endpoint goes on with."""
    if question.task is Task.COMPLETION:
        # Trailing white space changes the tokens that follow (semantics section 2).
        return question.text.rstrip()
    return prompts.load(template, folder).render_text(**_build_inputs(question, shown))


def _build_inputs(question: StoredQuestion, shown: tuple[str, ...] | None) -> dict[str, str]:
    if shown is not None:
        letters = (f"option_{letter}" for letter in "abcd")
        return {"question": question.text, **dict(zip(letters, shown, strict=True))}
    if question.task is Task.COMPLETION:
        return {"left_context": question.text.rstrip()}
    return {"question": question.text}
