"""The list of disagreements and the open one, with the keys that decide it in both."""

from typing import ClassVar

from textual.binding import BindingType
from textual.message import Message

from core.views.disagreements.disagreement_queue import (
    ConsequenceGroup,
    DisagreementQueue,
    DisagreementRow,
    RowFate,
)
from core.views.verdict_reasons import format_g
from core.vocabulary import Label, Side
from tui import keys
from tui.text.cell_width import width_of
from tui.text.inert_text import make_inert
from tui.text.line import Line
from tui.text.speech import speak_text
from tui.theme.glyphs import spell
from tui.theme.look import Look
from tui.theme.roles import code_role, label_mark
from tui.widgets.document_view import DocumentView
from tui.widgets.line_view import LineView
from tui.widgets.line_widget import LineWidget
from tui.widgets.queue_view import QueueView

# The queue as lines: groups under their titles, one row a disagreement.

UNSURE = "a grader is not sure of these"
TITLES = {
    ConsequenceGroup.PROFILE: "would change a profile",
    ConsequenceGroup.QUESTION: "would change a question, not the profile",
    ConsequenceGroup.REST: "would change neither",
}
EFFECT = 9
"""Cells of the effect at the right: `RF → RT`, `.60→.50`."""
NAME = 8
"""Cells of another person's name."""
FROM, MODEL = 84, 24
"""Cells from which on the model stands in the row too, and its cells."""
LEAST_TEXT = 30
"""Cells of a row's text from which on the fact with its gold stands beside the answer."""
LABELS_AT, TEXT_AT = 3, 8
"""Columns of A's and B's labels, and of the answer."""


class QueueLayout:
    """Where rows and titles stand: titles above the groups that have rows."""

    def __init__(self, queue: DisagreementQueue) -> None:
        self._titles: list[tuple[int, int, ConsequenceGroup, int]] = []
        start = row = 0
        for group, size in zip(ConsequenceGroup, queue.sizes, strict=True):
            if size:
                self._titles.append((row, start, group, size))
                row += size + 1
                start += size
        self.rows = row

    def place(self, row: int) -> int | None:
        """The place in the queue of a row; None for a title."""
        for first, start, _, size in self._titles:
            if first < row <= first + size:
                return start + row - first - 1
        return None

    def row(self, place: int) -> int:
        """The row of a place."""
        for first, start, _, size in self._titles:
            if start <= place < start + size:
                return first + 1 + place - start
        return 0

    def title(self, row: int) -> tuple[ConsequenceGroup, int] | None:
        """The group whose title stands on a row, and its size."""
        return next(((group, size) for at, _, group, size in self._titles if at == row), None)


def draw_title(group: ConsequenceGroup, size: int, width: int, unsure: bool = False) -> Line:
    """A group's title with its count; that of a queue of unsure answers."""
    count = f"  {size:,} "
    line = Line(f" {UNSURE if unsure else TITLES[group]} ", "ink-3").clip(
        max(0, width - len(count))
    )
    return line.rule(width - len(count)).add(count, "ink-3")


def heading(width: int) -> Line:
    """What the columns are: decision, A's label, B's, the answer, its fact, and what B changes."""
    line = Line().to(LABELS_AT).add("A B", "ink-3").to(TEXT_AT).add("answer", "ink-3")
    fact, model = _fact_cells(width), MODEL if width >= FROM else 0
    if fact:
        line.to(width - EFFECT - 1 - model - fact + 2).add(spell("fact → gold"), "ink-3")
    if model:
        line.to(width - EFFECT - 1 - model + 2).add("model", "ink-3")
    return line.right(Line("by B", "ink-3"), width - 1)


def _fact_cells(width: int) -> int:
    """Cells of a row's fact, its gap among them; 0 where there is no room for it."""
    room = width - TEXT_AT - EFFECT - 1 - (MODEL if width >= FROM else 0)
    return room // 2 if room >= LEAST_TEXT else 0


