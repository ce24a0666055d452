"""`lostkeys requests`."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from core.graders.grader_record import is_model
from core.scoring.policy import Policy
from core.vocabulary import Strategy
from tui.cli.commands.sample import (
    THINKING,
    curtail_options,
    endpoint_options,
    read_limits,
    read_where,
    sample_options,
    selection_options,
    task_of,
)
from tui.cli.options import (
    Dollars,
    Number,
    anonymous_option,
    database_option,
    replies_option,
    split_names,
)

if TYPE_CHECKING:
    from core.specs.file_specs import FilesSpec

ENGINES = ("vllm", "sglang", "openai", "plain")
WAYS = ("steps", "template", "effort")
OF_GRADERS = (
    *("grader", "engine", "thinking_by", "shards", "unchecked", "effort", "seed"),
    *("anonymous", "replies"),
)
CHOICE_OF_GRADERS = ("model", "tasks", "where", "view", "size")
"""Options that choose the responses that a grader is asked about."""
"""Options that say how a grader is asked for labels."""

BESIDE = ("folder", "database", "max_cost")
"""Options that every plan has."""


@click.command("requests")
@selection_options
@click.option(
    "-o",
    "folder",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="The new folder; not needed with --dry-run.",
)
@click.option("--engine", type=click.Choice(ENGINES), help="The engine that file:NAME will run on.")
@click.option(
    "--thinking-by",
    "thinking_by",
    type=click.Choice(WAYS),
    default="steps",
    show_default=True,
    help="How to make file:NAME think.",
)
@click.option(
    "--shards",
    type=click.IntRange(1),
    metavar="S",
    help="Number of parts. Default: as few as possible.",
)
@click.option(
    "--per-request", type=click.IntRange(1, 1024), default=8, show_default=True, metavar="N"
)
@click.option(
    "--max-cost", type=Dollars(), metavar="USD", help="Write nothing if it may cost more than this."
)
@click.option("--dry-run", is_flag=True, help="Show what it would take, and stop.")
@click.option(
    "--tokens-per-s",
    type=Number(1),
    default=12_500.0,
    show_default=True,
    metavar="N",
    help="With --dry-run: tokens that a GPU writes per second.",
)
@endpoint_options
@click.option("--unchecked", is_flag=True, help="Skip the check of the model before the run.")
@curtail_options
@click.option(
    "--grader",
    metavar="G[,G2]",
    help=(
        "llm:M or judge:M: write requests for labels. With --curtail: the graders whose "
        "labels decide."
    ),
)
@sample_options
@replies_option
@anonymous_option
@database_option
def requests_command(
    database: Path,
    folder: Path | None,
    max_cost: float | None,
    dry_run: bool,
    tokens_per_s: float,
    view: str | None,
    **asked: Any,
) -> None:
    """Write what `sample` would ask to files in the new folder DIR, for engines elsewhere.

    M is a model at an address, or file:NAME for a model that is not asked now. Batch services,
    `vllm run-batch` and `lostkeys answer` take the files; `lostkeys collect DIR OUT...` collects
    the responses. Until then, `sample` skips these questions; `lostkeys jobs cancel N` frees them.

    With --curtail, only what is still undecided is asked: write, answer, collect, and write again.

    `--grader llm:M -o DIR` writes what `grade` would ask the grader, and `collect` brings its
    labels. Labels that exist by then stay.
    """
    if folder is None and not dry_run:
        raise click.UsageError("Missing option '-o'.")
    folder = folder or Path()
    if asked["grader"] and not asked["curtail"] and is_model(asked["grader"]):
        _refuse_others(asked["grader"])
        asked["where"] = read_where(database, view, asked["where"]) or ""
        chosen = {name: asked[name] for name in ("model", "tasks", "where", "size")}
        grading = _grading_spec(folder, **chosen, **{name: asked[name] for name in OF_GRADERS})
        _run(database, grading, max_cost)
        return
    if asked.pop("size") is not None or asked.pop("seed"):
        raise click.UsageError("--sample and --seed are for --grader llm:M or judge:M")
    if asked.pop("replies") != "auto":
        raise click.UsageError("--replies is for --grader llm:M or judge:M")
    asked["where"] = read_where(database, view, asked["where"])
    spec = _spec_of(folder, **asked)
    if dry_run:
        _estimate(database, spec, tokens_per_s)
        return
    _run(database, spec, max_cost)


def _run(database: Path, spec: "FilesSpec", max_cost: float | None) -> None:
    from tui.cli.job_follower import run_job

    run_job(database, spec, max_cost)


def _refuse_others(grader: str) -> None:
    """Raise `UsageError` for options that say what to draw, which a grader is not asked for."""
    context = click.get_current_context()
    given = [
        max(one.opts, key=len)
        for one in context.command.params
        if one.name not in (*OF_GRADERS, *CHOICE_OF_GRADERS, *BESIDE)
        and context.get_parameter_source(one.name or "") is ParameterSource.COMMANDLINE
    ]
    if not given:
        return
    instead = (
        "`lostkeys grade --grader G --dry-run` says what grading would take"
        if given == ["--dry-run"]
        else "leave it out, or add --curtail to draw by these labels"
    )
    raise click.UsageError(
        f"{', '.join(given)}: {grader} is asked for the labels of all answers; {instead}"
    )


def _grading_spec(
    folder: Path, grader: str, model: str | None, tasks: str | None, **others: Any
) -> "FilesSpec":
    """What the options ask for where a grader is to be asked for labels."""
    from core.graders import grader_table
    from core.graders.grader_record import model_of
    from core.settings import paths
    from core.specs.file_specs import FilesSpec

    if len(split_names(grader)) > 1:
        raise click.UsageError("requests are for one grader: name one, and write a plan for each")
    (name,) = split_names(grader)
    grader_table.check(name)
    prompts = paths.prompts_folder()
    return FilesSpec(
        folder=str(folder.absolute()),
        model=model_of(name),
        label=name,
        grader=name,
        prompts=None if prompts is None else str(prompts),
        models=None if model is None else tuple(split_names(model)),
        tasks=None if tasks is None else tuple(task_of(one) for one in split_names(tasks)),
        **others,
    )


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
    limits: str | None,
    **others: Any,
) -> "FilesSpec":
    """What the options ask for. Raises `UsageError` for what there is not."""
    from core.graders import grader_table
    from core.jobs.answer_job import check_curtailed
    from core.providers.model_names import label_of, parse
    from core.settings import paths
    from core.specs.file_specs import FilesSpec

    graders = tuple(split_names(grader)) if grader else ()
    for name in graders:
        grader_table.check(name)
    if curtail != bool(graders):
        raise click.UsageError(
            "--curtail and --grader belong together: it needs labels to decide; a grader that is "
            "asked by files is llm:M or judge:M"
        )
    if model is None:
        raise click.UsageError("Missing option '--model'.")
    parse(model)
    check_curtailed(curtail, graders)
    prompts = paths.prompts_folder()
    return FilesSpec(
        folder=str(folder.absolute()),
        model=model,
        label=(label or "").strip() or label_of(model),
        thinking=THINKING[thinking],
        tasks=None if tasks is None else tuple(task_of(name) for name in split_names(tasks)),
        where=where or "",
        first=facts,
        curtailed=Policy(tau, Strategy(strategy), weight, graders) if curtail else None,
        prompts=None if prompts is None else str(prompts),
        limits=read_limits(others["temperature"], others["effort"], limits),
        **others,
    )


def _estimate(database: Path, spec: "FilesSpec", tokens_per_s: float) -> None:
    from core.estimates.plan_estimate import estimate_plan
    from core.estimates.plan_text import write_rows
    from core.project import OpenProject
    from core.scoring.missing_pairs import ASK_TRIPLES

    with OpenProject(database, "read") as project:
        found = estimate_plan(project, spec)
    for line in write_rows(found, tokens_per_s):
        click.echo(line)
    if found.unprofiled is not None:
        click.echo(f"warning: {found.unprofiled.describe()}; {ASK_TRIPLES}", err=True)
