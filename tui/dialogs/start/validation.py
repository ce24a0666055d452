"""What is wrong with a form, and what it may cost."""

import re
from collections.abc import Callable, Mapping, Sequence

from core.errors import LostkeysError, UsageError
from core.estimates.estimate import Estimate
from core.estimates.score_estimate import ScoreEstimate
from core.pipeline.grounding.grounding_table import check
from core.pricing.prices import price_of
from core.sampling.recipe_settings import MOST_TEMPERATURE
from core.sampling.sample_plan import MOST_SAMPLES
from core.zero_prompt.response_check import MOST_TOKENS
from core.zero_prompt.stored_relations import RelationRoom
from tui.dialogs.start.form import (
    Form,
    FormContext,
    chosen_rooms,
    count_choices,
    count_examples,
    type_further,
)
from tui.dialogs.start.form_fields import (
    AT_RANDOM,
    CHOSEN,
    LISTED,
    LOCAL,
    POSITIONS,
    Do,
    Field,
)
from tui.dialogs.start.form_spec import limits_of, modes_of
from tui.text.typed_number import parse_number

MUCH = 1.0
"""US dollars from which a run without a budget is asked about."""

TIMES = 10.0
"""So many times the cost of the last run is asked about too."""

NUMBERS = "a number such as 1,000 or 20k"
NO_TRIPLES = "no triples here yet: import some first"


OPTIONS = {
    "set": Field.SET,
    "examples": Field.EXAMPLES,
    "length": Field.EXAMPLES,
    "options": Field.OPTIONS,
    "test": Field.TEST,
    "tokens": Field.TOKENS,
    "grader": Field.GRADER,
    "facts": Field.FACTS,
    "model": Field.MODEL,
    "temperature": Field.TEMPERATURE,
    "effort": Field.EFFORT,
    "limit": Field.LIMIT,
    "sample": Field.SAMPLE,
    "known-by": Field.KNOWN_BY,
    "max-cost": Field.BUDGET,
    "as": Field.LABEL,
    "thinking": Field.THINKING,
    "samples": Field.ANSWERS,
    "tasks": Field.TASKS,
    "unchecked": Field.CHECK,
    "curtail": Field.ANSWERS,
    "seed": Field.SEED,
    "order": Field.ORDER,
    "form": Field.FORM,
    "inject": Field.INJECT,
    "relation": Field.RELATIONS,
    "mode": Field.MODES,
    "split": Field.SPLIT,
    "endpoint": Field.ENDPOINT,
    "completion": Field.COMPLETION,
    "questions": Field.QUESTIONS,
    "via": Field.VIA,
    "raw": Field.RAW,
    "timeout": Field.TIMEOUT,
    "in-flight": Field.IN_FLIGHT,
    "sure": Field.SURE,
    "cascade": Field.CASCADE,
    "replies": Field.REPLIES,
    "documents": Field.DOCUMENTS,
    "grounding": Field.GROUNDING,
    "target": Field.TARGET,
    "paragraphs": Field.PARAGRAPHS,
    "until": Field.UNTIL,
    "only": Field.ONLY,
    "redo": Field.REDO,
}
"""Options of commands, and the fields that stand for them here."""

BARE = {Field.BUDGET: "the budget"}
"""Fields whose names do not stand alone in a sentence."""

_OPTION = re.compile(rf"(with )?--({'|'.join(OPTIONS)})\b")


def read_error(text: str) -> tuple[Field | None, str]:
    """What a command would say is wrong, in the form's words, and the first field it names."""

    def name(option: re.Match[str]) -> str:
        field = OPTIONS[option[2]]
        return f"in the field {field}" if option[1] else BARE.get(field, str(field))

    named = _OPTION.search(text)
    return named and OPTIONS[named[2]], _OPTION.sub(name, text)


