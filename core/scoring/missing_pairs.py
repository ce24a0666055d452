"""Facts that no run can give a profile: they have no question of a pair that a profile needs.

Source: semantics of profiles, "incomplete": encoding, direct and reverse are the pairs.
"""

import sqlite3
from typing import NamedTuple

import numpy as np

import db.relations
from core.dataset.fact_index import FactIndex
from core.dataset.subsets import Mask
from core.stats.number_format import format_amount
from core.vocabulary import ENCODING, KNOWLEDGE, TASK_INDEX

PAIRS = {
    "encoding": ENCODING,
    "direct": KNOWLEDGE[:2],
    "reverse": KNOWLEDGE[2:],
}
"""The pairs of questions of which a fact with a profile has at least one each."""


class MissingPairs(NamedTuple):
    """How many facts lack a pair of questions, and the names of the pairs that some lack."""

    facts: int
    pairs: tuple[str, ...]

    def describe(self, columns: bool = False) -> str:
        """`3 facts lack encoding or reverse questions: no run gives them a profile`.

        With `columns` the names that questions have in files stand beside those of the pairs.
        """
        names = [f"{pair} ({', '.join(PAIRS[pair])})" if columns else pair for pair in self.pairs]
        lacks = "lacks" if self.facts == 1 else "lack"
        it = "it" if self.facts == 1 else "them"
        *some, last = names
        questions = f"{', '.join(some)} or {last} questions" if some else f"{last} questions"
        return (
            f"{format_amount(self.facts, 'fact')} {lacks} {questions}: no run gives {it} a profile"
        )


ASK_TRIPLES = "`lostkeys fact-bench run` asks triples in modes of their own"
"""What can be done with a set of triples instead."""


def find_unprofiled(
    connection: sqlite3.Connection, index: FactIndex, facts: Mask
) -> MissingPairs | None:
    """What these facts, triples among them, lack where none can have a profile; else None."""
    missing = find_missing_pairs(index.questions.T > 0, facts)
    if missing is None or missing.facts < np.count_nonzero(facts):
        return None
    return missing if db.relations.has_relations(connection) else None


def find_missing_pairs(exists: Mask, facts: Mask) -> MissingPairs | None:
    """Which facts of a mask lack a pair of questions; None where none does.

    `exists` (tasks, facts) says which questions facts have, as in `LabelCounts`.
    """
    lacking = {
        pair: facts & ~(exists[TASK_INDEX[first]] | exists[TASK_INDEX[second]])
        for pair, (first, second) in PAIRS.items()
    }
    count = int(np.count_nonzero(np.logical_or.reduce(list(lacking.values()))))
    if not count:
        return None
    return MissingPairs(count, tuple(pair for pair, mask in lacking.items() if mask.any()))
