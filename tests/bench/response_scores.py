"""Four scores of a response against three golds, beside the usual way of working them out.

The baseline normalises gold and answer anew for each of exact match and F1, gold by gold, with a
character test for punctuation, as the evaluation of SQuAD does. Run it:
`uv run python -m tests.bench.response_scores [--responses N]`.
"""

import argparse
import random
import re
import string
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from core.dataset.answer_types import DATE, ENTITY, NUMBER
from core.graders.em.normal_form import AnswerKind
from core.graders.em.response_scores import score_response
from tests.bench.timing import Measured, compare

Case = tuple[str, tuple[str, ...], AnswerKind]

WORDS = ("the", "Great", "Lake", "of", "a", "Northern", "St.", "Mary's", "river-bank", "Ülemiste")
MARKS = set(string.punctuation)
ARTICLES = re.compile(r"\b(a|an|the)\b")


@dataclass(frozen=True)
class Scale:
    """How many responses, and to how many questions."""

    responses: int = 4_000
    questions: int = 500


def make_cases(scale: Scale, kind: str, seed: int = 1) -> list[Case]:
    """Responses of one to two dozen words, a few of which say a gold."""
    chance = random.Random(seed)

    def text(least: int, most: int) -> str:
        return " ".join(chance.choices(WORDS, k=chance.randint(least, most)))

    def gold() -> str:
        if kind == DATE:
            return f"{chance.randint(1500, 2020)}-{chance.randint(1, 12):02}-17"
        return str(chance.randint(1, 9999)) if kind == NUMBER else text(1, 3)

    unit = "km" if kind == NUMBER else ""
    golds = [tuple(gold() for _ in range(3)) for _ in range(scale.questions)]
    found = []
    for number in range(scale.responses):
        mine = golds[number % scale.questions]
        said = mine[0] if chance.random() < 0.2 else text(1, 12)
        more = f"\nQuestion: {text(4, 12)}" if chance.random() < 0.5 else ""
        found.append((f"{said}{more}", mine, AnswerKind(kind, unit)))
    return found


def as_squad(text: str) -> str:
    """A text in lower case without punctuation and articles."""
    bare = "".join(char for char in text.lower() if char not in MARKS)
    return " ".join(ARTICLES.sub(" ", bare).split())


def f1_as_squad(answer: str, gold: str) -> float:
    """F1 of words."""
    said, right = as_squad(answer).split(), as_squad(gold).split()
    shared = sum((Counter(said) & Counter(right)).values())
    if not shared:
        return 0.0
    precision, recall = shared / len(said), shared / len(right)
    return 2 * precision * recall / (precision + recall)


def score_as_squad(response: str, golds: Sequence[str]) -> tuple[float, ...]:
    """The four scores."""
    answer = next((line for line in response.splitlines() if line.strip()), "")
    return (
        max(as_squad(answer) == as_squad(gold) for gold in golds),
        max(f1_as_squad(answer, gold) for gold in golds),
        max(as_squad(response) == as_squad(gold) for gold in golds),
        max(f1_as_squad(response, gold) for gold in golds),
    )


def measure(scale: Scale, kind: str, runs: int) -> Measured:
    """Times of both for all responses; what is kept of golds is made anew in each run."""
    cases = make_cases(scale, kind)
    return compare(
        f"{scale.responses:,} responses, {kind}",
        lambda: [score_response(*case) for case in cases],
        "as SQuAD",
        lambda: [score_as_squad(response, golds) for response, golds, _ in cases],
        runs,
    )


def main() -> None:
    """Print a line a type."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--responses", type=int, default=Scale.responses)
    options.add_argument("--runs", type=int, default=5)
    given = options.parse_args()
    for kind in (ENTITY, DATE, NUMBER):
        found = measure(Scale(given.responses), kind, given.runs)
        each = 1e6 * found.subject / given.responses
        print(f"{found}; {each:.1f} us a response")


if __name__ == "__main__":
    main()
