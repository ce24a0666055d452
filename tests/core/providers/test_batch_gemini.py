"""Gemini's batches through Google's SDK, against a server on loopback."""

import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest

from core.errors import ProviderError
from core.providers.base import FatalError, Reply, Request, TransientError, UnanswerableError
from core.providers.gemini_batches import GeminiBatches
from prompts import Message
from tests.fakes import faults
from tests.fakes.fate import Fate
from tests.fakes.gemini_server import FakeGemini, answer, candidate, serving
from tests.patience import PATIENCE

KEY = "AIza-very-secret-0123456789"
FLASH, PRO, THREE = "gemini-2.5-flash", "gemini-2.5-pro", "gemini-3.7-flash"
TURNS = (
    Message("system", "Be short."),
    Message("user", "Who?"),
    Message("assistant", "Me."),
    Message("user", "Where?"),
)
ASKED = [Request(3, 32, 1.0, 1.0, messages=(Message("user", f"Who {i}?"),)) for i in range(10)]


@pytest.fixture
async def fake() -> AsyncIterator[FakeGemini]:
    async with serving(FakeGemini(unique=True)) as server:
        yield server


@pytest.fixture
async def service(fake: FakeGemini) -> AsyncIterator[GeminiBatches]:
    service = GeminiBatches(FLASH, KEY, base_url=fake.address, timeout=PATIENCE)
    yield service
    await service.close()


async def handed_in(service: GeminiBatches, token: str = "one") -> str:
    lines = [line for i, one in enumerate(ASKED) for line in service.lines(str(i), one)]
    return await service.submit(token, "", lines)


async def ended(service: GeminiBatches, name: str) -> Any:
    for _ in range(9):
        standing = await service.get_status(name)
        if standing.state != "working":
            return standing
    raise AssertionError("it never ended")


async def replies(service: GeminiBatches, name: str) -> dict[int, Reply | ProviderError]:
    results = await service.results(name)
    found: dict[int, Reply | ProviderError] = {}
    for number, request in enumerate(ASKED):
        try:
            found[number] = service.read_reply(request, results.get(str(number), ()))
        except ProviderError as error:
            found[number] = error
    return found


def without_nothing(value: Any) -> Any:
    """The same without fields that say nothing, which the SDK sends now and then."""
    if isinstance(value, dict):
        kept = {name: without_nothing(one) for name, one in value.items()}
        return {name: one for name, one in kept.items() if one is not None}
    return [without_nothing(one) for one in value] if isinstance(value, list) else value


@pytest.mark.slow
@pytest.mark.parametrize("model", [FLASH, PRO, THREE, "gemini-2.0-flash"])
@pytest.mark.parametrize("options", [{}, {"thinking": True}, {"search": True}])
async def test_each_line_is_what_a_single_request_would_be(
    fake: FakeGemini, model: str, options: dict[str, object]
) -> None:
    request = Request(1, 32, 0.5, 0.9, messages=TURNS, options=options)
    service = GeminiBatches(model, KEY, base_url=fake.address)
    await service.draw(request)
    await service.close()
    (line,) = service.lines("k", request)
    document = json.loads(line)
    assert document["key"] == "k.0"
    assert document["request"] == without_nothing(fake.bodies[-1])


async def test_what_comes_is_read_to_the_letter(fake: FakeGemini, service: GeminiBatches) -> None:
    fake.says = lambda prompt, number: f" {number} {prompt}\n\u2028é\U0001f40d"
    name = await handed_in(service)
    assert (await service.get_status(name)).state == "working"
    assert (await ended(service, name)).state == "ended"
    found = await replies(service, name)
    texts = [draw.text for reply in found.values() for draw in reply.draws]  # type: ignore[union-attr]
    assert sorted(texts) == sorted(fake.sent)
    assert len(set(texts)) == 30
    for number, reply in found.items():
        assert isinstance(reply, Reply)
        assert all(f"Who {number}?" in draw.text for draw in reply.draws)
        assert (reply.input_tokens, reply.output_tokens) == (21, 36)
        assert len(reply.exchanges) == 3


async def test_thoughts_come_along(fake: FakeGemini) -> None:
    service = GeminiBatches(FLASH, KEY, base_url=fake.address)
    line = {"key": "0.0", "response": answer(candidate("Me.", "Hm."), thoughts=9)}
    reply = service.read_reply(ASKED[0], [json.dumps(line).encode()])
    assert [(one.text, one.reasoning, one.reasoning_tokens) for one in reply.draws] == [
        ("Me.", "Hm.", 9)
    ]


async def test_the_batch_carries_the_token(fake: FakeGemini, service: GeminiBatches) -> None:
    first = await handed_in(service, "first")
    for number in range(150):  # more than one page of the list
        other = json.loads(json.dumps(fake.batches.made[first]))
        other["name"], other["metadata"]["displayName"] = f"batches/x{number}", "another"
        fake.batches.made[other["name"]] = other
    assert await service.find("first") == first
    assert await service.find("second") is None


@pytest.mark.parametrize("state", ["EXPIRED", "CANCELLED", "SUCCEEDED"])
async def test_a_batch_that_is_not_done_has_what_is_done(
    fake: FakeGemini, service: GeminiBatches, state: str
) -> None:
    fake.batches.fate = Fate(state, done=0.4)
    name = await handed_in(service)
    standing = await ended(service, name)
    assert standing.state == "ended"
    assert bool(standing.reason) == (state != "SUCCEEDED")
    found = await replies(service, name)
    assert all(isinstance(one, Reply | TransientError) for one in found.values())
    assert sum(len(one.draws) for one in found.values() if isinstance(one, Reply)) == 12


