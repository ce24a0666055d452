"""The pages that tell how an answer was asked for: the call, and the options as shown."""

from collections.abc import Mapping

from core.views.task_view import AnswerView, ResponseSource, TaskView
from tui.screens.task.render_arm import prompt_lines
from tui.screens.task.render_text import flow
from tui.screens.task.state import call_of
from tui.text.line import Line
from tui.text.line_wrap import wrap_spans
from tui.theme.glyphs import spell
from tui.theme.look import Look

HASHES = ("prompts", "weights")
"""Fields of a recipe whose values are hashes and names of files."""

_NAME_CELLS = 18
_OPTION_INDENT = 6


def call_lines(view: TaskView, answer: AnswerView, width: int) -> list[Line]:
    """The prompt as sent, how the answer ended, the recipe with its hashes last."""
    call = call_of(view, answer)
    source = answer.source
    lines = [Line("prompt as sent ", "ink-3").rule(width)]
    if source is not None:
        for part in (source.prompt or view.text).split("\n"):
            lines += wrap_spans(Line(part, "ink-2").spans, width)
        lines += [Line(), *source_lines(source, width)]
    elif call is None or call.prompt is None:
        lines += wrap_spans(
            Line("Imported: nobody here knows how it was asked.", "ink-2").spans, width
        )
    else:
        lines += prompt_lines(call, width)
    ended = {"finish": answer.finish, "reasoning tokens": answer.reasoning_tokens}
    known = {name: value for name, value in ended.items() if value is not None}
    if known:
        lines += [Line(), Line("this answer ", "ink-3").rule(width), *_fields(known, width)]
    lines += [Line(), Line("recipe ", "ink-3").rule(width)]
    if call is None or call.recipe is None:
        return [*lines, Line("none recorded", "ink-2")]
    recipe = sorted(call.recipe.items(), key=lambda field: field[0] in HASHES)
    return lines + _fields(dict(recipe), width)


def source_lines(source: ResponseSource, width: int) -> list[Line]:
    """Which file an answer came from, and where it stands there."""
    told = {
        "file": source.file.name,
        "format": source.file.format,
        "log": source.file.eval_id,
        "sample": source.sample_id,
        "epoch": source.epoch,
        "uuid": source.uuid,
    }
    known = {name: value for name, value in told.items() if value not in (None, "")}
    return [Line("source ", "ink-3").rule(width), *_fields(known, width)]


def _fields(values: Mapping[str, object], width: int) -> list[Line]:
    lines: list[Line] = []
    for name, value in values.items():
        if isinstance(value, Mapping):
            lines.append(Line(f"{name}", "ink-3"))
            lines += [Line("  ").join(line) for line in _fields(value, width - 2)]
            continue
        parts = wrap_spans(Line(_word(value), "ink-2").spans, max(8, width - _NAME_CELLS))
        for place, part in enumerate(parts):
            head = Line().cell("" if place else name, _NAME_CELLS - 1, "ink-3").add(" ")
            lines.append(head.join(part))
    return lines


def _word(value: object) -> str:
    return spell("–") if value is None or value == "" else str(value)


def option_lines(view: TaskView, answer: AnswerView, look: Look, width: int) -> list[Line]:
    """The four options in the order shown: gold, chosen, and how the choice was read."""
    lines: list[Line] = []
    for place, text in enumerate(answer.shown or ()):
        gold, chosen = place == answer.gold_place, place == answer.chosen
        mark = Line().cell(look.glyph("chosen") if chosen else "", 2, "accent bold")
        mark.cell(look.glyph("CORRECT") if gold else "", 2, "label-c")
        mark.cell("ABCD"[place], 2, "ink-3")
        role = "object bold" if gold else "ink bold" if chosen else "ink"
        for turn, part in enumerate(wrap_spans(Line(text, role).spans, width - _OPTION_INDENT)):
            lines.append((Line().to(_OPTION_INDENT) if turn else mark).join(part))
    lines += [Line(), Line("read as  ", "ink-3").add(answer.read_as or "names no option")]
    key = Line(look.glyph("CORRECT"), "label-c").add(" gold   ", "ink-3")
    lines += [Line(), key.add(look.glyph("chosen"), "accent bold").add(" chosen", "ink-3")]
    return [*lines, Line(), Line("as written ", "ink-3").rule(width), *flow(answer, width)]
