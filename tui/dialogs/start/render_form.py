"""The lines of the Start dialog: fields with their options, what the run makes, the buttons."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from core.estimates import build_estimate
from core.estimates.estimate import Estimate
from core.estimates.estimate_text import EstimateRow
from core.estimates.estimate_text import make_rows as estimated
from core.estimates.score_estimate import ScoreEstimate, score_rows
from core.jobs.import_job import Glance
from core.stats.number_format import format_amount
from core.vocabulary import TASKS
from tui.dialogs.import_report_dialog import report_texts
from tui.dialogs.start.form import Form, FormContext, find_chosen, groups, is_barred, options
from tui.dialogs.start.form_fields import AT_RANDOM, CHOSEN, EVERY, POSITIONS, PROFILES, Do, Field
from tui.dialogs.start.model_check import ModelCheck
from tui.dialogs.start.validation import faults
from tui.text.line import Line
from tui.text.line_wrap import wrap_spans
from tui.text.typed_number import shown_number
from tui.theme.glyphs import spell
from tui.theme.look import Look

NAMES, VALUES, BESIDE = 1, 12, 37
"""Columns at which names, values, and what stands beside numbers begin."""

BESIDE_MODEL = "   "
"""Between a model's name and what is known of it."""

NAMED_RELATIONS = 3
"""Relations up to which each is named."""

PART = 24
"""Cells of a value that stay where what is wrong with it is long."""

BELOW = "see below"
"""What stands beside a field whose fault is too long for its line, and stands below the form."""

REPORTED = 12
"""Lines of a file's report below the form; the field shows all."""

SECOND = 29
"""Column of the options of a field that also has a number."""

DOES = {
    Do.RUN: "run: sample, then grade",
    Do.SAMPLE: "sample: draw answers",
    Do.GRADE: "grade: what is not graded yet",
    Do.SCORE: "score: what it knows unasked",
    Do.BENCH: "bench: triples, in modes",
    Do.BUILD: "build: facts from documents",
    Do.IMPORT: "import: facts, answers, texts",
    Do.EXPORT: "export: write a file",
}

