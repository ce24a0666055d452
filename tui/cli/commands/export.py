"""`lostkeys export`."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from core.errors import UsageError
from core.scoring.policy import Policy
from core.stats.number_format import format_amount
from tui.cli.commands.export_edits import EditWords, edit_options, export_edits
from tui.cli.options import anonymous_option, list_options, split_names
from tui.cli.progress_bar import progress
from tui.cli.standard_streams import DASH, open_output
from tui.cli.tables import print_counts_note
from tui.cli.terminal_text import one_line

if TYPE_CHECKING:
    from core.views.lens import Thinking
    from core.views.list_words import ListWords
    from core.views.saved_views import SavedView

F = TypeVar("F", bound=Callable[..., Any])

QUEUES = ("disagreements", "questions")
BOARDS = ("latent", "bench")
LATENT = ("triples", "zp-scores", "zp-positions", "zp-models", "zp-templates")
EXPORTED = (
    "facts",
    "responses",
    "labels",
    "runs",
    "profiles",
    "adjudications",
    "reviews",
    *LATENT,
    *QUEUES,
    *BOARDS,
    "lake",
    "edits",
    "inspect-dataset",
)
set_option = click.option("--set", "set_name", metavar="NAME", help="Name of the set of triples.")


@click.command("export")
@click.argument("what", type=click.Choice(EXPORTED))
@click.option("-o", "--output", "file", type=click.Path(path_type=Path))
@click.option(
    "--as-type",
    type=click.Choice(["csv", "tsv", "jsonl", "parquet", "md"]),
    help="Format of -o - (standard output).",
)
@click.option(
    "--excel-safe",
    is_flag=True,
    help="Put an apostrophe before cells that a spreadsheet would run.",
)
@click.option("--with-rejected", is_flag=True, help="Also export facts that a review rejected.")
@click.option(
    "--sort", metavar="F[-]", help="Order of the rows; - after it reverses the order of facts."
)
@set_option
@click.option("--columns", metavar="A,B", help="Columns of facts, as in the list.")
@click.option(
    "--blind", is_flag=True, help="Disagreements: hide labels of what you have not decided."
)
@click.option(
    "--thinking",
    type=click.Choice(["off", "on", "both"]),
    help="Disagreements: only with thinking off or on.  [default: both]",
)
@anonymous_option
@edit_options
@list_options
def export_command(
    database: Path,
    what: str,
    file: Path | None,
    edits: EditWords,
    as_type: str | None,
    excel_safe: bool,
    with_rejected: bool,
    sort: str | None,
    set_name: str | None,
    columns: str | None,
    blind: bool,
    thinking: str | None,
    anonymous: bool,
    models: list[str] | None,
    where: str | None,
    policy: Policy,
    view: "SavedView | None",
    compared: tuple[str, ...],
) -> None:
    """Write facts, responses, labels or profiles to a CSV, TSV, JSONL, Parquet or Markdown file.

    The extension of -o decides the format; -o - writes to standard output in the format of
    --as-type. What is exported can be imported again. The policy options matter for profiles and
    for --where 'profile:...'.

    `runs` are curtailed and unfinished runs with the questions that each asked: together with
    facts and responses they give the same profiles as this database. `adjudications` are people's
    labels with note, time and history; import them as labels. `reviews` are people's decisions
    about questions. Everything but these two leaves rejected facts out: --with-rejected adds them,
    --where rejected exports only them.

    `lake` is a new folder of Parquet files with facts, responses and labels, for what one file
    cannot hold; `profiles --from` counts it.

    With --sort, --columns or --view, facts are written as their list shows them, with a .meta.json
    that describes the list. Orders: title, subject, views, profile, topic, differs, imported,
    match. Columns: profile, title, subject, object, topic, type, views, marks, note, number, id,
    g.TASK, g.TASK.on, profile:MODEL.

    `disagreements` of two graders and `questions` to review are written as their queues show them.
    Their filters have other words: `model:M task:direct direction:reverse category:Arts
    cell:CORRECT/INCORRECT by:others`; `queue:suspicious`, `queue:random`, `queue:stratified
    by:tier`, `queue:stage stage:minimize-direct`, `queue:edited`.

    `latent` and `bench` are the lists of these screens. Latent: `n:50 model:M` has its relations,
    with `relation:R set:S` the facts of one. Bench: `set:S split:eval` has the arms, with
    `arm:M#10-shot by:property` the groups of one, with `group:G` the questions of a group.

    `edits` are people's newest labels (with --grader human:N, one person's) where a score of an
    imported Inspect log differs, as values of that score. --apply writes them into copies of the
    logs, using Inspect. `inspect-dataset` has one sample for each question; a log of its answers
    is imported onto these facts.

    --anonymous replaces people by numbers and hides server addresses; facts, questions and answers
    stay as they are.
    """
    from core.project import OpenProject
    from core.transfer.exports import Subset, export
    from core.views.list_export import export_list
    from core.views.where_resolver import resolve_where

    edits.check(what, file)
    listed = columns is not None or (view is not None and what == "facts")
    listed = listed or (sort is not None and what not in BOARDS)
    _check_options(what, listed, with_rejected)
    if file is not None and (listed or what in QUEUES + BOARDS):
        words = _list_words(what, where, sort, columns, blind, view)
        setting = _list_thinking(thinking, view)
        with open_output(file, as_type) as path:
            count = export_list(
                *(database, path, words, policy, models, compared, setting, excel_safe, anonymous)
            )
        click.echo(f"{one_line(str(file))}: {format_amount(count, 'row')} of {what}", err=True)
        return
    if what == "lake" and str(file) == DASH:
        raise UsageError("a lake is a folder: name one with -o")
    where = resolve_where(database, where, models, policy, compared)
    subset = Subset(models, where, policy, with_rejected, set_name, edits.score)
    if file is None:
        export_edits(database, file, edits, subset, excel_safe, anonymous)
        return
    if what == "edits":
        with open_output(file, as_type) as path:
            export_edits(database, path, edits, subset, excel_safe, anonymous)
        return
    with (
        open_output(file, as_type) as path,
        OpenProject(database, "read", counts=True) as project,
        progress(what) as shown,
    ):
        print_counts_note(project)
        task = shown.add_task(f"exporting {what}", total=None)
        written = export(
            project,
            what,
            path,
            excel_safe,
            lambda done, total: shown.update(task, completed=done, total=total),
            subset,
            anonymous,
        )
    noun, where_to = ("response", "in a lake") if what == "lake" else ("row", f"of {what}")
    click.echo(f"{one_line(str(file))}: {format_amount(written, noun)} {where_to}", err=True)


def _check_options(what: str, listed: bool, with_rejected: bool) -> None:
    """Refuse what does not go with the rows that are written."""
    if listed and (what != "facts" or with_rejected):
        raise UsageError("--sort and --columns are for `export facts` without --with-rejected")
    where_from = click.get_current_context().get_parameter_source
    typed = {
        name
        for name in ("blind", "thinking", "model", "with_rejected")
        if where_from(name) is ParameterSource.COMMANDLINE
    }
    if what in BOARDS and typed & {"model", "with_rejected"}:
        raise UsageError(f"{what} is what its screen shows: write `--where model:M` or `arm:`")
    if typed & {"blind", "thinking"} and what != "disagreements":
        raise UsageError("--blind and --thinking are for `export disagreements`")
    if "with_rejected" in typed and what in QUEUES:
        raise UsageError(f"--with-rejected is not for {what}: they are those on screen")
    if "model" in typed and what in QUEUES:
        by = "write `--where model:M`" if what == "disagreements" else "the strongest are asked"
        raise UsageError(f"--model is not for {what}, which go by all models: {by}")


def _list_words(
    what: str,
    where: str | None,
    sort: str | None,
    columns: str | None,
    blind: bool,
    view: "SavedView | None",
) -> "ListWords":
    """Which list: as a view has it, but for what the command line says."""
    from core.views.list_words import ListWords

    named = tuple(split_names(columns)) if columns else ()
    words = ListWords(what, where or "", sort or "", named, blind=blind)
    if view is None:
        return words
    return replace(
        words, sort=words.sort or view.sort, columns=words.columns or view.columns, view=view.name
    )


def _list_thinking(thinking: str | None, view: "SavedView | None") -> "Thinking":
    """Of which settings a list is: those of the view, but for what the command line says."""
    from core.views.lens import Thinking

    setting = None if view is None else view.lens.thinking
    if thinking is not None:
        setting = Thinking.BOTH if thinking == "both" else Thinking(thinking)
    return setting or Thinking.BOTH
