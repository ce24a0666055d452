"""`lostkeys requests`."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from core.scoring.policy import Policy
from core.vocabulary import Strategy
from tui.cli.commands.sample import (
    THINKING,
    curtail_options,
    endpoint_options,
    selection_options,
    task_of,
)
from tui.cli.options import Dollars, database_option, names

if TYPE_CHECKING:
    from core.specs.file_specs import FilesSpec

ENGINES = ("vllm", "sglang", "openai", "plain")
WAYS = ("steps", "template", "effort")


@click.command("requests")
@selection_options
@click.option("-o", "folder", required=True, type=click.Path(path_type=Path), metavar="DIR")
@click.option("--engine", type=click.Choice(ENGINES), help="Whose fields file:NAME gets.")
@click.option(
    "--thinking-by",
    "thinking_by",
    type=click.Choice(WAYS),
    default="steps",
    show_default=True,
    help="How file:NAME is made to think.",
)
@click.option("--shards", type=click.IntRange(1), metavar="S", help="Parts. Default: the fewest.")
@click.option(
    "--per-request", type=click.IntRange(1, 1024), default=8, show_default=True, metavar="N"
)
@click.option("--max-cost", type=Dollars(), metavar="USD", help="Write no plan that may cost more.")
@click.option("--dry-run", is_flag=True, help="Say what it would take, write nothing.")
@click.option(
    "--tokens-per-s",
    type=click.FloatRange(1),
    default=12_500.0,
    show_default=True,
    metavar="N",
    help="With --dry-run: tokens that a GPU writes in a second.",
)
@endpoint_options
@click.option("--unchecked", is_flag=True, help="Do not check first whether the model is fit.")
@curtail_options
@click.option("--grader", metavar="G[,G2]", help="With --curtail: whose labels decide.")
@database_option
def requests_command(
    database: Path,
    folder: Path,
    max_cost: float | None,
    dry_run: bool,
    tokens_per_s: float,
    view: str | None,
    **asked: Any,
) -> None:
    """Write what `sample` would ask to files in the new folder DIR, for engines elsewhere.

    M is a model at an address, which stands for the many that will answer, or file:NAME, which
    nobody asks: NAME is what the requests call it. Batch services, `vllm run-batch` and `lostkeys
    answer` take the files; `lostkeys collect DIR OUT...` takes the answers in. Until then `sample`
    leaves what is out; `lostkeys jobs cancel N` frees it.

    With --curtail only what is undecided by what is here is asked: round after round.
    """
    if view is not None:
        from core.views.saved_views import find
        from core.views.where import resolve_view

        asked["where"] = resolve_view(database, find(view), asked["where"])
    spec = _spec_of(folder, **asked)
    if dry_run:
        _estimate(database, spec, tokens_per_s)
        return
    from tui.cli.job_follower import run_job

    run_job(database, spec, max_cost)


def _spec_of(
    folder: Path,
    model: str | None,
    label: str | None,
    thinking: str,
    tasks: str | None,
    where: str | None,
    facts: int | None,
    grader: str | None,
    curtail: bool,
    tau: float,
    strategy: str,
    weight: float,
    **others: Any,
) -> "FilesSpec":
    """What the options ask for. Raises `UsageError` for what there is not."""
    from core.graders import grader_table
    from core.jobs.answer_job import check_curtailed
    from core.providers.model_names import parse
    from core.settings import paths
    from core.specs.file_specs import FilesSpec

    graders = tuple(names(grader)) if grader else ()
    for name in graders:
        grader_table.check(name)
    if model is None:
        raise click.UsageError("Missing option '--model'.")
    if curtail != bool(graders):
        raise click.UsageError("--curtail and --grader belong together: it needs labels to decide")
    parse(model)
    check_curtailed(curtail, graders)
    prompts = paths.prompts_folder()
    return FilesSpec(
        folder=str(folder.absolute()),
        model=model,
        label=(label or "").strip() or model,
        thinking=THINKING[thinking],
        tasks=None if tasks is None else tuple(task_of(name) for name in names(tasks)),
        where=where or "",
        first=facts,
        curtailed=Policy(tau, Strategy(strategy), weight, graders) if curtail else None,
        prompts=None if prompts is None else str(prompts),
        **others,
    )


def _estimate(database: Path, spec: "FilesSpec", tokens_per_s: float) -> None:
    from core.estimates.plan_estimate import estimate_plan, write_rows
    from core.project import Project

    with Project(database, "read") as project:
        found = estimate_plan(project, spec)
    for line in write_rows(found, tokens_per_s):
        click.echo(line)
