"""`lostkeys audit`."""

import json
from collections.abc import Callable, Mapping
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from rich.table import Table
from rich.text import Text

from core.errors import UsageError
from core.scoring.policy import Policy
from tui.cli.options import database_option, json_option, reading_options
from tui.cli.tables import QUIET, console, format_gap, gap_span, percent, policy_line, span
from tui.cli.terminal_text import one_line, print_json

if TYPE_CHECKING:
    from core.certainty.audit_frame import AuditFrame
    from core.project import OpenProject

F = TypeVar("F", bound=Callable[..., Any])

_ABOUT = "recall_failure"

within_option = click.option(
    "--within",
    type=float,
    metavar="X",
    help="Half the width of the interval that you want: 0.03 is ±3 points.",
)
about_option = click.option(
    "--number",
    "about",
    default=_ABOUT,
    show_default=True,
    metavar="N",
    help="The number that --within is about: a profile, encodes, knows or knows_thinking.",
)
facts_option = click.option("--facts", type=int, metavar="K", help="Number of facts.")


def frame_options(command: F) -> F:
    """What an audit is drawn by; gives the command `plan_of`, which makes a plan of a project."""

    @click.option(
        "--second",
        metavar="G",
        help="Draw facts on which G differs from the graders three times as often.",
    )
    @click.option("--person", metavar="human:NAME", help="The person who labels. Default: you.")
    @click.option("--seed", type=int, default=0, show_default=True, help="Seed of the order.")
    @click.option(
        "--trust-exact",
        is_flag=True,
        help="Accept what the grader exact calls CORRECT, until the person labels it.",
    )
    @wraps(command)
    def with_frame(
        *args: Any,
        policy: Policy,
        models: list[str] | None,
        where: str | None,
        second: str | None,
        person: str | None,
        seed: int,
        trust_exact: bool,
        **kwargs: Any,
    ) -> Any:
        def draw(project: "OpenProject") -> "AuditFrame":
            from core.certainty.audit_draw import draw_frame, make_plan

            plan = make_plan(
                project,
                policy,
                person or _own_name(),
                models=models,
                second=second,
                seed=seed,
                where=where,
                trust_exact=trust_exact,
            )
            return draw_frame(project, plan)

        return command(*args, draw=draw, **kwargs)

    return reading_options(with_frame)  # type: ignore[return-value]


def _own_name() -> str:
    from core.settings import preferences

    name = preferences.load().person
    if not name:
        raise UsageError("nobody is named: give --person human:NAME, or set $LOSTKEYS_USER")
    return f"human:{name}"


@click.group("audit", invoke_without_command=True)
@json_option
@database_option
@click.pass_context
def audit_command(ctx: click.Context, database: Path, as_json: bool) -> None:
    """Audit a random sample of facts until an estimate is precise enough.

    Without a command, the audits of the database are listed.
    """
    if ctx.invoked_subcommand is None:
        _list(database, as_json)


def _list(database: Path, as_json: bool) -> None:
    from core.certainty.audit_list import list_audits
    from core.project import OpenProject

    with OpenProject(database, "read") as project:
        rows = list_audits(project)
    if as_json:
        print_json({"audits": rows})
        return
    if not rows:
        click.echo("No audit is drawn: `lostkeys audit draw NAME --model M` draws one.")
        return
    table = _table("audit", "person", "models", "facts", "audited", "decisions", "", "drawn (UTC)")
    for row in rows:
        table.add_row(
            Text(one_line(row["audit"])),
            Text(one_line(row["person"])),
            Text(", ".join(map(one_line, row["models"]))),
            *(f"{row[key]:,}" for key in ("facts", "audited", "decisions")),
            "closed" if row["closed"] else "",
            row["at"][: len("2026-01-01 00:00")],
        )
    console().print(table)


