"""`lostkeys sample` and `lostkeys run`."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from core.scoring.policy import DEFAULT_TAU, DEFAULT_WEIGHT, Policy
from core.vocabulary import TASKS, Strategy, Task
from tui.cli.options import (
    Dollars,
    JobNumber,
    ModelParameter,
    Number,
    database_option,
    request_options,
    split_names,
)
from tui.cli.terminal_text import one_line

if TYPE_CHECKING:
    from core.specs.answer_specs import AnsweringSpec, GradingSpec
    from core.specs.job_kinds import Spec

F = TypeVar("F", bound=Callable[..., Any])

WORDS = ("auto", "raw", "chat")
EFFORTS = ("minimal", "low", "medium", "high")
THINKING = {"off": (False,), "on": (True,), "both": (False, True)}

_WHAT = (
    click.option(
        "--model",
        type=ModelParameter(),
        metavar="M",
        help="Such as openai:MODEL, or gguf:PATH for a file that is run here.",
    ),
    click.option("--as", "label", metavar="NAME", help="Keep the responses under this name."),
    click.option(
        "--thinking", type=click.Choice(list(THINKING)), default="both", show_default=True
    ),
    click.option(
        "--samples",
        type=click.IntRange(1, 1024),
        default=8,
        show_default=True,
        help="Responses to each question.",
    ),
    click.option("--tasks", metavar="T,...", help="Only these of the ten tasks."),
    click.option("--where", metavar="FILTER", help="Only facts that match this filter."),
    click.option("--view", metavar="NAME", help="Only facts of this saved view."),
    click.option("--facts", type=click.IntRange(1), metavar="N", help="Only the first N facts."),
    click.option("--only-failed", is_flag=True, help="Only requests that failed before."),
)
_WHERE = (
    click.option(
        "--completion",
        type=click.Choice(WORDS),
        default="auto",
        show_default=True,
        help="Endpoint for the completion task.",
    ),
    click.option(
        "--questions",
        type=click.Choice(WORDS),
        default="auto",
        show_default=True,
        help="Endpoint for the nine other tasks.",
    ),
)
_SETTINGS = (
    click.option(
        "--temperature",
        type=Number(0, 2),
        metavar="T",
        help="Temperature of sampling. Default: 1, or what this name began with.",
    ),
    click.option(
        "--effort",
        type=click.Choice(EFFORTS),
        help="How hard the model should think, if it supports that.",
    ),
    click.option(
        "--limit",
        "limits",
        metavar="WHAT=N,...",
        help=(
            "Token limit of an answer, by task or by kind: completion (24), questions (32), "
            "choice (8), steps (step-by-step reasoning with its answer)."
        ),
    ),
)
_HOW = (
    click.option(
        "--max-cost", type=Dollars(), metavar="USD", help="Stop before it costs more than this."
    ),
    click.option("--dry-run", is_flag=True, help="Show what it would take, and stop."),
    click.option(
        "--via",
        type=click.Choice(["requests", "batch"]),
        default="requests",
        show_default=True,
        help="Single requests, or the service's batches at a lower price.",
    ),
    *_WHERE,
    *_SETTINGS,
    request_options,
    click.option(
        "--raw",
        is_flag=True,
        help="Record all requests and responses in a file beside the database.",
    ),
    click.option("--unchecked", is_flag=True, help="Skip the check of the model before the run."),
    click.option(
        "--job", "jobs", type=JobNumber(), multiple=True, metavar="N", help="Resume this job."
    ),
    click.option(
        "--yes",
        is_flag=True,
        help="With --job: send requests to addresses from the database without asking.",
    ),
)
_CURTAIL = (
    click.option(
        "--curtail", is_flag=True, help="Stop asking about a fact once its profile is certain."
    ),
    click.option(
        "--tau", type=float, default=DEFAULT_TAU, show_default=True, help="The policy of --curtail."
    ),
    click.option(
        "--strategy",
        type=click.Choice([str(one) for one in Strategy]),
        default=str(Strategy.PAIR),
        show_default=True,
        help="The policy of --curtail.",
    ),
    click.option(
        "--weight",
        type=float,
        default=DEFAULT_WEIGHT,
        show_default=True,
        help="The policy of --curtail.",
    ),
)


_SAMPLE = (
    click.option(
        "--sample",
        "size",
        type=click.IntRange(1),
        metavar="N",
        help="A random sample of N of these responses, labelled ones included.",
    ),
    click.option(
        "--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of the sample."
    ),
)


def _join_options(options: Sequence[Callable[[F], F]]) -> Callable[[F], F]:
    def with_options(command: F) -> F:
        for option in reversed(options):
            command = option(command)
        return command

    return with_options


selection_options = _join_options(_WHAT)
"""What is to be drawn, as `requests` asks, too."""

endpoint_options = _join_options((*_WHERE, *_SETTINGS))
curtail_options = _join_options(_CURTAIL)
sample_options = _join_options(_SAMPLE)
"""How many of the responses are to be graded."""

sampling_options = _join_options((*_WHAT, *_HOW, *_CURTAIL))
"""What is to be drawn and how, shared by `sample` and `run`."""


@click.command("sample")
@sampling_options
@click.option("--grader", metavar="G[,G2]", help="With --curtail: the graders whose labels decide.")
@database_option
def sample_command(database: Path, grader: str | None, **asked: Any) -> None:
    """Sample responses from a model; only what is missing.

    First the model is checked as by `models --check`; if it fails, nothing is sampled. You can
    stop it at any time and run the same command again. Tasks: completion, contextual, direct,
    direct_natural, reverse, reverse_natural, mc_direct, mc_direct_natural, mc_reverse,
    mc_reverse_natural. With thinking on, the two encoding tasks are sampled only if you name them
    together with --thinking on.

    A base model continues a text and cannot chat: on a raw completions endpoint it gets the text
    as it is, and questions after four answered ones. The endpoint is found by trying and stays the
    same for a name; use `--questions raw` for a base model that has a chat template.
    """
    if (grader is not None) != asked["curtail"] and not asked["jobs"]:
        raise click.UsageError("--curtail and --grader belong together: it needs labels to decide")
    _go(database, split_names(grader) if grader else (), **asked)


@click.command("run")
@sampling_options
@click.option("--grader", default="lexical", show_default=True, metavar="G[,G2]")
@database_option
def run_command(database: Path, grader: str, **asked: Any) -> None:
    """Sample responses from a model and grade them; only what is missing.

    With --curtail, it stops asking about a question or fact once its profile is certain under one
    policy. `--job N` resumes a job that stopped (`lostkeys jobs` lists them).
    """
    _go(database, split_names(grader), **asked)


def _go(
    database: Path,
    graders: Sequence[str],
    jobs: Sequence[int],
    yes: bool,
    max_cost: float | None,
    dry_run: bool,
    view: str | None,
    **asked: Any,
) -> None:
    if jobs:
        go_on(database, jobs, max_cost, yes, dry_run)
        return
    if asked["model"] is None:
        raise click.UsageError("Missing option '--model'.")
    asked["where"] = read_where(database, view, asked["where"])
    spec = spec_of(graders=tuple(graders), **asked)
    if dry_run or max_cost is not None:
        estimate(database, spec, max_cost, dry_run)
    if not dry_run:
        finish(database, spec, max_cost)


def read_where(database: Path, view: str | None, where: str | None) -> str | None:
    """The filter that was typed, within a saved view if one is named. Raises `UsageError`."""
    if view is None:
        return where
    from core.views.saved_views import find
    from core.views.where_resolver import resolve_view

    return resolve_view(database, find(view), where)


def spec_of(
    model: str,
    label: str | None,
    thinking: str,
    tasks: str | None,
    where: str | None,
    facts: int | None,
    graders: tuple[str, ...],
    curtail: bool,
    tau: float,
    strategy: str,
    weight: float,
    limits: str | None,
    **others: Any,
) -> "AnsweringSpec":
    """What a command's options ask for. Raises `UsageError` for what there is not."""
    from core.graders import grader_table
    from core.jobs.answer_job import check_curtailed
    from core.providers.model_names import label_of, parse
    from core.settings import paths
    from core.specs.answer_specs import AnsweringSpec

    parse(model)
    for name in graders:
        grader_table.check(name)
    check_curtailed(curtail, graders)
    folder = paths.prompts_folder()
    return AnsweringSpec(
        model=model,
        label=(label or "").strip() or label_of(model),
        thinking=THINKING[thinking],
        tasks=None if tasks is None else tuple(task_of(name) for name in split_names(tasks)),
        where=where or "",
        first=facts,
        graders=graders,
        curtailed=Policy(tau, Strategy(strategy), weight, graders) if curtail else None,
        prompts=None if folder is None else str(folder),
        limits=read_limits(others["temperature"], others["effort"], limits),
        **others,
    )


