"""`lostkeys policies`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.table import Table
from rich.text import Text

from core.scoring.policy import Policy
from tui.cli.options import database_option, json_option, policy_options
from tui.cli.tables import QUIET, cell, console
from tui.cli.terminal_text import one_line, print_json

if TYPE_CHECKING:
    from core.results.saved_policies import SavedPolicy


@click.command("policies")
@click.option("--save", metavar="NAME", help="Save the policy that the options below describe.")
@click.option("--remove", metavar="NAME", help="Remove a policy and the profiles saved with it.")
@json_option
@policy_options
@database_option
def policies_command(
    database: Path, policy: Policy, save: str | None, remove: str | None, as_json: bool
) -> None:
    """List the saved policies, or save one under a name.

    A policy is a threshold, a strategy, the weight of PARTIALLY and the graders that count.
    Everything made under a policy carries its name.
    """
    from core.project import OpenProject
    from core.results import saved_policies

    changing = save is not None or remove is not None
    with OpenProject(database, "write" if changing else "read", counts=True) as project:
        if remove is not None:
            saved_policies.remove(project, remove)
        if save is not None:
            saved_policies.save(project, save, policy)
        found = saved_policies.list_policies(project)
    if as_json:
        print_json({"policies": [one.as_json() for one in found]})
    else:
        show(found)


def show(found: "list[SavedPolicy]") -> None:
    """Print one line a policy."""
    out = console()
    if not found:
        out.print("No policy is saved: `lostkeys policies --save NAME --tau 0.75` saves one.")
        return
    table = Table(box=None, padding=(0, 2, 0, 0), header_style=QUIET, pad_edge=False)
    for name in ("policy", "tau", "strategy", "graders", "profiles", "saved (UTC)"):
        table.add_column(
            name,
            justify="right" if name == "profiles" else "left",
            no_wrap=name not in ("policy", "graders"),
        )
    for kept in found:
        one = kept.as_json()
        weight = "" if one["weight"] is None else f" {one['weight']}"
        graders = () if kept.policy is None else kept.policy.graders or ()
        table.add_row(
            cell(kept.name, 40),
            "–" if kept.policy is None else f"{one['tau']}",
            "cannot be read" if kept.policy is None else f"{one['strategy']}{weight}",
            Text(", ".join(map(one_line, graders))),
            f"{kept.profiles:,}",
            Text(one_line(kept.at[: len("2026-01-01 00:00")])),
        )
    out.print(table)
