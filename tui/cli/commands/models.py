"""`lostkeys models`."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.table import Table
from rich.text import Text

from tui.cli.options import database_option, json_option, no_database_option, timeout_option
from tui.cli.tables import QUIET, cell, console, percent
from tui.cli.terminal_text import fit_name, one_line, print_json

if TYPE_CHECKING:
    from core.sampling.model_list import ModelEntry

TOO_MANY_UNMARKED = 0.2
"""Above this share of step by step answers without `Answer:`, a model is warned about."""

TUNED = "tuned for chats, no base model"
"""What the embedded model is, where base models are meant."""


@click.group("models", invoke_without_command=True)
@click.option(
    "--check", is_flag=True, help="Check each model that has a recipe with a few requests."
)
@click.option("--yes", is_flag=True, help="Also send requests to addresses from the database.")
@timeout_option
@json_option
@database_option
@click.pass_context
def models_command(
    ctx: click.Context,
    database: Path,
    check: bool,
    yes: bool,
    timeout: float | None,
    as_json: bool,
) -> None:
    """List the models of a database and the embedded one, and whether they answer.

    With --check, each is asked for eight answers to an open question: do they arrive at once,
    without reasoning, not all equal, and with token counts? It also shows how thinking is switched
    off and on.
    """
    if ctx.invoked_subcommand is not None:
        return
    from core.sampling.model_list import catalogue

    def may_ask(address: str) -> bool:
        question = f"{one_line(address, 60)} came out of the database. Send it a question?"
        return yes or (sys.stdin.isatty() and click.confirm(question, err=True))

    entries = catalogue(database, may_ask if check else None, timeout)
    if as_json:
        print_json({"models": [entry.as_json() for entry in entries]})
    else:
        _show(entries, check)
    if any(entry.failed for entry in entries):
        raise click.exceptions.Exit(1)


def _show(entries: "Sequence[ModelEntry]", check: bool) -> None:
    from core.providers.embedded import weights
    from core.providers.model_names import EMBEDDED

    out = console()
    out.print(_build_model_table(entries, check))
    if any(entry.asked_as == EMBEDDED for entry in entries):
        out.print(Text(f"{EMBEDDED} is {weights.name_file()}: {TUNED}", QUIET))
    for entry in entries:
        if entry.cut_too_often:
            out.print(Text(explain_cut(entry), QUIET))
    if any(entry.served for entry in entries):
        out.print()
        out.print(_build_served_table(entries))
    if any(entry.checks for entry in entries):
        out.print()
        out.print(_checks(entries))


def explain_cut(entry: "ModelEntry") -> str:
    """What to do about a model whose answers end at their limit too often."""
    tasks = ", ".join(f"{task} {entry.cut[task]:,}" for task in entry.cut_too_often)
    name = fit_name(entry.model, 40)
    return (
        f"{name}: too many answers end at their token limit ({tasks}); ask again under another "
        "name with --as NAME --limit questions=64"
    )


def _build_model_table(entries: "Sequence[ModelEntry]", with_state: bool) -> Table:
    table = _table()
    columns = ["model", "responses", "thinking", "unmarked %", "cut", "asked as"]
    for name in [*columns, "state"] if with_state else columns:
        right = name in ("responses", "unmarked %", "cut")
        table.add_column(name, justify="right" if right else "left", no_wrap=right)
    for entry in entries:
        unmarked = entry.unmarked
        loud = unmarked is not None and unmarked > TOO_MANY_UNMARKED
        asked_as = "same" if entry.asked_as == entry.model else entry.asked_as or "imported"
        cells: list[str | Text] = [
            cell(entry.model, 32),
            f"{entry.responses:,}",
            one_line(entry.thinking),
            percent(unmarked) + (" !" if loud else ""),
            f"{sum(entry.cut.values()):,}" + (" !" if entry.cut_too_often else ""),
            cell(asked_as, 32),
        ]
        table.add_row(*cells, *([_state(entry)] if with_state else []))
    return table


def _state(entry: "ModelEntry") -> str:
    """What came of the check, in short where its parts are listed, too."""
    faults = sum(check.result == "failed" for check in entry.checks)
    return f"{faults} failed" if faults else one_line(entry.state or "")


def _build_served_table(entries: "Sequence[ModelEntry]") -> Table:
    """What servers called the models that answered; more than one line: it has changed."""
    table = _table()
    for name in ("model", "served as", "fingerprint", "since"):
        table.add_column(name, no_wrap=name == "since")
    for entry in entries:
        for number, one in enumerate(entry.served):
            table.add_row(
                cell(entry.model, 32) if number == 0 else "",
                one_line(one.name),
                one_line(one.fingerprint),
                one.at[:10],
            )
    return table


def _checks(entries: "Sequence[ModelEntry]") -> Table:
    """The parts of each model's check; a model under several labels is listed once."""
    table = _table()
    for name in ("asked as", "check", "result", "detail"):
        table.add_column(name, no_wrap=name in ("check", "result"))
    checked = {entry.asked_as: entry.checks for entry in entries if entry.checks}
    for asked_as, checks in checked.items():
        for number, check in enumerate(checks):
            table.add_row(
                cell(asked_as or "", 32) if number == 0 else "",
                check.name,
                Text(check.result, "bold" if check.result == "failed" else ""),
                one_line(check.detail),
            )
    return table


def _table() -> Table:
    return Table(box=None, padding=(0, 2, 0, 0), header_style=QUIET, pad_edge=False)


@models_command.command("pull")
@no_database_option
def pull_command() -> None:
    """Download the embedded model's weights (98 MB, checked) if they are not installed."""
    from core.providers.embedded import weights
    from tui.cli.progress_bar import progress

    with progress("bytes") as shown:
        task = shown.add_task("getting the embedded model", total=None)
        path = weights.pull(lambda done, total: shown.update(task, completed=done, total=total))
    click.echo(f"the embedded model is at {path}", err=True)
