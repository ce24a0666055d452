"""One fact as a person sees it: text, marks, grades, distinct answers."""

import unicodedata
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from core.glossary.profile_terms import CODES
from core.project import OpenProject
from core.scoring.verdicts import CELLS
from core.transfer.imports import import_file
from core.views import fact_view
from core.views.answer_marks import AnswerMark
from core.views.cell_marks import marks_by_cell
from core.views.fact_view import FactView, UnfoldedQuestion
from core.views.lens import Lens
from core.views.snapshot import AT_STAKE, Snapshot
from core.vocabulary import CODE_ORDER, LABELS, TASK_INDEX, TASKS, Label, Outcome, Side, Task
from db.connection import write_transaction
from db.facts import Fact
from db.question_rows import Gold, Question
from tests.core.making import Row, a_fact, put_facts, put_grades, put_rows
from tests.core.views.making import (
    MODEL,
    A,
    B,
    chances,
    change_graders,
    labelled,
    lens_of,
    lenses,
    snapshot_of,
)
from tests.db.making import start_run


def view_of(project: OpenProject, snapshot: Snapshot | None = None, fact: int = 1) -> FactView:
    view = fact_view.read_fact(project, snapshot or snapshot_of(project), fact)
    assert view is not None
    return view


def unfolded(
    project: OpenProject, task: Task, snapshot: Snapshot | None = None, fact: int = 1
) -> UnfoldedQuestion:
    found = fact_view.unfold(project, snapshot or snapshot_of(project), fact, task)
    assert found is not None
    return found


def test_what_is_known_of_a_fact(project: OpenProject) -> None:
    questions = {
        Task.COMPLETION: Question("Tartu lies in "),
        Task.REVERSE: Question("What lies in Estonia?"),
    }
    golds = {Side.OBJECT: Gold("Estonia"), Side.SUBJECT: Gold("Tartu", ("Dorpat",))}
    fact = Fact(
        "7__1",
        page_title="Tartu_(city)",
        views=12,
        category="Geography",
        subject="Tartu",
        object="Estonia",
        object_type="LOCATION",
        golds=golds,
        questions=questions,
    )
    put_facts(project, [fact])
    view = view_of(project)
    assert (view.fact, view.fact_id, view.title) == (1, "7__1", "Tartu (city)")
    assert (view.subject, view.object) == ("Tartu", "Estonia")
    assert (view.category, view.object_type, view.views) == ("Geography", "LOCATION", 12)
    assert view.text == "Tartu lies in Estonia"
    assert view.subject_spans == ((0, 5),)
    assert view.object_spans == ((14, 21),)
    assert [row.task for row in view.tasks] == list(TASKS)
    assert [row.task for row in view.tasks if row.question] == list(questions)
    reverse = view.tasks[TASK_INDEX[Task.REVERSE]]
    assert (reverse.text, reverse.gold) == ("What lies in Estonia?", "Tartu")
    assert view.tasks[TASK_INDEX[Task.DIRECT]].text == ""


def test_nothing_has_been_asked(project: OpenProject) -> None:
    put_facts(project, [a_fact("f", views=None)])
    view = view_of(project, snapshot_of(project, Lens()))
    assert (view.code, view.models, view.codes, view.stake) == ("··", (), (), None)
    assert view.views is None
    assert [one.holds for one in view.reasons] == [None, None, None]
    for row in view.tasks:
        for grade in (row.off, row.on):
            assert (grade.g, grade.passes, grade.marks) == (None, None, ())
            assert not grade.measured
    assert unfolded(project, Task.DIRECT, snapshot_of(project, Lens())).distinct == ()


def test_a_fact_or_question_that_is_not_there(project: OpenProject) -> None:
    put_facts(project, [a_fact("f", (Task.DIRECT,))])
    snapshot = snapshot_of(project)
    assert fact_view.read_fact(project, snapshot, 2) is None
    assert fact_view.unfold(project, snapshot, 2, Task.DIRECT) is None
    assert fact_view.unfold(project, snapshot, 1, Task.REVERSE) is None


