"""What follows from what is filled in: the model's preflight, the estimate, a look at a file."""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from textual import work

from core.errors import LostkeysError
from core.estimates import build_estimate
from core.estimates.arms_estimate import estimate_arms
from core.estimates.estimate import Estimate, check_budget
from core.estimates.estimator import Estimator
from core.estimates.score_estimate import ScoreEstimate, estimate_scores, measure_rooms
from core.fact_bench.exemplars import PREPARE
from core.graders.grader_record import model_of
from core.jobs.glance_child import glance_beside
from core.jobs.start_options import find_capabilities
from core.project import explain
from core.providers.capabilities import Capabilities
from core.sampling.preflight import at_endpoints
from core.settings import paths
from core.specs.answer_specs import AnsweringSpec, ArmsSpec, GradingSpec, ScoringSpec
from core.specs.build_specs import BuildingSpec
from core.specs.file_specs import ImportWords
from core.specs.job_kinds import AskingSpec, Spec
from core.zero_prompt.stored_relations import RelationRoom
from tui.dialogs.dialog import Dialog
from tui.dialogs.import_dialog import describe_glance
from tui.dialogs.start.form import Form
from tui.dialogs.start.form_fields import Do
from tui.dialogs.start.form_spec import spec
from tui.dialogs.start.model_check import (
    CHECKING,
    STRANGER,
    ModelCheck,
    check,
    check_graders,
    needs_check,
)
from tui.dialogs.start.render_form import FormLayout
from tui.dialogs.start.validation import faults, max_cost, read_error
from tui.theme.glyphs import spell

if TYPE_CHECKING:
    from core.views.session import Session

TESTED_FIRST = "log probabilities are tested before the first score"

PAUSE = 0.4
"""Seconds without a change of the model before it is asked anything."""


@dataclass(frozen=True, slots=True)
class StartRequest:
    """What is to be started, what it may cost in US dollars, and what is to be done before it."""

    spec: Spec
    max_cost: float | None = None
    first: Spec | None = None


