"""One request of a plan: its line in a batch file, and the name by which its answers come back.

A name says which fact, task and setting it is of, which samples it fills, and by its check what
was asked. Source of the format: OpenAI's batch files, which vLLM and LiteLLM take, too.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from core.dataset.choice_options import OPTIONS
from core.providers.endpoints import Endpoint
from core.vocabulary import TASKS, Task

URLS: Mapping[Endpoint, str] = {"raw": "/v1/completions", "chat": "/v1/chat/completions"}
"""What the lines of a file ask, by its endpoint."""

CHECK_LENGTH = 10
"""Hex digits of a check."""

NAME_START = len('{"custom_id":"')
"""Where the name begins in a line that `write_line` made."""

LONGEST_NAME = 64
"""Characters that services take in a name."""

_NAME = re.compile(
    rf"f(0|[1-9]\d{{0,9}})-({'|'.join(TASKS)})-(off|on)-s(0|[1-9]\d{{0,3}})x([1-9]\d{{0,3}})"
    rf"-([0-9a-f]{{{CHECK_LENGTH}}})"
)

_TASKS = {str(task): task for task in TASKS}


@dataclass(frozen=True, slots=True)
class RequestName:
    """The name of a request: its fact's place in the plan, its cell, its samples, its check.

    Samples are `first`, `first` + 1 and so on, of multiple choice every fourth: these are shown
    one order of the options.
    """

    fact: int
    task: Task
    thinking: bool
    first: int
    count: int
    check: str

    @property
    def head(self) -> str:
        """The name without the check."""
        setting = "on" if self.thinking else "off"
        return f"f{self.fact}-{self.task}-{setting}-s{self.first}x{self.count}"

    def __str__(self) -> str:
        return f"{self.head}-{self.check}"

    @property
    def samples(self) -> range:
        """The samples that it fills, in the order of its answers."""
        step = OPTIONS if self.task.is_choice else 1
        return range(self.first, self.first + self.count * step, step)


def parse_name(name: str) -> RequestName | None:
    """A request's name taken apart; None for what is none."""
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    fact, task, setting, first, count, check = found.groups()
    return RequestName(int(fact), _TASKS[task], setting == "on", int(first), int(count), check)


def write_body(body: Mapping[str, Any]) -> bytes:
    """A body as JSON: keys sorted, no spaces, UTF-8. Checks are made of it."""
    return orjson.dumps(body, option=orjson.OPT_SORT_KEYS)


def check_of(url: str, body: bytes) -> str:
    """The check of a request: the first hex digits of SHA-256 over its address and its body."""
    return hashlib.sha256(b"%s\n%s" % (url.encode(), body)).hexdigest()[:CHECK_LENGTH]


def write_line(head: str, url: str, body: bytes) -> bytes:
    """The line of a request, with its end. `head` is its name but for the check."""
    return b'{"custom_id":"%s-%s","method":"POST","url":"%s","body":%s}\n' % (
        head.encode(),
        check_of(url, body).encode(),
        url.encode(),
        body,
    )


def name_in(line: bytes) -> bytes:
    """The name in a line that `write_line` made; empty for any other line."""
    if not line.startswith(b'{"custom_id":"'):
        return b""
    return line[NAME_START : line.find(b'"', NAME_START)]
