"""Train the grader `form`, and say how well it does on questions that it was not trained on.

Run it: `uv run python -m tests.bench.form_training [--write]`. It reads the human labels beside
the project (../shared/data/grading). Questions are split into ten parts by a hash; each part is
graded by weights, and by rarities of words, learnt from the other nine. Then each source is graded
by weights learnt from the other sources, less the questions that it shares with them: other
annotators, other systems, another style. `--write` learns from all answers, and writes the weights
that come with the program.
"""

import argparse
import json
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from math import log
from pathlib import Path
from zlib import crc32

import numpy as np
import numpy.typing as npt

from core.graders import lexical
from core.graders.form.weighed_label import WEIGHTS, FormWeights, measure_answer, weigh
from core.graders.grader_evaluation import CORRECT, EvaluationCase, measure_reliability, read_cases
from core.graders.lexical.folded_text import passage
from core.vocabulary import Label

DATA = Path(__file__).parents[3] / "shared" / "data" / "grading" / "human_labels.jsonl"
BUCKETS = 4096
PARTS = 10
RIDGE = 100.0
"""Penalty on the squared weights of standardised numbers: 3 to 300 differ by 0.2 points."""

Numbers = npt.NDArray[np.float64]


def learn_rarity(cases: Sequence[EvaluationCase]) -> list[int]:
    """16 log(answers / answers with a word of this hash)."""
    seen: Counter[int] = Counter()
    for case in cases:
        seen.update({crc32(stem.encode()) % BUCKETS for stem in passage(case.answer).stems})
    return [min(127, round(16 * log(len(cases) / (1 + seen[at])))) for at in range(BUCKETS)]


def measure_all(
    cases: Sequence[EvaluationCase], rarity: Sequence[int]
) -> tuple[list[Label], list[dict[str, float] | None]]:
    """Labels of `lexical` and the numbers of all cases."""
    found = [measure_answer(case.question, case.golds, case.answer, rarity) for case in cases]
    return [label for label, _ in found], [numbers for _, numbers in found]


def fit(numbers: Sequence[dict[str, float] | None], right: Sequence[bool]) -> FormWeights:
    """Weights by Newton's method, without rarities."""
    kept = [(one, hit) for one, hit in zip(numbers, right, strict=True) if one is not None]
    names = tuple(kept[0][0])
    table = np.array([[one[name] for name in names] for one, _ in kept])
    truth = np.array([hit for _, hit in kept], np.float64)
    means, spreads = table.mean(axis=0), table.std(axis=0)
    spreads[spreads < 1e-6] = 1.0
    scaled = np.column_stack([(table - means) / spreads, np.ones(len(table))])
    ridge = np.diag([RIDGE] * len(names) + [0.0])
    weights = np.zeros(len(names) + 1)
    for _ in range(50):
        chance = 1 / (1 + np.exp(-scaled @ weights))
        slope = scaled.T @ (chance - truth) + ridge @ weights
        curve = (scaled * (chance * (1 - chance))[:, None]).T @ scaled + ridge
        step = np.linalg.solve(curve, slope)
        weights -= step
        if np.abs(step).max() < 1e-9:
            break
    return FormWeights(
        names,
        tuple(round(float(one), 6) for one in means),
        tuple(round(float(one), 6) for one in weights[:-1] / spreads),
        round(float(weights[-1]), 6),
        (),
        lexical.VERSION,
    )


def question_parts(cases: Sequence[EvaluationCase]) -> list[str]:
    """The part of each case: the same for all answers to a question."""
    return [str(crc32(case.question.lower().encode()) % PARTS) for case in cases]


def chances_held_out(
    cases: Sequence[EvaluationCase], parts: Sequence[str]
) -> tuple[list[Label], Numbers]:
    """Labels of `lexical`, and the chance of each case by weights of the other parts.

    Questions of a part are left out of the others, so the weights saw no answer to any of them.
    """
    labels: list[Label] = [Label.OTHER] * len(cases)
    chances = np.zeros(len(cases))
    right = [case.truth == CORRECT for case in cases]
    asked = [case.question.lower() for case in cases]
    for part in sorted(set(parts)):
        held = [at for at, one in enumerate(parts) if one == part]
        theirs = {asked[at] for at in held}
        seen = [one not in theirs for one in asked]
        mine = [case for case, own in zip(cases, seen, strict=True) if own]
        found, numbers = measure_all(cases, learn_rarity(mine))
        trained = fit([one if own else None for one, own in zip(numbers, seen, strict=True)], right)
        for at in held:
            labels[at] = found[at]
            one = numbers[at]
            chances[at] = 0.0 if one is None else trained.chance(one)
    return labels, chances


def learn(cases: Sequence[EvaluationCase]) -> FormWeights:
    """The weights learnt from all cases."""
    rarity = learn_rarity(cases)
    _, numbers = measure_all(cases, rarity)
    weights = fit(numbers, [case.truth == CORRECT for case in cases])
    return FormWeights(**{**asdict(weights), "rarity": tuple(rarity)})


def main() -> None:
    """Measure on held-out questions, and write the weights if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    cases = read_cases(DATA)
    start = time.process_time()
    for case in cases:
        weigh(case.question, case.golds, case.answer)
    print(f"{len(cases) / (time.process_time() - start):,.0f} answers a second of processor time")
    if arguments.write:
        text = json.dumps(asdict(learn(cases)), separators=(",", ":"))
        WEIGHTS.write_text(text + "\n", encoding="utf-8")
        print(f"{len(text):,} bytes")
    show_held_out("questions", cases, question_parts(cases))
    sources = [case.source for case in cases]
    labels, chances = show_held_out("sources", cases, sources)
    for source in sorted(set(sources)):
        of = [at for at, one in enumerate(sources) if one == source]
        show_accuracy(source, [labels[at] for at in of], chances[of], [cases[at] for at in of])


def show_held_out(
    name: str, cases: Sequence[EvaluationCase], parts: Sequence[str]
) -> tuple[list[Label], Numbers]:
    """Print how well labels and chances do on parts that were held out in turn; give both."""
    labels, chances = chances_held_out(cases, parts)
    show_accuracy(f"{name} held out", labels, chances, cases)
    right = np.array([case.truth == CORRECT for case in cases])
    surest = np.argsort(-np.maximum(chances, 1 - chances), kind="stable")
    misses = ((chances >= 0.5) != right)[surest]
    least = misses[round(0.9 * misses.size) :].sum() / misses.sum()
    found = measure_reliability(chances.tolist(), right.tolist())
    surest_parts = ", ".join(f"{part:.0%} {one:.4f}" for part, one in found.coverage)
    print(f"  surest {surest_parts}")
    print(
        f"  ece {found.ece:.4f}, brier {found.brier:.4f}, errors in the least sure 10%: {least:.2f}"
    )
    return labels, chances


def show_accuracy(
    name: str, labels: Sequence[Label], chances: Numbers, cases: Sequence[EvaluationCase]
) -> None:
    """Print the accuracy of `lexical`, and of `form` by its chance and by its label."""
    right = np.array([case.truth == CORRECT for case in cases])
    found = np.array([label == Label.CORRECT for label in labels])
    stays = np.array([label in (Label.PARTIALLY, Label.OTHER) for label in labels])
    likely = chances >= 0.5
    print(
        f"{name}: {len(cases):,} answers, lexical {np.mean(found == right):.4f}, "
        f"form by its chance {np.mean(likely == right):.4f}, "
        f"by its label {np.mean((likely & ~stays) == right):.4f}"
    )


if __name__ == "__main__":
    main()
