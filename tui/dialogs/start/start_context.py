"""Opening the Start dialog with what is at hand: the model and the list that are looked at."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from core.dataset.fact_filters import RANDOM, format_numbers
from core.demo.demo_setup import relation_import
from core.errors import UsageError
from core.glossary.job_terms import COUNTS_OF_A_LAKE
from core.graders import grader_table
from core.jobs.start_options import ModelOffer, StartOptions, read_options
from core.sampling.recipe_settings import EFFORTS
from core.scoring.policy import Policy
from core.specs.answer_specs import AnsweringSpec, ArmsSpec, GradingSpec, ScoringSpec
from core.specs.build_specs import BuildingSpec
from core.specs.file_specs import ImportingSpec
from core.specs.job_kinds import AskingSpec, graders_of
from core.vocabulary import Task
from tui.dialogs.confirm_dialog import Confirm
from tui.dialogs.import_dialog import ImportFile
from tui.dialogs.start.form import BUILT_IN, DRAWN, Form, FormContext, choose, graders
from tui.dialogs.start.form_controller import StartRequest
from tui.dialogs.start.form_fields import (
    ALL,
    AT_RANDOM,
    CHOSEN,
    EVERY,
    LISTED,
    NAMED,
    PROFILES,
    SIX,
    TESTS,
    THINKING,
    UNSET,
    Do,
    Field,
)
from tui.dialogs.start.start_dialog import Start
from tui.text.line import Line

if TYPE_CHECKING:
    from core.jobs.job_view import JobView
    from core.project import OpenProject
    from core.views.fact_query import Listing
    from core.views.session import Session
    from core.views.snapshot import Snapshot
    from tui.app.app import LostkeysApp


# The form filled in with a spec: what a job was to do, to be looked over and started again.


def fill_form(spec: AnsweringSpec, offer: ModelOffer, budget: float | None) -> Form:
    """The form that asks for this spec."""
    some, named = _tasks(spec.tasks)
    return Form(
        do=Do.RUN if spec.graders else Do.SAMPLE,
        offer=offer,
        label="" if spec.label == offer.label else spec.label,
        unchecked=spec.unchecked,
        thinking=THINKING.index(spec.thinking),
        facts=_facts(spec.where),
        random=_amount(spec.where) or DRAWN,
        tasks=some,
        chosen=named,
        samples=str(spec.samples),
        curtailed=spec.curtailed is not None,
        grader=_grader(Do.RUN, spec.graders),
        named=_list_named(Do.RUN, spec.graders),
        budget=_budget(budget),
        temperature="" if spec.temperature is None else f"{spec.temperature:g}",
        effort=_effort(spec.effort),
        limits=spec.limits,
        answered=spec,
    )


def fill_to_grade(spec: GradingSpec, offer: ModelOffer | None, budget: float | None) -> Form:
    """The form that has this graded; `offer` is what it begins with where a model is asked."""
    some, named = _tasks(spec.tasks)
    return Form(
        do=Do.GRADE,
        offer=offer,
        models_graded=spec.models or (),
        facts=_facts(spec.where),
        random=_amount(spec.where) or DRAWN,
        tasks=some,
        chosen=named,
        size="" if spec.size is None else str(spec.size),
        seed=str(spec.seed or ""),
        effort=_effort(spec.effort),
        graded=spec,
        grader=_grader(Do.GRADE, spec.graders),
        named=_list_named(Do.GRADE, spec.graders),
        budget=_budget(budget),
    )


def fill_to_score(spec: ScoringSpec, offer: ModelOffer, budget: float | None) -> Form:
    """The form that asks for these scores."""
    return Form(
        do=Do.SCORE,
        offer=offer,
        label="" if spec.label == offer.label else spec.label,
        facts=LISTED if spec.where else AT_RANDOM if spec.first else ALL,
        random=str(spec.first or DRAWN),
        set_name=spec.set_name or "",
        relations=spec.relations or (),
        examples=",".join(map(str, spec.examples)),
        choices=str(spec.options),
        tokens=str(spec.tokens),
        test=TESTS.index(spec.tests) if spec.tests in TESTS else 0,
        budget=_budget(budget),
        scored=spec,
    )


def fill_to_bench(spec: ArmsSpec, offer: ModelOffer, budget: float | None) -> Form:
    """The form that asks for these arms."""
    return Form(
        do=Do.BENCH,
        offer=offer,
        label="" if spec.label == offer.label else spec.label,
        unchecked=spec.unchecked,
        facts=LISTED if spec.where else AT_RANDOM if spec.first else ALL,
        random=str(spec.first or DRAWN),
        set_name=spec.set_name or "",
        modes=", ".join(spec.modes),
        known_by=spec.known_by or UNSET,
        grader=_grader(Do.BENCH, spec.graders),
        named=_list_named(Do.BENCH, spec.graders),
        budget=_budget(budget),
        arms=spec,
    )


def fill_to_build(spec: BuildingSpec, offer: ModelOffer | None, budget: float | None) -> Form:
    """The form that goes on with this build; `offer` is its model, None where it asks none."""
    return Form(
        do=Do.BUILD,
        offer=offer,
        ruled=spec.model is None,
        grounding=spec.grounding,
        wanted="" if spec.target is None else str(spec.target),
        budget=_budget(budget),
        again=spec,
    )


def _effort(word: str | None) -> str:
    return word if word in EFFORTS else UNSET


def _facts(where: str) -> int:
    """The option of the facts' field that stands for a filter."""
    return ALL if not where else AT_RANDOM if _amount(where) else LISTED