def read_limits(
    temperature: float | None, effort: str | None, limits: str | None
) -> tuple[str, ...]:
    """The limits that were typed, with commas between them. Raises `UsageError`."""
    from core.sampling.recipe_settings import RecipeSettings

    words = tuple(split_names(limits)) if limits is not None else ()
    RecipeSettings.from_words(temperature, effort, words)
    return words


def task_of(name: str) -> Task:
    """The task so named. Raises `UsageError` where there is none."""
    from core.errors import UsageError

    if name not in TASKS:
        raise UsageError(f"no task named {name}: the ten are {', '.join(TASKS)}")
    return Task(name)


def estimate(
    database: Path,
    spec: "AnsweringSpec | GradingSpec",
    max_cost: float | None,
    shown: bool,
) -> None:
    """Say what a run would take, or only that its budget is too small."""
    from core.estimates.estimate import check_budget
    from core.estimates.estimate_text import make_lines
    from core.estimates.estimator import Estimator
    from core.project import OpenProject
    from core.scoring.missing_pairs import ASK_TRIPLES

    with OpenProject(database, "read") as project:
        found = Estimator().estimate(project, spec)
    if shown:
        for line in make_lines(found):
            click.echo(one_line(line) if not line.isascii() else line)
        if found.unprofiled is not None:
            click.echo(f"warning: {found.unprofiled.describe()}; {ASK_TRIPLES}", err=True)
    warning = check_budget(found, max_cost)
    if warning is not None:
        click.echo(f"warning: {warning}", err=True)


