"""A copy of a project for others to look at: plain tables in SQLite, as Datasette shows them.

Beside the copy lie a description of its tables, and counts of their rows, which Datasette would
otherwise make on every page.
"""

import hashlib
import json
import os
import sqlite3
import string
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path

import db.publication_tables
from core.dataset import choice_options
from core.errors import LostkeysError, UsageError
from core.glossary.job_terms import COUNTS_OF_A_LAKE
from core.modes import is_arm
from core.project import OpenProject
from core.results import profile_summary
from core.transfer.anonymous_copy import open_anonymous
from core.transfer.exports import Progress, Subset, rename_subset
from core.transfer.pseudonyms import Pseudonyms
from db import draft_files
from db.connection import read_transaction
from db.publication_tables import SEARCH_ANSWERS
from db.stored_values import read_options

# What the tables and columns of a published copy are, in words, for Datasette's metadata.

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


@dataclass(frozen=True, slots=True)
class Publication:
    """What was written: the copy, what lies beside it, and rows by table."""

    path: Path
    metadata: Path
    counts: Path
    rows: Mapping[str, int]

    @property
    def large(self) -> bool:
        """Whether Datasette is not to look through all rows for what could be counted."""
        return max(self.rows.values()) > MOST_IN_FACET


def publish(
    project: OpenProject,
    path: Path,
    subset: Subset | None = None,
    anonymous: bool = False,
    progress: Progress | None = None,
) -> Publication:
    """Write a copy, with profiles under the policy of the subset; an earlier copy is replaced.

    With `anonymous` it is one of an `AnonymousCopy`. Raises `UsageError` for a file of another kind
    at `path`, `LostkeysError` where it cannot be written: then nothing new is left, and what was
    there is as it was.
    """
    _check_target(path)
    if not anonymous:
        return _write(project, path, subset or Subset(), None, progress)
    with open_anonymous(project) as copy:
        named = rename_subset(subset or Subset(), copy.names)
        return _write(copy.project, path, named, copy.names, progress)


def _write(
    project: OpenProject,
    path: Path,
    subset: Subset,
    names: Pseudonyms | None,
    progress: Progress | None,
) -> Publication:
    """Write a copy of a project, or of one in which these names are hidden."""
    metadata, counts = (path.with_name(f"{path.stem}.{kind}.json") for kind in _BESIDE)
    places = (path, metadata, counts)
    try:
        for place in places:
            draft_files.clear(path.absolute().parent, place.name)
        with ExitStack() as stack:
            held = [stack.enter_context(draft_files.hold_draft(place)) for place in places]
            rows = _Copy(project, held[0], subset, names).fill(progress)
            held[1].write_bytes(_as_json(describe_tables(path.stem, rows)))
            held[2].write_bytes(_as_json(_count_file(path, held[0], rows)))
            for draft in held:
                with draft.open("rb") as file:
                    os.fsync(file.fileno())
            for draft, place in zip(held, places, strict=True):
                draft.replace(place)
    except OSError as error:
        raise _unwritable(path, error.strerror or str(error)) from error
    shown = {name: rows[name] for name in db.publication_tables.TABLES}
    return Publication(path, metadata, counts, shown)


_BESIDE = ("metadata", "counts")


def _check_target(path: Path) -> None:
    if not path.absolute().parent.is_dir():
        raise LostkeysError(f"{path.parent} is not a folder: make it first, or choose another")
    if path.is_dir() or (path.exists() and not db.publication_tables.is_shared(path)):
        raise UsageError(f"{path} is there already, and no published copy: name another with -o")


def _unwritable(path: Path, reason: str) -> LostkeysError:
    return LostkeysError(
        f"{path} cannot be written ({reason}): make room, or choose another folder"
    )


def _as_json(document: object) -> bytes:
    return json.dumps(document, indent=1, ensure_ascii=False).encode() + b"\n"


def _count_file(path: Path, draft: Path, rows: Mapping[str, int]) -> dict[str, object]:
    """What `datasette inspect` would say of the copy."""
    with draft.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    tables = {name: {"count": count} for name, count in rows.items()}
    size = draft.stat().st_size
    return {path.stem: {"hash": digest, "size": size, "file": path.name, "tables": tables}}


