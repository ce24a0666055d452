"""`lostkeys fact-bench lint`: what examples teach a model."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.text import Text

from tui.cli.commands.fact_bench_tables import choice_options
from tui.cli.options import database_option, json_option
from tui.cli.tables import QUIET, console
from tui.cli.terminal_text import one_line, print_json

if TYPE_CHECKING:
    from core.fact_bench.bench_evidence import BenchChoice


@click.command("lint")
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option("--model", "label", required=True, metavar="L", help="The model that is taught.")
@click.option("--mode", "asked", metavar="MODE", help="The exemplars of this mode.")
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
    """Say which exemplars of a mode, or examples of FILE, contradict what a model knows.

    FILE has rows of question and answer. Known is what it answers right zero-shot, passes in its
    profile, or finds most probable where nobody asks.
    """
    from core.analyses.analysis_record import Column, ColumnKind
    from core.errors import UsageError
    from core.fact_bench.bench_evidence import BenchEvidence
    from core.fact_bench.exemplar_lint import exemplars_of, lint_examples, match_examples
    from core.fact_bench.model_knowledge import METHODS
    from core.project import Project
    from core.transfer.unstored_rows import read_pairs
    from tui.cli.analysis_tables import RowTable, print_table
    from tui.cli.commands.import_files import print_problems

    if (file is None) == (asked is None):
        raise UsageError("lint needs --mode MODE, or a FILE of question and answer")
    pairs, report = ([], None) if file is None else read_pairs(file)
    with Project(database, "read") as project:
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
