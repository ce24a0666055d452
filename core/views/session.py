"""A session: one open project, its snapshot under a lens, and all that screens read or write.

Used from one thread, `interrupt` apart. Everything it gives is immutable and may be kept and
shown by another.
"""

import sqlite3
from collections.abc import Callable, Collection
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, TypeVar

import db.connection
import db.index_columns
import db.label_grids
from core.errors import LostkeysError, UsageError
from core.project import OpenProject
from core.scoring.precedence import HUMAN_PREFIX, grader_of
from core.views import fact_query
from core.views.fact_query import FactHit, FactQuery, Listing
from core.views.job_reader import JobReader
from core.views.lens import Lens
from core.views.session_file import OpenFile, SessionSummary
from core.views.snapshot import Snapshot
from core.views.snapshot_cache import SnapshotCache, empty_snapshot
from core.views.sort_keys import SortKeys
from core.views.user_errors import tell_user_errors
from core.vocabulary import Label, Task

if TYPE_CHECKING:
    from core.curation.label_writer import FlagEffect, LabelEffect
    from core.curation.undo_history import Act, UndoResult, What
    from core.views.audits.audit_service import AuditService
    from core.views.bench.bench_service import BenchService
    from core.views.disagreements.disagreement_service import DisagreementService
    from core.views.fact_search import SearchResult
    from core.views.fact_view import FactView, UnfoldedQuestion
    from core.views.filter_choices import Choices
    from core.views.latent.latent_service import LatentService
    from core.views.question_context import QuestionContext
    from core.views.review.review_service import Reviews
    from core.views.task_view import Consequence, TaskView
    from core.views.write_target import Target

LATEST = 0.7
"""Seconds until a commit is told that changed nothing in the snapshot."""
T = TypeVar("T")
ChosenLens = Lens | Callable[[OpenProject], Lens | None] | None