def _tasks(named: tuple[Task, ...] | None) -> tuple[int, frozenset[Task]]:
    """The option of the tasks' field that stands for these, and those that are chosen."""
    chosen = frozenset(named or ())
    return EVERY if named is None else PROFILES if chosen == set(SIX) else CHOSEN, chosen


def _grader(do: Do, names: tuple[str, ...]) -> str:
    """The option of the graders' field that stands for these."""
    if not names:
        return BUILT_IN
    return NAMED if _list_named(do, names) else names[0]


def _list_named(do: Do, names: tuple[str, ...]) -> tuple[str, ...]:
    """These graders, unless they are one that has an option of its own."""
    return () if len(names) == 1 and names[0] in graders(do) else names


def _budget(amount: float | None) -> str:
    return "" if amount is None else f"{amount:.9f}".rstrip("0").rstrip(".")


def _amount(where: str) -> str:
    """How many facts a filter draws at random, empty where it is another."""
    amount = where.removeprefix(RANDOM)
    return amount if amount != where and amount.isdecimal() else ""


def offer_import(app: "LostkeysApp") -> None:
    """Let a file be picked, and import it into the open database as a job.

    Where more is to be said of it, or read, the form comes before.
    """
    picker = ImportFile(app.path)

    def land(file: Path | None) -> None:
        if file is not None and picker.wants_form:
            open_start_dialog(app, do=Do.IMPORT, source=file)
        elif file is not None:
            app.jobs.start(ImportingSpec(str(file.absolute())))

    app.push_screen(picker, land)


def offer_sample(app: "LostkeysApp") -> None:
    """Import the relation that comes with the program, once a person agrees to that."""

    def import_it(agreed: bool | None) -> None:
        if agreed:
            app.jobs.start(relation_import())

    question = f"Import 190 facts, countries and their capitals, into {app.path.name}?"
    app.push_screen(Confirm("sample", question, "imports them", "leaves it"), import_it)


