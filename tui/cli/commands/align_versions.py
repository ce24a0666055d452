"""`lostkeys align rubric`, `try`, `probe`, `suggest`, `tune`, `adopt`: versions of graders."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from core.errors import LostkeysError, UsageError
from tui.cli.commands.align_tables import make_table, show_report
from tui.cli.options import Dollars, database_option, json_option, split_names
from tui.cli.tables import console, percent, span
from tui.cli.terminal_text import one_line, print_json

if TYPE_CHECKING:
    from core.project import OpenProject

_MODEL = "The model, such as openai:MODEL."

rubric_option = click.option(
    "--rubric", metavar="NAME[#V]", help="A rubric, the newest version of it if V is left out."
)
cost_option = click.option(
    "--max-cost", type=Dollars(), metavar="USD", help="Stop before it costs more than this."
)
person_option = click.option(
    "--person",
    metavar="human:NAME",
    help="The person whose labels count. Default: you, else whoever labelled.",
)


def _folder() -> Path | None:
    from core.settings import paths

    return paths.prompts_folder()


def _folder_text() -> str | None:
    folder = _folder()
    return None if folder is None else str(folder)


def _author() -> str:
    from core.scoring.precedence import grader_of
    from core.settings import preferences

    name = preferences.load().person
    if not name:
        raise UsageError("a rubric has an author: set $LOSTKEYS_USER to your name")
    return grader_of(name)


@click.command("rubric")
@click.argument("name")
@click.option("--from", "file", type=click.Path(path_type=Path), help="A text file with the rules.")
@click.option("--edit", is_flag=True, help="Edit the newest version in $EDITOR.")
@click.option("--show", is_flag=True, help="Print a version. This is what is done without options.")
@click.option("--diff", "against", metavar="V", help="What changed from version V to the newest.")
@click.option("--why", default="", metavar="LINE", help="Why this version, in one line.")
@click.option(
    "--examples",
    type=click.Path(path_type=Path),
    help="Rows of `align next --all --json` or of a labels file: answers of tune as examples.",
)
@click.option("--set", "set_name", metavar="SET", help="The set of the examples.")
@person_option
@json_option
@database_option
def rubric_command(
    database: Path,
    name: str,
    file: Path | None,
    edit: bool,
    show: bool,
    against: str | None,
    why: str,
    examples: Path | None,
    set_name: str | None,
    person: str | None,
    as_json: bool,
) -> None:
    """Write, show or compare the versions of a rubric.

    A rubric is what you add to a grader's prompt: rules in your own words ("a year is enough for a
    date"), and up to 16 examples out of tune. Every change is a version with its parent, its author
    and why.
    """
    from core.project import OpenProject

    if sum((file is not None, edit, show, against is not None)) > 1:
        raise click.UsageError("--from, --edit, --show and --diff go one at a time")
    writes = file is not None or edit or examples is not None
    with OpenProject(database, "write" if writes else "read") as project:
        if writes:
            name = _write_rubric(project, name, file, edit, why, examples, set_name, person)
        _show_rubric(project, name, against, as_json)


def _write_rubric(
    project: "OpenProject",
    name: str,
    file: Path | None,
    edit: bool,
    why: str,
    examples: Path | None,
    set_name: str | None,
    person: str | None,
) -> str:
    """Write a version; gives its name."""
    from core.alignment.rubric_versions import find_rubric, keep_rubric, name_version, read_rubric
    from core.grading.prompt_rubric import PromptRubric

    author = _author()
    try:
        parent = find_rubric(project, name)
    except UsageError:
        if file is None and not edit:
            raise
        parent = None
    rules = "" if parent is None else parent.rules
    if file is not None:
        rules = _read_rules(file)
    elif edit:
        rules = click.edit(rules, extension=".md") or rules
    shown = () if parent is None else read_rubric(parent).examples
    if examples is not None:
        shown += tuple(_read_examples(project, examples, set_name, person or author))
    bare = name.partition("#")[0]
    made = keep_rubric(project, bare, PromptRubric(rules.strip(), shown), author, why, parent)
    return name_version(made)


def _read_rules(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise LostkeysError(f"{file}: not UTF-8 text: save it as UTF-8") from None


def _read_examples(project: "OpenProject", file: Path, set_name: str | None, person: str) -> Any:
    from core.alignment.reference_set import find_set, read_set
    from core.alignment.rubric_versions import make_examples
    from core.transfer.response_keys import ResponseKeys
    from core.transfer.row_values import RowError

    if set_name is None:
        raise click.UsageError("--examples needs --set: examples come out of tune of a set")
    keys, slots = ResponseKeys(project.connection, make=False), []
    for number, line in enumerate(_read_rules(file).splitlines(), 1):
        try:
            if line.strip():
                slots.append(keys.slot(json.loads(line)))
        except (ValueError, KeyError, TypeError, RowError) as error:
            raise LostkeysError(f"{file}, line {number}: names no answer ({error})") from None
    return make_examples(project, read_set(project, find_set(project, set_name)), person, slots)


def _show_rubric(project: "OpenProject", name: str, against: str | None, as_json: bool) -> None:
    from core.alignment.rubric_versions import (
        compare_rules,
        describe_rubric,
        find_rubric,
        list_versions,
    )

    shown = find_rubric(project, name)
    versions = list_versions(project, shown.name)
    document = describe_rubric(shown, {one.id: one for one in versions})
    if against is not None:
        other = find_rubric(project, f"{shown.name}#{against}")
        names = (f"{shown.name}#{other.version}", f"{shown.name}#{shown.version}")
        document["diff"] = list(compare_rules(other.rules, shown.rules, names))
    if as_json:
        print_json(document | {"versions": [one.version for one in versions]})
        return
    if against is not None:
        for line in document["diff"]:
            click.echo(one_line(line))
        return
    why = f": {one_line(shown.why)}" if shown.why else ""
    click.echo(f"{one_line(shown.name)}#{shown.version} by {one_line(shown.author)}{why}")
    for line in shown.rules.splitlines():
        click.echo(one_line(line))
    for one in document["examples"]:
        click.echo(f"example: {one_line(one['answer'], 60)} is {one['label']}")
    if len(versions) > 1:
        click.echo(f"versions: {', '.join(one.version for one in versions)}")


@click.command("try")
@click.argument("name")
@click.option("--grader", required=True, metavar="llm:M", help="The grader, without a version.")
@rubric_option
@click.option("--part", "parts", default="tune,check", show_default=True, metavar="PART,...")
@click.option("--dry-run", is_flag=True, help="Show what it would take, and stop.")
@cost_option
@database_option
def try_command(
    database: Path,
    name: str,
    grader: str,
    rubric: str | None,
    parts: str,
    dry_run: bool,
    max_cost: float | None,
) -> None:
    """Have a grader label the answers of a set, and only these, as a job.

    With --rubric it is a version of its own. What it takes is said first.
    """
    from core.alignment.trials import make_trial_spec
    from core.project import OpenProject
    from tui.cli.commands.sample import estimate, finish

    with OpenProject(database, "read") as project:
        spec = make_trial_spec(project, name, grader, rubric, split_names(parts), _folder_text())
    estimate(database, spec, max_cost, shown=True)
    if not dry_run:
        finish(database, spec, max_cost)


@click.command("probe")
@click.argument("name")
@click.option("--grader", required=True, metavar="G#v", help="A version that was tried.")
@cost_option
@json_option
@database_option
def probe_command(
    database: Path, name: str, grader: str, max_cost: float | None, as_json: bool
) -> None:
    """Measure how many labels change though nothing that matters does.

    The answers of tune and check are asked about once more alike, in reversed order, each alone,
    and with "I think" before them. Nothing is stored.
    """
    from core.alignment.label_probes import probe_version
    from core.alignment.reference_set import find_set, read_set
    from core.project import OpenProject

    with OpenProject(database, "read") as project:
        found = read_set(project, find_set(project, name))
        document = probe_version(project, found, grader, max_cost, _folder())
    if as_json:
        print_json(document)
        return
    table = make_table("asked", "answers", "changed %", "interval", "no label")
    for probe, row in document["probes"].items():
        share = percent(row["share"])
        table.add_row(probe, f"{row['n']:,}", share, span(row["interval"]), str(row["unlabelled"]))
    console().print(table)


@click.command("suggest")
@click.argument("name")
@click.option("--rubric", required=True, metavar="NAME", help="The rubric to rewrite.")
@click.option("--grader", required=True, metavar="G#v", help="The version whose misses are shown.")
@click.option("--model", required=True, metavar="M", help="Who writes. " + _MODEL)
@person_option
@cost_option
@json_option
@database_option
def suggest_command(
    database: Path,
    name: str,
    rubric: str,
    grader: str,
    model: str,
    person: str | None,
    max_cost: float | None,
    as_json: bool,
) -> None:
    """Have a model write a draft of a rubric from the misses of tune.

    The draft grades nothing until you try it.
    """
    from core.alignment.reference_set import find_set, read_set
    from core.alignment.rubric_proposals import describe_proposal, suggest_rubric
    from core.project import OpenProject

    with OpenProject(database, "write") as project:
        found = read_set(project, find_set(project, name))
        before, draft, _ = suggest_rubric(
            project,
            found,
            rubric,
            model,
            grader,
            person,
            max_cost=max_cost,
            folder=_folder(),
        )
    document = describe_proposal(before, draft)
    if as_json:
        print_json(document)
        return
    for line in document["diff"]:
        click.echo(one_line(line))
    click.echo(f"draft {one_line(document['rubric'])}: try it with --rubric, or edit it first")


@click.command("tune")
@click.argument("name")
@click.option("--grader", required=True, metavar="llm:M", help="The grader, without a version.")
@click.option("--rubric", required=True, metavar="NAME", help="The rubric, new or to begin with.")
@click.option("--model", metavar="M", help="Who writes. Default: the grader's model.")
@click.option("--rounds", type=click.IntRange(1, 100), default=5, show_default=True, metavar="R")
@person_option
@cost_option
@json_option
@database_option
def tune_command(
    database: Path,
    name: str,
    grader: str,
    rubric: str,
    model: str | None,
    rounds: int,
    person: str | None,
    max_cost: float | None,
    as_json: bool,
) -> None:
    """Repeat suggest and try on tune, and keep the rubric that is best on facts held out.

    The facts of tune are in five folds, of which each round holds out one. At the end the first and
    the best version are compared on check, once.
    """
    from core.graders.grader_record import is_model, model_of
    from core.jobs.rubric_rounds import tune_rubric
    from tui.cli.job_follower import run_job

    if not is_model(grader):
        raise UsageError(f"{grader} is no model and takes no rubric: name a grader llm:MODEL")
    document = tune_rubric(
        database,
        name,
        grader,
        rubric,
        model or model_of(grader),
        rounds,
        lambda spec, cost: run_job(database, spec, cost),
        max_cost=max_cost,
        person=person,
        folder=_folder(),
        tell=lambda line: click.echo(one_line(line), err=True),
    )
    if as_json:
        print_json(document)
        return
    best = document["rubric"]
    click.echo(f"best: {one_line(best)}" if best else "no proposal was better than no rubric")
    show_report(document["report"])


@click.command("adopt")
@click.argument("name")
@click.argument("grader", metavar="G#v")
@click.option("--dry-run", is_flag=True, help="Only say what it would change.")
@click.option("--yes", is_flag=True, help="Do not ask before discarding.")
@json_option
@database_option
def adopt_command(
    database: Path, name: str, grader: str, dry_run: bool, yes: bool, as_json: bool
) -> None:
    """Make a version the project's grader, after saying what that changes."""
    from core.alignment.reference_set import find_set, read_set
    from core.jobs.grader_adoption import adopt_version, preview_adoption
    from core.project import OpenProject

    if as_json and not (yes or dry_run):
        raise click.UsageError("--json cannot ask: add --yes, or --dry-run to change nothing")
    with OpenProject(database, "read" if dry_run else "write") as project:
        found = read_set(project, find_set(project, name))
        document = preview_adoption(project, found, grader, _folder_text())
        if not as_json:
            _show_adoption(document)
        if not dry_run and not yes:
            click.confirm(f"Make {one_line(document['grader'])} the project's grader?", abort=True)
        if not dry_run:
            adopt_version(project, document["grader"])
    if as_json:
        print_json(document)


def _show_adoption(document: dict[str, Any]) -> None:
    labels = document["labels"]
    if labels is None:
        click.echo("the project has no grader of its own yet, with which to compare this version")
    else:
        click.echo(
            f"{labels['changed']:,} of {labels['compared']:,} labels that both have would change"
        )
    for model in document["profiles"] or ():
        moved = [
            f"{name} {before:,} to {model['after'][name]:,}"
            for name, before in model["before"].items()
            if before is not None and before != model["after"][name]
        ]
        click.echo(f"{one_line(model['model'])}: {', '.join(moved) or 'no profile changes'}")
    left = document["left"]
    if left["answers"]:
        cost = left["cost"]
        dollars = "at a price that is not known" if cost is None else f"for ${cost[0]:.2f}"
        if cost is not None and cost[1] > cost[0]:
            dollars += f" to ${cost[1]:.2f}"
        words = f"grade --grader {document['grader'].rpartition('#')[0]}"
        if document["rubric"]:
            words += f" --rubric {document['rubric']}"
        click.echo(
            f"{left['answers']:,} answers are not labelled yet: "
            f"`lostkeys {one_line(words)}` labels them {dollars}"
        )
