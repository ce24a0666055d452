"""The embedded server as its parent sees it: started on demand, once, and never left behind.

llama.cpp runs in a child process, because a bad model file may end the process that loads it.
"""

import atexit
import contextlib
import json
import os
import re
import secrets
import select
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import IO, ClassVar

from core.errors import LostkeysError, ProviderError
from core.providers.embedded import weights

SLOTS = 16
"""Sequences decoded at once. Two requests for eight answers each: while the last answers to one
request are still being written, those to the next fill the slots that are free already."""

CONTEXT = 1536
"""Tokens of prompt and answer that one sequence may hold; there is room for all slots to use it up.
The longest left context of the 600 real facts has 586 tokens."""

UNIFIED = True
"""Whether the answers to one request share their prompt's part of the cache, or hold copies."""

START_SECONDS = 300.0
"""How long a model may take to load: seconds for the small one, minutes for a large file."""


class EmbeddedServer:
    """A llama.cpp server with the OpenAI wire format, in a child process on a loopback port.

    `base_url` and `api_key` are what a client needs, `model` is the file's name without its suffix,
    `slots` the number of sequences that may be in flight.
    Raises `LostkeysError` where there is no model file and `ProviderError` where it cannot be run.
    """

    _shared: ClassVar["EmbeddedServer | None"] = None
    _lock: ClassVar[threading.Lock] = threading.Lock()

    def __init__(
        self,
        model: Path,
        *,
        slots: int = SLOTS,
        context: int = CONTEXT,
        unified: bool = UNIFIED,
        threads: int | None = None,
    ) -> None:
        self.model = model.stem
        self.slots = slots
        self.api_key = secrets.token_urlsafe(32)
        settings = {
            "model": str(model),
            "key": self.api_key,
            "slots": slots,
            "context": context,
            "unified": unified,
            "threads": threads or usable_threads(),
            "parent": os.getpid(),
        }
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the server
        self._process = _spawn(self._log)
        try:
            self.base_url = self._handshake(settings) + "/v1"
        except (OSError, ValueError, KeyError) as failure:
            reason = self._post_mortem()
            raise ProviderError(
                f"the embedded model server could not run {model}: {reason}"
            ) from failure
        finally:
            if not hasattr(self, "base_url"):
                self.close()

    @classmethod
    def shared(cls) -> "EmbeddedServer":
        """The program's one server, started by whoever asks first and again if it has died."""
        with cls._lock:
            if cls._shared is None or not cls._shared.alive:
                cls._close_shared()
                cls._shared = cls(weights.find())
            return cls._shared

    @classmethod
    def stop_shared(cls) -> None:
        """End the program's server; the next use starts another."""
        with cls._lock:
            cls._close_shared()

    @classmethod
    def _close_shared(cls) -> None:
        if cls._shared is not None:
            cls._shared.close()
            cls._shared = None

    @property
    def alive(self) -> bool:
        """Whether the child process still runs."""
        return self._process.poll() is None

    @property
    def pid(self) -> int:
        """The child's process id."""
        return self._process.pid

    def close(self) -> None:
        """End the child. May be called more than once."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()
        self._log.close()

    def _handshake(self, settings: dict[str, object]) -> str:
        """Tell the child what to serve; return the address at which it listens."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(json.dumps(settings).encode() + b"\n")
        stdin.flush()
        answered = select.poll()
        answered.register(stdout, select.POLLIN)
        if not answered.poll(START_SECONDS * 1000):
            raise TimeoutError
        return str(json.loads(stdout.read())["address"])

    def _post_mortem(self) -> str:
        """Why the child did not come up."""
        try:
            code = self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            return f"it did not answer within {START_SECONDS:.0f} seconds"
        self._log.seek(0)
        said = _reason(self._log.read().decode(errors="replace"))
        return said or f"it ended with {f'code {code}' if code >= 0 else f'signal {-code}'}"


def _spawn(log: IO[bytes]) -> subprocess.Popen[bytes]:
    """Start the child, in a session of its own: ctrl-c is for the parent to handle.

    It is run by its file and with `-P`, so that no `core` in the working directory is taken for
    ours.
    """
    return subprocess.Popen(
        [sys.executable, "-P", str(Path(__file__).with_name("child_process.py"))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=log,
        start_new_session=True,
    )


def _reason(log: str) -> str:
    """The first error in llama.cpp's log (the later ones only pass it on), else its last line."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    errors = [match[1] for line in lines if (match := re.match(r"[\d.]+ E .*?: (.+)", line))]
    line = (errors or lines[-1:] or [""])[0]
    return "".join(char if char.isprintable() else "?" for char in line)[:200]


def usable_threads() -> int:
    """Threads to compute with: `LOSTKEYS_THREADS`, else what this process may use; -1 = all.

    llama.cpp counts the machine's cores itself (-1), but its threads wait for each other, so that
    more of them than the process may use would be far slower than too few.
    """
    wanted = os.environ.get("LOSTKEYS_THREADS", "")
    if wanted:
        if not wanted.isdecimal() or int(wanted) == 0:
            raise LostkeysError(f"LOSTKEYS_THREADS is {wanted!r}; it must be a number from 1 up")
        return int(wanted)
    if hasattr(os, "sched_getaffinity"):
        usable = len(os.sched_getaffinity(0))
        if usable < (os.cpu_count() or 1):
            return usable
    return -1


atexit.register(EmbeddedServer.stop_shared)
