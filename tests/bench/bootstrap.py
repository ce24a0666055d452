"""Bootstrap on label counts, against resampling the labels by index in NumPy.

Run it: `uv run python -m tests.bench.bootstrap [--facts N]`.
"""

import argparse
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from core.analyses.analysis_evidence import Evidence
from core.analyses.bootstrap import RESAMPLES, TASKS, bootstrap
from core.dataset.fact_index import FactIndex
from core.scoring.label_counts import LabelCounts
from core.scoring.policy import Policy
from core.scoring.verdicts import code_cells, judge
from core.vocabulary import TASK_INDEX, Outcome
from core.vocabulary import TASKS as ALL_TASKS
from tests.bench.generator import Scale, outcomes
from tests.bench.timing import Measured, compare

MODELS = 8
"""As many as the paper's figure 18 has."""

Labels = npt.NDArray[np.uint8]


def make_labels(scale: Scale, seed: int = 1) -> Labels:
    """Labels of answers without thinking, shape (models, tasks, facts, samples)."""
    random = np.random.default_rng(seed)
    drawn = np.stack([outcomes(scale, random) for _ in range(scale.facts)])
    labels: Labels = drawn.transpose(2, 1, 0, 3)[: scale.models].copy()
    return labels


def make_evidence(labels: Labels) -> Evidence:
    """The same as counts, without a database."""
    models, _, facts, samples = labels.shape
    counts = np.stack([(labels == code).sum(axis=3) for code in range(1, 5)], axis=1)
    tally = LabelCounts(
        [f"model-{number:02}" for number in range(models)],
        np.stack([np.arange(models), np.full(models, -1)], axis=1),
        counts.astype(np.uint16),
        np.full((models, len(ALL_TASKS), facts), samples, np.uint16),
        np.ones((len(ALL_TASKS), facts), np.bool_),
    )
    names, no = [str(fact) for fact in range(facts)], np.zeros(facts, np.bool_)
    questions = np.arange(1, facts * len(ALL_TASKS) + 1).reshape(facts, -1)
    views = np.full(facts, -1)
    index = FactIndex(np.arange(facts), names, views, names, names, names, views, no, no, questions)
    policy = Policy()
    verdicts = judge(code_cells(tally), tally.thinks(), policy)
    return Evidence(index, tally, verdicts, policy, ~no)


def by_index(labels: Labels, resamples: int, seed: int = 2) -> list[tuple[float, float, float]]:
    """Mean and percentiles for every model, task and size, as one would write it in NumPy."""
    random = np.random.default_rng(seed)
    found = []
    for model in labels:
        for task in TASKS:
            answers = model[TASK_INDEX[task]]
            answers = answers[(answers <= Outcome.INCORRECT).any(axis=1)]
            facts, samples = answers.shape
            for size in range(1, samples + 1):
                shares = np.empty(resamples)
                for number in range(resamples):
                    places = random.integers(0, samples, (facts, size))
                    drawn = np.take_along_axis(answers, places, axis=1)
                    correct = (drawn == Outcome.CORRECT).sum(axis=1)
                    incorrect = (drawn == Outcome.INCORRECT).sum(axis=1)
                    shares[number] = (correct > incorrect).mean()
                low, high = np.percentile(shares, [5, 95])
                found.append((float(shares.mean()), float(low), float(high)))
    return found


def apart(scale: Scale, resamples: int = RESAMPLES) -> tuple[float, float]:
    """The largest difference between the two ways, of a mean and of a percentile."""
    labels = make_labels(scale)
    resampled = replace(make_evidence(labels), options={"resamples": resamples})
    ours = [(row.mean, row.p5, row.p95) for row in bootstrap(resampled)]
    differences = np.abs(np.array(ours, float) - np.array(by_index(labels, resamples)))
    return float(differences[:, 0].max()), float(differences[:, 1:].max())


def measure(scale: Scale, runs: int = 3, part: int = 10) -> Measured:
    """All sizes; the baseline is timed on 1/`part` of the resamples."""
    labels = make_labels(scale)
    evidence = make_evidence(labels)
    timed = compare(
        f"{RESAMPLES:,} resamples x {scale.samples} sizes x {len(TASKS)} tasks x "
        f"{scale.models} models x {scale.facts:,} facts",
        lambda: bootstrap(evidence),
        f"resampling by index in NumPy ({part} x {RESAMPLES // part} resamples)",
        lambda: by_index(labels, RESAMPLES // part),
        runs,
    )
    return replace(timed, baseline=part * timed.baseline)


def main() -> None:
    """Measure at the paper's size, and say how far apart the two are."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--facts", type=int, default=Scale.facts)
    scale = Scale(facts=parser.parse_args().facts, models=MODELS)
    print(measure(scale))
    means, percentiles = apart(Scale(facts=200, models=2))
    print(f"of 200 facts: means within {means:.4f}, percentiles within {percentiles:.4f}")


if __name__ == "__main__":
    main()
