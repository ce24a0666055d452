"""`lostkeys zp-lke run`, `zp-lke positions` and `zp-lke check`."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from core.stats.number_format import format_amount
from tui.cli.options import (
    MOST,
    Dollars,
    JobNumber,
    ModelParameter,
    database_option,
    json_option,
    request_options,
    split_names,
    timeout_option,
)
from tui.cli.terminal_text import one_line, print_json
from tui.text.typed_number import parse_counts

if TYPE_CHECKING:
    from core.specs.answer_specs import ScoringSpec

F = TypeVar("F", bound=Callable[..., Any])


def how_options(command: F) -> F:
    """How a run goes: its budget, and whether it asks at all."""
    for option in reversed(
        (
            click.option(
                "--max-cost",
                type=Dollars(),
                metavar="USD",
                help="Stop before it costs more than this.",
            ),
            click.option("--dry-run", is_flag=True, help="Show what it would ask, and stop."),
            click.option(
                "--unchecked", is_flag=True, help="Skip the check of the model before the run."
            ),
            request_options,
            click.option(
                "--job",
                "jobs",
                type=JobNumber(),
                multiple=True,
                metavar="N",
                help="Resume this job.",
            ),
            click.option(
                "--yes",
                is_flag=True,
                help="With --job: send requests to addresses from the database without asking.",
            ),
        )
    ):
        command = option(command)
    return command


@click.command("run")
@click.option(
    "--model", type=ModelParameter(), metavar="M", help="The model, such as embedded:smollm2-135m."
)
@click.option("--as", "label", metavar="NAME", help="Keep the responses under this name.")
@click.option("--relation", metavar="R[,R2]", help="Only these relations.")
@click.option("--set", "set_name", metavar="NAME", help="Name of the set of the relations.")
@click.option("--examples", default="50", show_default=True, metavar="N,..")
@click.option("--seed", default="0", show_default=True, metavar="S,..")
@click.option("--order", default="0", show_default=True, metavar="K,..")
@click.option("--form", default="zero-prompt", show_default=True, metavar="F,..")
@click.option(
    "--inject", default=None, metavar="I,..", help="Altered examples, such as incorrect:40:block."
)
@click.option("--options", type=click.IntRange(1, MOST), default=100, show_default=True)
@click.option(
    "--test",
    type=click.Choice(["choice", "response", "both"]),
    default="choice",
    show_default=True,
    help="Test the most probable option, the model's continuation, or both.",
)
@click.option(
    "--tokens",
    type=click.IntRange(1, 64),
    default=10,
    show_default=True,
    metavar="K",
    help="Length of the continuation in tokens.",
)
@click.option("--facts", type=click.IntRange(1), metavar="N", help="The first N of each relation.")
@click.option("--where", metavar="FILTER", help="Only facts that match this filter.")
@how_options
@database_option
def run_latent_command(
    database: Path,
    model: str | None,
    label: str | None,
    relation: str | None,
    set_name: str | None,
    examples: str,
    seed: str,
    order: str,
    form: str,
    inject: str | None,
    options: int,
    test: str,
    tokens: int,
    facts: int | None,
    where: str | None,
    **how: Any,
) -> None:
    """Score facts of relations; only what is missing.

    Relations with too few examples or objects are skipped, and the reason is shown first. You can
    stop it at any time and run the same command again.
    """
    from core.specs.answer_specs import ScoringSpec

    def spec(named: str) -> ScoringSpec:
        return ScoringSpec(
            named,
            _label(label, named),
            None if relation is None else tuple(split_names(relation)),
            set_name,
            _numbers("--examples", examples),
            _numbers("--seed", seed, -MOST),
            _numbers("--order", order),
            tuple(split_names(form)),
            (None,) if inject is None else tuple(split_names(inject)),
            options,
            tokens,
            ("choice", "response") if test == "both" else (test,),
            facts,
            where or "",
            how["unchecked"],
            how["timeout"],
            how["in_flight"],
        )

    _go(database, model, spec, **how)


@click.command("positions")
@click.option(
    "--model", type=ModelParameter(), metavar="M", help="The model, such as embedded:smollm2-135m."
)
@click.option("--as", "label", metavar="NAME", help="Keep the responses under this name.")
@click.option("--relation", metavar="R", help="The relation of the input.")
@click.option("--set", "set_name", metavar="NAME", help="Name of the set of the relation.")
@click.option("--length", type=click.IntRange(1), default=200, show_default=True)
@click.option("--seed", type=click.IntRange(-MOST, MOST), default=0, show_default=True)
@click.option(
    "--inject", default=None, metavar="I", help="Altered examples, such as unknown:40:scattered."
)
@how_options
@database_option
def positions_command(
    database: Path,
    model: str | None,
    label: str | None,
    relation: str | None,
    set_name: str | None,
    length: int,
    seed: int,
    inject: str | None,
    **how: Any,
) -> None:
    """Score the object at each place of one long input of a relation; only what is missing."""
    from core.specs.answer_specs import ScoringSpec

    if relation is None and not how["jobs"]:
        raise click.UsageError("Missing option '--relation'.")

    def spec(named: str) -> ScoringSpec:
        return ScoringSpec(
            named,
            _label(label, named),
            (relation or "",),
            set_name,
            (length,),
            (seed,),
            injects=(inject,),
            tests=("positions",),
            unchecked=how["unchecked"],
            timeout=how["timeout"],
            in_flight=how["in_flight"],
        )

    _go(database, model, spec, **how)


@click.command("check")
@click.option(
    "--model",
    type=ModelParameter(),
    metavar="M",
    required=True,
    help="The model, such as embedded:smollm2-135m.",
)
@timeout_option
@json_option
def check_way_command(model: str, timeout: float | None, as_json: bool) -> None:
    """Check whether a model returns usable log probabilities.

    It asks for a few scores of capitals: are they complete, is the right one first, and are they
    the same in another order, after another text and at another temperature? A run does this check
    by itself. Nothing is saved.
    """
    import asyncio

    from core.providers.logprobs.self_test import SelfTest, check_scorer
    from core.providers.registry import open_scorer

    async def check() -> SelfTest:
        scorer = open_scorer(model)
        scorer.deadline.timeout = timeout
        try:
            return await check_scorer(scorer)
        finally:
            await scorer.close()

    found = asyncio.run(check())
    if as_json:
        print_json({"model": model, "passed": found.passed, **found.as_json()})
    else:
        way = f"log probabilities by {found.way}, {found.exactness}"
        click.echo(f"{one_line(model)}: {one_line(way if found.passed else found.refusal)}")
    if not found.passed:
        raise click.exceptions.Exit(1)


def _label(label: str | None, model: str) -> str:
    from core.providers.model_names import label_of

    return (label or "").strip() or label_of(model)


def _numbers(option: str, text: str, least: int = 0) -> tuple[int, ...]:
    """Whole numbers of a comma-separated list, each once."""
    try:
        return parse_counts(split_names(text), least)
    except ValueError as error:
        raise click.BadParameter(f"{option}: {one_line(str(error))}") from None


def _go(
    database: Path,
    model: str | None,
    spec: "Callable[[str], ScoringSpec]",
    max_cost: float | None,
    dry_run: bool,
    jobs: Sequence[int],
    yes: bool,
    **how: Any,
) -> None:
    """Run a job, go on with some, or say what it would take."""
    from core.providers.model_names import parse
    from tui.cli.commands.sample import finish, go_on

    if jobs:
        go_on(database, jobs, max_cost, yes, dry_run)
        return
    if model is None:
        raise click.UsageError("Missing option '--model'.")
    parse(model)
    if dry_run:
        _estimate(database, spec(model))
    else:
        finish(database, spec(model), max_cost)


def _estimate(database: Path, spec: "ScoringSpec") -> None:
    """Say what a run would ask, and what it would leave out; nothing is asked for scores."""
    import asyncio

    from core.estimates.score_estimate import measure_plan, time_row
    from core.project import OpenProject
    from core.providers.registry import describe, open_scorer
    from core.zero_prompt.score_cost import cost_of
    from core.zero_prompt.score_plan import RESPONSE, ScorePlan, plan_scores
    from core.zero_prompt.score_recipe import find_known_way

    async def count(project: OpenProject, plan: ScorePlan) -> None:
        scorer = open_scorer(spec.model, find_known_way(project, spec.label))
        try:
            cost = await cost_of(project, plan, scorer, describe(spec.model))
        finally:
            await scorer.close()
        of = f"{cost.tokens:,} tokens, {cost.cached:,} of them cached"
        click.echo(f"about {format_amount(cost.requests, 'request')}, {of}")

    with OpenProject(database, "read") as project:
        plan = plan_scores(project, spec)
        for test in plan.tests:
            left, there = plan.count(test)
            click.echo(f"{test}: {left:,} to ask, {there:,} there already")
        time = time_row(measure_plan(project, spec.model, plan))
        click.echo(f"{time.name}: {', '.join(filter(None, (time.what, time.beside)))}")
        for line in plan.left_out:
            click.echo(f"left out: {one_line(line)}")
        if any(plan.count(test)[0] for test in plan.tests if test != RESPONSE):
            asyncio.run(count(project, plan))
