"""The lens's model task by task: mean grades, which questions fail, and what to do next."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.glossary.glossary import BY_TERM
from core.scoring.policy import Policy
from core.stats.number_format import format_amount
from core.views.profiles.profile_rows import ProfileRow
from core.views.profiles.task_grades import FailedQuestions, TaskGrade
from tui.screens.profiles import render_bars
from tui.text import task_names
from tui.text.line import Line
from tui.text.number_text import coefficient
from tui.theme.look import Look

NUMBER, GRADE, LEAST_TRACK, MOST_TRACK = 3, 5, 6, 40
"""Cells of a task's digit, of a grade, and of the track beside it at least and at most."""

GAP = "    "
FAILED = "which questions fail where it is stored"
FEW_BAR, COUNT = 6, 8


@dataclass(frozen=True, slots=True)
class NextSteps:
    """What the next steps follow from.

    `differing` counts facts on which the compared graders differ; None where none are compared.
    `unasked` counts incomplete facts that lack questions, which no run brings; `others` are the
    other models.
    """

    row: ProfileRow
    code: str | None
    differing: int | None
    unasked: int = 0
    others: Sequence[str] = ()


def task_lines(grades: Sequence[TaskGrade], policy: Policy, width: int, look: Look) -> list[Line]:
    """A heading, then each task with its mean g off and on; green where it passes."""
    names = task_names.fit_names(max(0, width - NUMBER - 2 * (GRADE + LEAST_TRACK + 3)))
    name = max(map(len, names.values())) + 1
    track = (width - NUMBER - name - 2 * (GRADE + 3)) // 2
    track = min(track, MOST_TRACK) if track >= LEAST_TRACK else 0
    column = GRADE + (track + 3 if track else 1)
    heading = Line().to(NUMBER).cell("task", name, "ink-3")
    heading.cell("off".rjust(GRADE), column, "ink-3").cell("on".rjust(GRADE), column, "ink-3")
    lines = [heading.clip(width)]
    for one in grades:
        line = Line(f" {task_names.number(one.task)} ", "accent bold")
        line.cell(names[one.task], name, "ink")
        for grade, role in ((one.off, "series-1"), (one.on, "series-2")):
            line.join(_grade(grade, role, track, policy, look).to(column))
        lines.append(line.clip(width))
    return lines


def _grade(grade: float | None, role: str, track: int, policy: Policy, look: Look) -> Line:
    passes = grade is not None and grade > policy.tau
    line = Line().cell(coefficient(grade, 2), GRADE, "label-c" if passes else "ink", right=True)
    if grade is None or not track:
        return line
    at = round(grade * (track - 1))
    line.add(" ").add(look.glyph("bar") * at, role).add(look.glyph("knob"), f"{role} bold")
    return line.add(look.glyph("track") * (track - 1 - at), "rule")


def failed_lines(failed: FailedQuestions, width: int, look: Look) -> list[Line]:
    """A titled hairline, then facts by the questions that fail; nothing where none does."""
    if not failed.total:
        return []
    rows = [
        ("direct fails, reverse passes", failed.only_direct, "accent"),
        ("reverse fails, direct passes", failed.only_reverse, "accent"),
        ("both fail", failed.both, "accent"),
    ]
    if failed.choices_pass is not None:
        rows.append(("  of these multiple choice passes", failed.choices_pass, "ink-3"))
    title = Line(f" {FAILED} ", "ink-3")
    title.add(look.glyph("track") * max(0, width - title.width), "rule")
    most = max(count for _, count, _ in rows)
    words = max(len(text) for text, _, _ in rows) + 2
    room = width - words - COUNT - 2
    lines = [title.clip(width)]
    for text, count, role in rows:
        line = Line(" ").cell(text, words, "ink").cell(f"{count:,}", COUNT - 2, "ink", right=True)
        cells = round(count / most * room) if room >= FEW_BAR else 0
        lines.append(line.add("  ").add(look.glyph("bar") * cells, role).clip(width))
    return lines


def next_line(steps: NextSteps, width: int) -> Line:
    """What to do next, most wanted first, with the key of each; what has no room is left out."""
    line = Line(" ")
    for key, text in _steps(steps):
        one = Line().add(key, "accent bold", key).add(f" {text}", "ink-2", key)
        gap = GAP if line.width > 1 else ""
        if line.width + len(gap) + one.width <= width:
            line.add(gap).join(one)
    return line


def _steps(steps: NextSteps) -> Iterator[tuple[str, str]]:
    summary = steps.row.now.summary
    if steps.code is not None:
        count = render_bars.count_of(steps.row.now, steps.code)
        name = BY_TERM[steps.code].name
        yield "enter", f"the {format_amount(count, 'fact')} of {name}"
    lacking = summary.incomplete - steps.unasked
    if lacking > 0:
        verb = "lacks" if lacking == 1 else "lack"
        yield "r", f"what {format_amount(lacking, 'incomplete fact')} {verb}"
    elif not summary.thinking:
        yield "r", "the same questions with thinking"
    if steps.others:
        yield "C", f"compare with {'another model' if steps.others[1:] else steps.others[0]}"
    if steps.differing:
        noun = "fact" if steps.differing == 1 else "facts"
        yield "F4", f"{steps.differing:,} {noun} on which graders differ"
    elif steps.differing is None:
        yield "r", "a second grader, to compare"
    if summary.thinking and lacking <= 0 and not steps.others:
        yield "r", "another model, to compare"
