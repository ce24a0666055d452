"""The server child: one for the program, gone with it, and no danger to it."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

from core.errors import LostkeysError, ProviderError
from core.providers.embedded import weights
from core.providers.embedded.gguf_file import open_gguf
from core.providers.embedded.model_child import usable_threads
from core.providers.embedded.model_server import CONTEXT, EmbeddedServer
from tests.patience import wait_until

ROOT = Path(__file__).parents[4]
FACTS = ROOT.parent / "shared" / "data" / "wikiprofile" / "facts.csv"

PARENT = """
import sys, time
from core.providers.embedded.model_server import EmbeddedServer
print(EmbeddedServer.open_shared().pid, flush=True)
{then}
"""


FORK = """
import os
if os.fork() == 0:
    for _ in range(6000):
        if not os.path.exists({kept!r}): break
        time.sleep(0.1)
    os._exit(0)
time.sleep(600)
"""
"""A fork that holds what its parent held open, for as long as a file is there."""


@pytest.fixture(scope="session")
def server() -> Iterator[EmbeddedServer]:
    """The program's server, running."""
    try:
        weights.find()
    except LostkeysError as error:
        pytest.skip(str(error))
    yield EmbeddedServer.open_shared()
    EmbeddedServer.stop_shared()


def post(server: EmbeddedServer, path: str, body: object, key: str | None = None) -> Any:
    """One request to the server, with its own key or another."""
    request = urllib.request.Request(
        server.base_url.removesuffix("/v1") + path,
        data=json.dumps(body).encode(),
        headers={
            "Authorization": f"Bearer {server.api_key if key is None else key}",
            "Content-Type": "application/json",
        },
    )
    with urllib.request.urlopen(request, timeout=120) as answer:
        return json.load(answer)


def is_gone(pid: int) -> bool:
    """Whether the process has ended. A zombie that nobody buries counts as ended."""
    words = ["ps", "-o", "stat=", "-p", str(pid)]
    state = subprocess.run(words, capture_output=True, text=True).stdout.strip()
    return not state or state.startswith("Z")


def start_parent(then: str) -> tuple[subprocess.Popen[str], int]:
    """Another program that starts its own server; with the server's process id."""
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT.format(then=then)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert parent.stdout is not None
    return parent, int(parent.stdout.readline())


@pytest.mark.slow
def test_it_answers_on_loopback(server: EmbeddedServer) -> None:
    assert server.base_url.startswith("http://127.0.0.1:")
    body = {"prompt": "One, two, three,", "max_tokens": 4, "temperature": 0}
    answer = post(server, "/v1/completions", body)
    assert "four" in answer["choices"][0]["text"]


@pytest.mark.slow
@pytest.mark.parametrize("key", ["", "wrong"])
def test_a_wrong_key_is_refused(server: EmbeddedServer, key: str) -> None:
    with pytest.raises(urllib.error.HTTPError) as caught:
        post(server, "/v1/completions", {"prompt": "One", "max_tokens": 1}, key)
    caught.value.close()
    assert caught.value.code == 401


@pytest.mark.slow
def test_the_key_is_not_on_the_command_line(server: EmbeddedServer) -> None:
    words = ["ps", "-ww", "-o", "args=", "-p", str(server.pid)]
    shown = subprocess.run(words, capture_output=True, text=True).stdout
    assert "child_process.py" in shown
    assert server.api_key not in shown


@pytest.mark.slow
def test_two_threads_start_one_server(server: EmbeddedServer) -> None:
    EmbeddedServer.stop_shared()
    together = Barrier(2)

    def ask(_: int) -> EmbeddedServer:
        together.wait()
        return EmbeddedServer.open_shared()

    with ThreadPoolExecutor(2) as threads:
        first, second = threads.map(ask, range(2))
    assert first is second
    assert first.alive
    assert not server.alive


@pytest.mark.slow
def test_a_killed_child_is_replaced() -> None:
    first = EmbeddedServer.open_shared()
    os.kill(first.pid, signal.SIGKILL)
    while first.alive:  # its threads take a moment to end
        time.sleep(0.01)
    second = EmbeddedServer.open_shared()
    assert second.pid != first.pid
    assert post(second, "/tokenize", {"content": "One"})


