"""The pages of an open answer as lines."""

from core.graders.answer_text import CUT_OFF
from core.modes import find_arm
from core.views.task_view import AnswerView, TaskView
from tui.screens.task import render_detail
from tui.screens.task.render_call import call_lines, option_lines
from tui.screens.task.render_detail import DetailContext
from tui.screens.task.render_text import draw_whole
from tui.screens.task.state import AnswerPage, call_of
from tui.text.line import Line, cut_inside
from tui.text.task_names import format_task_title, place
from tui.theme.glyphs import spell

LONGEST_BASE = 40
"""Cells of a model in the name of an arm."""

CUT = "cut at the limit"
"""How an answer ended that took all the tokens it may."""


def tabs(page: AnswerPage, pages: tuple[AnswerPage, ...], width: int, key: str = "v") -> Line:
    """The pages' names, the open one on its chip."""
    line = Line()
    for one in pages:
        role = "accent bold @chip" if one is page else "ink-2"
        line.add(f" {one} ", role, f"page:{one.value}")
    return line.right(
        Line(
            f"{key}",
            "accent bold",
        ).add(" view", "ink-3"),
        width,
    )


def lines_of(
    page: AnswerPage,
    view: TaskView,
    answer: AnswerView,
    setting: DetailContext,
) -> list[Line]:
    """The lines of a page."""
    if page is AnswerPage.OPTIONS:
        return option_lines(view, answer, setting.look, setting.width)
    if page is AnswerPage.ANSWER:
        return draw_whole(answer, setting.width)
    if page is AnswerPage.CALL:
        return call_lines(view, answer, setting.width)
    return render_detail.lines_of(view, answer, setting)


def matter(page: AnswerPage, view: TaskView, answer: AnswerView) -> tuple[str, ...]:
    """The texts that a page shows whole; the judgement shows parts only."""
    call = call_of(view, answer)
    return {
        AnswerPage.JUDGEMENT: (),
        AnswerPage.OPTIONS: answer.shown or (),
        AnswerPage.ANSWER: (answer.reasoning or "", answer.text),
        AnswerPage.CALL: ((call.prompt or "") if call else "",),
    }[page]


def title(view: TaskView, answer: AnswerView, page: AnswerPage, alone: bool) -> Line:
    """Which answer is open; where nothing else is in sight, of which question."""
    here = place(answer.thinking, answer.sample)
    if not alone:
        return Line(here)
    arm = f", {name_arm(view)}" if name_arm(view) else ""
    count = sum(one.thinking is answer.thinking for one in view.answers)
    words = f"{format_task_title(view.task)}, {here} of {count}"
    return Line((words if page is AnswerPage.JUDGEMENT else f"{words}, {page}") + arm)


def name_arm(view: TaskView) -> str:
    """The arm whose answers are shown: `gemma3-27b 10-shot known`; empty for a model."""
    arm = find_arm(view.fact.lens.model or "")
    if arm is None:
        return ""
    mode = str(arm.mode).replace(":", " ").replace("-shuffle", " shuffle")
    return f"{cut_inside(arm.base, LONGEST_BASE)} {mode}"


def edge(answer: AnswerView) -> Line:
    """How the answer ended."""
    words = []
    if answer.reasoning_tokens is not None:
        words.append(f"{answer.reasoning_tokens:,} reasoning tokens")
    if answer.finish is not None:
        words.append(CUT if answer.finish == CUT_OFF else answer.finish)
    return Line(spell(" · ").join(words), "ink-3")


def format_copy(page: AnswerPage, view: TaskView, answer: AnswerView) -> str:
    """What is copied from a page."""
    if page is AnswerPage.OPTIONS:
        return "\n".join(
            f"{letter}. {text}" for letter, text in zip("ABCD", answer.shown or (), strict=False)
        )
    call = call_of(view, answer)
    if page is AnswerPage.CALL and call is not None and call.prompt is not None:
        return call.prompt
    return answer.text
