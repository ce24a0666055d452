"""The rows of a list that words ask for: read for a command, counted for a view."""

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from core.dataset.fact_filters import format_where
from core.project import OpenProject
from core.views import fact_search
from core.views.board_rows import count_board_rows, read_board_list
from core.views.fact_cells import FactCells
from core.views.fact_columns import START, check_columns, column_kind, with_sorted
from core.views.fact_query import FactQuery, format_sort, list_facts, query_of
from core.views.lens import Lens
from core.views.list_file import ListTable
from core.views.list_words import BOARDS, DISAGREEMENTS, FACTS, QUESTIONS, ListWords
from core.views.queue_query import (
    format_disagreements,
    format_questions,
    parse_disagreements,
    parse_questions,
)
from core.views.queue_rows import read_disagreements, read_questions
from core.views.saved_views import SavedView
from core.views.session import Session
from core.views.snapshot import Snapshot
from core.views.where_resolver import index_answers


def facts_table(cells: FactCells, places: Sequence[int], columns: Sequence[str]) -> ListTable:
    """Facts (their places in the snapshot) as rows."""
    rows = [{name: cells.value(name, place) for name in columns} for place in places]
    return ListTable({name: column_kind(name) for name in columns}, rows)


@dataclass(frozen=True, slots=True)
class ReadList:
    """A list that a command has read: its rows, what it is a list of, through which lens."""

    table: ListTable
    words: ListWords
    lens: Lens


def read_list(
    path: Path,
    words: ListWords,
    choose_lens: Callable[[OpenProject], Lens],
    name: str | None = None,
) -> ReadList:
    """The rows of the list that words ask for; `name` is the person who asks.

    Raises `UsageError` for a word, an order or a column that cannot be.
    """
    if words.name == FACTS:
        return _read_facts(path, words, choose_lens)
    with closing(Session(path)) as session:
        session.name = name
        lens = session.open(choose_lens).lens
        if words.name in BOARDS:
            return ReadList(*read_board_list(words, session), lens)
        if words.name == DISAGREEMENTS:
            among = parse_disagreements(words.where)
            queue = session.confusions.queue(among.with_lens(lens))
            table = read_disagreements(queue, words.blind, session)
            return ReadList(table, replace(words, where=format_disagreements(among)), lens)
        wanted = parse_questions(words.where)
        table = read_questions(session.reviews.queue(wanted), session)
        return ReadList(table, replace(words, where=format_questions(wanted)), lens)


def _read_facts(
    path: Path, words: ListWords, choose_lens: Callable[[OpenProject], Lens]
) -> ReadList:
    wanted = query_of(words.where, words.sort)
    columns = words.columns or with_sorted(START, wanted.order)
    check_columns(columns)
    if wanted.search:
        index_answers(path)
    with closing(Session(path)) as session:
        snapshot = session.open(choose_lens)
        listing = session.search_all(wanted)
        notes = session.notes() if "note" in columns else {}
        table = facts_table(FactCells(snapshot, notes), listing.places.tolist(), columns)
        where = format_where(wanted.filters, wanted.search)
        shown = replace(words, where=where, sort=format_sort(wanted), columns=columns)
        return ReadList(table, shown, snapshot.lens)


def count_rows(view: SavedView, lens: Lens, session: Session) -> int:
    """How many rows a view shows under a lens that it changes as it says.

    Of answers that are not indexed yet a search knows nothing.
    """
    if not session.is_open:
        return 0
    changed = view.lens.change(lens)
    if view.list == DISAGREEMENTS:
        return session.confusions.count(parse_disagreements(view.where), changed)
    if view.list in BOARDS:
        return count_board_rows(view, session)
    if view.list == QUESTIONS:
        return session.reviews.count(parse_questions(view.where), _look(session, changed))
    return _count_facts(session, query_of(view.where, view.sort), _look(session, changed))


def _look(session: Session, lens: Lens) -> Snapshot:
    """A snapshot beside the one in sight."""
    now = session.snapshot
    return now if now.lens == lens else session.snapshots.snapshot(lens)


def _count_facts(session: Session, wanted: FactQuery, snapshot: Snapshot) -> int:
    project, snapshots, facts = session.project, session.snapshots, None
    if wanted.search.strip():
        found = fact_search.search(project, wanted.search)
        whole = found and fact_search.with_answers(project, found)
        facts = None if whole is None else whole.facts
    keys = snapshots.keys if snapshots.keys.fit(snapshot.headings) else None
    return len(list_facts(snapshot, wanted, facts, keys, connection=project.connection).places)
