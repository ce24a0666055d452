"""What stages of building changed, and a question's way through them on its card."""

from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import db.build_steps
from core.views.review import stage_changes
from core.views.review.review_queue import QueueRequest
from core.views.review.review_service import Reviews
from core.views.session import Session
from core.vocabulary import TASKS, QueueKind, Task
from db.build_steps import Step
from db.connection import write_transaction
from tests.core.making import a_fact, new_project, put_facts

STEPS: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("direct", {"question": "Which town?"}),
    ("specify-direct", {"question": "Which town of Estonia?"}),
    ("minimize-direct", {"question": "Which town of Estonia?"}),
    ("ground-direct", {"answer": "Tartu"}),
    ("filter-direct", {}),
    ("reverse", {"question": "Which land has Tartu?", "subject": "Estonia"}),
    ("specify-reverse", {"question": "Which land has Tartu?", "subject": "Estonia"}),
    ("minimize-reverse", {"question": "Whose is Tartu?", "subject": "Estonia"}),
)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    """A session over two facts, one of them built."""
    path = tmp_path / "p.db"
    with new_project(path) as project:
        put_facts(project, [a_fact("built"), a_fact("imported")])
        connection = project.connection
        with write_transaction(connection):
            connection.execute("INSERT INTO document (key, title) VALUES ('d', 'Tartu')")
            connection.execute("INSERT INTO passage (document, place, text) VALUES (1, 0, 'text')")
            connection.execute(
                "INSERT INTO candidate (passage, start, object, object_type, rank, fact) "
                "VALUES (1, 0, 'Tartu', 'LOCATION', 1, 1)"
            )
            for stage, value in STEPS:
                sources = ({"title": "Tartu", "uri": "https://x/<b>"},)
                found = sources if stage.startswith("ground") else ()
                db.build_steps.insert_step(
                    connection, Step(stage, 1, "v", "kept", value=value, sources=found)
                )
    with closing(Session(path)) as made:
        made.name = "ann"
        made.open()
        yield made


def key_of(session: Session, task: Task, place: int = 0) -> int:
    """The id of a question."""
    return int(session.snapshot.index.questions[place, TASKS.index(task)])


def test_a_queue_holds_what_a_stage_changed(session: Session) -> None:
    reviews = Reviews(session)
    changed = {
        one.stage: reviews.queue(QueueRequest(QueueKind.STAGE, stage=one.stage)).questions
        for one in stage_changes.CHANGERS
    }
    assert changed == {
        "specify-direct": (key_of(session, Task.DIRECT), key_of(session, Task.MC_DIRECT)),
        "minimize-direct": (),
        "specify-reverse": (),
        "minimize-reverse": (key_of(session, Task.REVERSE), key_of(session, Task.MC_REVERSE)),
    }
    assert len(reviews.queue(QueueRequest(QueueKind.STAGE, stage="no such stage"))) == 0


def test_a_card_tells_the_way_through_the_stages(session: Session) -> None:
    reviews = Reviews(session)
    card = reviews.card(key_of(session, Task.MC_DIRECT))
    assert card is not None
    assert [(one.stage, one.question) for one in card.made] == [
        ("direct", "Which town?"),
        ("specify-direct", "Which town of Estonia?"),
        ("minimize-direct", "Which town of Estonia?"),
    ]
    (grounded,) = card.grounded
    assert (grounded.answer, grounded.verdict) == ("Tartu", "kept")
    assert [(one.title, one.uri) for one in grounded.links] == [("Tartu", "https://x/<b>")]
    other = reviews.card(key_of(session, Task.DIRECT, 1))
    assert other is not None
    assert (other.made, other.grounded) == ((), ())


def test_error_rates_by_stage(session: Session) -> None:
    reviews = Reviews(session)
    reviews.sample(20, seed=1)
    reviews.reject(key_of(session, Task.DIRECT), "unclear")
    reviews.accept(key_of(session, Task.REVERSE, 1))
    found = reviews.rates(reviews.queue(QueueRequest(QueueKind.RANDOM)))
    by_stage = {one.name: (one.chosen, one.decided, one.faulty) for one in found.by_stage}
    assert by_stage == {
        "as first written": (16, 1, 0),
        "minimize-reverse": (2, 0, 0),
        "specify-direct": (2, 1, 1),
    }
