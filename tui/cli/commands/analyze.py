"""`lostkeys analyze`."""

from collections.abc import Sequence
from dataclasses import asdict
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.cells import cell_len
from rich.text import Text

from core.scoring.policy import Policy
from core.vocabulary import CODES
from tui.cli.analysis_tables import HEADERS, Cells, Sure, print_rows
from tui.cli.options import database_option, json_option, policy_options, subset_options
from tui.cli.plot_option import draw, plot_option
from tui.cli.tables import ORDER, QUIET, console, policy_line, resampling_line
from tui.cli.terminal_text import one_line, print_json

if TYPE_CHECKING:
    from core.analyses.analysis import Analysis
    from core.analyses.analysis_intervals import Intervals

TASK_WIDTH = 39
"""Cells of the columns thinking, task and n of availability, with the space between."""

POINTS_WIDTH = 7
SURE_WIDTH = 13
"""Cells of a share there, and of one with its interval, with the space after it."""

LEAST_NUMBERS = 4
"""With room for fewer numbers beside the names, the names stand above their lines."""

GAPS = {
    "popularity": "top less bottom",
    "direction": "direct less reverse",
    "recovery": "encoded less not encoded",
}
"""What the gaps of an analysis are, in points."""

NOTES = {
    "popularity": "encoded: of n; recalled, added by thinking, and total: of the stored facts",
    "direction": "known: every gradable question of the direction passes; n: facts with one",
    "thinking": "n: encoded facts; added: by thinking",
    "recovery": "n: facts not known without thinking",
    "errors": "n: facts not known without thinking; which questions of them fail",
    "phrasing": "verbatim, natural: pass in that wording only; adjusted: Benjamini-Yekutieli",
    "threshold": "n: facts with a profile; % of them",
    "availability": "% of n questions with at least so many correct answers",
}


@click.command("analyze")
@click.argument("name", required=False)
@click.option("--intervals", is_flag=True, help="Also say how sure shares and gaps are.")
@plot_option
@json_option
@subset_options
@policy_options
@database_option
def analyze_command(
    database: Path,
    policy: Policy,
    models: list[str] | None,
    where: str | None,
    name: str | None,
    intervals: bool,
    plot: Path | None,
    as_json: bool,
) -> None:
    """Run one of the ten analyses.

    \b
    popularity    are rare facts not stored, or out of reach?
    direction     direct against reverse questions, open and with choices
    thinking      what thinking adds to recall
    recovery      what thinking recovers, where the fact is stored and where not
    errors        which direction fails where a fact is not known
    phrasing      does the wording matter? exact tests
    threshold     profiles under other thresholds
    bootstrap     how sure the figures are with fewer answers a question
    availability  from one correct answer to all of them
    quality       questions that every model fails

    With --plot also trends: the profiles of models sorted by what they know.
    """
    from core.analyses import ANALYSES
    from core.analyses.analysis import analyse
    from core.errors import UsageError
    from core.project import Project

    if name is None:
        raise UsageError(f"analyze needs the name of an analysis, one of {', '.join(ANALYSES)}")
    with Project(database, "read") as project:
        if plot is not None and name not in ANALYSES:
            if as_json:
                raise UsageError(f"{name} is no analysis: it is drawn, without --json")
            draw(project, name, plot, policy, models, where, intervals)
            return
        found = analyse(project, name, policy, models, where, intervals)
        draw(project, name, plot, policy, models, where, intervals)
    for note in found.notes:
        click.echo(one_line(note), err=True)
    if as_json:
        print_json(found.as_json())
    else:
        show(found)


def show(found: "Analysis") -> None:
    """Print the policy, the rows as a table, and what its numbers are counted over."""
    out, head = console(), found.head()
    out.print(policy_line(head))
    missing = why_nothing(found)
    rows = [] if missing else _rows(found)
    if rows:
        print_rows(out, _for_people(found.name, rows, out.width))
        out.print()
    if missing:
        out.print(missing)
    elif found.name == "quality":
        facts = int(found.evidence.facts.sum())
        out.print(f"{len(rows):,} of {facts:,} facts have a question that every model fails")
    elif found.name == "bootstrap":
        recorded = f"{head['resamples']:,} resamples, seed {head['seed']}"
        out.print(Text(f"{recorded}; width: from percentile 5 to 95", QUIET))
    else:
        out.print(Text(NOTES[found.name], QUIET))
    if rows and found.intervals is not None:
        if found.intervals.gaps:
            out.print()
            print_rows(out, _gaps(found.name, found.intervals))
            out.print()
        out.print(resampling_line(head))
    if found.provisional:
        out.print(Text("provisional: some answers are not drawn or not graded yet", QUIET))


