"""`lostkeys fact-bench prepare`, `questions`, `exemplars`: what is asked, what is shown before."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from core.stats.number_format import format_amount
from tui.cli.commands.fact_bench_tables import choice_options
from tui.cli.options import (
    MOST,
    Dollars,
    ModelParameter,
    Number,
    database_option,
    json_option,
    replies_option,
    request_options,
)
from tui.cli.terminal_text import mark_unseen, one_line, print_json

if TYPE_CHECKING:
    from core.fact_bench.arm_exemplars import ArmExemplars
    from core.fact_bench.bench_evidence import BenchChoice
    from core.fact_bench.set_preparation import PreparedSet
    from core.specs.answer_specs import ReplyWord

set_option = click.option(
    "--set", "set_name", metavar="NAME", help="Name of the set of triples. Default: the only one."
)


class Share(Number):
    """A share from 0 to a bound."""

    name = noun = "share"


@click.command("prepare")
@set_option
@click.option(
    "--filters",
    "filtered",
    default=None,
    metavar="F[,F2]",
    help=(
        "Filters to apply: property, page, parentheses, repeated, leak, unit; `paper` for"
        " all, `none` for none. Default: the last four."
    ),
)
@click.option(
    "--properties",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Properties to keep, a name or number on each line. Default: those of the paper.",
)
@click.option(
    "--domains",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="New names of domains, in rows of from,to. Other domains are dropped.",
)
@click.option(
    "--other", metavar="NAME", help="With --domains: keep all other domains under this name."
)
@click.option(
    "--tier",
    type=Share(0, 0.5),
    default=0.25,
    show_default=True,
    help="Share of a domain that is its top tier, and its bottom tier.",
)
@click.option(
    "--per-domain",
    type=click.IntRange(0, MOST),
    metavar="N",
    help=(
        "Use N triples of each domain, half from its top and half from its bottom. Default: all."
    ),
)
@click.option(
    "--train",
    type=Share(0, 1),
    default=0.25,
    show_default=True,
    help="Share of triples for few-shot examples (train).",
)
@click.option(
    "--subset",
    type=click.IntRange(0, MOST),
    metavar="N",
    help="Mark N triples of eval as the reported subset.",
)
@click.option("--seed", type=click.IntRange(-MOST, MOST), default=0, show_default=True)
@click.option(
    "--refill/--no-refill",
    default=True,
    show_default=True,
    help="Replace rejected triples of the subset with others of the same domain and tier.",
)
@click.option("--again", is_flag=True, help="Continue even if triples with answers change split.")
@click.option("--per-triple", is_flag=True, help="Also list what happens to each triple.")
@json_option
@database_option
def prepare_command(
    database: Path,
    set_name: str | None,
    filtered: str | None,
    properties: Path | None,
    domains: Path | None,
    other: str | None,
    tier: float,
    per_domain: int | None,
    train: float,
    subset: int | None,
    seed: int,
    refill: bool,
    again: bool,
    per_triple: bool,
    as_json: bool,
) -> None:
    """Prepare a set: drop what cannot be asked, rank by popularity, split into train and eval.

    The same set, options and seed give the same result everywhere. You can prepare again freely
    unless triples with answers would change split.
    """
    from core.fact_bench.domain_names import read_domains
    from core.fact_bench.set_preparation import DEFAULT
    from core.fact_bench.stored_sets import prepare_set
    from core.fact_bench.triple_filters import parse_filters, read_properties
    from core.project import OpenProject

    if other is not None and domains is None:
        raise click.UsageError("--other is the domain of those that --domains does not name")
    preparation = replace(
        DEFAULT,
        seed=seed,
        filters=DEFAULT.filters if filtered is None else parse_filters(filtered),
        properties=None if properties is None else read_properties(properties),
        tier=tier,
        per_domain=per_domain,
        train=train,
        subset=subset,
        domains=None if domains is None else read_domains(domains),
        other=other,
    )
    with OpenProject(database, "write") as project:
        found = prepare_set(project, set_name, preparation, again, refill)
    if as_json:
        print_json(found.as_json() | ({"rows": found.to_rows()} if per_triple else {}))
    else:
        print_set(found, per_triple)


def print_set(found: "PreparedSet", per_triple: bool) -> None:
    """What became of a set, in a line or two; of each triple a row, where that is asked for."""
    from core.analyses.analysis_record import Column, ColumnKind
    from tui.cli.analysis_tables import RowTable, print_table
    from tui.cli.tables import console

    said: dict[str, Any] = found.as_json()
    if per_triple and found.triples:
        columns = [Column(name) for name in ("fact_id", "verdict", "reason", "tier", "split")]
        columns.append(Column("subset", ColumnKind.YES))
        print_table(console(), RowTable(tuple(columns), found.to_rows()))
    click.echo(one_line(found.summary))
    if found.went:
        came = ", ".join(map(one_line, found.came)) or "none is left"
        went = ", ".join(map(one_line, found.went))
        click.echo(f"rejected, so out of the subset: {went}; in their place: {came}")
    for reason, count in said["dropped"].items():
        click.echo(f"{count:8,} dropped: {REASONS[reason]}")


REASONS = {
    "duplicate": "subject, property and object of an earlier one",
    "question": "no question: `lostkeys fact-bench questions` writes them",
    "domain": "a domain without a new name in the list",
    "property": "a property that is not in the list",
    "page": "no answer on the page of the subject",
    "parentheses": "brackets in the title",
    "repeated": "subject and property of another one",
    "leak": "the answer stands in the question",
    "unit": "the question lacks the unit of its number",
}
"""What each reason means, as it is printed."""


@click.command("questions")
@set_option
@click.option(
    "--templates",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help=("File with rows of relation and template, such as: place of birth, Where was [X] born?"),
)
@click.option(
    "--model",
    "label",
    type=ModelParameter(),
    metavar="M",
    help="The model that writes the questions.",
)
@click.option(
    "--max-cost", type=Dollars(), metavar="USD", help="Stop before it costs more than this."
)
@replies_option
@request_options
@json_option
@database_option
@click.pass_context
def questions_command(
    ctx: click.Context,
    database: Path,
    set_name: str | None,
    templates: Path | None,
    label: str | None,
    max_cost: float | None,
    replies: "ReplyWord",
    timeout: float | None,
    in_flight: int | None,
    as_json: bool,
) -> None:
    """Give each triple without a question one: from its relation's template, or from a model.

    In a template, a relation is named or numbered (P19), and [X] stands for the subject. A model's
    question that holds the answer, or lacks the unit of a number, is retried, at most twice. This
    is a stage of building: `build --funnel` counts it, `build --redo triple-question` runs it
    again, and Review shows each question. Run `prepare` afterwards.
    """
    from core.errors import UsageError
    from core.settings import paths
    from core.specs.build_specs import BuildingSpec
    from tui.cli.job_follower import run_job

    if (templates is None) == (label is None):
        raise UsageError("questions needs --templates FILE or --model M, one of them")
    if label is not None:
        folder = paths.prompts_folder()
        prompts = None if folder is None else str(folder)
        spec = BuildingSpec(
            label,
            only="triple-question",
            set_name=choose_set_of(database, set_name),
            prompts=prompts,
            only_failed=True,
            replies=replies,
            timeout=timeout,
            in_flight=in_flight,
        )
        if run_job(database, spec, max_cost).failed:
            ctx.exit(1)
    elif templates is not None:
        ask_by_templates(ctx, database, set_name, templates, as_json)


def choose_set_of(database: Path, set_name: str | None) -> str:
    """The set that is meant. Raises `UsageError` where that cannot be told."""
    from core.fact_bench.stored_sets import choose_set
    from core.project import OpenProject

    with OpenProject(database, "read") as project:
        return choose_set(project, set_name)


def ask_by_templates(
    ctx: click.Context, database: Path, set_name: str | None, templates: Path, as_json: bool
) -> None:
    """Add the questions of a file of templates, and say what is left."""
    from core.project import OpenProject
    from core.transfer.question_templates import add_questions, read_templates
    from tui.cli.commands.import_files import print_problems

    found, report = read_templates(templates)
    with OpenProject(database, "write") as project:
        added = add_questions(project, set_name, found)
    if as_json:
        print_json(added.as_json())
    else:
        click.echo(f"{one_line(added.set_name)}: {format_amount(added.added, 'question')} added")
        for relation, count in added.left.items():
            click.echo(f"{count:8,} triples without: no template for {one_line(relation)}")
    print_problems(one_line(str(templates)), report)
    if report.bad:
        ctx.exit(1)


@click.command("exemplars")
@click.option("--model", "label", required=True, metavar="L", help="The model to ask.")
@click.option(
    "--mode",
    "asked",
    required=True,
    metavar="MODE",
    help="The mode, such as 10-shot:known-shuffle.",
)
@json_option
@choice_options
@database_option
def exemplars_command(
    database: Path, choice: "BenchChoice", label: str, asked: str, as_json: bool
) -> None:
    """Show the few-shot examples of a mode, as they were or would be sent, with the prompt."""
    from core.fact_bench.arm_exemplars import read_exemplars
    from core.fact_bench.bench_evidence import BenchEvidence
    from core.project import OpenProject

    with OpenProject(database, "read") as project:
        found = read_exemplars(BenchEvidence(project, choice), label, asked)
    if as_json:
        print_json(found.as_json())
    else:
        print_exemplars(found)


def print_exemplars(found: "ArmExemplars") -> None:
    """The exemplars of an arm, a row each, and its prompt."""
    from core.analyses.analysis_record import Column, ColumnKind
    from tui.cli.analysis_tables import RowTable, print_table
    from tui.cli.tables import console

    said: Any = found.as_json()
    columns = (
        Column("place", ColumnKind.COUNT, ""),
        *(Column(name) for name in ("question", "answer", "gold", "property")),
        Column("known", ColumnKind.YES),
        Column("fact_id", header="fact"),
    )
    if said["exemplars"]:
        print_table(console(), RowTable(columns, said["exemplars"]))
    state = "as sent" if found.sent else "as they would be sent"
    arm = one_line(found.arm.label)
    click.echo(f"{arm}: {len(said['exemplars']):,} exemplars {state}, seed {said['seed']}\n")
    for line in said["prompt"].splitlines():
        click.echo(mark_unseen(line))
