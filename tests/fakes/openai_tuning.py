"""Fine-tuning jobs of the fake OpenAI server."""

import json
from collections.abc import Awaitable, Callable, Iterator
from typing import TYPE_CHECKING, Any

from aiohttp import web

from tests.fakes.openai_batches import page_of
from tests.fakes.service import Call

if TYPE_CHECKING:
    from tests.fakes.openai_server import FakeOpenAI

ENDED = ("succeeded", "failed", "cancelled")
STATES = ("validating_files", "queued", "running")
LEAST = 10


class Tunings:
    """Each look at a job moves it on; it is through after `steps` of them, at once after none.

    `fails` is why jobs fail once they run, empty where they do not.
    """

    def __init__(self, fake: "FakeOpenAI") -> None:
        self.fake = fake
        self.steps = 5
        self.fails = ""
        self.made: dict[str, dict[str, Any]] = {}
        self._events: dict[str, list[dict[str, Any]]] = {}
        self._looks: dict[str, int] = {}

    def routes(self) -> Iterator[tuple[str, str, bool, Callable[[Call], Awaitable[web.Response]]]]:
        yield "POST", "/v1/fine_tuning/jobs", False, self._create
        yield "GET", "/v1/fine_tuning/jobs", False, self._list
        yield "GET", "/v1/fine_tuning/jobs/{id}", False, self._get
        yield "GET", "/v1/fine_tuning/jobs/{id}/events", False, self._listed
        yield "POST", "/v1/fine_tuning/jobs/{id}/cancel", False, self._cancel

    async def _create(self, call: Call) -> web.Response:
        files = self.fake.batches.files
        for name in filter(None, (call.body["training_file"], call.body.get("validation_file"))):
            if name not in files:
                return self.fake.failure(400, f"invalid file ID {name}")
            if self.purpose_of(name) != "fine-tune":
                return self.fake.failure(400, f"File {name} is not for fine-tuning")
        name = f"ftjob-{len(self.made)}"
        self._looks[name], self._events[name] = 0, []
        self.made[name] = {
            "id": name,
            "object": "fine_tuning.job",
            "created_at": len(self.made),
            "error": None,
            "fine_tuned_model": None,
            "finished_at": None,
            "hyperparameters": {"n_epochs": "auto"},
            "organization_id": "org-1",
            "result_files": [],
            "seed": 1,
            "status": STATES[0],
            "trained_tokens": None,
            "validation_file": None,
            **call.body,
        }
        self._tell(name, f"Created fine-tuning job: {name}")
        if not self.steps:
            self._step(self.made[name])
        return web.json_response(self.made[name])

    def purpose_of(self, file: str) -> str:
        found = (one["purpose"] for one in self.fake.batches.uploads if one["id"] == file)
        return str(next(found))

    async def _list(self, call: Call) -> web.Response:
        return web.json_response(page_of(list(self.made.values())[::-1], call))

    async def _get(self, call: Call) -> web.Response:
        job = self.made.get(call.request.match_info["id"])
        if job is None:
            return self.fake.failure(404, "Could not find fine tune")
        self._step(job)
        return web.json_response(job)

    async def _listed(self, call: Call) -> web.Response:
        return web.json_response(page_of(self._events[call.request.match_info["id"]][::-1], call))

    async def _cancel(self, call: Call) -> web.Response:
        job = self.made[call.request.match_info["id"]]
        if job["status"] in ENDED:
            return self.fake.failure(400, f"Job has already {job['status']}")
        job["status"] = "cancelled"
        return web.json_response(job)

    def _step(self, job: dict[str, Any]) -> None:
        if job["status"] in ENDED:
            return
        name = job["id"]
        self._looks[name] += 1
        look = self._looks[name]
        job["status"] = STATES[min(look, 2)]
        wrong = self._wrong(job)
        if wrong or (self.fails and look > 1):
            job["status"] = "failed"
            job["error"] = {"code": "invalid", "message": wrong or self.fails, "param": None}
            return
        self._tell(name, f"Step {look}/{self.steps}: training loss=0.5", look)
        if look >= self.steps:
            job["status"] = "succeeded"
            suffix = job.get("suffix") or ""
            job["fine_tuned_model"] = f"ft:{job['model']}:org:{suffix}:{name}"

    def _wrong(self, job: dict[str, Any]) -> str:
        lines = self.fake.batches.files[job["training_file"]].splitlines()
        if len(lines) < LEAST:
            return f"Training file has {len(lines)} example(s), but must have at least {LEAST}"
        for number, line in enumerate(lines, 1):
            if [*json.loads(line)] != ["messages"]:
                return f"Invalid file format. Line {number}"
        return ""

    def _tell(self, job: str, message: str, step: int = 0) -> None:
        events = self._events[job]
        event = {
            "object": "fine_tuning.job.event",
            "id": f"ftevent-{job}-{len(events)}",
            "created_at": len(events),
            "level": "info",
            "message": message,
            "type": "metrics" if step else "message",
            "data": {"step": step, "total_steps": self.steps} if step else {},
        }
        events.append(event)
