"""One question as a person judges it: answers, judgements, options, what was asked."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import db.grades
import db.model_rows
from core.graders import choice
from core.graders.answer_text import answer_of, place_of
from core.project import OpenProject
from core.providers.base import Draw, Reply, Request
from core.sampling.sample_plan import Plan
from core.settings.paths import PROMPTS_VARIABLE
from core.views import task_view
from core.views.lens import Lens
from core.views.task_view import TaskView
from core.vocabulary import LABELS, TASK_INDEX, TASKS, Label, Outcome, Task
from db.connection import write_transaction
from tests.core.making import OPTIONS, Row, a_fact, new_project, put_facts, put_rows
from tests.core.sampling.filling import fill
from tests.core.sampling.scripted import MODEL as ASKED
from tests.core.sampling.scripted import Scripted, capital
from tests.core.views.making import MODEL, A, B, chances, lens_of, snapshot_of


def view_of(
    project: OpenProject, task: Task, name: str | None = None, model: str = MODEL, fact: int = 1
) -> TaskView:
    snapshot = snapshot_of(project, lens_of(model, a=A, b=B))
    view = task_view.read_task(project, snapshot, fact, task, name)
    assert view is not None
    return view


def test_the_question_with_its_answers(project: OpenProject) -> None:
    put_facts(project, [a_fact("f")])
    c, i = Outcome.CORRECT, Outcome.INCORRECT
    put_rows(
        project,
        [
            Row("f", Task.DIRECT, MODEL, True, 0, {A: c, B: i}, "So.\nAnswer: Tartu"),
            Row("f", Task.DIRECT, MODEL, False, 1, {A: c, B: c}, "  Tartu "),
            Row("f", Task.DIRECT, MODEL, False, 0, {A: i}, ""),
            Row("f", Task.REVERSE, MODEL, False, 0, {A: i}),
            Row("f", Task.DIRECT, "other", False, 0, {A: i}),
        ],
    )
    view = view_of(project, Task.DIRECT)
    assert (view.task, view.text, view.gold, view.choices) == (
        Task.DIRECT,
        "f direct?",
        "Tartu",
        None,
    )
    assert view.fact.fact_id == "f"
    assert view.question == project.index.questions[0, TASK_INDEX[Task.DIRECT]]
    assert view.differing == 1
    assert [(one.thinking, one.sample, one.text) for one in view.answers] == [
        (False, 0, ""),
        (False, 1, "  Tartu "),
        (True, 0, "So.\nAnswer: Tartu"),
    ]
    assert [one.answer for one in view.answers] == [None, (2, 7), (12, 17)]
    assert [one.step_by_step for one in view.answers] == [False, False, True]
    row = view.fact.tasks[TASK_INDEX[Task.DIRECT]]
    assert [one.mark for one in view.answers] == [*row.off.marks, *row.on.marks]
    assert [one.own for one in view.answers] == [None] * 3
    assert task_view.read_task(project, snapshot_of(project), 2, Task.DIRECT) is None


def test_a_question_that_the_fact_does_not_have(project: OpenProject) -> None:
    put_facts(project, [a_fact("f", (Task.DIRECT,))])
    assert task_view.read_task(project, snapshot_of(project), 1, Task.REVERSE) is None
    bare = task_view.read_task(project, snapshot_of(project, Lens()), 1, Task.DIRECT)
    assert bare is not None
    assert (bare.answers, bare.calls, bare.differing) == ((), (), 0)


def test_every_grader_version_is_heard_a_and_b_first_people_last(project: OpenProject) -> None:
    put_facts(project, [a_fact("f")])
    graders = ["human:ben", "another", f"{B}#1", f"{B}#2", "exact", f"{A}#3", "human:ada"]
    outcomes = [Outcome.from_label(LABELS[number % 4]) for number in range(len(graders) - 1)]
    grades = dict(zip(graders, [*outcomes, Outcome.PARTIALLY], strict=True))
    at = {"human:ben": 20, "human:ada": 10}
    (key,) = put_rows(project, [Row("f", Task.DIRECT, MODEL, False, 0, grades, at=at)])
    ada = next(one.plane for one in project.graders() if one.name == "human:ada")
    with write_transaction(project.connection):
        db.grades.insert_rationales(project.connection, ada, [(key, "the river is meant")])
    (answer,) = view_of(project, Task.DIRECT, "ada").answers
    assert [f"{one.grader}#{one.version}" for one in answer.judgements] == [
        f"{A}#3",
        f"{B}#2",
        f"{B}#1",
        "another#1",
        "exact#1",
        "human:ada#1",
        "human:ben#1",
    ]
    for one in answer.judgements:
        version = "" if one.version == "1" and one.grader != B else f"#{one.version}"
        assert one.outcome == grades[one.grader + version]
        assert one.at == at.get(one.grader)
        assert one.rationale == ("the river is meant" if one.grader == "human:ada" else None)
    assert (answer.own, answer.note) == (Label.PARTIALLY, "the river is meant")
    (other,) = view_of(project, Task.DIRECT, "ben").answers
    assert (other.own, other.note) == (Label.CORRECT, None)
    # Ben's label is the newer one, whoever looks.
    assert answer.mark == other.mark
    assert (answer.mark.outcome, answer.mark.own) == (Outcome.CORRECT, True)
    for nobody in (None, "eve"):
        assert [one.own for one in view_of(project, Task.DIRECT, nobody).answers] == [None]


def test_multiple_choice_as_it_was_shown_and_read(project: OpenProject) -> None:
    put_facts(project, [a_fact("f")])
    texts = ["B", "b) Because", "Tartu.", "I do not know", "A", "A"]
    orders = [0, 7, 23, 1, 12, None]
    put_rows(
        project,
        [
            Row("f", Task.MC_DIRECT, MODEL, False, sample, {}, text, shown)
            for sample, (text, shown) in enumerate(zip(texts, orders, strict=True))
        ],
    )
    view = view_of(project, Task.MC_DIRECT)
    assert view.choices == OPTIONS[Task.MC_DIRECT.side]
    read = [one.read_as for one in view.answers]
    assert read[:2] == ["letter B alone", "leading B"]
    assert read[3:] == [choice.NO_OPTION, "letter A alone", ""]
    for answer in view.answers[:-1]:
        assert answer.shown is not None
        assert answer.gold_place is not None
        assert sorted(answer.shown) == sorted(OPTIONS[Task.MC_DIRECT.side])
        assert answer.shown[answer.gold_place] == "Tartu"
    assert [one.chosen for one in view.answers] == [1, 1, view.answers[2].gold_place, None, 0, None]
    gold = view.answers[2].gold_place
    assert gold is not None
    assert read[2] == f"text of option {'ABCD'[gold]}"
    assert (view.answers[-1].shown, view.answers[-1].gold_place) == (None, None)


def test_options_without_the_gold_still_show(project: OpenProject) -> None:
    put_facts(project, [a_fact("f")])
    with write_transaction(project.connection):
        project.connection.execute("UPDATE gold SET text = 'Elva' WHERE side = 'object'")
    put_rows(project, [Row("f", Task.MC_DIRECT, MODEL, False, 0, {}, "A", 3)])
    (answer,) = view_of(project, Task.MC_DIRECT).answers
    assert (answer.gold_place, answer.chosen) == (None, 0)


def sampled(project: OpenProject, script: Scripted) -> Plan:
    """Draw four answers to each question of a fact with all ten tasks, off and on."""
    put_facts(project, [capital(1, "France", "Paris")])
    plan = Plan(ASKED, "drawn", 4, np.ones(1, np.bool_))
    fill(project, script, plan)
    project.refresh()
    return plan


def answered(request: Request) -> Reply:
    draws = [Draw(f"Reason: x Answer: {n}", "stop", "hm", 7) for n in range(request.n)]
    return Reply(tuple(draws))


def as_text(request: Request) -> str:
    assert request.messages is not None
    return "\n\n".join(f"# {one.role}\n{one.content}" for one in request.messages)


def test_calls_are_what_the_model_was_sent(project: OpenProject) -> None:
    provider = Scripted(answered)
    sampled(project, provider)
    sent = sorted(as_text(request) for request in provider.seen for _ in range(request.n))
    told: list[str] = []
    for task in TASKS:
        view = view_of(project, task, model="drawn")
        for thinking in {one.thinking for one in view.answers}:
            calls = [call for call in view.calls if call.thinking == thinking]
            assert len(calls) == (4 if task.is_choice else 1)
            samples = sorted(sample for call in calls for sample in call.samples)
            assert samples == [0, 1, 2, 3]
        for call in view.calls:
            assert call.prompt is not None
            assert call.recipe == db.model_rows.recipe_of(project.connection, "drawn")
            told += [call.prompt] * len(call.samples)
            shown = [
                one.shown
                for one in view.answers
                if one.thinking == call.thinking and one.sample in call.samples
            ]
            for options in shown:
                if options is not None:
                    places = [call.prompt.rindex(option) for option in options]
                    assert places == sorted(places)
    assert sorted(told) == sent
    first = view_of(project, Task.DIRECT, model="drawn").answers[0]
    assert (first.finish, first.reasoning, first.reasoning_tokens) == ("stop", "hm", 7)


def test_a_raw_completion_is_sent_without_trailing_space(project: OpenProject) -> None:
    sampled(project, Scripted(answered))
    recipe = dict(db.model_rows.recipe_of(project.connection, "drawn") or {})
    with write_transaction(project.connection):
        db.model_rows.set_recipe(project.connection, "drawn", recipe | {"completion": "raw"})
    view = view_of(project, Task.COMPLETION, model="drawn")
    assert [call.prompt for call in view.calls] == ["The capital of France is"]


def test_imported_answers_have_no_call(project: OpenProject) -> None:
    put_facts(project, [a_fact("f")])
    put_rows(project, [Row("f", Task.DIRECT, MODEL, on, 0) for on in (False, True)])
    calls = view_of(project, Task.DIRECT).calls
    assert [(one.thinking, one.prompt, one.recipe, one.samples) for one in calls] == [
        (False, None, None, (0,)),
        (True, None, None, (0,)),
    ]


@pytest.mark.parametrize(
    "change",
    [
        {"prompts": {"question": "0" * 64}},
        {"prompts": {}},
        {"prompts": 3},
        {"max_tokens": {}},
        {"unheard": "of"},
        {"max_tokens": None},
    ],
)
def test_a_prompt_that_cannot_be_told_is_not_made_up(
    project: OpenProject, change: dict[str, object]
) -> None:
    sampled(project, Scripted(answered))
    recipe = {**(db.model_rows.recipe_of(project.connection, "drawn") or {}), **change}
    with write_transaction(project.connection):
        db.model_rows.set_recipe(project.connection, "drawn", recipe)
    (call,) = (c for c in view_of(project, Task.DIRECT, model="drawn").calls if not c.thinking)
    assert (call.prompt, call.recipe, call.samples) == (None, recipe, (0, 1, 2, 3))


def test_options_shown_in_another_order_than_now_have_no_prompt(project: OpenProject) -> None:
    sampled(project, Scripted(answered))
    with write_transaction(project.connection):
        project.connection.execute("UPDATE gold SET text = 'Lyon' WHERE side = 'object'")
    calls = view_of(project, Task.MC_DIRECT, model="drawn").calls
    assert len(calls) == 8
    assert all(call.prompt is None and call.recipe for call in calls)


def test_ones_own_templates_are_used_where_they_were(
    project: OpenProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sampled(project, Scripted(answered))
    before = view_of(project, Task.DIRECT, model="drawn").calls
    front = 'name = "question"\nversion = 9\npurpose = "x"\ninputs = ["question"]\noutput = "y"'
    (tmp_path / "question.md").write_text(f"+++\n{front}\n+++\n# user\nSay: {{question}}\n")
    monkeypatch.setenv(PROMPTS_VARIABLE, str(tmp_path))
    assert view_of(project, Task.DIRECT, model="drawn").calls == before
    with new_project(tmp_path / "own.db") as other:
        put_facts(other, [capital(1, "France", "Paris")])
        plan = Plan(ASKED, "drawn", 1, np.ones(1, np.bool_), prompts=tmp_path)
        fill(other, Scripted(answered), plan)
        calls = view_of(other, Task.DIRECT, model="drawn").calls
        assert calls[0].prompt == "# user\nSay: What is the capital of France?"


def test_cut_off_reasoning_has_no_answer(project: OpenProject) -> None:
    long = Scripted(lambda request: Reply((Draw("Reason: it is", "length"),) * request.n))
    sampled(project, long)
    view = view_of(project, Task.DIRECT, model="drawn")
    assert {(one.thinking, one.answer) for one in view.answers} == {
        (False, (0, len("Reason: it is"))),
        (True, None),
    }
    (mc, *_) = (
        one for one in view_of(project, Task.MC_DIRECT, model="drawn").answers if one.thinking
    )
    assert (mc.read_as, mc.chosen) == (choice.NO_OPTION, None)


PIECES = ["Answer:", "answer", ":", "**", "Tartu", "r", " ", "\n", "(", ")", "Tartu (Estonia)", "x"]


@pytest.mark.slow
@given(st.lists(st.sampled_from(PIECES), max_size=10).map("".join), st.booleans())
@settings(max_examples=500, deadline=None)
def test_the_answer_stands_where_its_text_is(text: str, steps: bool) -> None:
    said = answer_of(text, steps)
    found = place_of(said, text, steps)
    if not said.strip():
        assert found is None
        return
    assert found is not None
    start, end = found
    assert text[start:end] == said.strip()
    if steps:
        # Cut off right after it, the text still has this answer, and none before it is meant.
        assert answer_of(text[:end], True) == said
        assert "answer:" not in text[end:].casefold()


def test_the_answer_after_the_last_mark_is_meant() -> None:
    text = "Tartu? Answer: Narva\nNo. **Answer:** Tartu\nTartu it is"
    found = place_of("Tartu", text, True)
    assert found == (text.index("** Tartu") + 3, text.index("\nTartu it"))
    assert place_of("b", "a b\nc\nb", True) == (6, 7)
    assert place_of("b", "b", False) == (0, 1)


def test_all_views_of_all_questions_agree_with_the_fact(project: OpenProject) -> None:
    chances(project, 8, facts=8)
    snapshot = snapshot_of(project)
    for fact in snapshot.index.ids.tolist():
        for task in TASKS:
            view = task_view.read_task(project, snapshot, fact, task, "ada")
            if view is None:
                assert not snapshot.index.questions[snapshot.place(fact), TASK_INDEX[task]]
                continue
            row = view.fact.tasks[TASK_INDEX[task]]
            marks: Sequence[object] = [
                mark for grade in (row.off, row.on) for mark in grade.marks if mark.drawn
            ]
            assert [one.mark for one in view.answers] == marks
            assert view.differing == sum(one.mark.differs for one in view.answers)
            for one in view.answers:
                names = [said.grader for said in one.judgements]
                assert one.mark.own == any(name.startswith("human:") for name in names)
                mine = [said.outcome for said in one.judgements if said.grader == "human:ada"]
                assert ([Outcome.from_label(one.own)] if one.own else []) == mine
