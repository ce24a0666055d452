"""The judgement page: what every grader said of an answer, and what your label would do."""

from collections.abc import Mapping
from dataclasses import dataclass

from core.graders import choice
from core.scoring.precedence import CHOICE, HUMAN_PREFIX
from core.views.task_view import AnswerView, Consequence, Judgement, TaskView
from core.views.verdict_reasons import format_g
from core.vocabulary import LABELS, Label, Outcome
from tui.screens.task.render_answers import choose_text, grade_of
from tui.screens.task.render_arm import score_lines
from tui.screens.task.render_call import call_lines, source_lines
from tui.screens.task.render_text import flow
from tui.screens.task.state import call_of
from tui.text.grader_list import letter_of as compared_letter
from tui.text.line import ELLIPSIS, Line
from tui.text.line_wrap import wrap_spans
from tui.text.time_text import format_day
from tui.theme.glyphs import spell
from tui.theme.look import Look
from tui.theme.roles import LABEL_ROLES, cap_role, code_role, label_of, outcome_mark
from tui.widgets.question_faults import CAPS, FaultContext, fault_lines, name_age
from tui.widgets.verdict_marks import holds_word, pass_word, passing_role

LONGEST = 4000
"""Characters of a rationale that are shown."""

HEADLINES = 3
SPACIOUS = 56
"""Cells from which on what a label would do is spelled out."""

_INDENT = 4

KEYS: Mapping[Label, str] = dict(zip(LABELS, "cipo", strict=True))
"""The keys that set the labels, unless they have been changed."""


FAULTS: Mapping[str, str] = {key: key for key in CAPS}
"""The keys for a question at fault, unless they have been changed."""


@dataclass(frozen=True, slots=True)
class DetailContext:
    """What a page is drawn for: the width, how it looks, and who reads it.

    `roomy` allows blank lines; `alone` says that no other pane is in sight; `armed` that the
    label keys work now; `you` is the reader's grader name; `note` waits for the reader's label.
    """

    width: int
    look: Look
    roomy: bool = True
    alone: bool = False
    armed: bool = False
    you: str | None = None
    keys: Mapping[Label, str] | None = None
    note: str = ""
    faults: Mapping[str, str] | None = None
    """The keys for a question at fault as they are now, by those of `FAULTS`."""
    flagged: bool = False
    whole: bool = False
    """Whether there is room for how the answer was asked for, too."""


def lines_of(view: TaskView, answer: AnswerView, setting: DetailContext) -> list[Line]:
    """What is read: the answer, what every grader said of it, and how it was written."""
    lines = _headline(view, answer, setting)
    if answer.tags:
        words = Line("tags  ", "ink-3").add(", ".join(answer.tags), "ink-2")
        lines += wrap_spans(words.spans, setting.width)
    if answer.scored is not None:
        lines += [Line()] * setting.roomy
        lines += score_lines(view, answer, answer.scored, setting.width, setting.look)
    for judgement in answer.judgements:
        lines += [Line()] * setting.roomy + _draw_judgement(judgement, view, answer, setting)
    if not answer.judgements:
        lines += [Line()] * setting.roomy + [Line("no grader has labelled it yet", "ink-3")]
    if not setting.roomy:
        lines += _faults(view, setting)
    if not _is_whole(answer, setting.width):
        lines += [Line(), _draw_title("as written", setting.width), *flow(answer, setting.width)]
    if answer.source is not None:
        lines += [Line(), *source_lines(answer.source, setting.width)]
    return lines + _draw_call(view, answer, setting) if setting.whole else lines


def decision_lines(
    view: TaskView,
    answer: AnswerView,
    effects: tuple[Consequence, ...] | None,
    setting: DetailContext,
) -> list[Line]:
    """The labels to choose from, which stay in sight below what is read.

    Where there is room, what can be done about the question too. `effects` are None until they
    are known.
    """
    lines = [_draw_title("your label", setting.width)]
    for place, label in enumerate(LABELS):
        effect = effects[place] if effects else None
        lines.append(_choice(label, effect, view, answer, setting))
    if setting.note and answer.own is None:
        lines.append(Line("note, written with it  ", "ink-3").add(setting.note[:LONGEST], "ink-2"))
        lines[-1].clip(setting.width)
    return lines + _faults(view, setting) if setting.roomy else lines


def _draw_call(view: TaskView, answer: AnswerView, setting: DetailContext) -> list[Line]:
    """How the answer was asked for, unless that is long."""
    call = call_of(view, answer)
    if call is None or len(call.prompt or "") > LONGEST:
        return []
    return [Line(), *call_lines(view, answer, setting.width)]


def _faults(view: TaskView, setting: DetailContext) -> list[Line]:
    """Where not the answer but the question is at fault."""
    context = FaultContext(
        setting.width,
        setting.faults or FAULTS,
        view.reach,
        armed=setting.armed,
        flagged=setting.flagged,
        named=not view.task.is_choice,
    )
    return fault_lines(context)


