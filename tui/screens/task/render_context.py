"""What stands around the open question where there is room: beside its answers, and its text."""

from collections.abc import Iterator

from core.scoring.precedence import HUMAN_PREFIX
from core.stats.number_format import format_amount
from core.views.fact_view import FactView
from core.views.question_context import AnswerGroup, QuestionContext
from core.views.task_view import AnswerView, Judgement, TaskView
from tui.text.line import Line
from tui.text.line_wrap import wrap_spans
from tui.text.task_names import place
from tui.text.time_text import format_day
from tui.theme.glyphs import spell
from tui.theme.look import Look
from tui.theme.roles import outcome_mark
from tui.widgets import context_lines
from tui.widgets.question_faults import name_age
from tui.widgets.verdict_marks import arm_words, holds_word, latent_words, verdict

ELSEWHERE = "where else this matters"

REMARKS = 12
"""Labels and notes of people that are listed."""

LONGEST = 400
"""Characters of a note that are shown."""

_NAME, _HOLDS, _WHY = 4, 8, 13


def answers_below(context: QuestionContext, slot: int, width: int, look: Look) -> list[Line]:
    """The same answers over all models, the models, the other questions: below the answers."""
    room = width - 2
    return [
        *context_lines.alike_lines(context, slot, room, look),
        Line(),
        *context_lines.model_lines(context, room, look),
        Line(),
        *context_lines.question_lines(context, room),
    ]


def text_column(
    view: TaskView,
    answer: AnswerView,
    context: QuestionContext,
    width: int,
    look: Look,
    also_key: str | None = None,
) -> list[Line]:
    """The source text, where the answer stands in it, the verdict, what people have said.

    `also_key` accepts the answer as an alias; None where it cannot be one.
    """
    lines = [*context_lines.text_lines(context, width), Line()]
    lines += [*context_lines.place_lines(context, answer.slot, width), Line()]
    lines += [_draw_title("verdict", width), verdict(view.fact.code).clip(width)]
    for reason in view.fact.reasons:
        word, role = holds_word(reason.holds)
        head = Line(reason.name, "ink-3").to(_NAME).add(word, f"{role} bold").to(_HOLDS).add(" ")
        parts = wrap_spans(Line(spell(reason.words), "ink-2").spans, max(8, width - head.width))
        indent = head.width
        for number, part in enumerate(parts):
            lines.append((Line().to(indent) if number else head).join(part))
    methods = list(_methods(view.fact, width, look))
    if methods:
        lines += [Line(), _draw_title("methods", width), *methods]
    remarks = list(_remarks(view, width, look))
    if remarks:
        lines += [Line(), _draw_title("notes and history", width), *remarks]
    group = context.group_of(answer.slot)
    elsewhere = [] if group is None else list(_draw_elsewhere(group, also_key, width))
    return [*lines, Line(), _draw_title(ELSEWHERE, width), *elsewhere] if elsewhere else lines


def _draw_elsewhere(group: AnswerGroup, also_key: str | None, width: int) -> Iterator[Line]:
    """The same answer elsewhere, and what it would do if it were an alias."""
    if not group.text:
        return
    if group.count > 1:
        line = Line(format_amount(group.count - 1, "more answer"), "ink bold")
        line.add(f" {group.text[:LONGEST]}", "ink")
        by = group.models[0] if len(group.models) == 1 else f"{len(group.models)} models"
        yield line.right(Line(f"by {by}", "ink-3"), width)
    if also_key is not None and (group.not_correct > 1 or group.moved):
        line = Line(also_key, "accent bold").add(" accepts it as alias: ", "ink-2")
        line.add(f"{format_amount(group.not_correct, 'answer')}, ", "ink")
        line.add(format_amount(group.moved, "profile"), "ink bold").add(
            ", once graded anew", "ink-2"
        )
        yield from wrap_spans(line.spans, width)


def _methods(view: FactView, width: int, look: Look) -> Iterator[Line]:
    """What scores and FACT-BENCH say of the fact, where they say anything of it."""
    if view.latent is not None:
        line = Line("Z", "ink-3").to(_NAME).add(*holds_word(view.latent.known)).to(_HOLDS).add(" ")
        line.add(latent_words(view.latent), "ink-2")
        if view.latent.contradicts:
            line.add("  ").add(look.glyph("at-stake"), "label-i bold")
        yield line.clip(width)
    if view.arms is not None:
        line = Line("FB", "ink-3").to(_NAME).add(*holds_word(view.arms.known)).to(_HOLDS).add(" ")
        yield line.add(arm_words(view.arms), "ink-2").clip(width)


def _remarks(view: TaskView, width: int, look: Look) -> Iterator[Line]:
    """What people have said of the question's answers, the newest first."""
    said = [
        (one, answer)
        for answer in view.answers
        for one in answer.judgements
        if one.grader.startswith(HUMAN_PREFIX)
    ]
    for one, answer in sorted(said, key=lambda pair: -(pair[0].at or 0))[:REMARKS]:
        yield _remark(one, answer, look).clip(width)


def _remark(one: Judgement, answer: AnswerView, look: Look) -> Line:
    line = Line().cell(format_day(one.at or 0), 7, "ink-3")
    line.cell(one.grader.removeprefix(HUMAN_PREFIX), 9, "ink").add(" ")
    line.cell(place(answer.thinking, answer.sample), 7, "ink-2")
    line.add(*outcome_mark(one.outcome, look))
    if one.outdated:
        line.add(f"  {name_age(one.grader)}", "label-p")
    return line.add(f"  {one.rationale[:LONGEST]}", "ink-2") if one.rationale else line


def _draw_title(title: str, width: int) -> Line:
    return Line(f"{title} ", "ink-3").rule(width)