class FormController(Dialog[StartRequest]):
    """Finds out what follows from the form, while one goes on; `show` takes it in."""

    def __init__(self, seen: FormLayout, trusted: set[str]) -> None:
        """`trusted`: names of models, at addresses from a file, that a person lets be asked."""
        super().__init__()
        self.seen = seen
        self._trusted = trusted
        self._estimator = Estimator()

    def show(self, seen: FormLayout) -> None:
        """Show what is known now."""
        raise NotImplementedError

    @property
    def form(self) -> Form:
        """What is filled in."""
        return self.seen.form

    def take_form(self, form: Form, everything: bool = False) -> None:
        """Take another form in, and find out what follows from it."""
        before = self.form
        seen = replace(self.seen, form=form, estimate_error=(None, ""), warning="", broke="")
        if everything or _list_check_inputs(form) != _list_check_inputs(before):
            seen = replace(seen, checked=self._make_pending_check(form), clash="")
            self._check(form)
        if everything or _list_trial_inputs(form) != _list_trial_inputs(before):
            seen = replace(seen, tried=self._make_pending_trial(form))
            self._try(form)
        if everything or form.reads != before.reads:
            kept = seen.glance if form.reads[0] == before.reads[0] else None
            seen = replace(seen, verdict="", glance=kept, is_looking=True, coming=0)
            self._glance(*form.reads)
        self.show(seen)
        self._estimate()

    def strangers(self, form: Form, models: Iterable[str]) -> list[str]:
        """Those of the models whose addresses came out of the file, unless they are trusted."""
        file = self.seen.given.file
        offers = [*file.offers, *file.graders, *([form.offer] if form.offer else [])]
        far = {one.model for one in offers if one.stranger} - self._trusted
        return [model for model in models if model in far]

    def _make_pending_check(self, form: Form) -> ModelCheck:
        if not form.asks or form.offer is None:
            return ModelCheck()
        if not needs_check(form):
            return ModelCheck(TESTED_FIRST)
        return ModelCheck(STRANGER if self.strangers(form, [form.model]) else spell(CHECKING))

    def _make_pending_trial(self, form: Form) -> ModelCheck:
        if not form.grading:
            return ModelCheck()
        far = self.strangers(form, map(model_of, form.grading))
        return ModelCheck(STRANGER if far else spell(CHECKING))

    def _try(self, form: Form) -> None:
        """Have graders that are models checked, unless one has an address out of the file."""
        if form.grading and not self.strangers(form, map(model_of, form.grading)):
            self._try_now(form)

    @work(exclusive=True, group="try")
    async def _try_now(self, form: Form) -> None:
        await asyncio.sleep(PAUSE)
        _, effort = _list_trial_inputs(form)
        found = await check_graders(form.grading, paths.prompts_folder(), effort)
        if _list_trial_inputs(form) == _list_trial_inputs(self.form):
            self.show(replace(self.seen, tried=found))

    def _check(self, form: Form) -> None:
        """Have the model checked, unless its address came out of the file, which says how it is
        asked if that was found out before."""
        offer = form.offer
        if needs_check(form) and offer is not None:
            far = self.strangers(form, [form.model])

            def check_it(known: Capabilities | None) -> None:
                if not far:
                    self._check_as(form, known)
                elif known is not None and _list_check_inputs(form) == _list_check_inputs(
                    self.form
                ):
                    told = ModelCheck(STRANGER, endpoints=at_endpoints(known))
                    self.show(replace(self.seen, checked=told))

            self.ask(
                "start.model",
                lambda session: find_capabilities(session.present, offer, form.asked),
                check_it,
            )

    @work(exclusive=True, group="check")
    async def _check_as(self, form: Form, known: Capabilities | None) -> None:
        await asyncio.sleep(PAUSE)
        off = False in form.thinks
        found = await check(form.model, off, known, form.asked, form.do is Do.BUILD)
        if _list_check_inputs(form) == _list_check_inputs(self.form):
            self.show(replace(self.seen, checked=found))

    def _estimate(self) -> None:
        """Ask the db worker what the run would take, unless nothing sensible is filled in."""
        form, given = self.form, self.seen.given
        if faults(form, given):
            self.show(replace(self.seen, estimate=None))
            return
        if form.do is Do.SCORE and form.set_name not in given.rooms:
            self._measure_rooms(form.set_name)
            return
        wanted = spec(form, given)
        if isinstance(wanted, AskingSpec):
            self.ask(
                "start",
                partial(self._estimate_spec, wanted, self.seen.coming),
                self._build_taker(wanted),
                self._show_estimate_error,
            )

    def _measure_rooms(self, set_name: str) -> None:
        """Find out what the relations of a set can give, and go on from there."""

        def take(found: tuple[RelationRoom, ...]) -> None:
            given = self.seen.given
            rooms = {**given.rooms, set_name: found}
            self.show(replace(self.seen, given=replace(given, rooms=rooms)))
            self._estimate()

        self.ask(
            "start.rooms",
            lambda session: measure_rooms(session.project, set_name),
            take,
            self._show_estimate_error,
        )

    def _estimate_spec(
        self,
        wanted: AskingSpec,
        coming: int,
        session: "Session",
    ) -> Estimate | ScoreEstimate | None:
        """The estimate, of which a build on a database that is not there has none."""
        match wanted:
            case AnsweringSpec() | GradingSpec():
                return self._estimator.estimate(session.project, wanted)
            case ArmsSpec():
                return estimate_arms(session.project, wanted, self._estimator)
            case ScoringSpec():
                return estimate_scores(session.project, wanted)
            case BuildingSpec() if session.exists:
                return build_estimate.estimate(session.project, wanted, coming)
        return None

    def _build_taker(self, wanted: Spec) -> Callable[[Estimate | ScoreEstimate | None], None]:
        """Take an estimate in, unless the form has changed since."""

        def take(found: Estimate | ScoreEstimate | None) -> None:
            form, given = self.form, self.seen.given
            if faults(form, given) or wanted != spec(form, given):
                return
            seen = replace(self.seen, estimate=found, clash="", warning="", broke="")
            try:
                if isinstance(found, Estimate):
                    warning = check_budget(found, max_cost(form))
                    seen = replace(seen, warning=warning or _explain_unprofiled(found))
            except LostkeysError as error:
                seen = replace(seen, broke=str(error))
            self.show(seen)

        return take

    def _show_estimate_error(self, error: LostkeysError) -> None:
        """Say why there is no estimate; a label that is taken can be changed."""
        said_ = str(error).replace(PREPARE, "P on Bench keeps a part of the set for exemplars")
        if LABEL_OPTION in said_:
            clash = f"{said_.partition(LABEL_OPTION)[0]}name this run in the field below"
            self.show(replace(self.seen, estimate=None, clash=clash))
        else:
            self.show(replace(self.seen, estimate=None, estimate_error=read_error(said_)))

    @work(exclusive=True, group="glance")
    async def _glance(
        self,
        file: Path | None,
        format: str,  # noqa: A002
        words: ImportWords,
    ) -> None:
        if file is None:
            return
        try:
            found = await glance_beside(self.lostkeys.path, file, format, words)
        except Exception as error:
            if (known := explain(error)) is None:
                raise
            self.show(replace(self.seen, verdict=str(known), glance=None, is_looking=False))
            return
        coming = 0 if found.report is None else found.report.added
        told = replace(self.seen, verdict=describe_glance(found), glance=found, is_looking=False)
        self.show(replace(told, coming=coming))
        if self.form.do is Do.BUILD:
            self._estimate()


def _list_check_inputs(form: Form) -> tuple[object, ...]:
    """What a check of the model depends on."""
    asked = (form.asked, form.do is Do.BUILD)
    return form.asks, needs_check(form), form.offer, False in form.thinks, *asked


def _list_trial_inputs(form: Form) -> tuple[tuple[str, ...], str | None]:
    """What a trial of graders depends on: which they are, and the effort that is theirs."""
    return form.grading, form.effort_asked if form.do is Do.GRADE else None


LABEL_OPTION = "use --as NAME"
"""What errors about a label that is taken advise: in the dialog it is a field."""


def _explain_unprofiled(found: Estimate) -> str:
    """That the facts are triples, which have no profiles, and what asks them instead."""
    if found.unprofiled is None:
        return ""
    return f"{found.unprofiled.describe()}; do {Do.BENCH} asks triples in modes of their own"
