"""A child process that runs llama.cpp, as its parent sees it: it ends with it, and says why.

llama.cpp runs in a child, because a bad model file may end the process that loads it.
"""

import atexit
import contextlib
import json
import os
import re
import select
import subprocess
import sys
import tempfile
import threading
from abc import abstractmethod
from pathlib import Path
from typing import IO, Any, ClassVar, Self

from core.errors import LostkeysError, ProviderError
from core.providers.embedded.gguf_file import GgufFile

START_SECONDS = 300.0
"""How long a model may take to load: seconds for the small one, minutes for a large file."""


class ModelChild:
    """A script of this folder with a model, told its settings, that has said it is ready.

    `ready` is the JSON object that it said. `what` names it in errors.
    Raises `ProviderError` where it does not come up.
    """

    def __init__(self, script: str, settings: dict[str, object], what: str) -> None:
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the child
        self._process = _spawn(script, self._log)
        up = False
        try:
            self.ready = self._handshake({**settings, "parent": os.getpid()})
            up = True
        except (OSError, ValueError, KeyError) as failure:
            reason = self._post_mortem()
            raise ProviderError(f"{what} could not run {settings['model']}: {reason}") from failure
        finally:
            if not up:
                self.close()

    @property
    def alive(self) -> bool:
        """Whether the process still runs."""
        return self._process.poll() is None

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def exchange(self, message: dict[str, Any]) -> dict[str, Any]:
        """Send a line of JSON and read one; raises `OSError` where the child is gone."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(json.dumps(message).encode() + b"\n")
        stdin.flush()
        line = stdout.readline()
        if not line:
            raise ConnectionResetError(self._post_mortem())
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        """End the child. May be called more than once."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()
        self._log.close()

    def _handshake(self, settings: dict[str, object]) -> dict[str, Any]:
        """Tell the child what to run; return what it says once that is ready."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(json.dumps(settings).encode() + b"\n")
        stdin.flush()
        answered = select.poll()
        answered.register(stdout, select.POLLIN)
        if not answered.poll(START_SECONDS * 1000):
            raise TimeoutError
        ready: dict[str, Any] = json.loads(stdout.readline())
        return ready

    def _post_mortem(self) -> str:
        """Why the child did not come up, or is gone."""
        try:
            code = self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            return f"it did not answer within {START_SECONDS:.0f} seconds"
        self._log.seek(0)
        said = _reason(self._log.read().decode(errors="replace"))
        return said or f"it ended with {f'code {code}' if code >= 0 else f'signal {-code}'}"


class SharedChild:
    """A child of which the program has one for each model, for each class of its own.

    A subclass makes its `ModelChild` in an `__init__` that needs a model's file alone, None for
    the bundled one.
    """

    _shared: ClassVar[dict[GgufFile | None, Self]]
    _lock: ClassVar[threading.Lock]
    _child: ModelChild

    def __init_subclass__(cls) -> None:
        cls._shared, cls._lock = {}, threading.Lock()
        atexit.register(cls.stop_shared)

    @abstractmethod
    def __init__(self, model: GgufFile | None = None) -> None: ...

    @classmethod
    def open_shared(cls, model: GgufFile | None = None) -> Self:
        """The program's child for a model, started by whoever asks first, again if it has died.

        Raises `LostkeysError` where a file does not fit in memory.
        """
        with cls._lock:
            shared = cls._shared.get(model)
            if shared is not None and shared.alive:
                return shared
            if shared is not None:
                cls._shared.pop(model).close()
            if model is not None:
                model.check_room()
            shared = cls._shared[model] = cls(model)
            return shared

    @classmethod
    def runs(cls, model: GgufFile | None) -> bool:
        """Whether the program's child for a model is up."""
        shared = cls._shared.get(model)
        return shared is not None and shared.alive

    @classmethod
    def stop_shared(cls) -> None:
        """End the program's children; the next use starts another."""
        with cls._lock:
            while cls._shared:
                cls._shared.popitem()[1].close()

    @property
    def alive(self) -> bool:
        """Whether the child process still runs."""
        return self._child.alive

    @property
    def pid(self) -> int:
        """The child's process id."""
        return self._child.pid

    def close(self) -> None:
        """End the child. May be called more than once."""
        self._child.close()


def _spawn(script: str, log: IO[bytes]) -> subprocess.Popen[bytes]:
    """Start the child, in a session of its own: ctrl-c is for the parent to handle.

    It is run by its file and with `-P`, so that no `core` in the working directory is taken for
    ours.
    """
    return subprocess.Popen(
        [sys.executable, "-P", str(Path(__file__).with_name(script))],
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
