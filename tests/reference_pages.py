"""Writes the generated pages of docs/reference: commands, keys, file formats, glossary.

`make docs` runs this; so does `uv run python -m tests.reference_pages`.
"""

import json
import re
from collections.abc import Iterator, Sequence
from inspect import cleandoc
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from core.curation.question_reviews import reject
from core.glossary.glossary import SUBJECTS
from core.glossary.glossary_entry import GlossaryEntry
from core.transfer.exports import TABLES, read_rows
from core.transfer.file_formats import (
    ANSWERS,
    DOCUMENT_KEYS,
    FILE_FORMATS,
    LOG_FORMATS,
    PATTERN,
    QUESTIONS,
    SIMPLEQA_COLUMNS,
    TRIPLE_NAMES,
    FileFormat,
)
from core.transfer.imports import import_file
from core.transfer.label_edits import LabelEdit
from core.vocabulary import TASKS, Label, Task
from db.response_sources import ResponseSource, SourceFile
from tests.core.making import new_project
from tests.file_columns import EXAMPLES, MEANINGS, ROWS
from tests.outputs import names_of
from tests.terminal import ROOT
from tui.cli.commands.explain import mark_of, screens_of
from tui.cli.main import cli
from tui.cli.options import LateHelpCommand
from tui.keys import KEYS, cap, list_letters

FOLDER = ROOT / "docs" / "reference"
WRITTEN = "This page is generated: `make docs` writes it.\n"
NAMES = {"triples": TRIPLE_NAMES, "documents": DOCUMENT_KEYS}
"""Formats whose columns have several names."""

CHOICES = {
    ANSWERS: "one answer",
    QUESTIONS: "one question",
    ("template", PATTERN): "one of the two",
}
"""What a file needs one column of."""

SHARED = ("--help", "--db")
"""Options that every command has, which the head of the page names."""

CODE = re.compile(r"(`[^`]*`)")
MARKUP = re.compile(r"([\\*_<>\[\]#])")

COMMANDS_HEAD = f"""# Commands

Every command and option, as `lostkeys COMMAND --help` prints them. {WRITTEN}
- `--db FILE` names the database, before or after the command. Without it, `$LOSTKEYS_DB` names it,
  else it is `./lostkeys.db`.
- `--json`, where a command has it, prints one JSON document and nothing else.
- Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted. An error is one line on stderr;
  `lostkeys --debug COMMAND` adds the traceback.
"""

KEYS_HEAD = f"""# Keys

{WRITTEN}
You can change every key in `settings.toml`, by its name in this table. Separate several keys with
commas:

```toml
[keys]
"facts.search" = "slash,ctrl+f"
```

Letters and digits are named as you type them; the others are `enter`, `escape`, `space`, `tab`,
`backspace`, `up`, `down`, `pagedown`, `f1`, `ctrl+x` and so on, `slash` for `/`, `comma` for `,`.
Lostkeys refuses a change that would give one key two meanings in one place, and says which.

After twenty seconds without a key, the status line suggests a key of the screen that you have not
used yet, each at most three times. `hints = false` above `[keys]` turns this off.
"""

LETTERS_HEAD = """
## One letter, one meaning

A letter, digit or sign means the same on every screen, and what has a letter has the same one
everywhere. Only a dialog that asks a question has letters of its own, and names them (`y` and
`n`). `gg` goes to the first row, `G` to the last. What `u` cannot undo asks first: cancelling a
job, discarding its answers, removing a view, writing over a file.
"""

GLOSSARY_HEAD = f"""# Glossary

What the words, codes and marks of the screens mean. `?` shows those of the current screen and finds
any as you type; `lostkeys explain TERM` prints one. {WRITTEN}"""

FORMATS_HEAD = f"""# File formats

Every column of every file that Lostkeys reads or writes, with an example row. {WRITTEN}
Files are CSV, TSV, JSON Lines, JSON or Parquet; `export` goes by the extension. In CSV and TSV, a
list or an object is JSON text in its cell. `import` detects the format from the columns;
`--format NAME` names it.
"""


