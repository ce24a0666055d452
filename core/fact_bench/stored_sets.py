"""The sets of a project: read with what preparing said of them, and prepared."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

import db.documents
import db.prepared_triples
from core.errors import LostkeysError, UsageError
from core.fact_bench.set_preparation import DEFAULT, UNPREPARED, PreparedSet, prepare
from core.fact_bench.triple_filters import NO_PAGES, PAGE, PageOf, fold_text
from core.pipeline.text_match import WordText
from core.project import OpenProject
from db.connection import read_transaction, write_transaction
from db.label_grids import DRAWN
from db.prepared_triples import Preparation, PreparedTriple, SetTriple

PAGES = 500
"""Documents that are kept in memory, with their words."""


class SplitsChangeError(LostkeysError):
    """Triples that have been asked would change split."""


def choose_set(project: OpenProject, name: str | None) -> str:
    """The set named, by default the only one.

    Raises `UsageError` where there is none or there are several, or none of that name.
    """
    sets = sorted(db.prepared_triples.sets(project.connection))
    if name is not None and name not in sets:
        there = ", ".join(sets) or "none yet: `lostkeys import --format triples`"
        raise UsageError(f"no set named {name}: sets are {there}")
    if name is None and not sets:
        raise UsageError("no set of triples yet: `lostkeys import --format triples`")
    if name is None and len(sets) > 1:
        raise UsageError(f"there are {len(sets)} sets, {', '.join(sets)}: name one with --set")
    return name or sets[0]


def read_set(project: OpenProject, name: str | None = None) -> PreparedSet:
    """A set with what preparing it said. Raises as `choose_set` does."""
    connection = project.connection
    chosen = choose_set(project, name)
    with read_transaction(connection):
        preparation = db.prepared_triples.preparations(connection).get(chosen)
        triples = db.prepared_triples.read_set(connection, chosen)
    return PreparedSet(chosen, preparation.seed if preparation else 0, triples)


def prepare_set(
    project: OpenProject,
    name: str | None,
    preparation: Preparation,
    again: bool = False,
    refill: bool = True,
) -> PreparedSet:
    """Prepare a set and keep what that says of its triples.

    With `refill` others of the same domain and tier stand in for rejected ones of the subset.
    Raises `UsageError` for a filter of pages without documents, `LostkeysError` where triples that
    have been asked would change split, unless `again`; then nothing is changed.
    """
    chosen = choose_set(project, name)
    connection = project.connection
    triples = db.prepared_triples.read_set(connection, chosen)
    pages = NO_PAGES
    if PAGE in preparation.filters:
        if not db.documents.count(connection):
            raise UsageError(
                "the filter page looks for answers in documents, and there are none: `lostkeys "
                "import FILE --format documents` brings them, or name --filters without page"
            )
        pages = page_reader(project)
    found = prepare(triples, preparation, pages, refill)
    with write_transaction(connection):
        if db.prepared_triples.read_set(connection, chosen) != triples:
            raise LostkeysError(f"set {chosen} was changed meanwhile: prepare it again")
        project.refresh()
        moved = [] if again else _find_moved(project, triples, found)
        if moved:
            raise SplitsChangeError(
                f"{len(moved):,} triples of {chosen} with answers would change split: --again "
                "prepares it nevertheless, answers stay"
            )
        db.prepared_triples.replace(connection, chosen, preparation, found.items())
    went, came = _find_exchanged(triples, found)
    return replace(read_set(project, chosen), went=went, came=came)


def prepare_again(project: OpenProject, name: str, again: bool = False) -> PreparedSet:
    """Prepare a set as it was prepared last, else with the defaults. Raises as `prepare_set`."""
    last = db.prepared_triples.preparations(project.connection).get(name, DEFAULT)
    return prepare_set(project, name, last, again)


def _find_exchanged(
    triples: Sequence[SetTriple], found: Mapping[int, PreparedTriple]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Rejected triples that leave the subset, and as many that come, by the ids of their facts."""
    was = {one.fact for one in triples if one.prepared is not None and one.prepared.subset}
    went = [one for one in triples if one.fact in was and not found[one.fact].subset]
    came = [one for one in triples if one.fact not in was and found[one.fact].subset]
    if not all(one.rejected for one in went) or len(came) > len(went):
        return (), ()  # another subset altogether
    return tuple(one.fact_id for one in went), tuple(one.fact_id for one in came)


def _find_moved(
    project: OpenProject, triples: Sequence[SetTriple], found: dict[int, PreparedTriple]
) -> list[str]:
    """Triples with answers that would be of another split, or of none."""
    grids = project.grids
    answered = np.zeros(grids.questions, np.bool_)
    for setting in grids.settings():
        cells = grids.cells(DRAWN, setting)
        if cells is not None:
            answered |= cells.any(axis=0)
    return [
        one.fact_id
        for one in triples
        if (one.prepared or UNPREPARED).split != found[one.fact].split
        if 0 < one.question < answered.size and answered[one.question]
    ]


def page_reader(project: OpenProject) -> PageOf:
    """Finds documents of subjects: by the subject's id, else by title; of several the first."""
    connection = project.connection
    items: dict[str, int] = {}
    titles: dict[str, int] = {}
    for document, title, item in db.documents.read_titles(connection):
        items.setdefault(fold_text(item), document)
        titles.setdefault(fold_text(title), document)
    items.pop("", None)

    @lru_cache(PAGES)
    def read_document(document: int) -> WordText:
        return WordText(db.documents.text_of(connection, document))

    def find(triple: SetTriple) -> WordText | None:
        found = items.get(fold_text(triple.subject_id))
        if found is None:
            found = titles.get(fold_text(triple.page_title or triple.subject))
        return None if found is None else read_document(found)

    return find
