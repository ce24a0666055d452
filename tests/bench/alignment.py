"""How often intervals of `align report` hold, and how long drawing and reporting take.

`python -m tests.bench.alignment` draws 2,000 sets of 120 answers a row, each with 12 versions of a
grader, and looks whether the interval on `check` of the version that is best there holds its
agreement in the whole scope. The naive figure beside it: Wilson's at 95 %, unweighted, of the
version that is best so.
`--speed FACTS` times `draw` on so many facts with 40 answers each, and a report of 12 versions on
500 answers.
"""

import argparse
import resource
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import numpy.typing as npt

from core.alignment.reference_draw import choose_first, draw_set, share_places
from core.alignment.set_report import report_set
from core.alignment.version_scores import score_version
from core.project import OpenProject
from core.stats.intervals import LEVEL, wilson
from core.vocabulary import LABELS, Outcome, Task
from tests.core.making import Row, a_fact, new_project, put_facts, put_rows

SETS, SIZE, VERSIONS = 2_000, 120, 12
FACTS, ANSWERS = 800, 4
"""Facts of a simulated scope, and different answers to each."""


@dataclass(frozen=True)
class AlignCase:
    """Shares of the labels that the person gives, least and greatest error, strata or none."""

    name: str
    shares: tuple[float, float, float, float]
    wrong: tuple[float, float]
    strata: bool


SKEWED = (0.5, 0.35, 0.08, 0.07)
CASES = (
    AlignCase("no strata", SKEWED, (0.08, 0.3), strata=False),
    AlignCase("even strata", (0.25, 0.25, 0.25, 0.25), (0.08, 0.3), strata=True),
    AlignCase("uneven strata", (0.4, 0.3, 0.15, 0.15), (0.08, 0.3), strata=True),
    AlignCase("skewed strata", SKEWED, (0.15, 0.3), strata=True),
    AlignCase("skewed, few errors", SKEWED, (0.08, 0.3), strata=True),
)

CLUSTER = 2.0
"""Answers' worth of belief in a fact's own error rate: less means that errors hang together."""

Labels = npt.NDArray[np.uint8]


def make_versions(
    rng: np.random.Generator, truth: Labels, wrong_shares: tuple[float, float]
) -> list[Labels]:
    """What versions say of all answers, shape (facts * answers,).

    Facts differ in how often a version errs on them, as a gold's wording does to its answers.
    """
    made = []
    for error in rng.uniform(*wrong_shares, VERSIONS):
        rates = rng.beta(error * CLUSTER, (1 - error) * CLUSTER, FACTS)
        wrong = rng.random(truth.shape) < np.repeat(rates, ANSWERS)
        other = 1 + (truth - 1 + rng.integers(1, len(LABELS), truth.shape)) % len(LABELS)
        made.append(np.where(wrong, other, truth).astype(np.uint8))
    return made


def draw_places(rng: np.random.Generator, strata: Labels) -> npt.NDArray[np.intp]:
    """The places of a set's answers, drawn as `align draw` does."""
    facts = np.repeat(np.arange(FACTS), ANSWERS)
    orders = rng.integers(0, 2**63, strata.size).astype(np.uint64)
    counts = {str(one): int((strata == one).sum()) for one in np.unique(strata)}
    chosen = [np.empty(0, np.intp)]
    for one, count in share_places(counts, SIZE).items():
        mine = np.flatnonzero(strata == int(one))
        chosen.append(mine[choose_first(facts[mine], orders[mine], count)])
    return np.concatenate(chosen)


