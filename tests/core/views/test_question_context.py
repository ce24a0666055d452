"""What stands around a question agrees with the question's own views."""

from collections import Counter
from dataclasses import replace
from operator import ne
from pathlib import Path

import pytest

from core.views.session import Session
from core.vocabulary import TASKS, Label, Task
from tests.tui.sample import MODELS, SAMPLES, sample_project


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    session = Session(sample_project(tmp_path_factory.mktemp("around") / "sample.db"))
    session.open()
    return session


def test_answers_that_are_the_same_are_counted_over_all_models(session: Session) -> None:
    fact = int(session.snapshot.index.ids[0])
    found = session.context(fact, Task.DIRECT)
    assert found is not None
    assert sum(one.count for one in found.groups) == len(MODELS) * 2 * SAMPLES
    assert [one.count for one in found.groups] == sorted(
        (one.count for one in found.groups), reverse=True
    )
    assert all(sum(count for _, count in one.labels) == one.count for one in found.groups)
    view = session.task(fact, Task.DIRECT)
    assert view is not None
    slot = view.answers[0].slot
    group = found.group_of(slot)
    assert group is not None
    start, end = view.answers[0].answer or (0, 0)
    assert group.text == view.answers[0].text[start:end]


@pytest.mark.parametrize("task", [Task.DIRECT, Task.COMPLETION])
def test_what_would_move_moves_once_all_of_a_group_is_labelled_so(
    tmp_path: Path, task: Task
) -> None:
    moved = set()
    for number in range(12):
        session = Session(sample_project(tmp_path / f"{task}-{number}.db"))
        session.open()
        session.name = "ada"
        fact = int(session.snapshot.index.ids[number])
        found = session.context(fact, task)
        assert found is not None
        group = max(found.groups, key=lambda one: (one.moved, one.not_correct))
        before = [one.code for one in found.models]
        for slot in group.slots:
            session.set_label(slot, Label.CORRECT)
        again = session.context(fact, task)
        assert again is not None
        after = [one.code for one in again.models]
        assert sum(map(ne, before, after)) == group.moved
        moved.add(group.moved)
    assert len(moved) > 1


def test_every_model_has_its_marks_and_its_verdict(session: Session) -> None:
    fact = int(session.snapshot.index.ids[0])
    found, view = session.context(fact, Task.REVERSE), session.fact(fact)
    assert found is not None
    assert view is not None
    assert tuple(one.model for one in found.models) == session.snapshot.models
    assert tuple(one.code for one in found.models) == view.codes
    own = next(one for one in found.models if one.model == found.model)
    row = view.tasks[TASKS.index(Task.REVERSE)]
    assert (own.off, own.on) == (row.off.marks, row.on.marks)
    by_group: Counter[object] = Counter()
    for group in found.groups:
        by_group.update(dict(group.labels))
    marks = [mark for one in found.models for mark in (*one.off, *one.on) if mark.drawn]
    assert by_group == Counter(mark.label for mark in marks)


def test_the_other_questions_have_the_grades_of_the_model_that_is_named(session: Session) -> None:
    fact, other = int(session.snapshot.index.ids[1]), session.snapshot.models[1]
    assert other != session.snapshot.lens.model
    found = session.context(fact, Task.DIRECT, other)
    assert found is not None
    assert [one.task for one in found.others] == [one for one in TASKS if one is not Task.DIRECT]
    session.look(replace(session.snapshot.lens, model=other))
    view = session.fact(fact)
    assert view is not None
    rows = {row.task: (row.off.g, row.on.g) for row in view.tasks}
    assert {one.task: (one.off, one.on) for one in found.others} == {
        task: g for task, g in rows.items() if task is not Task.DIRECT
    }


def test_what_is_not_there_has_nothing_around_it(session: Session) -> None:
    assert session.context(10**6, Task.DIRECT) is None
    assert session.context(int(session.snapshot.index.ids[0]), Task.DIRECT, "gone") is None
