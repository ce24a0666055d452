"""Looking questions over at the paper's size, as the db worker's thread does it.

Run it: `uv run python -m tests.bench.reviewing FILE`, FILE a database of `tests.bench.generator`;
the file is copied first, as reviews are written in it. The baseline of every line is opening the
first snapshot of the same file, in the same run.
"""

import argparse
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from itertools import islice
from pathlib import Path

from core.curation.question_edits import QuestionDraft, read_draft
from core.views.review import stage_changes
from core.views.review.question_samples import Strata
from core.views.review.review_queue import QueueRequest, ReviewQueue
from core.views.review.review_service import Reviews
from core.views.session import Session
from core.vocabulary import QueueKind
from tests.bench.queue import Times, timed

SHOWN = 40
"""Rows of a queue on screen."""

QUEUES = (
    QueueRequest(),
    QueueRequest(QueueKind.RANDOM),
    QueueRequest(QueueKind.STRATIFIED, Strata.CATEGORY),
    QueueRequest(QueueKind.STAGE, stage=stage_changes.CHANGERS[0].stage),
    QueueRequest(QueueKind.EDITED),
)


def measure(path: Path, keys: int = 50) -> list[Times]:
    """Open every queue, read cards, decide, edit and undo; `path` is written to."""
    with closing(Session(path)) as session:
        session.name = "bench"
        found = [timed("opening the first snapshot", iter([session.open]))]
        reviews = Reviews(session)
        found.append(timed("sampling 200", iter([lambda: reviews.sample(200, seed=1)])))
        reviews.sample(200, Strata.CATEGORY, seed=1)
        found += [
            timed(f"queue: {one.kind}", (partial(_anew(session).queue, one) for _ in range(5)))
            for one in QUEUES
        ]
        opened = reviews.queue(QueueRequest(QueueKind.RANDOM))
        some = iter(opened.questions * 9)
        found += [
            timed(
                "texts in sight", (partial(reviews.texts, opened, range(SHOWN)) for _ in range(5))
            ),
            timed("card", (partial(reviews.card, key) for key in islice(some, keys))),
            timed("rates", (partial(_rates, _anew(session), opened) for _ in range(5))),
            timed("quality", (_anew(session).quality for _ in range(5))),
            timed("accept", (partial(reviews.accept, key) for key in islice(some, keys))),
            timed("undo", (session.undo for _ in range(keys))),
            timed("reject", (partial(reviews.reject, key, "x") for key in islice(some, keys))),
            timed("undo a rejection", (session.undo for _ in range(keys))),
        ]
        found += _edits(session, reviews, some, keys)
    return found


def _anew(session: Session) -> Reviews:
    """Reviews that keep nothing of what was measured or read before."""
    return Reviews(session)


def _rates(reviews: Reviews, opened: ReviewQueue) -> object:
    return reviews.rates(reviews.mark_queue(opened))


def _edits(session: Session, reviews: Reviews, some: Iterator[int], keys: int) -> list[Times]:
    """Edit texts, then golds; undo all."""

    def edit(key: int, of_gold: bool) -> None:
        now = read_draft(session.project, key)
        text, gold = (now.text, f"{now.gold}x") if of_gold else (f"{now.text}?", now.gold)
        reviews.edit(key, QuestionDraft(text, gold, now.aliases, now.choices))

    texts, golds = list(islice(some, keys // 5 + 1)), list(islice(some, keys // 5 + 1))
    edited = [timed("edit a text", _each(edit, texts, False))]
    undone = timed("undo an edit", (session.undo for _ in texts))
    edited += [undone, timed("edit a gold", _each(edit, golds, True))]
    return edited


def _each(
    edit: Callable[[int, bool], None], keys: list[int], of_gold: bool
) -> Iterator[Callable[[], None]]:
    return (partial(edit, key, of_gold) for key in keys)


def main() -> None:
    """Measure a copy of a file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "copy.db"
        shutil.copy(asked.file, path)
        first, *others = measure(path)
        print(first)
        for one in others:
            print(f"{one}; {one.p95 / first.p95:.3f} of opening")


if __name__ == "__main__":
    main()
