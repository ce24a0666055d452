"""What the Facts screen reads of a session beside lists and facts: the rows of a file, columns."""

from collections.abc import Sequence
from dataclasses import replace

from core.dataset.fact_filters import Filters, format_where
from core.dataset.subsets import FactKinds, find_passing
from core.errors import UsageError
from core.views.fact_cells import FactCells
from core.views.fact_columns import columns_of, grade_of, model_of_column
from core.views.list_file import ListTable
from core.views.list_rows import facts_table
from core.views.saved_views import SavedView
from core.views.session import Session
from core.views.snapshot import Snapshot
from core.views.snapshot_lookups import SnapshotLookups
from core.views.verdict_reasons import task_words
from tui.dialogs.columns_dialog import ColumnOffer
from tui.dialogs.save_view_dialog import NamedParts
from tui.screens.facts.state import FactsState

MOST_FACTS = 1_000
"""Single facts that a view holds at most."""

WORDS = {
    "profile": "the profile for the lens's model",
    "title": "title of the document",
    "subject": "who or what the fact is about",
    "object": "what it says of the subject",
    "topic": "its category",
    "type": "type of the object",
    "views": "page views",
    "marks": "graders differ, edited, flagged, noted, Z",
    "note": "the newest note on an answer",
    "number": "its number in this database, as imported",
    "id": "its id wherever it is stored",
}


def read_facts(
    snapshot: Snapshot, places: Sequence[int], columns: tuple[str, ...], session: Session
) -> ListTable:
    """Facts of a snapshot as rows."""
    notes = session.notes() if "note" in columns else {}
    return facts_table(FactCells(snapshot, notes), places, columns)


NO_NUMBER = frozenset({"0"})
"""The number of no fact: a list of single facts of which none is left stays empty."""


def to_save(named: NamedParts, asking: FactsState, snapshot: Snapshot) -> SavedView:
    """The list as a view, which other databases can show too: its facts go by their ids.

    Raises `UsageError` for a list of very many single facts.
    """
    words, filters = asking.words, asking.filters
    if filters.only is not None or filters.numbers:
        alone = Filters(only=filters.only, numbers=filters.numbers)
        mask = find_passing(
            alone, snapshot.index, FactKinds(snapshot.index), SnapshotLookups(snapshot)
        )
        ids = [snapshot.index.fact_ids[place] for place in mask.nonzero()[0].tolist()]
        if len(ids) > MOST_FACTS:
            raise UsageError(f"a view holds {MOST_FACTS:,} single facts at most, not {len(ids):,}")
        if filters.fact_ids:
            ids = [one for one in ids if one in filters.fact_ids]
        nobody = NO_NUMBER if not ids else frozenset[str]()
        filters = replace(filters, only=None, numbers=nobody, fact_ids=frozenset(ids))
    where = format_where(filters, asking.wanted.search)
    return SavedView(named.name, words.name, where, words.sort, asking.columns or (), named.lens)


def column_offers(snapshot: Snapshot) -> list[ColumnOffer]:
    """The columns that there are, and what each holds."""
    return [ColumnOffer(name, _describe_column(name)) for name in columns_of(snapshot)]


def _describe_column(name: str) -> str:
    graded, model = grade_of(name), model_of_column(name)
    if graded is not None:
        task, thinking = graded
        return f"grade of {task_words(task)}, thinking {'on' if thinking else 'off'}"
    return WORDS[name] if model is None else "its profile for this model"
