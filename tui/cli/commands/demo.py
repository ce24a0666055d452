"""`lostkeys demo`."""

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

import click
from rich.text import Text

from core.scoring.policy import Policy
from tui.cli.app_launch import is_terminal, open_screen
from tui.cli.commands.profiles import show
from tui.cli.options import database_option
from tui.cli.tables import QUIET, code, console
from tui.cli.terminal_text import name_command, one_line

if TYPE_CHECKING:
    from core.jobs.followed_job import FollowedJob
    from core.project import OpenProject
    from core.specs.answer_specs import DemoSpec


@click.command("demo")
@click.option(
    "--headless", is_flag=True, help="Print progress and results instead of opening the screens."
)
@click.option("--facts", type=click.IntRange(1), metavar="N", help="Only the first N facts.")
@click.option(
    "--relation",
    is_flag=True,
    help="Score a relation (countries and capitals) without questions instead.",
)
@click.option("--samples", type=click.IntRange(1, 1024), default=8, show_default=True, metavar="N")
@database_option
def demo_command(
    database: Path, headless: bool, facts: int | None, relation: bool, samples: int
) -> None:
    """Profile the embedded model, SmolLM2-135M-Instruct, on bundled facts.

    The model answers all ten tasks about each fact, with thinking off and on; `exact` and
    `lexical` grade the answers; and each profile appears once it is known: on the screens, or as
    text if there is no terminal. Run it again to resume. If another program already works on it,
    you see its progress.

    With --relation, it imports 190 countries and their capitals and scores how probable each
    capital is after fifty pairs (`zp-lke run`); F8 shows the result.
    """
    if relation:
        _score_relation(database, facts, headless or not is_terminal())
        return
    from core.demo.demo_setup import prepare
    from core.jobs import remote_control
    from core.jobs.followed_job import FollowedJob
    from core.project import OpenProject
    from core.specs.answer_specs import DemoSpec

    spec = DemoSpec(facts, samples)
    with OpenProject(database, "create") as project:
        prepare(project, facts)
        held = remote_control.find_running(project.connection, spec)
        followed = None if held is None else FollowedJob(held)
        if headless or not is_terminal():
            _print(project, spec, followed)
            return
    open_screen(database, spec if followed is None else None, followed)
    explain_commands()


def _score_relation(database: Path, facts: int | None, printed: bool) -> None:
    """Bring the demo's relation and have it scored, on screen or printed."""
    from core.demo.demo_setup import relation_import, relation_scoring
    from tui.cli.job_follower import run_job

    run_job(database, relation_import())
    if not printed:
        open_screen(database, relation_scoring(facts))
        return
    failed = run_job(database, relation_scoring(facts)).failed
    out = console()
    command = name_command()
    out.print(Text(f"`{command} zp-lke analyze accuracy` says how many are right,", QUIET))
    out.print(Text(f"`{command} zp-lke facts` each fact with what is most probable.", QUIET))
    explain_commands()
    if failed:
        raise click.exceptions.Exit(1)


def _print(project: "OpenProject", spec: "DemoSpec", followed: "FollowedJob | None") -> None:
    """Draw and grade, or follow the program that does, printing progress and results."""
    from core.demo.demo_setup import GRADERS
    from core.results import profile_summary

    out = console()
    out.print(
        Text(
            f"{len(project.index)} facts in {one_line(str(project.path))}, "
            f"{spec.samples} samples of each question",
            QUIET,
        )
    )
    failed = _run(project, spec) if followed is None else _follow(project, spec, followed)
    project.refresh()
    found = profile_summary.profiles(project, Policy())
    out.print()
    show(found.as_json())
    out.print()
    a, b = GRADERS
    command = name_command()
    out.print(Text(f"`{command} confusion {a} {b}` shows where the two graders differ,", QUIET))
    out.print(Text(f"`{command} profiles --per-fact` each fact with its profile,", QUIET))
    explain_commands()
    if failed:
        raise click.exceptions.Exit(1)


def explain_commands() -> None:
    """How one goes on from here, and how the command is had without `uv run` if it was run so."""
    out, command = console(), name_command()
    out.print(Text(f"`{command} import FILE` brings facts and answers of your own.", QUIET))
    if command != "lostkeys":
        words = "`uv tool install .` makes `lostkeys` a command by itself."
        out.print(Text(words, QUIET))


def _run(project: "OpenProject", spec: "DemoSpec") -> bool:
    """Do the job; gives whether something of it has failed."""
    from core.jobs.job_run import JobContext
    from core.jobs.job_service import Jobs
    from tui.cli.job_follower import follow

    through = SimpleQueue[int]()
    jobs = Jobs(project.path, means=JobContext(on_fact=through.put))
    result = follow(jobs, jobs.start(spec), _results(project, through))
    click.echo(one_line(result.said), err=True)
    return bool(result.failed)


def _follow(project: "OpenProject", spec: "DemoSpec", followed: "FollowedJob") -> bool:
    """Follow the job of another program; where that leaves it, do the rest."""
    from core.errors import LostkeysError
    from core.jobs.job_progress import State
    from tui.cli.job_follower import follow_other

    click.echo(f"job {followed.job} is under way in another program, which is followed", err=True)
    view = follow_other(project, followed)
    if view is None or view.state is State.STOPPED:
        return _run(project, spec)
    if view.state is not State.FINISHED:
        raise LostkeysError(f"{view.name}: {one_line(view.reason)}")
    click.echo(one_line(view.reason), err=True)
    return any(stage.failed for stage in view.stages)


def _results(project: "OpenProject", through: "SimpleQueue[int]") -> Callable[[], Iterator[Text]]:
    """What to print of the facts that are through: each with its profile."""
    from core.demo.demo_setup import judge

    width, entities = console().width, project.entities()
    numbers = count(1)

    def result_of(fact: int) -> Text:
        verdict = judge(project, fact)
        subject, object_ = entities[verdict.fact_id]
        line = Text(f"{next(numbers):>3} of {len(project.index)}  ", QUIET)
        line += code(verdict.profile, verdict.e, verdict.k0)
        return line + Text("  " + one_line(f"{subject} → {object_}", width - 20))

    def results() -> Iterator[Text]:
        while True:
            try:
                yield result_of(through.get_nowait())
            except Empty:
                return

    return results
