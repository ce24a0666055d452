"""The filters of the list of facts: what there is to filter by, with counts, to be ticked."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import ClassVar, NamedTuple

from textual import on
from textual.binding import Binding, BindingType
from textual.widgets import Input

from core.dataset.fact_filters import Filters, format_words, parse_where, where_words
from core.errors import UsageError
from core.glossary.glossary import BY_TERM
from core.views.filter_choices import Choices
from tui.dialogs.dialog import CLOSES
from tui.dialogs.search_dialog import SearchDialog, matches
from tui.screens.facts.state import DIFFER_GLYPHS, REVIEW_GLYPHS
from tui.text.line import Line
from tui.theme.glyphs import spell
from tui.theme.look import Look
from tui.theme.roles import code_role
from tui.widgets.line_view import LineView
from tui.widgets.text_field import TextField

TIERS = {
    "bottom": "bottom 20% of views",
    "middle": "middle 60% of views",
    "top": "top 20% of views",
    "unknown": "views unknown",
}
DIFFERS = {"profile": "graders differ, a profile is at stake", "any": "graders differ"}
REVIEWS = {"flagged": "flagged", "edited": "edited", "noted": "with a note"}
LATENT = {
    "known": "known unasked",
    "unknown": "not known unasked",
    "contradicts": "Z  scores contradict the verdict",
}
TICK, NAME = 2, 5
NO_FILTERS = Filters()


class FilterEntry(NamedTuple):
    """One thing to filter by: the field of the filters, its value there, and how it is shown.

    `facts` counts those that it would list alone, None where they are not counted. An entry of
    the kind `WORD` is a word of `--where`.
    """

    kind: str
    value: str
    words: str
    facts: int | None
    glyph: str = ""
    role: str = "ink-2"


WORD = "word"
TYPED = "as --where says it"
"""The group of words of `--where`."""


class FilterGroup(NamedTuple):
    """A heading over entries."""

    name: str


def entries(choices: Choices, filters: Filters = NO_FILTERS) -> list[FilterGroup | FilterEntry]:
    """All there is to filter by, in groups; words that have been typed before stand first."""
    verdicts = {code: BY_TERM[code].name for code in choices.verdicts}
    rows = words_group(where_words(filters.typed))
    rows.append(FilterGroup("profile"))
    rows += [
        FilterEntry(
            "verdicts", code, f"{spell(code)}  {verdicts[code]}", count, role=code_role(code)
        )
        for code, count in choices.verdicts.items()
    ]
    rows.append(FilterGroup("topic"))
    rows += [FilterEntry("topics", name, name, count) for name, count in choices.topics.items()]
    rows.append(FilterGroup("type of object"))
    rows += [
        FilterEntry("types", name, name.replace("_", " ").lower(), count)
        for name, count in choices.types.items()
    ]
    rows += _group("views", "tiers", TIERS, choices.tiers, {})
    rows += _group("graders", "differs", DIFFERS, choices.differs, DIFFER_GLYPHS)
    rows += _group("review", "reviews", REVIEWS, choices.reviews, REVIEW_GLYPHS)
    if choices.latent or filters.latent:
        counts = dict.fromkeys(LATENT, 0) | dict(choices.latent)
        rows += _group("when nobody asks", "latent", LATENT, counts, {})
    return [*rows, FilterEntry("rejected", "rejected", "rejected", choices.rejected)]


def words_group(words: Iterable[str]) -> list[FilterGroup | FilterEntry]:
    """Words of `--where` under their heading, nothing where there are none."""
    found = [FilterEntry(WORD, word, word, None) for word in words]
    return [FilterGroup(TYPED), *found] if found else []


def parse_typed(text: str, alone: bool) -> list[FilterGroup | FilterEntry]:
    """What is typed as words of `--where`; plain text is one only where nothing else is found."""
    try:
        filters, search = parse_where(text)
    except UsageError:
        return []
    plain = filters.texts and "text:" not in text
    if search or (plain and not alone):
        return []
    return words_group(where_words(filters))


def narrow_entries(
    rows: list[FilterGroup | FilterEntry], text: str
) -> list[FilterGroup | FilterEntry]:
    """The entries in which everything typed is found, under their groups."""
    kept: list[FilterGroup | FilterEntry] = []
    group = FilterGroup("")
    for row in rows:
        if isinstance(row, FilterGroup):
            group = row
        elif matches(text, f"{group.name} {row.words} {row.value}"):
            if group not in kept:
                kept.append(group)
            kept.append(row)
    return kept


def is_ticked(filters: Filters, entry: FilterEntry) -> bool:
    """Whether an entry is asked for."""
    if entry.kind == "rejected":
        return filters.rejected
    if entry.kind == "differs":
        return filters.differs == entry.value
    if entry.kind == WORD:
        return filters.join(_parse_word(entry)) == filters
    return entry.value in getattr(filters, entry.kind)


def toggle_entry(filters: Filters, entry: FilterEntry) -> Filters:
    """The filters with an entry asked for, or no longer."""
    if entry.kind == "rejected":
        return replace(filters, rejected=not filters.rejected)
    if entry.kind == "differs":
        return replace(filters, differs=None if is_ticked(filters, entry) else entry.value)
    if entry.kind == WORD:
        meant = _parse_word(entry)
        return filters.without(meant) if is_ticked(filters, entry) else filters.join(meant)
    values: frozenset[str] = getattr(filters, entry.kind)
    return replace(filters, **{entry.kind: values ^ {entry.value}})  # type: ignore[arg-type]


def _parse_word(entry: FilterEntry) -> Filters:
    """What a word of `--where` asks for."""
    return parse_where(format_words([entry.value]))[0]


def _group(
    name: str,
    kind: str,
    words: Mapping[str, str],
    counts: Mapping[str, int],
    glyphs: Mapping[str, tuple[str, str]],
) -> list[FilterGroup | FilterEntry]:
    return [
        FilterGroup(name),
        *(
            FilterEntry(kind, value, shown, counts[value], *glyphs.get(value, ()))
            for value, shown in words.items()
        ),
    ]


def entry_line(entry: FilterEntry, on: bool, width: int, look: Look) -> Line:
    """An entry: tick, mark, words, and how many facts it would list alone."""
    line = Line().to(TICK).add(look.glyph("done") if on else " ", "accent bold").to(NAME)
    role = "ink" if on and entry.role == "ink-2" else entry.role
    if entry.glyph:
        line.add(look.glyph(entry.glyph), f"{entry.role} bold").add("  ")
        role = "ink" if on else "ink-2"
    line.add(entry.words, f"{role} bold" if on else role)
    count = "" if entry.facts is None else f"{entry.facts:,}"
    return line.right(Line(count, "ink-3"), width - 1)


class FilterEntries(LineView):
    """The entries that the search has left, ticked or not."""

    def __init__(self, rows: list[FilterGroup | FilterEntry], filters: Filters) -> None:
        super().__init__()
        self.filters = filters
        self.rows = rows
        self.cursor = self._next_choosable(0, 1)

    def show(self, rows: list[FilterGroup | FilterEntry]) -> None:
        """Other entries; the cursor goes to the first."""
        self.rows = rows
        self.cursor = self._next_choosable(0, 1)
        self.refresh_changed()
        self.repaint()

    @property
    def leads(self) -> bool:
        """Always: the search above has the focus, keys act here."""
        return True

    @property
    def entry(self) -> FilterEntry | None:
        """The entry under the cursor."""
        row = None if self.cursor is None else self.rows[self.cursor]
        return row if isinstance(row, FilterEntry) else None

    def row_count(self) -> int:
        """Entries and headings, or the line that says there are none."""
        return max(1, len(self.rows))

    def is_choosable(self, row: int) -> bool:
        """Whether there is an entry on the row."""
        return row < len(self.rows) and isinstance(self.rows[row], FilterEntry)

    def draw(self, row: int, line: int, width: int) -> Line:
        """An entry or a heading."""
        if not self.rows:
            return Line("  nothing matches", "ink-3")
        found = self.rows[row]
        if isinstance(found, FilterGroup):
            return Line(" ").add(found.name, "ink-3").add(" ").rule(width - 1)
        return entry_line(found, is_ticked(self.filters, found), width, self.look)

    def toggle(self) -> None:
        """Tick the entry under the cursor, or untick it."""
        if self.entry is not None:
            self.filters = toggle_entry(self.filters, self.entry)
            self.refresh_changed()


class TickField(TextField):
    """A search in which `space` ticks; only its own bindings come before what is typed in it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "screen.tick", "tick", id="filter.tick", priority=True)
    ]


