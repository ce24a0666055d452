"""What the Facts screen reads of a session beside lists and facts: the rows of a file, columns."""

from collections.abc import Sequence

from core.views.fact_columns import FactCells, columns_of, grade_of, model_of_column
from core.views.list_file import ListTable, facts_table
from core.views.reasons import task_words
from core.views.session import Session
from core.views.snapshot import Snapshot
from tui.dialogs.columns_dialog import ColumnOffer

WORDS = {
    "profile": "the profile for the lens's model",
    "title": "title of the document",
    "subject": "who or what the fact is about",
    "object": "what it says of the subject",
    "topic": "its category",
    "type": "type of the object",
    "views": "page views",
    "marks": "graders differ, edited, flagged, noted",
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


def column_offers(snapshot: Snapshot) -> list[ColumnOffer]:
    """The columns that there are, and what each holds."""
    return [ColumnOffer(name, _words(name)) for name in columns_of(snapshot)]


def _words(name: str) -> str:
    graded, model = grade_of(name), model_of_column(name)
    if graded is not None:
        task, thinking = graded
        return f"grade of {task_words(task)}, thinking {'on' if thinking else 'off'}"
    return WORDS[name] if model is None else "its profile for this model"
