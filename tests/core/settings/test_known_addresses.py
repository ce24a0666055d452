"""Servers that questions may go to without a word."""

from pathlib import Path

import pytest

from core.settings.known_addresses import (
    FILE,
    MOST,
    is_known,
    known_addresses,
    origin,
    remember_addresses,
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LOSTKEYS_STATE", str(tmp_path))
    return tmp_path


def test_a_server_is_known_whatever_is_asked_of_it() -> None:
    assert not is_known("http://localhost:8000/v1")
    remember_addresses(["http://LOCALHOST:8000/v1"])
    assert is_known("http://localhost:8000/v2/other")
    for other in ("http://localhost:8001/v1", "https://localhost:8000/v1", "http://local:8000"):
        assert not is_known(other)


def test_the_usual_port_is_the_same_as_none() -> None:
    remember_addresses(["https://models.example/v1"])
    assert is_known("https://models.example:443/")


def test_nothing_secret_is_kept(folder: Path) -> None:
    remember_addresses(["http://ada:geheim@host.example/v1?key=geheim"])
    assert (folder / FILE).read_text() == '["http://host.example:80"]'


@pytest.mark.parametrize("url", ["", "host", "ftp://host", "http://", "http://host:port/", "//["])
def test_what_is_no_address_is_never_known(url: str, folder: Path) -> None:
    assert origin(url) == ""
    remember_addresses([url])
    assert not (folder / FILE).exists()
    assert not is_known(url)


def test_the_newest_are_kept() -> None:
    remember_addresses(f"http://host-{number}" for number in range(MOST))
    remember_addresses(["http://new", "http://host-3"])
    assert len(known_addresses()) == MOST
    assert known_addresses()[:2] == ("http://new:80", "http://host-0:80")
    assert not is_known(f"http://host-{MOST - 1}")


@pytest.mark.parametrize("content", [b"", b"{}", b"[1, null]", b"\xff", b'"http://a:80"'])
def test_a_file_that_cannot_be_read_counts_as_empty(folder: Path, content: bytes) -> None:
    (folder / FILE).write_bytes(content)
    assert known_addresses() == ()
    remember_addresses(["http://a"])
    assert is_known("http://a")


def test_where_nothing_can_be_written_nothing_is_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("LOSTKEYS_STATE", str(tmp_path / "file"))
    remember_addresses(["http://a"])
    assert not is_known("http://a")
