"""What is removed goes with all that rests on it, nothing else, and comes back byte for byte."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import db.integrity
import db.row_removal
from core.curation import label_writer, tag_writer
from core.curation.removals import RemovalKind, plan_removal, remove, restore
from core.errors import LostkeysError, UsageError
from core.project import OpenProject
from core.transfer.imports import import_file
from core.vocabulary import Label
from core.zero_prompt.score_writer import arrays_are_stale
from db.connection import write_transaction
from tests.core.exchange.making import sample, write_log
from tests.tui.screens.bench.making import SENT, SET, bench_project
from tests.tui.screens.latent.making import TINY, latent_project

DERIVED = {"grid", "grid_change", "score_grid", "score_change", "answer_score", "searchable"}
"""Tables that follow from others, and are compared by what they say."""


def tables(connection: sqlite3.Connection) -> list[str]:
    rows = connection.execute("SELECT name FROM pragma_table_list WHERE type = 'table'")
    schema = {"sqlite_schema", "sqlite_sequence", "sqlite_temp_schema", "_sqlite_migrations"}
    return sorted(
        name
        for (name,) in rows
        if name not in schema | DERIVED and "_text" not in name.replace("option_text", "")
        and not name.startswith(("removed_", "gone"))
    )  # fmt: skip


def content(project: OpenProject) -> dict[str, list[tuple[Any, ...]]]:
    """All rows but those of derived tables and the count of removals."""
    found = {
        name: sorted(project.connection.execute(f"SELECT * FROM {name}").fetchall(), key=repr)
        for name in tables(project.connection)
    }
    found["project"] = [row for row in found["project"] if row[0] not in ("removals", "grid_seq")]
    return found


def is_sound(project: OpenProject) -> bool:
    return (
        db.integrity.faults(project.connection) == []
        and not db.integrity.grids_are_stale(project.connection)
        and not arrays_are_stale(project)
    )


def check(project: OpenProject, kind: RemovalKind, name: str) -> dict[str, int]:
    """Remove it and put it back; gives what went, by people's words."""
    before = content(project)
    planned = plan_removal(project, kind, name)
    assert content(project) == before
    done = remove(project, planned)
    assert done.rows == planned.rows
    assert is_sound(project)
    gone = content(project)
    for table, rows in before.items():
        assert len(rows) - len(gone[table]) == done.rows.get(table, 0), table
        assert not set(gone[table]) - set(rows), table
    with pytest.raises(UsageError, match="named"):
        plan_removal(project, kind, name)
    with OpenProject(project.path) as other:
        assert len(other.index) == len(gone["fact"])
    restore(project, done)
    assert content(project) == before
    assert is_sound(project)
    return done.counts


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[OpenProject]:
    with OpenProject(bench_project(tmp_path / "b.db"), "write") as made:
        yield made


@pytest.fixture
def latent(tmp_path: Path) -> Iterator[OpenProject]:
    with OpenProject(latent_project(tmp_path / "l.db"), "write") as made:
        yield made


@pytest.mark.slow
def test_a_set_goes_with_its_facts_arms_and_answers(bench: OpenProject) -> None:
    facts = bench.connection.execute("SELECT count(*) FROM triple").fetchone()[0]
    counts = check(bench, RemovalKind.SET, SET)
    assert (counts["facts"], counts["relations"], counts["sets"]) == (facts, 3, 1)
    assert counts["responses"] > 200
    assert counts["arms"] == 1


def test_tags_and_notes_go_with_what_they_are_on(latent: OpenProject) -> None:
    settings = "(SELECT id FROM setting WHERE model = (SELECT id FROM model WHERE label = ?))"
    (slot,) = latent.connection.execute(
        f"SELECT min(id) FROM response WHERE setting IN {settings}", ("gemma3-4b",)
    ).fetchone()
    tag_writer.set_tag(latent, "mira", "answer", slot, "odd")
    tag_writer.set_standing_note(latent, "mira", "answer", slot, "see the source")
    counts = check(latent, RemovalKind.MODEL, "gemma3-4b")
    assert (counts["tags"], counts["notes"]) == (1, 1)
    remove(latent, plan_removal(latent, RemovalKind.MODEL, "gemma3-4b"))
    assert latent.connection.execute("SELECT count(*) FROM action").fetchone() == (0,)


def test_a_relation_goes_alone(latent: OpenProject) -> None:
    kept = len(latent.index) - 4
    assert check(latent, RemovalKind.RELATION, "rows/lies on")["facts"] == 4
    remove(latent, plan_removal(latent, RemovalKind.RELATION, "lies on"))
    assert len(latent.index) == kept


