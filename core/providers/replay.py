"""Answers recorded in a file, given again: for exact re-runs, demonstrations and tests.

Two kinds of lines are understood. Those of a raw file (`core.providers.exchange_file`) give each
slot the answer that it got: the same prompt, thinking and sample number. Lines written by hand are
`{"prompt": ..., "answers": [...]}`, with `"thinking": true` or `false` where that matters: `prompt`
is the whole prompt or a line of its last message (the question, say), and the answers are given in
turn, by sample number.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from core.errors import LostkeysError, UsageError
from core.providers import exchange_file
from core.providers.base import Draw, Finish, Provider, Reply, Request, UnanswerableError
from core.providers.capabilities import Capabilities
from core.providers.openai_format import is_thinking, read_served
from core.settings.plain_data import read_token_count

Prompt = str | tuple[tuple[str, str], ...]
Recorded = dict[tuple[Prompt, bool, int], Draw]
"""Answers by prompt (a text, or messages as role and content), thinking and sample number."""

Written = dict[tuple[str, bool], tuple[str, ...]]
"""Answers by prompt and thinking, as a person wrote them."""

BY_HAND = Capabilities(draws=1, thinking="native")
"""Of a file without a header: prompts are plain, thinking is a mark of its lines."""


class Replay(Provider):
    """Gives the answers of a file, `FILE` or `FILE#MODEL`. Raises `UsageError` if it cannot."""

    def __init__(self, name: str) -> None:
        path, model = _split_name(name)
        self._path = path
        self._recorded: Recorded = {}
        self._written: Written = {}
        models: set[str] = set()
        for number, line in enumerate(_lines(path), 1):
            if "lostkeys_raw" in line:
                models.add(str(line.get("model")))
            elif "draws" not in line:
                self._write(number, line)
            elif model in (None, line.get("model")):
                self._record(number, line)
        _check_one(path, model, models)

    async def draw(self, request: Request) -> Reply:
        """As `Provider.draw`; `UnanswerableError` for what is not recorded.

        Where only the first of the samples asked for are recorded, those come back.
        """
        draws: list[Draw] = []
        for sample in request.samples or range(request.n):
            draw = self._draw(request, sample)
            if draw is None:
                break
            draws.append(draw)
        if not draws:
            raise UnanswerableError(f"{self._path}: no answer is recorded for this prompt")
        return Reply(tuple(draws), 0, 0)

    def _draw(self, request: Request, sample: int) -> Draw | None:
        thinking = is_thinking(request)
        found = self._recorded.get((_prompt(request), thinking, sample))
        if found is not None:
            return found
        for text in _ways_to_write(request):
            answers = self._written.get((text, thinking))
            if answers:
                return Draw(answers[sample % len(answers)], "stop")
        return None

    def _record(self, number: int, line: Mapping[str, Any]) -> None:
        try:
            prompt: Prompt = (
                str(line["text"])
                if "text" in line
                else tuple((str(role), str(content)) for role, content in line["messages"])
            )
            for sample, draw in zip(line["samples"], line["draws"], strict=False):
                key = (prompt, bool(line["thinking"]), int(sample))
                self._recorded[key] = _read_draw(draw)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise self._unreadable(number) from error

    def _write(self, number: int, line: Mapping[str, Any]) -> None:
        prompt, answers, thinking = line.get("prompt"), line.get("answers"), line.get("thinking")
        texts = isinstance(answers, list) and all(isinstance(one, str) for one in answers)
        if not (isinstance(prompt, str) and texts and answers):
            raise self._unreadable(number)
        for on in (False, True) if thinking is None else (bool(thinking),):
            self._written[prompt.strip(), on] = tuple(answers)

    def _unreadable(self, number: int) -> UsageError:
        return UsageError(
            f'{self._path}, record {number}: not of the form {{"prompt": "…", "answers": ["…"]}}'
        )


def capabilities(name: str) -> Capabilities:
    """How the model of a file was used, by its header; raises `UsageError` if it cannot be read.

    One answer to a request: so a slot whose answer is missing takes no other with it. A file
    without a header is one written by hand.
    """
    path, model = _split_name(name)
    for line in _lines(path):
        if "lostkeys_raw" not in line:
            if model is None:
                break
        elif model in (None, line.get("model")):
            return _read_capabilities(path, line)
    if model is not None:
        raise UsageError(f"{path}: no answers of {model} in it; name the model as it was recorded")
    return BY_HAND


def _read_capabilities(path: Path, header: Mapping[str, Any]) -> Capabilities:
    try:
        known = Capabilities.from_json(header.get("capabilities"))
    except ValueError as error:
        raise UsageError(f"{path}: its header cannot be read ({error}); record it again") from error
    return replace(known, draws=1, sequences=None)


def _split_name(name: str) -> tuple[Path, str | None]:
    file, _, model = name.partition("#")
    return Path(file), model or None


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    try:
        yield from exchange_file.read_lines(path)
    except LostkeysError as error:
        raise UsageError(str(error)) from error


def _check_one(path: Path, model: str | None, models: Collection[str]) -> None:
    """Raise `UsageError` where it is open whose answers are meant."""
    if model is None and len(models) > 1:
        raise UsageError(
            f"{path} holds answers of {', '.join(sorted(models))}: say whose, as in "
            f"replay:{path}#{min(models)}"
        )


def _prompt(request: Request) -> Prompt:
    if request.messages is None:
        return request.text or ""
    return tuple((message.role, message.content) for message in request.messages)


def _ways_to_write(request: Request) -> Iterator[str]:
    """The prompt as a person may write it: the last message, or one of its lines."""
    said = request.messages[-1].content if request.messages else request.text or ""
    yield said.strip()
    yield from (line.strip() for line in said.splitlines())


def _read_draw(draw: Mapping[str, Any]) -> Draw:
    reasoning, tokens = draw.get("reasoning"), draw.get("reasoning_tokens")
    by = draw.get("served")
    finish: Finish | None = draw.get("finish")
    if not isinstance(draw["text"], str):
        raise TypeError("a text is missing")
    return Draw(
        draw["text"],
        finish if finish in get_args(Finish) else None,
        reasoning if isinstance(reasoning, str) else None,
        read_token_count(tokens),
        served=read_served(*by) if isinstance(by, list) and len(by) == 2 else None,
    )
