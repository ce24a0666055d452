"""`lostkeys demo`."""

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

import click
from rich.text import Text

from core.policy import Policy
from tui.cli.commands.profiles import show
from tui.cli.options import database_option
from tui.cli.screen import is_terminal, open_screen
from tui.cli.tables import QUIET, code, console
from tui.cli.text import one_line

if TYPE_CHECKING:
    from core.jobs.specs import DemoSpec
    from core.project import Project


@click.command("demo")
@click.option("--headless", is_flag=True, help="Print progress and results, open no screen.")
@click.option("--facts", type=click.IntRange(1), metavar="N", help="Only the first N facts.")
@click.option("--samples", type=click.IntRange(1, 1024), default=8, show_default=True, metavar="N")
@database_option
def demo_command(database: Path, headless: bool, facts: int | None, samples: int) -> None:
    """Profile the embedded model on bundled facts.

    Puts the facts into the database, asks the model all ten tasks with thinking off and on,
    grades with `exact` and `lexical`, and shows each fact's profile as it is found: on screen,
    or printed where there is no terminal. Stopped and started again, it goes on where it was.
    """
    from core.demo.job import prepare
    from core.jobs.specs import DemoSpec
    from core.project import Project

    spec = DemoSpec(facts, samples)
    with Project(database, "create") as project:
        prepare(project, facts)
        if headless or not is_terminal():
            _print(project, spec)
            return
    open_screen(database, spec)


def _print(project: "Project", spec: "DemoSpec") -> None:
    """Draw and grade, printing progress and results."""
    from core import report
    from core.demo.job import GRADERS
    from core.jobs import Jobs, Means
    from tui.cli.watching import follow

    out, through = console(), SimpleQueue[int]()
    out.print(
        Text(
            f"{len(project.index)} facts in {one_line(str(project.path))}, "
            f"{spec.samples} samples of each question",
            QUIET,
        )
    )
    jobs = Jobs(project.path, means=Means(on_fact=through.put))
    result = follow(jobs, jobs.start(spec), _results(project, through))
    click.echo(one_line(result.said), err=True)
    project.refresh()
    found = report.profiles(project, Policy())
    out.print()
    show(found.as_json())
    out.print()
    a, b = GRADERS
    out.print(Text(f"`lostkeys confusion {a} {b}` shows where the two graders differ,", QUIET))
    out.print(Text("`lostkeys profiles --per-fact` each fact with its profile.", QUIET))
    if result.failed:
        raise click.exceptions.Exit(1)


def _results(project: "Project", through: "SimpleQueue[int]") -> Callable[[], Iterator[Text]]:
    """What to print of the facts that are through: each with its profile."""
    from core.demo.job import judge

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