def commands_page() -> str:
    """Every command with its help and a table of its options."""
    return "\n".join((COMMANDS_HEAD, *map(_describe_command, ((), *names_of(cli)))))


def _describe_command(path: Sequence[str]) -> str:
    name = " ".join(("lostkeys", *path))
    command, context = find_command(path)
    if isinstance(command, LateHelpCommand):
        command = command.fill_help()
    usage = " ".join([name, *command.collect_usage_pieces(context)])
    help_text = "\n\n".join(map(_show_paragraph, cleandoc(command.help or "").split("\n\n")))
    lines = [f"{'###' if len(path) > 1 else '##'} {name}\n", f"```text\n{usage}\n```\n", help_text]
    rows = [
        record
        for option in command.params
        if isinstance(option, click.Option) and not set(SHARED).intersection(option.opts)
        if (record := option.get_help_record(context)) is not None
    ]
    if rows:
        lines += ["", *table(("option", "meaning"), ((code(a), escape(b)) for a, b in rows))]
    return "\n".join(lines).rstrip() + "\n"


def _show_paragraph(text: str) -> str:
    """A paragraph of a help text; one that click is told to leave alone keeps its lines."""
    if text.startswith("\b"):
        return f"```text\n{text.removeprefix(chr(8)).strip()}\n```"
    return escape(" ".join(text.split()))


def find_command(path: Sequence[str]) -> tuple[click.Command, click.Context]:
    """The command with this name, and its context."""
    command: click.Command = cli
    context = click.Context(cli, info_name="lostkeys")
    for name in path:
        assert isinstance(command, click.Group)
        found = command.get_command(context, name)
        assert found is not None
        command, context = found, click.Context(found, parent=context, info_name=name)
    return command, context


def keys_page() -> str:
    """The key table."""
    rows = (
        (
            code(key.id),
            " ".join(code(cap(name)) for name in key.keys.split(",")),
            key.alone or key.help,
            key.where.replace(" ", ", "),
        )
        for key in KEYS
    )
    letters = (
        (
            found[0].meaning.replace("_", " "),
            code(letter),
            "; ".join(dict.fromkeys(f"{key.help} ({', '.join(key.places)})" for key in found)),
        )
        for letter, found in list_letters().items()
    )
    lines = *table(("name", "keys", "what it does", "where"), rows), LETTERS_HEAD
    return "\n".join(
        (KEYS_HEAD, *lines, *table(("it means", "key", "what it does (where)"), letters), "")
    )


def glossary_page() -> str:
    """The glossary, subject by subject."""
    parts = [GLOSSARY_HEAD]
    for subject, entries in SUBJECTS.items():
        parts += [f"\n## {subject}\n\n", *(f"{_describe_term(entry)}\n" for entry in entries)]
    return "".join(parts)


def _describe_term(entry: GlossaryEntry) -> str:
    mark = mark_of(entry)
    head = f"**{code(entry.term)}**"
    if mark and mark != entry.term:
        head += f" {code(mark)}"
    if entry.name != entry.term:
        head += f", {entry.name}"
    also = f" Also: {', '.join(map(code, entry.other_names))}." if entry.other_names else ""
    see = f" See {', '.join(map(code, entry.see))}." if entry.see else ""
    screens = "every screen" if entry.is_general else ", ".join(screens_of(entry))
    return f"- {head}: {entry.short}. {entry.long}{also}{see} ({screens})"


def formats_page() -> str:
    """Every format that is read or written, its columns and an example row."""
    shown = example_rows()
    parts = [FORMATS_HEAD]
    formats = {**FILE_FORMATS, **dict.fromkeys(TABLES)}
    parts += table(
        ("name", "a row is", "import", "export"),
        (
            (
                f"[{name}](#{name})" if name in shown else f"`{name}`",
                ROWS[name],
                "yes" if name in FILE_FORMATS else "",
                "yes" if name in TABLES or name == "lake" else "",
            )
            for name in formats
        ),
    )
    logs = ", ".join(f"`{name}`" for name in LOG_FORMATS)
    parts.append(f"\nLogs of other tools are read too: {logs}, and any table with `--map`.\n")
    for name in formats:
        if name in shown:
            parts.append(f"## {name}\n\nA row is {ROWS[name]}.\n")
            parts.append(f"```json\n{json.dumps(shown[name], ensure_ascii=False)}\n```\n")
            needed = ("needed",) if name in FILE_FORMATS else ()
            parts += table(("column", *needed, "meaning"), columns_of(name))
            parts.append("")
    return "\n".join(parts).rstrip() + "\n"


