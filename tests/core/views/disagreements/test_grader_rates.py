"""How often each grader is wrong, from what has been decided in a queue."""

from collections.abc import Iterator
from contextlib import closing
from random import Random

import pytest

import db.person_actions
from core.project import OpenProject
from core.views.disagreements import grader_rates
from core.views.disagreements.disagreement_filter import DisagreementFilter
from core.views.disagreements.grader_rates import GraderRate
from core.views.session import Session
from core.vocabulary import LABELS
from tests.core.views.making import MODEL, A, B, chances, given, lens_of


@pytest.fixture
def session(project: OpenProject) -> Iterator[Session]:
    chances(project, 7, people=False)
    with closing(Session(project.path)) as made:
        made.open(lens_of(MODEL, a=A, b=B))
        made.name = "mira"
        yield made


def test_before_anything_is_decided(session: Session) -> None:
    queue = session.confusions.queue(DisagreementFilter())
    found = session.confusions.rates(queue)
    assert (found.decided, found.total, found.per_minute) == (0, len(queue), None)
    for one, grader in ((found.a, A), (found.b, B)):
        assert (one.grader, one.wrong, one.decided, one.audited) == (grader, 0, 0, None)


def test_counts_of_a_queue_decided_in_part(session: Session) -> None:
    random = Random(1)
    queue = session.confusions.queue(DisagreementFilter())
    seen = [0, 0, 0]
    wrong = {"a": 0, "b": 0}
    for place in [*range(12), *random.sample(range(12, len(queue)), 20)]:
        row, label = queue.row(place), random.choice(LABELS)
        session.confusions.decide(row.slot, label)
        seen[row.group] += 1
        wrong["a"] += label is not row.a
        wrong["b"] += label is not row.b
    found = session.confusions.rates(session.confusions.mark_queue(queue))
    assert found.groups == tuple(zip(seen, queue.sizes, strict=True))
    assert (found.decided, found.total) == (32, len(queue))
    # What comes first is no fair sample: counts, and neither a share of all nor an interval.
    assert found.a == GraderRate(A, wrong["a"], 32)
    assert found.b == GraderRate(B, wrong["b"], 32)


def test_undone_decisions_do_not_count(session: Session) -> None:
    queue = session.confusions.queue(DisagreementFilter())
    for place in range(3):
        session.confusions.decide(queue.row(place).slot, given(queue.row(place).b))
    session.undo()
    found = session.confusions.rates(session.confusions.mark_queue(queue))
    assert (found.decided, found.a.wrong, found.b.wrong) == (2, 2, 0)


MINUTE = 60_000


@pytest.mark.parametrize(
    ("times", "pace"),
    [
        ([], None),
        ([5], None),
        ([5, 5], None),
        ([0, MINUTE // 2, MINUTE], 2.0),
        ([MINUTE, 0, MINUTE // 2], 2.0),
        ([0, 20 * MINUTE, 21 * MINUTE, 22 * MINUTE], 1.0),
    ],
)
def test_the_pace_is_that_of_the_last_ten_minutes(times: list[int], pace: float | None) -> None:
    assert grader_rates.pace_of(times) == pace


def test_one_step_for_several_answers_is_one_decision(
    session: Session, project: OpenProject
) -> None:
    queue = session.confusions.queue(DisagreementFilter())
    first, second, *others = (queue.row(place).slot for place in range(6))
    session.confusions.decide(first, LABELS[0], also=others)
    session.confusions.decide(second, LABELS[0])
    times = db.person_actions.decision_times(project.connection, "human:mira", 100)
    assert len(times) == 2
