import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.project import OpenProject

FACT: dict[str, Any] = {
    "fact_id": "1__0",
    "page_title": "France",
    "gbc": 12,
    "subject": "France",
    "object": "Paris",
    "completion": "The capital of France is ",
    "direct": "What is the capital of France?",
    "direct_answer": "Paris",
    "direct_choices": '["Paris", "Lyon", "Nice", "Lille"]',
    "direct_natural": "So, the capital of France?",
    "reverse": "Whose capital is Paris?",
    "reverse_answer": "France",
}

ANSWER: dict[str, Any] = {
    "fact_id": "1__0",
    "task": "direct",
    "model": "m",
    "thinking": False,
    "sample": 0,
    "response": "Paris",
}


@pytest.fixture
def fact() -> dict[str, Any]:
    return dict(FACT)


@pytest.fixture
def answer() -> dict[str, Any]:
    return dict(ANSWER)


@pytest.fixture
def jsonl(tmp_path: Path) -> Callable[..., Path]:
    """Writes objects (or raw lines) to a file of lines."""

    def write(name: str, *rows: dict[str, Any] | str) -> Path:
        path = tmp_path / name
        lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
        path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        return path

    return write


@pytest.fixture
def dump() -> Callable[[OpenProject], list[str]]:
    """Everything in a project's database, as SQL."""
    return lambda project: list(project.connection.iterdump())
