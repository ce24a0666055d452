"""Writes what users and programs see of the command line, so that two checkouts can be compared.

Help of every command, JSON of every analysis and of the main tables on one fixed database, and
the key table, a file each. In either checkout run
`uv run python -m tests.outputs FOLDER`, then compare the folders: `diff -r BEFORE AFTER`.
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import click
from click.testing import CliRunner

from core.analyses import ANALYSES
from tests.tui.sample import MODELS, A, B, sample_project
from tui.cli.main import cli
from tui.keys import KEYS

POLICIES = ((), ("--tau", "0.25"), ("--strategy", "fact"), ("--strategy", "partial"))
BY = ("category", "object_type", "popularity")


def names_of(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The names of all commands of a group, with those of groups within it."""
    with click.Context(group) as context:
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            yield (*path, name)
            if isinstance(command, click.Group):
                yield from names_of(command, (*path, name))


def calls() -> Iterator[tuple[str, ...]]:
    """What is called on the fixed database."""
    for policy in POLICIES:
        yield ("profiles", "--json", *policy)
        yield ("confusion", A, B, "--json", *policy)
    yield ("profiles", "--json", "--per-fact")
    for by in BY:
        yield ("profiles", "--json", "--by", by)
    for name in ANALYSES:
        yield ("analyze", name, "--json")
        yield ("analyze", name)
    yield ("compare", *list(MODELS)[:2], "--json")
    for name in ("models", "jobs", "graders"):
        yield (name, "--json")
    yield ("profiles",)
    yield ("confusion", A, B)
    yield ("nonsense",)
    yield ("analyze", "nonsense")


def outputs(database: Path) -> Iterator[tuple[str, str]]:
    """Names and texts of all that is compared."""
    runner = CliRunner()
    for path in ((), *names_of(cli)):
        done = runner.invoke(cli, [*path, "--help"], terminal_width=100)
        yield "help " + "-".join(path or ("lostkeys",)), done.output
    for call in calls():
        done = runner.invoke(cli, ["--db", str(database), *call])
        failure = "" if done.exception is None else f"{done.exception}\n"
        text = f"{done.output}{failure}exit {done.exit_code}\n"
        yield " ".join(call), text.replace(str(database), "DATABASE")
    yield "keys", "".join(f"{key.id}\t{key.keys}\t{key.where}\t{key.help}\n" for key in KEYS)


def main() -> None:
    """Write all of them to a folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as place:
        for name, text in outputs(sample_project(Path(place) / "sample.db")):
            (folder / f"{name.replace('/', '-')}.txt").write_text(text, encoding="utf-8")
    sys.stdout.write(f"{len(list(folder.iterdir()))} files in {folder}\n")


if __name__ == "__main__":
    main()
