"""Working through a reference set: answers labelled blind, versions tried, compared, adopted."""

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from core.curation.undo_history import Act
from core.errors import LostkeysError
from core.views.align_board import AlignBoard, AlignCard, AlignRequest, read_align_board
from core.views.snapshot import Snapshot
from core.vocabulary import Label
from tui.app.loader import Loader
from tui.app.undo_text import UndoStep
from tui.screens.confusion.align_panes import AlignPanes
from tui.screens.confusion.audit_controller import BY_GRADERS
from tui.text.line import Line
from tui.theme.roles import LABEL_ROLES

if TYPE_CHECKING:
    from core.specs.answer_specs import GradingSpec
    from core.views.session import Session
    from tui.app.app import LostkeysApp
    from tui.dialogs.note_dialog import Note

REPORT_AFTER = 0.5
"""Seconds without another label after which versions are compared anew."""

Written = tuple[Snapshot, AlignBoard | None]


class AlignController:
    """The queue *align*: one answer is shown, its label written and the next read in one go."""

    model_words: str | None = None

    def __init__(self) -> None:
        self.panes = AlignPanes()
        self.request = AlignRequest()
        self.writing = False
        self.last: tuple[AlignCard, Label] | None = None
        self._turn = 0
        self._loader = Loader(self.panes, lambda: self.panes.list_pane)

    @property
    def _app(self) -> "LostkeysApp":
        return self.panes.base.lostkeys

    @property
    def board(self) -> AlignBoard | None:
        """The set in sight."""
        return self.panes.list_view.board

    @property
    def facts_in_sight(self) -> frozenset[int]:
        """Those of the answer in sight and of the label set last."""
        cards = (self.panes.list_view.card, self.last[0] if self.last else None)
        return frozenset(one.fact for one in cards if one is not None)

    @property
    def takes_keys(self) -> bool:
        """Whether the answer that a key would label has been painted, or there is none."""
        card = self.panes.list_view.card
        if not self.panes.inside or card is None:
            return not self.writing
        return not self.writing and self.panes.card_view.has_painted(card.slot)

    @property
    def summary(self) -> str:
        """How far the set is labelled."""
        board = self.board
        return f"{board.labelled:,} of {board.answers:,} labelled" if board else ""

    def allows(self, action: str) -> bool:
        """Whether a key does something: those of disagreements do not."""
        return action not in BY_GRADERS

    # Reading

    def enter(self) -> None:
        """The queue comes into sight."""
        self.panes.go(self.panes.list_view)
        self.reload()

    def forget(self) -> None:
        """Nothing is read."""
        self.request, self.last, self.writing = AlignRequest(), None, False
        self._loader.stop()
        self.panes.list_view.say([])

    def reload(self) -> None:
        """Read the set with its report; what is shown stays until that is there."""
        self._turn += 1
        work = partial(_read_board, self._app.person, self.request, True)
        self._loader.load("align", work, partial(self._take, self._turn))

    def _take(self, turn: int, board: AlignBoard | None) -> None:
        if turn == self._turn and not self.writing:
            self._show(board)

    def _show(self, board: AlignBoard | None) -> None:
        if board is None:
            line = Line("No reference set is drawn. ", "ink-2").add("+", "accent bold")
            self.panes.list_view.say([line.add(" draws 120 answers.", "ink-2")])
        else:
            self.panes.list_view.put(board)
        self.panes.paint()
        self.panes.base.refresh_frame()

    # Going about

    def open(self) -> None:
        """Into the card; from a miss to its answer on Task."""
        card = self.panes.list_view.card
        if card is not None and self.panes.inside and card.label is not None:
            self._app.places.jump("facts", card.fact)
        else:
            self.panes.go(self.panes.card_view)

    @property
    def outermost(self) -> bool:
        """Anywhere but in the card."""
        return not self.panes.inside

    def step_out(self) -> None:
        """To the list."""
        self.panes.go(self.panes.list_view)

    def go_aside(self, step: int) -> None:
        """The next pane, or the one before."""
        self.panes.go_by(step)

    def take_cursor(self) -> None:
        """Another row: of another version the misses are read."""
        view = self.panes.list_view
        place, version = view.place, view.version
        other = version is not None and version["grader"] != self.request.version
        if place and place <= len(view.versions) and version is not None and other:
            self.request = replace(self.request, version=version["grader"])
            self.reload()
        self.panes.paint()

    def step(self, by: int, skipping: bool) -> None:
        """The next miss or version; skipping, other answers are labelled before this one."""
        card = self.panes.list_view.card
        if not skipping:
            self.panes.list_view.move_by(by)
        elif card is not None and card.label is None:
            off = (*(one for one in self.request.put_off if one != card.slot), card.slot)
            self.request = replace(self.request, put_off=off[-100:])
            self.reload()

    def ask(self) -> None:
        """Choose a set."""
        from tui.dialogs.choice_dialog import Choose, Option

        board = self.board
        if board is None:
            self._app.say("no reference set is drawn: + draws one")
            return
        options = [Option(name, name) for name in board.names]
        self._app.push_screen(Choose("reference set", options, board.name), self._take_set)

    def _take_set(self, name: str | None) -> None:
        if name is not None:
            self.request = AlignRequest(name)
            self.reload()

    # Labels, notes, tags

    def label(self, label: Label) -> None:
        """Label the answer in sight; a person without a name is asked for it first."""
        card = self.panes.list_view.card
        if card is None or card.label is not None:
            self._app.say("the first row of the list has what is left to label")
        elif self._app.person:
            self._label(card, label, self._app.person)
        else:
            self._app.with_name(partial(self._label, card, label))

    def _label(self, card: AlignCard, label: Label, name: str) -> None:
        if self.writing or self.panes.list_view.card is not card:
            return
        self.writing = True
        note = self.panes.notes.get(card.slot)
        work = partial(_write_label, name, self.request, card.slot, label, note)
        self._app.write(work, partial(self._take_label, card, label), self._miss)

    def _take_label(self, card: AlignCard, label: Label, done: Written) -> None:
        self.last, self.writing = (card, label), False
        self._turn += 1
        self.panes.notes.pop(card.slot, None)
        self.panes.base.snapshot_written(done[0])
        board, before = done[1], self.board
        if board is not None and before is not None:  # versions are compared once keys rest
            board = replace(board, report=before.report, why=before.why, misses=before.misses)
        self._show(board)
        line = Line(label.value, LABEL_ROLES[label]).add(" by you   ", "ink-2")
        self._app.say(line.add("u", "accent bold").add(" undoes", "ink-2"))
        self.panes.set_timer(REPORT_AFTER, partial(self._compare, self._turn))

    def _compare(self, turn: int) -> None:
        if turn == self._turn and not self.writing:
            self.reload()

    def _miss(self, error: LostkeysError) -> None:
        self.writing = False
        self._app.refuse(error)
        self.reload()

    def undo(self, redoing: bool = False) -> None:
        """Undo, or redo, what the person did; the answer is the next to be labelled."""
        undos = self._app.undos
        self.writing = True
        read = partial(_read_undone, self._app.person, self.request)
        (undos.redo if redoing else undos.undo)(read, self._take_undone, self._miss)

    def _take_undone(self, step: UndoStep) -> None:
        self.writing, self.last = False, None
        self.panes.base.snapshot_written(step.snapshot)
        if not isinstance(step.done, Act) and isinstance(step.shown, AlignBoard):
            self._show(step.shown)

    def ask_note(self) -> None:
        """Ask for a note that is written with the label of the answer in sight."""
        from tui.dialogs.note_dialog import NoteDialog, NoteSubject

        card = self.panes.list_view.card
        if card is not None and card.label is None:
            subject = NoteSubject(card.answer[:40], self.panes.notes.get(card.slot, ""))
            self._app.push_screen(NoteDialog([subject]), partial(self._take_note, card.slot))

    def _take_note(self, slot: int, said: "Note | None") -> None:
        if said is not None:
            self.panes.notes[slot] = said.text
            self.panes.paint_card()

    def ask_tags(self) -> None:
        """Ask for a tag of the answer in sight."""
        from tui.dialogs.tag_dialog import ask_tags

        if (card := self.panes.list_view.card) is not None:
            ask_tags(self._app, "answer", card.slot, card.answer[:40])

    # Versions

    def work(self, what: str) -> None:
        """Draw a set, try a version, adopt one, or make a miss an example."""
        card, version = self.panes.list_view.card, self.panes.list_view.version
        if what == "add" and card is not None and card.label is not None:
            self._app.with_name(partial(self._add_example, card, version))
        elif what == "add":
            self._app.with_name(self._ask_set)
        elif self.board is None:
            self._app.say("no reference set is drawn: + draws one")
        elif what == "try":
            self._ask_trial(self.board)
        elif version is None:
            self._app.say("no version to adopt: ! tries one")
        else:
            work = partial(_foresee_adoption, self.board.name, version["grader"])
            self._app.ask_dialog("adopt", work, self._ask_adoption)

    def _ask_set(self, person: str) -> None:
        from tui.dialogs.input_dialog import AskLine

        names = self.board.names if self.board else ()
        lens = self._app.lens
        ranked = lens.ranked if lens else ()
        by = next((one for one in ranked if not one.startswith("human:")), None)
        spread = f", the same number of each label of {by}" if by else ""
        asked = AskLine(
            "draw a reference set",
            f"120 different open answers{spread}. Its name:",
            "",
            None,
            f"set {len(names) + 1}",
        )

        def take(name: str | None) -> None:
            if name:
                request = AlignRequest(name.strip())
                work = partial(_draw_set, person, name, by, request)
                self._app.write(work, partial(self._take_drawn, request))

        self._app.push_screen(asked, take)

    def _take_drawn(self, request: AlignRequest, done: Written) -> None:
        self.request = request
        self.panes.base.snapshot_written(done[0])
        self._show(done[1])
        self._app.say(f"{request.name} is drawn: enter labels its first answer")

    def _add_example(self, card: AlignCard, version: dict[str, Any] | None, person: str) -> None:
        from tui.dialogs.input_dialog import AskLine

        board = self.board
        if board is None:
            return

        def take(name: str | None) -> None:
            if name:
                work = partial(_add_example, board.name, name.strip(), person, card.slot)
                said = "is a new version with this example: ! tries it"
                self._app.write(work, lambda made: self._take_rubric(f"{made} {said}"))

        named = (version or {}).get("rubric")
        if named:
            take(named)
        else:
            question = "This answer with your label becomes an example of a rubric. Its name:"
            self._app.push_screen(AskLine("rubric", question, "", None, "rules"), take)

    def _take_rubric(self, said: str) -> None:
        self.reload()
        self._app.say(said)

    def _ask_trial(self, board: AlignBoard) -> None:
        from tui.dialogs.choice_dialog import Choose, Option
        from tui.dialogs.input_dialog import AskLine

        def take(chosen: tuple[str, str | None] | None) -> None:
            if chosen is not None:
                work = partial(_foresee_trial, board.name, *chosen)
                self._app.ask_dialog("trial", work, self._ask_start)

        def take_model(name: str | None) -> None:
            if name:
                take((f"llm:{name.strip().removeprefix('llm:')}", None))

        if not board.models:
            asked = AskLine("try a version", "The model that grades, such as openai:MODEL:")
            self._app.push_screen(asked, take_model)
            return
        options = [
            Option((model, rubric), f"{model}  {rubric or 'without a rubric'}")
            for model in board.models
            for rubric in (*board.rubrics, None)
        ]
        self._app.push_screen(Choose("try a version", options), take)

    def _ask_start(self, found: "tuple[GradingSpec, str]") -> None:
        from tui.dialogs.confirm_dialog import Confirm

        spec, words = found
        asked = Confirm("try a version", f"{spec.graders[0]} {words}.", "starts it", "does not")
        self._app.push_screen(asked, lambda yes: self._app.jobs.start(spec) if yes else None)

    def _ask_adoption(self, found: tuple[str, str]) -> None:
        from tui.dialogs.confirm_dialog import Confirm

        grader, words = found

        def take(yes: bool | None) -> None:
            if yes:
                said = f"{grader} is the project's grader"
                taken = partial(self._take_adopted, said)
                self._app.write(partial(_write_adoption, grader), taken)

        self._app.push_screen(Confirm(f"adopt {grader}", words, "adopts it", "leaves it"), take)

    def _take_adopted(self, said: str, snapshot: Snapshot) -> None:
        self._app.snapshot_changed(snapshot)
        self._app.say(said)


