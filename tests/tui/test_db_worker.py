"""The db worker: order, replacing, interrupting, errors as data, and its end."""

import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, cast

import pytest

from core.errors import LostkeysError
from core.views.session import Session
from tests.patience import PATIENCE
from tui.app.db_requests import DbRequest, DbResult, DbWorker


class StoppedError(Exception):
    """What a database raises when it is told to stop."""


class Snapshot:
    """A session that can be held, and interrupted."""

    def __init__(self) -> None:
        self.thread = threading.current_thread()
        self.told = threading.Event()
        self.closed = False

    def interrupt(self) -> None:
        self.told.set()

    def close(self) -> None:
        self.closed = True

    def search(self) -> str:
        """Something that takes long, until it is interrupted."""
        assert self.told.wait(PATIENCE)
        self.told.clear()
        raise StoppedError


class Office:
    """A db worker, the session it made, and the answers it gave."""

    def __init__(self) -> None:
        self.sessions: list[Snapshot] = []
        self.answers: list[DbResult] = []
        self.bell = threading.Condition()
        self.worker = DbWorker(cast("Callable[[], Session]", self.session), self.take)

    def session(self) -> Snapshot:
        self.sessions.append(Snapshot())
        return self.sessions[-1]

    def take(self, worker: DbWorker, answer: DbResult) -> None:
        with self.bell:
            self.answers.append(answer)
            self.bell.notify_all()

    def ask(self, key: str | None, work: Callable[[Any], Any], patient: bool = False) -> DbRequest:
        ask = DbRequest(key, work, lambda _: None, lambda _: None, patient)
        self.worker.ask(ask)
        return ask

    def wait(self, count: int) -> list[Any]:
        with self.bell:
            assert self.bell.wait_for(lambda: len(self.answers) >= count, PATIENCE)
        return [answer.value for answer in self.answers]

    def hold(self) -> threading.Event:
        """Keep the db worker busy until the event is set."""
        begun, done = threading.Event(), threading.Event()

        def busy(_: object) -> str:
            begun.set()
            assert done.wait(PATIENCE)
            return "held"

        self.ask("hold", busy)
        assert begun.wait(PATIENCE)
        return done


def said(words: object, _: object) -> object:
    return words


@pytest.fixture
def office() -> Iterator[Office]:
    made = Office()
    yield made
    assert made.worker.close(PATIENCE)


def test_the_session_is_made_once_and_in_the_thread(office: Office) -> None:
    office.ask("a", lambda session: session.thread)
    office.ask("b", lambda session: session.thread)
    threads = office.wait(2)
    assert threads[0] is threads[1] is not threading.current_thread()
    assert len(office.sessions) == 1


def test_a_newer_ask_replaces_one_that_waits(office: Office) -> None:
    held = office.hold()
    first = office.ask("fact", lambda _: "old")
    second = office.ask("fact", lambda _: "new")
    held.set()
    assert office.wait(2) == ["held", "new"]
    assert not office.worker.current(first)
    assert office.worker.current(second)


def test_an_answer_that_came_too_late_is_known(office: Office) -> None:
    first = office.ask("fact", lambda _: "old")
    office.wait(1)
    office.ask("fact", lambda _: "new")
    assert not office.worker.current(first)


def test_writes_are_never_dropped_and_come_before_reads(office: Office) -> None:
    held = office.hold()
    for number in range(3):
        office.ask("fact", partial(said, number))
        office.ask(None, partial(said, f"write {number}"))
    held.set()
    assert office.wait(5) == ["held", "write 0", "write 1", "write 2", 2]


def test_a_newer_ask_interrupts_the_running_one(office: Office) -> None:
    first = office.ask("search", lambda session: session.search())
    office.ask("search", lambda _: "found")
    assert office.wait(1)[-1] == "found"
    assert not office.worker.current(first)


def test_what_is_patient_makes_way_and_goes_on(office: Office) -> None:
    turns = []
    begun = threading.Event()

    def patient(session: Any) -> str:
        turns.append("patient")
        begun.set()
        if len(turns) == 1:
            session.search()
        return "all of it"

    office.ask("searched", patient, patient=True)
    assert begun.wait(PATIENCE)
    office.ask("fact", lambda _: "fact")
    assert office.wait(2) == ["fact", "all of it"]
    assert turns == ["patient", "patient"]


def test_what_is_not_patient_is_not_interrupted_by_others(office: Office) -> None:
    held = office.hold()
    office.ask("fact", lambda _: "fact")
    assert not office.sessions[0].told.is_set()
    held.set()
    assert office.wait(2) == ["held", "fact"]


def test_errors_travel_as_answers_and_the_db_worker_goes_on(office: Office) -> None:
    def fails(_: object) -> None:
        raise LostkeysError("locked")

    office.ask("a", fails)
    office.ask("b", lambda _: "well")
    office.wait(2)
    assert str(office.answers[0].error) == "locked"
    assert office.answers[1].value == "well"


def test_a_session_that_cannot_be_made_is_tried_again() -> None:
    tries = []

    def make() -> Session:
        tries.append(1)
        if len(tries) == 1:
            raise LostkeysError("no such file")
        return cast(Session, Snapshot())

    office = Office.__new__(Office)
    office.answers, office.bell = [], threading.Condition()
    office.worker = DbWorker(make, office.take)
    office.ask("a", lambda _: "first")
    office.wait(1)
    office.ask("a", lambda _: "second")
    assert office.wait(2)[1] == "second"
    assert str(office.answers[0].error) == "no such file"
    assert office.worker.close(PATIENCE)


def test_closing_writes_what_is_to_be_written_and_drops_the_rest() -> None:
    office = Office()
    held = office.hold()
    office.ask("fact", lambda _: "read")
    office.ask(None, lambda _: "written")
    threading.Timer(0.05, held.set).start()
    assert office.worker.close(PATIENCE)
    assert [answer.value for answer in office.answers][-1] == "written"
    assert "read" not in [answer.value for answer in office.answers]
    assert office.sessions[0].closed
    office.ask("fact", lambda _: "too late")
    assert len(office.answers) <= 2


def test_closing_interrupts_what_is_read() -> None:
    office = Office()
    begun = threading.Event()

    def search(session: Snapshot) -> str:
        begun.set()
        return session.search()

    office.ask("search", search)
    assert begun.wait(PATIENCE)
    assert office.worker.close(PATIENCE)
    assert office.answers == []


def test_closing_does_not_wait_for_ever() -> None:
    office = Office()
    held = office.hold()
    assert not office.worker.close(0.01)
    held.set()
    assert office.worker.close(PATIENCE)


def test_what_could_not_be_written_is_known() -> None:
    office = Office()
    done = office.hold()
    begun = threading.Event()

    def fails(_: object) -> None:
        begun.set()
        raise LostkeysError("the disk is full")

    ask = office.ask(None, fails)
    assert office.worker.is_unwritten(ask)
    threading.Timer(0.01, done.set).start()
    assert office.worker.close(PATIENCE)
    assert begun.is_set()
    assert office.worker.is_unwritten()


def test_what_was_written_or_said_to_have_failed_is_not_unwritten() -> None:
    office = Office()

    def fails(_: object) -> None:
        raise LostkeysError("the disk is full")

    office.ask(None, fails)
    office.ask(None, lambda _: "written")
    office.wait(2)
    assert office.worker.close(PATIENCE)
    assert not office.worker.is_unwritten()
