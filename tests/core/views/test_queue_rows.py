"""Queues of Confusion and Review as rows of a file: all, in order, blind where asked."""

import json
from contextlib import closing
from pathlib import Path

import pytest

from core.project import OpenProject
from core.views.disagreements.disagreement_filter import DisagreementFilter
from core.views.list_file import meta_file, write_list
from core.views.list_words import DISAGREEMENTS, ListWords
from core.views.queue_query import format_disagreements
from core.views.queue_rows import read_disagreements, read_questions
from core.views.review.review_queue import QueueRequest
from core.views.session import Session
from core.vocabulary import Label, Task
from tests.core.making import new_project
from tests.core.views.making import MODEL, A, B, chances, lens_of


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with new_project(tmp_path / "p.db") as project:
        chances(project, 3, 12, people=False)
    return tmp_path / "p.db"


def test_a_queue_of_disagreements_is_written_in_its_order(path: Path, tmp_path: Path) -> None:
    with closing(Session(path)) as session:
        session.open(lens_of(MODEL, a=A, b=B))
        session.name = "mira"
        queue = session.confusions.queue(DisagreementFilter())
        session.confusions.decide(queue.row(2).slot, Label.OTHER)
        queue = session.confusions.mark_queue(queue)
        table = read_disagreements(queue, False, session)
        assert len(table.rows) == len(queue) > 5
        for place, row in enumerate(table.rows):
            found = queue.row(place)
            assert (row["task"], row["sample"]) == (str(found.task), found.sample)
            assert (row["label_a"], row["label_b"]) == (str(found.a), str(found.b))
        assert [row["label"] for row in table.rows[:4]] == [None, None, "OTHER", None]
        where = format_disagreements(DisagreementFilter(task=Task.DIRECT, by_others=True))
        words = ListWords(DISAGREEMENTS, where)
        write_list(tmp_path / "q.jsonl", table, words, session.snapshot.lens)
    about = json.loads(meta_file(tmp_path / "q.jsonl").read_bytes())
    assert about["where"] == "task:direct by:others"
    assert about["columns"] == list(table.columns)
    command = "lostkeys export disagreements -o q.jsonl --where 'task:direct by:others'"
    assert about["command"].startswith(command)


def test_a_blind_queue_says_nothing_of_graders_before_one_has_decided(path: Path) -> None:
    with closing(Session(path)) as session:
        session.open(lens_of(MODEL, a=A, b=B))
        session.name = "mira"
        queue = session.confusions.queue(DisagreementFilter())
        session.confusions.decide(queue.row(0).slot, Label.OTHER)
        table = read_disagreements(session.confusions.mark_queue(queue), True, session)
    assert "label_a" in table.rows[0]
    graders = {"label_a", "label_b", "would_change", "before", "after", "g", "g_after"}
    assert all(not graders & row.keys() for row in table.rows[1:])


def test_a_queue_of_questions_is_written_in_its_order(path: Path, project: OpenProject) -> None:
    with closing(Session(path)) as session:
        session.open(lens_of(MODEL, a=A, b=B))
        queue = session.reviews.queue(QueueRequest())
        table = read_questions(queue, session)
        assert len(table.rows) == len(queue)
        for place, row in enumerate(table.rows):
            found = queue.row(place)
            assert (row["task"], row["fails"], row["of"]) == (
                *(str(found.task), found.fails),
                found.of,
            )
            assert row["question"]
