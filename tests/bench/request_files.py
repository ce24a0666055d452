"""Request files written and collected, against the least that either can be.

Writing, against plain rendering and `json.dumps` of the same bodies; collecting, against an import
of the same answers as responses; collecting again, against `orjson` reading the lines; and the
memory that each takes. Seconds are those of the processor.
Run it: `uv run python -m tests.bench.request_files [--facts N]` (24,000 are a million lines).
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import orjson

import db.question_rows
from core.jobs.answer_collection import collect
from core.jobs.job_service import Jobs
from core.project import OpenProject
from core.providers import openai_format
from core.providers.endpoints import Endpoints
from core.sampling.recipe import apply_endpoints, recipe_for
from core.sampling.sample_requests import asks_for
from core.scale.engine_fields import describe_files
from core.settings.paths import STATE_VARIABLE
from core.specs.file_specs import FilesSpec
from core.transfer.imports import import_file
from tests.bench.generator import Scale
from tests.bench.importing import with_facts
from tests.bench.timing import Measured, best

MODEL = "file:bench"
RAW = Endpoints("raw", "raw")


def spec_of(folder: Path) -> FilesSpec:
    return FilesSpec(str(folder / "reqs"), MODEL, MODEL, completion="raw", questions="raw")


def write_plan(folder: Path) -> None:
    """The real job."""
    jobs = Jobs(folder / "ours.db")
    job = jobs.start(spec_of(folder))
    jobs.wait(job)
    jobs.result(job)
    jobs.close()


def render(folder: Path) -> int:
    """The same bodies by the plainest loop: one request after another, and its JSON."""
    recipe = recipe_for(MODEL, None, apply_endpoints(describe_files("vllm", "steps"), MODEL, RAW))
    count = 0
    with OpenProject(folder / "ours.db", "read") as project:
        for question in db.question_rows.questions(project.connection):
            for thinking in (False, True):
                if thinking and question.task in ("completion", "contextual"):
                    continue
                for ask in asks_for(question, 0, thinking, range(8), recipe, 8):
                    body = json.dumps(openai_format.body("bench", ask.request))
                    hashlib.sha256(body.encode()).hexdigest()
                    count += 1
    return count


def answer_lines(folder: Path) -> Iterator[bytes]:
    """An answer to each request, as engines write it."""
    for file in sorted((folder / "reqs").glob("part-*")):
        with file.open("rb") as lines:
            for line in lines:
                row = orjson.loads(line)
                choices = [
                    {"index": k, "text": f" an answer, number {k}", "finish_reason": "stop"}
                    for k in range(row["body"]["n"])
                ]
                body = {"model": "bench", "choices": choices}
                response = {"status_code": 200, "request_id": "r", "body": body}
                yield orjson.dumps(
                    {"id": "r", "custom_id": row["custom_id"], "response": response, "error": None},
                    option=orjson.OPT_APPEND_NEWLINE,
                )


def write_responses(folder: Path) -> None:
    """The same answers as rows of responses."""
    from core.transfer.exports import export

    with OpenProject(folder / "ours.db", "read") as project:
        export(project, "responses", folder / "responses.jsonl")


def take(folder: Path) -> int:
    with OpenProject(folder / "ours.db", "write") as project:
        counts, _ = collect(project, folder / "reqs", [folder / "out.jsonl"])
        return counts.taken


def bring_in(folder: Path) -> None:
    with OpenProject(folder / "plain.db", "write") as project:
        import_file(project, folder / "responses.jsonl")


def read(folder: Path) -> None:
    with (folder / "out.jsonl").open("rb") as file:
        for line in file:
            orjson.loads(line)


def _cpu(run: Callable[[], object]) -> float:
    return best(run, time.process_time)


def measure(facts: int, folder: Path) -> list[Measured]:
    """One run of each, in an order in which each has what it needs."""
    scale = Scale(facts=facts)
    for name in ("ours.db", "plain.db"):
        with_facts(folder / name, scale)
    lines = render(folder)
    plain = _cpu(lambda: render(folder))
    written = _cpu(lambda: write_plan(folder))
    with (folder / "out.jsonl").open("wb") as file:
        file.writelines(answer_lines(folder))
    taken = _cpu(lambda: take(folder))
    write_responses(folder)
    imported = _cpu(lambda: bring_in(folder))
    again = _cpu(lambda: take(folder))
    bare = _cpu(lambda: read(folder))
    return [
        Measured(f"writing {lines:,} requests", written, plain, "plain rendering and json.dumps"),
        Measured(f"collecting {lines:,} lines", taken, imported, "import of the same responses"),
        Measured("collecting them again", again, bare, "orjson reading the lines"),
    ]


def peak(code: str) -> int:
    """Megabytes that a program takes at most."""
    tell = "from tests.bench.engine import most_held; print(round(most_held()))"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{tell}"], stdout=subprocess.PIPE, check=True
    )
    return int(done.stdout)


WAYS = {
    "requests": "",
    "requests --where": ", where='views:>0'",
    "requests --curtail": ", curtailed=Policy(graders=('lexical',))",
}
"""How plans are written whose memory is measured."""


def measure_memory(folder: Path) -> list[str]:
    """Of the commands, in programs of their own."""
    plan = "from tests.bench.request_files import *\nfrom core.scoring.policy import Policy\n"
    taken = peak(f"{plan}take(Path({str(folder)!r}))")
    found = [f"collect takes {taken:,} MB at most"]
    for number, (name, more) in enumerate(WAYS.items()):
        spec = (
            f"FilesSpec({str(folder / f'more{number}')!r}, {MODEL!r}, 'another {number}', "
            f"completion='raw', questions='raw'{more})"
        )
        jobs = f"jobs = Jobs(Path({str(folder / 'ours.db')!r}))\njob = jobs.start({spec})\n"
        written = peak(f"{plan}{jobs}jobs.wait(job)\njobs.result(job)")
        found.append(f"{name} takes {written:,} MB at most")
    return found


def main() -> None:
    """Measure at a given size, in a passing folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--facts", type=int, default=1_000)
    facts = parser.parse_args().facts
    with tempfile.TemporaryDirectory() as folder:
        os.environ[STATE_VARIABLE] = folder
        for line in measure(facts, Path(folder)):
            print(line)
        for said in measure_memory(Path(folder)):
            print(said)


if __name__ == "__main__":
    main()