@audit_command.command("draw")
@click.argument("name")
@json_option
@frame_options
def draw_command(
    database: Path, name: str, draw: Callable[["OpenProject"], "AuditFrame"], as_json: bool
) -> None:
    """Draw an audit: fix its facts, their weights and their order.

    It draws from facts that are complete with every model by the graders, without people's labels.
    """
    from core.certainty.audit_draw import keep_frame
    from core.certainty.audit_list import describe_frame
    from core.project import OpenProject

    with OpenProject(database, "write") as project:
        frame = draw(project)
        keep_frame(project, name, frame)
    found = describe_frame(name.strip(), frame)
    if as_json:
        print_json(found)
        return
    click.echo(
        f"{one_line(name)}: {found['facts']:,} facts, {found['weights']['3']:,} of them with "
        f"three times the weight; seed {found['seed']}; {one_line(found['person'])} decides"
    )
    if not found["second"]:
        click.echo("no second grader: all facts weigh the same (--second G names one)")


@audit_command.command("next")
@click.argument("name")
@facts_option
@json_option
@database_option
def next_command(database: Path, name: str, facts: int | None, as_json: bool) -> None:
    """Print the answers to label next, one JSON row each.

    Add `grader` and `label` to each row, then run `lostkeys import FILE --format labels`.
    Identical answers are printed once. It asks about K facts (default 1).
    """
    from core.certainty.audit_evidence import read_evidence
    from core.certainty.audit_frame import find_audit, read_frame
    from core.certainty.audit_queue import next_rows
    from core.project import OpenProject

    many = 1 if facts is None else facts
    if many < 1:
        raise UsageError("--facts counts facts: give 1 or more")
    with OpenProject(database, "read") as project:
        frame = read_frame(project, find_audit(project, name))
        rows = next_rows(project, read_evidence(project, frame), many)
    if as_json:
        print_json({"audit": name, "rows": rows})
        return
    for row in rows:
        click.echo(json.dumps(row))


@audit_command.command("report")
@click.argument("name")
@within_option
@click.option(
    "--facts", type=int, metavar="K", help="Report as if only the first K facts had been audited."
)
@about_option
@json_option
@database_option
def report_command(
    database: Path,
    name: str,
    within: float | None,
    facts: int | None,
    about: str,
    as_json: bool,
) -> None:
    """Show each number as graded, as the person labels, and for other facts.

    The interval for what the person labels holds with 95 % confidence at every look, so you may
    stop as soon as it is narrow enough.
    """
    from core.certainty.audit_evidence import read_evidence
    from core.certainty.audit_frame import find_audit, read_frame
    from core.certainty.audit_report import report_audit
    from core.project import OpenProject

    with OpenProject(database, "read") as project:
        frame = read_frame(project, find_audit(project, name))
        evidence = read_evidence(project, frame)
        found = report_audit(project, name, evidence, within, facts, about).as_json()
    if as_json:
        print_json(found)
    else:
        _show_report(found)


def _show_report(found: Mapping[str, Any]) -> None:
    from core.stats.number_format import format_amount

    out = console()
    out.print(
        f"{found['audited']:,} of {found['facts']:,} facts audited by "
        f"{one_line(found['person'])}, {found['decisions']:,} decisions",
        markup=False,
    )
    out.print(policy_line({"policy": None, **found}))
    if found["edited"]:
        edited = format_amount(found["edited"], "fact")
        out.print(f"{edited} edited since it was drawn: this audit is of the old ones")
    if found["newer"]:
        newer = ", ".join(map(one_line, found["newer"]))
        out.print(f"newer than these graders: {newer}; this audit is of the old ones", markup=False)
    table = _table("model", "number", "graded", "audited", "as labelled here", "other facts")
    for row in found["numbers"]:
        table.add_row(
            Text(one_line(row["model"])),
            row["number"],
            percent(row["graded"]),
            percent(row["audited"]),
            span(row["interval"]),
            span(row["kind_interval"]),
        )
    out.print(table)
    if found["gaps"]:
        _show_gaps(found)
        _show_ranks(found)
    grader = found["grader"]
    if grader["answers"]:
        out.print(
            f"graders wrong on {percent(grader['wrong'])} % of answers "
            f"({span(grader['wrong_interval'])}), by {grader['answers']:,} first answers"
        )
    if found["trusted"]:
        out.print(
            f"{format_amount(found['trusted'], 'answer')} taken as CORRECT, as they equal a gold"
        )
    if found["left"] is not None:
        _show_left(found)


