"""Which facts the bars are of: a form of topics, types, tiers and reviews, and a search."""

from dataclasses import replace

from core.dataset.fact_filters import Filters, Only
from core.views.fact_query import FactQuery
from core.views.filter_choices import Choices
from core.views.profiles.profile_counts import ProfileCounts
from core.views.profiles.profile_rows import ProfileRow, RowKind
from tui.dialogs.dialog import CLOSES
from tui.dialogs.filter_dialog import WORD, FilterEntry, FilterForm, FilterGroup

KINDS = ("topics", "types", "tiers", "reviews", WORD)
"""What does not depend on a model's answers."""


class SubsetForm(FilterForm):
    """The filters of the list of facts, without those that depend on a model."""

    heading = "facts"
    hint = (("↑ ↓", "choose"), ("space", "ticks"), ("enter", "shows these facts"), CLOSES)

    def __init__(self, filters: Filters, choices: Choices) -> None:
        super().__init__(filters, choices)
        self.all = keep_entries(self.all)

    def list_typed(self, text: str, alone: bool) -> list[FilterGroup | FilterEntry]:
        """Words that do not depend on a model."""
        return [
            row
            for row in super().list_typed(text, alone)
            if isinstance(row, FilterGroup) or not row.value.startswith(("profile:", "differs"))
        ]


def keep_entries(rows: list[FilterGroup | FilterEntry]) -> list[FilterGroup | FilterEntry]:
    """Entries that do not depend on a model, under their groups."""
    found: list[FilterGroup | FilterEntry] = []
    group: FilterGroup | None = None
    for row in rows:
        if isinstance(row, FilterGroup):
            group = row
        elif row.kind in KINDS:
            if group is not None:
                found.append(group)
            group = None
            found.append(row)
    return found


def is_set(wanted: FactQuery) -> bool:
    """Whether the bars are of some facts only."""
    return bool(wanted.filters.count or wanted.search.strip())


def filters_of(material: ProfileCounts, row: ProfileRow, by: RowKind, code: str) -> Filters:
    """The filters that list the facts of a segment."""
    filters = replace(_narrow_filters(material, row, by), verdicts=frozenset({code}))
    search = material.wanted.search.strip()
    if not search:
        return filters
    return replace(filters, only=Only(f"`{search}`", material.ids(material.facts)))


def _narrow_filters(material: ProfileCounts, row: ProfileRow, by: RowKind) -> Filters:
    """The filters of the subset, and the group of the row."""
    filters, name = material.wanted.filters, frozenset({row.name})
    if by is RowKind.TOPICS:
        return replace(filters, topics=name)
    if by is RowKind.TYPES:
        return replace(filters, types=name)
    return replace(filters, tiers=name) if by is RowKind.TIERS else filters
