"""Ten exemplars instead of one before each question, asked of the embedded model.

Requests of an arm begin with the same text, which the model has read once: a question after ten
exemplars should take little more than one after a single exemplar. Both arms are jobs as users
start them, on the same questions of PopQA; `apart` is what ten exemplars take where each request is
begun anew. Run it: `uv run python -m tests.bench.arm_prefix [--questions 40]`.
"""

import argparse
import asyncio
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import db.arms
from core.fact_bench.set_preparation import DEFAULT
from core.fact_bench.stored_sets import prepare_set
from core.jobs.job_service import Jobs
from core.project import OpenProject
from core.providers.base import Request
from core.providers.embedded.model_server import EmbeddedServer
from core.providers.openai_compatible import OpenAICompatible
from core.specs.answer_specs import ArmsSpec
from core.transfer.imports import import_file
from tests.bench.option_scores import LAUREATES

POPQA = LAUREATES.with_name("popqa.csv")
MODEL = "embedded:smollm2-135m"
MODES = ("1-shot", "10-shot")
PATIENCE = 3_600.0
ALONE = 3
"""Requests that are begun anew: each takes seconds."""


@dataclass(frozen=True)
class PrefixTimes:
    """Seconds a question after one exemplar, after ten, and after ten that are read anew."""

    one: float
    ten: float
    apart: float

    def __str__(self) -> str:
        return (
            f"1-shot {self.one:.2f} s a question   10-shot {self.ten:.2f} s, "
            f"{self.ten / self.one:.2f} times as long   begun anew {self.apart:.2f} s, "
            f"{self.apart / self.one:.1f} times"
        )


def run_arm(path: Path, mode: str, questions: int, in_flight: int | None = None) -> float:
    """Seconds a question of an arm."""
    jobs = Jobs(path)
    spec = ArmsSpec(
        MODEL, MODEL, (mode,), graders=("em",), first=questions, unchecked=True, in_flight=in_flight
    )
    start = time.perf_counter()
    job = jobs.start(spec)
    assert jobs.wait(job, PATIENCE)
    view = jobs.view(job)
    assert view.done >= questions, view.reason
    return (time.perf_counter() - start) / questions


async def read_anew(prompt: str) -> float:
    """Seconds of a request whose beginning no other request had."""
    server = EmbeddedServer()
    provider = OpenAICompatible(server.model, server.base_url, server.api_key)
    try:
        start = 0.0
        await provider.draw(_request(prompt))  # waits for the model as well
        start = time.perf_counter()
        for number in range(ALONE):
            await provider.draw(_request(f"{number} {prompt}"))
        return (time.perf_counter() - start) / ALONE
    finally:
        await provider.close()
        server.close()


def _request(text: str) -> Request:
    return Request(1, 32, 0.0, 1.0, text=text, stop=("\n",))


def measure(questions: int, in_flight: int | None = None) -> PrefixTimes:
    """Both arms in one run, after a few questions that start the model."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "popqa.db"
        with OpenProject(path, "create") as project:
            assert import_file(project, POPQA, "triples").bad == 0
            prepare_set(project, None, DEFAULT)
        run_arm(path, "zero-shot", 2)
        one, ten = (run_arm(path, mode, questions, in_flight) for mode in MODES)
        with OpenProject(path, "read") as project:
            prompt = db.arms.read_set_arms(project.connection, POPQA.stem)[
                f"{MODEL}#{MODES[1]}"
            ].prompt
        return PrefixTimes(one, ten, asyncio.run(read_anew(prompt)))


def main() -> None:
    """Measure with as many questions as are asked for."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--questions", type=int, default=40)
    options.add_argument("--in-flight", type=int)
    given = options.parse_args()
    print(measure(given.questions, given.in_flight))


if __name__ == "__main__":
    main()
