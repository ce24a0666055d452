"""What a model's tokens cost, and what it takes a minute: from a file that a person can edit.

The file that comes with the program (`prices.toml` here, with its sources) is overridden, value
by value, by the person's own `prices.toml` beside the settings file.
"""

import difflib
import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.errors import UsageError
from core.providers.model_names import ModelName, parse
from core.settings.compression import open_file
from core.settings.paths import prices_file

if TYPE_CHECKING:
    from core.providers.base import Request

BUNDLED = Path(__file__).with_name("prices.toml")

MONEY = ("input", "output", "batch")
COUNTS = ("rpm", "tpm")

PER = 1_000_000
"""Tokens that a price is for."""

MESSAGE_TOKENS = 16
"""Tokens that a message may take beside its text: who speaks, where it begins and ends."""

BYTES_PER_TOKEN = 3.5
"""Bytes of prompts in a token, as measured with the embedded model's: 3.4 to 3.9."""

FREE = ("embedded", "gguf", "replay")
"""Providers that cost nothing."""

Entry = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens; `batch` is what a batch costs as a share of that.

    `model` is the full name of the model, from which the room for thoughts follows.
    """

    input: float
    output: float
    batch: float = 1.0
    model: str | None = field(default=None, compare=False)

    def cost(self, input_tokens: int, output_tokens: int, batch: bool = False) -> float:
        """What these tokens cost, in US dollars. Thoughts are output."""
        whole = (input_tokens * self.input + output_tokens * self.output) / PER
        return whole * self.batch if batch else whole

    def most(self, request: "Request", batch: bool = False) -> float:
        """The most that a request can cost, however it is asked.

        A token is one byte at the least; a provider may have to ask once for each answer, so
        that the prompt counts as often. Output is bounded by `max_tokens` and, where the model
        may think, by the room that it gets for that.
        """
        from core.providers.capabilities import most_tokens

        if self.is_free:
            return 0.0
        out = request.n * request.max_tokens
        if self.model is not None:
            out = most_tokens(self.model, request)
        return self.cost(most_input_tokens(request) * request.n, out, batch)

    @property
    def is_free(self) -> bool:
        """Whether nothing is charged at all."""
        return self.input == self.output == 0


NOTHING = Price(0.0, 0.0)


@dataclass(frozen=True, slots=True)
class AccountLimits:
    """Requests and tokens a minute that an account may use; None where nobody said."""

    rpm: int | None = None
    tpm: int | None = None


def price_of(model_name: str) -> Price | None:
    """What a model costs, None where that is not known.

    Its full name is looked up first; a model on this machine costs nothing else; then the name
    without its address. Raises `UsageError` for a name of no known form and, with file and line,
    where the person's own file cannot be read as prices.
    """
    model, entry = parse(model_name), _entry(model_name)
    if "input" in entry and "output" in entry:
        return Price(entry["input"], entry["output"], entry.get("batch", 1.0), model_name)
    return NOTHING if is_here(model) else None


def rates_of(model_name: str) -> AccountLimits:
    """What a model's account takes a minute, looked up as `price_of` does."""
    entry = _entry(model_name)
    found = {name: int(entry[name]) for name in COUNTS if name in entry}
    return AccountLimits(**found)


def is_here(model: ModelName) -> bool:
    """Whether a model runs on this machine, or answers from a file."""
    if model.provider in FREE or model.host == "localhost":
        return True
    try:
        return ip_address(model.host or "").is_loopback
    except ValueError:
        return False


def most_input_tokens(request: "Request") -> int:
    """An upper bound of the tokens of a request's prompt."""
    if request.messages is None:
        return len((request.text or "").encode(errors="surrogatepass")) + MESSAGE_TOKENS
    texts = [message.content.encode(errors="surrogatepass") for message in request.messages]
    return sum(map(len, texts)) + MESSAGE_TOKENS * (len(texts) + 1)


def known_names() -> list[str]:
    """Names of all models that a price is known of."""
    return [name for name, entry in _table().items() if "input" in entry]


def _entry(model_name: str) -> Entry:
    """What the files say of a model."""
    table, model = _table(), parse(model_name)
    for name in (model_name, str(model)):
        if name in table:
            return table[name]
    return {} if is_here(model) else table.get(f"{model.provider}:{model.model}", {})


def _table() -> Mapping[str, Entry]:
    """All entries; the person's own come first, value by value."""
    bundled, own = _read_entries(BUNDLED, 0), {}
    file = prices_file()
    try:
        own = dict(_read_entries(file, file.stat().st_mtime_ns))
    except FileNotFoundError:
        pass
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}") from error
    return {name: {**bundled.get(name, {}), **own.get(name, {})} for name in {**bundled, **own}}


@lru_cache(maxsize=8)
def _read_entries(file: Path, stamp: int) -> Mapping[str, Entry]:
    """The entries of a file, checked; `stamp` tells a changed file from the one read before."""
    try:
        with open_file(file) as opened:
            text = opened.read().decode("utf-8-sig")
        found = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{file} is not in TOML: {error}: mend it") from error
    except ValueError as error:
        raise UsageError(f"{file}: a number in it is too long") from error
    return {name: _check_entry(file, text, name, entry) for name, entry in found.items()}


def _check_entry(file: Path, text: str, name: str, entry: object) -> Entry:
    """An entry whose values can be used. Raises `UsageError` with file and line."""

    def wrong(said: str, key: str | None = None) -> UsageError:
        return UsageError(f"{file}, line {_line_of(text, name, key)}: {said}")

    if not isinstance(entry, dict):
        raise wrong(f'prices stand under their model, as in ["openai:MODEL"], not under {name}')
    try:
        parse(name)
    except UsageError as error:
        raise wrong(str(error)) from error
    for key, value in entry.items():
        if key not in (*MONEY, *COUNTS):
            near = difflib.get_close_matches(key, (*MONEY, *COUNTS), 1, 0.5)
            known = f"did you mean {near[0]}?" if near else f"there are {', '.join(MONEY + COUNTS)}"
            raise wrong(f"nothing is called {key!r}: {known}", key)
        if (said := _fault(key, value)) is not None:
            raise wrong(said, key)
    if ("input" in entry) != ("output" in entry):
        raise wrong(f"{name} needs both `input` and `output`, in US dollars per million tokens")
    return dict(entry)


def _fault(key: str, value: Any) -> str | None:
    """What is wrong with a value, None where nothing is."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not math.isfinite(value) or value < 0:
        return f"`{key}` must be a number that is not negative, not {value!r}"
    if key in COUNTS and (not isinstance(value, int) or value < 1):
        return f"`{key}` must be a whole number from 1, not {value!r}"
    if key == "batch" and value > 1:
        return f"`batch` is a share of the price, 0 to 1, not {value!r}"
    return None


def _line_of(text: str, name: str, key: str | None) -> int:
    """The line in which an entry, or one of its values, stands (1 where it cannot be found)."""
    header = re.compile(rf"""\s*\[?\s*["']?{re.escape(name)}["']?\s*[\]=.]""")
    value = key and re.compile(rf"""\s*["']?{re.escape(key)}["']?\s*=""")
    found = 0
    for number, line in enumerate(text.splitlines(), 1):
        if header.match(line):
            found = number
        if found and (not value or value.match(line)):
            return number
    return found or 1
