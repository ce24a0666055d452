"""`lostkeys fact-bench`."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.text import Text

from core.modes import MODES
from tui.cli.commands.fact_bench_sets import (
    exemplars_command,
    prepare_command,
    questions_command,
    set_option,
)
from tui.cli.commands.fact_bench_tables import choice_options, compare_arms_command, table_command
from tui.cli.commands.fact_bench_tune import (
    check_tuning_command,
    tune_command,
    tuning_set_command,
)
from tui.cli.commands.sample import WORDS, finish, go_on
from tui.cli.options import (
    Dollars,
    JobNumber,
    ModelParameter,
    database_option,
    json_option,
    request_options,
    split_names,
)
from tui.cli.tables import QUIET, console
from tui.cli.terminal_text import one_line, print_json

if TYPE_CHECKING:
    from core.fact_bench.bench_evidence import BenchChoice
    from core.specs.answer_specs import ArmsSpec


# `lostkeys fact-bench run`: a model asked about the triples of a set, in several modes.

SPLITS = ("eval", "subset", "train", "all")


@click.command("run")
@click.option(
    "--model", type=ModelParameter(), metavar="M", help="The model, such as embedded:smollm2-135m."
)
@click.option("--as", "label", metavar="NAME", help="Keep the responses under this name.")
@click.option("--mode", "modes", metavar="MODE[,MODE]", help=f"{MODES[0].upper()}{MODES[1:]}.")
@click.option(
    "--restate",
    is_flag=True,
    help=("In recite-K-shot, recite the triple as a sentence (kept as recite-K-shot-restated)."),
)
@set_option
@click.option(
    "--split",
    type=click.Choice(SPLITS),
    help="The split to ask about. Default: the subset if there is one, else eval.",
)
@click.option("--where", metavar="FILTER", default="", help="Only facts that match this filter.")
@click.option(
    "--facts", "first", type=click.IntRange(1), metavar="N", help="Only the first N facts."
)
@click.option(
    "--known-by",
    metavar="G",
    help="The grader that decides what is known. Default: the judge, else lexical.",
)
@click.option(
    "--endpoint",
    type=click.Choice(WORDS),
    default="auto",
    show_default=True,
    help="Endpoint; auto uses raw with few-shot examples if the server has it, else chat.",
)
@click.option("--grader", default="em", show_default=True, metavar="G[,G2]")
@click.option("--only-failed", is_flag=True, help="Only requests that failed before.")
@click.option(
    "--max-cost", type=Dollars(), metavar="USD", help="Stop before it costs more than this."
)
@click.option("--dry-run", is_flag=True, help="Show what it would take, and stop.")
@click.option(
    "--via",
    type=click.Choice(["requests", "batch"]),
    default="requests",
    show_default=True,
    help="Single requests, or the service's batches at a lower price.",
)
@request_options
@click.option(
    "--raw", is_flag=True, help="Record all requests and responses in a file beside the database."
)
@click.option("--unchecked", is_flag=True, help="Skip the check of the model before the run.")
@click.option(
    "--job", "jobs", type=JobNumber(), multiple=True, metavar="N", help="Resume this job."
)
@click.option(
    "--yes",
    is_flag=True,
    help="With --job: send requests to addresses from the database without asking.",
)
@database_option
def run_arms_command(
    database: Path,
    model: str | None,
    modes: str | None,
    max_cost: float | None,
    dry_run: bool,
    jobs: Sequence[int],
    yes: bool,
    **asked: Any,
) -> None:
    """Ask a model about a set in these modes, one after another; only what is missing.

    Answers are kept under NAME#MODE: one greedy answer to each triple, thinking off. Few-shot
    examples are the same for every model, unless the mode chooses them by what the model knows;
    `fact-bench exemplars` shows what was sent. You can stop it at any time and run the same
    command again.
    """
    if jobs:
        go_on(database, jobs, max_cost, yes, dry_run)
        return
    for name, value in (("--model", model), ("--mode", modes)):
        if value is None:
            raise click.UsageError(f"Missing option '{name}'.")
    spec = arms_spec(str(model), str(modes), **asked)
    if dry_run or max_cost is not None:
        _estimate(database, spec, max_cost, dry_run)
    if not dry_run:
        finish(database, spec, max_cost)


def arms_spec(
    model: str,
    modes: str,
    label: str | None,
    grader: str,
    known_by: str | None,
    restate: bool = False,
    **others: Any,
) -> "ArmsSpec":
    """What a command's options ask for. Raises `UsageError` for what there is not."""
    from core.graders import grader_table
    from core.providers.model_names import label_of, parse
    from core.settings import paths
    from core.specs.answer_specs import ArmsSpec

    parse(model)
    graders = tuple(split_names(grader))
    for name in (*graders, *([known_by] if known_by else [])):
        grader_table.check(name)
    folder = paths.prompts_folder()
    return ArmsSpec(
        model=model,
        label=(label or "").strip() or label_of(model),
        modes=_read_modes(modes, restate),
        graders=graders,
        known_by=known_by,
        prompts=None if folder is None else str(folder),
        **others,
    )


def _read_modes(text: str, restate: bool) -> tuple[str, ...]:
    """The modes that were typed. Raises `UsageError` for one that there is not."""
    from core.errors import UsageError
    from core.modes import parse_mode

    modes = [parse_mode(mode) for mode in split_names(text)]
    if restate and not any(mode.recites for mode in modes):
        raise UsageError("--restate says what recite-K-shot recites: --mode names none")
    return tuple(
        str(mode._replace(restated=True) if restate and mode.recites else mode) for mode in modes
    )


