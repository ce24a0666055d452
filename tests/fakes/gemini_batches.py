"""Files and batches of the fake Gemini service."""

import json
from collections.abc import Awaitable, Callable, Iterator
from typing import TYPE_CHECKING, Any

from aiohttp import web

from tests.fakes.fate import Fate, divided
from tests.fakes.service import Call

if TYPE_CHECKING:
    from tests.fakes.gemini_server import FakeGemini

ENDED = tuple(f"BATCH_STATE_{end}" for end in ("SUCCEEDED", "FAILED", "CANCELLED", "EXPIRED"))


class Batches:
    """`fates` are those of the next batches, then all go as `fate` says.

    The states of a `Fate` are those of the service without `BATCH_STATE_`.
    """

    def __init__(self, fake: "FakeGemini") -> None:
        self.fake = fake
        self.fate = Fate("SUCCEEDED")
        self.fates: list[Fate] = []
        self.files: dict[str, bytes] = {}
        self.made: dict[str, dict[str, Any]] = {}
        self._fates: dict[str, Fate] = {}
        self._steps: dict[str, int] = {}

    def routes(self) -> Iterator[tuple[str, str, bool, Callable[[Call], Awaitable[web.Response]]]]:
        yield "POST", "/upload/v1beta/files", False, self._begin_upload
        yield "POST", "/upload/v1beta/files/{id}", False, self._upload
        yield "GET", "/v1beta/files/{id}:download", False, self._download
        yield "DELETE", "/v1beta/files/{id}", False, self._delete
        yield "POST", "/v1beta/models/{model}:batchGenerateContent", False, self._create
        yield "GET", "/v1beta/batches", False, self._list
        yield "GET", "/v1beta/batches/{id}", False, self._get
        yield "POST", "/v1beta/batches/{id}:cancel", False, self._cancel

    def requests(self, batch: dict[str, Any]) -> list[dict[str, Any]]:
        """What a batch asks: lines with `key` and `request`."""
        lines = self.files[batch["input"]].splitlines()
        return [self.fake.read(json.loads(line)) for line in lines]

    async def _begin_upload(self, call: Call) -> web.Response:
        name = f"files/in{len(self.files)}"
        self.files[name] = b""
        address = f"{self.fake.address}/upload/v1beta/{name}"
        headers = {"X-Goog-Upload-URL": address, "X-Goog-Upload-Status": "active"}
        return web.json_response({}, headers=headers)

    async def _upload(self, call: Call) -> web.Response:
        name = f"files/{call.request.match_info['id']}"
        self.files[name] += await call.request.read()
        if "finalize" not in call.request.headers["X-Goog-Upload-Command"]:
            return web.json_response({}, headers={"X-Goog-Upload-Status": "active"})
        size = str(len(self.files[name]))
        document = {"file": {"name": name, "sizeBytes": size, "state": "ACTIVE"}}
        return web.json_response(document, headers={"X-Goog-Upload-Status": "final"})

    async def _download(self, call: Call) -> web.Response:
        content = self.files.get(f"files/{call.request.match_info['id']}")
        if content is None:
            return self.fake.failure(404, "No such file")
        return web.Response(body=content, content_type="application/octet-stream")

    async def _delete(self, call: Call) -> web.Response:
        self.files.pop(f"files/{call.request.match_info['id']}", None)
        return web.json_response({})

    async def _create(self, call: Call) -> web.Response:
        given = call.body["batch"]
        source = given["inputConfig"]["fileName"]
        if source not in self.files:
            return self.fake.failure(400, "No such file")
        name = f"batches/b{len(self.made)}"
        self._fates[name] = self.fates.pop(0) if self.fates else self.fate
        self._steps[name] = 0
        self.made[name] = {
            "name": name,
            "input": source,
            "metadata": {
                "model": f"models/{call.request.match_info['model']}",
                "displayName": given["displayName"],
                "state": "BATCH_STATE_PENDING",
                "createTime": "2026-01-01T00:00:00Z",
            },
        }
        for line in self.requests(self.made[name]):
            self.fake.note_asked(line["request"])
        return web.json_response(self._shown(self.made[name]))

    async def _list(self, call: Call) -> web.Response:
        newest = list(self.made.values())[::-1]
        start = int(call.request.query.get("pageToken") or 0)
        size = int(call.request.query.get("pageSize") or 10)
        page = {"operations": [self._shown(one) for one in newest[start : start + size]]}
        more = {"nextPageToken": str(start + size)} if start + size < len(newest) else {}
        return web.json_response(page | more)

    async def _get(self, call: Call) -> web.Response:
        batch = self.made.get(f"batches/{call.request.match_info['id']}")
        if batch is None:
            return self.fake.failure(404, "Requested entity was not found.")
        self._step(batch)
        return web.json_response(self._shown(batch))

    async def _cancel(self, call: Call) -> web.Response:
        name = f"batches/{call.request.match_info['id']}"
        if self.made[name]["metadata"]["state"] in ENDED:
            return self.fake.failure(400, "The batch has ended.")
        fate = self._fates[name]
        share = fate.done if fate.done < 1 else 0.0
        self._fates[name] = Fate("CANCELLED", self._steps[name] + 2, share)
        return web.json_response({})

    @staticmethod
    def _shown(batch: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in batch.items() if name != "input"}

    def _step(self, batch: dict[str, Any]) -> None:
        metadata, fate = batch["metadata"], self._fates[batch["name"]]
        if metadata["state"] in ENDED:
            return
        self._steps[batch["name"]] += 1
        if self._steps[batch["name"]] < fate.steps:
            metadata["state"] = "BATCH_STATE_RUNNING"
            return
        metadata["state"] = f"BATCH_STATE_{fate.state}"
        batch["done"] = True
        if fate.state == "FAILED":
            batch["error"] = fate.errors[0] if fate.errors else {"code": 13, "message": "Failed"}
            return
        good, bad, _ = divided(self.requests(batch), fate)
        found = [self._good(line) for line in good]
        found += [_bad(line, fate.status) for line in bad]
        if found or fate.state == "SUCCEEDED":
            name = batch["name"].replace("batches/", "files/batch-")
            self.files[name] = "".join(json.dumps(line) + "\n" for line in found).encode()
            metadata["output"] = {"responsesFile": name}

    def _good(self, line: dict[str, Any]) -> dict[str, Any]:
        mistake = self.fake.mistake(line["request"])
        if mistake:
            return {"key": line["key"], "error": mistake["error"]}
        document = self.fake.normal(line["request"])
        self.fake.note_sent(line["request"], document)
        return {"key": line["key"], "response": document}


def _bad(line: dict[str, Any], status: int) -> dict[str, Any]:
    return {"key": line["key"], "error": {"code": status, "message": "This one went wrong"}}