def faults(form: Form, given: FormContext) -> dict[Field, str]:
    """What is wrong by itself, field by field."""
    found = {}
    if form.do not in (Do.IMPORT, Do.BUILD) and not given.file.facts:
        found[Field.DO] = "no facts here yet: import some first"
    if form.asks and form.offer is None:
        found[Field.MODEL] = "enter chooses one"
    for faults_of in FAULTS[form.do]:
        found |= faults_of(form, given)
    if form.pays and (wrong := _wrong_budget(form)) is not None:
        found[Field.BUDGET] = wrong
    return found


def _grader_faults(form: Form, given: FormContext) -> dict[Field, str]:
    if form.do is Do.GRADE and not given.file.answers:
        return {Field.GRADER: "no answers here yet: sample draws some"}
    return {} if form.graders else {Field.GRADER: "enter chooses one"}


def _file_faults(form: Form, given: FormContext) -> dict[Field, str]:
    return {Field.FILE: "enter chooses one"} if form.file is None else {}


def _score_faults(form: Form, given: FormContext) -> dict[Field, str]:
    found = {}
    if not given.file.relations:
        found[Field.SET] = NO_TRIPLES
    if form.count(Field.OPTIONS) is None:
        found[Field.OPTIONS] = NUMBERS
    if not count_examples(form, given):
        found[Field.EXAMPLES] = "whole numbers, with commas between several"
    rooms = [one for one in chosen_rooms(form, given) if one.facts]
    if rooms and not found and POSITIONS not in form.tests:
        found |= _find_lack(form, given, rooms)
    if "response" in form.tests and not 1 <= (form.count(Field.TOKENS) or 0) <= MOST_TOKENS:
        found[Field.TOKENS] = f"a number from 1 to {MOST_TOKENS}"
    if form.tests == (POSITIONS,) and len(count_examples(form, given)) > 1:
        found[Field.EXAMPLES] = "positions are those of one input: give one number"
    if form.tests == (POSITIONS,) and len(form.relations) != 1:
        found[Field.RELATIONS] = "positions are those of one relation: enter chooses it"
    return found


def _find_lack(form: Form, given: FormContext, rooms: Sequence[RelationRoom]) -> dict[Field, str]:
    """What no relation has enough of, and how much the richest has."""
    able = [one for one in rooms if one.examples >= min(count_examples(form, given))]
    if not able:
        richest = max(rooms, key=lambda one: one.examples)
        return {Field.EXAMPLES: f"at most {richest.examples:,}, of {richest.name}"}
    richest = max(able, key=lambda one: one.most)
    if "choice" in form.tests and richest.most < count_choices(form, given):
        return {Field.OPTIONS: f"at most {richest.most:,}, of {richest.name}"}
    return {}


def _bench_faults(form: Form, given: FormContext) -> dict[Field, str]:
    found = {} if given.file.sets else {Field.SET: NO_TRIPLES}
    if (wrong := modes_fault(form.modes)) is not None:
        found[Field.MODES] = wrong
    return found


def _building_faults(form: Form, given: FormContext) -> dict[Field, str]:
    found = {}
    if form.documents is None and not given.file.documents and not given.file.facts:
        found[Field.DOCUMENTS] = "enter chooses a file or a folder"
    if form.asks and form.grounding != LOCAL:
        try:
            check(form.grounding)
        except UsageError as error:
            found[Field.GROUNDING] = str(error)
    if form.asks and form.count(Field.TARGET) is None:
        found[Field.TARGET] = NUMBERS
    return found


def further_fault(form: Form, which: Field, text: str) -> str | None:
    """What is wrong with a line that is typed into a field of `FURTHER`; None: nothing."""
    try:
        type_further(form, which, text)
    except (UsageError, ValueError) as error:
        said = str(error)
        return read_error(said)[1] if "could not convert" not in said else f"{text} is no number"
    return None


def limits_fault(text: str) -> str | None:
    """What is wrong with limits that are typed; None: nothing."""
    try:
        limits_of(text)
    except UsageError as error:
        return read_error(str(error))[1]
    return None


