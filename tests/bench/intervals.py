"""Intervals of all profile shares, against resampling the facts by index in NumPy.

Run it: `uv run python -m tests.bench.intervals [--facts N]`.
"""

import argparse
from dataclasses import replace

import numpy as np

from core.results.share_intervals import sureness
from core.scoring.verdicts import VERDICTS, Mask, Verdicts
from core.vocabulary import PROFILES
from tests.bench.generator import Scale
from tests.bench.timing import Measured, compare

RESAMPLES, PERCENTILES = 1_000, (2.5, 97.5)


def make_verdicts(scale: Scale, seed: int = 1) -> Verdicts:
    """Verdicts as a database of this size has them, all models with thinking."""
    random = np.random.default_rng(seed)
    shape = (scale.models, scale.facts)
    chances = np.array([0.1, 0.3, 0.4, 0.1, 0.04, 0.01, 0.03, 0.02, 0.0])
    verdict = random.choice(len(VERDICTS), shape, p=chances).astype(np.uint8)
    encodes, knows, knows_thinking = random.random((3, *shape)) < 0.5
    thinking = np.ones(scale.models, np.bool_)
    return Verdicts(verdict, encodes, knows, knows_thinking, thinking)


def by_index(verdicts: Verdicts, facts: Mask, resamples: int) -> list[list[float]]:
    """Percentiles of the five shares of every model, as one would write it in NumPy."""
    found = []
    size = int(facts.sum())
    for verdict in verdicts.verdict[:, facts]:
        random = np.random.default_rng(2)
        shares = np.empty((resamples, len(PROFILES)))
        for number in range(resamples):
            drawn = verdict[random.integers(0, size, size)]
            counts = np.bincount(drawn, minlength=len(VERDICTS))[: len(PROFILES)]
            shares[number] = counts / counts.sum()
        found.append(np.percentile(shares, PERCENTILES, axis=0).tolist())
    return found


def apart(scale: Scale) -> float:
    """The largest difference between the two ways, of a limit of a profile's share."""
    verdicts, facts = make_verdicts(scale), np.ones(scale.facts, np.bool_)
    ours = [
        [(whole.shares or {})[str(profile)] or (np.nan, np.nan) for profile in PROFILES]
        for (whole,) in sureness(verdicts, [facts])
    ]
    theirs = np.array(by_index(verdicts, facts, RESAMPLES)).transpose(0, 2, 1)
    return float(np.abs(np.array(ours) - theirs).max())


def measure(scale: Scale, runs: int = 3, part: int = 1) -> Measured:
    """Nine shares of every model; the baseline has five, on 1/`part` of the resamples."""
    verdicts, facts = make_verdicts(scale), np.ones(scale.facts, np.bool_)
    timed = compare(
        f"intervals of 9 shares of {scale.models} models over {scale.facts:,} facts",
        lambda: sureness(verdicts, [facts]),
        f"5 shares by index in NumPy ({part} x {RESAMPLES // part} resamples)",
        lambda: by_index(verdicts, facts, RESAMPLES // part),
        runs,
    )
    return replace(timed, baseline=part * timed.baseline)


def main() -> None:
    """Measure at the paper's size, and say how far apart the two are."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--facts", type=int, default=Scale.facts)
    scale = Scale(facts=parser.parse_args().facts)
    print(measure(scale))
    print(f"limits within {apart(scale):.4f}")


if __name__ == "__main__":
    main()
