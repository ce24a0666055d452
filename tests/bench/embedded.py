"""How fast the embedded model samples, against what its server can decode at most.

`uv run python tests/bench/embedded.py` measures the server as the program runs it; with `--all`
other numbers of slots, kinds of cache and threads as well. One row per server and way of asking:

start    seconds from nothing to a listening server
limit    tokens a second of the same server, greedy, never ending, all slots busy
samples  answers a second to short questions, eight per request, drawn from the whole distribution
tokens   tokens a second in those answers' texts (counted by the server's own tokenizer)
ratio    tokens / limit
MB       memory of the server
"""

import argparse
import asyncio
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

import aiohttp

from core.providers.base import Request
from core.providers.capabilities import UNTRUNCATED
from core.providers.embedded.model_server import SLOTS, UNIFIED, EmbeddedServer
from core.providers.openai_compatible import OpenAICompatible
from prompts import Message

LEAD = "Answer the question with the answer only, in a few words."
QUESTIONS = (
    "What is the capital of Portugal?",
    "Who wrote the play Hamlet?",
    "Which planet is the largest of the solar system?",
    "In which year did the Second World War end?",
    "What is the chemical symbol of gold?",
    "Which ocean lies between Africa and Australia?",
    "Who painted the Mona Lisa?",
    "Which river flows through Cairo?",
    "What is the longest bone of the human body?",
    "Which language is spoken in Brazil?",
)
WARM_UP = "How many legs does a spider have?"
SAMPLES = 8


@dataclass(frozen=True)
class Setup:
    """A server, and how many requests it is sent at a time."""

    slots: int = SLOTS
    unified: bool = UNIFIED
    threads: int | None = None
    requests: int = SLOTS // SAMPLES

    def __str__(self) -> str:
        cache = "unified" if self.unified else "split"
        return f"{self.slots:5} {cache:7} {self.threads or 'all':>7} {self.requests:8}"


@dataclass(frozen=True)
class Figures:
    """What one row shows."""

    start: float
    limit: float
    samples: float
    tokens: float
    megabytes: float

    def __str__(self) -> str:
        return (
            f"{self.start:6.1f} {self.limit:6.0f} {self.samples:8.2f} {self.tokens:7.0f} "
            f"{self.tokens / self.limit:6.2f} {self.megabytes:6.0f}"
        )


def setups(everything: bool) -> Iterator[Setup]:
    """The program's own setup, then those it was chosen from."""
    yield Setup()
    if everything:
        yield Setup(threads=1)
        for slots, requests in ((8, 1), (16, 1), (16, 2)):
            for unified in (False, True):
                yield Setup(slots, unified, requests=requests)


async def measure(setup: Setup, rounds: int) -> Figures:
    """Start the server, measure it, end it."""
    began = time.perf_counter()
    server = EmbeddedServer(
        slots=setup.slots,
        unified=setup.unified,
        threads=setup.threads,
    )
    start = time.perf_counter() - began
    provider = OpenAICompatible(server.model, server.base_url, server.api_key)
    try:
        await provider.draw(_question(WARM_UP))
        limit = await _limit(provider, setup)
        samples, tokens = await _sampling(server, provider, setup, rounds)
        return Figures(start, limit, samples, tokens, _resident(server.pid))
    finally:
        await provider.close()
        server.close()


async def _limit(provider: OpenAICompatible, setup: Setup) -> float:
    """Tokens a second with every slot decoding and nothing to choose."""
    greedy = {"top_k": 1, "ignore_eos": True}
    tokens = 96
    request = Request(setup.slots, tokens, 0.0, 1.0, text="Once upon a time", options=greedy)
    began = time.perf_counter()
    await provider.draw(request)
    return setup.slots * tokens / (time.perf_counter() - began)


async def _sampling(
    server: EmbeddedServer, provider: OpenAICompatible, setup: Setup, rounds: int
) -> tuple[float, float]:
    """Answers and tokens of their texts, each a second."""
    # Each is asked but once: the server keeps what it has read of a prompt.
    waiting = [f"{turn}. {one}" for turn in range(1, rounds + 1) for one in QUESTIONS]
    texts: list[str] = []

    async def work() -> None:
        while waiting:
            reply = await provider.draw(_question(waiting.pop()))
            texts.extend(draw.text for draw in reply.draws)

    began = time.perf_counter()
    await asyncio.gather(*(work() for _ in range(setup.requests)))
    seconds = time.perf_counter() - began
    return len(texts) / seconds, await _count_tokens(server, texts) / seconds


def _question(question: str) -> Request:
    messages = (Message("system", LEAD), Message("user", question))
    return Request(SAMPLES, 48, 1.0, 1.0, messages=messages, options=UNTRUNCATED)


async def _count_tokens(server: EmbeddedServer, texts: list[str]) -> int:
    address = server.base_url.removesuffix("/v1") + "/tokenize"
    total = 0
    async with aiohttp.ClientSession(headers={"Authorization": f"Bearer {server.api_key}"}) as web:
        for text in texts:
            async with web.post(address, json={"content": text}) as answer:
                total += len((await answer.json())["tokens"])
    return total


def _resident(pid: int) -> float:
    """Megabytes of memory of a process; NaN where the system does not tell in this way."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return float("nan")
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--all", action="store_true", help="other setups as well")
    options.add_argument("--rounds", type=int, default=1, help="times that each question is asked")
    chosen = options.parse_args()
    print("slots cache   threads requests  start  limit  samples  tokens  ratio     MB")
    for setup in setups(chosen.all):
        print(setup, asyncio.run(measure(setup, chosen.rounds)), flush=True)


if __name__ == "__main__":
    main()