def modes_fault(text: str) -> str | None:
    """What is wrong with modes that are typed; None: nothing."""
    try:
        named = modes_of(text)
    except UsageError as error:
        return str(error)
    return None if named else "name one or more, such as zero-shot, 10-shot"


def score_fault(text: str) -> str | None:
    """What is wrong with the score, as typed, from which on answers are CORRECT; empty: none."""
    try:
        parse_score(text)
    except ValueError:
        return "a number above 0, up to 1"
    return None


def parse_score(text: str) -> float | None:
    """The score that is typed; None where nothing is. Raises `ValueError`."""
    if not text.strip():
        return None
    score = float(text)
    if not 0 < score <= 1:
        raise ValueError(text)
    return score


def _fact_faults(form: Form, given: FormContext) -> dict[Field, str]:
    found = {}
    if form.facts == AT_RANDOM and not form.count(Field.FACTS):
        found[Field.FACTS] = f"how many? {NUMBERS}"
    if form.facts == LISTED and not given.listed_count:
        found[Field.FACTS] = "this list is empty"
    return found


def _task_faults(form: Form, given: FormContext) -> dict[Field, str]:
    unnamed = form.tasks == CHOSEN and not form.chosen
    return {Field.TASKS: "none is chosen: enter chooses"} if unnamed else {}


def _drawing_faults(form: Form, given: FormContext) -> dict[Field, str]:
    found = {}
    if not 1 <= (form.count(Field.ANSWERS) or 0) <= MOST_SAMPLES:
        found[Field.ANSWERS] = f"draw 1 to {MOST_SAMPLES:,} of each question"
    if form.temperature and not _is_temperature(form.temperature):
        found[Field.TEMPERATURE] = f"a number from 0 to {MOST_TEMPERATURE:g}"
    return found


def _is_temperature(text: str) -> bool:
    try:
        return parse_number(text) <= MOST_TEMPERATURE
    except ValueError:
        return False


def _selection_faults(form: Form, given: FormContext) -> dict[Field, str]:
    return {which: NUMBERS for which in (Field.SAMPLE, Field.SEED) if form.count(which) is None}


FAULTS: Mapping[Do, tuple[Callable[[Form, FormContext], dict[Field, str]], ...]] = {
    Do.RUN: (_fact_faults, _task_faults, _drawing_faults, _grader_faults),
    Do.SAMPLE: (_fact_faults, _task_faults, _drawing_faults),
    Do.GRADE: (_fact_faults, _task_faults, _selection_faults, _grader_faults),
    Do.SCORE: (_fact_faults, _score_faults),
    Do.BENCH: (_fact_faults, _bench_faults, _grader_faults),
    Do.BUILD: (_building_faults,),
    Do.IMPORT: (_file_faults,),
    Do.EXPORT: (_fact_faults, _file_faults),
}
"""What can be wrong with each thing to do."""


def _wrong_budget(form: Form) -> str | None:
    try:
        amount = max_cost(form)
    except ValueError:
        return f"{form.budget} is no amount: give one such as 2.50 or 1k"
    if amount is None:
        return None
    try:
        dark = next((model for model in form.models if price_of(model) is None), None)
    except LostkeysError as error:
        return str(error)
    which = "this model" if dark == form.model else "the grader"
    return f"no price of {which} is known: prices.toml can say" if dark else None


def max_cost(form: Form) -> float | None:
    """The budget in US dollars, None without one. Raises `ValueError` for no amount."""
    if not form.pays or not form.budget:
        return None
    return parse_number(form.budget)


def unbounded_cost(
    form: Form, estimate: Estimate | ScoreEstimate | None, last: float | None = None
) -> float:
    """What a run without a budget may cost in US dollars, if that is much; else 0.

    It is much by itself, or against what the `last` run cost, if any did.
    """
    if not isinstance(estimate, Estimate) or not form.pays or form.budget:
        return 0.0
    if estimate.cost is None:
        return 0.0
    much = MUCH if not last else min(MUCH, TIMES * last)
    return estimate.cost.high if estimate.cost.high > much else 0.0
