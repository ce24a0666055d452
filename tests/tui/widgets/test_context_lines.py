"""What stands around a question fits its column, whatever is in it."""

from collections.abc import Sequence

import pytest

from core.views.answer_marks import AnswerMark
from core.views.entity_spans import SourceText
from core.views.question_context import AnswerGroup, ModelMarks, QuestionContext, QuestionGrades
from core.vocabulary import Label, Outcome, Task
from tui.text.line import Line
from tui.theme.look import look_named
from tui.widgets import context_lines

LOOK = look_named("dark")
TEXT = "Paris is the capital of France. Paris it is, says everybody who has been there once."
BEGINNING = "Paris is the capital of France. Paris it is, …"
END = "… of France. Paris it is, says everybody who has been there once."
HOSTILE = "\x1b[2Jहिन्दी\u202e" * 20
MARKS = (AnswerMark(True, Outcome.CORRECT),) * 8


def context(*texts: str) -> QuestionContext:
    groups = tuple(
        AnswerGroup(text, frozenset({at, 100 + at}), ((Label.CORRECT, 1), (None, 1)), ("one",))
        for at, text in enumerate(texts)
    )
    return QuestionContext(
        1,
        Task.DIRECT,
        "one",
        SourceText(TEXT),
        groups,
        (ModelMarks("one", MARKS, (), "DR"), ModelMarks(HOSTILE, MARKS, MARKS, "--")),
        (QuestionGrades(Task.REVERSE, HOSTILE, 0.5, None),),
    )


def texts(lines: Sequence[Line]) -> list[str]:
    return [line.text.rstrip() for line in lines]


def test_the_open_answer_is_listed_however_rare_it_is() -> None:
    found = texts(context_lines.alike_lines(context(*"abcdefghij"), 9, 60, LOOK))
    assert found[0].startswith("alike, over all models ")
    assert [line.split()[0] for line in found[1:]] == [*"abcde", "j", "and"]
    assert found[-1] == "and 4 other answers"
    assert found[1].split() == ["a", "2", "●", "1", "·", "1", "one"]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("paris", f"the answer paris stands there twice: {BEGINNING}"),
        ("who has", f"the answer who has stands there once: {END}"),
        ("Rome", "the answer Rome does not stand there"),
        ("", "there is no answer to look for"),
    ],
)
def test_it_is_said_whether_the_answer_stands_in_the_text(answer: str, said: str) -> None:
    lines = texts(context_lines.place_lines(context(answer), 0, 60))[1:]
    assert " ".join(line.strip() for line in lines) == said


@pytest.mark.parametrize("width", [20, 40, 60])
def test_lines_fit_and_are_inert(width: int) -> None:
    found = context(HOSTILE, "plain")
    lines = [
        *context_lines.text_lines(found, width),
        *context_lines.place_lines(found, 0, width),
        *context_lines.alike_lines(found, 0, width, LOOK),
        *context_lines.model_lines(found, width, LOOK),
        *context_lines.question_lines(found, width),
    ]
    assert all(line.width <= width for line in lines)
    assert all(line.text.isprintable() for line in lines)
