"""What is kept of a plan saves reading it, and never says what the plan does not."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import LostkeysError
from core.jobs.answer_collection import collect
from core.project import OpenProject
from core.scale import kept_columns
from core.scale.kept_columns import open_columns
from core.scale.plan_columns import UNKNOWN_ORDER, read_plan, sum_names
from core.scale.plan_manifest import PlanFile, PlanFolder, open_plan
from core.scale.request_line import LONGEST_NAME
from tests.core.scale.test_collection import a_plan, answered, write

NAMES = st.lists(st.text(st.characters(max_codepoint=0x7F), max_size=LONGEST_NAME), unique=True)


@pytest.fixture
def folder(
    shared: Callable[[str], Path], state: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """A plan that is out in `reqs`, whose files count as settled at once."""
    monkeypatch.setattr(kept_columns, "SETTLED_NS", -(10**9))
    with a_plan(shared("design/examples/basic/facts.jsonl")) as found:
        yield found


@pytest.fixture
def summed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of files of plans of which a sum was made."""
    names: list[str] = []
    check = PlanFolder.check_sum

    def check_and_note(plan: PlanFolder, one: PlanFile) -> None:
        names.append(one.name)
        check(plan, one)

    monkeypatch.setattr(PlanFolder, "check_sum", check_and_note)
    return names


def kept(state: Path) -> Path:
    (found,) = (state / "plans").iterdir()
    return found


def shown(folder: Path) -> dict[int, int | None]:
    """The orders of options as they are stored once all answers are collected."""
    lines = [orjson.dumps(row) for row in answered(folder)]
    with OpenProject(folder / "a.db", "write") as project:
        collect(project, folder / "reqs", [write(folder / "out.jsonl", lines)])
        return dict(project.connection.execute("SELECT id, shown FROM response"))


def test_kept_columns_are_those_of_the_plan(folder: Path, summed: list[str]) -> None:
    plan = open_plan(folder / "reqs")
    found, read = open_columns(plan), read_plan(plan)
    for name in ("sums", "order", "kinds", "starts", "facts", "offsets", "ends"):
        assert np.array_equal(getattr(found, name), getattr(read, name)), name
    assert list(found.heads) == list(read.heads)
    assert summed == []


def test_orders_are_known_from_writing_the_plan(folder: Path, state: Path) -> None:
    found = open_columns(open_plan(folder / "reqs"))
    choices = np.array([name.task.is_choice for name in found.kind_names()])[found.kinds]
    assert choices.any()
    assert np.array_equal(found.shown != UNKNOWN_ORDER, choices)
    with_orders = shown(folder)
    kept(state).unlink()
    with OpenProject(folder / "a.db", "write") as project, project.connection as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        for table in ("response", "draw", "grade", "grid", "grid_change"):
            connection.execute(f"DELETE FROM {table}")
    assert shown(folder) == with_orders
    assert any(number is not None for number in with_orders.values())


def test_a_part_that_was_changed_is_refused(folder: Path, state: Path) -> None:
    part = next((folder / "reqs").glob("part-*"))
    before = part.stat()
    content = part.read_bytes()
    part.write_bytes(content.replace(b"a", b"e", 1))
    os.utime(part, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert part.stat().st_size == before.st_size
    with pytest.raises(LostkeysError, match="was changed since the plan was written"):
        open_columns(open_plan(folder / "reqs"))
    part.write_bytes(content)
    assert open_columns(open_plan(folder / "reqs")).sums.size


def test_a_part_in_another_place_is_summed_once(folder: Path, summed: list[str]) -> None:
    part = next((folder / "reqs").glob("part-*"))
    part.write_bytes(part.read_bytes())
    plan = open_plan(folder / "reqs")
    open_columns(plan)
    assert summed == [part.name]
    found = open_columns(plan)
    assert summed == [part.name]
    assert (found.shown != UNKNOWN_ORDER).any()


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04", None])
def test_what_is_damaged_is_read_again(folder: Path, state: Path, damage: bytes | None) -> None:
    plan = open_plan(folder / "reqs")
    sums = open_columns(plan).sums
    path = kept(state)
    content = path.read_bytes()
    middle = len(content) // 2
    path.write_bytes(content[:middle] + b"?" + content[middle + 1 :] if damage is None else damage)
    assert np.array_equal(open_columns(plan).sums, sums)


def test_columns_of_another_plan_are_not_taken(folder: Path, state: Path) -> None:
    plan = open_plan(folder / "reqs")
    with np.load(kept(state)) as stored:
        arrays = dict(stored)
    arrays["files"] = np.array(["0" * 64 for _ in plan.manifest.files])
    np.savez(kept(state), **arrays)
    assert (open_columns(plan).shown == UNKNOWN_ORDER).all()


def test_where_nothing_can_be_kept_plans_are_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOSTKEYS_STATE", os.devnull + "/state")
    assert open_columns(open_plan(folder / "reqs")).sums.size


@given(names=NAMES)
def test_other_names_have_other_sums(names: list[str]) -> None:
    found = sum_names(names)
    assert len(set(found.tolist())) == len(names)
    assert sum_names(names[::-1]).tolist() == found[::-1].tolist()


@given(name=st.text(st.characters(max_codepoint=0x7F), min_size=1, max_size=64), more=st.text())
def test_what_goes_on_is_no_name(name: str, more: str) -> None:
    assert (sum_names([name]) == sum_names([name + more]))[0] == (more == "")
