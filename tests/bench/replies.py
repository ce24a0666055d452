"""How fast replies are read against their schema, beside `json.loads` of the same replies.

`uv run python -m tests.bench.replies` reads the reply of a grader about eight answers; the aim is
20,000 replies of one label a second.
"""

import argparse
import json

from core.grading import grading_prompt
from prompts.reply_shape import ReplyShape
from tests.bench.timing import Measured, compare

LABEL = {"label": "INCORRECT", "reason": "another river, hedged, and a town that is none"}


def measure(answers: int, count: int) -> Measured:
    """Read so many replies about so many answers each."""
    shape = grading_prompt.shape_of(grading_prompt.ANSWER, answers, None)
    assert shape is not None
    reply = json.dumps([LABEL] * answers)
    return compare(
        f"{count:,} replies of {answers}",
        lambda: read(shape, reply, count),
        "json.loads",
        lambda: load(reply, count),
        runs=3,
    )


def read(shape: ReplyShape, reply: str, count: int) -> None:
    for _ in range(count):
        shape.read_reply(reply)


def load(reply: str, count: int) -> None:
    for _ in range(count):
        json.loads(reply)


def main() -> None:
    """Print a line for replies of one label and of eight."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replies", type=int, default=20_000)
    count = parser.parse_args().replies
    for answers in (1, 8):
        found = measure(answers, count)
        print(f"{found}; {count / found.subject:,.0f} a second")


if __name__ == "__main__":
    main()
