"""A project with relations, scores of three models, and verdicts of two of them."""

import json
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from core.project import OpenProject
from core.transfer.imports import import_file
from tests.tui.sample import FACTS, sample_project

TINY = "tiny-base"
SKILLS = {"gemma3-27b": 4.0, "gemma3-4b": 2.2, TINY: 0.4}
"""Models, and by how much the object is more probable after ten times as many examples."""

NUMBERS = (1, 5, 50)
INJECT = "unknown:2:block"
OPTIONS = 100
WORDS = ("subject", "object", "town", "river", "is known for", "lies on")
"""What the made-up triples are made of."""

MADE = 90
"""Made-up triples beside the bundled facts."""

UNSCORED, CHOICES = 62, [f"Thing {at:02}" for at in range(OPTIONS)]
"""A made-up triple that has options enough and no score of the tiny model."""


def latent_project(path: Path) -> Path:
    """Make it: 12 facts with verdicts and 90 made-up ones, in two relations; one is too small."""
    path.write_bytes(_made())
    return path


@cache
def _made() -> bytes:
    with TemporaryDirectory() as folder:
        path = sample_project(Path(folder) / "sample.db")
        with OpenProject(path, "write") as project:
            put_rows(project, "triples", list(_triples(project)))
            put_rows(project, "zp-scores", list(_scores(project)))
        return path.read_bytes()


def put_rows(
    project: OpenProject, form: str, rows: Sequence[dict[str, Any]], stem: str = "rows"
) -> None:
    """Import rows out of a file of this name; each is good."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / f"{stem}.jsonl"
        file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        assert import_file(project, file, form).bad == 0


def triple(subject: str, object_: str, split: str = "eval", **more: str) -> dict[str, Any]:
    """A row of triples."""
    return {"subject": subject, "relation": "is known for", "object": object_, "split": split,
            **more}  # fmt: skip


def _triples(project: OpenProject) -> Iterator[dict[str, Any]]:
    headings = _headings(project)
    for fact_id, subject, object_ in headings[: FACTS - 2]:
        yield triple(subject, object_, id=fact_id)
    for at in range(MADE):
        split = "train" if at < 60 else "eval"
        row = triple(f"Subject {at}", f"Object {at}", split, id=f"made-{at}")
        yield row | {"choices": CHOICES} if at == UNSCORED else row
    for at in range(4):
        row = triple(f"Town {at}", f"River {at}", id=f"town-{at}")
        yield row | {"relation": "lies on"}


def _headings(project: OpenProject) -> list[tuple[str, str, str]]:
    rows = project.connection.execute("SELECT fact_id, subject, object FROM fact ORDER BY id")
    return [(fact_id, subject, object_) for fact_id, subject, object_ in rows]


def _scores(project: OpenProject) -> Iterator[dict[str, Any]]:
    random = np.random.default_rng(3)
    facts = [one for one in _headings(project) if not one[0].startswith(("made", "town"))]
    chosen = facts[: FACTS - 2] + [(f"made-{at}", "", f"Object {at}") for at in (60, 61, 62)]
    for number, (fact_id, _, gold) in enumerate(chosen):
        others = [f"Object {at}" for at in range(MADE) if f"Object {at}" != gold]
        options = [gold, *others, *(f"Thing {at}" for at in range(OPTIONS))][:OPTIONS]
        noise = random.normal(0, 0.6, OPTIONS)
        for model, skill in SKILLS.items():
            for n, inject in (*((n, None) for n in NUMBERS), (50, INJECT)):
                if fact_id == f"made-{UNSCORED}" and model == TINY:
                    continue
                lift = skill * np.log10(1 + n) * (1.0 if number % 2 else 0.3)
                scores = noise + np.r_[lift, np.zeros(OPTIONS - 1)]
                found = scores - np.log(np.exp(scores).sum()) - 1.0
                values: list[float | None] = [round(float(one), 3) for one in found]
                if fact_id == "made-61" and model == TINY:
                    values[3] = None
                row = {"id": fact_id, "model": model, "n": n, "options": options}
                row |= {"logprobs": values}
                if inject:
                    row["inject"] = inject
                if model == "gemma3-27b" and n == 50 and not inject:
                    row["response"] = f"{gold} Subject 7" if number % 2 else "Object 3 Subject 7"
                yield row
