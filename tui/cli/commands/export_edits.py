"""`lostkeys export edits`: people's labels as edits of scores, and copies of logs with them."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from core.errors import UsageError
from tui.cli.terminal_text import one_line

if TYPE_CHECKING:
    from core.transfer.exports import Subset

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class EditWords:
    """Which score is edited, and of which logs copies are written where; no logs: of none."""

    score: str | None
    logs: tuple[Path, ...]
    folder: Path | None

    def check(self, what: str, file: Path | None) -> None:
        """Raise `UsageError` where they do not go with what is exported."""
        if what != "edits" and (self.score or self.logs or self.folder):
            raise UsageError("--score, --apply and --to are for `export edits`")
        if self.logs and self.folder is None:
            raise UsageError("--apply needs --to: the folder of the copies")
        if self.folder is not None and not self.logs:
            raise UsageError("--to needs --apply LOG...: the logs that are copied")
        if file is None and not self.logs:
            raise UsageError("Missing option '-o': the file that is written")


def edit_options(command: F) -> F:
    """`--score`, `--apply LOG...` and `--to`; gives the command its `edits`."""

    @click.argument(
        "logs", nargs=-1, type=click.Path(path_type=Path), metavar="[--apply LOG... --to FOLDER]"
    )
    @click.option("--score", metavar="NAME", help="Edits: the score to correct.")
    @click.option("--apply", is_flag=True, help="Edits: write them into copies of these logs.")
    @click.option(
        "--to",
        "folder",
        type=click.Path(path_type=Path),
        metavar="FOLDER",
        help="Edits: folder for the copies.",
    )
    @wraps(command)
    def with_edits(
        *args: Any,
        logs: tuple[Path, ...],
        score: str | None,
        apply: bool,
        folder: Path | None,
        **kwargs: Any,
    ) -> Any:
        if bool(logs) is not apply:
            raise UsageError("logs stand after --apply, as in `export edits --apply LOG --to DIR`")
        return command(*args, edits=EditWords(score, logs, folder), **kwargs)

    return with_edits  # type: ignore[return-value]


def export_edits(
    database: Path,
    file: Path | None,
    words: EditWords,
    subset: "Subset",
    excel_safe: bool,
    anonymous: bool,
) -> None:
    """Write the edits to a file, and copies of logs with them; what cannot be is reported.

    Ends with 1 where a log has other answers than were imported.
    """
    from contextlib import ExitStack

    from core.project import OpenProject
    from core.stats.number_format import format_amount
    from core.transfer.anonymous_copy import open_anonymous
    from core.transfer.exports import find_subset_edits, rename_subset, save_edits

    refused, names = 0, None
    with ExitStack() as stack:
        project = stack.enter_context(OpenProject(database, "read"))
        if anonymous:
            copied = stack.enter_context(open_anonymous(project))
            project, names = copied.project, copied.names
            subset = rename_subset(subset, names)
        found = find_subset_edits(project, subset)
        for line in found.left_out:
            click.echo(f"left out: {one_line(line)}", err=True)
        if file is not None:
            save_edits(found, file, excel_safe)
            rows = format_amount(len(found.edits), "row")
            click.echo(f"{one_line(str(file))}: {rows} of edits", err=True)
        if words.folder is not None:
            from core.transfer.edited_logs import apply_edits

            for copy in apply_edits(project, found.edits, words.logs, words.folder, names):
                name = one_line(str(copy.path))
                for line in (*copy.refused, *copy.notices):
                    click.echo(f"{name}: {one_line(line)}", err=True)
                edits = format_amount(copy.edited, "edit")
                click.echo(f"{name}: {edits} of {one_line(found.score)}", err=True)
                refused += len(copy.refused)
    if refused:
        raise click.exceptions.Exit(1)
