"""DuckDB on the files of a lake, one folder at a time.

The statements stand here and not in `db`: a lake is no database of the project's, and nothing is
written. Facts are numbered once, in the order of their files; what is counted is numpy arrays by
that number.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any

import numpy as np
import numpy.typing as npt

from core.errors import LostkeysError
from core.scale.column_texts import SEARCHED, fold_case, is_asked, space_title, text_of
from core.scale.lake_columns import CellCounts, FactColumns, LabelFiles, LabelSource, Numbers
from core.scale.packed_counts import PACKED, SAMPLE_BITS, pack_counts, unpack_counts
from core.settings.extras import check_extra
from core.vocabulary import LABELS, TASKS

MEMORY = "768MB"
"""What DuckDB may hold; what needs more goes through a folder of passing files."""

ROWS_AT_ONCE = 10_000

_TIME = '"at"'
RUN_VALUES = ("thinking", "samples", "tau", "strategy", "weight", "graders", _TIME, "done")
"""Columns of a run, in the order in which `LakeQueries.read_runs` gives them."""

FIRST_VERSION = "1"
_FIRST_SIGN = " "
"""A text above it begins with no white space that is trimmed."""


class LakeQueries:
    """What DuckDB is asked about one lake; a context manager."""

    def __init__(self, path: Path) -> None:
        """Raises `LostkeysError` where DuckDB is not installed."""
        check_extra("scale")
        import duckdb

        self._path = path
        self._spill = mkdtemp(prefix="lostkeys-")
        self._connection = duckdb.connect(":memory:")
        for name, value in (
            ("memory_limit", MEMORY),
            ("temp_directory", self._spill),
            ("preserve_insertion_order", True),
            ("enable_progress_bar", False),  # it would stand among what a command prints
        ):
            self._connection.execute(f"SET {name} = ?", [value])

    def __enter__(self) -> "LakeQueries":
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()
        rmtree(self._spill, ignore_errors=True)

    def read_facts(self, files: Sequence[Path]) -> FactColumns:
        """Number the facts; raises `LostkeysError` for one that stands twice."""
        there, filled = self._columns(files), self._find_filled(files)
        views = f"{'coalesce(gbc::BIGINT, -1)' if 'gbc' in there else '-1::BIGINT'} AS views"
        flags = ", ".join(f"{is_asked(task, there, filled)} AS {task.value}" for task in TASKS)
        names = ("fact_id", "category", "subject_type", "object_type", "page_created")
        texts = ", ".join(f"{text_of(name, there)} AS {name}" for name in names)
        # The table has what labels are joined by alone: its memory is memory that counting lacks.
        with self._tell_errors():
            self._connection.execute(
                "CREATE TABLE fact AS SELECT (row_number() OVER () - 1)::INTEGER AS number, "
                f"{text_of('fact_id', there)} AS fact_id FROM {_PARQUET}",
                [_to_names(files)],
            )
        sql = f"SELECT {texts}, {views}, {flags} FROM {_PARQUET}"
        found = self._columns_of(sql, [_to_names(files)])
        self._connection.execute("SET preserve_insertion_order = false")
        ids, categories, subject_types, object_types, created, gbc = found[:6]
        self._check_once(fact_ids := ids.tolist())
        return FactColumns(
            fact_ids,
            gbc.astype(np.int64),
            _share_texts(categories),
            _share_texts(subject_types),
            _share_texts(object_types),
            np.array([int(one[:4]) if one else -1 for one in created.tolist()], np.int64),
            np.stack([one.astype(np.bool_) for one in found[6:]], axis=1),
        )

    def _find_filled(self, files: Sequence[Path]) -> dict[str, bool]:
        """Columns that say something in every row, and those that do in none, by their ends alone.

        Texts of questions are long, and nothing else of them is asked.
        """
        rows = self._rows_of(
            "SELECT path_in_schema, sum(num_values), sum(stats_null_count), "
            "count(stats_null_count) = count(*), min(stats_min_value) "
            "FROM parquet_metadata(?) GROUP BY path_in_schema",
            [_to_names(files)],
        )
        found = {}
        for name, many, nulls, is_told, least in rows:
            if is_told and nulls == many:
                found[name] = False
            elif is_told and nulls == 0 and isinstance(least, str) and least > _FIRST_SIGN:
                found[name] = True
        return found

    def read_entities(self, files: Sequence[Path]) -> dict[str, tuple[str, str]]:
        """Subject and object of every fact by fact_id."""
        there = self._columns(files)
        texts = ", ".join(text_of(name, there) for name in ("fact_id", "subject", "object"))
        rows = self._rows_of(f"SELECT {texts} FROM {_PARQUET}", [_to_names(files)])
        return {fact_id: (subject, object_) for fact_id, subject, object_ in rows}

    def _check_once(self, fact_ids: Sequence[str]) -> None:
        if len(set(fact_ids)) == len(fact_ids):
            return
        ((twice, _),) = Counter(fact_ids).most_common(1)
        raise LostkeysError(
            f"{self._path / 'facts'} has the fact {twice!r} twice: take one file away"
        )

    def count_rows(self, files: Sequence[Path]) -> int:
        """How many rows files have, by their ends alone."""
        sql = "SELECT coalesce(sum(num_rows), 0) FROM parquet_file_metadata(?)"
        return int(self._rows_of(sql, [_to_names(files)])[0][0])

    def have_same_keys(self, one: Sequence[Path], other: Sequence[Path]) -> bool:
        """Whether the rows of some files are of the same facts and samples as those of others.

        By a sum over all of them, which takes a tenth of the time that grouping them takes.
        """
        sql = f"SELECT count(*), sum(hash(fact_id::VARCHAR, sample::BIGINT)) FROM {_PARQUET}"
        return self._rows_of(sql, [_to_names(one)]) == self._rows_of(sql, [_to_names(other)])

    def count_drawn(self, where: str, files: Sequence[Path]) -> tuple[Numbers, Numbers, Numbers]:
        """Facts with responses in a cell, by number, how many each has, and their samples as bits.

        `where` names the cell for people. Raises `LostkeysError` for a response twice.
        """
        sql = (
            "SELECT number, many, most, bits FROM (SELECT fact_id, count(*) AS many, "
            f"max(sample) + 1 AS most, {SAMPLE_BITS} AS bits FROM {_PARQUET} GROUP BY fact_id) "
            "JOIN fact USING (fact_id)"
        )
        facts, many, most, bits = self._columns_of(sql, [_to_names(files)])
        self._check_keys(f"{where} has more responses", facts[many > most])
        return facts, many, bits

    def _check_keys(self, what: str, numbers: Numbers) -> None:
        """Raise the error for facts (numbers) with more rows than samples."""
        for number in numbers:
            sql = "SELECT fact_id FROM fact WHERE number = ?"
            ((fact_id,),) = self._rows_of(sql, [int(number)])
            raise LostkeysError(
                f"{self._path}: {what} than samples of the fact {fact_id!r}: a key stands twice, "
                "take one of the files away"
            )

    def versions(self, files: Sequence[Path]) -> list[str]:
        """The versions of a grader in some files of labels, in order."""
        if "version" not in self._columns(files):
            return [FIRST_VERSION]
        sql = f"SELECT DISTINCT {_VERSION} FROM {_UNITED} ORDER BY 1"
        names = [row[0] for row in self._rows_of(sql, [_to_names(files)])]
        return sorted(names, key=lambda one: (len(one), one))

    def count_labels(self, where: str, sources: Sequence[LabelSource]) -> CellCounts:
        """Count the labels of a cell: of each response that of the first source that has one.

        `where` names the cell for people. Raises `LostkeysError` for a label that is none, a
        response with two labels by one grader, and a fact that is not among the lake's.
        """
        if len(sources) == 1 and len(sources[0]) == 1 and sources[0][0].version is None:
            files: list[Any] = [_to_names(sources[0][0].files)]
            sql = (
                f"SELECT number, {PACKED} FROM (SELECT fact_id, {pack_counts('label', _WORDS)} "
                f"FROM {_PARQUET} GROUP BY fact_id) LEFT JOIN fact USING (fact_id)"
            )
        else:
            rows, files = self._merge_first(sources)
            sql = (
                f"WITH {rows} SELECT number, {PACKED} FROM (SELECT number, "
                f"{pack_counts('code', range(len(LABELS)))} "
                "FROM merged GROUP BY number)"
            )
        with self._tell_errors():
            found = self._connection.execute(sql, files).fetchnumpy()
        number, *columns = found.values()
        packed, many, bits = map(np.asarray, columns)
        labels = unpack_counts(packed, len(LABELS))
        if not np.array_equal(labels.sum(axis=0, dtype=np.int64), many):
            self._tell_label(where, sources)
        if np.ma.getmaskarray(number).any():
            self._tell_stranger(where, sources)
        numbers = np.asarray(number).astype(np.intp)
        if bool((many > np.bitwise_count(bits)).any()):
            self._check_samples(where, sources)
        return CellCounts(numbers, labels, np.asarray(bits).astype(np.int64))

    def _check_samples(self, where: str, sources: Sequence[LabelSource]) -> None:
        """Raise the error for a response with two labels by one grader, if there is one."""
        for source in sources:
            rows, files = self._select_labels(source)
            sql = (
                f"SELECT number FROM ({rows}) JOIN fact USING (fact_id) "
                "GROUP BY number, sample HAVING count(*) > 1 LIMIT 1"
            )
            self._check_keys(f"{where} has more labels", self._columns_of(sql, files)[0])

    def _tell_stranger(self, where: str, sources: Sequence[LabelSource]) -> None:
        """Raise the error for labels of a fact that the lake has not."""
        for one in (one for source in sources for one in source):
            sql = f"SELECT fact_id FROM {_PARQUET} ANTI JOIN fact USING (fact_id) LIMIT 1"
            for (fact_id,) in self._rows_of(sql, [_to_names(one.files)]):
                raise LostkeysError(
                    f"{self._path}: {where} has labels of the fact {fact_id!r} that is not in "
                    "facts/: copy its facts, too"
                )

    def _tell_label(self, where: str, sources: Sequence[LabelSource]) -> None:
        """Raise the error for a label that is none of the four, with the file it is in."""
        for source in sources:
            for one in source:
                sql = (
                    f"SELECT filename, label FROM read_parquet(?, {_PLAIN}, filename = true) "
                    f"WHERE {_CODE} IS NULL LIMIT 1"
                )
                for file, label in self._rows_of(sql, [_to_names(one.files)]):
                    raise LostkeysError(
                        f"{file}: unknown label {str(label)[:60]!r}: labels are {', '.join(LABELS)}"
                    )
        raise LostkeysError(f"{self._path}: {where} has rows without a label: mend its files")

    def _select_labels(self, source: LabelSource) -> tuple[str, list[Any]]:
        """A statement for fact_id, sample and code of the labels of a source, and its files."""
        parts, files = [], []
        for place, one in enumerate(source):
            at = "0" if len(source) == 1 else self._time_of(one)
            table, narrowed = _PARQUET, ""
            if one.version is not None:
                versioned = "version" in self._columns(one.files)
                table = _UNITED
                narrowed = f" WHERE {_VERSION if versioned else _FIRST} = ?"
            elif at != "0":
                table = _UNITED
            parts.append(
                f"SELECT fact_id, sample, {_CODE} AS code, {at} AS said_at, {place} AS place "
                f"FROM {table}{narrowed}"
            )
            files += [_to_names(one.files), *([one.version] if one.version is not None else [])]
        if len(parts) == 1:
            return parts[0], files
        newest = "arg_max(code, {'at': said_at, 'place': place}) AS code"
        joined = " UNION ALL ".join(parts)
        return f"SELECT fact_id, sample, {newest} FROM ({joined}) GROUP BY fact_id, sample", files

    def _time_of(self, one: LabelFiles) -> str:
        return 'coalesce("at", -1)' if "at" in self._columns(one.files) else "-1"

    def _merge_first(self, sources: Sequence[LabelSource]) -> tuple[str, list[Any]]:
        """Statements that end in `merged`: number, sample and code by the first that has one."""
        steps, parts, files = [], [], []
        for place, source in enumerate(sources):
            rows, mine = self._select_labels(source)
            files += mine
            steps.append(
                f"r{place} AS MATERIALIZED (SELECT number, sample, code FROM ({rows}) "
                "LEFT JOIN fact USING (fact_id))"
            )
            before = "".join(f" ANTI JOIN r{one} USING (number, sample)" for one in range(place))
            parts.append(f"SELECT number, sample, code FROM r{place}{before}")
        steps.append(f"merged AS ({' UNION ALL '.join(parts)})")
        return ", ".join(steps), files

    def cross(
        self, a: LabelSource, b: LabelSource
    ) -> tuple[list[npt.NDArray[Any]], list[npt.NDArray[Any]]]:
        """How two graders label the responses of a cell that both have labelled.

        Columns fact, label of A, label of B and count; and fact, sample, label of A and of B of
        the responses on which they differ. Labels are 0 to 3.
        """
        rows_a, files_a = self._select_labels(a)
        rows_b, files_b = self._select_labels(b)
        sql = (
            "CREATE OR REPLACE TEMP TABLE both_labelled AS "
            "SELECT number, sample, a.code AS a, b.code AS b "
            f"FROM ({rows_a}) AS a JOIN ({rows_b}) AS b USING (fact_id, sample) "
            "JOIN fact USING (fact_id)"
        )
        with self._tell_errors():
            self._connection.execute(sql, [*files_a, *files_b])
        crossed = self._columns_of(
            "SELECT number, a, b, count(*) AS many FROM both_labelled GROUP BY ALL ORDER BY ALL", []
        )
        unlike = self._columns_of(
            "SELECT number, sample, a, b FROM both_labelled WHERE a <> b ORDER BY sample, number",
            [],
        )
        return crossed, unlike

    def read_answers(
        self,
        file: Path,
        facts: Sequence[Path],
        columns: Sequence[str],
        of_facts: Sequence[str],
    ) -> Iterator[tuple[Any, ...]]:
        """Rows of a file of responses with what is said of their facts, a few thousand at a time.

        A column that is not there is None. No other question may be asked meanwhile.
        """
        mine, there = self._columns([file]), self._columns(facts)
        picked = [f"r.{name}" if name in mine else "NULL" for name in columns]
        picked += [f"f.{name}" if name in there else "NULL" for name in of_facts]
        sql = (
            f"SELECT {', '.join(picked)} FROM {_PARQUET} AS r "
            f"JOIN {_PARQUET} AS f ON f.fact_id = r.fact_id"
        )
        with self._tell_errors():
            found = self._connection.execute(sql, [[str(file)], _to_names(facts)])
        while True:
            with self._tell_errors():
                rows = found.fetchmany(ROWS_AT_ONCE)
            if not rows:
                return
            yield from rows

    def find_text(self, files: Sequence[Path], text: str) -> list[str]:
        """Ids of the facts in whose title, names, topic, questions or answers a text occurs.

        Capitals of ASCII do not matter, as where a database is asked.
        """
        there = self._columns(files)
        folded = [
            f"contains({fold_case(space_title(name))}, {fold_case('$text')})"
            for name in SEARCHED
            if name in there
        ]
        sql = f"SELECT fact_id FROM {_PARQUET.replace('?', '$files')} WHERE {' OR '.join(folded)}"
        return [row[0] for row in self._rows_of(sql, {"files": _to_names(files), "text": text})]

    def read_runs(
        self, files: Sequence[Path], model: str
    ) -> Iterator[tuple[tuple[Any, ...], Numbers, Numbers]]:
        """Runs of a model, oldest first: `RUN_VALUES`, the numbers of their facts that are in the
        lake, and for each fact the tasks that were asked, a bit each.
        """
        asked = " + ".join(
            f"CASE WHEN list_contains(tasks, '{task.value}') THEN {1 << place} ELSE 0 END"
            for place, task in enumerate(TASKS)
        )
        same = " AND ".join(f"{name} IS NOT DISTINCT FROM ?" for name in RUN_VALUES)
        sql = (
            f"SELECT number, bit_or(({asked})::BIGINT) FROM {_UNITED} JOIN fact USING (fact_id) "
            f"WHERE model = ? AND {same} GROUP BY number ORDER BY number"
        )
        for row in self._rows_of(
            f"SELECT DISTINCT {', '.join(RUN_VALUES)} FROM {_UNITED} WHERE model = ? "
            f"ORDER BY {_TIME}",
            [_to_names(files), model],
        ):
            facts, bits = self._columns_of(sql, [_to_names(files), model, *row])
            yield row, facts.astype(np.int64), bits.astype(np.int64)

    def _columns(self, files: Sequence[Path]) -> set[str]:
        """The columns that any of some files has."""
        rows = self._rows_of(f"DESCRIBE SELECT * FROM {_UNITED}", [_to_names(files)])
        return {row[0] for row in rows}

    def _rows_of(self, sql: str, values: list[Any] | dict[str, Any]) -> list[tuple[Any, ...]]:
        with self._tell_errors():
            rows: list[tuple[Any, ...]] = self._connection.execute(sql, values).fetchall()
        return rows

    def _columns_of(self, sql: str, values: list[Any]) -> list[npt.NDArray[Any]]:
        with self._tell_errors():
            found = self._connection.execute(sql, values).fetchnumpy()
        return [np.asarray(column) for column in found.values()]

    @contextmanager
    def _tell_errors(self) -> Iterator[None]:
        import duckdb

        try:
            yield
        except duckdb.Error as error:
            why = str(error).partition("\n")[0]
            raise LostkeysError(
                f"{self._path} cannot be counted ({why}): copy the file again, or take it away"
            ) from None


_PLAIN = "hive_partitioning = false"
_PARQUET = f"read_parquet(?, {_PLAIN})"
_UNITED = f"read_parquet(?, {_PLAIN}, union_by_name = true)"
_VERSION = f"coalesce(version, '{FIRST_VERSION}')"
_CODE = "CASE label " + " ".join(f"WHEN '{one}' THEN {n}" for n, one in enumerate(LABELS)) + " END"
_FIRST = f"'{FIRST_VERSION}'"
_WORDS = tuple(f"'{label}'" for label in LABELS)


def _share_texts(texts: Iterable[str]) -> list[str]:
    """The texts, equal ones as one object: a million facts have few topics."""
    share = dict[str, str]().setdefault
    return [share(text, text) for text in texts]


def _to_names(files: Sequence[Path]) -> list[str]:
    return [str(file) for file in files]