def open_start_dialog(
    app: "LostkeysApp",
    job: "JobView | None" = None,
    do: str = "",
    source: Path | None = None,
    set_name: str = "",
) -> None:
    """Let something be started, this (a word of `Do`) of all, or this job be gone on with.

    `source` is a file to import, `set_name` the set of triples that is looked at.
    """

    if app.snapshot is not None and app.snapshot.counted is not None:
        app.say(counts_alone(app.snapshot.counted.lake.path))
        return

    def begin(started: StartRequest | None) -> None:
        if started is not None:
            if started.first is not None:
                app.jobs.start(started.first)
            app.jobs.start(started.spec, started.max_cost)

    def read_file(session: "Session") -> tuple[StartOptions, int]:
        return read_options(session.present), count_listed(session.present, job)

    def show(there: tuple[StartOptions, int]) -> None:
        found, meant = there
        form, given = (
            _form(app.snapshot, found),
            _build_context(app.snapshot, found, _find_listing(app)),
        )
        if do:
            form = choose(form, Field.DO, list(Do).index(Do(do)), given)
        form = replace(form, source=source)
        if set_name in found.sets:
            form = replace(form, set_name=set_name)
        if job is not None:
            form, given = refill_form(job, form, given, meant)
        app.push_screen(Start(form, given, app.jobs.trusted), begin)

    app.ask_dialog("start", read_file, show)


def counts_alone(lake: str) -> Line:
    """Why nothing can be started on counts of a lake."""
    return Line(f"{COUNTS_OF_A_LAKE}: jobs need its answers, which are in {lake}")


def count_listed(project: "OpenProject | None", job: "JobView | None") -> int:
    """How many facts the filter of a job that is started again selects; 0 without one."""
    where = "" if job is None else getattr(job.spec, "where", "")
    if project is None or not where:
        return 0
    try:
        return int(project.facts(where, project.models(), Policy()).sum())
    except UsageError:
        return 0


def refill_form(
    job: "JobView", form: Form, given: FormContext, meant: int
) -> tuple[Form, FormContext]:
    """The form as it was for a job; as it is where that cannot be asked for any more.

    `meant`: how many facts the job's filter selects.
    """
    spec, budget = job.spec, job.max_cost
    if isinstance(spec, BuildingSpec):
        asked = next((one for one in given.file.offers if one.model == spec.model), None)
        known = asked is not None or spec.model is None
        return fill_to_build(spec, asked, budget) if known else form, given
    if not isinstance(spec, AskingSpec) or not _can_grade(graders_of(spec)):
        return form, given
    if spec.where:
        given = replace(given, listed=spec.where, listed_count=meant)
    if isinstance(spec, GradingSpec):
        return fill_to_grade(spec, form.offer, budget), given
    wanted = (spec.model, spec.label)
    offer = next((one for one in given.file.offers if (one.model, one.label) == wanted), None)
    if offer is None:
        return form, given
    match spec:
        case ScoringSpec():
            return fill_to_score(spec, offer, budget), given
        case ArmsSpec():
            return fill_to_bench(spec, offer, budget), given
    return fill_form(spec, offer, budget), given


def _can_grade(graders: tuple[str, ...]) -> bool:
    """Whether these are graders that this program knows; a file may say anything."""
    try:
        for name in graders:
            grader_table.check(name)
    except UsageError:
        return False
    return True


def _find_listing(app: "LostkeysApp") -> "Listing | None":
    """The list of facts as it is seen, or was seen last."""
    steps = app.fact_steps()
    return None if steps is None else steps.listing


def _form(snapshot: "Snapshot | None", found: StartOptions) -> Form:
    """Filled in as is most likely meant: the model that is looked at, if it can be asked."""
    model = snapshot.lens.model if snapshot is not None else None
    offers = found.offers
    offer = next((one for one in offers if one.label == model), offers[0] if offers else None)
    return Form(do=Do.RUN if found.facts else Do.IMPORT, offer=offer)


def _build_context(
    snapshot: "Snapshot | None", found: StartOptions, listing: "Listing | None"
) -> FormContext:
    if snapshot is None:
        return FormContext(found)
    if listing is None or len(listing.places) == listing.total:
        return FormContext(found, policy=snapshot.lens.policy)
    ids = snapshot.index.ids[listing.places].tolist()
    return FormContext(found, format_numbers(ids), len(ids), snapshot.lens.policy)