def finish(database: Path, spec: "Spec", max_cost: float | None) -> None:
    """Run a job to its end; exit code 1 if something could not be had."""
    from tui.cli.job_follower import run_job

    if run_job(database, spec, max_cost).failed:
        raise click.exceptions.Exit(1)


def go_on(
    database: Path,
    jobs: Sequence[int],
    max_cost: float | None,
    yes: bool,
    dry_run: bool = False,
) -> None:
    """Go on with jobs of the database, one after another, once their addresses are confirmed."""
    if dry_run:
        raise click.UsageError(
            "--dry-run says what a new run would take: name its model instead of --job"
        )
    from core.jobs import remote_control
    from core.jobs.job_service import Jobs
    from tui.cli.job_follower import follow

    specs = {job: remote_control.spec(database, job) for job in jobs}
    for spec in specs.values():
        _confirm(spec, yes)
    running, failed = Jobs(database), 0
    for job, spec in specs.items():
        running.start_stored(job, spec, max_cost)
    for job in specs:
        result = follow(running, job)
        click.echo(f"job {job}: {one_line(result.said)}", err=True)
        failed += result.failed
    if failed:
        raise click.exceptions.Exit(1)


def _confirm(spec: "Spec", yes: bool) -> None:
    """Ask before anything is sent to an address that came out of the database."""
    from core.errors import LostkeysError
    from core.providers.model_names import parse
    from core.settings.known_addresses import known_addresses
    from core.specs.job_kinds import asked_models

    known = known_addresses()
    for model in () if yes else asked_models(spec):
        name = parse(model)
        if not name.is_stranger(known):
            continue
        address = one_line(name.base_url or "", 60)
        if not sys.stdin.isatty():
            raise LostkeysError(f"{address} came out of the database: --yes sends questions there")
        question = f"{address} came out of the database. Send it questions?"
        if not click.confirm(question, err=True):
            raise LostkeysError("nothing was sent")
