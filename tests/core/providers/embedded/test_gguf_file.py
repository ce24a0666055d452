"""GGUF files of any model: what is read of one, what is refused, and whose answers go on."""

import asyncio
import hashlib
import itertools
import os
import struct
from dataclasses import replace
from pathlib import Path

import pytest

from core.errors import LostkeysError, UsageError
from core.graders.grader_record import model_of
from core.grading.model_grader import grader_for
from core.project import OpenProject
from core.providers import thinking_switch
from core.providers.base import FatalError, Request
from core.providers.capabilities import Capabilities
from core.providers.embedded import gguf_file, weights
from core.providers.embedded.gguf_file import BESIDE, CONTEXT, SLOTS, open_gguf
from core.providers.embedded.model_server import EmbeddedServer
from core.providers.model_names import full_name, label_of, parse
from core.providers.model_traits import ModelTraits, keep, read_traits
from core.providers.openai_compatible import OpenAICompatible
from core.providers.registry import describe, open_provider, open_scorer
from core.sampling.preflight import preflight
from core.sampling.recipe import check_same, differences, recipe_for
from core.zero_prompt.score_recipe import check_label, keep_recipe, score_recipe
from db.connection import write_transaction
from prompts import Message
from tests.core.providers.embedded.gguf_making import write_gguf

