"""Which facts the bars are of: a form of topics, types, tiers and reviews, and a search."""

from dataclasses import replace

from core.views.fact_query import Choices, Filters, Only, Wanted
from core.views.profiles.profile_counts import Material
from core.views.profiles.profile_rows import By, Row
from tui.dialogs.filter_dialog import Entry, FilterForm, Group

KINDS = ("topics", "types", "tiers", "reviews")
"""What does not depend on a model's answers."""


class SubsetForm(FilterForm):
    """The filters of the list of facts, without those that depend on a model."""

    heading = "facts"
    hint = "space ticks · enter shows these facts · esc closes"

    def __init__(self, filters: Filters, choices: Choices) -> None:
        super().__init__(filters, choices)
        self.all = kept(self.all)


def kept(rows: list[Group | Entry]) -> list[Group | Entry]:
    """Entries that do not depend on a model, under their groups."""
    found: list[Group | Entry] = []
    group: Group | None = None
    for row in rows:
        if isinstance(row, Group):
            group = row
        elif row.kind in KINDS:
            if group is not None:
                found.append(group)
            group = None
            found.append(row)
    return found


def is_set(wanted: Wanted) -> bool:
    """Whether the bars are of some facts only."""
    return bool(wanted.filters.count or wanted.search.strip())


def filters_of(material: Material, row: Row, by: By, code: str) -> Filters:
    """The filters that list the facts of a segment."""
    filters = replace(_narrowed(material, row, by), verdicts=frozenset({code}))
    search = material.wanted.search.strip()
    if not search:
        return filters
    return replace(filters, only=Only(f"`{search}`", material.ids(material.facts)))


def _narrowed(material: Material, row: Row, by: By) -> Filters:
    """The filters of the subset, and the group of the row."""
    filters, name = material.wanted.filters, frozenset({row.name})
    if by is By.TOPICS:
        return replace(filters, topics=name)
    if by is By.TYPES:
        return replace(filters, types=name)
    return replace(filters, tiers=name) if by is By.TIERS else filters
