"""Prices: ours, a person's own, what is free, what is unknown, and files that are no prices."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import UsageError
from core.pricing.prices import BUNDLED, AccountLimits, Price, price_of, rates_of
from core.providers.base import Request
from core.settings.paths import prices_file
from prompts import Message


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LOSTKEYS_CONFIG", str(tmp_path))
    return tmp_path


def write(text: str) -> None:
    prices_file().write_text(text, encoding="utf-8")


def test_what_comes_with_the_program_can_be_read() -> None:
    names = re.findall(r'^\["(.+)"\]$', BUNDLED.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(names) == len(set(names)) > 10
    for name in names:
        price = price_of(name)
        assert price is not None
        assert 0 < price.input < price.output
        assert rates_of(name) == AccountLimits()


def test_a_cost_is_that_of_the_tokens() -> None:
    price = Price(0.25, 2.0, batch=0.5)
    assert price.cost(1_000_000, 0) == 0.25
    assert price.cost(2_000_000, 500_000) == 1.5
    assert price.cost(2_000_000, 500_000, batch=True) == 0.75


@pytest.mark.parametrize(
    "name",
    [
        "embedded:smollm2-135m",
        "openai:gpt-5@http://127.0.0.1:8080/v1",
        "openai:any@http://127.3.2.1:8080/v1",
        "openai:any@http://[::1]:8080/v1",
        "openai:any@http://localhost:8080/v1",
    ],
)
def test_a_model_on_this_machine_costs_nothing(name: str) -> None:
    assert price_of(name) == Price(0, 0)
    assert rates_of(name) == AccountLimits()


def test_a_model_nobody_priced_is_unknown() -> None:
    assert price_of("openai:llama-3@https://llm.example.org/v1") is None
    assert price_of("gemini:gemini-none") is None


def test_own_prices_come_first_value_by_value() -> None:
    write('["openai:gpt-5-mini"]\nrpm = 500\ntpm = 200000\n')
    theirs = price_of("openai:gpt-5-mini")
    assert theirs is not None
    assert rates_of("openai:gpt-5-mini") == AccountLimits(500, 200_000)
    write('["openai:gpt-5-mini"]\ninput = 9\noutput = 10\n["openai:mine"]\ninput = 1\noutput = 2\n')
    assert price_of("openai:gpt-5-mini") == replace(theirs, input=9, output=10)
    assert price_of("openai:mine") == Price(1, 2)
    assert rates_of("openai:gpt-5-mini") == AccountLimits()


def test_the_full_name_comes_before_the_name_without_its_address() -> None:
    far, here = "openai:m@https://llm.example.org/v1", "openai:m@http://127.0.0.1:9/v1"
    write(
        '["openai:m"]\ninput = 1\noutput = 2\nrpm = 3\n'
        f'["{far}"]\ninput = 4\noutput = 5\n["{here}"]\ninput = 6\noutput = 7\n'
    )
    assert price_of(far) == Price(4, 5)
    assert price_of("openai:m@https://other.example.org/v1") == Price(1, 2)
    assert rates_of("openai:m@https://other.example.org/v1") == AccountLimits(rpm=3)
    assert price_of(here) == Price(6, 7)
    assert price_of("openai:m@http://127.0.0.1:10/v1") == Price(0, 0)


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ('["openai:m"]\ninput = 1\noutput = "2"\n', 3, "must be a number"),
        ('["openai:m"]\ninput = 1\noutput = nan\n', 3, "must be a number"),
        ('["openai:m"]\ninput = -1\noutput = 2\n', 2, "not negative"),
        ('["openai:m"]\ninput = true\noutput = 2\n', 2, "must be a number"),
        ('["openai:m"]\nrpm = 0\n', 2, "whole number from 1"),
        ('["openai:m"]\nrpm = 1.5\n', 2, "whole number from 1"),
        ('["openai:m"]\ninput = 1\noutput = 1\nbatch = 2\n', 4, "share of the price"),
        ('# mine\n["openai:m"]\n\nimput = 1\noutput = 2\n', 4, "did you mean input?"),
        ('# mine\n["openai:m"]\noutput = 2\n', 2, "needs both"),
        ('# mine\n["m"]\ninput = 1\noutput = 2\n', 2, "no model is called"),
        ("# mine\n\ngpt = 3\n", 3, "prices stand under their model"),
        ('["openai:m"]\ninput = 1\n\noutput 2\n', 4, "not in TOML"),
    ],
)
def test_a_bad_file_is_one_line_with_the_line_of_the_file(text: str, line: int, said: str) -> None:
    write(text)
    with pytest.raises(UsageError) as caught:
        price_of("openai:gpt-5-mini")
    told = str(caught.value)
    assert told.startswith(str(prices_file()))
    assert f"line {line}" in told
    assert said in told
    assert "\n" not in told


def test_a_file_that_is_mended_is_read_again() -> None:
    write("nonsense")
    with pytest.raises(UsageError):
        price_of("openai:gpt-5-mini")
    prices_file().unlink()
    assert price_of("openai:gpt-5-mini") is not None


def test_what_cannot_be_read_is_said(config: Path) -> None:
    (config / "prices.toml").mkdir()
    with pytest.raises(UsageError, match=r"prices.toml cannot be read"):
        price_of("openai:gpt-5-mini")


CHARS = st.text(max_size=200)


@given(CHARS, CHARS, st.integers(1, 8), st.integers(1, 3000))
def test_no_request_costs_more_than_the_most(system: str, user: str, n: int, limit: int) -> None:
    price = Price(0.25, 2.0)
    messages = (Message("system", system), Message("user", user))
    request = Request(n, limit, 1.0, 1.0, messages=messages)
    used = len((system + user).encode(errors="surrogatepass")) * n
    assert price.most(request) >= price.cost(used, n * limit)
    assert price.most(request, batch=True) == price.most(request)


def test_thoughts_count_towards_the_most() -> None:
    price = price_of("gemini:gemini-2.5-flash")
    assert price is not None
    off = Request(2, 32, 1.0, 1.0, text="x", options={"thinking": False})
    on = replace(off, options={"thinking": True})
    assert price.most(off) < price.cost(100, 2 * 32 + 1)
    assert price.most(on) > price.cost(0, 2 * 10_000)
    assert Price(0, 0).most(on) == 0
