"""`lostkeys sample` and `lostkeys run`."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from core.names import TASKS, Task
from tui.cli.options import database_option, names
from tui.cli.progress import bar
from tui.cli.text import one_line

if TYPE_CHECKING:
    from rich.text import Text

    from core.project import Project
    from core.providers.base import Provider
    from core.sampling.engine import Outcomes, Plan

F = TypeVar("F", bound=Callable[..., Any])

THINKING = {"off": (False,), "on": (True,), "both": (False, True)}


def sampling_options(command: F) -> F:
    """What is to be drawn, shared by `sample` and `run`."""
    for option in reversed(
        (
            click.option("--model", required=True, metavar="M", help="Such as openai:MODEL."),
            click.option("--as", "label", metavar="LABEL", help="The name to keep it under."),
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
            click.option("--where", metavar="FILTER", help="Only facts that fit."),
            click.option("--facts", type=click.IntRange(1), metavar="N", help="Only the first N."),
            click.option(
                "--unchecked", is_flag=True, help="Do not check first whether the model is fit."
            ),
        )
    ):
        command = option(command)
    return command


@click.command("sample")
@sampling_options
@database_option
def sample_command(database: Path, unchecked: bool, **asked: Any) -> None:
    """Draw responses from a model; only what is missing.

    First the model is checked as `models --check` does; nothing is drawn from one that fails.
    Stop it at any time: what was answered is kept, and the same command goes on. Tasks:
    completion, contextual, direct, direct_natural, reverse, reverse_natural, mc_direct,
    mc_direct_natural, mc_reverse, mc_reverse_natural. With thinking on the two encoding tasks
    are drawn only when named together with --thinking on.
    """
    from core.project import Project

    with Project(database, "write") as project:
        outcomes = draw(project, plan_of(project, **asked), checked=not unchecked)
    fail_if_any(outcomes)


@click.command("run")
@sampling_options
@click.option("--grader", default="lexical", show_default=True, metavar="G[,G2]")
@database_option
def run_command(database: Path, grader: str, unchecked: bool, **asked: Any) -> None:
    """Draw responses from a model and grade them; only what is missing."""
    from core import grading
    from core.project import Project
    from tui.cli.commands.grade import grade_all

    graders = names(grader)
    for name in graders:
        grading.builtin(name)
    with Project(database, "write") as project:
        outcomes = draw(project, plan_of(project, **asked), checked=not unchecked)
        for name in graders:
            grade_all(project, name)
    fail_if_any(outcomes)


def plan_of(
    project: "Project",
    model: str,
    label: str | None,
    thinking: str,
    samples: int,
    tasks: str | None,
    where: str | None,
    facts: int | None,
) -> "Plan":
    """The plan that a command's options ask for."""
    from core import places
    from core.policy import Policy
    from core.sampling.engine import Plan

    chosen = project.facts(where, project.models(), Policy())
    if facts is not None:
        chosen[chosen.nonzero()[0][facts:]] = False
    return Plan(
        model=model,
        label=(label or "").strip() or model,
        samples=samples,
        facts=chosen,
        thinking=THINKING[thinking],
        tasks=None if tasks is None else tuple(_task(name) for name in names(tasks)),
        prompts=places.prompts_folder(),
    )


def _task(name: str) -> Task:
    from core.errors import UsageError

    if name not in TASKS:
        raise UsageError(f"no task named {name}: the ten are {', '.join(TASKS)}")
    return Task(name)


def draw(
    project: "Project",
    plan: "Plan",
    result_of: "Callable[[int], Text] | None" = None,
    checked: bool = True,
) -> "Outcomes":
    """Fill the missing slots of a plan with a bar, and say what came of it.

    `result_of` gives the line to print for a fact (its id) that is through; `checked`: whether
    the model has to pass its preflight first.
    """
    from core.providers.registry import open_provider
    from core.sampling.engine import Sampling

    name = one_line(plan.label, 40)

    async def fill() -> "Outcomes":
        provider = open_provider(plan.model)
        try:
            asked = await _ready(project, provider, plan) if checked else provider
            sampling = Sampling(project, asked, plan)
            with bar(f"asking {name}", sampling.outcomes.wanted) as shown:

                def on_fact(fact: int) -> None:
                    if result_of is not None:
                        shown.print(result_of(fact))

                return await sampling.run(shown.advance, on_fact)
        finally:
            await provider.close()

    outcomes = asyncio.run(fill())
    project.refresh()
    _tell(name, outcomes)
    return outcomes


async def _ready(project: "Project", provider: "Provider", plan: "Plan") -> "Provider":
    """The provider to draw with, once the model has passed its checks."""
    from rich.text import Text

    from core.preflight import ready
    from tui.cli.tables import console

    name = one_line(plan.label, 40)
    with console(stderr=True).status(Text(f"checking {name}")):
        asked = await ready(project, provider, plan)
    if asked is not provider:
        click.echo(f"{name}: the server sends one answer to a request: asking singly", err=True)
    return asked


def fail_if_any(outcomes: "Outcomes") -> None:
    """End with exit code 1 if a slot could not be filled."""
    if outcomes.failed:
        raise click.exceptions.Exit(1)


def _tell(name: str, outcomes: "Outcomes") -> None:
    if outcomes.wanted:
        click.echo(f"{name}: {outcomes.drawn:,} responses drawn", err=True)
    else:
        click.echo(f"{name}: every response is there already", err=True)
    for reason, count in outcomes.reasons.most_common():
        click.echo(f"{count:,} failed: {one_line(reason)}; the same command tries again", err=True)
    if outcomes.reasoned:
        click.echo(
            f"warning: {outcomes.reasoned:,} responses with thinking off show reasoning", err=True
        )