class _Copy:
    """A copy that is being filled from one view of a project's file."""

    def __init__(
        self, project: OpenProject, path: Path, subset: Subset, names: Pseudonyms | None
    ) -> None:
        self._project, self._path, self._subset, self._names = project, path, subset, names

    def fill(self, progress: Progress | None) -> dict[str, int]:
        """Write all tables; gives rows by table."""
        connection = self._project.connection
        self._create_functions(connection)
        try:
            with (
                db.publication_tables.attach_file(connection, self._path),
                read_transaction(connection),
            ):
                self._project.refresh()
                return self._fill(connection, progress or (lambda done, total: None))
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
                raise
            raise OSError(str(error)) from error

    def _fill(self, connection: sqlite3.Connection, progress: Progress) -> dict[str, int]:
        project, subset, shared = self._project, self._subset, db.publication_tables
        models = subset.models_of(project)
        found = self._derive_profiles(models)
        shared.create_tables(connection)
        shared.add_facts(
            connection, [int(project.index.ids[place]) for place in subset.places(project)]
        )
        settings = {
            key: setting for setting, key in project.setting_ids().items() if setting[0] in models
        }
        shared.add_settings(connection, settings)
        shared.add_graders(
            connection,
            [(one.plane, one.name) for one in project.graders()],
        )
        shared.add_answers(connection, progress)
        shared.add_profiles(connection, self._profile_rows(found))
        shared.finish(connection)
        rows = shared.count_rows(connection)
        about = self._describe(found, models, rows)
        shared.add_about(connection, about)
        return rows | {"about": len(about)}

    def _derive_profiles(self, models: list[str]) -> profile_summary.DerivedProfiles:
        subset = self._subset
        judged = [one for one in models if not is_arm(one)]
        return profile_summary.profiles(self._project, subset.policy, judged, subset.where)

    def _profile_rows(
        self, found: profile_summary.DerivedProfiles
    ) -> Iterator[db.publication_tables.ProfileRow]:
        """Profiles under the setting without thinking, else the one with it."""
        index = self._project.index
        facts = dict(zip(index.fact_ids, index.ids.tolist(), strict=True))
        settings = self._project.setting_ids()
        for one in profile_summary.list_fact_profiles(self._project, found):
            setting = settings.get((one.model, False)) or settings[one.model, True]
            profile = one.profile and str(one.profile)
            yield facts[one.fact_id], setting, profile, one.e, one.k0, one.kt

    def _describe(
        self, found: profile_summary.DerivedProfiles, models: list[str], rows: Mapping[str, int]
    ) -> dict[str, str]:
        """What the copy is of, by key."""
        policy = found.head()
        where = self._subset.where
        if self._names is not None:
            where = self._names.people.replace_in_text(where)
        values: dict[str, object] = {
            "program": f"lostkeys {version('lostkeys')}",
            "published": datetime.now(UTC).isoformat(timespec="seconds"),
            "where": where,
            "models": models,
            **policy,
            "counts": self._describe_counts(),
            "anonymous": self._names is not None,
            **{name: rows[name] for name in ("facts", "answers", "labels")},
        }
        return {
            name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            for name, value in values.items()
            if value is not None
        }

    def _describe_counts(self) -> str | None:
        """What profiles are counted over, where that is not the answers of the copy."""
        if self._project.counted is None:
            return None
        graders = ", ".join(self._project.counted.lake.graders)
        return f"{COUNTS_OF_A_LAKE} by {graders}; the answers here are those that were kept"

    def _create_functions(self, connection: sqlite3.Connection) -> None:
        """What the copy's SQL asks of us."""
        connection.create_function("shown_order", 2, _shown_order, deterministic=True)


@lru_cache(maxsize=256)
def _shown_order(number: int, choices: str | None) -> str | None:
    """The options from A to D as JSON."""
    if choices is None:
        return None
    shown = choice_options.decode(number, read_options(choices))
    return json.dumps(shown, ensure_ascii=False)
