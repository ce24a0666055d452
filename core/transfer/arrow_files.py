"""Arrow and Parquet as rows."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar

from core.errors import LostkeysError
from core.settings.extras import check_extra
from core.transfer.row_source import ROWS_AT_ONCE, Row, RowSource


class _Columns(RowSource):
    """A file of columns, read a few thousand rows at a time."""

    unit = "row"
    tabular = True
    cells = True
    kind: ClassVar[str]

    def keys(self) -> Sequence[str]:
        """The columns."""
        check_extra("arrow")
        import pyarrow as pa

        try:
            with self._open_batches() as (names, _):
                columns: list[str] = names
        except (pa.ArrowException, OSError) as error:
            raise self._unsound(error, "") from None
        if len(set(columns)) < len(columns):
            raise self.read_error("", "two columns have one name", "rename one")
        return columns

    def _parse_rows(self) -> Iterator[tuple[int, Row]]:
        self.keys()
        import pyarrow as pa

        number = 0
        try:
            with self._open_batches() as (_, batches):
                for batch in batches:
                    # Lengths that a file makes up would be read from any place in memory.
                    batch.validate(full=True)
                    rows = batch.to_pylist(maps_as_pydicts="lossy")
                    for number, row in enumerate(rows, number + 1):  # noqa: B020
                        yield number, row
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            raise self._unsound(error, f"after row {number}") from None

    @abstractmethod
    def _open_batches(self) -> Any:
        """A context that gives the names of columns, and batches of rows."""

    def _unsound(self, error: Exception, where: str) -> LostkeysError:
        why = str(error).partition("\n")[0]
        return self.read_error(where, f"not a sound {self.kind} file ({why})")


class ParquetFile(_Columns):
    """A Parquet file."""

    kind = "Parquet"

    @contextmanager
    def _open_batches(self) -> Iterator[tuple[list[str], Iterator[Any]]]:
        from pyarrow import parquet

        with parquet.ParquetFile(self.path) as file:
            yield file.schema_arrow.names, file.iter_batches(ROWS_AT_ONCE)


class ArrowFile(_Columns):
    """Arrow's own file or stream, and Feather."""

    kind = "Arrow"

    @contextmanager
    def _open_batches(self) -> Iterator[tuple[list[str], Iterator[Any]]]:
        import pyarrow as pa

        with pa.OSFile(str(self.path), "rb") as file:
            start = file.read(6)
            file.seek(0)
            if start == b"ARROW1":
                reader = pa.ipc.open_file(file)
                batches = (reader.get_batch(at) for at in range(reader.num_record_batches))
            elif start[:4] == b"FEA1":
                from pyarrow import feather

                table = feather.read_table(file)
                yield table.schema.names, iter(table.to_batches(ROWS_AT_ONCE))
                return
            else:
                reader = pa.ipc.open_stream(file)
                batches = iter(reader)
            yield reader.schema.names, _parts(batches)


def _parts(batches: Iterator[Any]) -> Iterator[Any]:
    """Batches of no more than a few thousand rows."""
    for batch in batches:
        for start in range(0, batch.num_rows, ROWS_AT_ONCE):
            yield batch.slice(start, ROWS_AT_ONCE)
