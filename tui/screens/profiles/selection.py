"""What is chosen on the Profiles screen, for other screens and programs: facts, and text."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from core.dataset.fact_filters import Filters, Only, format_where
from core.dataset.subsets import Mask
from core.results.model_comparison import ShareChange
from core.stats.number_format import format_amount
from core.views.lens import Lens
from core.views.list_file import ListTable
from core.views.list_words import ListWords
from core.views.profiles.flow_table import flow_rows, number_rows, text
from core.views.profiles.profile_comparison import CrossedProfiles, cell
from core.views.profiles.profile_counts import ProfileCounts
from core.views.profiles.profile_rows import ProfileRow, RowKind, find_moved_in
from core.views.profiles.profile_table import build_command, rows_table, subset_words, table
from tui.screens.profiles import render_comparison, render_flow
from tui.screens.profiles.render_flow import FlowCell
from tui.screens.profiles.state import ProfilesState
from tui.theme.look import Look


def select_moved(state: ProfilesState, row: ProfileRow, by: RowKind) -> Filters | None:
    """The facts of a row that have moved since the start; None where none has."""
    found, shown = state.material, state.shown
    if found is None or shown is None:
        return None
    return _select_facts(found, "moved", find_moved_in(found, shown.both, row, by))


def differing_facts(
    state: ProfilesState, crossed: CrossedProfiles, change: ShareChange
) -> Filters | None:
    """The facts for which a number differs between both sides; None where there are none."""
    name = f"{render_comparison.share_name(change.number)} differs"
    return _select_facts(state.material, name, crossed.found.mask_differing(change.number))


def cell_facts(
    state: ProfilesState, crossed: CrossedProfiles, place: FlowCell, look: Look
) -> Filters | None:
    """The facts of a cell of the flow table; None where there are none."""
    arrow = look.glyph("arrow")
    name = f"{render_flow.ORDER[place.a]} {arrow} {render_flow.ORDER[place.b]}"
    facts = cell(crossed.found, *place.flows)
    return _select_facts(state.material, f"{name} with {crossed.b}", facts)


def _select_facts(found: ProfileCounts | None, name: str, facts: Mask) -> Filters | None:
    if found is None or not np.any(facts):
        return None
    return Filters(only=Only(name, found.ids(facts)))


def format_copy(
    state: ProfilesState, rows: Sequence[ProfileRow], by: RowKind, lens: Lens, start: Lens
) -> tuple[str, str] | None:
    """Rows, or both tables of a comparison, as text with tabs between, and what these are.

    None where there is nothing to copy.
    """
    facts = _facts(state)
    if state.comparing and state.crossed is not None:
        return text(state.crossed, lens, facts), "both tables"
    if state.comparing or state.material is None or not rows:
        return None
    name = state.name_of(lens)
    rows_text = table(rows, by, lens.model or "", lens, start, facts, name)
    return rows_text, format_amount(len(rows), "row")


class WrittenTable(NamedTuple):
    """A table for a file, what it is of, and the command that shows the same rows."""

    table: ListTable
    words: ListWords
    command: list[str]


def make_row_table(
    state: ProfilesState, rows: Sequence[ProfileRow], by: RowKind, model: str
) -> WrittenTable | None:
    """The rows as they stand; None where there are none."""
    if state.material is None or not rows:
        return None
    where, order = _format_subset(state), str(state.order)
    command = build_command(by, model, where)
    return WrittenTable(rows_table(rows, by, model), ListWords("profiles", where, order), command)


def make_comparison_table(state: ProfilesState, flowing: bool) -> WrittenTable | None:
    """The flow of facts, or the numbers of both sides; None where there are none."""
    found = state.crossed
    table = None if found is None else flow_rows(found) if flowing else number_rows(found)
    if found is None or table is None:
        return None
    where = _format_subset(state)
    others = ["--policy-b", found.b] if found.policies else [found.b]
    command = ["compare", found.a, *others, *(["--where", where] if where else [])]
    return WrittenTable(table, ListWords("comparison", where), command)


def _format_subset(state: ProfilesState) -> str:
    return format_where(state.wanted.filters, state.wanted.search)


def _facts(state: ProfilesState) -> str:
    """Which facts all of it is of."""
    found = state.material
    return "" if found is None else subset_words(state.wanted, int(found.facts.sum()), found.total)
