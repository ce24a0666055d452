"""Every sentence that the program can show a person, and where: `make sentences`.

They are read from the source: texts of two words or more that are neither docstrings nor SQL nor
patterns, and the docstrings of commands, which are their help. What is put in as the program runs
stands as `{...}`. `uv run python -m tests.sentences tui/cli core/errors.py` prints some places.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.terminal import ROOT

ROOMS = ("core", "prompts", "tui")
WORDS = re.compile(r"[A-Za-z]{2,}[^A-Za-z\n]*\s+[^A-Za-z\n]*[A-Za-z]")
SQL = "SELECT|INSERT|UPDATE|DELETE|CREATE|WITH|PRAGMA|ATTACH|FROM|WHERE|ORDER|LEFT|JOIN|COPY|GROUP"
NO_SENTENCE = re.compile(
    rf"^\s*({SQL})\b|\(\?[:P<!=]|\\[dswbSW]|^#|^[\w.-]+(, ?[\w.-]+)+$| \| None|^\w+\["
)
"""SQL, patterns, lists of names, types."""


class Sentence(NamedTuple):
    """A text, the file and line where it stands, and what it is: help, error or shown."""

    place: str
    kind: str
    text: str


def sentences(*places: str) -> Iterator[Sentence]:
    """All of them in these files and folders, or in all rooms, in the order of the source."""
    for place in places or ROOMS:
        path = ROOT / place
        files = sorted(path.rglob("*.py")) if path.is_dir() else [path]
        for file in files:
            yield from _read_file(file)


def _read_file(file: Path) -> Iterator[Sentence]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    docstrings, commands = _find_docstrings(tree)
    raised = {
        part
        for node in ast.walk(tree)
        if isinstance(node, ast.Raise) and node.exc
        for part in ast.walk(node.exc)
    }
    inner = {
        part for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values
    }
    skipped = docstrings | inner
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant | ast.JoinedStr) or node in skipped:
            continue
        text = _text_of(node)
        if WORDS.search(text) and not NO_SENTENCE.search(text):
            kind = "help" if node in commands else "error" if node in raised else "shown"
            place = f"{file.relative_to(ROOT)}:{node.lineno}"
            yield Sentence(place, kind, " ".join(text.split()))


def _find_docstrings(tree: ast.AST) -> tuple[set[ast.AST], set[ast.AST]]:
    """Texts that stand alone as statements; and those of commands with the words of `help=`."""
    alone: set[ast.AST] = {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant | ast.JoinedStr)
    }
    helps: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and any(
            "command(" in ast.unparse(one) or "group(" in ast.unparse(one)
            for one in node.decorator_list
        ):
            helps |= {one.value for one in node.body[:1] if isinstance(one, ast.Expr)}
        if isinstance(node, ast.keyword) and node.arg in ("help", "short_help"):
            helps.update(ast.walk(node.value))
    return alone - helps, helps


def _text_of(node: ast.Constant | ast.JoinedStr) -> str:
    """The text, with `{...}` where something is put in."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    return "".join(
        str(part.value) if isinstance(part, ast.Constant) else "{...}" for part in node.values
    )


def main() -> None:
    """Print them, a line each."""
    for one in sentences(*sys.argv[1:]):
        sys.stdout.write(f"{one.place}\t{one.kind}\t{one.text}\n")


if __name__ == "__main__":
    main()
