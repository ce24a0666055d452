"""Makes a database of the paper's size: 2,150 facts, ten tasks, 26 settings, 8 samples.

Texts are made of words with the frequencies of natural language, about 60 characters each;
labels follow each model's and fact's own chances, so that all profiles occur.
Run it: `uv run python -m tests.bench.generator FILE [--facts N] [--models N] [--samples N]`.
"""

import argparse
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import db.connection
import db.facts
import db.grades
import db.label_grids
import db.model_rows
import db.responses
from core.project import OpenProject
from core.vocabulary import TASKS, VERIFICATION, Label, Side, Task
from db.connection import relax_sync, write_transaction
from db.facts import Fact
from db.question_rows import Gold, Question
from db.slot_ids import slot

GRADERS = ("grader-a", "grader-b")
LABEL_NAMES = tuple(Label)
DISTINCT_TEXTS = 400_000
WORDS = 20_000


@dataclass(frozen=True)
class Scale:
    """How large a database to make; the paper's size by default."""

    facts: int = 2_150
    models: int = 13
    samples: int = 8

    @property
    def responses(self) -> int:
        """All responses: every task in every setting."""
        return self.facts * len(TASKS) * 2 * self.models * self.samples


@cache
def words(seed: int) -> tuple[tuple[str, ...], Mapping[str, Any]]:
    """Made-up words, and the state of the generator after them."""
    random = np.random.default_rng(seed)
    letters = np.array(list("etaoinshrdlucmfwypvbgkjqxz"))
    chances = 1 / (np.arange(letters.size) + 2)
    chances /= chances.sum()
    made = tuple(
        "".join(random.choice(letters, size, p=chances))
        for size in random.integers(2, 11, WORDS).tolist()
    )
    return made, random.bit_generator.state


def texts(seed: int, count: int) -> tuple[list[str], np.random.Generator]:
    """Texts of one to some twenty words, about 60 characters on average.

    With them the generator, for what is drawn after them.
    """
    known, state = words(seed)
    random = np.random.default_rng(seed)
    random.bit_generator.state = state
    lengths = np.clip(random.geometric(1 / 9.5, count), 1, 60)
    picks = (random.zipf(1.3, int(lengths.sum())) - 1) % WORDS
    ends = np.cumsum(lengths).tolist()
    starts = [0, *ends[:-1]]
    chosen = [known[pick] for pick in picks.tolist()]
    made = [" ".join(chosen[a:b]).capitalize() + "." for a, b in zip(starts, ends, strict=True)]
    return made, random


def fact(number: int, random: np.random.Generator) -> Fact:
    """One made-up fact with all ten tasks."""
    subject, object_ = f"Subject {number}", f"Object {number}"
    questions = {
        Task.COMPLETION: Question(
            f"{subject} is a thing of note that was first described long ago, that many have "
            "written of since, that stands in every book on such things, and is still linked to"
        ),
        Task.CONTEXTUAL: Question(f"{subject} is a thing of note. What is it linked to?"),
        Task.DIRECT: Question(f"What is {subject} linked to?"),
        Task.DIRECT_NATURAL: Question(f"So what's {subject} linked to?"),
        Task.REVERSE: Question(f"What is linked to {object_}?"),
        Task.REVERSE_NATURAL: Question(f"Hey, what goes with {object_}?"),
    }
    options = {
        Side.OBJECT: (object_, "Never", "Nope", "No"),
        Side.SUBJECT: (subject, "Nil", "Void", "Zero"),
    }
    for task in VERIFICATION:
        questions[task] = Question(questions[task.asks].text, options[task.side])
    return Fact(
        fact_id=f"{1000 + number}__{number % 3}",
        page_title=f"Title_{number}",
        views=int(random.pareto(0.6) * 500),
        category=("Arts", "History", "People", "Science", "Society")[number % 5],
        subject=subject,
        object=object_,
        subject_type="PERSON",
        object_type=("DATE", "LOCATION", "ORGANIZATION", "PERSON")[number % 4],
        golds={Side.OBJECT: Gold(object_), Side.SUBJECT: Gold(subject)},
        questions=questions,
    )


