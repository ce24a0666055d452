"""Pages that have something on them, how they are turned, and what is copied from them."""

from dataclasses import replace

from core.views.session import Session
from core.views.task_view import Call, ResponseSource
from core.vocabulary import Task
from db.response_sources import SourceFile
from tests.tui.screens.task.making import LOOK, OPTIONS, answer_at, view_of
from tui.screens.task import render_pages, state
from tui.screens.task.render_detail import DetailContext
from tui.screens.task.state import AnswerPage

SETTING = DetailContext(64, LOOK)


def test_pages_without_anything_are_left_out(session: Session) -> None:
    view = view_of(session)
    answer = answer_at(view, True, 4)
    assert state.list_pages(view, answer) == (AnswerPage.JUDGEMENT, AnswerPage.ANSWER)
    drawn = replace(answer, finish="stop", reasoning_tokens=64)
    assert state.list_pages(view, drawn) == (
        AnswerPage.JUDGEMENT,
        AnswerPage.ANSWER,
        AnswerPage.CALL,
    )
    assert render_pages.edge(drawn).text == "64 reasoning tokens · stop"
    choice = view_of(session, Task.MC_REVERSE)
    assert AnswerPage.OPTIONS in state.list_pages(choice, choice.answers[0])


def test_turning_comes_around() -> None:
    there = (AnswerPage.JUDGEMENT, AnswerPage.ANSWER)
    assert state.next_page(AnswerPage.JUDGEMENT, there) is AnswerPage.ANSWER
    assert state.next_page(AnswerPage.ANSWER, there) is AnswerPage.JUDGEMENT
    assert state.next_page(AnswerPage.CALL, there) is AnswerPage.JUDGEMENT


def test_tabs_can_be_clicked() -> None:
    line = render_pages.tabs(AnswerPage.ANSWER, tuple(AnswerPage), 64)
    assert line.part_at(line.text.index("call")) == "page:call"
    assert [span.text for span in line.spans if "@chip" in span.role] == [" answer "]
    assert line.text.endswith("v view")


def test_options_in_the_order_shown(session: Session) -> None:
    view = view_of(session, Task.MC_REVERSE)
    answer = view.answers[0]
    lines = [line.text for line in render_pages.lines_of(AnswerPage.OPTIONS, view, answer, SETTING)]
    shown = OPTIONS[Task.MC_REVERSE.side]
    assert [line.split()[-1] for line in lines[:4]] == [one.split()[-1] for one in shown]
    assert lines[0].split() == [">", "●", "A", "Antares"]
    assert "read as  letter A alone" in lines
    assert (
        render_pages.format_copy(AnswerPage.OPTIONS, view, answer).splitlines()[1]
        == "B. Minotaur-C"
    )


def test_an_imported_answer_says_where_it_came_from(session: Session) -> None:
    view = view_of(session)
    file = SourceFile("rivers [/b].eval", "inspect", "ev\x1b[31m1")
    source = ResponseSource(1, file, "s/1", 2, None, "system: be brief\n\nuser: Which?")
    answer = replace(answer_at(view, False, 0), source=source)
    assert AnswerPage.CALL in state.list_pages(view, answer)
    lines = render_pages.lines_of(AnswerPage.CALL, view, answer, SETTING)
    told = [line.text.rstrip() for line in lines]
    assert told[1:4] == ["system: be brief", "", "user: Which?"]
    start = next(place for place, one in enumerate(told) if one.startswith("source "))
    assert [one.split(None, 1) for one in told[start + 1 : start + 6]] == [
        ["file", "rivers [/b].eval"],
        ["format", "inspect"],
        ["log", "ev\u241b[31m1"],
        ["sample", "s/1"],
        ["epoch", "2"],
    ]
    assert not any(one.startswith("uuid") for one in told)
    assert all(line.text.isprintable() for line in lines)


def test_the_call_of_a_drawn_answer(session: Session) -> None:
    view = view_of(session)
    recipe = {"prompts": {"question": "b5483d"}, "temperature": 1.0, "max_tokens": {"question": 32}}
    call = Call(True, "user:\nWhich rocket?", recipe)
    drawn = replace(view, calls=(call,))
    answer = replace(answer_at(view, True, 4), finish="length")
    text = [line.text for line in render_pages.lines_of(AnswerPage.CALL, drawn, answer, SETTING)]
    assert text[1:3] == ["user:", "Which rocket?"]
    assert any(line.split() == ["temperature", "1.0"] for line in text)
    assert any(line.split() == ["question", "32"] for line in text)
    assert any(line.split() == ["finish", "length"] for line in text)
    assert text[-1].split() == ["question", "b5483d"], "hashes stand last"
    assert render_pages.format_copy(AnswerPage.CALL, drawn, answer) == call.prompt


def test_the_call_of_an_imported_answer(session: Session) -> None:
    view = view_of(session)
    answer = answer_at(view, True, 4)
    text = " ".join(
        line.text for line in render_pages.lines_of(AnswerPage.CALL, view, answer, SETTING)
    )
    assert "nobody here knows how it was asked" in text
    assert render_pages.format_copy(AnswerPage.CALL, view, answer) == answer.text


def test_titles(session: Session) -> None:
    view = view_of(session)
    answer = answer_at(view, True, 4)
    assert render_pages.title(view, answer, AnswerPage.JUDGEMENT, False).text == "on 5"
    alone = render_pages.title(view, answer, AnswerPage.JUDGEMENT, True).text
    assert alone == "6 reverse natural, on 5 of 8"
    assert render_pages.title(view, answer, AnswerPage.ANSWER, True).text == f"{alone}, answer"


def test_only_whole_texts_matter_to_how_long_a_page_takes(session: Session) -> None:
    view = view_of(session)
    large = replace(answer_at(view, True, 4), text="x" * 1_000_000)
    assert sum(map(len, render_pages.matter(AnswerPage.JUDGEMENT, view, large))) == 0
    assert sum(map(len, render_pages.matter(AnswerPage.ANSWER, view, large))) == 1_000_000
