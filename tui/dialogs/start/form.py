"""The form of the Start dialog as it is filled in, and what of it is seen and can be chosen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from core.graders.grader_record import is_model, model_of
from core.graders.grader_table import BUILTIN
from core.jobs.import_job import Glance
from core.jobs.start_options import ModelOffer, StartOptions
from core.providers.endpoints import BY_CHAT, Endpoints
from core.scoring.policy import Policy
from core.specs.answer_specs import AnsweringSpec, ArmsSpec, GradingSpec, ScoringSpec
from core.specs.build_specs import BuildingSpec
from core.specs.file_specs import ImportWords
from core.transfer.file_formats import AUTO
from core.vocabulary import Task
from core.zero_prompt.stored_relations import RelationRoom
from tui.dialogs.start.form_fields import (
    ALL,
    AT_RANDOM,
    BASES,
    CHOSEN,
    DECIMAL,
    DOCUMENTS,
    EVERY,
    FURTHER,
    GROUNDINGS,
    GROUPS,
    KNOWING,
    LOCAL,
    NAMED,
    OF_LOGS,
    PLACES,
    POSITIONS,
    REQUESTS,
    SAME,
    SIX,
    TESTS,
    THINKING,
    TYPED,
    UNSET,
    WORDS,
    Do,
    Field,
    Further,
    read_names,
)
from tui.text.typed_number import LONGEST, is_begun, parse_count, parse_counts, shown_number

S = TypeVar("S")

MOST_EXAMPLES, MOST_OPTIONS = 50, 100
"""Examples and options that are asked for where relations can give more: the paper's."""

DRAWN, BUILT_IN, EXACT_MATCH = "200", "lexical", "em"
"""What the form begins with: facts at random, the grader, that of arms."""

FORM_GRADER = "form"
"""The grader that knows how sure it is."""


@dataclass(frozen=True, slots=True)
class FormContext:
    """What the dialog was opened with: the file, the list that was seen, the present policy.

    `listed` is a filter that selects the facts of that list, None where it shows all. `rooms` is
    what the relations of a set (empty: of all sets) can give, as far as it was measured.
    """

    file: StartOptions = field(default_factory=StartOptions)
    listed: str | None = None
    listed_count: int = 0
    policy: Policy = field(default_factory=Policy)
    rooms: Mapping[str, tuple[RelationRoom, ...]] = field(default_factory=dict)


NO_SCORES, NO_ARMS, NO_WORDS = ScoringSpec("", ""), ArmsSpec("", "", ()), ImportWords()
NO_ANSWERS, NO_GRADES = AnsweringSpec("", ""), GradingSpec(())


