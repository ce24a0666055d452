"""Choosing the graders: whose labels count, in which order, and which are compared."""

from typing import TYPE_CHECKING, ClassVar, cast

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType

from core.scoring.precedence import CHOICE, PEOPLE
from core.stats.number_format import format_percent
from core.views import grader_labels
from core.views.grader_labels import GraderLabels, GraderOverview
from core.views.lens import MOST_COMPARED, Lens
from tui import keys
from tui.dialogs.dialog import Dialog
from tui.text.cell_width import width_of
from tui.text.grader_list import letter_of, only_person, shown_grader
from tui.text.line import Line
from tui.theme.glyphs import spell
from tui.theme.look import Look
from tui.widgets.headed_list import go_to_first_row
from tui.widgets.line_view import LineView
from tui.widgets.text_block import TextBlock

if TYPE_CHECKING:
    from core.errors import LostkeysError
    from tui.app.app import LostkeysApp

NAME_AT, LABELS_CELLS, TRACK, SHARE_CELLS = 9, 13, 12, 13
COMPARED_CELLS = 19
"""Letters and, beside the cursor, what a grader completes."""

SPACIOUS = 86
"""Cells from which on shares are drawn too."""

THIS_MODEL = "of this model"
"""What a share is of, where the name of the model has no room."""

_HEADING, _UNLISTED = 0, "not in the list"


class GraderList(LineView):
    """A row a grader: those of the list in its order, then the others."""

    def __init__(self, lens: Lens, overview: GraderOverview, you: str | None) -> None:
        super().__init__()
        self.lens, self.overview, self.you = lens, overview, you
        self.gain: int | None = None
        """By how many complete facts the list with the grader under the cursor is ahead."""
        self.cursor = 1 if self.rows else None

    @property
    def rows(self) -> list[str | None]:
        """Names of graders; None is the line between those of the list and the others."""
        rest = [one.name for one in self.overview.graders if one.name not in self.lens.ranked]
        return [*self.lens.ranked, None, *rest] if rest else [*self.lens.ranked]

    @property
    def grader(self) -> str | None:
        """The grader under the cursor."""
        return None if self.cursor is None else self.rows[self.cursor - 1]

    def labels_of(self, name: str) -> GraderLabels | None:
        """What is known of a grader; None until it is counted."""
        return next((one for one in self.overview.graders if one.name == name), None)

    def show(self, lens: Lens, overview: GraderOverview) -> None:
        """Another list, with the cursor on the same grader."""
        grader = self.grader
        self.lens, self.overview, self.gain = lens, overview, None
        if grader in self.rows:
            self.cursor = 1 + self.rows.index(grader)
        self.refresh_changed()

    def show_gain(self, gain: int | None) -> None:
        """What the grader under the cursor completes."""
        self.gain = gain
        self.refresh_changed()

    def row_count(self) -> int:
        """The headings and the graders."""
        return 1 + len(self.rows)

    def is_choosable(self, row: int) -> bool:
        """Whether a grader stands on the row."""
        return row != _HEADING and self.rows[row - 1] is not None

    def draw(self, row: int, line: int, width: int) -> Line:
        """A grader, a heading, or the line between."""
        if row == _HEADING:
            return self._headings(width)
        name = self.rows[row - 1]
        if name is None:
            return Line(" ").add(f"{_UNLISTED} ", "ink-3").rule(width - 1)
        return self._grader(name, width, row == self.cursor)

    def _headings(self, width: int) -> Line:
        line = Line().to(2).cell("place", NAME_AT - 2, "ink-3")
        line.cell("grader", _name_cells(width), "ink-3")
        labels = "labels here" if width >= SPACIOUS else "labels"
        line.cell(labels, _labels_cells(width), "ink-3", right=True).add("   ")
        share = SHARE_CELLS + (TRACK if width >= SPACIOUS else 0)
        shown = f"of {self.overview.model or 'answers'}"
        line.cell(shown if width_of(shown) <= share else THIS_MODEL, share, "ink-3", right=True)
        return line.add("   compared", "ink-3").clip(width)

    def _grader(self, name: str, width: int, here: bool) -> Line:
        places = {one: place for place, one in enumerate(self.lens.ranked, 1)}
        listed, counted = name in places, self.labels_of(name)
        ink = "ink" if listed else "ink-2"
        place = str(places[name]) if listed else "last" if name == CHOICE else spell("·")
        line = Line().to(2).cell(place, NAME_AT - 2, "accent bold" if listed else "ink-3")
        words = shown_grader(name, self.you, most=width)
        line.cell(words, _name_cells(width), f"{ink} bold" if here else ink)
        labels = spell("…") if counted is None else f"{counted.labels:,}"
        line.cell(labels, _labels_cells(width), ink, right=True).add("   ")
        share = self._share(counted)
        if width >= SPACIOUS:
            line.join(_track(share, self.look) if listed else Line().to(TRACK))
        line.cell(spell("–") if share is None else _percent(share), SHARE_CELLS, ink, right=True)
        line.add("   ").cell(letter_of(self.lens, name), 3, "ink bold")
        if here and self.gain:
            line.add(f"{self.gain:+,} complete".replace("-", spell("−")), "label-c")
        return line.clip(width)

    def _share(self, counted: GraderLabels | None) -> float | None:
        if counted is None or not counted.of_model or not self.overview.answers:
            return None
        return counted.of_model / self.overview.answers


