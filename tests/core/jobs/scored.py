"""A small set of triples, and a model whose log probabilities follow from the texts alone.

`score_all` is for a program that forks it; `tests.forker` does.
"""

import asyncio
import hashlib
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from core.jobs.job_run import JobContext
from core.jobs.job_service import Jobs
from core.project import OpenProject
from core.providers.base import Draw, Provider, Reply, Request
from core.providers.logprobs.option_scorer import OptionScorer, ScoreCost, ScoredOptions
from core.providers.logprobs.option_tree import OptionTree, TokenText, option_tree
from core.specs.answer_specs import ScoringSpec
from core.transfer.imports import import_file

MODEL = "embedded:smollm2-135m"
FACTS = 40
LINES = "id,subject,relation,object,split\n"


def write_triples(path: Path, facts: int = FACTS) -> None:
    """As many facts to ask about, and a quarter as many examples, with twenty objects."""
    rows = [f"e{at},Elder {at},born,{1800 + at % 20},train\n" for at in range(facts // 4)]
    rows += [f"f{at},Subject {at},born,{1800 + at % 20},eval\n" for at in range(facts)]
    path.write_text(LINES + "".join(rows), encoding="utf-8")


def fill(project: OpenProject, folder: Path, facts: int = FACTS) -> None:
    """Put them into a project."""
    path = folder / "born.csv"
    write_triples(path, facts)
    assert import_file(project, path, "triples").bad == 0


def logprob(text: str, continuation: str) -> float:
    """A number that follows from both."""
    found = hashlib.sha256(f"{text}|{continuation}".encode()).digest()
    return -0.5 - int.from_bytes(found[:4], "big") / 2**29


class HashScorer(OptionScorer):
    """Scores by hash. `lost` are continuations of which it has no number, `log` notes inputs."""

    way, exact = "hash", True

    def __init__(self, log: Path | None = None, latency: float = 0.0) -> None:
        self.asked: list[str] = []
        self.lost: set[str] = set()
        self._log, self._latency = log, latency

    async def score(
        self, text: str, continuations: Sequence[str], temperature: float = 1.0
    ) -> ScoredOptions:
        self.asked.append(text)
        if self._log is not None:
            with self._log.open("a", encoding="utf-8") as file:
                file.write(f"{text.rpartition('Subject')[2]}\n")
        await asyncio.sleep(self._latency)
        values = [np.nan if one in self.lost else logprob(text, one) for one in continuations]
        return ScoredOptions(np.array(values, np.float32), 1.0, ScoreCost(1, len(text), 0))

    async def plan(self, text: str, continuations: Sequence[str]) -> OptionTree:
        texts = [text + one for one in continuations]
        tokens = [TokenText(tuple(one.encode()), tuple(range(1, len(one) + 1))) for one in texts]
        return option_tree(tokens, len(text))

    def cost(self, tree: OptionTree, before: OptionTree | None = None) -> ScoreCost:
        return ScoreCost(len(tree.nodes))


class Echo(Provider):
    """Goes on with the number that hides in a subject's name, as one who knows everything."""

    async def draw(self, request: Request) -> Reply:
        text = request.text or request.messages[0].content if request.messages else request.text
        number = int((text or "").rpartition(" ")[2])
        return Reply((Draw(f" {1800 + number % 20} and"),), 1, 1)


def means(scorer: HashScorer) -> JobContext:
    """The ways to both."""
    return JobContext(open_provider=lambda name: Echo(), open_scorer=lambda name, way: scorer)


SPEC = ScoringSpec(MODEL, MODEL, examples=(5,), options=10, unchecked=True)


def score_all(database: str, log: str) -> None:
    """Score all of it, slowly, and write a line for each input that was asked for."""
    jobs = Jobs(Path(database), means=means(HashScorer(Path(log), 0.01)))
    job = jobs.start(replace(SPEC, in_flight=2))
    while not jobs.wait(job, 1.0):
        pass
    sys.exit(jobs.result(job).failed)