@dataclass(frozen=True, slots=True)
class Form:
    """What is filled in. `facts`, `tasks`, `thinking`: places of the option that is chosen.

    `named`: the graders that the option `NAMED` stands for. For a build: `documents` to import
    first, `ruled` where no model is asked, `wanted` how many candidates go on (empty: all), `again`
    the build that is gone on with. `set_name` empty: all sets; `relations` empty: all of the set.
    `examples` (several with commas) and `choices` (options of a fact) empty: as many as all of
    these can give. `temperature` and `limits` empty: as the label began. To grade: the responses of
    `models` (empty: all), `size` of them with the `seed` of their order (empty: all).
    `answered`, `graded`, `scored`, `arms` and `again` are what the form begins with: the usual, or
    a job that is started again; fields of `FURTHER` are attributes of them, and with `more` all of
    these are seen. `words` are what the file to import does not say.
    """

    do: Do = Do.RUN
    offer: ModelOffer | None = None
    label: str = ""
    unchecked: bool = False
    thinking: int = 0
    facts: int = ALL
    random: str = DRAWN
    tasks: int = EVERY
    chosen: frozenset[Task] = frozenset()
    samples: str = "8"
    temperature: str = ""
    effort: str = UNSET
    limits: tuple[str, ...] = ()
    models_graded: tuple[str, ...] = ()
    size: str = ""
    seed: str = ""
    curtailed: bool = False
    grader: str = BUILT_IN
    named: tuple[str, ...] = ()
    budget: str = ""
    what: str = "responses"
    source: Path | None = None
    words: ImportWords = NO_WORDS
    target: Path | None = None
    documents: Path | None = None
    ruled: bool = False
    grounding: str = LOCAL
    wanted: str = ""
    again: BuildingSpec = field(default_factory=BuildingSpec)
    set_name: str = ""
    relations: tuple[str, ...] = ()
    examples: str = ""
    choices: str = ""
    test: int = 0
    tokens: str = "10"
    modes: str = "zero-shot, 10-shot"
    answered: AnsweringSpec = NO_ANSWERS
    graded: GradingSpec = NO_GRADES
    scored: ScoringSpec = NO_SCORES
    known_by: str = UNSET
    arms: ArmsSpec = NO_ARMS
    more: bool = False

    @property
    def model(self) -> str:
        """The full name of the model, empty where none is chosen."""
        return self.offer.model if self.offer else ""

    @property
    def file(self) -> Path | None:
        """The file that is read or written."""
        return self.source if self.do is Do.IMPORT else self.target

    @property
    def reads(self) -> tuple[Path | None, str, ImportWords]:
        """The file to be imported, its format, and what else is said of it."""
        if self.do is Do.BUILD:
            return self.documents, DOCUMENTS, NO_WORDS
        return (self.source if self.do is Do.IMPORT else None), AUTO, self.words

    @property
    def draws(self) -> bool:
        """Whether a model is asked for answers."""
        return self.do in (Do.RUN, Do.SAMPLE)

    @property
    def asked(self) -> Endpoints:
        """Where the model is to be asked; a build is made by chat."""
        if self.do is Do.BENCH:
            return Endpoints("auto", self.arms.endpoint)
        return BY_CHAT if self.do is Do.BUILD else self.answered.endpoints

    @property
    def samples_answers(self) -> bool:
        """Whether a model is asked for answers, in arms too."""
        return self.draws or self.do is Do.BENCH

    @property
    def tests(self) -> tuple[str, ...]:
        """The tests that facts are scored in."""
        return TESTS[self.test]

    @property
    def thinks(self) -> tuple[bool, ...]:
        """Whether answers are drawn with thinking off, on, or both."""
        return (False,) if self.do is Do.BENCH else THINKING[self.thinking]

    @property
    def asks(self) -> bool:
        """Whether a model is asked, for answers or to build with."""
        return (
            self.samples_answers or self.do is Do.SCORE or (self.do is Do.BUILD and not self.ruled)
        )

    @property
    def graders(self) -> tuple[str, ...]:
        """The full names of all graders that are used."""
        if self.do not in (Do.RUN, Do.GRADE, Do.BENCH):
            return ()
        return self.named if self.grader == NAMED else (self.grader,)

    @property
    def grading(self) -> tuple[str, ...]:
        """Those of them that are models."""
        return tuple(filter(is_model, self.graders))

    @property
    def effort_asked(self) -> str | None:
        """The effort that a model or a grader is asked for; None: as it is by itself."""
        return self.effort if self.effort != UNSET and (self.draws or self.grading) else None

    @property
    def models(self) -> tuple[str, ...]:
        """The full names of all models that are asked, graders included."""
        asked = (self.model,) if self.asks and self.model else ()
        knows = self.do is Do.BENCH and is_model(self.known_by)
        grading = (*self.grading, *((self.known_by,) if knows else ()))
        return tuple(dict.fromkeys((*asked, *map(model_of, grading))))

    @property
    def pays(self) -> bool:
        """Whether there is something that may cost money."""
        return self.asks or bool(self.grading)

    def count(self, which: Field) -> int | None:
        """The whole number in a field, 0 where it is empty; None where it is no such number."""
        text: str = getattr(self, TYPED[which])
        try:
            return parse_count(text) if text else 0
        except ValueError:
            return None

    @property
    def curtails(self) -> bool:
        """Whether answers are drawn only until the verdict is decided."""
        return self.curtailed and self.do is Do.RUN and not self.grading


