"""`.eval` archives that are broken, hostile or packed in some other way."""

import json
import zipfile
from pathlib import Path

import pytest

from core.errors import LostkeysError
from core.exchange import log_archive
from core.transfer.imports import import_file
from tests.core.exchange.making import header, sample, write_archive
from tests.core.making import new_project


def refusal(tmp_path: Path, archive: Path) -> str:
    """The one line that a broken archive gives; nothing of it lands."""
    with new_project(tmp_path / "o.db") as project:
        with pytest.raises(LostkeysError) as error:
            import_file(project, archive)
        assert project.connection.execute("SELECT count(*) FROM fact").fetchone() == (0,)
        assert project.connection.execute("SELECT count(*) FROM source_file").fetchone() == (0,)
    text = str(error.value)
    assert str(archive) in text
    assert len(text.splitlines()) == 1
    return text


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return write_archive(tmp_path / "a.eval", [sample(n) for n in range(20)])


def test_it_comes_in(tmp_path: Path, archive: Path) -> None:
    with new_project(tmp_path / "o.db") as project:
        report = import_file(project, archive)
        assert (report.format, report.added, report.bad, report.notices) == ("inspect", 20, 0, [])


@pytest.mark.parametrize("part", [0.0, 0.3, 0.9, 0.999])
def test_cut_off(tmp_path: Path, archive: Path, part: float) -> None:
    content = archive.read_bytes()
    archive.write_bytes(content[: int(len(content) * part)])
    assert "not a sound archive" in refusal(tmp_path, archive)


def test_damaged_within(tmp_path: Path, archive: Path) -> None:
    content = bytearray(archive.read_bytes())
    content[content.index(b"samples/5_epoch_1.json") + 40] ^= 0xFF
    archive.write_bytes(content)
    assert "samples/5_epoch_1.json cannot be unpacked" in refusal(tmp_path, archive)


@pytest.mark.parametrize("name", ["../../etc/cron.d/x", "samples/../../x.json", "/etc/passwd"])
def test_names_that_lead_elsewhere(tmp_path: Path, archive: Path, name: str) -> None:
    with zipfile.ZipFile(archive, "a") as file:
        file.writestr(name, "{}")
    assert "a member is named" in refusal(tmp_path, archive)


def test_encrypted(tmp_path: Path, archive: Path) -> None:
    content = bytearray(archive.read_bytes())
    for signature, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = content.find(signature)
        while at >= 0:
            content[at + place] |= 1
            at = content.find(signature, at + 4)
    archive.write_bytes(content)
    assert "is encrypted" in refusal(tmp_path, archive)


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, log_archive.ZSTANDARD])
def test_a_member_of_zeros(tmp_path: Path, method: int) -> None:
    bomb = b"0" * 2**26
    archive = write_archive(tmp_path / "a.eval", [sample(1)], method, {"samples/z.json": bomb})
    assert "unpacks to more" in refusal(tmp_path, archive)


def test_a_member_that_says_it_is_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What counts is what comes out, whatever the archive says of it."""
    monkeypatch.setattr(log_archive, "FREE_BYTES", 2**10)
    monkeypatch.setattr(log_archive, "MOST_GROWTH", 10)
    archive = write_archive(tmp_path / "a.eval", [], extra={"samples/z.json": b"0" * 2**16})
    content = archive.read_bytes()
    archive.write_bytes(content.replace((2**16).to_bytes(4, "little"), (99).to_bytes(4, "little")))
    assert "samples/z.json" in refusal(tmp_path, archive)


def test_no_header(tmp_path: Path) -> None:
    archive = tmp_path / "a.eval"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("samples/1_epoch_1.json", json.dumps(sample(1)))
    assert "no header.json" in refusal(tmp_path, archive)


def test_a_log_that_is_being_written(tmp_path: Path) -> None:
    """It has a journal alone: what is there lands, and a notice says so."""
    archive = tmp_path / "a.eval"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("_journal/start.json", json.dumps(header()))
        file.writestr("samples/1_epoch_1.json", json.dumps(sample(1)))
    with new_project(tmp_path / "o.db") as project:
        report = import_file(project, archive)
        assert report.added == 1
        assert "unfinished" in report.notices[0]


def test_another_version_without_inspect(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = write_archive(tmp_path / "a.eval", [sample(1)], head={**header(), "version": 3})
    monkeypatch.setattr("core.settings.extras.find_spec", lambda module: None)
    with new_project(tmp_path / "o.db") as project, pytest.raises(LostkeysError) as error:
        import_file(project, archive)
    assert "lostkeys[inspect]" in str(error.value)