def _headline(view: TaskView, answer: AnswerView, setting: DetailContext) -> list[Line]:
    text, role = choose_text(answer, HEADLINES * setting.width)
    broken = list(wrap_spans(Line(text, f"{role} bold").spans, setting.width))
    kept = broken[:HEADLINES]
    if len(broken) > HEADLINES or (answer.answer and len(text) < _length(answer)):
        kept[-1] = kept[-1].clip(setting.width - 2).add(f" {spell(ELLIPSIS)}", "ink-3")
    if setting.alone and kept[-1].width + 12 < setting.width:
        kept[-1].add("    gold ", "ink-3").add(view.gold[:LONGEST], "object").clip(setting.width)
    return kept


def _is_whole(answer: AnswerView, width: int) -> bool:
    """Whether the headline has all that there is of an answer, or says that there is none."""
    text, role = choose_text(answer, HEADLINES * width)
    if answer.reasoning or answer.text.strip() not in (text, ""):
        return False
    return len(list(wrap_spans(Line(text, role).spans, width))) <= HEADLINES


def _length(answer: AnswerView) -> int:
    start, end = answer.answer or (0, 0)
    return end - start


def letter_of(grader: str, view: TaskView, you: str | None) -> str:
    """`A` to `D` or `you`; blank for others."""
    return "you" if grader == you else compared_letter(view.fact.lens, grader)


def _draw_judgement(
    one: Judgement, view: TaskView, answer: AnswerView, setting: DetailContext
) -> list[Line]:
    line = Line().cell(letter_of(one.grader, view, setting.you), _INDENT, "ink-3")
    mark, role = outcome_mark(one.outcome, setting.look)
    label = label_of(one.outcome)
    line.add(f"{mark} ", role).cell(label or "no label", 11, f"{role} bold" if label else "ink-2")
    narrow = setting.width < 60
    line.add(one.grader.removeprefix("llm:") if narrow else one.grader, "ink-2")
    person = one.grader.startswith(HUMAN_PREFIX)
    end = Line("" if person or narrow else f"version {one.version}", "ink-3")
    if one.outdated:
        end = Line(name_age(one.grader), "label-p").add("  " if end.width else "").join(end)
    if one.at:
        end.add("  " if end.width else "").add(format_day(one.at), "ink-3")
    reason = _reason(one, answer)
    lines = [line.right(end, setting.width)]
    if reason:
        spans = Line(reason, "ink-2").spans
        lines += [
            Line().to(_INDENT).join(part) for part in wrap_spans(spans, setting.width - _INDENT - 1)
        ]
    return lines


def _reason(one: Judgement, answer: AnswerView) -> str:
    """Why a grader said so, or why it said nothing."""
    given = one.rationale or ""
    if len(given) > LONGEST:
        given = given[:LONGEST] + spell(ELLIPSIS)
    if one.outcome is Outcome.UNPARSED:
        quoted = f": '{given}'" if given else ""
        return f"{one.grader} gave no readable label{quoted}. It will be asked again."
    if one.outcome is Outcome.REFUSED:
        return f"{one.grader} would not grade this{': ' + given if given else ''}."
    if one.outcome is Outcome.ERROR:
        return f"{one.grader} could not be asked{': ' + given if given else ''}. It will be again."
    if one.outcome is Outcome.UNSURE:
        return f"{one.grader} is not sure enough of this to label it."
    if one.grader == CHOICE and one.version == choice.VERSION and not given:
        return answer.read_as
    return given


def _choice(
    label: Label,
    effect: Consequence | None,
    view: TaskView,
    answer: AnswerView,
    setting: DetailContext,
) -> Line:
    """One label you may set, and what it would do."""
    gap = 1 if setting.width < SPACIOUS else 2
    cap = cap_role(setting.armed)
    line = Line(f" {(setting.keys or KEYS)[label]} ", cap).to(3 + gap)
    line.add(f"{setting.look.glyph(label)} ", LABEL_ROLES[label])
    start = line.width
    line.add(label.lower(), "ink bold underline" if answer.own is label else "ink")
    line.to(start + 9 + gap)
    if effect is None:
        return line
    if gap == 1:
        line.cell(spell(format_g(effect.g)), 5, passing_role(effect.passes))
    else:
        word, passing = pass_word(effect.passes)
        line.add("g ", "ink-3").cell(
            spell(format_g(effect.g)), 4, passing_role(effect.passes), right=True
        )
        line.add(" ").cell(word, 6, passing)
    if effect.part is not None:
        held, held_role = holds_word(effect.holds)
        line.cell(effect.part, 3, "ink-3").cell(held, 3 + gap, held_role)
    return line.join(_outcome(effect, view, answer, gap == 1))


def _outcome(effect: Consequence, view: TaskView, answer: AnswerView, short: bool) -> Line:
    """`becomes RT`, `stays RF`, or `changes nothing`."""
    if effect.changes_profile:
        return Line("becomes ", "ink").add(spell(effect.after), f"{code_role(effect.after)} bold")
    if effect.g == grade_of(view, answer.thinking).g:
        return Line("no change" if short else "changes nothing", "ink-3")
    return Line("stays ", "ink-3").add(spell(effect.after), f"{code_role(effect.after)} bold")


def _draw_title(title: str, width: int) -> Line:
    return Line(f"{title} ", "ink-3").rule(width)