def chosen_rooms(form: Form, given: FormContext) -> tuple[RelationRoom, ...]:
    """What the relations that are named can give; nothing before that was measured."""
    there = given.rooms.get(form.set_name, ())
    return tuple(one for one in there if not form.relations or one.name in form.relations)


def count_examples(form: Form, given: FormContext) -> tuple[int, ...]:
    """The examples of an input: as typed, else as many as all relations can give, up to 50.

    Empty where what is typed is no list of numbers.
    """
    if form.examples:
        try:
            return parse_counts(read_names(form.examples))
        except ValueError:
            return ()
    found = [one.examples for one in chosen_rooms(form, given) if one.facts]
    return (min([MOST_EXAMPLES, *found]),)


def count_choices(form: Form, given: FormContext) -> int:
    """The options of a fact: as typed, else as many as all relations can give, up to 100."""
    if form.choices:
        return form.count(Field.OPTIONS) or 0
    found = [one.options for one in chosen_rooms(form, given) if one.facts]
    return min([MOST_OPTIONS, *found])


# Fields that are attributes of the spec which the form begins with.


def find_further(form: Form, which: Field) -> Further | None:
    """The record of such a field; None for one of another kind."""
    return FURTHER.get(form.do, {}).get(which)


def takes_digits(form: Form, which: Field | None) -> bool:
    """Whether a number is typed into the field where it stands."""
    return which is not None and which in TYPED and find_further(form, which) is None


def read_further(form: Form, which: Field) -> Any:
    """What the spec has of such a field."""
    return getattr(getattr(form, BASES[form.do]), FURTHER[form.do][which].attribute)


def put_further(form: Form, which: Field, value: object) -> Form:
    """The form with another value of such a field."""
    base = BASES[form.do]
    changed = {FURTHER[form.do][which].attribute: value}
    return replace(form, **{base: replace(getattr(form, base), **changed)})


def usual_value(form: Form, which: Field) -> Any:
    """What a spec has of such a field by itself."""
    return getattr(_USUAL[BASES[form.do]], FURTHER[form.do][which].attribute)


_USUAL: Mapping[str, Any] = {
    "answered": NO_ANSWERS,
    "graded": NO_GRADES,
    "scored": NO_SCORES,
    "arms": NO_ARMS,
    "again": BuildingSpec(),
}


def type_further(form: Form, which: Field, text: str) -> Form:
    """The form with a line that was typed. Raises `UsageError` or `ValueError` for a wrong one."""
    further = FURTHER[form.do][which]
    usual = usual_value(form, which)
    return put_further(form, which, further.read(text) if text.strip() else usual)


def say_further(form: Form, which: Field) -> str:
    """What such a field holds, as it is typed; empty for nothing."""
    value = read_further(form, which)
    parts = value if isinstance(value, tuple) else (value,)
    return ", ".join(
        f"{one:g}" if isinstance(one, float) else str(one) for one in parts if one is not None
    )


def takes_further(form: Form, which: Field) -> bool:
    """Whether such a field has a say in what is asked for."""
    match which:
        case Field.SURE:
            return form.graders[:1] == (FORM_GRADER,)
        case Field.CASCADE:
            return len(form.graders) > 1
        case Field.REPLIES:
            return bool(form.grading) or form.do is Do.BUILD
        case Field.ORDER | Field.FORM:
            return POSITIONS not in form.tests
    return True


def begin_spec(form: Form, kind: type[S]) -> S:
    """The spec that the form begins with; what has no say in it is as usual."""
    for which in FURTHER[form.do]:
        if not takes_further(form, which):
            form = put_further(form, which, usual_value(form, which))
    base = getattr(form, BASES[form.do])
    assert isinstance(base, kind)
    return base


