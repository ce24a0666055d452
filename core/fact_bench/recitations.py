"""What is recited before the answers of exemplars: as a file has it, or out of the subject's page.

FACT-BENCH, section 3 and table 10.
"""

from collections.abc import Mapping, Sequence
from itertools import chain

from core.fact_bench.stored_sets import page_reader
from core.modes import ArmMode
from core.pipeline.sentence_splitter import sentences
from core.pipeline.text_match import WordText, count
from core.pipeline.triple_checks import stands_on
from core.pipeline.triple_text import restate
from core.project import Project
from db.prepared_triples import SetTriple

MOST_SENTENCES, MOST_WORDS = 3, 60
"""Sentences of a page that are recited at the most, and words that they have together."""


def read_recitations(
    project: Project, triples: Sequence[SetTriple], mode: ArmMode
) -> Mapping[int, str]:
    """What a mode recites for each triple, by the ids of their facts; only those that have any.

    A mode that is restated says the triple itself as a sentence.
    """
    if not mode.recites:
        return {}
    if mode.restated:
        return {one.fact: restate(one) for one in triples}
    page_of = page_reader(project)
    found = {one.fact: one.recitation or quote_page(one, page_of(one)) for one in triples}
    return {fact: said for fact, said in found.items() if said}


def quote_page(triple: SetTriple, page: WordText | None) -> str:
    """The first sentences of a page that hold the answer, empty without any.

    They are up to `MOST_SENTENCES`, and have `MOST_WORDS` words together: one that would be more
    is passed over.
    """
    if page is None or not stands_on(page, triple):
        return ""
    found: list[str] = []
    left = MOST_WORDS
    for sentence in chain.from_iterable(map(sentences, page.text.split("\n\n"))):
        said = " ".join(sentence.split())
        if count(said) <= left and stands_on(WordText(said), triple):
            found.append(said)
            left -= count(said)
            if len(found) == MOST_SENTENCES:
                break
    return " ".join(found)
