"""The lines of the Start dialog: fields with their options, and the buttons."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from core.estimates.estimate import Estimate
from core.estimates.score_estimate import ScoreEstimate
from core.jobs.import_job import Glance
from core.stats.number_format import format_amount
from core.vocabulary import TASKS
from tui.dialogs.start.form import (
    Form,
    FormContext,
    chosen_rooms,
    count_choices,
    count_examples,
    find_chosen,
    find_further,
    groups,
    is_barred,
    options,
    say_further,
    takes_digits,
)
from tui.dialogs.start.form_fields import AT_RANDOM, CHOSEN, POSITIONS, PROFILES, Do, Field
from tui.dialogs.start.model_check import ModelCheck
from tui.dialogs.start.validation import faults
from tui.text.inert_text import make_inert
from tui.text.line import Line, keep_end
from tui.text.typed_number import shown_number
from tui.theme.glyphs import spell
from tui.theme.look import Look

NAMES, VALUES = 1, 12
"""Columns at which names and values begin."""

BESIDE_MODEL = "   "
"""Between a model's name and what is known of it."""

NAMED_RELATIONS = 3
"""Relations up to which each is named."""

AMOUNTS = (
    *(Field.TARGET, Field.EXAMPLES, Field.OPTIONS, Field.BUDGET),
    *(Field.TEMPERATURE, Field.SAMPLE, Field.SEED, Field.TOKENS),
)
"""Fields of nothing but a number."""

AS_BEGUN, TEMPERED = "not set", "1, or as the label began"
"""What is shown of limits and of the temperature without any."""

PART = 24
"""Cells of a value that stay where what is wrong with it is long."""

BELOW = "see below"
"""What stands beside a field whose fault is too long for its line, and stands below the form."""

SECOND = 29
"""Column of the options of a field that also has a number."""

DOES = {
    Do.RUN: "run: sample, then grade",
    Do.SAMPLE: "sample: draw answers",
    Do.GRADE: "grade: what is not graded yet",
    Do.SCORE: "zp-lke: what it knows unasked",
    Do.BENCH: "fact-bench: triples, in modes",
    Do.BUILD: "build: facts from documents",
    Do.IMPORT: "import: facts, answers, texts",
    Do.EXPORT: "export: write a file",
}

HINTS = {
    Field.CHECK: "what shows reasoning is marked",
    Field.LABEL: "enter: another name",
    Field.TEMPERATURE: "type a number, 0 to 2",
    Field.EFFORT: "how hard its reasoning mode thinks",
    Field.LIMIT: "enter: most tokens of an answer",
    Field.MODELS: "enter: others",
    Field.SAMPLE: "type how many, drawn at random",
    Field.SEED: "type another",
    Field.RELATIONS: "enter: another",
    Field.PREFIX: "enter: what is before / in ids",
    Field.CORRECT_AT: "enter: another score",
    Field.REPORT: "enter: row by row",
    Field.EXAMPLES: "type how many, several with commas",
    Field.OPTIONS: "type how many",
    Field.TOKENS: "type how many it goes on with",
    Field.MODES: "enter: the list",
    Field.KNOWN_BY: "not set: the judge, else lexical",
    Field.FACTS: "type how many",
    Field.ANSWERS: "type how many",
    Field.GRADER: "equal answers are read once",
    Field.DOCUMENTS: "enter: a file or a folder",
    Field.BY: "rules make missing tasks alone",
    Field.GROUNDING: "where questions are looked up",
    Field.TARGET: "type how many go on",
    Field.BUDGET: "type US dollars",
    Field.SPLIT: "not set: the subset, else eval",
    Field.CASCADE: "models read what the first left",
    Field.REPLIES: "how models write what is read",
    Field.PARAGRAPHS: "auto: the first of a Wikipedia page",
    Field.MORE: "all: also those rarely used",
    Field.COMPLETION: "endpoint of the completion task",
    Field.QUESTIONS: "endpoint of the other tasks",
    Field.ENDPOINT: "auto: raw with examples, else chat",
    Field.VIA: "a batch costs less, and takes longer",
    Field.RAW: "keeps requests beside the database",
}


TESTED = (
    "the most probable object",
    "what it goes on with",
    "most probable, and goes on with",
    "each place of one long input",
)
"""What each test asks for."""


