"""Editing a question in place: its parts as fields, and what keeping them would do."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.timer import Timer

from core.curation.question_edits import Outlook, QuestionDraft
from core.errors import LostkeysError
from core.stats.number_format import format_amount
from tui import keys
from tui.dialogs.dialog import Dialog, Hint
from tui.text.inert_text import make_inert
from tui.text.line import Line
from tui.widgets.question_faults import describe_alias
from tui.widgets.text_block import TextBlock
from tui.widgets.text_box import TextBox

if TYPE_CHECKING:
    from core.views.session import Session
    from tui.app.app import LostkeysApp

T = TypeVar("T")

PAUSE = 0.1
"""Seconds without a key before it is foreseen what an edit does."""

SAYING = 4
"""Lines in which that is said."""

FAULTS = 3
"""Faults that are named."""


class QuestionPart(StrEnum):
    """What of a question is edited."""

    QUESTION = "question"
    GOLD = "gold"
    ALIASES = "aliases, one a line"
    CHOICES = "options, one a line"


Landing: TypeAlias = Callable[[QuestionDraft, "EditQuestion"], None]


def parts_of(draft: QuestionDraft) -> tuple[QuestionPart, ...]:
    """What can be edited of a question."""
    return tuple(
        one for one in QuestionPart if one is not QuestionPart.CHOICES or draft.choices is not None
    )


def text_of(draft: QuestionDraft, part: QuestionPart) -> str:
    """A part as one edits it."""
    match part:
        case QuestionPart.QUESTION:
            return draft.text
        case QuestionPart.GOLD:
            return draft.gold
        case QuestionPart.ALIASES:
            return "\n".join(draft.aliases)
        case QuestionPart.CHOICES:
            return "\n".join(draft.choices or ())


def edit_part(draft: QuestionDraft, part: QuestionPart, text: str) -> QuestionDraft:
    """A draft with one part as it was written."""
    if text == text_of(draft, part):
        return draft
    match part:
        case QuestionPart.QUESTION:
            return replace(draft, text=text)
        case QuestionPart.GOLD:
            return replace(draft, gold=text)
        case QuestionPart.ALIASES:
            return replace(draft, aliases=_lines(text))
        case QuestionPart.CHOICES:
            return replace(draft, choices=_lines(text))


def _lines(text: str) -> tuple[str, ...]:
    return tuple(one.strip() for one in text.splitlines() if one.strip())


def consequences(outlook: Outlook) -> list[Line]:
    """What an edit does, a line each, and what checks in code have against it."""
    said = []
    if outlook.tasks:
        names = ", ".join(task.replace("_", " ") for task in outlook.tasks)
        line = Line(f"version {outlook.version}", "ink bold").add(f" of {names}", "ink")
        said.append(
            line.add(f"   {_answers(outlook.answers)} set aside, kept in the file", "ink-2")
        )
    if outlook.alias is not None:
        line = Line("alias", "object bold").add(f" {describe_alias(outlook.alias)}", "ink")
        if outlook.alias.outdated:
            line.add(": grade again to renew them", "ink-2")
        said.append(line)
    elif outlook.new_gold:
        line = Line("gold", "object bold")
        become = "becomes" if outlook.grades == 1 else "become"
        stale = f" {format_amount(outlook.grades, 'grade')} of its direction {become} stale: "
        stale += "grading makes new ones"
        said.append(line.add(stale if outlook.grades else " no grade rests on it yet", "ink-2"))
    said += [Line("! ", "label-i bold").add(one, "label-p") for one in outlook.faults[:FAULTS]]
    return said


def _answers(count: int) -> str:
    return format_amount(count, "old answer")


class OutlookBlock(TextBlock):
    """What an edit does; nothing moves when it says something else."""

    DEFAULT_CSS = f"OutlookBlock {{ height: {SAYING}; dock: bottom; }}"


class EditQuestion(Dialog[None]):
    """The parts of a question as fields; `ctrl+s` keeps what differs as its next version.

    It stays open, with everything as it was written, until that has been kept.
    """

    DEFAULT_CSS = """
    EditQuestion > Pane { overflow-y: auto; }
    EditQuestion TextBlock.part { margin-top: 1; }
    EditQuestion.-low TextBlock.part { margin-top: 0; }
    EditQuestion.-low TextBox { max-height: 4; }
    EditQuestion OutlookBlock { margin-top: 1; }
    EditQuestion.-low OutlookBlock { margin-top: 0; }
    """
    BINDINGS = keys.bindings("editor")
    AUTO_FOCUS = "TextBox"
    hint: Hint = (("tab", "next field"), ("ctrl+s", "keeps it"), ("esc", "closes without effect"))

    def __init__(
        self,
        heading: str,
        question: int,
        draft: QuestionDraft,
        land: Landing,
        parts: Sequence[QuestionPart] = (),
        more: Sequence[str] = (),
    ) -> None:
        """Edit a question (its id) as it is in `draft`, or those `parts` of it.

        `land` gets the draft to be kept, and the dialog to be told whether it was (`end_edit`,
        `show_failure`). `more` are aliases that are offered.
        """
        super().__init__()
        self.heading = heading
        self._question, self._seen, self._land = question, draft, land
        self._parts = tuple(parts) or parts_of(draft)
        if len(self._parts) == 1:
            self.hint = self.hint[1:]
        self._more = tuple(one for one in more if one not in (draft.gold, *draft.aliases))
        self._wait: Timer | None = None
        self._keeping = False

    def body(self) -> ComposeResult:
        """A field for each part, and what they do together."""
        for place, part in enumerate(self._parts):
            text = text_of(self._seen, part)
            if part is QuestionPart.ALIASES:
                text = "\n".join([*self._seen.aliases, *self._more])
            field = part.name.lower()
            name = TextBlock([Line(part.value, "ink-3")], id=f"{field}-name")
            yield name.add_class("part") if place else name
            yield TextBox(text, part is QuestionPart.GOLD, id=field)
        yield OutlookBlock([])

    def on_mount(self) -> None:
        """Begin at the end of the first field."""
        super().on_mount()
        self.set_class(self.app.size.height < 30, "-low")
        for box in self.query(TextBox):
            box.move_cursor(box.document.end)
        self._preview_edit()

    @property
    def draft(self) -> QuestionDraft:
        """The question as it is written now."""
        draft = self._seen
        for part in self._parts:
            draft = edit_part(draft, part, self.query_one(f"#{part.name.lower()}", TextBox).value)
        return draft

    @property
    def unkept(self) -> str:
        """That it is another question."""
        return "" if self.draft == self._seen else "what was written of the question"

    # What it does

    def on_descendant_focus(self) -> None:
        """The name of the field that is written in is bright."""
        for part in self._parts:
            here = self.focused is self.query_one(f"#{part.name.lower()}")
            name = self.query_one(f"#{part.name.lower()}-name", TextBlock)
            name.say([Line(part.value, "accent bold" if here else "ink-3")])

    @on(TextBox.Changed)
    def plan_preview(self, event: TextBox.Changed) -> None:
        """Say what it does, once the keys rest."""
        event.stop()
        if self._wait is not None:
            self._wait.stop()
        self._wait = self.set_timer(PAUSE, self._preview_edit)

    def _preview_edit(self) -> None:
        if self._keeping or not self.is_active:
            return
        draft = self.draft
        if draft == self._seen:
            self._say([Line("as it is now", "ink-3")])
            return
        work = partial(_read_outlook, self._question, draft, self._seen)
        self.ask(
            "preview_edit",
            work,
            partial(self._show_consequences, draft),
            partial(self._show_error, draft),
        )

    def _show_consequences(self, draft: QuestionDraft, outlook: Outlook) -> None:
        if draft == self.draft:
            self._say(consequences(outlook))

    def _show_error(self, draft: QuestionDraft, error: LostkeysError) -> None:
        if draft == self.draft:
            self._say([Line(make_inert(str(error)), "label-i")])

    def _say(self, said: Sequence[Line]) -> None:
        self.query_one(OutlookBlock).say(said)
        self.edge(self.hint_line)

    # Keys

    def action_keep(self) -> None:
        """Keep it as the next version, or close where nothing differs."""
        draft = self.draft
        if draft == self._seen:
            self.dismiss(None)
        elif not self._keeping:
            self._land(draft, self)

    def action_close(self) -> None:
        """Close without effect; not while it is being kept."""
        if not self._keeping:
            super().action_close()

    def begin(self) -> bool:
        """Say that it is being kept; gives False where it is already."""
        was, self._keeping = self._keeping, True
        return not was

    def end_edit(self) -> None:
        """It has been kept."""
        self.dismiss(None)

    def show_failure(self, error: LostkeysError) -> None:
        """It could not be kept: say why; what is written stays."""
        self._keeping = False
        if self.is_active:
            self._say([Line(make_inert(str(error)), "label-i")])
        else:
            self.lostkeys.report(error)

    def action_field(self, step: int) -> None:
        """The next field, or the one before."""
        (self.focus_next if step > 0 else self.focus_previous)(TextBox)


def make_accept_dialog(
    question: int, seen: QuestionDraft, name: str, land: Landing
) -> EditQuestion:
    """The dialog in which an alias is accepted; `name` is offered."""
    more = [name] if name.strip() else []
    return EditQuestion("accept as alias", question, seen, land, [QuestionPart.ALIASES], more)


def open_editor(
    app: "LostkeysApp",
    make: Callable[[Landing], EditQuestion],
    work: "Callable[[QuestionDraft, Session], T]",
    landed: Callable[[T], None],
) -> None:
    """Have a question edited: `work` writes a draft under a name, `landed` takes what it gives."""

    def land(draft: QuestionDraft, dialog: EditQuestion) -> None:
        def finish_edit(what: T) -> None:
            dialog.end_edit()
            landed(what)

        def write(name: str) -> None:
            if dialog.begin():
                app.write(partial(work, draft), finish_edit, dialog.show_failure)

        app.with_name(write)

    app.push_screen(make(land))


def _read_outlook(
    question: int, draft: QuestionDraft, seen: QuestionDraft, session: "Session"
) -> Outlook:
    return session.reviews.preview_edit(question, draft, seen)