def measure_coverage(case: AlignCase, sets: int, seed: int = 0) -> tuple[float, float]:
    """How often the interval of the best version on `check` holds its truth, ours and naive."""
    rng = np.random.default_rng(seed)
    held = naive = 0
    for _ in range(sets):
        drawn = rng.choice(len(LABELS), FACTS * ANSWERS, p=case.shares)
        truth = (1 + drawn).astype(np.uint8)
        versions = make_versions(rng, truth, case.wrong)
        strata = versions[0] if case.strata else np.ones_like(truth)
        sizes = {str(one): int((strata == one).sum()) for one in np.unique(strata)}
        places = draw_places(rng, strata)
        part = rng.random(FACTS)[places // ANSWERS]
        places = places[(part >= 0.4) & (part < 0.8)]
        names = [str(one) for one in strata[places].tolist()]
        level = 1 - (1 - LEVEL) / VERSIONS
        scores = [
            score_version(truth[places], said[places], None, names, places // ANSWERS, sizes, level)
            for said in versions
        ]
        best = max(range(VERSIONS), key=lambda place: scores[place]["accuracy"])
        low, high = scores[best]["accuracy_interval"]
        held += bool(low <= (versions[best] == truth).mean() <= high)
        hits = [int((said[places] == truth[places]).sum()) for said in versions]
        limits = wilson(max(hits), places.size)
        assert limits is not None
        most = versions[int(np.argmax(hits))]
        naive += bool(limits[0] <= (most == truth).mean() <= limits[1])
    return held / sets, naive / sets


def make_scope(path: Path, facts: int, each: int) -> None:
    """A project of facts with one question and so many answers each, graded and labelled."""
    with new_project(path) as project:
        put_facts(project, [a_fact(f"f{one}", (Task.DIRECT,)) for one in range(facts)])
        for start in range(0, facts, 2_000):
            rows = []
            for fact in range(start, min(facts, start + 2_000)):
                for sample in range(each):
                    kind = Outcome(1 + (fact + sample) % 4)
                    text = f"a river that flows by the town {(fact * 7 + sample) % 97}"
                    rows.append(
                        Row(f"f{fact}", Task.DIRECT, "m", False, sample, {"g0": kind}, text)
                    )
            put_rows(project, rows)


def time_draw(path: Path) -> tuple[float, float]:
    """Seconds of `draw`, and megabytes that the process has taken at most by then."""
    with OpenProject(path, "write") as project:
        project.open_grids()
        begin = time.perf_counter()
        draw_set(project, "speed", size=SIZE, by="g0")
        took = time.perf_counter() - begin
    return took, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def time_report(path: Path, answers: int = 500, versions: int = VERSIONS) -> float:
    """Seconds of the report of so many versions on so many answers, from an open project."""
    with new_project(path) as project:
        put_facts(project, [a_fact(f"f{one}", (Task.DIRECT,)) for one in range(answers // 2)])
        rows = []
        for fact in range(answers // 2):
            for sample in range(2):
                kind = Outcome(1 + (fact + sample) % 4)
                grades = {
                    f"g{one}": Outcome(1 + (fact + (sample * one) % 5) % 4)
                    for one in range(versions)
                }
                rows.append(
                    Row(
                        f"f{fact}",
                        Task.DIRECT,
                        "m",
                        False,
                        sample,
                        {**grades, "human:ann": kind},
                        f"answer {sample}",
                    )
                )
        put_rows(project, rows)
        found = draw_set(project, "speed", size=answers)
        names = [f"g{one}" for one in range(versions)]
        report_set(project, found, None, names)
        begin = time.perf_counter()
        report_set(project, found, None, names)
        return time.perf_counter() - begin


def main(words: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=SETS)
    parser.add_argument("--speed", type=int, metavar="FACTS")
    chosen = parser.parse_args(words)
    if chosen.speed is None:
        for case in CASES:
            held, naive = measure_coverage(case, chosen.sets)
            print(f"{case.name:18}  held {held:.3f}  naive {naive:.3f}", flush=True)
        return
    with TemporaryDirectory() as folder:
        made = Path(folder) / "scope.db"
        make_scope(made, chosen.speed, 40)
        took, most = time_draw(made)
        print(f"draw from {chosen.speed * 40:,} answers: {took:.2f} s, {most:.0f} MB")
        print(f"report: {1000 * time_report(Path(folder) / 'report.db'):.0f} ms")


if __name__ == "__main__":
    main()
