"""Every sentence that the program can show a person, and where: `make sentences`.

They are read from the source: texts of two words or more that are neither docstrings nor SQL nor
patterns, and the docstrings of commands, which are their help. What is put in as the program runs
stands as `{...}`. `uv run python -m tests.sentences tui/cli core/errors.py` prints some places.
"""

import ast
import re
import sys
from collections.abc import Iterator
from typing import NamedTuple

from tests.terminal import ROOT

ROOMS = ("core", "prompts", "tui")
WORDS = re.compile(r"[A-Za-z]{2,}[^A-Za-z\n]*\s+[^A-Za-z\n]*[A-Za-z]")
CUT = re.compile(r"[\"']\s*\n\s*f?[\"']")
"""Where a long text goes on in the next line."""

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


def sentences(*places: str, where: re.Pattern[str] | None = None) -> Iterator[Sentence]:
    """All of them in these files and folders, or in all rooms, in the order of the source.

    With `where`, of the files alone whose text holds it, however a text is cut into lines.
    """
    for place in places or ROOMS:
        path = ROOT / place
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            source = file.read_text(encoding="utf-8")
            if where is None or where.search(CUT.sub("", source)):
                yield from _read_source(source, str(file.relative_to(ROOT)))


def _read_source(source: str, name: str) -> Iterator[Sentence]:
    raised, inner, alone, helps = set[ast.AST](), set[ast.AST](), set[ast.AST](), set[ast.AST]()
    texts: list[ast.Constant | ast.JoinedStr] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant | ast.JoinedStr):
            texts.append(node)
            inner.update(node.values if isinstance(node, ast.JoinedStr) else ())
        elif isinstance(node, ast.Raise) and node.exc:
            raised.update(ast.walk(node.exc))
        elif isinstance(node, ast.Expr):
            alone.add(node.value)
        elif isinstance(node, ast.keyword) and node.arg in ("help", "short_help"):
            helps.update(ast.walk(node.value))
        elif isinstance(node, ast.FunctionDef) and _is_command(node):
            helps.update(one.value for one in node.body[:1] if isinstance(one, ast.Expr))
    skipped = (alone - helps) | inner
    for node in texts:
        text = "" if node in skipped else _text_of(node)
        if WORDS.search(text) and not NO_SENTENCE.search(text):
            kind = "help" if node in helps else "error" if node in raised else "shown"
            yield Sentence(f"{name}:{node.lineno}", kind, " ".join(text.split()))


def _is_command(node: ast.FunctionDef) -> bool:
    return any(
        isinstance(one, ast.Call) and ast.unparse(one.func).endswith(("command", "group"))
        for one in node.decorator_list
    )


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
