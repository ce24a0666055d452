"""The lines of questions with an arm's answers, and of the exemplars that were sent before them."""

from collections.abc import Sequence

from core.views.bench.bench_questions import BenchQuestion, ExemplarRow
from core.views.verdict_reasons import format_g
from tui.screens.bench.sentences import ORDER_WORDS
from tui.screens.bench.state import BenchState
from tui.text.cell_width import width_of
from tui.text.inert_text import make_inert
from tui.text.line import Line, cut
from tui.text.line_wrap import wrap_spans
from tui.theme.glyphs import spell
from tui.theme.look import Look
from tui.theme.roles import outcome_mark
from tui.widgets.exemplar_marks import answer_role, exemplar_counts, find_known_mark

EM, F1, JUDGE = 4, 6, 4
"""Cells of whether a gold was said to the letter, of F1, and of the judge's mark."""

LONG = 400
"""Characters of a text that are looked at."""

EXEMPLARS_SHOWN = 12
"""Exemplars that stand below the questions; Task has all of them."""


def entity_room(width: int) -> int:
    """Cells for subject and gold; the answer has the rest."""
    return max(16, (width - EM - F1 - JUDGE - 3) * 56 // 100)


def questions_note(now: BenchState, width: int, key: str) -> Line:
    """What the questions are sorted by."""
    words = ORDER_WORDS[f"questions {now.question_order}"]
    line = Line(f" {words} ", "ink-3").add(key, "accent bold")
    parted = sum(one.is_parted for one in now.questions)
    if parted:
        return line.right(Line(f"EM and judge part on {parted:,} ", "ink-3"), width)
    return line.clip(width)


def questions_heading(width: int, look: Look) -> Line:
    """What the columns of questions hold."""
    line = Line(" ").cell(f"subject {look.glyph('arrow')} gold", entity_room(width), "ink-3")
    line.add(" answer", "ink-3")
    beside = Line().cell("EM", EM, "ink-3", right=True).cell("F1", F1, "ink-3", right=True)
    return line.right(beside.cell("J", JUDGE - 1, "ink-3", right=True).add(" "), width)


def question_line(row: BenchQuestion, width: int, chosen: bool, look: Look) -> Line:
    """One question: subject and gold, the answer, whether it is right by EM, F1 and the judge."""
    line = Line(" ").join(_entities(row, entity_room(width), chosen, look)).add(" ")
    beside = Line()
    if row.answer is None:
        beside.cell("", EM).cell("", F1).cell("", JUDGE)
    else:
        mark, role = ("=", "label-c bold") if row.em else (look.glyph("INCORRECT"), "label-i bold")
        beside.cell(mark, EM, role, right=True)
        beside.cell(spell(format_g(row.f1)), F1, "ink-2", right=True)
        mark, role = outcome_mark(row.judge, look)
        beside.cell(mark, JUDGE - 1, role, right=True).add(" ")
    room = max(0, width - line.width - beside.width - 1)
    if row.answer is None:
        line.cell("no answer yet", room, "ink-3")
    else:
        line.cell(row.answer[:LONG] or spell("∅"), room, "ink" if chosen else "ink-2")
    return line.right(beside, width)


def _entities(row: BenchQuestion, width: int, chosen: bool, look: Look) -> Line:
    """Subject and gold; where both are long each is cut to half of the room."""
    room = max(0, width - 4)
    subject, gold = make_inert(row.subject[:LONG]), make_inert(row.gold[:LONG])
    first = min(width_of(subject), max(room // 2, room - width_of(gold)))
    line = Line().add(cut(subject, first), "ink bold" if chosen else "ink")
    line.add(f" {look.glyph('arrow')} ", "ink-3")
    line.add(cut(gold, max(0, width - 1 - line.width)), "object")
    return line.clip(width).to(width)


def exemplar_lines(rows: Sequence[ExemplarRow], width: int) -> list[Line]:
    """The exemplars as they were sent, each known or not, true or not; then how many of each."""
    if not rows:
        return []
    words = Line()
    for one in rows[:EXEMPLARS_SHOWN]:
        words.add(f"{make_inert(one.subject[:60])} ", "ink-2")
        words.add(make_inert(one.answer[:60]), answer_role(one))
        if not one.is_true:
            words.add(" for ", "ink-3").add(make_inert(one.gold[:60]), "ink-2")
        words.add(" ").add(*find_known_mark(one.known)).add("   ")
    if len(rows) > EXEMPLARS_SHOWN:
        words.add(f"{len(rows) - EXEMPLARS_SHOWN:,} more", "ink-3")
    head = Line(f" exemplars as sent, {len(rows):,} ", "ink-3").rule(max(0, width - 1))
    lines = [Line(" ").join(one) for one in wrap_spans(words.spans, max(12, width - 2))]
    said = exemplar_counts(rows)
    return [Line(), head.clip(width), *lines, Line(f" {said}", "ink-3").clip(width)]
