"""`lostkeys zp-lke`."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource
from rich.text import Text

from tui.cli.commands.zp_lke_run import (
    check_way_command,
    positions_command,
    run_latent_command,
)
from tui.cli.options import (
    MOST,
    LateHelpCommand,
    database_option,
    json_option,
    latex_option,
    split_names,
)
from tui.cli.plot_option import plot_option, save_figure
from tui.cli.tables import QUIET, console, percent
from tui.cli.terminal_text import mark_unseen, one_line, print_json

if TYPE_CHECKING:
    from core.analyses.analysis_record import Column
    from core.project import OpenProject
    from core.zero_prompt.fact_scores import FactInput
    from core.zero_prompt.latent_evidence import LatentEvidence, ScoreChoice
    from core.zero_prompt.score_matrix import Setup

F = TypeVar("F", bound=Callable[..., Any])

SETUP = {
    "form": "form",
    "examples": "n",
    "seed": "seed",
    "order": "order",
    "inject": "inject",
    "tokens": "tokens",
}
"""Options that name a field of the setup, with its name there."""

SHOWN_OPTIONS = 10
"""Options of a fact that are shown with their probabilities, beside the gold."""


@click.group("zp-lke")
def zp_lke_command() -> None:
    """Measure what a model knows without asking it (ZP-LKE).

    Pairs of one relation stand before a subject, and the right object must be the most probable of
    a hundred options.
    """


def setup_options(command: F) -> F:
    """How facts are asked about; gives the command its `choice`."""

    @click.option("--examples", type=click.IntRange(0, MOST), default=50, show_default=True)
    @click.option("--seed", type=click.IntRange(-MOST, MOST), default=0, show_default=True)
    @click.option(
        "--order",
        type=click.IntRange(0, MOST),
        default=0,
        show_default=True,
        help="Number of the order of the examples; 0 is the order in which they were chosen.",
    )
    @click.option("--form", default="zero-prompt", show_default=True, help="The form of the input.")
    @click.option(
        "--inject",
        metavar="I",
        help="Altered examples, such as incorrect:40:block or unknown:40:scattered.",
    )
    @click.option("--options", type=click.IntRange(1, MOST), default=100, show_default=True)
    @click.option(
        "--tokens",
        type=click.IntRange(1, 64),
        default=10,
        show_default=True,
        metavar="K",
        help="Only responses of this many tokens.",
    )
    @click.option("--set", "set_name", metavar="NAME", help="Name of the set of the relations.")
    @wraps(command)
    def with_setup(
        *args: Any,
        examples: int,
        seed: int,
        order: int,
        form: str,
        inject: str | None,
        options: int,
        tokens: int,
        set_name: str | None,
        relation: str | None = None,
        model: str | None = None,
        **kwargs: Any,
    ) -> Any:
        from core.zero_prompt.examples import parse_injection
        from core.zero_prompt.latent_evidence import ScoreChoice
        from core.zero_prompt.score_matrix import Setup

        injected = None if inject is None else str(parse_injection(inject))
        where_from = click.get_current_context().get_parameter_source
        choice = ScoreChoice(
            Setup(form, examples, seed, order, injected, options, tokens),
            None if model is None else split_names(model),
            None if relation is None else split_names(relation),
            set_name,
            frozenset(
                field
                for option, field in SETUP.items()
                if where_from(option) is ParameterSource.COMMANDLINE
            ),
        )
        return command(*args, choice=choice, **kwargs)

    return with_setup  # type: ignore[return-value]


relation_option = click.option("--relation", metavar="R[,R2]", help="Only these relations.")
model_option = click.option("--model", metavar="M[,M2]", help="Only these models.")


def _list_analyses() -> str:
    from core.zero_prompt.analyses import LATENT_ANALYSES

    width = max(map(len, LATENT_ANALYSES)) + 2
    return "\n".join(f"{one.name:{width}}{one.question}" for one in LATENT_ANALYSES.values())


@zp_lke_command.command("analyze", cls=LateHelpCommand, late={"{analyses}": _list_analyses})
@click.argument("name", required=False)
@relation_option
@model_option
@plot_option
@latex_option
@json_option
@setup_options
@database_option
def analyze_latent_command(
    database: Path,
    choice: "ScoreChoice",
    name: str | None,
    plot: Path | None,
    as_latex: bool,
    as_json: bool,
) -> None:
    """Show a table of what models know.

    \b
    {analyses}
    """
    from core.errors import UsageError
    from core.project import OpenProject
    from core.zero_prompt.analyses import LATENT_ANALYSES
    from core.zero_prompt.latent_evidence import LatentEvidence

    if name is None or name not in LATENT_ANALYSES:
        said = "analyze needs a name" if name is None else f"no analysis named {name}"
        raise UsageError(f"{said}: choose one of {', '.join(LATENT_ANALYSES)}")
    record = LATENT_ANALYSES[name]
    with OpenProject(database, "read") as project:
        evidence = LatentEvidence(project, choice)
        document = record.as_json(evidence)
        if plot is not None:
            draw_latent(evidence, name, plot)
        nothing = nothing_line(project, choice, record.rows.nothing)
    if as_json:
        print_json(document)
        return
    if as_latex:
        from core.report.latex_table import latex_table

        for key in record.tables:
            caption = f"{record.question} ({setup_line(choice)})"
            click.echo(latex_table(document[key], caption), nl=False)  # type: ignore[arg-type]
        return
    out = console()
    out.print(setup_line(choice))
    for key, table in record.tables.items():
        rows = document[key]
        assert isinstance(rows, list)
        show_rows(table.columns, rows, table.note, nothing if key == "rows" else "")
    show_overlap(evidence.overlapping)


def show_overlap(count: int) -> None:
    """Say of how many scores the options hold each other, and what helps; nothing of none."""
    if count:
        from core.stats.number_format import format_amount

        console().print(
            f"{format_amount(count, 'score')} with options that begin each other (overlapping): "
            "their probabilities sum above 1. `run --options` with another number chooses "
            "other options."
        )


def draw_latent(evidence: "LatentEvidence", name: str, plot: Path) -> None:
    """Draw the figure of an analysis to a file, and say so."""
    from core.figures.latent_figures import make_latent

    save_figure(make_latent(evidence, name), plot)


NO_SCORES = (
    "No scores yet: `lostkeys zp-lke run --model M` makes some, "
    "`lostkeys import --format zp-scores` brings some."
)

SHOWN_SETUPS = 5
"""Setups that are named where the one that is meant has no scores."""


def nothing_line(project: "OpenProject", choice: "ScoreChoice", needed: str = "") -> str:
    """Why a table of scores has no rows, and which options would bring some.

    `needed` is what a table needs beside scores.
    """
    from core.zero_prompt.stored_scores import read_setups

    setups = list(dict.fromkeys(map(setup_words, read_setups(project))))
    if setup_words(choice.setup) in setups:
        return needed or "No fact of these relations has log probabilities under this setup."
    if not setups:
        return NO_SCORES
    some = [f"`{words}`" if words else "no option" for words in setups[:SHOWN_SETUPS]]
    more = f" and {len(setups) - SHOWN_SETUPS:,} more" if len(setups) > SHOWN_SETUPS else ""
    return f"No scores under this setup. There are some with {', '.join(some)}{more}."


def setup_words(setup: "Setup") -> str:
    """A setup as options of a command: those that it does not take by default."""
    usual = type(setup)()
    words: list[str] = []
    for option, field in {**SETUP, "options": "options"}.items():
        value = getattr(setup, field)
        if value != getattr(usual, field) and (option, value) != ("options", 0):
            words += [f"--{option}", str(value)]
    return mark_unseen(shlex.join(words))


def setup_line(choice: "ScoreChoice") -> Text:
    """How the facts of a table were asked about."""
    setup = choice.setup
    parts = [
        one_line(setup.form),
        f"{setup.n} examples",
        f"seed {setup.seed}",
        *([f"order {setup.order}"] if setup.order else []),
        *([setup.inject] if setup.inject else []),
        f"{setup.options} options",
        *([f"{setup.tokens} tokens"] if setup.tokens != type(setup)().tokens else []),
    ]
    return Text(" · ".join(parts), QUIET)


def show_rows(
    columns: "Sequence[Column]",
    rows: Sequence[Mapping[str, Any]],
    note: str,
    nothing: str,
) -> None:
    """Print rows as a table with what its numbers are, or what is said where there are none."""
    from tui.cli.analysis_tables import RowTable, print_table

    out = console()
    if rows:
        print_table(out, RowTable(columns, rows))
        out.print()
        out.print(Text(note, QUIET))
    elif nothing:
        out.print(nothing)


@zp_lke_command.command("relations")
@json_option
@relation_option
@setup_options
@database_option
def relations_command(database: Path, choice: "ScoreChoice", as_json: bool) -> None:
    """List relations: their facts, and whether they have enough for so many examples."""
    from core.analyses.analysis_record import Column, ColumnKind
    from core.project import OpenProject
    from core.zero_prompt.stored_relations import choose_relations, read_relations, readiness

    setup = choice.setup
    with OpenProject(database, "read") as project:
        chosen = choose_relations(project, choice.relations, choice.set_name, twins=True)
        found = read_relations(project, chosen)
    rows = [
        {
            **readiness(one.relation, setup.n, setup.options, setup.seed).as_json(),
            "set": one.row.set_name,
        }
        for one in found
    ]
    if as_json:
        print_json({"relations": rows, "rows": rows})
        return
    columns = (
        Column("relation"),
        *([Column("set")] if len({one.set_name for one in chosen}) > 1 else []),
        *(
            Column(name, ColumnKind.COUNT, words)
            for name, words in (
                *(("facts", ""), ("train", "for examples")),
                *(("eval", "asked"), ("objects", "")),
            )
        ),
        Column("ready", ColumnKind.YES),
        Column("why", ColumnKind.LIST),
    )
    note = (
        f"ready for {setup.n} examples and {setup.options} options; for examples and asked: by "
        "subject, whatever train and eval `fact-bench prepare` makes of the set"
    )
    shown = [{**row, "why": [row["why"]] if row["why"] else None} for row in rows]
    show_rows(columns, shown, note, "No relations: `lostkeys import --format triples` brings some.")


@zp_lke_command.command("facts")
@json_option
@relation_option
@model_option
@setup_options
@database_option
def facts_command(database: Path, choice: "ScoreChoice", as_json: bool) -> None:
    """List the facts that have scores: what each model predicted, and the rank of the object."""
    from core.analyses.analysis_record import Column, ColumnKind
    from core.project import OpenProject
    from core.zero_prompt.fact_scores import fact_scores
    from core.zero_prompt.latent_evidence import LatentEvidence

    with OpenProject(database, "read") as project:
        evidence = LatentEvidence(project, replace(choice, twins=True))
        rows = [one.as_json() for one in fact_scores(evidence)]
        nothing = nothing_line(project, choice)
    if as_json:
        print_json({"facts": rows})
        return
    columns = (
        Column("model"),
        Column("id"),
        Column("relation"),
        Column("subject"),
        Column("gold"),
        Column("predicted"),
        Column("correct", ColumnKind.YES),
        Column("rank", ColumnKind.COUNT),
        Column("p_gold", ColumnKind.SHARE, "p gold %"),
        Column("p_top", ColumnKind.SHARE, "p top %"),
        Column("overlapping", ColumnKind.YES),
    )
    console().print(setup_line(choice))
    show_rows(
        columns, rows, "p: probability among the options; a failed fact has no prediction", nothing
    )
    show_overlap(sum(bool(row["overlapping"]) for row in rows))


@zp_lke_command.command("show")
@click.argument("fact", metavar="ID")
@model_option
@json_option
@setup_options
@database_option
def show_command(database: Path, choice: "ScoreChoice", fact: str, as_json: bool) -> None:
    """Show the input of a fact; with --model, also its options by probability and the response."""
    from core.project import OpenProject
    from core.zero_prompt.fact_scores import fact_input, fact_score

    with OpenProject(database, "read") as project:
        found = fact_input(project, fact, choice.setup)
        scores = [fact_score(project, fact, choice.setup, model) for model in choice.models or ()]
    if as_json:
        print_json({**found.as_json(), **({"scores": scores} if scores else {})})
        return
    show_input(found)
    for one in scores:
        show_options(one)


def show_input(found: "FactInput") -> None:
    """Print an input as it is sent, and what of it is altered."""
    click.echo(mark_unseen(found.input))
    out = console()
    altered = [one for one in found.examples if one.kind != "clean"]
    options = "too few options" if found.options is None else f"{len(found.options):,} options"
    out.print(
        Text(
            f"{one_line(found.relation)} · {len(found.examples):,} examples, {len(altered):,} "
            f"altered · {options} · gold {one_line(found.gold)}",
            QUIET,
        )
    )
    for one in altered:
        out.print(Text(f"{one.kind}: {one_line(one.subject)} {one_line(one.object)}", QUIET))


def show_options(document: Mapping[str, Any]) -> None:
    """Print the most probable options of a fact, and its gold wherever it stands."""
    out = console()
    out.print()
    out.print(Text(one_line(document["model"])))
    if document["failed"]:
        out.print(Text("failed: a log probability is missing", QUIET))
        return
    if document["response"] is not None:
        out.print(Text(f"response  {one_line(document['response']) or '(empty)'}"))
    for place, one in enumerate(document["options"], 1):
        if place <= SHOWN_OPTIONS or one["gold"]:
            mark = "●" if one["gold"] else " "
            name = "(no text)" if one["text"] is None else one_line(one["text"])
            out.print(Text(f"{place:4} {mark} {percent(one['p']):>5}  {name}"))


zp_lke_command.add_command(run_latent_command)
zp_lke_command.add_command(positions_command)
zp_lke_command.add_command(check_way_command)
