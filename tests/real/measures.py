"""What small real models reach as graders, as builders and as base models, run as files.

`make real` runs all measures where the two files are in the folder that `LOSTKEYS_REAL` names, and
says which are missing elsewhere. No test and no part of CI needs them. Each measure is a command of
the program, on files of `shared` beside this project: an hour for all of them on two free cores.

    uv run python -m tests.real.measures [MEASURE ...] [--answers 300] [--facts 44]
"""

import argparse
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

SHARED = Path(__file__).resolve().parents[3] / "shared"
LABELS = SHARED / "data" / "grading" / "human_labels.jsonl"
DOCUMENTS = SHARED / "design" / "examples" / "build" / "documents"
PROMPTS = Path(__file__).resolve().parents[2] / "prompts" / "templates"
FACTS = Path(__file__).resolve().parents[2] / "core" / "demo" / "facts.jsonl"

CHAT, BASE = "qwen2.5-coder-1.5b.gguf", "gemma-3-270m.gguf"
BUNDLED = "embedded:smollm2-135m"
SEED = 11
ENCODING = ("completion", "contextual")

Row = tuple[str, str, str]
"""What is measured, what is wanted of it, what was reached."""


def run(folder: Path, *words: object, **environment: str) -> str:
    """The output of a command, which may say by its code that something failed."""
    here = {"LOSTKEYS_CONFIG": str(folder / "config"), "LOSTKEYS_STATE": str(folder / "state")}
    done = subprocess.run(
        [sys.executable, "-m", "lostkeys", *map(str, words)],
        env={**os.environ, **here, **environment},
        stdout=subprocess.PIPE,
        text=True,
    )
    if done.returncode not in (0, 1):
        raise SystemExit(f"{words[0]} ended with {done.returncode}")
    return done.stdout


def grade(folder: Path, model: str, answers: int, **environment: str) -> dict[str, Any]:
    """How a model grades so many of the answers that people labelled."""
    words = ("graders", "evaluate", f"llm:{model}", "--labels", LABELS, "--misses", 0, "--json")
    found: dict[str, Any] = json.loads(
        run(folder, *words, "--limit", answers, "--seed", SEED, **environment)
    )
    return found


def measure_grading(folder: Path, files: Path, asked: argparse.Namespace) -> Iterator[Row]:
    """The instruction-tuned model as a grader."""
    found = grade(folder, f"gguf:{files / CHAT}", asked.answers)
    count, labelled = found["n"], found["n"] - found["unlabelled"]
    yield "no label, 1.5B as llm:", "0 %", f"{found['unlabelled'] / count:.0%} of {count}"
    yield "tokens written an answer", "25", f"{found['output_tokens'] / count:.0f}"
    yield "right by people, of all", "75 %", f"{found['accuracy']:.0%}"
    yield "requests an answer", "", f"{found['requests'] / count:.2f} ({labelled} labelled)"


def measure_orders(folder: Path, files: Path, asked: argparse.Namespace) -> Iterator[Row]:
    """Label before reason and reason before label, with two models."""
    turned = folder / "turned"
    turned.mkdir()
    for name in ("grade-answer.md", "grade-completion.md"):
        (turned / name).write_text(turn_order((PROMPTS / name).read_text(encoding="utf-8")))
    for model in (BUNDLED, f"gguf:{files / CHAT}"):
        for order, prompts in (("label", ""), ("reason", str(turned))):
            found = grade(folder, model, asked.answers, LOSTKEYS_PROMPTS=prompts)
            reached = (
                f"{found['accuracy']:.0%} right, {found['unlabelled']} of {found['n']} without a "
                f"label, {found['output_tokens'] / found['n']:.0f} tokens an answer"
            )
            yield f"{order} first, {Path(model).name}", "", reached


def turn_order(template: str) -> str:
    """A grading template whose replies have the reason before the label."""
    turned, count = re.subn(
        r"(label = \{.*?\]\s*\}), (reason = \{.*?\})(?= \})", r"\2, \1", template
    )
    turned, more = re.subn(r'("label": [^,]+), ("reason": ".*?")(?=\}\})', r"\2, \1", turned)
    assert count == 1
    assert more > 1
    return turned


def measure_building(folder: Path, files: Path, asked: argparse.Namespace) -> Iterator[Row]:
    """Facts of twelve documents, by the instruction-tuned model."""
    words = ("build", "--documents", DOCUMENTS, "--model", f"gguf:{files / CHAT}", "--json")
    found = json.loads(run(folder, "--db", folder / "built.db", *words))
    print(run(folder, "--db", folder / "built.db", "build", "--funnel"))
    yield "facts from twelve documents", "10", str(found["facts"])


def measure_base(folder: Path, files: Path, asked: argparse.Namespace) -> Iterator[Row]:
    """A base model, asked by raw texts alone."""
    database, name = folder / "base.db", f"gguf:{files / BASE}"
    run(folder, "--db", database, "import", FACTS)
    drawn = ("--tasks", ",".join(ENCODING), "--thinking", "off", "--facts", asked.facts)
    run(folder, "--db", database, "run", "--model", name, "--samples", 4, *drawn)
    (entry,) = (
        one
        for one in json.loads(run(folder, "--db", database, "models", "--json"))["models"]
        if one["asked_as"] == name
    )
    grades = json.loads(run(folder, "--db", database, "profiles", "--per-fact", "--json"))["facts"]
    known = [
        one
        for one in grades
        if all(one["grades"].get(f"{task}/off") is not None for task in ENCODING)
    ]
    where = {entry["completion"], entry["questions"]}
    asked_by = "no chat request sent" if where == {"raw"} else f"asked at {sorted(where)}"
    yield (
        "base model: facts with both encoding tasks graded",
        f"{asked.facts} of {asked.facts}",
        f"{len(known)} of {asked.facts}, {asked_by}",
    )


Measure = Callable[[Path, Path, argparse.Namespace], Iterator[Row]]

MEASURES: dict[str, tuple[Measure, tuple[str, ...], tuple[Path, ...]]] = {
    "grading": (measure_grading, (CHAT,), (LABELS,)),
    "orders": (measure_orders, (CHAT,), (LABELS,)),
    "building": (measure_building, (CHAT,), (DOCUMENTS,)),
    "base": (measure_base, (BASE,), ()),
}
"""Each measure with the models and the other files that it needs."""


def main() -> None:
    """Run the measures that are named, all by default, and print what they reach."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("measures", nargs="*", choices=[[], *MEASURES], metavar="MEASURE")
    parser.add_argument("--models", type=Path, default=os.environ.get("LOSTKEYS_REAL"))
    parser.add_argument("--answers", type=int, default=300)
    parser.add_argument("--facts", type=int, default=44)
    asked = parser.parse_args()
    for name in asked.measures or MEASURES:
        measure, models, others = MEASURES[name]
        files = Path(asked.models or ".")
        needed = [*(files / one for one in models), *others]
        missing = [str(one) for one in needed if not one.exists()]
        if asked.models is None or missing:
            why = "LOSTKEYS_REAL names no folder with models"
            print(f"{name}: not measured: {', '.join(missing) + ' is missing' if missing else why}")
            continue
        with TemporaryDirectory() as folder:
            for what, wanted, reached in measure(Path(folder), files, asked):
                print(f"{what:<52} {wanted:>10}   {reached}", flush=True)


if __name__ == "__main__":
    main()
