"""OpenAI's batches through its SDK, against a server on loopback."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from core.errors import ProviderError, UsageError
from core.providers.base import (
    FatalError,
    Reply,
    Request,
    SchemaRefusedError,
    TransientError,
    UnanswerableError,
)
from core.providers.batch_service import BatchService
from core.providers.openai_batches import OpenAIBatches
from core.providers.registry import open_service
from prompts import Message
from tests.fakes import faults
from tests.fakes.fate import Fate
from tests.fakes.openai_server import FakeOpenAI, serving
from tests.patience import PATIENCE

KEY = "sk-very-secret-0123456789"
ASKED = [Request(2, 32, 1.0, 1.0, messages=(Message("user", f"Who {i}?"),)) for i in range(10)]
TEXT = Request(3, 16, 0.5, 0.9, text="The capital of France is ", options={"top_k": -1})
CHAT = "/v1/chat/completions"


@pytest.fixture
async def fake() -> AsyncIterator[FakeOpenAI]:
    async with serving(FakeOpenAI(unique=True)) as server:
        yield server


@pytest.fixture
async def service(fake: FakeOpenAI) -> AsyncIterator[OpenAIBatches]:
    service = OpenAIBatches("m", fake.base_url, KEY, timeout=PATIENCE)
    yield service
    await service.close()


async def handed_in(service: BatchService, token: str = "one", asked: Any = ASKED) -> str:
    lines = [line for i, one in enumerate(asked) for line in service.lines(str(i), one)]
    return await service.submit(token, service.kind(asked[0]), lines)


async def ended(service: BatchService, name: str) -> Any:
    for _ in range(9):
        standing = await service.get_status(name)
        if standing.state != "working":
            return standing
    raise AssertionError("it never ended")


async def replies(service: BatchService, name: str) -> dict[int, Reply | ProviderError]:
    results = await service.results(name)
    found: dict[int, Reply | ProviderError] = {}
    for number, request in enumerate(ASKED):
        try:
            found[number] = service.read_reply(request, results.get(str(number), ()))
        except ProviderError as error:
            found[number] = error
    return found


async def test_each_line_is_what_a_single_request_would_be(
    fake: FakeOpenAI, service: OpenAIBatches
) -> None:
    await service.draw(ASKED[0])
    await service.draw(TEXT)
    for request, body, path in zip(
        (ASKED[0], TEXT), fake.bodies, (CHAT, "/v1/completions"), strict=True
    ):
        (line,) = service.lines("k", request)
        assert line.endswith(b"}\n")
        assert json.loads(line) == {"custom_id": "k", "method": "POST", "url": path, "body": body}
        assert service.kind(request) == path


async def test_what_comes_is_read_to_the_letter(fake: FakeOpenAI, service: OpenAIBatches) -> None:
    fake.says = lambda prompt, number: f" {number} {prompt}\n\u2028é\U0001f40d"
    name = await handed_in(service)
    assert (await service.get_status(name)).state == "working"
    assert (await ended(service, name)).state == "ended"
    found = await replies(service, name)
    texts = [draw.text for reply in found.values() for draw in reply.draws]  # type: ignore[union-attr]
    assert sorted(texts) == sorted(fake.sent)
    assert len(set(texts)) == 20
    for number, reply in found.items():
        assert isinstance(reply, Reply)
        assert all(f"Who {number}?" in draw.text for draw in reply.draws)
        assert (reply.input_tokens, reply.output_tokens) == (7, 12)
        (exchange,) = reply.exchanges
        assert json.loads(exchange.sent)["messages"][0]["content"] == f"Who {number}?"


async def test_the_batch_carries_the_token(fake: FakeOpenAI, service: OpenAIBatches) -> None:
    first = await handed_in(service, "first")
    for number in range(150):  # more than one page of the list
        fake.batches.made[f"x{number}"] = {**fake.batches.made[first], "id": f"x{number}"}
        fake.batches.made[f"x{number}"]["metadata"] = None
    assert await service.find("first") == first
    assert await service.find("second") is None
    made = fake.batches.made[first]
    assert (made["endpoint"], made["completion_window"]) == (CHAT, "24h")


@pytest.mark.parametrize("state", ["expired", "cancelled", "completed"])
async def test_a_batch_that_is_not_done_has_what_is_done(
    fake: FakeOpenAI, service: OpenAIBatches, state: str
) -> None:
    fake.batches.fate = Fate(state, done=0.4)
    name = await handed_in(service)
    standing = await ended(service, name)
    assert standing.state == "ended"
    assert bool(standing.reason) == (state != "completed")
    found = await replies(service, name)
    assert sum(isinstance(one, Reply) for one in found.values()) == 4
    assert sum(isinstance(one, TransientError) for one in found.values()) == 6


@pytest.mark.parametrize(
    ("status", "kind"), [(500, TransientError), (429, TransientError), (400, FatalError)]
)
async def test_requests_that_went_wrong_say_so(
    fake: FakeOpenAI, service: OpenAIBatches, status: int, kind: type[ProviderError]
) -> None:
    fake.batches.fate = Fate("completed", refused=0.3, status=status)
    name = await handed_in(service)
    await ended(service, name)
    wrong = [one for one in (await replies(service, name)).values() if not isinstance(one, Reply)]
    assert [type(one) for one in wrong] == [kind] * 3
    assert "This one went wrong" in str(wrong[0])


async def test_a_queue_that_is_full_passes(fake: FakeOpenAI, service: OpenAIBatches) -> None:
    full = {"code": "token_limit_exceeded", "message": "Enqueued token limit reached"}
    fake.batches.fates = [
        Fate("failed", errors=[full]),
        Fate("failed", errors=[{"code": "invalid_json_line", "message": f"line 1 {KEY}"}]),
    ]
    standing = await ended(service, await handed_in(service))
    assert (standing.state, standing.passing) == ("failed", True)
    assert "Enqueued token limit reached" in standing.reason
    standing = await ended(service, await handed_in(service, "two"))
    assert (standing.state, standing.passing) == ("failed", False)
    assert KEY not in standing.reason


async def test_a_batch_can_be_cancelled(fake: FakeOpenAI, service: OpenAIBatches) -> None:
    name = await handed_in(service)
    await service.cancel(name)
    assert (await ended(service, name)).reason == "it was cancelled"
    assert await service.results(name) == {}
    await service.cancel(name)  # it has ended: nothing happens


async def test_an_answer_that_is_lost_leaves_the_batch_to_be_found(
    fake: FakeOpenAI, service: OpenAIBatches
) -> None:
    fake.when(lambda call: call.path == "/v1/batches", faults.lost, times=1)
    with pytest.raises(TransientError):
        await handed_in(service, "lost")
    assert await service.find("lost") == "batch_0"
    assert len(fake.batches.made) == 1


async def test_a_wrong_key_and_a_batch_of_others(fake: FakeOpenAI, service: OpenAIBatches) -> None:
    with pytest.raises(FatalError, match="there is no batch batch_7 for this key"):
        await service.get_status("batch_7")
    fake.key = "another"
    with pytest.raises(FatalError, match="the key was refused") as raised:
        await handed_in(service)
    assert KEY not in str(raised.value)


@pytest.mark.parametrize("fault", [faults.reset, faults.crash, faults.busy_for(3)])
async def test_a_service_in_trouble_is_asked_again(
    fake: FakeOpenAI, service: OpenAIBatches, fault: Any
) -> None:
    name = await handed_in(service)
    fake.when(lambda call: not call.asks, fault)
    for ask in (
        service.get_status(name),
        service.results(name),
        service.find("one"),
        service.cancel(name),
        handed_in(service, "two"),
    ):
        with pytest.raises(TransientError) as raised:
            await ask
    assert raised.value.retry_after == (3 if "busy" in fault.__name__ else None)


async def test_a_refused_parameter_is_left_out_of_the_next_batch(
    fake: FakeOpenAI, service: OpenAIBatches
) -> None:
    refusal = {"code": "unsupported_value", "param": "temperature", "message": "only 1"}
    line = {"custom_id": "0", "response": {"status_code": 400, "body": {"error": refusal}}}
    for _ in range(2):  # each line of a batch says the same
        with pytest.raises(TransientError, match="temperature is refused"):
            service.read_reply(ASKED[0], [json.dumps(line).encode()])
    body = json.loads(service.lines("0", ASKED[0])[0])["body"]
    assert "temperature" not in body
    assert body["top_p"] == 1.0


@pytest.mark.parametrize("schema", [{"type": "integer"}, None])
async def test_a_schema_refused_inside_a_batch_is_told_from_other_refusals(
    service: OpenAIBatches, schema: dict[str, str] | None
) -> None:
    refusal = {"param": "response_format", "message": "json_schema is not supported"}
    line = {"custom_id": "0", "response": {"status_code": 400, "body": {"error": refusal}}}
    asked = replace(ASKED[0], schema=schema)
    with pytest.raises(ProviderError, match="json_schema is not supported") as raised:
        service.read_reply(asked, [json.dumps(line).encode()])
    assert isinstance(raised.value, SchemaRefusedError) == (schema is not None)


async def test_lines_that_cannot_be_read_are_no_answers(service: OpenAIBatches) -> None:
    nothing = json.dumps({"custom_id": "0", "response": {"status_code": 200, "body": {}}})
    assert service.read_reply(ASKED[0], [nothing.encode()]).draws == ()
    wrong = json.dumps({"custom_id": "0", "response": {"status_code": 200, "body": []}})
    with pytest.raises(TransientError, match="not in OpenAI's format"):
        service.read_reply(ASKED[0], [wrong.encode()])
    with pytest.raises(TransientError, match="without an answer"):
        service.read_reply(ASKED[0], [])


async def test_what_cannot_be_written_is_never_sent(service: OpenAIBatches) -> None:
    half = Request(1, 8, 1.0, 1.0, messages=(Message("user", "\ud800"),))
    with pytest.raises(UnanswerableError, match="cannot be written"):
        service.lines("0", half)


def test_services_are_found_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    for name in ("openai:gpt-x", "gemini:gemini-2.5-flash"):
        with pytest.raises(UsageError, match="needs a key"):
            open_service(name)
    assert isinstance(open_service("openai:m@http://127.0.0.1:9/v1"), BatchService)
    with pytest.raises(UsageError, match="takes no batches"):
        open_service("embedded:smollm2-135m")
