"""The Start dialog: one form for whatever can be started, with what it would take."""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from textual import events, on, work
from textual.app import ComposeResult

from core import places
from core.cost.estimate import Estimate, check_budget
from core.cost.estimator import Estimator
from core.cost.prices import known_names
from core.errors import LostkeysError
from core.graders.model.grader import LLM, model_of
from core.jobs.importing import glance
from core.jobs.specs import AnsweringSpec, GradingSpec, Spec
from core.names import Task
from core.project import explain
from core.providers.capabilities import Capabilities
from core.starting import Offer, found_out
from tui import keys
from tui.dialogs.ask import AskLine
from tui.dialogs.base import Dialog
from tui.dialogs.confirm import Confirm
from tui.dialogs.import_file import ImportFile, said
from tui.dialogs.start.checking import CHECKING, STRANGER, Checked, check, check_graders
from tui.dialogs.start.form import (
    CHOSEN,
    NAMED,
    THINKING,
    TYPED,
    Field,
    Form,
    Given,
    choose,
    chosen,
    faults,
    max_cost,
    spec,
    typed,
)
from tui.dialogs.start.lines import Seen, buttons
from tui.dialogs.start.picking import PickModel, PickTarget, PickTasks
from tui.dialogs.start.view import FormView
from tui.text.line import Line
from tui.widgets.line_view import LineView
from tui.widgets.one_line import OneLine

PAUSE = 0.4
"""Seconds without a change of the model before it is asked anything."""

ROOMY = 30
"""Lines of the screen from which blank lines part the groups."""


@dataclass(frozen=True, slots=True)
class Started:
    """What is to be started, and what it may cost in US dollars."""

    spec: Spec
    max_cost: float | None = None


class Buttons(OneLine):
    """Start and cancel, with the keys."""

    def __init__(self) -> None:
        super().__init__()
        self.ready = False

    def draw(self, width: int) -> Line:
        """The buttons."""
        return buttons(self.ready, width, self.look)

    def picked(self, part: str) -> None:
        """Start, or close."""
        screen = self.screen
        assert isinstance(screen, Start)
        if part == "start":
            screen.action_start()
        else:
            screen.action_close()


