"""`lostkeys fact-bench tuning-set`, `check-tuning` and `tune`: models taught by examples."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from core.stats.number_format import format_amount
from tui.cli.commands.fact_bench_sets import set_option
from tui.cli.options import MOST, JobNumber, Number, database_option, json_option
from tui.cli.terminal_text import one_line, print_json

if TYPE_CHECKING:
    from core.fact_bench.tuning_check import TuningReport
    from core.specs.file_specs import TuningSpec

VALIDATION = 500
KINDS = ("regular", "counterfactual", "known", "unknown", "mixed")
FILE = click.Path(path_type=Path)


@click.command("tuning-set")
@click.argument("kind", type=click.Choice(KINDS))
@set_option
@click.option(
    "-o", "out", required=True, type=FILE, metavar="FILE", help="File to write the examples to."
)
@click.option("--model", "label", metavar="L", help="The model whose knowledge decides.")
@click.option(
    "--known-by",
    metavar="G",
    help="The grader that decides what is known: em or a grader. Default: the judge.",
)
@click.option(
    "--size",
    type=click.IntRange(1, MOST),
    metavar="N",
    help="At most N examples. Default: all of train, or 2,500 of eval.",
)
@click.option(
    "--validation", type=FILE, metavar="FILE", help="File to write validation examples to."
)
@click.option(
    "--validation-size", type=click.IntRange(1, MOST), default=VALIDATION, show_default=True
)
@click.option("--seed", type=click.IntRange(-MOST, MOST), help="Default: the seed of the set.")
@click.option(
    "--as",
    "form",
    type=click.Choice(["chat", "prompt-completion"]),
    default="chat",
    show_default=True,
    help="Chat messages, or prompt and completion for a base model.",
)
@database_option
def tuning_set_command(
    database: Path,
    kind: str,
    set_name: str | None,
    out: Path,
    label: str | None,
    known_by: str | None,
    size: int | None,
    validation: Path | None,
    validation_size: int,
    seed: int | None,
    form: str,
) -> None:
    """Write examples to fine-tune a model with: zero-shot prompts and answers, one on each line.

    KIND is regular or counterfactual (from train), known, unknown or mixed (from eval without the
    subset, by what --model knows). FILE.meta.json lists the facts.
    """
    from core.errors import UsageError
    from core.fact_bench.bench_evidence import BenchChoice, BenchEvidence
    from core.fact_bench.tuning_set import (
        TuningForm,
        TuningKind,
        choose_examples,
        choose_validation,
        write_examples,
    )
    from core.project import OpenProject

    if validation is not None and validation.absolute() == out.absolute():
        raise UsageError("-o and --validation name one file: name two")
    asked = TuningKind(kind)
    with OpenProject(database, "read") as project:
        evidence = BenchEvidence(project, BenchChoice(set_name, known_by=known_by, seed=seed))
        examples = choose_examples(evidence, asked, label, size)
        held = choose_validation(evidence, examples, validation_size) if validation else []
        head: dict[str, object] = {"set": evidence.set_name, "seed": evidence.seed, "model": label}
        head["known_by"] = evidence.known_by if asked.needs_model else known_by
    write_examples(out, examples, {"kind": kind, **head}, TuningForm(form))
    fewer = f", {size:,} were asked for" if size is not None and len(examples) < size else ""
    click.echo(f"{one_line(str(out))}: {format_amount(len(examples), 'example')}, {kind}{fewer}")
    if validation is not None:
        write_examples(validation, held, {"kind": "validation", **head}, TuningForm(form))
        click.echo(
            f"{one_line(str(validation))}: {format_amount(len(held), 'example')} to validate with"
        )


@click.command("check-tuning")
@click.argument("file", type=FILE)
@set_option
@click.option(
    "--split",
    type=click.Choice(["eval", "subset", "train", "all"]),
    help="The split that is reported. Default: the subset if there is one, else eval.",
)
@json_option
@database_option
@click.pass_context
def check_tuning_command(
    ctx: click.Context,
    database: Path,
    file: Path,
    set_name: str | None,
    split: str | None,
    as_json: bool,
) -> None:
    """Check a file of examples before you send it.

    It also finds questions of the split that is reported, unless there is no database.
    """
    from core.fact_bench.tuning_check import check_examples, read_reported

    reported = read_reported(database, set_name, split)
    report = check_examples(file, reported)
    if as_json:
        print_json({"file": str(file), **report.as_json()})
    else:
        print_report(file, report)
    if report.errors:
        ctx.exit(1)


def print_report(file: Path, report: "TuningReport") -> None:
    """Each problem on a line, and the count of examples."""
    from core.fact_bench.tuning_check import EXPLAINED

    name = one_line(str(file))
    for kind, found in (("", report.errors), ("warning: ", report.warnings)):
        for one in found:
            where = f", line {one.line}" if one.line else ""
            click.echo(f"{name}{where}: {kind}{EXPLAINED[one.problem]}")
    errors, warnings = len(report.errors), len(report.warnings)
    faults = (format_amount(errors, "error"), format_amount(warnings, "warning"))
    click.echo(f"{name}: {format_amount(report.examples, 'example')}, {', '.join(faults)}")


@click.command("tune")
@click.argument("file", required=False, type=FILE)
@click.option("--model", "label", metavar="M", help="The model to fine-tune: openai:MODEL[@URL].")
@click.option("--validation", type=FILE, metavar="FILE", help="File with validation examples.")
@click.option(
    "--epochs",
    type=click.IntRange(1, MOST),
    metavar="N",
    help="Number of epochs. Default: the service decides.",
)
@click.option(
    "--learning-rate",
    type=Number(0, min_open=True),
    metavar="X",
    help="Learning rate as a multiple of the service's own.",
)
@click.option("--batch", type=click.IntRange(1, MOST), metavar="N", help="Examples per batch.")
@click.option("--seed", type=click.IntRange(0, MOST), metavar="N", help="Seed of the training.")
@click.option("--suffix", metavar="S", help="Suffix of the new model's name.")
@click.option("--job", type=JobNumber(), metavar="N", help="Resume following this job.")
@click.option(
    "--yes",
    is_flag=True,
    help="Send examples without asking; with --job: also to addresses from the database.",
)
@database_option
def tune_command(
    database: Path,
    file: Path | None,
    label: str | None,
    validation: Path | None,
    epochs: int | None,
    learning_rate: float | None,
    batch: int | None,
    seed: int | None,
    suffix: str | None,
    job: int | None,
    yes: bool,
) -> None:
    """Fine-tune a model at a service with the examples of FILE; ends with the new model's name.

    It checks the file, says what goes where, and asks. If it is stopped, the service continues:
    --job N, or `lostkeys run --job N`, follows it again, and nothing is uploaded or started twice.
    """
    from core.errors import UsageError
    from core.specs.file_specs import TuningSpec
    from tui.cli.commands.sample import go_on
    from tui.cli.job_follower import run_job

    if job is not None:
        if file is not None or label is not None:
            raise UsageError("--job N goes on as it was started: leave the file and --model out")
        go_on(database, [job], None, yes)
        return
    if file is None or label is None:
        raise UsageError("tune needs a FILE of examples and --model openai:MODEL[@URL]")
    second = None if validation is None else str(validation.absolute())
    spec = TuningSpec(
        label, str(file.absolute()), second, epochs, suffix, learning_rate, batch, seed
    )
    if not yes:
        _confirm_upload(spec)
    run_job(database, spec)


def _confirm_upload(spec: "TuningSpec") -> None:
    """Say what would leave the machine, and for where, and ask; files with faults are never sent.

    Raises `LostkeysError` where nobody agrees.
    """
    from core.errors import LostkeysError
    from core.fact_bench.tuning_check import KnownQuestions, check_examples
    from core.providers.model_names import parse

    name, sent = parse(spec.model), []
    for path in spec.files:
        report = check_examples(Path(path), KnownQuestions(()))
        if report.errors:
            return
        sent.append(
            f"{format_amount(report.examples, 'example')} of {one_line(Path(path).name, 60)}"
        )
    words = f"{' and '.join(sent)}, questions with answers, go to {name.host or 'the service'}"
    if not sys.stdin.isatty():
        raise LostkeysError(f"{words}: --yes sends them")
    if not click.confirm(
        f"{words}, which trains {one_line(name.model, 60)} with them. Send?", err=True
    ):
        raise LostkeysError("nothing was sent")
