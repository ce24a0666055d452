"""`lostkeys grade`."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import click

from core.stats.number_format import format_amount
from tui.cli.options import Dollars, LateHelpCommand, database_option, request_options, split_names
from tui.cli.terminal_text import one_line


def _name_graders() -> str:
    from core.graders.grader_table import BUILTIN

    return ", ".join(BUILTIN)


def _tell_readers() -> str:
    from core.graders.grader_table import BUILTIN

    of_words = [f"`{one.name}`" for one in BUILTIN.values() if not one.reads_choice]
    of_choice = [f"`{one.name}`" for one in BUILTIN.values() if one.reads_choice]
    return (
        f"{', '.join(of_words[:-1])} and {of_words[-1]} read answers in words, "
        f"{', '.join(of_choice)} reads multiple choice"
    )


@click.command(
    "grade",
    cls=LateHelpCommand,
    late={"{names}": _name_graders, "{readers}": _tell_readers},
)
@click.option(
    "--grader",
    required=True,
    metavar="G[,G2]",
    help="{names}, llm:MODEL or judge:MODEL.",
)
@click.option("--max-cost", type=Dollars(), metavar="USD", help="Stop before this.")
@click.option("--dry-run", is_flag=True, help="Say what it would take, ask nothing.")
@click.option(
    "--sure", type=float, metavar="S", help="Leave what the first grader is less sure of than this."
)
@click.option("--cascade", is_flag=True, help="Ask the other graders about the rest alone.")
@click.option(
    "--lake", type=click.Path(path_type=Path), metavar="L", help="Label the responses of a lake."
)
@click.option("--shard", metavar="K/N", help="Of a lake every N-th part, K from 0 to N - 1.")
@request_options
@database_option
def grade_command(
    database: Path,
    grader: str,
    max_cost: float | None,
    dry_run: bool,
    sure: float | None,
    cascade: bool,
    lake: Path | None,
    shard: str | None,
    timeout: float | None,
    in_flight: int | None,
) -> None:
    """Grade responses; only what a grader has not graded yet.

    {readers} (answers drawn
    by Lostkeys are labelled by it as they come). `llm:MODEL` asks a model for the labels of all
    different answers to a question at once, `judge:MODEL` for yes or no to each. With changed
    prompts a model is another version of its grader, which grades anew; older grades stay.

    `form` says how sure it is: with --sure .8 it leaves about a tenth `unsure`, which is no label.
    `--grader form,llm:MODEL --cascade` asks the model about these alone.

    With --lake the responses of a lake are labelled, by `lexical`, `exact`, `form` or `choice`;
    --shard divides its parts among programs.
    """
    if lake is not None:
        _grade_lake(lake, split_names(grader), shard, (max_cost, dry_run, sure, cascade))
        return
    if shard is not None:
        raise click.UsageError("--shard divides a lake: name one with --lake")
    from core.graders import grader_table
    from core.settings import paths
    from core.specs.answer_specs import GradingSpec
    from tui.cli.commands.sample import estimate, finish

    graders = tuple(split_names(grader))
    grader_table.check_all(graders, sure, cascade)
    folder = paths.prompts_folder()
    spec = GradingSpec(
        graders, None if folder is None else str(folder), timeout, in_flight, sure, cascade
    )
    if dry_run or max_cost is not None:
        estimate(database, spec, max_cost, dry_run)
    if not dry_run:
        finish(database, spec, max_cost)


def _grade_lake(
    lake: Path, graders: list[str], shard: str | None, others: tuple[object, ...]
) -> None:
    """Label what is not labelled in a shard of a lake, and say what that came to."""
    from core.transfer.lake_grades import Shard, grade_lake
    from tui.cli.progress_bar import progress

    if any(others):
        raise click.UsageError("--max-cost, --dry-run, --sure and --cascade are for a database")
    mine = None if shard is None else Shard.parse(shard)
    for name in graders:
        with progress(name) as shown:
            show = partial(shown.update, shown.add_task(f"grading by {one_line(name)}", total=None))
            found = grade_lake(lake, name, mine, partial(_tell, show))
        click.echo(
            f"{one_line(str(lake))}: {one_line(name)} labelled "
            f"{format_amount(found.labelled, 'answer')} in {format_amount(found.parts, 'part')}, "
            f"{found.unchanged:,} had its label already",
            err=True,
        )


def _tell(show: Callable[..., None], done: int, total: int) -> None:
    show(completed=done, total=total)
