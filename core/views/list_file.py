"""A list as a file: its rows, order and columns, and beside it what it was a list of."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from core.scoring.policy import Policy
from core.scoring.precedence import PEOPLE
from core.settings import file_writer
from core.settings.escapes import make_visible
from core.settings.plain_data import to_plain
from core.views.lens import Lens, Thinking
from core.views.list_words import (
    BENCH,
    DISAGREEMENTS,
    FACTS,
    LATENT,
    QUESTIONS,
    ListWords,
    join_names,
)
from core.vocabulary import Strategy


@dataclass(frozen=True, slots=True)
class ListTable:
    """Rows of a list; `columns` says what stands in them."""

    columns: Mapping[str, type]
    rows: Sequence[Mapping[str, object]]


def write_list(
    path: Path,
    table: ListTable,
    words: ListWords,
    lens: Lens,
    excel_safe: bool = False,
    command: Sequence[str] | None = None,
) -> Path:
    """Write a list, and what it is a list of into `NAME.meta.json` beside it.

    `command` shows the same rows, its options of the lens aside; None for `export`. Raises
    `LostkeysError` where either cannot be written.
    """
    from core.transfer import row_writers

    row_writers.save(path, table.columns, table.rows, excel_safe)
    about = {
        **to_plain(words),
        "columns": [*table.columns],
        "rows": len(table.rows),
        "command": command_line(words, lens, path.name, command),
        "lens": to_plain(lens),
    }
    content = orjson.dumps(about, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    file_writer.deliver(meta_file(path), content)
    return path


def meta_file(path: Path) -> Path:
    """Where it stands what a file is a list of."""
    return path.with_name(f"{path.name}.meta.json")


def command_line(
    words: ListWords, lens: Lens, file: str = "FILE", command: Sequence[str] | None = None
) -> str:
    """The command that writes the same rows, or shows them where it is another than `export`."""
    asked = command or ["export", words.name, "-o", file, *words.options]
    return shlex.join(["lostkeys", *asked, *lens_options(lens, words.name)])


def lens_options(lens: Lens, name: str = FACTS) -> Iterator[str]:
    """The options of a command that looks at a list through the same lens.

    Queues go by all models, questions and Latent by the graders that count; thinking counts for
    disagreements alone, and Bench goes by no lens.
    """
    start, policy = Policy(), lens.policy
    if name == BENCH:
        return
    if lens.model is not None and name == FACTS:
        yield from ("--model", join_names([lens.model]))
    if lens.thinking is not Thinking.BOTH and name == DISAGREEMENTS:
        yield from ("--thinking", str(lens.thinking))
    if policy.graders is not None:
        yield from ("--grader", join_names(policy.graders))
    alike = name in (QUESTIONS, LATENT) or lens.compared[:2] == first_programs(lens.ranked)
    if lens.b is not None and not alike:
        yield from ("--compare", join_names(lens.compared[:2]))
    if policy.tau != start.tau:
        yield from ("--tau", str(policy.tau))
    if policy.strategy is not start.strategy:
        yield from ("--strategy", str(policy.strategy))
    if policy.strategy is Strategy.PARTIAL and policy.weight != start.weight:
        yield from ("--weight", str(policy.weight))


def first_programs(graders: Sequence[str]) -> tuple[str, ...]:
    """The two graders of a list that a command compares where it names no others."""
    return tuple(name for name in graders if name != PEOPLE)[:2]


def copied_text(table: ListTable, most: int) -> str:
    """Rows with tabs between cells under their names, so many at most."""
    names = list(table.columns)
    lines: list[list[object]] = [[*names]]
    lines += [[row[name] for name in names] for row in table.rows[:most]]
    return "".join("\t".join(map(_inline, line)) + "\n" for line in lines)


def _inline(value: Any) -> str:
    return "" if value is None else make_visible(str(value))
