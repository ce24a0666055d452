"""Facts found by their own texts come first, then those found by answers, each with its place."""

import sqlite3
import threading
from pathlib import Path

import pytest

import db.search
from core.project import OpenProject
from core.views import fact_search
from core.vocabulary import Task
from tests.core.making import Row, a_fact, put_facts, put_rows


@pytest.fixture
def filled(project: OpenProject) -> OpenProject:
    """Four facts; answers name rockets, those to the first fact twice."""
    put_facts(project, [a_fact(f"f{n}", subject=f"Rocket {n}") for n in range(4)])
    put_rows(
        project,
        [
            Row("f0", Task.DIRECT, "m", False, 0, text="Taurus"),
            Row("f0", Task.REVERSE, "m", False, 0, text="Taurus again"),
            Row("f2", Task.REVERSE, "gemma", True, 2, text="The Taurus II"),
            Row("f3", Task.DIRECT, "m", False, 0, text="Rocket 1"),
        ],
    )
    return project


def index(project: OpenProject) -> None:
    for _ in fact_search.catch_up(project):
        pass


def both(project: OpenProject, text: str) -> fact_search.SearchResult:
    first = fact_search.search(project, text)
    assert first is not None
    assert not first.complete
    assert not first.questions.any()
    found = fact_search.with_answers(project, first)
    assert found is not None
    assert found.facts[: len(first.facts)].tolist() == first.facts.tolist()
    return found


def where(project: OpenProject, found: fact_search.SearchResult) -> list[str]:
    hits = [fact_search.find_hit(project, found, place) for place in range(len(found.facts))]
    return [hit.where if hit else "" for hit in hits]


def test_facts_found_by_answers_come_last(filled: OpenProject) -> None:
    index(filled)
    found = both(filled, "rocket 1")
    assert found.facts.tolist() == [2, 4]
    assert found.ranks.tolist() == [0, db.search.IN_ANSWERS]
    assert where(filled, found) == ["subject", "answer off 1 m"]
    assert found.complete


def test_answers_are_named_by_thinking_number_and_model(filled: OpenProject) -> None:
    index(filled)
    found = both(filled, "taur")
    assert found.facts.tolist() == [1, 3]
    assert where(filled, found) == ["answer off 1 m", "answer on 3 gemma"]
    hit = fact_search.find_hit(filled, found, 1)
    assert hit is not None
    assert (hit.text, hit.start, hit.end) == ("The Taurus II", 4, 8)


def test_before_anything_is_indexed(filled: OpenProject) -> None:
    found = both(filled, "rocket")
    assert found.facts.tolist() == [1, 2, 3, 4]
    assert not found.complete


def test_an_index_behind_says_so(filled: OpenProject) -> None:
    index(filled)
    put_rows(filled, [Row("f1", Task.DIRECT, "m", False, 0, text="Taurus")])
    assert not both(filled, "taurus").complete
    index(filled)
    found = both(filled, "taurus")
    assert found.complete
    assert found.facts.tolist() == [1, 2, 3]


def test_what_an_older_index_says_is_seen_in_the_texts(filled: OpenProject) -> None:
    index(filled)
    found = both(filled, "taurus")
    filled.connection.execute("UPDATE response SET text = 'Vega'")
    assert where(filled, found) == ["", ""]


def test_questions_that_are_asked_no_more_find_nothing(filled: OpenProject) -> None:
    index(filled)
    filled.connection.execute("UPDATE question SET current = 0 WHERE fact = 3")
    with OpenProject(filled.path, "read") as reader:
        assert both(reader, "taurus").facts.tolist() == [1]


def test_an_interrupted_search_gives_nothing(filled: OpenProject) -> None:
    index(filled)
    found = fact_search.search(filled, "taurus")
    assert found is not None
    filled.connection.set_progress_handler(lambda: 1, 1)
    try:
        assert fact_search.search(filled, "taurus") is None
        assert fact_search.with_answers(filled, found) is None
    finally:
        filled.connection.set_progress_handler(None, 0)
    assert both(filled, "taurus").facts.tolist() == [1, 3]


def test_another_error_is_none_of_ours(filled: OpenProject) -> None:
    filled.connection.execute("DROP TABLE searchable")
    with pytest.raises(sqlite3.OperationalError, match="searchable"):
        fact_search.search(filled, "taurus")


def test_an_index_found_broken_is_made_anew(filled: OpenProject) -> None:
    index(filled)
    filled.connection.execute("UPDATE fact_text_data SET block = x'ffffffffffffffff' WHERE id > 10")
    with OpenProject(filled.path, "write") as again:
        assert both(again, "rocket 2").facts.tolist() == [3]
        assert both(again, "2 rocket").facts.tolist() == [3]
        assert both(again, "2 taurus").facts.tolist() == []
        for number in range(20):  # each adds a piece, until the broken one is to be merged
            put_facts(again, [a_fact(f"more{number}")])
            index(again)
        found = both(again, "2 rocket")
        assert found.facts.tolist() == [3]
        assert found.complete


def test_searching_while_another_thread_indexes(tmp_path: Path, filled: OpenProject) -> None:
    ready = threading.Event()

    def build() -> None:
        with OpenProject(filled.path, "write") as own:
            for _ in fact_search.catch_up(own):
                ready.set()

    thread = threading.Thread(target=build)
    thread.start()
    assert ready.wait(30)
    with OpenProject(filled.path, "read") as reader:
        assert set(both(reader, "rocket").facts.tolist()) >= {1, 2, 3, 4}
        thread.join(30)
        reader.refresh()
        assert both(reader, "taurus").complete
