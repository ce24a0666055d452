"""Searching facts as a person types: their own texts first, then all answers; where they stand."""

import sqlite3
from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import numpy.typing as npt

import db.label_grids
import db.model_rows
import db.search
import db.search_index
import db.search_text
from core.project import OpenProject
from db.search import SearchHit
from db.search_index import IndexProgress
from db.search_text import Query
from db.slot_ids import unpack

Ints = npt.NDArray[np.int64]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Facts (ids) that a search found, best first.

    `ranks` as in `db.search`; `questions` has the question whose answers matched, 0 for facts
    found by their own texts. `complete` is false until all answers are indexed and searched.
    """

    query: Query
    facts: Ints
    ranks: Ints
    questions: Ints
    complete: bool


def search(project: OpenProject, text: str) -> SearchResult | None:
    """Facts in whose own texts the search stands; None if it was interrupted."""
    return _unless_interrupted(lambda: _search_facts(project, db.search_text.parse(text)))


def with_answers(project: OpenProject, found: SearchResult) -> SearchResult | None:
    """The same and, after them, facts found by their answers; None if it was interrupted."""
    return _unless_interrupted(lambda: _search_answers(project, found))


def find_hit(project: OpenProject, found: SearchResult, place: int) -> SearchHit | None:
    """Where the search stands in the fact at this place of `found`; None if nowhere any more.

    An answer is named by thinking, number and model: `answer off 3 gemma3-27b`.
    """
    fact, question = int(found.facts[place]), int(found.questions[place])
    seen = _unless_interrupted(
        lambda: db.search.hit(project.connection, fact, found.query, question)
    )
    if seen is None or seen.slot is None:
        return seen
    _, setting, sample = unpack(seen.slot)
    model, thinking = db.model_rows.settings(project.connection)[setting]
    return replace(seen, where=f"answer {'on' if thinking else 'off'} {sample + 1} {model}")


def catch_up(project: OpenProject) -> Generator[IndexProgress, None, None]:
    """Index what is new, in short steps; stop after any of them. A broken index is made anew.

    For a project of one's own, opened for writing, in a thread of its own.
    """
    project.refresh()
    try:
        yield from db.search_index.catch_up(project.connection, _count_drawn(project))
    except sqlite3.DatabaseError as error:
        if not db.search_index.is_broken(error):
            raise
        db.search_index.forget(project.connection)
        yield from db.search_index.catch_up(project.connection, _count_drawn(project))


def _search_facts(project: OpenProject, query: Query) -> SearchResult:
    facts, ranks = db.search.facts(project.connection, query)
    return SearchResult(query, facts, ranks, np.zeros(len(facts), np.int64), complete=False)


def _search_answers(project: OpenProject, found: SearchResult) -> SearchResult:
    connection, index = project.connection, project.index
    questions = db.search.answers(connection, found.query)
    complete = db.search_index.has_all_facts(connection) and db.search_index.has_all_answers(
        connection, _count_drawn(project)
    )
    fact_of = np.zeros(int(max(index.questions.max(initial=0), questions.max(initial=0))) + 1)
    fact_of = fact_of.astype(np.int64)
    fact_of[index.questions] = index.ids[:, None]
    fact_of[0] = 0
    facts, first = np.unique(fact_of[questions], return_index=True)
    fresh = (facts > 0) & ~np.isin(facts, found.facts)
    facts, questions = facts[fresh], questions[first[fresh]]
    return SearchResult(
        found.query,
        np.concatenate([found.facts, facts]),
        np.concatenate([found.ranks, np.full(len(facts), db.search.IN_ANSWERS)]),
        np.concatenate([found.questions, questions]),
        complete,
    )


def _count_drawn(project: OpenProject) -> Ints:
    return db.label_grids.per_question(project.grids)


def _unless_interrupted(work: Callable[[], T]) -> T | None:
    try:
        return work()
    except sqlite3.OperationalError as error:
        if db.search.was_interrupted(error):
            return None
        raise
