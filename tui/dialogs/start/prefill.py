"""The form filled in with a spec: what a job was to do, to be looked over and started again."""

from core.dataset.fact_filters import RANDOM
from core.jobs.start_options import ModelOffer
from core.sampling.recipe_settings import EFFORTS
from core.specs.answer_specs import AnsweringSpec, ArmsSpec, GradingSpec, ScoringSpec
from core.specs.build_specs import BuildingSpec
from core.vocabulary import Task
from tui.dialogs.start.form import BUILT_IN, DRAWN, Form, graders
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
)


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
        endpoints=spec.endpoints,
        timeout=spec.timeout,
        in_flight=spec.in_flight,
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
        timeout=spec.timeout,
        in_flight=spec.in_flight,
    )


def fill_to_score(spec: ScoringSpec, offer: ModelOffer, budget: float | None) -> Form:
    """The form that asks for these scores, of the first number of examples."""
    return Form(
        do=Do.SCORE,
        offer=offer,
        label="" if spec.label == offer.label else spec.label,
        facts=LISTED if spec.where else AT_RANDOM if spec.first else ALL,
        random=str(spec.first or DRAWN),
        set_name=spec.set_name or "",
        relations=spec.relations or (),
        examples=str(spec.examples[0]),
        choices=str(spec.options),
        tokens=str(spec.tokens),
        test=TESTS.index(spec.tests) if spec.tests in TESTS else 0,
        budget=_budget(budget),
        scored=spec,
        timeout=spec.timeout,
        in_flight=spec.in_flight,
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
        timeout=spec.timeout,
        in_flight=spec.in_flight,
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
