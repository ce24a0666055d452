"""The judgement page: labels, reasons, and what your label would do."""

from dataclasses import replace

import pytest

from core.views.session import Session
from core.views.task_view import AnswerView, Consequence, Judgement, TaskView
from core.vocabulary import LABELS, Label, Outcome, Task
from tests.tui.screens.task.making import LOOK, WHY, A, answer_at, view_of
from tui.screens.task import render_detail
from tui.screens.task.render_detail import DetailContext
from tui.text.line import Line

SETTING = DetailContext(64, LOOK, you="human:mira", armed=True)
FIVE = (True, 4)


def whole_page(
    view: TaskView,
    answer: AnswerView,
    effects: tuple[Consequence, ...] | None,
    setting: DetailContext,
) -> list[Line]:
    """What is read, and what stays in sight below it."""
    found = render_detail.lines_of(view, answer, setting)
    return [*found, *render_detail.decision_lines(view, answer, effects, setting)]


def page(
    session: Session,
    setting: DetailContext = SETTING,
    at: tuple[bool, int] = FIVE,
    effects: bool = True,
) -> list[str]:
    view = view_of(session)
    answer = answer_at(view, *at)
    found = session.consequences(answer.slot) if effects else None
    return [line.text for line in whole_page(view, answer, found, setting)]


def test_graders_with_their_reasons(session: Session) -> None:
    lines = page(session)
    assert lines[0] == "Taurus II"
    assert lines[2].split() == ["A", "x", "INCORRECT", A, "version", "1"]
    assert lines[3].strip() == WHY
    assert lines[5].split()[:3] == ["B", "●", "CORRECT"]


def test_an_answer_is_shown_once(session: Session) -> None:
    view = view_of(session)
    answer = answer_at(view, *FIVE)

    def titles(text: str, width: int = 64, **changes: object) -> list[str]:
        shown = replace(answer, text=text, answer=(0, len(text)), **changes)  # type: ignore[arg-type]
        lines = whole_page(view, shown, None, replace(SETTING, width=width))
        return [line.text for line in lines if line.text.startswith("as written ─")]

    assert titles("Taurus II") == []
    assert len(titles("Taurus II", reasoning="It is not Antares.")) == 1
    assert titles("word " * 29 + "word") == []
    assert len(titles("word " * 29 + "word", width=40)) == 1


def test_every_consequence_before_the_key_is_pressed(session: Session) -> None:
    lines = page(session)
    start = next(at for at, line in enumerate(lines) if line.startswith("your label ─"))
    assert [" ".join(line.split()) for line in lines[start + 1 : start + 5]] == [
        "c ● correct g .63 pass KT yes becomes RT",
        "i x incorrect g .50 fail KT no changes nothing",
        "p ≈ partially g .57 pass KT yes becomes RT",
        "o o other g .57 pass KT yes becomes RT",
    ]


def test_a_question_may_change_while_the_profile_stays(session: Session) -> None:
    assert any("stays RF" in line for line in page(session, at=(False, 0)))


def test_keys_are_shown_before_the_effects_are_known(session: Session) -> None:
    lines = page(session, effects=False)
    assert sum("correct" in line and " g " not in line for line in lines) == 2


def test_a_cell_that_decides_nothing_names_no_part(session: Session) -> None:
    view = view_of(session, Task.MC_REVERSE)
    answer = view.answers[0]
    lines = whole_page(view, answer, session.consequences(answer.slot), SETTING)
    text = [" ".join(line.text.split()) for line in lines]
    assert "c ● correct g 1.00 pass changes nothing" in text
    assert "i x incorrect g .00 fail stays RF" in text
    assert text[2].split()[:3] == ["●", "CORRECT", "choice"]
    assert text[3].startswith("your label"), "a label of another version has no words of this one"


def test_your_label_and_note(session: Session) -> None:
    slot = answer_at(view_of(session), *FIVE).slot
    session.set_label(slot, Label.CORRECT)
    session.set_note(slot, "same vehicle, earlier name")
    lines = page(session)
    place = next(at for at, line in enumerate(lines) if line.startswith("you ●"))
    assert "human:mira" in lines[place]
    assert lines[place + 1].strip() == "same vehicle, earlier name"
    assert any("correct" in line and "changes nothing" in line for line in lines)


@pytest.mark.parametrize("outcome", [Outcome.UNPARSED, Outcome.REFUSED, Outcome.ERROR])
def test_why_there_is_no_label(session: Session, outcome: Outcome) -> None:
    view = view_of(session)
    said = Judgement(A, "1", outcome, "I would say…", None)
    answer = replace(answer_at(view, *FIVE), judgements=(said,))
    text = "\n".join(line.text for line in whole_page(view, answer, None, SETTING))
    assert "? no label" in text
    assert "I would say…" in text
    assert A in text


def test_nobody_has_labelled_it(session: Session) -> None:
    view = view_of(session)
    answer = replace(answer_at(view, *FIVE), judgements=())
    assert "no grader has labelled it yet" in [
        line.text for line in whole_page(view, answer, None, SETTING)
    ]


def test_no_blank_lines_where_there_is_little_height(session: Session) -> None:
    low = page(session, replace(SETTING, roomy=False, alone=True, width=78))
    assert low[0] == "Taurus II    gold Antares"
    assert low[1].startswith("A ")
    assert [low[at + 1].split()[0] for at, line in enumerate(low) if not line] == ["as"]


@pytest.mark.parametrize("width", [20, 38, 64, 120])
def test_lines_fit(session: Session, width: int) -> None:
    view = view_of(session)
    answer = answer_at(view, *FIVE)
    long = replace(answer, judgements=(Judgement(A, "1", Outcome.CORRECT, "why " * 9999, 5),))
    for one in (answer, long):
        effects = session.consequences(answer.slot)
        lines = whole_page(view, one, effects, replace(SETTING, width=width))
        assert width < 38 or max(line.width for line in lines) <= width
        assert len(lines) < 500


def test_label_keys_may_be_others(session: Session) -> None:
    other = replace(SETTING, keys=dict(zip(LABELS, "wxyz", strict=True)))
    assert any(line.startswith(" w   ● correct") for line in page(session, other))


def test_label_keys_stand_out_only_where_they_work(session: Session) -> None:
    view = view_of(session)
    answer = answer_at(view, *FIVE)
    for armed, role in ((True, "accent bold @chip"), (False, "ink-2 @chip")):
        lines = whole_page(view, answer, None, replace(SETTING, armed=armed))
        caps = {span.role for line in lines for span in line.spans if span.text == " c "}
        assert caps == {role}


def test_effects_are_in_the_order_of_the_labels(session: Session) -> None:
    found: tuple[Consequence, ...] = session.consequences(answer_at(view_of(session), *FIVE).slot)
    assert tuple(one.label for one in found) == LABELS
