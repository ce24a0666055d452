"""The verdict on a fact and why: profile, E, K0, KT, what grader B would change, all models."""

from core.glossary.glossary import BY_TERM
from core.stats.number_format import format_amount
from core.views.fact_view import FactView, Reason, Stake
from tui.text.grader_list import shown_grader
from tui.text.line import Line
from tui.theme.glyphs import spell
from tui.theme.look import Look
from tui.theme.roles import code_role, fill_role
from tui.widgets.sample_marks import is_pair
from tui.widgets.verdict_marks import arm_words, latent_words

NAME, HOLDS, WHY = 4, 17, 22
"""Columns of a part's name, of whether it holds, and of the reason."""

PART_NAMES = {"E": "encoded", "K0": "known", "KT": "by thinking"}
MODEL_CELLS = 23


WORDED = 76
"""Cells from which on the line of a verdict has words for Z."""


def verdict_lines(view: FactView, width: int, look: Look) -> list[Line]:
    """Profile, three reasons and the stake: always five lines, so that nothing moves.

    A sixth says what scores of options say, where there are any, and one more what FACT-BENCH
    says, where any model has arms.
    """
    if view.lens.model is None:
        lines = [
            Line("No model has been asked about these facts yet.", "ink-2"),
            Line("r", "accent bold").add(" asks one.", "ink-2"),
        ]
        return lines + [Line()] * 3
    plain = spell(BY_TERM[view.code].short)
    first = profile_line(view).add("   ").to(WHY).add(plain, "ink-2")
    reasons = [_reason_line(reason, width) for reason in view.reasons]
    latent = [_latent_line(view, look)] if view.has_scores else []
    arms = [_arms_line(view, width)] if view.has_arms else []
    lines = [first, *reasons, *latent, *arms, _differing_line(view, look)]
    return [line.clip(width) for line in lines]


def profile_line(view: FactView) -> Line:
    """The code on its fill and what it is called; `…` while labels are missing."""
    code = f" {spell(view.code)}{spell('…')}" if view.provisional else f" {spell(view.code)} "
    role = f"{code_role(view.code)} bold"
    return Line(code, fill_role(view.code)).add(" ").add(BY_TERM[view.code].name, role)


def summary_line(view: FactView, width: int, look: Look) -> Line:
    """The verdict in one line, for where there is no room for more."""
    if view.lens.model is None:
        return verdict_lines(view, width, look)[0]
    line = profile_line(view).add("   ")
    for reason in view.reasons:
        line.add(f"{reason.name} ", "ink-3").add(*_format_reason(reason)).add("  ")
    if view.latent is not None:
        line.add("zero-prompt " if width >= WORDED else "Z ", "ink-3")
        line.add(*_yes_or_no(view.latent.known)).add("  ")
    if view.arms is not None and view.arms.known is not None:
        line.add("FB ", "ink-3").add(*_yes_or_no(view.arms.known)).add("  ")
    if view.unlisted is not None:
        line.add(f" {shown_grader(view.unlisted.grader)} has labels, ", "ink-2")
        line.add("g", "accent bold").add(" adds it", "ink-2")
    elif view.stake is not None:
        line.add(" ").add(look.glyph("at-stake"), "label-i bold")
        line.add(f" B on {_answers(view.stake)}: ", "ink-2").join(_code(view.stake.code))
    return line.clip(width)


def models_line(view: FactView, width: int) -> list[Line]:
    """The verdicts of all models in their order, the lens's underlined."""
    lines = [Line(format_amount(len(view.models), "model"), "ink-3").to(HOLDS)]
    for model, code in zip(view.models, view.codes, strict=True):
        if lines[-1].width + 2 > width:
            lines.append(Line().to(HOLDS))
        chosen = " bold underline" if model == view.lens.model else ""
        lines[-1].add(spell(code), code_role(code) + chosen).add(" ")
    return lines