class Start(Dialog[Started]):
    """`tab` or `j` `k` go to a field, `h` `l` choose, digits type, `ctrl+s` starts."""

    BINDINGS = keys.bindings("form")
    DEFAULT_CSS = "Start FormView { height: auto; }"
    AUTO_FOCUS = "FormView"
    heading = "Start"
    hint = ""

    def __init__(self, form: Form, given: Given, trusted: set[str]) -> None:
        """`trusted`: names of models, at addresses from a file, that a person lets be asked."""
        super().__init__()
        self.seen = Seen(form, given)
        self._trusted = trusted
        self._estimator = Estimator()

    def body(self) -> ComposeResult:
        """The form and the buttons."""
        yield FormView(self.seen)
        yield Buttons()

    def on_mount(self) -> None:
        """Look at what is filled in already."""
        self._changed(self.seen.form, everything=True)

    def on_resize(self) -> None:
        """As high as what it says, as far as there is room."""
        self._show(self.seen)

    # What is shown

    @property
    def view(self) -> FormView:
        """The form."""
        return self.query_one(FormView)

    @property
    def form(self) -> Form:
        """What is filled in."""
        return self.seen.form

    def _show(self, seen: Seen) -> None:
        self.seen = seen
        if not self.is_mounted:
            return
        room = max(3, self.size.height - 3)
        self.view.show(seen, self.size.height >= ROOMY, room)
        button = self.query_one(Buttons)
        button.ready = seen.ready
        button.settle()

    def repaint(self) -> None:
        """Paint everything anew (another theme)."""
        self.view.repaint()
        self.query_one(Buttons).repaint()

    # What is filled in

    def _changed(self, form: Form, everything: bool = False) -> None:
        """Take another form in, and find out what follows from it."""
        before = self.form
        seen = replace(self.seen, form=form, trouble="", warning="", broke="")
        if everything or _asked(form) != _asked(before):
            seen = replace(seen, checked=self._unchecked(form), clash="")
            self._check(form)
        if everything or form.grading != before.grading:
            seen = replace(seen, tried=self._untried(form))
            self._try(form)
        if everything or form.source != before.source:
            seen = replace(seen, verdict="", usable=False)
            self._glance(form.source)
        self._show(seen)
        self._estimate()

    def action_field(self, step: int) -> None:
        """The next field."""
        self.view.move_by(step)

    def action_option(self, step: int) -> None:
        """The next option of the field."""
        if (which := self.view.field) is not None:
            place = chosen(self.form, which) + step
            self._changed(choose(self.form, which, place, self.seen.given))

    def on_key(self, event: events.Key) -> None:
        """Digits go into the field that takes them."""
        which = self.view.field
        if which not in TYPED or which is None:
            return
        char = "" if event.key == "backspace" else event.character or " "
        if char and not (char.isdecimal() and char.isascii()) and char != ".":
            return
        event.stop()
        self._changed(typed(self.form, which, char))

    @on(LineView.Clicked)
    def clicked(self, event: LineView.Clicked) -> None:
        """A click on an option chooses it; a second one on a field opens it."""
        event.stop()
        name, _, place = (event.part or "").partition(":")
        opens = self.form.grader == NAMED or not self.form.named
        if place:
            self._changed(choose(self.form, Field(name), int(place), self.seen.given))
        if (event.again and not place) or (
            name == Field.GRADER and self.form.grader == NAMED and opens
        ):
            self.action_open()

    # Small dialogs

    def action_open(self) -> None:
        """Open what the field chooses from."""
        match self.view.field:
            case Field.MODEL:
                picked = PickModel(self.seen.given.file.offers, known_names(), self.form.offer)
                self.app.push_screen(picked, self._picked_model)
            case Field.GRADER if self.form.grader == NAMED:
                self.app.push_screen(self._pick_grader(), self._picked_grader)
            case Field.LABEL:
                now = self.form.label or (self.form.offer.label if self.form.offer else "")
                asked = AskLine("kept as", "The name that its answers are kept under:", now)
                self.app.push_screen(asked, self._picked_label)
            case Field.TASKS:
                self.app.push_screen(PickTasks(self.form.chosen), self._picked_tasks)
            case Field.FILE if self.form.do == "import":
                self.app.push_screen(ImportFile(self.lostkeys.path), self._picked_source)
            case Field.FILE:
                self.app.push_screen(PickTarget(self.form.target), self._picked_target)
            case _:
                self.action_field(1)

    def _picked_model(self, offer: Offer | None) -> None:
        if offer is not None:
            self._changed(replace(self.form, offer=offer, label="", unchecked=False))

    def _pick_grader(self) -> PickModel:
        file, names = self.seen.given.file, self.form.grading
        now = model_of(names[0]) if len(names) == 1 else None
        known = [*file.graders, *(replace(one, label=one.model) for one in file.offers)]
        offers = list({one.model: one for one in known}.values())
        return PickModel(
            offers, known_names(), next((one for one in offers if one.model == now), None), "grader"
        )

    def _picked_grader(self, offer: Offer | None) -> None:
        if offer is not None:
            self._changed(replace(self.form, grader=NAMED, named=(f"{LLM}{offer.model}",)))

    def _picked_label(self, label: str | None) -> None:
        if label is not None:
            self._changed(replace(self.form, label=label.strip()))

    def _picked_tasks(self, tasks: frozenset[Task] | None) -> None:
        if tasks is not None:
            self._changed(replace(self.form, tasks=CHOSEN, chosen=tasks))

    def _picked_source(self, file: Path | None) -> None:
        if file is not None:
            self._changed(replace(self.form, source=file))

    def _picked_target(self, file: Path | None) -> None:
        if file is not None:
            self._changed(replace(self.form, target=file))

    # What follows: the model's preflight, the estimate, a look at a file

    def _strangers(self, form: Form, models: Iterable[str]) -> list[str]:
        """Those of the models whose addresses came out of the file, unless they are trusted."""
        file = self.seen.given.file
        offers = [*file.offers, *file.graders, *([form.offer] if form.offer else [])]
        far = {one.model for one in offers if one.stranger} - self._trusted
        return [model for model in models if model in far]

    def _unchecked(self, form: Form) -> Checked:
        if not form.asks or form.offer is None:
            return Checked()
        return Checked(STRANGER if self._strangers(form, [form.model]) else CHECKING)

    def _untried(self, form: Form) -> Checked:
        if not form.grading:
            return Checked()
        far = self._strangers(form, map(model_of, form.grading))
        return Checked(STRANGER if far else CHECKING)

    def _try(self, form: Form) -> None:
        """Have graders that are models checked, unless one has an address out of the file."""
        if form.grading and not self._strangers(form, map(model_of, form.grading)):
            self._try_now(form)

    @work(exclusive=True, group="try")
    async def _try_now(self, form: Form) -> None:
        await asyncio.sleep(PAUSE)
        found = await check_graders(form.grading, places.prompts_folder())
        if form.grading == self.form.grading:
            self._show(replace(self.seen, tried=found))

    def _check(self, form: Form) -> None:
        """Have the model checked; the file says what has been found out of it before."""
        offer = form.offer
        if form.asks and offer is not None and not self._strangers(form, [form.model]):

            def check_it(known: Capabilities | None) -> None:
                self._check_as(form, known)

            self.lostkeys.ask("start.model", lambda one: found_out(one, offer), check_it)

    @work(exclusive=True, group="check")
    async def _check_as(self, form: Form, known: Capabilities | None) -> None:
        await asyncio.sleep(PAUSE)
        found = await check(form.model, False in THINKING[form.thinking], known)
        if _asked(form) == _asked(self.form):
            self._show(replace(self.seen, checked=found))

    def _estimate(self) -> None:
        """Ask the desk what the run would take, unless nothing sensible is filled in."""
        form, given = self.form, self.seen.given
        if faults(form, given):
            self._show(replace(self.seen, estimate=None))
            return
        wanted = spec(form, given)
        if not isinstance(wanted, AnsweringSpec | GradingSpec):
            return
        found = self._of(wanted)
        self.lostkeys.ask(
            "start", lambda session: self._estimator.of(session.project, wanted), found, self._not
        )

    def _of(self, wanted: Spec) -> Callable[[Estimate], None]:
        """Take an estimate in, unless the form has changed since."""

        def take(found: Estimate) -> None:
            if not self.is_mounted or wanted != spec(self.form, self.seen.given):
                return
            seen = replace(self.seen, estimate=found, clash="", warning="", broke="")
            try:
                seen = replace(seen, warning=check_budget(found, max_cost(self.form)) or "")
            except LostkeysError as error:
                seen = replace(seen, broke=str(error))
            self._show(seen)

        return take

    def _not(self, error: LostkeysError) -> None:
        """Say why there is no estimate; a label that is taken can be changed."""
        if not self.is_mounted:
            return
        said_ = str(error)
        if LABEL_OPTION in said_:
            clash = said_.replace(f"with {LABEL_OPTION}", "in the field below")
            self._show(replace(self.seen, estimate=None, clash=clash))
        else:
            self._show(replace(self.seen, estimate=None, trouble=said_))

    @work(exclusive=True, group="glance")
    async def _glance(self, file: Path | None) -> None:
        if file is None:
            return
        try:
            found = await asyncio.to_thread(glance, self.lostkeys.path, file)
        except Exception as error:
            if (known := explain(error)) is None:
                raise
            self._show(replace(self.seen, verdict=str(known), usable=False))
            return
        usable = found.report is None or found.report.bad < found.report.read
        self._show(replace(self.seen, verdict=said(found), usable=usable))

    # Starting

    def action_start(self) -> None:
        """Start it, if nothing is wrong; each stranger's address is asked about first."""
        far = self._strangers(self.form, self.form.models) if self.seen.ready else []
        if not self.seen.ready:
            wrong = [*self.seen.faults.values(), self.seen.trouble]
            self.edge(Line(next(filter(None, wrong), ""), "label-i"))
        elif far:
            question = f"The address of {far[0]} came out of this file. Ask it?"
            confirm = Confirm("address", question, "asks it", "sends nothing")
            self.app.push_screen(confirm, partial(self._agreed, far[0]))
        else:
            self.dismiss(Started(spec(self.form, self.seen.given), max_cost(self.form)))

    def _agreed(self, model: str, yes: bool | None) -> None:
        if yes:
            self._trusted.add(model)
            self.action_start()


def _asked(form: Form) -> tuple[object, ...]:
    """What a check of the model depends on."""
    return form.asks, form.offer, False in THINKING[form.thinking]


LABEL_OPTION = "--as LABEL"
"""What errors about a label that is taken advise: in the dialog it is a field."""
