"""The search index is brought up to date beside everything else."""

import threading
from pathlib import Path

import pytest

from core.project import OpenProject
from core.views import fact_search
from core.views.search_indexer import Indexer
from tests.bench.generator import Scale, build
from tests.patience import PATIENCE

SMALL = Scale(facts=3, models=1, samples=2)


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "made.db"
    build(path, SMALL)
    return path


def finished(indexer: Indexer, rounds: threading.Semaphore) -> None:
    while True:
        assert rounds.acquire(timeout=PATIENCE)
        if indexer.share is None:
            return


def whole(path: Path, text: str) -> fact_search.SearchResult:
    with OpenProject(path, "read") as project:
        first = fact_search.search(project, text)
        assert first is not None
        found = fact_search.with_answers(project, first)
        assert found is not None
        return found


def an_answer(path: Path) -> str:
    with OpenProject(path, "read") as project:
        row = project.connection.execute("SELECT text FROM response LIMIT 1").fetchone()
        return str(row[0]).split()[0].strip(".")


def test_what_is_there_is_indexed_once_it_is_woken(database: Path) -> None:
    told = threading.Semaphore(0)
    indexer = Indexer(database, told.release, rest=0)
    word = an_answer(database)
    assert not whole(database, word).complete
    indexer.wake()
    finished(indexer, told)
    found = whole(database, word)
    assert found.complete
    assert len(found.facts)
    assert indexer.close()


def test_it_stops_after_the_step_at_hand(database: Path) -> None:
    indexer = Indexer(database, lambda: None)
    indexer.wake()
    assert indexer.close(PATIENCE)
    indexer.wake()
    assert indexer.share is None


def test_a_file_that_is_gone_ends_it_quietly(tmp_path: Path) -> None:
    told = threading.Semaphore(0)
    indexer = Indexer(tmp_path / "none.db", told.release)
    indexer.wake()
    assert told.acquire(timeout=PATIENCE)
    assert indexer.share is None
    assert indexer.close(PATIENCE)


@pytest.mark.slow
def test_after_trouble_it_begins_anew(tmp_path: Path) -> None:
    path, rounds = tmp_path / "late.db", threading.Semaphore(0)
    indexer = Indexer(path, rounds.release, rest=0)
    indexer.wake()
    finished(indexer, rounds)
    build(path, SMALL)
    while not whole(path, an_answer(path)).complete:
        indexer.wake()
        finished(indexer, rounds)
    assert indexer.close()
