"""Databases made one."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import combinations
from pathlib import Path

import db.connection
import db.label_grids
import db.merge_rows
import db.option_score_arrays
from core.errors import UsageError
from core.project import OpenProject
from core.transfer.row_values import quote
from core.vocabulary import TASKS
from core.zero_prompt import score_writer
from db import draft_files
from db.merge_rows import Clash, What


def merge(sources: Sequence[Path], target: Path) -> list[str]:
    """Write the union of two or more databases to a new file; gives a line for each difference.

    Facts, questions, responses, labels and the rest are the same where their natural keys are;
    where their content differs the first file's is kept, and the line names both files. Jobs,
    what they spent and what was set aside stay behind, of every file alike. The sources stay as
    they are. Raises `UsageError` where the target is there already.
    """
    _check(sources, target)
    lines = []
    with _draft(sources[0], target) as draft, db.connection.relax_sync(draft.connection):
        with db.connection.write_transaction(draft.connection):
            db.merge_rows.begin_anew(draft.connection)
        for place, source in enumerate(sources[1:], 1):
            clashes = _take_over(draft, source)
            kept = _find_kept(clashes, sources[:place], source, target)
            lines += [
                f"{source}, unlike {first}: {explain_clash(clash, first)}"
                for clash, first in zip(clashes, kept, strict=True)
            ]
        connection = draft.connection
        with db.connection.write_transaction(connection):
            db.label_grids.replace(connection, db.label_grids.rebuild(connection))
            db.option_score_arrays.replace(connection, score_writer.compute_arrays(draft))
    return lines


def _check(sources: Sequence[Path], target: Path) -> None:
    if len(sources) < 2:
        raise UsageError("one database is merged with nothing: name two or more, A.db B.db")
    if target.exists():
        raise _explain_target(target)
    if (log := Path(f"{target}-wal")).exists():
        raise UsageError(
            f"{log} is left of a database that is gone: delete it, or name another file with -o"
        )
    if not target.absolute().parent.is_dir():
        raise UsageError(f"{target.parent} is not a folder: make it first, or choose another")
    for one, other in combinations([path for path in sources if path.exists()], 2):
        if one.samefile(other):
            raise UsageError(f"{one} and {other} are one file: name each once")
    for source in sources:  # before the first is copied
        OpenProject(source, "read").close()


def _explain_target(target: Path) -> UsageError:
    return UsageError(f"{target} is there already: name a new file with -o")


def _take_over(draft: OpenProject, source: Path) -> list[Clash]:
    """Add what a database has and the draft has not; gives what clashes."""
    connection = draft.connection
    sides = {task.value: task.side.value for task in TASKS}
    with (
        OpenProject(source, "read"),
        db.merge_rows.attach_database(connection, source),
        db.connection.write_transaction(connection),
    ):
        return db.merge_rows.take_over(connection, sides)


def _find_kept(
    clashes: Sequence[Clash], earlier: Sequence[Path], source: Path, target: Path
) -> list[Path]:
    """Of each clash the file whose content is kept: the first that clashes with `source` itself.

    Each earlier file but the last is merged with `source` for that, on a passing copy, until all
    are known: what is left is of the last.
    """
    kept: dict[tuple[What, tuple[str | int, ...]], Path] = {}
    open_keys = {(clash.what, clash.key) for clash in clashes}
    for first in earlier[:-1]:
        if not open_keys:
            break
        with draft_files.hold_draft(target) as copy:
            with OpenProject(first, "read") as project:
                db.connection.copy(project.connection, copy)
            with OpenProject(copy, "write") as project:
                found = {(clash.what, clash.key) for clash in _take_over(project, source)}
        kept |= dict.fromkeys(open_keys & found, first)
        open_keys -= found
    return [kept.get((clash.what, clash.key), earlier[-1]) for clash in clashes]


@contextmanager
def _draft(source: Path, target: Path) -> Iterator[OpenProject]:
    """A copy of a database that gets the target's name when all is well."""
    draft_files.clear(target.absolute().parent, target.name)
    with draft_files.hold_draft(target) as draft:
        with OpenProject(source, "read") as there:
            db.connection.copy(there.connection, draft)
        with OpenProject(draft, "write") as project:
            yield project
        try:
            draft_files.name_draft(draft, target)
        except FileExistsError as error:
            raise _explain_target(target) from error


_SAID = {
    What.FACT: "fact {0}: another {detail}",
    What.GOLD: "fact {0}, {1}: another gold; labels that rest on it are left out",
    What.QUESTION: "fact {0}, {1}: another question; its responses are left out",
    What.MODEL: "model {0}: drawn by another recipe; its responses are left out",
    What.RESPONSE: "fact {0}, {1}, {2}, thinking {3}, sample {4}: another response; "
    "its labels are left out",
    What.GRADER: "grader {0}: version {detail} is not known to be newer than those of {first}; "
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
    What.RUBRIC: "rubric {0}: version {detail} has another text",
    What.STANDING_NOTE: "note of {0} on one {1}: another text",
    What.REFERENCE_SET: "reference set {0}: drawn otherwise",
    What.DOCUMENT: "document {0}: another {detail}",
}


_FREE = {0, 2, 5}
"""Places of a key that hold names out of files: facts (or models, graders), models, graders."""

_NAMES = {What.SCORE, What.FORM, What.LONG_INPUT, What.ARM}
"""What has names out of files at all places that are no numbers."""


def explain_clash(clash: Clash, first: Path) -> str:
    """What a file has otherwise than the `first`, in one line."""
    names = range(len(clash.key)) if clash.what in _NAMES else _FREE
    key = [quote(part) if place in names else part for place, part in enumerate(clash.key)]
    return _SAID[clash.what].format(*key, detail=clash.detail, first=first)