def _name_cells(width: int) -> int:
    share = SHARE_CELLS + 3 + (TRACK if width >= SPACIOUS else 0)
    return max(12, width - NAME_AT - _labels_cells(width) - share - 3 - COMPARED_CELLS)


def _labels_cells(width: int) -> int:
    return LABELS_CELLS if width >= SPACIOUS else LABELS_CELLS - 4


def _track(share: float | None, look: Look) -> Line:
    """How much of the model's answers a grader has labelled, drawn."""
    if share is None:
        return Line().to(TRACK)
    knob = min(int(share * TRACK), TRACK - 1)
    line = Line(look.glyph("bar") * knob, "accent").add(look.glyph("knob"), "accent bold")
    return line.add(look.glyph("track") * (TRACK - 1 - knob), "rule")


def _percent(share: float) -> str:
    """`0.4%`, `36%`; a share that is not all is never shown as all."""
    return f"{format_percent(min(share, 1), 1 if share < 0.01 else 0)}%"


class GradersDialog(Dialog[Lens]):
    """Every grader with its place; `enter` hands back the lens with another list."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("graders")
    DEFAULT_CSS = "GradersDialog GraderList { height: auto; max-height: 60vh; }"

    heading = "Graders, in their order"
    hint = (
        ("space", "in, out"), ("( )", "order"), ("C", "compared"), ("delete", "removes"),
        ("enter", "applies"), ("esc", "leaves it"),
    )  # fmt: skip

    def __init__(self, lens: Lens, known: tuple[str, ...], facts: int, you: str | None) -> None:
        """`known` are the graders that one knows of before they are counted."""
        super().__init__()
        names = dict.fromkeys([*lens.ranked, PEOPLE, *known])
        self._before = self._lens = lens
        self._you = you
        self._names = tuple(names)
        self._facts = facts
        self._complete: int | None = None

    @property
    def view(self) -> GraderList:
        """The list, once it is there."""
        return self.query_one(GraderList)

    def body(self) -> ComposeResult:
        """The list, what it comes to, and how a command asks for it."""
        overview = GraderOverview(self._lens.model, 0, self._facts, ())
        yield GraderList(self._lens, overview, only_person(self._names, self._you))
        yield TextBlock(self._sentences())

    def on_mount(self) -> None:
        """Have everything counted."""
        self.write_edges()
        self.ask("graders", grader_labels.read_graders, self._take_overview, self._fail)
        self._ask_complete()

    def _take_overview(self, found: GraderOverview) -> None:
        self._facts = found.facts
        self.view.you = only_person(tuple(one.name for one in found.graders), self._you)
        self.view.show(self._lens, found)
        self._ask_complete()
        self.refresh(layout=True)

    def _fail(self, error: "LostkeysError") -> None:
        self.edge(Line(str(error), "label-i"))

    # What the list comes to

    def _ask_complete(self) -> None:
        """Count the complete facts under the list, with and without the grader of the cursor."""
        lens, grader = self._lens, self.view.grader
        counted = None if grader is None else self.view.labels_of(grader)
        lists, listed = [lens.ranked], grader in lens.ranked
        if grader is not None and counted is not None and counted.labels:
            other = lens.without_grader(grader) if listed else lens.with_grader(grader)
            lists.append(other.ranked)

        def take(found: list[int]) -> None:
            if lens == self._lens and grader == self.view.grader:
                self._complete, *others = found
                gains = [self._complete - other if listed else other - found[0] for other in others]
                self.view.show_gain(next(iter(gains), None))
                self.query_one(TextBlock).say(self._sentences())

        self.ask(
            "complete facts",
            lambda session: grader_labels.count_complete(session, lists),
            take,
            self._fail,
        )

    def _sentences(self) -> list[Line]:
        line = Line("The first that has labelled an answer decides it. Complete so: ", "ink-2")
        complete = spell("…") if self._complete is None else f"{self._complete:,}"
        line.add(f"{complete} of {self._facts:,}", "ink bold").add(" facts", "ink-2")
        return [Line(), line, Line(f"--grader {','.join(self._lens.ranked)}", "ink-3")]

    # Keys

    def _show(self, lens: Lens) -> None:
        """Another list; the edge names the keys again."""
        self._lens = lens
        self.view.show(lens, self.view.overview)
        self.query_one(TextBlock).say(self._sentences())
        self.write_edges()
        self._ask_complete()

    def action_include(self) -> None:
        """Take the grader in, or out."""
        name = self.view.grader
        if name is None:
            return
        counted = self.view.labels_of(name)
        if name in self._lens.ranked:
            self._show(self._lens.without_grader(name))
        elif name != PEOPLE and counted is not None and not counted.labels:
            self._say(f"{shown_grader(name)} has labelled nothing here")
        else:
            self._show(self._lens.with_grader(name))

    def action_shift(self, step: int) -> None:
        """The grader of the list a place later or earlier."""
        name = self.view.grader
        if name is not None and name in self._lens.ranked:
            self._show(self._lens.with_grader_moved(name, step))

    def action_compare(self) -> None:
        """Compare the grader with others, or not any more."""
        name = self.view.grader
        if name is None:
            return
        counted = self.view.labels_of(name)
        if name == PEOPLE:
            self._say("people are compared one by one, by their names")
        elif counted is not None and not counted.labels:
            self._say(f"{shown_grader(name)} has labelled nothing here")
        elif name not in self._lens.compared and len(self._lens.compared) == MOST_COMPARED:
            self._say("four are compared at most: take one of them out first")
        else:
            self._show(self._lens.with_compared(name))

    def action_remove(self) -> None:
        """Leave the list as it was, and offer to remove the grader with its labels."""
        from tui.dialogs.removal_dialog import offer_removal

        name = self.view.grader
        if name is None or name == PEOPLE:
            self._say("people are removed one by one, by their names")
            return
        self.dismiss(None)
        offer_removal(cast("LostkeysApp", self.app), ("grader", name))

    def action_first(self) -> None:
        """Leave for the first row of the list behind: the second `g` of `gg`."""
        self.dismiss(None)
        go_to_first_row(self.app.focused)

    def action_apply(self) -> None:
        """Hand back the lens with this list."""
        if not self._lens.ranked:
            self._say("a list needs a grader: `space` takes one in")
            return
        same = (self._lens.ranked, self._lens.compared)
        self.dismiss(None if same == (self._before.ranked, self._before.compared) else self._lens)

    def _say(self, words: str) -> None:
        self.edge(Line(words, "label-p"))

    @on(LineView.CursorMoved)
    def follow_cursor(self, event: LineView.CursorMoved) -> None:
        """Say what the grader under the cursor completes."""
        event.stop()
        self.view.show_gain(None)
        self._ask_complete()

    @on(LineView.RowClicked)
    def toggle_clicked(self, event: LineView.RowClicked) -> None:
        """A second click takes in, or out."""
        event.stop()
        if event.again and event.view.is_choosable(event.row):
            self.action_include()
