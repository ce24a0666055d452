"""The rows of the answers pane."""

from dataclasses import replace

import pytest

from core.views.session import Session
from core.views.task_view import Judgement
from core.vocabulary import Label, Outcome, Task
from tests.core.views.making import change_graders
from tests.tui.screens.task.making import LOOK, MODEL, A, B, answer_at, session_on, view_of
from tui.screens.task import render_answers
from tui.screens.task.render_answers import AnswerRow, rows_of
from tui.text.line import Line

BOTH = (False, True)
TINT = "underline @tint"


def drawn(session: Session, thinking: bool, sample: int, width: int = 49) -> Line:
    view = view_of(session)
    row = AnswerRow(thinking, answer=answer_at(view, thinking, sample), sample=sample)
    return render_answers.draw(row, view, LOOK, width)


def test_off_then_on_under_headings(session: Session) -> None:
    view = view_of(session)
    rows = rows_of(view, BOTH)
    assert [row.is_heading for row in rows].count(True) == 2
    assert [row.sample for row in rows if row.answer] == [*range(8), *range(8)]
    off, on = (render_answers.draw(row, view, LOOK, 49).text for row in rows if row.is_heading)
    assert off.split() == ["thinking", "off", "0", "of", "7", ".00", "fail", "A", "B", "you"]
    assert on.split() == ["thinking", "on", "4", "of", "8", ".50", "fail"]
    assert len(rows_of(view, (True,))) == 9


def test_a_pair_is_tinted_where_the_graders_differ(session: Session) -> None:
    line = drawn(session, True, 4)
    assert line.text.split() == ["5", "Taurus", "II", "x", "●"]
    assert "".join(span.text for span in line.spans if TINT in span.role) == "x   ●"
    assert not [span for span in drawn(session, True, 3).spans if TINT in span.role]


def test_heads_stand_over_their_marks(session: Session) -> None:
    session.set_label(answer_at(view_of(session), True, 4).slot, Label.OTHER)
    view = view_of(session)
    heading = render_answers.draw(rows_of(view, (True,))[0], view, LOOK, 49).text
    row = drawn(session, True, 4).text
    assert row[heading.rindex("A")] == "x"
    assert row[heading.rindex("B")] == "●"
    assert row[heading.rindex("you") + 1] == "o"


def test_another_persons_label_stands_in_brackets(session: Session) -> None:
    slot = answer_at(view_of(session), True, 4).slot
    session.set_label(slot, Label.CORRECT)
    mine = drawn(session, True, 4).spans[-1]
    assert (mine.text.strip(), mine.role) == ("●", "label-c bold")
    other = session_on(session.path, "ben")
    theirs = drawn(other, True, 4).spans[-1]
    assert (theirs.text.strip(), theirs.role) == ("(●)", "label-c")
    assert drawn(other, True, 4).text.index("●)") == drawn(session, True, 4).text.rindex("●")
    other.close()


def test_multiple_choice_is_labelled_by_choice_alone(session: Session) -> None:
    view = view_of(session, Task.MC_REVERSE)
    heading, row = (
        render_answers.draw(row, view, LOOK, 49).text for row in rows_of(view, (False,))
    )
    assert heading.split()[-2:] == ["choice", "you"]
    assert row.split() == ["1", "A.", "●"]


def test_settings_without_answers_say_so(session: Session) -> None:
    view = view_of(session, Task.COMPLETION)
    assert "not used" in render_answers.draw(rows_of(view, (True,))[0], view, LOOK, 49).text


def test_an_empty_slot_waits(session: Session) -> None:
    view = view_of(session)
    gone = answer_at(view, False, 2)
    rows = rows_of(
        replace(view, answers=tuple(one for one in view.answers if one is not gone)), BOTH
    )
    waiting = next(row for row in rows if row.sample == 2)
    assert waiting.answer is None
    assert render_answers.draw(waiting, view, LOOK, 49).text.split() == ["3", "·"]


def test_a_state_of_grading_has_its_own_mark(session: Session) -> None:
    answer = answer_at(view_of(session), False, 0)
    unread = Judgement(A, "2", Outcome.UNPARSED, None, None)
    assert render_answers.outcome_by(replace(answer, judgements=(unread,)), A) is Outcome.UNPARSED
    both = replace(answer, judgements=(unread, *answer.judgements))
    assert render_answers.outcome_by(both, A) is Outcome.INCORRECT
    assert render_answers.outcome_by(both, f"{A}#1") is Outcome.INCORRECT
    assert render_answers.outcome_by(both, "nobody") is None


@pytest.mark.parametrize("width", [20, 38, 49, 78])
def test_rows_fit_and_leave_the_cursor_its_cell(session: Session, width: int) -> None:
    view = view_of(session)
    for row in rows_of(view, BOTH):
        line = render_answers.draw(row, view, LOOK, width, chosen=True)
        assert line.width <= width
        assert line.text[:1] in ("", " ")


def test_a_large_answer_is_cut_before_it_is_looked_at(session: Session) -> None:
    view = view_of(session)
    large = replace(answer_at(view, False, 0), text="x" * 1_000_000, answer=(0, 1_000_000))
    assert len(render_answers.choose_text(large, 200)[0]) == 200
    assert render_answers.choose_text(replace(large, answer=None), 200) == ("x" * 200, "ink-3")


def test_the_edge_counts(session: Session) -> None:
    assert render_answers.edge(view_of(session)).text == "16 answers, 1 differs"
    assert render_answers.edge(view_of(session, Task.MC_REVERSE)).text == "1 answer"


def test_columns_are_those_of_the_lens(session: Session) -> None:
    view = view_of(session)
    assert render_answers.columns(view) == (A, B)
    alone = replace(view, fact=replace(view.fact, lens=change_graders(view.fact.lens, b=None)))
    assert render_answers.columns(alone) == (A, None)
    heading = render_answers.draw(rows_of(alone, BOTH)[0], alone, LOOK, 49).text
    assert heading.split()[-2:] == ["A", "you"]
    assert view.fact.lens.model == MODEL
