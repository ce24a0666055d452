"""The Start dialog: one form for whatever can be started, with what it would take."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from textual import events, on
from textual.app import ComposeResult

from core.graders.grader_record import LLM, model_of
from core.jobs.start_options import ModelOffer
from core.pricing.budget import dollars
from core.pricing.prices import known_names
from core.vocabulary import Task
from tui import keys
from tui.dialogs.choice_dialog import SubsetChoice
from tui.dialogs.confirm_dialog import Confirm, confirm_overwrite
from tui.dialogs.import_dialog import ImportFile
from tui.dialogs.import_report_dialog import ReportDialog
from tui.dialogs.input_dialog import AskLine
from tui.dialogs.start.form import (
    NO_WORDS,
    Form,
    FormContext,
    choose,
    find_chosen,
    find_further,
    paste_number,
    say_further,
    takes_digits,
    type_char,
    type_further,
)
from tui.dialogs.start.form_controller import FormController, StartRequest
from tui.dialogs.start.form_fields import (
    CHOSEN,
    DOCUMENTS,
    NAMED,
    Do,
    Field,
    Further,
    read_names,
)
from tui.dialogs.start.form_spec import limits_of, make_import_spec, spec
from tui.dialogs.start.form_view import FormView
from tui.dialogs.start.pickers import PickModel, PickModes, PickTarget, PickTasks
from tui.dialogs.start.render_form import FormLayout, buttons, relation_notes
from tui.dialogs.start.validation import (
    further_fault,
    limits_fault,
    max_cost,
    parse_score,
    score_fault,
    unbounded_cost,
)
from tui.text.line import Line
from tui.widgets.line_view import LineView
from tui.widgets.line_widget import LineWidget

LIMIT_ASKED = (
    "WHAT=N with commas, WHAT a task, completion (24), questions (32), choice (8) or steps; "
    "empty: not set:"
)

PREFIX_ASKED = "What is before the / in ids of facts; empty: as the log says:"
CORRECT_ASKED = "The score from which on an answer is CORRECT, a lower one INCORRECT:"

ROOMY = 30
"""Lines of the screen from which blank lines part the groups."""


class Buttons(LineWidget):
    """Start and cancel, with the keys."""

    def __init__(self) -> None:
        super().__init__()
        self.ready = False

    def draw(self, width: int) -> Line:
        """The buttons."""
        return buttons(self.ready, width, self.look)

    def press_part(self, part: str) -> None:
        """Start, or close."""
        screen = self.screen
        assert isinstance(screen, Start)
        if part == "start":
            screen.action_start()
        else:
            screen.action_close()


class Start(FormController):
    """`tab` or `j` `k` go to a field, `h` `l` choose, digits type, `ctrl+s` starts."""

    BINDINGS = keys.bindings("form")
    DEFAULT_CSS = "Start FormView { height: auto; }"
    AUTO_FOCUS = "FormView"
    heading = "Start"
    hint = ()

    def __init__(self, form: Form, given: FormContext, trusted: set[str]) -> None:
        """`trusted`: names of models, at addresses from a file, that a person lets be asked."""
        super().__init__(FormLayout(form, given), trusted)
        self._typing: Field | None = None
        """The field into which something was typed since it was entered."""
        self._agreed_cost = 0.0
        """US dollars that a person has agreed to, without a budget."""

    def body(self) -> ComposeResult:
        """The form and the buttons."""
        yield FormView(self.seen)
        yield Buttons()

    def on_mount(self) -> None:
        """Look at what is filled in already."""
        self.take_form(self.seen.form, everything=True)

    def on_resize(self) -> None:
        """As high as what it says, as far as there is room."""
        self.show(self.seen)

    # What is shown

    @property
    def view(self) -> FormView:
        """The form."""
        return self.query_one(FormView)

    def show(self, seen: FormLayout) -> None:
        """Show what is known now."""
        self.seen = seen
        if not self.is_open:
            return
        room = max(3, self.size.height - 3)
        self.view.show(seen, self.size.height >= ROOMY, room)
        button = self.query_one(Buttons)
        if seen.ready:
            self.edge(self.hint_line)
        button.ready = seen.ready
        button.refresh_changed()

    def repaint(self) -> None:
        """Paint everything anew (another theme)."""
        super().repaint()
        self.view.repaint()
        self.query_one(Buttons).repaint()

    # What is filled in

    def action_field(self, step: int) -> None:
        """The next field."""
        self.view.move_by(step)

    def action_option(self, step: int) -> None:
        """The next option of the field."""
        if (which := self.view.field) is not None:
            place = find_chosen(self.form, which, self.seen.given) + step
            self.take_form(choose(self.form, which, place, self.seen.given))

    def on_key(self, event: events.Key) -> None:
        """Keys of a number go into the field that takes one; letters only behind digits."""
        which = self.view.field
        if which is None or not takes_digits(self.form, which):
            return
        over = which is not self._typing
        char = "" if event.key == "backspace" else event.character or " "
        if over and char.isalpha():
            return
        form = type_char(self.form, which, char, over)
        if form is not None:
            event.stop()
            self._type(which, form)

    def on_paste(self, event: events.Paste) -> None:
        """A number that is pasted stands instead of what the field holds."""
        which = self.view.field
        if which is not None and takes_digits(self.form, which):
            form = paste_number(self.form, which, event.text)
            if form is not None:
                self._type(which, form)

    def _type(self, which: Field, form: Form) -> None:
        self._typing = which
        self.take_form(form)

    @on(LineView.CursorMoved)
    def type_over(self, event: LineView.CursorMoved) -> None:
        """Another field: what it holds is typed over."""
        event.stop()
        self._typing = None

    @on(LineView.RowClicked)
    def choose_clicked(self, event: LineView.RowClicked) -> None:
        """A click on an option chooses it; a second one on a field opens it."""
        event.stop()
        name, _, place = (event.part or "").partition(":")
        opens = self.form.grader == NAMED or not self.form.named
        if place:
            self.take_form(choose(self.form, Field(name), int(place), self.seen.given))
        if (event.again and not place) or (
            name == Field.GRADER and self.form.grader == NAMED and opens
        ):
            self.action_open()

    # Small dialogs

    def action_open(self) -> None:
        """Open what the field chooses from."""
        which = self.view.field
        further = None if which is None else find_further(self.form, which)
        if self.form.do is Do.IMPORT:
            self._open_of_import()
        elif which is not None and further is not None and not further.words:
            self._open_further(which, further)
        elif further is not None:
            self.action_field(1)
        else:
            self._open_own()

    def _open_own(self) -> None:
        match self.view.field:
            case Field.MODEL:
                picked = PickModel(self.seen.given.file.offers, known_names(), self.form.offer)
                self.app.push_screen(picked, self._take_model)
            case Field.GRADER if self.form.grader == NAMED:
                self.app.push_screen(self._pick_grader(), self._take_grader)
            case Field.LABEL | Field.LIMIT as which:
                self._open_line(which)
            case Field.MODES:
                picked_modes = PickModes(read_names(self.form.modes))
                self.app.push_screen(picked_modes, self._take_modes)
            case Field.RELATIONS | Field.MODELS as which:
                self._open_subset(which)
            case Field.TASKS:
                self.app.push_screen(PickTasks(self.form.chosen), self._take_tasks)
            case Field.DOCUMENTS:
                documents = ImportFile(self.lostkeys.path, DOCUMENTS, for_form=True)
                self.app.push_screen(documents, self._take_documents)
            case Field.FILE:
                self.app.push_screen(PickTarget(self.form.target), self._take_target)
            case _:
                self.action_field(1)

    def _open_line(self, which: Field) -> None:
        """Ask for what is typed into a line of its own."""
        form = self.form
        match which:
            case Field.LABEL:
                now = form.label or (form.offer.label if form.offer else "")
                asked = AskLine("kept as", "The name that its answers are kept under:", now)
                self.app.push_screen(asked, self._take_label)
            case Field.LIMIT:
                limit = AskLine("limit", LIMIT_ASKED, ", ".join(form.limits), limits_fault)
                self.app.push_screen(limit, self._take_limits)

    def _open_further(self, which: Field, further: Further) -> None:
        """Ask for the line of a field that the spec has."""
        form = self.form

        def take(text: str | None) -> None:
            if text is not None:
                self.take_form(type_further(self.form, which, text))

        asked = AskLine(
            *(str(which), further.asks, say_further(form, which)),
            partial(further_fault, form, which),
        )
        self.app.push_screen(asked, take)

    def _open_subset(self, which: Field) -> None:
        """Let some of the relations, or of the models with responses, be chosen."""
        file = self.seen.given.file
        if which is Field.MODELS:
            some = SubsetChoice("models", file.answered, self.form.models_graded or file.answered)
            self.app.push_screen(some, self._take_models_graded)
            return
        there = file.relations_of(self.form.set_name)
        picked = SubsetChoice(
            "relations", there, self.form.relations or there, relation_notes(self.seen)
        )
        self.app.push_screen(picked, self._take_relations)

    def _open_of_import(self) -> None:
        words = self.form.words
        match self.view.field:
            case Field.FILE:
                source = ImportFile(self.lostkeys.path, for_form=True)
                self.app.push_screen(source, self._take_source)
            case Field.LABEL:
                label = AskLine("kept as", "The name of its model here:", words.as_label or "")
                self.app.push_screen(label, self._take_log_label)
            case Field.PREFIX:
                prefix = AskLine("prefix", PREFIX_ASKED, words.prefix or "")
                self.app.push_screen(prefix, self._take_prefix)
            case Field.CORRECT_AT:
                now = "" if words.correct_at is None else f"{words.correct_at:g}"
                score = AskLine("correct at", CORRECT_ASKED, now, score_fault)
                self.app.push_screen(score, self._take_score)
            case Field.REPORT if self.seen.glance is not None:
                self.app.push_screen(ReportDialog(self.seen.glance))
            case _:
                self.action_field(1)

    def _take_model(self, offer: ModelOffer | None) -> None:
        if offer is not None:
            self.take_form(replace(self.form, offer=offer, label="", unchecked=False))

    def _pick_grader(self) -> PickModel:
        file, names = self.seen.given.file, self.form.grading
        now = model_of(names[0]) if len(names) == 1 else None
        known = [*file.graders, *(replace(one, label=one.model) for one in file.offers)]
        offers = list({one.model: one for one in known}.values())
        return PickModel(
            offers, known_names(), next((one for one in offers if one.model == now), None), "grader"
        )

    def _take_grader(self, offer: ModelOffer | None) -> None:
        if offer is not None:
            self.take_form(replace(self.form, grader=NAMED, named=(f"{LLM}{offer.model}",)))

    def _take_label(self, label: str | None) -> None:
        if label is not None:
            self.take_form(replace(self.form, label=label.strip()))

    def _take_log_label(self, label: str | None) -> None:
        if label is not None:
            self._say(as_label=label.strip() or None)

    def _take_prefix(self, prefix: str | None) -> None:
        if prefix is not None:
            self._say(prefix=prefix.strip() or None)

    def _take_score(self, score: str | None) -> None:
        if score is not None:
            self._say(correct_at=parse_score(score))

    def _say(self, **words: Any) -> None:
        """Say something else of the file to import."""
        self.take_form(replace(self.form, words=replace(self.form.words, **words)))

    def _take_tasks(self, tasks: frozenset[Task] | None) -> None:
        if tasks is not None:
            self.take_form(replace(self.form, tasks=CHOSEN, chosen=tasks))

    def _take_relations(self, relations: tuple[str, ...] | None) -> None:
        if relations is not None:
            there = self.seen.given.file.relations_of(self.form.set_name)
            named = () if relations == there else relations
            self.take_form(replace(self.form, relations=named))

    def _take_modes(self, modes: tuple[str, ...] | None) -> None:
        if modes is not None:
            self.take_form(replace(self.form, modes=", ".join(modes)))

    def _take_models_graded(self, models: tuple[str, ...] | None) -> None:
        if models is not None:
            named = () if models == self.seen.given.file.answered else models
            self.take_form(replace(self.form, models_graded=named))

    def _take_limits(self, limits: str | None) -> None:
        if limits is not None:
            self.take_form(replace(self.form, limits=limits_of(limits)))

    def _take_source(self, file: Path | None) -> None:
        if file is not None:
            self.take_form(replace(self.form, source=file, words=NO_WORDS))

    def _take_documents(self, file: Path | None) -> None:
        if file is not None:
            self.take_form(replace(self.form, documents=file))

    def _take_target(self, file: Path | None) -> None:
        if file is not None:
            self.take_form(replace(self.form, target=file))

    # Starting

    def action_start(self) -> None:
        """Start it, if nothing is wrong; each stranger's address is asked about first."""
        far = self.strangers(self.form, self.form.models) if self.seen.ready else []
        if not self.seen.ready:
            wrong = [*self.seen.faults.values(), self.seen.estimate_error[1]]
            self.edge(Line(next(filter(None, wrong), ""), "label-i"))
        elif far:
            question = f"The address of {far[0]} came out of this file. Ask it?"
            confirm = Confirm("address", question, "asks it", "sends nothing")
            self.app.push_screen(confirm, partial(self._trust_model, far[0]))
        elif (cost := self._unbounded_cost()) > self._agreed_cost:
            question = f"It may cost {dollars(cost)}, and there is no budget. Start it?"
            confirm = Confirm("cost", question, "starts it", "goes back to the form")
            self.app.push_screen(confirm, partial(self._accept_cost, cost))
        else:
            there = [self.form.target] if self.form.do is Do.EXPORT and self.form.target else []
            confirm_overwrite(self.lostkeys, "export", there, self._submit_form)

    def _submit_form(self) -> None:
        wanted = spec(self.form, self.seen.given)
        self.dismiss(StartRequest(wanted, max_cost(self.form), make_import_spec(self.form)))

    def _unbounded_cost(self) -> float:
        last = self.seen.given.file.last_cost
        return unbounded_cost(self.form, self.seen.estimate, last)

    def _trust_model(self, model: str, yes: bool | None) -> None:
        if yes:
            self._trusted.add(model)
            self.action_start()

    def _accept_cost(self, cost: float, yes: bool | None) -> None:
        if yes:
            self._agreed_cost = cost
            self.action_start()
