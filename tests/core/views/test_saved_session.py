"""How a database was left: kept in a small file, found again, and worth nothing where broken."""

import os
import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import orjson
import pytest

import db.project_values
from core.dataset.fact_filters import Filters, Only
from core.settings.paths import state_folder
from core.settings.plain_data import from_plain
from core.views import saved_session
from core.views.place_history import JumpEffect, Place
from core.views.saved_session import KEPT, OpenedDatabase, SavedSession, open_as_left, read_session
from core.views.session import Session
from db.connection import write_transaction
from tests.core.making import a_fact, new_project, put_facts

NAMES = [f"fact-{number}" for number in range(40)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with new_project(tmp_path / "here.db") as project:
        put_facts(project, [a_fact(name) for name in NAMES])
    return tmp_path / "here.db"


def opened(path: Path) -> OpenedDatabase:
    session = Session(path)
    try:
        return open_as_left(session, True)
    finally:
        session.close()


def keep(path: Path, session: SavedSession) -> OpenedDatabase:
    """Keep how a database was left; gives it as it was opened before."""
    before = opened(path)
    saved_session.write_session(path, before.identity, session, before.snapshot.index)
    return before


def files() -> list[Path]:
    return sorted((state_folder() / "sessions").glob("*"))


def narrowed(words: str, ids: set[int]) -> Filters:
    return Filters(only=Only(words, frozenset(ids)))


def left(path: Path) -> SavedSession:
    found = opened(path).left
    assert found is not None
    return found.session


def facts_of(path: Path, plain: object) -> list[str]:
    """The facts that a list is narrowed to, by their own ids."""
    index = opened(path).snapshot.index
    only = from_plain(Filters, plain).only
    ids = frozenset[int]() if only is None else only.facts
    return [name for name, one in zip(index.fact_ids, index.ids, strict=True) if int(one) in ids]


def test_a_list_of_certain_facts_is_kept_by_their_own_ids(path: Path) -> None:
    index = opened(path).snapshot.index
    moved = narrowed("moved", set(index.ids[:3].tolist()))
    effect = JumpEffect(None, None, Filters(), moved)
    places = (Place("profiles", 1), Place("facts", 2, moved, 1, effect))
    keep(path, SavedSession("facts", None, {"facts": moved}, places, 1))
    [file] = files()
    assert orjson.loads(file.read_bytes())["session"]["screens"]["facts"]["only"] == {
        "words": "moved", "facts": "0"
    }  # fmt: skip
    again = path.with_name("again.db")
    with new_project(again) as project:  # the same facts, with other ids in the database
        put_facts(project, [a_fact("another"), *(a_fact(name) for name in reversed(NAMES))])
    shutil.move(again, path)
    found = opened(path)
    file.rename(file.with_name(f"{file.name.partition('-')[0]}-{found.identity}.json"))
    session = left(path)
    wanted = [*reversed(NAMES[:3])]
    assert facts_of(path, session.screens["facts"]) == wanted
    last = session.places[1]
    assert last.effect is not None
    assert facts_of(path, last.position) == facts_of(path, last.effect.asked_after) == wanted
    keep(path, session)
    assert facts_of(path, left(path).screens["facts"]) == wanted


def test_facts_that_are_gone_or_too_many_are_named_and_the_rest_is_kept(path: Path) -> None:
    index = opened(path).snapshot.index
    screens = {
        "facts": narrowed("some", {int(index.ids[0]), 99_999}),
        "task": narrowed("gone", {99_998}),
    }
    keep(path, SavedSession("task", None, screens))
    found = opened(path).left
    assert found is not None
    assert found.lost == ("gone",)
    assert facts_of(path, found.session.screens["facts"]) == NAMES[:1]
    assert from_plain(Filters, found.session.screens["task"]).only is None
    assert found.session.tab == "task"


def test_a_large_set_costs_itself_alone(path: Path) -> None:
    before = opened(path)
    count, choose = 50_000, np.random.default_rng(7)
    names = [choose.bytes(12).hex() for _ in range(count)]
    index = before.snapshot.index
    index.ids.resize(count, refcheck=False)
    index.ids[:] = np.arange(count)
    index.fact_ids[:] = names
    screens = {"facts": narrowed("all", set(range(count))), "task": narrowed("few", {1, 2})}
    saved_session.write_session(path, before.identity, SavedSession("task", None, screens), index)
    found = read_session(path, before.identity)
    assert found is not None
    assert found.session.screens["facts"]["only"] == {"words": "all", "facts": None}
    assert found.session.screens["task"]["only"] == {"words": "few", "facts": "0"}
    assert files()[0].stat().st_size < 1_000


@pytest.mark.parametrize(
    ("tab", "why", "kept"),
    [("task", "all but this screen is too large for 64 kB", ["task"]),
     ("facts", "all but the lens is too large for 64 kB", [])],
)  # fmt: skip
def test_what_is_too_large_is_said(path: Path, tab: str, why: str, kept: list[str]) -> None:
    before = opened(path)
    screens = {"facts": {"search": "x" * 70_000}, "task": {"fact": "f0"}}
    session = SavedSession(tab, None, screens)
    said = saved_session.write_session(path, before.identity, session, before.snapshot.index)
    assert said == why
    found = read_session(path, before.identity)
    assert found is not None
    assert list(found.session.screens) == kept


def test_what_fits_is_kept_in_silence(path: Path) -> None:
    before = opened(path)
    session = SavedSession("task", None, {"task": {"fact": "f0"}})
    assert (
        saved_session.write_session(path, before.identity, session, before.snapshot.index) is None
    )


DAMAGES: list[Callable[[bytes], bytes]] = [
    lambda old: old[: len(old) // 2],
    lambda old: old.replace(b'"version":1', b'"version":2'),
    lambda old: b"",
    lambda old: b"[" * 5_000,
    lambda old: b"null",
    lambda old: old + b" " * 10_000_000,
    lambda old: old.replace(b'"saved":', b'"then":'),
]


@pytest.mark.parametrize("damage", DAMAGES, ids=range(len(DAMAGES)))
def test_a_damaged_file_is_none_and_is_written_anew(
    path: Path, damage: Callable[[bytes], bytes]
) -> None:
    keep(path, SavedSession("task"))
    [file] = files()
    file.write_bytes(damage(file.read_bytes()))
    assert opened(path).left is None
    keep(path, SavedSession("review"))
    assert left(path).tab == "review"


@pytest.mark.parametrize(
    "sets", ["null", "[]", '{"0":7}', '{"0":"~~"}', '{"0":"c-"}', '{"0":"' + "0" * 40_000 + '"}']
)
def test_damaged_sets_cost_themselves_alone(path: Path, sets: str) -> None:
    before = opened(path)
    some = narrowed("some", {int(before.snapshot.index.ids[0])})
    keep(path, SavedSession("task", None, {"facts": some}))
    [file] = files()
    content = orjson.loads(file.read_bytes()) | {"sets": orjson.loads(sets)}
    file.write_bytes(orjson.dumps(content))
    found = opened(path).left
    assert found is not None
    assert (found.session.tab, found.lost) == ("task", ("some",))


def test_a_moved_database_finds_its_own_and_another_one_in_its_place_does_not(path: Path) -> None:
    keep(path, SavedSession("task"))
    moved = path.with_name("moved.db")
    shutil.move(path, moved)
    with new_project(path) as project:
        put_facts(project, [a_fact("other")])
        with write_transaction(project.connection):
            db.project_values.set_value(project.connection, db.project_values.IDENTITY, "other")
    assert left(moved).tab == "task"
    assert opened(path).left is None
    keep(path, SavedSession("review"))
    assert left(path).tab == "review"


def test_old_files_go_when_a_new_one_is_written(path: Path) -> None:
    keep(path, SavedSession("task"))
    [mine] = files()
    for number in range(KEPT + 30):
        other = mine.with_name(f"{number:016x}-gone.json")
        other.write_text("{}")
        os.utime(other, (number, number))
    os.utime(mine, (0, 0))
    keep(path, SavedSession("review"))
    names = {one.name for one in files()}
    assert len(names) == KEPT
    assert mine.name in names
    assert f"{KEPT + 29:016x}-gone.json" in names
    assert f"{30:016x}-gone.json" not in names


def test_two_programs_write_one_file_and_it_is_always_whole(path: Path) -> None:
    before = keep(path, SavedSession("task"))
    tabs = {"task", "facts", "review"}

    def write_often(tab: str) -> None:
        for at in range(40):
            session = SavedSession(tab, None, {tab: {"at": at}})
            saved_session.write_session(path, before.identity, session, before.snapshot.index)

    programs = [threading.Thread(target=write_often, args=(tab,)) for tab in ("facts", "review")]
    for one in programs:
        one.start()
    while any(one.is_alive() for one in programs):
        found = read_session(path, before.identity)
        assert found is not None
        assert found.session.tab in tabs
    last = read_session(path, before.identity)
    assert last is not None
    assert last.session.screens[last.session.tab] == {"at": 39}
    assert len(files()) == 1


def test_a_folder_that_cannot_be_made_costs_nothing(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    for there in (tmp_path / "file", tmp_path / "file" / "below"):
        monkeypatch.setenv("LOSTKEYS_STATE", str(there))
        keep(path, SavedSession("task"))
        assert opened(path).left is None
    monkeypatch.setenv("LOSTKEYS_STATE", str(tmp_path / "far" / "below"))
    keep(path, SavedSession("task"))
    assert left(path).tab == "task"