def test_grades_with_their_marks(project: OpenProject) -> None:
    put_facts(project, [a_fact("f")])
    labels = {(Task.DIRECT, False): "cip.?ccc", (Task.DIRECT, True): "iiii"}
    labelled(project, "f", labels)
    snapshot = snapshot_of(project)
    row = view_of(project, snapshot).tasks[TASK_INDEX[Task.DIRECT]]
    assert (row.off.correct, row.off.gradable, row.off.g, row.off.passes) == (4, 5, 0.8, True)
    assert [mark.outcome for mark in row.off.marks] == [1, 2, 3, None, Outcome.UNPARSED, 1, 1, 1]
    assert [mark.label for mark in row.off.marks][2:5] == [Label.PARTIALLY, None, None]
    assert (row.on.g, row.on.passes, row.on.thinking) == (0.0, False, True)
    partial = next(one for one in lenses() if one.policy.strategy == "partial")
    weighed = view_of(project, snapshot_of(project, partial)).tasks[TASK_INDEX[Task.DIRECT]].off
    assert (weighed.correct, weighed.gradable) == (4, 6)
    assert weighed.g == pytest.approx((4 + 0.51) / 6)


def test_cells_that_are_not_used_or_not_measured(project: OpenProject) -> None:
    put_facts(project, [a_fact("f")])
    labelled(project, "f", {(task, False): "cc" for task in TASKS})
    view = view_of(project)
    assert all(row.off.measured and row.off.used for row in view.tasks)
    assert not any(row.on.measured for row in view.tasks)
    labelled(project, "f", {(Task.CONTEXTUAL, True): "c", (Task.DIRECT, True): "c"})
    after = view_of(project)
    assert all(row.on.measured for row in after.tasks)
    unused = {row.task for row in after.tasks if not row.on.used}
    assert unused == {Task.COMPLETION, *(task for task in TASKS if task.is_choice)}


def test_empty_slots_keep_their_places(project: OpenProject) -> None:
    put_facts(project, [a_fact("f"), a_fact("g"), a_fact("h", (Task.REVERSE,))])
    put_rows(project, [Row("f", Task.DIRECT, MODEL, False, 2, {A: Outcome.CORRECT})])
    direct = TASK_INDEX[Task.DIRECT]
    drawn = [mark.drawn for mark in view_of(project).tasks[direct].off.marks]
    assert drawn == [False, False, True]
    setting = project.setting_ids()[MODEL, False]
    with write_transaction(project.connection):
        tasks = [Task.DIRECT, Task.MC_DIRECT]
        start_run(project.connection, setting, tasks, [1, 3], 4)
    view = view_of(project)
    assert [mark.drawn for mark in view.tasks[direct].off.marks] == [False, False, True, False]
    assert view.tasks[TASK_INDEX[Task.MC_DIRECT]].off.marks == (AnswerMark(False),) * 4
    assert view.tasks[TASK_INDEX[Task.REVERSE]].off.marks == ()
    assert view.provisional
    for other in (2, 3):
        assert view_of(project, fact=other).tasks[direct].off.marks == ()


def test_whose_label_counts(project: OpenProject) -> None:
    put_facts(project, [a_fact("f")])
    correct, incorrect, partially = Outcome.CORRECT, Outcome.INCORRECT, Outcome.PARTIALLY
    given = [
        {A: correct},
        {A: correct, B: incorrect},
        {A: correct, B: incorrect, "human:ada": partially},
        {B: incorrect},
        {A: Outcome.REFUSED, B: incorrect},
        {"lexical#0": incorrect, "lexical#1": correct},
    ]
    rows = [
        Row("f", Task.DIRECT, MODEL, False, sample, grades, at=dict.fromkeys(grades, 5))
        for sample, grades in enumerate(given)
    ]
    # Versions are told by their order: 0 must come first.
    put_rows(project, rows[5:])
    slots = put_rows(project, rows[:5])
    with write_transaction(project.connection):
        put_grades(project, slots[2], {"human:ben": correct}, {"human:ben": 4})
    snapshot = snapshot_of(project)
    marks = view_of(project, snapshot).tasks[TASK_INDEX[Task.DIRECT]].off.marks
    c, i = Label.CORRECT, Label.INCORRECT
    assert marks == (
        AnswerMark(True, correct, c, None),
        AnswerMark(True, correct, c, i),
        AnswerMark(True, partially, c, i, own=True),
        AnswerMark(True, None, None, i),
        AnswerMark(True, Outcome.REFUSED, None, i),
        AnswerMark(True, correct, c, None),
    )
    assert [mark.differs for mark in marks] == [False, True, True, False, False, False]
    alone = snapshot_of(project, change_graders(snapshot.lens, people=False))
    assert view_of(project, alone).tasks[TASK_INDEX[Task.DIRECT]].off.marks[2] == AnswerMark(
        True, correct, c, i
    )