def columns_of(name: str) -> Iterator[tuple[str, ...]]:
    """Every column of a format: its names, whether a file that comes in needs it, its meaning."""
    known = FILE_FORMATS.get(name)
    groups = NAMES.get(name, {})
    seen = set[str]()
    for column in (*(known.known if known else ()), *(TABLES[name][0] if name in TABLES else ())):
        if column in seen:
            continue
        names = next((group for group in groups.values() if column in group), (column,))
        seen.update(names)
        needed = (_need(known, column),) if known else ()
        yield ", ".join(map(code, names)), *needed, meaning(name, column)


def meaning(name: str, column: str) -> str:
    """What a column of a format holds. Raises `KeyError` where nobody has said."""
    return MEANINGS.get(f"{name}.{column}") or MEANINGS[column]


def _need(known: FileFormat, column: str) -> str:
    if column not in known.known:
        return "written only"
    if column in SIMPLEQA_COLUMNS:
        return "for SimpleQA"
    group = next((group for group in known.needs if column in group), None)
    if group is None:
        return ""
    return CHOICES.get(group, "yes")


def example_rows() -> dict[str, dict[str, Any]]:
    """A row of each format: imported into a project, and read out again where it is written."""
    shown = dict[str, dict[str, Any]]()
    with TemporaryDirectory() as folder, new_project(Path(folder) / "p.db") as project:
        for name, row in EXAMPLES.items():
            shown[name] = row
            if name == "zp-reference":
                continue
            file = Path(folder) / f"{name}.jsonl"
            file.write_text(json.dumps(row) + "\n", encoding="utf-8")
            report = import_file(project, file, name)
            assert not report.problems, (name, report.problems)
        place = project.index.fact_ids.index("q90")
        question = project.index.questions[place][list(TASKS).index(Task.REVERSE)]
        reject(project, "ada", int(question), "not unique", "Other cities lie there too.")
        for name in TABLES.keys() - {"edits"}:
            columns, rows = read_rows(project, name)
            if rows:
                shown[name] = {column: rows[0].get(column) for column in columns}
    shown["reviews"]["at"] = "2026-03-01T12:00:00Z"
    shown["edits"] = _an_edit().as_row()
    shown["wikiprofile"] = shown.pop("facts")
    return shown


def _an_edit() -> LabelEdit:
    file = SourceFile("cities.eval", "inspect", "b6mVDqnDdX3cXyTnmpvGxT")
    source = ResponseSource(0, file, "q90", 1, "UFzvcvVqtnXUMjnGUjTGnD", None)
    said = ("ada", "The question accepts both.", 1_772_366_400_000)
    return LabelEdit(source, "match", None, Label.CORRECT, "C", "I", *said)


def code(text: str) -> str:
    """Text as code."""
    return f"`{text}`"


def escape(text: str) -> str:
    """Plain text as Markdown that shows it letter by letter; code in backticks stays code."""
    parts = CODE.split(text)
    return "".join(part if CODE.fullmatch(part) else MARKUP.sub(r"\\\1", part) for part in parts)


def table(heads: Sequence[str], rows: Iterator[Sequence[str]]) -> list[str]:
    """A table, a line a row."""
    cells = ([cell.replace("|", "\\|") for cell in row] for row in (heads, *rows))
    lines = [f"| {' | '.join(row)} |" for row in cells]
    return [lines[0], "|" + "---|" * len(heads), *lines[1:]]


PAGES = {
    "commands.md": commands_page,
    "keys.md": keys_page,
    "formats.md": formats_page,
    "glossary.md": glossary_page,
}


def main() -> None:
    """Write all pages."""
    for name, make in PAGES.items():
        (FOLDER / name).write_text(make(), encoding="utf-8")


if __name__ == "__main__":
    main()