@pytest.mark.parametrize(
    ("status", "kind"), [(500, TransientError), (429, TransientError), (404, FatalError)]
)
async def test_requests_that_went_wrong_say_so(
    fake: FakeGemini, service: GeminiBatches, status: int, kind: type[ProviderError]
) -> None:
    fake.batches.fate = Fate("SUCCEEDED", refused=1.0, status=status)
    name = await handed_in(service)
    await ended(service, name)
    wrong = list((await replies(service, name)).values())
    assert [type(one) for one in wrong] == [kind] * 10
    assert "This one went wrong" in str(wrong[0])


@pytest.mark.parametrize(
    ("document", "kind"),
    [
        ({"error": {"code": 13, "message": "internal"}}, TransientError),
        ({"response": {"promptFeedback": {"blockReason": "SAFETY"}}}, UnanswerableError),
        ({"response": answer(candidate("x", finish="OTHER"))}, TransientError),
        ({"response": []}, TransientError),
        ({}, TransientError),
    ],
)
async def test_lines_without_an_answer(
    service: GeminiBatches, document: dict[str, Any], kind: type[ProviderError]
) -> None:
    with pytest.raises(kind):
        service.read_reply(ASKED[0], [json.dumps({"key": "0.0"} | document).encode()])


async def test_one_good_line_is_an_answer(service: GeminiBatches) -> None:
    lines: Sequence[dict[str, Any]] = (
        {"key": "0.0", "error": {"code": 500, "message": "internal"}},
        {"key": "0.1", "response": answer(candidate("Me."))},
    )
    reply = service.read_reply(ASKED[0], [json.dumps(line).encode() for line in lines])
    assert [draw.text for draw in reply.draws] == ["Me."]


async def test_a_refused_way_of_thinking_leads_to_the_next(fake: FakeGemini) -> None:
    fake.refused = [{"thinkingLevel": "MINIMAL", "includeThoughts": True}]
    service = GeminiBatches(THREE, KEY, base_url=fake.address)
    name = await handed_in(service)
    await ended(service, name)
    assert all(isinstance(one, TransientError) for one in (await replies(service, name)).values())
    name = await handed_in(service, "two")
    await ended(service, name)
    assert all(isinstance(one, Reply) for one in (await replies(service, name)).values())
    await service.close()


async def test_a_success_without_its_file_is_waited_for(
    fake: FakeGemini, service: GeminiBatches
) -> None:
    name = await handed_in(service)
    await ended(service, name)
    output = fake.batches.made[name]["metadata"].pop("output")
    assert (await service.get_status(name)).state == "working"
    fake.batches.made[name]["metadata"]["output"] = output
    assert (await service.get_status(name)).state == "ended"


async def test_a_batch_that_failed_says_so(fake: FakeGemini, service: GeminiBatches) -> None:
    fake.batches.fate = Fate("FAILED")
    standing = await ended(service, await handed_in(service))
    assert (standing.state, standing.passing) == ("failed", False)


async def test_a_batch_can_be_cancelled(fake: FakeGemini, service: GeminiBatches) -> None:
    name = await handed_in(service)
    await service.cancel(name)
    assert (await ended(service, name)).reason == "it was cancelled"
    assert await service.results(name) == {}
    await service.cancel(name)  # it has ended: nothing happens


async def test_an_answer_that_is_lost_leaves_the_batch_to_be_found(
    fake: FakeGemini, service: GeminiBatches
) -> None:
    fake.when(lambda call: call.path.endswith(":batchGenerateContent"), faults.lost, times=1)
    with pytest.raises(TransientError):
        await handed_in(service, "lost")
    assert await service.find("lost") == "batches/b0"
    assert len(fake.batches.made) == 1


async def test_a_wrong_key_and_a_batch_of_others(fake: FakeGemini, service: GeminiBatches) -> None:
    with pytest.raises(FatalError, match="there is no batch batches/b7 for this key"):
        await service.get_status("batches/b7")
    fake.key = "another"
    with pytest.raises(FatalError, match="was refused") as raised:
        await handed_in(service)
    assert KEY not in str(raised.value)


@pytest.mark.parametrize("fault", [faults.reset, faults.busy])
async def test_a_service_in_trouble_is_asked_again(
    fake: FakeGemini, service: GeminiBatches, fault: Any
) -> None:
    name = await handed_in(service)
    await ended(service, name)
    fake.when(lambda call: not call.asks, fault)
    for ask in (
        service.get_status(name),
        service.results(name),
        service.find("one"),
        service.cancel(name),
        handed_in(service, "two"),
    ):
        with pytest.raises(TransientError):
            await ask


async def test_what_cannot_be_written_is_never_sent(service: GeminiBatches) -> None:
    half = Request(1, 8, 1.0, 1.0, messages=(Message("user", "\ud800"),))
    raw = Request(1, 8, 1.0, 1.0, text="The capital is")
    for request in (half, raw):
        with pytest.raises(UnanswerableError, match="cannot be written"):
            service.lines("0", request)
