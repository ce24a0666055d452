"""The page of a fact, line by line, at every size."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.views.arm_verdict import ArmVerdict
from core.views.fact_view import LatentVerdict
from core.views.lens import Lens, Thinking
from core.views.task_view import TaskView
from core.vocabulary import TASKS, Task
from tests.tui.screens.facts.making import LOOK, a_view, an_unfolded, look, mark, roles
from tui.screens.facts.page_shape import PageShape
from tui.screens.facts.render_fact import Content, PageRow, layout, page, question_words
from tui.screens.facts.render_verdict import summary_line, verdict_lines
from tui.theme.look import look_named
from tui.widgets.source_text import source_lines

PICTURE = PageShape(65)


def text_of(rows: list[PageRow]) -> list[str]:
    return [row.line.text.rstrip() for row in rows]


def shown(shape: PageShape = PICTURE, task: Task = Task.DIRECT, **changes: object) -> list[str]:
    content = Content(a_view(**changes), task, an_unfolded(task))
    return text_of(page(content, shape, LOOK))


def test_the_page_as_in_the_picture() -> None:
    lines = shown(task=Task.REVERSE_NATURAL)
    assert lines[0] == "A long tale of engines. The Wren, a rocket, burns kerosene …"
    assert lines[5:11] == [
        " RF  recall failure   lost key: stored, but out of reach",
        "E   encoded      yes  completion 1.00, contextual .88",
        "K0  known        no   reverse .13, reverse natural .00",
        "KT  by thinking  –    thinking not measured",
        "≠   grader B on one answer makes it RT recall with thinking",
        "2 models         DR RF",
    ]
    assert lines[12] == "  task               off                on              gold"
    assert lines[13].startswith("encoding ──────")
    assert lines[14] == " 1 completion        .57  ●●xx●≈o●       –  not used    kerosene"
    assert lines[20] == " 6 reverse natural   .57  ●●xx●≈o●     .75  ●●●x●●x●    Wren"
    assert lines[26].startswith("● correct  x incorrect")
    assert lines[27] == "What about number 5?   gold Wren"
    assert lines[29].split() == ["off", "on"]
    assert lines[30].split() == ["5", "x", "petrol", "7", "●", "kerosene"]
    assert lines[31].split() == ["3", "●", "kerosene", "1", "x●", "RP-1", "changes", "profile"]
    assert lines[31].index("1 x●") == lines[29].index("on")


def test_a_grade_of_four_cells_takes_the_last_of_the_name() -> None:
    rows = tuple(replace(row, off=replace(row.off, g=1.0, passes=True)) for row in a_view().tasks)
    lines = shown(tasks=rows)
    assert " 8 mc direct natur… 1.00" in "\n".join(lines)


def test_every_task_has_its_row_and_only_the_chosen_one_is_bold() -> None:
    rows = page(Content(a_view(), Task.REVERSE), PICTURE, LOOK)
    tasks = [row.task for row in rows if row.task is not None]
    assert tasks == list(TASKS)
    bold = [
        row.task for row in rows if row.task and any(s.role == "ink bold" for s in row.line.spans)
    ]
    assert bold == [Task.REVERSE]


def test_answers_of_another_task_are_not_shown() -> None:
    content = Content(a_view(), Task.REVERSE, an_unfolded(Task.DIRECT))
    lines = "\n".join(text_of(page(content, PICTURE, LOOK)))
    assert "petrol" not in lines
    assert "What about number 4?" in lines


def test_on_30_lines_the_text_makes_room_for_the_tasks() -> None:
    lines = shown(PageShape(65, 25))
    assert lines[24].startswith(" 0 mc reverse")


def test_folded_the_page_ends_with_the_tasks() -> None:
    lines = shown(PICTURE._replace(folded=True))
    assert lines[-2].startswith(" 0 mc reverse")
    assert lines[-1].startswith("● correct")


def test_where_it_is_low_there_are_no_blank_lines_and_it_unfolds_in_place() -> None:
    low = PageShape(78, narrow=True, low=True)
    lines = shown(low)
    assert "" not in lines[2:]
    at = next(at for at, line in enumerate(lines) if line.startswith(" 3 direct"))
    assert lines[at + 1] == "   What about number 2?   gold kerosene"
    assert lines[at + 2].strip() == "on"
    assert lines[at + 3].split() == ["7", "●", "kerosene"]
    assert lines[at + 5].startswith(" 4 direct natural")


def test_at_80_columns_one_setting_with_questions() -> None:
    lines = shown(PageShape(78, narrow=True, low=True, folded=True))
    assert lines[7].split() == ["task", "question", "gold", "on", "8", "answers"]
    assert lines[8].split()[-2:] == ["off", "only"]
    assert "What about number 2?" in lines[10]
    assert len(lines) == 19
    off = shown(
        PageShape(78, narrow=True, low=True, folded=True),
        lens=Lens(model="second", thinking=Thinking.OFF),
    )
    assert off[7].split()[3] == "off"
    assert "off only" not in "\n".join(off)


def test_at_200_columns_all_answers_and_both_rationales_are_asked_for() -> None:
    lines = shown(PageShape(104, wide=True, high=True))
    text = "\n".join(lines)
    assert "this fact in 2 models" in text
    assert "thinking off" in text
    assert "5 x●" in text
    assert "A incorrect, B correct" in text
    assert "on 5  RP-1   profile changes RF to RT if B is right" in text


def test_who_hears_the_reasons_hears_all_of_them() -> None:
    parts = ["direct .33", "direct natural .33", "reverse .33", "reverse natural .33"]
    reasons = tuple(reason._replace(words=", ".join(parts)) for reason in a_view().reasons)
    content = Content(a_view(reasons=reasons), Task.DIRECT, an_unfolded(Task.DIRECT))
    rows = [row.line for row in page(content, PageShape(45), look_named("dark", spoken=True))]
    heard = " ".join(line.text for line in rows)
    assert heard.count(", ".join(parts)) == 3
    assert max(line.width for line in rows[5:14]) <= 45


def test_nothing_moves_when_no_profile_is_at_stake() -> None:
    assert len(shown()) == len(shown(stake=None))
    view = a_view(stake=None)
    words = verdict_lines(view, 65, LOOK)[4].text
    assert words == "±   graders differ on 8 answers, the verdict stays either way"


def test_reasons_are_cut_between_questions() -> None:
    reasons = tuple(
        reason._replace(words="direct .33, direct natural .33, reverse .33, reverse natural .33")
        for reason in a_view().reasons
    )
    assert verdict_lines(a_view(reasons=reasons), 65, LOOK)[1].text.endswith("natural .33, …")


def test_scores_of_options_have_a_line_where_there_are_any() -> None:
    known = a_view(has_scores=True, latent=LatentVerdict(True, 1, 0.834, True))
    lines = [line.text for line in verdict_lines(known, 65, LOOK)]
    assert lines[4].startswith("Z   zero-prompt  yes  p .83  1 of 100  n 50  ")
    assert lines[4].endswith(LOOK.glyph("at-stake"))
    assert "Z yes" in summary_line(known, 60, LOOK).text
    unknown = replace(known, latent=LatentVerdict(False, 1_020, 0.0, False))
    assert verdict_lines(unknown, 65, LOOK)[4].text.endswith("p .00  1,020 of 100  n 50")
    without = replace(known, latent=None)
    assert len(verdict_lines(without, 65, LOOK)) == len(lines) == 6
    assert verdict_lines(without, 65, LOOK)[4].text.strip() == "Z   zero-prompt  –"
    assert len(verdict_lines(a_view(), 65, LOOK)) == 5


def test_arms_have_a_line_where_there_are_any() -> None:
    known = a_view(has_arms=True, arms=ArmVerdict("m", True, ("5-shot", "10-shot"), 4))
    lines = [line.text for line in verdict_lines(known, 65, LOOK)]
    assert lines[4] == "FB  bench        yes  EM in 2 of 4 modes, 5-shot, 10-shot"
    assert len(lines) == 6
    assert "FB yes" in summary_line(known, 60, LOOK).text
    assert verdict_lines(known, 45, LOOK)[4].text.endswith("EM in 2 of 4 modes, …")
    unclear = replace(known, arms=ArmVerdict("m", None, (), 1))
    assert verdict_lines(unclear, 65, LOOK)[4].text == "FB  bench        –    EM in 0 of 1 mode"
    without = replace(known, arms=None)
    assert verdict_lines(without, 65, LOOK)[4].text == "FB  bench        –"


def test_before_any_model_was_asked() -> None:
    view = a_view(lens=Lens(), models=(), codes=(), code="··", profile=None)
    lines = verdict_lines(view, 65, LOOK)
    assert lines[0].text == "No model has been asked about these facts yet."
    assert len(lines) == 5


def test_a_provisional_verdict_says_so() -> None:
    assert verdict_lines(a_view(provisional=True), 65, LOOK)[0].text.startswith(" RF… recall")


def test_the_verdict_in_one_line() -> None:
    line = summary_line(a_view(), 79, LOOK)
    assert line.text == " RF  recall failure   E yes  K0 no  KT –   ≠ B on one answer: RT"


def test_subject_and_object_are_marked() -> None:
    view = a_view()
    line = source_lines(view.text, view.subject_spans, view.object_spans, 65, 4)[0]
    assert roles(line, "The Wren") == "subject bold underline"
    assert roles(line, "kerosene") == "object bold underline"


def test_of_a_long_text_the_end_is_shown() -> None:
    text = "word " * 400 + "the end"
    lines = source_lines(text, (), ((len(text) - 3, len(text)),), 40, 4)
    assert len(lines) == 4
    assert lines[0].text.startswith("… word")
    assert lines[-1].text.endswith("end …")
    assert all(line.width <= 40 for line in lines)
    whole = source_lines(text, (), (), 40, None)
    assert " ".join(line.text for line in whole).split() == text.split()


def test_paragraphs_are_marked_even_beside_an_entity() -> None:
    text = "One.\n\nWren\n\nburns it"
    start = text.index("Wren")
    line = source_lines(text, ((start, start + 4),), (), 65, 4)[0]
    assert line.text == "One. ¶ Wren ¶ burns it"
    assert roles(line, "¶") == "ink-3"


def test_questions_in_one_line() -> None:
    view = a_view()
    assert question_words(view, Task.DIRECT, 40) == "What about number 2?"
    assert question_words(view, Task.COMPLETION, 18) == "… a rocket, burns"


@pytest.mark.parametrize("settings", [(False,), (True,), (False, True)])
def test_layouts_fill_their_width_and_no_more(settings: tuple[bool, ...]) -> None:
    for width in range(40, 160):
        plan = layout(width, settings)
        graded = 18 * len(settings) - 1
        columns = [3 + plan.name, *(part + 1 for part in (plan.question, plan.gold) if part)]
        assert sum(columns) + (1 if plan.question else 0) + graded <= width
        assert plan.question == 0 or plan.question >= 10


@pytest.mark.parametrize("narrow", [True, False])
def test_pages_keep_within_their_width(narrow: bool) -> None:
    for width in range(38 if narrow else 56, 160):
        shape = PageShape(width, narrow=narrow, low=True, folded=True)
        for row in page(Content(a_view(), Task.DIRECT), shape, LOOK):
            assert row.line.width <= width


@pytest.mark.parametrize("name", ["light", "ansi"])
def test_the_same_text_in_every_theme(name: str) -> None:
    content = Content(a_view(), Task.DIRECT, an_unfolded())
    assert text_of(page(content, PICTURE, look(name))) == text_of(page(content, PICTURE, LOOK))


@given(st.text(), st.integers(20, 120), st.booleans(), st.booleans())
def test_any_text_is_shown_inert(text: str, width: int, low: bool, wide: bool) -> None:
    view = a_view(title=text, subject=text, object=text, text=text, subject_spans=())
    view = replace(
        view,
        object_spans=((0, len(text)),) if text else (),
        tasks=tuple(replace(row, text=text, gold=text) for row in view.tasks),
    )
    unfolded = an_unfolded()
    answers = tuple(replace(one, text=text) for one in unfolded.distinct)
    content = Content(view, Task.DIRECT, replace(unfolded, distinct=answers))
    shape = PageShape(width, low=low, wide=wide, high=wide)
    for row in page(content, shape, LOOK):
        assert row.line.text.isprintable()
        if row.task is not None:
            assert row.line.width <= width


def test_rationales_of_the_answer_that_matters(task_view: TaskView) -> None:
    content = Content(a_view(), Task.DIRECT, an_unfolded(), task_view)
    text = "\n".join(text_of(page(content, PageShape(104, wide=True, high=True), LOOK)))
    assert "A x  grader-a" in text
    assert "another name" in text
    assert "B ●  grader-b" in text


@pytest.fixture
def task_view() -> TaskView:
    from core.views.task_view import AnswerView, Judgement
    from core.vocabulary import Outcome

    answer = AnswerView(
        slot=1,
        thinking=True,
        sample=4,
        text="RP-1",
        answer=(0, 4),
        step_by_step=False,
        mark=mark("ic"),
        own=None,
        note=None,
        judgements=(
            Judgement("grader-a", "1", Outcome.INCORRECT, "another name", None),
            Judgement("grader-b", "1", Outcome.CORRECT, None, None),
        ),
    )
    return TaskView(
        fact=a_view(),
        task=Task.DIRECT,
        question=3,
        text="What about number 2?",
        gold="kerosene",
        aliases=(),
        choices=None,
        answers=(answer,),
        calls=(),
        differing=1,
    )
