"""The head of the Task screen: ten tasks with their grades, the question, the verdict."""

from dataclasses import dataclass

from core.views.fact_view import TaskRow
from core.views.task_view import TaskView
from core.views.verdict_reasons import PARTS, format_g, format_tau
from core.vocabulary import TASKS, Task
from tui.text import task_names
from tui.text.cell_width import head
from tui.text.line import ELLIPSIS, Line
from tui.text.line_wrap import wrap_spans
from tui.theme.glyphs import spell
from tui.widgets.verdict_marks import holds_word, passing_role, verdict

LEAST = 18
"""Lines of a screen from which on the ten tasks are shown."""

LONGEST = 4000
"""Characters of a question that are looked at here; the call has all of them."""

_FEWEST, _MOST = 8, 20
_G_CELLS = 5


def task_lines(view: TaskView, settings: tuple[bool, ...], width: int) -> list[Line]:
    """Two lines for the ten tasks; four where they do not fit side by side."""
    across = len(TASKS) if width >= _FEWEST * len(TASKS) else len(TASKS) // 2
    stride = max(_FEWEST, min(_MOST, width // across))
    called = task_names.fit_names(stride - 3)
    if stride < _G_CELLS * len(settings):
        settings = settings[:1]
    lines = []
    for at in range(0, len(TASKS), across):
        top, below = Line(), Line()
        for row in view.fact.tasks[at : at + across]:
            ground = " @chip" if row.task is view.task else ""
            top.join(_name(row.task, called[row.task], stride, ground))
            below.join(_grades(row, settings, stride, ground))
        lines += [top.clip(width), below.clip(width)]
    return lines


def part_of(task: Task) -> str:
    """What a click on a task means."""
    return f"task:{task.value}"


def _name(task: Task, called: str, stride: int, ground: str) -> Line:
    part = part_of(task)
    line = Line().add(" ", f"ink{ground}", part)
    line.add(task_names.number(task), f"accent bold{ground}", part).add(" ", f"ink{ground}", part)
    return line.cell(called, stride - 3, f"ink bold{ground}" if ground else "ink-2", part)


def _grades(row: TaskRow, settings: tuple[bool, ...], stride: int, ground: str) -> Line:
    part = part_of(row.task)
    line = Line()
    for thinking in settings:
        grade = row.on if thinking else row.off
        text = spell(format_g(grade.g)) if row.question else ""
        line.cell(text, _G_CELLS, passing_role(grade.passes) + ground, part, right=True)
    return line.cell("", stride - line.width, f"ink{ground}", part)


def question_lines(text: str, task: Task, width: int, lines: int) -> list[Line]:
    """The question in exactly `lines` lines, standing at the bottom of them.

    Of a text to be completed the end is shown, of a question its beginning.
    """
    ending = task is Task.COMPLETION
    part = text.rstrip()[-LONGEST:] if ending else text[:LONGEST]
    broken = list(wrap_spans(Line(part, "ink bold").spans, width))
    kept = broken[-lines:] if ending else broken[:lines]
    if len(broken) > lines or len(part) < len(text.rstrip()):
        kept = _first_cut(kept, width) if ending else _last_cut(kept, width)
    return [Line() for _ in range(lines - len(kept))] + kept


def _first_cut(kept: list[Line], width: int) -> list[Line]:
    """A beginning that is missing is marked at the left, so that the end stays."""
    text = kept[0].text.lstrip()
    while len(text) > 1 and Line(text).width > width - 2:
        text = text[1:]
    return [Line(f"{spell(ELLIPSIS)} ", "ink-3").add(text, "ink bold"), *kept[1:]]


def _last_cut(kept: list[Line], width: int) -> list[Line]:
    return [*kept[:-1], Line(head(kept[-1].text, width - 1) + spell(ELLIPSIS), "ink bold")]


def verdict_line(view: TaskView, width: int) -> Line:
    """Gold, threshold, the parts of the verdict that this question decides, the verdict."""
    gap = "      " if width >= 90 else "  "
    end = Line()
    if width >= 90:
        end.add(f"passes above {format_tau(view.fact.lens.policy.tau)}", "ink-3").add(gap)
    parts = decides(view.task)
    for reason in (one for one in view.fact.reasons if one.name in parts):
        word, role = holds_word(reason.holds)
        end.add(f"{reason.name} ", "ink-3").add(word, f"{role} bold").add("  ")
    if not parts:
        end.add("decides no profile  ", "ink-3")
    end.add(gap[2:]).join(verdict(view.fact.code))
    if width < 60:
        end = verdict(view.fact.code)
    line = Line("gold ", "ink-3").add(view.gold[:LONGEST], "object bold")
    if view.aliases and line.width + end.width + 20 < width:
        line.add(f" or {', '.join(view.aliases)[:LONGEST]}", "ink-3")
    return line.clip(max(8, width - end.width - len(gap))).add(gap).join(end).clip(width)


def decides(task: Task) -> tuple[str, ...]:
    """The parts of the verdict that a task has a say in; none for multiple choice."""
    return tuple(name for name, tasks, _ in PARTS if task in tasks)


@dataclass(frozen=True, slots=True)
class HeadRoom:
    """What room there is for the head: cells across, lines of the screen.

    Only a very low screen leaves the ten tasks out.
    """

    width: int
    screen: int

    @property
    def task_lines(self) -> int:
        """Lines that the ten tasks take."""
        if self.screen < LEAST:
            return 0
        return 2 if self.width >= _FEWEST * len(TASKS) else 4

    @property
    def question_lines(self) -> int:
        """Lines that the question may take."""
        return 1 if self.screen < 30 else 2 if self.screen < 50 else 3

    @property
    def height(self) -> int:
        """Lines of the head, without its edges."""
        return self.task_lines + self.question_lines + 1


def lines_of(view: TaskView, settings: tuple[bool, ...], room: HeadRoom) -> list[Line]:
    """The whole head."""
    width = room.width - 2
    tasks = task_lines(view, settings, room.width) if room.task_lines else []
    question = question_lines(view.text, view.task, width, room.question_lines)
    below = [*question, verdict_line(view, width)]
    return [*tasks, *(Line(" ").join(line) for line in below)]
