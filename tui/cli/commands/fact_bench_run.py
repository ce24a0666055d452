"""`lostkeys fact-bench run`: a model asked about the triples of a set, in several modes."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from core.modes import MODES
from tui.cli.commands.fact_bench_sets import set_option
from tui.cli.commands.sample import WORDS, finish, go_on
from tui.cli.options import Dollars, JobNumber, database_option, request_options, split_names
from tui.cli.terminal_text import one_line

if TYPE_CHECKING:
    from core.specs.answer_specs import ArmsSpec

SPLITS = ("eval", "subset", "train", "all")


@click.command("run")
@click.option("--model", metavar="M", help="Such as embedded:smollm2-135m.")
@click.option("--as", "label", metavar="LABEL", help="The name to keep it under.")
@click.option("--mode", "modes", metavar="MODE[,MODE]", help=f"{MODES[0].upper()}{MODES[1:]}.")
@click.option(
    "--restate",
    is_flag=True,
    help="recite-K-shot recites the triple as a sentence; kept as recite-K-shot-restated.",
)
@set_option
@click.option(
    "--split", type=click.Choice(SPLITS), help="Default: the subset where there is one, else eval."
)
@click.option("--where", metavar="FILTER", default="", help="Only facts that fit.")
@click.option("--facts", "first", type=click.IntRange(1), metavar="N", help="Only the first N.")
@click.option(
    "--known-by", metavar="G", help="Who says what is known; default: the judge, else lexical."
)
@click.option(
    "--endpoint",
    type=click.Choice(WORDS),
    default="auto",
    show_default=True,
    help="Where it is asked; auto: with exemplars raw where that is, else by chat.",
)
@click.option("--grader", default="em", show_default=True, metavar="G[,G2]")
@click.option("--only-failed", is_flag=True, help="Only what could not be answered before.")
@click.option("--max-cost", type=Dollars(), metavar="USD", help="Stop before this.")
@click.option("--dry-run", is_flag=True, help="Say what it would take, ask nothing.")
@click.option(
    "--via",
    type=click.Choice(["requests", "batch"]),
    default="requests",
    show_default=True,
    help="By single requests, or by the service's batches at a lower price.",
)
@request_options
@click.option("--raw", is_flag=True, help="Keep requests and responses beside the database.")
@click.option("--unchecked", is_flag=True, help="Do not check first whether the model is fit.")
@click.option("--job", "jobs", type=JobNumber(), multiple=True, metavar="N", help="Go on with it.")
@click.option("--yes", is_flag=True, help="With --job: ask addresses out of the database.")
@database_option
def run_arms_command(
    database: Path,
    model: str | None,
    modes: str | None,
    max_cost: float | None,
    dry_run: bool,
    jobs: Sequence[int],
    yes: bool,
    **asked: Any,
) -> None:
    """Ask a model about a set in these modes, one after another; only what is missing.

    Answers are kept under LABEL#MODE: one greedy answer a triple, thinking off. Exemplars are the
    same for every model, but for those chosen by what the model knows; what was sent is written
    down and shown by `fact-bench exemplars`. Stop it at any time: the same command goes on.
    """
    if jobs:
        go_on(database, jobs, max_cost, yes, dry_run)
        return
    for name, value in (("--model", model), ("--mode", modes)):
        if value is None:
            raise click.UsageError(f"Missing option '{name}'.")
    spec = arms_spec(str(model), str(modes), **asked)
    if dry_run or max_cost is not None:
        _estimate(database, spec, max_cost, dry_run)
    if not dry_run:
        finish(database, spec, max_cost)


def arms_spec(
    model: str,
    modes: str,
    label: str | None,
    grader: str,
    known_by: str | None,
    restate: bool = False,
    **others: Any,
) -> "ArmsSpec":
    """What a command's options ask for. Raises `UsageError` for what there is not."""
    from core.graders import grader_table
    from core.providers.model_names import parse
    from core.settings import paths
    from core.specs.answer_specs import ArmsSpec

    parse(model)
    graders = tuple(split_names(grader))
    for name in (*graders, *([known_by] if known_by else [])):
        grader_table.check(name)
    folder = paths.prompts_folder()
    return ArmsSpec(
        model=model,
        label=(label or "").strip() or model,
        modes=_read_modes(modes, restate),
        graders=graders,
        known_by=known_by,
        prompts=None if folder is None else str(folder),
        **others,
    )


def _read_modes(text: str, restate: bool) -> tuple[str, ...]:
    """The modes that were typed. Raises `UsageError` for one that there is not."""
    from core.errors import UsageError
    from core.modes import parse_mode

    modes = [parse_mode(mode) for mode in split_names(text)]
    if restate and not any(mode.recites for mode in modes):
        raise UsageError("--restate says what recite-K-shot recites: --mode names none")
    return tuple(
        str(mode._replace(restated=True) if restate and mode.recites else mode) for mode in modes
    )


def _estimate(database: Path, spec: "ArmsSpec", max_cost: float | None, shown: bool) -> None:
    """Say what a run would take, or only that its budget is too small."""
    from core.estimates.arms_estimate import estimate_arms
    from core.estimates.estimate import check_budget
    from core.estimates.estimate_text import make_lines
    from core.estimates.estimator import Estimator
    from core.project import Project

    with Project(database, "read") as project:
        found = estimate_arms(project, spec, Estimator())
    for line in make_lines(found) if shown else ():
        click.echo(one_line(line) if not line.isascii() else line)
    warning = check_budget(found, max_cost)
    if warning is not None:
        click.echo(f"warning: {warning}", err=True)
