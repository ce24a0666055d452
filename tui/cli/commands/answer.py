"""`lostkeys answer`."""

import asyncio
from pathlib import Path

import click

from core.stats.number_format import format_amount
from tui.cli.options import no_database_option
from tui.cli.progress_bar import progress
from tui.cli.terminal_text import one_line

A_FILE = click.Path(path_type=Path)


@click.command("answer")
@click.argument("files", nargs=-1, required=True, type=A_FILE, metavar="FILE...")
@click.option(
    "--at",
    "url",
    required=True,
    metavar="URL",
    help="Such as http://host:8000/v1, or gguf:PATH for a file that is run here.",
)
@click.option(
    "-o",
    "out",
    type=A_FILE,
    metavar="OUT.jsonl",
    help="File to add the responses to. Default: FILE.out.jsonl.",
)
@click.option(
    "--requests",
    type=click.IntRange(1, 4096),
    default=64,
    show_default=True,
    metavar="N",
    help="Requests in flight at once.",
)
@no_database_option
def answer_command(files: tuple[Path, ...], url: str, out: Path | None, requests: int) -> None:
    """Send the requests in files of `lostkeys requests` to a server, without a database.

    Responses are added to OUT in the format of batch services. You can stop it at any time: run it
    again, and it asks what OUT lacks. It reads the server's key from LOSTKEYS_KEY_<HOST>. The exit
    code is 1 if a request failed.
    """
    from core.engine.run_counters import RunCounters
    from core.scale.file_player import choose_answers, play_files
    from core.scale.file_work import STAGE

    place = choose_answers(files, out)
    with progress("requests") as shown:
        task = shown.add_task("answering", total=None)

        def count() -> None:
            stage = counters.stages.get(STAGE)
            if stage is not None:
                shown.update(
                    task,
                    completed=stage.done + stage.failed,
                    total=stage.waiting + stage.running + stage.done + stage.failed,
                )

        counters = RunCounters(count)
        found = asyncio.run(play_files(files, url, place, requests, counters, _tell))
    before = f", {found.before:,} were there" if found.before else ""
    answered = format_amount(found.answered, "request")
    click.echo(f"{one_line(str(place))}: {answered} answered{before}", err=True)
    for reason, number in found.reasons.items():
        click.echo(f"{number:>9,}  failed: {one_line(reason)}", err=True)
    if found.failed:
        raise click.exceptions.Exit(1)


def _tell(line: str) -> None:
    click.echo(one_line(line), err=True)
