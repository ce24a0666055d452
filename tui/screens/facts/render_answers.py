"""The chosen task unfolded: its question, and what was answered how often."""

from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

from core.glossary.job_terms import COUNTS_OF_A_LAKE
from core.views.fact_view import FactView, MarkedAnswer, TaskRow, UnfoldedQuestion
from core.vocabulary import ENCODING, LABELS, Label
from tui.text.inert_text import make_inert
from tui.text.line import ELLIPSIS, Line, Span, cut
from tui.text.line_wrap import wrap_spans
from tui.theme.glyphs import spell
from tui.theme.look import Look
from tui.theme.roles import label_mark
from tui.widgets.sample_marks import is_pair, pair_line
from tui.widgets.source_text import tail_lines

if TYPE_CHECKING:
    from core.views.task_view import AnswerView, TaskView

LONG = 600
"""Characters of an answer that are looked at for its line."""

QUESTION_LINES = 4
LEAST_COLUMN = 28
"""Cells from which both settings stand beside one another."""

CHANGES = "changes profile"
RATIONALE, RATIONALE_LINES = 5, 4


def question_lines(row: TaskRow, width: int) -> list[Line]:
    """The question with its gold; of a long one the part that asks."""
    lines = tail_lines(row.text, "ink", width, QUESTION_LINES)
    if row.task not in ENCODING and len(row.text) <= LONG:
        lines = list(wrap_spans([Span(make_inert(row.text), "ink")], width))
    gold = Line("gold ", "ink-3").add(row.gold[:LONG], "object")
    if lines[-1].width + 3 + gold.width <= width:
        lines[-1].add("   ").join(gold)
        return lines
    return [*lines, gold.clip(width)]


def distinct_lines(
    unfolded: UnfoldedQuestion | None, settings: Sequence[bool], width: int, look: Look
) -> list[Line]:
    """Distinct answers with their counts, off beside on; blank until they are read."""
    return _side_by_side(_draw_distinct, unfolded, settings, width, look)


def answer_lines(
    unfolded: UnfoldedQuestion | None, settings: Sequence[bool], width: int, look: Look
) -> list[Line]:
    """Every answer in the order of the samples, off beside on."""
    return _side_by_side(_answers, unfolded, settings, width, look)


