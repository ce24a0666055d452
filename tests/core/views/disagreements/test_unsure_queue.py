"""The queue of answers that a grader left unsure."""

from collections.abc import Iterator
from contextlib import closing

import pytest

from core.project import OpenProject
from core.views.disagreements.disagreement_filter import DisagreementFilter
from core.views.lens import Thinking
from core.views.queue_query import format_disagreements, parse_disagreements
from core.views.session import Session
from core.vocabulary import Label, Outcome, Task
from tests.core.making import Row, a_fact, put_facts, put_rows
from tests.core.views.making import MODEL, A, B, lens_of

UNSURE = DisagreementFilter(unsure=True)


@pytest.fixture
def session(project: OpenProject) -> Iterator[Session]:
    """Three answers of f and g that A is not sure of, one of them labelled by B; one of `other`."""
    put_facts(project, [a_fact("f"), a_fact("g")])
    unsure, right = {A: Outcome.UNSURE}, {A: Outcome.CORRECT, B: Outcome.INCORRECT}
    put_rows(
        project,
        [
            Row("g", Task.DIRECT, MODEL, False, 0, unsure),
            Row("g", Task.DIRECT, MODEL, False, 1, right),
            Row("f", Task.REVERSE, MODEL, True, 3, unsure | {B: Outcome.INCORRECT}),
            Row("f", Task.DIRECT, MODEL, False, 2, unsure),
            Row("f", Task.DIRECT, "other", False, 0, unsure),
        ],
    )
    with closing(Session(project.path)) as made:
        made.open(lens_of(MODEL, a=A, b=B))
        made.name = "mira"
        yield made


def seen(session: Session, among: DisagreementFilter) -> list[tuple[str, Task, str, int]]:
    queue = session.confusions.queue(among)
    rows = [queue.row(place) for place in range(len(queue))]
    assert session.confusions.count(among, session.snapshot.lens) == len(rows)
    return [(queue.index.fact_ids[row.fact], row.task, row.model, row.sample) for row in rows]


def test_unsure_answers_come_fact_by_fact(session: Session) -> None:
    assert seen(session, UNSURE) == [
        ("f", Task.DIRECT, MODEL, 2),
        ("f", Task.DIRECT, "other", 0),
        ("f", Task.REVERSE, MODEL, 3),
        ("g", Task.DIRECT, MODEL, 0),
    ]
    rows = [session.confusions.queue(UNSURE).row(place) for place in range(4)]
    assert [(row.a, row.b) for row in rows] == [
        (None, None),
        (None, None),
        (None, Label.INCORRECT),
        (None, None),
    ]
    assert {row.fate.name for row in rows} == {"OPEN"}


def test_filters_narrow_it(session: Session) -> None:
    assert len(seen(session, DisagreementFilter(unsure=True, task=Task.REVERSE))) == 1
    assert len(seen(session, DisagreementFilter(unsure=True, model="other"))) == 1
    off = DisagreementFilter(unsure=True, thinking=Thinking.OFF)
    assert len(session.confusions.queue(off)) == 3
    # What is not unsure is in the queue of disagreements, and the other way round.
    assert seen(session, DisagreementFilter()) == [("g", Task.DIRECT, MODEL, 1)]


def test_a_decision_is_a_label_and_the_row_stays(session: Session) -> None:
    queue = session.confusions.queue(UNSURE)
    row = queue.row(2)
    card = session.confusions.card(row.slot)
    assert card is not None
    assert (card.a.label, card.b.label) == (None, Label.INCORRECT)
    session.confusions.decide(row.slot, Label.CORRECT)
    marked = session.confusions.mark_queue(queue)
    assert marked.row(2).decision is Label.CORRECT
    assert len(session.confusions.queue(UNSURE)) == 4
    found = session.confusions.rates(marked)
    # A gave no label, so it was not wrong; B was.
    assert (found.a.wrong, found.b.wrong, found.decided) == (0, 1, 1)


def test_in_words() -> None:
    assert format_disagreements(UNSURE) == "queue:unsure"
    assert parse_disagreements("queue:unsure task:direct").unsure
    with pytest.raises(
        Exception, match="no queue sure: did you mean unsure\\? choose one of unsure"
    ):
        parse_disagreements("queue:sure")