@dataclass(frozen=True, slots=True)
class FormLayout:
    """All that the dialog shows: the form, what is known of its models, what the run would take.

    `checked` is what is known of the model, `tried` of the graders that are models.
    `estimate_error`: the field that stands in the way of an estimate, if one does, and why.
    `clash`: why the model's label cannot be used. `warning`: what is to be known before
    starting. `verdict`: what the file to import is, as found at a `glance`, and how many of its
    rows are `coming`; `is_looking`: that is not known yet.
    """

    form: Form
    given: FormContext
    checked: ModelCheck = field(default_factory=ModelCheck)
    tried: ModelCheck = field(default_factory=ModelCheck)
    estimate: Estimate | ScoreEstimate | None = None
    estimate_error: tuple[Field | None, str] = (None, "")
    clash: str = ""
    warning: str = ""
    broke: str = ""
    verdict: str = ""
    glance: Glance | None = None
    is_looking: bool = False
    coming: int = 0

    @property
    def faults(self) -> dict[Field, str]:
        """What is wrong, field by field."""
        found = faults(self.form, self.given)
        if self.form.asks and Field.MODEL not in found:
            passed = self.form.unchecked or not self.form.samples_answers
            if self.checked.fault and not (passed and self.checked.passable):
                found[Field.MODEL] = self.checked.words
            if self.clash:
                where = Field.LABEL if self.form.label else Field.MODEL
                found.setdefault(where, self.clash)
        if self.form.grading and self.tried.fault:
            found.setdefault(Field.GRADER, self.tried.words)
        if self.form.pays and self.broke:
            found.setdefault(Field.BUDGET, self.broke)
        field_, wrong = self.estimate_error
        if field_ is not None:
            found.setdefault(field_, wrong)
        if self.form.reads[0] is not None and not self.is_looking and not self.usable:
            where = Field.FILE if self.form.do is Do.IMPORT else Field.DOCUMENTS
            is_unnamed = self.glance is not None and self.glance.is_unnamed
            if is_unnamed and self.form.do is Do.IMPORT:
                found[Field.LABEL] = f"the {_file_kind(self)} names no model: enter names it"
            else:
                found.setdefault(where, "it cannot be used")
        return found

    @property
    def usable(self) -> bool:
        """Whether the file to import is known to be of use."""
        return not self.is_looking and self.glance is not None and self.glance.is_usable

    @property
    def ready(self) -> bool:
        """Whether it can be started."""
        return not self.faults and not self.estimate_error[1]

    @property
    def groups(self) -> list[list[Field]]:
        """The fields that are seen."""
        faulty = self.checked.passable and self.form.samples_answers
        return groups(self.form, faulty, bool(self.clash), self.glance)


