"""What the list is asked for: search, filters and order, and how keys change them."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from core.dataset.fact_filters import Filters, format_where, where_words
from core.views.fact_columns import START, with_sorted
from core.views.fact_query import FactOrder, FactQuery, format_sort, query_of
from core.views.list_words import ListWords
from core.vocabulary import Task
from tui.text.inert_text import make_inert
from tui.text.line import Line
from tui.theme.glyphs import spell
from tui.theme.look import Look
from tui.theme.roles import code_role

if TYPE_CHECKING:
    from core.views.saved_views import SavedView

ORDERS = (
    *(FactOrder.SUBJECT, FactOrder.TITLE, FactOrder.VIEWS, FactOrder.PROFILE, FactOrder.TOPIC),
    *(FactOrder.STAKE, FactOrder.IMPORTED),
)
"""Of all facts; what a search found has `FactOrder.MATCH` before them."""
"""The orders that a key steps through; while something is searched `match` is the first."""

BEST_FIRST = (FactOrder.MATCH, FactOrder.STAKE)
"""Orders whose first facts are those with the most of it."""

REVIEW_GLYPHS = {
    "flagged": ("flagged", "object"),
    "edited": ("edited", "accent"),
    "noted": ("noted", "ink-2"),
}
DIFFER_GLYPHS = {"profile": ("at-stake", "label-i"), "any": ("differs", "label-p")}


@dataclass(frozen=True, slots=True)
class FactsState:
    """Search, filters, and the order of each: of all facts, and of what a search found.

    `columns` are those that a person has chosen, None where the width decides; `viewed` is the
    saved view that this comes from, as it was then.
    """

    search: str = ""
    filters: Filters = field(default_factory=Filters)
    order: FactOrder = FactOrder.SUBJECT
    descending: bool = False
    found_order: FactOrder = FactOrder.MATCH
    found_descending: bool = False
    columns: tuple[str, ...] | None = None
    viewed: ListWords | None = None

    @property
    def words(self) -> ListWords:
        """The same in the words of a command."""
        wanted = self.wanted
        where = format_where(wanted.filters, wanted.search)
        name = "" if self.viewed is None else self.viewed.view
        return ListWords("facts", where, format_sort(wanted), self.shown_columns, name)

    @property
    def view_words(self) -> str:
        """The name of the view that this is, with `*` where it has been altered since."""
        return self.words.title(self.viewed)

    @classmethod
    def of_view(cls, view: "SavedView") -> "FactsState":
        """What a view asks for. Raises `UsageError` for words that cannot be."""
        query = query_of(view.where, view.sort)
        found = cls(query.search, query.filters, columns=view.columns or None)
        if query.search:
            found = replace(found, found_order=query.order, found_descending=query.descending)
        else:
            found = replace(found, order=query.order, descending=query.descending)
        return replace(found, viewed=replace(found.words, view=view.name))

    @property
    def shown_columns(self) -> tuple[str, ...]:
        """The columns of the list where there is room for all."""
        return with_sorted(self.columns or START, self.wanted.order)

    @property
    def searching(self) -> bool:
        """Whether anything is searched."""
        return bool(self.search.strip())

    @property
    def wanted(self) -> FactQuery:
        """The same as a list is asked for it."""
        if self.searching:
            return FactQuery(self.search, self.filters, self.found_order, self.found_descending)
        return FactQuery("", self.filters, self.order, self.descending)

    def next_order(self) -> "FactsState":
        """The next order; the most viewed facts stand first."""
        orders = (FactOrder.MATCH, *ORDERS) if self.searching else ORDERS
        return self.sort_by(orders[(orders.index(self.wanted.order) + 1) % len(orders)])

    def sort_by(self, order: FactOrder) -> "FactsState":
        """In an order, or the other way round where it is in that already."""
        if order is self.wanted.order:
            return self.reverse_order()
        return self._replace_order(order, order is FactOrder.VIEWS)

    def reverse_order(self) -> "FactsState":
        """The same order the other way round."""
        return self._replace_order(self.wanted.order, not self.wanted.descending)

    def _replace_order(self, order: FactOrder, descending: bool) -> "FactsState":
        if self.searching:
            return replace(self, found_order=order, found_descending=descending)
        return replace(self, order=order, descending=descending)


@dataclass(frozen=True, slots=True)
class FactsPosition:
    """Where a person is on the Facts screen: in the list, and in the fact beside it.

    `fact` is the one under the list's cursor, which stands `height` lines below the list's top;
    `scroll` is how far the fact is scrolled. `inside`: the focus is in the fact.
    """

    asking: FactsState = field(default_factory=FactsState)
    fact: str | None = None
    height: int = 0
    inside: bool = False
    task: Task = Task.DIRECT
    folded: bool | None = None
    whole: bool = False
    scroll: int = 0


def draw_query(wanted: FactQuery, room: int, look: Look) -> Line:
    """Filters as chips, and the order, within `room` cells; of chips as many as fit."""
    down = wanted.descending != (wanted.order in BEST_FIRST)
    order = Line().add("sort ", "ink-3", "sort").add(wanted.order.value, "ink-2", "sort")
    order.add(" ").add(look.glyph("down" if down else "up"), "ink-3", "turn")
    line, left = Line(), room - order.width - 2
    found = chips(wanted.filters, look)
    for place, (words, role) in enumerate(found):
        more = f"+{len(found) - place}"
        needed = len(words) + 3 + (0 if place == len(found) - 1 else len(more) + 1)
        if needed > left - line.width:
            line.add(more, "ink-3").add(" ")
            break
        line.add(f" {words} ", f"{role} @chip", "filter").add(" ")
    if line.width:
        line.add(" ")
    return line.join(order).clip(room)


def filter_words(asking: FactsState) -> Iterator[str]:
    """What is searched and filtered by, a word or two each."""
    now = asking.filters
    if asking.searching:
        yield f'"{asking.search.strip()}"'
    yield from sorted(now.verdicts)
    for names in (now.topics, now.types, now.tiers):
        yield from map(shorten_name, sorted(names))
    if now.differs is not None:
        yield "differs" if now.differs == "any" else "at stake"
    yield from sorted(now.reviews)
    yield from map(shorten_name, where_words(now.typed))
    if now.only is not None:
        yield now.only.words
    if now.rejected:
        yield "rejected"


def chips(filters: Filters, look: Look) -> list[tuple[str, str]]:
    """What is filtered by, each in a word or a mark with its role."""
    found = [(spell(code), f"{code_role(code)} bold") for code in sorted(filters.verdicts)]
    for names in (filters.topics, filters.types, filters.tiers):
        found += [(shorten_name(name), "ink-2") for name in sorted(names)]
    glyphs = [DIFFER_GLYPHS[filters.differs]] if filters.differs else []
    glyphs += [REVIEW_GLYPHS[name] for name in sorted(filters.reviews)]
    found += [(look.glyph(name), f"{role} bold") for name, role in glyphs]
    found += [(shorten_name(make_inert(word), 14), "ink-2") for word in where_words(filters.typed)]
    found += (
        [(shorten_name(make_inert(filters.only.words[:64]), 14), "ink-2")] if filters.only else []
    )
    return [*found, ("RJ", "ink-2")] if filters.rejected else found


def shorten_name(name: str, room: int = 12) -> str:
    """A topic, type or tier as it stands on a chip."""
    words = name.replace("_", " ")
    words = words.lower() if words.isupper() else words
    return words if len(words) <= room else words[: room - 1].rstrip() + spell("…")