def _fact(row: DisagreementRow, room: int) -> Line:
    """Subject and object of a fact; the one that was asked for is the gold."""
    beside, gold = room - 3, row.task.side
    first = max(beside // 2, beside - width_of(make_inert(row.heading.object[:room])))
    roles = ["object" if side is gold else "ink-3" for side in (Side.SUBJECT, Side.OBJECT)]
    line = Line(row.heading.subject[: 4 * room], roles[0]).clip(first).add(spell(" → "), "ink-3")
    line.add(row.heading.object[: 4 * room], roles[1])
    return line.clip(room).to(room)


def draw(
    row: DisagreementRow, text: str | None, width: int, look: Look, under: bool, blind: bool
) -> Line:
    """Decision, A's label, B's, the answer (the subject until that is read), the effect.

    Blind, the graders' labels and what they would do show once one has decided.
    """
    done = row.decision is not None or row.fate is not RowFate.OPEN
    hidden = blind and not done
    line = Line(" ").join(decision(row, look)).add(" ")
    for label in (row.a, row.b):
        mark, role = label_mark(label, look) if label else (look.glyph("ungraded"), "ink-3")
        line.add(spell("· ") if hidden else f"{mark} ", "ink-3" if hidden else role)
    line.to(TEXT_AT)
    effect = Line() if hidden else effect_of(row)
    room = max(0, width - line.width - EFFECT - 1)
    beside = draw_others(row)
    room = max(0, room - beside.width)
    role = "ink bold" if under else "ink-2" if done else "ink"
    shown = row.heading.subject if text is None else text or "empty"
    model, fact = MODEL if width >= FROM else 0, _fact_cells(width)
    role = "ink-3" if text is None and not under else role
    line.cell(shown, room - model - fact, role).join(beside)
    if fact:
        line.add("  ").join(_fact(row, fact - 2))
    line.cell(f"  {row.model}", model, "ink-3") if model else None
    return line.right(effect, width - 1)


def sentence(row: DisagreementRow, text: str | None, blind: bool) -> Line:
    """`Paris. A: incorrect. B: correct. RF to RT`, for who hears it."""
    shown = row.heading.subject if text is None else text or "empty"
    line = Line(speak_text(shown))
    done = row.decision is not None or row.fate is not RowFate.OPEN
    if blind and not done:
        return line
    a, b = (label.value.lower() if label else "not sure" for label in (row.a, row.b))
    line.add(f" A: {a}. B: {b}")
    if row.group is ConsequenceGroup.PROFILE:
        line.add(". ").join(effect_of(row))
    elif row.group is ConsequenceGroup.QUESTION:
        line.add(f". Grade {format_g(row.g)} to {format_g(row.g_after)}")
    if row.fate is not RowFate.OPEN:
        return line.add(f". The question is {row.fate.name.lower()}")
    if row.decision is not None:
        line.add(f". Decided: {row.decision.value.lower()}")
    return line.add(f". Also decided by {row.others[0][0]}") if row.others else line


def draw_others(row: DisagreementRow) -> Line:
    """Who else has decided it: `mira`, `mira ≠` where that is not one's own label, `mira +1`."""
    if not row.others:
        return Line()
    role = "label-i bold" if row.contradicted else "ink-2"
    line = Line(" ").join(Line(row.others[0][0], role).clip(NAME))
    if len(row.others) > 1:
        line.add(f" +{len(row.others) - 1}", role)
    return line.add(spell(" ≠") if row.contradicted else "  ", role)


def decision(row: DisagreementRow, look: Look) -> Line:
    """`A` or `B` where one was right, the letter of one's own label, or a blank.

    `d` where the fact is rejected, `e` where the question was edited.
    """
    if row.fate is not RowFate.OPEN:
        return Line("d" if row.fate is RowFate.REJECTED else "e", "object bold")
    if row.decision is None:
        return Line(" ")
    return Line(row.right if row.right in ("A", "B") else row.decision.value[0], "object bold")


def effect_of(row: DisagreementRow) -> Line:
    """What B's label would do: `RF → RT`, `.60→.50`, or nothing."""
    if row.group is ConsequenceGroup.PROFILE:
        line = Line(spell(row.before), f"{code_role(row.before)} bold").add(spell(" → "), "ink-3")
        return line.add(spell(row.after), f"{code_role(row.after)} bold")
    if row.group is ConsequenceGroup.QUESTION:
        return Line(
            f"{spell(format_g(row.g)):>4}{spell('→')}{spell(format_g(row.g_after))}", "label-p"
        )
    return Line()


DECISIONS = frozenset(one.id for one in keys.KEYS if "decision" in one.places)
"""Keys, by their ids, that act on the card."""


class DecisionKeys(LineView):
    """Keys that decide the card in sight, in the card and in the list beside it."""

    class LabelDecided(Message):
        """A label is to be set, or one of the graders is right (`a`, `b`); None withdraws."""

        def __init__(self, what: Label | str | None) -> None:
            super().__init__()
            self.what = what

    class FlagWanted(Message):
        """The fact is to be flagged, or its flag to be taken away."""

    hides = False
    """Whether the graders' labels are hidden, so that nobody can side with one."""

    @property
    def sees_card(self) -> bool:
        """Whether the card is in sight."""
        return self.screen.query_one("#card-view").size.height > 0

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Nobody is sided with unseen, and nothing is decided where the card is not seen."""
        if action in ("side_with", "label", "withdraw", "skip", "note", "tags", "flag"):
            return self.sees_card and not (self.hides and action == "side_with")
        return True

    def decides(self, key: str | None) -> bool:
        """Whether a key labels what is shown, or sides with a grader."""
        bound = self.screen.active_bindings.get(key or "")
        if bound is None or bound.node is not self:
            return False
        return bound.binding.action.startswith(("side_with", "label"))

    def acts_on_card(self, key: str | None) -> bool:
        """Whether a key is one of those that are meant for the card."""
        bound = self.screen.active_bindings.get(key or "")
        return bound is not None and bound.binding.id in DECISIONS

    def action_flag(self) -> None:
        """Flag the fact."""
        self.post_message(self.FlagWanted())

    def action_side_with(self, grader: str) -> None:
        """Grader A or B is right."""
        self.post_message(self.LabelDecided(grader))

    def action_label(self, label: str) -> None:
        """Your own label."""
        self.post_message(self.LabelDecided(Label(label)))

    def action_withdraw(self) -> None:
        """Take your label away."""
        self.post_message(self.LabelDecided(None))

    def action_skip(self) -> None:
        """To the next undecided one, with nothing written."""
        self.post_message(DocumentView.StepWanted(1, skipping=True))

    def action_note(self) -> None:
        """Write a note."""
        self.post_message(DocumentView.NoteWanted())

    def action_tags(self) -> None:
        """Set a tag, or take one off."""
        self.post_message(DocumentView.TagsWanted())


class DisagreementCardView(DecisionKeys, DocumentView):
    """The open disagreement."""

    BINDINGS: ClassVar[list[BindingType]] = [*keys.bindings("decision"), *keys.bindings("list")]

    def __init__(self) -> None:
        super().__init__(id="card-view")


class DisagreementQueueView(DecisionKeys, QueueView):
    """The disagreements; rows are made when they are seen."""

    BINDINGS = keys.bindings("decision", silent=True)

    def __init__(self) -> None:
        super().__init__(id="queue-view")
        self.queue: DisagreementQueue | None = None
        self.blind = False
        self.layout_: QueueLayout | None = None

    def row_count(self) -> int:
        """Rows and titles, or words where there is nothing."""
        return self.layout_.rows if self.layout_ is not None else len(self.words)

    def place_at(self, row: int) -> int | None:
        """The place of a disagreement; titles have none."""
        return None if self.layout_ is None else self.layout_.place(row)

    def draw(self, row: int, line: int, width: int) -> Line:
        """A title or a row."""
        if self.queue is None or self.layout_ is None:
            return Line(" ").join(self.words[row])
        place = self.layout_.place(row)
        if place is None:
            group = self.layout_.title(row)
            unsure = self.queue.among.unsure
            return draw_title(*group, width, unsure) if group else Line()
        found = self.queue.row(place)
        text = self.texts.get(found.slot)
        under = row == self.cursor
        return draw(found, text, width, self.look, under, self.blind)

    def sentence(self, row: int) -> Line | None:
        """What the graders say, and what would follow; a title has its columns."""
        place = self.place_at(row)
        if place is None or self.queue is None:
            return None
        found = self.queue.row(place)
        return sentence(found, self.texts.get(found.slot), self.blind)

    @property
    def row(self) -> DisagreementRow | None:
        """The disagreement under the cursor."""
        place = self.place
        return None if place is None or self.queue is None else self.queue.row(place)

    def put(self, queue: DisagreementQueue, place: int | None) -> None:
        """Show a queue, with the cursor at a place; the same one with other decisions too."""
        again = self.queue is not None and queue.columns is self.queue.columns
        self.queue, self.words = queue, []
        if not again or self.layout_ is None:
            self.layout_ = QueueLayout(queue)
            self.cursor = None
        if place is not None and place != self.place:
            self._measure()
            self.go_to(place)
        self.refresh_changed()

    def say(self, words: list[Line]) -> None:
        """Say why there is nothing."""
        self.queue = self.layout_ = self.cursor = None
        self.words = words
        self.refresh_changed()

    def go_to(self, place: int, tell: bool = True) -> None:
        """The cursor to a place; the title above the first row of a group comes into sight too."""
        if self.layout_ is None:
            return
        row = self.layout_.row(place)
        self.move_to(row, tell=tell)
        if row and not self.is_choosable(row - 1):
            self.show_row(row - 1)


class QueueHeading(LineWidget):
    """What the columns of the disagreements are; blank where there are none."""

    def draw(self, width: int) -> Line:
        """The names of the columns, over them."""
        view = self.screen.query_one(DisagreementQueueView)
        return heading(view.line_width) if view.layout_ is not None else Line()
