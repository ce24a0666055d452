"""Where the answer of a triple stands: in its own question, which then leaks it, or on a page.

FACT-BENCH, section 2.1: specificity asks that no question has its answer in it, validity that the
page of the subject has it.
"""

import re

from core.dataset.answer_types import DATE, NUMBER
from core.graders.em.normal_form import AnswerKind
from core.pipeline.text_match import WordText
from core.pipeline.triple_text import show_answer, show_gold
from db.prepared_triples import SetTriple

LEAST_ALIAS = 4
"""Characters of an alias that is looked for in questions; shorter ones stand there by chance."""


_DAY_OF_MONTH = re.compile(r"(?P<month>\w+) (?P<day>\d+), (?P<year>.+)")


def leaks(triple: SetTriple) -> bool:
    """Whether the answer stands in the question."""
    asked = WordText(triple.asked)
    names = [one for one in triple.aliases if len(one) >= LEAST_ALIAS]
    shown = show_answer(triple)
    if shown != triple.object:
        names.append(shown)
    return asked.has(triple.object) or any(map(asked.has, names))


def stands_on(page: WordText, triple: SetTriple) -> bool:
    """Whether the object or an alias stands on a page; dates in either order."""
    return any(_stands_on(page, triple, gold) for gold in (triple.object, *triple.aliases))


def _stands_on(page: WordText, triple: SetTriple, gold: str) -> bool:
    shown = show_gold(triple, gold)
    if triple.answer_type == NUMBER:
        return page.has_number(shown, AnswerKind(NUMBER, triple.unit))
    if triple.answer_type == DATE:
        turned = _DAY_OF_MONTH.sub(r"\g<day> \g<month> \g<year>", shown)
        return any(map(page.has, (gold, shown, turned)))
    return page.has(gold)
