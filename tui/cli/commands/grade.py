"""`lostkeys grade`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tui.cli.options import database_option, names
from tui.cli.progress import bar

if TYPE_CHECKING:
    from core.project import Project


@click.command("grade")
@click.option("--grader", required=True, metavar="G[,G2]", help="lexical, exact or choice.")
@database_option
def grade_command(database: Path, grader: str) -> None:
    """Grade responses; only what a grader has not graded yet.

    `lexical` and `exact` read answers in words, `choice` reads multiple choice (answers drawn
    by Lostkeys are labelled by it as they come).
    """
    from core import grading
    from core.project import Project

    graders = names(grader)
    for name in graders:
        grading.builtin(name)
    with Project(database, "write") as project:
        for name in graders:
            grade_all(project, name)


def grade_all(project: "Project", name: str) -> None:
    """Run one grader over everything it has not seen, with a bar."""
    from core import grading

    questions = int((project.index.questions > 0).sum())
    with bar(f"grading with {name}", questions, "questions") as shown:
        graded = grading.grade(project, name, on_graded=shown.advance)
    project.refresh()
    click.echo(f"{name}: {graded:,} responses graded", err=True)