def test_choice_counts_for_multiple_choice_alone(project: OpenProject) -> None:
    put_facts(project, [a_fact("f")])
    grades = {"choice": Outcome.CORRECT}
    rows = [Row("f", task, MODEL, False, 0, grades) for task in (Task.DIRECT, Task.MC_DIRECT)]
    put_rows(project, [*rows, Row("f", Task.REVERSE, MODEL, False, 0, {A: Outcome.CORRECT})])
    view = view_of(project)
    assert view.tasks[TASK_INDEX[Task.DIRECT]].off.marks == (AnswerMark(True),)
    assert view.tasks[TASK_INDEX[Task.MC_DIRECT]].off.marks == (AnswerMark(True, Outcome.CORRECT),)


@pytest.mark.slow
@pytest.mark.parametrize("people", [True, False])
@pytest.mark.parametrize("seed", [3, 4])
def test_marks_are_what_the_counts_count(project: OpenProject, seed: int, people: bool) -> None:
    chances(project, seed)
    snapshot = snapshot_of(project, lens_of(MODEL, a=A, b=B, people=people))
    labels = snapshot.tally.labels
    for place in range(len(snapshot.index)):
        marks = marks_by_cell(project, snapshot, place)
        for (task, thinking), mine in marks.items():
            row, which = snapshot.tally.rows[0, int(thinking)], TASK_INDEX[task]
            counted = Counter(mark.label for mark in mine)
            assert [counted[label] for label in LABELS] == labels[row, :, which, place].tolist()
            drawn = sum(mark.drawn for mark in mine)
            assert drawn == snapshot.tally.drawn[row, which, place]


@pytest.mark.slow
def test_what_is_at_stake_is_what_the_list_says(project: OpenProject) -> None:
    chances(project, 5)
    staked = 0
    for lens in lenses()[2::5]:
        snapshot = snapshot_of(project, lens)
        for place, fact in enumerate(snapshot.index.ids.tolist()):
            view = view_of(project, snapshot, fact)
            assert (view.stake is not None) == (snapshot.differs[place] == AT_STAKE)
            changing = [
                (distinct.count, task)
                for task in TASKS
                if view.tasks[TASK_INDEX[task]].question
                for distinct in unfolded(project, task, snapshot, fact).distinct
                if distinct.changes_profile
            ]
            assert bool(changing) == bool(view.stake)
            if view.stake:
                staked += 1
                assert view.stake.code != view.code
                assert view.stake.answers <= sum(count for count, _ in changing)
    assert staked > 10


def test_stake_is_the_verdict_that_most_answers_would_make(project: OpenProject) -> None:
    put_facts(project, [a_fact("f")])
    labelled(project, "f", dict.fromkeys(CELLS, "cccc") | {(Task.REVERSE, False): "cic"})
    put = [(0, "INCORRECT"), (1, "INCORRECT"), (2, "OTHER")]
    with write_transaction(project.connection):
        for sample, label in put:
            key = int(project.index.questions[0, TASK_INDEX[Task.REVERSE]]) << 20
            setting = project.setting_ids()[MODEL, False]
            put_grades(project, key | setting << 10 | sample, {B: Outcome[label]})
    view = view_of(project)
    # 2 of 3 pass; one CORRECT less fails, whether it is INCORRECT or OTHER (1 of 2).
    assert (view.code, view.stake) == ("DR", fact_view.Stake(2, "RT"))
    assert [one.changes_profile for one in unfolded(project, Task.REVERSE).distinct].count(
        True
    ) == 2