def _list_folded(form: Form) -> set[Field]:
    """Such fields that are not seen; `MORE` where there would be no more."""
    further = FURTHER.get(form.do, {})
    taken = [
        one
        for one in further
        if takes_further(form, one)
        and (form.pays or one not in REQUESTS)
        and not (form.do is Do.BUILD and form.ruled)
    ]
    odd = {one for one in further if read_further(form, one) != usual_value(form, one)}
    seen = {one for one in taken if form.more or not further[one].folded} | (odd & {*taken})
    hidden = set(further) - seen
    return hidden if any(further[one].folded for one in taken) else hidden | {Field.MORE}


def groups(
    form: Form, faulty: bool = False, clash: bool = False, glance: Glance | None = None
) -> list[list[Field]]:
    """The fields that are seen, in groups.

    `faulty`: the model failed a check, so that one may go on all the same. `clash`: its label
    stands for another recipe, so that another can be given. `glance`: what the file to import is.
    """
    hidden = set()
    if not (faulty or form.unchecked) and find_further(form, Field.CHECK) is None:
        hidden.add(Field.CHECK)
    hidden |= _list_folded(form)
    if form.do is Do.IMPORT:
        if glance is None or not glance.is_log:
            of_tables = {Field.LABEL, Field.CORRECT_AT} if glance and glance.is_table else set()
            hidden |= set(OF_LOGS) - of_tables
        hidden |= {Field.REPORT} if glance is None or glance.reports is None else set()
    elif not (clash or form.label):
        hidden.add(Field.LABEL)
    if not form.pays:
        hidden.add(Field.BUDGET)
    if not any(word in form.modes for word in KNOWING):
        hidden.add(Field.KNOWN_BY)
    needs = ((Field.TOKENS, "response"), (Field.OPTIONS, "choice"))
    hidden |= {one for one, test in needs if test not in form.tests}
    if form.do is Do.GRADE:
        hidden |= set() if form.grading else {Field.EFFORT}
        hidden |= set() if form.size else {Field.SEED}
    if form.do is Do.BUILD and form.ruled:
        hidden |= {Field.MODEL, Field.GROUNDING, Field.TARGET}
    found = [[one for one in group if one not in hidden] for group in GROUPS[form.do]]
    return [group for group in found if group]


def options(form: Form, which: Field, given: FormContext) -> list[str]:
    """The options of a field; an empty one cannot be chosen."""
    if (further := find_further(form, which)) is not None:
        return list(further.words)
    match which:
        case Field.SET:
            return [*(["any"] if form.do is Do.SCORE else []), *given.file.sets]
        case Field.FACTS:
            listed = f"this list, {given.listed_count:,}" if given.listed is not None else ""
            drawn = shown_number(form.random or "0")
            of_sets = form.do in (Do.SCORE, Do.BENCH)
            some = "first" if of_sets else "random"
            at_random = f"{some} {drawn}" if form.facts == AT_RANDOM else some
            first = form.answered.first if form.draws else None
            every = f"first {first:,}" if first else f"all {given.file.facts:,}"
            return ["all" if of_sets else every, listed, at_random]
        case Field.TASKS:
            chosen = f"choose {len(form.chosen)}" if form.tasks == CHOSEN else "choose"
            return ["all ten", "the six for profiles", chosen]
        case Field.ANSWERS:
            always = f"always {shown_number(form.samples or '0')}"
            return [always, *(["curtail"] if form.do is Do.RUN else [])]
        case Field.GRADER:
            return [*graders(form.do), ", ".join(form.named) or NAMED]
        case Field.GROUNDING:
            return groundings(form)
        case Field.KNOWN_BY:
            return list(dict.fromkeys((UNSET, *graders(Do.BENCH), form.known_by)))
    return list(SAME.get(which, ()))


def groundings(form: Form) -> list[str]:
    """What questions can be checked against: the services, and a model of one that was named."""
    return list(dict.fromkeys((*GROUNDINGS, form.again.grounding)))


def is_barred(form: Form, which: Field) -> bool:
    """Whether only the first option of a field can be chosen, though all are seen."""
    return which is Field.ANSWERS and bool(form.grading)


