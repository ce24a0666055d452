"""The facts of an audit as rows up to the present one, what was done so far, what is left."""

from core.stats.number_format import format_amount
from core.views.audits.audit_board import AuditBoard
from core.views.audits.audit_card import AuditCell
from core.views.snapshot import Heading
from tui.screens.confusion.audit_state import AuditState
from tui.screens.confusion.render_audit_numbers import words_of
from tui.text.line import Line
from tui.text.number_text import percent
from tui.text.task_names import format_task_title
from tui.text.time_text import format_minutes
from tui.theme.glyphs import spell
from tui.theme.look import Look
from tui.theme.roles import label_mark
from tui.widgets.interval_axis import half_width, limits

DECIDED, LEFT = 9, 6
"""Cells of the columns."""

NEXT = "the next is known when this one is settled"
NAME = 11
"""Cells of what a line of the summary is about."""

MOST_MARKS = 24


def heading(width: int) -> Line:
    """The names of the columns."""
    line = Line("   fact", "ink-3").to(max(0, width - DECIDED - LEFT - 1))
    line.cell("decided", DECIDED, "ink-3", right=True)
    return line.cell("left", LEFT, "ink-3", right=True)


def fact_row(board: AuditBoard, place: int, heading: Heading, width: int, look: Look) -> Line:
    """`✓ Angora wool → rabbits   8  ·`: settled, put off, or the one decided now."""
    left = board.lefts.get(place)
    here = place == board.place
    if left is None:
        line = Line(" ").add(look.glyph("done"), "label-c")
    elif here:
        line = Line(" ").add(look.glyph("running"), "accent")
    else:
        glyph = "waiting" if place == board.frontier else "paused"
        line = Line(" ").add(look.glyph(glyph), "label-p")
    role = "ink bold" if here else "ink" if left is not None else "ink-2"
    name = f"{heading.subject[:200]} {spell('→')} {heading.object[:200]}"
    line.add(" ").cell(name, max(0, width - DECIDED - LEFT - 4), role)
    line.cell(f"{int(board.decisions[place]):,}", DECIDED, "ink-2", right=True)
    shown = look.glyph("waiting") if left is None else f"{left:,}"
    return line.cell(shown, LEFT, "ink-3" if left is None else "ink bold", right=True)


def fact_words(board: AuditBoard, place: int, heading: Heading) -> Line:
    """A row for who hears it."""
    left = board.lefts.get(place)
    line = Line(f"{heading.subject[:200]}, {heading.object[:200]}. ")
    line.add(f"{int(board.decisions[place]):,} decided")
    if left is None:
        return line.add(", settled")
    return line.add(f", {left:,} left" + ("" if place == board.frontier else ", put off"))


def cell_row(cell: AuditCell, width: int, look: Look) -> Line:
    """`4 direct natural, on  ●●x●···  this one`: labels so far, then answers asked for."""
    name = f"{format_task_title(cell.task)}, {'on' if cell.thinking else 'off'}"
    line = Line("    ").cell(name, 23, "ink-2")
    for label in cell.labels[:MOST_MARKS]:
        line.add(*label_mark(label, look))
    asked = min(cell.asked, MOST_MARKS)
    if look.is_spoken and asked > 1:
        line.add(f"  {asked} no label", "ink-3")
    else:
        line.add(look.glyph("unlabelled") * asked, "ink-3")
    words = "this one" if cell.here else "" if cell.asked else "enough"
    return line.add(f"  {words}", "accent" if cell.here else "ink-3").clip(width)


def summary_lines(board: AuditBoard, state: AuditState, model: str, width: int) -> list[Line]:
    """What was done so far, what graders got wrong, the pace, and what is left."""
    report = board.report
    lines = [Line("so far ", "ink-3").rule(width)]
    line = _draw_name("audited").add(f"{report.audited:,}", "ink bold")
    line.add(f" of {format_amount(len(board.settled), 'fact')}", "ink-2")
    line.add(f", {format_amount(report.decisions, 'decision')}", "ink-2")
    if board.put_off:
        line.add(f", {board.put_off:,} put off", "label-p")
    lines.append(line.clip(width))
    waiting = int(board.settled.sum()) - report.audited
    if waiting and board.put_off:
        words = f"{waiting:,} settled after it wait until what is put off is settled"
        lines.append(Line().to(NAME).add(words, "label-p").clip(width))
    line = _draw_name("graders")
    if report.wrong is None:
        line.add("no answer of theirs is decided yet", "ink-3")
    else:
        line.add(f"wrong on {percent(report.wrong, 1)} %", "ink bold")
        line.add(f"  {limits(report.wrong_interval)}", "ink-3")
        line.add(" of answers" if line.width + len(" of answers") <= width else "", "ink-3")
    lines.append(line.clip(width))
    line = _draw_name("your pace")
    if board.per_minute is None:
        line.add(f"about {board.pace:,.0f} decisions a fact", "ink-3")
    else:
        line.add(f"{board.per_minute:,.0f} a minute", "ink bold").add(", in this sitting", "ink-2")
    lines.append(line.clip(width))
    edited = int(report.evidence.frame.edited.sum())
    if edited:
        words = f"{edited:,} edited since: this audit is of the old ones"
        lines.append(_draw_name("facts").add(words, "label-p").clip(width))
    if report.newer:
        words = f"{', '.join(report.newer)[:200]} newer: this audit is of the old ones"
        lines.append(_draw_name("labels").add(words, "label-p").clip(width))
    return [*lines, Line(), *draw_left(board, state, model, width)]


def draw_left(board: AuditBoard, state: AuditState, model: str, width: int) -> list[Line]:
    """How far it is to the width that is wanted."""
    name = board.watched_number(model)
    half = f"{spell('±')} {percent(board.request.within, 1)}"
    lines = [Line(f"to {half} on {words_of(name)} ", "ink-3").rule(width)]
    now = board.numbers_of(model)[name].interval
    reached = (now[1] - now[0]) / 2
    if board.report.done:
        words = Line("done", "label-c bold").add(f": {spell('±')} {half_width(now)}. ", "ink")
        then = "every fact is audited" if board.settled.all() else "go on, or stop here"
        return [*lines, words.add(then, "ink-2").clip(width)]
    if state.left is None:
        room = [Line(), Line()]  # what is worked out will stand there, and move nothing
        return [*lines, Line(f"{spell('±')} {half_width(now)} now", "ink-2"), *room]
    audited, left = board.report.audited, state.left
    share = audited / (audited + left.p50) if audited + left.p50 else 0.0
    cells = max(0, min(width - 8, 40))
    full = round(share * cells)
    bar = Line(spell("━") * full, "accent").add(spell("─") * (cells - full), "rule")
    lines.append(bar.add(f"  {percent(share)}%", "ink-2"))
    words = Line("about ", "ink-2").add(f"{left.p50:,}", "ink bold").add(" facts, ", "ink-2")
    words.add(f"{left.decisions:,}", "ink bold").add(" decisions", "ink-2")
    if state.minutes is not None:
        words.add(", ", "ink-2").add(format_minutes(state.minutes), "ink bold")
    lines.append(words.clip(width))
    lines.append(Line(f"nine times in ten within {left.p90:,} facts", "ink-3").clip(width))
    if reached <= board.request.within:
        lines.append(Line("another model's number is not so narrow yet", "ink-3").clip(width))
    return lines


def _draw_name(name: str) -> Line:
    return Line().cell(name, NAME, "ink-3")