def _estimate(database: Path, spec: "ArmsSpec", max_cost: float | None, shown: bool) -> None:
    """Say what a run would take, or only that its budget is too small."""
    from core.estimates.arms_estimate import estimate_arms
    from core.estimates.estimate import check_budget
    from core.estimates.estimate_text import make_lines
    from core.estimates.estimator import Estimator
    from core.project import OpenProject

    with OpenProject(database, "read") as project:
        found = estimate_arms(project, spec, Estimator())
    for line in make_lines(found) if shown else ():
        click.echo(one_line(line) if not line.isascii() else line)
    warning = check_budget(found, max_cost)
    if warning is not None:
        click.echo(f"warning: {warning}", err=True)


# `lostkeys fact-bench lint`: what examples teach a model.


@click.command("lint")
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option(
    "--model", "label", required=True, metavar="L", help="The model that is shown the examples."
)
@click.option("--mode", "asked", metavar="MODE", help="Check the few-shot examples of this mode.")
@json_option
@choice_options
@database_option
@click.pass_context
def lint_command(
    ctx: click.Context,
    database: Path,
    choice: "BenchChoice",
    file: Path | None,
    label: str,
    asked: str | None,
    as_json: bool,
) -> None:
    """Show which few-shot examples of a mode, or of FILE, contradict what a model knows.

    FILE has rows of question and answer. A fact is known if the model answers it right zero-shot,
    passes it in its profile, or finds its object most probable without a question.
    """
    from core.analyses.analysis_record import Column, ColumnKind
    from core.errors import UsageError
    from core.fact_bench.bench_evidence import BenchEvidence
    from core.fact_bench.exemplar_lint import exemplars_of, lint_examples, match_examples
    from core.fact_bench.model_knowledge import METHODS
    from core.project import OpenProject
    from core.transfer.unstored_rows import read_pairs
    from tui.cli.analysis_tables import RowTable, print_table
    from tui.cli.commands.import_files import print_problems

    if (file is None) == (asked is None):
        raise UsageError("lint needs --mode MODE, or a FILE of question and answer")
    pairs, report = ([], None) if file is None else read_pairs(file)
    with OpenProject(database, "read") as project:
        evidence = BenchEvidence(project, choice)
        examples = match_examples(evidence, pairs)
        if asked is not None:
            examples = exemplars_of(evidence, label, asked)
        rows = lint_examples(evidence, label, examples)
        head = {"set": evidence.set_name, "model": label, "mode": asked}
        head["known_by"] = evidence.known_by
    if as_json:
        print_json({**head, "rows": rows})
    else:
        out = console()
        titles = dict(zip(METHODS, ("FACT-BENCH", "profile", "ZP-LKE"), strict=True))
        columns = (
            Column("place", ColumnKind.COUNT, ""),
            *(Column(name) for name in ("verdict", "shown", "gold")),
            *(Column(name, ColumnKind.YES, title) for name, title in titles.items()),
            Column("fact_id", header="fact"),
        )
        shown = [
            {**row, **row["known"], "verdict": str(row["verdict"]).replace("_", " ")}  # type: ignore[dict-item]
            for row in rows
        ]
        if rows:
            print_table(out, RowTable(columns, shown))
        counts = Counter(one["verdict"] for one in shown)
        said = ", ".join(f"{count:,} {verdict}" for verdict, count in counts.items())
        out.print(Text(f"{one_line(label)} · known by {evidence.known_by} · {said}", QUIET))
    if file is not None and report is not None:
        print_problems(one_line(str(file)), report)
        if report.bad:
            ctx.exit(1)


@click.group("fact-bench")
def fact_bench_command() -> None:
    """Measure how many facts of a table a model can state (FACT-BENCH)."""


@fact_bench_command.command("score")
@click.argument("file", type=click.Path(path_type=Path))
@json_option
@click.pass_context
def score_command(ctx: click.Context, file: Path, as_json: bool) -> None:
    """Score the responses in a file: exact match and F1, of the answer and of the whole response.

    A row has id, object and response, and where they matter aliases, answer_type (entity, date,
    number), unit and mode. No database is read.
    """
    from core.analyses.analysis_record import Column, ColumnKind
    from core.transfer.unstored_rows import score_file
    from tui.cli.analysis_tables import RowTable, print_table
    from tui.cli.commands.import_files import print_problems
    from tui.cli.tables import console

    found, report = score_file(file)
    rows = [{"id": one.id, **asdict(one.scores)} for one in found]
    if as_json:
        print_json({"rows": rows})
    elif rows:
        columns = (
            *(Column(name) for name in ("id", "answer")),
            *(Column(name, ColumnKind.COUNT) for name in ("em", "em_raw")),
            *(Column(name, ColumnKind.SHARE) for name in ("f1", "f1_raw")),
        )
        print_table(console(), RowTable(columns, rows))
    else:
        click.echo(f"{one_line(str(file))}: no row to score")
    print_problems(one_line(str(file)), report)
    if report.bad:
        ctx.exit(1)


fact_bench_command.add_command(prepare_command)
fact_bench_command.add_command(questions_command)
fact_bench_command.add_command(run_arms_command)
fact_bench_command.add_command(exemplars_command)
fact_bench_command.add_command(lint_command)
fact_bench_command.add_command(table_command)
fact_bench_command.add_command(compare_arms_command)
fact_bench_command.add_command(tuning_set_command)
fact_bench_command.add_command(check_tuning_command)
fact_bench_command.add_command(tune_command)