def graders(do: Do) -> list[str]:
    """Built-in graders that can be started; `choice` grades when answers are drawn."""
    return [one.name for one in BUILTIN.values() if do is Do.GRADE or not one.reads_choice]


def find_chosen(form: Form, which: Field, given: FormContext) -> int:
    """The place of the option that is chosen."""
    if (further := find_further(form, which)) is not None:
        there, now = list(further.words.values()), read_further(form, which)
        return there.index(now) if now in there else 0
    if which in PLACES:
        return int(getattr(form, PLACES[which]))
    if which in WORDS:
        return options(form, which, given).index(getattr(form, WORDS[which]))
    match which:
        case Field.DO:
            return list(Do).index(form.do)
        case Field.SET:
            there = options(form, which, given)
            return there.index(form.set_name) if form.set_name in there else 0
        case Field.ANSWERS:
            return int(form.curtails)
        case Field.GRADER:
            return [*graders(form.do), NAMED].index(form.grader)
    return 0


def choose(form: Form, which: Field, place: int, given: FormContext) -> Form:
    """The form with another option of a field; one that cannot be chosen is passed over."""
    found = options(form, which, given)
    if not found or not 0 <= place < len(found) or (place and is_barred(form, which)):
        return form
    further = find_further(form, which)
    return (
        _choose_own(form, which, place, found)
        if further is None
        else put_further(form, which, further.words[found[place]])
    )


def _choose_own(form: Form, which: Field, place: int, found: Sequence[str]) -> Form:
    """The form with another option of a field that it has itself."""
    changed: dict[str, Any] = {}
    if which in PLACES and which is not Field.FACTS:
        kept = getattr(form, PLACES[which])
        changed[PLACES[which]] = bool(place) if isinstance(kept, bool) else place
    if which in WORDS:
        changed[WORDS[which]] = found[place]
    match which:
        case Field.DO:
            do = list(Do)[place]
            changed = {"do": do, "grader": _fit_grader(form, do)}
        case Field.SET:
            named = found[place] if place or form.do is Do.BENCH else ""
            changed = {"set_name": named, "relations": ()}
        case Field.FACTS:
            step = 1 if place > form.facts else -1
            changed["facts"] = place if found[place] else place + step
        case Field.TASKS:
            changed["chosen"] = form.chosen or frozenset(SIX)
        case Field.ANSWERS:
            changed["curtailed"] = bool(place)
        case Field.GRADER:
            changed["grader"] = [*graders(form.do), NAMED][place]
    return replace(form, **changed)


def _pick_default_grader(do: Do) -> str:
    """The grader that is taken where none was chosen."""
    return EXACT_MATCH if do is Do.BENCH else BUILT_IN


def _fit_grader(form: Form, do: Do) -> str:
    """The grader for something else to do: the usual one, unless another was chosen."""
    if form.grader == _pick_default_grader(form.do):
        return _pick_default_grader(do)
    there = graders(do)
    return form.grader if form.grader in (*there, NAMED) else there[0]


def type_char(form: Form, which: Field, char: str, over: bool = False) -> Form | None:
    """The form after a key of a number, or (empty) a step back; None where it is no such key.

    `over`: it stands instead of what the field holds.
    """
    before = "" if over else getattr(form, TYPED[which])
    after = before + char if char else before[:-1]
    if not is_begun(after):
        return None
    whole = which not in DECIMAL and which is not Field.EXAMPLES
    return _fill_number(form, which, after.lstrip("0") if whole else after)


def paste_number(form: Form, which: Field, text: str) -> Form | None:
    """The form with a pasted number in a field; None where the text is none."""
    number = text.strip() if len(text) <= LONGEST else ""
    return _fill_number(form, which, number) if number and is_begun(number) else None


def _fill_number(form: Form, which: Field, text: str) -> Form:
    changed: dict[str, Any] = {TYPED[which]: text}
    if which is Field.FACTS:
        changed["facts"] = AT_RANDOM
    return replace(form, **changed)
