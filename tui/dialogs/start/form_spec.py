"""The job that a filled-in form asks for."""

from dataclasses import replace
from pathlib import Path

from core.dataset.fact_filters import RANDOM
from core.modes import parse_mode
from core.sampling.recipe_settings import RecipeSettings
from core.settings import paths
from core.specs.answer_specs import AnsweringSpec, ArmsSpec, GradingSpec, ScoringSpec
from core.specs.build_specs import BuildingSpec
from core.specs.file_specs import ExportingSpec, ImportingSpec
from core.specs.job_kinds import Spec
from core.vocabulary import TASKS, Task
from tui.dialogs.start.form import (
    Form,
    FormContext,
    begin_spec,
    count_choices,
    count_examples,
)
from tui.dialogs.start.form_fields import (
    ALL,
    AT_RANDOM,
    DOCUMENTS,
    EVERY,
    LISTED,
    PROFILES,
    SIX,
    THINKING,
    UNSET,
    Do,
    Field,
)
from tui.text.typed_number import parse_number


def modes_of(text: str) -> tuple[str, ...]:
    """Modes that are typed with commas between them. Raises `UsageError` for one there is not."""
    named = (one.strip() for one in text.split(","))
    return tuple(dict.fromkeys(str(parse_mode(one)) for one in named if one))


def spec(form: Form, given: FormContext) -> Spec:
    """What the form asks for; it must have no faults."""
    folder = paths.prompts_folder()
    prompts = None if folder is None else str(folder)
    if form.do is Do.GRADE:
        return _make_grading_spec(form, given, prompts)
    if form.do is Do.IMPORT:
        return ImportingSpec(str((form.source or Path()).absolute()), words=form.words)
    if form.do is Do.EXPORT:
        target = str((form.target or Path()).absolute())
        return ExportingSpec(form.what, target, where=build_where(form, given))
    if form.do is Do.BUILD:
        return _make_building_spec(form, prompts)
    if form.do is Do.SCORE:
        return _make_scoring_spec(form, given)
    if form.do is Do.BENCH:
        return _make_arms_spec(form, given, prompts)
    assert form.offer is not None
    return replace(
        begin_spec(form, AnsweringSpec),
        model=form.model,
        label=_label(form),
        samples=form.count(Field.ANSWERS) or 0,
        thinking=THINKING[form.thinking],
        tasks=tasks(form),
        where=build_where(form, given),
        first=form.answered.first if form.facts == ALL else None,
        graders=form.graders,
        curtailed=replace(given.policy, graders=form.graders) if form.curtails else None,
        unchecked=form.unchecked,
        prompts=prompts,
        temperature=parse_number(form.temperature) if form.temperature else None,
        effort=form.effort_asked,
        limits=form.limits,
    )


def _make_grading_spec(form: Form, given: FormContext, prompts: str | None) -> GradingSpec:
    """The labels; a cascade is that of the graders which the job that is started again named."""
    begun = begin_spec(form, GradingSpec)
    if form.graders != form.graded.graders:
        begun = replace(begun, graders=form.graders, rubric=None, reference_set=None, parts=())
    return replace(
        begun,
        prompts=prompts,
        where=build_where(form, given),
        models=form.models_graded or None,
        tasks=tasks(form),
        size=form.count(Field.SAMPLE) or None,
        seed=form.count(Field.SEED) or 0,
        effort=form.effort_asked,
    )


def limits_of(text: str) -> tuple[str, ...]:
    """Limits that are typed with commas between them. Raises `UsageError` for one there is not."""
    words = tuple(word for one in text.split(",") if (word := one.strip()))
    RecipeSettings.from_words(None, None, words)
    return words


def _make_scoring_spec(form: Form, given: FormContext) -> ScoringSpec:
    """The scores; what the form does not have stays as it was in the run that is gone on with."""
    return replace(
        begin_spec(form, ScoringSpec),
        model=form.model,
        label=_label(form),
        relations=form.relations or None,
        set_name=form.set_name or None,
        examples=count_examples(form, given),
        options=count_choices(form, given),
        tests=form.tests,
        tokens=form.count(Field.TOKENS) or 0,
        first=form.count(Field.FACTS) if form.facts == AT_RANDOM else None,
        where=build_where(form, given),
    )


def _make_arms_spec(form: Form, given: FormContext, prompts: str | None) -> ArmsSpec:
    """The arms; the rest as with scores."""
    return replace(
        begin_spec(form, ArmsSpec),
        model=form.model,
        label=_label(form),
        modes=modes_of(form.modes),
        set_name=form.set_name or given.file.sets[0],
        known_by=None if form.known_by == UNSET else form.known_by,
        first=form.count(Field.FACTS) if form.facts == AT_RANDOM else None,
        where=build_where(form, given),
        graders=form.graders,
        unchecked=form.unchecked,
        prompts=prompts,
    )


def _label(form: Form) -> str:
    return form.label or (form.offer.label if form.offer else "")


def _make_building_spec(form: Form, prompts: str | None) -> BuildingSpec:
    """The build; what the form does not have stays as it was in the one that is gone on with."""
    if not form.asks:
        return replace(begin_spec(form, BuildingSpec), model=None, target=None, prompts=prompts)
    return replace(
        begin_spec(form, BuildingSpec),
        model=form.model,
        grounding=form.grounding,
        target=form.count(Field.TARGET) or None,
        prompts=prompts,
    )


def make_import_spec(form: Form) -> ImportingSpec | None:
    """What has to be done before: documents are imported before they are built from."""
    if form.do is not Do.BUILD or form.documents is None:
        return None
    return ImportingSpec(str(form.documents.absolute()), DOCUMENTS, lenient=True)


def tasks(form: Form) -> tuple[Task, ...] | None:
    """The tasks that are named; None are the default ones."""
    if form.tasks == EVERY:
        return None
    wanted = SIX if form.tasks == PROFILES else form.chosen
    return tuple(task for task in TASKS if task in wanted)


def build_where(form: Form, given: FormContext) -> str:
    """The filter that selects the facts."""
    if form.facts == LISTED:
        return given.listed or ""
    if form.do in (Do.SCORE, Do.BENCH):
        return ""  # the first of a set, not any of the file
    return f"{RANDOM}{form.count(Field.FACTS)}" if form.facts == AT_RANDOM else ""
