"""The numbers of an audit: the shares of a model on one axis, by graders and as labelled."""

from collections.abc import Mapping

from core.certainty.audit_estimates import AuditedNumber
from core.stats.number_format import format_amount
from core.views.audits.audit_board import AuditBoard
from core.vocabulary import CODE_ORDER, CODES, PROFILES
from tui.screens.confusion.audit_state import AuditState
from tui.text.line import Line
from tui.text.number_text import percent
from tui.text.time_text import format_minutes
from tui.theme.glyphs import spell
from tui.theme.look import Look
from tui.theme.roles import code_role
from tui.widgets.interval_axis import (
    end_of,
    half_width,
    legend,
    limits,
    number_axis,
    tick_line,
)

NAME, CELLS, SPAN = 21, 8, 17
"""Cells of a name, of a number, and of an interval."""

LEAST_AXIS = 16
SHORT = {str(name): CODES[name] for name in PROFILES}
"""The codes of the numbers that are profiles."""

WORDS = {
    "direct_recall": "direct recall",
    "recall_with_thinking": "with thinking",
    "inference_without_encoding": "no encoding",
    "recall_failure": "recall failure",
    "encoding_failure": "encoding failure",
    "knows_thinking": "knows +T",
    "excluded_share": "excluded",
}
LESS = 5
"""Numbers that are shown where there is no height for all."""


def number_lines(
    board: AuditBoard, model: str, state: AuditState, width: int, look: Look, every: bool
) -> list[Line]:
    """A heading, a line a number, and what the marks mean."""
    numbers = board.numbers_of(model)
    shown = dict(sorted(numbers.items(), key=_rank)[: None if every else LESS])
    cells = width - NAME - 3 * CELLS - SPAN - 2
    cells = cells if cells >= LEAST_AXIS else 0
    end = end_of(shown.values())
    head = Line().to(NAME)
    if cells:
        head.join(tick_line(end, cells))
    head.to(NAME + cells)
    for name, room in (("graded", CELLS), ("audited", CELLS + 1), (spell("±"), CELLS - 1)):
        head.cell(name, room, "ink-3", right=True)
    head.cell("other facts", SPAN, "ink-3", right=True)
    watched = board.watched_number(model)
    lines = [head]
    for name, one in shown.items():
        line = _name(name, name == watched).to(NAME)
        if cells:
            line.join(number_axis(one, end, cells, look))
        line.cell(percent(one.graded, 1), CELLS, "ink-2", right=True)
        line.cell(percent(one.audited, 1), CELLS + 1, "ink bold", right=True)
        line.cell(half_width(one.interval), CELLS - 1, "ink bold", right=True)
        line.cell(limits(one.kind_interval), SPAN, "ink-2", right=True)
        lines.append(line.clip(width))
    foot = legend(look, f"{_format_person(board)}, 95 % at every look")
    if watched in numbers:
        foot.right(draw_precision(board, model, numbers), width)
    return [*lines, foot.clip(width)]


def _rank(item: tuple[str, AuditedNumber]) -> int:
    """Profiles first, from known to unknown; then the rates."""
    code = SHORT.get(item[0])
    return len(CODE_ORDER) if code is None else CODE_ORDER.index(code)


def _format_person(board: AuditBoard) -> str:
    return f"as {board.plan.person.partition(':')[2][:20]} labels"


def _name(name: str, watched: bool) -> Line:
    code = SHORT.get(name)
    line = Line(f"{code} ", f"{code_role(code)} bold") if code else Line("   ")
    return line.add(WORDS.get(name, name), "ink bold" if watched else "ink-2")


def short_name(name: str) -> str:
    """A number as short as can be: its code, or its name."""
    return SHORT.get(name) or WORDS.get(name, name)


def words_of(name: str) -> str:
    """A number in words."""
    return name.replace("_", " ")


def draw_precision(board: AuditBoard, model: str, numbers: Mapping[str, AuditedNumber]) -> Line:
    """`RF ± 2.9, wanted 2.0`."""
    name = board.watched_number(model)
    line = Line(f"{short_name(name)} {spell('±')} {half_width(numbers[name].interval)}", "ink")
    return line.add(f", wanted {percent(board.request.within, 1)}", "ink-2")


def title(board: AuditBoard, model: str) -> Line:
    """`Audit june   gemma3-27b   seed 7   person human:ada`."""
    line = Line("Audit").add(f" {board.report.name}", "ink bold").add("   ")
    line.add(model, "ink-2").add(f"   seed {board.plan.seed}", "ink-3")
    line.add(f"   person {board.plan.person}", "ink-3")
    return line.add("   closed", "label-p") if board.closed else line


def edge(board: AuditBoard) -> Line:
    """`142 of 2,074 facts audited, 31 with more weight`."""
    weights = board.report.evidence.frame.weights[: board.report.audited]
    heavy = int((weights > 1).sum())
    words = f"{board.report.audited:,} of {format_amount(len(board.settled), 'fact')} audited"
    return Line(f"{words}, {heavy:,} with more weight" if heavy else words, "ink-3")


def one_line(board: AuditBoard, model: str, state: AuditState, width: int, look: Look) -> Line:
    """All of it in one line: the number that is watched."""
    name = board.watched_number(model)
    one = board.numbers_of(model)[name]
    line = Line(f" {short_name(name)} audited ", "ink-3")
    line.add(percent(one.audited, 1), "ink bold").add(f" {spell('±')} ", "ink-3")
    line.add(half_width(one.interval), "ink bold").add("  ")
    tail = Line(f"  graded {percent(one.graded, 1)}", "ink-2")
    tail.add("  ").join(describe_left(board, state))
    cells = min(28, width - line.width - tail.width - 1)
    if cells >= LEAST_AXIS - 4:
        line.join(number_axis(one, end_of([one]), cells, look))
    return line.join(tail).clip(width)


def describe_left(board: AuditBoard, state: AuditState) -> Line:
    """`38 min to ± 2`, `58 facts to ± 2`, or that it is done."""
    half = f"{spell('±')} {100 * board.request.within:g}"
    if board.report.done:
        return Line(f"{half} reached", "label-c bold")
    if state.left is None:
        return Line(f"to {half}", "ink-3")
    if state.minutes is not None:
        return Line(f"{format_minutes(state.minutes)} to {half}", "ink-2")
    return Line(f"{state.left.p50:,} facts to {half}", "ink-2")
