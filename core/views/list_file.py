"""A list as a file: its rows, order and columns, and beside it what it was a list of."""

import csv
import io
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import orjson

from core.dataset.fact_filters import format_where
from core.scoring.policy import Policy
from core.settings import file_writer
from core.settings.escapes import shown
from core.settings.plain_data import to_plain
from core.transfer import writers
from core.views import fact_search
from core.views.fact_columns import START, FactCells, check_columns, column_kind, with_sorted
from core.views.fact_query import FactQuery, format_sort, listed, query_of
from core.views.lens import Lens
from core.views.session import Session
from core.views.where import command_lens, index_answers
from core.vocabulary import Strategy

FACTS = "facts"
"""The list of which a command writes the rows."""


@dataclass(frozen=True, slots=True)
class ListWords:
    """Which list, in the words of a command; `view` is the name of the view that it comes from."""

    name: str = FACTS
    where: str = ""
    sort: str = ""
    columns: tuple[str, ...] = ()
    view: str = ""

    @property
    def options(self) -> list[str]:
        """The options of a command that shows the same rows."""
        found = ["--where", self.where] if self.where else []
        found += ["--sort", self.sort] if self.sort else []
        return found + (["--columns", ",".join(self.columns)] if self.columns else [])


@dataclass(frozen=True, slots=True)
class ListTable:
    """Rows of a list; `columns` says what stands in them."""

    columns: Mapping[str, type]
    rows: Sequence[Mapping[str, object]]


def facts_table(cells: FactCells, places: Sequence[int], columns: Sequence[str]) -> ListTable:
    """Facts (their places in the snapshot) as rows."""
    rows = [{name: cells.value(name, place) for name in columns} for place in places]
    return ListTable({name: column_kind(name) for name in columns}, rows)


@dataclass(frozen=True, slots=True)
class ReadList:
    """A list that a command has read: its rows, what it is a list of, through which lens."""

    table: ListTable
    words: ListWords
    lens: Lens


def read_list(
    path: Path, words: ListWords, models: Sequence[str] | None, policy: Policy
) -> ReadList:
    """The facts that a list shows which is asked for in words.

    Raises `UsageError` for a word, an order or a column that cannot be.
    """
    wanted = query_of(words.where, words.sort)
    columns = words.columns or with_sorted(START, wanted.order)
    check_columns(columns)
    if wanted.search:
        index_answers(path)
    with closing(Session(path)) as session:
        snapshot = session.open(command_lens(policy, models))
        listing = session.searched(wanted)
        notes = session.notes() if "note" in columns else {}
        table = facts_table(FactCells(snapshot, notes), listing.places.tolist(), columns)
        where = format_where(wanted.filters, wanted.search)
        shown = replace(words, where=where, sort=format_sort(wanted), columns=columns)
        return ReadList(table, shown, snapshot.lens)


def count_facts(session: Session, wanted: FactQuery, lens: Lens) -> int:
    """How many facts a list shows under a lens; of answers not indexed yet it knows nothing."""
    if not session.is_open:
        return 0
    project, snapshots = session.project, session.snapshots
    seen = session.snapshot.lens == lens
    snapshot = session.snapshot if seen else snapshots.snapshot(lens)
    facts = None
    if wanted.search.strip():
        found = fact_search.search(project, wanted.search)
        whole = found and fact_search.with_answers(project, found)
        facts = None if whole is None else whole.facts
    keys = snapshots.keys if snapshots.keys.fit(snapshot.headings) else None
    return len(listed(snapshot, wanted, facts, keys, find_text=project.find_text).places)


def write_list(
    path: Path, table: ListTable, words: ListWords, lens: Lens, excel_safe: bool = False
) -> Path:
    """Write a list, and what it is a list of into `NAME.meta.json` beside it.

    Raises `LostkeysError` where either cannot be written.
    """
    writers.save(path, table.columns, table.rows, excel_safe)
    about = {
        **to_plain(words),
        "rows": len(table.rows),
        **({"command": command_line(words, lens, path.name)} if words.name == FACTS else {}),
        "lens": to_plain(lens),
    }
    content = orjson.dumps(about, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    file_writer.deliver(meta_file(path), content)
    return path


def meta_file(path: Path) -> Path:
    """Where it stands what a file is a list of."""
    return path.with_name(f"{path.name}.meta.json")


def command_line(words: ListWords, lens: Lens, file: str = "FILE") -> str:
    """The command that writes the same rows."""
    asked = [*words.options, *lens_options(lens)]
    return shlex.join(["lostkeys", "export", words.name, "-o", file, *asked])


def lens_options(lens: Lens) -> Iterator[str]:
    """The options of a command that looks through the same lens."""
    start, policy = Policy(), lens.policy
    if lens.model is not None:
        yield from ("--model", _listed([lens.model]))
    if policy.graders is not None:
        yield from ("--grader", _listed(policy.graders))
    if policy.tau != start.tau:
        yield from ("--tau", str(policy.tau))
    if policy.strategy is not start.strategy:
        yield from ("--strategy", str(policy.strategy))
    if policy.strategy is Strategy.PARTIAL and policy.weight != start.weight:
        yield from ("--weight", str(policy.weight))


def _listed(names: Sequence[str]) -> str:
    """Names with commas between; one that holds a comma stands in quotes."""
    found = io.StringIO()
    csv.writer(found, lineterminator="").writerow(names)
    return found.getvalue()


def copied_text(table: ListTable, most: int) -> str:
    """Rows with tabs between cells under their names, so many at most."""
    names = list(table.columns)
    lines: list[list[object]] = [[*names]]
    lines += [[row[name] for name in names] for row in table.rows[:most]]
    return "".join("\t".join(map(_inline, line)) + "\n" for line in lines)


def _inline(value: Any) -> str:
    return "" if value is None else shown(str(value))
