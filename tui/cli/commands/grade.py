"""`lostkeys grade`."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from core.graders.grader_record import is_model
from core.stats.number_format import format_amount
from tui.cli.commands.sample import (
    EFFORTS,
    estimate,
    finish,
    read_where,
    sample_options,
    task_of,
)
from tui.cli.options import (
    Dollars,
    LateHelpCommand,
    database_option,
    replies_option,
    request_options,
    split_names,
)
from tui.cli.terminal_text import one_line

if TYPE_CHECKING:
    from core.specs.answer_specs import GradingSpec, ReplyWord


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
    help="Graders: {names}, llm:MODEL or judge:MODEL.",
)
@click.option(
    "--max-cost", type=Dollars(), metavar="USD", help="Stop before it costs more than this."
)
@click.option("--dry-run", is_flag=True, help="Show what it would take, and stop.")
@click.option(
    "--sure",
    type=float,
    metavar="S",
    help="Leave responses of which the first grader is less sure than this.",
)
@click.option(
    "--cascade", is_flag=True, help="Ask the other graders only about what the first one left."
)
@click.option("--model", "models", metavar="M[,M2]", help="Only responses of these models.")
@click.option("--tasks", metavar="T,...", help="Only these of the ten tasks.")
@click.option("--where", default="", metavar="FILTER", help="Only facts that match this filter.")
@click.option("--view", metavar="NAME", help="Only facts of this saved view.")
@sample_options
@click.option(
    "--effort", type=click.Choice(EFFORTS), help="How hard llm:MODEL or judge:MODEL should think."
)
@replies_option
@click.option("--rubric", metavar="NAME[#V]", help="Rules of `align rubric` for llm:MODEL.")
@click.option(
    "--lake", type=click.Path(path_type=Path), metavar="L", help="Label the responses of a lake."
)
@click.option(
    "--shard", metavar="K/N", help="Label every N-th part of the lake, K from 0 to N - 1."
)
@request_options
@database_option
def grade_command(
    database: Path,
    grader: str,
    max_cost: float | None,
    dry_run: bool,
    sure: float | None,
    cascade: bool,
    models: str | None,
    tasks: str | None,
    where: str,
    view: str | None,
    size: int | None,
    seed: int,
    effort: str | None,
    replies: "ReplyWord",
    rubric: str | None,
    lake: Path | None,
    shard: str | None,
    timeout: float | None,
    in_flight: int | None,
) -> None:
    """Grade responses; only what a grader has not labelled yet.

    {readers} (answers drawn by Lostkeys are labelled by it as they come). `llm:MODEL` asks a model
    for the labels of all different answers to a question at once, `judge:MODEL` for yes or no to
    each. With other prompts, a model is another version of its grader and grades again; older
    labels stay.

    --model, --tasks, --where and --sample choose responses. The same choice and seed give every
    grader the same sample, so that `lostkeys confusion` can compare them on it.

    `form` knows how sure it is: with --sure .8 it leaves about a tenth `unsure`, which is no
    label. `--grader form,llm:MODEL --cascade` asks the model only about these.

    With --lake, `lexical`, `exact`, `form` or `choice` label the responses of a lake; --shard
    divides its parts among programs.
    """
    if lake is not None:
        chosen = (models, tasks, where, view, size, effort, replies != "auto", rubric)
        _grade_lake(lake, split_names(grader), shard, (max_cost, dry_run, sure, cascade, *chosen))
        return
    if shard is not None:
        raise click.UsageError("--shard divides a lake: name one with --lake")
    from core.graders import grader_table
    from core.settings import paths
    from core.specs.answer_specs import GradingSpec

    graders = tuple(split_names(grader))
    grader_table.check_all(graders, sure, cascade)
    folder = paths.prompts_folder()
    where = read_where(database, view, where) or ""
    if effort is not None and not any(map(is_model, graders)):
        raise click.UsageError(f"--effort is for llm:MODEL and judge:MODEL, not for {grader}")
    if replies != "auto" and not any(map(is_model, graders)):
        raise click.UsageError(f"--replies is for llm:MODEL and judge:MODEL, not for {grader}")
    if rubric is not None:
        rubric = _find_rubric(database, graders, rubric)
    spec = GradingSpec(
        graders,
        None if folder is None else str(folder),
        timeout,
        in_flight,
        sure,
        cascade,
        where,
        None if models is None else tuple(split_names(models)),
        None if tasks is None else tuple(task_of(name) for name in split_names(tasks)),
        size,
        seed,
        effort,
        replies,
        rubric,
    )
    check_selection(database, spec)
    if dry_run or max_cost is not None:
        estimate(database, spec, max_cost, dry_run)
    if not dry_run:
        finish(database, spec, max_cost)


def _find_rubric(database: Path, graders: tuple[str, ...], rubric: str) -> str:
    """A rubric with its version. Raises `UsageError` for one that is not there."""
    from core.alignment.rubric_versions import find_rubric, name_version
    from core.project import OpenProject

    if not any(map(is_model, graders)):
        raise click.UsageError(f"--rubric is for llm:MODEL, not for {', '.join(graders)}")
    with OpenProject(database, "read") as project:
        return name_version(find_rubric(project, rubric))


def check_selection(database: Path, spec: "GradingSpec") -> None:
    """Raise `UsageError` for a choice of responses that cannot be, before a job is begun."""
    from core.graders.grader_table import reads_choice
    from core.grading.answer_selection import AnswerSelection
    from core.project import OpenProject

    selection = AnswerSelection(spec.where, spec.models, spec.tasks, spec.size, spec.seed)
    with OpenProject(database, "read") as project:
        for name in spec.graders:
            selection.check(project, reads_choice(name))


def _grade_lake(
    lake: Path, graders: list[str], shard: str | None, others: tuple[object, ...]
) -> None:
    """Label what is not labelled in a shard of a lake, and say what that came to."""
    from core.transfer.lake_grades import Shard, grade_lake
    from tui.cli.progress_bar import progress

    if any(others):
        raise click.UsageError("a lake takes only --grader and --shard: leave out the others")
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
