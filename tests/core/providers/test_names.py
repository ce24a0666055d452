"""Model names taken apart, and what is known of a model by its name."""

import pytest

from core.errors import UsageError
from core.providers.capabilities import UNTRUNCATED
from core.providers.model_names import OPENAI_ADDRESS, ModelName, key_variable, parse
from core.providers.registry import describe

ADDRESS = "http://127.0.0.1:8080/v1"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("embedded:smollm2-135m", ModelName("embedded", "smollm2-135m")),
        ("gguf:/a b/x.Q4.gguf", ModelName("gguf", "x.Q4", file="/a b/x.Q4.gguf")),
        ("openai:gpt-9", ModelName("openai", "gpt-9", OPENAI_ADDRESS)),
        ("openai:ft:gpt-9:me::x1", ModelName("openai", "ft:gpt-9:me::x1", OPENAI_ADDRESS)),
        (f"openai:llama3:8b@{ADDRESS}", ModelName("openai", "llama3:8b", ADDRESS)),
        (f"openai:org/model@2026@{ADDRESS}/", ModelName("openai", "org/model@2026", ADDRESS)),
        ("gemini:gemini-2.5-flash", ModelName("gemini", "gemini-2.5-flash")),
        ("replay:some folder/a.jsonl.gz", ModelName("replay", "some folder/a.jsonl.gz")),
        ("replay:a.jsonl#gemini:m", ModelName("replay", "a.jsonl#gemini:m")),
        ("openai:m@https://[::1]:80/v1", ModelName("openai", "m", "https://[::1]:80/v1")),
    ],
)
def test_known_forms(name: str, expected: ModelName) -> None:
    assert parse(name) == expected
    assert parse(str(expected)) == expected


@pytest.mark.parametrize(
    "name",
    [
        "",
        "gpt-9",
        "openai:",
        f"openai:@{ADDRESS}",
        "embedded:",
        "embedded:other",
        "gemini:",
        "gemini:models/gemini-2.5-flash",
        "gemini:..",
        "gemini:a..b",
        "gemini:a?key=b",
        "gemini:a%2e",
        "gemini:gemini-2.5-flash@http://host/v1",
        "Gemini:gemini-2.5-flash",
        "OPENAI:gpt-9",
        "openai:a b",
        "openai:a\nb",
        "openai:a\x1b[31m",
        "replay:",
        "replay:a\nb",
        "replay:a\x1b[31m",
        "openai:m@localhost:8080",
        "openai:m@host/v1",
        "openai:m@http://",
        "openai:m@http:///v1",
        "openai:m@http://host:port/v1",
        "openai:m@http://host:99999/v1",
        "openai:m@http://host:0/v1",
        "openai:m@http://[::1/v1",
        "openai:m@http://host/v1?key=a",
        "openai:m@http://host/v1#a",
        "openai:m@httpx://host/v1",
    ],
)
def test_other_forms_are_refused_in_one_line(name: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse(name)
    assert str(caught.value).isprintable()


def test_an_unknown_provider_is_told_the_known_forms() -> None:
    with pytest.raises(UsageError, match="gguf:PATH, openai:MODEL, openai:MODEL@http"):
        parse("nobody:m")


@pytest.mark.parametrize("user", ["me:hunter2", "me", ":hunter2", "openai.com:hunter2@x"])
def test_an_address_with_a_password_is_refused_and_not_repeated(user: str) -> None:
    with pytest.raises(UsageError, match="user:password is refused") as caught:
        parse(f"openai:m@http://{user}@my-host.example/v1")
    assert "hunter2" not in str(caught.value)
    assert "LOSTKEYS_KEY_MY_HOST_EXAMPLE" in str(caught.value)


@pytest.mark.parametrize(
    ("host", "variable"),
    [
        ("localhost", "LOSTKEYS_KEY_LOCALHOST"),
        ("llm-1.example.org", "LOSTKEYS_KEY_LLM_1_EXAMPLE_ORG"),
        ("127.0.0.1", "LOSTKEYS_KEY_127_0_0_1"),
        ("::1", "LOSTKEYS_KEY___1"),
        ("bücher.example", "LOSTKEYS_KEY_B_CHER_EXAMPLE"),
    ],
)
def test_the_variable_of_a_host(host: str, variable: str) -> None:
    assert key_variable(host) == variable


@pytest.mark.parametrize(
    ("address", "own"),
    [
        (OPENAI_ADDRESS, True),
        (OPENAI_ADDRESS.replace("api.openai.com", "API.OpenAI.com:443"), True),
        (OPENAI_ADDRESS.replace("https", "http"), False),
        (OPENAI_ADDRESS.replace("api.openai.com", "api.openai.com.evil.example"), False),
        (OPENAI_ADDRESS.replace("api.openai.com", "evil-api.openai.com"), False),
        (OPENAI_ADDRESS.replace("api.openai.com", "api.openai.com:8443"), False),
        (ADDRESS, False),
    ],
)
def test_only_openai_over_tls_is_openai(address: str, own: bool) -> None:
    assert parse(f"openai:m@{address}").is_openai is own


def test_capabilities_follow_from_the_name() -> None:
    embedded = describe("embedded:smollm2-135m")
    assert (embedded.completion, embedded.questions) == ("raw", "chat")
    assert embedded.options == UNTRUNCATED
    assert embedded.sequences is not None
    assert embedded.draws == 8 <= embedded.sequences
    openai = describe("openai:gpt-9")
    assert (openai.completion, openai.questions) == ("chat", "chat")
    assert openai.options == {}
    other = describe(f"openai:m@{ADDRESS}")
    assert (other.completion, other.questions) == ("chat", "chat")
    assert other.options == UNTRUNCATED
    gemini = describe("gemini:gemini-2.5-flash")
    assert (gemini.completion, gemini.questions) == ("chat", "chat")
    assert gemini.options["thinking_off"] == [{"thinking_budget": 0}]
    assert not gemini.always_thinks
    assert describe("gemini:gemini-2.5-pro").always_thinks
    assert describe("gemini:gemini-3-pro-preview").draws == 1
    with pytest.raises(UsageError):
        describe("nobody:m")
