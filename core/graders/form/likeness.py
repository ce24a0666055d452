"""How like an answer is to the golds: by words, by letters, by how rare the shared words are."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log
from zlib import crc32

from rapidfuzz import fuzz, process

from core.graders.lexical import gold_comparison
from core.graders.lexical.lexical_answer import LexicalAnswer
from core.graders.lexical.lexical_gold import LexicalGold
from core.graders.lexical.word_alignment import Alignment, align

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
