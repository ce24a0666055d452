"""What is wrong with a file of examples before it is sent to a fine-tuning service."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

import db.prepared_triples
from core.errors import LostkeysError
from core.fact_bench.bench_evidence import BenchChoice, BenchEvidence
from core.pipeline.text_match import split_words
from core.project import OpenProject
from core.settings.compression import open_file
from core.stats.number_format import format_amount

LEAST = 10
"""Examples of a file that a service takes."""

ROLES = ("system", "user", "assistant")


class TuningProblem(StrEnum):
    """What may be wrong with an example, or with a file; the last two are warnings."""

    JSON = "json"
    KEYS = "keys"
    MESSAGES = "messages"
    ROLE = "role"
    EMPTY = "empty"
    ORDER = "order"
    LEAK = "leak"
    TOO_FEW = "too_few"
    DUPLICATE = "duplicate"
    CONFLICT = "conflict"


@dataclass(frozen=True, slots=True)
class LineProblem:
    """A problem of a line; 0 stands for the file."""

    line: int
    problem: TuningProblem

    def as_json(self) -> dict[str, object]:
        """Its row."""
        return {"line": self.line, "problem": self.problem.value}


EXPLAINED: Mapping[TuningProblem, str] = {
    TuningProblem.JSON: "not a JSON object",
    TuningProblem.KEYS: "an object has `messages`, or `prompt` and `completion`, and nothing else",
    TuningProblem.MESSAGES: "`messages` are two or more, each with a text as role and content",
    TuningProblem.ROLE: f"a role is one of {', '.join(ROLES)}",
    TuningProblem.EMPTY: "a message is empty",
    TuningProblem.ORDER: "user and assistant take turns, the assistant last; system is first",
    TuningProblem.LEAK: "asks a question of the split that is reported",
    TuningProblem.TOO_FEW: f"fewer than {format_amount(LEAST, 'example')}",
    TuningProblem.DUPLICATE: "the same prompt and answer stand above",
    TuningProblem.CONFLICT: "the same prompt stands above with another answer",
}
"""Each problem as a person reads it."""


@dataclass(slots=True)
class TuningReport:
    """What a file holds: its examples, what makes it useless, and what is worth a look."""

    examples: int = 0
    errors: list[LineProblem] = field(default_factory=list)
    warnings: list[LineProblem] = field(default_factory=list)

    def as_json(self) -> dict[str, object]:
        """The report as `fact-bench check-tuning --json` gives it."""
        return {
            "examples": self.examples,
            "errors": [one.as_json() for one in self.errors],
            "warnings": [one.as_json() for one in self.warnings],
        }


class KnownQuestions:
    """Questions that no example may ask; they are found within longer texts, too."""

    START = 4
    """Words by which a question is looked up."""

    def __init__(self, questions: Iterable[str]) -> None:
        self._by_start: dict[tuple[str, ...], list[list[str]]] = defaultdict(list)
        for one in questions:
            found = split_words(one)
            if found:
                self._by_start[tuple(found[: self.START])].append(found)
        self._lengths = {len(start) for start in self._by_start}

    def stand_in(self, text: str) -> bool:
        """Whether the words of any of them stand together in a text."""
        found = split_words(text)
        return any(
            found[place : place + len(one)] == one
            for place in range(len(found))
            for length in self._lengths
            for one in self._by_start.get(tuple(found[place : place + length]), ())
        )


def read_reported(path: Path, set_name: str | None, split: str | None) -> KnownQuestions:
    """The questions of the split that is reported; none without a database or a set.

    Raises `UsageError` for a set there is not, or where one must be named.
    """
    if not path.exists() and set_name is None:
        return KnownQuestions(())
    with OpenProject(path, "read") as project:
        if set_name is None and not db.prepared_triples.sets(project.connection):
            return KnownQuestions(())
        evidence = BenchEvidence(project, BenchChoice(set_name, split))
        rows = zip(evidence.triples.rows, evidence.wanted, strict=True)
        return KnownQuestions(one.asked for one, wanted in rows if wanted)


def check_examples(path: Path, reported: KnownQuestions) -> TuningReport:
    """What is wrong with a file; `reported` are questions that must not be trained on.

    Raises `LostkeysError` where it cannot be read.
    """
    report = TuningReport()
    seen: dict[str, set[str]] = defaultdict(set)
    for line, content in _lines(path):
        report.examples += 1
        found = _read_messages(content)
        if isinstance(found, TuningProblem):
            report.errors.append(LineProblem(line, found))
            continue
        if any(reported.stand_in(text) for role, text in found if role == "user"):
            report.errors.append(LineProblem(line, TuningProblem.LEAK))
        *asked, (_, answer) = found
        answers = seen[json.dumps(asked)]
        if answers:
            known = TuningProblem.DUPLICATE if answer in answers else TuningProblem.CONFLICT
            report.warnings.append(LineProblem(line, known))
        answers.add(answer)
    if report.examples < LEAST:
        report.errors.append(LineProblem(0, TuningProblem.TOO_FEW))
    return report


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """The lines of a file that are not blank, by their numbers."""
    try:
        with open_file(path) as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield number, line
    except OSError as error:
        raise LostkeysError(f"{path}: {error.strerror}: check the name") from None


def _read_messages(line: bytes) -> list[tuple[str, str]] | TuningProblem:
    """Roles and texts of an example, or what is wrong with it."""
    try:
        content = json.loads(line.decode())
    except (ValueError, RecursionError):
        return TuningProblem.JSON
    if not isinstance(content, dict):
        return TuningProblem.JSON
    if content.keys() == {"prompt", "completion"}:
        content = {
            "messages": [
                {"role": "user", "content": content["prompt"]},
                {"role": "assistant", "content": content["completion"]},
            ]
        }
    if content.keys() != {"messages"}:
        return TuningProblem.KEYS
    messages = content["messages"]
    if not isinstance(messages, list) or len(messages) < 2 or not all(map(_is_message, messages)):
        return TuningProblem.MESSAGES
    found = [(one["role"], one["content"]) for one in messages]
    return _problem_of(found) or found


def _is_message(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and {"role", "content"} <= value.keys()
        and isinstance(value["role"], str)
        and isinstance(value["content"], str)
    )


def _problem_of(messages: Sequence[tuple[str, str]]) -> TuningProblem | None:
    roles = [role for role, _ in messages]
    if not {*roles} <= {*ROLES}:
        return TuningProblem.ROLE
    if not all(text.strip() for _, text in messages):
        return TuningProblem.EMPTY
    turns = roles[1:] if roles[0] == "system" else roles
    pairs = len(turns) // 2
    return None if pairs and turns == ["user", "assistant"] * pairs else TuningProblem.ORDER