# What the db worker reads and writes


def _read_board(
    person: str | None, request: AlignRequest, whole: bool, session: "Session"
) -> AlignBoard | None:
    return read_align_board(session.project, person or None, request, whole)


def _write_label(
    name: str, request: AlignRequest, slot: int, label: Label, note: str | None, session: "Session"
) -> Written:
    session.name = name
    _, snapshot = session.set_label(slot, label, note)
    return snapshot, _read_board(name, request, False, session)


def _read_undone(
    person: str | None, request: AlignRequest, undone: Any, session: "Session"
) -> AlignBoard | None:
    return _read_board(person, request, True, session)


def _draw_set(
    person: str, name: str, by: str | None, request: AlignRequest, session: "Session"
) -> Written:
    from core.alignment.reference_draw import draw_set

    _, snapshot = session.write(lambda project: draw_set(project, name, by=by))
    return snapshot, _read_board(person, request, True, session)


def _foresee_trial(
    name: str, grader: str, rubric: str | None, session: "Session"
) -> "tuple[GradingSpec, str]":
    """What a trial would do, and in words what it takes."""
    from core.alignment.trials import make_trial_spec
    from core.estimates.estimator import Estimator
    from core.settings import paths

    folder = paths.prompts_folder()
    spec = make_trial_spec(
        session.project, name, grader, rubric, folder=None if folder is None else str(folder)
    )
    estimate = Estimator().estimate(session.project, spec)
    costs = [one.cost for one in estimate.parts]
    if any(one is None for one in costs):
        cost = "at a price that is not known"
    else:
        cost = f"for up to ${sum(one.high for one in costs if one is not None):.2f}"
    return spec, f"labels {estimate.graded:,} answers of tune and check, {cost}"


