"""The golds as an answer is weighed against them, where likeness of words would mislead.

A number may be right in other words, inside a range or in another unit; and where a question is
about roman figures, a number may be wrong in the right ones.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from core.graders.lexical import gold_comparison, quantities
from core.graders.lexical.lexical_answer import LexicalAnswer
from core.graders.lexical.lexical_gold import LexicalGold, prepare
from core.graders.lexical.rubric import Rubric
from core.vocabulary import Label


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
