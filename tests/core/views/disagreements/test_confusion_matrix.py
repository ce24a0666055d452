"""Crossings say what `confusion` says, for every filter, whoever decides what."""

from collections.abc import Iterator
from contextlib import closing
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from core.project import OpenProject
from core.results.agreement import ConfusionReport, compare
from core.scoring.policy import Policy
from core.views.disagreements.confusion_matrix import ConfusionMatrix
from core.views.disagreements.disagreement_filter import Direction, DisagreementFilter
from core.views.lens import Thinking
from core.views.session import Session
from core.vocabulary import TASKS, Label, Strategy, Task
from db import label_grids
from tests.bench.generator import Scale, build
from tests.core.views.making import A, B, chances, change_graders, lens_of, two_facts

pytestmark = pytest.mark.slow


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Session]:
    """A session on two models of which graders A and B often differ."""
    build(tmp_path / "made.db", Scale(facts=12, models=2, samples=4))
    with closing(Session(tmp_path / "made.db")) as session:
        session.open()
        yield session


def confusion_of(session: Session, tasks: tuple[Task, ...] = TASKS) -> ConfusionReport:
    lens, project = session.snapshot.lens, session.project
    facts = ~session.snapshot.index.rejected
    assert lens.a is not None
    assert lens.b is not None
    models = project.models()
    return compare(project, lens.a, lens.b, lens.policy, models, facts, tasks)


def agrees(crossing: ConfusionMatrix, confusion: ConfusionReport) -> bool:
    whole = crossing.whole
    lines = [
        {line.name: line.table.matrix.tolist() for line in lines}
        == {str(name): one.matrix.tolist() for name, one in tables.items()}
        for lines, tables in (
            (crossing.by_task, confusion.by_task),
            (crossing.by_model, confusion.by_model),
        )
    ]
    same = np.array_equal(whole.table.matrix, confusion.overall.matrix)
    changing = whole.question, whole.profile
    return (
        same
        and all(lines)
        and changing == (confusion.consequential, confusion.profile_changing)
        and whole.differ == confusion.disagreements.answers.row.size
    )


@pytest.mark.parametrize("seed", range(4))
def test_as_confusion_says(project: OpenProject, seed: int) -> None:
    chances(project, seed)
    with closing(Session(project.path)) as session:
        for tau, strategy in product((0.0, 0.5, 0.75), Strategy):
            session.look(lens_of(a=A, b=B, policy=Policy(tau=tau, strategy=strategy)))
            crossing = session.confusions.cross_graders(DisagreementFilter())
            assert crossing.whole.differ > 20
            assert agrees(crossing, confusion_of(session))


def test_filters(made: Session) -> None:
    cross = made.confusions.cross_graders
    whole = cross(DisagreementFilter())
    assert agrees(whole, confusion_of(made))
    assert [line.name for line in whole.by_model] == ["model-00", "model-01"]
    parts = [
        [DisagreementFilter(model=line.name) for line in whole.by_model],
        [DisagreementFilter(task=task) for task in TASKS],
        [DisagreementFilter(thinking=one) for one in (Thinking.OFF, Thinking.ON)],
        [
            DisagreementFilter(category=one)
            for one in ("Arts", "History", "People", "Science", "Society")
        ],
        [
            DisagreementFilter(direction=Direction.DIRECT),
            DisagreementFilter(direction=Direction.REVERSE),
            DisagreementFilter(task=Task.COMPLETION),
            DisagreementFilter(task=Task.CONTEXTUAL),
        ],
    ]
    for amongs in parts:
        crossings = [cross(among) for among in amongs]
        summed = sum(one.whole.table.matrix for one in crossings)
        assert np.array_equal(summed, whole.whole.table.matrix)
        for count in ("differ", "question", "profile"):
            total = sum(getattr(one.whole, count) for one in crossings)
            assert total == getattr(whole.whole, count)
    for task in (Task.REVERSE, Task.MC_DIRECT):
        assert agrees(cross(DisagreementFilter(task=task)), confusion_of(made, (task,)))
    for line in whole.by_task:
        one = cross(DisagreementFilter(task=Task(line.name)))
        assert [each.name for each in one.by_task] == [line.name]
        assert (one.whole.question, one.whole.profile) == (line.question, line.profile)


def test_a_cell_is_no_filter_of_the_matrix(made: Session) -> None:
    cross = made.confusions.cross_graders
    found = cross(DisagreementFilter(cell=(Label.CORRECT, Label.OTHER)))
    assert np.array_equal(found.whole.table.matrix, cross(DisagreementFilter()).whole.table.matrix)


def test_nothing_to_cross(made: Session) -> None:
    empty = made.confusions.cross_graders(DisagreementFilter(model="model-00", category="nowhere"))
    assert (empty.whole.table.n, empty.by_task, empty.by_model) == (0, (), ())
    assert (empty.agreement, empty.kappa, empty.alpha) == (None, None, None)


def test_one_grader(project: OpenProject) -> None:
    two_facts(project)
    with closing(Session(project.path)) as session:
        assert session.open().lens.b is None
        assert session.confusions.cross_graders(DisagreementFilter()).whole.table.n == 0
        assert len(session.confusions.queue(DisagreementFilter())) == 0


def test_decisions_change_no_crossing_unless_one_is_compared(made: Session) -> None:
    made.name = "mira"
    confusions = made.confusions
    before = confusions.cross_graders(DisagreementFilter())
    queue = confusions.queue(DisagreementFilter())
    for place in (0, len(queue) - 1):
        confusions.decide(queue.row(place).slot, Label.PARTIALLY)
    after = confusions.cross_graders(DisagreementFilter())
    assert np.array_equal(before.whole.table.matrix, after.whole.table.matrix)
    made.look(change_graders(made.snapshot.lens, b="human:mira"))
    assert confusions.cross_graders(DisagreementFilter()).whole.table.n == 2
    confusions.decide(queue.row(1).slot, Label.PARTIALLY)
    found = confusions.cross_graders(DisagreementFilter())
    assert found.whole.table.n == 3
    assert agrees(found, confusion_of(made))


def test_new_labels_are_taken_in(made: Session) -> None:
    before = made.confusions.cross_graders(DisagreementFilter()).whole.table
    queue = made.confusions.queue(DisagreementFilter())
    row = queue.row(0)
    with OpenProject(made.path, "write") as other:
        other.connection.execute("DELETE FROM grade WHERE response = ?", (row.slot,))
        planes = [version.plane for version in other.graders()]
        for plane in planes:
            label_grids.record(other.connection, plane, [row.slot], [0])
    assert made.refresh() is not None
    after = made.confusions.cross_graders(DisagreementFilter()).whole.table
    assert after.n == before.n - 1
    assert len(made.confusions.queue(DisagreementFilter())) == len(queue) - 1