class Session:
    """One database opened for a person to look at, and to label.

    Every method raises `LostkeysError`, in one line, where the file is gone, locked, damaged or
    another one; `reopen` then begins anew.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._name: str | None = None
        self._open: OpenFile | None = None
        self._writer: OpenProject | None = None
        self._snapshot = empty_snapshot(Lens())
        self._keys: SortKeys | None = None
        self.jobs = JobReader(self)
        """The jobs of the file, and what they leave to be done."""

    @property
    def name(self) -> str | None:
        """Whose labels are written; None until it is known."""
        return self._name

    @name.setter
    def name(self, name: str | None) -> None:
        """Raises `UsageError` for no proper name."""
        grader = None if name is None else grader_of(name)
        self._name = grader and grader.removeprefix(HUMAN_PREFIX)

    # Opening and closing

    @property
    def exists(self) -> bool:
        """Whether there is a database at the path."""
        return self.path.exists() and self.path.stat().st_size > 0

    @property
    def is_open(self) -> bool:
        """Whether there is a project, open for reading."""
        return self._open is not None

    @property
    def snapshot(self) -> Snapshot:
        """The snapshot given last."""
        return self._snapshot

    @property
    def project(self) -> OpenProject:
        """The project, open for reading. Raises `LostkeysError` where there is none."""
        return self._require_open().project

    @property
    def present(self) -> OpenProject | None:
        """The project; None on a path where there is no database."""
        return self.project if self.exists else None

    @property
    def confusions(self) -> "DisagreementService":
        """What two graders differ on, and deciding it. Raises as `project` does."""
        return self._require_open().confusions

    @property
    def audits(self) -> "AuditService":
        """Audits, and deciding whole facts. Raises as `project` does."""
        return self._require_open().audits

    @cached_property
    def reviews(self) -> "Reviews":
        """Questions to look over, by the snapshot's strongest models."""
        from core.views.review.review_service import Reviews

        return Reviews(self)

    @cached_property
    def latent(self) -> "LatentService":
        """What models know where nobody asks."""
        from core.views.latent.latent_service import LatentService

        return LatentService(self)

    @cached_property
    def bench(self) -> "BenchService":
        """What models say of triples in each mode."""
        from core.views.bench.bench_service import BenchService

        return BenchService(self)

    @property
    def snapshots(self) -> SnapshotCache:
        """What is counted of the project. Raises as `project` does."""
        return self._require_open().snapshots

    def _require_open(self) -> OpenFile:
        if self._open is None:
            if self.exists:
                raise LostkeysError(f"{self.path} is not open: open it again")
            raise UsageError(f"{self.path} is not there yet: import facts first")
        return self._open

    @tell_user_errors
    def open(self, lens: ChosenLens = None, is_alone: Callable[[], bool] = bool) -> Snapshot:
        """The first snapshot; without a lens the one that this project suggests.

        Where its model `is_alone`, the snapshot may be of that model; `look` counts the others.
        Without a database it is empty, and nothing is made. What cannot be opened leaves the
        session as it was.
        """
        if not self.exists:
            self.close()
            self._snapshot = empty_snapshot(lens if isinstance(lens, Lens) else Lens())
            return self._snapshot
        found = self.path.stat()
        project = OpenProject(self.path, counts=True)
        try:
            version = db.connection.read_data_version(project.connection)
            with db.connection.read_transaction(project.connection):
                snapshots = SnapshotCache(project)
                chosen = lens(project) if callable(lens) else lens
                snapshot = snapshots.snapshot(chosen or Lens(), is_alone())
        except BaseException:
            project.close()
            raise
        self.close()
        file = (found.st_dev, found.st_ino)
        self._open = OpenFile(self, project, snapshots, file, version)
        return self._show(snapshot)

    def reopen(self) -> Snapshot:
        """Begin anew with what is at the path now, under the same lens; raises if it is gone."""
        if len(self._snapshot.index) and not self.exists:
            raise self._explain_gone()
        return self.open(self._snapshot.lens)

    def close(self) -> None:
        """Close the database; the session can be opened again."""
        if self._writer is not None:
            with suppress(sqlite3.Error):  # it only makes the next opening faster
                db.label_grids.fold_if_due(self._writer.connection)
            self._writer.close()
        if self._open is not None:
            self._open.project.close()
        self._open = self._writer = None
        self.jobs.forget()

    def interrupt(self) -> None:
        """Let what is being read fail at once; may be called from another thread."""
        with suppress(sqlite3.ProgrammingError):  # closed meanwhile
            if (now := self._open) is not None:
                now.project.connection.interrupt()

    # Snapshots

    @tell_user_errors
    def look(self, lens: Lens) -> Snapshot:
        """The snapshot under another lens; cheap where labels need not be counted again."""
        if self._open is None:
            return self.open(lens)
        self.check_file()
        with db.connection.read_transaction(self._open.project.connection):
            if not self._snapshot.whole:  # grids are read that others may have changed meanwhile
                self._open.pending = self._open.snapshots.catch_up() or self._open.pending
            return self._show(self._open.snapshots.snapshot(lens))

    @tell_user_errors
    def refresh(self) -> Snapshot | None:
        """Take in what has been written since, by anybody; None where that is nothing.

        Within a second of any commit there is a new snapshot: who reads by it reads again.
        """
        now = self._open
        if now is None:
            return self.reopen() if self.exists else None
        self.check_file()
        version = db.connection.read_data_version(now.project.connection)
        if version == now.version and not now.pending and not now.due:
            now.snapshots.look_first()
            return None
        now.due = now.due or version != now.version
        was, now.pending = now.pending, True  # in case that reading is interrupted
        with db.connection.read_transaction(now.project.connection):
            described = now.snapshots.catch_descriptions()
            now.pending = now.snapshots.catch_up() or described or was
            now.version = version
            if not now.pending and monotonic() < now.told + LATEST:
                return None
            snapshot = now.snapshots.snapshot(self._snapshot.lens)
        now.pending, now.due, now.told = False, not now.snapshots.has_looked, monotonic()
        now.finder.outdate()
        return self._show(snapshot)

    def _show(self, snapshot: Snapshot) -> Snapshot:
        self._snapshot = snapshot
        if self._keys is None or not self._keys.fit(snapshot.headings):
            self._keys = SortKeys(snapshot.index, snapshot.headings)
        return snapshot

    def check_file(self) -> None:
        """Refuse to go on with a file that is not at the path any more."""
        now = self._require_open()
        try:
            found = self.path.stat()
        except FileNotFoundError:
            raise self._explain_gone() from None
        if (found.st_dev, found.st_ino) != now.file:
            raise LostkeysError(f"{self.path} has been replaced by another file: open it again")

    def _explain_gone(self) -> LostkeysError:
        return LostkeysError(f"{self.path} is gone: put it back, or open another")

    @tell_user_errors
    def summary(self) -> SessionSummary:
        """Facts and one's own labels, counted."""
        own = 0
        if self._open is not None and self._name is not None:
            own = self._open.project.count_labels(grader_of(self._name))
        return SessionSummary(int((~self._snapshot.index.rejected).sum()), own)

    # Lists

    @tell_user_errors
    def listing(self, wanted: FactQuery) -> Listing:
        """The facts asked for; of a search what titles and questions say, and answers so far."""
        found = None
        if self._open is not None and wanted.search.strip():
            found = self._open.finder.search_texts(wanted.search)
        return self._list_found(wanted, found)

    @tell_user_errors
    def search_all(self, wanted: FactQuery) -> Listing:
        """The same with the answers searched too; not `complete` until all are indexed."""
        if self._open is None or not wanted.search.strip():
            return self._list_found(wanted, None)
        return self._list_found(wanted, self._open.finder.search_all(wanted.search))

    def _list_found(self, wanted: FactQuery, found: "SearchResult | None") -> Listing:
        facts, complete = (None, True) if found is None else (found.facts, found.complete)
        file = None if self._open is None else self.project.connection
        return fact_query.list_facts(self._snapshot, wanted, facts, self._keys, complete, file)

    @tell_user_errors
    def hits(self, wanted: FactQuery, places: tuple[int, ...]) -> dict[int, FactHit]:
        """Where a search matched in the facts at these places (those on screen)."""
        if self._open is None or not wanted.search.strip():
            return {}
        ids = self._snapshot.index.ids
        facts = {int(ids[place]): place for place in places if place < len(ids)}
        found = self._open.finder.hits(wanted.search, list(facts))
        return {
            facts[fact]: FactHit(one.where, one.text, one.start, one.end) for fact, one in found
        }

    @tell_user_errors
    def choices(self) -> "Choices":
        """What there is to filter by."""
        from core.views import filter_choices

        return filter_choices.choices(self._snapshot, self._keys)

    @tell_user_errors
    def notes(self) -> dict[int, str]:
        """People's newest note on each fact (id) that has one."""
        if self._open is not None:
            return db.index_columns.notes(self._open.project.connection)
        if not self.exists:
            return {}
        with OpenProject(self.path, counts=True) as project:
            return db.index_columns.notes(project.connection)

    # Facts

    @tell_user_errors
    def fact(self, fact: int) -> "FactView | None":
        """Everything about a fact (its id); None for one that is not there."""
        from core.views import fact_view

        return fact_view.read_fact(self.project, self._snapshot, fact)

    @tell_user_errors
    def unfold(self, fact: int, task: Task) -> "UnfoldedQuestion | None":
        """One question of a fact with its distinct answers; None where it has none."""
        from core.views import fact_view

        return fact_view.unfold(self.project, self._snapshot, fact, task)

    @tell_user_errors
    def task(self, fact: int, task: Task) -> "TaskView | None":
        """One question of a fact with all its answers; None where it has none."""
        from core.views import task_view

        return task_view.read_task(self.project, self._snapshot, fact, task, self.name)

    @tell_user_errors
    def context(self, fact: int, task: Task, model: str | None = None) -> "QuestionContext | None":
        """What stands around one question of a fact, of the lens's model or another."""
        from core.views import question_context

        return question_context.read_context(self.project, self._snapshot, fact, task, model)

    @tell_user_errors
    def consequences(self, slot: int) -> "tuple[Consequence, ...]":
        """What each of the four labels on an answer would do, in the order of `LABELS`."""
        from core.views import label_effects

        return label_effects.list_consequences(self.project, self._snapshot, slot, self.name)

    # Writing; each gives what happened and the snapshot after it

    def set_label(
        self, slot: int, label: Label, note: str | None = None
    ) -> "tuple[LabelEffect, Snapshot]":
        """Label a response; without a note the one that is there stays."""
        from core.curation import label_writer

        return self.write(
            lambda one: label_writer.set_label(one, self.require_name(), slot, label, note)
        )

    def withdraw(self, slot: int) -> "tuple[LabelEffect, Snapshot]":
        """Take one's own label of a response away."""
        from core.curation import label_writer

        return self.write(lambda one: label_writer.withdraw(one, self.require_name(), slot))

    def set_note(self, slot: int, note: str) -> "tuple[LabelEffect, Snapshot]":
        """Set the note on one's own label of a response, or remove it where it is empty."""
        from core.curation import label_writer

        return self.write(lambda one: label_writer.set_note(one, self.require_name(), slot, note))

    def set_flag(self, fact: int, flagged: bool) -> "tuple[FlagEffect, Snapshot]":
        """Flag a fact (its id) or take its flag away; this needs no name."""
        from core.curation import label_writer

        return self.write(lambda one: label_writer.set_flag(one, self._name, fact, flagged))

    def undo(self) -> "tuple[UndoResult | None, Snapshot]":
        """Undo what one did last; None where nothing is left to undo."""
        from core.curation import undo_history

        return self.write(lambda one: undo_history.undo(one, self._name))

    def undo_on(self, facts: Collection[int]) -> "tuple[UndoResult | Act | None, Snapshot]":
        """Undo what one did last to some facts (ids); elsewhere it is only told, and stays."""
        from core.curation import undo_history

        return self.write(lambda one: undo_history.undo_on(one, self._name, facts))

    def undo_act(self, key: int, retry: bool = True) -> "tuple[UndoResult, Snapshot]":
        """Undo one act. Raises `LostkeysError` where it is undone already."""
        from core.curation import undo_history

        return self.write(lambda one: undo_history.undo_act(one, self._name, key, retry))

    def redo(self) -> "tuple[UndoResult | None, Snapshot]":
        """Do again what one undid last; None where nothing is, or one has acted since."""
        from core.curation import undo_history

        return self.write(lambda one: undo_history.redo(one, self._name))

    @tell_user_errors
    def acts(self) -> "list[tuple[Act, Target | None]]":
        """What one did, newest first, each with what it was about."""
        from core.curation import undo_history

        found = undo_history.list_acts(self.project, self._name)
        return [(act, self.target(act.what)) for act in found]

    @tell_user_errors
    def target(self, what: "What") -> "Target | None":
        """Which fact, and which answer of it, was written about; None if it is gone."""
        from core.views.write_target import target_of

        return target_of(self._require_open().project, self._snapshot, what)

    def require_name(self) -> str:
        """Whose labels are written. Raises `UsageError` while nobody is named."""
        if self._name is None:
            raise UsageError("labels carry a name: say yours first")
        return self._name

    @tell_user_errors
    def write(self, work: Callable[[OpenProject], T], looks: bool = True) -> tuple[T, Snapshot]:
        """Let `work` write to the file; gives what it gives, and the snapshot after it.

        Unless it `looks`, `refresh` takes it in later. `work` has a connection of its own.
        """
        from core.views.session_protocols import identify_file

        self.check_file()
        if self._writer is None:
            self._writer = OpenProject(self.path, "write", counts=True)
        try:
            identify_file(self._writer)
            done = work(self._writer)
        except sqlite3.Error:  # a connection made while the file could not be written never can
            self._writer.close()
            self._writer = None
            raise
        return done, (self.refresh() if looks else None) or self._snapshot
