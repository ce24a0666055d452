"""Files and batches of the fake OpenAI server."""

import json
from collections.abc import Awaitable, Callable, Iterator
from typing import TYPE_CHECKING, Any

from aiohttp import web

from tests.fakes.fate import Fate, divided
from tests.fakes.service import Call

if TYPE_CHECKING:
    from tests.fakes.openai_server import FakeOpenAI

ENDED = ("failed", "completed", "expired", "cancelled")


class Batches:
    """`fates` are those of the next batches, then all go as `fate` says."""

    def __init__(self, fake: "FakeOpenAI") -> None:
        self.fake = fake
        self.fate = Fate("completed")
        self.fates: list[Fate] = []
        self.files: dict[str, bytes] = {}
        self.uploads: list[dict[str, Any]] = []
        self.made: dict[str, dict[str, Any]] = {}
        self._fates: dict[str, Fate] = {}
        self._steps: dict[str, int] = {}

    def routes(self) -> Iterator[tuple[str, str, bool, Callable[[Call], Awaitable[web.Response]]]]:
        yield "POST", "/v1/files", False, self._upload
        yield "GET", "/v1/files", False, self._uploaded
        yield "GET", "/v1/files/{id}/content", False, self._content
        yield "DELETE", "/v1/files/{id}", False, self._delete
        yield "POST", "/v1/batches", False, self._create
        yield "GET", "/v1/batches", False, self._list
        yield "GET", "/v1/batches/{id}", False, self._get
        yield "POST", "/v1/batches/{id}/cancel", False, self._cancel

    def requests(self, batch: dict[str, Any]) -> list[dict[str, Any]]:
        """What a batch asks, line by line."""
        return [json.loads(line) for line in self.files[batch["input_file_id"]].splitlines()]

    async def _upload(self, call: Call) -> web.Response:
        parts = await call.request.post()
        purpose, uploaded = str(parts["purpose"]), parts["file"]
        assert purpose in ("batch", "fine-tune")
        assert isinstance(uploaded, web.FileField)
        with uploaded.file as file:
            made = self._file(file.read(), purpose, uploaded.filename)
        self.uploads.append(made)
        return web.json_response(made)

    async def _uploaded(self, call: Call) -> web.Response:
        """The files of a purpose, newest first."""
        purpose = call.request.query.get("purpose")
        found = [one for one in self.uploads[::-1] if purpose in (None, one["purpose"])]
        return web.json_response(page_of(found, call))

    def _file(self, content: bytes, purpose: str, filename: str = "") -> dict[str, Any]:
        name = f"file-{len(self.files)}"
        self.files[name] = content
        return {
            "id": name,
            "object": "file",
            "bytes": len(content),
            "created_at": 0,
            "filename": filename or f"{name}.jsonl",
            "purpose": purpose,
            "status": "processed",
        }

    async def _content(self, call: Call) -> web.Response:
        content = self.files.get(call.request.match_info["id"])
        if content is None:
            return self.fake.failure(404, "No such File object")
        return web.Response(body=content, content_type="application/octet-stream")

    async def _delete(self, call: Call) -> web.Response:
        name = call.request.match_info["id"]
        gone = self.files.pop(name, None) is not None
        return web.json_response({"id": name, "object": "file", "deleted": gone})

    async def _create(self, call: Call) -> web.Response:
        if call.body["input_file_id"] not in self.files:
            return self.fake.failure(400, "Invalid input_file_id")
        name = f"batch_{len(self.made)}"
        self._fates[name] = self.fates.pop(0) if self.fates else self.fate
        self._steps[name] = 0
        self.made[name] = {
            "id": name,
            "object": "batch",
            "status": "validating",
            "created_at": len(self.made),
            "errors": None,
            "output_file_id": None,
            "error_file_id": None,
            **call.body,
        }
        for line in self.requests(self.made[name]):
            self.fake.note_asked(line["body"])
        return web.json_response(self.made[name])

    async def _list(self, call: Call) -> web.Response:
        return web.json_response(page_of(list(self.made.values())[::-1], call))

    async def _get(self, call: Call) -> web.Response:
        batch = self.made.get(call.request.match_info["id"])
        if batch is None:
            return self.fake.failure(404, "No batch found with that id")
        self._step(batch)
        return web.json_response(batch)

    async def _cancel(self, call: Call) -> web.Response:
        batch = self.made[call.request.match_info["id"]]
        if batch["status"] in ENDED:
            return self.fake.failure(409, f"Cannot cancel a batch that is {batch['status']}")
        fate = self._fates[batch["id"]]
        share = fate.done if fate.done < 1 else 0.0
        self._fates[batch["id"]] = Fate(
            "cancelled", self._steps[batch["id"]] + 2, share, padding=fate.padding
        )
        batch["status"] = "cancelling"
        return web.json_response(batch)

    def _step(self, batch: dict[str, Any]) -> None:
        if batch["status"] in ENDED:
            return
        fate = self._fates[batch["id"]]
        self._steps[batch["id"]] += 1
        if self._steps[batch["id"]] < fate.steps:
            if batch["status"] != "cancelling":
                batch["status"] = "in_progress"
            return
        batch["status"] = fate.state
        if fate.state == "failed":
            batch["errors"] = {"object": "list", "data": fate.errors}
            return
        self._finish(batch, fate)

    def _finish(self, batch: dict[str, Any], fate: Fate) -> None:
        good, bad, undone = divided(self.requests(batch), fate)
        output = [self._good(line) for line in good]
        errors = [self._bad(line, fate.status) for line in bad]
        if fate.state == "expired":
            errors += map(_expired, undone)
        for kind, found in (("output", output), ("error", errors)):
            if found:
                content = "".join(json.dumps(line) + "\n" for line in found).encode()
                content += b"\n" * fate.padding
                batch[f"{kind}_file_id"] = self._file(content, "batch_output")["id"]

    def _good(self, line: dict[str, Any]) -> dict[str, Any]:
        document = self.fake.normal(line["body"])
        self.fake.note_sent(line["body"], document)
        return _line(line, {"status_code": 200, "request_id": "r", "body": document})

    def _bad(self, line: dict[str, Any], status: int) -> dict[str, Any]:
        from tests.fakes.openai_server import error

        body = error(status, "This one went wrong")
        return _line(line, {"status_code": status, "request_id": "r", "body": body})


def page_of(newest: list[dict[str, Any]], call: Call) -> dict[str, Any]:
    """The page of a list that a call asks for."""
    after, limit = call.request.query.get("after"), int(call.request.query.get("limit", 20))
    start = next((i + 1 for i, one in enumerate(newest) if one["id"] == after), 0)
    page = newest[start : start + limit]
    return {
        "object": "list",
        "data": page,
        "first_id": page[0]["id"] if page else None,
        "last_id": page[-1]["id"] if page else None,
        "has_more": start + limit < len(newest),
    }


def _line(line: dict[str, Any], response: dict[str, Any] | None) -> dict[str, Any]:
    name = line["custom_id"]
    return {"id": f"req_{name}", "custom_id": name, "response": response, "error": None}


def _expired(line: dict[str, Any]) -> dict[str, Any]:
    said = "This request could not be executed before the completion window expired."
    return _line(line, None) | {"error": {"code": "batch_expired", "message": said}}
