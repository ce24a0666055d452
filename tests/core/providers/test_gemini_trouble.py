"""What goes wrong with Gemini alone: which error it becomes, and what a person reads."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from aiohttp import web

from core.providers.base import FatalError, Request, TransientError, UnanswerableError
from core.providers.gemini import Gemini
from prompts import Message
from tests.fakes.gemini_server import FakeGemini, envelope, serving
from tests.patience import PATIENCE

KEY = "AIza-very-secret-0123456789"
MODEL = "gemini-2.5-flash"
ASK = Request(1, 32, 1.0, 1.0, messages=(Message("user", "Who?"),))
DAY = "GenerateRequestsPerDayPerProjectPerModel-FreeTier"
MINUTE = "GenerateRequestsPerMinutePerProjectPerModel-FreeTier"


@pytest.fixture
async def fake() -> AsyncIterator[FakeGemini]:
    async with serving() as server:
        yield server


@pytest.fixture
async def provider(fake: FakeGemini) -> AsyncIterator[Gemini]:
    """The provider under test, with a key, pointed at the fake server."""
    provider = Gemini(MODEL, KEY, base_url=fake.address, timeout=PATIENCE)
    yield provider
    await provider.close()


def assert_one_line(error: BaseException) -> None:
    """What a person sees: one printable line that names the model, but not the key."""
    line = str(error)
    assert line.isprintable()
    assert line.startswith(f"gemini:{MODEL}: ")
    assert len(line) <= 300
    assert KEY not in line
    assert KEY not in repr(error)


@pytest.mark.parametrize(
    ("status", "message", "details", "said"),
    [
        (
            400,
            "API key not valid. Please pass a valid API key.",
            [{"kind": "ErrorInfo", "reason": "API_KEY_INVALID"}],
            "the key in GEMINI_API_KEY was refused",
        ),
        (401, "Request had invalid credentials.", [], "the key in GEMINI_API_KEY was refused"),
        (
            403,
            f"Permission denied: Consumer 'api_key:{KEY}' has been suspended.",
            [],
            "the key in GEMINI_API_KEY may not use this model",
        ),
        (404, "models/x is not found for API version v1beta", [], "no such model"),
        (400, "User location is not supported for the API use.", [], "User location"),
    ],
)
async def test_what_cannot_be_mended_by_trying_says_what_to_do(
    fake: FakeGemini,
    provider: Gemini,
    status: int,
    message: str,
    details: list[dict[str, Any]],
    said: str,
) -> None:
    fake.then_fail(status, message, *details)
    with pytest.raises(FatalError, match=said) as caught:
        await provider.draw(ASK)
    assert_one_line(caught.value)


async def test_what_was_given_up_on_its_way_passes(fake: FakeGemini, provider: Gemini) -> None:
    fake.then_fail(499, "cancelled")
    with pytest.raises(TransientError, match="HTTP 499 cancelled") as caught:
        await provider.draw(ASK)
    assert_one_line(caught.value)


async def test_a_model_that_only_thinks_says_so(fake: FakeGemini, provider: Gemini) -> None:
    fake.then_fail(400, "Budget 0 is invalid. This model only works in thinking mode.")
    with pytest.raises(FatalError, match="does not take this way of thinking") as caught:
        await provider.draw(ASK)
    assert "only works in thinking mode" in str(caught.value)
    assert len(fake.bodies) == 1


async def test_a_prompt_that_is_too_long_is_skipped(fake: FakeGemini, provider: Gemini) -> None:
    fake.then_fail(
        400, "The input token count (1200000) exceeds the maximum number of tokens allowed (9)."
    )
    with pytest.raises(UnanswerableError, match="the prompt is too long") as caught:
        await provider.draw(ASK)
    assert_one_line(caught.value)


@pytest.mark.parametrize(
    ("delay", "seconds"),
    [("34s", 34.0), ("0.5s", 0.5), ("34.074824224s", 34.074824224), ("soon", None), (None, None)],
)
async def test_the_wait_is_in_the_details(
    fake: FakeGemini, provider: Gemini, delay: str | None, seconds: float | None
) -> None:
    violation = {"kind": "QuotaFailure", "violations": [{"quotaId": MINUTE}]}
    fake.then_fail(429, "slowly", violation, {"kind": "RetryInfo", "retryDelay": delay})
    with pytest.raises(TransientError) as caught:
        await provider.draw(ASK)
    assert caught.value.retry_after == seconds


async def test_the_longer_wait_counts(fake: FakeGemini, provider: Gemini) -> None:
    date = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    info = {"kind": "RetryInfo", "retryDelay": "3s"}
    fake.then(429, envelope(429, "later", info), Retry_After=date)
    with pytest.raises(TransientError) as caught:
        await provider.draw(ASK)
    assert caught.value.retry_after is not None
    assert 3000 < caught.value.retry_after <= 3600


async def test_a_spent_day_is_not_waited_for(fake: FakeGemini, provider: Gemini) -> None:
    violation = {"kind": "QuotaFailure", "violations": [{"quotaId": MINUTE}, {"quotaId": DAY}]}
    fake.then_fail(429, "exceeded", violation, {"kind": "RetryInfo", "retryDelay": "36s"})
    with pytest.raises(FatalError, match="the day's quota is spent") as caught:
        await provider.draw(ASK)
    assert_one_line(caught.value)


@pytest.mark.parametrize(
    "details", ["text", [3], [{}], [{"@type": None}], [{"@type": "x/google.rpc.QuotaFailure"}]]
)
async def test_details_may_be_anything(fake: FakeGemini, provider: Gemini, details: object) -> None:
    fake.then(429, {"error": {"code": 429, "message": "slowly", "details": details}})
    with pytest.raises(TransientError, match="HTTP 429 slowly"):
        await provider.draw(ASK)


@pytest.mark.parametrize("body", [b'{"error": {"mess', b'{"error": "\xff\xfe"}'])
async def test_an_error_that_is_no_json_may_be_tried_again(
    fake: FakeGemini, provider: Gemini, body: bytes
) -> None:
    async def garbage(request: web.Request) -> web.StreamResponse:
        return web.Response(status=503, body=body, content_type="application/json")

    fake.answers.append(garbage)
    with pytest.raises(TransientError, match="not JSON") as caught:
        await provider.draw(ASK)
    assert_one_line(caught.value)


@pytest.mark.parametrize(
    "request_",
    [
        Request(1, 8, 1.0, 1.0, text="raw"),
        Request(1, 8, 1.0, 1.0, messages=ASK.messages, options={"thinking_off": [{"no": 1}]}),
    ],
)
async def test_a_request_that_cannot_be_written(
    fake: FakeGemini, provider: Gemini, request_: Request
) -> None:
    with pytest.raises(FatalError, match="cannot be written") as caught:
        await provider.draw(request_)
    assert_one_line(caught.value)
    assert fake.bodies == []


async def test_an_http_client_that_is_not_there(
    provider: Gemini, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOOGLE_GENAI_HTTP_CLIENT", "httpx")
    monkeypatch.setattr("google.genai._api_client.httpx", None)  # others may have brought it
    for _ in range(2):  # a second session left open would be a warning, which fails the test
        with pytest.raises(FatalError, match="GOOGLE_GENAI_HTTP_CLIENT") as caught:
            await provider.draw(ASK)
        assert_one_line(caught.value)