class FilterForm(SearchDialog[Filters]):
    """`space` ticks, `enter` filters by what is ticked, or by the one entry it stands on.

    Words of `--where` that are typed can be ticked too.
    """

    heading = "filters"
    hint = (("↑ ↓", "choose"), ("space", "ticks"), ("enter", "filters"), CLOSES)

    def __init__(self, filters: Filters, choices: Choices) -> None:
        super().__init__()
        self.before = filters
        self.all = entries(choices, filters)

    def search_field(self) -> TextField:
        """The search."""
        return TickField(placeholder=self.placeholder)

    def make_list(self) -> LineView:
        """The entries."""
        return FilterEntries(self.all, self.before)

    def narrow_to(self, text: str) -> None:
        """Keep the entries in which everything typed is found."""
        rows = narrow_entries(self.all, text)
        self.query_one(FilterEntries).show([*rows, *self.list_typed(text, not rows)])

    def list_typed(self, text: str, alone: bool) -> list[FilterGroup | FilterEntry]:
        """What is typed as words of `--where`; `alone`: no entry fits it."""
        return parse_typed(text, alone)

    def action_tick(self) -> None:
        """Tick the entry under the cursor, or untick it."""
        self.query_one(FilterEntries).toggle()

    @on(Input.Submitted)
    def submit_filters(self) -> None:
        """Hand back the filters."""
        view = self.query_one(FilterEntries)
        if view.filters == self.before:
            view.toggle()
        self.dismiss(view.filters)

    @on(LineView.RowClicked)
    def tick_clicked(self, event: LineView.RowClicked) -> None:
        """A click ticks."""
        event.stop()
        if event.view.is_choosable(event.row):
            self.action_tick()
