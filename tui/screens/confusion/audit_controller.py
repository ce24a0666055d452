"""Working through an audit: what is read, what keys do, what is written."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from core.certainty.audit_draw import LONGEST_NAME
from core.certainty.audit_report import AuditFutures, FactsLeft
from core.certainty.state_numbers import NUMBERS
from core.curation.undo_history import Act
from core.errors import LostkeysError
from core.settings.escapes import is_printable
from core.views.audits.audit_board import AuditRequest
from core.views.audits.audit_card import AuditCard
from core.views.snapshot import Snapshot
from core.vocabulary import Label
from tui.app.loader import Loader
from tui.app.undo_text import UndoStep
from tui.dialogs.choice_dialog import Choose, Option
from tui.screens.confusion import audit_loader, audit_sentences
from tui.screens.confusion.audit_loader import AuditStep
from tui.screens.confusion.audit_panes import AuditQueuePanes
from tui.screens.confusion.audit_state import (
    AuditPage,
    AuditPosition,
    AuditState,
    LastAudited,
)
from tui.text.line import Line
from tui.theme.glyphs import spell

if TYPE_CHECKING:
    from tui.app.app import LostkeysApp
    from tui.dialogs.note_dialog import Note


# What of audits is looked at: which one, which number, how narrow; one thing at a time.

HALF_WIDTHS = (0.01, 0.015, 0.02, 0.025, 0.03, 0.04, 0.05, 0.075, 0.1)
"""Half widths that are offered."""


@dataclass(frozen=True, slots=True)
class AuditChoice:
    """Another thing to look at, or that the audit is done with."""

    request: AuditRequest
    closes: bool = False


def ask_audit(
    app: "LostkeysApp", state: AuditState, then: Callable[[AuditChoice | None], None]
) -> None:
    """Choose from a list."""
    if state.board is None:
        app.say("no audit is drawn: + draws one")
        return
    app.push_screen(Choose("audit", list(_options(state))), then)


def _options(state: AuditState) -> Iterator[Option[AuditChoice]]:
    now, board = state.request, state.board
    assert board is not None
    for name in board.names:
        words = f"audit  {name}"
        yield _option(AuditChoice(replace(now, name=name)), words, name == board.report.name)
    for half in HALF_WIDTHS:
        words = f"within  {spell('±')} {100 * half:g} points"
        yield _option(AuditChoice(replace(now, within=half)), words, half == now.within)
    for number in NUMBERS[any(board.plan.thinking)]:
        words = f"number  {number.name.replace('_', ' ')}"
        chosen = number.name == now.about
        yield _option(AuditChoice(replace(now, about=number.name)), words, chosen)
    if not board.closed:
        yield Option(AuditChoice(now, closes=True), f"close  {board.report.name}: it is done with")


def _option(choice: AuditChoice, words: str, set_: bool) -> Option[AuditChoice]:
    return Option(choice, words, Line("looked at", "accent") if set_ else None)


BY_GRADERS = ("same", "unfilter", "because", "reject", "edit", "also", "blind")
"""Keys of disagreements alone."""

PLAN_AFTER = 0.5
"""Seconds without another label after which it is worked out what is left."""


class AuditController:
    """The queue *audit*: one answer is shown, its label written, and the next one read in one go.

    The next answer follows from the label, so that keys wait until it is there.
    """

    def __init__(self) -> None:
        self.state = AuditState()
        self.panes = AuditQueuePanes(self.state)
        self._loader = Loader(self.panes, lambda: self.panes.facts_pane)

    @property
    def _app(self) -> "LostkeysApp":
        return self.panes.base.lostkeys

    # What the screen asks

    @property
    def model_words(self) -> str | None:
        """The lens's model, whose numbers are seen."""
        return None

    @property
    def facts_in_sight(self) -> frozenset[int]:
        """Those listed, and that of the label set last."""
        return self.state.facts_in_sight

    def allows(self, action: str) -> bool:
        """Whether a key does something: those of disagreements do not."""
        return action not in BY_GRADERS

    @property
    def takes_keys(self) -> bool:
        """Whether the answer that a key would label has been painted, or there is none."""
        card = self.state.card
        if not self.panes.inside or card is None:
            return not self.state.writing
        return not self.state.writing and self.panes.card_view.has_painted(card.slot)

    @property
    def summary(self) -> str:
        """How far the audit is."""
        board = self.state.board
        return f"{board.report.audited:,} of {len(board.settled):,} audited" if board else ""

    @property
    def position(self) -> AuditPosition:
        """What is looked at, and which pane has the focus."""
        focused = self.panes.screen.focused
        named = focused.id if focused in self.panes.order else None
        height = self.panes.facts_view.cursor_height
        return AuditPosition(self.state.request, named or "audit-facts-view", height)

    def go_to(self, position: AuditPosition, in_sight: bool) -> None:
        """Look at what was looked at."""
        self.state.request, self.state.pane = position.request, position.pane
        self.state.height = position.height
        if in_sight:
            self.reload()

    def enter(self) -> None:
        """The queue comes into sight."""
        self.panes.go(self.panes.facts_view)
        self.state.pane = "audit-card-view"
        self.reload()

    # Reading

    def reload(self) -> None:
        """Read the audit; what is shown stays until that is there."""
        asked = self.state.request
        work = partial(audit_loader.read_page, asked, self._app.lens, self.state.card)
        self._loader.load("audit", work, partial(self._take, asked))

    def _take(self, asked: AuditRequest, page: AuditPage) -> None:
        if asked != self.state.request or self.state.writing:
            return
        board, card = self.state.board, self.state.card
        self._show(page)
        if board is None or card is None or page.board is None or board.request != asked:
            return
        following = page.board.card
        if self.panes.base.is_current and (following is None or following.slot != card.slot):
            self._app.say(audit_sentences.describe_moved(card, page.board, page.given))

    def _show(self, page: AuditPage) -> None:
        self.state.take(page)
        self.panes.paint()
        self._hold_cursor()
        wanted, self.state.pane = self.state.pane, None
        if wanted is not None and self.panes.screen.focused in (None, *self.panes.order):
            inside = wanted == "audit-card-view" and self.state.card is not None
            self.panes.go(self.panes.card_view if inside else self.panes.facts_view)
        self.panes.base.refresh_frame()
        self._plan_soon()

    def _hold_cursor(self) -> None:
        """The fact that was looked at stands where it stood, once the summary has its height."""
        view, height = self.panes.facts_view, self.state.height
        if view.cursor is not None and height is not None:
            view.call_after_refresh(view.hold_cursor, view.cursor, height)
            self.state.height = None

    def forget(self) -> None:
        """Nothing is read."""
        self.state.clear()
        self._loader.stop()
        self.panes.paint()

    # What is left

    def _plan_soon(self) -> None:
        """Have worked out what is left, once labels have come to rest."""
        key = self.state.plan_key
        if key is None or key == self.state.left_of:
            return
        self.state.left_of = key
        self.panes.set_timer(PLAN_AFTER, partial(self._plan, key))

    def _plan(self, key: object) -> None:
        board = self.state.board
        if board is not None and key == self.state.left_of:
            work = partial(audit_loader.read_futures, board)
            self._app.ask("audit-futures", work, partial(self._play, key), _skip, patient=True)

    def _play(self, key: object, futures: AuditFutures | None) -> None:
        if futures is not None and key == self.state.left_of:
            work = partial(audit_loader.play_futures, futures)
            self._app.ask_background("audit-left", work, partial(self._take_left, key), _skip)

    def _take_left(self, key: object, left: FactsLeft) -> None:
        if self.state.take_left(key, left) and self.panes.is_mounted:
            self.panes.paint_numbers()
            self.panes.paint_facts()

    # Going about

    def open(self) -> None:
        """Into the card; from a settled fact to its answers on Task."""
        board, card = self.state.board, self.state.card
        if board is None:
            return
        if card is not None:
            self.panes.go(self.panes.card_view)
        elif board.fact is not None and self.panes.inside:
            self._app.places.jump("facts", board.fact.fact)
        elif board.fact is not None:
            self.panes.go(self.panes.card_view)

    @property
    def outermost(self) -> bool:
        """Anywhere but in the card."""
        return not self.panes.inside

    def step_out(self) -> None:
        """To the facts."""
        self.panes.go(self.panes.facts_view)

    def go_aside(self, step: int) -> None:
        """The next pane, or the one before."""
        self.panes.go_by(step)

    def take_cursor(self) -> None:
        """Look at the fact under the cursor."""
        place = self.panes.facts_view.place
        if place is not None and self.state.choose(place):
            self.reload()

    def step(self, by: int, skipping: bool) -> None:
        """Another answer of this fact; skipping, other facts go before this one."""
        if skipping:
            self.put_off()
        elif self.state.step(by):
            self.reload()
        elif self.state.card is not None:
            self._app.say("no other answer of this fact is asked for")

    def put_off(self) -> None:
        """Have other facts go before this one."""
        card = self.state.card
        if card is not None and self.state.put_off():
            self._app.say(audit_sentences.describe_put_off(card))
            self.reload()

    def ask(self) -> None:
        """Choose an audit, the number that is watched, or how narrow it is to be."""
        ask_audit(self._app, self.state, self._take_choice)

    def _take_choice(self, choice: AuditChoice | None) -> None:
        if choice is None:
            return
        if choice.closes:
            work = partial(audit_loader.close_audit, self.state.request, self._app.lens)
            said = f"{self.state.request.name} is closed; its report stays"
            self._app.write(work, partial(self._take_written, said))
        else:
            self.state.ask_for(choice.request)
            self.reload()

    # Writing

    def label(self, label: Label) -> None:
        """Label the answer in sight; a person without a name is asked for it first."""
        board, card = self.state.board, self.state.card
        if board is None or card is None:
            self._app.say(audit_sentences.explain_nothing_left())
        elif self._app.person:
            self._label(card, label, self._app.person)
        else:
            self._app.with_name(partial(self._label, card, label))

    def _label(self, card: AuditCard, label: Label, name: str) -> None:
        now, board = self.state, self.state.board
        if board is None or now.writing or now.card is not card:
            return
        if board.plan.person != f"human:{name}":
            self._app.say(audit_sentences.other_person(board, name))
            return
        now.writing = True
        note = now.notes.get(card.slot)
        work = partial(audit_loader.write_label, name, now.request, card.slot, label, note)
        self._app.write(work, partial(self._take_label, card, label), self._miss)

    def _take_label(self, card: AuditCard, label: Label, done: AuditStep) -> None:
        self.state.last = LastAudited(card, label, self.state.notes.pop(card.slot, ""))
        self.panes.base.snapshot_written(done.snapshot)
        self.state.writing = False
        self._show(done.page)
        board, following = self.state.board, self.state.card
        if board is not None and (following is None or following.fact != card.fact):
            self._app.say(audit_sentences.describe_settled(card, board))
        else:
            self._app.say(audit_sentences.describe_label(label, card))

    def _miss(self, error: LostkeysError) -> None:
        self.state.writing = False
        self._app.refuse(error)
        self.reload()

    def _take_written(self, said: str, done: AuditStep) -> None:
        self.panes.base.snapshot_written(done.snapshot)
        self._show(done.page)
        self._app.say(said)

    def undo(self, redoing: bool = False) -> None:
        """Undo, or redo, what the person did, and go back to where it was."""
        undos = self._app.undos
        self.state.writing = True
        read = partial(audit_loader.read_undone, self.state.request)
        (undos.redo if redoing else undos.undo)(read, self._take_undone, self._miss)

    def _take_undone(self, step: UndoStep) -> None:
        self.state.writing, self.state.last = False, None
        self.panes.base.snapshot_written(step.snapshot)
        if not isinstance(step.done, Act) and isinstance(step.shown, AuditPage):
            self._show(step.shown)

    def draw(self) -> None:
        """Draw an audit through the lens, under a name."""
        self._app.with_name(self._ask_name)

    def _ask_name(self, person: str) -> None:
        from tui.dialogs.input_dialog import AskLine

        board, page = self.state.board, self.state.page
        taken = board.names if board else ()
        proposal = page.offer.name if page and page.offer else f"audit {len(taken) + 1}"
        lens = self._app.lens
        if lens is None or lens.model is None:
            self._app.say("no model has answered here: ask one first")
            return
        graders = " then ".join(one for one in lens.ranked if not one.startswith("human:"))
        question = (
            f"{lens.model}, as {graders or 'nobody'} grades it at the lens's threshold, "
            f"decided by {person}. Its name:"
        )
        dialog = AskLine("draw an audit", question, "", _wrong_name, proposal, does="draws it")
        self._app.push_screen(dialog, partial(self._draw, person))

    def _draw(self, person: str, name: str | None) -> None:
        lens = self._app.lens
        if name and lens is not None:
            work = partial(audit_loader.draw_audit, name, person, lens)
            said = f"{name.strip()} is drawn: enter decides its first answer"
            self._app.write(work, partial(self._take_written, said))

    # Notes

    def ask_note(self) -> None:
        """Ask for a note: on the label set just before, else on the answer in sight."""
        from tui.dialogs.note_dialog import NoteDialog, NoteSubject

        card, last = self.state.card, self.state.last
        subjects, slots = [], []
        if last is not None:
            subjects.append(
                NoteSubject(audit_sentences.describe_subject(last.card, last.label), last.note)
            )
            slots.append(last.card.slot)
        if card is not None:
            here = self.state.notes.get(card.slot, "")
            subjects.append(NoteSubject(audit_sentences.describe_subject(card, None), here))
            slots.append(card.slot)
        if subjects:
            self._app.push_screen(NoteDialog(subjects), partial(self._take_note, slots))

    def ask_tags(self) -> None:
        """Ask for a tag of the answer in sight."""
        from tui.dialogs.tag_dialog import ask_tags

        if (card := self.state.card) is not None:
            ask_tags(self._app, "answer", card.slot, f'"{card.answer[:40]}"')

    def _take_note(self, slots: list[int], said: "Note | None") -> None:
        if said is None:
            return
        slot, last = slots[said.subject], self.state.last
        if last is not None and slot == last.card.slot:
            self.state.last = LastAudited(last.card, last.label, said.text)
            work = partial(audit_loader.write_note, slot, said.text)
            self._app.write(work, self._note_written)
        else:
            self.state.notes[slot] = said.text
            self.panes.paint_card()

    def _note_written(self, snapshot: Snapshot) -> None:
        self._app.snapshot_changed(snapshot)


def _wrong_name(text: str) -> str | None:
    """What is wrong with the name of an audit, if anything is."""
    plain = text.strip()
    if not plain:
        return "a name is needed: tab takes what is proposed"
    if len(plain) <= LONGEST_NAME and is_printable(plain):
        return None
    return f"one line of at most {LONGEST_NAME} letters"


def _skip(error: LostkeysError) -> None:
    """What is left is worked out again after the next label."""
