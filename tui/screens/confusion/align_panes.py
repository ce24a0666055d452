"""The panes of a reference set: progress, versions and misses; an answer beside them."""

from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.widget import Widget

from core.stats.number_format import format_amount, format_percent
from core.views.align_board import AlignBoard, AlignCard
from core.vocabulary import LABELS
from tui import keys
from tui.screens.confusion import render_audit_card
from tui.screens.confusion.audit_panes import AuditCardView
from tui.screens.confusion.card_text import draw_named, draw_question, draw_title, wrap_text
from tui.screens.confusion.queue_kinds import QueueChoiceLine
from tui.screens.confusion.render_audit_card import ANSWER, AuditCardContext
from tui.screens.screen_panes import OrderedPanes
from tui.text.line import Line
from tui.text.task_names import format_task_title
from tui.theme.glyphs import spell
from tui.theme.roles import LABEL_ROLES, label_mark
from tui.widgets.pane import Pane
from tui.widgets.queue_view import QueueView


class AlignListView(QueueView):
    """What is left to label, the versions, and the misses of the one chosen."""

    BINDINGS: ClassVar[list[BindingType]] = [*keys.bindings("list"), *keys.bindings("align")]

    class WorkWanted(Message):
        """Something is to be drawn, added, tried or adopted."""

        def __init__(self, what: str) -> None:
            super().__init__()
            self.what = what

    def __init__(self) -> None:
        super().__init__(id="align-list-view")
        self.board: AlignBoard | None = None

    @property
    def versions(self) -> list[dict[str, Any]]:
        """The versions of the report."""
        report = None if self.board is None else self.board.report
        return [] if report is None else report["versions"]

    @property
    def version(self) -> dict[str, Any] | None:
        """The version under the cursor, or whose miss is."""
        place, asked = self.place, None if self.board is None else self.board.request.version
        if place and place <= len(self.versions):
            return self.versions[place - 1]
        named = [one for one in self.versions if one["grader"] == asked]
        return next(iter(named or self.versions), None)

    @property
    def card(self) -> AlignCard | None:
        """The answer to label on the first row, a miss on its own."""
        if self.board is None or self.place is None:
            return None
        if not self.place:
            return self.board.card
        at = self.place - 1 - len(self.versions)
        return self.board.misses[at] if 0 <= at < len(self.board.misses) else None

    def row_count(self) -> int:
        """Progress, heading and versions, heading and misses; or words."""
        if self.board is None:
            return len(self.words)
        return 2 + max(1, len(self.versions)) + bool(self.versions) + len(self.board.misses)

    def place_at(self, row: int) -> int | None:
        """0 for what is to be labelled, then versions, then misses."""
        if self.board is None or row == 1:
            return None
        if row == 0:
            return 0
        at, versions = row - 1, len(self.versions)
        if at <= versions:
            return at
        return at - 1 if at > versions + 1 else None

    def draw(self, row: int, line: int, width: int) -> Line:
        """One row."""
        board = self.board
        if board is None:
            return Line(" ").join(self.words[row])
        place, versions = self.place_at(row), self.versions
        if row == 0:
            return _progress(board, width)
        if row == 1:
            words = "accuracy and kappa on check, answers lost and won" if versions else board.why
            return Line(" versions ", "ink-3").add(words, "ink-3").clip(width - 1)
        if place is None:
            name = self.version
            of = "" if name is None else f" of {name['grader']}"
            return Line(f" misses on tune{of} ", "ink-3").clip(width - 2).rule(width - 1)
        if place <= len(versions):
            return _version_row(versions[place - 1], width)
        miss = board.misses[place - 1 - len(versions)]
        shown = Line("  ")
        for label in (miss.label, miss.grader_label):
            mark, role = label_mark(label, self.look) if label else ("-", "ink-3")
            shown.add(f"{mark} ", role)
        return shown.add(miss.answer or "empty", "ink").clip(width)

    def put(self, board: AlignBoard) -> None:
        """Show a set; the cursor stays on what it is on."""
        first = self.board is None or self.cursor is None
        self.board, self.words = board, []
        self.refresh_changed()
        if first or (self.cursor or 0) >= self.row_count():
            self.move_to(0, tell=False)

    def say(self, words: list[Line]) -> None:
        """Say why there is nothing."""
        self.board, self.cursor, self.words = None, None, words
        self.refresh_changed()

    def action_work(self, what: str) -> None:
        """Draw, add, try or adopt."""
        self.post_message(self.WorkWanted(what))


