"""How fast `answer` plays files of requests, against the engine's `sample` of the same requests.

Both ask a server in a process of its own, 64 requests at once; `sample` commits every answer to a
database, `answer` adds its line to a file.
Run it: `uv run python -m tests.bench.answer_files [--facts N] [--runs N]`.
"""

import argparse
import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from core.engine.model_channel import MOST_AT_ONCE
from core.engine.run_counters import RunCounters
from core.providers import openai_format
from core.providers.base import Request
from core.scale.file_player import play_files
from core.scale.request_line import URLS, write_body, write_line
from tests.bench.answering_server import serving
from tests.bench.engine import MODEL, engine, requests
from tests.bench.timing import empty_caches

LATENCY = 0.05
DRAWS = (1, 8)


@dataclass(frozen=True)
class Rates:
    """Requests a second of `answer` and of `sample`, at so many answers a request."""

    draws: int
    answer: float
    sample: float

    @property
    def ratio(self) -> float:
        return self.answer / self.sample

    def __str__(self) -> str:
        return (
            f"n = {self.draws}: answer {self.answer:,.0f} requests a second, "
            f"sample {self.sample:,.0f}; {100 * self.ratio:.0f} %"
        )


def write_requests(path: Path, asked: Sequence[Request]) -> None:
    """A file of requests, as a plan has it."""
    with path.open("wb") as file:
        for place, one in enumerate(asked):
            url = URLS["raw" if one.messages is None else "chat"]
            body = write_body(openai_format.body(MODEL, one))
            file.write(write_line(f"f{place}-direct-off-s0x{one.n}", url, body))


async def answer(path: Path, address: str) -> float:
    """Seconds of playing a file to its end."""
    empty_caches()
    out = path.with_name(f"{time.monotonic_ns()}.out.jsonl")
    began = time.perf_counter()
    done = await play_files([path], address, out, MOST_AT_ONCE, RunCounters())
    seconds = time.perf_counter() - began
    assert not done.failed
    return seconds


def measure(facts: int, draws: int, runs: int, latency: float = LATENCY) -> Rates:
    """Both in turn, the best of each."""
    with serving(latency) as address, TemporaryDirectory() as name:
        folder = Path(name)
        asked = requests(folder, address, facts, draws)
        write_requests(folder / "asked.jsonl", asked)
        pairs = [
            (
                asyncio.run(answer(folder / "asked.jsonl", address)),
                asyncio.run(engine(address, folder, facts, draws)),
            )
            for _ in range(runs)
        ]
    played, sampled = (min(pair[one] for pair in pairs) for one in (0, 1))
    return Rates(draws, len(asked) / played, len(asked) / sampled)


def main() -> None:
    """Measure at a given size."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--facts", type=int, default=359, help="2,154 requests")
    options.add_argument("--runs", type=int, default=3)
    chosen = options.parse_args()
    for draws in DRAWS:
        print(measure(chosen.facts, draws, chosen.runs), flush=True)


if __name__ == "__main__":
    main()
