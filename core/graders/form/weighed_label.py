"""An answer read as numbers, and the chance that a person would call it right.

The label is `lexical`'s, unless it says CORRECT or INCORRECT by words: there the chance decides. It
is that of a logistic regression over the numbers. `tests/bench/form_training.py` makes the weights.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from math import exp, log
from pathlib import Path
from zlib import crc32

from rapidfuzz import fuzz, process

from core.graders.lexical import dates, gold_comparison, quantities
from core.graders.lexical.lexical_answer import SHORT, LexicalAnswer
from core.graders.lexical.lexical_gold import LexicalGold, prepare
from core.graders.lexical.rubric import Rubric, rubric_for
from core.graders.lexical.word_alignment import Alignment, align
from core.vocabulary import Label

# How like an answer is to the golds: by words, by letters, by how rare the shared words are.

CLOSEST = 3
"""Golds that are looked at word by word: those most like the answer."""

Rarity = Sequence[int]
"""How rare words are, by the hash of a word; see `rarity_of`."""


@dataclass(frozen=True, slots=True)
class ClosestGold:
    """The gold that an answer is most like, and where its words stand in the answer."""

    gold: LexicalGold
    found: Alignment
    contained: bool


def find_closest(golds: Sequence[LexicalGold], answer: LexicalAnswer) -> list[ClosestGold]:
    """The golds most like an answer, the most like one first."""
    line = answer.line.strip()
    if len(golds) > CLOSEST:
        lines = [gold.line.strip() for gold in golds]
        near = process.extract(line, lines, scorer=fuzz.token_set_ratio, limit=CLOSEST)
        inside = (at for at, gold in enumerate(golds) if gold.line in answer.line)
        places = dict.fromkeys([*(at for _, _, at in near), *list(inside)[:CLOSEST]])
        golds = [golds[at] for at in places]
    every = [
        ClosestGold(gold, align(gold, answer), gold_comparison.contains_gold(gold, answer))
        for gold in golds
    ]
    return sorted(every, key=lambda one: (one.contained, one.found.coverage), reverse=True)


@lru_cache(maxsize=1 << 14)
def _bucket(word: str, size: int) -> int:
    return crc32(word.encode("utf-8", "replace")) % size


def rarity_of(word: str, rarity: Rarity) -> float:
    """How rare a word is among answers: 0 for the commonest."""
    return rarity[_bucket(word, len(rarity))] / 16


def measure_likeness(
    golds: Sequence[LexicalGold],
    closest: Sequence[ClosestGold],
    answer: LexicalAnswer,
    rarity: Rarity,
) -> Iterator[tuple[str, float]]:
    """Numbers of an answer beside the golds, most of them from 0 to 1."""
    line, joined = answer.line.strip(), answer.joined
    best = closest[0]
    gold, found = best.gold, best.found
    text = gold.line.strip()
    yield "contained", float(any(one.contained for one in closest))
    yield "coverage", found.coverage
    yield "all words", float(found.share == 1)
    yield "head", float(found.head)
    yield "evidence", float(found.evidence)
    yield "golds covered", sum(one.found.coverage >= 0.6 for one in closest) / len(closest)
    yield "ratio", max(fuzz.ratio(one.gold.line.strip(), line) for one in closest) / 100
    near = max(fuzz.partial_ratio(one.gold.line.strip(), line) for one in closest) / 100
    yield "partial ratio", near if len(text) <= len(line) else near / 2
    yield "near miss", max(0.0, near - 0.75) * 4
    yield "token sort", fuzz.token_sort_ratio(text, line) / 100
    yield "token set", fuzz.token_set_ratio(text, line) / 100
    yield "joined", max(fuzz.partial_ratio(one.gold.joined, joined) for one in closest) / 100
    yield from _trigrams(gold.joined, joined)
    yield from _measure_words(gold, found, answer, rarity)
    at = min((at for at in found.at if at >= 0), default=-1)
    yield "place", 1.0 if at < 0 else at / len(answer.passage.words)
    yield "first clause", float(at >= 0 and answer.passage.clause[at] == 0)
    spread = [at for at in found.at if at >= 0]
    yield "spread", log(1 + max(spread) - min(spread)) if spread else 0.0
    yield "denied", float(at >= 0 and answer.denies(at))
    yield "golds", log(len(golds))
    yield "gold words", log(len(gold.content))
    yield "gold letters", log(1 + len(gold.joined))
    yield "person", float(gold.person)
    yield "common", float(gold.common)


def _trigrams(gold: str, answer: str) -> Iterator[tuple[str, float]]:
    mine, its = _cut(gold), _cut(answer)
    shared = len(mine & its)
    yield "trigrams of gold", shared / len(mine) if mine else 0.0
    yield "trigrams of both", shared / len(mine | its) if mine else 0.0


def _cut(text: str) -> set[str]:
    text = text[:500]
    return {text[i : i + 3] for i in range(max(1, len(text) - 2))}


def _measure_words(
    gold: LexicalGold, found: Alignment, answer: LexicalAnswer, rarity: Rarity
) -> Iterator[tuple[str, float]]:
    """Precision and recall of telling words, plain and by rarity; what else the answer names."""
    stems, capital = answer.passage.stems, answer.passage.capital
    rare = {i: rarity_of(gold.passage.stems[i], rarity) + 0.5 for i in gold.content}
    hit = [i for i, at in zip(gold.content, found.at, strict=True) if at >= 0]
    places = set(found.at)
    others = [i for i in answer.news if i not in places]
    rest = [rarity_of(stems[i], rarity) for i in others]
    yield "rare recall", sum(rare[i] for i in hit) / sum(rare.values())
    yield "rarest found", max((rare[i] for i in hit), default=0.0) / max(rare.values())
    yield "rarest missing", max((rare[i] for i in gold.content if i not in hit), default=0.0) / 4
    news = [i for i in places if i in answer.news]
    kept = sum(rarity_of(stems[i], rarity) + 0.5 for i in news)
    yield "rare precision", kept / (kept + sum(rest) + 0.5 * len(rest) + 1e-9)
    yield "precision", len(news) / (len(news) + len(others)) if news or others else 0.0
    named = [i for i in others if capital[i]]
    yield "other words", log(1 + len(others))
    yield "other names", log(1 + len(named))
    yield "other rarity", max(rest, default=0.0) / 4


# The golds as an answer is weighed against them, where likeness of words would mislead.
#
# A number may be right in other words, inside a range or in another unit; and where a question is
# about roman figures, a number may be wrong in the right ones.


def read_golds(rubric: Rubric, answer: LexicalAnswer, label: Label) -> Sequence[LexicalGold]:
    """The golds of a question as `lexical`, which labels the answer so, has understood them."""
    if rubric.lacks_figures(answer):
        return [_keep_as_written(gold) for gold in rubric.golds]
    if label != Label.CORRECT or any(
        gold_comparison.contains_gold(one, answer) for one in rubric.golds
    ):
        return [gold for gold in rubric.golds if not gold.letter] or rubric.golds
    given = prepare(list(_find_given_figures(rubric, answer)), rubric.question.stems)
    return [*given, *rubric.golds]


def _find_given_figures(rubric: Rubric, answer: LexicalAnswer) -> Iterator[str]:
    """The figures by which an answer gives a gold that is a number or a range."""
    for gold in rubric.golds:
        if not gold.amounts:
            continue
        found = quantities.quantities(answer.affirmed, gold.amounts[0].unit)
        for one in found[:1] if gold.range else found:
            if _gives(gold, one, rubric.question.loose):
                yield one.figures


def _gives(gold: LexicalGold, found: quantities.Quantity, loose: bool) -> bool:
    if gold.range and quantities.lies_within(gold.range, [found]):
        return True
    return quantities.verdict(gold.amounts, [found], loose) == Label.CORRECT


def _keep_as_written(gold: LexicalGold) -> LexicalGold:
    """A gold with its letters for words: IV, not 4."""
    words = tuple(gold.passage.text.lower().split()) or gold.passage.words
    if len(words) != len(gold.passage.words):
        return gold
    passage = replace(gold.passage, words=words, stems=words)
    return replace(gold, passage=passage, line=f" {' '.join(words)} ", joined="".join(words))


# What an answer, its question and the golds are: dates, numbers, names, stance, question word.

_NUMBER = re.compile(r"\d+")
_SENTENCES = re.compile(r"[.!?](?:\s|$)|\n")
_UNSURE = re.compile(
    r"\b(?:may|might|possibly|perhaps|probably|likely|believed|unclear|depend\w*)\b"
)
_TURN = re.compile(r"\b(?:however|although|though|but|actually|while)\b")
_MANY = re.compile(r"\b(?:some|several|many|various|including|such as|list)\b")
_WORDS = ("who", "when", "where", "which")
_ASKS = re.compile(r"\b(who|whose|whom|when|where|what|which|why|how)\b")
_YEAR = re.compile(r"\b[12]\d{3}\b")


def measure_traits(
    asked: str, rubric: Rubric, closest: Sequence[ClosestGold], answer: LexicalAnswer, label: Label
) -> Iterator[tuple[str, float]]:
    """Numbers of an answer alone and of its question."""
    for one in Label:
        yield f"lexical {one.lower()}", float(label == one)
    words = len(answer.passage.words)
    yield "answer words", log(1 + words)
    yield "short", float(words <= SHORT)
    yield "sentences", log(1 + len(_SENTENCES.findall(answer.passage.text)))
    yield "news", log(1 + len(answer.news))
    yield "hedges", float(bool(_UNSURE.search(answer.lower)))
    yield "turns", float(bool(_TURN.search(answer.lower)))
    yield "lists", float(bool(_MANY.search(answer.lower)))
    yield "alternatives", log(1 + answer.lower.count(" or ") + answer.lower.count(","))
    yield "negation", float(" not " in answer.line or "n't" in answer.lower)
    yield from _figures(rubric, closest, answer)
    yield from _question(asked)


def _figures(
    rubric: Rubric, closest: Sequence[ClosestGold], answer: LexicalAnswer
) -> Iterator[tuple[str, float]]:
    """Dates and numbers of the gold in the answer, and others there."""
    golds = rubric.golds
    dated = [gold.dates for gold in golds if gold.dates]
    said = rubric.question.years
    fits = [
        max((int(found.against(date, said)) for found in answer.dates), default=-1)
        for each in dated
        for date in each
    ]
    best = max(fits, default=-1)
    yield "gold is date", float(bool(dated))
    yield "gold is yes or no", float(any(gold.polarity is not None for gold in golds))
    for name, match in (
        ("date contradicts", dates.Match.CONTRADICTS),
        ("date less precise", dates.Match.LESS_PRECISE),
    ):
        yield name, float(best == match)
    mine = {number for one in closest for number in _NUMBER.findall(one.gold.line)}
    its = set(_NUMBER.findall(answer.line))
    asked = {stem for stem in rubric.question.stems if stem.isdigit()}
    yield "numbers found", len(mine & its) / len(mine) if mine else 0.0
    yield "numbers missing", float(bool(mine and not mine <= its))
    yield "other numbers", log(1 + len(its - mine - asked))
    yield "year in answer", float(bool(_YEAR.search(answer.line)))


def _question(asked: str) -> Iterator[tuple[str, float]]:
    lower = asked[-1_000:].lower()
    first = _ASKS.search(lower)
    word = first.group() if first else ""
    word = "who" if word in ("whose", "whom") else word
    for one in _WORDS:
        yield f"asks {one}", float(word == one)


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
