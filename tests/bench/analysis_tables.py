"""Analyses with their further tables, samples of answers, and a heat map on paper.

Run it: `uv run python -m tests.bench.analysis_tables [--facts N] [--models M] [--samples K]`.
"""

import argparse
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from core.analyses import ANALYSES
from core.analyses.analysis import analyse
from core.analyses.analysis_evidence import Evidence
from core.figures.figure import Figure
from core.figures.latent_figures import heat_map
from core.figures.plotting.figure_file import draw_figure
from core.grading.answer_selection import AnswerSelection
from core.project import OpenProject
from core.scoring.policy import Policy
from core.zero_prompt.score_matrix import Setup
from tests.bench.generator import GRADERS, Scale, build
from tests.bench.timing import compare

POLICY = Policy(graders=(GRADERS[0],))
TABLES: Mapping[str, Mapping[str, str]] = {
    "direction": {"by": "answer_type"},
    "errors": {},
    "thinking": {},
}
"""Analyses with further tables, and the options that bring these."""

MAP = 50
"""Models and relations of the heat map."""


def compute_rows(project: OpenProject, name: str) -> list[dict[str, object]]:
    """The rows of an analysis without its further tables."""
    tally = project.tally(project.ranks(POLICY), project.models())
    facts = project.facts(None, tally.models, POLICY)
    verdicts = project.verdicts(tally, POLICY)
    evidence = Evidence(project.index, tally, verdicts, POLICY, facts)
    return [row.as_json() for row in ANALYSES[name].compute(evidence)]


def compute_all(project: OpenProject, name: str) -> dict[str, object]:
    """All tables of an analysis."""
    return analyse(project, name, POLICY, options=TABLES[name]).as_json()


def measure(scale: Scale, folder: Path, columns: int = MAP, runs: int = 3) -> list[str]:
    """All of it, a line each."""
    path = folder / "answers.db"
    build(path, scale)
    with OpenProject(path, "read") as project:
        return [*measure_answers(project, runs), measure_map(columns, runs)]


def measure_answers(project: OpenProject, runs: int) -> Iterator[str]:
    """Each analysis with its further tables, and a sample of the answers."""
    for name in TABLES:
        whole, rows = (partial(run, project, name) for run in (compute_all, compute_rows))
        yield str(compare(f"{name}, all tables", whole, "its rows alone", rows, runs))
    every = AnswerSelection(where="views:>=0")
    slots = every.find_slots(project, choice=False)
    assert slots is not None
    some = AnswerSelection(size=max(1, slots.size // 1_000))
    chosen, listed = (partial(one.find_slots, project, False) for one in (some, every))
    words = f"a sample of {slots.size:,} answers"
    yield str(compare(words, chosen, "all of them listed", listed, runs))


def measure_map(columns: int, runs: int) -> str:
    """A heat map of so many models and relations."""
    rows = [
        {"model": f"m{m:02}", "relation": f"r{r}", "n": 9, "accuracy": (m + r) / (2 * columns)}
        for m in range(columns)
        for r in range(columns)
    ]
    figure = Figure("7", "zp-accuracy", "Accuracy", heat_map(rows, Setup(), {}))
    svg, png = (partial(draw_figure, figure, kind) for kind in ("svg", "png"))
    return str(compare(f"a map of {columns} x {columns} as SVG", svg, "as PNG", png, runs))


def main() -> None:
    """Measure at the size that is asked for, by default the paper's."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--facts", type=int, default=Scale.facts)
    parser.add_argument("--models", type=int, default=Scale.models)
    parser.add_argument("--samples", type=int, default=Scale.samples)
    asked = parser.parse_args()
    with TemporaryDirectory() as folder:
        scale = Scale(asked.facts, asked.models, asked.samples)
        print("\n".join(measure(scale, Path(folder))))


if __name__ == "__main__":
    main()
