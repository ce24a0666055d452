"""A model that builds benchmarks, badly or well, behind OpenAI's wire format.

As a program: `python -m tests.fakes.building_model --port 0 --seed 3 --wrong 0.05 --hostile 0.02`.
What it says follows from prompt, temperature and seed alone, so that a run that was killed
and taken up again hears what an undisturbed one hears.
"""

import argparse
import asyncio
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from random import Random
from typing import Any, get_args

import prompts
from prompts.reply_shape import ReplyForm
from tests.fakes.building_answers import HOSTILE, PLAUSIBLE, WRONG
from tests.fakes.openai_server import ALL_FAULTS, FakeOpenAI
from tests.fakes.process import serve_forever


@dataclass(frozen=True)
class Shares:
    """How often an answer is wrong or hostile; the rest are plausible.

    A fact takes some 25 answers, so that one wrong answer in ten would leave next to none.
    """

    wrong: float = 0.03
    hostile: float = 0.01


@dataclass(frozen=True)
class Heard:
    """A prompt as it was recognised: by which template, with which inputs."""

    template: str
    inputs: Mapping[str, str]


class BuildingModel(FakeOpenAI):
    """Answers the prompts of building; `heard` counts them by template."""

    def __init__(
        self, shares: Shares | None = None, *, seed: int = 0, log: Path | None = None
    ) -> None:
        super().__init__(seed=seed, log=log)
        self.shares = shares or Shares()
        self.heard: dict[str, int] = {}
        self._warmth: object = None

    def normal(self, body: dict[str, Any]) -> dict[str, Any]:
        """What is asked again at another temperature may be answered in another way."""
        self._warmth = body.get("temperature")
        return super().normal(body)

    def text(self, prompt: str, index: int) -> str:
        heard = recognised(prompt)
        if heard is None:
            return super().text(prompt, index)
        self.heard[heard.template] = self.heard.get(heard.template, 0) + 1
        return answer(heard, f"{self.seed} {self._warmth}\n{prompt}", self.shares)


def answer(heard: Heard, key: str, shares: Shares) -> str:
    """What is said to a prompt; the key decides how."""
    random = Random(hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest())
    luck = random.random()
    if luck < shares.hostile:
        return random.choice(HOSTILE)
    answers = WRONG if luck < shares.hostile + shares.wrong else PLAUSIBLE
    return answers[heard.template](heard.inputs, random)


@lru_cache(maxsize=64)
def recognised(prompt: str) -> Heard | None:
    """By which of our templates a prompt was made; None for any other."""
    for name, start, pattern in _patterns():
        if prompt.startswith(start) and (found := pattern.match(prompt)):
            return Heard(name, {key: _read(text) for key, text in found.groupdict().items()})
    return None


@cache
def _patterns() -> list[tuple[str, str, re.Pattern[str]]]:
    """For each template, in both forms, what its prompts begin with, and their form."""
    return [
        (name, *_pattern(prompts.load(name, None, form)))
        for form in get_args(ReplyForm)
        for name in PLAUSIBLE
        if _is_there(name)
    ]


def _is_there(name: str) -> bool:
    return (prompts.template.OURS / f"{name}.md").exists()


def _pattern(template: prompts.Prompt) -> tuple[str, re.Pattern[str]]:
    stand_ins = {name: f"\u2603{name}\u2603" for name in template.inputs}
    messages = template.render(**stand_ins)
    whole = "\n".join(message.content for message in messages)
    form, seen = "", set[str]()
    for piece in re.split("(\u2603\\w+\u2603)", whole):
        name = piece.strip("\u2603")
        if piece == name:
            form += re.escape(piece)
        else:
            form += f"(?P={name})" if name in seen else f"(?P<{name}>.*?)"
            seen.add(name)
    return whole.partition("\u2603")[0], re.compile(rf"{form}\Z", re.DOTALL)


def _read(text: str) -> str:
    """An input as it was before it was quoted."""
    if len(text) > 1 and text[0] == text[-1] == '"':
        try:
            return str(json.loads(text))
        except ValueError:
            return text
    return text


def main() -> None:
    """Run until killed; the first line of output is the port."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--wrong", type=float, default=Shares.wrong)
    parser.add_argument("--hostile", type=float, default=Shares.hostile)
    parser.add_argument("--fault-share", type=float, default=0.0)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds")
    parser.add_argument("--log", type=Path, help="what was asked and sent, as JSONL")
    given = parser.parse_args()
    fake = BuildingModel(Shares(given.wrong, given.hostile), seed=given.seed, log=given.log)
    fake.latency = given.latency
    fake.at_random(given.fault_share, *ALL_FAULTS)
    asyncio.run(serve_forever(fake, given.port))


if __name__ == "__main__":
    main()
