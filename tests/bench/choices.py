"""Labels of multiple choice, beside reading nothing but what an answer begins with.

The baseline knows a leading letter and the whole text of an option, once for each answer to a
question. Run it: `uv run python -m tests.bench.choices [--answers N] [--forms F]`.
"""

import argparse
import random
import re
from collections.abc import Iterator, Sequence

from core.dataset import choice_options
from core.graders.choice import label_answers
from core.vocabulary import Label, Task
from db.question_rows import Gold, StoredQuestion
from tests.bench.timing import Measured, compare

Row = tuple[StoredQuestion, str, int]

SAMPLES = 8
PLAIN = ("{letter}", "{letter}.", "{letter}) {text}", "{letter}. {text}", "{text}")
MIXED = (
    *PLAIN * 2,
    "**{letter}**",
    "({letter})",
    "Answer: {letter}",
    "The answer is {letter}.",
    "The correct answer is **{letter}) {text}**.",
    "\\boxed{{{letter}}}",
    "It must be {text}, which is the largest, so {letter}.",
    "I don't know.",
)
"""Half of them as before, the others as chat models write."""

SENTENCES = (
    *MIXED,
    "The question asks which place is the largest. Of the four, {text} has by far the most people "
    "in the count of the year {number}. Therefore the correct answer is {letter}.",
    "Let us look at each option for question {number}. Two of them are in the west and one is a "
    "small village. That leaves {letter}) {text}.",
    "**{letter}) {text}**\n\nExplanation: it was counted {number} times, and the other places are "
    "not as large as this one, which is a city of its own.",
    "I think it may be {text}, but I am not sure about question {number}, as the others are large.",
)
"""These, and a quarter whole sentences, no two alike."""

FORMS = {"plain": PLAIN, "mixed": MIXED, "sentences": SENTENCES}

_LEADING = re.compile(r"([A-D])(?:([.):])|(?=\s|$))")


def make_rows(answers: int, forms: Sequence[str], seed: int = 1) -> list[Row]:
    """Answers in these forms, eight to a question, their options shown in four orders."""
    chance = random.Random(seed)
    rows: list[Row] = []
    for number in range(answers // SAMPLES):
        texts = tuple(f"place {number:x} {one}" for one in ("north", "south", "east", "west"))
        gold, a, b, c = texts
        question = StoredQuestion(
            number, number, "f", Task.MC_DIRECT, "?", (gold, a, b, c), 1, Gold(gold, ()), "", ""
        )
        for sample in range(SAMPLES):
            shown = choice_options.shown_order(texts, gold, number, sample)
            place = chance.choice((shown.index(gold), chance.randrange(4)))
            said = chance.choice(forms).format(
                letter="ABCD"[place], text=shown[place], number=SAMPLES * number + sample
            )
            rows.append((question, said, choice_options.encode(shown, texts)))
    return rows


def read_leading(rows: Sequence[Row]) -> Iterator[Label]:
    """The baseline: what stands at the head of an answer, or is all of it."""
    known: dict[str, tuple[int, Sequence[Label]]] = {}
    asked: StoredQuestion | None = None
    texts: Sequence[str] = ()
    labels: Sequence[Label] = ()
    nothing = (Label.OTHER,) * 4
    for question, answer, number in rows:
        if question is not asked:
            asked, known, choices = question, {}, question.choices or ()
            texts = tuple(map(_bare, choices))
            labels = tuple(
                Label.CORRECT if one == question.gold.text else Label.INCORRECT for one in choices
            )
        found = known.get(answer)
        if found is None:
            bare, letter = _bare(answer), _LEADING.match(answer.strip())
            rest = _bare(answer.strip()[letter.end() :]) if letter else ""
            if bare in texts:
                found = 0, (labels[texts.index(bare)],) * 4
            elif letter is None:
                found = 0, nothing
            elif rest in texts:
                right = texts.index(rest)
                found = (
                    "ABCD".index(letter[1]),
                    [*nothing[:right], labels[right], *nothing[right + 1 :]],
                )
            else:
                found = "ABCD".index(letter[1]), nothing if rest and not letter[2] else labels
            known[answer] = found
        place, chosen = found
        yield chosen[choice_options.places(number)[place]]


def _bare(text: str) -> str:
    return text.strip().removesuffix(".").strip().casefold()


def measure(answers: int, forms: Sequence[str], runs: int) -> Measured:
    """Times of both for all answers."""
    rows = make_rows(answers, forms)
    return compare(
        f"{answers:,} answers",
        lambda: sum(label is Label.CORRECT for label in label_answers(rows)),
        "leading letters",
        lambda: sum(label is Label.CORRECT for label in read_leading(rows)),
        runs,
    )


def main() -> None:
    """Print a line."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--answers", type=int, default=400_000)
    options.add_argument("--runs", type=int, default=3)
    options.add_argument("--forms", choices=FORMS, default="mixed")
    given = options.parse_args()
    found = measure(given.answers, FORMS[given.forms], given.runs)
    print(f"{given.forms}: {found}; {given.answers / found.subject:,.0f} answers a second")


if __name__ == "__main__":
    main()