def _show_gaps(found: Mapping[str, Any]) -> None:
    table = _table("number", "of", "less", "graded", "audited", "as labelled here", "other facts")
    for row in found["gaps"]:
        table.add_row(
            row["number"],
            Text(one_line(row["of"])),
            Text(one_line(row["less"])),
            format_gap(row["graded"]),
            format_gap(row["audited"]),
            gap_span(row["interval"]),
            gap_span(row["kind_interval"]),
        )
    console().print(table)


def _show_ranks(found: Mapping[str, Any]) -> None:
    from core.vocabulary import CODES, Profile

    numbers = found["ranks"]
    known = {str(one): CODES[one] for one in Profile}
    table = _table("ranks for sure", *(known.get(name, name) for name in numbers))
    for model in found["models"]:
        ranks = [numbers[name].get(model) for name in numbers]
        table.add_row(Text(one_line(model)), *map(_rank, ranks))
    console().print(table)


def _rank(rank: tuple[int, int] | None) -> str:
    if rank is None:
        return "–"
    low, high = rank
    return str(low) if low == high else f"{low}–{high}"


def _show_left(found: Mapping[str, Any]) -> None:
    left, half = found["left"], f"±{percent(found['within'])} points on {found['about']}"
    if found["done"]:
        console().print(f"{half}: done")
        return
    console().print(
        f"{half}: about {left['facts']['p50']:,} more facts, {left['decisions']:,} decisions; "
        f"nine times in ten within {left['facts']['p90']:,} facts"
    )


@audit_command.command("plan")
@within_option
@about_option
@json_option
@frame_options
def plan_command(
    database: Path,
    draw: Callable[["OpenProject"], "AuditFrame"],
    within: float | None,
    about: str,
    as_json: bool,
) -> None:
    """Show how many facts and decisions an audit would take; nothing is saved."""
    from core.certainty.audit_evidence import read_evidence
    from core.certainty.audit_list import describe_frame
    from core.certainty.audit_report import report_audit
    from core.project import OpenProject

    with OpenProject(database, "read") as project:
        frame = draw(project)
        evidence = read_evidence(project, frame)
        half = 0.03 if within is None else within
        report = report_audit(project, "", evidence, half, about=about).as_json()
    found = describe_frame(None, frame) | {
        key: report[key] for key in ("audited", "within", "about", "done", "left")
    }
    if as_json:
        print_json(found)
        return
    click.echo(f"{found['facts']:,} facts, {found['weights']['3']:,} with three times the weight")
    _show_left(found)


@audit_command.command("rehearse")
@click.option(
    "--by", "player", required=True, metavar="B", help="The grader that plays the person."
)
@within_option
@about_option
@json_option
@frame_options
def rehearse_command(
    database: Path,
    draw: Callable[["OpenProject"], "AuditFrame"],
    player: str,
    within: float | None,
    about: str,
    as_json: bool,
) -> None:
    """Simulate 200 audits with grader B as the person: how often the interval holds B's number, and
    after how many facts.
    """
    from core.certainty.rehearsal import rehearse_audit
    from core.project import OpenProject

    half = 0.03 if within is None else within
    with OpenProject(database, "read") as project:
        found = rehearse_audit(project, draw(project), player, half, about)
    if as_json:
        print_json(found)
        return
    table = _table("model", "graded", "by B", "held always", "held at stop", "facts p50", "p90")
    for row in found["models"]:
        table.add_row(
            Text(one_line(row["model"])),
            percent(row["graded"]),
            percent(row["truth"]),
            percent(row["held"]),
            percent(row["held_at_stop"]),
            f"{row['facts']['p50']:,}",
            f"{row['facts']['p90']:,}",
        )
    console().print(table)


@audit_command.command("close")
@click.argument("name")
@database_option
def close_command(database: Path, name: str) -> None:
    """Close an audit; its report stays."""
    from core.certainty.audit_list import close_audit
    from core.project import OpenProject

    with OpenProject(database, "write") as project:
        close_audit(project, name)
    click.echo(f"{one_line(name)} is closed")


def _table(*columns: str) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style=QUIET, pad_edge=False)
    texts = {"audit", "person", "models", "model", "number", "of", "less", "ranks for sure"}
    for name in columns:
        table.add_column(name, justify="left" if name in texts else "right", no_wrap=True)
    return table