def test_a_relation_whose_facts_arms_show_stays(bench: OpenProject) -> None:
    with pytest.raises(UsageError, match="as examples"):
        plan_removal(bench, RemovalKind.RELATION, f"{SET}/date of birth")


def test_a_fact_that_has_other_tasks_stays_when_its_set_goes(latent: OpenProject) -> None:
    facts = {row[0] for row in latent.connection.execute("SELECT DISTINCT fact FROM question")}
    counts = check(latent, RemovalKind.SET, "rows")
    assert counts["scores"] > 0
    done = remove(latent, plan_removal(latent, RemovalKind.SET, "rows"))
    assert set(latent.index.ids.tolist()) == facts
    assert "responses" not in done.counts


@pytest.mark.parametrize("model", [TINY, "gemma3-4b"])
def test_a_model_goes_with_scores_and_answers(latent: OpenProject, model: str) -> None:
    check(latent, RemovalKind.MODEL, model)
    remove(latent, plan_removal(latent, RemovalKind.MODEL, model))
    assert model not in latent.models()


def test_a_model_takes_its_arms_along(bench: OpenProject) -> None:
    remove(bench, plan_removal(bench, RemovalKind.MODEL, SENT.partition("#")[0]))
    assert SENT not in bench.models(arms=True)
    assert is_sound(bench)


def test_a_grader_goes_with_its_labels_and_what_people_can_undo(latent: OpenProject) -> None:
    slot = latent.connection.execute("SELECT min(id) FROM response").fetchone()[0]
    label_writer.set_label(latent, "mira", slot, Label.CORRECT, "a note")
    latent.refresh()
    primary = next(one.name for one in latent.graders() if not one.is_person)
    latent.set_primary(primary)
    assert check(latent, RemovalKind.GRADER, "human:mira") == {
        "grader versions": 1,
        "labels": 1,
    }
    counts = check(latent, RemovalKind.GRADER, primary)
    assert counts["labels"] > 100
    remove(latent, plan_removal(latent, RemovalKind.GRADER, primary))
    assert primary not in {one.name for one in latent.graders()}
    rows = latent.connection.execute("SELECT 1 FROM project WHERE name = 'primary_grader'")
    assert rows.fetchall() == []


def test_a_log_goes_with_its_facts_and_not_those_that_others_ask(tmp_path: Path) -> None:
    with OpenProject(tmp_path / "p.db", "create") as project:
        logs = [
            write_log(tmp_path / f"{model}.json", [sample(one) for one in keys], model=model)
            for model, keys in (("a", (1, 2)), ("b", (2, 3)))
        ]
        for log in logs:
            assert import_file(project, log).bad == 0
        project.refresh()
        assert check(project, RemovalKind.FILE, "a.json") == {
            "facts": 1, "questions": 1, "responses": 2, "labels": 2,
        }  # fmt: skip
        remove(project, plan_removal(project, RemovalKind.FILE, "a.json"))
        assert project.index.fact_ids == ["rivers/2", "rivers/3"]
        assert import_file(project, logs[0]).added == 2


def test_what_cannot_be_put_back_changes_nothing(latent: OpenProject) -> None:
    done = remove(latent, plan_removal(latent, RemovalKind.MODEL, TINY))
    with write_transaction(latent.connection):
        latent.connection.execute("INSERT INTO model (label) VALUES (?)", (done.name,))
    before = content(latent)
    with pytest.raises(LostkeysError, match="cannot be put back"):
        restore(latent, done)
    assert content(latent) == before


def test_other_programs_notice(latent: OpenProject) -> None:
    with OpenProject(latent.path) as other:
        count = len(other.index)
        remove(latent, plan_removal(latent, RemovalKind.RELATION, "lies on"))
        other.refresh()
        assert len(other.index) == count - 4


def test_every_table_that_refers_to_one_that_goes_is_thought_among(latent: OpenProject) -> None:
    """A table that is added later and left out would leave rows that point nowhere."""
    for table in tables(latent.connection):
        for _, _, parent, column, *_ in latent.connection.execute(
            f"PRAGMA foreign_key_list({table})"
        ):
            if parent in db.row_removal.ROWS:
                assert table in db.row_removal.ROWS, f"{table}.{column} refers to {parent}"


@pytest.mark.parametrize("kind", RemovalKind)
def test_a_name_that_is_none_says_what_there_is(bench: OpenProject, kind: RemovalKind) -> None:
    with pytest.raises(UsageError, match="named"):
        plan_removal(bench, kind, "'; DROP TABLE fact; --\x1b[31m")