HINTS = {
    Field.CHECK: "what shows reasoning is marked",
    Field.LABEL: "enter: another name",
    Field.RELATIONS: "enter: another",
    Field.PREFIX: "enter: what is before / in ids",
    Field.CORRECT_AT: "enter: another score",
    Field.REPORT: "enter: row by row",
    Field.EXAMPLES: "type how many",
    Field.MODES: "enter: others",
    Field.FACTS: "type how many",
    Field.ANSWERS: "type how many",
    Field.GRADER: "equal answers are read once",
    Field.DOCUMENTS: "enter: a file or a folder",
    Field.BY: "rules make missing tasks alone",
    Field.GROUNDING: "where questions are looked up",
    Field.TARGET: "type how many go on",
    Field.BUDGET: "type US dollars",
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
    _value(line, seen, which, focused, look)
    if which is Field.MODEL and which not in seen.faults and _fits_beside(seen, width):
        line.add(BESIDE_MODEL).add(seen.checked.words, "ink-2")
    if which is Field.GRADER and which not in seen.faults and _has_room(seen, width):
        line.add("  ").add(seen.tried.words, "ink-2")
    fault = seen.faults.get(which)
    if fault is not None:
        beside = Line(fault, "label-i")
        fits = beside.width <= _room(seen, which, line.width, width)
        shown = beside if fits else Line(BELOW, "label-i")
        if which is Field.DO and line.width + shown.width >= width - 1:
            return line
        return line.right(shown, width - 1)
    hint = Line(_hint(seen, which), "ink-2" if focused else "ink-3")
    if line.width + hint.width + 2 > width:
        return line
    return line.right(hint, width - 1)


def _fits_beside(seen: FormLayout, width: int) -> bool:
    """Whether what is known of the model fits beside its name."""
    shown = Line(f" {TOLD[Field.MODEL](seen)}{BESIDE_MODEL}{seen.checked.words}")
    return VALUES + shown.width < width


def _has_room(seen: FormLayout, width: int) -> bool:
    """Whether what is known of the grader fits beside the options."""
    named = options(seen.form, Field.GRADER, seen.given)
    beside = 2 + Line(seen.tried.words).width
    return VALUES + sum(Line(one).width + 2 for one in named) + beside < width


def _room(seen: FormLayout, which: Field, taken: int, width: int) -> int:
    """Cells that what is wrong may take beside a value, of which a part stays.

    `taken` are the cells of the line so far. What can be done stays whole.
    """
    if which is Field.DO:
        names = options(seen.form, which, seen.given)
        return width - VALUES - sum(Line(one).width + 2 for one in names) - 3
    return max(width - VALUES - PART, width - taken - 3)


def _value(line: Line, seen: FormLayout, which: Field, focused: bool, look: Look) -> None:
    form = seen.form
    if which in TOLD:
        _text(line, TOLD[which](seen))
        return
    if which in (Field.TARGET, Field.EXAMPLES, Field.BUDGET):
        line.add(" ").add(*_amount(form, which)).add(spell("│") if focused else "", "accent")
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


def _relations(seen: FormLayout) -> str:
    """The relations that are named, or how many there are."""
    there = seen.given.file.relations_of(seen.form.set_name)
    named = seen.form.relations
    if len(named) > NAMED_RELATIONS:
        return f"{len(named):,} of {len(there):,}"
    return ", ".join(named) or f"all {len(there):,}"


TOLD: Mapping[Field, Callable[[FormLayout], str]] = {
    Field.MODEL: lambda seen: seen.form.model or "none",
    Field.LABEL: _label,
    Field.FILE: lambda seen: str(seen.form.file or "none"),
    Field.DOCUMENTS: _documents,
    Field.RELATIONS: _relations,
    Field.MODES: lambda seen: seen.form.modes,
    Field.PREFIX: lambda seen: seen.form.words.prefix or "as the log says",
    Field.CORRECT_AT: _correct_at,
    Field.REPORT: _report,
}
"""Fields whose value is a text."""


def _text(line: Line, words: str) -> None:
    line.add(" ").add(words, "ink bold")


def _amount(form: Form, which: Field) -> tuple[str, str]:
    """A number that is typed, or what is meant without one."""
    if which is Field.TARGET:
        count = shown_number(form.wanted)
        return (f"{count} candidates", "ink bold") if count else ("all candidates", "ink-2")
    if which is Field.EXAMPLES:
        unit = "places" if form.tests == (POSITIONS,) else "pairs before the subject"
        return f"{shown_number(form.examples or '0')} {unit}", "ink bold"
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
    return HINTS.get(which, "")


def _tasks(form: Form) -> str:
    if form.tasks == CHOSEN:
        named = [task.replace("_", " ") for task in TASKS if task in form.chosen]
        more = spell(" …") if len(named) > 2 else ""
        return f"enter: {', '.join(named[:2])}{more}"
    return {EVERY: "encoding with thinking off only", PROFILES: "multiple choice left out"}[
        form.tasks
    ]


def run_lines(seen: FormLayout, width: int) -> list[Line]:
    """What will be made, under a titled hairline."""
    heading = Line().to(NAMES).add("this run" if seen.form.draws else "this job", "ink-3").add(" ")
    found = [heading.rule(width - 1)]
    told = [(text, "label-i") for text in dict.fromkeys(_troubles(seen, width))]
    if seen.form.grading and not seen.tried.fault and not _has_room(seen, width):
        told.append((f"grader: {seen.tried.words}", "ink-2"))
    if seen.form.asks and Field.MODEL not in seen.faults and not _fits_beside(seen, width):
        told.append((f"model: {seen.checked.words}", "ink-2"))
    if seen.form.samples_answers and not seen.checked.fault and seen.checked.endpoints:
        told.append((f"asked as: {seen.checked.endpoints}", "ink-2"))
    if seen.warning and not _troubles(seen, width):
        told.append((seen.warning, "label-p"))
    if seen.form.do is Do.BUILD:
        found += _to_build(seen, width)
        told = told or ([(seen.verdict, "ink-2")] if seen.verdict else [])
    elif seen.form.do in (Do.IMPORT, Do.EXPORT):
        said = seen.verdict or ("nothing is chosen yet" if seen.form.file is None else "")
        told = told or [(said, "ink-2")]
        if seen.form.do is Do.IMPORT and seen.glance is not None and not seen.glance.is_unnamed:
            told += report_texts(seen.glance)[:REPORTED]
    else:
        found += _estimate(seen.estimate, width)
    for text, role in told:
        for line in wrap_spans(Line(text, role).spans, width - NAMES - 1):
            found.append(Line().to(NAMES).join(line))
    return found


def _troubles(seen: FormLayout, width: int) -> list[str]:
    """What is wrong and does not fit beside a field."""
    long = [
        text
        for which, text in seen.faults.items()
        if Line(text).width > _room(seen, which, width, width)
    ]
    where, wrong = seen.estimate_error
    return [*long, wrong] if wrong and where is None else long


def _to_build(seen: FormLayout, width: int) -> list[Line]:
    """What a build would take, where that can be told."""
    if seen.form.ruled:
        return [Line().to(NAMES).add("what needs no model is made by rule", "ink-2")]
    if not isinstance(seen.estimate, Estimate):
        return [Line().to(NAMES).add(name, "ink-2") for name in ("requests", "cost")]
    return _draw_rows(build_estimate.make_rows(seen.estimate), width)


def _estimate(estimate: Estimate | ScoreEstimate | None, width: int) -> list[Line]:
    if isinstance(estimate, ScoreEstimate):
        return _draw_rows(score_rows(estimate), width)
    if estimate is None:
        return [Line().to(NAMES).add(name, "ink-2") for name in ("questions", "answers")]
    return _draw_rows(estimated(estimate), width)


def _draw_rows(rows: Sequence[EstimateRow], width: int) -> list[Line]:
    """Names, numbers, and what stands beside them: further left, then wrapped, for want of room."""
    widest = max((Line(row.beside).width for row in rows), default=0)
    numbers = max((Line(row.what).width for row in rows), default=0)
    column = min(BESIDE, max(VALUES + 1 + numbers + 2, width - 1 - widest))
    return [line for row in rows for line in _row(row, column, width)]


def _row(row: EstimateRow, column: int, width: int) -> Iterator[Line]:
    line = Line().to(NAMES).add(row.name, "ink-2").to(VALUES + 1).add(row.what, "ink")
    if not row.beside:
        yield line.clip(width - 1)
        return
    start = max(column, line.width + 2)
    for part in wrap_spans(Line(row.beside, "ink-2").spans, width - 1 - start):
        yield line.to(start).join(part).clip(width - 1)
        line = Line()


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