def rationale_lines(
    view: FactView, unfolded: UnfoldedQuestion, task: "TaskView | None", width: int, look: Look
) -> list[Line]:
    """Both graders' reasons for the answer that matters most; nothing where they agree."""
    found = find_most_disputed(unfolded)
    if found is None:
        return []
    thinking, sample = found.thinking, found.samples[0]
    name = f"{'on' if thinking else 'off'} {sample + 1}"
    head = (
        Line(name, "ink-3")
        .add("  ")
        .add(cut(make_inert(found.text[:LONG]), width // 2), "ink bold")
    )
    if found.changes_profile and view.stake is not None:
        words = f"   profile changes {spell(view.code)} to {spell(view.stake.code)} if B is right"
        head.add(words, "label-p")
    lines = [head.clip(width), Line()]
    answers = task.answers if task is not None else ()
    for answer in answers:
        if (answer.thinking, answer.sample) == (thinking, sample):
            graders = (("A", view.lens.a, found.mark.a), ("B", view.lens.b, found.mark.b))
            for letter, grader, label in graders:
                lines += _judgement(answer, letter, grader, label, width, look)
    return lines


def find_most_disputed(unfolded: UnfoldedQuestion) -> MarkedAnswer | None:
    """The answer on which the graders' difference weighs most, if they differ on any."""
    disputed = [one for one in unfolded.distinct if is_pair(one.mark)]
    return min(disputed, key=lambda one: not one.changes_profile, default=None)


Column = Callable[[UnfoldedQuestion | None, bool, int, Look], Iterator[Line]]


def _side_by_side(
    column: Column,
    unfolded: UnfoldedQuestion | None,
    settings: Sequence[bool],
    width: int,
    look: Look,
) -> list[Line]:
    """A column for each setting; one under another where there is no room beside."""
    if len(settings) == 1 or width < 2 * LEAST_COLUMN:
        return [line for thinking in settings for line in column(unfolded, thinking, width, look)]
    room = (width - 1) // 2
    found = [column(unfolded, thinking, room, look) for thinking in settings]
    return [
        Line().join(left).to(room + 1).join(right)
        for left, right in zip_longest(*found, fillvalue=Line())
    ]


def _draw_distinct(
    unfolded: UnfoldedQuestion | None, thinking: bool, width: int, look: Look
) -> Iterator[Line]:
    yield Line("on" if thinking else "off", "ink-3")
    found = [one for one in _list_answers(unfolded) if one.thinking is thinking]
    counted = max((len(str(one.count)) for one in found), default=1)
    for one in found:
        line = Line(str(one.count).rjust(counted), "ink-3").add(" ")
        line.join(pair_line(one.mark, look)).to(counted + 5)
        after = Line(CHANGES, "label-p") if one.changes_profile else Line()
        role = "ink" if one.changes_profile else "ink-2"
        yield line.add(make_inert(one.text[:LONG]), role).right(after, width)
    yield from _draw_absence(unfolded, thinking, bool(found))


def _answers(
    unfolded: UnfoldedQuestion | None, thinking: bool, width: int, look: Look
) -> Iterator[Line]:
    yield Line(f"thinking {'on' if thinking else 'off'}", "ink-3")
    found = {
        sample: one
        for one in _list_answers(unfolded)
        if one.thinking is thinking
        for sample in one.samples
    }
    numbered = len(str(max(found, default=0) + 1))
    for sample, one in sorted(found.items()):
        line = Line(str(sample + 1).rjust(numbered), "ink-3").add(" ")
        line.join(pair_line(one.mark, look)).to(numbered + 4)
        after, role = Line(), "ink-2"
        if is_pair(one.mark):
            role = "ink bold"
            after = Line(f"A {_format_label(one.mark.a)}, B {_format_label(one.mark.b)}", "label-p")
        yield (
            line.add(make_inert(one.text[:LONG]), role)
            .clip(width - after.width - 4)
            .add("    ")
            .join(after)
        )
    yield from _draw_absence(unfolded, thinking, bool(found))


def _draw_absence(unfolded: UnfoldedQuestion | None, thinking: bool, some: bool) -> Iterator[Line]:
    """What is said where answers are not here, or none are."""
    counted = 0 if unfolded is None else unfolded.counted[int(thinking)]
    if counted:
        more = "more there" if some else "there, none here"
        yield Line(f"{COUNTS_OF_A_LAKE}, {counted:,} {more}", "ink-3")
    elif unfolded is not None and not some:
        yield Line("no answers", "ink-3")


def _list_answers(unfolded: UnfoldedQuestion | None) -> tuple[MarkedAnswer, ...]:
    return () if unfolded is None else unfolded.distinct


def _format_label(label: Label | None) -> str:
    return "" if label is None else label.value.lower()


def _judgement(
    answer: "AnswerView",
    letter: str,
    grader: str | None,
    label: Label | None,
    width: int,
    look: Look,
) -> list[Line]:
    """A grader's label of an answer and why."""
    said = next((one for one in answer.judgements if one.grader == grader), None)
    if grader is None or said is None or label not in LABELS:
        return []
    text, role = label_mark(label, look)
    lines = [Line(f"{letter} ", role).add(text, role).to(RATIONALE).add(grader, "ink-2")]
    if said.rationale:
        found = list(
            wrap_spans([Span(make_inert(said.rationale[:LONG]), "ink-2")], width - RATIONALE)
        )
        lines += [Line().to(RATIONALE).join(line) for line in found[:RATIONALE_LINES]]
        if len(found) > RATIONALE_LINES:
            lines[-1].add(spell(ELLIPSIS), "ink-2")
    return lines
