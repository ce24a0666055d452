"""Files that are made to harm whoever looks at them: each look ends, and says one line."""

import threading
from pathlib import Path

import pytest

from core.errors import LostkeysError
from core.jobs import glance_child
from core.jobs.glance_child import glance
from core.transfer.imports import import_file
from tests import hostile_files
from tests.core.making import new_project
from tests.patience import wait_until

pytestmark = pytest.mark.slow


def facts(path: Path) -> Path:
    path.write_bytes(hostile_files.FACT)
    return path


def test_no_file_ends_what_looks_at_it_or_holds_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(glance_child, "SECONDS", 1)
    looked = 0
    for path in hostile_files.write_all(tmp_path):
        looked += 1
        try:
            glance(tmp_path / "none.db", path)
        except LostkeysError as error:
            said = str(error)
            assert path.name in said
            assert len(said.splitlines()) == 1
            assert "fault of the program" not in said
        if path.is_file() and path.stat().st_size > 10**6:
            path.unlink()
    assert looked > 80
    monkeypatch.undo()
    assert glance(tmp_path / "none.db", facts(tmp_path / "sound.jsonl")).is_usable
    assert not (tmp_path / "none.db").exists()


def test_a_sheet_that_unfolds_too_far_is_refused_in_one_line(tmp_path: Path) -> None:
    sheets = (
        hostile_files.write_sheet(tmp_path / "corner.xlsx", "A1", "XFD1048576"),
        hostile_files.write_sheet(tmp_path / "wide.xlsx", "A1", "XFD4096"),
        hostile_files.write_open_sheet(tmp_path / "all.ods", 2**20, 2**14),
        hostile_files.write_open_sheet(tmp_path / "columns.ods", 2**20, 6),
        hostile_files.write_open_sheet(tmp_path / "rows.ods", 4_000_000_000, 1),
        hostile_files.write_old_sheet(tmp_path / "corner.xls", 65_535, 255),
    )
    with new_project(tmp_path / "n.db") as project:
        for path in sheets:
            with pytest.raises(LostkeysError, match=path.name) as error:
                import_file(project, path)
            assert len(str(error.value).splitlines()) == 1
            assert "CSV" in str(error.value)


def test_a_look_that_nobody_waits_for_ends(tmp_path: Path) -> None:
    text = b"".join(b'{"fact_id": "%d", "direct": "Q?"}\n' % one for one in range(400_000))
    (tmp_path / "long.jsonl").write_bytes(text)
    unwanted, found = threading.Event(), list[object]()

    def look() -> None:
        try:
            found.append(glance(tmp_path / "none.db", tmp_path / "long.jsonl", unwanted=unwanted))
        except LostkeysError as error:
            found.append(error)

    glance_child.prepare_glance()
    thread = threading.Thread(target=look)
    thread.start()
    wait_until(lambda: glance_child._LOOKER.unwanted is unwanted)
    glance_child.stop_glance(unwanted)
    thread.join()
    assert isinstance(found[0], LostkeysError)
    assert glance(tmp_path / "none.db", facts(tmp_path / "sound.jsonl")).is_usable
