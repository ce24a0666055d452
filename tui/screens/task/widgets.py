"""The panes of the Task screen: head above, answers and the open answer below."""

from functools import partial
from typing import TYPE_CHECKING, ClassVar, cast

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.message import Message

from core.scoring.precedence import HUMAN_PREFIX
from core.views.task_view import AnswerView, TaskView
from core.vocabulary import LABELS, Label
from tui import keys
from tui.screens.screen_panes import ScreenPanes
from tui.screens.task import (
    render_answers,
    render_context,
    render_detail,
    render_head,
    render_pages,
    sentences,
)
from tui.screens.task.render_answers import AnswerRow
from tui.screens.task.render_detail import DetailContext
from tui.screens.task.state import AnswerPage, TaskState, list_pages
from tui.text.line import Line
from tui.text.task_names import format_task_title
from tui.theme.glyphs import spell
from tui.widgets import question_faults
from tui.widgets.document_view import DecisionFoot, DocumentView, ReadOnlyLines
from tui.widgets.line_view import LineView
from tui.widgets.pane import Pane
from tui.widgets.sample_marks import legend

if TYPE_CHECKING:
    from tui.app.app import LostkeysApp

LONG = 50_000
"""Characters of a page from which on it is not broken into lines while keys wait."""


class HeadView(ReadOnlyLines, can_focus=False):
    """The ten tasks, the question and the verdict, as lines."""

    DEFAULT_CSS = "HeadView { height: auto; overflow-y: hidden; }"

    def __init__(self) -> None:
        super().__init__(id="head-view")

    def put(self, lines: list[Line]) -> None:
        """Show other lines."""
        self.styles.height = len(lines)
        self.show_lines(lines)


class AnswersView(LineView):
    """All answers to the question; the cursor is on one of them."""

    BINDINGS = keys.bindings("list")
    has_columns = True
    spoken_lines = 2

    def __init__(self) -> None:
        super().__init__(id="answers-view")
        self.view: TaskView | None = None
        self.rows: list[AnswerRow] = []
        self.words: list[Line] = []
        self.below: list[Line] = []
        """What stands below the answers, after a blank line."""

    def row_count(self) -> int:
        """Rows or words, and blank ones down to the foot; the legend stands there if it can."""
        return max(self._end, len(self.words), self.size.height)

    @property
    def _end(self) -> int:
        """Rows of answers and of what stands below them."""
        return len(self.rows) + (1 + len(self.below) if self.below else 0)

    @property
    def _legend_at(self) -> int:
        there = self.size.height - 2
        return there if self.rows and there > self._end else -1

    def is_choosable(self, row: int) -> bool:
        """The cursor stands on answers only."""
        return row < len(self.rows) and self.rows[row].answer is not None

    def draw(self, row: int, line: int, width: int) -> Line:
        """A row; words where there are no answers."""
        if self.view is None or not self.rows:
            return Line(" ").join(self.words[row]) if row < len(self.words) else Line()
        if row == self._legend_at:
            return Line("   ").join(legend(self.look, width - 4))
        if row >= len(self.rows):
            at = row - len(self.rows) - 1
            return Line(" ").join(self.below[at]) if 0 <= at < len(self.below) else Line()
        return render_answers.draw(self.rows[row], self.view, self.look, width, row == self.cursor)

    def sentence(self, row: int) -> Line | None:
        """An answer and who found what of it; a heading has its columns."""
        if self.view is None or not self.is_choosable(row):
            return None
        return render_answers.sentence(self.rows[row], self.view)

    def put(
        self,
        view: TaskView | None,
        rows: list[AnswerRow],
        slot: int | None,
        below: list[Line],
    ) -> None:
        """Show other rows, with the cursor on an answer, and what stands below them."""
        self.view, self.rows, self.words, self.below = view, rows, [], below
        self.place(slot)
        self.refresh_changed()

    def say(self, words: list[Line]) -> None:
        """Say why there is nothing."""
        self.view, self.rows, self.words, self.below = None, [], words, []
        self.cursor = None
        self.refresh_changed()

    def place(self, slot: int | None) -> None:
        """Put the cursor on an answer."""
        found = (at for at, row in enumerate(self.rows) if row.answer and row.answer.slot == slot)
        self.move_to(next(found, None), tell=False)

    def on_key(self, event: events.Key) -> None:
        """Letters that label do so in the open answer alone: say how to get there."""
        if event.key in keys.LABEL_LETTERS and self.cursor is not None:
            event.stop()
            cast("LostkeysApp", self.app).say(sentences.not_open())

    def on_resize(self, event: events.Resize) -> None:
        """What stands below the answers is made for a width."""
        super().on_resize(event)
        self.post_message(DocumentView.SizeChanged())

    def slot_at(self, row: int) -> int | None:
        """The answer of a row."""
        answer = self.rows[row].answer if row < len(self.rows) else None
        return answer.slot if answer else None

    def action_down(self) -> None:
        """Next answer; off runs on into on."""
        self.post_message(DocumentView.StepWanted(1))

    def action_up(self) -> None:
        """Previous answer."""
        self.post_message(DocumentView.StepWanted(-1))


