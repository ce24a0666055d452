"""Profiles for a new threshold, from counts in memory, against the same in polars.

Run it: `uv run python -m tests.bench.profiles [--facts N]`.
"""

import argparse
from itertools import product

import numpy as np
import polars as pl

from core.scoring.label_counts import LabelCounts
from core.scoring.policy import Policy
from core.scoring.verdicts import CELLS, Verdicts, code_cells, judge
from core.vocabulary import KNOWLEDGE, PROFILES, TASK_INDEX, TASKS, Strategy
from tests.bench.generator import Scale, outcomes
from tests.bench.timing import Measured, compare

TAUS = (0.0, 0.25, 0.5, 0.75, 0.9, 0.99)


def make_tally(scale: Scale, seed: int = 1) -> LabelCounts:
    """Counts of a database of this scale, without the database."""
    random = np.random.default_rng(seed)
    labels = np.zeros((2 * scale.models, 4, len(TASKS), scale.facts), np.uint16)
    for fact in range(scale.facts):
        drawn = outcomes(scale, random)
        for code in range(4):
            labels[:, code, :, fact] = (drawn == code + 1).sum(axis=2).T
    return LabelCounts(
        [f"model-{number:02}" for number in range(scale.models)],
        np.arange(2 * scale.models).reshape(-1, 2),
        labels,
        labels.sum(axis=1, dtype=np.uint16),
        np.ones((len(TASKS), scale.facts), np.bool_),
    )


def as_frame(tally: LabelCounts) -> pl.DataFrame:
    """The cells that decide profiles, one row each."""
    frames = []
    models, facts = len(tally.models), tally.exists.shape[1]
    for task, thinking in CELLS:
        counts = tally.labels[tally.rows[:, int(thinking)], :, TASK_INDEX[task]]
        kind = "kt" if thinking else "k0" if task in KNOWLEDGE else "e"
        side = f"{kind}-{'reverse' if 'reverse' in task else 'direct'}"
        frames.append(
            pl.DataFrame(
                {
                    "model": np.repeat(np.arange(models), facts),
                    "fact": np.tile(np.arange(facts), models),
                    "kind": [kind] * (models * facts),
                    "side": [side] * (models * facts),
                    "c": counts[:, 0].ravel(),
                    "i": counts[:, 1].ravel(),
                }
            ).with_columns(pl.col("kind", "side").cast(pl.Categorical))
        )
    return pl.concat(frames)


def in_polars(frame: pl.DataFrame, tau: float) -> pl.DataFrame:
    """Counts of profiles by model as one would write them in polars (strategy pair)."""
    g = frame.with_columns(g=pl.col("c") / (pl.col("c") + pl.col("i")))
    gradable = pl.col("g").is_not_nan()
    passes, fails = gradable & (pl.col("g") > tau), gradable & (pl.col("g") <= tau)
    kind, side = pl.col("kind"), pl.col("side")
    facts = g.group_by("model", "fact").agg(
        e=(passes & (kind == "e")).any(),
        k0=~(fails & (kind == "k0")).any(),
        kt=~(fails & (kind == "kt")).any(),
        gradable=side.filter(gradable).n_unique() == 5,
    )
    profile = (
        pl.when(~pl.col("gradable")).then(pl.lit("excluded_nan"))
        .when(pl.col("e") & pl.col("k0")).then(pl.lit("direct_recall"))
        .when(pl.col("k0")).then(pl.lit("direct_inference"))
        .when(pl.col("e") & pl.col("kt")).then(pl.lit("recall_with_thinking"))
        .when(pl.col("e")).then(pl.lit("recall_failure"))
        .when(pl.col("kt")).then(pl.lit("inference_without_encoding"))
        .otherwise(pl.lit("encoding_failure"))
    )  # fmt: skip
    return facts.with_columns(profile=profile).group_by("model", "profile").len()


def totals(verdicts: Verdicts) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """Facts by model and verdict."""
    return np.stack([np.bincount(row, minlength=9) for row in verdicts.verdict])


def measure(scale: Scale, runs: int = 20) -> list[Measured]:
    """One new threshold, and six thresholds by three strategies."""
    tally = make_tally(scale)
    coded, thinking, frame = code_cells(tally), tally.thinks(), as_frame(tally)
    ours = totals(judge(coded, thinking, Policy(tau=0.5)))
    theirs = {(m, p): n for m, p, n in in_polars(frame, 0.5).iter_rows()}
    for model in range(scale.models):
        for place, profile in enumerate(PROFILES):
            assert ours[model, place] == theirs.get((model, profile), 0)

    def all_policies() -> None:
        for tau, strategy in product(TAUS, Strategy):
            totals(judge(coded, thinking, Policy(tau=tau, strategy=strategy)))

    return [
        compare(
            f"profiles of {scale.models} models x {scale.facts:,} facts for a new tau",
            lambda: totals(judge(coded, thinking, Policy(tau=0.25))),
            "polars",
            lambda: in_polars(frame, 0.25),
            runs,
        ),
        compare(
            "six taus x three strategies",
            all_policies,
            "polars, six taus x one strategy",
            lambda: [in_polars(frame, tau) for tau in TAUS],
            max(1, runs // 4),
        ),
    ]


def main() -> None:
    """Measure at the paper's size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--facts", type=int, default=Scale.facts)
    for line in measure(Scale(facts=parser.parse_args().facts)):
        print(line)


if __name__ == "__main__":
    main()
