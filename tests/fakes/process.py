"""A fake as a program of its own: it outlives a client that is killed, and tells what it did."""

import argparse
import asyncio
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from tests.fakes.service import Fake, Fault, listening

ROOT = Path(__file__).resolve().parents[2]


class Made(Protocol):
    """How a fake is made."""

    def __call__(self, *, unique: bool, seed: int | None, log: Path | None) -> Fake: ...


def serve(made: Made, faults: Sequence[Fault]) -> None:
    """Run a fake until it is killed; its first line of output is its port."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--fault-share", type=float, default=0.0)
    parser.add_argument("--fault", action="append", help="only these, by name")
    parser.add_argument("--latency", type=float, default=0.0, help="seconds")
    parser.add_argument("--log", type=Path, help="what was asked and sent, as JSONL")
    given = parser.parse_args()
    named = {fault.__name__: fault for fault in faults}
    fake = made(unique=True, seed=given.seed, log=given.log)
    fake.latency = given.latency
    chosen = [named[name] for name in given.fault] if given.fault else faults
    fake.at_random(given.fault_share, *chosen)
    asyncio.run(serve_forever(fake, given.port))


async def serve_forever(fake: Fake, port: int) -> None:
    """Print the port, and answer until killed."""
    async with listening(fake, port):
        print(fake.address.rpartition(":")[2], flush=True)
        await asyncio.Event().wait()


@dataclass(frozen=True)
class Running:
    """A fake in another process. `port` stays the same for one that is started again with it."""

    process: subprocess.Popen[str]
    port: int
    log: Path

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def base_url(self) -> str:
        return f"{self.address}/v1"

    def asked(self) -> Counter[str]:
        """Wanted answers by prompt."""
        found: Counter[str] = Counter()
        for line in self._lines():
            if "asked" in line:
                found[str(line["asked"])] += int(line["n"])
        return found

    def sent(self) -> Counter[str]:
        """How often each text went out."""
        return Counter(text for line in self._lines() for text in line.get("sent", ()))

    def _lines(self) -> Iterator[dict[str, Any]]:
        with self.log.open(encoding="utf-8") as lines:
            yield from map(json.loads, lines)


@contextmanager
def running(name: str, log: Path, *options: str) -> Iterator[Running]:
    """A fake by the name of its module (`openai_server`), ended at the end."""
    process = subprocess.Popen(
        [sys.executable, "-m", f"tests.fakes.{name}", "--log", str(log), *options],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        yield Running(process, int(process.stdout.readline()), log)
    finally:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()