def outcomes(scale: Scale, random: np.random.Generator) -> npt.NDArray[np.uint8]:
    """Labels of one fact, shape (tasks, settings, samples), values 1 to 4."""
    skill = (
        random.beta(0.7, 0.7, (len(TASKS), 1, 1))
        * np.linspace(0.6, 1.2, 2 * scale.models)[None, :, None]
    )
    draws = random.random((len(TASKS), 2 * scale.models, scale.samples))
    rest = random.choice([2, 3, 4], draws.shape, p=[0.86, 0.06, 0.08])
    return np.where(draws < skill, 1, rest).astype(np.uint8)


def responses(
    scale: Scale, random: np.random.Generator, pool: list[str]
) -> Iterator[tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8], list[str]]]:
    """Fact by fact: labels of both graders and the texts, all in slot order."""
    for _ in range(scale.facts):
        first = outcomes(scale, random)
        second = np.where(random.random(first.shape) < 0.02, outcomes(scale, random), first)
        picks = random.integers(0, len(pool), first.size).tolist()
        yield first, second, [pool[pick] for pick in picks]


def build(path: Path, scale: Scale, seed: int = 1) -> int:
    """Make the database; gives the bytes of its response texts."""
    pool, random = texts(seed, min(DISTINCT_TEXTS, scale.responses))
    size = 0
    with OpenProject(path, "create") as project, relax_sync(project.connection):
        connection = project.connection
        with write_transaction(connection):
            db.facts.insert(connection, (fact(number, random) for number in range(scale.facts)))
            settings = [
                db.model_rows.ensure_setting(connection, f"model-{number:02}", thinking)
                for number in range(scale.models)
                for thinking in (False, True)
            ]
            graders = [db.grades.ensure_grader(connection, name, "1") for name in GRADERS]
        index = project.index.questions
        for number, (first, second, answers) in enumerate(responses(scale, random, pool)):
            slots = [
                slot(question, setting, sample)
                for question in index[number].tolist()
                for setting in settings
                for sample in range(scale.samples)
            ]
            size += sum(len(text) for text in answers)
            with write_transaction(connection):
                db.responses.insert(
                    connection,
                    [(key, text, None) for key, text in zip(slots, answers, strict=True)],
                )
                for grader, labels in zip(graders, (first, second), strict=True):
                    codes = labels.ravel().tolist()
                    db.grades.insert(
                        connection,
                        grader,
                        [(key, code, None) for key, code in zip(slots, codes, strict=True)],
                    )
            if number % 200 == 199:
                db.label_grids.fold(connection)
        db.label_grids.fold(connection)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return size


def write_lines(path: Path, scale: Scale, seed: int = 1) -> None:
    """The same responses as an importable file, fact by fact."""
    pool, random = texts(seed, min(DISTINCT_TEXTS, scale.responses))
    with path.open("w", encoding="utf-8") as file:
        for number, (first, second, answers) in enumerate(responses(scale, random, pool)):
            labels = zip(first.ravel().tolist(), second.ravel().tolist(), answers, strict=True)
            for task in TASKS:
                for setting in range(2 * scale.models):
                    for sample in range(scale.samples):
                        a, b, text = next(labels)
                        row = {
                            "fact_id": f"{1000 + number}__{number % 3}",
                            "task": task,
                            "model": f"model-{setting // 2:02}",
                            "thinking": bool(setting % 2),
                            "sample": sample,
                            "response": text,
                            "grades": {
                                GRADERS[0]: LABEL_NAMES[a - 1],
                                GRADERS[1]: LABEL_NAMES[b - 1],
                            },
                        }
                        file.write(json.dumps(row) + "\n")


def main() -> None:
    """Make a database, by default of the paper's size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--facts", type=int, default=Scale.facts)
    parser.add_argument("--models", type=int, default=Scale.models)
    parser.add_argument("--samples", type=int, default=Scale.samples)
    asked = parser.parse_args()
    scale = Scale(asked.facts, asked.models, asked.samples)
    size = build(asked.file, scale)
    stored = asked.file.stat().st_size
    print(f"{scale.responses:,} responses, {size / scale.responses:.1f} characters each")
    print(f"{stored:,} bytes, {stored / size:.2f} times the text")


if __name__ == "__main__":
    main()
