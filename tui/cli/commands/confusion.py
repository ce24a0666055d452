"""`lostkeys confusion`."""

from pathlib import Path

import click
from rich.table import Table

from core.names import TASKS, Task
from core.policy import Policy
from tui.cli.options import database_option, json_option, policy_options, subset_options
from tui.cli.tables import QUIET, agreement_line, console, matrix_table
from tui.cli.text import one_line, print_json


@click.command("confusion")
@click.argument("grader_a")
@click.argument("grader_b")
@click.option("--task", type=click.Choice([str(task) for task in TASKS]), help="Only this task.")
@json_option
@subset_options
@policy_options
@database_option
def confusion_command(
    database: Path,
    policy: Policy,
    models: list[str] | None,
    where: str | None,
    grader_a: str,
    grader_b: str,
    task: str | None,
    as_json: bool,
) -> None:
    """Compare the labels of two graders over the responses that both have labelled.

    A disagreement is consequential if taking B's label for that response alone changes whether
    its question passes, and profile-changing if it changes the fact's profile.
    """
    from core.agreement import compare
    from core.project import Project

    with Project(database, "read") as project:
        chosen = project.choose_models(models)
        facts = project.facts(where, chosen, policy)
        tasks = TASKS if task is None else (Task(task),)
        found = compare(project, grader_a, grader_b, policy, chosen, facts, tasks)
    document = found.as_json()
    if as_json:
        print_json(document)
        return
    out = console()
    if not found.overall.n:
        a, b = one_line(grader_a), one_line(grader_b)
        out.print(f"{a} and {b} have labelled no response in common: grade the same ones first.")
        return
    out.print(matrix_table(document, grader_a, grader_b))
    out.print()
    table = Table(box=None, padding=(0, 2, 0, 0), header_style=QUIET, pad_edge=False)
    for name in ("", "both", "agree %", "kappa", "alpha"):
        table.add_column(name, justify="right" if name else "left", no_wrap=bool(name))
    table.add_row(*agreement_line("all", document), style="bold")
    for part in ("by_task", "by_model"):
        rows = document[part]
        assert isinstance(rows, dict)
        for name, row in rows.items():
            table.add_row(*agreement_line(name, row))
    out.print(table)
    out.print()
    out.print(
        f"{len(found.disagreements.a):,} disagreements: {found.consequential:,} change a question, "
        f"{found.profile_changing:,} of all change a profile"
    )
