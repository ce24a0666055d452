"""`lostkeys fact-bench`."""

from dataclasses import asdict
from pathlib import Path

import click

from tui.cli.commands.fact_bench_lint import lint_command
from tui.cli.commands.fact_bench_run import run_arms_command
from tui.cli.commands.fact_bench_sets import (
    exemplars_command,
    prepare_command,
    questions_command,
)
from tui.cli.commands.fact_bench_tables import compare_arms_command, table_command
from tui.cli.commands.fact_bench_tune import (
    check_tuning_command,
    tune_command,
    tuning_set_command,
)
from tui.cli.options import json_option
from tui.cli.terminal_text import one_line, print_json


@click.group("fact-bench")
def fact_bench_command() -> None:
    """Which facts of a table models say, and what examples do to that."""


@fact_bench_command.command("score")
@click.argument("file", type=click.Path(path_type=Path))
@json_option
@click.pass_context
def score_command(ctx: click.Context, file: Path, as_json: bool) -> None:
    """Score the responses of a file: exact match and F1, of the answer and of all of it.

    A row has id, object and response; aliases, answer_type (entity, date, number), unit and mode
    where they matter. No database is read.
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
