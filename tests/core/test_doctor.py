"""What `doctor --repair` makes anew."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

import db.integrity
import db.search_index
from core import doctor
from core.curation import question_edits
from core.curation.prompt_files import copy_prompts
from core.errors import LostkeysError
from core.project import OpenProject
from core.transfer.exports import export
from core.views import fact_search
from db.connection import write_transaction
from db.option_scores import SeriesKey, ensure_series
from db.stored_values import StoredValues
from tests.bench.generator import Scale, build
from tests.core.fact_bench.arms_making import answers, new_set
from tui.cli.main import cli


def searchable(path: Path) -> bool:
    with OpenProject(path, "read") as project:
        return db.search_index.has_all_facts(project.connection)


@pytest.mark.slow
def test_repair_has_the_search_index_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "made.db"
    build(path, Scale(facts=2, models=1, samples=1))
    with OpenProject(path, "write") as project:
        list(fact_search.catch_up(project))
    assert searchable(path)
    doctor.repair(path)
    assert not searchable(path)
    with OpenProject(path, "write") as project:
        list(fact_search.catch_up(project))
        found = fact_search.search(project, "subject 1")
    assert searchable(path)
    assert found is not None
    assert int(found.facts[0]) == 2, "`Subject 1`, by its names"


@pytest.mark.slow
def test_versions_that_cannot_be_are_found(tmp_path: Path) -> None:
    path = tmp_path / "made.db"
    build(path, Scale(facts=2, models=1, samples=1))
    with OpenProject(path, "write") as project:
        connection = project.connection
        question = int(project.index.questions[0, 2])
        question_edits.accept_alias(project, "ann", question, "another name")
        assert db.integrity.faults(connection) == []
        with write_transaction(connection):
            connection.execute("DELETE FROM gold WHERE version = 2")
            connection.execute("UPDATE gold SET current = 1")
        assert "aside though it is in use" in db.integrity.faults(connection)[0]
        with write_transaction(connection):
            connection.execute("UPDATE question SET current = 0 WHERE id = ?", (question,))
        assert "no version is in use" in db.integrity.faults(connection)[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sql", "says"),
    [
        ("CREATE VIRTUAL TABLE notes USING fts5(text)", "holds a virtual table notes"),
        (
            "DROP VIEW v_labels; CREATE VIEW v_labels AS SELECT 1 AS label",
            "holds a view v_labels",
        ),
        (
            "DROP TABLE passage_text; CREATE VIRTUAL TABLE passage_text USING fts5(x)",
            "passage_text",
        ),
        ("CREATE VIEW mine AS SELECT 1", "holds a view mine"),
        ("CREATE TRIGGER t AFTER UPDATE ON fact BEGIN SELECT 1; END", "holds a trigger t"),
    ],
)
def test_what_runs_code_and_is_not_ours_is_found(tmp_path: Path, sql: str, says: str) -> None:
    path = tmp_path / "made.db"
    OpenProject(path, "create").close()
    assert told(path).well
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(sql)
    found = told(path)
    assert not found.well
    assert says in found.detail
    assert "drop it" in found.detail


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sql", "says"),
    [
        ("DROP INDEX event_of_job", "has lost the index event_of_job: restore a copy"),
        ("DROP VIEW v_labels", "has lost the view v_labels: restore a copy"),
        ("DROP TABLE plan_range", "has lost the table plan_range: restore a copy"),
        ("ALTER TABLE lease DROP COLUMN beat", "table lease that Lostkeys did not make (no column"),
        ("ALTER TABLE lease ADD COLUMN more TEXT", "make (a column more more)"),
        (
            "DROP INDEX event_of_job; CREATE INDEX event_of_job ON event (at)",
            "holds an index event_of_job that Lostkeys did not make",
        ),
    ],
)
def test_tables_that_are_not_as_they_were_made_are_named(
    tmp_path: Path, sql: str, says: str
) -> None:
    path = tmp_path / "made.db"
    OpenProject(path, "create").close()
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(sql)
    found = [one for one in doctor.examine_database(path) if not one.well]
    assert len(found) == 1
    assert says in found[0].detail


@pytest.mark.slow
def test_a_table_of_ones_own_is_let_be(tmp_path: Path) -> None:
    path = tmp_path / "made.db"
    OpenProject(path, "create").close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE mine (note TEXT)")
    assert told(path).well


def told(path: Path) -> doctor.HealthCheck:
    return next(doctor.examine_database(path))


DAMAGED = {
    "aliases": ("UPDATE gold SET aliases = 'none' WHERE id < 4", "3 rows of table gold", "id 1"),
    "task": ("UPDATE question SET task = 'riddle' WHERE id = 3", "table question", "'riddle'"),
    "options": ("UPDATE question SET choices = '[]', seed = 1 WHERE id = 3", "question", "id 3"),
    "superseded": (
        "UPDATE question SET choices = '[', seed = 1, current = 0 WHERE id = 3; INSERT INTO "
        "question (fact, task, version, text, current) "
        "SELECT fact, task, 2, text, 1 FROM question WHERE id = 3",
        "1 row of table question",
        "id 3: '['",
    ),
    "text": (
        "UPDATE response SET text = CAST(x'61ff' AS TEXT) WHERE sample = 0",
        "40 rows of table response",
        "text that is not Unicode",
    ),
    "recipe": ("INSERT INTO recipe (hash, content) VALUES ('x', '[1]')", "table recipe", "id 1"),
    "fields of a recipe": (
        'INSERT INTO recipe (hash, content) VALUES (\'x\', \'{"model": "m", "options": {}}\')',
        "1 row of table recipe",
        "a recipe without thinking",
    ),
    "run": (
        "INSERT INTO run (setting, asked, samples) VALUES (1, '[[[\"x\"],[]]]', 1)",
        "1 row of table run",
        "no task",
    ),
    "samples of a run": (
        "INSERT INTO run (setting, asked, samples) VALUES (1, '[]', 1025)",
        "1 row of table run",
        "the samples of a run",
    ),
    "policy of a run": (
        "INSERT INTO run (setting, asked, samples, curtailed) VALUES (1, '[]', 1, '{\"tau\": 1}')",
        "table run",
        "the policy of a curtailed run",
    ),
    "saved policy": (
        "INSERT INTO saved_policy (name, policy) VALUES ('mine', '{}')",
        "table saved_policy",
        "name mine",
    ),
    "action": (
        "INSERT INTO action (author, kind, target, after, at) VALUES ('a', 'flag', 1, '7', 1)",
        "table action",
        "what an action on a flag found or left",
    ),
    "kind of an action": (
        "INSERT INTO action (author, kind, target, at) VALUES ('a', 'wish', 1, 1)",
        "table action",
        "no kind of action",
    ),
    "sample": (
        "INSERT INTO sample (kind, seed, spec) VALUES ('uniform', 1, '{\"tasks\": [1]}')",
        "table sample",
        "tasks of a sample",
    ),
    "step": (
        "INSERT INTO step (stage, unit, version, verdict, sources) "
        "VALUES ('length', 1, '1', 'kept', '[1]')",
        "table step",
        "sources of a step",
    ),
    "job": (
        "INSERT INTO job (kind, name, spec, state) VALUES ('run', 'm', 'x', 'failed')",
        "table job",
        "what a job is to do",
    ),
    "time of a job": (
        "INSERT INTO job (kind, name, spec, state, ended) "
        "VALUES ('run', 'm', '{}', 'failed', 'soon')",
        "table job",
        "a time; such as id 1: 'soon'",
    ),
    "time of a log line": (
        "INSERT INTO job (kind, name, spec, state) VALUES ('run', 'm', '{}', 'failed'); "
        "INSERT INTO event (job, at, kind, text) VALUES (1, 'soon', 'note', 'x')",
        "table event",
        "a time",
    ),
    "batch": (
        "INSERT INTO job (kind, name, spec, state) VALUES ('run', 'm', '{}', 'failed'); INSERT "
        "INTO batch (job, token, lane, state, items) VALUES (1, 't', 'l', 'prepared', '[[1]]')",
        "table batch",
        "items of a batch",
    ),
    "grid": (
        "INSERT INTO grid VALUES (9, 1, 2, x'010101')",
        "1 row of table grid",
        "3 cells in 2 rows): `lostkeys doctor --repair`",
    ),
    "outcome": ("INSERT INTO grid VALUES (9, 1, 1, x'09')", "table grid", "no outcome"),
    "change": ("INSERT INTO grid_change VALUES (99, 9, x'', x'01')", "grid_change", "seq 99"),
    "last change": (
        "INSERT OR REPLACE INTO project VALUES ('grid_seq', 'ten')",
        "1 row of table project",
        "name grid_seq: 'ten'",
    ),
}


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sound") / "made.db"
    build(path, Scale(facts=2, models=1, samples=2))
    assert told(path).well
    return path


def damaged(sound: Path, folder: Path, sql: str) -> Path:
    """A copy of a sound database, changed by another program, which has no foreign keys on."""
    path = folder / "made.db"
    with closing(sqlite3.connect(sound)) as source, closing(sqlite3.connect(path)) as target:
        source.backup(target)
        target.execute("PRAGMA ignore_check_constraints = ON")
        target.executescript(sql)
    return path


def faults_told(path: Path) -> list[str]:
    """What is said of the database; the file is left as it was."""
    before = path.read_bytes()
    lines = [one.detail for one in doctor.examine_database(path) if not one.well]
    assert path.read_bytes() == before
    return lines


@pytest.mark.parametrize(("sql", "table", "example"), DAMAGED.values(), ids=DAMAGED.keys())
def test_a_damaged_value_is_told(
    sound: Path, tmp_path: Path, sql: str, table: str, example: str
) -> None:
    path = damaged(sound, tmp_path, sql)
    lines = faults_told(path)
    assert [line for line in lines if str(path) in line and table in line and example in line], (
        lines
    )
    assert all("`lostkeys doctor --repair`" in one or "restore a copy" in one for one in lines)


@pytest.mark.parametrize("content", ["{}", '{"model": "openai:m"}', '{"model": 7}'])
def test_a_recipe_that_lacks_fields_is_told_where_it_is_read(
    sound: Path, tmp_path: Path, content: str
) -> None:
    sql = f"INSERT INTO recipe (hash, content) VALUES ('x', '{content}')"
    path = damaged(sound, tmp_path, f"{sql}; UPDATE model SET recipe = last_insert_rowid()")
    error = CliRunner().invoke(cli, ["--db", str(path), "models"]).exception
    assert isinstance(error, LostkeysError)
    assert str(error).startswith(f"{path} holds what cannot be read (a recipe without ")
    assert str(error).endswith(": `lostkeys doctor` looks into it")


@pytest.mark.slow
def test_the_command_has_one_line_for_each_kind_of_damage(sound: Path, tmp_path: Path) -> None:
    names = ("aliases", "task", "recipe", "grid")
    path = damaged(sound, tmp_path, "; ".join(DAMAGED[name][0] for name in names))
    said = CliRunner().invoke(cli, ["--db", str(path), "doctor"])
    assert said.exit_code == 1
    lines = [line for line in said.output.splitlines() if line.startswith("! database: ")]
    assert len(lines) == len(names)
    assert (
        f"! database: {path} has 3 rows of table gold that cannot be read (aliases of a gold; "
        "such as id 1: 'none'): restore a copy, or mend these rows with SQLite"
    ) in lines


@pytest.mark.parametrize("name", ["grid", "outcome", "change", "last change"])
def test_damaged_grids_are_repaired(sound: Path, tmp_path: Path, name: str) -> None:
    path = damaged(sound, tmp_path, DAMAGED[name][0])
    doctor.repair(path)
    assert told(path).well


def test_all_damaged_rows_are_counted(sound: Path, tmp_path: Path) -> None:
    path = damaged(sound, tmp_path, "UPDATE gold SET aliases = '[1'")
    with OpenProject(path, "read") as project:
        (damage,) = db.integrity.find_damage(project.connection, db.integrity.STORED)
        (facts,) = project.connection.execute("SELECT count(*) FROM fact").fetchone()
        assert damage.rows == 2 * facts
        text = project.connection.execute("SELECT aliases FROM gold").fetchone()
        assert text == ("[1",), "texts are read as ever afterwards"


def test_equal_values_are_read_once(sound: Path) -> None:
    read: list[str] = []
    with OpenProject(sound, "read") as project:
        tasks = StoredValues("question", "task", read.append, texts="text")
        assert db.integrity.find_damage(project.connection, [tasks]) == []
        questions = project.connection.execute("SELECT count(*) FROM question").fetchone()[0]
    assert len(read) == len(set(read)) < questions


ORPHANS = {
    "question": (
        "DELETE FROM question WHERE id = 3",
        "4 rows of table response pointing nowhere (a question that is not there; such as row 314",
    ),
    "fact": ("DELETE FROM fact WHERE id = 2", "10 rows of table question pointing nowhere (a fact"),
    "setting": ("DELETE FROM setting WHERE id = 1", "table response pointing nowhere (a setting"),
    "model": ("DELETE FROM model", "2 rows of table setting pointing nowhere (a model"),
    "slot": (
        "DELETE FROM response WHERE id = (SELECT min(id) FROM response)",
        "table grade pointing nowhere (a response that is not there; such as the one of response ",
    ),
    "grader": ("DELETE FROM grader WHERE id = 1", "table grade pointing nowhere (a grader"),
    "label": (
        "INSERT INTO remark VALUES (7, 1, 'why', 1)",
        "1 row of table remark pointing nowhere (a grade that is not there; such as the one of "
        "response 7 and grader 1)",
    ),
    "job": (
        "INSERT INTO event (job, kind, text) VALUES (9, 'note', 'x'), (9, 'note', 'y')",
        "2 rows of table event pointing nowhere (a job that is not there; such as row 1)",
    ),
}


@pytest.mark.parametrize(("sql", "says"), ORPHANS.values(), ids=ORPHANS.keys())
def test_rows_that_point_nowhere_are_counted(
    sound: Path, tmp_path: Path, sql: str, says: str
) -> None:
    path = damaged(sound, tmp_path, sql)
    lines = faults_told(path)
    assert [line for line in lines if line.startswith(f"{path} has ") and says in line], lines


@pytest.mark.parametrize("orphan", ["fact", "setting", "model", "grader"])
def test_reading_says_in_one_line_what_points_nowhere(
    sound: Path, tmp_path: Path, orphan: str
) -> None:
    path = damaged(sound, tmp_path, ORPHANS[orphan][0])
    with pytest.raises(LostkeysError) as error, OpenProject(path, "read") as project:
        export(project, "labels", tmp_path / "labels.jsonl")
    said = str(error.value)
    assert said.startswith(f"{path} holds what cannot be read (a row names a ")
    assert said.endswith("`lostkeys doctor` looks into it")


def test_without_the_extra_the_embedded_model_is_no_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.settings.extras._is_there", lambda module: module != "xllamacpp")
    found = {one.name: one for one in doctor.examine(tmp_path / "a.db")}
    assert found["embedded model"].well
    assert 'pip install "lostkeys[local]"' in found["embedded model"].detail
    assert "weights" not in found


def test_arms_and_models_with_scores_alone_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "p.db"
    with new_set(path, answers("m#zero-shot", {"a": "Riga"})):
        (found,) = doctor.examine_database(path)
    assert found.detail == f"{path}: 5 facts, 1 arm, sound"
    with OpenProject(path, "write") as project, write_transaction(project.connection):
        cursor = project.connection.execute("INSERT INTO model (label) VALUES ('scored')")
        key = SeriesKey("scored", "f", 3, 1, 0, "", 4)
        ensure_series(project.connection, key, int(cursor.lastrowid or 0))
    (found,) = doctor.examine_database(path)
    assert found.detail == f"{path}: 5 facts, 1 model, 1 arm, sound"


def test_the_folder_of_prompts_is_named_with_what_is_wrong_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "mine"
    monkeypatch.setenv("LOSTKEYS_PROMPTS", str(folder))
    monkeypatch.setattr(doctor, "_local_checks", list)

    def found() -> tuple[bool, str]:
        (check,) = (one for one in doctor.examine(tmp_path / "a.db") if one.name == "prompts")
        return check.well, check.detail

    assert found() == (True, f"0 of your own in {folder}")
    copy_prompts(("question",))
    assert found() == (True, f"1 of your own in {folder}")
    broken = tmp_path / "broken" / "question.md"
    broken.parent.mkdir()
    broken.write_text("no header", encoding="utf-8")
    monkeypatch.setenv("LOSTKEYS_PROMPTS", str(broken.parent))
    well, detail = found()
    assert not well
    assert str(broken) in detail
