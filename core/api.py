"""The library: what `import lostkeys` offers, thin over the rooms of `core`.

Nothing heavy is imported before it is needed. Numbers are those of the command line, as
`to_dict()` gives them. A project is used by one thread at a time.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.errors import LostkeysError, UsageError
from core.library.arguments import check_arguments, check_values, fill_fields
from core.library.data_table import Table, select_tasks
from core.library.memory_rows import Rows, write_rows
from core.library.named_analyses import list_analyses
from core.library.results import (
    AlignedGraders,
    Analysis,
    ComparedModels,
    Confusion,
    ImportedFiles,
    Profiles,
    ReadFiles,
    flatten,
    list_tag_rows,
    tabulate,
)
from core.scoring.policy import Policy
from core.vocabulary import LABELS, PROFILES, TASKS

if TYPE_CHECKING:
    from core.figures.figure import Figure
    from core.project import OpenProject

__all__ = [
    "LABELS",
    "PROFILES",
    "TASKS",
    "AlignedGraders",
    "Analysis",
    "ComparedModels",
    "Confusion",
    "ImportedFiles",
    "LostkeysError",
    "Policy",
    "Profiles",
    "Project",
    "ReadFiles",
    "Table",
    "UsageError",
    "list_analyses",
    "open",
    "profiles",
    "read",
]

LIST_OPTIONS = ("where", "sort", "policy", "excel_safe", "anonymous")
"""What `Project.export` takes of a list that is written as its screen shows it."""


class Project:
    """An open project; a context manager. Made by `open`."""

    def __init__(self, project: "OpenProject", writes: bool) -> None:
        self._project, self._writes = project, writes

    def __enter__(self) -> "Project":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Project {self.path}>"

    @property
    def path(self) -> Path:
        """The file."""
        return self._project.path

    def close(self) -> None:
        """Close the file; the project cannot be used after."""
        self._project.close()

    @check_arguments
    def facts(self, where: str | None = None) -> Table:
        """Facts in the columns of `lostkeys export facts`; `where` is a filter as of `--where`."""
        return self._read_table("facts", where=where)

    @check_arguments
    def responses(
        self,
        *,
        models: Sequence[str] | None = None,
        tasks: Sequence[str] | None = None,
        where: str | None = None,
    ) -> Table:
        """Responses with the labels that they have, a row each."""
        return select_tasks(self._read_table("responses", models, where), tasks)

    @check_arguments
    def labels(
        self,
        *,
        graders: Sequence[str] | None = None,
        models: Sequence[str] | None = None,
        where: str | None = None,
    ) -> Table:
        """Labels, a row a response and grader; `human:*` among the graders is everybody."""
        found = self._read_table("labels", models, where)
        wanted = _to_list(graders)
        if wanted is None:
            return found
        rows = tuple(row for row in found.rows if _is_among(row["grader"], wanted))
        return Table(found.columns, rows, found.kinds)

    @check_arguments
    def profiles(
        self,
        policy: Policy = Policy(),  # noqa: B008 (frozen)
        *,
        models: Sequence[str] | None = None,
        where: str | None = None,
        by: str | None = None,
        intervals: bool = False,
    ) -> Profiles:
        """Knowledge profiles; `by` breaks models down.

        It is category, subject_type, object_type or popularity.
        """
        from core.results import profile_summary
        from core.transfer.exports import kinds_of

        kinds = kinds_of("profiles")
        with self._tell_errors():
            found = profile_summary.profiles(
                self._project, policy, _to_list(models), where, by, intervals
            )
            facts = tuple(
                {**one.as_json(intervals), "profile": one.profile and str(one.profile)}
                for one in profile_summary.list_fact_profiles(self._project, found, intervals)
            )
            return Profiles(found.as_json(), tabulate(facts, kinds))

    @check_arguments
    def analyze(
        self,
        name: str,
        policy: Policy = Policy(),  # noqa: B008 (frozen)
        *,
        models: Sequence[str] | None = None,
        where: str | None = None,
        intervals: bool = False,
        **options: Any,
    ) -> Analysis:
        """One of `list_analyses`, with the options of its command as keywords.

        A name with `zp-` is that of a table of `zp-lke analyze`, one with `fb-` of
        `fact-bench table`: these rest on no policy.
        """
        from core.library.named_analyses import analyse_named

        with self._tell_errors():
            document, make = analyse_named(
                *(self._project, name, policy, _to_list(models), where, intervals, options)
            )
        rows = tabulate(tuple(flatten(row) for row in document["rows"]))
        return Analysis(document, rows, lambda: self._make(make))

    @check_arguments
    def compare(
        self,
        a: str,
        b: str | None = None,
        policy: Policy = Policy(),  # noqa: B008 (frozen)
        *,
        policy_b: Policy | None = None,
        where: str | None = None,
    ) -> ComparedModels:
        """Two models, or one under two policies, over the same facts."""
        from core.results.model_comparison import compare

        with self._tell_errors():
            sides = (a, policy), (a if b is None else b, policy_b or policy)
            return ComparedModels(compare(self._project, *sides, where).as_json())

    @check_arguments
    def confusion(
        self,
        a: str,
        b: str,
        policy: Policy = Policy(),  # noqa: B008 (frozen)
        *,
        models: Sequence[str] | None = None,
        where: str | None = None,
    ) -> Confusion:
        """The labels of two graders over the responses that both have labelled."""
        from dataclasses import replace

        from core.figures.figure_table import make
        from core.results.agreement import compare

        with self._tell_errors():
            chosen = self._project.choose_models(_to_list(models), arms=True)
            facts = self._project.facts(where, chosen, policy)
            document = compare(self._project, a, b, policy, chosen, facts).as_json()
        by_a = replace(policy, graders=policy.graders or (a,))
        figure = partial(make, self._project, "confusion", by_a, chosen, where, graders=(a, b))
        return Confusion(document, lambda: self._make(figure))

    @check_arguments
    def align(
        self,
        name: str,
        *,
        graders: Sequence[str] | None = None,
        person: str | None = None,
        final: bool = False,
    ) -> AlignedGraders:
        """How far the versions tried on a set agree with a person; `final` opens its last part."""
        from core.alignment.reference_set import find_set, read_set
        from core.alignment.set_report import report_set

        if final:
            self._check_writes()
        with self._tell_errors():
            found = read_set(self._project, find_set(self._project, name))
            return AlignedGraders(
                report_set(self._project, found, person, _to_list(graders), final)
            )

    @check_arguments
    def tags(self, by: str | None = None) -> Table:
        """Tags with what they are on, and a row for each group of `by`, as of `tags --by`."""
        from core.alignment.tag_counts import count_tags

        with self._tell_errors():
            return tabulate(tuple(list_tag_rows(count_tags(self._project, by))))

    @check_arguments
    def label(
        self,
        fact_id: str,
        task: str,
        model: str,
        sample: int,
        label: str,
        *,
        thinking: bool = False,
        rationale: str | None = None,
        author: str | None = None,
    ) -> None:
        """Set a person's label of a response: `author`'s, else by the name in the settings."""
        from core.curation.label_writer import set_label
        from core.settings import preferences
        from core.transfer.response_keys import ResponseKeys
        from core.transfer.row_values import RowError
        from core.vocabulary import Label

        self._check_writes()
        if label not in LABELS:
            raise UsageError(f"no label {label}: labels are {', '.join(LABELS)}")
        key = {"fact_id": fact_id, "task": task, "model": model}
        with self._tell_errors():
            name = author if author is not None else preferences.load().person
            try:
                keys = ResponseKeys(self._project.connection, make=False)
                slot = keys.slot({**key, "thinking": thinking, "sample": sample})
            except RowError as error:
                raise UsageError(str(error)) from error
            set_label(self._project, name or "", slot, Label(label), rationale)

    @check_arguments
    def load(
        self,
        *paths: str | os.PathLike[str],
        format: str = "auto",  # noqa: A002
        **options: Any,
    ) -> ImportedFiles:
        """Import files; `options` are those of `lostkeys import`, such as `map` or `prefix`.

        Bad rows are reported, and the others land. A file that cannot be read lands nothing: alone
        it raises `LostkeysError`, of several it stops no other and stands in `errors` of what is
        given. `map` may be a dictionary; `as` is `as_label`.
        """
        from core.library.import_arguments import import_files

        self._check_writes()
        with self._tell_errors():
            return import_files(self._project, paths, format, options)

    @check_arguments
    def export(self, what: str, path: str | os.PathLike[str], **options: Any) -> int:
        """Write a table to a file, as `lostkeys export` does; gives how many rows.

        `options`: `models`, `where`, `policy`, `rejected`, `set_name`, `score`, `excel_safe`,
        `anonymous`; of `disagreements`, `questions`, `latent` and `bench`, which are written as
        their screens list them, `where`, `sort`, `policy`, `excel_safe`, `anonymous`.
        """
        from core.transfer.exports import Subset, export
        from core.views.list_words import BOARDS, QUEUES

        check_values(options)
        safe = bool(options.pop("excel_safe", False))
        anonymous = bool(options.pop("anonymous", False))
        with self._tell_errors():
            if what in (*QUEUES, *BOARDS):
                return self._export_list(what, Path(path), safe, anonymous, options)
            subset = fill_fields(Subset, options)
            return export(self._project, what, Path(path), safe, None, subset, anonymous)

    @check_arguments
    def publish(self, path: str | os.PathLike[str], **options: Any) -> Path:
        """Write a copy for Datasette, as `lostkeys publish` does; gives where it is.

        `options`: `models`, `where`, `policy`, `anonymous`.
        """
        from core.transfer.exports import Subset
        from core.transfer.publication import publish

        check_values(options)
        anonymous = bool(options.pop("anonymous", False))
        with self._tell_errors():
            subset = fill_fields(Subset, options)
            return publish(self._project, Path(path), subset, anonymous).path

    def _export_list(
        self, what: str, path: Path, safe: bool, anonymous: bool, options: Mapping[str, Any]
    ) -> int:
        from core.views.list_export import export_list
        from core.views.list_words import ListWords

        for name in options:
            if name not in LIST_OPTIONS:
                raise UsageError(f"no such option: {name!r}; there is {', '.join(LIST_OPTIONS)}")
        words = ListWords(what, options.get("where") or "", options.get("sort") or "")
        policy = options.get("policy") or Policy()
        return export_list(self.path, path, words, policy, excel_safe=safe, anonymous=anonymous)

    def _read_table(
        self, what: str, models: Sequence[str] | None = None, where: str | None = None
    ) -> Table:
        from core.transfer.exports import Subset, read_rows

        with self._tell_errors():
            kinds, rows = read_rows(self._project, what, Subset(_to_list(models), where))
            whole = ({name: row.get(name) for name in kinds} for row in rows)
            return Table(tuple(kinds), tuple(whole), kinds)

    def _make(self, make: "Callable[[], Figure]") -> "Figure":
        with self._tell_errors():
            return make()

    def _check_writes(self) -> None:
        if not self._writes:
            raise UsageError(f"{self.path} is open for reading: open it with write=True")

    @contextmanager
    def _tell_errors(self) -> Iterator[None]:
        """See what has been written since; faults of the file or the system are one line."""
        from core.project import explain

        try:
            self._project.refresh()
            yield
        except Exception as error:
            known = explain(error)
            if known is None or known is error:
                raise
            raise known from error


@check_arguments
def open(path: str | os.PathLike[str] | None = None, *, write: bool = False) -> Project:  # noqa: A001
    """Open a project: the file given, else `$LOSTKEYS_DB`, else `lostkeys.db` here.

    With `write` it is made where it is not there. Raises `LostkeysError` where it cannot be opened.
    """
    from core.project import OpenProject, explain
    from core.settings import paths

    file = paths.database(None if path is None else os.fspath(path))
    try:
        return Project(OpenProject(file, "create" if write else "read"), write)
    except Exception as error:
        known = explain(error)
        if known is None or known is error:
            raise
        raise known from error


@check_arguments
def read(
    *paths: str | os.PathLike[str],
    format: str = "auto",  # noqa: A002
    **options: Any,
) -> ReadFiles:
    """What files hold, as tables, with a report of rows that cannot be used.

    `options` are those of `Project.load`.
    """
    with _open_aside() as project:
        report = project.load(*paths, format=format, **options)
        return ReadFiles(project.facts(), project.responses(), project.labels(), report)


@check_arguments
def profiles(facts: Rows, responses: Rows, policy: Policy = Policy()) -> Profiles:  # noqa: B008
    """Profiles of facts and responses that are in memory, in the columns of imports.

    Raises `UsageError` for the first row that cannot be used.
    """
    import tempfile

    with _open_aside() as project, tempfile.TemporaryDirectory() as folder:
        for name, rows in (("facts", facts), ("responses", responses)):
            file = Path(folder) / f"{name}.jsonl"
            file.write_bytes(b"".join(write_rows(name, rows)))
            report = project.load(file, format="wikiprofile" if name == "facts" else name)
            if report.bad:
                first = report.files[0]["bad"][0]
                raise UsageError(f"{name}, row {first['row']}: {first['reason']}")
        return project.profiles(policy)


@contextmanager
def _open_aside() -> Iterator[Project]:
    """A project that is gone afterwards."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder, open(Path(folder) / "read.db", write=True) as one:
        yield one


def _is_among(grader: str, wanted: Sequence[str]) -> bool:
    from core.scoring.precedence import HUMAN_PREFIX, PEOPLE

    return grader in wanted or (PEOPLE in wanted and grader.startswith(HUMAN_PREFIX))


def _to_list(models: Sequence[str] | None) -> list[str] | None:
    if models is None:
        return None
    return [models] if isinstance(models, str) else list(models)
