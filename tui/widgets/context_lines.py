"""What stands around a question, in lines: source text, the same answers, models, questions."""

from collections.abc import Iterator

from core.stats.number_format import format_amount
from core.views.entity_spans import mentions
from core.views.question_context import AnswerGroup, ModelMarks, QuestionContext
from core.views.verdict_reasons import format_g
from tui.text import task_names
from tui.text.line import Line
from tui.text.line_wrap import wrap_spans
from tui.theme.glyphs import spell
from tui.theme.look import Look
from tui.theme.roles import code_role, label_mark
from tui.widgets.sample_marks import FIELD, marks_line
from tui.widgets.source_text import source_lines

TEXT = 10
"""Lines of the source text where other things stand below it."""

GROUPS = 6
"""Groups of same answers that are listed."""

NAME_SHARE, MOST_NAME = 0.4, 28
G_CELLS = 6
COUNT = 6

AROUND = 40
"""Characters on either side of an answer that stands in the source text."""

_TIMES = {1: "once", 2: "twice"}


def text_lines(context: QuestionContext, width: int, lines: int | None = None) -> list[Line]:
    """The end of the source text in that many lines, or all of it."""
    found = context.source
    return list(source_lines(found.text, found.subject, found.object, width, lines))


def place_lines(context: QuestionContext, slot: int, width: int) -> list[Line]:
    """Whether an answer stands in the source text."""
    group = context.group_of(slot)
    lines = [_draw_title("in the text", width)]
    if group is None or not group.text:
        return [*lines, Line("there is no answer to look for", "ink-3")]
    found = mentions(context.source.text, [group.text])
    line = Line("the answer ", "ink-2").add(group.text[:200], "ink bold")
    if not found:
        line.add(" does not stand there", "ink-3")
    else:
        times = _TIMES.get(len(found), f"{len(found):,} times")
        line.add(f" stands there {times}: ", "ink-2").join(_quote(context.source.text, *found[0]))
    return [*lines, *wrap_spans(line.spans, width)]


def _quote(text: str, start: int, end: int) -> Line:
    """What stands around a part of a text, by whole words."""
    before, after = text[max(0, start - AROUND) : start], text[end : end + AROUND]
    if start > AROUND:
        before = f"{spell('…')} {before.partition(' ')[2]}"
    if end + AROUND < len(text):
        after = f"{after.rpartition(' ')[0]} {spell('…')}"
    return Line(before, "ink-3").add(text[start:end], "ink @hit").add(after, "ink-3")


def alike_lines(context: QuestionContext, slot: int, width: int, look: Look) -> list[Line]:
    """The most frequent answers of all models with their labels, and the open one."""
    lines = [_draw_title("alike, over all models", width)]
    own = context.group_of(slot)
    shown = list(context.groups[:GROUPS])
    if own is not None and own not in shown:
        shown[-1] = own
    lines += [_group(one, one is own, width, look) for one in shown]
    rest = len(context.groups) - len(shown)
    return [*lines, Line(f"and {rest:,} other answers", "ink-3")] if rest else lines


def _group(group: AnswerGroup, own: bool, width: int, look: Look) -> Line:
    name = min(MOST_NAME, int(NAME_SHARE * width))
    line = Line().cell(group.text or "empty", name, "ink bold" if own else "ink-2")
    line.cell(f"{group.count:,}", COUNT, "ink bold", right=True).add("  ")
    for label, count in group.labels:
        mark, role = label_mark(label, look) if label else (look.glyph("unlabelled"), "ink-3")
        line.add(f"{mark} {count:,}  ", role)
    said = group.models[0] if len(group.models) == 1 else format_amount(len(group.models), "model")
    if line.width + len(said) + 1 > width:
        return line.clip(width)
    return line.right(Line(said, "ink-3"), width)


def model_lines(context: QuestionContext, width: int, look: Look) -> list[Line]:
    """The answers of every model to the question, as marks."""
    name = max(8, min(MOST_NAME, width - 2 * FIELD - 8))
    head = Line().to(name + 2).cell("off", FIELD + 1, "ink-3").cell("on", FIELD + 1, "ink-3")
    lines = [_draw_title("all models on this question", width), head.clip(width)]
    lines += (_model(one, one.model == context.model, name, width, look) for one in context.models)
    return lines


def _model(one: ModelMarks, chosen: bool, name: int, width: int, look: Look) -> Line:
    line = Line().cell(one.model, name, "ink bold underline" if chosen else "ink-2").add("  ")
    for marks in (one.off, one.on):
        end = line.width + FIELD + 1
        line.join(marks_line(marks, look)).to(end)
    return line.add(spell(one.code), f"{code_role(one.code)} bold").clip(width)


def question_lines(context: QuestionContext, width: int) -> list[Line]:
    """The other questions of the fact with the model's grades, off and on."""
    return [
        _draw_title("the other questions of the fact", width),
        *_questions(context, width),
    ]


def _questions(context: QuestionContext, width: int) -> Iterator[Line]:
    for one in context.others:
        line = Line(task_names.number(one.task), "accent bold").add(" ")
        line.cell(one.text, width - line.width - 2 * G_CELLS, "ink-2")
        for g in (one.off, one.on):
            line.cell(
                spell(format_g(g)), G_CELLS, "ink-2" if g is not None else "ink-3", right=True
            )
        yield line


def _draw_title(title: str, width: int) -> Line:
    return Line(f"{title} ", "ink-3").clip(width).rule(width)


def column_lines(
    context: QuestionContext, slot: int, blind: bool, width: int, look: Look
) -> list[Line]:
    """All of it, one below the other, with the end of the text; blind only what has no label."""
    text = text_lines(context, width)
    lines = text if len(text) <= TEXT else text_lines(context, width, TEXT)
    parts = [lines, place_lines(context, slot, width)]
    if not blind:
        parts += [alike_lines(context, slot, width, look), model_lines(context, width, look)]
        parts.append(question_lines(context, width))
    return [line for part in parts for line in (*part, Line())][:-1]
