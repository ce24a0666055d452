"""Opening a provider by its name: the right one, with the right key."""

import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from core.errors import UsageError
from core.providers import gemini
from core.providers.base import Request
from core.providers.registry import open_provider
from prompts import Message
from tests.fakes.gemini_server import serving

ROOT = Path(__file__).parents[3]
ASK = Request(1, 8, 1.0, 1.0, text="Who?")
CHAT = Request(1, 8, 1.0, 1.0, messages=(Message("user", "Who?"),))


async def authorization(fake: Any) -> str:
    """What the fake server is sent as the key."""
    provider = open_provider(f"openai:m@{fake.base_url}")
    await provider.draw(ASK)
    await provider.close()
    return str(fake.headers[-1]["authorization"])


async def test_openais_key_goes_to_no_other_host(
    fake: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openai")
    monkeypatch.delenv("LOSTKEYS_KEY_127_0_0_1", raising=False)
    assert await authorization(fake) == "Bearer none"


async def test_another_host_gets_its_own_key(fake: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openai")
    monkeypatch.setenv("LOSTKEYS_KEY_127_0_0_1", "local-key\n")
    assert await authorization(fake) == "Bearer local-key"


@pytest.mark.parametrize("key", [None, "", " \n"])
def test_openai_without_a_key(key: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    if key is not None:
        monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(UsageError, match="set OPENAI_API_KEY"):
        open_provider("openai:gpt-9")


@pytest.mark.parametrize("key", [None, "", " \n"])
def test_gemini_takes_its_key_from_one_variable(
    key: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOOGLE_API_KEY", "of-something-else")
    monkeypatch.delenv("GEMINI_API_KEY", raising=False)
    if key is not None:
        monkeypatch.setenv("GEMINI_API_KEY", key)
    with pytest.raises(UsageError, match="set GEMINI_API_KEY"):
        open_provider("gemini:gemini-2.5-flash")


async def test_gemini_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "AIza-some\n")
    async with serving() as server:
        monkeypatch.setattr(gemini, "Gemini", partial(gemini.Gemini, base_url=server.address))
        provider = open_provider("gemini:gemini-2.5-flash")
        await provider.draw(CHAT)
        await provider.close()
    assert server.headers[0]["x-goog-api-key"] == "AIza-some"


@pytest.mark.parametrize("key", ["schlüssel", "two\nlines", "with space", "\x1b[31m"])
def test_a_key_that_no_header_can_hold(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(UsageError, match="OPENAI_API_KEY") as caught:
        open_provider("openai:gpt-9")
    assert key not in str(caught.value)


def test_unknown_names_are_refused() -> None:
    with pytest.raises(UsageError, match="nobody:m"):
        open_provider("nobody:m")


def test_names_and_capabilities_import_nothing_heavy(tmp_path: Path) -> None:
    answers = tmp_path / "answers.jsonl"
    answers.write_text('{"prompt": "Who?", "answers": ["I"]}', encoding="utf-8")
    script = (
        "import sys; from core.providers import registry;"
        "registry.describe('embedded:smollm2-135m');"
        "registry.describe('gemini:gemini-2.5-flash');"
        f"registry.open_provider('replay:{answers}');"
        "print(sorted({'openai', 'httpx2', 'aiohttp', 'xllamacpp', 'numpy', 'textual', 'pydantic',"
        " 'google', 'google.genai'}"
        " & set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)
    assert (ran.returncode, ran.stdout.strip(), ran.stderr) == (0, "[]", "")
