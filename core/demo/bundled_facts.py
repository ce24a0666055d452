"""The bundled facts: written for this project, in the `facts` format (see its JSONL file)."""

from pathlib import Path
from typing import Any

import orjson

from core.transfer.fact_rows import parse
from db.facts import Fact

FILE = Path(__file__).with_name("facts.jsonl")


def rows() -> list[dict[str, Any]]:
    """The rows of the file, every column of the format in each."""
    return [orjson.loads(line) for line in FILE.read_bytes().splitlines()]


def bundled() -> list[Fact]:
    """The facts in the file's order: the first one is the first that a demo shows."""
    return [parse(row) for row in rows()]
