"""Two databases made one."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import db.connection
import db.label_grids
import db.merge_rows
import db.score_grids
from core.errors import UsageError
from core.project import Project
from core.transfer.fields import quoted
from core.vocabulary import TASKS
from core.zero_prompt import score_writer
from db import drafts
from db.merge_rows import Clash, What


def merge(a: Path, b: Path, target: Path) -> list[str]:
    """Write the union of two databases to a new file; gives a line for each difference.

    Facts, questions, responses, labels and the rest are the same where their natural keys are;
    where their content differs A's is kept. A and B stay as they are. Raises `UsageError` where
    the target is there already.
    """
    if target.exists():
        raise UsageError(f"{target} is there already: name a new file with -o")
    if not target.absolute().parent.is_dir():
        raise UsageError(f"{target.parent} is not a folder: make it first, or choose another")
    if a.exists() and b.exists() and a.samefile(b):
        raise UsageError(f"{a} and {b} are one file: name two")
    with Project(b, "read"), _draft(a, target) as draft:
        connection = draft.connection
        with (
            db.connection.relaxed(connection),
            db.merge_rows.attached(connection, b),
        ):
            with db.connection.writing(connection):
                sides = {task.value: task.side.value for task in TASKS}
                clashes = db.merge_rows.take_over(connection, sides)
            with db.connection.writing(connection):
                db.label_grids.replace(connection, db.label_grids.rebuilt(connection))
                db.score_grids.replace(connection, score_writer.computed(draft))
    return [said(clash) for clash in clashes]


@contextmanager
def _draft(source: Path, target: Path) -> Iterator[Project]:
    """A copy of a database that gets the target's name when all is well."""
    drafts.clear(target.absolute().parent, target.name)
    with drafts.held(target) as draft:
        with Project(source, "read") as there:
            db.connection.copy(there.connection, draft)
        with Project(draft, "write") as project:
            yield project
        draft.rename(target)


_SAID = {
    What.FACT: "fact {0}: another {detail}",
    What.GOLD: "fact {0}, {1}: another gold; labels that rest on it are left out",
    What.QUESTION: "fact {0}, {1}: another question; its responses are left out",
    What.MODEL: "model {0}: drawn by another recipe; its responses are left out",
    What.RESPONSE: "fact {0}, {1}, {2}, thinking {3}, sample {4}: another response; "
    "its labels are left out",
    What.GRADER: "grader {0}: version {detail} is not known to be newer than those of A; "
    "its labels are left out",
    What.LABEL: "fact {0}, {1}, {2}, thinking {3}, sample {4}: another label by {5} ({detail})",
    What.REVIEW: "fact {0}, {1}: another review by {2}",
    What.NOTE: "fact {0}, {1}, {2}, thinking {3}, sample {4}: another rationale by {5}",
    What.TRIPLE: "triple {0}: another {detail}",
    What.TRAIT: "model {0}: another family, size or base",
    What.FORM: "form {1} of {0}: another template",
    What.SCORE: "fact {0}, {1}, {2} examples: another score",
    What.LONG_INPUT: "relation {1}, {0}: another long input",
    What.PREPARATION: "set {0}: prepared with another {detail}; its splits are left out",
    What.ARM: "arm {0} of set {1}: sent otherwise",
    What.AUDIT: "audit {0}: drawn otherwise",
    What.DOCUMENT: "document {0}: another {detail}",
}


_FREE = {0, 2, 5}
"""Places of a key that hold names out of files: facts (or models, graders), models, graders."""

_NAMES = {What.SCORE, What.FORM, What.LONG_INPUT, What.ARM}
"""What has names out of files at all places that are no numbers."""


def said(clash: Clash) -> str:
    """What B has otherwise than A, in one line."""
    names = range(len(clash.key)) if clash.what in _NAMES else _FREE
    key = [quoted(part) if place in names else part for place, part in enumerate(clash.key)]
    return _SAID[clash.what].format(*key, detail=clash.detail)