def models_block(view: FactView, width: int) -> list[Line]:
    """The same with the models' names, as many beside one another as fit."""
    across = max(1, width // MODEL_CELLS)
    lines = [Line(f"this fact in {format_amount(len(view.models), 'model')}", "ink-3")]
    for place, (model, code) in enumerate(zip(view.models, view.codes, strict=True)):
        if place % across == 0:
            lines.append(Line())
        chosen = model == view.lens.model
        lines[-1].join(_code(code)).add(" ")
        lines[-1].cell(model, MODEL_CELLS - 4, "ink bold" if chosen else "ink-2").add(" ")
    return [line.clip(width) for line in lines]


def _reason_line(reason: Reason, width: int) -> Line:
    line = Line(reason.name, "ink-3").to(NAME).add(PART_NAMES[reason.name], "ink")
    line.to(HOLDS).add(*_format_reason(reason)).to(WHY)
    return line.add(_whole_parts(reason.words, width - WHY), "ink-2")


def _latent_line(view: FactView, look: Look) -> Line:
    """Whether the object is the most probable option, unasked, and how probable it is."""
    line = Line("Z", "ink-3").to(NAME).add("zero-prompt", "ink").to(HOLDS)
    found = view.latent
    if found is None:
        return line.add(spell("–"), "ink-3")
    line.add(*_yes_or_no(found.known)).to(WHY)
    line.add(latent_words(found), "ink-2")
    if found.contradicts:
        line.add("  ").add(look.glyph("methods-part"), "label-i bold")
    return line


def _arms_line(view: FactView, width: int) -> Line:
    """Whether the zero-shot answer is right, and the modes with an exact match."""
    line = Line("FB", "ink-3").to(NAME).add("bench", "ink").to(HOLDS)
    found = view.arms
    if found is None:
        return line.add(spell("–"), "ink-3")
    line.add(*((spell("–"), "ink-3") if found.known is None else _yes_or_no(found.known))).to(WHY)
    return line.add(_whole_parts(arm_words(found), width - WHY), "ink-2")


def _whole_parts(words: str, room: int) -> str:
    """As many of the parts between commas as fit: a number that is cut would be another one."""
    parts = words.split(", ")
    shown = words
    while len(shown) > room and len(parts) > 1:
        del parts[-1]
        shown = ", ".join(parts) + spell(", …")
    return shown


def _format_reason(reason: Reason) -> tuple[str, str]:
    if reason.holds is None:
        return spell("–"), "ink-3"
    return _yes_or_no(reason.holds)


def _yes_or_no(holds: bool) -> tuple[str, str]:
    return ("yes", "label-c bold") if holds else ("no", "label-i bold")


def _differing_line(view: FactView, look: Look) -> Line:
    """Whose labels do not count, what grader B would change, or how often it differs."""
    if view.unlisted is not None:
        answers = format_amount(view.unlisted.answers, "answer")
        line = Line(look.glyph("unlabelled"), "label-p bold").to(NAME)
        line.add(
            f"{shown_grader(view.unlisted.grader)} has labelled {answers} without a label, ",
            "ink-2",
        )
        return line.add("g", "accent bold").add(" adds it", "ink-2")
    if view.stake is not None:
        line = _draw_mark("at-stake", "label-i bold", look)
        line.add(f"grader B on {_answers(view.stake)} makes it ", "ink-2")
        return line.join(_code(view.stake.code)).add(f" {BY_TERM[view.stake.code].name}", "ink-2")
    marks = [mark for row in view.tasks for grade in (row.off, row.on) for mark in grade.marks]
    differing = sum(map(is_pair, marks))
    if not differing:
        return Line()
    words = f"graders differ on {format_amount(differing, 'answer')}, the verdict stays either way"
    return _draw_mark("differs", "label-p", look).add(words, "ink-2")


def _draw_mark(mark: str, role: str, look: Look) -> Line:
    """The mark before a sentence that says the same: nobody hears it twice."""
    return Line() if look.is_spoken else Line(look.glyph(mark), role).to(NAME)


def _answers(stake: Stake) -> str:
    return "one answer" if stake.answers == 1 else f"any of {stake.answers} answers"


def _code(code: str) -> Line:
    return Line(spell(code), f"{code_role(code)} bold")
