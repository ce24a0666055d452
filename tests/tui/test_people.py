"""What undoing did, in words."""

from pathlib import Path

import pytest

from core.curation import label_writer
from core.project import OpenProject
from core.views.session import Session
from core.vocabulary import Label, Task
from db.person_actions import GraderPair
from db.slot_ids import slot
from tests.core.making import Row, a_fact, new_project, put_facts, put_rows
from tui.app.undo_text import act_line, undone_line


@pytest.fixture
def session(tmp_path: Path) -> Session:
    path = tmp_path / "people.db"
    with new_project(path) as project:
        put_facts(project, [a_fact("f0", subject="Antares"), a_fact("f1", subject="Vega")])
        put_rows(project, [Row("f0", Task.REVERSE, "m", True, 4, text="Taurus II")])
    session = Session(path)
    session.open()
    session.name = "mira"
    return session


def answer(session: Session) -> int:
    with OpenProject(session.path) as project:
        ids = [key for (key,) in project.connection.execute("SELECT id FROM response")]
    assert len(ids) == 1
    return int(ids[0])


def undone(session: Session, model: str = "m") -> str:
    done, _ = session.undo()
    return undone_line(done, session.target(done.what) if done else None, model).text


def test_what_was_undone_is_named_newest_first(session: Session) -> None:
    key = answer(session)
    session.set_label(key, Label.CORRECT)
    session.set_label(key, Label.OTHER)
    session.set_note(key, "why")
    session.withdraw(key)
    here = "undone: on 5 of Antares (reverse), "
    assert undone(session) == here + "OTHER again"
    assert undone(session) == here + "note withdrawn"
    assert undone(session) == here + "CORRECT again"
    assert undone(session) == here + "CORRECT withdrawn"
    assert undone(session) == "nothing left to undo"


def test_a_label_that_is_set_once_more_is_no_note(session: Session) -> None:
    key = answer(session)
    session.set_label(key, Label.CORRECT)
    session.set_label(key, Label.CORRECT)
    act, of = session.acts()[0]
    assert act_line("", act, of, act.at).text.startswith("on 5 of Antares (reverse, m) is CORRECT")
    assert undone(session) == "undone: on 5 of Antares (reverse), CORRECT again"


def test_an_answer_of_another_model_is_named_with_it(session: Session) -> None:
    session.set_label(answer(session), Label.CORRECT)
    assert undone(session, "n") == "undone: on 5 of Antares (reverse, m), CORRECT withdrawn"


def test_labels_that_one_key_has_set_are_counted(session: Session) -> None:
    with OpenProject(session.path, "write") as project:
        rows = [Row("f0", Task.REVERSE, "m", False, at, text="Taurus II") for at in range(4)]
        put_rows(project, rows)
    session.refresh()
    with OpenProject(session.path) as project:
        ids = [key for (key,) in project.connection.execute("SELECT id FROM response ORDER BY id")]
    between = dict.fromkeys(ids[:4], GraderPair("a", "b", 0, 0))
    session.write(lambda project: label_writer.decide(project, "mira", Label.CORRECT, between))
    session.write(lambda project: label_writer.decide(project, "mira", Label.OTHER, between))
    assert undone(session).endswith("and 3 more, 4 labels as before")
    assert undone(session) == "undone: on 5 of Antares (reverse) and 3 more, 4 labels withdrawn"


def test_flags_are_named_by_their_fact(session: Session) -> None:
    fact = int(session.snapshot.index.ids[1])
    session.set_flag(fact, True)
    session.set_flag(fact, False)
    assert undone(session) == "undone: Vega, flagged again"
    assert undone(session) == "undone: Vega, flag withdrawn"


def test_what_has_changed_since_is_left_alone(session: Session) -> None:
    fact = int(session.snapshot.index.ids[0])
    session.set_flag(fact, True)
    with OpenProject(session.path, "write") as other:
        other.connection.execute("UPDATE fact SET flagged = 0")
    assert undone(session) == "left alone, changed since: Antares"


def test_an_answer_that_is_gone_has_no_name(session: Session) -> None:
    done, _ = session.set_label(answer(session), Label.CORRECT)
    assert session.target(done) is not None
    assert session.target(type(done)(slot(99, 1, 0), done.before, done.after)) is None