class OpenView(DocumentView):
    """The open answer: a page of lines. Only here labels are set."""

    BINDINGS: ClassVar[list[BindingType]] = [*keys.bindings("answer"), *keys.bindings("list")]

    class LabelChosen(Message):
        """A label is to be set; None withdraws it."""

        def __init__(self, label: Label | None) -> None:
            super().__init__()
            self.label = label

    def __init__(self) -> None:
        super().__init__(id="open-view")

    def action_label(self, label: str) -> None:
        """Set your label."""
        self.post_message(self.LabelChosen(Label(label)))

    def action_withdraw(self) -> None:
        """Take your label away."""
        self.post_message(self.LabelChosen(None))

    def action_note(self) -> None:
        """Write a note on your label."""
        self.post_message(self.NoteWanted())

    def action_tags(self) -> None:
        """Set a tag, or take one off."""
        self.post_message(DocumentView.TagsWanted())


class TaskPanes(ScreenPanes):
    """Panes that show a state: three from 100 columns, four from 160; below, one or two of them.

    Lines that are the same stay as they are.
    """

    SCOPED_CSS = False  # what is seen depends on the screen's size class
    DEFAULT_CSS = """
    TaskPanes #head { height: auto; }
    TaskPanes #lower { height: 1fr; }
    TaskPanes #answers { width: 43%; }
    TaskPanes #open { width: 1fr; }
    TaskPanes #text { display: none; }
    .-wide TaskPanes #answers { width: 35%; }
    .-wide TaskPanes #text { display: block; width: 29%; }
    .-narrow TaskPanes #answers { width: 1fr; }
    .-narrow TaskPanes #open { display: none; }
    .-narrow.-inside TaskPanes #open { display: block; }
    .-narrow.-inside TaskPanes #head, .-narrow.-inside TaskPanes #answers { display: none; }
    """

    def __init__(self, state: TaskState) -> None:
        super().__init__()
        self._state = state
        self.head_view, self.answers_view, self.open_view = HeadView(), AnswersView(), OpenView()
        self.open_foot = DecisionFoot()
        self.text_view = DocumentView(id="text-view")
        self._painted: tuple[int | None, AnswerPage] | None = None
        """The answer and the page of it that the open pane shows."""
        self._long: tuple[tuple[AnswerPage, int, tuple[str, ...]], list[Line]] | None = None
        """The lines of a long page, and what they are of."""

    def compose(self) -> ComposeResult:
        """Head above, answers and the open answer below."""
        with Pane(id="head"):
            yield self.head_view
        with Horizontal(id="lower"):
            with Pane(id="answers"):
                yield self.answers_view
            with Pane(id="open"):
                yield self.open_view
                yield self.open_foot
            with Pane(id="text"):
                yield self.text_view

    def on_mount(self) -> None:
        """A title that stays."""
        self.query_one("#text", Pane).title(Line("Text"))

    @property
    def answers_pane(self) -> Pane:
        """The pane that says what is being read, and what could not be."""
        return self.query_one("#answers", Pane)

    @property
    def inside(self) -> bool:
        """Whether the focus is in the open answer."""
        return self.screen.focused is self.open_view

    def paint(self) -> None:
        """Show all of the state."""
        self.paint_head()
        self.paint_answers()
        self.paint_open()
        self.paint_text()
        self._hold()

    def _hold(self) -> None:
        """Bring answer and page to where they are to be in sight, once they are there."""
        held, view, cursor = self._state.held, self.open_view, self.answers_view.cursor
        if held is not None and self._state.view is not None and not self._state.waiting:
            self._state.held = None
            if cursor is not None:
                self.answers_view.hold_cursor(cursor, held[0])
            view.hold_at(held[1])

    def paint_head(self) -> None:
        """Tasks, question, verdict."""
        now, pane, narrow = self._state, self.query_one("#head", Pane), self.base.narrow
        width = self.app.size.width - (0 if narrow else 3)
        room = render_head.HeadRoom(width, self.app.size.height)
        if now.view is None:
            self.head_view.put([Line() for _ in range(room.height)])
            pane.title(Line())
            pane.edge(Line())
            return
        settings = now.settings_in_sight(narrow) if narrow else now.settings
        self.head_view.put(render_head.lines_of(now.view, settings, room))
        pane.title(sentences.fact_name(now.view).clip(max(8, width - 4)))
        facts = self.base.lostkeys.fact_steps()
        if facts is not None and facts.listed_fact == now.view.fact.fact:
            pane.edge(Line("fact ", "ink-3").join(facts.list_position))
        else:
            pane.edge(Line())

    def paint_answers(self) -> None:
        """The list of answers."""
        now, view, pane = self._state, self._state.view, self.answers_pane
        if view is None:
            self.answers_view.say(
                [sentences.no_such_question(now.task)] if now.absent else sentences.no_fact()
            )
            pane.edge(Line())
            return
        seen = now.settings_in_sight(self.base.narrow)
        called = format_task_title(view.task)
        if self.base.narrow and len(now.settings) > 1:
            called += f", thinking {'on' if seen[0] else 'off'}"
        arm = render_pages.name_arm(view)
        pane.title(Line(called).add(f"  {arm}" if arm else "", "ink-2"))
        pane.edge(render_answers.edge(view))
        rows = render_answers.rows_of(view, seen)
        if any(row.sample is not None or row.counted for row in rows):
            self.answers_view.put(view, rows, now.slot, self._draw_below())
        else:
            self.answers_view.say(sentences.no_answers(view))

    def _draw_below(self) -> list[Line]:
        """What stands below the answers: around the question, once it is read."""
        context, slot, answers = self._state.context, self._state.slot, self.answers_view
        if not self.base.wide or context is None or slot is None or not answers.size.width:
            return []
        return render_context.answers_below(context, slot, answers.size.width, answers.look)

    def paint_text(self) -> None:
        """The source text and what else stands around the question, in a column of its own."""
        now, pane = self._state, self.query_one("#text", Pane)
        view, answer, context = now.view, now.answer, now.context
        width = self.text_view.size.width - 2
        if not self.base.wide or width <= 0 or view is None or answer is None or context is None:
            self.text_view.put([], True)
            return
        pane.edge(Line(f"{view.fact.fact_id[:80]} {spell('·')} {view.fact.category[:80]}", "ink-3"))
        look = self.text_view.look
        key = keys.cap_of("answer.also", self.base.lostkeys.settings.keys)
        also_key = None if view.task.is_choice else key
        lines = render_context.text_column(view, answer, context, width, look, also_key)
        self.text_view.put(lines, self.text_view.about != answer.slot, answer.slot)

    def place_cursor(self) -> None:
        """Put the cursor on the open answer, where other answers may have to be listed."""
        slot = self._state.slot
        self.answers_view.below = self._draw_below()
        if any(row.answer and row.answer.slot == slot for row in self.answers_view.rows):
            self.answers_view.place(slot)
            self.answers_view.refresh_changed()
        else:
            self.paint_head()
            self.paint_answers()

    def paint_open(self, from_top: bool = False) -> None:
        """The open answer; from its top where it is another one, or another page of it."""
        now, view, answer = self._state, self._state.view, self._state.answer
        pane, room = self.query_one("#open", Pane), self.open_view.size.width - 2
        before, self._painted = self._painted, (now.slot, now.shown_page)
        if view is None or answer is None:
            pane.title(Line())
            pane.edge(Line())
            self.open_view.put([], True)
            self.open_foot.put([])
            return
        page, narrow = now.shown_page, self.base.narrow
        pane.title(render_pages.title(view, answer, page, narrow))
        pane.edge(render_pages.edge(answer))
        if room > 0:
            judged, effects = page is AnswerPage.JUDGEMENT, now.effects.get(answer.slot)
            foot = (view, answer, effects, self._detail_context(room))
            self.open_foot.put(render_detail.decision_lines(*foot) if judged else [])
            lines = self._page_lines(page, view, answer, room)
            if not narrow:
                turns = render_pages.tabs(page, list_pages(view, answer), room)
                lines = [turns, *[Line()] * (not self.base.low), *lines]
            self.open_view.put(lines, from_top or before != self._painted, answer.slot)

    def _page_lines(
        self, page: AnswerPage, view: TaskView, answer: AnswerView, room: int
    ) -> list[Line]:
        """A page's lines; the db worker breaks long texts, so that no key waits."""
        make = partial(render_pages.lines_of, page, view, answer, self._detail_context(room))
        matter = render_pages.matter(page, view, answer)
        if sum(map(len, matter)) <= LONG:
            return make()
        key = (page, room, matter)
        if self._long is None or self._long[0] != key:
            self.base.lostkeys.ask("page", lambda _: make(), partial(self._take_long, key))
            return [Line(spell("reading…"), "ink-3")]
        return self._long[1]

    def _take_long(self, key: tuple[AnswerPage, int, tuple[str, ...]], lines: list[Line]) -> None:
        self._long = key, lines
        self.paint_open(from_top=True)

    def _detail_context(self, width: int) -> DetailContext:
        screen, settings = self.base, self.base.lostkeys.settings
        person = self.base.lostkeys.person
        return DetailContext(
            width,
            screen.lostkeys.look,
            roomy=not screen.low,
            alone=screen.narrow,
            armed=self.inside,
            you=f"{HUMAN_PREFIX}{person}" if person else None,
            keys=_label_keys(dict(settings.keys)),
            note=self._state.notes.get(self._state.slot or 0, ""),
            faults=_fault_keys(dict(settings.keys)),
            whole=screen.wide and screen.high,
            flagged=self._is_flagged(),
        )

    def _is_flagged(self) -> bool:
        snapshot, fact = self.base.lostkeys.snapshot, self._state.fact
        place = None if snapshot is None or fact is None else snapshot.place(fact)
        return snapshot is not None and place is not None and bool(snapshot.index.flagged[place])


def _fault_keys(changed: dict[str, str]) -> dict[str, str]:
    """The keys for a question at fault as they are now."""
    return {
        name: changed.get(one, keys.BY_ID[one].keys).partition(",")[0]
        for name, one in question_faults.CAPS.items()
    }


def _label_keys(changed: dict[str, str]) -> dict[Label, str]:
    """The keys of the labels as they are now."""
    return {
        label: changed.get(one, keys.BY_ID[one].keys).partition(",")[0]
        for label in LABELS
        for one in (f"label.{label.lower()}",)
    }
