"""The raw file: what went over the wire, whole however its writer ended."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from core.errors import LostkeysError
from core.providers import exchange_file
from core.providers.base import Draw, Exchange, Reply, Request
from core.providers.capabilities import Capabilities
from core.providers.exchange_file import MAGIC, RawFile, raw_path, read_lines
from core.providers.registry import describe
from prompts import Message

MODEL = "openai:m@http://127.0.0.1:9/v1"
ASK = Request(2, 32, 1.0, 1.0, (Message("user", "Who?"),), options={"thinking": True})
REPLY = Reply(
    (Draw("I, \u2028 \U0001f600\n", "stop", "Hm.", 3), Draw("", None)),
    7,
    12,
    exchanges=(Exchange(b'{"n": 2}', '{"é": 1}'.encode()),),
)


def file_at(path: Path) -> RawFile:
    return RawFile(path, MODEL, describe(MODEL))


def test_its_place_is_beside_the_database() -> None:
    assert raw_path(Path("folder/some.db")) == Path("folder/some.raw.jsonl.gz")


def test_what_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "some.raw.jsonl.gz"
    file = file_at(path)
    file.append((4, 5), "answer, thinking on", ASK, REPLY)
    file.append((0,), "grade g", Request(1, 8, 1.0, 1.0, text="The "), REPLY, model="gemini:g")
    file.close()
    header, first, second = read_lines(path)
    assert header["lostkeys_raw"] == 1
    assert header["model"] == MODEL
    assert Capabilities.from_json(header["capabilities"]) == describe(MODEL)
    assert first["messages"] == [["user", "Who?"]]
    assert (first["thinking"], first["samples"], first["model"]) == (True, [4, 5], MODEL)
    assert first["draws"][0] == {
        "text": "I, \u2028 \U0001f600\n",
        "finish": "stop",
        "reasoning": "Hm.",
        "reasoning_tokens": 3,
    }
    assert first["exchanges"] == [{"sent": '{"n": 2}', "received": '{"é": 1}'}]
    assert (second["text"], second["model"], second["stage"]) == ("The ", "gemini:g", "grade g")


def test_any_program_can_read_it(tmp_path: Path) -> None:
    path = tmp_path / "raw.jsonl.gz"
    for _ in range(2):
        file = file_at(path)
        file.append((0, 1), "answer", ASK, REPLY)
        file.close()
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        kinds = ["lostkeys_raw" in json.loads(line) for line in lines]
    assert kinds == [True, False, True, False]


def test_nothing_is_made_of_nothing(tmp_path: Path) -> None:
    path = tmp_path / "raw.jsonl.gz"
    file_at(path).close()
    assert not path.exists()


def written(path: Path, members: int) -> list[int]:
    """Write members of one record each, with their numbers as samples; gives where they end."""
    ends = []
    for number in range(members):
        file = file_at(path)
        file.append((number,), "answer", ASK, REPLY)
        file.close()
        ends.append(path.stat().st_size)
    return ends


def samples(path: Path) -> list[int]:
    return [line["samples"][0] for line in read_lines(path) if "samples" in line]


def test_a_torn_end_loses_only_itself(tmp_path: Path) -> None:
    path = tmp_path / "raw.jsonl.gz"
    ends = written(path, 3)
    whole = path.read_bytes()
    for size in range(ends[1], ends[2]):
        path.write_bytes(whole[:size])
        assert samples(path) == [0, 1], f"cut at {size}"


def test_a_torn_middle_loses_only_itself(tmp_path: Path) -> None:
    path = tmp_path / "raw.jsonl.gz"
    ends = written(path, 3)
    whole = path.read_bytes()
    for size in range(ends[0] + 1, ends[1]):
        path.write_bytes(whole[:size] + whole[ends[1] :])
        assert samples(path) == [0, 2], f"cut at {size}"


def test_it_is_written_as_it_grows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "raw.jsonl.gz"
    monkeypatch.setattr(exchange_file, "FLUSH_SECONDS", float("inf"))
    file = file_at(path)
    file.append((0,), "answer", ASK, REPLY)
    assert not path.exists()
    monkeypatch.setattr(exchange_file, "FLUSH_BYTES", 1)
    file.append((1,), "answer", ASK, REPLY)
    assert samples(path) == [0, 1]
    monkeypatch.setattr(exchange_file, "FLUSH_BYTES", 2**20)
    monkeypatch.setattr(exchange_file, "FLUSH_SECONDS", -1.0)
    file.append((2,), "answer", ASK, REPLY)
    assert samples(path) == [0, 1, 2]


def test_where_it_cannot_be_written(tmp_path: Path) -> None:
    file = file_at(tmp_path / "nowhere" / "raw.jsonl.gz")
    file.append((0,), "answer", ASK, REPLY)
    with pytest.raises(LostkeysError, match=r"nowhere.*cannot be written .*--raw"):
        file.flush()


@pytest.mark.parametrize("name", ["missing.jsonl", ""])
def test_where_it_cannot_be_read(tmp_path: Path, name: str) -> None:
    with pytest.raises(LostkeysError, match="cannot be read"):
        list(read_lines(tmp_path / name))


@pytest.mark.parametrize(
    "line", ["text", "3", "[]", '{"cut', pytest.param("[" * 200_000, id="deep")]
)
def test_lines_that_are_no_objects(tmp_path: Path, line: str) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text(f'{{"prompt": "a", "answers": ["b"]}}\n\n{line}\n', encoding="utf-8")
    with pytest.raises(LostkeysError, match="line 3: no JSON object"):
        list(read_lines(path))


@pytest.mark.parametrize("content", [b"", MAGIC, MAGIC * 100, MAGIC + bytes(1000)])
def test_files_with_nothing_in_them(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "raw.jsonl.gz"
    path.write_bytes(content)
    assert list(read_lines(path)) == []


@pytest.mark.parametrize(
    "stored",
    [
        None,
        [],
        {},
        "text",
        {"thinking": "loud"},
        {"options": []},
        {"step_tokens": None, "draws": 1},
    ],
)
def test_capabilities_that_are_none(stored: Any) -> None:
    with pytest.raises(ValueError, match="how the model was used"):
        Capabilities.from_json(stored)
