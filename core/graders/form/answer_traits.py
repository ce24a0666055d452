"""What an answer, its question and the golds are: dates, numbers, names, stance, question word."""

import re
from collections.abc import Iterator, Sequence
from math import log

from core.graders.form.likeness import ClosestGold
from core.graders.lexical import dates
from core.graders.lexical.lexical_answer import SHORT, LexicalAnswer
from core.graders.lexical.rubric import Rubric
from core.vocabulary import Label

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