def _rows(found: "Analysis") -> Sequence[Cells]:
    """The rows as they are shown; a share with an interval is a pair of both."""
    rows: list[dict[str, Any]] = [asdict(row) for row in found.rows]
    if found.intervals is not None:
        for row, limits in zip(rows, found.intervals.rows, strict=True):
            row.update({key: Sure(row[key], one) for key, one in limits.items()})
    return rows


OF_JUDGED = ("popularity", "direction", "thinking", "recovery", "errors")
"""Analyses of the facts that are complete and gradable."""


def why_nothing(found: "Analysis") -> str:
    """What is missing for an analysis to say anything, and how to get it; else nothing."""
    evidence = found.evidence
    tally = evidence.tally
    if not tally.models:
        return "No responses yet: `lostkeys run --model M --grader lexical` draws some."
    if not evidence.facts.any():
        return "No fact fits: take other words for --where, or import facts."
    if not tally.labels[..., evidence.facts].any():
        return "No answers with labels here: `lostkeys grade --grader lexical` sets some."
    if not tally.thinks().any() and found.name in ("thinking", "recovery"):
        return "No model here was asked with thinking: `lostkeys run --thinking on` does that."
    if not tally.thinks().any() and found.name == "threshold":
        return "No model here has profiles: they need thinking, `lostkeys run --thinking on`."
    if found.name in OF_JUDGED and not evidence.analysed().any():
        return (
            "No fact here is complete and gradable: `lostkeys profiles` counts why, "
            "`lostkeys run` draws and grades what is missing."
        )
    return ""


def _for_people(name: str, rows: Sequence[Cells], width: int) -> Sequence[Cells]:
    """The rows with fewer lines: thresholds by profile and numbers of answers side by side."""
    if name == "threshold":
        return _by_profile(rows)
    if name == "availability":
        return _by_number(rows, width)
    if name == "popularity":
        return [_with_stored(row) for row in rows]
    return rows


def _with_stored(row: Cells) -> Cells:
    """A row of popularity with the number of encoded facts, over which its other shares are."""
    share = row["encode_rate"]
    value = share.value if isinstance(share, Sure) else share
    found: dict[str, Any] = {}
    for key, one in row.items():
        found[key] = one
        if key == "encode_rate":
            found["stored"] = round((value or 0) * row["n"])
    return found


def _by_profile(rows: Sequence[Cells]) -> list[Cells]:
    """One line a model and threshold, model by model."""
    models = list(dict.fromkeys(row["model"] for row in rows))
    lines: list[Cells] = []
    by_model = sorted(rows, key=lambda row: models.index(row["model"]))
    for (model, tau), group in groupby(by_model, key=itemgetter("model", "tau")):
        found = {row["profile"]: row for row in group}
        shares = {f"{CODES[profile]} %": found[profile]["share"] for profile in ORDER}
        n = sum(row["count"] for row in found.values())
        lines.append({"model": model, "tau": tau, "n": n, **shares})
    return lines


def _by_number(rows: Sequence[Cells], width: int) -> list[Cells]:
    """One line a question type, with as many numbers of correct answers as there is room for."""
    longest = max(cell_len(one_line(row["model"])) for row in rows)
    most = max(row["k"] for row in rows)
    each = SURE_WIDTH if isinstance(rows[0]["share"], Sure) else POINTS_WIDTH
    beside = (width - longest - TASK_WIDTH) // each
    room = beside if beside >= min(most, LEAST_NUMBERS) else (width - TASK_WIDTH) // each
    shown = max(2, min(most, room))
    numbers = sorted({1 + round(one * (most - 1) / (shown - 1)) for one in range(shown)})
    lines: list[Cells] = []
    keys = ("model", "thinking", "task", "n_questions")
    for values, group in groupby(rows, key=itemgetter(*keys)):
        shares = {row["k"]: row["share"] for row in group}
        lines.append(
            {
                **dict(zip(keys, values, strict=True)),
                **{f"≥{number}": shares.get(number) for number in numbers},
            }
        )
    return lines


def _gaps(name: str, found: "Intervals") -> list[Cells]:
    """One line a gap, in points."""
    return [
        {
            **gap.keys,
            "number": HEADERS[gap.number].removesuffix(" %"),
            GAPS[name]: Sure(gap.gap.value, gap.gap.interval, is_gap=True),
        }
        for gap in found.gaps
    ]
