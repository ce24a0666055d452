"""The Review screen: look questions over one by one, and know the error rate of the rest."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events, on
from textual.binding import Binding, BindingType
from textual.widget import Widget

from core.curation.question_edits import QuestionDraft
from core.curation.review_decisions import RejectReason
from core.errors import LostkeysError
from core.views.review.question_card import QuestionCard
from core.views.review.review_queue import QueueRequest, ReviewStatus
from core.views.review.review_service import Reviews
from core.vocabulary import QueueKind
from tui import keys
from tui.app.user import undone_line
from tui.dialogs.choice_dialog import Choose, Option
from tui.dialogs.line_dialog import AskLine
from tui.screens.review import state
from tui.screens.review.edit_dialog import EditQuestion, accepting
from tui.screens.review.showing import LookingScreen
from tui.screens.review.state import SAMPLED, Last, ReviewResult, ReviewState
from tui.screens.review.widgets import QuestionCardView, ReviewQueueView
from tui.screens.task.task_names import numbered
from tui.widgets.line_view import LineView

if TYPE_CHECKING:
    from core.views.snapshot import Snapshot
    from tui.dialogs.note_dialog import Note

UNDOING = [
    Binding(key.keys, key.action, key.words, id=key.id, show=key.line)
    for key in (keys.BY_ID["undo"],)
]
"""Here undoing goes back to the question, too."""

FIRST_SAMPLE = 200
"""Questions that are offered for a first sample."""

IN_CARD = ("accept", "reject", "because", "edit", "skip", "note", "also")


class ReviewScreen(LookingScreen):
    """Accept, reject, edit. Below 100 columns one pane at a time."""

    BINDINGS: ClassVar[list[BindingType]] = [*keys.bindings("review"), *UNDOING]
    tab = "review"

    # Keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys that do something now."""
        now = self.reading
        if action == "because":
            return now.rejecting
        if action in IN_CARD:
            return self.card is not None or now.unreadable
        if action == "open":
            return now.shown is not None and now.shown.place is not None
        if action == "sample":
            return self.reading.wanted.kind in SAMPLED
        return True

    def action_open(self) -> None:
        """From the queue into the card, from there to the fact's task."""
        if not self.inside:
            self.go(self.card_view)
        elif (card := self._open_card()) is not None:
            self.lostkeys.open_task(card.fact, card.task)

    def _open_card(self) -> QuestionCard | None:
        """The card under the cursor; where it cannot be had, says so."""
        if self.card is None:
            self.lostkeys.say("this question cannot be read: ctrl+r tries again")
        return self.card

    def action_back(self) -> None:
        """Out of the reasons, out of the card."""
        if self.reading.rejecting:
            self._reject(False)
        else:
            self.go(self.queue_view)

    def action_side(self, step: int) -> None:
        """Into the card, or back."""
        if step < 0:
            self.go(self.queue_view)
        elif self.reading.shown is not None and self.reading.shown.place is not None:
            self.go(self.card_view)

    def action_view(self) -> None:
        """The next kind of queue."""
        self._want(state.stepped(self.reading.wanted))

    def action_filter(self) -> None:
        """Choose among all queues."""
        options = [Option(wanted, words) for wanted, words in state.parts()]
        self.app.push_screen(
            Choose("questions to review", options, self.reading.wanted), self._want
        )

    def _want(self, wanted: QueueRequest | None) -> None:
        if wanted is not None and wanted != self.reading.wanted:
            self.reading.wanted = wanted
            self.open_queue()

    def action_sample(self) -> None:
        """Draw a sample, or let it grow."""
        shown = self.reading.shown
        had = len(shown.queue) if shown is not None else 0
        question = f"How many in all? {had:,} now" if had else "How many questions?"
        size = str(max(FIRST_SAMPLE, 2 * had))
        dialog = AskLine("sample", question, size, wrong_number)
        self.app.push_screen(dialog, self._sample)

    def _sample(self, text: str | None) -> None:
        if text is not None:
            work = partial(state.sampled, int(text), self.reading.wanted)
            self.lostkeys.write(work, self.opened)

    # Deciding

    def action_accept(self) -> None:
        """The question is well."""
        self._decide(lambda reviews, key: reviews.accept(key), "accepted", ReviewStatus("accepted"))

    def action_reject(self) -> None:
        """Choose why it is rejected."""
        self._reject(not self.reading.rejecting)

    def _reject(self, choosing: bool) -> None:
        self.reading.rejecting = choosing
        self.paint_card()
        self.refresh_bindings()

    def action_because(self, number: int) -> None:
        """Reject for one of the reasons, or for one that is typed."""
        names = list(RejectReason)
        if number <= len(names):
            self._reject_for(str(names[number - 1]))
        else:
            dialog = AskLine("reject", "Why is it rejected?", "", _no_reason)
            self.app.push_screen(dialog, self._reject_for)

    def _reject_for(self, reason: str | None) -> None:
        if reason is not None:
            why = reason.strip()
            self._decide(
                lambda reviews, key: reviews.reject(key, why),
                f"rejected, {why}",
                ReviewStatus("rejected", why),
            )

    def action_skip(self) -> None:
        """Put it off."""
        self._decide(lambda reviews, key: reviews.skip(key), "skipped", ReviewStatus("skipped"))

    def action_note(self) -> None:
        """Write a note: on the question decided just before, else on the open one."""
        card, place, last = self._open_card(), self.queue_view.place, self.reading.last
        if card is None or place is None:
            return
        ons = [(card, place)]
        if last is not None and last.then == place != last.place:
            ons.insert(0, (last.card, last.place))
        from tui.dialogs.note_dialog import NoteDialog, Subject

        subjects = [Subject(f"{one.text[:60]}", self._own_note(one)) for one, _ in ons]
        self.app.push_screen(NoteDialog(subjects), partial(self._noted, ons))

    def _own_note(self, card: QuestionCard) -> str:
        mine = f"human:{self.lostkeys.person}"
        now = [one.review.note for one in card.reviews if one.author == mine]
        return now[-1] if now else ""

    def _noted(self, ons: "Sequence[tuple[QuestionCard, int]]", said: "Note | None") -> None:
        if said is None:
            return
        card, place = ons[said.subject]

        def write(reviews: "Reviews", key: int) -> "tuple[Any, Snapshot]":
            return reviews.note(key, said.text)

        self._named(partial(self._write, write, "noted", None, card, place))

    def action_edit(self) -> None:
        """Edit question, gold, its other names or options."""
        card = self.card
        if card is not None:
            seen = QuestionDraft(card.text, card.gold, card.aliases, card.choices)
            title = f"edit {numbered(card.task)}, version {card.version}"
            land = partial(self._edit, card, seen)
            self.app.push_screen(EditQuestion(title, card.question, seen, land))

    def action_also(self) -> None:
        """Accept another name of the gold, such as what models agree on."""
        card = self.card
        if card is not None:
            seen = QuestionDraft(card.text, card.gold, card.aliases, card.choices)
            name = card.agreed.text if card.agreed is not None else ""
            land = partial(self._edit, card, seen)
            self.app.push_screen(accepting(card.question, seen, name, land))

    def _edit(
        self, card: QuestionCard, seen: QuestionDraft, draft: QuestionDraft, dialog: EditQuestion
    ) -> None:
        place = self.queue_view.place
        if place is None:
            return

        def landed(done: ReviewResult) -> None:
            dialog.kept()
            self._written("edited", done)

        def write(name: str) -> None:
            shown = self.reading.shown
            if shown is not None and dialog.begin():
                work = partial(
                    state.write, name, shown.queue, place, True,
                    lambda reviews: reviews.edit(card.question, draft, seen),
                )  # fmt: skip
                self.lostkeys.write(work, landed, dialog.failed)

        self.lostkeys.with_name(write)

    def _decide(
        self,
        work: "Callable[[Reviews, int], tuple[Any, Snapshot]]",
        words: str,
        said: ReviewStatus | None = None,
    ) -> None:
        """Write something of the open question, under a name; a verdict goes on to the next."""
        card, place = self._open_card(), self.queue_view.place
        if card is not None and place is not None:
            self._named(partial(self._write, work, words, said, card, place))

    def _named(self, write: "Callable[[str], None]") -> None:
        """Write at once where the person is known."""
        if self.lostkeys.person:
            write(self.lostkeys.person)
        else:
            self.lostkeys.with_name(write)

    def _write(
        self,
        work: "Callable[[Reviews, int], tuple[Any, Snapshot]]",
        words: str,
        said: ReviewStatus | None,
        card: QuestionCard,
        place: int,
        name: str,
    ) -> None:
        """Show the verdict and the next question if that is read already, then write it."""
        now, key = self.reading, card.question
        if now.shown is None:
            return
        queue, stays = now.shown.queue, said is None
        task = partial(state.write, name, queue, place, stays, lambda one: work(one, key))
        now.rejecting = False
        painted = said is not None and now.go_on(replace(said, author=f"human:{name}"))
        if painted:
            self.paint()
            now.last = Last(card, place, now.shown.place)
            self.lostkeys.say(f"{words}. {self._key('undo')} undoes it")
            self.read_ahead()
        leads = said is not None and not painted
        now.unwritten += 1
        now.going += leads
        self.lostkeys.write(
            task,
            partial(self._decided, "" if painted else words, card, place, leads),
            partial(self._not_written, place, leads),
        )

    def _decided(
        self, words: str, card: QuestionCard, place: int, leads: bool, done: ReviewResult
    ) -> None:
        """Take in what was written of a card, and say it; a person stays where it `leads` not."""
        now, here = self.reading, self.queue_view.place
        now.unwritten -= 1
        now.going -= leads
        now.forget_fact(card.fact)
        stays = not leads and here != done.shown.place
        self._came(done, from_top=leads, place=here if stays else None)
        if leads:
            now.last = Last(card, place, self.queue_view.place)
        if words:
            self.lostkeys.say(f"{words}. {self._key('undo')} undoes it")

    def _not_written(self, place: int, leads: bool, error: LostkeysError) -> None:
        """Back to what could not be written."""
        now = self.reading
        now.unwritten -= 1
        now.going -= leads
        now.last = None
        shown = now.shown
        if shown is not None and place < len(shown.queue):
            self.queue_view.put(place, [])
            self.renew_queue()
        self.lostkeys.refuse(error)

    def _written(self, words: str, done: ReviewResult) -> None:
        self.reading.forget_fact(None)
        self._came(done, from_top=True)
        self.lostkeys.say(f"{words}. {self._key('undo')} undoes it")

    def _came(self, done: ReviewResult, from_top: bool, place: int | None = None) -> None:
        """Show what has come of writing, but for what is not written yet; stay at a `place`."""
        self._shown = self._board = done.board
        self.lostkeys.board_changed(done.board)
        now = self.reading
        if now.unwritten:
            return
        if now.shown is None or now.shown.queue.questions == done.shown.queue.questions:
            shown = done.shown
            if place is not None and now.shown is not None:
                shown = replace(shown, place=place, card=now.shown.card)
            self.take(shown, from_top)
            if place is not None:
                self.renew_queue()

    def action_undo(self) -> None:
        """Undo what was done last, and go back to the question it was about."""
        shown = self.reading.shown
        self.reading.going += 1
        work = partial(state.undo, shown.queue if shown else None, self.queue_view.place)
        self.lostkeys.write(work, self._undone, partial(self._not_undone, self.reading))

    def _undone(self, done: ReviewResult) -> None:
        now = self.reading
        now.going -= 1
        now.last = None
        now.forget_fact(None)
        self._came(done, from_top=True)
        self.lostkeys.say(undone_line(done.what, done.of, done.board.lens.model))

    def _not_undone(self, then: ReviewState, error: LostkeysError) -> None:
        then.going -= 1
        self.lostkeys.refuse(error)

    # Focus

    def go(self, view: Widget) -> None:
        """Focus a pane; where there is room for one, it is seen instead of the other."""
        self.set_class(view is self.card_view, "-inside")
        view.focus()

    def focus_next(self, selector: object = "*") -> Widget | None:
        """Queue and card."""
        view: Widget = self.queue_view if self.inside else self.card_view
        self.go(view)
        return view

    def focus_previous(self, selector: object = "*") -> Widget | None:
        """The other way round."""
        return self.focus_next()

    # Events

    @on(QuestionCardView.Stepped)
    def stepped(self, event: QuestionCardView.Stepped) -> None:
        """The next or previous question."""
        event.stop()
        self.reading.last = None
        self.queue_view.move_by(event.by)

    @on(LineView.Moved)
    def moved(self, event: LineView.Moved) -> None:
        """The cursor is on another question."""
        event.stop()
        if event.view is self.queue_view:
            self.read_card()

    @on(LineView.Clicked)
    def clicked(self, event: LineView.Clicked) -> None:
        """A click on a kind of queue opens it; a second click is as good as enter."""
        event.stop()
        part = event.part or ""
        if part.startswith("kind:"):
            kind = QueueKind(part.removeprefix("kind:"))
            while self.reading.wanted.kind is not kind:
                self.reading.wanted = state.stepped(self.reading.wanted)
            self.open_queue()
        elif event.again:
            event.view.focus()
            self.call_after_refresh(self.action_open)

    @on(ReviewQueueView.Resized)
    def words_resized(self, event: ReviewQueueView.Resized) -> None:
        """Another room for words in place of rows."""
        event.stop()
        self.paint(from_top=False)

    @on(QuestionCardView.Resized)
    def resized(self, event: QuestionCardView.Resized) -> None:
        """Break the card into lines anew."""
        event.stop()
        self.paint_card()

    @on(ReviewQueueView.Scrolled)
    def scrolled(self, event: ReviewQueueView.Scrolled) -> None:
        """Other rows are in sight."""
        event.stop()
        self.read_texts()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Keys are armed in the card."""
        self.set_class(self.inside, "-inside")
        if not self.inside:
            self.reading.rejecting = False
        self.paint_card()
        self.refresh_bindings()
        self.read_ahead()

    def on_resize(self, event: events.Resize) -> None:
        """Other room, and perhaps another number of panes."""
        self.call_after_refresh(self.paint, from_top=False)


def wrong_number(text: str) -> str | None:
    """What is wrong with a typed number of questions, if anything is."""
    plain = text.strip()
    if not plain.isdecimal() or len(plain) > 6 or not 1 <= int(plain) <= 100_000:
        return "a number from 1 to 100000"
    return None


def _no_reason(text: str) -> str | None:
    return None if text.strip() else "a reason is needed"