def field_line(seen: FormLayout, which: Field, focused: bool, width: int, look: Look) -> Line:
    """A field: its name, its value and options, and at the right a hint or what is wrong."""
    line = Line().to(NAMES).add(which, "ink bold" if focused else "ink-2").to(VALUES)
    if which in PATHS:
        taken = line.width + Line(seen.faults.get(which) or _hint(seen, which)).width
        room = max(width // 3, width - taken - 4)
        _text(line, keep_end(make_inert(TOLD[which](seen)), room))
    else:
        _value(line, seen, which, focused, look)
    if which is Field.MODEL and which not in seen.faults and fits_beside(seen, width):
        line.add(BESIDE_MODEL).add(seen.checked.words, "ink-2")
    if which is Field.GRADER and which not in seen.faults and has_room(seen, width):
        line.add("  ").add(seen.tried.words, "ink-2")
    fault = seen.faults.get(which)
    if fault is not None:
        beside = Line(fault, "label-i")
        fits = beside.width <= room_beside(seen, which, line.width, width)
        shown = beside if fits else Line(BELOW, "label-i")
        if which is Field.DO and line.width + shown.width >= width - 1:
            return line
        return line.right(shown, width - 1)
    hint = Line(_hint(seen, which), "ink-2" if focused else "ink-3")
    if line.width + hint.width + 2 > width:
        return line
    return line.right(hint, width - 1)


def fits_beside(seen: FormLayout, width: int) -> bool:
    """Whether what is known of the model fits beside its name."""
    shown = Line(f" {TOLD[Field.MODEL](seen)}{BESIDE_MODEL}{seen.checked.words}")
    return VALUES + shown.width < width


def has_room(seen: FormLayout, width: int) -> bool:
    """Whether what is known of the grader fits beside the options."""
    named = options(seen.form, Field.GRADER, seen.given)
    beside = 2 + Line(seen.tried.words).width
    return VALUES + sum(Line(one).width + 2 for one in named) + beside < width


def room_beside(seen: FormLayout, which: Field, taken: int, width: int) -> int:
    """Cells that what is wrong may take beside a value, of which a part stays.

    `taken` are the cells of the line so far. What can be done stays whole.
    """
    if which is Field.DO:
        names = options(seen.form, which, seen.given)
        return width - VALUES - sum(Line(one).width + 2 for one in names) - 3
    return max(width - VALUES - PART, width - taken - 3)


def _value(line: Line, seen: FormLayout, which: Field, focused: bool, look: Look) -> None:
    form, further = seen.form, find_further(seen.form, which)
    if further is not None and not further.words:
        said = say_further(form, which)
        _text(line, said) if said else line.add(" ").add(further.usual, "ink-2")
        return
    if which in TOLD:
        _text(line, TOLD[which](seen))
        return
    if which in AMOUNTS and takes_digits(form, which):
        line.add(" ").add(*_amount(seen, which)).add(spell("│") if focused else "", "accent")
        return
    if which is Field.ANSWERS:
        line.add(f" {shown_number(form.samples or '0')}", "ink bold").add(" a question", "ink-2")
        line.to(SECOND)
    place = find_chosen(form, which, seen.given)
    for number, words in enumerate(options(form, which, seen.given)):
        if words:
            closed = number > 0 and is_barred(form, which)
            _chip(line, words, number == place, focused, look, f"{which}:{number}", closed)


def _file_kind(seen: FormLayout) -> str:
    return "table" if seen.glance is not None and seen.glance.is_table else "log"


def _label(seen: FormLayout) -> str:
    form = seen.form
    if form.do is Do.IMPORT:
        return form.words.as_label or f"as the {_file_kind(seen)} says"
    return form.label or (form.offer.label if form.offer else "")


def _documents(seen: FormLayout) -> str:
    count = seen.given.file.documents
    here = f"the {count:,} that are here" if count else "none"
    return str(seen.form.documents or here)


def _correct_at(seen: FormLayout) -> str:
    score = seen.form.words.correct_at
    return "1, between 0 and 1 is PARTIALLY" if score is None else f"{score:g}"


def _report(seen: FormLayout) -> str:
    """How much there is to read of the file."""
    report = None if seen.glance is None else seen.glance.report
    if report is None:
        return "none"
    values = sum(count for _, _, count in report.unlabelled)
    return (
        f"{format_amount(report.bad, 'bad row')}, {format_amount(values, 'value')} without a label"
    )


def _models_graded(seen: FormLayout) -> str:
    """The models that are named, or how many have responses."""
    there = seen.given.file.answered
    named = seen.form.models_graded
    return ", ".join(named) or (f"all {len(there):,}" if there else "none")


def _relations(seen: FormLayout) -> str:
    """The relations that are named, or how many there are."""
    there = seen.given.file.relations_of(seen.form.set_name)
    named = seen.form.relations
    lacking = sum(bool(words) for words in list_lacks(seen).values())
    off = f", {lacking:,} left out" if lacking else ""
    if len(named) > NAMED_RELATIONS:
        return f"{len(named):,} of {len(there):,}{off}"
    return (", ".join(named) or f"all {len(there):,}") + off


def list_lacks(seen: FormLayout) -> dict[str, str]:
    """What each of the chosen relations lacks for the run, empty where it lacks nothing."""
    form, given = seen.form, seen.given
    if POSITIONS in form.tests:
        return {}
    choices = count_choices(form, given) if "choice" in form.tests else 0
    examples = min(count_examples(form, given), default=0)
    return {one.name: one.describe_lack(examples, choices) for one in chosen_rooms(form, given)}


def relation_notes(seen: FormLayout) -> dict[str, Line]:
    """What each relation has, and what it lacks for this run."""
    lacks, found = list_lacks(seen), {}
    for one in seen.given.rooms.get(seen.form.set_name, ()):
        line = Line(f"{one.facts:,}", "ink-2").add(" facts  ", "ink-3")
        line.add(f"{one.objects:,}", "ink-2").add(" objects  up to ", "ink-3")
        line.add(f"{one.examples:,}", "ink-2").add(" examples  ", "ink-3")
        line.add(f"{one.options:,}", "ink-2").add(" options", "ink-3")
        if lack := lacks.get(one.name):
            line = Line(f"off: {lack}  ", "label-i").join(line)
        found[one.name] = line
    return found


TOLD: Mapping[Field, Callable[[FormLayout], str]] = {
    Field.MODEL: lambda seen: seen.form.model or "none",
    Field.LABEL: _label,
    Field.FILE: lambda seen: str(seen.form.file or "none"),
    Field.DOCUMENTS: _documents,
    Field.RELATIONS: _relations,
    Field.MODES: lambda seen: seen.form.modes,
    Field.LIMIT: lambda seen: ", ".join(seen.form.limits) or AS_BEGUN,
    Field.MODELS: _models_graded,
    Field.PREFIX: lambda seen: seen.form.words.prefix or "as the log says",
    Field.CORRECT_AT: _correct_at,
    Field.REPORT: _report,
}
"""Fields whose value is a text."""

PATHS = (Field.FILE, Field.DOCUMENTS)
"""Those whose value is a path."""


def _text(line: Line, words: str) -> None:
    line.add(" ").add(words, "ink bold")


def _amount(seen: FormLayout, which: Field) -> tuple[str, str]:
    """A number that is typed, or what is meant without one."""
    form = seen.form
    if which is Field.TARGET:
        count = shown_number(form.wanted)
        return (f"{count} candidates", "ink bold") if count else ("all candidates", "ink-2")
    if which is Field.EXAMPLES:
        count = form.examples or ", ".join(map(str, count_examples(form, seen.given)))
        pairs = "pair" if count == "1" else "pairs"
        unit = "places" if form.tests == (POSITIONS,) else f"{pairs} before the subject"
        return f"{count} {unit}", "ink bold"
    if which is Field.OPTIONS:
        count = shown_number(form.choices) or f"{count_choices(form, seen.given):,}"
        return f"{count} of a fact, its object among them", "ink bold"
    if which is Field.TEMPERATURE:
        return (form.temperature, "ink bold") if form.temperature else (TEMPERED, "ink-2")
    if which is Field.SAMPLE:
        size = shown_number(form.size)
        return (f"{size} responses", "ink bold") if size else ("every response", "ink-2")
    if which is Field.TOKENS:
        return f"{form.tokens or 0} of a response", "ink bold"
    if which is Field.SEED:
        return shown_number(form.seed or "0"), "ink bold"
    return (f"${shown_number(form.budget)}", "ink bold") if form.budget else ("no limit", "ink-2")


def _chip(
    line: Line, words: str, on: bool, focused: bool, look: Look, part: str, closed: bool
) -> None:
    """An option; the chosen one on a ground of its own, in brackets where there are no colours.

    Where it is heard it is said to be chosen.
    One that is `closed` cannot be chosen now.
    """
    if closed:
        line.add(f" {words} ", "ink-3")
    elif on and look.is_spoken:
        line.add(f" chosen: {words} ", "bold", part)
    elif on and look.ansi:
        line.add(f"[{words}]", "bold", part)
    elif on:
        line.add(f" {words} ", "background bold @accent" if focused else "accent bold @chip", part)
    else:
        line.add(f" {words} ", "ink-2", part)


def _hint(seen: FormLayout, which: Field) -> str:
    """What a field does, or how it is filled in."""
    form = seen.form
    match which:
        case Field.DO:
            return DOES[form.do]
        case Field.MODEL | Field.FILE:
            return "enter: another" if form.model or form.file else "enter: choose"
        case Field.THINKING:
            return seen.checked.thinking
        case Field.TASKS | Field.TEST:
            return TESTED[form.test] if which is Field.TEST else _tasks(form)
        case Field.GRADER if form.grading:
            return "enter: another"
        case Field.ANSWERS if is_barred(form, which):
            return "a model grades too late to curtail"
        case Field.ANSWERS if find_chosen(form, which, seen.given):
            return "stops where the verdict is decided"
        case Field.BUDGET if form.budget:
            return "stops there, keeps everything"
        case Field.FACTS if form.facts != AT_RANDOM:
            return ""
    further = find_further(form, which)
    return HINTS.get(which, "") if further is None or further.words else "enter: another"


def _tasks(form: Form) -> str:
    if form.tasks == CHOSEN:
        named = [task.replace("_", " ") for task in TASKS if task in form.chosen]
        more = spell(" …") if len(named) > 2 else ""
        return f"enter: {', '.join(named[:2])}{more}"
    if form.tasks == PROFILES:
        return "multiple choice left out"
    return "encoding with thinking off only" if form.draws else ""


def buttons(ready: bool, width: int, look: Look) -> Line:
    """Start, cancel, and the keys; hints that do not fit fall away."""
    line = Line().to(NAMES)
    if look.ansi:
        line.add("[Start]", "bold" if ready else "ink-3", "start").add("  ")
        line.add("[Cancel]", "ink", "close")
    else:
        line.add("  Start  ", "background bold @accent" if ready else "ink-2 @chip", "start")
        line.add("  ").add("  Cancel  ", "ink @chip", "close").add(" ")
    for key, words in (
        ("ctrl+s", "start"),
        ("esc", "cancel"),
        ("tab", "next"),
        ("h/l", "choose"),
        ("enter", "open"),
    ):
        hint = Line("   ").add(key, "accent bold").add(f" {words}", "ink-2")
        if line.width + hint.width > width:
            break
        line.join(hint)
    return line
