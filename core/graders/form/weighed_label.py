"""An answer read as numbers, and the chance that a person would call it right.

The label is `lexical`'s, unless it says CORRECT or INCORRECT by words: there the chance decides. It
is that of a logistic regression over the numbers. `tests/bench/form_training.py` makes the weights.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import exp
from pathlib import Path

from core.graders.form.answer_traits import measure_traits
from core.graders.form.gold_readings import read_golds
from core.graders.form.likeness import Rarity, find_closest, measure_likeness
from core.graders.lexical.rubric import rubric_for
from core.vocabulary import Label

WEIGHTS = Path(__file__).with_name("weights.json")
"""The file that the training writes."""

_IF_FOUND = ("coverage", "precision", "ratio", "rare recall", "other names", "answer words")
_IF_NOT = ("near miss", "joined", "rarest found", "gold words", "short", "rare recall")


SURE_RIGHT, SURE_WRONG = 0.9, 0.1
"""The least and the most chance of an answer that a number or a date makes right or wrong.

People agree with 96 and 91 % of these labels (docs/background/graders.md).
"""


@dataclass(frozen=True, slots=True)
class WeighedLabel:
    """A label, and the chance that a person would call the answer right, from 0 to 1."""

    label: Label
    chance: float

    @property
    def surety(self) -> float:
        """The chance of the likelier of right and wrong, from 0.5 to 1."""
        return max(self.chance, 1 - self.chance)


@dataclass(frozen=True, slots=True)
class FormWeights:
    """What the regression learnt: `weights` of numbers less `means`, by their names.

    `rarity` has 16 times the logarithm of how rare words are, by their hash. `lexical` is the
    version of `lexical` whose readings it has seen.
    """

    names: tuple[str, ...]
    means: tuple[float, ...]
    weights: tuple[float, ...]
    bias: float
    rarity: Rarity
    lexical: str

    def chance(self, numbers: Mapping[str, float]) -> float:
        """The chance that an answer with these numbers is right; one that is sure stays so."""
        total = self.bias + sum(
            weight * (numbers[name] - mean)
            for name, mean, weight in zip(self.names, self.means, self.weights, strict=True)
        )
        chance = 1 / (1 + exp(-min(max(total, -30.0), 30.0)))
        if not numbers["sure"]:
            return chance
        right = bool(numbers["lexical correct"])
        return max(chance, SURE_RIGHT) if right else min(chance, SURE_WRONG)


@cache
def load_weights() -> FormWeights:
    """The weights that come with the program."""
    found = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    return FormWeights(
        tuple(found["names"]),
        tuple(found["means"]),
        tuple(found["weights"]),
        found["bias"],
        tuple(found["rarity"]),
        found["lexical"],
    )


def measure_answer(
    asked: str, texts: Sequence[str], text: str, rarity: Rarity
) -> tuple[Label, dict[str, float] | None]:
    """The label of `lexical`, and the numbers; None where there are no words to compare."""
    rubric = rubric_for(asked, tuple(texts))
    answer = rubric.read_answer(text)
    label = rubric.label_read(text, answer)
    if not answer.passage.words or not rubric.golds:
        return label, None
    golds = read_golds(rubric, answer, label)
    closest = find_closest(golds, answer)
    numbers = dict(measure_traits(asked, rubric, closest, answer, label))
    numbers |= measure_likeness(golds, closest, answer, rarity)
    numbers["verbatim"] = float(rubric.is_verbatim(text))
    numbers["sure"] = float(rubric.is_sure(answer, label))
    return label, numbers | dict(_by_label(label, numbers))


def _by_label(label: Label, numbers: Mapping[str, float]) -> Iterator[tuple[str, float]]:
    """Numbers that tell differently where `lexical` found the gold and where it did not."""
    found = label == Label.CORRECT
    for name in _IF_FOUND:
        yield f"{name} if found", numbers[name] if found else 0.0
    for name in _IF_NOT:
        yield f"{name} if not", 0.0 if found else numbers[name]


def weigh(asked: str, golds: Sequence[str], text: str) -> WeighedLabel:
    """Label an answer, with the chance that it is right."""
    weights = load_weights()
    label, numbers = measure_answer(asked, golds, text, weights.rarity)
    if numbers is None:
        return WeighedLabel(label, float(label == Label.CORRECT))
    chance = weights.chance(numbers)
    if label in (Label.CORRECT, Label.INCORRECT):
        label = Label.CORRECT if chance >= 0.5 else Label.INCORRECT
    return WeighedLabel(label, chance)
