"""What the fake services share: what they were asked, what they answered, what goes wrong when."""

import asyncio
import itertools
import json
import random
import threading
from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aiohttp import web

Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]
Change = Callable[[dict[str, Any]], dict[str, Any]]
"""Something wrong with an answer that arrives in one piece."""


@dataclass(frozen=True)
class Call:
    """One request on its way through the fake. `asks` is whether it asks a model."""

    fake: "Fake"
    request: web.Request
    body: dict[str, Any]
    asks: bool
    act: Callable[["Call"], Awaitable[web.Response]]

    @property
    def path(self) -> str:
        return self.request.path

    async def answer(self) -> web.Response:
        """Do what is asked for; a model's answer counts as sent."""
        return await self.act(self)

    async def unsent(self) -> bytes:
        """The body of a normal answer that will not be sent as it is."""
        return json.dumps(self.fake.normal(self.body)).encode() if self.asks else b"{}"


Fault = Callable[[Call], Awaitable[web.StreamResponse]]


class Fake(ABC):
    """A service on loopback.

    Each request for an answer takes the next of `answers`; then the next of `coming` (the rest of
    a burst); then the first of `rules` that fits; then a fault at random; else it is answered.
    `bodies`, `paths` (with the query), `headers` are what models were asked, `calls` all requests;
    `connections` over how many connections. `asked` counts wanted answers by prompt, `sent` each
    text that went out whole, `faults` what went wrong. With `log`, the same goes to a JSONL file:
    `{"asked": prompt, "n": n}` before and `{"sent": [texts], "prompt": ...}` after.
    `unique`: no text is ever said twice. `says`: what is said to a prompt, by a running number.
    `key`, `models`, `quota` (requests left), `latency` (seconds): None or 0 where anything goes.
    """

    def __init__(
        self, *, unique: bool = False, seed: int | None = None, log: Path | None = None
    ) -> None:
        self.answers: list[Answer] = []
        self.coming: deque[Fault] = deque()
        self.rules: list[tuple[Callable[[Call], bool], Fault, int | None]] = []
        self.bodies: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.calls: list[str] = []
        self.connections: set[int] = set()
        self.asked: Counter[str] = Counter()
        self.sent: Counter[str] = Counter()
        self.faults: Counter[str] = Counter()
        self.unique, self.seed = unique, seed
        self.says: Callable[[str, int], str] | None = None
        self.key: str | None = None
        self.models: set[str] | None = None
        self.quota: int | None = None
        self.latency = 0.0
        self.address = ""
        self.numbers = itertools.count()
        self._random = random.Random(seed)
        self._share, self._mix = 0.0, list[Fault]()
        self._log = log.open("a", encoding="utf-8") if log else None

    @abstractmethod
    def routes(self) -> Iterator[tuple[str, str, bool, Callable[[Call], Awaitable[web.Response]]]]:
        """Method, path, whether it asks a model, what is done."""

    @abstractmethod
    def normal(self, body: dict[str, Any]) -> dict[str, Any]:
        """The answer to a request, as it should be."""

    @abstractmethod
    def prompt(self, body: dict[str, Any]) -> str:
        """What the request asks, as one text."""

    @abstractmethod
    def wanted(self, body: dict[str, Any]) -> int:
        """How many answers the request wants."""

    @abstractmethod
    def texts(self, document: dict[str, Any]) -> list[str]:
        """The texts in an answer."""

    @abstractmethod
    def failure(self, status: int, said: str, **headers: str) -> web.Response:
        """An error as the service writes it."""

    @abstractmethod
    def no_quota(self) -> web.Response:
        """What is said when the quota is spent: waiting does not help."""

    @abstractmethod
    def refusal(self, call: Call) -> web.Response | None:
        """What is said to a wrong key or an unknown model."""

    def text(self, prompt: str, index: int) -> str:
        """What is said: `index` counts the answers to one request."""
        if self.says is not None:
            return self.says(prompt, next(self.numbers))
        if self.unique:
            return f" answer {self.seed or 0}-{next(self.numbers)}\n"
        return self.plain(index)

    def plain(self, index: int) -> str:
        """What is said where nothing else was wished."""
        return f" answer {index}\n"

    def read(self, body: dict[str, Any]) -> dict[str, Any]:
        """The body as it is kept."""
        return body

    def at_random(self, share: float, *faults: Fault) -> None:
        """From now on so great a share of all requests to models goes wrong, by the seed."""
        self._share, self._mix = share, list(faults)

    def when(self, fits: Callable[[Call], bool], fault: Fault, times: int | None = None) -> None:
        """Requests that fit go wrong, always or so many times. Not only those to models."""
        self.rules.append((fits, fault, times))

    def then(self, status: int, body: object = None, **headers: str) -> None:
        """Answer the next request in this way; text goes out as it is, anything else as JSON."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}

        async def answer(request: web.Request) -> web.StreamResponse:
            if isinstance(body, str):
                return web.Response(status=status, text=body, headers=named)
            return web.json_response(body, status=status, headers=named)

        self.answers.append(answer)

    async def answered(self, call: Call) -> web.Response:
        """A model's normal answer."""
        return self.send(call.body, self.normal(call.body))

    def send(self, body: dict[str, Any], document: dict[str, Any]) -> web.Response:
        """Send an answer, and note its texts as sent."""
        self.note_sent(body, document)
        return web.json_response(document)

    def note_asked(self, body: dict[str, Any]) -> None:
        prompt, wanted = self.prompt(body), self.wanted(body)
        self.asked[prompt] += wanted
        self._write({"asked": prompt, "n": wanted})

    def note_sent(self, body: dict[str, Any], document: dict[str, Any]) -> None:
        texts = self.texts(document)
        self.sent.update(texts)
        self._write({"sent": texts, "prompt": self.prompt(body)})

    def application(self) -> web.Application:
        app = web.Application(client_max_size=2**28)
        for method, path, asks, act in self.routes():
            app.router.add_route(method, path, self._handler(asks, act))
        return app

    def _handler(self, asks: bool, act: Callable[[Call], Awaitable[web.Response]]) -> Answer:
        async def handle(request: web.Request) -> web.StreamResponse:
            body = self.read(await _read(request))
            call = Call(self, request, body, asks, act)
            self._note(call)
            if self.latency:
                await asyncio.sleep(self.latency)
            if asks and self.answers:
                return await self.answers.pop(0)(request)
            fault = self._fault(call)
            if fault is not None:
                self.faults[fault.__name__] += 1
                return await fault(call)
            return self._refused(call) or await call.answer()

        return handle

    def _note(self, call: Call) -> None:
        self.calls.append(f"{call.request.method} {call.path}")
        if call.asks:
            self.bodies.append(call.body)
            self.paths.append(call.request.path_qs)
            named = call.request.headers.items()
            self.headers.append({name.lower(): value for name, value in named})
            if call.request.transport is not None:
                # Its port: the id of a connection that is gone is soon another's.
                self.connections.add(call.request.transport.get_extra_info("peername")[1])
            self.note_asked(call.body)

    def _fault(self, call: Call) -> Fault | None:
        if call.asks and self.coming:
            return self.coming.popleft()
        for place, (fits, fault, times) in enumerate(self.rules):
            if times != 0 and fits(call):
                self.rules[place] = (fits, fault, None if times is None else times - 1)
                return fault
        if call.asks and self._mix and self._random.random() < self._share:
            return self._random.choice(self._mix)
        return None

    def _refused(self, call: Call) -> web.Response | None:
        if refusal := self.refusal(call):
            return refusal
        if not call.asks or self.quota is None:
            return None
        self.quota -= 1
        return self.no_quota() if self.quota < 0 else None

    def _write(self, line: Mapping[str, object]) -> None:
        if self._log is not None:
            self._log.write(json.dumps(line) + "\n")
            self._log.flush()

    async def start(self, port: int = 0) -> web.AppRunner:
        """Listen; the runner's `cleanup` ends it."""
        runner = web.AppRunner(self.application(), shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", port).start()
        self.address = f"http://127.0.0.1:{runner.addresses[0][1]}"
        return runner


async def _read(request: web.Request) -> dict[str, Any]:
    uploading = "X-Goog-Upload-Offset" in request.headers  # the SDK calls any file JSON
    if request.content_type != "application/json" or not request.can_read_body or uploading:
        return {}
    body: dict[str, Any] = await request.json()
    return body


@asynccontextmanager
async def listening(fake: Fake, port: int = 0) -> AsyncIterator[None]:
    """The fake, in the running event loop."""
    runner = await fake.start(port)
    try:
        yield
    finally:
        await runner.cleanup()


@contextmanager
def in_thread(fake: Fake) -> Iterator[None]:
    """The fake, in an event loop in a thread of its own."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    runner = asyncio.run_coroutine_threadsafe(fake.start(), loop).result()
    try:
        yield
    finally:
        asyncio.run_coroutine_threadsafe(runner.cleanup(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
