"""What FACT-BENCH says of an arm's answer, and the prompt of an arm with its exemplars marked."""

from core.graders.grader_record import JUDGE
from core.scoring.precedence import HUMAN_PREFIX
from core.views.arm_answer import ScoredAnswer
from core.views.sent_prompts import SentExemplar
from core.views.task_view import AnswerView, Call, Judgement, TaskView
from core.views.verdict_reasons import format_g
from tui.text.line import Line
from tui.text.line_wrap import paragraph, wrap_spans
from tui.theme.glyphs import spell
from tui.theme.look import Look
from tui.theme.roles import label_of, outcome_mark
from tui.widgets.exemplar_marks import answer_role, exemplar_counts, exemplar_mark

LONGEST = 4000
"""Characters of a gold, and of the words shared with it, that are shown."""

SHOWN_GOLD = 60
"""Characters of the gold that stands beside a counterfactual exemplar."""

_NAME = 8


def score_lines(
    view: TaskView, answer: AnswerView, found: ScoredAnswer, width: int, look: Look
) -> list[Line]:
    """Exact match and F1 beside the judge and people; the gold that matched; the words shared."""
    scores = found.scores
    line = _measures(scores.em, scores.f1, look)
    for one in _seconds(answer):
        who = one.grader.removeprefix(HUMAN_PREFIX).partition(":")[0]
        mark, role = outcome_mark(one.outcome, look)
        line.add(f"   {who} ", "ink-3").add(f"{mark} ", role)
        line.add(label_of(one.outcome) or "no label", role)
    lines = [*wrap_spans(line.spans, width)]
    if (scores.em_raw, scores.f1_raw) != (scores.em, scores.f1):
        raw = _measures(scores.em_raw, scores.f1_raw, look)
        lines.append(raw.add("   of the whole response", "ink-3").clip(width))
    return [Line("scores ", "ink-3").rule(width), *lines, *_match_lines(view, found, width)]


def _measures(em: int, f1: float, look: Look) -> Line:
    mark, role = ("=", "label-c bold") if em else (look.glyph("INCORRECT"), "label-i bold")
    line = Line("EM ", "ink-3").add(mark, role)
    return line.add("   F1 ", "ink-3").cell(spell(format_g(f1)), 4, "ink bold", right=True)


def _seconds(answer: AnswerView) -> list[Judgement]:
    """What judges and people said of an answer, each in its newest version."""
    chosen = (one for one in answer.judgements if one.grader.startswith((JUDGE, HUMAN_PREFIX)))
    newest: dict[str, Judgement] = {}
    for one in chosen:
        newest.setdefault(one.grader, one)
    return sorted(newest.values(), key=lambda one: not one.grader.startswith(JUDGE))


def _match_lines(view: TaskView, found: ScoredAnswer, width: int) -> list[Line]:
    """The gold or alias that the answer equals or comes nearest to, and what they share."""
    match = found.match
    if match is None:
        words = "no word of a gold" if found.scores.answer else "no answer in it"
        return [Line(words, "ink-3")]
    kind = "gold" if match.gold == view.gold else "alias"
    named = Line("equals " if found.scores.em else "nearest ", "ink-3").to(_NAME)
    named.add(match.gold[:LONGEST], "object").add(f"  {kind}", "ink-3")
    lines = [*wrap_spans(named.spans, width)]
    if not found.scores.em:
        shared = Line("shared ", "ink-3").to(_NAME)
        lines += wrap_spans(shared.add(" ".join(match.shared)[:LONGEST]).spans, width)
    return lines


def prompt_lines(call: Call, width: int) -> list[Line]:
    """The prompt as sent; exemplars have their answers underlined and what they are behind."""
    prompt = call.prompt or ""
    there = [(one.answer, one) for one in call.exemplars if one.answer is not None]
    if not there:
        return paragraph(prompt, width)
    head = f"{len(call.exemplars):,} exemplars: {exemplar_counts(call.exemplars)}"
    lines = [*wrap_spans(Line(head, "ink-3").spans, width), Line()]
    at = 0
    for (start, end), one in there:
        first = prompt.rfind("\n", at, start) + 1 or at
        last = prompt.find("\n", end)
        last = len(prompt) if last < 0 else last
        if first > at:
            lines += paragraph(prompt[at : first - 1], width)
        lines += _draw_answer_line(
            prompt[first:start], prompt[start:end], prompt[end:last], one, width
        )
        at = last + 1
    return [*lines, *(paragraph(prompt[at:], width) if at < len(prompt) else [])]


def _draw_answer_line(
    before: str, shown: str, after: str, one: SentExemplar, width: int
) -> list[Line]:
    """The line of an exemplar's answer, with what it is at the right or below."""
    line = Line(before).add(shown, f"{answer_role(one)} underline").add(after)
    lines = [*wrap_spans(line.spans, width)]
    mark = exemplar_mark(one, SHOWN_GOLD)
    if lines and lines[-1].width + mark.width + 3 <= width:
        return [*lines[:-1], lines[-1].right(mark, width)]
    return [*lines, Line().right(mark.clip(width), width)]
