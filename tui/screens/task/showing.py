"""What the Task screen shows: it reads a question and paints its three panes."""

from functools import partial
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.timer import Timer

from core.errors import LostkeysError
from core.scoring.precedence import HUMAN_PREFIX
from core.views.snapshot import Snapshot
from core.views.task_view import AnswerView, TaskView
from core.vocabulary import LABELS, Label, Task
from tui import keys
from tui.screens.audit_screen import AuditScreen
from tui.screens.task import messages, render_answers, render_head, render_pages
from tui.screens.task.render_detail import DetailContext
from tui.screens.task.render_pages import AnswerPage
from tui.screens.task.state import AnswerPosition, Effects, TaskState, placed
from tui.screens.task.task_names import numbered
from tui.screens.task.widgets import AnswersView, HeadView, OpenView
from tui.text.line import Line
from tui.widgets.pane import Pane

if TYPE_CHECKING:
    from core.views.session import Session

SLOW = 0.2
"""Seconds after which a pane says that it is still reading."""

LONG = 50_000
"""Characters of a page from which on it is not broken into lines while keys wait."""

Read = tuple[TaskView | None, Effects | None]
"""A question, and what labels on the answer under the cursor would do."""


class ShowingScreen(AuditScreen):
    """Head, answers, open answer. Everything follows from `reading`."""

    DEFAULT_CSS = """
    ShowingScreen #head { height: auto; }
    ShowingScreen #lower { height: 1fr; }
    ShowingScreen #answers { width: 43%; }
    ShowingScreen #open { width: 1fr; }
    ShowingScreen.-narrow #answers { width: 1fr; }
    ShowingScreen.-narrow #open { display: none; }
    ShowingScreen.-narrow.-inside #open { display: block; }
    ShowingScreen.-narrow.-inside #head, ShowingScreen.-narrow.-inside #answers { display: none; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.reading = TaskState()
        self.direct = False
        """Whether it was entered at the open answer, so that back is the way out."""
        self._slow: Timer | None = None
        self._long: tuple[tuple[AnswerPage, int, tuple[str, ...]], list[Line]] | None = None

    def body(self) -> ComposeResult:
        """Head above, answers and the open answer below."""
        with Pane(id="head"):
            yield HeadView()
        with Horizontal(id="lower"):
            with Pane(id="answers"):
                yield AnswersView()
            with Pane(id="open"):
                yield OpenView()

    def on_mount(self) -> None:
        """Begin among the answers."""
        self.set_focus(self.answers)
        self.paint()

    @property
    def answers(self) -> AnswersView:
        """The list of answers."""
        return self.query_one(AnswersView)

    @property
    def opened(self) -> OpenView:
        """The open answer."""
        return self.query_one(OpenView)

    @property
    def inside(self) -> bool:
        """Whether the focus is in the open answer."""
        return self.focused is self.opened

    @property
    def settings(self) -> tuple[bool, ...]:
        """Thinking off and on as the lens has it."""
        view = self.reading.view
        return view.fact.lens.thinking.settings if view else (False, True)

    @property
    def in_sight(self) -> tuple[bool, ...]:
        """The settings whose answers are listed: one at a time where there is little room."""
        answer = self.reading.answer
        if not self.narrow:
            return self.settings
        return (answer.thinking,) if answer else self.settings[:1]

    # What the app asks for

    @property
    def takes_keys(self) -> bool:
        """Whether the open answer has been painted."""
        now = self.reading
        if not self.inside or now.failed:
            return True
        return not now.waiting and (now.slot is None or self.opened.has_painted(now.slot))

    def open(self, fact: int, task: Task, answer: tuple[bool, int] | None = None) -> None:
        """Show one question of a fact (its id), with one of its answers open."""
        now, self.direct = self.reading, answer is not None
        now.fact, now.task = fact, task
        now.sought = None if answer is None else AnswerPosition(*answer)
        self.set_class(self.direct, "-inside")
        # At once: keys that wait are meant for what has the focus then.
        self.set_focus(self.opened if self.direct else self.answers)
        self.read()

    def show_board(self, board: Snapshot) -> None:
        """Read again under another board; nothing jumps."""
        self.read()

    def forget(self) -> None:
        """No question is open."""
        self.reading = TaskState()
        self._done()
        self.paint()

    def renew(self) -> None:
        """Read again."""
        self.read()

    def status(self) -> Line | None:
        """Where only the open answer is in sight, the fact's name."""
        view = self.reading.view
        return _name(view) if view and self.narrow and self.inside else None

    def repaint(self) -> None:
        """Paint everything anew (another theme)."""
        self.paint()
        for pane in self.query(Pane):
            pane.repaint()
        super().repaint()

    def on_screen_resume(self) -> None:
        """Where nothing is open yet, open the fact and the task that the Facts screen is at."""
        steps = self.lostkeys.fact_steps()
        if self.reading.fact is None and steps is not None and steps.open_question is not None:
            self.open(*steps.open_question)
        super().on_screen_resume()

    # Reading

    def read(self) -> None:
        """Have the question read, with what labels on the answer under the cursor would do."""
        fact, task = self.reading.fact, self.reading.task
        if fact is None:
            return
        self.reading.failed = False
        work = partial(read_task, fact, task, self.reading.begun)
        self.lostkeys.ask("task", work, self.take, self._not_read)
        if self._slow is None:
            self._slow = self.set_timer(SLOW, self._say_slow)

    def take(self, read: Read) -> None:
        """Show what was read."""
        self._done()
        view, effects = read
        settings = view.fact.lens.thinking.settings if view else self.settings
        if view is not None and view.task is not self.reading.task:
            self.lostkeys.say(messages.no_question(self.reading.task))
            self.reading.task = view.task
        same = self._open_now()
        self.reading.take(view, settings)
        if effects is not None and self.reading.slot is not None:
            self.reading.effects[self.reading.slot] = effects
        self.paint(from_top=same != self._open_now())

    def _open_now(self) -> tuple[int | None, AnswerPage]:
        return self.reading.slot, self.reading.shown_page

    def _not_read(self, error: LostkeysError) -> None:
        self._done()
        self.reading.failed = True
        pane = self.query_one("#answers", Pane)
        pane.edge(pane.trouble(error))
        if self.narrow:
            pane.title(pane.trouble(error))

    def _done(self) -> None:
        if self._slow is not None:
            self._slow.stop()
            self._slow = None

    def _say_slow(self) -> None:
        self._slow = None
        self.query_one("#answers", Pane).edge(Line("reading…", "ink-3"))

    def weigh(self) -> None:
        """Have it worked out what labels on the answer under the cursor would do."""
        slot = self.reading.slot
        if slot is not None and slot not in self.reading.effects:
            self.lostkeys.ask(
                "effects", lambda session: session.consequences(slot), partial(self._weighed, slot)
            )

    def _weighed(self, slot: int, effects: Effects) -> None:
        self.reading.effects[slot] = effects
        if slot == self.reading.slot:
            self.paint_open(from_top=False)

    # Painting: everything follows from what is being read

    def paint(self, from_top: bool = True) -> None:
        """Let all panes show what has been read; lines that are the same stay as they are."""
        if not self.is_mounted:
            return
        self.paint_head()
        self.paint_answers()
        self.paint_open(from_top)
        self.refresh_bindings()

    def paint_head(self) -> None:
        """Tasks, question, verdict."""
        view, pane = self.reading.view, self.query_one("#head", Pane)
        width = self.app.size.width - (0 if self.narrow else 3)
        room = render_head.HeadRoom(width, self.app.size.height)
        if view is None:
            self.query_one(HeadView).put([Line() for _ in range(room.height)])
            return
        settings = self.in_sight if self.narrow else self.settings
        self.query_one(HeadView).put(render_head.lines_of(view, settings, room))
        pane.title(_name(view).clip(max(8, width - 4)))
        facts = self.lostkeys.fact_steps()
        if facts is not None and facts.listed_fact == view.fact.fact:
            pane.edge(Line("fact ", "ink-3").join(facts.position))
        else:
            pane.edge(Line())

    def paint_answers(self) -> None:
        """The list of answers."""
        view, pane = self.reading.view, self.query_one("#answers", Pane)
        if view is None:
            gone = self.reading.fact is not None and self._slow is None
            self.answers.say(
                [messages.no_question(self.reading.task)] if gone else messages.no_fact()
            )
            pane.edge(Line())
            return
        called = numbered(view.task)
        if self.narrow and len(self.settings) > 1:
            called += f", thinking {'on' if self.in_sight[0] else 'off'}"
        pane.title(Line(called))
        pane.edge(render_answers.edge(view))
        rows = render_answers.rows_of(view, self.in_sight)
        if any(row.sample is not None for row in rows):
            self.answers.put(view, rows, self.reading.slot)
        else:
            self.answers.say(messages.no_answers(view))

    def paint_open(self, from_top: bool = True) -> None:
        """The open answer."""
        view, answer = self.reading.view, self.reading.answer
        pane, room = self.query_one("#open", Pane), self.opened.size.width - 2
        if view is None or answer is None:
            pane.title(Line())
            pane.edge(Line())
            self.opened.put([], True)
            return
        page = self.reading.shown_page
        pane.title(render_pages.title(view, answer, page, self.narrow))
        pane.edge(render_pages.edge(answer))
        if room > 0:
            lines = self._page_lines(page, view, answer, room)
            if not self.narrow:
                turns = render_pages.tabs(page, render_pages.available(view, answer), room)
                lines = [turns, *[Line()] * (not self.low), *lines]
            self.opened.put(lines, from_top, answer.slot)

    def _page_lines(
        self, page: AnswerPage, view: TaskView, answer: AnswerView, room: int
    ) -> list[Line]:
        """A page's lines; the db worker breaks long texts, so that no key waits."""
        effects = self.reading.effects.get(answer.slot)
        make = partial(render_pages.lines_of, page, view, answer, effects, self._setting(room))
        matter = render_pages.matter(page, view, answer)
        if sum(map(len, matter)) <= LONG:
            return make()
        key = (page, room, matter)
        if self._long is None or self._long[0] != key:
            self.lostkeys.ask("page", lambda _: make(), partial(self._broken, key))
            return [Line("reading…", "ink-3")]
        return self._long[1]

    def _broken(self, key: tuple[AnswerPage, int, tuple[str, ...]], lines: list[Line]) -> None:
        self._long = key, lines
        self.paint_open()

    def _setting(self, width: int) -> DetailContext:
        name = self.lostkeys.settings.name
        return DetailContext(
            width,
            self.lostkeys.look,
            roomy=not self.low,
            alone=self.narrow,
            armed=self.inside,
            you=f"{HUMAN_PREFIX}{name}" if name else None,
            keys=_label_keys(dict(self.lostkeys.settings.keys)),
            note=self.reading.notes.get(self.reading.slot or 0, ""),
        )


def read_task(
    fact: int, task: Task, before: AnswerView | AnswerPosition | None, session: "Session"
) -> Read:
    """A question, and what labels would do to the answer in the same place as another one.

    Where the fact lacks the question, its first one.
    """
    view = session.task(fact, task)
    if view is None:
        there = session.fact(fact)
        others = [row.task for row in there.tasks if row.question] if there else []
        view = session.task(fact, others[0]) if others else None
    if view is None:
        return None, None
    slot = placed(view, before, view.fact.lens.thinking.settings)
    return view, None if slot is None else session.consequences(slot)


def _name(view: TaskView) -> Line:
    return Line(f"{view.fact.subject[:200]} → {view.fact.object[:200]}")


def _label_keys(changed: dict[str, str]) -> dict[Label, str]:
    """The keys of the labels as they are now."""
    return {
        label: changed.get(one, keys.BY_ID[one].keys).partition(",")[0]
        for label in LABELS
        for one in (f"label.{label.lower()}",)
    }