@pytest.mark.slow
def test_closing_ends_the_child(server: EmbeddedServer) -> None:
    own = EmbeddedServer(slots=1, context=64)
    assert own.alive
    own.close()
    own.close()
    wait_until(lambda: is_gone(own.pid))


@pytest.mark.slow
def test_the_child_ends_with_its_parent(server: EmbeddedServer) -> None:
    parent, child = start_parent("")
    with parent:
        said = parent.communicate()
    assert parent.returncode == 0
    assert said == ("", ""), "nothing of llama.cpp's reaches the terminal"
    wait_until(lambda: is_gone(child))


@pytest.mark.slow
def test_the_child_ends_with_a_killed_parent(server: EmbeddedServer) -> None:
    parent, child = start_parent("time.sleep(600)")
    with parent:
        assert not is_gone(child)
        parent.kill()
    wait_until(lambda: is_gone(child))


@pytest.mark.slow
def test_the_child_ends_though_a_fork_keeps_the_pipe(
    server: EmbeddedServer, tmp_path: Path
) -> None:
    kept = tmp_path / "kept"
    kept.touch()
    parent, child = start_parent(FORK.format(kept=str(kept)))
    parent.kill()
    wait_until(lambda: is_gone(child))
    kept.unlink()
    assert parent.stdout is not None
    assert parent.stderr is not None
    parent.stdout.close()
    parent.stderr.close()
    parent.wait()


@pytest.mark.slow
def test_ctrl_c_is_left_to_the_parent(server: EmbeddedServer) -> None:
    assert os.getsid(server_pid := EmbeddedServer.open_shared().pid) == server_pid


@pytest.mark.parametrize("garbage", ["no gguf", "magic only", "cut off"])
def test_a_bad_model_file_is_one_line(
    garbage: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bad.gguf"
    noise = bytes(range(256)) * 16
    with weights.find().open("rb") as good:
        start = good.read(3_000_000)
    path.write_bytes({"no gguf": noise, "magic only": b"GGUF" + noise, "cut off": start}[garbage])
    with pytest.raises(LostkeysError) as caught:
        EmbeddedServer(open_gguf(str(path)))
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert capfd.readouterr() == ("", "")


def test_a_child_that_dies_without_a_word_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(ProviderError, match="code 1"):
        EmbeddedServer()


@pytest.mark.parametrize("value", ["0", "-1", "two"])
def test_threads_must_be_a_number(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOSTKEYS_THREADS", value)
    with pytest.raises(LostkeysError, match="LOSTKEYS_THREADS"):
        usable_threads()


def test_threads_are_taken_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOSTKEYS_THREADS", "3")
    assert usable_threads() == 3


@pytest.mark.slow
def test_the_longest_left_contexts_fit_into_every_slot(server: EmbeddedServer) -> None:
    if not FACTS.exists():
        pytest.skip(f"{FACTS} is not there")
    with FACTS.open(newline="", encoding="utf-8") as file:
        texts = sorted((row["completion"] for row in csv.DictReader(file)), key=len)[-10:]
    running = EmbeddedServer.open_shared()
    lengths = []
    for text in texts:
        answer = post(running, "/tokenize", {"content": text})
        lengths.append(len(answer["tokens"]))
    room_for_instruction_and_answer = 900
    assert max(lengths) > 400, "these are long ones"
    assert max(lengths) + room_for_instruction_and_answer <= CONTEXT


@pytest.mark.slow
def test_every_slot_can_use_its_whole_context_at_once() -> None:
    small = EmbeddedServer(slots=4, context=64)

    def fill(number: int) -> Any:
        body = {"prompt": f"{number}" + " word" * 50, "max_tokens": 64, "ignore_eos": True}
        return post(small, "/v1/completions", body)

    try:
        with ThreadPoolExecutor(4) as threads:
            answers = list(threads.map(fill, range(4)))
    finally:
        small.close()
    finishes = [answer["choices"][0]["finish_reason"] for answer in answers]
    assert finishes == ["length"] * 4