TOKEN = 2 * 4 * 2 * (16 + 16)
"""Bytes of a token in the cache of the file that `write_gguf` writes."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write_gguf(tmp_path / "small.gguf")


def give_memory(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    """Let so many bytes be free."""
    monkeypatch.setattr(gguf_file, "available_memory", lambda: count)


def test_the_header_says_what_a_recipe_keeps(path: Path) -> None:
    file = open_gguf(str(path))
    assert (file.stem, file.size, file.cache) == ("small", path.stat().st_size, TOKEN)
    assert file.recipe == {
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "size": path.stat().st_size,
        "architecture": "llama",
        "quantisation": "Q4_K_M",
        "context": 2_048,
    }


def test_layers_may_have_heads_of_their_own(tmp_path: Path) -> None:
    path = write_gguf(tmp_path / "a.gguf", llama__attention__head_count_kv=[2, 0, 1, 1])
    file = open_gguf(str(path))
    assert file.cache == 2 * (2 + 0 + 1 + 1) * (16 + 16)


def test_a_hash_is_found_once_for_a_size_and_time(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = open_gguf(str(path)).sha256
    monkeypatch.setattr(hashlib, "sha256", lambda: pytest.fail("read again"))
    assert replace(open_gguf(str(path))).sha256 == first
    monkeypatch.undo()
    time = path.stat().st_mtime_ns
    write_gguf(path, general__file_type=7)
    os.utime(path, ns=(time, time + 1))
    assert open_gguf(str(path)).sha256 != first


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "no GGUF file"),
        (b"PK\x03\x04 a wheel, say", "no GGUF file"),
        (b"GGUF", "no GGUF file"),
        (b"GGUF" + bytes(range(256)) * 4, "GGUF version"),
        (struct.pack("<4sIQQ", b"GGUF", 3, 0, 2**60), "no GGUF file"),
        (struct.pack("<4sIQQQ", b"GGUF", 3, 0, 1, 2**63), "no GGUF file"),
        (struct.pack("<4sIQQQ1sI", b"GGUF", 3, 0, 1, 1, b"a", 99) + bytes(64), "no GGUF file"),
        (
            struct.pack("<4sIQQQ1sIIQ", b"GGUF", 3, 0, 1, 1, b"a", 9, 8, 2**60) + bytes(64),
            "no GGUF file",
        ),
    ],
)
def test_what_is_no_gguf_is_one_line(content: bytes, says: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.gguf"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=says) as caught:
        describe(f"gguf:{path}")
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_and_a_folder_are_one_line(tmp_path: Path) -> None:
    for name in (tmp_path / "none.gguf", tmp_path):
        with pytest.raises(UsageError, match="no such file"):
            open_gguf(str(name))


def test_a_file_too_large_for_memory_says_so_before_it_loads(tmp_path: Path) -> None:
    large = write_gguf(tmp_path / "large.gguf", size=2**43)
    for opened in (open_provider, open_scorer):
        with pytest.raises(LostkeysError, match=r"needs 8796\.\d GB of memory"):
            opened(f"gguf:{large}")
    assert describe(f"gguf:{large}").draws == 1, "what is known of it can still be listed"
    assert not EmbeddedServer.runs(open_gguf(str(large)))


@pytest.mark.parametrize(
    ("sequences", "seats"),
    [(100, (SLOTS, 2_048)), (8, (8, 2_048)), (3, (3, 2_048)), (0.6, (1, 1_228)), (0, (1, 1_024))],
)
def test_slots_and_context_follow_file_and_memory(
    sequences: float, seats: tuple[int, int], path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = replace(open_gguf(str(path)))
    give_memory(monkeypatch, int(file.size + BESIDE + 2 * sequences * 2_048 * TOKEN))
    assert file.seats == seats
    assert f"{seats[1]:,} tokens" in file.seats_in_words


def test_a_model_that_can_think_has_more_room(tmp_path: Path) -> None:
    plain = write_gguf(tmp_path / "a.gguf", llama__context_length=100_000)
    thinking = write_gguf(
        tmp_path / "b.gguf", llama__context_length=100_000, tokenizer__chat_template="<think>"
    )
    seats = [open_gguf(str(path)).seats[1] for path in (plain, thinking)]
    assert seats[0] == CONTEXT < seats[1]


async def test_only_switches_that_the_template_reads_are_tried(path: Path, tmp_path: Path) -> None:
    assert thinking_switch._spellings_of(parse(f"gguf:{path}")) == ()
    write_gguf(tmp_path / "b.gguf", tokenizer__chat_template="{% if enable_thinking %}")
    found = thinking_switch._spellings_of(parse(f"gguf:{tmp_path / 'b.gguf'}"))
    assert found == (thinking_switch.EFFORT, thinking_switch.TEMPLATE)


async def test_without_a_template_chat_is_refused_as_a_server_does(tmp_path: Path) -> None:
    path = write_gguf(tmp_path / "base.gguf", tokenizer__chat_template=None)
    provider = open_provider(f"gguf:{path}")
    with pytest.raises(FatalError, match="no chat template") as caught:
        await provider.draw(Request(1, 4, 1.0, 1.0, messages=(Message("user", "Hi"),)))
    assert caught.value.status == 400


def test_split_files_are_named_by_the_first(tmp_path: Path) -> None:
    names = [tmp_path / f"m-0000{number}-of-00002.gguf" for number in (1, 2)]
    write_gguf(names[0])
    with pytest.raises(UsageError, match=r"m-00002-of-00002\.gguf is not beside it"):
        open_gguf(str(names[0]))
    names[1].write_bytes(b"GGUF and weights")
    with pytest.raises(UsageError, match=r"name the first one, m-00001-of-00002\.gguf"):
        open_gguf(str(names[1]))
    file = open_gguf(str(names[0]))
    whole = names[0].read_bytes() + names[1].read_bytes()
    assert (file.stem, file.size) == ("m", len(whole))
    assert file.sha256 == hashlib.sha256(whole).hexdigest()


def test_names_and_labels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    there = f"gguf:{tmp_path}/a b/x.Q4.gguf"
    assert full_name("gguf:~/a b/x.Q4.gguf") == full_name("gguf:a b/x.Q4.gguf") == there
    assert full_name("llm:gguf:./a b/../a b/x.Q4.gguf") == f"llm:{there}"
    assert full_name("gguf:x.Q4") == "gguf:x.Q4", "a label"
    assert full_name("openai:m@http://h/gguf:a/b") == "openai:m@http://h/gguf:a/b"
    assert label_of(there) == label_of("gguf:x.Q4") == "gguf:x.Q4"
    assert label_of("gguf:/m/y-00001-of-00009.gguf") == "gguf:y"
    assert str(parse(there)) == there
    assert parse(model_of(f"judge:{there}")).model == "x.Q4"


def recipe_of(path: Path) -> dict[str, object]:
    return recipe_for(f"gguf:{path}", known=Capabilities()).as_json()


def test_another_file_under_a_label_is_refused_with_both_hashes(path: Path) -> None:
    stored = recipe_of(path)
    other = write_gguf(path.with_name("other.gguf"), general__file_type=7)
    now = recipe_for(f"gguf:{other}", known=Capabilities())
    with pytest.raises(UsageError, match="--as NAME") as caught:
        check_same(stored, now, "gguf:small")
    for file in (path, other):
        assert open_gguf(str(file)).sha256 in str(caught.value)


def test_the_same_file_elsewhere_goes_on(path: Path) -> None:
    stored = recipe_of(path)
    moved = path.rename(path.with_name("moved.gguf"))
    assert differences(stored, recipe_for(f"gguf:{moved}", known=Capabilities())) == []


def test_scores_are_refused_and_go_on_likewise(path: Path, tmp_path: Path) -> None:
    other = write_gguf(tmp_path / "other.gguf", general__file_type=7)
    with OpenProject(tmp_path / "a.db", "create") as project:
        with write_transaction(project.connection):
            keep_recipe(project, "gguf:small", score_recipe(f"gguf:{path}"))
        moved = path.rename(path.with_name("moved.gguf"))
        check_label(project, "gguf:small", score_recipe(f"gguf:{moved}"))
        with pytest.raises(UsageError, match=open_gguf(str(other)).sha256):
            check_label(project, "gguf:small", score_recipe(f"gguf:{other}"))


def test_what_was_found_of_a_file_is_not_said_of_another_there(path: Path, tmp_path: Path) -> None:
    name = f"gguf:{path}"
    with OpenProject(tmp_path / "a.db", "create") as project:
        keep(project.connection, name, ModelTraits("native", completion="raw"))
        assert read_traits(project.connection, name).thinking == "native"
        write_gguf(path, size=9_000)
        assert read_traits(project.connection, name) == ModelTraits()


def test_a_grader_is_another_version_with_another_file(path: Path) -> None:
    name, known = f"llm:gguf:{path}", Capabilities()
    before = grader_for(name, known).recipe.version
    moved = path.rename(path.with_name("moved.gguf"))
    again = grader_for(f"llm:gguf:{moved}", known).recipe
    write_gguf(path, general__file_type=7)
    assert grader_for(name, known).recipe.version != before
    assert again.weights == open_gguf(str(moved)).recipe


@pytest.mark.slow
async def test_instructions_that_were_read_before_are_not_read_again() -> None:
    """The bundled model as any file: two prompts by turns in one slot, each with a begin of its
    own."""
    server = await asyncio.to_thread(
        lambda: EmbeddedServer(open_gguf(str(weights.find())), slots=1, context=512)
    )
    provider = OpenAICompatible(server.model, server.base_url, server.api_key)
    try:
        cached = []
        begins = ("One, two, three, ", "Up, down, left, ")
        for end, begin in itertools.product("ab", begins):
            body = {"prompt": begin * 12 + end, "max_tokens": 1, "temperature": 0.0}
            answer = await provider.exchange("completions", body)
            assert answer["model"] == weights.find().stem, "no path"
            cached.append(answer["usage"]["prompt_tokens_details"]["cached_tokens"] > 40)
    finally:
        await provider.close()
        server.close()
    assert cached == [False, False, True, True]


@pytest.mark.slow
async def test_a_base_model_that_cannot_be_run_says_why(tmp_path: Path) -> None:
    path = write_gguf(tmp_path / "hollow.gguf", tokenizer__chat_template=None)
    provider = open_provider(f"gguf:{path}")
    found = await preflight(provider, f"gguf:{path}")
    assert found.silent
    assert f"could not run {path}" in found.reason
