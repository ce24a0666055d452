"""One session on a database that it, and others, write to; and that others break."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from shutil import copyfile
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import db.connection
import db.facts
from core.audit import searching
from core.audit.board import Board
from core.audit.boards import Boards
from core.audit.labelling import set_flag, set_label, set_note
from core.audit.lens import Lens
from core.audit.listing import Filters, Order, Wanted, nearest
from core.audit.session import Session
from core.errors import LostkeysError, UsageError
from core.names import KNOWLEDGE, LABELS, TASK_INDEX, TASKS, Label, Outcome, Task
from core.project import Project
from core.transfer.imports import import_file
from db.connection import writing
from tests.bench.generator import Scale, build
from tests.core.making import Row, a_fact, cell, put_facts, put_rows

CORRECT, INCORRECT = Outcome.CORRECT, Outcome.INCORRECT


def fill(project: Project) -> list[int]:
    """Two facts; of the first all that decides is right, on one draw each; gives the slots."""
    put_facts(project, [a_fact("f0", page_title="Tartu_(city)"), a_fact("f1", page_title="Narva")])
    rows = [
        Row("f0", task, "m", thinking, 0, {"x": CORRECT}, text=f"Perhaps {task}")
        for task in (Task.COMPLETION, Task.CONTEXTUAL, *KNOWLEDGE)
        for thinking in (False, True)
    ]
    return put_rows(project, rows)


@pytest.fixture
def slots(project: Project) -> list[int]:
    return fill(project)


@pytest.fixture
def session(project: Project, slots: list[int]) -> Iterator[Session]:
    """A session that has opened the filled project; `project` is another program."""
    made = Session(project.path)
    made.open()
    yield made
    made.close()


def fresh(path: Path, lens: Lens | None = None) -> Board:
    with closing(Session(path)) as other:
        return other.open(lens)


def same(one: Board, other: Board) -> bool:
    pairs: list[tuple[npt.NDArray[Any], npt.NDArray[Any]]] = [
        (one.tally.labels, other.tally.labels),
        (one.tally.drawn, other.tally.drawn),
        (one.verdicts.verdict, other.verdicts.verdict),
        (one.differs, other.differs),
        (one.provisional, other.provisional),
        (one.index.flagged, other.index.flagged),
        (one.index.questions, other.index.questions),
        (one.noted, other.noted),
        (one.edited, other.edited),
    ]
    equal = all(np.array_equal(mine, theirs) for mine, theirs in pairs)
    return equal and (one.lens, one.models, one.headings) == (
        other.lens,
        other.models,
        other.headings,
    )


# No database yet


def test_no_file_gives_an_empty_board_and_makes_none(tmp_path: Path) -> None:
    path = tmp_path / "none.db"
    session = Session(path)
    assert not session.exists
    board = session.open()
    assert (len(board.index), board.models, board.lens.model) == (0, (), None)
    assert session.refresh() is None
    assert session.look(Lens(people=False)).lens.people is False
    assert session.listing(Wanted(search="x")).places.tolist() == []
    assert session.searched(Wanted(search="x")).total == 0
    assert session.hits(Wanted(search="x"), (0,)) == {}
    assert session.choices().topics == {}
    assert session.summary().facts == 0
    session.name = "mira"
    assert session.summary().own == 0
    for ask in (
        lambda: session.fact(1),
        lambda: session.set_flag(1, True),
        lambda: session.set_label(1, Label.CORRECT),
        session.undo,
    ):
        with pytest.raises(UsageError, match="not there yet"):
            ask()
    session.close()
    assert list(tmp_path.iterdir()) == []


def test_a_database_that_comes_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "later.db"
    with closing(Session(path)) as session:
        session.open()
        with Project(path, "create") as other:
            board = session.refresh()
            assert board is not None
            assert (len(board.index), board.lens.model) == (0, None)
            put_facts(other, [a_fact("f")])
            board = session.refresh()
            assert board is not None
            assert ([one.title for one in board.headings], board.lens.model) == (["Estonia"], None)
            put_rows(other, cell("f", Task.DIRECT, "m", False, [CORRECT], "x"))
            board = session.refresh()
            assert board is not None
            assert (board.lens.model, board.lens.a) == ("m", "x")
            assert session.refresh() is None


# What others write


def test_nothing_new_is_no_board(session: Session) -> None:
    assert session.refresh() is None
    assert session.refresh() is None


def test_what_is_no_news_is_no_board(session: Session, project: Project) -> None:
    with writing(project.connection):
        project.connection.execute("INSERT INTO project (name, value) VALUES ('some', 'value')")
    assert session.refresh() is None


NEWS: dict[str, Callable[[Project, list[int]], object]] = {
    "a label": lambda one, slots: set_label(one, "bob", slots[0], Label.OTHER),
    "a flag": lambda one, slots: set_flag(one, None, 2, True),
    "facts": lambda one, slots: put_facts(one, [a_fact("f2")]),
    "answers": lambda one, slots: put_rows(
        one, cell("f1", Task.DIRECT, "m", False, [CORRECT, None], "x")
    ),
    "a model": lambda one, slots: put_rows(
        one, cell("f1", Task.DIRECT, "new", True, [INCORRECT], "x")
    ),
    "a grader": lambda one, slots: put_rows(
        one, [Row("f1", Task.DIRECT, "m", False, 0, {"x": CORRECT, "y": INCORRECT})]
    ),
}


@pytest.mark.parametrize("what", NEWS)
def test_what_another_program_writes_is_noticed(
    session: Session, project: Project, slots: list[int], what: str
) -> None:
    before = session.board
    NEWS[what](project, slots)
    board = session.refresh()
    assert board is not None
    assert board is session.board
    assert not same(board, before)
    assert same(board, fresh(session.path))
    assert session.refresh() is None


def test_a_note_of_another_program_is_noticed(
    session: Session, project: Project, slots: list[int]
) -> None:
    set_label(project, "bob", slots[0], Label.OTHER)
    session.refresh()
    assert not session.board.noted.any()
    set_note(project, "bob", slots[0], "really?")
    board = session.refresh()
    assert board is not None
    assert board.noted.tolist() == [True, False]


def test_a_rejected_fact_leaves_the_total(session: Session, project: Project) -> None:
    assert session.listing(Wanted()).total == 2
    with writing(project.connection):
        project.connection.execute("UPDATE fact SET rejected = 1 WHERE id = 1")
    board = session.refresh()
    assert board is not None
    assert session.listing(Wanted()).places.tolist() == [1]
    assert session.summary().facts == 1


def test_an_interrupted_refresh_loses_nothing(
    session: Session, project: Project, slots: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    set_label(project, "bob", slots[0], Label.OTHER)

    def interrupted(*_: object) -> None:
        raise sqlite3.OperationalError("interrupted")

    for module, name in ((Boards, "catch_up"), (Boards, "board")):
        with monkeypatch.context() as patch:
            patch.setattr(module, name, interrupted)
            with pytest.raises(LostkeysError, match="interrupted"):
                session.refresh()
    board = session.refresh()
    assert board is not None
    assert same(board, fresh(session.path))


def test_interrupting_a_session_that_does_nothing(session: Session) -> None:
    session.interrupt()
    assert session.refresh() is None
    session.close()
    session.interrupt()


# What the session itself writes


def test_a_label_changes_the_board_at_once_and_undo_takes_it_back(
    session: Session, slots: list[int]
) -> None:
    session.name = "mira"
    first = session.board
    assert first.code(0) == "DR"
    reverse = slots[2 + 2 * KNOWLEDGE.index(Task.REVERSE) + 2]
    done, board = session.set_label(reverse, Label.INCORRECT, "it says so")
    assert (done.before, done.after and done.after.label) == (None, Label.INCORRECT)
    assert board.code(0) == "RT"
    assert board.noted.tolist() == [True, False]
    assert same(board, fresh(session.path))
    assert session.summary().own == 1
    undone, board = session.undo()
    assert undone is not None
    assert undone.restored
    assert same(board, first)
    assert session.summary().own == 0
    nothing, unchanged = session.undo()
    assert nothing is None
    assert unchanged is board


def test_withdrawing_and_notes(session: Session, slots: list[int]) -> None:
    session.name = "mira"
    session.set_label(slots[0], Label.OTHER)
    _, board = session.set_note(slots[0], "a note")
    assert board.noted[0]
    done, board = session.withdraw(slots[0])
    assert done.after is None
    assert not board.noted[0]
    assert same(board, fresh(session.path))
    with pytest.raises(UsageError, match="label the answer first"):
        session.set_note(slots[0], "a note")


def test_flags_need_no_name(session: Session) -> None:
    _, board = session.set_flag(2, True)
    assert board.index.flagged.tolist() == [False, True]
    flagged = Wanted(filters=Filters(reviews=frozenset({"flagged"})))
    assert session.listing(flagged).places.tolist() == [1]
    _, board = session.undo()
    assert not board.index.flagged.any()


def test_people_left_out_of_the_lens_change_no_count(session: Session, slots: list[int]) -> None:
    session.name = "mira"
    board = session.look(replace(session.board.lens, people=False))
    _, after = session.set_label(slots[0], Label.INCORRECT)
    assert np.array_equal(after.tally.labels, board.tally.labels)
    people = session.look(replace(after.lens, people=True))
    assert not np.array_equal(people.tally.labels, board.tally.labels)


def test_labels_need_a_proper_name(session: Session, slots: list[int]) -> None:
    assert session.name is None
    with pytest.raises(UsageError, match="name"):
        session.set_label(slots[0], Label.CORRECT)
    with pytest.raises(UsageError, match="name"):
        session.name = "two\nlines"
    session.name = " mira "
    assert session.name == "mira"


def test_many_labels_on_a_larger_file(tmp_path: Path) -> None:
    """After each of many writes the board is the one a new session makes."""
    path = tmp_path / "made.db"
    build(path, Scale(facts=4, models=2, samples=3))
    random = np.random.default_rng(3)
    with closing(Session(path)) as session, Project(path) as reader:
        session.name = "mira"
        board = session.open()
        assert (board.lens.a, board.lens.b) == ("grader-a", "grader-b")
        keys = np.array([key for (key,) in reader.connection.execute("SELECT id FROM response")])
        for key in random.choice(keys, 12).tolist():
            label = LABELS[random.integers(4)]
            _, board = session.set_label(key, label)
            assert same(board, fresh(path))
            board = session.look(replace(board.lens, model=board.models[random.integers(2)]))
            assert same(board, fresh(path, board.lens))
            session.look(replace(board.lens, model="model-00"))
        while (undone := session.undo())[0] is not None:
            board = undone[1]
        assert same(board, fresh(path))
        assert session.summary().own == 0


# Lists and searches


def indexed(path: Path) -> None:
    with Project(path, "write") as project:
        for _ in searching.catch_up(project):
            pass


def test_searching_titles_first_then_answers(session: Session) -> None:
    wanted = Wanted(search="tartu", order=Order.MATCH)
    listing = session.listing(wanted)
    assert listing.places.tolist()[0] == 0
    assert not listing.complete
    assert session.hits(wanted, (0,))[0].text.startswith("Tartu")
    answers = Wanted(search="perhaps")
    assert session.listing(answers).places.tolist() == []
    assert not session.searched(answers).complete
    indexed(session.path)
    assert session.refresh() is None
    listing = session.searched(answers)
    assert (listing.places.tolist(), listing.complete) == ([0], True)
    (hit,) = session.hits(answers, (0, 1)).values()
    assert (hit.where.split()[0], hit.text[hit.start : hit.end]) == ("answer", "Perhaps")
    assert session.hits(wanted, (7,)) == {}


def test_a_list_keeps_what_answers_gave_while_others_write(
    session: Session, slots: list[int]
) -> None:
    indexed(session.path)
    wanted = Wanted(search="perhaps")
    assert session.searched(wanted).complete
    assert session.listing(replace(wanted, descending=True)).complete
    session.name = "mira"
    session.set_label(slots[0], Label.OTHER)
    listing = session.listing(wanted)
    assert (listing.places.tolist(), listing.complete) == ([0], False)
    assert session.searched(wanted).complete


def test_a_search_with_filters(session: Session) -> None:
    session.set_flag(2, True)
    wanted = Wanted(search="a", filters=Filters(reviews=frozenset({"flagged"})))
    assert session.listing(wanted).places.tolist() == [1]
    assert session.listing(Wanted(search="  ")).places.tolist() == [1, 0]


def test_an_interrupted_search_says_so(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(searching, "search", lambda *_: None)
        with pytest.raises(LostkeysError, match="interrupted"):
            session.listing(Wanted(search="tartu"))
    assert session.listing(Wanted(search="tartu")).places.size


# One fact


def test_views_of_real_facts(tmp_path: Path, shared: Callable[[str], Path]) -> None:
    path = tmp_path / "real.db"
    facts = shared("data/wikiprofile/facts.csv")
    with Project(path, "create") as project:
        import_file(project, facts)
        fact = project.index.fact_ids[7]
        (slot,) = put_rows(project, [Row(fact, Task.DIRECT, "m", False, 0, {"x": CORRECT})])
    with closing(Session(path)) as session:
        session.name = "mira"
        board = session.open()
        key = int(board.index.ids[7])
        view = session.fact(key)
        assert view is not None
        assert (view.fact_id, view.title) == (fact, board.headings[7].title)
        assert [one.label for one in session.consequences(slot)] == list(LABELS)
        session.set_label(slot, Label.PARTIALLY)
        task = session.task(key, Task.DIRECT)
        assert task is not None
        assert [answer.own for answer in task.answers] == [Label.PARTIALLY]
        unfolded = session.unfolded(key, Task.DIRECT)
        assert unfolded is not None
        assert [one.count for one in unfolded.distinct] == [1]
        assert session.fact(10**9) is None
        listing = session.listing(Wanted(order=Order.VIEWS, descending=True))
        other = session.listing(Wanted())
        at = nearest(listing, other, 7)
        assert other.places[at] == 7


# Files that go away


def one_line(error: pytest.ExceptionInfo[LostkeysError], path: Path) -> str:
    message = str(error.value)
    assert "\n" not in message
    assert str(path) in message
    return message


def test_a_file_that_is_gone_and_comes_back(session: Session) -> None:
    away = session.path.with_name("elsewhere.db")
    session.path.rename(away)
    for ask in (session.refresh, lambda: session.look(Lens()), lambda: session.set_flag(1, True)):
        with pytest.raises(LostkeysError) as error:
            ask()
        assert "gone" in one_line(error, session.path)
    away.rename(session.path)
    assert session.refresh() is None
    assert session.set_flag(1, True)[1].index.flagged[0]


def test_a_file_that_is_gone_for_good(session: Session) -> None:
    board = session.board
    session.path.unlink()
    for ask in (session.refresh, session.reopen):
        with pytest.raises(LostkeysError, match="gone"):
            ask()
    assert not session.exists
    assert session.board is board
    assert len(session.open().index) == 0


def test_a_file_that_was_replaced(session: Session, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    with Project(other, "create") as project:
        put_facts(project, [a_fact("another")])
    other.replace(session.path)
    for suffix in ("-wal", "-shm"):
        session.path.with_name(session.path.name + suffix).unlink(missing_ok=True)
    for ask in (session.refresh, lambda: session.set_flag(1, True)):
        with pytest.raises(LostkeysError) as error:
            ask()
        assert "replaced" in one_line(error, session.path)
    assert session.reopen().index.fact_ids == ["another"]
    assert session.set_flag(1, True)[1].index.flagged.tolist() == [True]


def test_a_file_that_another_program_locks(
    session: Session, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(db.connection, "BUSY_SECONDS", 0.01)
    before = session.board
    with writing(project.connection):
        with pytest.raises(LostkeysError) as error:
            session.set_flag(1, True)
        assert "locked" in one_line(error, session.path)
        assert session.refresh() is None
    assert not before.index.flagged.any()
    assert session.set_flag(1, True)[1].index.flagged.any()


def test_a_file_that_is_damaged(tmp_path: Path) -> None:
    path, whole = tmp_path / "some.db", tmp_path / "whole.db"
    with Project(path, "create") as project:
        fill(project)
    copyfile(path, whole)
    session = Session(path)
    session.open()
    session.close()
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(db.connection.PAGE_BYTES)
        file.write(b"\xff" * (size - db.connection.PAGE_BYTES))
    with pytest.raises(LostkeysError) as error:
        session.reopen()
    assert "damaged" in one_line(error, path)
    with pytest.raises(LostkeysError):
        session.refresh()
    with pytest.raises(LostkeysError, match="open it again"):
        session.fact(1)
    copyfile(whole, path)
    assert len(session.reopen().index) == 2
    assert session.fact(1) is not None
    session.close()


def test_a_file_of_another_kind(tmp_path: Path) -> None:
    path = tmp_path / "text.db"
    path.write_text("no database " * 1000)
    with pytest.raises(LostkeysError) as error:
        Session(path).open()
    one_line(error, path)
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(LostkeysError) as error:
        Session(folder).open()
    one_line(error, folder)


def test_tasks_of_a_tally_are_where_screens_look_for_them(session: Session) -> None:
    board = session.board
    row = board.tally.row("m", True)
    assert row is not None
    counted = board.tally.labels[row, 0, :, 0].tolist()
    assert counted == [int(TASK_INDEX[task] < 6) for task in TASKS]
    assert board.tally.row("m", False) == row - 1
    assert board.tally.row("none", False) is None


SENSELESS = {
    "a recipe that is no object": "UPDATE model SET recipe = 1",
    "aliases that are no JSON": "UPDATE gold SET aliases = 'none'",
    "an outcome there is not": "UPDATE grade SET outcome = 77",
    "text that is not Unicode": "UPDATE response SET text = CAST(x'61ff62' AS TEXT)",
    "a question of no task": "UPDATE question SET task = 'riddle' WHERE id = 1",
    "a run of no tasks": "INSERT INTO run (setting, tasks, samples) VALUES (1, 'all', 1)",
}


@pytest.mark.parametrize("statement", SENSELESS.values(), ids=SENSELESS.keys())
def test_values_that_make_no_sense_are_said_in_one_line(
    project: Project, slots: list[int], statement: str
) -> None:
    connection = sqlite3.connect(project.path)
    connection.execute("PRAGMA ignore_check_constraints = ON")
    connection.execute("INSERT INTO recipe (hash, content) VALUES ('x', '[1, 2]')")
    connection.execute(statement)
    connection.commit()
    connection.close()
    with closing(Session(project.path)) as session:
        with pytest.raises(LostkeysError) as error:
            read_all(session)
        assert one_line(error, project.path)


def read_all(session: Session) -> None:
    session.open()
    for task in TASKS:
        session.unfolded(1, task)
        session.task(1, task)


def test_a_connection_that_could_not_write_is_not_kept(session: Session) -> None:
    assert session.set_flag(1, True)[0].after
    assert session._writer is not None
    session._writer.connection.execute("PRAGMA query_only = ON")
    with pytest.raises(LostkeysError, match="cannot be written"):
        session.set_flag(1, False)
    assert not session.set_flag(1, False)[0].after