def test_answers_with_one_text_and_the_same_labels_are_one(project: OpenProject) -> None:
    put_facts(project, [a_fact("f")])
    composed = unicodedata.normalize("NFC", "Tõravere")
    texts = [
        "Narva",
        " Tartu\n",
        "Tartu",
        composed,
        unicodedata.normalize("NFD", composed),
        "Tartu",
        "",
    ]
    correct, incorrect = Outcome.CORRECT, Outcome.INCORRECT
    rows = [
        Row(
            "f", Task.DIRECT, MODEL, False, sample, {A: incorrect if sample == 5 else correct}, text
        )
        for sample, text in enumerate(texts)
    ]
    on = [
        Row("f", Task.DIRECT, MODEL, True, 0, {A: correct}, "Reason: Narva\nAnswer: **Tartu**"),
        Row("f", Task.DIRECT, MODEL, True, 1, {A: correct}, "Answer: Tartu"),
        Row("f", Task.DIRECT, MODEL, True, 2, {A: correct}, "Tartu"),
    ]
    put_rows(project, rows + on)
    found = unfolded(project, Task.DIRECT)
    assert (found.text, found.gold, found.aliases, found.choices) == (
        "f direct?",
        "Tartu",
        (),
        None,
    )
    assert [(one.thinking, one.count, one.text, one.samples) for one in found.distinct] == [
        (False, 2, "Tartu", (1, 2)),
        (False, 2, composed, (3, 4)),
        (False, 1, "Narva", (0,)),
        (False, 1, "Tartu", (5,)),
        (False, 1, "", (6,)),
        (True, 3, "Tartu", (0, 1, 2)),
    ]


@pytest.mark.slow
def test_distinct_answers_are_all_answers(project: OpenProject) -> None:
    chances(project, 6)
    snapshot = snapshot_of(project)
    for fact in snapshot.index.ids.tolist():
        for row in view_of(project, snapshot, fact).tasks:
            if not row.question:
                continue
            found = unfolded(project, row.task, snapshot, fact).distinct
            for grade in (row.off, row.on):
                mine = [one for one in found if one.thinking == grade.thinking]
                samples = sorted(sample for one in mine for sample in one.samples)
                assert samples == [n for n, mark in enumerate(grade.marks) if mark.drawn]
                assert all(
                    grade.marks[sample] == one.mark for one in mine for sample in one.samples
                )
                counts = [one.count for one in mine]
                assert counts == sorted(counts, reverse=True)
                assert len({(one.text, one.mark) for one in mine}) == len(mine)


def test_every_code_has_its_words() -> None:
    assert {entry.term for entry in CODES} == {*CODE_ORDER, "RJ"}


def test_other_models_stand_beside(project: OpenProject) -> None:
    put_facts(project, [a_fact("f")])
    labelled(project, "f", dict.fromkeys(CELLS, "cccc"))
    put_rows(project, [Row("f", Task.DIRECT, "other", False, 0, {A: Outcome.CORRECT})])
    view = view_of(project)
    assert dict(zip(view.models, view.codes, strict=True)) == {MODEL: "DR", "other": "··"}


@pytest.mark.slow
def test_real_facts_are_marked_in_their_texts(
    project: OpenProject, shared: Callable[[str], Path]
) -> None:
    import_file(project, shared("data/wikiprofile/facts.csv"))
    snapshot = snapshot_of(project, Lens())
    marked = 0
    for fact in snapshot.index.ids.tolist():
        view = view_of(project, snapshot, fact)
        context = view.tasks[TASK_INDEX[Task.COMPLETION]].text
        assert view.text == context + view.object
        assert view.object_spans == ((len(context), len(view.text)),)
        for start, end in view.subject_spans:
            assert end <= len(context)
            assert view.text[start:end].casefold().split() == view.subject.casefold().split()
        marked += bool(view.subject_spans)
    # The others are named otherwise in their text: `Jeffrey Lionel Dahmer`.
    assert marked >= 0.9 * len(snapshot.index)


def test_an_edited_question_stands_without_answers(project: OpenProject) -> None:
    put_facts(project, [a_fact("f")])
    labelled(project, "f", {(Task.DIRECT, False): "cc"})
    with write_transaction(project.connection):
        project.connection.execute("UPDATE question SET current = 0 WHERE task = 'direct'")
        project.connection.execute(
            "INSERT INTO question (fact, task, version, text, current) "
            "VALUES (1, 'direct', 2, 'Anew?', 1)"
        )
    row = view_of(project).tasks[TASK_INDEX[Task.DIRECT]]
    assert (row.text, row.off.marks, row.off.g) == ("Anew?", (), None)
    assert unfolded(project, Task.DIRECT).distinct == ()
    assert np.count_nonzero(project.index.questions) == len(TASKS)