def _progress(board: AlignBoard, width: int) -> Line:
    """`label 37 of 120   tune 15/48  check 14/49  final 8/23`."""
    line = Line(" you ", "ink bold").add(
        f"{board.labelled:,} of {board.answers:,} labelled  ", "ink"
    )
    for part, (done, there) in board.parts.items():
        line.add(f" {part} ", "ink-3").add(f"{done:,}/{there:,}", "ink-2")
    return line.clip(width)


def percent_of(share: float | None, interval: Any) -> str:
    """`88.2 (80.1 to 93.4)`; a dash where there is none."""
    if share is None:
        return spell("–")
    if interval is None:
        return format_percent(share)
    return (
        f"{format_percent(share)} ({format_percent(interval[0])} to {format_percent(interval[1])})"
    )


def kappa_of(stats: dict[str, Any]) -> str:
    """`.81 (.70 to .92)`; a dash where there is none."""
    if stats["kappa"] is None:
        return spell("–")
    low, high = stats["kappa_interval"] or (None, None)
    span = "" if low is None else f" ({low:.2f} to {high:.2f})"
    return f"{stats['kappa']:.2f}{span}"


def _version_row(version: dict[str, Any], width: int) -> Line:
    """Name with rubric, agreement and kappa with intervals on check, what changed, the cost."""
    check = version["parts"]["check"]
    name = version["grader"].removeprefix("llm:") + (
        f" {version['rubric']}" if version["rubric"] else ""
    )
    agreed = percent_of(check["accuracy"], check["accuracy_interval"])
    tail = Line(agreed, "ink bold")
    if width >= 64:
        tail.add(f"  {kappa_of(check)}", "ink-2")
    if check["discordant"] and width >= 84:
        tail.add(f"  {spell('−')}{check['discordant'][0]} +{check['discordant'][1]}", "ink-2")
    if check["cost_per_1000"] is not None and width >= 100:
        tail.add(f"  ${check['cost_per_1000']:.2f}/k", "ink-3")
    if version["out_of_date"]:
        tail.add("  out of date", "label-p")
    line = Line("  ").add(name, "ink").clip(max(8, width - tail.width - 3))
    return line.right(tail, width - 1)


