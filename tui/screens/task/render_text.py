"""Answers as they were written: in one flow of text, and whole, line by line."""

from core.views.task_view import AnswerView
from tui.text.inert_text import lines
from tui.text.line import Line, Span
from tui.text.line_wrap import paragraph, wrap_spans
from tui.theme.glyphs import spell

GLANCE = 1200
"""Characters at either end of a text that the flow shows."""

FINE = 20_000
"""Characters of one line up to which the answer in it is underlined on the page of all text."""

ANSWER = "ink bold underline"


def flow(answer: AnswerView, width: int) -> list[Line]:
    """Reasoning, then the text, as one paragraph; the answer in it is underlined.

    Of long texts both ends are shown.
    """
    spans: list[Span] = []
    if answer.reasoning:
        spans += _glance(answer.reasoning, "ink-3") + _break()
    text, at = answer.text, answer.answer
    if at is None or at[1] - at[0] > GLANCE:
        return list(wrap_spans(spans + _glance(text, "ink-2"), width))
    spans += _glance(text[: at[0]], "ink-2") + _join_lines(text[at[0] : at[1]], ANSWER)
    return list(wrap_spans(spans + _glance(text[at[1] :], "ink-2"), width))


def _glance(text: str, role: str) -> list[Span]:
    """Text in one line, only its ends if it is long."""
    if len(text) <= 2 * GLANCE:
        return _join_lines(text, role)
    left_out = len(text) - 2 * GLANCE
    between = Line(f" {spell('…')} {left_out:,} characters {spell('…')} ", "ink-3").spans
    return _join_lines(text[:GLANCE], role) + between + _join_lines(text[-GLANCE:], role)


def _join_lines(text: str, role: str) -> list[Span]:
    """Lines put together, with a sign where each ended; blank ones leave no second sign."""
    spans: list[Span] = []
    for place, line in enumerate(lines(text)):
        if place and (not spans or spans[-1].text != spell(_SIGN)):
            spans += _break()
        spans += Line(line, role).spans
    return spans


_SIGN = " ¶ "


def _break() -> list[Span]:
    return [Span(spell(_SIGN), "ink-3")]


def draw_whole(answer: AnswerView, width: int) -> list[Line]:
    """All of the reasoning and the text, with their own line breaks."""
    found: list[Line] = []
    if answer.reasoning:
        found += [Line("reasoning ", "ink-3").rule(width)]
        found += [*paragraph(answer.reasoning, width, "ink-2"), Line()]
        found += [Line("answer ", "ink-3").rule(width)]
    text, at = answer.text, answer.answer
    if not text:
        return [*found, Line("The answer is empty.", "ink-3")]
    if at is None or "\n" in text[at[0] : at[1]] or text.strip() == text[at[0] : at[1]]:
        return found + paragraph(text, width)
    start, end = text.rfind("\n", 0, at[0]) + 1, text.find("\n", at[1])
    end = len(text) if end < 0 else end
    if end - start > FINE:
        return found + paragraph(text, width)
    line = Line(text[start : at[0]]).add(text[at[0] : at[1]], ANSWER).add(text[at[1] : end])
    before = paragraph(text[: start - 1], width) if start else []
    after = paragraph(text[end + 1 :], width) if end < len(text) else []
    return [*found, *before, *wrap_spans(line.spans, width), *after]
