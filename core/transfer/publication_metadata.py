"""What the tables and columns of a published copy are, in words, for Datasette's metadata."""

import string
from collections.abc import Mapping
from dataclasses import dataclass

from db.publication_tables import SEARCH_ANSWERS

MOST_IN_FACET = 200_000
"""Rows of a table whose values Datasette counts on each page: it gives up after 0.2 s."""


@dataclass(frozen=True, slots=True)
class _TableWords:
    """A table: what it is, which column names a row, columns that are counted and sorted by."""

    description: str
    label: str
    columns: Mapping[str, str]
    facets: tuple[str, ...] = ()
    sortable: tuple[str, ...] | None = None
    """None: all. By `id` answers stand in the order of questions, labels in that of answers."""
    hint: str = ""
    """What stands behind the description, as HTML; `{address}` is that of the copy's page."""


ANSWER_SEARCH = "answers_fts"
"""The search index of answers: a table, too, whose rows have no order that is quick."""

SEARCHED = ("facts", "questions", "answers")
INSIDES = ("config", "content", "data", "docsize", "idx")
"""Tables of SQLite's own within each search index: their keys are bytes, which no page is at."""

SEARCH_QUERY = "search_answers"

_PLAIN = frozenset(string.ascii_letters + string.digits + "_-")
"""Characters of a name that stand in an address as they are."""

_SEARCH = {
    "title": "Search answers",
    "description": "The first 100 answers that hold all of these words, in the order of their "
    "questions, with what graders said; words in double quotes stand together. To go on, name the "
    "last id as after.",
    "sql": SEARCH_ANSWERS,
    "params": ["search", "after"],
    "hide_sql": True,
}
"""A search that ends with its hundredth answer. The one on the page of a table gathers all that
match before it shows any, and counts them: seconds, of the commonest words in millions of answers.
"""

_TABLES: Mapping[str, _TableWords] = {
    "facts": _TableWords(
        "Propositions, each with a subject and an object.",
        "name",
        {
            "fact_id": "the fact's own id",
            "name": "subject and object, else the title, else the id",
            "gbc": "page views",
        },
        ("category", "object_type"),
    ),
    "questions": _TableWords(
        "What was asked about a fact: at most ten tasks.",
        "question",
        {
            "task": "which of the ten tasks",
            "question": "the text; of completion the text before the object",
            "answer": "the gold answer",
            "aliases": "other texts that are as good, as JSON",
            "choices": "the four options, as JSON",
        },
        ("task",),
    ),
    "settings": _TableWords(
        "Models, each with thinking off or on.",
        "name",
        {"thinking": "1: on"},
        ("thinking",),
    ),
    "graders": _TableWords(
        "Who labelled answers: rules, models, people.", "name", {"name": "human: a person"}
    ),
    "answers": _TableWords(
        "What models answered, a row a sample.",
        "response",
        {
            "sample": "number of the draw, from 0",
            "response": "the text, unchanged",
            "shown_order": "options as they were shown, A to D, as JSON",
            "source": "the log that it came from",
        },
        ("setting",),
        ("id", "setting"),
        f'<a href="{{address}}/{SEARCH_QUERY}">Search answers</a> finds words at once, a hundred '
        "answers at a time. The search here can be combined with filters, but counts all that "
        "match: a second where millions do.",
    ),
    "labels": _TableWords(
        "What graders said of answers.",
        "label",
        {
            "label": "CORRECT, INCORRECT, PARTIALLY or OTHER",
            "rationale": "why, where the grader said so",
        },
        ("grader", "label"),
        ("id",),
    ),
    "profiles": _TableWords(
        "What each model has of each fact, under the policy in the table about.",
        "profile",
        {
            "profile": "the knowledge profile, or why there is none",
            "e": "encoded",
            "k0": "known without thinking",
            "kt": "known by thinking",
        },
        ("setting", "profile"),
    ),
    "about": _TableWords("What this copy is of.", "key", {"value": "text, or JSON"}),
}


def describe_tables(name: str, rows: Mapping[str, int]) -> dict[str, object]:
    """The metadata of a copy: its name there, and how many rows its tables have."""
    return {
        "title": f"{name}: what models know",
        "description": "Facts, answers, labels and knowledge profiles. Published by Lostkeys.",
        "databases": {
            name: {
                "tables": {
                    **{
                        table: _describe(words, rows[table], _address(name))
                        for table, words in _TABLES.items()
                    },
                    ANSWER_SEARCH: {"hidden": True, "sortable_columns": []},
                    **{
                        f"{table}_fts_{inside}": {"allow": False}
                        for table in SEARCHED
                        for inside in INSIDES
                    },
                },
                "queries": {SEARCH_QUERY: dict(_SEARCH)},
            }
        },
    }


def _address(name: str) -> str:
    """The path of a database's page, in which Datasette writes characters not plain as `~XX`."""
    escaped = (chr(one) if chr(one) in _PLAIN else f"~{one:02X}" for one in name.encode())
    return "/" + "".join(escaped).replace("~20", "+")


def _describe(words: _TableWords, rows: int, address: str) -> dict[str, object]:
    found: dict[str, object] = {
        "description": words.description,
        "label_column": words.label,
        "columns": dict(words.columns),
    }
    if words.hint:
        found["description_html"] = f"{words.description} {words.hint.format(address=address)}"
    if words.facets and rows <= MOST_IN_FACET:
        found["facets"] = list(words.facets)
    if words.sortable is not None:
        found["sortable_columns"] = list(words.sortable)
    return found