def _foresee_adoption(name: str, grader: str, session: "Session") -> tuple[str, str]:
    """The version that would be adopted, and in words what that changes."""
    from core.alignment.reference_set import find_set, read_set
    from core.jobs.grader_adoption import preview_adoption
    from core.settings import paths

    project, folder = session.project, paths.prompts_folder()
    found = read_set(project, find_set(project, name))
    done = preview_adoption(project, found, grader, None if folder is None else str(folder))
    words = "Nothing is compared yet."
    if done["labels"] is not None:
        labels = done["labels"]
        words = f"{labels['changed']:,} of {labels['compared']:,} labels that both have change."
    for model in done["profiles"] or ():
        moved = [
            f"{state} {before:,} to {model['after'][state]:,}"
            for state, before in model["before"].items()
            if before is not None and before != model["after"][state]
        ]
        words += f" {model['model']}: {', '.join(moved) or 'no profile changes'}."
    if done["left"]["answers"]:
        words += f" {done['left']['answers']:,} answers are not labelled by it yet."
    return done["grader"], words


def _write_adoption(grader: str, session: "Session") -> Snapshot:
    from core.jobs.grader_adoption import adopt_version

    return session.write(lambda project: adopt_version(project, grader))[1]


def _add_example(name: str, rubric: str, person: str, slot: int, session: "Session") -> str:
    """Keep a version of a rubric with one more example; gives its name."""
    from core.alignment.reference_set import find_set, read_set
    from core.alignment.rubric_versions import add_example
    from core.project import OpenProject
    from core.scoring.precedence import grader_of

    def write(project: OpenProject) -> str:
        found = read_set(project, find_set(project, name))
        return add_example(project, found, rubric, grader_of(person), slot)

    return session.write(write)[0]