class AlignPanes(OrderedPanes):
    """List and card side by side; below 100 columns one at a time."""

    SCOPED_CSS = False  # what is seen depends on the screen's classes
    DEFAULT_CSS = """
    AlignPanes { display: none; }
    .-aligning AlignPanes { display: block; }
    .-aligning ConfusionPanes { display: none; }
    AlignPanes #align-list { width: 58%; }
    AlignPanes #align-card { width: 1fr; }
    AlignPanes AuditCardView { overflow-y: scroll; }
    .-narrow AlignPanes #align-list { width: 1fr; }
    .-narrow AlignPanes #align-card { display: none; }
    .-narrow.-inside AlignPanes #align-card { display: block; }
    .-narrow.-inside AlignPanes #align-list { display: none; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.list_view, self.card_view = AlignListView(), AuditCardView("align-card-view")
        self.choice = QueueChoiceLine()
        self.notes: dict[int, str] = {}
        """Notes that are written with the labels of their slots."""

    def compose(self) -> ComposeResult:
        """List, then card."""
        with Horizontal():
            with Pane(id="align-list"):
                yield self.choice
                yield self.list_view
            with Pane(id="align-card"):
                yield self.card_view

    @property
    def list_pane(self) -> Pane:
        """The pane that says what is being read."""
        return self.query_one("#align-list", Pane)

    @property
    def inside(self) -> bool:
        """Whether the focus is in the card."""
        return self.screen.focused is self.card_view

    @property
    def order(self) -> list[Widget]:
        """The panes in the order of the focus."""
        return [self.list_view, self.card_view]

    def reveal(self, view: Widget | None) -> None:
        """Have a pane seen where there is room for one."""
        self.screen.set_class(view is self.card_view, "-inside")
        self.screen.set_class(False, "-crossing")

    def paint(self) -> None:
        """Show the list as it is, and the card."""
        self.list_view.refresh_changed()
        board = self.list_view.board
        title = Line("Reference set" if board is None else board.name[:40])
        self.list_pane.title(title)
        edge = Line()
        if board is not None:
            strata = f"{board.strata} strata by {board.by}" if board.by else "one stratum"
            edge.add(f"closed {spell('·')} " if board.closed else "", "ink-3").add(strata, "ink-3")
            edge.add(f" {spell('·')} {board.gone:,} gone" if board.gone else "", "ink-3")
        self.list_pane.edge(edge)
        self.paint_card()

    def paint_card(self) -> None:
        """The answer under the cursor, or what a version is."""
        view, pane, list_view = self.card_view, self.query_one("#align-card", Pane), self.list_view
        width, card, board = view.size.width - 2, list_view.card, list_view.board
        if board is None or width <= 0:
            pane.title(Line())
            pane.edge(Line())
            view.put([], True)
            return
        if card is None:
            pane.edge(Line())
            place = list_view.place
            pane.title(Line("Version" if place else "Labelled"))
            version = list_view.version if place else None
            view.put(_draw_version(version, width) if version else _draw_done(board), True)
            return
        thinking = "on" if card.thinking else "off"
        task = f"{format_task_title(card.task)} {spell('·')} thinking {thinking}"
        pane.edge(Line(task, "ink-3"))
        pane.title(Line("miss" if card.label else "blind"))
        view.put(self._card_lines(card, width), view.about != card.slot, card.slot)

    def _card_lines(self, card: AlignCard, width: int) -> list[Line]:
        screen = self.base
        setting = AuditCardContext(
            width,
            screen.lostkeys.look,
            render_audit_card.caps(screen.lostkeys.settings.keys),
            roomy=not screen.low and not screen.narrow,
            armed=self.inside,
            texts=False,
        )
        lines = [*draw_question(card, width, ANSWER), Line()]
        if card.label is None:
            lines += render_audit_card.draw_keys(setting, "put it off")
            if note := self.notes.get(card.slot):
                lines += draw_named("note", note, "ink-2", width, ANSWER)
        for name, label, said in (
            ("you", card.label, card.note),
            ("grader", card.grader_label, card.reason),
        ):
            if label is not None:
                lines += draw_named(name, label.value, LABEL_ROLES[label], width, 1)
                lines += draw_named("", said, "ink-2", width, ANSWER) if said else []
        if card.text.strip() != card.answer.strip():
            lines += [
                Line(),
                draw_title("as written", width),
                *wrap_text(card.text, "ink-2", width),
            ]
        return lines


def _draw_done(board: AlignBoard) -> list[Line]:
    words = f"You have labelled all {format_amount(board.answers, 'answer')} of this set."
    return [Line(words, "ink")]


def _draw_version(version: dict[str, Any], width: int) -> list[Line]:
    """A version: its parts, labels and parent."""
    lines = wrap_text(version["grader"], "ink bold", width)
    for name in ("rubric", "why", "parent"):
        if version[name]:
            lines += draw_named(name, version[name], "ink-2", width, 3)
    if version["out_of_date"]:
        stale = format_amount(version["out_of_date"], "label")
        words = f"{stale} out of date: the gold was edited after this version was tried"
        lines += wrap_text(words, "label-p", width)
    for part, stats in version["parts"].items():
        lines += [Line(), draw_title(part, width)]
        if stats is None:
            lines.append(Line("sealed", "ink-3"))
            continue
        agreed = percent_of(stats["accuracy"], stats["accuracy_interval"])
        lines += wrap_text(f"accuracy {agreed} of {stats['n']:,}", "ink", width)
        lines += wrap_text(f"kappa {kappa_of(stats)}", "ink-2", width)
        for label in LABELS:
            found, caught = stats["precision"].get(label), stats["recall"].get(label)
            if found is not None or caught is not None:
                words = f"precision {percent_of(found, None)}  recall {percent_of(caught, None)}"
                lines.append(Line(f"{label.value} ", LABEL_ROLES[label]).to(12).add(words, "ink-2"))
        if stats["p"] is not None and version["parent"]:
            before, after = stats["discordant"]
            words = (
                f"only the parent is right on {before}, only this on {after}, p {stats['p']:.2f}"
            )
            lines += wrap_text(words, "ink-2", width)
    return lines
