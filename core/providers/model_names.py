"""Model names: which provider, which model, at which address."""

import os
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from core.errors import UsageError
from core.settings.known_addresses import origin

OPENAI_ADDRESS = "https://api.openai.com/v1"
EMBEDDED_MODEL = "smollm2-135m"
EMBEDDED = f"embedded:{EMBEDDED_MODEL}"
GGUF = "gguf:"
OF_PATHS = ("replay", "gguf")
"""Providers whose models are files, so that names may hold blanks."""

GEMINI_ADDRESS = "https://generativelanguage.googleapis.com"
GEMINI_KEY = "GEMINI_API_KEY"
"""The one environment variable with the key for Gemini, and no other the SDK might know."""


@dataclass(frozen=True, slots=True)
class ModelName:
    """A model name taken apart.

    `base_url` is None for the embedded model, which has no fixed one, for Gemini, whose address
    no name can change, and for a replay, whose `model` is a file with recorded answers (with
    `#MODEL` behind it where the file holds those of several). Of `file:NAME` nobody is asked from
    here: what it is to be asked is written to files. `file` is that of `gguf:PATH`, a model that
    runs here; `model` is its name then.

    `str()` gives the name back as it is written.
    """

    provider: str
    model: str
    base_url: str | None = None
    file: str | None = None

    @property
    def host(self) -> str | None:
        """The host of the address, in lower case."""
        return urlsplit(self.base_url).hostname if self.base_url else None

    @property
    def is_openai(self) -> bool:
        """Whether the address is OpenAI's own, over TLS: the only one that may see its key."""
        return origin(self.base_url or "") == origin(OPENAI_ADDRESS)

    def is_stranger(self, known: Collection[str]) -> bool:
        """Whether it is at an address that is not one of the `known_addresses`."""
        if self.base_url is None or self.is_openai:
            return False
        return origin(self.base_url) not in known

    def __str__(self) -> str:
        if self.file is not None:
            return f"{self.provider}:{self.file}"
        if self.base_url in (None, OPENAI_ADDRESS):
            return f"{self.provider}:{self.model}"
        return f"{self.provider}:{self.model}@{self.base_url}"


def parse(name: str) -> ModelName:
    """Take a model name apart; raises `UsageError` if it has none of the known forms."""
    provider, _, rest = name.partition(":")
    if not rest or not name.isprintable() or (" " in name and provider not in OF_PATHS):
        raise _explain_unknown(name)
    if provider not in FORMS:
        raise _explain_unknown(name)
    return FORMS[provider].parse(name, rest)


def full_name(name: str) -> str:
    """The name of a model, or of a grader that is one, with the whole path of a GGUF file.

    All others, and labels of such files (`gguf:STEM`), stay as they are.
    """
    before, found, path = name.partition(GGUF)
    if not found or before not in ("", "llm:", "judge:") or not re.search(r"/|\.gguf$", path):
        return name
    return f"{before}{GGUF}{whole_path(path)}"


def whole_path(name: str) -> Path:
    """A path as it is typed, from the root on; links stay as they are named."""
    return Path(os.path.normpath(Path(name).expanduser().absolute()))


def label_of(name: str) -> str:
    """The label that a model's answers are kept under, where none is named."""
    return f"{GGUF}{stem_of(name.removeprefix(GGUF))}" if name.startswith(GGUF) else name


def stem_of(path: str) -> str:
    """What a model is called by its file, or the first file of one that is split."""
    return re.sub(r"(-00001-of-\d{5})?(\.gguf)?$", "", path.rpartition("/")[2]) or path


def _parse_gguf(name: str, path: str) -> ModelName:
    return ModelName("gguf", stem_of(path), file=path)


def _parse_replay(name: str, file: str) -> ModelName:
    return ModelName("replay", file)


def _parse_file(name: str, model: str) -> ModelName:
    return ModelName("file", model)


def _parse_embedded(name: str, model: str) -> ModelName:
    if model != EMBEDDED_MODEL:
        raise _explain_unknown(name)
    return ModelName("embedded", model)


def _parse_openai(name: str, rest: str) -> ModelName:
    model, at, address = rest.partition("@http")
    if not model:
        raise _explain_unknown(name)
    if at:
        return ModelName("openai", model, _check_address("http" + address))
    if re.search(r"@[^@]*(:\d+|/.*)$", model):
        raise UsageError(f"model {name!r}: the address after @ must begin with http:// or https://")
    return ModelName("openai", model, OPENAI_ADDRESS)


def _parse_gemini(name: str, model: str) -> ModelName:
    # The model becomes a part of the address: nothing but a plain name may get there.
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", model) or ".." in model:
        raise UsageError(
            f"model {name!r}: what follows gemini: must be a plain name like gemini-2.5-flash"
        )
    return ModelName("gemini", model)


def _check_address(address: str) -> str:
    """The address as it is used. What it holds is not repeated: it might be a password."""
    try:
        parts = urlsplit(address)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise UsageError("the address in the model name must be like http://host:port/v1")
    if "@" in parts.netloc:
        raise UsageError(
            "an address with user:password is refused; give the key in "
            f"{key_variable(parts.hostname or '')} instead"
        )
    if parts.query or parts.fragment:
        raise UsageError("the address in the model name must end with its path, like .../v1")
    return address.rstrip("/")


def key_variable(host: str) -> str:
    """The environment variable with the key for a host that is not OpenAI's own.

    `LOSTKEYS_KEY_` and the host in upper case, every character that is no ASCII letter or digit
    replaced by `_`: llm-1.example.org has `LOSTKEYS_KEY_LLM_1_EXAMPLE_ORG`, whatever the port.
    """
    return "LOSTKEYS_KEY_" + re.sub(r"[^A-Z0-9]", "_", host.upper())


def _explain_unknown(name: str) -> UsageError:
    forms = ", ".join(form for one in FORMS.values() for form in one.written)
    return UsageError(f"no model is called {name!r}; model names are {forms}")


@dataclass(frozen=True, slots=True)
class NameForm:
    """How the names of a provider's models are written, and what takes them apart."""

    written: tuple[str, ...]
    parse: Callable[[str, str], ModelName]
    """From the whole name and what follows the provider; raises `UsageError`."""


FORMS: Mapping[str, NameForm] = {
    "embedded": NameForm((EMBEDDED,), _parse_embedded),
    "gguf": NameForm(("gguf:PATH",), _parse_gguf),
    "openai": NameForm(("openai:MODEL", "openai:MODEL@http://host:port/v1"), _parse_openai),
    "gemini": NameForm(("gemini:MODEL",), _parse_gemini),
    "replay": NameForm(("replay:FILE",), _parse_replay),
    "file": NameForm(("file:NAME",), _parse_file),
}
"""By what the names begin with; `core.providers.registry` has the providers themselves."""
